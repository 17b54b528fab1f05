/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test harness: a test program is a file of TEST()s; harness.c brings main, runs them in order and prints TAP.
 *
 *     TEST(arena_returns_zeroed_memory)
 *     {
 *         struct weft_arena a = {0};
 *         CHECK(weft_arena_alloc(&a, 8) != NULL);
 *         weft_arena_fini(&a);
 *     }
 *
 * A failed CHECK says file, line and both values, and the test goes on; a failed REQUIRE ends that test. SKIP(reason) ends it
 * as skipped. Arguments of the program: names (globs) of the tests to run; --list; --tier short|full|long (default full).
 */
#ifndef WEFT_TESTS_HARNESS_H
#define WEFT_TESTS_HARNESS_H

#include <stdbool.h>
#include <stdint.h>

enum test_tier { TIER_SHORT, TIER_FULL, TIER_LONG };

struct test_case {
	const char *name;
	void (*run)(void);
	enum test_tier tier;
	struct test_case *next;
};
void test_register(struct test_case *t);

#define TEST_IN(tier_, name_) \
	static void name_(void); \
	__attribute__((constructor)) static void register_##name_(void) \
	{ \
		static struct test_case t = {#name_, name_, tier_, 0}; \
		test_register(&t); \
	} \
	static void name_(void)
#define TEST(name) TEST_IN(TIER_SHORT, name)

/*
 * For programs that start themselves again: where this is set (by a constructor) and TEST_CHILD is in the environment, main
 * does no tests but returns what it returns for TEST_CHILD.
 */
extern int (*test_child)(const char *name);

bool test_check(bool ok, const char *file, int line, const char *text);
bool test_eq_u64(uint64_t got, uint64_t want, const char *file, int line, const char *text);
bool test_eq_i64(int64_t got, int64_t want, const char *file, int line, const char *text);
bool test_eq_str(const char *got, const char *want, const char *file, int line, const char *text);
bool test_near(double got, double want, double tolerance, const char *file, int line, const char *text);
_Noreturn void test_abandon(void); /* ends the running test (longjmp) */
_Noreturn void test_skip(const char *reason);

#define CHECK(c) test_check((c), __FILE__, __LINE__, #c)
#define CHECK_U64(got, want) test_eq_u64((got), (want), __FILE__, __LINE__, #got)
#define CHECK_I64(got, want) test_eq_i64((got), (want), __FILE__, __LINE__, #got)
#define CHECK_STR(got, want) test_eq_str((got), (want), __FILE__, __LINE__, #got)
#define CHECK_NEAR(got, want, tol) test_near((got), (want), (tol), __FILE__, __LINE__, #got)
#define REQUIRE(c) \
	do { \
		if (!CHECK(c)) \
			test_abandon(); \
	} while (0)
#define SKIP(reason) test_skip(reason)

/* Waits for what another thread or process does, a minute at most: a CHECK comes after it. */
#define WAIT_FOR(c) \
	do { \
		for (unsigned turn_ = 0; !(c) && test_pause(turn_); turn_++) \
			; \
	} while (0)
bool test_pause(unsigned turn); /* a millisecond; false: a minute of them has passed */

bool test_build_is(const char *name); /* release, debug, asan, tsan: how this program was built */

/* A fresh folder for this test, removed at the end (kept when the test failed and KEEP is set). Owned by the harness. */
const char *test_dir(void);
const char *test_path(const char *name); /* of NAME in it; valid until a few calls later */
/* Runs a shell command; its stdout (malloc'd, terminated) and exit status (128 + signal). */
char *test_shell(int *status, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The path of a built program or of a file in the tree: $WEFT_BUILD/name, $WEFT_SOURCE/name. Owned by the harness. */
const char *test_built(const char *name);
const char *test_source(const char *name);
/* Compares with tests/golden/NAME; with WEFT_UPDATE=1 in the environment writes it instead. */
bool test_golden(const char *got, uint64_t n, const char *name);
/*
 * Fails allocations in turn: the body of the loop runs again and again, with the 1st, 2nd, … allocation (malloc, calloc,
 * realloc, aligned_alloc, posix_memalign, strdup, strndup, asprintf, vasprintf of the program and of the static libraries
 * in it) returning NULL, and a last time with none failing; test_alloc_failed() says whether one did in this round.
 *
 *     TEST_EACH_ALLOCATION_FAILS {
 *         int rc = thing_make(&t);
 *         CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
 *     }
 */
#define TEST_EACH_ALLOCATION_FAILS for (test_alloc_begin(); test_alloc_next();)
void test_alloc_begin(void);
bool test_alloc_next(void);
bool test_alloc_failed(void);

/* Repeatable random numbers: seeded from WEFT_SEED, else by the test's name. */
uint64_t test_random(void);

#endif
