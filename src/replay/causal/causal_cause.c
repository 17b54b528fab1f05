/* SPDX-License-Identifier: Apache-2.0 */
/* What a node waited for: by each kind of link a rule, and of several the one that came last. */
#include "causal_priv.h"

#define NOBODY ((struct weft_causal_cause){WEFT_CAUSAL_NONE, WEFT_CAUSAL_NONE, 0, WEFT_CAUSAL_NONE})

static struct weft_causal_cause at_node(const struct weft_causal *c, uint32_t node, uint64_t time, uint32_t link)
{
	return (struct weft_causal_cause){c->of_node[node], node, time, link};
}

/* The first node of a thread that begins then or later. O(log nodes) */
static struct weft_causal_cause at_time(const struct weft_causal *c, uint32_t thread, uint64_t time, uint32_t link)
{
	const struct weft_causal_thread *t = &c->thread[thread];
	uint32_t low = t->first_node, high = t->first_node + t->n_nodes - 1;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c->node[mid].begin < time)
			low = mid + 1;
		else
			high = mid;
	}
	return (struct weft_causal_cause){thread, low, time, link};
}

static struct weft_causal_cause by_sender(const struct weft_causal *c, uint32_t node, uint32_t link)
{
	uint32_t from = c->send_node[c->link[link].arg];
	(void)node;
	return from == WEFT_CAUSAL_NONE ? NOBODY : at_node(c, from, c->node[from].begin, link);
}

/*
 * Libraries move what is not tiny only while the receiver is in MPI, whether it receives that very message or not. A send is taken for one that waited for
 * its receiver to come to MPI at all when that computed for most of the send's time, and the send ended soon after it had come.
 */
static struct weft_causal_cause by_progress(const struct weft_causal *c, uint32_t node, uint32_t receiver, uint32_t link)
{
	enum { LOOK_AT = 16 };
	const struct weft_causal_node *n = &c->node[node];
	const struct weft_causal_thread *t = &c->thread[receiver];
	uint64_t lasted = n->end - n->begin, most = lasted / 2;
	uint32_t at = at_time(c, receiver, n->end, link).node, found = WEFT_CAUSAL_NONE;
	for (uint32_t k = 0; k < LOOK_AT && at >= t->first_node && c->node[at].begin > n->begin; k++, at--) {
		uint64_t from = weft_causal_burst_begin(c, receiver, at), to = c->node[at].begin;
		from = from > n->begin ? from : n->begin;
		if (to <= n->end && to > from + most && weft_causal_is_mpi(c, c->node[at].path)) {
			most = to - from;
			found = at;
		}
		if (at == t->first_node)
			break;
	}
	if (found == WEFT_CAUSAL_NONE || n->end - c->node[found].begin > lasted / 4)
		return NOBODY;
	return at_node(c, found, c->node[found].begin, link);
}

/* A send that was over only behind the posting of its receive. */
static struct weft_causal_cause by_receiver(const struct weft_causal *c, uint32_t node, uint32_t link)
{
	const struct weft_messages *m = &c->trace->message;
	uint32_t i = c->link[link].arg;
	const struct weft_causal_node *n = &c->node[node];
	bool may = c->link[link].kind == WEFT_CAUSAL_SENT || n->flags & WEFT_CAUSAL_BLOCKING;
	uint32_t thread = m->recv_thread[i] == WEFT_NONE ? WEFT_CAUSAL_NONE : c->of_thread[m->recv_thread[i]];
	if (!may || thread == WEFT_CAUSAL_NONE)
		return NOBODY;
	if (m->recv_began[i] <= n->begin || m->recv_began[i] > n->end)
		return by_progress(c, node, thread, link);
	return at_time(c, thread, m->recv_began[i], link);
}

