/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Typed atomics: the value sits in a struct, so that a plain access does not compile.
 * Loads acquire and stores release unless the name says otherwise; read-modify-write is acq_rel.
 * `_relaxed` wants a reason at the place of use, seq_cst fences a comment that names the partner.
 */
#ifndef WEFT_BASE_ATOMIC_H
#define WEFT_BASE_ATOMIC_H

#include <stdbool.h>
#include <stdint.h>

#define WEFT_ATOMIC_TYPE(name, type) \
	struct weft_atomic_##name { \
		type v; \
	}; \
	static inline type weft_load_##name(const struct weft_atomic_##name *a) \
	{ \
		return __atomic_load_n(&a->v, __ATOMIC_ACQUIRE); \
	} \
	static inline type weft_load_relaxed_##name(const struct weft_atomic_##name *a) \
	{ \
		return __atomic_load_n(&a->v, __ATOMIC_RELAXED); \
	} \
	static inline void weft_store_##name(struct weft_atomic_##name *a, type x) \
	{ \
		__atomic_store_n(&a->v, x, __ATOMIC_RELEASE); \
	} \
	static inline void weft_store_relaxed_##name(struct weft_atomic_##name *a, type x) \
	{ \
		__atomic_store_n(&a->v, x, __ATOMIC_RELAXED); \
	} \
	static inline type weft_swap_##name(struct weft_atomic_##name *a, type x) \
	{ \
		return __atomic_exchange_n(&a->v, x, __ATOMIC_ACQ_REL); \
	} \
	/* On failure *expect becomes what was found. Strong. */ \
	static inline bool weft_cas_##name(struct weft_atomic_##name *a, type *expect, type x) \
	{ \
		return __atomic_compare_exchange_n(&a->v, expect, x, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); \
	}

#define WEFT_ATOMIC_INT(name, type) \
	WEFT_ATOMIC_TYPE(name, type) \
	/* Return the value before. */ \
	static inline type weft_add_##name(struct weft_atomic_##name *a, type x) \
	{ \
		return __atomic_fetch_add(&a->v, x, __ATOMIC_ACQ_REL); \
	} \
	static inline type weft_add_relaxed_##name(struct weft_atomic_##name *a, type x) \
	{ \
		return __atomic_fetch_add(&a->v, x, __ATOMIC_RELAXED); \
	}

WEFT_ATOMIC_INT(u32, uint32_t)
WEFT_ATOMIC_INT(i32, int32_t)
WEFT_ATOMIC_INT(u64, uint64_t)
WEFT_ATOMIC_TYPE(ptr, void *)
WEFT_ATOMIC_TYPE(bool, bool)

/*
 * Fences. seq_cst: for "I store mine, then look at yours" on both sides; acquire: between loads, as in a sequence lock. Say at
 * each use what the partner is. ThreadSanitizer does not model fences, and gcc would refuse them under it: there, plain data
 * that only a fence protects is reported as a race.
 */
#if defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define WEFT_FENCE(order) \
	_Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wtsan\"") __atomic_thread_fence(order); \
	_Pragma("GCC diagnostic pop")
#else
#define WEFT_FENCE(order) __atomic_thread_fence(order);
#endif

static inline void weft_fence_seq_cst(void)
{
	WEFT_FENCE(__ATOMIC_SEQ_CST)
}

static inline void weft_fence_acquire(void)
{
	WEFT_FENCE(__ATOMIC_ACQUIRE)
}

#undef WEFT_FENCE

#define WEFT_CACHE_LINE 64
#define WEFT_LIKELY(x) __builtin_expect(!!(x), 1)
#define WEFT_UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
