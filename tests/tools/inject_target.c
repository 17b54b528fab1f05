/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that notices whatever is done to its threads: `inject_target WHAT THREADS`, until its input ends; then "right N" or what
 * was wrong. WHAT is made of letters:
 *     r  threads hold known values in all registers (general, x87, SSE, AVX, AVX-512, flags, red zone) over a hot loop
 *     s  they get queued signals, numbered, and ordinary ones, one after the other; all have to arrive, in order
 *     c  threads in system calls that time out or get what was promised: never another result, never early
 *     t  rounds of 200 short threads
 * The first thread, which is looked at first by whoever attaches, is one of them.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 32, SHORT_THREADS = 200 };

static volatile int ending, workers_ending; /* who gets signals goes on longer than who sends them */
static volatile unsigned long checked;
static char wrong[200];

static void fail(const char *fmt, ...)
{
	static volatile int once;
	va_list ap;
	if (__sync_lock_test_and_set(&once, 1))
		return;
	va_start(ap, fmt);
	vsnprintf(wrong, sizeof wrong, fmt, ap);
	va_end(ap);
	ending = 1;
}

static void count(void)
{
	__sync_fetch_and_add(&checked, 1);
}

/* ---- registers ---- */

struct state {
	uint8_t vector[32][64]; /* at 0 */
	uint8_t x87[8][16];     /* 2048 */
	uint64_t general[13];   /* 2176: rax rbx rdx rsi rdi rbp r8 r9 r10 r11 r12 r13 r14 */
	uint64_t r15, flags;    /* 2280, 2288 */
	uint64_t red[16];       /* 2296 */
	uint32_t mxcsr, mask;   /* 2424, 2428 */
	uint64_t k[8];          /* 2432 */
} __attribute__((aligned(64)));

/*
 * hold_X(in, out, spins): all of `in` into registers, a loop that changes but rcx, and back into `out`. The flags are set first: what
 * follows does not change them.
 */
#define HOLD(name, load, store) \
	__asm__(".pushsection .text\n.globl " name "\n.type " name ", @function\n" name ":\n" \
	        "	pushq %rbx\n	pushq %rbp\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n" \
	        "	subq $8, %rsp\n	stmxcsr (%rsp)\n	pushq %rsi\n	pushq %rdi\n	movq %rdx, %rcx\n" \
	        "	pushq 2288(%rdi)\n	popfq\n	" load "\n" \
	        "	.irp i,7,6,5,4,3,2,1,0\n	fldt 2048+16*\\i(%rdi)\n	.endr\n" \
	        "	ldmxcsr 2424(%rdi)\n" \
	        "	.irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n	movq 2296+8*\\i(%rdi), %rax\n" \
	        "	movq %rax, -8-8*\\i(%rsp)\n	.endr\n" \
	        "	movq 2176(%rdi), %rax\n	movq 2184(%rdi), %rbx\n	movq 2192(%rdi), %rdx\n	movq 2200(%rdi), %rsi\n" \
	        "	movq 2216(%rdi), %rbp\n	movq 2224(%rdi), %r8\n	movq 2232(%rdi), %r9\n	movq 2240(%rdi), %r10\n" \
	        "	movq 2248(%rdi), %r11\n	movq 2256(%rdi), %r12\n	movq 2264(%rdi), %r13\n	movq 2272(%rdi), %r14\n" \
	        "	movq 2280(%rdi), %r15\n	movq 2208(%rdi), %rdi\n" \
	        "1:	leaq -1(%rcx), %rcx\n	jrcxz 2f\n	jmp 1b\n" \
	        "2:	movq 8(%rsp), %rcx\n" \
	        "	movq %rax, 2176(%rcx)\n	movq %rbx, 2184(%rcx)\n	movq %rdx, 2192(%rcx)\n	movq %rsi, 2200(%rcx)\n" \
	        "	movq %rdi, 2208(%rcx)\n	movq %rbp, 2216(%rcx)\n	movq %r8, 2224(%rcx)\n	movq %r9, 2232(%rcx)\n" \
	        "	movq %r10, 2240(%rcx)\n	movq %r11, 2248(%rcx)\n	movq %r12, 2256(%rcx)\n	movq %r13, 2264(%rcx)\n" \
	        "	movq %r14, 2272(%rcx)\n	movq %r15, 2280(%rcx)\n" \
	        "	.irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n	movq -8-8*\\i(%rsp), %rax\n" \
	        "	movq %rax, 2296+8*\\i(%rcx)\n	.endr\n" \
	        "	pushfq\n	popq 2288(%rcx)\n	cld\n" \
	        "	.irp i,0,1,2,3,4,5,6,7\n	fstpt 2048+16*\\i(%rcx)\n	.endr\n" \
	        "	stmxcsr 2424(%rcx)\n	" store "\n" \
	        "	addq $16, %rsp\n	ldmxcsr (%rsp)\n	addq $8, %rsp\n" \
	        "	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbp\n	popq %rbx\n	ret\n" \
	        ".size " name ", . - " name "\n.popsection\n")
