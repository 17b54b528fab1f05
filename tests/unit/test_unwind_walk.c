/* SPDX-License-Identifier: Apache-2.0 */
/* Call stacks of the calling thread, against backtrace() and against shapes that the program knows. */
#include "harness.h"
#include "unwind_stepper.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

static struct unwind_stack none;

/* ---- against backtrace() ---- */

static int by_value(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static volatile double sink;
static void use_libc(void)
{
	char text[200], *end;
	int v[30];
	for (int i = 0; i < 30; i++)
		v[i] = (i * 7919) % 31;
	qsort(v, 30, sizeof *v, by_value);
	snprintf(text, sizeof text, "%d %s %g %p", v[3], "text", 1.0 / v[7], (void *)v);
	sink = strtod(text, &end);
	void *p = malloc(1000 + (size_t)v[2]), *q = calloc(30, 50);
	memmove(p, text, sizeof text);
	free(p);
	free(q);
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	sink = (double)(strlen(text) + (unsigned)now.tv_nsec);
}

TEST(at_each_instruction_the_stack_is_that_of_backtrace)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	SKIP("the sanitizers' allocators are stepped through for minutes");
#endif
	stepper_run(use_libc, 60000);
	printf("# %lu instructions\n", stepper_steps);
	CHECK(stepper_steps > 5000);
	CHECK_U64(stepper_bad, 0);
	CHECK_U64(stepper_not_whole, 0);
}

/* Of functions that align their stack anew, or have one whose size is not known. */
typedef double four __attribute__((vector_size(64), aligned(64)));
__attribute__((noinline)) static void aligned(unsigned n)
{
	volatile four f = {1, 2, 3, 4, 5, 6, 7, (double)n};
	volatile char room[n + 1];
	room[n] = (char)n;
	if (n)
		aligned(n - 1);
	sink = f[7] + room[n];
}

static void use_aligned(void)
{
	aligned(12);
}

TEST(stacks_that_are_aligned_anew)
{
	stepper_run(use_aligned, 20000);
	CHECK(stepper_steps > 100);
	CHECK_U64(stepper_bad, 0);
	/* The compiler's tables are wrong at the last two instructions of such a function: rbp is the caller's again, and they do not say so. */
	CHECK(stepper_not_whole <= 13 * 2);
}

/* ---- shapes ---- */

struct seen {
	uint64_t at[400];
	unsigned n, most;
	enum unwind_end end;
};

static __attribute__((noinline)) void look(struct seen *s)
{
	struct unwind_regs regs;
	unwind_here(&regs);
	s->n = unwind_walk(&regs, &none, s->at, s->most, &s->end);
}

static unsigned count_in(const struct seen *s, const void *function)
{
	unsigned n = 0;
	uint64_t from = (uint64_t)(uintptr_t)function;
	for (unsigned i = 0; i < s->n; i++)
		n += s->at[i] >= from && s->at[i] < from + 100;
	return n;
}

__attribute__((noinline, aligned(256))) static int nested(struct seen *s, int n)
{
	int r = 0;
	if (n > 1)
		r = nested(s, n - 1);
	else
		look(s);
	__asm__ volatile("" : "+r"(r));
	return r + 1;
}

TEST(as_many_frames_as_calls)
{
	static struct seen s;
	for (int n = 1; n <= 60; n += 7) {
		s = (struct seen){.most = 400};
		CHECK_I64(nested(&s, n), n);
		CHECK_U64(s.end, UNWIND_WHOLE);
		CHECK_U64(count_in(&s, (void *)nested), (uint64_t)n);
	}
}

TEST(a_deep_stack_is_cut_off)
{
	static struct seen s;
	s = (struct seen){.most = 250};
	nested(&s, 20000);
	CHECK_U64(s.end, UNWIND_CUT);
	CHECK_U64(s.n, 250);
	CHECK_U64(count_in(&s, (void *)nested), 249);
}

static struct seen in_handler;
static void handler(int signal)
{
	(void)signal;
	in_handler.most = 400;
	look(&in_handler);
	__asm__ volatile(""); /* so that it is no jump */
}

