/* SPDX-License-Identifier: Apache-2.0 */
/* Making bursts and nodes: time is counted into parts by path until a node ends the burst. What a wait was for, its region says. */
#include "causal_walk.h"
#include <errno.h>

int walk_child(struct causal_walk *w, uint32_t region, uint32_t *path)
{
	uint32_t parent = w->path;
	uint64_t found, key = (uint64_t)(parent + 1) << 32 | region;
	if (parent != WEFT_CAUSAL_NONE && w->info.at[parent].last_region == region) {
		*path = w->info.at[parent].last_child;
		return 0;
	}
	if (!weft_map_get(&w->child, key, &found)) {
		found = w->out->path.n;
		if (weft_vec_push(&w->out->path, (struct weft_causal_path){parent, region}) ||
		    weft_vec_push(&w->info, (struct walk_path){WEFT_CAUSAL_NONE, 0, 0, 0}) || weft_map_put(&w->child, key, found))
			return -ENOMEM;
	}
	if (parent != WEFT_CAUSAL_NONE) {
		w->info.at[parent].last_region = region;
		w->info.at[parent].last_child = (uint32_t)found;
	}
	*path = (uint32_t)found;
	return 0;
}

struct weft_causal_part *walk_part(struct causal_walk *w, uint32_t path)
{
	struct walk_path *p = &w->info.at[path];
	if (p->burst != w->burst) {
		p->burst = w->burst;
		p->part = (uint32_t)w->out->part.n;
		if (weft_vec_push(&w->out->part, (struct weft_causal_part){path, 0, 0}))
			return NULL;
	}
	return &w->out->part.at[p->part];
}

int walk_account(struct causal_walk *w, uint64_t time)
{
	if (w->idle && time > w->idle_end) {
		int rc = walk_flush_idle(w);
		if (rc)
			return rc;
	}
	if (time <= w->last)
		return 0;
	struct weft_causal_part *p = walk_part(w, w->path);
	if (!p)
		return -ENOMEM;
	p->ns += time - w->last;
	w->last = time;
	return 0;
}

int walk_node(struct causal_walk *w, uint64_t begin, uint64_t end, unsigned kind, uint32_t path)
{
	int rc = w->idle ? walk_flush_idle(w) : 0;
	struct weft_causal_node n = {begin, end, path, w->first_part, w->first_link, (uint16_t)kind, 0};
	if (rc || weft_vec_push(&w->out->node, n))
		return -ENOMEM;
	w->first_part = (uint32_t)w->out->part.n;
	w->first_link = (uint32_t)w->out->link.n;
	w->burst++;
	w->last = w->node_end = end;
	return 0;
}

int walk_link(struct causal_walk *w, unsigned kind, uint32_t arg)
{
	int rc = w->idle ? walk_flush_idle(w) : 0; /* what comes is behind it */
	return rc ? rc : weft_vec_push(&w->out->link, (struct weft_causal_link){kind, arg});
}

int walk_named(struct causal_walk *w, unsigned kind, uint64_t key, uint64_t address, uint32_t region)
{
	if (weft_vec_push(&w->out->named, (struct causal_named){key, address, region}))
		return -ENOMEM;
	return walk_link(w, kind, (uint32_t)w->out->named.n - 1);
}

int walk_join(struct causal_walk *w, struct causal_join join)
{
	join.node = (uint32_t)w->out->node.n;
	if (weft_vec_push(&w->out->join, join))
		return -ENOMEM;
	return walk_link(w, join.awaits ? WEFT_CAUSAL_AWAITS : WEFT_CAUSAL_JOINS, (uint32_t)w->out->join.n - 1);
}

int walk_point(struct causal_walk *w, uint64_t time)
{
	if (w->wait >= 0)
		return 0; /* the node of the wait will have them */
	int rc = walk_account(w, time);
	return rc ? rc : walk_node(w, time, time, WEFT_CAUSAL_POINT, w->path);
}

int walk_flush_idle(struct causal_walk *w)
{
	w->idle = false;
	return walk_node(w, w->idle_begin, w->idle_end, WEFT_CAUSAL_WAIT, w->path);
}

uint64_t walk_team(const struct causal_walk *w)
{
	for (size_t i = w->open.n; i-- > 0;)
		if (w->open.at[i].role == CAUSAL_OMP_PART)
			return w->open.at[i].team;
	return 0;
}

