/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sleeping and waking. Who sleeps says so first, then makes every running thread of the process pass a barrier, and looks once
 * more; who makes work stores it and looks whether anybody sleeps. Either the one sees the work or the other the sleeper.
 */
#include "core.h"
#include "base/clock.h"
#include "life_detail.h"
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>

void rt_futex_wait(struct weft_atomic_u32 *word, uint32_t while_it_is)
{
	if (WEFT_UNLIKELY(rt_simulator != NULL)) {
		rt_simulator->wait(&(struct rt_sim_wait){.key = word, .word = word, .while_it_is = while_it_is});
		return;
	}
	syscall(SYS_futex, &word->v, FUTEX_WAIT_PRIVATE, while_it_is, NULL, NULL, 0);
}

/* What a thread of the application waits for. */
struct awaited {
	const struct rt_runtime *runtime;
	const struct weft_atomic_u32 *word; /* NULL: until few are left */
	uint32_t while_it_is;
	uint64_t few;
};

static bool is_over(const struct awaited *a)
{
	return a->word ? weft_load_u32(a->word) != a->while_it_is : rt_unfinished(a->runtime) <= a->few;
}

/*
 * What is over soon is not worth a sleep, which costs a barrier and two switches of threads. A thread whose last looks were all
 * in vain (its worker runs on this very cpu, or what it waits for is long) looks seldom.
 */
enum { LOOK_NS = 5000, IN_VAIN = 4, SELDOM = 64, PAUSES = 4 };

static bool is_over_soon(const struct awaited *a)
{
	struct rt_submitter *s = rt_self_known(a->runtime);
	uint32_t tries = s ? s->in_vain++ : 1;
	if (tries >= IN_VAIN && tries % SELDOM)
		return false;
	uint64_t spin_ns = a->runtime->spin_ns, until = weft_monotonic_ns() + (spin_ns < LOOK_NS ? spin_ns : LOOK_NS);
	while (!is_over(a)) {
		if (weft_monotonic_ns() >= until)
			return false;
		for (unsigned i = 0; i < PAUSES; i++)
			__builtin_ia32_pause();
	}
	if (s)
		s->in_vain = 0;
	return true;
}

static void submitter_sleeps(const struct rt_runtime *r, struct weft_atomic_u32 *word, uint32_t while_it_is)
{
	struct rt_submitter *s = rt_self_known(r);
	if (s)
		weft_store_i32(&s->cpu, RT_NOWHERE);
	rt_futex_wait(word, while_it_is);
}

void rt_submitter_waits(const struct rt_runtime *r, struct weft_atomic_u32 *word, uint32_t while_it_is)
{
	if (!is_over_soon(&(struct awaited){.runtime = r, .word = word, .while_it_is = while_it_is}))
		submitter_sleeps(r, word, while_it_is);
}

