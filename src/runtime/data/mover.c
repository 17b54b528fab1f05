/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The movers' queues and threads.
 *
 * A move is a list of items (handle, node, mode) that are pinned on the way, all or none, and a
 * callback. It is queued at the mover of one node, sorted by urgency; one lock and one condition
 * serve all queues, since moves are long. A mover takes the first, gets all items, and calls
 * `done`. Threads begin with the first move of their node; where none can be made, the caller does
 * the move itself. In a simulated run strands take the place of threads.
 */
#include "mover.h"
#include "data_trace.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>

struct mover {
	pthread_t thread;
	struct rt_strand *strand; /* instead, in a runtime that is simulated */
	bool begun, stop;
	struct rt_move *first, *last; /* most urgent first */
};
static struct {
	pthread_mutex_t lock;
	pthread_cond_t came;
	struct mover of[STARPU_MAXNODES];
} movers = {.lock = PTHREAD_MUTEX_INITIALIZER, .came = PTHREAD_COND_INITIALIZER};
static _Thread_local bool is_mover;
static struct weft_atomic_u32 under_way; /* moves that are queued or running */

void *rt_mover_own(void)
{
	return &is_mover;
}

bool rt_data_may_wait(void)
{
	if (is_mover)
		return true;
	struct rt_submitter *s = rt_data_self();
	return s && !s->worker;
}

struct rt_move *rt_move_new(unsigned n)
{
	struct rt_move *m = calloc(1, sizeof *m + n * sizeof m->item[0]);
	if (m)
		m->n = n;
	return m;
}

/* A prefetched value must not change meanwhile: else the prefetch is of no use. */
static bool is_worth_it(const struct rt_move *m)
{
	starpu_data_handle_t h = m->n ? m->item[0].handle : NULL;
	return m->kind == STARPU_FETCH || !h || (!h->writing && h->initialized && !rt_replica_is_used_plainly(h, RT_WRITE));
}

/*
 * Other replicas on the item's node that the items before it have pinned: each once, and not its
 * own.
 */
static unsigned pinned_before(const struct rt_move *m, unsigned item)
{
	unsigned n = 0;
	for (unsigned i = 0; i < item; i++) {
		bool counts = m->item[i].node == m->item[item].node && m->item[i].handle != m->item[item].handle;
		for (unsigned k = 0; k < i && counts; k++)
			counts = m->item[k].handle != m->item[i].handle || m->item[k].node != m->item[i].node;
		n += counts;
	}
	return n;
}

/*
 * All items, or none: on failure pins are released. Readers first: a handle may be both read and
 * overwritten.
 */
static void get_all(struct rt_move *m)
{
	static const char *const causes[] = {[STARPU_FETCH] = "fetch",
	                                     [STARPU_TASK_PREFETCH] = "task prefetch",
	                                     [STARPU_PREFETCH] = "prefetch",
	                                     [STARPU_IDLEFETCH] = "idle fetch"};
	unsigned got = 0;
	uint32_t unasked = m->kind == STARPU_FETCH ? 0 : RT_UNASKED;
	weft_flow_in(rt_detail.transfer, m->number);
	const char *kind = (unsigned)m->kind < sizeof causes / sizeof *causes ? causes[m->kind] : NULL;
	rt_copy_why = (struct rt_copy_why){m->cause ? m->cause : kind, m->task};
	rt_replica_lock();
	m->rc = is_worth_it(m) ? 0 : -ECANCELED;
	for (; got < m->n && !m->rc; got += !m->rc) {
		m->rc = rt_replica_get_beside(m->item[got].handle, m->item[got].node, m->item[got].mode | unasked,
		                              pinned_before(m, got));
		m->failed = m->rc ? m->item[got].handle : NULL;
	}
	while (m->rc && got-- > 0)
		rt_replica_put(m->item[got].handle, m->item[got].node, m->item[got].mode);
	rt_replica_unlock();
	rt_copy_why = (struct rt_copy_why){0};
}