static struct weft_causal_cause by_meeting(const struct weft_causal *c, uint32_t node, uint32_t link)
{
	const struct weft_causal_meeting *m = &c->meeting[c->link[link].arg];
	uint32_t from = m->last;
	if (c->node[node].kind == WEFT_CAUSAL_STARVED)
		return NOBODY; /* it comes, and runs tasks */
	if (m->pattern == WEFT_CAUSAL_FROM_ONE)
		from = m->root;
	else if (m->pattern == WEFT_CAUSAL_TO_ONE && m->root != node)
		return NOBODY;
	return from == WEFT_CAUSAL_NONE || from == node ? NOBODY : at_node(c, from, c->node[from].begin, link);
}

/* A task of the runtime may run when it has been submitted and those before it have ended. */
static struct weft_causal_cause by_task(const struct weft_causal *c, uint32_t task, struct weft_causal_cause submitted)
{
	const struct weft_tasks_task *t = &c->tasks.task[task];
	struct weft_causal_cause last = submitted;
	for (uint32_t e = t->before; e < t->before + t->n_before; e++) {
		const struct weft_tasks_task *b = &c->tasks.task[c->tasks.edge[e]];
		if (b->end == WEFT_NEVER || b->worker == WEFT_TASKS_NO_ONE || b->end <= last.time)
			continue;
		uint32_t thread = c->of_thread[c->tasks.worker[b->worker].thread];
		if (thread != WEFT_CAUSAL_NONE)
			last = at_time(c, thread, b->end, submitted.link);
	}
	return last;
}

static struct weft_causal_cause by_arrow(const struct weft_causal *c, uint32_t node, uint32_t link)
{
	uint32_t flow = c->link[link].arg, from = c->out_node[flow];
	(void)node;
	if (from == WEFT_CAUSAL_NONE)
		return NOBODY;
	struct weft_causal_cause at = at_node(c, from, c->trace->flow.from_time[flow], link);
	uint32_t task = c->tasks.n && c->tasks.of_flow ? c->tasks.of_flow[flow] : WEFT_TASKS_NO_ONE;
	return task == WEFT_TASKS_NO_ONE ? at : by_task(c, task, at);
}

/* The last release, or end of a task, before the wait was over, by another thread. */
static struct weft_causal_cause by_list(const struct weft_causal *c, uint32_t node, uint32_t link)
{
	const struct weft_causal_list *l = &c->lock[c->link[link].arg];
	const struct weft_causal_node *n = &c->node[node];
	uint32_t low = 0, high = l->n;
	if (n->begin == n->end)
		return NOBODY;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (c->event[l->first + mid].time <= n->end)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low > 0 && c->event[l->first + low - 1].time > n->begin; low--) {
		const struct weft_causal_event *e = &c->event[l->first + low - 1];
		if (c->of_node[e->node] != c->of_node[node])
			return at_node(c, e->node, e->time, link);
	}
	if (c->holder[node] != WEFT_CAUSAL_NONE && c->holder[node] != c->of_node[node])
		return at_time(c, c->holder[node], n->end, link);
	return NOBODY;
}

struct weft_causal_cause weft_causal_cause_of_link(const struct weft_causal *c, uint32_t node, uint32_t link)
{
	static struct weft_causal_cause (*const rule[])(const struct weft_causal *, uint32_t, uint32_t) = {
		[WEFT_CAUSAL_SEND] = by_receiver, [WEFT_CAUSAL_RECV] = by_sender,    [WEFT_CAUSAL_SENT] = by_receiver,
		[WEFT_CAUSAL_JOINS] = by_meeting, [WEFT_CAUSAL_AWAITS] = by_meeting, [WEFT_CAUSAL_OUT] = NULL,
		[WEFT_CAUSAL_IN] = by_arrow,      [WEFT_CAUSAL_TAKE] = by_list,      [WEFT_CAUSAL_FREE] = NULL,
		[WEFT_CAUSAL_DONE] = NULL,        [WEFT_CAUSAL_DRAIN] = by_list,
	};
	uint32_t kind = c->link[link].kind;
	if (kind >= sizeof rule / sizeof *rule || !rule[kind])
		return NOBODY;
	struct weft_causal_cause cause = rule[kind](c, node, link);
	if (cause.thread == c->of_node[node] && cause.node == node)
		return NOBODY;
	if (cause.thread != WEFT_CAUSAL_NONE && cause.time > c->node[node].end)
		cause.time = c->node[node].end; /* clocks that differ */
	return cause;
}

