/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads and their timers. A timer by the CPU clock of one thread, whose signal goes to that thread: no descriptor that the program could
 * close or meet, none of the process's interval timers, nothing inherited by a child or a program that follows by exec.
 *
 * The kernel's own calls are used, as the C library's timer_create has no timers for other threads' clocks. Slots come in blocks of mapped
 * memory, as many threads may begin before any other function of ours ran; they are never given back.
 */
#include "sample_priv.h"
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BLOCKS_MOST = 1024, BLOCK_SLOTS = 32 };

static struct {
	pthread_mutex_t lock; /* of the list, and of slots' tid */
	struct sample_thread *free;
	struct weft_atomic_ptr block[BLOCKS_MOST];
	unsigned n_blocks;
	uint64_t gone[LINK_COUNTED_MOST]; /* what threads counted that have ended, and nobody has recorded */
} slots = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* This thread's. */
static __thread struct sample_thread *mine __attribute__((tls_model("initial-exec")));

/* ---- slots ---- */

static bool slots_grow(void)
{
	struct sample_thread *block;
	if (slots.n_blocks == BLOCKS_MOST)
		return false;
	block = mmap(NULL, BLOCK_SLOTS * sizeof *block, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block == MAP_FAILED)
		return false;
	for (unsigned i = 0; i < BLOCK_SLOTS; i++) {
		block[i].timer = -1;
		block[i].next_free = slots.free;
		slots.free = &block[i];
	}
	weft_store_ptr(&slots.block[slots.n_blocks++], block);
	return true;
}

/* In a handler: blocks only ever come. */
bool sample_thread_is_slot(const void *at)
{
	for (unsigned i = 0; i < BLOCKS_MOST; i++) {
		const struct sample_thread *block = weft_load_ptr(&slots.block[i]);
		if (!block)
			return false;
		size_t offset = (size_t)((const char *)at - (const char *)block);
		if (offset < BLOCK_SLOTS * sizeof *block)
			return offset % sizeof *block == 0;
	}
	return false;
}

static bool slots_have(pid_t tid)
{
	for (unsigned i = 0; i < slots.n_blocks; i++) {
		const struct sample_thread *block = weft_load_ptr(&slots.block[i]);
		for (unsigned k = 0; k < BLOCK_SLOTS; k++)
			if (block[k].tid == tid)
				return true;
	}
	return false;
}

/* unique: it may have one already. */
static int slot_take(pid_t tid, bool unique, struct sample_thread **out)
{
	int rc = 0;
	pthread_mutex_lock(&slots.lock);
	if (!unique && slots_have(tid)) {
		rc = -EEXIST;
	} else if (!slots.free && !slots_grow()) {
		rc = -ENOMEM;
	} else {
		struct sample_thread *t = slots.free;
		slots.free = t->next_free;
		t->busy = t->met = false;
		__atomic_store_n(&t->tid, tid, __ATOMIC_RELEASE);
		t->timer = -1;
		t->told = false;
		t->is_main = tid == getpid();
		t->own = (struct unwind_stack){0, 0};
		*out = t;
	}
	pthread_mutex_unlock(&slots.lock);
	return rc;
}

/* This thread's that another one has made. Only it gives that back, so that it needs no lock to find it. */
static struct sample_thread *slots_mine(void)
{
	pid_t tid = (pid_t)syscall(SYS_gettid);
	for (unsigned i = 0; i < BLOCKS_MOST; i++) {
		struct sample_thread *block = weft_load_ptr(&slots.block[i]);
		for (unsigned k = 0; block && k < BLOCK_SLOTS; k++)
			if (__atomic_load_n(&block[k].tid, __ATOMIC_ACQUIRE) == tid)
				return &block[k];
		if (!block)
			break;
	}
	return NULL;
}

static uint32_t perf_bits(void)
{
	uint32_t bits = 0;
	for (unsigned i = 0; i < sample_counts.plans.n_counted; i++)
		bits |= (uint32_t)(sample_counts.plans.counted[i].of.source == LINK_COUNTER_PERF) << i;
	return bits;
}

