/* SPDX-License-Identifier: Apache-2.0 */
/* Begin and end of the runtime; the threads that submit to it. */
#include "core.h"
#include "fiber.h"
#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The submitter of this thread; of one runtime at a time. */
static _Thread_local RT_NEAR struct {
	struct rt_submitter *is;
	uint64_t of; /* the runtime's serial: a later one may lie at the same address */
	struct rt_worker *worker;
} self;
static const struct rt_sched_hooks no_hooks;
static struct weft_atomic_u64 serials;

static bool has_membarrier(void)
{
	if (rt_simulator) /* one thread at a time */
		return false;
	long query = syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0);
	return query > 0 && query & MEMBARRIER_CMD_PRIVATE_EXPEDITED &&
	       syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
}

static void enlist(struct rt_runtime *r, struct rt_submitter *s)
{
	void *head = weft_load_ptr(&r->submitters);
	do {
		s->next = head;
	} while (!weft_cas_ptr(&r->submitters, &head, s));
}

/* Who holds a submitter of the application; the last one frees it. Threads may end before the runtime or behind it. */
enum { BY_RUNTIME = 1, BY_THREAD = 2 };

static int submitter_init(struct rt_submitter *s, struct rt_runtime *r, struct rt_worker *w)
{
	*s = (struct rt_submitter){.runtime = r, .worker = w, .pool = rt_pool_take()};
	weft_store_u32(&s->held, w ? 0 : BY_RUNTIME | BY_THREAD);
	weft_store_i32(&s->cpu, RT_NOWHERE);
	if (!s->pool)
		return -ENOMEM;
	if (!w && rt_inject_init(&s->queue)) {
		rt_pool_leave(s->pool);
		return -ENOMEM;
	}
	enlist(r, s);
	return 0;
}

static void submitter_fini(struct rt_submitter *s)
{
	rt_pool_leave(s->pool);
	rt_inject_fini(&s->queue);
	free(s->before.at);
}

static pthread_key_t thread_key;
static pthread_once_t thread_once = PTHREAD_ONCE_INIT;

static void let_go(struct rt_submitter *s, uint32_t by)
{
	weft_store_i32(&s->cpu, RT_NOWHERE);
	if (__atomic_fetch_and(&s->held.v, ~by, __ATOMIC_ACQ_REL) == by)
		free(s);
}

static void thread_ends(void *submitter)
{
	let_go(submitter, BY_THREAD);
}

static void make_key(void)
{
	if (pthread_key_create(&thread_key, thread_ends))
		WEFT_BUG("no key for the ends of threads");
}

/* What the thread has of an earlier runtime, or before it becomes a worker. */
static void leave_submitter(void)
{
	struct rt_submitter *s;
	pthread_once(&thread_once, make_key);
	s = pthread_getspecific(thread_key);
	if (s)
		let_go(s, BY_THREAD);
	pthread_setspecific(thread_key, NULL);
	self.of = 0;
}

/* One that a thread has left behind, with what may still be in its queue; or a new one. */
static struct rt_submitter *submitter_get(struct rt_runtime *r)
{
	for (struct rt_submitter *s = weft_load_ptr(&r->submitters); s; s = s->next) {
		uint32_t left_behind = BY_RUNTIME;
		if (!s->worker && weft_cas_u32(&s->held, &left_behind, BY_RUNTIME | BY_THREAD))
			return s;
	}
	struct rt_submitter *s = aligned_alloc(64, sizeof *s);
	if (!s || submitter_init(s, r, NULL)) {
		free(s);
		return NULL;
	}
	return s;
}

static struct rt_submitter *self_slow(struct rt_runtime *r)
{
	bool is_strand = rt_simulator && rt_simulator->in_strand(); /* its thread has another */
	if (!is_strand)
		leave_submitter();
	struct rt_submitter *s = submitter_get(r);
	if (s && !is_strand && pthread_setspecific(thread_key, s)) {
		let_go(s, BY_THREAD);
		s = NULL;
	}
	self.of = s ? r->serial : 0;
	return self.is = s;
}

void rt_strand_ends(void)
{
	if (rt_simulator && self.of && !self.worker)
		let_go(self.is, BY_THREAD);
}

struct rt_submitter *rt_self(struct rt_runtime *r)
{
	return WEFT_LIKELY(self.of == r->serial) ? self.is : self_slow(r);
}

struct rt_submitter *rt_self_known(const struct rt_runtime *r)
{
	return self.of == r->serial ? self.is : NULL;
}

struct rt_worker *rt_worker_self(void)
{
	return self.worker;
}

/* Which worker a strand is. */
static void *own_self(void)
{
	return &self;
}

void rt_worker_enter(struct rt_worker *w)
{
	if (!rt_simulator) /* a strand is no thread: what the thread has submitted stays its own */
		leave_submitter();
	self.is = &w->self;
	self.of = w->runtime->serial;
	self.worker = w;
	if (w->runtime->hooks->begin)
		w->runtime->hooks->begin(w);
}

