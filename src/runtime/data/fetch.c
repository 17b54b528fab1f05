/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A task's data, when they are not all plain: first the gate, then the values, at the worker's
 * node. A claim that must wait, or a value that must be transferred, parks the task (RT_LATER); the
 * gate's queue or a mover calls back, and the task runs on its worker again.
 */
#include "data_stats.h"
#include "gate.h"
#include "mover.h"
#include "redux.h"
#include "tidy.h"
#include "runtime/profile/profile.h"
#include "runtime/task/task.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NOWHERE = -1 };
enum stage { AT_GATE, PASSED, HERE };
struct fetch {
	struct rt_claim claim;
	struct rt_job *job;
	struct rt_worker *worker;
	enum stage stage;
	int rc;
	starpu_data_handle_t failed;
	int8_t *node;          /* of each access: where it is wanted, or NOWHERE */
	struct rt_want want[]; /* then the nodes */
};

static starpu_data_handle_t handle_at(struct rt_job *j, unsigned i)
{
	return rt_handle_of(rt_job_handles(j)[i]);
}

/* It is in a replica of the handle, not in the worker's own. */
static bool is_shared(uint32_t mode)
{
	return mode & (RT_READ | RT_WRITE) && !(mode & (RT_SCRATCH | RT_REDUX));
}

static void comes_back(struct rt_claim *c)
{
	struct fetch *f = (struct fetch *)(void *)c;
	struct rt_submitter *s = rt_data_self();
	/* It is not placed: it may run here and now, on the worker that has let it pass. */
	if (f->job->bits & RT_J_PLACED || !s || !rt_make_ready(s, f->job))
		rt_again(f->worker, f->job);
}

/*
 * A task here passes the gate with all handles that it shares: while it is parked, no watch has to
 * find it on a worker.
 */
static void fetch_claim(struct fetch *f)
{
	struct rt_job *j = f->job;
	f->claim.n = 0;
	for (unsigned i = 0; i < j->n_accesses; i++)
		if (is_shared(rt_job_modes(j)[i]))
			rt_claim_add(&f->claim, handle_at(j, i), rt_job_modes(j)[i] & RT_WRITE);
}

/* Codelets may name the node for each of their data; else it is the worker's. */
static int8_t node_of(struct fetch *f, unsigned i)
{
	struct rt_upper *p = rt_upper(f->job); /* only tasks fetch */
	int local = (int)f->worker->node;
	if (!is_shared(rt_job_modes(f->job)[i]))
		return NOWHERE;
	if (!p->cl || !p->cl->specific_nodes)
		return (int8_t)local;
	int node = p->task ? STARPU_TASK_GET_NODE(p->task, i) : STARPU_CODELET_GET_NODE(p->cl, i);
	bool is_here = handle_at(f->job, i)->replica[local].valid;
	int ram = rt_nodes[local].kind == STARPU_CPU_RAM ? local : (int)STARPU_MAIN_RAM;
	if (node == STARPU_SPECIFIC_NODE_CPU || node == STARPU_SPECIFIC_NODE_SLOW)
		return (int8_t)ram;
	if (node == STARPU_SPECIFIC_NODE_LOCAL_OR_CPU || node == STARPU_SPECIFIC_NODE_LOCAL_OR_SIMILAR_OR_CPU)
		return (int8_t)(is_here ? local : ram);
	if (node == STARPU_SPECIFIC_NODE_NONE)
		return NOWHERE;
	return (int8_t)(node >= 0 && node < (int)weft_load_u32(&rt_n_nodes) ? node : local);
}

static struct fetch *fetch_begin(struct rt_job *j, struct rt_worker *w)
{
	struct fetch *f = calloc(1, sizeof *f + j->n_accesses * (sizeof f->want[0] + sizeof *f->node));
	if (!f)
		return NULL;
	f->claim = (struct rt_claim){.go = comes_back, .want = f->want};
	f->job = j;
	f->worker = w;
	fetch_claim(f);
	f->node = (int8_t *)(f->want + j->n_accesses);
	j->data = f;
	rt_job_modes(j)[0] |= RT_FETCHED;
	return f;
}

