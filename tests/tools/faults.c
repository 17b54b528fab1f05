/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that does what recorders trip over, and prints what it sees of it: with and without a recorder output and status must be the same.
 *
 *     PROGRAM deep|profiles|realtime|closes|threads N|cancel|forks|execs|daemon|limits|overflows|spawns|signals|clears|clone|dies N
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char **arguments;
static volatile unsigned long sink;

static double cpu_s(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void compute(double seconds)
{
	for (double end = cpu_s() + seconds; cpu_s() < end;)
		for (int i = 0; i < 10000; i++)
			sink += (unsigned long)i;
}

/* ---- a million frames, at all of which samples come ---- */

enum { DEEP = 1000000 };

static __attribute__((noinline)) long descend(long n)
{
	volatile long here = n;
	if (n == 0) {
		compute(0.4);
		return 0;
	}
	for (int i = 0; i < 50; i++)
		sink += (unsigned long)here;
	long below = descend(n - 1);
	return below + (here & 1);
}

static void *descends(void *arg)
{
	*(long *)arg = descend(DEEP) + descend(DEEP) + descend(DEEP);
	return NULL;
}

static int deep(void)
{
	pthread_attr_t attr;
	pthread_t t;
	long n = 0;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 400u << 20);
	if (pthread_create(&t, &attr, descends, &n))
		return 9;
	pthread_join(t, NULL);
	printf("%ld\n", n);
	return 0;
}

/* ---- signals of its own ---- */

static volatile sig_atomic_t ticks, strange;

static void on_tick(int signal)
{
	(void)signal;
	ticks++;
}

static int profiles(void)
{
	struct sigaction a = {.sa_handler = on_tick, .sa_flags = SA_RESTART}, old;
	const struct itimerval each = {{0, 10000}, {0, 10000}};
	sigaction(SIGPROF, NULL, &old);
	printf("found %d\n", old.sa_handler != SIG_DFL);
	sigaction(SIGPROF, &a, NULL);
	setitimer(ITIMER_PROF, &each, NULL);
	compute(0.5);
	setitimer(ITIMER_PROF, &(struct itimerval){0}, NULL);
	printf("ticks %s\n", ticks >= 8 && ticks <= 70 ? "as many as there should be" : "wrong");
	return 0;
}

static void on_realtime(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	if (info->si_code == SI_QUEUE && info->si_value.sival_int == 77)
		ticks++;
	else
		strange++;
}

/* A handler for each of them, after the process has taken CPU time: all that come are its own. */
static int realtime(void)
{
	struct sigaction a = {.sa_sigaction = on_realtime, .sa_flags = SA_SIGINFO};
	int n = 0;
	compute(0.05);
	for (int s = SIGRTMIN; s <= SIGRTMAX; s++) {
		struct sigaction old;
		if (sigaction(s, &a, &old))
			printf("no handler for %d\n", s - SIGRTMIN);
		if (old.sa_handler != SIG_DFL)
			printf("there is a handler for %d\n", s - SIGRTMIN);
	}
	for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
		n += sigqueue(getpid(), s, (union sigval){.sival_int = 77}) == 0;
	compute(0.1);
	printf("sent %d, came %d, strange %d\n", n, (int)ticks, (int)strange);
	for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
		signal(s, SIG_DFL);
	compute(0.1);
	/* And one that waits for any of them. */
	sigset_t all;
	siginfo_t got;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, NULL);
	int s = sigtimedwait(&all, &got, &(const struct timespec){0, 100000000});
	printf("waited %s\n", s < 0 && errno == EAGAIN ? "in vain" : "for something");
	return 0;
}

