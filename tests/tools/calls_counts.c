/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that knows nothing of Weft and counts what it calls of the C library. PROGRAM threads|cancel|many N|io|memory|process; at the end:
 *
 *     calls NAME N      bytes NAME N      woken N, opened N, started N, joined N      entries N      lock ADDRESS: one that was waited for ROUNDS times
 *
 * What a call answers is held to what the standard says, so that a run that is recorded ends as one that is not.
 */
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { NAMES = 128, ROUNDS = 20 };
static struct {
	const char *name;
	atomic_long n, bytes;
} called[NAMES];
static atomic_int n_called;
static atomic_long woken, opened, started, joined, entries;

/* The names are noted before threads are made, or under no contention that matters: a slot found twice would show. */
static int slot_of(const char *name)
{
	static atomic_flag busy = ATOMIC_FLAG_INIT;
	while (atomic_flag_test_and_set(&busy))
		sched_yield();
	int i = 0;
	while (i < n_called && strcmp(called[i].name, name))
		i++;
	if (i == n_called)
		called[n_called++].name = name;
	atomic_flag_clear(&busy);
	return i;
}

static long count(const char *name, long bytes)
{
	int i = slot_of(name);
	called[i].n++;
	if (bytes > 0)
		called[i].bytes += bytes;
	return bytes;
}
#define CALL(f, ...) (count(#f, 0), f(__VA_ARGS__))
#define MOVE(f, ...) count(#f, f(__VA_ARGS__))

static void expect(int holds, int line)
{
	if (holds)
		return;
	fprintf(stderr, "calls_counts: line %d, errno %d\n", line, errno);
	_exit(99);
}
#define EXPECT(x) expect(!!(x), __LINE__)

/* ---- threads ---- */

/* Until the thread sleeps in the kernel. Reads by system calls: they are not counted. */
static void wait_asleep(atomic_int *tid)
{
	char path[64], text[256], *state;
	do {
		sched_yield();
		snprintf(path, sizeof path, "/proc/self/task/%d/stat", *tid);
		long fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY),
		     n = fd < 0 ? 0 : syscall(SYS_read, fd, text, sizeof text - 1);
		if (fd >= 0)
			syscall(SYS_close, fd);
		text[n > 0 ? n : 0] = 0;
		state = strrchr(text, ')');
	} while (!*tid || !state || state[2] != 'S');
}

static void made(pthread_t *t, void *(*run)(void *), void *arg)
{
	started++;
	EXPECT(CALL(pthread_create, t, NULL, run, arg) == 0);
}
static void join(pthread_t t)
{
	void *result;
	joined++;
	EXPECT(CALL(pthread_join, t, &result) == 0);
}

