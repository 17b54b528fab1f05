/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The run again: a heap of threads by when each comes to its next node. The first one comes: whoever waits for that is looked at again, and it
 * goes on, or waits itself. So all that is before an instant has happened when the instant is looked at, and locks go to whom comes first.
 *
 * Waiters of a node stand in a list by the node (each thread waits for one at a time); waiters of a meeting go on when its count is full.
 */
#include "whatif.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NEVER UINT64_MAX
#define NOBODY WEFT_CAUSAL_NONE

struct ready {
	uint64_t time;
	uint32_t thread;
};
struct player {         /* a thread */
	uint32_t node;  /* the next, or where it waits */
	uint32_t next;  /* of those that wait for the same */
	uint64_t later; /* what it has put off waiting for */
	bool waits, over;
};
struct gathering { /* a meeting */
	uint32_t n, first_waiter;
	uint64_t last;
};
struct lock {
	uint32_t holder, first, final; /* threads that stand in line */
	bool plays;                    /* each taking has its release: it can be handed on */
};
struct run {
	const struct weft_whatif *w;
	const struct weft_causal *c;
	struct weft_whatif_result *out;
	uint64_t *begin, *end; /* of nodes; NEVER: not yet */
	uint32_t *waiter;      /* of nodes: the first thread that waits for it */
	struct player *player;
	struct gathering *meeting;
	struct lock *lock;
	struct ready *heap;
	uint32_t *again; /* threads that what they waited for has come for */
	uint32_t n_heap, n_again;
	bool let_go; /* too much never comes: nobody waits any more */
};

/* ---- the heap ---- */

static bool before(const struct ready *a, const struct ready *b)
{
	return a->time != b->time ? a->time < b->time : a->thread < b->thread;
}

static void heap_push(struct run *r, uint64_t time, uint32_t thread)
{
	uint32_t i = r->n_heap++;
	struct ready in = {time, thread};
	while (i > 0 && before(&in, &r->heap[(i - 1) / 2])) {
		r->heap[i] = r->heap[(i - 1) / 2];
		i = (i - 1) / 2;
	}
	r->heap[i] = in;
}

static struct ready heap_pop(struct run *r)
{
	struct ready top = r->heap[0], in = r->heap[--r->n_heap];
	uint32_t i = 0;
	for (;;) {
		uint32_t k = 2 * i + 1;
		if (k >= r->n_heap)
			break;
		if (k + 1 < r->n_heap && before(&r->heap[k + 1], &r->heap[k]))
			k++;
		if (!before(&r->heap[k], &in))
			break;
		r->heap[i] = r->heap[k];
		i = k;
	}
	r->heap[i] = in;
	return top;
}

/* ---- waking ---- */

static void wake(struct run *r, uint32_t *first)
{
	for (uint32_t t = *first; t != NOBODY; t = r->player[t].next) {
		r->player[t].waits = false;
		r->again[r->n_again++] = t;
	}
	*first = NOBODY;
}

static void wait_on(struct run *r, uint32_t *first, uint32_t thread)
{
	r->player[thread].next = *first;
	r->player[thread].waits = true;
	*first = thread;
}

/* ---- what a node needs: the latest of it, or NEVER when it has to wait (then it stands in a list) ---- */

static uint64_t need_begin(struct run *r, uint32_t thread, uint32_t node)
{
	if (r->begin[node] == NEVER)
		wait_on(r, &r->waiter[node], thread);
	return r->begin[node];
}

/* An instant within the burst in front of `node`, so far behind the end of the node before it. */
static uint64_t need_instant(struct run *r, uint32_t thread, uint32_t node, uint64_t time)
{
	const struct weft_causal *c = r->c;
	uint32_t of = c->of_node[node];
	if (time >= c->node[node].begin)
		return need_begin(r, thread, node);
	uint64_t from = weft_causal_burst_begin(c, of, node), past = time > from ? time - from : 0;
	if (node == c->thread[of].first_node)
		return time - c->begin;
	if (r->end[node - 1] == NEVER) {
		wait_on(r, &r->waiter[node - 1], thread);
		return NEVER;
	}
	return r->end[node - 1] + past;
}