static void add_perf(const struct sample_values *v, uint64_t *to)
{
	uint32_t bits = v->has & perf_bits();
	for (unsigned i = 0; i < LINK_COUNTED_MOST; i++)
		to[i] += bits >> i & 1 ? v->value[i] : 0;
}

/* What it has counted for the process is kept. */
static void thread_gone(struct sample_thread *t)
{
	struct sample_values v;
	pthread_mutex_lock(&slots.lock);
	for (unsigned k = 0; k < sample_counts.plans.n; k++) {
		if (sample_counts.plans.plan[k].where != LINK_AT_TIMES)
			continue;
		sample_count_read(t, k, &v);
		add_perf(&v, slots.gone);
	}
	sample_count_end(t);
	t->tid = 0;
	t->next_free = slots.free;
	slots.free = t;
	pthread_mutex_unlock(&slots.lock);
}

/* ---- timers ---- */

/* The kernel's name of the CPU clock of a thread of ours. */
static clockid_t cpu_clock_of(pid_t tid)
{
	return (clockid_t)(~(unsigned)tid << 3 | 6);
}

static int timer_begin(struct sample_thread *t)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID,
	                         .sigev_signo = sample_settings.signal,
	                         .sigev_value.sival_ptr = t};
	uint64_t ns = sample_settings.period_ns;
	const struct timespec each = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	const struct itimerspec when = {each, each};
	int timer;
	event._sigev_un._tid = t->tid;
	if (syscall(SYS_timer_create, sample_settings.wall ? CLOCK_MONOTONIC : cpu_clock_of(t->tid), &event, &timer))
		return -errno;
	t->timer = timer;
	if (syscall(SYS_timer_settime, timer, 0, &when, NULL))
		return -errno;
	return 0;
}

static void timer_end(struct sample_thread *t)
{
	if (t->timer >= 0)
		(void)syscall(SYS_timer_delete, t->timer);
	t->timer = -1;
}

/* A thread that has none is there for counters at regions. */
static bool ticks_wanted(void)
{
	return sample_settings.samples || sample_counts.has[LINK_AT_SAMPLES];
}

static int thread_begin(pid_t tid, bool own, bool ticks, struct sample_thread **out)
{
	struct sample_thread *t;
	int rc = slot_take(tid, own, &t);
	if (rc)
		return rc;
	sample_count_begin(t);
	if (ticks && (rc = timer_begin(t)) != 0) {
		timer_end(t);
		thread_gone(t);
		return rc;
	}
	*out = t;
	return 0;
}

int sample_thread_begin(pid_t tid)
{
	struct sample_thread *t;
	return thread_begin(tid, false, ticks_wanted(), &t);
}

static void take_last(struct sample_thread *t)
{
	if (t->busy)
		return;
	t->busy = true;
	sample_count_take(t, LINK_AT_SAMPLES);
	if (t->met)
		sample_count_take(t, LINK_AT_REGIONS);
	t->busy = false;
}

static void find_stack(struct unwind_stack *out)
{
	pthread_attr_t attr;
	void *at;
	size_t bytes;
	if (pthread_getattr_np(pthread_self(), &attr))
		return;
	if (pthread_attr_getstack(&attr, &at, &bytes) == 0)
		*out = (struct unwind_stack){(uint64_t)(uintptr_t)at, (uint64_t)(uintptr_t)at + bytes};
	pthread_attr_destroy(&attr);
}

int sample_thread_begin_own(void)
{
	struct sample_thread *t;
	sigset_t blocked;
	/* Who blocks it wants to be left alone, and may wait for all signals there are. */
	if (mine || pthread_sigmask(SIG_SETMASK, NULL, &blocked))
		return -EEXIST;
	bool blocks = sigismember(&blocked, sample_settings.signal);
	if (blocks && !sample_counts.has[LINK_AT_REGIONS])
		return -EEXIST;
	int rc = thread_begin((pid_t)syscall(SYS_gettid), true, ticks_wanted() && !blocks, &t);
	if (rc)
		return rc;
	mine = t;
	find_stack(&t->own);
	return 0;
}