static void *nothing(void *arg)
{
	return arg;
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int turn;

static void *ping(void *arg)
{
	const int me = arg != NULL;
	for (int i = 0; i < ROUNDS; i++) {
		entries++;
		pthread_mutex_lock(&mutex);
		while (turn != me) {
			count("pthread_cond_wait", 0);
			EXPECT(pthread_cond_wait(&cond, &mutex) == 0);
			woken += turn == me; /* else it was nobody's wake-up */
		}
		turn = !me;
		EXPECT(pthread_cond_signal(&cond) == 0);
		pthread_mutex_unlock(&mutex);
	}
	return NULL;
}

static int n_waiting, generation;
static void *for_all(void *arg)
{
	entries++;
	pthread_mutex_lock(&mutex);
	n_waiting++;
	while (!generation) {
		count("pthread_cond_wait", 0);
		EXPECT(pthread_cond_wait(&cond, &mutex) == 0);
		woken += generation;
	}
	pthread_mutex_unlock(&mutex);
	return arg;
}

static void conditions(void)
{
	pthread_t t[4];
	made(&t[0], ping, &turn);
	ping(NULL);
	join(t[0]);
	for (int i = 0; i < 4; i++)
		made(&t[i], for_all, NULL);
	for (int all = 0; !all; sched_yield()) {
		entries++;
		pthread_mutex_lock(&mutex);
		all = n_waiting == 4;
		generation = all;
		if (all)
			pthread_cond_broadcast(&cond);
		pthread_mutex_unlock(&mutex);
	}
	for (int i = 0; i < 4; i++)
		join(t[i]);
	struct timespec past = {1, 0};
	entries++;
	pthread_mutex_lock(&mutex);
	EXPECT(CALL(pthread_cond_timedwait, &cond, &mutex, &past) == ETIMEDOUT);
	pthread_mutex_unlock(&mutex);
}

static atomic_int sleeper;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static mtx_t c11;
static sem_t sem;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

static void *take_held(void *arg)
{
	sleeper = (int)syscall(SYS_gettid);
	entries++;
	EXPECT(pthread_mutex_lock(&held) == 0);
	pthread_mutex_unlock(&held);
	return arg;
}
static void *take_read(void *arg)
{
	sleeper = (int)syscall(SYS_gettid);
	entries++;
	EXPECT(CALL(pthread_rwlock_rdlock, &rw) == 0);
	pthread_rwlock_unlock(&rw);
	return arg;
}
static int take_c11(void *arg)
{
	sleeper = (int)syscall(SYS_gettid);
	entries++;
	EXPECT(CALL(mtx_lock, arg) == thrd_success);
	mtx_unlock(arg);
	return 5;
}
static void *take_sem(void *arg)
{
	sleeper = (int)syscall(SYS_gettid);
	EXPECT(CALL(sem_wait, &sem) == 0);
	woken++;
	return arg;
}

/* Each is waited for exactly once: it is let go when the other one sleeps. */
static void contended(void)
{
	pthread_t t;
	thrd_t c;
	int result;
	sem_init(&sem, 0, 0);
	mtx_init(&c11, mtx_plain);
	for (int i = 0; i < ROUNDS; i++) {
		entries += 3;
		sleeper = 0;
		pthread_mutex_lock(&held);
		made(&t, take_held, NULL);
		wait_asleep(&sleeper);
		pthread_mutex_unlock(&held);
		join(t);
		sleeper = 0;
		pthread_rwlock_wrlock(&rw);
		made(&t, take_read, NULL);
		wait_asleep(&sleeper);
		pthread_rwlock_unlock(&rw);
		join(t);
		sleeper = 0;
		mtx_lock(&c11);
		started++, joined++;
		EXPECT(thrd_create(&c, take_c11, &c11) == thrd_success);
		count("pthread_create", 0);
		wait_asleep(&sleeper);
		mtx_unlock(&c11);
		EXPECT(CALL(thrd_join, c, &result) == thrd_success && result == 5);
		sleeper = 0;
		made(&t, take_sem, NULL);
		wait_asleep(&sleeper);
		sem_post(&sem);
		join(t);
	}
	sem_post(&sem);
	EXPECT(sem_wait(&sem) == 0); /* what is there already is no wait */
}

static pthread_barrier_t barrier;
static void *meet(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		int rc = CALL(pthread_barrier_wait, &barrier);
		EXPECT(rc == 0 || rc == PTHREAD_BARRIER_SERIAL_THREAD);
		opened += rc ? 3 : 0; /* the last lets the others go */
	}
	return arg;
}

static void *die_with_it(void *arg)
{
	entries++;
	pthread_mutex_lock(arg);
	return NULL;
}

static void answers(void)
{
	pthread_mutexattr_t a;
	pthread_mutex_t checked, robust, again;
	pthread_spinlock_t spin;
	pthread_t t;
	struct timespec past = {1, 0};
	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&checked, &a);
	entries++;
	EXPECT(pthread_mutex_lock(&checked) == 0);
	EXPECT(pthread_mutex_lock(&checked) == EDEADLK);
	EXPECT(pthread_mutex_trylock(&checked) == EBUSY);
	EXPECT(pthread_mutex_unlock(&checked) == 0 && pthread_mutex_unlock(&checked) == EPERM);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &a);
	for (int i = 0; i < 1000; i++, entries++)
		EXPECT(pthread_mutex_lock(&again) == 0);
	for (int i = 0; i < 1000; i++)
		EXPECT(pthread_mutex_unlock(&again) == 0);
	pthread_mutexattr_setrobust(&a, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &a);
	made(&t, die_with_it, &robust);
	join(t);
	entries++;
	EXPECT(pthread_mutex_lock(&robust) == EOWNERDEAD);
	pthread_mutex_unlock(&robust);
	EXPECT(pthread_mutex_lock(&robust) == ENOTRECOVERABLE);
	entries += 2;
	pthread_mutex_lock(&held);
	EXPECT(CALL(pthread_mutex_timedlock, &held, &past) == ETIMEDOUT);
	EXPECT(CALL(pthread_rwlock_wrlock, &rw) == 0 || 1);
	EXPECT(CALL(pthread_rwlock_rdlock, &rw) == EDEADLK);
	EXPECT(pthread_mutex_clocklock(&held, 99, &past) == EINVAL);
	pthread_rwlock_unlock(&rw);
	pthread_mutex_unlock(&held);
	called[slot_of("pthread_rwlock_wrlock")].n = 0; /* it was free */
	pthread_spin_init(&spin, 0);
	for (int i = 0; i < 100; i++, entries++) {
		pthread_spin_lock(&spin);
		pthread_spin_unlock(&spin);
	}
}