/* ---- many threads at once ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool go;
static int n_waiting;

static void *waits(void *arg)
{
	pthread_mutex_lock(&lock);
	n_waiting++;
	pthread_cond_broadcast(&changed);
	while (!go)
		pthread_cond_wait(&changed, &lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static int threads(void)
{
	int n = arguments[2] ? atoi(arguments[2]) : 1000, made = 0, right = 0;
	pthread_t *t = calloc((size_t)n, sizeof *t);
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	for (; made < n && pthread_create(&t[made], &attr, waits, (void *)(intptr_t)made) == 0; made++)
		;
	pthread_mutex_lock(&lock);
	while (n_waiting < made)
		pthread_cond_wait(&changed, &lock);
	printf("%d wait at once\n", n_waiting);
	go = true;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < made; i++) {
		void *result;
		right += pthread_join(t[i], &result) == 0 && (intptr_t)result == i;
	}
	printf("made %d, right %d\n", made, right);
	return 0;
}

/* ---- descriptors ---- */

static int closes(void)
{
	int fd, first = open("/dev/null", O_RDONLY), next[3];
	pthread_t t;
	printf("first %d\n", first);
	for (fd = 3; fd < 1024; fd++)
		close(fd);
	go = true;
	pthread_create(&t, NULL, waits, NULL); /* recorded from here on, if not before */
	pthread_detach(t);
	compute(0.05);
	for (int round = 0; round < 20; round++) {
		syscall(SYS_close_range, 3u, ~0u, 0u);
		next[0] = open("/dev/null", O_RDONLY);
		next[1] = dup(next[0]);
		if (next[0] != 3 || next[1] != 4)
			printf("round %d: %d %d\n", round, next[0], next[1]);
		compute(0.02);
	}
	close(0);
	printf("lowest %d\n", open("/dev/null", O_RDONLY));
	fflush(stdout);
	_exit(5);
}

/* ---- cancelled in a wait ---- */

static int ends[2];
static sem_t never;
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static int cleaned;

static void clean(void *arg)
{
	cleaned++;
	if (arg)
		pthread_mutex_unlock(arg);
}

static void *wait_one_way(void *way)
{
	char c;
	pthread_cleanup_push(clean, (intptr_t)way == 0 ? &held : NULL);
	switch ((intptr_t)way) {
	case 0:
		pthread_mutex_lock(&held);
		pthread_cond_wait(&(pthread_cond_t)PTHREAD_COND_INITIALIZER, &held);
		break;
	case 1:
		sem_wait(&never);
		break;
	case 2:
		(void)!read(ends[0], &c, 1);
		break;
	default:
		sleep(100);
		break;
	}
	pthread_cleanup_pop(0);
	return NULL;
}

static int cancel(void)
{
	enum { WAYS = 4 };
	(void)!pipe(ends);
	sem_init(&never, 0, 0);
	for (intptr_t way = 0; way < WAYS; way++) {
		pthread_t t;
		void *result = NULL;
		pthread_create(&t, NULL, wait_one_way, (void *)way);
		usleep(30000);
		pthread_cancel(t);
		pthread_join(t, &result);
		printf("way %d: %s\n", (int)way, result == PTHREAD_CANCELED ? "cancelled" : "returned");
	}
	printf("cleaned %d, lock %s\n", cleaned, pthread_mutex_trylock(&held) ? "taken" : "free");
	return 0;
}

/* ---- children of all kinds ---- */

static void *thread_forks(void *arg)
{
	for (int i = 0; i < 20; i++) {
		int status;
		pid_t pid = fork();
		if (pid == 0) {
			pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
			char *m = malloc(1000);
			pthread_mutex_lock(&own);
			FILE *f = fopen("/dev/null", "w");
			fprintf(f, "%d", i);
			fclose(f);
			free(m);
			pthread_mutex_unlock(&own);
			if (i == 19)
				compute(0.1);
			_exit(i);
		}
		waitpid(pid, &status, 0);
		if (!WIFEXITED(status) || WEXITSTATUS(status) != i)
			*(int *)arg += 1;
	}
	return NULL;
}