#define LOW ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15\n"
#define ALL ".irp i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31\n"
#define MASKS ".irp i,1,2,3,4,5,6,7\n"

HOLD("hold_sse", LOW "movups 64*\\i(%rdi), %xmm\\i\n.endr", LOW "movups %xmm\\i, 64*\\i(%rcx)\n.endr");
HOLD("hold_avx", LOW "vmovups 64*\\i(%rdi), %ymm\\i\n.endr", LOW "vmovups %ymm\\i, 64*\\i(%rcx)\n.endr\nvzeroupper");
HOLD("hold_avx512", ALL "vmovups 64*\\i(%rdi), %zmm\\i\n.endr\n" MASKS "kmovw 2432+8*\\i(%rdi), %k\\i\n.endr",
     ALL "vmovups %zmm\\i, 64*\\i(%rcx)\n.endr\n" MASKS "kmovw %k\\i, 2432+8*\\i(%rcx)\n.endr\nvzeroupper");

void hold_sse(const struct state *in, struct state *out, uint64_t spins);
void hold_avx(const struct state *in, struct state *out, uint64_t spins);
void hold_avx512(const struct state *in, struct state *out, uint64_t spins);

static struct {
	void (*hold)(const struct state *in, struct state *out, uint64_t spins);
	unsigned registers, bytes;
	int masks;
} way;

static void choose_way(void)
{
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f"))
		way.hold = hold_avx512, way.registers = 32, way.bytes = 64, way.masks = 1;
	else if (__builtin_cpu_supports("avx"))
		way.hold = hold_avx, way.registers = 16, way.bytes = 32;
	else
		way.hold = hold_sse, way.registers = 16, way.bytes = 16;
}

static void fill(struct state *s, unsigned seed)
{
	memset(s, 0, sizeof *s);
	for (unsigned i = 0; i < 32; i++)
		for (unsigned k = 0; k < 64; k++)
			s->vector[i][k] = (uint8_t)(seed * 31 + i * 64 + k * 7 + 1);
	for (unsigned i = 0; i < 8; i++) {
		long double x = 1.0L / (long double)(seed + i + 3);
		memcpy(s->x87[i], &x, 10);
	}
	for (unsigned i = 0; i < 13; i++)
		s->general[i] = 0x1122334455667788ull * (i + 1) + seed;
	s->r15 = 0x99aabbccddeeff01ull + seed;
	s->flags = 0x202 | (seed & 1 ? 0x8d5 : 0x440); /* carry, parity, adjust, zero, sign, overflow; or zero and direction */
	for (unsigned i = 0; i < 16; i++)
		s->red[i] = 0xdead0000beef0000ull + i * 0x10001 + seed;
	s->mxcsr = 0x1f80 | (seed % 4) << 13 | (seed & 1 ? 0x8040 : 0);
	for (unsigned i = 1; i < 8; i++)
		s->k[i] = (0x1111u * i + seed) & 0xffff;
}

__attribute__((noinline)) static const char *difference(const struct state *a, const struct state *b)
{
	for (unsigned i = 0; i < way.registers; i++)
		if (memcmp(a->vector[i], b->vector[i], way.bytes))
			return "a vector register";
	for (unsigned i = 0; i < 8; i++)
		if (memcmp(a->x87[i], b->x87[i], 10))
			return "an x87 register";
	if (way.masks && memcmp(a->k + 1, b->k + 1, sizeof a->k - sizeof a->k[0]))
		return "a mask register";
	return memcmp(a->general, b->general, sizeof a->general) || a->r15 != b->r15 ? "a general register"
	       : memcmp(a->red, b->red, sizeof a->red)                               ? "the red zone"
	       : (a->flags ^ b->flags) & 0xcd5                                       ? "the flags"
	       : a->mxcsr != b->mxcsr                                                ? "mxcsr"
	                                                                             : NULL;
}

__attribute__((noinline)) double work(long n)
{
	double sum = 0;
	for (long k = 1; k <= n; k++)
		sum += 1.0 / (double)k;
	return sum;
}

__attribute__((noinline)) long other_work(long n)
{
	long sum = 0;
	for (long k = 1; k <= n; k++)
		sum += k ^ n;
	return sum;
}

struct worker {
	pthread_t thread;
	unsigned number;
	volatile int begun;
	volatile unsigned long sent, got, plain_sent, plain_got;
};
static struct worker workers[MOST];
static __thread struct worker *self;

