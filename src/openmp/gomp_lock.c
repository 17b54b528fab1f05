/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Locks of GCC's runtime, for C and for Fortran (whose names have a _ behind, and one kind of argument). One that is free is taken at once:
 * then there is no wait in the trace. A nestable one is held from the first time that it is set to the last that it is unset.
 */
#include "gomp_priv.h"

typedef void lock_call(void *);
typedef int lock_test(void *);

static void in_vain(void)
{
	openmp_me()->in_vain++;
}

#define PLAIN(tail) \
	static void wrap_omp_init_lock##tail(void *lock) \
	{ \
		GOMP_REAL(omp_init_lock##tail, lock_call *)(lock); \
		openmp_lock_new(lock); \
	} \
	static void wrap_omp_set_lock##tail(void *lock) \
	{ \
		const struct openmp_lock *l = openmp_lock_of(lock, NULL); \
		if (WEFT_LIKELY(GOMP_REAL(omp_test_lock##tail, lock_test *)(lock))) { \
			openmp_lock_held(l, false); \
			return; \
		} \
		openmp_in(l->wait); \
		GOMP_REAL(omp_set_lock##tail, lock_call *)(lock); \
		openmp_lock_held(l, true); \
	} \
	static void wrap_omp_unset_lock##tail(void *lock) \
	{ \
		openmp_lock_released(openmp_lock_of(lock, NULL)); \
		GOMP_REAL(omp_unset_lock##tail, lock_call *)(lock); \
	} \
	static int wrap_omp_test_lock##tail(void *lock) \
	{ \
		int mine = GOMP_REAL(omp_test_lock##tail, lock_test *)(lock); \
		if (mine) \
			openmp_lock_held(openmp_lock_of(lock, NULL), false); \
		else \
			in_vain(); \
		return mine; \
	}
PLAIN()
PLAIN(_)

/* How often the caller, who holds it, has set it: one more and one less say so. */
#define NESTED(tail) \
	static void wrap_omp_init_nest_lock##tail(void *lock) \
	{ \
		GOMP_REAL(omp_init_nest_lock##tail, lock_call *)(lock); \
		openmp_lock_new(lock); \
	} \
	static void wrap_omp_set_nest_lock##tail(void *lock) \
	{ \
		const struct openmp_lock *l = openmp_lock_of(lock, NULL); \
		int depth = GOMP_REAL(omp_test_nest_lock##tail, lock_test *)(lock); \
		if (depth == 1) \
			openmp_lock_held(l, false); \
		if (depth) \
			return; \
		openmp_in(l->wait); \
		GOMP_REAL(omp_set_nest_lock##tail, lock_call *)(lock); \
		openmp_lock_held(l, true); \
	} \
	static void wrap_omp_unset_nest_lock##tail(void *lock) \
	{ \
		int depth = GOMP_REAL(omp_test_nest_lock##tail, lock_test *)(lock); \
		if (depth) \
			GOMP_REAL(omp_unset_nest_lock##tail, lock_call *)(lock); \
		if (depth == 2) \
			openmp_lock_released(openmp_lock_of(lock, NULL)); \
		GOMP_REAL(omp_unset_nest_lock##tail, lock_call *)(lock); \
	} \
	static int wrap_omp_test_nest_lock##tail(void *lock) \
	{ \
		int depth = GOMP_REAL(omp_test_nest_lock##tail, lock_test *)(lock); \
		if (depth == 1) \
			openmp_lock_held(openmp_lock_of(lock, NULL), false); \
		else if (!depth) \
			in_vain(); \
		return depth; \
	}
NESTED()
NESTED(_)

#define BOTH(name) GOMP_WRAP(name), GOMP_WRAP(name##_)
const struct gomp_wrap gomp_locks[] = {
	BOTH(omp_init_lock),       BOTH(omp_set_lock),       BOTH(omp_unset_lock),
	BOTH(omp_test_lock),       BOTH(omp_init_nest_lock), BOTH(omp_set_nest_lock),
	BOTH(omp_unset_nest_lock), BOTH(omp_test_nest_lock), GOMP_END,
};
