/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program from a trace of any format: processes with a rank are its ranks; of their threads the first, and those that call MPI.
 * Messages keep their numbers.
 */
#include "trace_walk.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- what definitions mean ---- */

static enum trace_type type_of(const struct weft_def_row *d)
{
	for (uint32_t i = 0; i < d->n_labels; i++)
		if (trace_call_of(d->label[i].text) != TRACE_NO_CALL)
			return TRACE_TYPE_CALL;
	static const struct {
		int64_t code;
		enum trace_type type;
	} codes[] = {
		{50000001, TRACE_TYPE_CALL}, {50000002, TRACE_TYPE_CALL},     {50000003, TRACE_TYPE_CALL},
		{50000004, TRACE_TYPE_CALL}, {50000005, TRACE_TYPE_CALL},     {60000019, TRACE_TYPE_FUNCTION},
		{50100001, TRACE_TYPE_SENT}, {50100002, TRACE_TYPE_RECEIVED}, {50100003, TRACE_TYPE_ROOT},
		{50100004, TRACE_TYPE_COMM},
	};
	for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
		if (codes[i].code == d->code)
			return codes[i].type;
	return TRACE_TYPE_NONE;
}

static void find_attrs(struct trace_maker *m)
{
	const struct weft_def_table *attrs = &m->t->def[WEFT_CLASS_ATTR];
	for (uint32_t i = 1; i < attrs->n; i++)
		if (strcmp(attrs->at[i].name, "target") == 0)
			m->attr_target = i;
		else if (strcmp(attrs->at[i].name, "bytes") == 0)
			m->attr_bytes = i;
}

static int read_definitions(struct trace_maker *m)
{
	const struct weft_def_table *regions = &m->t->def[WEFT_CLASS_REGION], *types = &m->t->def[WEFT_CLASS_TYPE];
	m->call_of_region = calloc(regions->n + 1, sizeof *m->call_of_region);
	m->place_of_region = calloc(regions->n + 1, sizeof *m->place_of_region);
	m->type = calloc(types->n + 1, sizeof *m->type);
	m->comm = calloc(m->t->def[WEFT_CLASS_COMM].n + 1, sizeof *m->comm);
	m->thread_of = calloc(m->t->n_threads + 1, sizeof *m->thread_of);
	m->rank_of = calloc(m->t->n_processes + 1, sizeof *m->rank_of);
	if (!m->call_of_region || !m->place_of_region || !m->type || !m->comm || !m->thread_of || !m->rank_of)
		return -ENOMEM;
	for (uint32_t i = 1; i < regions->n; i++)
		m->call_of_region[i] = (uint8_t)trace_call_of(regions->at[i].name);
	for (uint32_t i = 1; i < types->n; i++)
		m->type[i] = (uint8_t)type_of(&types->at[i]);
	find_attrs(m);
	return 0;
}

/* ---- communicators ---- */

static int64_t add_world(struct trace_maker *m, uint32_t n, uint32_t id)
{
	uint32_t *all = malloc((n + 1) * sizeof *all);
	if (!all)
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		all[i] = i;
	const int64_t comm = weft_replay_build_comm(m->b, id, all, n);
	free(all);
	return comm;
}

/* World ranks of a communicator are those of the (first) application with ranks. */
static int64_t members_of(struct trace_maker *m, uint32_t id, const struct weft_def_row *d)
{
	uint32_t *member = malloc((d->n_members + 1) * sizeof *member);
	if (!member)
		return -ENOMEM;
	bool known = true;
	for (uint32_t i = 0; i < d->n_members; i++) {
		known &= d->member[i] < m->n_ranks;
		member[i] = (uint32_t)d->member[i];
	}
	const int64_t comm = known ? weft_replay_build_comm(m->b, id, member, d->n_members) : (int64_t)m->world;
	free(member);
	return comm;
}

int64_t trace_comm(struct trace_maker *m, uint32_t id)
{
	const struct weft_def_table *comms = &m->t->def[WEFT_CLASS_COMM];
	if (id == 0 || id >= comms->n)
		return m->world;
	if (!m->comm[id]) {
		const int64_t comm = comms->at[id].n_members ? members_of(m, id, &comms->at[id]) : (int64_t)m->world;
		if (comm < 0)
			return comm;
		m->comm[id] = (int32_t)comm + 1;
	}
	return m->comm[id] - 1;
}

/* The communicator of a foreign trace, by its number there. */
static uint32_t comm_of_code(const struct trace_maker *m, uint32_t id)
{
	return id < m->t->def[WEFT_CLASS_COMM].n ? id : 0;
}

/* ---- ranks, messages ---- */