/* Several threads fork while others take locks, allocate and compute. */
static int forks(void)
{
	enum { THREADS = 4 };
	pthread_t t[THREADS];
	int wrong[THREADS] = {0}, all = 0;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread_forks, &wrong[i]);
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&lock);
		free(malloc((size_t)i));
		pthread_mutex_unlock(&lock);
	}
	compute(0.2);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], NULL);
		all += wrong[i];
	}
	printf("wrong %d\n", all);
	return 0;
}

static int execs(void)
{
	pthread_t t;
	go = true;
	pthread_create(&t, NULL, waits, NULL);
	pthread_join(t, NULL);
	compute(0.05);
	int n = arguments[2] ? atoi(arguments[2]) : 3;
	char left[20];
	snprintf(left, sizeof left, "%d", n - 1);
	printf("%d left\n", n);
	fflush(stdout);
	if (n > 0)
		execl(arguments[0], arguments[0], "execs", left, (char *)NULL);
	return 6;
}

/* Goes on when the command is over. */
static int daemonizes(void)
{
	int done[2];
	char c;
	(void)!pipe(done);
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		if (fork())
			_exit(0);
		(void)!chdir("/");
		close(0), close(1), close(2);
		compute(0.1);
		(void)!write(done[1], "d", 1);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	close(done[1]);
	printf("said %d\n", (int)read(done[0], &c, 1));
	return 0;
}

static int spawns(void)
{
	char *argv[] = {"sh", "-c", "exit 7", NULL}, *none[] = {NULL};
	pid_t pid;
	int status = 0;
	for (int i = 0; i < 10; i++) {
		posix_spawn(&pid, "/bin/sh", NULL, NULL, argv, i % 2 ? none : environ);
		waitpid(pid, &status, 0);
		pid = vfork();
		if (pid == 0) {
			execv("/no/such/program", argv);
			_exit(errno == ENOENT ? 8 : 9);
		}
		int other;
		waitpid(pid, &other, 0);
		if (WEXITSTATUS(status) != 7 || WEXITSTATUS(other) != 8)
			printf("round %d: %x %x\n", i, status, other);
	}
	printf("%d %d\n", WEXITSTATUS(status), system("exit 3") >> 8);
	return 0;
}

/* Shares memory, and has a thread block of ours: calls what it should not, as some sandboxes do. */
static int clone_main(void *arg)
{
	(void)!write(*(int *)arg, "c", 1);
	close(*(int *)arg);
	return 12;
}

static int clones(void)
{
	enum { STACK = 256 << 10 };
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), c;
	int status;
	(void)!pipe(ends);
	pid_t pid = clone(clone_main, stack + STACK, CLONE_VM | CLONE_VFORK | SIGCHLD, &ends[1]);
	waitpid(pid, &status, 0);
	printf("%d %d\n", (int)read(ends[0], &c, 1), WEXITSTATUS(status));
	compute(0.05);
	pid = clone(clone_main, stack + STACK, SIGCHLD, &ends[1]);
	waitpid(pid, &status, 0);
	printf("%d %d\n", (int)read(ends[0], &c, 1), WEXITSTATUS(status));
	return 0;
}

static int clears(void)
{
	char *argv[] = {arguments[0], "spawns", NULL}, *none[] = {NULL};
	compute(0.05);
	clearenv();
	execve(arguments[0], argv, none);
	return 9;
}

/* ---- limits ---- */

static void too_large(int signal)
{
	(void)signal;
	strange++;
}