void sample_thread_end_own(void)
{
	struct sample_thread *t = mine;
	mine = NULL;
	if (!t)
		return;
	timer_end(t);
	take_last(t);
	thread_gone(t);
}

void sample_thread_last(void)
{
	if (mine || slots_mine())
		take_last(mine ? mine : slots_mine());
}

struct sample_thread *sample_thread_here(void)
{
	struct sample_thread *t = mine ? mine : slots_mine();
	if (!t && pthread_mutex_trylock(&slots.lock) == 0) {
		/* It is free, so that this thread is not in the middle of it. */
		pthread_mutex_unlock(&slots.lock);
		(void)thread_begin((pid_t)syscall(SYS_gettid), true, false, &t);
	}
	mine = t;
	return t;
}

/* ---- counters of all threads ---- */

void sample_threads_add(unsigned plan, unsigned set, struct sample_values *out)
{
	const struct link_plans *p = &sample_counts.plans;
	struct sample_values one;
	pthread_mutex_lock(&slots.lock);
	for (unsigned i = 0; i < slots.n_blocks; i++) {
		struct sample_thread *block = weft_load_ptr(&slots.block[i]);
		for (unsigned k = 0; k < BLOCK_SLOTS; k++) {
			if (!block[k].tid || block[k].set[plan] != set)
				continue;
			sample_count_read(&block[k], plan, &one);
			add_perf(&one, out->value);
			out->has |= one.has & perf_bits();
			out->per_cent = one.per_cent < out->per_cent ? one.per_cent : out->per_cent;
		}
	}
	for (unsigned i = 0; i < p->n_counted; i++)
		if (p->counted[i].plan == plan && p->counted[i].set == set && slots.gone[i]) {
			out->value[i] += slots.gone[i];
			out->has |= (uint32_t)1 << i;
			slots.gone[i] = 0;
		}
	pthread_mutex_unlock(&slots.lock);
}

void sample_threads_rotate(unsigned plan, uint8_t set)
{
	pthread_mutex_lock(&slots.lock);
	for (unsigned i = 0; i < slots.n_blocks; i++) {
		struct sample_thread *block = weft_load_ptr(&slots.block[i]);
		for (unsigned k = 0; k < BLOCK_SLOTS; k++)
			if (block[k].tid)
				(void)sample_count_rotate(&block[k], plan, set);
	}
	pthread_mutex_unlock(&slots.lock);
}

void sample_thread_sweep(bool all)
{
	for (unsigned i = 0; i < slots.n_blocks; i++) {
		struct sample_thread *block = weft_load_ptr(&slots.block[i]);
		for (unsigned k = 0; k < BLOCK_SLOTS; k++) {
			struct sample_thread *t = &block[k];
			if (!t->tid || (!all && (syscall(SYS_tgkill, getpid(), t->tid, 0) == 0 || errno != ESRCH)))
				continue;
			timer_end(t);
			thread_gone(t);
		}
	}
}

void sample_thread_child(void)
{
	struct unwind_stack own = mine ? mine->own : (struct unwind_stack){0, 0};
	/* Nobody else lives: the lock is free, whoever had it. */
	pthread_mutex_init(&slots.lock, NULL);
	slots.free = NULL;
	memset(slots.gone, 0, sizeof slots.gone);
	for (unsigned i = 0; i < slots.n_blocks; i++) {
		struct sample_thread *block = weft_load_ptr(&slots.block[i]);
		for (unsigned k = 0; k < BLOCK_SLOTS; k++) {
			if (block[k].tid)
				sample_count_end(&block[k]);
			block[k].tid = 0;
			block[k].timer = -1;
			block[k].next_free = slots.free;
			slots.free = &block[k];
		}
	}
	mine = NULL;
	if (sample_thread_begin_own() == 0)
		mine->own = own.to ? own : mine->own;
}