static uint64_t need_meeting(struct run *r, uint32_t thread, uint32_t node, uint32_t meeting)
{
	const struct weft_causal_meeting *m = &r->c->meeting[meeting];
	if (m->pattern == WEFT_CAUSAL_FROM_ONE)
		return m->root == NOBODY || m->root == node ? 0 : need_begin(r, thread, m->root);
	if (m->pattern == WEFT_CAUSAL_TO_ONE && m->root != node)
		return 0;
	if (r->meeting[meeting].n < m->n_members) {
		wait_on(r, &r->meeting[meeting].first_waiter, thread);
		return NEVER;
	}
	return r->meeting[meeting].last;
}

/* Ends of tasks: of each other thread the last one before the recorded wait was over. */
static uint64_t need_tasks(struct run *r, uint32_t thread, uint32_t node, uint32_t list)
{
	enum { LOOK_AT = 64 };
	const struct weft_causal *c = r->c;
	const struct weft_causal_list *l = &c->lock[list];
	uint32_t low = 0, high = l->n;
	uint64_t last = 0;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c->event[l->first + mid].time <= c->node[node].end)
			low = mid + 1;
		else
			high = mid;
	}
	for (unsigned k = 0; k < LOOK_AT && low > 0; k++, low--) {
		uint32_t from = c->event[l->first + low - 1].node;
		if (c->of_node[from] == thread)
			continue;
		uint64_t one = need_begin(r, thread, from);
		if (one == NEVER)
			return NEVER;
		last = one > last ? one : last;
	}
	return last;
}

static uint64_t need_task(struct run *r, uint32_t thread, uint32_t flow)
{
	const struct weft_causal *c = r->c;
	uint32_t task = c->tasks.n && c->tasks.of_flow ? c->tasks.of_flow[flow] : WEFT_TASKS_NO_ONE;
	uint64_t last = c->out_node[flow] == NOBODY ? 0 : need_begin(r, thread, c->out_node[flow]);
	if (last == NEVER || task == WEFT_TASKS_NO_ONE)
		return last;
	const struct weft_tasks_task *t = &c->tasks.task[task];
	for (uint32_t e = t->before; e < t->before + t->n_before; e++) {
		const struct weft_tasks_task *b = &c->tasks.task[c->tasks.edge[e]];
		if (b->end == WEFT_NEVER || b->worker == WEFT_TASKS_NO_ONE || b->end > t->start)
			continue;
		uint32_t of = c->of_thread[c->tasks.worker[b->worker].thread];
		if (of == WEFT_CAUSAL_NONE || of == thread)
			continue;
		uint32_t low = c->thread[of].first_node, high = low + c->thread[of].n_nodes - 1;
		while (low < high) {
			uint32_t mid = low + (high - low) / 2;
			if (c->node[mid].begin < b->end)
				low = mid + 1;
			else
				high = mid;
		}
		uint64_t one = need_begin(r, thread, low);
		if (one == NEVER)
			return NEVER;
		last = one > last ? one : last;
	}
	return last;
}

/* The holder of a lock that cannot be handed on: as it was recorded. */
static uint64_t need_recorded(struct run *r, uint32_t thread, uint32_t node, uint32_t link)
{
	struct weft_causal_cause cause = weft_causal_cause_of_link(r->c, node, link);
	return cause.thread == WEFT_CAUSAL_NONE ? 0 : need_instant(r, thread, cause.node, cause.time);
}

