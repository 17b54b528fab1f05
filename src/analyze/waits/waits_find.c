/* SPDX-License-Identifier: Apache-2.0 */
/* Finding waits and saying what they were: by what the node met last, and by what its region is. */
#include "waits.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const struct weft_wait_row weft_wait_row[WEFT_WAIT_CLASSES] = {
	[WEFT_WAIT_LATE_SENDER] = {"late_sender", "late sender", "the message was sent after its receiver was ready"},
	[WEFT_WAIT_WRONG_ORDER] = {"wrong_order", "late sender, wrong order",
                                   "another message that was taken later had been sent before"},
	[WEFT_WAIT_LATE_RECEIVER] = {"late_receiver", "late receiver",
                                     "the send waited until its receiver was in MPI, or had posted its receive"},
	[WEFT_WAIT_EAGER_LIMIT] = {"eager_limit", "eager limit",
                                   "the receiver was sending itself: below the eager limit neither would have waited"},
	[WEFT_WAIT_N_TO_N] = {"n_to_n", "wait at N to N", "a collective operation that needs all"},
	[WEFT_WAIT_ONE_TO_N] = {"one_to_n", "late broadcast", "the root of a 1 to N operation came late"},
	[WEFT_WAIT_N_TO_ONE] = {"n_to_one", "early reduce", "the root of an N to 1 operation came before others"},
	[WEFT_WAIT_MPI_BARRIER] = {"mpi_barrier", "wait at MPI barrier", "others came later"},
	[WEFT_WAIT_MPI_EDGE] = {"mpi_edge", "MPI init, finalize", "others came later to the begin or end of MPI"},
	[WEFT_WAIT_TEAM_BARRIER] = {"team_barrier", "OpenMP barrier", "others of the team came later"},
	[WEFT_WAIT_TEAM_END] = {"team_end", "OpenMP join", "others of the team were at work at its end"},
	[WEFT_WAIT_TEAM_IDLE] = {"team_idle", "OpenMP idle", "no parallel region: the master was alone at work"},
	[WEFT_WAIT_THREAD_BARRIER] = {"thread_barrier", "thread barrier", "other threads came later"},
	[WEFT_WAIT_LOCK] = {"lock", "lock", "another thread had it"},
	[WEFT_WAIT_CRITICAL] = {"critical", "critical section", "another thread was in it"},
	[WEFT_WAIT_WOKEN] = {"woken", "wake-up", "a condition variable or a semaphore, until another thread signalled"},
	[WEFT_WAIT_JOIN] = {"join", "thread join", "until a thread had ended, or begun"},
	[WEFT_WAIT_TASKS] = {"tasks", "wait for tasks", "until tasks on other threads had ended"},
	[WEFT_WAIT_NO_TASK] = {"no_task", "lack of tasks", "no task was ready: those before had not ended, or there were none"},
	[WEFT_WAIT_LATE_SUBMITTER] = {"late_submitter", "late submitter", "the next task was submitted, or made, too late"},
	[WEFT_WAIT_INPUT] = {"input", "wait for input", "poll, select and their like"},
	[WEFT_WAIT_NEVER_WOKEN] = {"never_woken", "never woken",
                                   "at the end of a thread that nobody woke before the run was over"},
	[WEFT_WAIT_OTHER] = {"other", "other", "nothing says for what"},
};

static unsigned class_of_meeting(const struct weft_causal *c, uint32_t link)
{
	const struct weft_causal_meeting *m = &c->meeting[c->link[link].arg];
	static const uint8_t by_why[WEFT_CAUSAL_WHYS] = {
		[WEFT_CAUSAL_COLLECTIVE] = WEFT_WAIT_N_TO_N,
		[WEFT_CAUSAL_MPI_BARRIER] = WEFT_WAIT_MPI_BARRIER,
		[WEFT_CAUSAL_MPI_EDGE] = WEFT_WAIT_MPI_EDGE,
		[WEFT_CAUSAL_OMP_BARRIER] = WEFT_WAIT_TEAM_BARRIER,
		[WEFT_CAUSAL_TEAM_BEGIN] = WEFT_WAIT_TEAM_IDLE,
		[WEFT_CAUSAL_TEAM_END] = WEFT_WAIT_TEAM_END,
		[WEFT_CAUSAL_THREAD_BARRIER] = WEFT_WAIT_THREAD_BARRIER,
	};
	if (m->why == WEFT_CAUSAL_COLLECTIVE && m->pattern != WEFT_CAUSAL_ALL)
		return m->pattern == WEFT_CAUSAL_FROM_ONE ? WEFT_WAIT_ONE_TO_N : WEFT_WAIT_N_TO_ONE;
	return by_why[m->why];
}

