/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions that end otherwise than by a return to who called them: a program that says `ok VALUE` for each line it reads. Compiles as C and as C++ (with
 * exceptions). The first letter says what, the number behind it how often:
 *
 *     e n   even/odd by tail calls, n links        c n   a chain of three, each called in place of the one before, n times
 *     p n   a parser's states, n letters           r n   a recursion of n levels; answers nanoseconds a call
 *     j n   longjmp out of n levels                x n   an exception through n levels, n times caught (C++)
 *     s n   coroutines: n switches                 l n   the same with stacks that lie in the main one
 *     m n   a coroutine that n threads carry on    h n   siglongjmp out of a handler with a stack of its own, n times
 *     t n   pthread_exit out of n levels           k n   pthread_cancel of n levels
 *     y n   exceptions in a coroutine, n times (C++)
 *     q     ends
 */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OUT __attribute__((noinline, noclone))
#ifdef __clang__
#undef OUT
#define OUT __attribute__((noinline))
#endif

volatile long sink;

/* ---- tail calls ---- */

OUT int odd(long n);
OUT int even(long n)
{
	return n == 0 ? 1 : odd(n - 1);
}

OUT int odd(long n)
{
	return n == 0 ? 0 : even(n - 1);
}

OUT long chain_c(long x)
{
	return x * 3 + sink;
}

OUT long chain_b(long x)
{
	return chain_c(x + 2);
}

OUT long chain_a(long x)
{
	return chain_b(x + 1);
}

/* No state goes on to itself: compilers make a loop of that, back to a first instruction, which cannot be watched. */
#ifdef __clang__
#define STATE OUT
#else
#define STATE OUT __attribute__((no_icf))
#endif
STATE long state_word(const char *p, long n);
STATE long state_more(const char *p, long n);
STATE long state_gap(const char *p, long n);
STATE long state_space(const char *p, long n)
{
	return *p == '\0' ? n : *p == ' ' ? state_gap(p + 1, n) : state_word(p + 1, n + 1);
}

STATE long state_gap(const char *p, long n)
{
	return *p == '\0' ? n : *p == ' ' ? state_space(p + 1, n) : state_word(p + 1, n + 1);
}

STATE long state_word(const char *p, long n)
{
	return *p == '\0' ? n : *p == ' ' ? state_space(p + 1, n) : state_more(p + 1, n);
}

STATE long state_more(const char *p, long n)
{
	return *p == '\0' ? n : *p == ' ' ? state_space(p + 1, n) : state_word(p + 1, n);
}

static long parse(long n)
{
	char *text = (char *)malloc((size_t)n + 1);
	for (long k = 0; k < n; k++)
		text[k] = k % 7 < 4 ? 'a' : ' ';
	text[n] = '\0';
	long words = state_space(text, 0);
	free(text);
	return words == (n + 6) / 7 ? words : -1;
}

/* ---- recursion ---- */

OUT long down(long n)
{
	if (n == 0)
		return sink;
	long below = down(n - 1);
	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

static long now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000l + t.tv_nsec;
}

static long deep(long n)
{
	long best = 0;
	for (int k = 0; k < 3; k++) {
		long from = now_ns();
		if (down(n) != n)
			return -1;
		long took = now_ns() - from;
		best = k == 0 || took < best ? took : best;
	}
	return best * 1000 / (n + 1);
}

/* ---- longjmp ---- */

static jmp_buf back;

OUT void jumper(long n)
{
	volatile char room[32];
	room[n & 31] = 1;
	if (n == 0)
		longjmp(back, 3);
	jumper(n - 1);
	room[0] = 2;
}

OUT int catches_jump(long n)
{
	volatile int got = setjmp(back);
	if (got == 0)
		jumper(n);
	return got;
}

OUT long above(long n)
{
	long sum = 0;
	for (long k = 0; k < n; k++)
		sum += catches_jump(k % 10);
	return sum;
}

/* ---- coroutines ---- */

enum { COROUTINES = 3, STACK = 65536 };
static ucontext_t main_context, context[COROUTINES];
static char stacks[COROUTINES][STACK];
static long turns;

OUT long yielding(long id)
{
	sink = 0;
	swapcontext(&context[id], &main_context);
	return id + sink;
}

OUT long nested(long id, long n)
{
	return n == 0 ? yielding(id) : nested(id, n - 1) + 1;
}

static void body(int id)
{
	for (;;) {
		long got = nested(id, turns % 5);
		if (got < id || got > id + 4)
			abort();
	}
}

OUT long resume(long id)
{
	swapcontext(&main_context, &context[id]);
	return id;
}

static long switches(long n, int inside)
{
	char local[COROUTINES][STACK];
	for (int k = 0; k < COROUTINES; k++) {
		getcontext(&context[k]);
		context[k].uc_stack.ss_sp = inside ? local[k] : stacks[k];
		context[k].uc_stack.ss_size = STACK;
		makecontext(&context[k], (void (*)(void))body, 1, k);
	}
	long sum = 0;
	for (turns = 0; turns < n; turns++)
		sum += resume(turns % COROUTINES);
	sink = local[0][0] & 0;
	return sum;
}