static void fetch_moved(struct rt_move *m)
{
	struct fetch *f = m->arg;
	f->rc = m->rc;
	f->failed = m->failed;
	f->stage = HERE;
	free(m);
	if (rt_is_profiled())
		rt_profile_arrived(rt_upper(f->job)->task, f->worker->number);
	rt_again(f->worker, f->job);
}

/* The first n accesses; with rt_data.lock. */
static void put_shared(struct fetch *f, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (f->node[i] != NOWHERE)
			rt_replica_put(handle_at(f->job, i), (unsigned)f->node[i], rt_job_modes(f->job)[i]);
}

/* Pins all; false: some are not there, and none is pinned. */
static bool get_now(struct fetch *f)
{
	struct rt_job *j = f->job;
	unsigned i = 0;
	for (unsigned k = 0; k < j->n_accesses; k++)
		f->node[k] = node_of(f, k);
	if (WEFT_UNLIKELY(rt_stats_counted))
		rt_stats_job(j, f->node);
	rt_replica_lock();
	while (i < j->n_accesses &&
	       (f->node[i] == NOWHERE || rt_replica_get_now(handle_at(j, i), (unsigned)f->node[i], rt_job_modes(j)[i])))
		i++;
	bool all = i == j->n_accesses;
	if (!all)
		put_shared(f, i);
	rt_replica_unlock();
	return all;
}

static int send_for(struct fetch *f)
{
	struct rt_job *j = f->job;
	struct rt_move *m = rt_move_new(j->n_accesses);
	if (!m)
		return -ENOMEM;
	m->n = 0;
	for (unsigned i = 0; i < j->n_accesses; i++)
		if (f->node[i] != NOWHERE)
			m->item[m->n++] = (struct rt_move_item){handle_at(j, i), (unsigned)f->node[i], rt_job_modes(j)[i]};
	m->done = fetch_moved;
	m->arg = f;
	m->task = rt_job_ref(j);
	if (rt_is_profiled())
		rt_profile_enter(f->worker->number, RT_WAITING);
	rt_move(m, f->worker->node, STARPU_FETCH, j->priority);
	return 0;
}

/* Only the program can mend it. */
static int no_room(const struct fetch *f, const char *name, struct weft_err *err)
{
	char node[64];
	starpu_ssize_t limit = rt_nodes[f->worker->node].memory.limit;
	starpu_memory_node_get_name(f->worker->node, node, sizeof node);
	if (limit < 0 || !f->failed)
		return weft_err_set(err, -ENOMEM, "handle %p (%s) finds no room on memory node %u (%s)", (void *)f->failed, name,
		                    f->worker->node, node);
	return weft_err_set(err, -ENOMEM,
	                    "handle %p (%s) finds no room on memory node %u (%s): it takes %zu bytes of %zu, where data "
	                    "that are in use or nowhere else stay; partition it, or allow more (STARPU_LIMIT_*_MEM)",
	                    (void *)f->failed, name, f->worker->node, node, rt_data_size(f->failed), (size_t)limit);
}

static int fetch_fail(struct fetch *f, int rc, struct weft_err *err)
{
	const char *name = f->failed && f->failed->name ? f->failed->name : "without a name";
	if (rc == -EINVAL)
		return weft_err_set(err, rc, "handle %p (%s) has no value yet: it was never written", (void *)f->failed, name);
	if (rc == -ENOMEM)
		return no_room(f, name, err);
	return weft_err_set(err, rc, "handle %p (%s) cannot be copied to memory node %u: %s", (void *)f->failed, name,
	                    f->worker->node, strerror(-rc));
}

