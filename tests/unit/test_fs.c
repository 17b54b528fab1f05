/* SPDX-License-Identifier: Apache-2.0 */
/* fs.c: outputs that appear whole or not at all, mapped reading, and trees that are walked without following links. */
#include "harness.h"
#include "base/fs.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* A path below the test's folder. A few stay valid at a time. */
static const char *below(const char *name)
{
	static char path[8][PATH_MAX];
	static unsigned next;
	char *out = path[next++ % 8];
	snprintf(out, PATH_MAX, "%s/%s", test_dir(), name);
	return out;
}

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	REQUIRE(f);
	fputs(text, f);
	REQUIRE(fclose(f) == 0);
}

static void check_file(const char *path, const char *want)
{
	char *at = NULL;
	size_t n = 0;
	struct weft_err err = {0};
	CHECK_I64(weft_read_file(path, &at, &n, &err), 0);
	CHECK_STR(at, want);
	CHECK_U64(n, strlen(want));
	free(at);
}

static int names_in(const char *path)
{
	char **names = NULL;
	int n = weft_list_dir(path, &names, NULL);
	weft_list_free(names, n < 0 ? 0 : n);
	return n;
}

/* -- reading -- */

TEST(map_file_reads)
{
	struct weft_map_file f;
	struct weft_err err = {0};
	put_file(below("a"), "hello");
	REQUIRE(weft_map_file_open(&f, below("a"), &err) == 0);
	CHECK_U64(f.n, 5);
	CHECK(memcmp(f.at, "hello", 5) == 0);
	weft_map_file_close(&f);
	CHECK(f.at == NULL && f.n == 0);
	weft_map_file_close(&f);

	put_file(below("empty"), "");
	REQUIRE(weft_map_file_open(&f, below("empty"), &err) == 0);
	CHECK(f.at == NULL && f.n == 0);
	weft_map_file_drop(&f, 0, 100);
	weft_map_file_close(&f);
	CHECK_I64(err.code, 0);
}

TEST(map_file_errors_name_the_file)
{
	struct weft_map_file f;
	struct weft_err err = {0};
	char want[PATH_MAX + 100];
	CHECK_I64(weft_map_file_open(&f, below("none"), &err), -ENOENT);
	snprintf(want, sizeof want, "cannot open '%s': no such file or directory", below("none"));
	CHECK_STR(err.text, want);
	err = (struct weft_err){0};
	CHECK_I64(weft_map_file_open(&f, test_dir(), &err), -EISDIR);
	snprintf(want, sizeof want, "cannot open '%s': is a directory", test_dir());
	CHECK_STR(err.text, want);
	err = (struct weft_err){0};
	CHECK_I64(weft_map_file_open(&f, "/dev/null", &err), -EINVAL);
	CHECK_STR(err.text, "cannot read '/dev/null': not a regular file");
}

static size_t resident_pages(const struct weft_map_file *f)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), resident = 0, n = 0;
	unsigned long from = 0, to = 0, kib = 0;
	char line[256];
	FILE *smaps = fopen("/proc/self/smaps", "r");
	REQUIRE(smaps);
	while (fgets(line, sizeof line, smaps)) {
		sscanf(line, "%lx-%lx", &from, &to);
		if (from == (unsigned long)f->at && sscanf(line, "Rss: %lu kB", &kib) == 1)
			resident = kib * 1024 / page;
		n++;
	}
	fclose(smaps);
	CHECK(n > 0);
	return resident;
}