static int threads_all(void)
{
	pthread_t t[4];
	for (int i = 0; i < ROUNDS; i++) {
		made(&t[0], nothing, NULL);
		join(t[0]);
	}
	made(&t[0], nothing, NULL);
	EXPECT(pthread_detach(t[0]) == 0);
	conditions();
	contended();
	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 4; i++)
		made(&t[i], meet, NULL);
	for (int i = 0; i < 4; i++)
		join(t[i]);
	answers();
	return 0;
}

/* Many threads, at most 100 at once. */
static int threads_many(int n)
{
	pthread_t t[100];
	for (int from = 0; from < n; from += 100) {
		for (int i = 0; i < 100; i++)
			made(&t[i], nothing, NULL);
		for (int i = 0; i < 100; i++)
			join(t[i]);
	}
	return 0;
}

/* ---- cancelled in a wait ---- */

static int pipes[2];
static void *wait_cond(void *arg)
{
	pthread_mutex_lock(&mutex);
	pthread_cleanup_push((void (*)(void *))pthread_mutex_unlock, &mutex);
	sleeper = (int)syscall(SYS_gettid);
	for (;;)
		pthread_cond_wait(&cond, &mutex);
	pthread_cleanup_pop(1);
	return arg;
}
static void *wait_sem(void *arg)
{
	sleeper = (int)syscall(SYS_gettid);
	sem_wait(&sem);
	return arg;
}
static void *wait_read(void *arg)
{
	char c;
	sleeper = (int)syscall(SYS_gettid);
	EXPECT(read(pipes[0], &c, 1) == 1);
	return arg;
}
static void *wait_sleep(void *arg)
{
	sleeper = (int)syscall(SYS_gettid);
	sleep(1000);
	return arg;
}

static int cancelled(void)
{
	static const struct {
		void *(*run)(void *);
		const char *name;
	} way[] = {{wait_cond, "pthread_cond_wait"}, {wait_sem, "sem_wait"}, {wait_read, "read"}, {wait_sleep, "sleep"}};
	sem_init(&sem, 0, 0);
	EXPECT(pipe(pipes) == 0);
	for (unsigned i = 0; i < sizeof way / sizeof *way; i++) {
		pthread_t t;
		void *result;
		sleeper = 0;
		count(way[i].name, 0);
		made(&t, way[i].run, NULL);
		wait_asleep(&sleeper);
		EXPECT(CALL(pthread_cancel, t) == 0);
		joined++;
		EXPECT(CALL(pthread_join, t, &result) == 0 && result == PTHREAD_CANCELED);
	}
	return 0;
}

/* ---- files ---- */

ssize_t __read_chk(int, void *, size_t, size_t);
int __open_2(const char *, int);

static void by_descriptor(void)
{
	char b[1000] = "";
	struct iovec v[2] = {{b, 100}, {b + 100, 50}};
	int fd = CALL(open, "calls.tmp", O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600), other;
	EXPECT(fd >= 0);
	for (int i = 0; i < 100; i++)
		EXPECT(MOVE(write, fd, b, 10) == 10);
	EXPECT(MOVE(pwrite, fd, b, 7, 0) == 7 && MOVE(writev, fd, v, 2) == 150);
	EXPECT(CALL(lseek, fd, 0, SEEK_SET) == 0);
	EXPECT(MOVE(read, fd, b, 1000) == 1000 && MOVE(readv, fd, v, 2) == 150 && MOVE(read, fd, b, 10) == 0);
	EXPECT(MOVE(pread, fd, b, 33, 5) == 33 && MOVE(__read_chk, fd, b, 1, sizeof b) == 0);
	EXPECT(CALL(ftruncate, fd, 500) == 0 && CALL(fsync, fd) == 0);
	EXPECT((other = CALL(dup, fd)) >= 0 && CALL(dup2, fd, other) == other);
	EXPECT(CALL(close, other) == 0 && CALL(close, fd) == 0);
	EXPECT((fd = CALL(__open_2, "calls.tmp", O_RDONLY)) >= 0 && CALL(close, fd) == 0);
	EXPECT((fd = CALL(openat, AT_FDCWD, "calls.tmp", O_RDONLY)) >= 0 && CALL(close, fd) == 0);
	errno = 0;
	EXPECT(MOVE(read, -1, b, 10) == -1 && errno == EBADF);
	EXPECT(CALL(open, "calls.none/x", O_RDONLY) == -1 && errno == ENOENT);
	EXPECT(CALL(open, (const char *)1, O_RDONLY) == -1 && errno == EFAULT);
	EXPECT(CALL(close, 12345) == -1 && errno == EBADF);
	errno = 77;
	EXPECT((fd = CALL(open, "calls.tmp", O_RDONLY)) >= 0 && errno == 77 && CALL(close, fd) == 0 && errno == 77);
}

