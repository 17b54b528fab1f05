/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The runner behind harness.h. Tests register themselves before main, in the order of their file; main picks those that the
 * arguments name, runs each inside a setjmp, and prints TAP with the failed checks as comments above the result:
 *
 *     1..2
 *     ok 1 - first
 *     # test_x.c:17: got "a", want "b": CHECK_STR(name)
 *     not ok 2 - second
 *     1 passed, 1 failed
 *
 * It uses nothing of Weft, so that a broken base cannot hide its own faults.
 */
#include "harness.h"

#include <errno.h>
#include <fnmatch.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum outcome { OUTCOME_RAN, OUTCOME_ABANDONED, OUTCOME_SKIPPED };

/* The one context of the program. Only `failures` and the allocation counters are touched by other threads. */
static struct {
	struct test_case *first, **end;
	struct test_case *running;
	jmp_buf leave;
	atomic_uint failures; /* failed checks of the running test */
	const char *skip_reason;
	char dir[4096]; /* empty: the running test has not asked for one */
	uint64_t random;
	bool random_seeded;
	atomic_ullong allocations, fail_at; /* fail_at 0: none */
} harness;

void test_register(struct test_case *t)
{
	if (!harness.end)
		harness.end = &harness.first;
	*harness.end = t;
	harness.end = &t->next;
}

/* ---- Checks ---- */

__attribute__((format(printf, 4, 5))) static bool report(bool ok, const char *file, int line, const char *fmt, ...)
{
	if (ok)
		return true;
	char text[2000];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	for (char *newline = text; (newline = strchr(newline, '\n'));)
		*newline = '|';
	const char *slash = strrchr(file, '/');
	printf("# %s:%d: %s\n", slash ? slash + 1 : file, line, text);
	fflush(stdout);
	atomic_fetch_add(&harness.failures, 1);
	return false;
}

bool test_check(bool ok, const char *file, int line, const char *text)
{
	return report(ok, file, line, "not true: %s", text);
}

bool test_eq_u64(uint64_t got, uint64_t want, const char *file, int line, const char *text)
{
	return report(got == want, file, line, "got %" PRIu64 " (0x%" PRIx64 "), want %" PRIu64 " (0x%" PRIx64 "): %s", got, got,
	              want, want, text);
}

bool test_eq_i64(int64_t got, int64_t want, const char *file, int line, const char *text)
{
	return report(got == want, file, line, "got %" PRId64 ", want %" PRId64 ": %s", got, want, text);
}

bool test_eq_str(const char *got, const char *want, const char *file, int line, const char *text)
{
	bool same = got && want ? !strcmp(got, want) : got == want;
	return report(same, file, line, "got \"%s\", want \"%s\": %s", got ? got : "(null)", want ? want : "(null)", text);
}

bool test_near(double got, double want, double tolerance, const char *file, int line, const char *text)
{
	bool near = got == want || fabs(got - want) <= tolerance || (isnan(got) && isnan(want));
	return report(near, file, line, "got %.17g, want %.17g within %g: %s", got, want, tolerance, text);
}

void test_abandon(void)
{
	longjmp(harness.leave, OUTCOME_ABANDONED);
}

void test_skip(const char *reason)
{
	harness.skip_reason = reason;
	longjmp(harness.leave, OUTCOME_SKIPPED);
}

/* ---- Folders, programs, files ---- */

static _Noreturn void give_up(const char *what)
{
	printf("# the harness cannot %s: %s\n", what, strerror(errno));
	fflush(stdout);
	_exit(70);
}

bool test_build_is(const char *name)
{
	const char *build = getenv("WEFT_BUILD_NAME");
	return build && strcmp(build, name) == 0;
}

const char *test_dir(void)
{
	if (!*harness.dir) {
		const char *tmp = getenv("TMPDIR");
		snprintf(harness.dir, sizeof harness.dir, "%s/weft-test-XXXXXX", tmp && *tmp ? tmp : "/tmp");
		if (!mkdtemp(harness.dir))
			give_up("make a folder");
	}
	return harness.dir;
}

