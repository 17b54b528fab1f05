/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace from a run: the source's definitions are made again (their ids may differ), its ranks and threads, then events as the run
 * tells them. Both ends of a message carry its number as their key.
 */
#include "replay_trace.h"
#include "replay/program/trace_calls.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct weft_replay_trace {
	const struct weft_replay_program *p;
	const struct weft_trace *t;
	struct weft_replay_sink sink;
	struct weft_builder *b;
	struct weft_appender **to;  /* by thread of the program */
	uint32_t *id[WEFT_CLASSES]; /* by id in the source; owned */
};

static uint64_t rounded(double ns)
{
	return (uint64_t)floor(ns + 0.5);
}

/* ---- definitions ---- */

static int copy_labels(struct weft_replay_trace *w, const struct weft_def_row *row, uint32_t type)
{
	int rc = 0;
	for (uint32_t i = 0; i < row->n_labels && !rc; i++)
		rc = weft_build_label(w->b, type, row->label[i].value, row->label[i].text);
	return rc;
}

static int copy_class(struct weft_replay_trace *w, enum weft_class c)
{
	const struct weft_def_table *from = &w->t->def[c];
	w->id[c] = calloc((size_t)from->n + 1, sizeof *w->id[c]);
	if (!w->id[c])
		return -ENOMEM;
	for (uint32_t i = 1; i < from->n; i++) {
		struct weft_def_row row = from->at[i];
		if (row.category && w->id[WEFT_CLASS_CATEGORY])
			row.category = w->id[WEFT_CLASS_CATEGORY][row.category];
		const int64_t id = c == WEFT_CLASS_STRING ? weft_build_string(w->b, row.name, strlen(row.name))
		                                          : weft_build_def(w->b, c, &row);
		if (id < 0)
			return (int)id;
		w->id[c][i] = (uint32_t)id;
		int rc = c == WEFT_CLASS_TYPE ? copy_labels(w, &from->at[i], (uint32_t)id) : 0;
		if (rc)
			return rc;
	}
	return 0;
}

static int copy_definitions(struct weft_replay_trace *w)
{
	static const enum weft_class classes[] = {WEFT_CLASS_CATEGORY, WEFT_CLASS_STRING, WEFT_CLASS_REGION, WEFT_CLASS_TYPE,
	                                          WEFT_CLASS_COUNTER,  WEFT_CLASS_ATTR,   WEFT_CLASS_COMM};
	int rc = 0;
	for (size_t i = 0; i < sizeof classes / sizeof classes[0] && !rc; i++)
		rc = copy_class(w, classes[i]);
	return rc;
}

/* ---- objects ---- */