static void *hold_registers(void *arg)
{
	struct worker *w = arg;
	struct state in, out;
	const double sum = work(1000);
	const long other = other_work(1000);
	self = w;
	w->begun = 1;
	for (unsigned round = w->number; !workers_ending; round++) {
		fill(&in, round);
		out = in;
		memset(out.vector, 0, sizeof out.vector);
		errno = (int)(round % 100 + 1);
		way.hold(&in, &out, 20000 + round % 7 * 10000);
		if (errno != (int)(round % 100 + 1))
			fail("errno was changed to %d", errno);
		const char *what = difference(&in, &out);
		if (what)
			fail("%s was changed", what);
		if (work(1000) != sum || other_work(1000) != other)
			fail("a sum was changed");
		count();
	}
	return NULL;
}

/* ---- signals ---- */

static void on_queued(int sig, siginfo_t *info, void *context)
{
	struct worker *w = self;
	(void)sig, (void)context;
	if (!w || info->si_code != SI_QUEUE || info->si_pid != getpid() || (unsigned long)info->si_value.sival_int != w->got)
		fail("queued signal %d came for number %ld, code %d", info->si_value.sival_int, w ? (long)w->got : -1L,
		     info->si_code);
	else
		w->got++;
	count();
}

static void on_plain(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)context;
	if (!self || info->si_code != SI_TKILL)
		fail("an ordinary signal had code %d", info->si_code);
	else
		self->plain_got++;
}

static void nap(long ns)
{
	struct timespec t = {0, ns};
	nanosleep(&t, NULL);
}

static void wait_equal(volatile unsigned long *a, unsigned long b, const char *what)
{
	for (int k = 0; *a != b && k < 100000 && !(ending && *wrong); k++)
		nap(100000);
	if (*a != b)
		fail("%s: %lu of %lu came", what, *a, b);
}

static void *send_signals(void *arg)
{
	unsigned n = *(unsigned *)arg;
	for (unsigned i = 0; i < n; i++)
		while (!workers[i].begun)
			nap(1000000);
	while (!ending) {
		for (unsigned i = 0; i < n; i++) {
			struct worker *w = &workers[i];
			union sigval v;
			for (int k = 0; k < 3; k++) {
				v.sival_int = (int)w->sent;
				if (pthread_sigqueue(w->thread, SIGRTMIN + 3, v) == 0)
					w->sent++;
			}
			if (w->plain_got == w->plain_sent && pthread_kill(w->thread, SIGUSR1) == 0)
				w->plain_sent++;
		}
		nap(200000);
	}
	for (unsigned i = 0; i < n; i++) {
		wait_equal(&workers[i].got, workers[i].sent, "queued signals");
		wait_equal(&workers[i].plain_got, workers[i].plain_sent, "ordinary signals");
	}
	return NULL;
}

/* ---- system calls ---- */

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int pipes[2][2]; /* the first stays empty, into the second somebody writes */

static long call_nanosleep(void)
{
	struct timespec t = {0, 8000000};
	return nanosleep(&t, NULL);
}
static long call_clock_nanosleep(void)
{
	struct timespec t = {0, 8000000};
	return clock_nanosleep(CLOCK_MONOTONIC, 0, &t, NULL);
}
static long call_poll(void)
{
	struct pollfd p = {.fd = pipes[0][0], .events = POLLIN};
	return poll(&p, 1, 8);
}
static long call_select(void)
{
	struct timeval t = {0, 8000};
	fd_set set;
	FD_ZERO(&set);
	FD_SET(pipes[0][0], &set);
	return select(pipes[0][0] + 1, &set, NULL, NULL, &t);
}
static long call_ppoll(void)
{
	struct pollfd p = {.fd = pipes[0][0], .events = POLLIN};
	struct timespec t = {0, 8000000};
	sigset_t none;
	sigemptyset(&none);
	return ppoll(&p, 1, &t, &none);
}
static long call_futex(void)
{
	static int word;
	struct timespec t = {0, 8000000};
	return syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &t, NULL, 0) == -1 && errno == ETIMEDOUT ? 0 : -1;
}
static long call_epoll(void)
{
	static int fd = -1;
	struct epoll_event e;
	if (fd < 0)
		fd = epoll_create1(0);
	return epoll_wait(fd, &e, 1, 8);
}
static long call_sigtimedwait(void)
{
	struct timespec t = {0, 8000000};
	sigset_t one;
	sigemptyset(&one);
	sigaddset(&one, SIGRTMIN + 5);
	return sigtimedwait(&one, NULL, &t) == -1 && errno == EAGAIN ? 0 : -1;
}
static long call_read(void)
{
	char byte = 0;
	return read(pipes[1][0], &byte, 1) == 1 && byte == 'x' ? 0 : -1;
}