void rt_futex_wake(struct weft_atomic_u32 *word, int n)
{
	if (WEFT_UNLIKELY(rt_simulator != NULL)) {
		rt_simulator->notify(word);
		return;
	}
	syscall(SYS_futex, &word->v, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

void rt_barrier_of_all(const struct rt_runtime *r)
{
	/* Partner: the compiler barrier between storing work and rt_work_came's load. */
	if (r->membarrier)
		syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
	weft_fence_seq_cst();
}

static uint64_t bit_of(const struct rt_worker *w)
{
	return UINT64_C(1) << w->number % 64;
}

/* Work for anybody is nothing to a device: it is not among those of whom one is woken. */
static uint32_t is_counted(const struct rt_worker *w)
{
	return !(w->traits & RT_W_ONLY_PLACED);
}

static void set_bit(struct rt_worker *w)
{
	weft_add_u32(&w->runtime->n_asleep, is_counted(w));
	__atomic_fetch_or(&w->runtime->asleep[w->number / 64].v, bit_of(w), __ATOMIC_ACQ_REL);
}

/* True: it was there, and now is not. */
static bool clear_bit(struct rt_worker *w)
{
	struct rt_runtime *r = w->runtime;
	if (!(__atomic_fetch_and(&r->asleep[w->number / 64].v, ~bit_of(w), __ATOMIC_ACQ_REL) & bit_of(w)))
		return false;
	weft_add_u32(&r->n_asleep, -is_counted(w));
	return true;
}

static bool wake(struct rt_worker *w)
{
	if (!clear_bit(w))
		return false;
	weft_store_u32(&w->wake, 1);
	rt_futex_wake(&w->wake, 1);
	return true;
}

void rt_wake_one(struct rt_runtime *r)
{
	for (unsigned i = 0; i * 64 < r->n_workers; i++)
		for (uint64_t bits = weft_load_u64(&r->asleep[i]); bits; bits &= bits - 1) {
			struct rt_worker *w = &r->worker[i * 64 + (unsigned)__builtin_ctzll(bits)];
			if (is_counted(w) && !weft_load_bool(&w->barred) && wake(w))
				return;
		}
}

void rt_wake(struct rt_worker *w)
{
	/* relaxed: as in rt_work_came */
	if (weft_load_relaxed_u64(&w->runtime->asleep[w->number / 64]) & bit_of(w))
		wake(w);
}

void rt_worker_sleep(struct rt_worker *w, bool (*any)(struct rt_worker *))
{
	struct rt_runtime *r = w->runtime;
	if (r->hooks->sleeps)
		r->hooks->sleeps(w, true);
	weft_store_u32(&w->wake, 0);
	set_bit(w);
	rt_barrier_of_all(r);
	rt_worker_aside(w);
	weft_enter(rt_trace.sleep);
	while (!any(w) && !weft_load_bool(&r->stop) && !weft_load_u32(&w->wake))
		rt_futex_wait(&w->wake, 0);
	weft_leave(rt_trace.sleep);
	weft_store_bool(&w->aside, false); /* idle() looks for a pause before it takes anything */
	/* Who was not woken takes itself off; who was woken in this instant has been. */
	clear_bit(w);
	if (r->hooks->sleeps)
		r->hooks->sleeps(w, false);
}

/* What is done is counted first, and can only have become more. */
uint64_t rt_unfinished(const struct rt_runtime *r)
{
	uint64_t done = 0, submitted = 0;
	for (unsigned i = 0; i < r->n_workers; i++)
		done += weft_load_u64(&r->worker[i].done);
	for (const struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next)
		done += weft_load_u64(&s->finished);
	for (const struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next)
		submitted += weft_load_u64(&s->submitted);
	return submitted - done;
}

static void tell(struct rt_runtime *r)
{
	weft_add_u32(&r->all_done, 1);
	rt_futex_wake(&r->all_done, INT_MAX);
}

void rt_tell_waiters(struct rt_runtime *r)
{
	/* relaxed: the waiter's barrier orders it, as in rt_work_came */
	if (weft_load_relaxed_u32(&r->n_waiting) && rt_unfinished(r) == 0)
		tell(r);
	else if (weft_load_relaxed_u32(&r->asks) & RT_ASK_FEW)
		rt_tell_few(r);
}

void rt_tell_few(struct rt_runtime *r)
{
	if (rt_unfinished(r) <= weft_load_u64(&r->few))
		tell(r);
}

static void sleep_until_all_done(struct rt_runtime *r)
{
	weft_add_u32(&r->n_waiting, 1);
	rt_barrier_of_all(r);
	for (;;) {
		uint32_t seen = weft_load_u32(&r->all_done);
		if (rt_unfinished(r) == 0)
			break;
		submitter_sleeps(r, &r->all_done, seen);
	}
	weft_add_u32(&r->n_waiting, -UINT32_C(1));
}

void rt_wait_all(struct rt_runtime *r)
{
	weft_enter(rt_trace.wait);
	if (!is_over_soon(&(struct awaited){.runtime = r}))
		sleep_until_all_done(r);
	weft_leave(rt_trace.wait);
	struct rt_submitter *s = rt_traced_in_detail() ? rt_self_known(r) : NULL;
	if (s)
		rt_detail_settled(s);
}

/* Several may wait for different numbers: the greatest counts, and who is told too early waits again. */
void rt_wait_few(struct rt_runtime *r, uint64_t few)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static unsigned waiting;
	if (is_over_soon(&(struct awaited){.runtime = r, .few = few}))
		return;
	pthread_mutex_lock(&lock);
	if (!waiting++ || few > weft_load_u64(&r->few))
		weft_store_u64(&r->few, few);
	rt_ask(r, RT_ASK_FEW, 0);
	pthread_mutex_unlock(&lock);
	rt_barrier_of_all(r);
	for (;;) {
		uint32_t seen = weft_load_u32(&r->all_done);
		if (rt_unfinished(r) <= few)
			break;
		submitter_sleeps(r, &r->all_done, seen);
	}
	pthread_mutex_lock(&lock);
	if (!--waiting)
		rt_ask(r, 0, RT_ASK_FEW);
	pthread_mutex_unlock(&lock);
}

void rt_ask(struct rt_runtime *r, uint32_t set, uint32_t clear)
{
	uint32_t old = weft_load_u32(&r->asks);
	while (!weft_cas_u32(&r->asks, &old, (old & ~clear) | set))
		continue;
	if (clear & RT_ASK_PAUSE)
		rt_futex_wake(&r->asks, INT_MAX);
}