static int limits(void)
{
	static const struct {
		int what;
		rlim_t most;
	} limit[] = {{RLIMIT_FSIZE, 1000}, {RLIMIT_NOFILE, 3}, {RLIMIT_SIGPENDING, 0}, {RLIMIT_MEMLOCK, 0}, {RLIMIT_CORE, 0}};
	pthread_t t;
	char buffer[3000] = {0};
	struct sigaction a = {.sa_handler = too_large};
	bool handles = arguments[2] != NULL;
	if (handles)
		sigaction(SIGXFSZ, &a, NULL);
	for (unsigned i = 0; i < sizeof limit / sizeof *limit; i++)
		if (setrlimit(limit[i].what, &(struct rlimit){limit[i].most, limit[i].most}))
			printf("limit %u cannot be set\n", i);
	go = true;
	pthread_create(&t, NULL, waits, NULL);
	pthread_join(t, NULL);
	for (int i = 0; i < 200000; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		(void)!write(1, buffer, 0);
	}
	compute(0.3);
	printf("open %d, too large %d\n", open("/dev/null", O_RDONLY), (int)strange);
	return 0;
}

/* ---- a handler that comes everywhere, and jumps ---- */

static sigjmp_buf back;
static volatile sig_atomic_t may_jump;

static void on_alarm(int signal)
{
	int error = errno;
	(void)signal;
	ticks++;
	(void)!write(ends[1], "x", 1);
	sem_post(&never);
	if (may_jump && ticks % 16 == 0) {
		may_jump = 0;
		siglongjmp(back, 1);
	}
	errno = error;
}

static int signals(void)
{
	struct sigaction a = {.sa_handler = on_alarm, .sa_flags = SA_RESTART};
	const struct itimerval each = {{0, 300}, {0, 300}};
	volatile long taken = 0, jumped = 0, bytes = 0;
	char c;
	sem_init(&never, 0, 0);
	(void)!pipe2(ends, O_NONBLOCK);
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &each, NULL);
	for (volatile int i = 0; i < 3000 || ticks < 300; i++) {
		pthread_mutex_lock(&lock);
		taken++;
		pthread_mutex_unlock(&lock);
		free(malloc(100));
		bytes += read(ends[0], &c, 1) == 1;
		sem_wait(&never);
		/* Where a jump is allowed: out of a read that a handler interrupts. */
		if (sigsetjmp(back, 1)) {
			jumped++;
		} else {
			may_jump = 1;
			int zero = open("/dev/zero", O_RDONLY);
			may_jump = 0;
			close(zero);
		}
		if (i > 200000)
			break;
		sem_post(&never);
	}
	setitimer(ITIMER_REAL, &(struct itimerval){0}, NULL);
	printf("%s %s\n", taken >= 3000 ? "taken" : "not taken", bytes > 0 ? "read" : "not read");
	return 0;
}

/* ---- ends ---- */

static void on_overflow(int signal)
{
	static const char said[] = "overflow\n";
	(void)signal;
	(void)!write(1, said, sizeof said - 1);
	_exit(11);
}

static __attribute__((noinline)) long endless(long n)
{
	volatile char room[1000];
	room[n % 1000] = (char)n;
	return endless(n + 1) + room[n % 999];
}

static int overflows(void)
{
	static char own[64 << 10];
	struct sigaction a = {.sa_handler = on_overflow, .sa_flags = SA_ONSTACK};
	sigaltstack(&(stack_t){.ss_sp = own, .ss_size = sizeof own}, NULL);
	sigaction(SIGSEGV, &a, NULL);
	compute(0.05);
	return (int)endless(1);
}

static int dies(void)
{
	int n = arguments[2] ? atoi(arguments[2]) : SIGKILL;
	pthread_t t;
	go = true;
	pthread_create(&t, NULL, waits, NULL);
	pthread_join(t, NULL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
	puts("dies");
	fflush(stdout);
	raise(n);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} ways[] = {{"deep", deep},         {"profiles", profiles}, {"realtime", realtime},   {"closes", closes},
            {"threads", threads},   {"cancel", cancel},     {"forks", forks},         {"execs", execs},
            {"daemon", daemonizes}, {"limits", limits},     {"overflows", overflows}, {"spawns", spawns},
            {"signals", signals},   {"clears", clears},     {"clone", clones},        {"dies", dies}};

int main(int argc, char **argv)
{
	arguments = argv;
	for (unsigned i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			return ways[i].run();
	return 70;
}