uint64_t walk_next(struct causal_walk *w, uint64_t key, int *rc)
{
	uint64_t n = 0;
	weft_map_get(&w->count, key, &n);
	*rc = weft_map_put(&w->count, key, n + 1);
	return n;
}

/* ---- what waits were for ---- */

/* All threads of a team come to its barriers in one order. A thread that runs tasks there has come before the first of them. */
int walk_come(struct causal_walk *w, struct walk_open *o)
{
	int rc;
	uint64_t team = walk_team(w), n = walk_next(w, causal_key('b', team, 0, 0), &rc);
	o->team = causal_key('B', w->process, team, n);
	if (!rc)
		rc = walk_join(w,
		               (struct causal_join){.key = o->team, .pattern = WEFT_CAUSAL_ALL, .why = WEFT_CAUSAL_OMP_BARRIER});
	return rc;
}

static int end_team_barrier(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	int rc = !o->team ? walk_come(w, o)
	                  : walk_join(w, (struct causal_join){.key = o->team,
	                                                      .pattern = WEFT_CAUSAL_ALL,
	                                                      .why = WEFT_CAUSAL_OMP_BARRIER,
	                                                      .awaits = 1});
	return rc ? rc : walk_node(w, o->piece, time, WEFT_CAUSAL_MEET, w->path);
}

static int end_join(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	uint64_t team = 0;
	for (size_t i = w->open.n; i-- > 0 && !team;)
		if (w->open.at[i].role == CAUSAL_OMP_PARALLEL)
			team = w->open.at[i].team;
	int rc = walk_join(w, (struct causal_join){.key = causal_key('E', w->process, team, 0),
	                                           .root = -1,
	                                           .is_root = 1,
	                                           .pattern = WEFT_CAUSAL_TO_ONE,
	                                           .why = WEFT_CAUSAL_TEAM_END});
	return rc ? rc : walk_node(w, o->piece, time, WEFT_CAUSAL_MEET, w->path);
}

int walk_team_ends(struct causal_walk *w, uint64_t time)
{
	struct walk_open o = {.piece = w->last};
	return time > w->last ? end_join(w, &o, time) : 0;
}

static int end_idle(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	int rc = w->idle ? walk_flush_idle(w) : 0;
	w->idle = true;
	w->idle_begin = o->piece;
	w->idle_end = time;
	w->last = time;
	return rc;
}

static int end_lock(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	bool omp = o->role == CAUSAL_OMP_LOCK_WAIT;
	uint32_t region = omp ? w->names->lock_of[o->region] : o->region;
	uint64_t address = omp ? region : o->address;
	int rc = walk_named(w, WEFT_CAUSAL_TAKE, causal_key('L', w->process, omp, address), omp ? 0 : address, region);
	if (!rc && o->holder)
		rc = weft_vec_push(&w->out->held, (struct causal_held){o->holder, (uint32_t)w->out->node.n});
	w->late_lock = omp ? 0 : address;
	return rc ? rc : walk_node(w, o->piece, time, WEFT_CAUSAL_LOCK, w->path);
}

static int end_drain(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	int rc = walk_named(w, WEFT_CAUSAL_DRAIN, walk_pool(w), 0, WEFT_CAUSAL_NONE);
	return rc ? rc : walk_node(w, o->piece, time, WEFT_CAUSAL_TASKS, w->path);
}

static int end_barrier(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	int rc = walk_join(w, (struct causal_join){.key = causal_key('P', w->process, o->address, 0),
	                                           .begin = o->piece,
	                                           .end = time,
	                                           .root = -1,
	                                           .pattern = WEFT_CAUSAL_ALL,
	                                           .why = WEFT_CAUSAL_THREAD_BARRIER});
	return rc ? rc : walk_node(w, o->piece, time, WEFT_CAUSAL_MEET, w->path);
}

static int as_part(struct causal_walk *w, uint64_t time)
{
	struct weft_causal_part *p = walk_part(w, w->path);
	if (!p)
		return -ENOMEM;
	p->ns += time - w->last;
	p->count++;
	w->last = time;
	return 0;
}