static const struct {
	const char *name;
	long (*call)(void);
	double least;
} calls[] = {
	{"nanosleep", call_nanosleep, 0.008},
	{"clock_nanosleep", call_clock_nanosleep, 0.008},
	{"poll", call_poll, 0.008},
	{"select", call_select, 0.008},
	{"ppoll", call_ppoll, 0.008},
	{"futex", call_futex, 0.008},
	{"epoll_wait", call_epoll, 0.0075},
	{"sigtimedwait", call_sigtimedwait, 0.008},
	{"read", call_read, 0},
};
enum { CALLS = sizeof calls / sizeof *calls };

static void make_call(unsigned which)
{
	double begin = now();
	errno = 0;
	long rc = calls[which].call();
	int error = errno;
	double took = now() - begin;
	if (rc && !ending)
		fail("%s: %ld, %s", calls[which].name, rc, strerror(error));
	if (took < calls[which].least && !ending)
		fail("%s came back after %.3f ms", calls[which].name, took * 1e3);
	count();
}

static void *make_calls(void *arg)
{
	while (!ending)
		make_call((unsigned)(uintptr_t)arg);
	return NULL;
}

static void *feed(void *arg)
{
	(void)arg;
	while (!ending) {
		nap(5000000);
		if (write(pipes[1][1], "x", 1) != 1)
			fail("write: %s", strerror(errno));
	}
	return NULL;
}

/* ---- short threads ---- */

static void *be_short(void *arg)
{
	volatile long *sum = arg;
	__sync_fetch_and_add(sum, other_work(100) != 0);
	return NULL;
}

static void *make_threads(void *arg)
{
	(void)arg;
	while (!ending) {
		pthread_t t[SHORT_THREADS];
		volatile long sum = 0;
		for (int i = 0; i < SHORT_THREADS; i++)
			if (pthread_create(&t[i], NULL, be_short, (void *)&sum))
				fail("a thread cannot be made");
		for (int i = 0; i < SHORT_THREADS; i++)
			pthread_join(t[i], NULL);
		if (sum != SHORT_THREADS)
			fail("%ld threads of %d", sum, SHORT_THREADS);
		count();
	}
	return NULL;
}

/* ---- all ---- */

static void handle(int sig, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction act;
	memset(&act, 0, sizeof act);
	act.sa_sigaction = handler;
	act.sa_flags = SA_SIGINFO | SA_RESTART;
	sigaction(sig, &act, NULL);
}

static void *read_input(void *arg)
{
	struct pollfd p = {.fd = 0, .events = POLLIN};
	char byte;
	(void)arg;
	while (!ending)
		if (poll(&p, 1, 100) > 0 && read(0, &byte, 1) <= 0)
			break;
	ending = 1;
	(void)!write(pipes[1][1], "xxxx", 4);
	return NULL;
}

struct all {
	pthread_t *thread;
	unsigned n;
};

static void *end_all(void *arg)
{
	struct all *all = arg;
	for (unsigned i = 0; i < all->n; i++)
		pthread_join(all->thread[i], NULL);
	workers_ending = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "r";
	unsigned n = argc > 2 ? (unsigned)atoi(argv[2]) : 1, n_other = 0;
	pthread_t other[MOST];
	n = n > MOST ? MOST : n;
	choose_way();
	handle(SIGRTMIN + 3, on_queued);
	handle(SIGUSR1, on_plain);
	if (pipe(pipes[0]) || pipe(pipes[1]))
		return 1;
	workers[0].thread = pthread_self();
	for (unsigned i = 1; i < n && strchr(what, 'r'); i++) {
		workers[i].number = i;
		pthread_create(&workers[i].thread, NULL, hold_registers, &workers[i]);
	}
	if (strchr(what, 's'))
		pthread_create(&other[n_other++], NULL, send_signals, &n);
	for (unsigned i = 0; i < CALLS && strchr(what, 'c'); i++)
		pthread_create(&other[n_other++], NULL, make_calls, (void *)(uintptr_t)i);
	if (strchr(what, 'c'))
		pthread_create(&other[n_other++], NULL, feed, NULL);
	if (strchr(what, 't'))
		pthread_create(&other[n_other++], NULL, make_threads, NULL);
	printf("ready\n");
	fflush(stdout);
	pthread_create(&other[n_other++], NULL, read_input, NULL);
	pthread_t joins;
	struct all all = {other, n_other};
	pthread_create(&joins, NULL, end_all, &all);
	if (strchr(what, 'r'))
		hold_registers(&workers[0]);
	for (unsigned k = 0; !ending && strchr(what, 'c'); k++)
		make_call(k % CALLS);
	pthread_join(joins, NULL);
	for (unsigned i = 1; i < n && strchr(what, 'r'); i++)
		pthread_join(workers[i].thread, NULL);
	if (*wrong)
		printf("wrong: %s\n", wrong);
	else
		printf("right %lu\n", checked);
	return *wrong ? 3 : 0;
}