const char *test_path(const char *name)
{
	static char path[8][512];
	static unsigned next;
	char *to = path[next++ % 8];
	snprintf(to, sizeof path[0], "%s/%s", test_dir(), name);
	return to;
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void drop_dir(bool failed)
{
	if (*harness.dir && failed && getenv("KEEP"))
		printf("# kept %s\n", harness.dir);
	else if (*harness.dir && nftw(harness.dir, remove_one, 32, FTW_DEPTH | FTW_PHYS))
		printf("# cannot remove %s: %s\n", harness.dir, strerror(errno));
	*harness.dir = 0;
}

static char *read_all(FILE *from, uint64_t *n)
{
	size_t cap = 4096;
	char *at = malloc(cap + 1);
	for (*n = 0; at;) {
		*n += fread(at + *n, 1, cap - *n, from);
		if (*n < cap)
			break;
		at = realloc(at, (cap *= 2) + 1);
	}
	if (!at)
		give_up("read");
	at[*n] = 0;
	return at;
}

bool test_pause(unsigned turn)
{
	usleep(1000); /* or less, when a signal comes */
	return turn < 60000;
}

char *test_shell(int *status, const char *fmt, ...)
{
	char *command;
	va_list ap;
	va_start(ap, fmt);
	if (vasprintf(&command, fmt, ap) < 0)
		give_up("format a command");
	va_end(ap);
	fflush(stdout);
	FILE *from = popen(command, "re");
	free(command);
	if (!from)
		give_up("run a shell");
	uint64_t n;
	char *text = read_all(from, &n);
	int ended = pclose(from);
	*status = WIFSIGNALED(ended) ? 128 + WTERMSIG(ended) : WEXITSTATUS(ended);
	return text;
}

/* A few results stay valid at a time, so that two of them can stand in one expression. */
static const char *below(const char *variable, const char *name)
{
	static char path[8][4096];
	static unsigned next;
	char *out = path[next++ % 8];
	const char *top = getenv(variable);
	if (!top) {
		printf("# %s is not set: run the tests through dev/run-tests\n", variable);
		_exit(70);
	}
	snprintf(out, sizeof path[0], "%s/%s", top, name);
	return out;
}

const char *test_built(const char *name)
{
	return below("WEFT_BUILD", name);
}

const char *test_source(const char *name)
{
	return below("WEFT_SOURCE", name);
}

static bool write_golden(const char *path, const char *got, uint64_t n)
{
	char *folder = strdup(path);
	for (char *slash = folder; folder && (slash = strchr(slash + 1, '/'));) {
		*slash = 0;
		mkdir(folder, 0777);
		*slash = '/';
	}
	free(folder);
	FILE *to = fopen(path, "we");
	if (!to || fwrite(got, 1, n, to) != n || fclose(to))
		give_up("write a golden file");
	printf("# wrote %s\n", path);
	return true;
}

/* Where two texts part: the line, counted from 1, and where it starts. */
static uint64_t first_difference(const char *a, uint64_t na, const char *b, uint64_t nb, uint64_t *line)
{
	uint64_t start = 0;
	*line = 1;
	for (uint64_t i = 0; i < na && i < nb && a[i] == b[i]; i++) {
		if (a[i] == '\n') {
			start = i + 1;
			++*line;
		}
	}
	return start;
}

static int line_length(const char *at, uint64_t n, uint64_t start)
{
	uint64_t end = start;
	while (end < n && at[end] != '\n' && end - start < 400)
		end++;
	return (int)(end - start);
}

bool test_golden(const char *got, uint64_t n, const char *name)
{
	char relative[1000];
	snprintf(relative, sizeof relative, "tests/golden/%s", name);
	const char *path = test_source(relative);
	const char *update = getenv("WEFT_UPDATE");
	if (update && !strcmp(update, "1"))
		return write_golden(path, got, n);

	FILE *from = fopen(path, "re");
	if (!from)
		return report(false, relative, 1, "no such golden file; --update writes it");
	uint64_t n_want, line;
	char *want = read_all(from, &n_want);
	fclose(from);
	uint64_t start = first_difference(got, n, want, n_want, &line);
	bool same = report(n == n_want && !memcmp(got, want, n), relative, (int)line,
	                   "got %" PRIu64 " bytes, want %" PRIu64 "; first line that differs: got \"%.*s\", want \"%.*s\"", n,
	                   n_want, line_length(got, n, start), got + start, line_length(want, n_want, start), want + start);
	free(want);
	return same;
}

/* ---- Random numbers: splitmix64 ---- */

static uint64_t seed_of_test(void)
{
	const char *seed = getenv("WEFT_SEED");
	if (seed && *seed)
		return strtoull(seed, NULL, 0);
	uint64_t hash = 0xcbf29ce484222325u;
	for (const char *c = harness.running ? harness.running->name : ""; *c; c++)
		hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
	return hash;
}

uint64_t test_random(void)
{
	if (!harness.random_seeded) {
		harness.random = seed_of_test();
		harness.random_seeded = true;
	}
	uint64_t x = harness.random += 0x9e3779b97f4a7c15u;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

/* ---- Allocations that fail: the linker sends the calls of the program here (--wrap) ---- */

void test_alloc_begin(void)
{
	atomic_store(&harness.fail_at, 0);
}

bool test_alloc_next(void)
{
	uint64_t before = atomic_load(&harness.fail_at);
	bool none_failed = before > 0 && atomic_load(&harness.allocations) < before;
	atomic_store(&harness.allocations, 0);
	atomic_store(&harness.fail_at, none_failed ? 0 : before + 1);
	return !none_failed;
}

bool test_alloc_failed(void)
{
	uint64_t at = atomic_load(&harness.fail_at);
	return at > 0 && atomic_load(&harness.allocations) >= at;
}

static bool must_fail(void)
{
	uint64_t at = atomic_load(&harness.fail_at);
	return at > 0 && atomic_fetch_add(&harness.allocations, 1) + 1 == at;
}

#define WRAP(type, name, parameters, arguments) \
	type __real_##name parameters; \
	type __wrap_##name parameters; \
	type __wrap_##name parameters \
	{ \
		if (must_fail()) { \
			errno = ENOMEM; \
			return NULL; \
		} \
		return __real_##name arguments; \
	}
WRAP(void *, malloc, (size_t n), (n))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *at, size_t n), (at, n))
WRAP(void *, aligned_alloc, (size_t alignment, size_t n), (alignment, n))
WRAP(char *, strdup, (const char *s), (s))
WRAP(char *, strndup, (const char *s, size_t n), (s, n))

