/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that is instrumented while it runs: threads call functions of all sorts, again and again, and check each result. It runs
 * until its input ends, then prints how often it has checked, and ends with 1 when a result was ever wrong. Compiles as C and as C++ (with
 * exceptions), with any optimisation. Arguments: number of threads, and `fork`, `signal` to do that, too.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#define C_LINKAGE_END }
#else
#define C_LINKAGE_END
#endif

#define OUT __attribute__((noinline, noclone))

struct pair {
	int a;
	double b;
};
struct state {
	int level;
	struct pair pair[3];
	struct state *next;
	char name[16];
};

struct flags {
	unsigned ready : 1, mode : 3;
	int delta : 5;
	unsigned long wide : 40;
};

int knob = 7;
double factor = 1.5;
struct state global_state = {1, {{10, 0.5}, {20, 1.5}, {30, 2.5}}, &global_state, "state"};
struct state *state_pointer = &global_state;
const char *message = "hello";
struct flags flags = {1, 5, -3, 0x123456789a};
__thread double thread_share = 0.25;
__thread int thread_number;
__thread struct state *thread_state = &global_state;
volatile int stop;
static volatile int wrong;

OUT int work(int x)
{
	return x * 3 + 1;
}

OUT int tiny(void)
{
	return 5;
}

OUT long caller(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += work((int)i) + tiny();
	return sum;
}

OUT int fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

OUT long tail_end(long a, long b)
{
	return a * 7 - b;
}

OUT long tail_begin(long a)
{
	return tail_end(a + 1, a);
}

OUT double mixed(double a, int b, float c, long d)
{
	return a * b + (double)c - (double)d;
}

OUT long many(long a, long b, long c, long d, long e, long f, long g, long h)
{
	return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h;
}

OUT struct state by_value(struct state s, int add)
{
	s.level += add;
	s.pair[1].b *= 2;
	return s;
}

OUT double varied(int n, ...)
{
	va_list ap;
	double sum = 0;
	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(ap, double);
	va_end(ap);
	return sum;
}

OUT const char *named(const char *text, struct state *s)
{
	return text[0] == s->name[0] ? text : s->name;
}

OUT void deep(jmp_buf *out, int n)
{
	volatile char room[64];
	room[n] = (char)n;
	if (n == 0)
		longjmp(*out, 5);
	deep(out, n - 1);
	room[0] = room[n];
}

OUT int jumps(int n)
{
	jmp_buf back;
	int got = setjmp(back);
	if (got == 0)
		deep(&back, n);
	return got;
}

/* For actions: nothing here is checked by the program itself. */
volatile int last_tuned, forty_one = 41;
volatile double told_real, two = 2;
volatile long told;

OUT void tell(long by)
{
	told += by;
}

OUT void tell_real(double by)
{
	told_real = by;
}

OUT int tuned(int p, double q)
{
	tell(1);
	return p + knob + (int)q;
}

OUT int instead(int p, double q)
{
	return 1000 + p + (int)q;
}

static __thread volatile int handled;

OUT void on_signal(int sig)
{
	(void)sig;
	int kept = errno;
	handled += work(1) == 4;
	errno = kept;
}
C_LINKAGE_END

#ifdef __cplusplus
#include <stdexcept>

namespace ns
{
struct Solver {
	static int limit;
	int state;
	OUT int step(int x)
	{
		state = x;
		if (x % 3 == 0)
			throw std::runtime_error("three");
		return x + limit;
	}
};
int Solver::limit = 2;
}

struct Guard {
	int *count;
	OUT ~Guard()
	{
		*count += work(1);
	}
};

OUT int through(ns::Solver *s, int x, int *count)
{
	Guard g = {count};
	return s->step(x) + 1;
}

OUT int exceptions(int x)
{
	ns::Solver s;
	int count = 0, got;
	try {
		got = through(&s, x, &count);
	} catch (const std::runtime_error &e) {
		got = -1;
	}
	return got == (x % 3 ? x + ns::Solver::limit + 1 : -1) && count == 4 && s.state == x;
}
#else
OUT int exceptions(int x)
{
	return x == x;
}
#endif

static void check(int ok, const char *what)
{
	if (ok)
		return;
	if (!wrong)
		fprintf(stderr, "wrong: %s\n", what);
	wrong = 1;
}

static unsigned long one_round(int i)
{
	long sum = caller(20);
	check(sum == 3 * 190 + 20 + 100, "caller");
	check(fib(9) == 34, "fib");
	check(tail_begin(i) == (i + 1l) * 7 - i, "tail");
	check(mixed(1.5, i, 0.25f, 3) == 1.5 * i + 0.25 - 3, "mixed");
	check(many(1, 2, 3, 4, 5, 6, i, i) == 91 + 15l * i, "many");
	struct state s = by_value(global_state, i);
	check(s.level == 1 + i && s.pair[1].b == 3.0 && s.next == &global_state && !strcmp(s.name, "state"), "by_value");
	check(varied(4, 1.0, 2.0, 3.5, (double)i) == 6.5 + i, "varied");
	check(named(message, state_pointer) == global_state.name, "named");
	check(jumps(i % 8) == 5, "jumps");
	check(exceptions(i), "exceptions");
	last_tuned = tuned(forty_one, two);
	return 160;
}

static void *thread(void *arg)
{
	unsigned long *calls = (unsigned long *)arg;
	thread_number = 1001;
	for (int i = 0; !stop; i = (i + 1) & 1023)
		*calls += one_round(i);
	return NULL;
}

static void *thread_short(void *arg)
{
	check(one_round(3) > 0, "short");
	return arg;
}

static void forks(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		unsigned long n = 0;
		for (int i = 0; i < 50; i++)
			n += one_round(i);
		_exit(wrong || n == 0);
	}
	int status = 0;
	check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "fork");
	char echo[] = "/bin/true";
	char *const arguments[] = {echo, NULL};
	pid = vfork();
	if (pid == 0) {
		execv(echo, arguments);
		_exit(127);
	}
	check(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0, "vfork");
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 2;
	static unsigned long calls[64];
	pthread_t threads[64];
	int do_fork = argc > 2 && strstr(argv[2], "fork"), do_signal = argc > 2 && strstr(argv[2], "signal");
	if (do_signal) {
		struct sigaction act;
		struct itimerval often = {{0, 1000}, {0, 1000}};
		memset(&act, 0, sizeof act);
		act.sa_handler = on_signal;
		act.sa_flags = SA_RESTART;
		sigaction(SIGALRM, &act, NULL);
		setitimer(ITIMER_REAL, &often, NULL);
	}
	for (int i = 0; i < n && i < 64; i++)
		pthread_create(&threads[i], NULL, thread, &calls[i]);
	printf("ready\n");
	fflush(stdout);
	char c;
	while (read(0, &c, 1) != 0) {
		if (do_fork)
			forks();
		pthread_t other;
		pthread_create(&other, NULL, thread_short, NULL);
		pthread_join(other, NULL);
	}
	stop = 1;
	unsigned long sum = 0;
	for (int i = 0; i < n && i < 64; i++) {
		pthread_join(threads[i], NULL);
		sum += calls[i];
	}
	printf("%s %lu\n", wrong ? "wrong" : "right", sum);
	return wrong;
}