static bool thread_takes_part(const struct weft_trace *t, uint32_t thread)
{
	return !t->thread[thread].own;
}

static int put_rank(struct trace_maker *m, uint32_t process)
{
	const struct weft_process *row = &m->t->process[process];
	const struct weft_replay_rank rank = {.node = row->node, .app = row->app};
	const int64_t r = weft_replay_build_rank(m->b, &rank);
	if (r < 0)
		return (int)r;
	m->rank_of[process] = (uint32_t)r;
	return 0;
}

static int put_thread(struct trace_maker *m, uint32_t thread)
{
	const struct weft_thread_row *row = &m->t->thread[thread];
	const struct weft_replay_thread to = {.trace_thread = thread, .begin_ns = (double)row->begin, .end_ns = (double)row->end};
	const int64_t number = weft_replay_build_thread(m->b, &to);
	if (number < 0)
		return (int)number;
	m->thread_of[thread] = (uint32_t)number;
	uint64_t *edge_op = weft_replay_built(m->b)->edge_op;
	struct trace_walk w = {.m = m,
	                       .thread = thread,
	                       .rank = m->rank_of[row->process],
	                       .edge_op = edge_op ? edge_op + (size_t)number * m->how->n_edges : NULL};
	int rc = trace_walk(&w);
	if (!rc && number > (int64_t)weft_replay_built(m->b)->rank[w.rank].first_thread && weft_replay_build_quiet(m->b)) {
		m->thread_of[thread] = WEFT_NONE; /* it only computes, beside those that communicate */
		return 0;
	}
	struct weft_replay_program *p = weft_replay_built(m->b);
	struct weft_replay_rank *rank = &p->rank[w.rank];
	const uint64_t end = m->ours && row->end != WEFT_NEVER ? row->end : weft_thread_last(m->t, thread);
	if ((double)end > p->measured_ns)
		p->measured_ns = (double)end;
	if ((double)w.useful > rank->measured_ns)
		rank->measured_ns = (double)w.useful;
	return rc;
}

static int put_messages(struct trace_maker *m)
{
	const struct weft_messages *from = &m->t->message;
	for (uint64_t i = 0; i < from->n; i++) {
		const struct weft_replay_message row = {.bytes = from->size[i],
		                                        .from = from->send_thread[i],
		                                        .to = from->recv_thread[i],
		                                        .tag = from->tag[i],
		                                        .comm = comm_of_code(m, from->comm[i])};
		const int64_t n = weft_replay_build_message(m->b, &row);
		if (n < 0)
			return (int)n;
	}
	return 0;
}

/* ---- fences ---- */

struct ordered {
	uint32_t app, process;
	int32_t rank;
};