__attribute__((noinline, aligned(256))) static void raises(int n)
{
	if (n > 1)
		raises(n - 1);
	else
		raise(SIGUSR1);
	__asm__ volatile("");
}

TEST(across_the_frame_of_a_signal)
{
	static char other[65536];
	for (int alternate = 0; alternate < 2; alternate++) {
		struct sigaction act = {.sa_handler = handler, .sa_flags = alternate ? SA_ONSTACK : 0};
		stack_t stack = {.ss_sp = other, .ss_size = sizeof other};
		REQUIRE(sigaltstack(&stack, NULL) == 0 && sigaction(SIGUSR1, &act, NULL) == 0);
		in_handler = (struct seen){.n = 0};
		raises(9);
		CHECK_U64(in_handler.end, UNWIND_WHOLE);
		CHECK_U64(count_in(&in_handler, (void *)raises), 9);
		CHECK_U64(count_in(&in_handler, (void *)handler), 1);
	}
	stack_t off = {.ss_flags = SS_DISABLE};
	CHECK_I64(sigaltstack(&off, NULL), 0);
}

static void *in_thread(void *s)
{
	nested(s, 5);
	return NULL;
}

TEST(a_thread_ends_where_it_was_made)
{
	static struct seen s;
	pthread_t t;
	s = (struct seen){.most = 400};
	REQUIRE(pthread_create(&t, NULL, in_thread, &s) == 0 && pthread_join(t, NULL) == 0);
	CHECK_U64(s.end, UNWIND_WHOLE);
	CHECK_U64(count_in(&s, (void *)nested), 5);
	CHECK_U64(count_in(&s, (void *)in_thread), 1);
}

static struct seen in_coroutine;
static ucontext_t back, coroutine;
static void coroutine_main(void)
{
	in_coroutine.most = 400;
	nested(&in_coroutine, 3);
	__asm__ volatile("");
}

TEST(on_the_stack_of_a_coroutine)
{
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(stack != MAP_FAILED && getcontext(&coroutine) == 0);
	coroutine.uc_stack.ss_sp = stack;
	coroutine.uc_stack.ss_size = 65536;
	coroutine.uc_link = &back;
	makecontext(&coroutine, coroutine_main, 0);
	swapcontext(&back, &coroutine);
	CHECK_U64(count_in(&in_coroutine, (void *)nested), 3);
	CHECK_U64(count_in(&in_coroutine, (void *)coroutine_main), 1);
	munmap(stack, 65536);
}

/* Code that nothing is known of: the stack ends there, and says so. */
TEST(code_without_tables_ends_a_stack)
{
	static const unsigned char made[] = {0x48, 0x83, 0xec, 0x18, /* sub $24, %rsp */
	                                     0xff, 0xd6,             /* call *%rsi */
	                                     0x48, 0x83, 0xc4, 0x18, /* add $24, %rsp */
	                                     0xc3};
	static struct seen s;
	unsigned char *code = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(code != MAP_FAILED);
	memcpy(code, made, sizeof made);
	s = (struct seen){.most = 400};
	((void (*)(struct seen *, void (*)(struct seen *)))(void *)code)(&s, look);
	CHECK_U64(s.end, UNWIND_LOST);
	CHECK_U64(s.n, 2);
	CHECK_U64(s.at[1], (uint64_t)(uintptr_t)code + 6);
	munmap(code, 4096);
}

TEST(nothing_that_cannot_be_read_is_followed)
{
	char *page = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	REQUIRE(page != MAP_FAILED && munmap(page + 4096, 4096) == 0);
	for (unsigned i = 0; i < 2000; i++) {
		struct unwind_regs regs;
		uint64_t at[50];
		enum unwind_end end;
		for (unsigned k = 0; k < UNWIND_REGS; k++)
			regs.r[k] = test_random() >> (test_random() % 64);
		/* An address of ours, and a stack that ends too early, or anything. */
		uint64_t code = (uint64_t)(uintptr_t)(i % 2 ? (void *)use_libc : (void *)qsort);
		regs.r[UNWIND_IP] = code + test_random() % 300;
		if (i % 3)
			regs.r[UNWIND_SP] = (uint64_t)(uintptr_t)page + 4096 - (test_random() % 40) * 8;
		if (i % 5 == 0)
			regs.r[UNWIND_SP] |= test_random() % 8;
		unsigned n = unwind_walk(&regs, &none, at, 50, &end);
		CHECK(n >= 1 && n <= 50);
	}
	munmap(page, 4096);
}

