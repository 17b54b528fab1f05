/* SPDX-License-Identifier: Apache-2.0 */
/* replace.c: a file that takes another's place, whatever is planted where it is written. */
#include "harness.h"
#include "base/fs.h"
#include "base/replace.h"
#include "base/str.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *below(const char *name)
{
	static char path[8][PATH_MAX];
	static unsigned next;
	char *out = path[next++ % 8];
	snprintf(out, PATH_MAX, "%s/%s", test_dir(), name);
	return out;
}

static void put_file(const char *name, const char *text)
{
	int fd = open(below(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);
	REQUIRE(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	REQUIRE(close(fd) == 0);
}

static void check_file(const char *name, const char *want)
{
	char *at = NULL;
	size_t n;
	if (CHECK_I64(weft_read_file(below(name), &at, &n, NULL), 0))
		CHECK_STR(at, want);
	free(at);
}

static int names_in(const char *path)
{
	char **names;
	int n = weft_list_dir(path, &names, NULL);
	weft_list_free(names, n < 0 ? 0 : n);
	return n;
}

static void put_text(struct weft_replace *r, const char *text)
{
	CHECK_I64(weft_write_all(r->fd, text, strlen(text), 0), 0);
}

TEST(appears_at_commit)
{
	static const unsigned hows[] = {WEFT_REPLACE_PLAIN, WEFT_REPLACE_SYNC, WEFT_REPLACE_EXCHANGE,
	                                WEFT_REPLACE_EXCHANGE | WEFT_REPLACE_SYNC};
	for (size_t i = 0; i < sizeof hows / sizeof *hows; i++)
		for (int there = 0; there < 2; there++) {
			struct weft_replace r;
			if (there)
				put_file("f", "old");
			REQUIRE(weft_replace_open(&r, below("f"), 0640) == 0);
			CHECK(weft_glob(WEFT_REPLACE_GLOB, r.temp));
			put_text(&r, "new");
			CHECK_I64(access(below("f"), F_OK), there - 1);
			CHECK_I64(weft_replace_commit(&r, hows[i]), 0);
			CHECK(!r.fd && !r.folder);
			check_file("f", "new");
			CHECK_I64(names_in(test_dir()), 1);
			REQUIRE(unlink(below("f")) == 0);
		}
}

TEST(abandoned_leaves_nothing)
{
	struct weft_replace r;
	put_file("f", "old");
	REQUIRE(weft_replace_open(&r, below("f"), 0666) == 0);
	put_text(&r, "new");
	weft_replace_abandon(&r);
	weft_replace_abandon(&r); /* harmless */
	check_file("f", "old");
	CHECK_I64(names_in(test_dir()), 1);
}

TEST(mode_is_what_the_umask_leaves)
{
	struct weft_replace r;
	struct stat st;
	mode_t old = umask(027);
	int rc = weft_replace_open(&r, below("f"), 0666);
	umask(old);
	REQUIRE(rc == 0 && weft_replace_commit(&r, WEFT_REPLACE_PLAIN) == 0);
	REQUIRE(stat(below("f"), &st) == 0);
	CHECK_U64(st.st_mode & 07777, 0640);
}

/* A link under the file's own name is replaced; what it leads to keeps its text and its mode. */
TEST(replaces_a_link_itself)
{
	static const unsigned hows[] = {WEFT_REPLACE_PLAIN, WEFT_REPLACE_EXCHANGE};
	for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
		struct weft_replace r;
		struct stat st;
		put_file("precious", "kept");
		REQUIRE(symlink("precious", below("f")) == 0);
		REQUIRE(weft_replace_open(&r, below("f"), 0666) == 0);
		put_text(&r, "new");
		CHECK_I64(weft_replace_commit(&r, hows[i]), 0);
		REQUIRE(lstat(below("f"), &st) == 0);
		CHECK(S_ISREG(st.st_mode));
		check_file("f", "new");
		check_file("precious", "kept");
		REQUIRE(stat(below("precious"), &st) == 0);
		CHECK_U64(st.st_mode & 07777, 0600);
		REQUIRE(unlink(below("f")) == 0);
	}
}

TEST(does_not_replace_a_folder)
{
	static const unsigned hows[] = {WEFT_REPLACE_PLAIN, WEFT_REPLACE_EXCHANGE};
	REQUIRE(mkdir(below("d"), 0777) == 0);
	put_file("d/kept", "text");
	for (size_t i = 0; i < sizeof hows / sizeof *hows; i++) {
		struct weft_replace r;
		REQUIRE(weft_replace_open(&r, below("d"), 0666) == 0);
		CHECK_I64(weft_replace_commit(&r, hows[i]), -EISDIR);
		check_file("d/kept", "text");
		CHECK_I64(names_in(test_dir()), 1);
	}
}

/* The folder is swapped for a link while the file is written: it stays in the folder that it was begun in. */
TEST(follows_no_swapped_folder)
{
	struct weft_replace r;
	REQUIRE(mkdir(below("mine"), 0777) == 0 && mkdir(below("other"), 0777) == 0);
	REQUIRE(weft_replace_open(&r, below("mine/f"), 0666) == 0);
	put_text(&r, "new");
	REQUIRE(rename(below("mine"), below("aside")) == 0 && symlink("other", below("mine")) == 0);
	CHECK_I64(weft_replace_commit(&r, WEFT_REPLACE_SYNC), 0);
	check_file("aside/f", "new");
	CHECK_I64(names_in(below("other")), 0);
}

TEST(names_are_not_foreseeable)
{
	struct weft_replace a, b;
	REQUIRE(weft_replace_open(&a, below("f"), 0666) == 0);
	REQUIRE(weft_replace_open(&b, below("f"), 0666) == 0);
	/* Of 16 hexadecimal digits at least some differ, and not only at one place as those of a counter do. */
	unsigned different = 0;
	for (size_t i = 0; a.temp[i]; i++)
		different += a.temp[i] != b.temp[i];
	CHECK(different > 4);
	weft_replace_abandon(&a);
	weft_replace_abandon(&b);
}

TEST(pauses_and_goes_on)
{
	struct weft_replace r;
	REQUIRE(weft_replace_open(&r, below("f"), 0666) == 0);
	put_text(&r, "one");
	weft_replace_pause(&r);
	CHECK(!r.fd && !r.folder);
	REQUIRE(weft_replace_resume(&r, below("f")) == 0);
	CHECK_I64(weft_write_all(r.fd, "two", 3, 3), 0);
	weft_replace_pause(&r);

	/* Somebody puts a link where it was. */
	char temp[PATH_MAX];
	snprintf(temp, sizeof temp, "%s", below(r.temp));
	put_file("precious", "kept");
	REQUIRE(rename(temp, below("aside")) == 0 && symlink("precious", temp) == 0);
	CHECK_I64(weft_replace_resume(&r, below("f")), -ELOOP);
	REQUIRE(rename(below("aside"), temp) == 0);
	REQUIRE(weft_replace_resume(&r, below("f")) == 0);
	CHECK_I64(weft_replace_commit(&r, WEFT_REPLACE_PLAIN), 0);
	check_file("f", "onetwo");
	check_file("precious", "kept");
}

static int replace_without_standard_streams(const char *path)
{
	struct weft_replace r;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		close(fd);
	if (weft_replace_open(&r, path, 0666) || r.fd <= STDERR_FILENO || r.folder <= STDERR_FILENO)
		return 1;
	weft_replace_pause(&r);
	if (weft_replace_resume(&r, path) || r.fd <= STDERR_FILENO || r.folder <= STDERR_FILENO)
		return 2;
	if (weft_write_all(r.fd, "new", 3, 0) || weft_replace_commit(&r, WEFT_REPLACE_PLAIN))
		return 3;
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) >= 0)
			return 4;
	return 0;
}

