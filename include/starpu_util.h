/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Attributes, assertions that name their place, atomic operations: small things that StarPU programs expect.
 */
#ifndef __STARPU_UTIL_H__
#define __STARPU_UTIL_H__

#include <stdio.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>
#include <assert.h>
#include <execinfo.h>
#include <time.h>
#include <sys/time.h>
#include <unistd.h>
#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_ABORT() \
	do { \
		STARPU_DUMP_BACKTRACE(); \
		fprintf(stderr, "%s:%d: %s: aborted\n", __FILE__, __LINE__, __func__); \
		abort(); \
	} while (0)
#define STARPU_ABORT_MSG(msg, ...) \
	do { \
		STARPU_DUMP_BACKTRACE(); \
		fprintf(stderr, "%s:%d: %s: " msg "\n", __FILE__, __LINE__, __func__, ##__VA_ARGS__); \
		abort(); \
	} while (0)
#define STARPU_ASSERT_MSG_ALWAYS(x, msg, ...) \
	do { \
		if (STARPU_UNLIKELY(!(x))) \
			STARPU_ABORT_MSG("'%s' does not hold: " msg, #x, ##__VA_ARGS__); \
	} while (0)
#ifdef STARPU_NO_ASSERT
#define STARPU_ASSERT(x) ((void)sizeof(x))
#define STARPU_ASSERT_MSG(x, msg, ...) ((void)sizeof(x))
#define STARPU_ASSERT_ACCESSIBLE(x) ((void)sizeof(x))
#else
#define STARPU_ASSERT(x) \
	do { \
		if (STARPU_UNLIKELY(!(x))) \
			STARPU_ABORT_MSG("'%s' does not hold", #x); \
	} while (0)
#define STARPU_ASSERT_MSG(x, msg, ...) STARPU_ASSERT_MSG_ALWAYS(x, msg, ##__VA_ARGS__)
#define STARPU_ASSERT_ACCESSIBLE(x) ((void)*(volatile char *)(x))
#endif
#define STARPU_ATOMIC_ADD(ptr, value) (__sync_add_and_fetch((ptr), (value)))
#define STARPU_ATOMIC_ADD64(ptr, value) (__sync_add_and_fetch((ptr), (value)))
#define STARPU_ATOMIC_ADDL(ptr, value) (__sync_add_and_fetch((ptr), (value)))
#define STARPU_ATOMIC_OR(ptr, value) (__sync_fetch_and_or((ptr), (value)))
#define STARPU_ATOMIC_OR64(ptr, value) (__sync_fetch_and_or((ptr), (value)))
#define STARPU_ATOMIC_ORL(ptr, value) (__sync_fetch_and_or((ptr), (value)))
#define STARPU_ATOMIC_SOMETHING(name, expr) \
	static inline unsigned starpu_atomic_##name(unsigned *ptr, unsigned value) \
	{ \
		unsigned old = *ptr, next; \
		do \
			next = (expr); \
		while (!__atomic_compare_exchange_n(ptr, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
		return next; \
	}
#define STARPU_ATOMIC_SOMETHING64(name, expr) \
	static inline uint64_t starpu_atomic_##name##64(uint64_t * ptr, uint64_t value) \
	{ \
		uint64_t old = *ptr, next; \
		do \
			next = (expr); \
		while (!__atomic_compare_exchange_n(ptr, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
		return next; \
	}
#define STARPU_ATOMIC_SOMETHINGL(name, expr) \
	static inline unsigned long starpu_atomic_##name##l(unsigned long *ptr, unsigned long value) \
	{ \
		unsigned long old = *ptr, next; \
		do \
			next = (expr); \
		while (!__atomic_compare_exchange_n(ptr, &old, next, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)); \
		return next; \
	}
#define STARPU_ATTRIBUTE_ALIGNED(size) __attribute__((aligned(size)))
#define STARPU_ATTRIBUTE_ALLOC_SIZE(size) __attribute__((alloc_size(size)))
#define STARPU_ATTRIBUTE_CALLOC_SIZE(num, size) __attribute__((alloc_size(num, size)))
#define STARPU_ATTRIBUTE_FORMAT(type, string, first) __attribute__((format(type, string, first)))
#define STARPU_ATTRIBUTE_MALLOC __attribute__((malloc))
#define STARPU_ATTRIBUTE_NORETURN __attribute__((noreturn))
#define STARPU_ATTRIBUTE_PURE __attribute__((pure))
#define STARPU_ATTRIBUTE_UNUSED __attribute__((unused))
#define STARPU_ATTRIBUTE_VISIBILITY_DEFAULT __attribute__((visibility("default")))
#define STARPU_ATTRIBUTE_WARN_UNUSED_RESULT __attribute__((warn_unused_result))
#define STARPU_BACKTRACE_FILE stderr
#define STARPU_BACKTRACE_LENGTH 32
#define STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value) (__sync_bool_compare_and_swap((ptr), (old), (value)))
#define STARPU_BOOL_COMPARE_AND_SWAP32(ptr, old, value) STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_BOOL_COMPARE_AND_SWAP64(ptr, old, value) STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_BOOL_COMPARE_AND_SWAP_PTR(ptr, old, value) STARPU_BOOL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_CACHELINE_SIZE 64
#define STARPU_CHECK_RETURN_VALUE(err, message, ...) \
	{ \
		if (STARPU_UNLIKELY((err) != 0)) { \
			char weft_text_[256]; \
			starpu_strerror_r(-(err), weft_text_, sizeof weft_text_); \
			STARPU_ABORT_MSG("unexpected %d (%s) from " message, (int)(err), weft_text_, ##__VA_ARGS__); \
		} \
	}
#define STARPU_CHECK_RETURN_VALUE_IS(err, value, message, ...) \
	{ \
		if (STARPU_UNLIKELY((err) != (value))) { \
			char weft_text_[256]; \
			starpu_strerror_r(-(err), weft_text_, sizeof weft_text_); \
			STARPU_ABORT_MSG("unexpected %d (%s), not %d, from " message, (int)(err), weft_text_, (int)(value), \
			                 ##__VA_ARGS__); \
		} \
	}
#define STARPU_DEPRECATED __attribute__((__deprecated__))
#define STARPU_DUMP_BACKTRACE() \
	do { \
		void *weft_frames_[STARPU_BACKTRACE_LENGTH]; \
		backtrace_symbols_fd(weft_frames_, backtrace(weft_frames_, STARPU_BACKTRACE_LENGTH), 2); \
	} while (0)
#define STARPU_GNUC_PREREQ(maj, min) (__GNUC__ > (maj) || (__GNUC__ == (maj) && __GNUC_MINOR__ >= (min)))
/* For Helgrind, which needs to be told nothing here. */
#define STARPU_HG_DISABLE_CHECKING(variable) ((void)0)
#define STARPU_HG_ENABLE_CHECKING(variable) ((void)0)
#define STARPU_INLINE __inline__
#define STARPU_LIKELY(expr) (__builtin_expect(!!(expr), 1))
#define STARPU_RELEASE(ptr) (__sync_lock_release((ptr)))
#define STARPU_RMB() __atomic_thread_fence(__ATOMIC_ACQUIRE)
#define STARPU_SIMGRID_ASSERT(x) ((void)0)
#define STARPU_STATIC_ASSERT(x) ((void)sizeof(char[(x) ? 1 : -1]))
#define STARPU_SYNCHRONIZE() __sync_synchronize()
#define STARPU_TEST_AND_SET(ptr, value) (__sync_lock_test_and_set((ptr), (value)))
#define STARPU_UNLIKELY(expr) (__builtin_expect(!!(expr), 0))
#define STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value) (__sync_val_compare_and_swap((ptr), (old), (value)))
#define STARPU_VAL_COMPARE_AND_SWAP32(ptr, old, value) STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_COMPARE_AND_SWAP64(ptr, old, value) STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_COMPARE_AND_SWAP_PTR(ptr, old, value) STARPU_VAL_COMPARE_AND_SWAP(ptr, old, value)
#define STARPU_VAL_EXCHANGE(ptr, value) (__atomic_exchange_n((ptr), (value), __ATOMIC_SEQ_CST))
#define STARPU_VAL_EXCHANGE32(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_VAL_EXCHANGE64(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_VAL_EXCHANGEL(ptr, value) STARPU_VAL_EXCHANGE(ptr, value)
#define STARPU_VISIBILITY_POP _Pragma("GCC visibility pop")
#define STARPU_VISIBILITY_PUSH_HIDDEN _Pragma("GCC visibility push(hidden)")
#define STARPU_WARN_UNUSED_RESULT __attribute__((__warn_unused_result__))
#define STARPU_WMB() __atomic_thread_fence(__ATOMIC_RELEASE)
static inline int starpu_bool_compare_and_swap64(uint64_t *dest, uint64_t old, uint64_t value)
{
	return STARPU_BOOL_COMPARE_AND_SWAP64(dest, old, value);
}
static inline uint64_t starpu_val_compare_and_swap64(uint64_t *dest, uint64_t old, uint64_t value)
{
	return STARPU_VAL_COMPARE_AND_SWAP64(dest, old, value);
}
#define starpu_strerror_r(errnum, buf, buflen) ((void)snprintf((buf), (buflen), "%s", strerror(errnum)))

#ifdef __cplusplus
}
#endif
#endif