TEST(map_file_drop_gives_pages_back_and_they_can_be_read_again)
{
	enum { PAGES = 64 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = PAGES * page - 100;
	FILE *to = fopen(below("big"), "w");
	REQUIRE(to);
	for (size_t i = 0; i < n; i++)
		fputc((int)(i / page) + 1, to);
	fclose(to);
	struct weft_map_file f;
	REQUIRE(weft_map_file_open(&f, below("big"), NULL) == 0);
	unsigned sum = 0, again = 0;
	for (size_t i = 0; i < n; i += page)
		sum += f.at[i];
	CHECK_U64(resident_pages(&f), PAGES);
	weft_map_file_drop(&f, 1, 10 * page - 1); /* 8 whole pages */
	CHECK_U64(resident_pages(&f), PAGES - 8);
	weft_map_file_drop(&f, 10 * page, n);
	CHECK_U64(resident_pages(&f), 2);
	weft_map_file_drop(&f, 5, 5);
	weft_map_file_drop(&f, 100, 5);
	weft_map_file_drop(&f, n, n + 5 * page);
	for (size_t i = 0; i < n; i += page)
		again += f.at[i];
	CHECK_U64(again, sum);
	weft_map_file_close(&f);
}

TEST(read_file_reads_what_has_no_size)
{
	char *at = NULL;
	size_t n = 0;
	REQUIRE(weft_read_file("/proc/self/status", &at, &n, NULL) == 0);
	CHECK(n > 100 && strlen(at) == n);
	free(at);
	REQUIRE(mkfifo(below("pipe"), 0600) == 0);
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		int fd = open(below("pipe"), O_WRONLY);
		char block[1000];
		memset(block, 'p', sizeof block);
		for (int i = 0; i < 300; i++)
			if (write(fd, block, sizeof block) != (ssize_t)sizeof block)
				_exit(1);
		_exit(0);
	}
	CHECK_I64(weft_read_input(below("pipe"), &at, &n, NULL), 0);
	CHECK_U64(n, 300000);
	free(at);
	int status = 1;
	waitpid(child, &status, 0);
	CHECK_I64(status, 0);
}

TEST(read_file_errors)
{
	char *at = (char *)1;
	size_t n = 1;
	struct weft_err err = {0};
	CHECK_I64(weft_read_file(below("none"), &at, &n, &err), -ENOENT);
	CHECK(at == NULL && n == 0);
	CHECK(strstr(err.text, "cannot open '") == err.text);
	CHECK_I64(weft_read_file(test_dir(), &at, &n, NULL), -EISDIR);
	err = (struct weft_err){0};
	CHECK_I64(weft_read_file("/proc/self/mem", &at, &n, &err), -EIO);
	CHECK_STR(err.text, "cannot read '/proc/self/mem': input/output error");
}

TEST(read_file_each_allocation_fails)
{
	put_file(below("a"), "hello");
	TEST_EACH_ALLOCATION_FAILS {
		char *at;
		size_t n;
		int rc = weft_read_file(below("a"), &at, &n, NULL);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		CHECK(!rc == (at != NULL));
		free(at);
	}
}

/* None of them may wait, or read on and on: the test's time limit says so. */
TEST(inputs_that_are_no_files)
{
	static const struct {
		const char *path;
		int rc;
		const char *regular, *input;
	} cases[] = {
		{"pipe", -EINVAL, "cannot read '%s': not a regular file", NULL},
		{"zero", -EINVAL, "cannot read '%s': not a regular file", "cannot read '%s': neither a file nor a pipe"},
		{"dir", -EISDIR, "cannot open '%s': is a directory", "cannot open '%s': is a directory"},
		{"none", -ENOENT, "cannot open '%s': no such file or directory", "cannot open '%s': no such file or directory"},
	};
	REQUIRE(mkfifo(below("pipe"), 0600) == 0 && symlink("/dev/zero", below("zero")) == 0 && mkdir(below("dir"), 0777) == 0);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weft_map_file f;
		struct stat st;
		char *at, want[PATH_MAX + 100];
		size_t n;
		const char *path = below(cases[i].path);
		struct weft_err err[4] = {{0}};
		CHECK_I64(weft_open_regular(path, &st, &err[0]), cases[i].rc);
		CHECK_I64(weft_read_file(path, &at, &n, &err[1]), cases[i].rc);
		CHECK_I64(weft_map_file_open(&f, path, &err[2]), cases[i].rc);
		snprintf(want, sizeof want, cases[i].regular, path);
		for (int k = 0; k < 3; k++)
			CHECK_STR(err[k].text, want);
		if (!cases[i].input)
			continue;
		CHECK_I64(weft_read_input(path, &at, &n, &err[3]), cases[i].rc);
		snprintf(want, sizeof want, cases[i].input, path);
		CHECK_STR(err[3].text, want);
	}
}

