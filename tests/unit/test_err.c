/* SPDX-License-Identifier: Apache-2.0 */
/* err.c: texts that can be printed as they are, whatever went into them. */
#include "harness.h"
#include "base/err.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TEST(err_set_fills_and_returns_the_code)
{
	struct weft_err e = {0};
	CHECK_I64(weft_err_set(&e, WEFT_E_SYNTAX, "%s:%d: expected a state number, found '%c'", "a.prv", 17, 'x'), WEFT_E_SYNTAX);
	CHECK_I64(e.code, WEFT_E_SYNTAX);
	CHECK_STR(e.text, "a.prv:17: expected a state number, found 'x'");
}

TEST(err_set_keeps_the_first_error)
{
	struct weft_err e = {0};
	weft_err_set(&e, -EINVAL, "first");
	CHECK_I64(weft_err_set(&e, -EIO, "second"), -EIO);
	CHECK_I64(weft_err_sys(&e, ENOENT, "third"), -ENOENT);
	CHECK_I64(e.code, -EINVAL);
	CHECK_STR(e.text, "first");
}

TEST(err_without_a_struct_still_returns_the_code)
{
	CHECK_I64(weft_err_set(NULL, -EINVAL, "x"), -EINVAL);
	CHECK_I64(weft_err_sys(NULL, ENOENT, "x"), -ENOENT);
	CHECK_I64(weft_err_prefix(NULL, "x"), 0);
}

TEST(err_sys_appends_the_meaning)
{
	struct weft_err e = {0};
	CHECK_I64(weft_err_sys(&e, ENOENT, "cannot open '%s'", "a.prv"), -ENOENT);
	CHECK_STR(e.text, "cannot open 'a.prv': no such file or directory");
}

TEST(err_sys_without_a_value_is_an_error_nevertheless)
{
	struct weft_err e = {0};
	CHECK_I64(weft_err_sys(&e, 0, "x"), -EIO);
	CHECK_I64(e.code, -EIO);
}

TEST(err_prefix_goes_in_front)
{
	struct weft_err e = {0};
	CHECK_I64(weft_err_prefix(&e, "nothing"), 0);
	CHECK_STR(e.text, "");
	weft_err_set(&e, -EINVAL, "bad %s", "number");
	CHECK_I64(weft_err_prefix(&e, "%s:%d", "a.cfg", 3), -EINVAL);
	CHECK_STR(e.text, "a.cfg:3: bad number");
}

TEST(err_text_is_one_line_without_controls)
{
	struct weft_err e = {0};
	weft_err_set(&e, -EINVAL, "cannot open '%s'", "a\nb\x1b[31m\x7f\xc3\xa9");
	CHECK_STR(e.text, "cannot open 'a?b?[31m?\xc3\xa9'");
}

TEST(err_long_text_is_marked_as_cut)
{
	char name[2001];
	memset(name, 'n', 2000);
	name[2000] = '\0';
	struct weft_err e = {0};
	weft_err_set(&e, -EINVAL, "%s", name);
	CHECK_U64(strlen(e.text), sizeof e.text - 1);
	CHECK_STR(e.text + strlen(e.text) - 4, "n...");

	e = (struct weft_err){0};
	weft_err_sys(&e, ENOENT, "%s", name);
	CHECK_U64(strlen(e.text), sizeof e.text - 1);
	CHECK_STR(e.text + strlen(e.text) - 4, "n...");

	weft_err_prefix(&e, "prefix");
	CHECK(strncmp(e.text, "prefix: nnn", 11) == 0);
	CHECK_STR(e.text + strlen(e.text) - 4, "n...");
}

TEST(err_cut_leaves_no_part_of_a_character)
{
	for (size_t pad = 0; pad < 3; pad++) {
		char name[1000] = {0};
		memset(name, 'x', pad);
		while (strlen(name) + 4 < sizeof name)
			strcat(name, "\xe2\x82\xac"); /* three bytes each */
		struct weft_err e = {0};
		weft_err_set(&e, -EINVAL, "%s", name);
		size_t n = strlen(e.text);
		REQUIRE(n > 6);
		CHECK_STR(e.text + n - 6, "\xe2\x82\xac...");
	}
}

TEST(err_names)
{
	static const struct {
		int code;
		const char *name;
	} cases[] = {
		{0, "no error"},
		{-ENOENT, "no such file or directory"},
		{-ENOMEM, "out of memory"},
		{WEFT_E_SYNTAX, "syntax error"},
		{WEFT_E_DAMAGED, "damaged file"},
		{WEFT_E_VERSION, "unsupported version"},
		{WEFT_E_LIMIT, "limit reached"},
		{-99999, "unknown error"},
		{17, "unknown error"},
		{-2147483647 - 1, "unknown error"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_STR(weft_err_name(cases[i].code), cases[i].name);
}

/* Every value that libc knows has a name, too. */
TEST(err_names_of_all_errno_values)
{
	for (int e = 1; e <= 133; e++)
		if (strerrordesc_np(e) && strcmp(weft_err_name(-e), "unknown error") == 0)
			CHECK_STR(weft_err_name(-e), strerrordesc_np(e));
}

TEST(bug_exits_70_and_says_where)
{
	int out[2];
	REQUIRE(pipe(out) == 0);
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		dup2(out[1], STDERR_FILENO);
		weft_bug_at("src/x.c", 17, "state %d", 9);
	}
	close(out[1]);
	char text[1000];
	ssize_t n = read(out[0], text, sizeof text - 1);
	close(out[0]);
	int status = 0;
	REQUIRE(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 70);
	REQUIRE(n > 0);
	text[n] = '\0';
	CHECK(strstr(text, "weft: internal error at src/x.c:17: state 9\n") == text);
	CHECK(strstr(text, "report") != NULL);
}