static void asynchronously(void)
{
	char b[100] = "asynchronous";
	int fd = CALL(open, "calls.aio", O_CREAT | O_RDWR | O_TRUNC, 0600);
	struct aiocb one = {.aio_fildes = fd, .aio_buf = b, .aio_nbytes = 12}, two = one;
	const struct aiocb *list[] = {&one, NULL};
	struct aiocb *both[] = {&one, &two};
	EXPECT(fd >= 0 && CALL(aio_write, &one) == 0);
	while (aio_error(&one) == EINPROGRESS)
		EXPECT(CALL(aio_suspend, list, 2, NULL) == 0);
	EXPECT(MOVE(aio_return, &one) == 12);
	one.aio_nbytes = 7;
	EXPECT(CALL(aio_fsync, O_SYNC, &one) == 0);
	while (aio_error(&one) == EINPROGRESS)
		sched_yield();
	EXPECT(MOVE(aio_return, &one) == 0 && CALL(aio_read, &one) == 0);
	while (aio_error(&one) == EINPROGRESS)
		sched_yield();
	EXPECT(MOVE(aio_return, &one) == 7);
	one.aio_lio_opcode = two.aio_lio_opcode = LIO_READ;
	EXPECT(CALL(lio_listio, LIO_WAIT, both, 2, NULL) == 0);
	EXPECT(MOVE(aio_return, &one) == 7 && MOVE(aio_return, &two) == 12);
	EXPECT(CALL(close, fd) == 0);
}

static void by_socket(void)
{
	int s[2], ep;
	char b[300] = "";
	struct epoll_event e = {.events = EPOLLIN};
	EXPECT(socketpair(AF_UNIX, SOCK_STREAM, 0, s) == 0);
	for (int i = 0; i < 50; i++) {
		fd_set set;
		struct pollfd p = {s[1], POLLIN, 0};
		EXPECT(MOVE(send, s[0], b, 300, 0) == 300 && CALL(poll, &p, 1, -1) == 1);
		FD_ZERO(&set);
		FD_SET(s[1], &set);
		EXPECT(CALL(select, s[1] + 1, &set, NULL, NULL, NULL) == 1 && MOVE(recv, s[1], b, 300, 0) == 300);
	}
	EXPECT((ep = epoll_create1(0)) >= 0 && epoll_ctl(ep, EPOLL_CTL_ADD, s[1], &e) == 0);
	EXPECT(CALL(epoll_wait, ep, &e, 1, 0) == 0);
	EXPECT(CALL(close, ep) == 0 && CALL(close, s[0]) == 0 && CALL(close, s[1]) == 0);
}

static void by_stream(void)
{
	char b[100] = "", line[100];
	size_t room = 0;
	char *got = NULL;
	FILE *f = CALL(fopen, "calls.txt", "w+");
	EXPECT(f);
	for (int i = 0; i < 1000; i++) {
		count("fwrite", 100);
		EXPECT(fwrite(b, 20, 5, f) == 5);
	}
	EXPECT(CALL(fseek, f, 0, SEEK_SET) == 0);
	for (int i = 0; i < 500; i++) {
		count("fread", 100);
		EXPECT(fread(b, 1, 100, f) == 100);
	}
	EXPECT(CALL(freopen, "calls.txt", "w+", f) == f);
	EXPECT(MOVE(fprintf, f, "%s %d %.2f %g\n", "text", 7, 1.25, 1e10) == 18 && CALL(fputs, "a line\n", f) >= 0);
	EXPECT(CALL(fflush, f) == 0);
	rewind(f);
	count("rewind", 0);
	EXPECT(CALL(fgets, line, 100, f) && strcmp(line, "text 7 1.25 1e+10\n") == 0);
	EXPECT(MOVE(getline, &got, &room, f) == 7 && MOVE(getline, &got, &room, f) == -1);
	free(got);
	EXPECT(CALL(fclose, f) == 0);
}