TEST(a_device_is_read_as_standard_input_only)
{
	char *at = NULL;
	size_t n;
	int old = dup(STDIN_FILENO), null = open("/dev/null", O_RDONLY);
	REQUIRE(old >= 0 && null >= 0 && dup2(null, STDIN_FILENO) == STDIN_FILENO);
	CHECK_I64(weft_read_input("/dev/stdin", &at, &n, NULL), 0);
	CHECK_STR(at, "");
	free(at);
	CHECK_I64(weft_read_input("/dev/null", &at, &n, NULL), -EINVAL);
	REQUIRE(dup2(old, STDIN_FILENO) == STDIN_FILENO);
	close(old);
	close(null);
}

/* -- outputs -- */

TEST(out_appears_at_commit_only)
{
	struct weft_out o;
	struct weft_err err = {0};
	REQUIRE(weft_out_open(&o, below("new"), &err) == 0);
	fputs("text", o.to);
	fflush(o.to);
	CHECK(access(below("new"), F_OK) != 0);
	CHECK_I64(weft_out_commit(&o, &err), 0);
	CHECK(!o.to && !o.path && o.file.fd == 0);
	check_file(below("new"), "text");
	CHECK_I64(names_in(test_dir()), 1);
}

TEST(out_leaves_the_old_file_alone_until_commit)
{
	struct weft_out o;
	put_file(below("f"), "old");
	REQUIRE(weft_out_open(&o, below("f"), NULL) == 0);
	fputs("new", o.to);
	fflush(o.to);
	check_file(below("f"), "old");
	weft_out_abandon(&o);
	check_file(below("f"), "old");
	CHECK_I64(names_in(test_dir()), 1);
	weft_out_abandon(&o); /* harmless */

	REQUIRE(weft_out_open(&o, below("f"), NULL) == 0);
	fputs("new", o.to);
	REQUIRE(weft_out_commit(&o, NULL) == 0);
	check_file(below("f"), "new");
	CHECK_I64(names_in(test_dir()), 1);
}

TEST(out_in_the_current_folder)
{
	struct weft_out o;
	char *cwd = getcwd(NULL, 0);
	REQUIRE(cwd && chdir(test_dir()) == 0);
	int rc = weft_out_open(&o, "plain", NULL);
	if (CHECK_I64(rc, 0)) {
		fputs("x", o.to);
		CHECK_I64(weft_out_commit(&o, NULL), 0);
	}
	REQUIRE(chdir(cwd) == 0);
	free(cwd);
	check_file(below("plain"), "x");
}

TEST(out_modes)
{
	struct weft_out o;
	struct stat st;
	mode_t old = umask(027);
	int rc = weft_out_open(&o, below("fresh"), NULL);
	umask(old);
	REQUIRE(rc == 0 && weft_out_commit(&o, NULL) == 0);
	REQUIRE(stat(below("fresh"), &st) == 0);
	CHECK_U64(st.st_mode & 07777, 0640);

	put_file(below("kept"), "");
	REQUIRE(chmod(below("kept"), 0751) == 0);
	REQUIRE(weft_out_open(&o, below("kept"), NULL) == 0 && weft_out_commit(&o, NULL) == 0);
	REQUIRE(stat(below("kept"), &st) == 0);
	CHECK_U64(st.st_mode & 07777, 0751);
}

