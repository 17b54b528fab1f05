/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading one thread: regions are kept on a stack; those that may wait become nodes when they end. Tasks that run inside of a wait cut it
 * in two: in front of them the thread waited for a task to run, behind them for the others.
 */
#include "causal_walk.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static bool may_wait(unsigned role)
{
	return (role >= CAUSAL_MPI && role <= CAUSAL_INPUT) || role == CAUSAL_OMP_JOIN || role == CAUSAL_OMP_IDLE ||
	       role == CAUSAL_OMP_BARRIER || role == CAUSAL_OMP_LOCK_WAIT || role == CAUSAL_OMP_DRAIN || role == CAUSAL_LOCK ||
	       role == CAUSAL_BARRIER || role == CAUSAL_WOKEN || role == CAUSAL_DRAIN || role == CAUSAL_SLEEPING;
}

static bool cuts(unsigned role)
{
	return role == CAUSAL_OMP_TASK || role == CAUSAL_TASK || role == CAUSAL_COMPUTES;
}

static int push(struct causal_walk *w, struct walk_open o)
{
	return weft_vec_push(&w->open, o);
}

/* A task begins inside of a wait. */
static int cut(struct causal_walk *w, uint64_t time)
{
	struct walk_open *o = &w->open.at[w->wait];
	w->wait = -1;
	if (o->role == CAUSAL_OMP_BARRIER && !o->team) {
		int rc = walk_come(w, o);
		return rc ? rc : walk_node(w, o->piece, time, WEFT_CAUSAL_STARVED, w->path);
	}
	if (o->role == CAUSAL_SLEEPING || time == o->piece) {
		struct weft_causal_part *p = walk_part(w, w->path);
		if (!p)
			return -ENOMEM;
		p->ns += time - w->last;
		w->last = time;
		return 0;
	}
	return walk_node(w, o->piece, time, WEFT_CAUSAL_STARVED, w->path);
}

/* All threads of a team come to its loops in one order. */
static int loop_begins(struct causal_walk *w, struct walk_open *o)
{
	int rc;
	uint64_t team = walk_team(w);
	uint64_t n = walk_next(w, causal_key('l', team, 0, 0), &rc);
	o->team = causal_key('F', w->process, team, n);
	if (!rc)
		rc = walk_named(w, WEFT_CAUSAL_LOOP, o->team, 0, o->region);
	return rc ? rc : walk_point(w, o->begin);
}

static int enter(struct causal_walk *w, uint64_t time, uint32_t region, bool foreign)
{
	unsigned role = w->names->region[region].role;
	struct walk_open o =
		{.begin = time, .piece = time, .region = region, .path = w->path, .role = (uint8_t)role, .foreign = foreign};
	int rc = 0;
	if (w->wait >= 0) {
		if (!cuts(role)) {
			o.ignored = true;
			return push(w, o);
		}
		rc = cut(w, time);
	} else {
		rc = walk_account(w, time);
	}
	if (role == CAUSAL_OMP_PART)
		w->path = 0; /* one place for all threads of a team, whatever is around it on the one that made it */
	if (!rc)
		rc = walk_child(w, region, &w->path);
	if (rc)
		return rc;
	if (may_wait(role)) {
		w->out->mpi = w->out->mpi || (role >= CAUSAL_MPI && role <= CAUSAL_MPI_END);
		o.waits = true;
		w->wait = (int)w->open.n;
	} else {
		struct weft_causal_part *p = walk_part(w, w->path);
		if (!p)
			return -ENOMEM;
		p->count++;
	}
	if (role == CAUSAL_OMP_LOOP)
		rc = loop_begins(w, &o);
	return rc ? rc : push(w, o);
}