static uint64_t need_link(struct run *r, uint32_t thread, uint32_t node, uint32_t link)
{
	const struct weft_causal *c = r->c;
	uint32_t arg = c->link[link].arg;
	switch (c->link[link].kind) {
	case WEFT_CAUSAL_RECV:
		return c->send_node[arg] == NOBODY ? 0 : need_begin(r, thread, c->send_node[arg]);
	case WEFT_CAUSAL_SEND:
	case WEFT_CAUSAL_SENT:
		return need_recorded(r, thread, node, link);
	case WEFT_CAUSAL_JOINS:
		if (c->node[node].kind == WEFT_CAUSAL_STARVED)
			return 0; /* it has come, and runs tasks */
		return need_meeting(r, thread, node, arg);
	case WEFT_CAUSAL_AWAITS:
		return need_meeting(r, thread, node, arg);
	case WEFT_CAUSAL_IN:
		return weft_causal_passed_on(c, node, link) ? 0 : need_task(r, thread, arg);
	case WEFT_CAUSAL_DRAIN:
		return need_tasks(r, thread, node, arg);
	case WEFT_CAUSAL_TAKE:
		return r->lock[arg].plays ? 0 : need_recorded(r, thread, node, link);
	default:
		return 0;
	}
}

/* ---- locks ---- */

/* Whether the thread has to stand in line. */
static bool take_locks(struct run *r, uint32_t thread, uint32_t node)
{
	const struct weft_causal *c = r->c;
	if (r->w->mode[node] & WEFT_WHATIF_NO_LOCK || r->let_go)
		return false;
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++) {
		struct lock *l = c->link[k].kind == WEFT_CAUSAL_TAKE ? &r->lock[c->link[k].arg] : NULL;
		if (!l || !l->plays || l->holder == thread)
			continue;
		if (l->holder == NOBODY) {
			l->holder = thread;
			continue;
		}
		r->player[thread].next = NOBODY;
		r->player[thread].waits = true;
		if (l->first == NOBODY)
			l->first = thread;
		else
			r->player[l->final].next = thread;
		l->final = thread;
		return true;
	}
	return false;
}

static void proceed(struct run *r, uint32_t thread, uint64_t end);

static void free_lock(struct run *r, uint32_t thread, struct lock *l, uint64_t now)
{
	if (!l->plays || l->holder != thread)
		return;
	uint32_t next = l->first;
	l->holder = next;
	if (next == NOBODY)
		return;
	l->first = r->player[next].next;
	r->player[next].waits = false;
	uint32_t node = r->player[next].node;
	uint64_t own = r->begin[node] + r->w->own[node], got = now + r->w->after[node];
	proceed(r, next, own > got ? own : got);
}

/* ---- a thread at its node ---- */

static void proceed(struct run *r, uint32_t thread, uint64_t end)
{
	struct player *p = &r->player[thread];
	uint32_t node = p->node;
	r->end[node] = end;
	if (r->out->thread_ns && end > r->out->thread_ns[thread] && r->c->node[node].begin <= r->c->thread[thread].end)
		r->out->thread_ns[thread] = r->c->node[node].end <= r->c->thread[thread].end ? end : r->begin[node];
	p->node++;
	if (r->c->node[node].kind == WEFT_CAUSAL_END)
		p->over = true;
	else
		heap_push(r, end + r->w->burst[node + 1], thread);
	wake(r, &r->waiter[node]);
}

/* What was put off is waited for where the next exchange begins, at the next meeting, at the end. */
static uint64_t put_off(struct player *p, unsigned mode, unsigned kind, uint64_t need)
{
	uint64_t owed = p->later;
	if (mode & WEFT_WHATIF_LATER) {
		bool settles = mode & WEFT_WHATIF_SETTLES;
		p->later = !settles && owed > need ? owed : need;
		return settles ? owed : 0;
	}
	if (kind != WEFT_CAUSAL_MEET && kind != WEFT_CAUSAL_END)
		return need;
	p->later = 0;
	return owed > need ? owed : need;
}