int __real_posix_memalign(void **at, size_t alignment, size_t n);
int __wrap_posix_memalign(void **at, size_t alignment, size_t n);
int __wrap_posix_memalign(void **at, size_t alignment, size_t n)
{
	return must_fail() ? ENOMEM : __real_posix_memalign(at, alignment, n);
}

int __real_vasprintf(char **at, const char *fmt, va_list ap);
int __wrap_vasprintf(char **at, const char *fmt, va_list ap);
__attribute__((format(printf, 2, 0))) int __wrap_vasprintf(char **at, const char *fmt, va_list ap)
{
	return must_fail() ? -1 : __real_vasprintf(at, fmt, ap);
}

int __wrap_asprintf(char **at, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) int __wrap_asprintf(char **at, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = __wrap_vasprintf(at, fmt, ap);
	va_end(ap);
	return n;
}

/* ---- main ---- */

struct selection {
	enum test_tier tier;
	bool list;
	char **names; /* globs; none: all */
	int n_names;
};

static const char *const tier_names[] = {"short", "full", "long"};

static bool parse_tier(const char *name, enum test_tier *tier)
{
	for (unsigned i = 0; name && i < sizeof tier_names / sizeof *tier_names; i++) {
		if (!strcmp(name, tier_names[i])) {
			*tier = (enum test_tier)i;
			return true;
		}
	}
	return false;
}

static bool parse(int argc, char **argv, struct selection *s)
{
	*s = (struct selection){.tier = TIER_FULL, .names = argv + 1};
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--list"))
			s->list = true;
		else if (!strcmp(argv[i], "--tier")) {
			if (!parse_tier(argv[++i], &s->tier))
				return false;
		} else if (*argv[i] == '-')
			return false;
		else
			s->names[s->n_names++] = argv[i];
	}
	return true;
}

/* A test that is named runs in whatever tier it is. */
static bool selected(const struct test_case *t, const struct selection *s)
{
	for (int i = 0; i < s->n_names; i++)
		if (!fnmatch(s->names[i], t->name, 0))
			return true;
	return !s->n_names && t->tier <= s->tier;
}

/* Results of setjmp may be used in a controlling expression only; hence the shape. */
static enum outcome run_inside(struct test_case *t)
{
	switch (setjmp(harness.leave)) {
	case 0:
		t->run();
		return OUTCOME_RAN;
	case OUTCOME_SKIPPED:
		return OUTCOME_SKIPPED;
	default:
		return OUTCOME_ABANDONED;
	}
}

static enum outcome run_one(struct test_case *t, unsigned number)
{
	harness.running = t;
	harness.random_seeded = false;
	atomic_store(&harness.failures, 0);
	enum outcome outcome = run_inside(t);
	test_alloc_begin();
	bool failed = outcome == OUTCOME_ABANDONED || atomic_load(&harness.failures) > 0;
	drop_dir(failed);
	if (!failed && outcome == OUTCOME_SKIPPED)
		printf("ok %u - %s # SKIP %s\n", number, t->name, harness.skip_reason);
	else
		printf("%s %u - %s\n", failed ? "not ok" : "ok", number, t->name);
	fflush(stdout);
	return failed ? OUTCOME_ABANDONED : outcome;
}

static unsigned count(const struct selection *s)
{
	unsigned n = 0;
	for (struct test_case *t = harness.first; t; t = t->next) {
		if (!selected(t, s))
			continue;
		n++;
		if (s->list)
			printf("%s %s\n", t->name, tier_names[t->tier]);
	}
	return n;
}

int (*test_child)(const char *name);

int main(int argc, char **argv)
{
	struct selection s;
	const char *child = getenv("TEST_CHILD");
	if (child && test_child)
		return test_child(child);
	if (!parse(argc, argv, &s)) {
		fprintf(stderr, "usage: %s [--list] [--tier short|full|long] [NAME]...\n", argv[0]);
		return 2;
	}
	unsigned n = count(&s);
	if (s.list)
		return 0;
	if (!n && s.n_names) {
		fprintf(stderr, "%s: no test is called '%s'\n", argv[0], s.names[0]);
		return 2;
	}

	unsigned number = 0, outcomes[3] = {0};
	printf("1..%u\n", n);
	fflush(stdout);
	for (struct test_case *t = harness.first; t; t = t->next)
		if (selected(t, &s))
			outcomes[run_one(t, ++number)]++;
	printf("%u passed, %u failed", outcomes[OUTCOME_RAN], outcomes[OUTCOME_ABANDONED]);
	if (outcomes[OUTCOME_SKIPPED])
		printf(", %u skipped", outcomes[OUTCOME_SKIPPED]);
	printf("\n");
	return outcomes[OUTCOME_ABANDONED] > 0;
}