void rt_worker_leave(struct rt_worker *w)
{
	rt_outbox_flush(&w->outbox);
	if (w->runtime->hooks->end)
		w->runtime->hooks->end(w);
	self.worker = NULL;
	self.of = 0;
}

static void *worker_begin(void *worker)
{
	struct rt_worker *w = worker;
	rt_worker_enter(w);
	rt_worker_back(w);
	rt_worker_main(w);
	rt_worker_leave(w);
	rt_stacks_free();
	return NULL;
}

static void bind(const struct rt_worker *w, int cpu)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET((unsigned)cpu, &set);
	/* A refusal is no fault: the worker runs where it may. */
	pthread_setaffinity_np(w->thread, sizeof set, &set);
}

static int worker_init(struct rt_runtime *r, unsigned i, unsigned traits)
{
	struct rt_worker *w = &r->worker[i];
	*w = (struct rt_worker){.runtime = r, .number = i, .random = 12345 + i, .traits = traits};
	rt_worker_aside(w); /* until it takes its first job */
	int rc = rt_deque_init(&w->deque);
	return rc ? rc : submitter_init(&w->self, r, w);
}

static int worker_start(struct rt_worker *w, int cpu)
{
	if (w->traits & RT_W_APPLICATION)
		return 0;
	if (rt_simulator)
		return rt_simulator->spawn(&w->strand, worker_begin, w);
	int rc = -pthread_create(&w->thread, NULL, worker_begin, w);
	if (!rc && cpu >= 0)
		bind(w, cpu);
	return rc;
}

static void fini(struct rt_runtime *r)
{
	for (unsigned i = 0; i < r->n_workers; i++)
		rt_deque_fini(&r->worker[i].deque);
	for (struct rt_submitter *s = weft_load_ptr(&r->submitters), *next; s; s = next) {
		next = s->next;
		submitter_fini(s);
		if (!s->worker)
			let_go(s, BY_RUNTIME);
	}
	for (unsigned i = 0; i < r->n_prios; i++)
		rt_prio_fini(&r->prio[i]);
	free(r->prio);
	free(r->worker);
	free(r);
	rt_jobs_end();
}

static void stop(struct rt_runtime *r, unsigned started)
{
	weft_store_bool(&r->stop, true);
	rt_ask(r, 0, RT_ASK_PAUSE);
	for (unsigned i = 0; i < started; i++) {
		if (r->worker[i].traits & RT_W_APPLICATION)
			continue;
		weft_store_u32(&r->worker[i].wake, 1);
		rt_futex_wake(&r->worker[i].wake, 1);
		if (rt_simulator)
			rt_simulator->join(r->worker[i].strand);
		else
			pthread_join(r->worker[i].thread, NULL);
	}
}

int rt_begin(struct rt_runtime **out, const struct rt_how *how, struct weft_err *err)
{
	*out = NULL;
	int rc = rt_jobs_begin(err);
	if (rc)
		return rc;
	rt_sim_keeps_own(own_self, sizeof self);
	struct rt_runtime *r = aligned_alloc(64, sizeof *r);
	struct rt_worker *w = aligned_alloc(64, how->workers * sizeof *w);
	unsigned n_prios = how->prios == RT_PRIO_OWN ? how->workers : how->prios != RT_PRIO_NONE;
	struct rt_prio *prio = aligned_alloc(64, (n_prios ? n_prios : 1) * sizeof *prio);
	if (!r || !w || !prio) {
		free(r);
		free(w);
		free(prio);
		rt_jobs_end();
		return weft_err_set(err, -ENOMEM, "cannot begin %u workers", how->workers);
	}
	*r = (struct rt_runtime){.serial = weft_add_u64(&serials, 1) + 1,
	                         .spin_ns = how->spin_ns,
	                         .membarrier = has_membarrier(),
	                         .hooks = how->hooks ? how->hooks : &no_hooks,
	                         .worker = w,
	                         .n_workers = how->workers,
	                         .prio = prio,
	                         .n_prios = n_prios,
	                         .prio_low = how->prios != RT_PRIO_FRONT};
	memset(w, 0, how->workers * sizeof *w);
	memset(prio, 0, n_prios * sizeof *prio);
	/* Workers look at each other: all are ready before the first begins. */
	unsigned started = 0;
	for (unsigned i = 0; i < how->workers && !rc; i++)
		rc = worker_init(r, i, how->traits ? how->traits[i] : 0);
	while (!rc && started < how->workers) {
		rc = worker_start(&w[started], how->cpu ? how->cpu[started] : -1);
		started += !rc;
	}
	if (rc) {
		stop(r, started);
		fini(r);
		return weft_err_set(err, rc, "cannot begin %u workers: %s", how->workers, weft_err_name(rc));
	}
	*out = r;
	return 0;
}

void rt_end(struct rt_runtime *r)
{
	stop(r, r->n_workers);
	fini(r);
}