static void look_again(struct run *r, uint32_t thread)
{
	struct player *p = &r->player[thread];
	const struct weft_causal *c = r->c;
	uint32_t node = p->node;
	unsigned mode = r->w->mode[node];
	bool waits = !(mode & WEFT_WHATIF_FREE) && !r->let_go;
	uint64_t need = 0;
	for (uint32_t k = c->node[node].first_link; waits && k < c->node[node + 1].first_link; k++) {
		if (mode & WEFT_WHATIF_NO_LOCK && c->link[k].kind == WEFT_CAUSAL_TAKE)
			continue;
		uint64_t one = need_link(r, thread, node, k);
		if (one == NEVER)
			return;
		need = one > need ? one : need;
	}
	if (waits && c->node[node].kind == WEFT_CAUSAL_WAIT) {
		struct weft_causal_cause cause = weft_causal_cause(c, node);
		need = cause.thread == NOBODY ? 0 : need_instant(r, thread, cause.node, cause.time);
		if (need == NEVER)
			return;
	}
	uint64_t end = r->begin[node] + r->w->own[node];
	uint64_t got = put_off(p, mode, c->node[node].kind, need ? need + r->w->after[node] : 0);
	proceed(r, thread, end > got ? end : got);
}

static void come(struct run *r, uint32_t thread, uint64_t now)
{
	const struct weft_causal *c = r->c;
	uint32_t node = r->player[thread].node;
	r->begin[node] = now;
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++) {
		uint32_t arg = c->link[k].arg;
		if (c->link[k].kind == WEFT_CAUSAL_JOINS) {
			struct gathering *g = &r->meeting[arg];
			g->last = now > g->last ? now : g->last;
			if (++g->n == c->meeting[arg].n_members)
				wake(r, &g->first_waiter);
		} else if (c->link[k].kind == WEFT_CAUSAL_FREE && !(r->w->mode[node] & WEFT_WHATIF_NO_LOCK)) {
			free_lock(r, thread, &r->lock[arg], now);
		}
	}
	wake(r, &r->waiter[node]);
	if (!take_locks(r, thread, node))
		look_again(r, thread);
}

/* Out of whatever list it stands in. */
static void take_out(struct run *r, uint32_t thread)
{
	const struct weft_causal *c = r->c;
	uint32_t meetings = c->n_nodes, locks = meetings + c->n_meetings;
	for (uint32_t i = 0; i < locks + c->n_locks; i++) {
		uint32_t *at = i < meetings ? &r->waiter[i]
		               : i < locks  ? &r->meeting[i - meetings].first_waiter
		                            : &r->lock[i - locks].first;
		uint32_t last = NOBODY;
		while (*at != NOBODY && *at != thread) {
			last = *at;
			at = &r->player[*at].next;
		}
		if (*at == NOBODY)
			continue;
		*at = r->player[thread].next;
		if (i >= locks && r->lock[i - locks].final == thread)
			r->lock[i - locks].final = last;
		return;
	}
}

/* Nobody can come any more, and some still wait: the one that came first is let go on. */
static bool force(struct run *r)
{
	uint32_t first = NOBODY;
	for (uint32_t t = 0; t < r->c->n_threads; t++)
		if (!r->player[t].over && (first == NOBODY || r->begin[r->player[t].node] < r->begin[r->player[first].node]))
			first = t;
	if (first == NOBODY)
		return false;
	uint32_t node = r->player[first].node;
	take_out(r, first);
	enum { PATIENCE = 64 };
	r->let_go = ++r->out->forced > PATIENCE;
	r->player[first].waits = false;
	proceed(r, first, r->begin[node] + (r->c->node[node].end - r->c->node[node].begin));
	return true;
}

/* ---- begin and end ---- */