static void *carry_on(void *arg)
{
	swapcontext(&main_context, &context[0]);
	return arg;
}

static void migrating(void)
{
	for (;;)
		sink += nested(0, turns % 5);
}

static void begin_context(void (*run)(void))
{
	getcontext(&context[0]);
	context[0].uc_stack.ss_sp = stacks[0];
	context[0].uc_stack.ss_size = STACK;
	context[0].uc_link = &main_context;
	makecontext(&context[0], run, 0);
}

static long migrates(long n)
{
	begin_context(migrating);
	for (turns = 0; turns < n; turns++) {
		pthread_t t;
		pthread_create(&t, NULL, carry_on, NULL);
		pthread_join(t, NULL);
	}
	return n;
}

/* ---- handlers ---- */

static sigjmp_buf out_of_handler;

OUT void on_alternate(int sig)
{
	if (sig == SIGUSR1)
		siglongjmp(out_of_handler, 7);
}

OUT long jumps_out(void)
{
	volatile long got = sigsetjmp(out_of_handler, 1);
	if (got == 0)
		raise(SIGUSR1);
	return got;
}

static long handlers(long n)
{
	static char alternate[65536];
	stack_t stack;
	struct sigaction act;
	memset(&stack, 0, sizeof stack);
	memset(&act, 0, sizeof act);
	stack.ss_sp = alternate;
	stack.ss_size = sizeof alternate;
	act.sa_handler = on_alternate;
	act.sa_flags = SA_ONSTACK;
	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &act, NULL);
	long sum = 0;
	for (long k = 0; k < n; k++)
		sum += jumps_out();
	return sum;
}

/* ---- threads ---- */

OUT void ends(long n)
{
	volatile char room[32];
	room[n & 31] = 1;
	if (n == 0)
		pthread_exit((void *)5);
	ends(n - 1);
	room[0] = 2;
}

OUT void *thread(void *arg)
{
	ends((long)arg);
	return NULL;
}

OUT long waits(long n)
{
	if (n == 0)
		pause();
	return waits(n - 1) + sink;
}

OUT void *waiter(void *arg)
{
	return (void *)waits((long)arg);
}

static long cancels(long n)
{
	pthread_t t;
	void *got = NULL;
	pthread_create(&t, NULL, waiter, (void *)n);
	usleep(20000);
	pthread_cancel(t);
	pthread_join(t, &got);
	return got == PTHREAD_CANCELED;
}

static long exits(long n)
{
	pthread_t t;
	void *got = NULL;
	pthread_create(&t, NULL, thread, (void *)n);
	pthread_join(t, &got);
	return (long)got;
}

#ifdef __cplusplus
}

struct guard {
	long *n;
	OUT ~guard()
	{
		++*n;
	}
};

OUT void throws(long n, long *count)
{
	guard g = {count};
	if (n == 0)
		throw n;
	throws(n - 1, count);
	sink = 0;
}

OUT long rethrows(long n, long *count)
{
	try {
		throws(n, count);
	} catch (long) {
		try {
			throws(1, count);
		} catch (...) {
		}
		throw;
	}
	return 1;
}

OUT long catches(long n)
{
	long count = 0;
	try {
		rethrows(n, &count);
	} catch (long) {
		return count;
	}
	return -1;
}

OUT long outer(long n)
{
	long sum = 0;
	for (long k = 0; k < n; k++)
		sum += catches(k % 10);
	return sum;
}
static long thrown;

static void throwing(void)
{
	for (long k = 0; k < turns; k++) {
		thrown += catches(k % 10);
		yielding(0);
	}
}

static long throws_elsewhere(long n)
{
	begin_context(throwing);
	turns = n;
	thrown = 0;
	for (long k = 0; k <= n; k++)
		resume(0);
	return thrown;
}
#else
static long outer(long n)
{
	return n;
}

static long throws_elsewhere(long n)
{
	return n;
}
#endif

static long answer(char what, long n)
{
	switch (what) {
	case 'e':
		return even(n);
	case 'c': {
		long sum = 0;
		for (long k = 0; k < n; k++)
			sum += chain_a(k) == k * 3 + 9;
		return sum;
	}
	case 'p':
		return parse(n);
	case 'r':
		return deep(n);
	case 'j':
		return above(n);
	case 'x':
		return outer(n);
	case 's':
		return switches(n, 0);
	case 'l':
		return switches(n, 1);
	case 't':
		return exits(n);
	case 'm':
		return migrates(n);
	case 'h':
		return handlers(n);
	case 'k':
		return cancels(n);
	case 'y':
		return throws_elsewhere(n);
	default:
		return -1;
	}
}

int main(void)
{
	char line[64];
	printf("ok 0\n");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin) && line[0] != 'q') {
		printf("ok %ld\n", answer(line[0], atol(line + 1)));
		fflush(stdout);
	}
	return 0;
}