TEST(out_keeps_a_link_and_replaces_what_is_behind_it)
{
	struct weft_out o;
	struct stat st;
	REQUIRE(mkdir(below("sub"), 0777) == 0);
	put_file(below("sub/real"), "old");
	REQUIRE(symlink("sub/real", below("link")) == 0);
	REQUIRE(weft_out_open(&o, below("link"), NULL) == 0);
	fputs("new", o.to);
	REQUIRE(weft_out_commit(&o, NULL) == 0);
	REQUIRE(lstat(below("link"), &st) == 0);
	CHECK(S_ISLNK(st.st_mode));
	check_file(below("sub/real"), "new");
	CHECK_I64(names_in(below("sub")), 1);
}

/* Root writes where another user has put a link: it is theirs, and leads to what only root may write. */
TEST(out_follows_no_link_of_another_user)
{
	enum { NOBODY = 65534 };
	struct weft_out o;
	struct weft_err err = {0};
	char want[PATH_MAX + 100];
	if (geteuid() != 0)
		SKIP("only root can play another user");
	put_file(below("precious"), "kept");
	REQUIRE(symlink("precious", below("link")) == 0 && lchown(below("link"), NOBODY, NOBODY) == 0);
	CHECK_I64(weft_out_open(&o, below("link"), &err), -ELOOP);
	snprintf(want, sizeof want, "cannot write '%s': it is another user's link", below("link"));
	CHECK_STR(err.text, want);
	check_file(below("precious"), "kept");
	CHECK_I64(names_in(test_dir()), 2);
}

TEST(out_to_devices_and_pipes_is_direct)
{
	struct weft_out o;
	struct stat st;
	REQUIRE(weft_out_open(&o, "/dev/null", NULL) == 0);
	CHECK(o.file.fd == 0);
	fputs("gone", o.to);
	CHECK_I64(weft_out_commit(&o, NULL), 0);
	REQUIRE(stat("/dev/null", &st) == 0);
	CHECK(S_ISCHR(st.st_mode));

	REQUIRE(mkfifo(below("pipe"), 0600) == 0);
	int reader = open(below("pipe"), O_RDONLY | O_NONBLOCK);
	REQUIRE(reader >= 0);
	REQUIRE(weft_out_open(&o, below("pipe"), NULL) == 0);
	fputs("through", o.to);
	CHECK_I64(weft_out_commit(&o, NULL), 0);
	char text[20] = {0};
	CHECK_I64(read(reader, text, sizeof text - 1), 7);
	CHECK_STR(text, "through");
	close(reader);
}

TEST(out_to_stdout)
{
	struct weft_out o;
	struct weft_err err = {0};
	REQUIRE(weft_out_open(&o, "-", &err) == 0);
	CHECK(o.to == stdout && o.file.fd == 0);
	CHECK_I64(weft_out_commit(&o, &err), 0);
	REQUIRE(weft_out_open(&o, "-", &err) == 0);
	weft_out_abandon(&o);
	CHECK(fflush(stdout) == 0);
}

TEST(out_that_cannot_be_opened)
{
	static const struct {
		const char *name;
		int rc;
		const char *why;
	} cases[] = {
		{"none/file", -ENOENT, "no such file or directory"},
		{"file/file", -ENOTDIR, "not a directory"},
		{"dir", -EISDIR, "is a directory"},
		{"", -EISDIR, "is a directory"},
	};
	put_file(below("file"), "kept");
	REQUIRE(mkdir(below("dir"), 0777) == 0);
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weft_out o;
		struct weft_err err = {0};
		char want[PATH_MAX + 100];
		CHECK_I64(weft_out_open(&o, below(cases[i].name), &err), cases[i].rc);
		snprintf(want, sizeof want, "cannot write '%s': %s", below(cases[i].name), cases[i].why);
		CHECK_STR(err.text, want);
		CHECK(!o.to && !o.path && o.file.fd == 0);
	}
	check_file(below("file"), "kept");
	CHECK_I64(names_in(test_dir()), 2);
}