/* More than a buffer. */
static void by_character(void)
{
	enum { EACH = 5000 };
	int number = 0, a = 0, b = 0;
	FILE *f = CALL(fopen, "calls.chars", "w+");
	EXPECT(f);
	for (int i = 0; i < EACH; i++) {
		EXPECT(fputc('a', f) == 'a' && putc('b', f) == 'b');
		a += count("fputc", 1), b += count("putc", 1);
	}
	EXPECT(MOVE(fprintf, f, " %d\n", 42) == 4);
	rewind(f);
	count("rewind", 0);
	for (int i = 0; i < EACH; i++) {
		EXPECT(fgetc(f) == 'a' && getc(f) == 'b');
		a -= count("fgetc", 1), b -= count("getc", 1);
	}
	count("__isoc99_fscanf", 0);
	EXPECT(!a && !b && fscanf(f, "%d", &number) == 1 && number == 42 && CALL(fclose, f) == 0);
}

static sigjmp_buf back;
static atomic_int jumps;
static pthread_t reader;
static void on_signal(int sig)
{
	(void)sig;
	if (jumps)
		siglongjmp(back, 1);
	EXPECT(MOVE(write, pipes[1], "x", 1) == 1);
}
static void *interrupt(void *arg)
{
	wait_asleep(&sleeper);
	EXPECT(pthread_kill(reader, SIGUSR1) == 0);
	return arg;
}

/* A handler that writes what the interrupted read waits for; then one that jumps out of a read, again and again. */
static void by_signal(void)
{
	char c;
	struct sigaction a = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
	pthread_t t;
	reader = pthread_self();
	EXPECT(pipe(pipes) == 0 && sigaction(SIGUSR1, &a, NULL) == 0);
	for (volatile int i = 0; i < 10; i++) {
		sleeper = 0;
		made(&t, interrupt, NULL);
		count("read", 1 - jumps);
		if (sigsetjmp(back, 1) == 0) {
			sleeper = (int)syscall(SYS_gettid);
			EXPECT(read(pipes[0], &c, 1) == 1 && c == 'x' && !jumps);
		}
		join(t);
		jumps = 1;
	}
	jumps = 0;
	EXPECT(CALL(close, pipes[0]) == 0 && CALL(close, pipes[1]) == 0);
}

/* Children that close everything: one of fork(), which goes on; one of vfork(), which has our memory. */
static void by_children(void)
{
	int status;
	fflush(NULL);
	count("fflush", 0);
	pid_t pid = fork();
	if (pid == 0) {
		for (int fd = 0; fd < 1024; fd++)
			close(fd);
		closefrom(0);
		EXPECT(open("calls.child", O_CREAT | O_WRONLY, 0600) == 0 && write(0, "child", 5) == 5);
		_exit(9);
	}
	EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 9);
	for (int fd = 0; fd < 1024; fd++)
		count("close", 0);
	count("closefrom", 0);
	count("open", 0);
	count("write", 5);
	for (int i = 0; i < 10; i++) {
		pid = vfork();
		if (pid == 0) {
			close(12345);
			if (i % 2)
				execl("/bin/true", "true", (char *)NULL);
			_exit(i);
		}
		EXPECT(pid > 0 && waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == (i % 2 ? 0 : i));
	}
}

static int files_all(void)
{
	by_descriptor();
	asynchronously();
	by_socket();
	by_stream();
	by_character();
	by_signal();
	by_children();
	return 0;
}

/* ---- memory ---- */

/* Sizes that nobody else asks for. */
static void *volatile kept;
static int memory_all(void)
{
	for (int i = 0; i < 1000; i++) {
		kept = malloc(100000 + (size_t)i);
		count("malloc", 100000 + i);
		free(kept);
		kept = calloc(10, 20000);
		count("calloc", 200000);
		kept = realloc(kept, 300000);
		count("realloc", 300000);
		free(kept);
		EXPECT((kept = aligned_alloc(64, 128000)) && (uintptr_t)kept % 64 == 0);
		count("aligned_alloc", 128000);
		free(kept);
		void *at = NULL;
		EXPECT(posix_memalign(&at, 4096, 150000) == 0);
		count("posix_memalign", 150000);
		free(at);
	}
	free(NULL);
	EXPECT((kept = malloc(8u << 20)));
	memset(kept, 1, 8u << 20);
	free(kept);
	return 0;
}

