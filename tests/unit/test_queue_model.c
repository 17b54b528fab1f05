/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every way in which threads may be interleaved in queue.c, tried one after the other. The queue's own code is compiled here with
 * atomic accesses that give the turn away; threads are coroutines, and a schedule is the list of who comes next:
 *
 *     schedule   0 0 1 0 1 1 ...      run it; then the last choice that has an alternative takes the next one; until none has
 *
 * Each run is checked for what a queue promises: there is an order of its operations, in which none that was over before another
 * began comes after it, and in which a plain bounded queue gives the same answers. And whoever runs alone comes to an end, wherever the
 * others have been stopped. Where the schedules are too many, only those with a few preemptions are tried. Sequentially
 * consistent; for the weaker orders of real machines see tests/stress/stress_queue.c.
 */
#include "harness.h"
#include "base/atomic.h"
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

static uint64_t model_load(const struct weft_atomic_u64 *a);
static bool model_cas(struct weft_atomic_u64 *a, uint64_t *expect, uint64_t x);
#define weft_load_u64 model_load
#define weft_cas_u64 model_cas
#include "base/queue.c"
#undef weft_load_u64
#undef weft_cas_u64

enum { THREADS = 3, OPS = 4, CELLS = 2, STEPS = 200, ALONE = 24, STACK = 32 << 10 };

struct op {
	bool push, two_steps; /* two_steps: a pop by look and take, which may fail when it was not the fastest */
	uint64_t value;
	bool done, took, gave_up;
	unsigned begin, end; /* steps */
};

struct thread {
	struct op op[OPS];
	unsigned n_ops;
	bool ended;
	ucontext_t here;
	char stack[STACK];
};

static struct model {
	struct weft_queue q;
	struct weft_queue_cell cells[CELLS];
	struct thread thread[THREADS];
	unsigned n_threads, prefilled, current, step;
	ucontext_t scheduler;
	/* Of this schedule: who may run, as a mask, and who does, at each step. */
	unsigned char may[STEPS], choice[STEPS];
	unsigned n_fixed; /* choices that are given */
} m;

static void model_yield(void)
{
	swapcontext(&m.thread[m.current].here, &m.scheduler);
}

static uint64_t model_load(const struct weft_atomic_u64 *a)
{
	model_yield();
	return weft_load_u64(a);
}

static bool model_cas(struct weft_atomic_u64 *a, uint64_t *expect, uint64_t x)
{
	model_yield();
	return weft_cas_u64(a, expect, x);
}

static void model_do(struct op *o)
{
	struct weft_queue_front f;
	o->begin = m.step;
	if (o->push) {
		o->took = weft_queue_push(&m.q, o->value);
	} else if (o->two_steps) {
		o->took = weft_queue_look(&m.q, &f);
		o->gave_up = o->took && !weft_queue_take(&m.q, &f);
		o->value = f.value;
	} else {
		o->took = weft_queue_pop(&m.q, &o->value);
	}
	o->end = m.step;
	o->done = true;
}

static void model_thread(void)
{
	struct thread *t = &m.thread[m.current];
	for (unsigned i = 0; i < t->n_ops; i++)
		model_do(&t->op[i]);
	t->ended = true;
	for (;;)
		model_yield();
}

/* ---- Is there an order? ---- */

struct order {
	const struct op *op[THREADS * OPS];
	unsigned n;
	bool used[THREADS * OPS];
	uint64_t queue[CELLS + THREADS * OPS];
};

static bool order_may_be_next(const struct order *o, unsigned i)
{
	for (unsigned k = 0; k < o->n; k++)
		if (!o->used[k] && k != i && o->op[k]->end < o->op[i]->begin)
			return false;
	return true;
}

static bool order_exists(struct order *o, unsigned left, unsigned head, unsigned tail)
{
	if (left == 0)
		return true;
	for (unsigned i = 0; i < o->n; i++) {
		const struct op *op = o->op[i];
		if (o->used[i] || !order_may_be_next(o, i))
			continue;
		bool can = op->push ? tail - head < CELLS : tail > head;
		if (can != op->took || (can && !op->push && o->queue[head] != op->value))
			continue;
		o->used[i] = true;
		if (can && op->push)
			o->queue[tail] = op->value;
		if (order_exists(o, left - 1, head + (can && !op->push), tail + (can && op->push)))
			return true;
		o->used[i] = false;
	}
	return false;
}

static bool model_has_order(void)
{
	struct order o = {.n = 0};
	for (unsigned t = 0; t < m.n_threads; t++)
		for (unsigned i = 0; i < m.thread[t].n_ops; i++)
			if (!m.thread[t].op[i].gave_up) /* it has changed nothing */
				o.op[o.n++] = &m.thread[t].op[i];
	for (unsigned i = 0; i < m.prefilled; i++)
		o.queue[i] = 1000 + i;
	return order_exists(&o, o.n, 0, m.prefilled);
}

/* ---- All schedules ---- */

static void thread_make(struct thread *t)
{
	getcontext(&t->here);
	t->here.uc_stack.ss_sp = t->stack;
	t->here.uc_stack.ss_size = sizeof t->stack;
	makecontext(&t->here, model_thread, 0);
}