static int count_fences(const struct trace_maker *m, uint32_t thread, uint64_t *n)
{
	struct weft_cursor c;
	struct weft_block b;
	int more, rc = weft_cursor_begin(&c, m->t, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	while ((more = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n; i++)
			*n += weft_what_kind(b.what[i]) == WEFT_EV_ENTER &&
			      m->call_of_region[weft_what_id(b.what[i])] == TRACE_FENCE;
	weft_cursor_end(&c);
	return more;
}

/* Whose window it is, a trace does not say: where all ranks call as many fences, they call them together. */
static int find_fences(struct trace_maker *m, const struct ordered *order)
{
	uint64_t first = 0;
	bool any = false, equal = true;
	m->fence_comm = -1;
	for (uint32_t i = 1; i < m->t->def[WEFT_CLASS_REGION].n; i++)
		any |= m->call_of_region[i] == TRACE_FENCE;
	for (uint32_t i = 0; i < m->n_ranks && any && equal; i++) {
		const struct weft_process *row = &m->t->process[order[i].process];
		uint64_t n = 0;
		int rc = 0;
		for (uint32_t k = 0; k < row->n_threads && !rc; k++)
			rc = count_fences(m, row->first_thread + k, &n);
		if (rc)
			return rc;
		first = i ? first : n;
		equal = n == first;
	}
	if (any && equal && first)
		m->fence_comm = add_world(m, m->n_ranks, UINT32_MAX);
	return m->fence_comm < -1 ? (int)m->fence_comm : 0;
}

/* Threads of the trace become threads of the program; ends at threads that take no part are not known. */
static void turn_ends(struct trace_maker *m)
{
	struct weft_replay_program *p = weft_replay_built(m->b);
	for (uint64_t i = 0; i < p->n_messages; i++) {
		struct weft_replay_message *row = &p->message[i];
		row->from = row->from == WEFT_NONE ? WEFT_NONE : m->thread_of[row->from];
		row->to = row->to == WEFT_NONE ? WEFT_NONE : m->thread_of[row->to];
	}
	p->fault[WEFT_REPLAY_BACKWARD].count = m->t->backward_messages;
}

static void end_joins(struct trace_maker *m)
{
	uint64_t least[2] = {UINT64_MAX, UINT64_MAX};
	for (size_t i = 0; i < m->join.n; i++)
		if (m->join.at[i].ns < least[m->join.at[i].init])
			least[m->join.at[i].init] = m->join.at[i].ns;
	for (size_t i = 0; i < m->join.n && !m->how->drop_calls; i++) {
		struct weft_replay_op *op = weft_replay_built_op(m->b, m->join.at[i].op);
		op->kind = WEFT_REPLAY_BURST;
		op->flags = WEFT_REPLAY_FIXED;
		op->ns = (double)least[m->join.at[i].init];
	}
}

static bool has_ranks(const struct weft_trace *t)
{
	for (uint32_t i = 0; i < t->n_processes; i++)
		if (t->process[i].rank >= 0)
			return true;
	return false;
}

static int by_rank(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	if (x->app != y->app)
		return x->app < y->app ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return x->process < y->process ? -1 : 1;
}

/* Processes in the order of their ranks; all where none has one. How many, or negative. */
static int64_t order_processes(const struct weft_trace *t, struct ordered **out)
{
	const bool ranked = has_ranks(t);
	uint32_t n = 0;
	struct ordered *order = *out = malloc((t->n_processes + 1) * sizeof *order);
	if (!order)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_processes; i++)
		if (!ranked || t->process[i].rank >= 0)
			order[n++] = (struct ordered){t->process[i].app, i, t->process[i].rank};
	qsort(order, n, sizeof *order, by_rank);
	return n;
}

static int make_edges(struct trace_maker *m)
{
	struct weft_replay_program *p = weft_replay_built(m->b);
	p->n_edges = m->how->n_edges;
	if (p->n_edges)
		p->edge_op = calloc(((size_t)m->t->n_threads + 1) * p->n_edges, sizeof *p->edge_op);
	return p->n_edges && !p->edge_op ? -ENOMEM : 0;
}

static int put_all(struct trace_maker *m)
{
	struct ordered *order;
	const int64_t found = order_processes(m->t, &order);
	if (found < 0)
		return (int)found;
	const uint32_t n = m->n_ranks = (uint32_t)found;
	const int64_t world = add_world(m, n, 0);
	int rc = world < 0 ? (int)world : put_messages(m);
	m->world = (uint32_t)world;
	if (!rc)
		rc = find_fences(m, order);
	for (uint32_t i = 0; i < m->t->n_threads; i++)
		m->thread_of[i] = WEFT_NONE;
	for (uint32_t i = 0; i < n && !rc; i++) {
		const struct weft_process *row = &m->t->process[order[i].process];
		rc = put_rank(m, order[i].process);
		for (uint32_t k = 0; k < row->n_threads && !rc; k++)
			if (thread_takes_part(m->t, row->first_thread + k))
				rc = put_thread(m, row->first_thread + k);
	}
	free(order);
	return rc;
}

static void free_maker(struct trace_maker *m)
{
	free(m->call_of_region);
	free(m->place_of_region);
	free(m->type);
	free(m->comm);
	free(m->thread_of);
	free(m->rank_of);
	free(m->join.at);
}

int weft_replay_program_trace(struct weft_replay_program **out, const struct weft_trace *t, const struct weft_replay_from *how,
                              struct weft_err *err)
{
	const struct weft_replay_from plain = {0};
	struct trace_maker m = {.t = t, .how = how ? how : &plain, .ours = strcmp(t->format, "weft") == 0};
	*out = NULL;
	int rc = weft_replay_builder_new(&m.b, t->path, m.how->memory);
	if (!rc)
		rc = read_definitions(&m);
	if (!rc)
		rc = make_edges(&m);
	if (!rc)
		rc = put_all(&m);
	if (!rc && !weft_replay_built(m.b)->n_messages && !weft_replay_built(m.b)->n_parts)
		rc = weft_err_set(err, -ENODATA, "'%s' has neither messages nor collective operations: nothing to replay",
		                  t->path);
	if (!rc) {
		end_joins(&m);
		turn_ends(&m);
		struct weft_replay_program *p = weft_replay_built(m.b);
		p->n_records = t->n_events;
		p->trace = t;
	}
	free_maker(&m);
	if (rc)
		weft_replay_builder_free(m.b);
	else
		rc = weft_replay_build_finish(m.b, out, err);
	if (rc == -ENOMEM)
		rc = weft_err_set(err, -ENOMEM, "'%s': out of memory", t->path);
	return rc;
}