/* ---- processes ---- */

extern char **environ;
#define TEN(x) x, x, x, x, x, x, x, x, x, x
#define NONE (char *)NULL

/* Arguments in a list: what fails, and children that say how many there were and what their environment has. */
static void by_list(void)
{
	char *const with[] = {"CALLS=yes", NULL};
	EXPECT(CALL(execl, "calls-no-such-program", "a", "b", NONE) == -1 && errno == ENOENT);
	EXPECT(CALL(execlp, "calls-no-such-program", "a", NONE) == -1 && errno == ENOENT);
	EXPECT(CALL(execle, "calls-no-such-program", "a", NONE, with) == -1 && errno == ENOENT);
	for (int i = 0; i < 3; i++) {
		int status;
		pid_t pid = CALL(fork);
		if (pid == 0 && i == 0)
			execl("/bin/sh", "sh", "-c", "exit $#", "0", "1", "2", NONE);
		else if (pid == 0 && i == 1)
			execlp("sh", "sh", "-c", "[ $# = 300 ] && exit 7", "0", TEN(TEN("x")), TEN(TEN("y")), TEN(TEN("z")),
			       NONE);
		else if (pid == 0)
			execle("/bin/sh", "sh", "-c", "[ $CALLS = yes ] && exit $#", "0", TEN("x"), NONE, with);
		EXPECT(CALL(waitpid, pid, &status, 0) == pid && WEXITSTATUS(status) == (i == 0 ? 2 : i == 1 ? 7 : 10));
	}
	count("execl", 0), count("execlp", 0), count("execle", 0);
}

static int process_all(void)
{
	char *argv[] = {"true", NULL}, text[20] = "";
	int status;
	for (int i = 0; i < 5; i++) {
		pid_t pid = CALL(fork);
		if (pid == 0)
			_exit(3);
		EXPECT(CALL(waitpid, pid, &status, 0) == pid && WEXITSTATUS(status) == 3);
	}
	EXPECT(CALL(system, "exit 4") == 4 << 8);
	FILE *f = CALL(popen, "echo hello", "r");
	EXPECT(f && fgets(text, sizeof text, f) && strcmp(text, "hello\n") == 0 && CALL(pclose, f) == 0);
	pid_t pid;
	EXPECT(CALL(posix_spawn, &pid, "/bin/true", NULL, NULL, argv, environ) == 0 && CALL(waitpid, pid, &status, 0) == pid &&
	       status == 0);
	EXPECT(CALL(execvp, "calls-no-such-program", argv) == -1 && errno == ENOENT);
	by_list();
	EXPECT(CALL(execve, (const char *)1, argv, environ) == -1 && errno == EFAULT);
	EXPECT(CALL(kill, getpid(), 0) == 0);
	count("exit", 0);
	return 6;
}

/* By system calls: not counted. */
static void say(void)
{
	static char text[NAMES * 100];
	char *at = text;
	for (int i = 0; i < n_called; i++) {
		if (called[i].n)
			at += sprintf(at, "calls %s %ld\n", called[i].name, (long)called[i].n);
		if (called[i].bytes)
			at += sprintf(at, "bytes %s %ld\n", called[i].name, (long)called[i].bytes);
	}
	at += sprintf(at, "lock %lu\n", (unsigned long)&held);
	at += sprintf(at, "woken %ld\nopened %ld\nstarted %ld\njoined %ld\nentries %ld\n", (long)woken, (long)opened,
	              (long)started, (long)joined, (long)entries);
	long fd = syscall(SYS_openat, AT_FDCWD, "counted", O_CREAT | O_WRONLY | O_TRUNC, 0600);
	EXPECT(fd >= 0 && syscall(SYS_write, fd, text, at - text) == at - text);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int rc = strcmp(what, "threads") == 0   ? threads_all()
	         : strcmp(what, "cancel") == 0  ? cancelled()
	         : strcmp(what, "many") == 0    ? threads_many(atoi(argv[2]))
	         : strcmp(what, "io") == 0      ? files_all()
	         : strcmp(what, "memory") == 0  ? memory_all()
	         : strcmp(what, "process") == 0 ? process_all()
	                                        : 2;
	say();
	exit(rc);
}