/* Without the yields: nobody else runs yet. */
static void model_reset(void)
{
	memset(m.cells, 0, sizeof m.cells);
	m.q = (struct weft_queue){.cell = m.cells, .mask = CELLS - 1, .shift = 1};
	for (unsigned i = 0; i < m.prefilled; i++)
		weft_store_u64(&m.cells[i].word, FULL_BIT | (1000 + i));
	weft_store_u64(&m.q.tail, m.prefilled);
	for (unsigned i = 0; i < m.n_threads; i++) {
		struct thread *t = &m.thread[i];
		t->ended = false;
		for (unsigned k = 0; k < t->n_ops; k++)
			t->op[k].done = t->op[k].took = t->op[k].gave_up = false;
		thread_make(t);
	}
}

static unsigned model_runnable(void)
{
	unsigned mask = 0;
	for (unsigned i = 0; i < m.n_threads; i++)
		mask |= m.thread[i].ended ? 0 : 1u << i;
	return mask;
}

/* The given choices, and then whoever runs goes on. False: somebody runs alone and does not come to an end. */
static bool model_run(unsigned preemptions)
{
	unsigned alone = 0, last = 0, spent = 0;
	model_reset();
	for (m.step = 0; m.step < STEPS; m.step++) {
		unsigned may = model_runnable(), next;
		if (!may)
			return true;
		bool goes_on = m.step && (may & 1u << last);
		if (goes_on && spent == preemptions)
			may = 1u << last;
		m.may[m.step] = (unsigned char)may;
		if (m.step < m.n_fixed)
			next = m.choice[m.step];
		else
			next = goes_on ? last : (unsigned)__builtin_ctz(may);
		m.choice[m.step] = (unsigned char)next;
		spent += goes_on && next != last;
		alone = next == last ? alone + 1 : 0;
		if (alone > ALONE * OPS)
			return false;
		last = m.current = next;
		swapcontext(&m.scheduler, &m.thread[next].here);
	}
	return false;
}

/* The alternatives at a step, in order: whoever goes on, then the others by number. */
static bool model_next_schedule(void)
{
	while (m.step-- > 0) {
		unsigned first = m.step ? m.choice[m.step - 1] : 0, may = m.may[m.step];
		if (!(may & 1u << first))
			first = (unsigned)__builtin_ctz(may);
		unsigned now = m.choice[m.step], i = now == first ? 0 : now + 1;
		while (i < m.n_threads && (!(may & 1u << i) || i == first))
			i++;
		if (i < m.n_threads) {
			m.choice[m.step] = (unsigned char)i;
			m.n_fixed = m.step + 1;
			return true;
		}
	}
	return false;
}

/*
 * Scripts: a letter for an operation, + push, - pop, = pop in two steps; `prefilled` values are there already. Returns how many
 * schedules there are.
 */
static uint64_t model_try(const char *const *script, unsigned n, unsigned prefilled, unsigned preemptions)
{
	uint64_t runs = 0;
	m.n_threads = n;
	m.prefilled = prefilled;
	m.n_fixed = 0;
	for (unsigned t = 0; t < n; t++) {
		m.thread[t].n_ops = (unsigned)strlen(script[t]);
		for (unsigned i = 0; i < m.thread[t].n_ops; i++)
			m.thread[t].op[i] =
				(struct op){.push = script[t][i] == '+', .two_steps = script[t][i] == '=', .value = 10 * t + i};
	}
	do {
		runs++;
		/* Values of pops are overwritten by each run, those of pushes stay. */
		if (!CHECK(model_run(preemptions)) || !CHECK(model_has_order()))
			break;
	} while (model_next_schedule());
	return runs;
}

TEST(two_threads_in_every_order)
{
	static const char *const scripts[][2] = {{"+", "-"},  {"+", "+"},  {"-", "-"}, {"=", "="},
	                                         {"+-", "-"}, {"+", "-+"}, {"++", "-"}};
	uint64_t runs = 0;
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
		for (unsigned prefilled = 0; prefilled <= CELLS; prefilled++)
			runs += model_try(scripts[i], 2, prefilled, STEPS);
	printf("# %llu schedules\n", (unsigned long long)runs);
	CHECK(runs > 1000);
}

static void try_longer(unsigned preemptions)
{
	static const char *const scripts[][THREADS] = {
		{"+-+-", "-+-+"},  {"++--", "--++"},  {"+", "+", "-"},    {"+", "-", "-"},
		{"+-", "-+", "+"}, {"+-", "=", "-+"}, {"--", "==", "++"},
	};
	uint64_t runs = 0;
	for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
		for (unsigned prefilled = 0; prefilled <= CELLS; prefilled++)
			runs += model_try(scripts[i], scripts[i][2] ? 3 : 2, prefilled, preemptions);
	printf("# %llu schedules\n", (unsigned long long)runs);
	CHECK(runs > 10000);
}

TEST(longer_scripts_with_a_few_preemptions)
{
	try_longer(3);
}

TEST_IN(TIER_FULL, longer_scripts_with_some_preemptions)
{
	try_longer(4);
}