TEST(out_does_not_replace_a_file_that_may_not_be_written)
{
	enum { NOBODY = 65534 };
	struct weft_out o;
	put_file(below("f"), "old");
	REQUIRE(chmod(below("f"), 0444) == 0 && chmod(test_dir(), 0777) == 0);
	uid_t user = geteuid();
	if (user == 0) /* who may write everything */
		REQUIRE(seteuid(NOBODY) == 0);
	int rc = weft_out_open(&o, below("f"), NULL);
	if (user == 0)
		REQUIRE(seteuid(user) == 0);
	CHECK_I64(rc, -EACCES);
	check_file(below("f"), "old");
}

TEST(out_that_cannot_be_written_is_abandoned)
{
	struct weft_out o;
	struct weft_err err = {0};
	if (access("/dev/full", W_OK))
		SKIP("no /dev/full");
	REQUIRE(weft_out_open(&o, "/dev/full", NULL) == 0);
	fputs("text", o.to);
	CHECK_I64(weft_out_commit(&o, &err), -ENOSPC);
	CHECK_STR(err.text, "cannot write '/dev/full': no space left on device");

	/* A write that failed long before the commit. */
	err = (struct weft_err){0};
	put_file(below("f"), "old");
	REQUIRE(weft_out_open(&o, below("f"), NULL) == 0);
	int full = open("/dev/full", O_WRONLY);
	REQUIRE(full >= 0);
	int keep = dup(fileno(o.to));
	REQUIRE(dup2(full, fileno(o.to)) >= 0);
	fputs("lost", o.to);
	CHECK(fflush(o.to) != 0);
	REQUIRE(dup2(keep, fileno(o.to)) >= 0);
	close(keep);
	close(full);
	CHECK(weft_out_commit(&o, &err) < 0);
	check_file(below("f"), "old");
	CHECK_I64(names_in(test_dir()), 1);
}

TEST(out_each_allocation_fails)
{
	put_file(below("f"), "old");
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_out o;
		struct weft_err err = {0};
		int rc = weft_out_open(&o, below("new"), &err);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		CHECK_I64(err.code, rc);
		if (!rc)
			weft_out_abandon(&o);
	}
	CHECK_I64(names_in(test_dir()), 1);
}

/* -- folders -- */

TEST(make_dirs)
{
	struct weft_err err = {0};
	CHECK_I64(weft_make_dirs(below("a/b//c/"), &err), 0);
	CHECK(weft_is_dir(below("a/b/c")));
	CHECK_I64(weft_make_dirs(below("a/b/c"), &err), 0);
	CHECK_I64(weft_make_dirs("/", &err), 0);
	CHECK_I64(weft_make_dirs(test_dir(), &err), 0);
	CHECK_STR(err.text, "");

	put_file(below("file"), "");
	char want[PATH_MAX + 100];
	snprintf(want, sizeof want, "cannot create '%s': not a directory", below("file"));
	CHECK_I64(weft_make_dirs(below("file"), &err), -ENOTDIR);
	CHECK_STR(err.text, want);
	err = (struct weft_err){0};
	CHECK_I64(weft_make_dirs(below("file/x/y"), &err), -ENOTDIR);
	CHECK_STR(err.text, want);
	CHECK(weft_make_dirs("/proc/none/x", NULL) == -ENOENT);
	REQUIRE(symlink("a/b", below("link")) == 0);
	CHECK_I64(weft_make_dirs(below("link/d"), NULL), 0);
	CHECK(weft_is_dir(below("a/b/d")));
}

TEST(is_dir)
{
	put_file(below("file"), "");
	CHECK(weft_is_dir(test_dir()));
	CHECK(!weft_is_dir(below("file")));
	CHECK(!weft_is_dir(below("none")));
}