/* A completion without a receive: of sends that were begun before. One call of MPI_Wait ends the first of them, as programs mostly do. */
static int end_of_sends(struct causal_walk *w, const struct walk_open *o)
{
	size_t n = o->role == CAUSAL_MPI_WAIT && w->begun.n ? 1 : w->begun.n;
	for (size_t i = 0; i < n; i++) {
		int rc = walk_link(w, WEFT_CAUSAL_SENT, w->begun.at[i]);
		if (rc)
			return rc;
	}
	for (size_t i = n; i < w->begun.n; i++)
		w->begun.at[i - n] = w->begun.at[i];
	w->begun.n -= n;
	return 0;
}

static int end_mpi(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	bool edge = o->role == CAUSAL_MPI_INIT || o->role == CAUSAL_MPI_END;
	int rc = 0;
	bool none = w->out->link.n == w->first_link;
	if (edge)
		rc = walk_join(w, (struct causal_join){.key = causal_key('I', w->trace->process[w->process].app, o->role, 0),
		                                       .root = -1,
		                                       .pattern = WEFT_CAUSAL_ALL,
		                                       .why = WEFT_CAUSAL_MPI_EDGE});
	else if (o->role == CAUSAL_MPI_MEETS)
		rc = walk_join(w, (struct causal_join){.key = causal_key('W', w->trace->process[w->process].app, o->region, 0),
		                                       .begin = o->piece,
		                                       .end = time,
		                                       .root = -1,
		                                       .pattern = WEFT_CAUSAL_ALL,
		                                       .why = WEFT_CAUSAL_MPI_BARRIER});
	else if (o->role == CAUSAL_MPI_PROBE) {
		w->probed = (uint32_t)w->out->link.n;
		rc = walk_link(w, WEFT_CAUSAL_NOTHING, 0);
	} else if (o->role == CAUSAL_MPI_WAITALL || (o->role == CAUSAL_MPI_WAIT && none))
		rc = end_of_sends(w, o);
	if (rc)
		return rc;
	if (w->out->link.n == w->first_link)
		return o->role == CAUSAL_WAITS || o->role == CAUSAL_INPUT
		               ? walk_node(w, o->piece, time, WEFT_CAUSAL_WAIT, w->path)
		               : as_part(w, time);
	unsigned kind = WEFT_CAUSAL_CALL;
	for (size_t i = w->first_link; i < w->out->link.n; i++) {
		if (w->out->link.at[i].kind <= WEFT_CAUSAL_AWAITS && w->out->link.at[i].kind >= WEFT_CAUSAL_JOINS)
			kind = WEFT_CAUSAL_MEET;
		else if (w->out->link.at[i].kind == WEFT_CAUSAL_IN && kind == WEFT_CAUSAL_CALL)
			kind = WEFT_CAUSAL_FLOW;
	}
	rc = walk_node(w, o->piece, time, kind, w->path);
	if (!rc && (o->role == CAUSAL_MPI_SEND || o->role == CAUSAL_MPI_SSEND))
		w->out->node.at[w->out->node.n - 1].flags = o->role == CAUSAL_MPI_SEND
		                                                    ? WEFT_CAUSAL_BLOCKING
		                                                    : WEFT_CAUSAL_BLOCKING | WEFT_CAUSAL_SYNCHRONOUS;
	return rc;
}

static int end_woken(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	bool known = w->out->link.n > w->first_link;
	return walk_node(w, o->piece, time, known ? WEFT_CAUSAL_FLOW : WEFT_CAUSAL_WAIT, w->path);
}

static int end_sleeping(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	return time > o->piece ? walk_node(w, o->piece, time, WEFT_CAUSAL_STARVED, w->path) : 0;
}

int walk_wait_end(struct causal_walk *w, struct walk_open *o, uint64_t time)
{
	static int (*const end[CAUSAL_ROLES])(struct causal_walk *, struct walk_open *, uint64_t) = {
		[CAUSAL_OMP_JOIN] = end_join,      [CAUSAL_OMP_IDLE] = end_idle,   [CAUSAL_OMP_BARRIER] = end_team_barrier,
		[CAUSAL_OMP_LOCK_WAIT] = end_lock, [CAUSAL_LOCK] = end_lock,       [CAUSAL_OMP_DRAIN] = end_drain,
		[CAUSAL_DRAIN] = end_drain,        [CAUSAL_BARRIER] = end_barrier, [CAUSAL_WOKEN] = end_woken,
		[CAUSAL_SLEEPING] = end_sleeping,
	};
	return end[o->role] ? end[o->role](w, o, time) : end_mpi(w, o, time);
}