/* What others may wait for at the end of a region. */
static int ended(struct causal_walk *w, const struct walk_open *o, uint64_t time)
{
	int rc;
	switch (o->role) {
	case CAUSAL_OMP_PART:
		if (!o->worker)
			return 0;
		rc = walk_join(w, (struct causal_join){.key = causal_key('E', w->process, o->team, 0),
		                                       .root = -1,
		                                       .pattern = WEFT_CAUSAL_TO_ONE,
		                                       .why = WEFT_CAUSAL_TEAM_END});
		break;
	case CAUSAL_OMP_TASK:
	case CAUSAL_TASK:
		rc = walk_named(w, WEFT_CAUSAL_DONE, walk_pool(w), 0, WEFT_CAUSAL_NONE);
		break;
	case CAUSAL_OMP_CHUNK:
		rc = walk_link(w, WEFT_CAUSAL_CHUNK, o->iterations);
		break;
	case CAUSAL_OMP_LOOP:
		rc = walk_named(w, WEFT_CAUSAL_LOOPED, o->team, 0, o->region);
		break;
	case CAUSAL_OMP_LOCK:
		rc = walk_named(w, WEFT_CAUSAL_FREE, causal_key('L', w->process, true, o->region), 0, o->region);
		break;
	default:
		return 0;
	}
	return rc ? rc : walk_point(w, time);
}

static int pop(struct causal_walk *w, uint64_t time)
{
	struct walk_open o = w->open.at[w->open.n - 1];
	int rc = 0;
	if (o.ignored) {
		w->open.n--;
		return 0;
	}
	if (o.waits && w->wait == (int)w->open.n - 1) {
		rc = walk_wait_end(w, &o, time);
		w->wait = -1;
	} else {
		rc = walk_account(w, time);
		if (!rc)
			rc = ended(w, &o, time);
	}
	w->open.n--;
	w->path = o.path;
	if (!rc && w->open.n && w->open.at[w->open.n - 1].waits) { /* it was cut, and goes on */
		w->wait = (int)w->open.n - 1;
		w->open.at[w->wait].piece = time;
	}
	return rc;
}

static int leave(struct causal_walk *w, uint64_t time, uint32_t region)
{
	size_t at = w->open.n;
	while (at > 0 && w->open.at[at - 1].region != region)
		at--;
	if (!at)
		return 0; /* it was entered before recording began */
	int rc = 0;
	while (!rc && w->open.n >= at)
		rc = pop(w, time);
	return rc;
}

/* ---- teams ---- */

static int part_of_team(struct causal_walk *w, struct walk_open *o, uint64_t team)
{
	o->team = team;
	o->worker = true;
	for (size_t i = 0; i + 1 < w->open.n; i++)
		if (w->open.at[i].role == CAUSAL_OMP_PARALLEL && w->open.at[i].team == team)
			o->worker = false;
	if (!o->worker)
		return 0;
	/* of a trace that does not say when it was idle: since its last team */
	bool unsaid = o->foreign && w->load->opens;
	uint64_t from = w->idle ? w->idle_begin : w->out->node.n == 0 || unsaid ? w->node_end : o->begin, to = o->begin;
	int rc = 0;
	if (w->last > to) { /* it did something before it said so */
		rc = w->idle ? walk_flush_idle(w) : 0;
		from = to = w->last;
	} else if (from < w->node_end) {
		from = w->node_end;
	}
	w->idle = false;
	if (from < to) /* what it did before was waiting for its first team */
		w->out->part.n = w->first_part;
	if (!rc)
		rc = walk_join(w, (struct causal_join){.key = causal_key('A', w->process, team, 0),
		                                       .root = -1,
		                                       .pattern = WEFT_CAUSAL_FROM_ONE,
		                                       .why = WEFT_CAUSAL_TEAM_BEGIN});
	return rc ? rc : walk_node(w, from, to, WEFT_CAUSAL_MEET, o->path);
}

static int team_begins(struct causal_walk *w, struct walk_open *o, uint64_t team, uint64_t time)
{
	o->team = team;
	int rc = walk_join(w, (struct causal_join){.key = causal_key('A', w->process, team, 0),
	                                           .root = -1,
	                                           .is_root = 1,
	                                           .pattern = WEFT_CAUSAL_FROM_ONE,
	                                           .why = WEFT_CAUSAL_TEAM_BEGIN});
	return rc ? rc : walk_point(w, time);
}