TEST(remove_tree_removes_all_and_follows_no_link)
{
	struct weft_err err = {0};
	REQUIRE(weft_make_dirs(below("keep"), NULL) == 0 && weft_make_dirs(below("t/a/b/c"), NULL) == 0);
	put_file(below("keep/file"), "kept");
	put_file(below("t/a/file"), "");
	put_file(below("t/.hidden"), "");
	REQUIRE(symlink("../keep", below("t/link")) == 0);
	REQUIRE(symlink("../../keep/file", below("t/a/link")) == 0);
	REQUIRE(symlink("nowhere", below("t/dangling")) == 0);
	CHECK_I64(weft_remove_tree(below("t"), &err), 0);
	CHECK(access(below("t"), F_OK) != 0);
	check_file(below("keep/file"), "kept");

	REQUIRE(symlink("keep", below("link")) == 0);
	CHECK_I64(weft_remove_tree(below("link/"), &err), 0);
	check_file(below("keep/file"), "kept");
	struct stat st;
	CHECK(lstat(below("link"), &st) != 0);

	put_file(below("file"), "");
	CHECK_I64(weft_remove_tree(below("file"), &err), 0);
	CHECK_I64(weft_remove_tree(below("never-was"), &err), 0);
	CHECK_I64(names_in(test_dir()), 1);
	CHECK_STR(err.text, "");
}

TEST(remove_tree_says_what_it_cannot)
{
	struct weft_err err = {0};
	int rc = weft_remove_tree("/proc/self/status", &err);
	CHECK(rc < 0 && err.code == rc);
	CHECK(strstr(err.text, "cannot remove '/proc/self/status': ") == err.text);
}

TEST(list_dir_is_sorted)
{
	char **names = NULL;
	struct weft_err err = {0};
	static const char *const want[] = {".hidden", "B", "a", "b", "\xc3\xa9"};
	CHECK_I64(weft_list_dir(test_dir(), &names, &err), 0);
	weft_list_free(names, 0);
	for (size_t i = 0; i < 5; i++)
		put_file(below(want[4 - i]), "");
	int n = weft_list_dir(test_dir(), &names, &err);
	REQUIRE(n == 5);
	for (int i = 0; i < 5; i++)
		CHECK_STR(names[i], want[i]);
	weft_list_free(names, n);
	CHECK_I64(weft_list_dir(below("none"), &names, &err), -ENOENT);
	CHECK(names == NULL);
	CHECK(strstr(err.text, "cannot read '") == err.text);
}

TEST(list_dir_each_allocation_fails)
{
	for (int i = 0; i < 20; i++) {
		char name[16];
		snprintf(name, sizeof name, "f%d", i);
		put_file(below(name), "");
	}
	TEST_EACH_ALLOCATION_FAILS {
		char **names;
		int n = weft_list_dir(test_dir(), &names, NULL);
		CHECK_I64(n, test_alloc_failed() ? -ENOMEM : 20);
		weft_list_free(names, n < 0 ? 0 : n);
	}
}

TEST(dir_bytes)
{
	REQUIRE(weft_make_dirs(below("t/a"), NULL) == 0);
	put_file(below("outside"), "not counted");
	put_file(below("t/x"), "12345");
	put_file(below("t/a/y"), "123");
	REQUIRE(symlink("../outside", below("t/link")) == 0);
	REQUIRE(symlink("..", below("t/loop")) == 0);
	CHECK_U64(weft_dir_bytes(below("t")), 8);
	CHECK_U64(weft_dir_bytes(below("t/x")), 5);
	CHECK_U64(weft_dir_bytes(below("none")), 0);
}

TEST(rss_follows_what_is_touched)
{
	enum { BYTES = 64 << 20 };
	uint64_t before = weft_rss_bytes();
	CHECK(before > 100000);
	char *at = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(at != MAP_FAILED);
	memset(at, 1, BYTES);
	uint64_t with = weft_rss_bytes();
	munmap(at, BYTES);
	CHECK(with >= before + BYTES - (8 << 20));
	CHECK(weft_rss_bytes() < with - BYTES / 2);
	CHECK(weft_rss_peak_bytes() >= with - (8 << 20)); /* the kernel counts the peak coarsely */
}