TEST(the_main_thread_knows_its_stack)
{
	struct unwind_stack own;
	static struct seen s;
	struct unwind_regs regs;
	unwind_here(&regs);
	REQUIRE(unwind_main_stack(regs.r[UNWIND_SP], &own));
	CHECK(own.from == regs.r[UNWIND_SP] && own.to > own.from);
	s = (struct seen){.most = 400};
	s.n = unwind_walk(&regs, &own, s.at, s.most, &s.end);
	CHECK_U64(s.end, UNWIND_WHOLE);
	CHECK(!unwind_main_stack((uint64_t)(uintptr_t)&s, &own));
}

TEST(an_object_by_an_address)
{
	uint64_t from, to;
	REQUIRE(unwind_object((void *)handler, &from, &to));
	CHECK((uint64_t)(uintptr_t)handler >= from && (uint64_t)(uintptr_t)handler < to);
	CHECK(!unwind_object(NULL, &from, &to));
}

/* ---- out of one's own functions ---- */

static unsigned ways_taken, ways_wrong;
static int seed_of_ways;

/* At once, where this way was taken before, or step by step: the same registers. */
__attribute__((noinline)) static void take_both_ways(void)
{
	const struct unwind_own own = {{&seed_of_ways, NULL, NULL}, __builtin_return_address(0)};
	static const unsigned kept[] = {UNWIND_BX, UNWIND_BP, UNWIND_SP, UNWIND_IP, UNWIND_R12, 13, 14, 15};
	struct unwind_regs at_once, stepped;
	uint64_t from, to;
	bool exact = true, other = true;
	unwind_here(&at_once);
	stepped = at_once;
	int rc = unwind_step_out(&at_once, &none, &own, &exact), rc2 = 1;
	if (!unwind_object(&seed_of_ways, &from, &to))
		return;
	do
		rc2 = unwind_step(&stepped, &none, &other);
	while (rc2 > 0 && stepped.r[UNWIND_IP] >= from && stepped.r[UNWIND_IP] < to);
	ways_taken++;
	ways_wrong += rc != rc2 || exact != other;
	for (unsigned i = 0; i < sizeof kept / sizeof *kept; i++)
		ways_wrong += at_once.r[kept[i]] != stepped.r[kept[i]];
}

__attribute__((noinline)) static void with_room(unsigned n, unsigned bytes)
{
	volatile char room[bytes + 1];
	room[bytes] = (char)n;
	if (n)
		with_room(n - 1, bytes);
	else
		take_both_ways();
	sink = room[bytes];
}

__attribute__((noinline)) static void with_four(unsigned n)
{
	volatile four f = {1, 2, 3, 4, 5, 6, 7, (double)n};
	take_both_ways();
	if (n)
		with_room(n, 8 * n);
	sink = f[7];
}

static int compares(const void *a, const void *b)
{
	unsigned n = (unsigned)seed_of_ways++;
	if (n % 3 == 0)
		take_both_ways();
	else if (n % 3 == 1)
		with_room(n % 5, n * 37 % 300);
	else
		with_four(n % 4);
	return *(const int *)a - *(const int *)b;
}

TEST(a_way_out_that_was_taken_before_is_the_same)
{
	int v[60];
	for (int round = 0; round < 20; round++) {
		for (int i = 0; i < 60; i++)
			v[i] = (i * 7919 + round) % 61;
		qsort(v, 60, sizeof *v, compares);
	}
	printf("# %u ways\n", ways_taken);
	CHECK(ways_taken > 1000);
	CHECK_U64(ways_wrong, 0);
}