static int attribute(struct causal_walk *w, uint64_t time, unsigned attr, uint64_t value)
{
	struct walk_open *o = w->open.n ? &w->open.at[w->open.n - 1] : NULL;
	if (!o || o->ignored)
		return 0;
	switch (attr) {
	case CAUSAL_ATTR_TEAM:
		return o->role == CAUSAL_OMP_PART       ? part_of_team(w, o, value)
		       : o->role == CAUSAL_OMP_PARALLEL ? team_begins(w, o, value, time)
		                                        : 0;
	case CAUSAL_ATTR_LOCK:
	case CAUSAL_ATTR_ADDRESS:
		o->address = value;
		return 0;
	case CAUSAL_ATTR_ITERATIONS:
		o->iterations = value > UINT32_MAX ? UINT32_MAX : (uint32_t)value;
		return 0;
	case CAUSAL_ATTR_HOLDER:
		o->holder = (int64_t)value;
		return 0;
	default:
		return 0;
	}
}

/* ---- arrows ---- */

static int flow_out(struct causal_walk *w, uint64_t time, uint64_t flow)
{
	const struct weft_flows *f = &w->trace->flow;
	if (flow >= f->n || f->to_thread[flow] == WEFT_NONE || w->names->flow[f->flow[flow]] == CAUSAL_FLOW_DATA)
		return 0;
	int rc = walk_link(w, WEFT_CAUSAL_OUT, (uint32_t)flow);
	return rc ? rc : walk_point(w, time);
}

/* The runtime's worker: what it did since its last task was looking for this one. */
static int task_comes(struct causal_walk *w, uint64_t time, uint64_t flow)
{
	if (w->open.n)
		w->open.at[w->open.n - 1].role = CAUSAL_TASK;
	struct causal_out *out = w->out;
	uint64_t from = w->node_end;
	w->works = true;
	while (out->node.n && out->node.at[out->node.n - 1].kind == WEFT_CAUSAL_STARVED &&
	       out->node.at[out->node.n - 1].first_link == w->first_link) {
		const struct weft_causal_node *idle = &out->node.at[--out->node.n];
		w->first_part = idle->first_part;
		from = out->node.n ? out->node.at[out->node.n - 1].end : out->begin;
	}
	out->part.n = w->first_part;
	w->burst++;
	int rc = walk_link(w, WEFT_CAUSAL_IN, (uint32_t)flow);
	return rc ? rc : walk_node(w, from, time, WEFT_CAUSAL_STARVED, w->path);
}

static int flow_in(struct causal_walk *w, uint64_t time, uint64_t flow)
{
	const struct weft_flows *f = &w->trace->flow;
	struct causal_out *out = w->out;
	uint8_t of = flow < f->n ? w->names->flow[f->flow[flow]] : CAUSAL_FLOW_DATA;
	if (of == CAUSAL_FLOW_DATA || f->from_thread[flow] == WEFT_NONE)
		return 0;
	if (of == CAUSAL_FLOW_TASK)
		return task_comes(w, time, flow);
	int rc = walk_link(w, WEFT_CAUSAL_IN, (uint32_t)flow);
	if (rc || w->wait >= 0)
		return rc;
	const struct weft_causal_node *before = out->node.n ? &out->node.at[out->node.n - 1] : NULL;
	if (before && before->kind == WEFT_CAUSAL_STARVED && before->end == time) {
		w->first_link = (uint32_t)out->link.n;
		return 0;
	}
	if (!before) { /* the thread's own begin */
		out->part.n = w->first_part;
		w->burst++;
		return walk_node(w, w->node_end, time, WEFT_CAUSAL_FLOW, w->path);
	}
	rc = walk_account(w, time);
	return rc ? rc : walk_node(w, time, time, WEFT_CAUSAL_FLOW, w->path);
}

/* ---- messages and collectives ---- */

