/* SPDX-License-Identifier: Apache-2.0 */
/* What starpu_util.h, starpu_helper.h and starpu_config.h promise by macros: values, attributes, assertions that name their place. */
#include "starpu_check.h"
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

/* ThreadSanitizer does not know fences; what they are between is atomic here. */
#ifdef __SANITIZE_THREAD__
#pragma GCC diagnostic ignored "-Wtsan"
#endif

/* ---- atomic operations ---- */

#define old_of(expr) expr
STARPU_ATOMIC_SOMETHING(twice, old_of(old * 2 + value))
STARPU_ATOMIC_SOMETHINGL(greatest, old > value ? old : value)
STARPU_ATOMIC_SOMETHING64(least, old < value ? old : value)

static void check_atomic(void)
{
	unsigned u = 5;
	unsigned long l = 7;
	uint64_t w = UINT64_C(1) << 40;
	int a = 1, b = 2, *p = &a;
	CHECK(STARPU_ATOMIC_ADD(&u, 3) == 8 && u == 8);
	CHECK(STARPU_ATOMIC_ADDL(&l, -2) == 5 && l == 5);
	CHECK(STARPU_ATOMIC_ADD64(&w, 1) == (UINT64_C(1) << 40) + 1);
	CHECK(STARPU_ATOMIC_OR(&u, 3) && u == 11);
	CHECK(STARPU_ATOMIC_ORL(&l, 2) && l == 7);
	CHECK(STARPU_ATOMIC_OR64(&w, 6) && w == (UINT64_C(1) << 40) + 7);
	CHECK(starpu_atomic_twice(&u, 4) == 26 && u == 26);
	CHECK(starpu_atomic_greatestl(&l, 3) == 7 && starpu_atomic_greatestl(&l, 30) == 30 && l == 30);
	CHECK(starpu_atomic_least64(&w, 9) == 9 && w == 9);
	CHECK(STARPU_BOOL_COMPARE_AND_SWAP(&u, 26, 1) && !STARPU_BOOL_COMPARE_AND_SWAP(&u, 26, 2) && u == 1);
	CHECK(STARPU_BOOL_COMPARE_AND_SWAP32(&u, 1, 2) && !STARPU_BOOL_COMPARE_AND_SWAP32(&u, 1, 3) && u == 2);
	CHECK(STARPU_BOOL_COMPARE_AND_SWAP64(&w, 9, 10) && !STARPU_BOOL_COMPARE_AND_SWAP64(&w, 9, 11) && w == 10);
	CHECK(STARPU_VAL_COMPARE_AND_SWAP(&u, 2, 4) == 2 && STARPU_VAL_COMPARE_AND_SWAP(&u, 2, 5) == 4 && u == 4);
	CHECK(STARPU_VAL_COMPARE_AND_SWAP32(&u, 4, 6) == 4 && u == 6);
	CHECK(STARPU_VAL_COMPARE_AND_SWAP64(&w, 10, 1) == 10 && w == 1);
	CHECK(starpu_bool_compare_and_swap64(&w, 1, 12) && !starpu_bool_compare_and_swap64(&w, 1, 13) && w == 12);
	CHECK(starpu_val_compare_and_swap64(&w, 12, 1) == 12 && starpu_val_compare_and_swap64(&w, 5, 6) == 1 && w == 1);
	STARPU_HG_DISABLE_CHECKING(w);
	STARPU_HG_ENABLE_CHECKING(w);
	CHECK(STARPU_VAL_EXCHANGE(&u, 70) == 6 && u == 70);
	CHECK(STARPU_VAL_EXCHANGEL(&l, 71) == 30 && l == 71);
	CHECK(STARPU_VAL_EXCHANGE32(&u, 72) == 70 && u == 72);
	CHECK(STARPU_VAL_EXCHANGE64(&w, UINT64_MAX) == 1 && w == UINT64_MAX);
	CHECK(STARPU_BOOL_COMPARE_AND_SWAP_PTR(&p, &a, &b) && p == &b && !STARPU_BOOL_COMPARE_AND_SWAP_PTR(&p, &a, &b));
	CHECK(STARPU_VAL_COMPARE_AND_SWAP_PTR(&p, &b, &a) == &b && p == &a);
	u = 0;
	CHECK(STARPU_TEST_AND_SET(&u, 1) == 0 && STARPU_TEST_AND_SET(&u, 1) == 1);
	STARPU_RELEASE(&u);
	CHECK(u == 0);
}

/* What one thread writes behind a barrier, another reads in its order. */
static unsigned first, second;

static void *publish(void *arg)
{
	for (unsigned i = 1; i <= 20000; i++) {
		__atomic_store_n(&first, i, __ATOMIC_RELAXED);
		STARPU_WMB();
		__atomic_store_n(&second, i, __ATOMIC_RELAXED);
		STARPU_SYNCHRONIZE();
	}
	return arg;
}