/* The worker's own buffers; those of a reduction begin with the neutral element. */
static int get_own(struct fetch *f, unsigned i, void **buffer)
{
	starpu_data_handle_t h = handle_at(f->job, i);
	rt_replica_lock();
	struct rt_replica *r = rt_replica_own(h, f->worker->number, f->worker->node);
	rt_replica_unlock();
	f->failed = h;
	if (!r)
		return -ENOMEM;
	*buffer = r->interface;
	if (rt_job_modes(f->job)[i] & RT_REDUX && !r->valid) {
		rt_redux_begin(h, r, f->worker);
		r->valid = true;
	}
	return 0;
}

int rt_data_fetch(struct rt_job *j, struct rt_worker *w, void **buffers, struct weft_err *err)
{
	struct fetch *f = rt_data_was_fetched(j) ? j->data : NULL;
	if (!f) {
		f = fetch_begin(j, w);
		if (!f)
			return weft_err_set(err, -ENOMEM, "no memory for a task's data");
		f->stage = PASSED;
		if (f->claim.n && !rt_gate_enter(&f->claim))
			return 1;
	}
	f->worker = w;
	if (f->stage == PASSED && !get_now(f)) {
		int rc = send_for(f);
		return rc ? fetch_fail(f, rc, err) : 1;
	}
	f->stage = HERE;
	int rc = f->rc;
	for (unsigned i = 0; i < j->n_accesses && !rc; i++) {
		struct rt_replica *r = &handle_at(j, i)->replica[f->node[i] == NOWHERE ? (int)w->node : f->node[i]];
		if (is_shared(rt_job_modes(j)[i]))
			buffers[i] = r->interface;
		else
			rc = get_own(f, i, &buffers[i]);
		if (WEFT_UNLIKELY(r->foreign))
			rt_multiformat_convert(r);
	}
	return rc ? fetch_fail(f, rc, err) : 0;
}

static void written_through(starpu_data_handle_t h, unsigned node);

void rt_data_done(struct rt_job *j, struct rt_worker *w)
{
	struct fetch *f = j->data;
	rt_replica_lock();
	if (!f->rc)
		put_shared(f, j->n_accesses);
	rt_replica_unlock();
	rt_tidy_after(w->node);
	for (unsigned i = 0; i < j->n_accesses; i++)
		if (rt_job_modes(j)[i] & RT_WRITE && handle_at(j, i)->wt_mask)
			written_through(handle_at(j, i), w->node);
	rt_job_modes(j)[0] &= ~RT_FETCHED;
	if (f->claim.n)
		rt_gate_leave(&f->claim);
	free(f);
}

/* ---- prefetching ---- */

static void fetch_prefetched(struct rt_move *m)
{
	starpu_data_handle_t h = m->item[0].handle;
	rt_replica_lock();
	if (!m->rc)
		rt_replica_put(h, m->item[0].node, m->item[0].mode);
	h->replica[m->item[0].node].requested--;
	rt_replica_moved(h);
	rt_replica_unlock();
	free(m);
}

void rt_data_prefetch_handle(starpu_data_handle_t h, unsigned node, const struct rt_prefetch *how)
{
	rt_replica_lock();
	struct rt_replica *r = &h->replica[node];
	bool is_there = r->valid || r->loading || r->requested || !h->initialized || h->leaving;
	struct rt_move *m = is_there || rt_data_is_simple() ? NULL : rt_move_new(1);
	if (m) { /* the mover sees later writers */
		r->requested++;
		rt_replica_moves(h);
	}
	rt_replica_unlock();
	if (!m)
		return;
	m->item[0] = (struct rt_move_item){h, node, RT_READ};
	m->done = fetch_prefetched;
	m->cause = how->cause;
	m->task = how->task;
	rt_move(m, node, how->kind == STARPU_FETCH ? STARPU_TASK_PREFETCH : how->kind, how->priority);
}

static void written_through(starpu_data_handle_t h, unsigned node)
{
	for (unsigned i = 0; i < weft_load_u32(&rt_n_nodes) && i < 32; i++)
		if (i != node && h->wt_mask & UINT32_C(1) << i)
			rt_data_prefetch_handle(h, i, &(struct rt_prefetch){STARPU_PREFETCH, .cause = "write through"});
}