/* Locks whose takings and releases are all recorded, and which one thread alone can have. */
static void choose_locks(struct run *r)
{
	const struct weft_causal *c = r->c;
	for (uint32_t i = 0; i < c->n_locks; i++)
		r->lock[i] = (struct lock){NOBODY, NOBODY, NOBODY, c->lock[i].n > 0};
	int64_t *open = calloc((size_t)c->n_locks + 1, sizeof *open);
	for (uint32_t i = 0; i < c->n_locks; i++)
		r->lock[i].plays = r->lock[i].plays && open;
	for (uint32_t i = 0; open && i < c->n_nodes; i++)
		for (uint32_t k = c->node[i].first_link; k < c->node[i + 1].first_link; k++) {
			uint32_t kind = c->link[k].kind, arg = c->link[k].arg;
			if (kind == WEFT_CAUSAL_TAKE) {
				open[arg]++;
				if (strstr(c->region[c->path[c->node[i].path].region].name, "rdlock"))
					r->lock[arg].plays = false;
			} else if (kind == WEFT_CAUSAL_FREE) {
				open[arg]--;
			}
		}
	for (uint32_t i = 0; open && i < c->n_locks; i++)
		r->lock[i].plays = r->lock[i].plays && open[i] == 0;
	free(open);
}

static int prepare(struct run *r, bool nodes)
{
	const struct weft_causal *c = r->c;
	size_t n = (size_t)c->n_nodes + 1;
	r->begin = malloc(n * sizeof *r->begin);
	r->end = malloc(n * sizeof *r->end);
	r->waiter = malloc(n * sizeof *r->waiter);
	r->player = calloc((size_t)c->n_threads + 1, sizeof *r->player);
	r->heap = malloc(((size_t)c->n_threads + 1) * sizeof *r->heap);
	r->again = malloc(((size_t)c->n_threads + 1) * sizeof *r->again);
	r->meeting = calloc((size_t)c->n_meetings + 1, sizeof *r->meeting);
	r->lock = calloc((size_t)c->n_locks + 1, sizeof *r->lock);
	r->out->thread_ns = calloc((size_t)c->n_threads + 1, sizeof *r->out->thread_ns);
	if (!r->begin || !r->end || !r->waiter || !r->player || !r->heap || !r->again || !r->meeting || !r->lock ||
	    !r->out->thread_ns)
		return -ENOMEM;
	if (nodes)
		r->out->node_end = r->end;
	memset(r->begin, 0xff, n * sizeof *r->begin);
	memset(r->end, 0xff, n * sizeof *r->end);
	memset(r->waiter, 0xff, n * sizeof *r->waiter);
	for (uint32_t i = 0; i < c->n_meetings; i++)
		r->meeting[i].first_waiter = NOBODY;
	choose_locks(r);
	for (uint32_t t = 0; t < c->n_threads; t++) {
		r->player[t].node = c->thread[t].first_node;
		heap_push(r, r->w->start[t] + r->w->burst[c->thread[t].first_node], t);
	}
	return 0;
}

int weft_whatif_run(const struct weft_whatif *w, bool nodes, struct weft_whatif_result *out)
{
	struct run r = {.w = w, .c = w->c, .out = out};
	*out = (struct weft_whatif_result){0};
	int rc = prepare(&r, nodes);
	while (!rc && (r.n_again || r.n_heap || force(&r))) {
		if (r.n_again) {
			look_again(&r, r.again[--r.n_again]);
		} else if (r.n_heap) {
			struct ready next = heap_pop(&r);
			come(&r, next.thread, next.time);
		}
	}
	for (uint32_t t = 0; !rc && t < w->c->n_threads; t++)
		out->end = out->thread_ns[t] > out->end ? out->thread_ns[t] : out->end;
	free(r.begin);
	if (!out->node_end || rc)
		free(r.end);
	free(r.waiter);
	free(r.player);
	free(r.heap);
	free(r.again);
	free(r.meeting);
	free(r.lock);
	if (rc) {
		out->node_end = NULL;
		weft_whatif_result_fini(out);
	}
	return rc;
}

void weft_whatif_result_fini(struct weft_whatif_result *r)
{
	free(r->thread_ns);
	free(r->node_end);
	*r = (struct weft_whatif_result){0};
}
