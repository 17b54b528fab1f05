/* SPDX-License-Identifier: Apache-2.0 */
/* guard.c: a file that is cut off under its mapping, and the faults that are not ours. */
#include "harness.h"
#include "record/guard.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGES 8
#define PAGE 4096

static char *map_file(int *fd)
{
	char path[300];
	snprintf(path, sizeof path, "%s/file", test_dir());
	*fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	REQUIRE(*fd >= 0 && ftruncate(*fd, PAGES * PAGE) == 0);
	char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
	REQUIRE(at != MAP_FAILED);
	return at;
}

/* Volatile: what is stored is what faults. */
static void store(char *at, char value)
{
	*(volatile char *)at = value;
}

TEST(what_is_lost_of_a_file_becomes_memory)
{
	struct weft_atomic_u32 cut = {0};
	int fd;
	char *at = map_file(&fd), first = 0;
	CHECK(weft_guard_add(at, PAGES * PAGE, &cut));
	store(at, 'a');
	CHECK_U64(weft_load_u32(&cut), 0);
	REQUIRE(ftruncate(fd, PAGE) == 0);
	errno = 77;
	store(at + 3 * PAGE, 'd');
	store(at + 7 * PAGE, 'h');
	store(at + 2 * PAGE, 'c');
	CHECK_I64(errno, 77);
	CHECK_U64(weft_load_u32(&cut), EIO);
	CHECK_I64(at[2 * PAGE], 'c');
	/* What is left of it is still the file. */
	store(at, 'A');
	REQUIRE(pread(fd, &first, 1, 0) == 1);
	CHECK_I64(first, 'A');
	weft_guard_remove(at);
	munmap(at, PAGES * PAGE);
	close(fd);
}

/* The wait status of a process that does this. */
static int status_of(void (*body)(char *at))
{
	int fd, status = 0;
	char *at = map_file(&fd);
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		struct weft_atomic_u32 cut = {0};
		char *mine = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (ftruncate(fd, 0) || !weft_guard_add(mine, PAGE, &cut))
			_exit(9);
		body(at);
		_exit(0);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	munmap(at, PAGES * PAGE);
	close(fd);
	return status;
}

static void fault(char *at)
{
	store(at, 1);
}
static void send(char *at)
{
	(void)at;
	raise(SIGBUS);
}

TEST(what_is_not_guarded_ends_the_process_as_before)
{
	if (test_build_is("asan") || test_build_is("tsan"))
		SKIP("sanitizers handle the signal themselves");
	int status = status_of(fault);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = status_of(send);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
}

static sigjmp_buf back;

static void jump(int sig)
{
	siglongjmp(back, sig);
}

TEST(a_handler_that_was_there_gets_what_is_not_guarded)
{
	int status = 0;
	pid_t pid = fork();
	REQUIRE(pid >= 0);
	if (pid == 0) {
		/* In a program of its own: the first guard of this one is set already, perhaps. */
		execl("/proc/self/exe", "test_guard", "--child", (char *)NULL);
		_exit(8);
	}
	REQUIRE(waitpid(pid, &status, 0) == pid);
	CHECK_I64(status, 0);
}

__attribute__((constructor)) static void child_main(int argc, char **argv)
{
	struct weft_atomic_u32 cut = {0};
	if (argc != 2 || strcmp(argv[1], "--child") != 0)
		return;
	signal(SIGBUS, jump);
	char *mine = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int fd = memfd_create("file", MFD_CLOEXEC);
	char *at = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!weft_guard_add(mine, PAGE, &cut))
		_exit(3);
	int sig = sigsetjmp(back, 1);
	if (sig == 0)
		store(at, 1);
	_exit(sig == SIGBUS ? 0 : 4);
}