static void check_barriers(void)
{
	starpu_pthread_t thread;
	unsigned behind;
	STARPU_PTHREAD_CREATE(&thread, NULL, publish, NULL);
	do {
		behind = __atomic_load_n(&second, __ATOMIC_RELAXED);
		STARPU_RMB();
		CHECK(__atomic_load_n(&first, __ATOMIC_RELAXED) >= behind);
	} while (behind < 20000);
	STARPU_PTHREAD_JOIN(thread, NULL);
}

/* ---- attributes ---- */

struct lines {
	char one;
	char two STARPU_ATTRIBUTE_ALIGNED(STARPU_CACHELINE_SIZE);
};
static int square(int n) STARPU_ATTRIBUTE_PURE;
static int square(int n)
{
	return n * n;
}
static STARPU_INLINE int cube(int n)
{
	return n * square(n);
}
static void *get(size_t size) STARPU_ATTRIBUTE_MALLOC STARPU_ATTRIBUTE_ALLOC_SIZE(1);
static void *get(size_t size)
{
	return malloc(size);
}
static void *get_clear(size_t n, size_t size) STARPU_ATTRIBUTE_CALLOC_SIZE(1, 2);
static void *get_clear(size_t n, size_t size)
{
	return calloc(n, size);
}
static int tell(char *to, size_t n, const char *format, ...) STARPU_ATTRIBUTE_FORMAT(printf, 3, 4);
static int tell(char *to, size_t n, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	int length = vsnprintf(to, n, format, ap);
	va_end(ap);
	return length;
}
static int needed(void) STARPU_WARN_UNUSED_RESULT;
static int needed(void)
{
	return 3;
}
static int wanted(void) STARPU_ATTRIBUTE_WARN_UNUSED_RESULT;
static int wanted(void)
{
	return 4;
}
static void leave(int status) STARPU_ATTRIBUTE_NORETURN;
static void leave(int status)
{
	_exit(status);
}
static int nobody_calls(void) STARPU_ATTRIBUTE_UNUSED;
static int nobody_calls(void)
{
	return 0;
}
static int of_old(void) STARPU_DEPRECATED STARPU_ATTRIBUTE_UNUSED;
static int of_old(void)
{
	return 0;
}
STARPU_VISIBILITY_PUSH_HIDDEN
int hidden_from_others = 1;
STARPU_VISIBILITY_POP
int seen_by_others STARPU_ATTRIBUTE_VISIBILITY_DEFAULT = 2;

static void check_attributes(void)
{
	char text[20];
	void *p = get(8), *q = get_clear(2, 4);
	STARPU_STATIC_ASSERT(sizeof(struct lines) == 2 * STARPU_CACHELINE_SIZE);
	CHECK(offsetof(struct lines, two) == 64 && cube(3) == 27 && p && q && !memcmp(q, (char[8]){0}, 8));
	CHECK(tell(text, sizeof text, "%d %s", 5, "of") == 4 && !strcmp(text, "5 of"));
	CHECK(needed() + wanted() == 7 && hidden_from_others + seen_by_others == 3);
	CHECK(STARPU_LIKELY(4 == 4) == 1 && STARPU_UNLIKELY(4) == 1 && STARPU_LIKELY(0) == 0 && STARPU_UNLIKELY(1 == 0) == 0);
	CHECK(STARPU_GNUC_PREREQ(4, 0) && !STARPU_GNUC_PREREQ(1000, 0));
	CHECK(STARPU_MAX(3, 5) == 5 && STARPU_MIN(3, 5) == 3 && STARPU_MAX(-1.5, -2) == -1.5 &&
	      STARPU_POISON_PTR == (void *)0xdeadbeef);
	free(p);
	free(q);
}

static void check_texts(void)
{
	char text[64];
	starpu_strerror_r(ENOENT, text, sizeof text);
	CHECK(!strcmp(text, strerror(ENOENT)));
	starpu_strerror_r(ENOENT, text, 3);
	CHECK(strlen(text) < 3);
	STARPU_DUMP_BACKTRACE();
	STARPU_ASSERT(square(2) == 4);
	STARPU_ASSERT_MSG(square(2) == 4, "with %d", 4);
	STARPU_ASSERT_MSG_ALWAYS(square(2) == 4, "without");
	STARPU_ASSERT_ACCESSIBLE(text);
	STARPU_SIMGRID_ASSERT(0);
	STARPU_CHECK_RETURN_VALUE(0, "%s", "nothing");
	STARPU_CHECK_RETURN_VALUE_IS(-ENODEV, -ENODEV, "something");
}