/* A worker of the task runtime, or a thread at a barrier that runs tasks. */
static unsigned class_of_starved(const struct weft_causal *c, const struct weft_causal_cause *cause)
{
	return c->link[cause->link].kind == WEFT_CAUSAL_IN && cause->node == c->out_node[c->link[cause->link].arg]
	               ? WEFT_WAIT_LATE_SUBMITTER
	               : WEFT_WAIT_NO_TASK;
}

/* The receiver stood in a send of its own, or a receive behind one, when it should have received. */
static bool receiver_sends(const struct weft_causal *c, uint64_t from, const struct weft_causal_cause *cause)
{
	uint32_t first = c->thread[cause->thread].first_node, node = cause->node;
	return node > first && c->node[node - 1].flags & WEFT_CAUSAL_BLOCKING && c->node[node - 1].begin <= from &&
	       c->node[node - 1].end + 20000 >= cause->time;
}

static unsigned class_of(const struct weft_causal *c, uint32_t node, const struct weft_causal_cause *cause,
                         const bool *wrong_order)
{
	uint32_t kind = cause->link == WEFT_CAUSAL_NONE ? UINT32_MAX : c->link[cause->link].kind;
	const char *name = c->region[c->path[c->node[node].path].region].name;
	switch (kind) {
	case WEFT_CAUSAL_RECV:
		return wrong_order[c->link[cause->link].arg] ? WEFT_WAIT_WRONG_ORDER : WEFT_WAIT_LATE_SENDER;
	case WEFT_CAUSAL_SEND:
	case WEFT_CAUSAL_SENT:
		return !(c->node[node].flags & WEFT_CAUSAL_SYNCHRONOUS) && receiver_sends(c, c->node[node].begin, cause)
		               ? WEFT_WAIT_EAGER_LIMIT
		               : WEFT_WAIT_LATE_RECEIVER;
	case WEFT_CAUSAL_JOINS:
	case WEFT_CAUSAL_AWAITS:
		return class_of_meeting(c, cause->link);
	case WEFT_CAUSAL_TAKE:
		return c->lock[c->link[cause->link].arg].name ? WEFT_WAIT_LOCK : WEFT_WAIT_CRITICAL;
	case WEFT_CAUSAL_DRAIN:
		return WEFT_WAIT_TASKS;
	case WEFT_CAUSAL_IN:
		if (c->node[node].kind == WEFT_CAUSAL_STARVED)
			return class_of_starved(c, cause);
		return strstr(name, "join") || c->node[node].begin == c->thread[c->of_node[node]].begin ? WEFT_WAIT_JOIN
		                                                                                        : WEFT_WAIT_WOKEN;
	default:
		return weft_causal_waits_for_input(c, c->node[node].path) ? WEFT_WAIT_INPUT : WEFT_WAIT_OTHER;
	}
}

/* Of messages to one thread, in the order in which they were taken: one that was sent behind a message that is taken later. */
static int find_wrong_order(const struct weft_causal *c, bool *wrong)
{
	const struct weft_messages *m = &c->trace->message;
	uint64_t *least = malloc(((size_t)c->n_threads + 1) * sizeof *least);
	if (!least)
		return -ENOMEM;
	memset(least, 0xff, (size_t)c->n_threads * sizeof *least);
	for (uint32_t i = c->n_nodes; i-- > 0;) {
		uint32_t thread = c->of_node[i];
		/* all of one call against what comes behind the call */
		uint64_t behind = least[thread];
		for (uint32_t k = c->node[i].first_link; k < c->node[i + 1].first_link; k++) {
			if (c->link[k].kind != WEFT_CAUSAL_RECV)
				continue;
			uint32_t at = c->link[k].arg;
			uint64_t sent = m->send_done[at];
			wrong[at] = sent != WEFT_NEVER && behind < m->send_began[at] && behind != WEFT_NEVER;
			if (sent < least[thread])
				least[thread] = sent;
		}
	}
	free(least);
	return 0;
}