/* A program that has closed a standard stream: what it writes there must not end in the new file. */
TEST(numbers_of_standard_streams_stay_free)
{
	int status;
	const char *path = below("f");
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (!child)
		_exit(replace_without_standard_streams(path));
	REQUIRE(waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status));
	CHECK_I64(WEXITSTATUS(status), 0);
	check_file("f", "new");
}

TEST(keeps_the_file_open)
{
	struct weft_replace r;
	char text[4] = {0};
	int fd;
	REQUIRE(weft_replace_open(&r, below("f"), 0666) == 0);
	put_text(&r, "new");
	REQUIRE(weft_replace_keep(&r, WEFT_REPLACE_EXCHANGE, &fd) == 0);
	CHECK(!r.fd && fd > 2);
	CHECK_I64(weft_read_all(fd, text, 3, 0), 0);
	CHECK_STR(text, "new");
	close(fd);
}

TEST(names_that_are_none)
{
	char longer[NAME_MAX + 10];
	memset(longer, 'x', sizeof longer - 1);
	longer[sizeof longer - 1] = '\0';
	const struct {
		const char *name;
		int rc;
	} cases[] = {{"", -ENOENT}, {longer, -ENAMETOOLONG}, {"none/f", -ENOENT}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_replace r;
		CHECK_I64(weft_replace_open(&r, below(cases[i].name), 0666), cases[i].rc);
		CHECK(!r.fd && !r.folder);
	}
	CHECK_I64(names_in(test_dir()), 0);
}

TEST(folder_that_is_a_link)
{
	REQUIRE(mkdir(below("real"), 0777) == 0 && symlink("real", below("link")) == 0);
	char slash[PATH_MAX];
	snprintf(slash, sizeof slash, "%s/", below("link"));
	CHECK_I64(weft_open_folder(below("link")), -ENOTDIR);
	CHECK_I64(weft_open_folder(slash), -ENOTDIR);
	int fd = weft_open_folder(below("real"));
	CHECK(fd >= 0);
	close(fd);
}
