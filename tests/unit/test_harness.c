/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The harness tests itself: this program runs itself again with the names of the tests of tier "long" below, which are made to
 * fail, to skip and to crash, and looks at what it prints. Those run by name only (WEFT_HARNESS_SELF guards them).
 */
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SELF() \
	do { \
		if (!getenv("WEFT_HARNESS_SELF")) \
			SKIP("run by the tests above"); \
	} while (0)

/* Runs the named tests of this program; their output, and the exit status. */
static char *again(int *status, const char *before, const char *arguments)
{
	return test_shell(status, "WEFT_HARNESS_SELF=1 %s '%s' %s 2>&1", before, test_built("tests/test_harness"), arguments);
}

static void check_again(const char *arguments, int want_status, const char *want)
{
	int status;
	char *text = again(&status, "", arguments);
	CHECK_I64(status, want_status);
	CHECK_STR(text, want);
	free(text);
}

TEST(passing_test_exits_0)
{
	check_again("self_pass", 0, "1..1\nok 1 - self_pass\n1 passed, 0 failed\n");
}

TEST(failing_test_exits_1_and_is_counted)
{
	check_again(
		"self_pass self_fail", 1,
		"1..2\nok 1 - self_pass\n# test_harness.c:2001: not true: 1 == 2\n# test_harness.c:2002: got 3 (0x3), want 4 (0x4): a\n"
		"# test_harness.c:2003: got -3, want 4: b\n# test_harness.c:2004: got \"x\", want \"y|\": c\n"
		"# test_harness.c:2005: got \"(null)\", want \"y\": d\n# test_harness.c:2006: got 1, want 2 within 0.5: e\n"
		"not ok 2 - self_fail\n1 passed, 1 failed\n");
}

TEST(require_ends_the_test)
{
	check_again("self_require", 1,
	            "1..1\n# test_harness.c:3001: not true: 1 == 3\nnot ok 1 - self_require\n0 passed, 1 failed\n");
}

TEST(skip_is_counted_apart)
{
	check_again("self_skip", 0, "1..1\nok 1 - self_skip # SKIP no reason\n0 passed, 0 failed, 1 skipped\n");
}

TEST(check_failed_before_skip_fails)
{
	check_again("self_fail_then_skip", 1,
	            "1..1\n# test_harness.c:4001: not true: false\nnot ok 1 - self_fail_then_skip\n0 passed, 1 failed\n");
}

TEST(crash_shows_as_signal)
{
	int status;
	char *text = again(&status, "ASAN_OPTIONS=handle_abort=0", "self_crash");
	CHECK_I64(status, 128 + 6);
	CHECK(strstr(text, "passed") == NULL);
	free(text);
}

TEST(unknown_names_and_options_are_refused)
{
	int status;
	char *text = again(&status, "", "no_such_test");
	CHECK_I64(status, 2);
	CHECK(strstr(text, "no test is called 'no_such_test'") != NULL);
	free(text);
	text = again(&status, "", "--tier medium");
	CHECK_I64(status, 2);
	free(text);
}

TEST(names_are_globs_and_tiers_select)
{
	int status;
	char *text = again(&status, "", "--list 'self_p*'");
	CHECK_STR(text, "self_pass long\n");
	free(text);
	text = again(&status, "", "--list --tier short");
	CHECK(strstr(text, "passing_test_exits_0 short\n") != NULL);
	CHECK(strstr(text, "self_pass") == NULL);
	free(text);
	text = again(&status, "", "--list --tier long");
	CHECK(strstr(text, "self_pass") != NULL);
	free(text);
}

TEST(folder_is_fresh_and_removed)
{
	int status;
	char before[8192];
	snprintf(before, sizeof before, "TMPDIR='%s'", test_dir());
	char *text = again(&status, before, "self_dir");
	CHECK_I64(status, 1);
	CHECK(strstr(text, "kept") == NULL);
	free(text);
	text = test_shell(&status, "ls '%s'", test_dir());
	CHECK_STR(text, "");
	free(text);

	snprintf(before, sizeof before, "KEEP=1 TMPDIR='%s'", test_dir());
	text = again(&status, before, "self_dir");
	CHECK(strstr(text, "# kept /") != NULL);
	free(text);
	free(test_shell(&status, "test -e '%s'/weft-test-*/below/file", test_dir()));
	CHECK_I64(status, 0);

	const char *dir = test_dir();
	struct stat st;
	CHECK(!stat(dir, &st) && S_ISDIR(st.st_mode));
	CHECK(dir == test_dir());
}

