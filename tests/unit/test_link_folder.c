/* SPDX-License-Identifier: Apache-2.0 */
/* What an agent looks at before it connects: folders, secrets and listeners that are another user's, or could be. */
#include "harness.h"
#include "base/clock.h"
#include "link/link_folder.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static char path[64], secret_path[160], socket_path[160];

/* A folder as a controller makes it, with a secret, and no socket yet. */
static void make(void)
{
	char name[LINK_FILE_ROOM];
	struct link_secret s;
	strcpy(path, "/tmp/weft-test-XXXXXX");
	REQUIRE(mkdtemp(path) != NULL);
	link_file_name(LINK_FILE_SECRET, name);
	snprintf(secret_path, sizeof secret_path, "%s/%s", path, name);
	link_file_name(LINK_FILE_SOCKET, name);
	snprintf(socket_path, sizeof socket_path, "%s/%s", path, name);
	memset(&s, 7, sizeof s);
	int fd = open(secret_path, O_WRONLY | O_CREAT | O_EXCL, 0600);
	REQUIRE(fd >= 0 && write(fd, &s, sizeof s) == (ssize_t)sizeof s && close(fd) == 0);
}

static int listen_there(int backlog)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	REQUIRE((size_t)snprintf(at.sun_path, sizeof at.sun_path, "%s", socket_path) < sizeof at.sun_path);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	return bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, backlog) ? -1 : fd;
}

static void unmake(void)
{
	int status;
	free(test_shell(&status, "rm -rf %s", path));
	CHECK_I64(status, 0);
}

static int try(void)
{
	struct link_secret s;
	int rc = link_connect(path, 200, &s);
	if (rc >= 0)
		close(rc);
	return rc < 0 ? rc : 0;
}

TEST(a_folder_of_ones_own_is_entered)
{
	make();
	CHECK_I64(try(), -ENOENT); /* no socket */
	int fd = listen_there(5);
	REQUIRE(fd >= 0);
	CHECK_I64(try(), 0);
	close(fd);
	CHECK_I64(try(), -ECONNREFUSED); /* whose controller was killed */
	unmake();
	CHECK_I64(try(), -ENOENT);
}

TEST(folders_that_others_may_change_are_not)
{
	static const mode_t modes[] = {0777, 01777, 0770, 0702, 0720};
	make();
	int fd = listen_there(5);
	REQUIRE(fd >= 0);
	for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
		CHECK_I64(chmod(path, modes[k]), 0);
		CHECK_I64(try(), -EPERM);
	}
	CHECK_I64(chmod(path, 0700), 0);
	/* A link to it; a path that is one only from somewhere. */
	char kept[64], link[80];
	strcpy(kept, path);
	snprintf(link, sizeof link, "%s-link", path);
	CHECK_I64(symlink(path, link), 0);
	strcpy(path, link);
	CHECK_I64(try(), -ENOTDIR);
	unlink(link);
	strcpy(path, kept + 1);
	CHECK_I64(try(), -EINVAL);
	strcpy(path, kept);
	/* A secret that others can read is none; nor is one that is elsewhere. */
	CHECK_I64(chmod(secret_path, 0644), 0);
	CHECK_I64(try(), -EPERM);
	CHECK_I64(rename(secret_path, test_path("secret")), 0);
	CHECK_I64(symlink(test_path("secret"), secret_path), 0);
	CHECK_I64(chmod(test_path("secret"), 0600), 0);
	CHECK_I64(try(), -ELOOP);
	close(fd);
	unmake();
}

/* The path of a run that is over, made again by somebody else: nothing there is obeyed, or even reached. */
TEST(another_users_folder_is_not)
{
	if (geteuid() != 0)
		SKIP("needs a second user");
	make();
	int fd = listen_there(5);
	REQUIRE(fd >= 0);
	CHECK_I64(chown(path, NOBODY, NOBODY), 0);
	CHECK_I64(try(), -EPERM);
	CHECK_I64(chown(path, 0, 0), 0);
	CHECK_I64(chown(secret_path, NOBODY, NOBODY), 0);
	CHECK_I64(try(), -EPERM);
	close(fd);
	unmake();
}

/* Even within a folder of the right owner: who called listen is looked at. */
TEST(another_users_listener_is_not)
{
	int ready[2];
	char byte;
	if (geteuid() != 0)
		SKIP("needs a second user");
	make();
	REQUIRE(pipe2(ready, O_CLOEXEC) == 0 && chmod(path, 0777) == 0);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		int fd = setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ? -1 : listen_there(5);
		if (fd < 0 || chmod(socket_path, 0777) || write(ready[1], "r", 1) != 1)
			_exit(1);
		pause();
	}
	close(ready[1]);
	REQUIRE(read(ready[0], &byte, 1) == 1);
	CHECK_I64(chmod(path, 0755), 0);
	CHECK_I64(try(), -EPERM);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ready[0]);
	unmake();
}

/* connect() waits for ever where nobody accepts and the queue is full, and the program's main with it. */
TEST(a_full_queue_holds_nobody_up)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct stat st;
	char name[LINK_FILE_ROOM], mark[200];
	int full[8];
	make();
	int fd = listen_there(0);
	REQUIRE(fd >= 0);
	REQUIRE((size_t)snprintf(at.sun_path, sizeof at.sun_path, "%s", socket_path) < sizeof at.sun_path);
	for (unsigned k = 0; k < 8; k++) {
		full[k] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)!connect(full[k], (struct sockaddr *)&at, sizeof at);
	}
	uint64_t before = weft_monotonic_ns();
	CHECK_I64(try(), -EAGAIN);
	CHECK(weft_monotonic_ns() - before < UINT64_C(20000000000)); /* 0.2 s were asked for */
	link_file_name(LINK_FILE_UNWATCHED, name);
	snprintf(mark, sizeof mark, "%s/%s", path, name);
	CHECK_I64(stat(mark, &st), 0);
	for (unsigned k = 0; k < 8; k++)
		close(full[k]);
	close(fd);
	unmake();
}

TEST(tokens_are_equal_in_all_bytes)
{
	unsigned char a[LINK_TOKEN_BYTES] = {0}, b[LINK_TOKEN_BYTES] = {0};
	CHECK(link_token_equal(a, b));
	for (unsigned k = 0; k < 8 * LINK_TOKEN_BYTES; k++) {
		b[k / 8] ^= (unsigned char)(1u << k % 8);
		CHECK(!link_token_equal(a, b));
		b[k / 8] = 0;
	}
}