static int message(struct causal_walk *w, uint64_t time, unsigned kind, uint64_t message)
{
	if (message >= w->trace->message.n)
		return 0;
	int rc = walk_link(w, kind, (uint32_t)message);
	if (kind == WEFT_CAUSAL_RECV && w->probed != WEFT_CAUSAL_NONE) {
		w->out->link.at[w->probed] = (struct weft_causal_link){kind, (uint32_t)message};
		w->probed = WEFT_CAUSAL_NONE;
	}
	if (w->wait >= 0) {
		if (!rc && kind == WEFT_CAUSAL_SEND && w->open.at[w->wait].role == CAUSAL_MPI_ISEND)
			rc = weft_vec_push(&w->begun, (uint32_t)message);
		return rc;
	}
	if (!rc)
		rc = walk_account(w, time);
	return rc ? rc : walk_node(w, time, time, kind == WEFT_CAUSAL_SEND ? WEFT_CAUSAL_POINT : WEFT_CAUSAL_CALL, w->path);
}

static const struct {
	const char *name;
	uint8_t number, pattern; /* as in docs/format.md */
} rooted[] = {
	{"MPI_Bcast", 7, WEFT_CAUSAL_FROM_ONE},     {"MPI_Scatter", 15, WEFT_CAUSAL_FROM_ONE},
	{"MPI_Scatterv", 16, WEFT_CAUSAL_FROM_ONE}, {"MPI_Reduce", 9, WEFT_CAUSAL_TO_ONE},
	{"MPI_Gather", 13, WEFT_CAUSAL_TO_ONE},     {"MPI_Gatherv", 14, WEFT_CAUSAL_TO_ONE},
};

static int collective(struct causal_walk *w, uint64_t time, uint32_t comm, uint64_t value)
{
	enum { BARRIER = 8 };
	uint32_t n = 0;
	int rc;
	const uint64_t *extra = weft_extra(w->trace, w->thread, value, &n);
	if (!extra || n < 1)
		return 0;
	uint32_t op = (uint32_t)extra[0];
	const struct weft_def_row *row = &w->trace->def[WEFT_CLASS_COMM].at[comm];
	int32_t root = (int32_t)(extra[0] >> 32);
	uint64_t times = walk_next(w, causal_key('c', comm, 0, 0), &rc);
	struct causal_join join = {.key = causal_key('C', comm, times, w->trace->process[w->process].app),
	                           .root = root >= 0 && row->member && (uint32_t)root < row->n_members
	                                           ? (int32_t)row->member[root]
	                                           : root,
	                           .why = op == BARRIER ? WEFT_CAUSAL_MPI_BARRIER : WEFT_CAUSAL_COLLECTIVE};
	for (size_t i = 0; i < sizeof rooted / sizeof *rooted; i++)
		if (rooted[i].number == op)
			join.pattern = rooted[i].pattern;
	if (!rc)
		rc = walk_join(w, join);
	if (rc || w->wait >= 0)
		return rc;
	rc = walk_account(w, time);
	return rc ? rc : walk_node(w, time, time, WEFT_CAUSAL_MEET, w->path);
}

/* Of Extrae: what kind of call it is the type says, its communicator and root came as events of their own. */
static int foreign_collective(struct causal_walk *w, const char *name)
{
	int rc;
	uint64_t times = walk_next(w, causal_key('c', (uint64_t)w->comm, 0, 0), &rc);
	struct causal_join join = {.key = causal_key('C', (uint64_t)w->comm, times, w->trace->process[w->process].app),
	                           .root = -1,
	                           .is_root = w->is_root,
	                           .why = strcmp(name, "MPI_Barrier") == 0 ? WEFT_CAUSAL_MPI_BARRIER : WEFT_CAUSAL_COLLECTIVE};
	for (size_t i = 0; i < sizeof rooted / sizeof *rooted; i++)
		if (!strcmp(rooted[i].name, name))
			join.pattern = rooted[i].pattern;
	return rc ? rc : walk_join(w, join);
}

/* ---- points ---- */

static int foreign_end(struct causal_walk *w, uint64_t time)
{
	const struct walk_open *o = &w->open.at[w->open.n - 1];
	bool all = o->foreign && !o->ignored && w->names->collective[o->region];
	int rc = all ? foreign_collective(w, w->names->region[o->region].name) : 0;
	if (!rc && o->foreign && o->role == CAUSAL_OMP_PARALLEL && !o->ignored && w->load->opens)
		rc = walk_team_ends(w, time); /* what lies behind its own part is waiting for the others */
	return rc ? rc : pop(w, time);
}