/* ---- what ends the process, each in a child ---- */

static void by_abort(void)
{
	STARPU_ABORT();
}
static void by_abort_msg(void)
{
	STARPU_ABORT_MSG("found %d", 42);
}
static void by_assert(void)
{
	STARPU_ASSERT(square(2) == 5);
}
static void by_assert_msg(void)
{
	STARPU_ASSERT_MSG(square(2) == 5, "found %d", 42);
}
static void by_assert_always(void)
{
	STARPU_ASSERT_MSG_ALWAYS(square(2) == 5, "found %d", 42);
}
static void by_value(void)
{
	STARPU_CHECK_RETURN_VALUE(-ENODEV, "found %d", 42);
}
static void by_other_value(void)
{
	STARPU_CHECK_RETURN_VALUE_IS(0, -ENODEV, "found %d", 42);
}
static void by_address(void)
{
	char *volatile nowhere = (char *)16;
	STARPU_ASSERT_ACCESSIBLE(nowhere);
}
static void by_leaving(void)
{
	leave(9);
}

static const struct ending {
	void (*how)(void);
	int signal, status;
	const char *says;
} endings[] = {
	{by_abort, SIGABRT, 0, "by_abort"},
	{by_abort_msg, SIGABRT, 0, "found 42"},
	{by_assert, SIGABRT, 0, "square(2) == 5"},
	{by_assert_msg, SIGABRT, 0, "found 42"},
	{by_assert_always, SIGABRT, 0, "found 42"},
	{by_value, SIGABRT, 0, "found 42"},
	{by_other_value, SIGABRT, 0, "found 42"},
	{by_address, SIGSEGV, 0, ""},
	{by_leaving, 0, 9, ""},
};

static void check_ending(const struct ending *e)
{
	char said[8192];
	int ends[2], status;
	size_t n = 0;
	ssize_t got;
	CHECK(pipe(ends) == 0);
	pid_t child = fork();
	if (child == 0) {
		dup2(ends[1], STDERR_FILENO);
		close(ends[0]);
		close(ends[1]);
		signal(SIGSEGV, SIG_DFL);
		e->how();
		_exit(0);
	}
	close(ends[1]);
	while ((got = read(ends[0], said + n, sizeof said - 1 - n)) > 0)
		n += (size_t)got;
	said[n] = 0;
	close(ends[0]);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(e->signal ? WIFSIGNALED(status) && WTERMSIG(status) == e->signal
	                : WIFEXITED(status) && WEXITSTATUS(status) == e->status);
	if (!strstr(said, e->says)) {
		CHECK(!"what is said names it");
		fprintf(stderr, "'%s' is not in '%s'\n", e->says, said);
	}
}

/* ---- the configuration ---- */

static const struct {
	const char *name;
	long value, least;
} limits[] = {
#define LIMIT(name, least) \
	{ \
#name, name, least \
	}
	LIMIT(STARPU_MAXCPUS, 2),       LIMIT(STARPU_MAXNUMANODES, 1), LIMIT(STARPU_MAXNODES, 2),
	LIMIT(STARPU_MAXOPENCLDEVS, 1), LIMIT(STARPU_MAXCUDADEVS, 0),  LIMIT(STARPU_MAXIMPLEMENTATIONS, 1),
	LIMIT(STARPU_NMAXWORKERS, 16),  LIMIT(STARPU_NMAXBUFS, 8),     LIMIT(STARPU_NMAX_SCHED_CTXS, 1),
	LIMIT(STARPU_FXT_MAX_FILES, 1),
};

static void check_config(void)
{
	int major, minor, release;
	for (unsigned i = 0; i < sizeof limits / sizeof *limits; i++)
		if (limits[i].value < limits[i].least) {
			CHECK(!"the limit is great enough");
			fprintf(stderr, "%s is %ld\n", limits[i].name, limits[i].value);
		}
	starpu_get_version(&major, &minor, &release);
	CHECK(major == STARPU_MAJOR_VERSION && minor == STARPU_MINOR_VERSION && release == STARPU_RELEASE_VERSION);
#ifndef STARPU_USE_CPU
	CHECK(!"there are CPU workers");
#endif
#ifndef STARPU_LINUX_SYS
	CHECK(!"this is Linux");
#endif
#if defined STARPU_USE_MPI || defined STARPU_USE_CUDA || defined STARPU_SIMGRID || defined STARPU_USE_SC_HYPERVISOR
	CHECK(!"built without");
#endif
}

int main(void)
{
	check_atomic();
	check_barriers();
	check_attributes();
	check_texts();
	for (unsigned i = 0; i < sizeof endings / sizeof *endings; i++)
		check_ending(&endings[i]);
	check_config();
	return checks_failed();
}