static void *run(void *arg)
{
	struct mover *v = arg;
	char name[16];
	is_mover = true;
	if (!rt_simulator) { /* else it is called as the worker that began it */
		snprintf(name, sizeof name, "mover %u", (unsigned)(v - movers.of) % 1000000);
		prctl(PR_SET_NAME, name);
		weft_name_thread(name); /* it may have begun by an event of its making */
	}
	pthread_mutex_lock(&movers.lock);
	for (;;) {
		while (!v->first && !v->stop)
			rt_cond_wait(&movers.came, &movers.lock);
		struct rt_move *m = v->first;
		if (!m)
			break;
		v->first = m->next;
		pthread_mutex_unlock(&movers.lock);
		get_all(m);
		m->done(m);
		weft_add_u32(&under_way, -UINT32_C(1));
		pthread_mutex_lock(&movers.lock);
	}
	pthread_mutex_unlock(&movers.lock);
	rt_strand_ends();
	return NULL;
}

static bool is_before(const struct rt_move *a, const struct rt_move *b)
{
	return a->kind < b->kind || (a->kind == b->kind && a->priority > b->priority);
}

void rt_move(struct rt_move *m, unsigned node, enum starpu_is_prefetch kind, int priority)
{
	struct mover *v = &movers.of[node];
	static struct weft_atomic_u64 moves;
	m->kind = kind;
	m->priority = priority;
	m->number = weft_add_u64(&moves, 1) + 1;
	weft_flow_out(rt_detail.transfer, m->number);
	weft_add_u32(&under_way, 1);
	pthread_mutex_lock(&movers.lock);
	/* Most moves come behind all others: there may be thousands. */
	struct rt_move **p = v->first && !is_before(m, v->last) ? &v->last->next : &v->first;
	while (*p && !is_before(m, *p))
		p = &(*p)->next;
	m->next = *p;
	*p = m;
	if (!m->next)
		v->last = m;
	if (!v->begun)
		v->begun = !(rt_simulator ? rt_simulator->spawn(&v->strand, run, v) : pthread_create(&v->thread, NULL, run, v));
	bool here = !v->begun;
	if (here)
		*p = m->next;
	rt_cond_broadcast(&movers.came);
	pthread_mutex_unlock(&movers.lock);
	if (here) { /* no thread could be made: the caller does it */
		get_all(m);
		m->done(m);
		weft_add_u32(&under_way, -UINT32_C(1));
	}
}

void rt_move_cancel(starpu_data_handle_t h)
{
	struct rt_move *cancelled = NULL;
	pthread_mutex_lock(&movers.lock);
	for (unsigned i = 0; i < STARPU_MAXNODES; i++)
		for (struct rt_move **p = &movers.of[i].first; *p;) {
			struct rt_move *m = *p;
			if (m->kind == STARPU_FETCH || !m->n || m->item[0].handle != h) {
				movers.of[i].last = m;
				p = &m->next;
				continue;
			}
			*p = m->next;
			m->next = cancelled;
			cancelled = m;
		}
	pthread_mutex_unlock(&movers.lock);
	for (struct rt_move *m = cancelled, *next; m; m = next) {
		next = m->next;
		m->rc = -ECANCELED;
		m->done(m);
		weft_add_u32(&under_way, -UINT32_C(1));
	}
	rt_replica_lock();
	while (h->moves)
		rt_cond_wait(&rt_data.changed, &rt_data.lock);
	rt_replica_unlock();
}

bool rt_movers_rest(void)
{
	return !weft_load_u32(&under_way);
}

void rt_mover_end(void)
{
	for (unsigned i = 0; i < STARPU_MAXNODES; i++) {
		struct mover *v = &movers.of[i];
		if (!v->begun)
			continue;
		pthread_mutex_lock(&movers.lock);
		v->stop = true;
		rt_cond_broadcast(&movers.came);
		pthread_mutex_unlock(&movers.lock);
		if (rt_simulator)
			rt_simulator->join(v->strand);
		else
			pthread_join(v->thread, NULL);
		*v = (struct mover){0};
	}
}