/* Teams of traces that do not number them: the number of the parallel region that was begun last. O(log regions) */
static uint64_t team_at(const struct causal_walk *w, uint64_t time)
{
	const struct causal_opens *o = w->load->opens ? &w->load->opens[w->process] : NULL;
	size_t low = 0, high = o ? o->n : 0;
	while (low < high) {
		size_t mid = low + (high - low) / 2;
		if (o->at[mid] <= time)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* A value that opens a region. */
static int foreign_begin(struct causal_walk *w, uint64_t time, uint32_t region)
{
	unsigned role = w->names->region[region].role;
	w->is_root = false;
	w->comm = 0;
	int rc = enter(w, time, region, true);
	uint64_t team = role == CAUSAL_OMP_PARALLEL || role == CAUSAL_OMP_PART ? team_at(w, time) : 0;
	return rc || !team ? rc : attribute(w, time, CAUSAL_ATTR_TEAM, team);
}

/*
 * The value is that of the innermost region of its type: 0 ends all, one that is open ends those in it, another begins. Regions of other types that
 * lie in one that ends have ended, too.
 */
static int foreign_value(struct causal_walk *w, uint64_t time, uint32_t id, int64_t value)
{
	const struct weft_def_row *type = &w->trace->def[WEFT_CLASS_TYPE].at[id];
	uint32_t first = w->names->first_label[id], low = 0, high = type->n_labels, lowest = UINT32_MAX;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (type->label[mid].value < value)
			low = mid + 1;
		else
			high = mid;
	}
	bool known = low < type->n_labels && type->label[low].value == value && value != 0;
	for (uint32_t i = 0; i < w->open.n; i++) {
		const struct walk_open *o = &w->open.at[i];
		bool of_type = o->foreign && o->region >= first && o->region < first + type->n_labels;
		if (of_type && w->names->flat[id]) {
			lowest = i;
			break;
		}
		if (of_type && known && o->region == first + low) {
			lowest = i + 1; /* it stays, what is in it ends */
			known = false;
		} else if (of_type && lowest == UINT32_MAX && value == 0) {
			lowest = i;
		}
	}
	int rc = 0;
	while (!rc && lowest < w->open.n)
		rc = foreign_end(w, time);
	if (rc || !known)
		return rc;
	return foreign_begin(w, time, first + low);
}

static int on_point(struct causal_walk *w, uint64_t time, uint32_t id, uint64_t value)
{
	int rc = 0;
	switch (w->names->point[id]) {
	case CAUSAL_POINT_TAKEN:
		if (w->late_lock == value) {
			w->late_lock = 0;
			return 0;
		}
		rc = walk_named(w, WEFT_CAUSAL_TAKE, causal_key('L', w->process, false, value), value, WEFT_CAUSAL_NONE);
		if (rc || w->wait >= 0)
			return rc;
		rc = walk_account(w, time);
		return rc ? rc : walk_node(w, time, time, WEFT_CAUSAL_LOCK, w->path);
	case CAUSAL_POINT_RELEASED:
		rc = walk_named(w, WEFT_CAUSAL_FREE, causal_key('L', w->process, false, value), value, WEFT_CAUSAL_NONE);
		return rc ? rc : walk_point(w, time);
	case CAUSAL_POINT_NONE:
		return 0;
	case CAUSAL_POINT_REGION:
		return foreign_value(w, time, id, (int64_t)value);
	case CAUSAL_POINT_COMM:
		w->comm = (int64_t)value;
		return 0;
	case CAUSAL_POINT_ROOT:
		w->is_root = value == 1;
		return 0;
	default:
		return attribute(w, time, w->names->point[id] - CAUSAL_POINT_ATTR, value);
	}
}

/* ---- the walk ---- */

/* The clock of a thread begins behind what only says that there is one. */
static void begins(struct causal_walk *w, uint64_t time)
{
	w->last = w->node_end = w->out->begin = time;
}

static int event(struct causal_walk *w, uint64_t time, unsigned kind, uint32_t id, uint64_t value)
{
	w->out->told = w->out->told || kind < WEFT_EV_CPU;
	if (kind < WEFT_EV_CPU && kind != WEFT_EV_STATE && !w->began) {
		w->began = true;
		if (w->out->begin == WEFT_NEVER)
			begins(w, time);
	}
	switch (kind) {
	case WEFT_EV_ENTER:
		return enter(w, time, id, false);
	case WEFT_EV_LEAVE:
		return leave(w, time, id);
	case WEFT_EV_POINT:
		return on_point(w, time, id, value);
	case WEFT_EV_SEND:
		return message(w, time, WEFT_CAUSAL_SEND, value);
	case WEFT_EV_RECV:
		return message(w, time, WEFT_CAUSAL_RECV, value);
	case WEFT_EV_FLOW_OUT:
		return flow_out(w, time, value);
	case WEFT_EV_FLOW_IN:
		return flow_in(w, time, value);
	case WEFT_EV_COLLECTIVE:
		return collective(w, time, id, value);
	case WEFT_EV_ATTR:
		return attribute(w, time, w->names->attr[id], value);
	case WEFT_EV_STATE:
		if (!w->out->node.n && !w->began && !strcmp(w->trace->def[WEFT_CLASS_STATE].at[id].name, "Not created"))
			begins(w, time + value);
		return 0;
	case WEFT_EV_THREAD_BEGIN:
	case WEFT_EV_EXEC:
		if (!w->began)
			begins(w, time);
		return 0;
	default:
		return 0;
	}
}

static int finish(struct causal_walk *w, uint64_t end)
{
	int rc = 0;
	if (end < w->last)
		end = w->last;
	while (!rc && w->open.n)
		rc = pop(w, end);
	if (!rc)
		rc = walk_account(w, end);
	if (!rc && w->idle)
		rc = walk_flush_idle(w);
	if (!rc && w->works && w->node_end < end) {
		w->out->part.n = w->first_part;
		w->burst++;
		rc = walk_node(w, w->node_end, end, WEFT_CAUSAL_STARVED, w->path);
	}
	w->out->end = end;
	return rc ? rc : walk_node(w, end, end, WEFT_CAUSAL_END, w->path);
}

static int read_events(struct causal_walk *w)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t end = 0;
	bool over = false;
	int rc = weft_cursor_begin(&c, w->trace, w->thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	while ((rc = weft_cursor_next(&c, &b)) > 0) {
		w->out->n_events += b.n;
		for (uint32_t i = 0; i < b.n; i++) {
			unsigned kind = weft_what_kind(b.what[i]);
			if ((rc = event(w, b.time[i], kind, weft_what_id(b.what[i]), b.value[i])))
				break;
			if (kind < WEFT_EV_CPU || (kind == WEFT_EV_THREAD_END && !over)) {
				end = b.time[i];
				over = kind == WEFT_EV_THREAD_END;
			}
		}
		if (rc)
			break;
	}
	weft_cursor_end(&c);
	return rc ? rc : finish(w, end);
}

int causal_walk(const struct causal_load *l, uint32_t thread, struct causal_out *out)
{
	struct causal_walk w = {.load = l,
	                        .names = l->names,
	                        .trace = l->trace,
	                        .out = out,
	                        .thread = thread,
	                        .process = l->trace->thread[thread].process,
	                        .path = WEFT_CAUSAL_NONE,
	                        .burst = 1,
	                        .probed = WEFT_CAUSAL_NONE,
	                        .wait = -1};
	out->begin = WEFT_NEVER;
	int rc = walk_child(&w, 0, &w.path);
	if (!rc)
		rc = read_events(&w);
	if (out->begin == WEFT_NEVER)
		out->begin = out->end;
	free(w.open.at);
	free(w.info.at);
	free(w.begun.at);
	weft_map_fini(&w.child);
	weft_map_fini(&w.count);
	return rc;
}