/*
 * Nothing says what ended the wait of a helper (it polled, or nobody recorded the wake-up). Where its process's first thread was at work then, it
 * is taken for the one who did it.
 */
static struct weft_causal_cause by_first_thread(const struct weft_causal *c, uint32_t node)
{
	uint32_t thread = c->of_node[node], first = thread;
	while (first > 0 && c->thread[first - 1].process == c->thread[thread].process)
		first--;
	if (first == thread || c->node[node].begin == c->node[node].end)
		return NOBODY;
	struct weft_causal_cause at = at_time(c, first, c->node[node].end, WEFT_CAUSAL_NONE);
	bool works = weft_causal_burst_begin(c, first, at.node) < at.time && at.time <= c->node[at.node].begin;
	return works ? at : NOBODY;
}

bool weft_causal_passed_on(const struct weft_causal *c, uint32_t node, uint32_t link)
{
	if (c->node[node].kind != WEFT_CAUSAL_LOCK || c->link[link].kind != WEFT_CAUSAL_IN)
		return false;
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++)
		if (c->link[k].kind == WEFT_CAUSAL_TAKE)
			return true;
	return false;
}

struct weft_causal_cause weft_causal_cause(const struct weft_causal *c, uint32_t node)
{
	struct weft_causal_cause last = NOBODY;
	if (c->node[node].kind == WEFT_CAUSAL_WAIT)
		return by_first_thread(c, node);
	for (uint32_t k = c->node[node].first_link; k < c->node[node + 1].first_link; k++) {
		if (weft_causal_passed_on(c, node, k))
			continue;
		struct weft_causal_cause one = weft_causal_cause_of_link(c, node, k);
		if (one.thread != WEFT_CAUSAL_NONE && (last.thread == WEFT_CAUSAL_NONE || one.time > last.time))
			last = one;
	}
	return last;
}

uint64_t weft_causal_burst_begin(const struct weft_causal *c, uint32_t thread, uint32_t node)
{
	return node == c->thread[thread].first_node ? c->thread[thread].begin : c->node[node - 1].end;
}

bool weft_causal_computes(const struct weft_causal *c, uint32_t path)
{
	unsigned role = weft_causal_region_of(c, path)->role;
	return role <= CAUSAL_COMPUTES || role == CAUSAL_OMP_PART || role == CAUSAL_OMP_LOOP || role == CAUSAL_OMP_CHUNK ||
	       role == CAUSAL_OMP_LOCK || role == CAUSAL_OMP_TASK || role == CAUSAL_TASK || role == CAUSAL_COMMUNICATES;
}

bool weft_causal_is_mpi(const struct weft_causal *c, uint32_t path)
{
	unsigned role = weft_causal_region_of(c, path)->role;
	return role >= CAUSAL_MPI && role <= CAUSAL_MPI_WAITALL;
}

bool weft_causal_parallel(const struct weft_causal *c, uint32_t path)
{
	bool computes = weft_causal_computes(c, path);
	for (uint32_t p = path; computes && p != WEFT_CAUSAL_NONE; p = c->path[p].parent)
		if (c->region[c->path[p].region].role == CAUSAL_OMP_PART)
			return true;
	return computes && c->has_ranks;
}

bool weft_causal_waits_for_input(const struct weft_causal *c, uint32_t path)
{
	return weft_causal_region_of(c, path)->role == CAUSAL_INPUT;
}

bool weft_causal_is_programs(const struct weft_causal *c, uint32_t region)
{
	return c->region[region].role == CAUSAL_COMPUTES;
}