static bool is_wait(const struct weft_causal *c, uint32_t node)
{
	return c->node[node].kind != WEFT_CAUSAL_POINT && c->node[node].kind != WEFT_CAUSAL_END &&
	       c->node[node].end > c->node[node].begin;
}

/* Waits without a cause: for nothing that anybody has told. */
static unsigned class_of_unknown(const struct weft_causal *c, uint32_t node, uint64_t *ns)
{
	const struct weft_causal_node *n = &c->node[node];
	if (n->begin >= c->thread[c->of_node[node]].end && n->kind == WEFT_CAUSAL_WAIT) {
		uint64_t end = n->end < c->end ? n->end : c->end;
		*ns = end > n->begin ? end - n->begin : 0;
		return WEFT_WAIT_NEVER_WOKEN;
	}
	*ns = n->end - n->begin;
	if (n->kind == WEFT_CAUSAL_STARVED && n->first_link == c->node[node + 1].first_link)
		return WEFT_WAIT_NO_TASK;
	if (n->kind != WEFT_CAUSAL_WAIT)
		*ns = 0; /* what was needed was there: the call's own time */
	return weft_causal_waits_for_input(c, c->node[node].path) ? WEFT_WAIT_INPUT : WEFT_WAIT_OTHER;
}

static int add_wait(struct weft_waits *w, uint32_t *cap, struct weft_wait one)
{
	if (w->n == *cap) {
		uint32_t more = *cap + *cap / 2 + 1024;
		struct weft_wait *at = realloc(w->wait, more * sizeof *at);
		if (!at)
			return -ENOMEM;
		w->wait = at;
		*cap = more;
	}
	w->of_node[one.node] = w->n;
	w->wait[w->n++] = one;
	w->total_ns += one.ns;
	w->class_ns[one.class] += one.ns;
	w->class_n[one.class]++;
	return 0;
}

static int look_at(struct weft_waits *w, uint32_t node, const bool *wrong, uint32_t *cap)
{
	const struct weft_causal *c = w->c;
	struct weft_causal_cause cause = weft_causal_cause(c, node);
	struct weft_wait one = {.node = node, .cause_thread = cause.thread, .cause_node = cause.node};
	if (cause.thread == WEFT_CAUSAL_NONE) {
		one.class = (uint8_t)class_of_unknown(c, node, &one.ns);
	} else {
		one.ns = cause.time > c->node[node].begin ? cause.time - c->node[node].begin : 0;
		one.class = (uint8_t)class_of(c, node, &cause, wrong);
	}
	return one.ns ? add_wait(w, cap, one) : 0;
}

int weft_waits_find(const struct weft_causal *c, struct weft_waits *out)
{
	bool *wrong = calloc((size_t)c->trace->message.n + 1, sizeof *wrong);
	uint32_t cap = 0;
	*out = (struct weft_waits){.c = c};
	out->of_node = malloc(((size_t)c->n_nodes + 1) * sizeof *out->of_node);
	int rc = wrong && out->of_node ? find_wrong_order(c, wrong) : -ENOMEM;
	if (!rc)
		memset(out->of_node, 0xff, ((size_t)c->n_nodes + 1) * sizeof *out->of_node);
	for (uint32_t i = 0; !rc && i < c->n_nodes; i++)
		if (is_wait(c, i))
			rc = look_at(out, i, wrong, &cap);
	free(wrong);
	if (rc)
		weft_waits_fini(out);
	return rc;
}

void weft_waits_fini(struct weft_waits *w)
{
	free(w->wait);
	free(w->of_node);
	free(w->cost);
	*w = (struct weft_waits){0};
}