static int add_nodes(struct weft_replay_trace *w, const uint32_t *node)
{
	uint32_t n = 0;
	for (uint32_t r = 0; r < w->p->n_ranks; r++)
		n = node[r] >= n ? node[r] + 1 : n;
	for (uint32_t i = 0; i < n; i++) {
		char name[32];
		snprintf(name, sizeof name, "node%u", i + 1);
		if (weft_build_node(w->b, name) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_rank(struct weft_replay_trace *w, uint32_t r, uint32_t node)
{
	const struct weft_replay_rank *rank = &w->p->rank[r];
	const uint32_t first = w->p->thread[rank->first_thread].trace_thread;
	struct weft_process row = w->t->process[w->t->thread[first].process];
	row.app = 0;
	row.node = node;
	row.rank = (int32_t)r;
	row.begin = 0;
	row.end = WEFT_NEVER;
	row.has_cpu = row.has_user = false;
	const int64_t process = weft_build_process(w->b, &row);
	if (process < 0)
		return (int)process;
	for (uint32_t k = 0; k < rank->n_threads; k++) {
		struct weft_thread_row thread = w->t->thread[w->p->thread[rank->first_thread + k].trace_thread];
		thread.process = (uint32_t)process;
		thread.number = k + 1;
		thread.begin = 0;
		thread.end = WEFT_NEVER;
		const int64_t number = weft_build_thread(w->b, &thread);
		if (number < 0)
			return (int)number;
		w->to[rank->first_thread + k] = weft_builder_appender(w->b, (uint32_t)number);
		if (!w->to[rank->first_thread + k])
			return -ENOMEM;
	}
	return 0;
}

static int add_objects(struct weft_replay_trace *w, const struct weft_replay_machine *m, struct weft_err *err)
{
	uint32_t *node = malloc((w->p->n_ranks + 1) * sizeof *node);
	w->to = calloc(w->p->n_threads + 1, sizeof *w->to);
	int rc = node && w->to ? weft_replay_map_ranks(m, w->p->n_ranks, node, err) : -ENOMEM;
	if (!rc)
		rc = add_nodes(w, node);
	if (!rc && weft_build_app(w->b, w->t->n_apps ? w->t->app[0].name : "") < 0)
		rc = -ENOMEM;
	for (uint32_t r = 0; r < w->p->n_ranks && !rc; r++)
		rc = add_rank(w, r, node[r]);
	free(node);
	return rc;
}

/* ---- what a run tells ---- */

static uint32_t rank_in(const struct weft_replay_program *p, uint32_t comm, uint32_t rank)
{
	const struct weft_replay_comm *c = &p->comm[comm];
	if (rank < c->n && p->member[c->first + rank] == rank)
		return rank;
	for (uint32_t i = 0; i < c->n; i++)
		if (p->member[c->first + i] == rank)
			return i;
	return rank;
}

/* Of a message: its communicator in the source, which this program has by that number. */
static struct weft_half_row half_of(const struct weft_replay_trace *w, uint64_t message, bool is_send)
{
	const struct weft_replay_message *m = &w->p->message[message];
	const uint32_t other = is_send ? m->to : m->from;
	const uint32_t comm = m->comm < w->t->def[WEFT_CLASS_COMM].n ? m->comm : 0;
	return (struct weft_half_row){.size = m->bytes,
	                              .comm = w->id[WEFT_CLASS_COMM][comm],
	                              .peer = other == WEFT_NONE ? 0 : (int32_t)w->p->thread[other].rank,
	                              .tag = m->tag,
	                              .key = message + 1,
	                              .is_send = is_send};
}

static int tell_send(struct weft_replay_trace *w, uint32_t thread, const struct weft_replay_op *op, double at)
{
	struct weft_half_row half = half_of(w, op->of, true);
	half.time = half.began = rounded(at);
	return weft_append_half(w->to[thread], &half);
}

/* Numbers of operations in a trace, by Dimemas' own. */
static const uint8_t numbers[WEFT_REPLAY_OPERATIONS] = {8, 7, 13, 14, 15, 16, 17, 18, 11, 12, 9, 10, 80, 168, 30, 170};

static int tell_collective(struct weft_replay_trace *w, uint32_t thread, const struct weft_replay_op *op, double at)
{
	const struct weft_replay_part *part = &w->p->part[op->of];
	const struct weft_replay_gather *g = &w->p->gather[part->gather];
	const uint32_t rank = w->p->thread[thread].rank;
	int32_t root = -1;
	if (g->root >= 0)
		root = (int32_t)rank_in(w->p, g->comm, (uint32_t)g->root);
	else if (part->is_root)
		root = (int32_t)rank_in(w->p, g->comm, rank);
	const uint64_t words[3] = {(uint64_t)(uint32_t)root << 32 | numbers[g->operation % WEFT_REPLAY_OPERATIONS], part->sent,
	                           part->received};
	const uint32_t id = w->p->comm[g->comm].id, n = w->t->def[WEFT_CLASS_COMM].n;
	return weft_append_extra(w->to[thread], rounded(at),
	                         weft_what(WEFT_EV_COLLECTIVE, id < n ? w->id[WEFT_CLASS_COMM][id] : 0), words, 3);
}

static enum weft_class class_of_kind(unsigned kind)
{
	switch (kind) {
	case WEFT_EV_ENTER:
	case WEFT_EV_LEAVE:
		return WEFT_CLASS_REGION;
	case WEFT_EV_COUNTER:
	case WEFT_EV_COUNTER_F:
		return WEFT_CLASS_COUNTER;
	case WEFT_EV_ATTR:
	case WEFT_EV_ATTR_F:
	case WEFT_EV_ATTR_S:
		return WEFT_CLASS_ATTR;
	default:
		return WEFT_CLASS_TYPE;
	}
}

static int on_op(void *arg, uint32_t thread, const struct weft_replay_op *op, double at)
{
	struct weft_replay_trace *w = arg;
	if (op->kind == WEFT_REPLAY_SEND)
		return tell_send(w, thread, op, at);
	if (op->kind == WEFT_REPLAY_COLLECTIVE) /* that all begin together is what MPI_Init says by itself */
		return trace_call_of(w->p->place[op->place]) >= TRACE_INIT ? 0 : tell_collective(w, thread, op, at);
	if (op->kind != WEFT_REPLAY_EVENT)
		return 0;
	const unsigned kind = weft_what_kind(op->what);
	const uint32_t id = w->id[class_of_kind(kind)][weft_what_id(op->what)];
	uint64_t value = (uint64_t)op->value;
	if ((kind == WEFT_EV_POINT_S || kind == WEFT_EV_ATTR_S) && value < w->t->def[WEFT_CLASS_STRING].n)
		value = w->id[WEFT_CLASS_STRING][value];
	return weft_append(w->to[thread], rounded(at), weft_what(kind, id), value);
}

static int on_message(void *arg, const struct weft_replay_transfer *x)
{
	struct weft_replay_trace *w = arg;
	struct weft_half_row half = half_of(w, x->message, false);
	half.time = rounded(x->done_ns);
	half.began = rounded(x->post_ns < x->done_ns ? x->post_ns : x->done_ns);
	return weft_append_half(w->to[w->p->message[x->message].to], &half);
}

/* ---- making it ---- */

int weft_replay_trace_new(struct weft_replay_trace **out, const struct weft_replay_program *p,
                          const struct weft_replay_machine *m, const struct weft_open_how *how, struct weft_err *err)
{
	struct weft_replay_trace *w = calloc(1, sizeof *w);
	*out = NULL;
	if (!w)
		return -ENOMEM;
	w->p = p;
	w->t = p->trace;
	w->sink = (struct weft_replay_sink){w, NULL, on_op, on_message};
	int rc = weft_builder_new(&w->b, "predicted", "weft", how, err);
	if (!rc)
		rc = copy_definitions(w);
	if (!rc)
		rc = add_objects(w, m, err);
	if (rc)
		weft_replay_trace_free(w);
	else
		*out = w;
	return rc;
}

const struct weft_replay_sink *weft_replay_trace_sink(struct weft_replay_trace *w)
{
	return &w->sink;
}

int weft_replay_trace_finish(struct weft_replay_trace *w, double time_ns, struct weft_trace **out, struct weft_err *err)
{
	struct weft_builder *b = w->b;
	w->b = NULL;
	weft_build_keep_zero(b, rounded(time_ns));
	int rc = weft_build_finish(b, NULL, out, err);
	weft_replay_trace_free(w);
	return rc;
}

void weft_replay_trace_free(struct weft_replay_trace *w)
{
	if (!w)
		return;
	if (w->b)
		weft_builder_free(w->b);
	for (unsigned i = 0; i < WEFT_CLASSES; i++)
		free(w->id[i]);
	free(w->to);
	free(w);
}
