/* SPDX-License-Identifier: Apache-2.0 */
/* record_dir.c: names, what is replaced and what never, and undoing. */
#include "harness.h"
#include "base/fs.h"
#include "cli/record/record_run.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char cwd[4096];

static void enter(void)
{
	REQUIRE(getcwd(cwd, sizeof cwd) != NULL);
	REQUIRE(chdir(test_dir()) == 0);
}

static void leave(void)
{
	REQUIRE(chdir(cwd) == 0);
}

static void touch(const char *path)
{
	int fd = open(path, O_CREAT | O_WRONLY, 0666);
	REQUIRE(fd >= 0);
	close(fd);
}

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

TEST(record_dir_takes_free_names)
{
	static const struct {
		const char *program, *shown;
	} cases[] = {
		{"./solver", "solver.weft"}, {"/usr/bin/solver", "solver-2.weft"},
		{"solver", "solver-3.weft"}, {"a/", "command.weft"},
		{"x.y", "x.y.weft"},
	};
	struct weft_err err = {0};
	enter();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct record_dir d;
		REQUIRE(record_dir_make(&d, NULL, cases[i].program, false, &err) == 0);
		CHECK_STR(d.shown, cases[i].shown);
		CHECK(d.path[0] == '/' && weft_is_dir(d.path));
		record_dir_keep(&d);
		record_dir_fini(&d);
		CHECK(exists(cases[i].shown));
	}
	leave();
}

TEST(record_dir_named_must_be_new_or_empty)
{
	struct weft_err err = {0};
	struct record_dir d;
	enter();
	REQUIRE(mkdir("empty", 0777) == 0);
	CHECK_I64(record_dir_make(&d, "empty", "x", false, &err), 0);
	record_dir_fini(&d);
	REQUIRE(mkdir("trace", 0777) == 0);
	touch("trace/h-1-0.stream");
	CHECK_I64(record_dir_make(&d, "trace", "x", false, &err), -EEXIST);
	CHECK_STR(err.text, "'trace' is there already (--force replaces it)");
	err = (struct weft_err){0};
	touch("trace/thesis.tex");
	CHECK_I64(record_dir_make(&d, "trace", "x", true, &err), -EEXIST);
	CHECK_STR(err.text, "'trace' is there already, and holds more than a trace");
	CHECK(exists("trace/thesis.tex") && exists("trace/h-1-0.stream"));
	err = (struct weft_err){0};
	CHECK_I64(record_dir_make(&d, "no/parent", "x", false, &err), -ENOENT);
	CHECK_STR(err.text, "cannot make 'no/parent': no such file or directory");
	err = (struct weft_err){0};
	touch("file");
	CHECK(record_dir_make(&d, "file", "x", true, &err) < 0);
	CHECK(exists("file"));
	leave();
}

TEST(record_dir_forced_keeps_the_old_trace_until_the_command_runs)
{
	struct weft_err err = {0};
	struct record_dir d;
	enter();
	REQUIRE(mkdir("trace", 0777) == 0);
	touch("trace/old-1-0.stream");
	REQUIRE(record_dir_make(&d, "trace/", "x", true, &err) == 0);
	CHECK(!exists("trace/old-1-0.stream"));
	touch("trace/new-1-0.stream");
	record_dir_undo(&d);
	CHECK(exists("trace/old-1-0.stream") && !exists("trace/new-1-0.stream"));

	REQUIRE(record_dir_make(&d, "trace", "x", true, &err) == 0);
	record_dir_keep(&d);
	record_dir_fini(&d);
	CHECK(!exists("trace/old-1-0.stream"));
	char **names;
	int n = weft_list_dir(".", &names, &err);
	CHECK_I64(n, 1); /* nothing was left aside */
	weft_list_free(names, n);
	leave();
}

TEST(record_dir_undone_leaves_nothing)
{
	struct weft_err err = {0};
	struct record_dir d;
	enter();
	REQUIRE(record_dir_make(&d, NULL, "prog", false, &err) == 0);
	touch("prog.weft/h-1-launcher.stream");
	record_dir_undo(&d);
	CHECK(!exists("prog.weft"));
	leave();
}

TEST(record_dir_says_when_memory_is_out)
{
	enter();
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		struct record_dir d;
		int rc = record_dir_make(&d, "new", "x", true, &err);
		CHECK(test_alloc_failed() ? rc < 0 : rc == 0);
		if (rc == 0)
			record_dir_undo(&d);
		CHECK(!exists("new"));
	}
	leave();
}