TEST(shell_gives_output_and_status)
{
	int status;
	char *text = test_shell(&status, "printf %s; exit %d", "'a\nb'", 3);
	CHECK_STR(text, "a\nb");
	CHECK_I64(status, 3);
	free(text);
	text = test_shell(&status, "kill -9 $$");
	CHECK_I64(status, 128 + 9);
	free(text);
}

TEST(golden_compares_and_updates)
{
	int status;
	char before[8192];
	snprintf(before, sizeof before, "WEFT_SOURCE='%s'", test_dir());
	char *text = again(&status, before, "self_golden");
	CHECK_I64(status, 1);
	CHECK(strstr(text, "no such golden file") != NULL);
	free(text);
	snprintf(before, sizeof before, "WEFT_SOURCE='%s' WEFT_UPDATE=1", test_dir());
	text = again(&status, before, "self_golden");
	CHECK_I64(status, 0);
	free(text);
	snprintf(before, sizeof before, "WEFT_SOURCE='%s'", test_dir());
	text = again(&status, before, "self_golden");
	CHECK_I64(status, 0);
	free(text);
	free(test_shell(&status, "printf 'one\\nzwo\\n' > '%s/tests/golden/self/two.txt'", test_dir()));
	text = again(&status, before, "self_golden");
	CHECK_I64(status, 1);
	CHECK(strstr(text, "# two.txt:2: got 8 bytes, want 8; first line that differs: got \"two\", want \"zwo\"") != NULL);
	free(text);
}

TEST(random_repeats_for_a_seed)
{
	int status;
	char *a = again(&status, "WEFT_SEED=7", "self_random"), *b = again(&status, "WEFT_SEED=7", "self_random");
	char *c = again(&status, "WEFT_SEED=8", "self_random");
	CHECK_STR(a, b);
	CHECK(strcmp(a, c) != 0);
	free(a);
	free(b);
	free(c);
	CHECK(test_random() != test_random());
}

TEST(each_allocation_fails_in_turn)
{
	unsigned rounds = 0, failed = 0;
	TEST_EACH_ALLOCATION_FAILS {
		char *a = malloc(10), *b = strdup("x"), *c = NULL;
		void *d = NULL;
		bool all = asprintf(&c, "%d", 1) > 0 && posix_memalign(&d, 64, 64) == 0 && a && b;
		CHECK(all == !test_alloc_failed());
		rounds++;
		failed += !all;
		free(a);
		free(b);
		free(c);
		free(d);
	}
	CHECK_U64(rounds, 5);
	CHECK_U64(failed, 4);
	CHECK(!test_alloc_failed());
}

TEST_IN(TIER_LONG, self_pass)
{
	SELF();
}

TEST_IN(TIER_LONG, self_fail)
{
	SELF();
#line 2001
	CHECK(1 == 2);
	test_eq_u64(3, 4, __FILE__, __LINE__, "a");
	test_eq_i64(-3, 4, __FILE__, __LINE__, "b");
	test_eq_str("x", "y\n", __FILE__, __LINE__, "c");
	test_eq_str(NULL, "y", __FILE__, __LINE__, "d");
	test_near(1, 2, 0.5, __FILE__, __LINE__, "e");
}

TEST_IN(TIER_LONG, self_require)
{
	SELF();
#line 3001
	REQUIRE(1 == 3);
	CHECK(!"not reached");
}

TEST_IN(TIER_LONG, self_skip)
{
	SKIP("no reason");
}

TEST_IN(TIER_LONG, self_fail_then_skip)
{
	SELF();
#line 4001
	CHECK(false);
	SKIP("too late");
}

TEST_IN(TIER_LONG, self_crash)
{
	SELF();
	abort();
}

TEST_IN(TIER_LONG, self_dir)
{
	SELF();
	int status;
	free(test_shell(&status, "mkdir '%s/below'; touch '%s/below/file'", test_dir(), test_dir()));
	CHECK(false);
}

TEST_IN(TIER_LONG, self_golden)
{
	SELF();
	CHECK(test_golden("one\ntwo\n", 8, "self/two.txt"));
}

TEST_IN(TIER_LONG, self_random)
{
	SELF();
	printf("# %llx\n", (unsigned long long)test_random());
}
