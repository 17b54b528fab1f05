/* SPDX-License-Identifier: Apache-2.0 */
/* The model of a trace: threads are walked side by side, each into arrays of its own, which are then put behind each other. */
#include "causal_priv.h"
#include "base/pool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Launchers and helpers end last and tell nothing: where processes have ranks, those count alone. */
static int choose_threads(struct weft_causal *c)
{
	const struct weft_trace *t = c->trace;
	c->of_thread = malloc(((size_t)t->n_threads + 1) * sizeof *c->of_thread);
	c->thread = calloc((size_t)t->n_threads + 1, sizeof *c->thread);
	if (!c->of_thread || !c->thread)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_processes; i++)
		c->has_ranks = c->has_ranks || t->process[i].rank >= 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		uint32_t process = t->thread[i].process;
		bool counts = !t->thread[i].own && (!c->has_ranks || t->process[process].rank >= 0);
		c->of_thread[i] = counts ? c->n_threads : WEFT_CAUSAL_NONE;
		if (counts)
			c->thread[c->n_threads++] = (struct weft_causal_thread){.thread = i, .process = process};
	}
	return 0;
}

static int walk_one(void *arg, size_t i, unsigned worker)
{
	struct causal_load *l = arg;
	(void)worker;
	return causal_walk(l, l->model->thread[i].thread, &l->out[i]);
}

static void free_out(struct causal_out *o)
{
	free(o->node.at);
	free(o->part.at);
	free(o->link.at);
	free(o->path.at);
	free(o->join.at);
	free(o->named.at);
	free(o->held.at);
	free(o->path_to);
}

/*
 * Threads of which nothing is told but that they were there: those of libraries. Where some processes call MPI, the others
 * only began them.
 */
static int drop_silent(struct causal_load *l)
{
	struct weft_causal *c = l->model;
	uint32_t kept = 0;
	bool *mpi = calloc((size_t)c->trace->n_processes + 1, sizeof *mpi), any = false;
	if (!mpi)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->n_threads; i++) {
		mpi[c->thread[i].process] = mpi[c->thread[i].process] || l->out[i].mpi;
		any = any || l->out[i].mpi;
	}
	for (uint32_t i = 0; i < c->n_threads; i++) {
		bool first = c->trace->process[c->thread[i].process].first_thread == c->thread[i].thread;
		bool idle = l->out[i].node.n <= 1 && l->out[i].part.n <= 1 && !first;
		bool silent = !l->out[i].told || idle || (any && !mpi[c->thread[i].process]);
		c->of_thread[c->thread[i].thread] = silent ? WEFT_CAUSAL_NONE : kept;
		if (silent) {
			free_out(&l->out[i]);
			continue;
		}
		c->thread[kept] = c->thread[i];
		l->out[kept++] = l->out[i];
	}
	c->n_threads = kept;
	c->has_ranks = c->has_ranks || any;
	free(mpi);
	return 0;
}

/* ---- one tree of paths out of those of the threads ---- */

static int merge_paths(struct causal_load *l)
{
	struct weft_causal *c = l->model;
	WEFT_VEC(struct weft_causal_path) all = {0};
	struct weft_map known = {0};
	int rc = 0;
	for (uint32_t i = 0; !rc && i < c->n_threads; i++) {
		struct causal_out *o = &l->out[i];
		o->path_to = malloc((o->path.n + 1) * sizeof *o->path_to);
		rc = o->path_to ? 0 : -ENOMEM;
		for (size_t k = 0; !rc && k < o->path.n; k++) {
			struct weft_causal_path p = o->path.at[k];
			uint64_t at;
			p.parent = p.parent == WEFT_CAUSAL_NONE ? WEFT_CAUSAL_NONE : o->path_to[p.parent];
			uint64_t key = (uint64_t)(p.parent + 1) << 32 | p.region;
			if (!weft_map_get(&known, key, &at)) {
				at = all.n;
				if (weft_vec_push(&all, p) || weft_map_put(&known, key, at))
					rc = -ENOMEM;
			}
			o->path_to[k] = (uint32_t)at;
		}
	}
	weft_map_fini(&known);
	c->path = all.at;
	c->n_paths = (uint32_t)all.n;
	return rc;
}

static int make_room(struct causal_load *l)
{
	struct weft_causal *c = l->model;
	uint64_t nodes = 0, parts = 0, links = 0;
	for (uint32_t i = 0; i < c->n_threads; i++) {
		nodes += l->out[i].node.n;
		parts += l->out[i].part.n;
		links += l->out[i].link.n;
	}
	if (nodes >= WEFT_CAUSAL_NONE || parts >= WEFT_CAUSAL_NONE || links >= WEFT_CAUSAL_NONE)
		return -EOVERFLOW;
	c->node = malloc((nodes + 1) * sizeof *c->node);
	c->part = malloc((parts + 1) * sizeof *c->part);
	c->link = malloc((links + 1) * sizeof *c->link);
	c->of_node = malloc((nodes + 1) * sizeof *c->of_node);
	return c->node && c->part && c->link && c->of_node ? 0 : -ENOMEM;
}

/* Threads that still wait when the process ends do not make the run longer. */
static uint64_t own_end(const struct weft_causal *c, const struct weft_causal_thread *t)
{
	uint32_t last = t->first_node + t->n_nodes - 1;
	while (last > t->first_node) {
		const struct weft_causal_node *n = &c->node[last - 1];
		bool woken = n->kind != WEFT_CAUSAL_WAIT &&
		             (n->kind != WEFT_CAUSAL_STARVED || n->first_link < (n + 1)->first_link);
		if (woken || c->node[last].begin > n->end)
			break;
		last--;
	}
	return c->node[last].begin;
}

static void put_thread(struct weft_causal *c, uint32_t thread, struct causal_out *o)
{
	struct weft_causal_thread *t = &c->thread[thread];
	t->first_node = c->n_nodes;
	t->n_nodes = (uint32_t)o->node.n;
	t->begin = o->begin;
	for (size_t k = 0; k < o->node.n; k++) {
		struct weft_causal_node n = o->node.at[k];
		n.first_part += c->n_parts;
		n.first_link += c->n_links;
		n.path = o->path_to[n.path];
		c->of_node[c->n_nodes] = thread;
		c->node[c->n_nodes++] = n;
	}
	for (size_t k = 0; k < o->part.n; k++) {
		struct weft_causal_part p = o->part.at[k];
		p.path = o->path_to[p.path];
		c->part[c->n_parts++] = p;
	}
	for (size_t k = 0; k < o->link.n; k++)
		c->link[c->n_links++] = o->link.at[k];
	c->node[c->n_nodes] =
		(struct weft_causal_node){.first_part = c->n_parts, .first_link = c->n_links, .kind = WEFT_CAUSAL_END};
	t->end = own_end(c, t);
	c->begin = o->begin < c->begin ? o->begin : c->begin;
	c->end = t->end > c->end ? t->end : c->end;
	c->n_events_read += o->n_events;
}

int causal_gather(struct causal_load *l)
{
	struct weft_causal *c = l->model;
	int rc = merge_paths(l);
	if (!rc)
		rc = make_room(l);
	if (rc)
		return rc;
	c->begin = UINT64_MAX;
	for (uint32_t i = 0; i < c->n_threads; i++) {
		put_thread(c, i, &l->out[i]);
		free(l->out[i].node.at);
		free(l->out[i].part.at);
		free(l->out[i].link.at);
		l->out[i].node.at = NULL, l->out[i].part.at = NULL, l->out[i].link.at = NULL;
	}
	if (c->begin == UINT64_MAX)
		c->begin = 0;
	c->node[c->n_nodes] =
		(struct weft_causal_node){.first_part = c->n_parts, .first_link = c->n_links, .kind = WEFT_CAUSAL_END};
	return 0;
}

int weft_causal_load(const struct weft_trace *t, const struct weft_causal_how *how, struct weft_causal *out, struct weft_err *err)
{
	struct causal_names names = {0};
	struct causal_load l = {.trace = t, .names = &names, .model = out};
	*out = (struct weft_causal){.trace = t, .eager_below = UINT64_MAX};
	int rc = causal_names_init(&names, t, out);
	if (!rc)
		rc = choose_threads(out);
	if (!rc && !(l.out = calloc((size_t)out->n_threads + 1, sizeof *l.out)))
		rc = -ENOMEM;
	if (!rc)
		rc = causal_find_opens(&l);
	if (!rc)
		rc = weft_parallel(how ? how->threads : 0, out->n_threads, walk_one, &l);
	if (!rc)
		rc = drop_silent(&l);
	if (!rc)
		rc = causal_gather(&l);
	if (!rc)
		rc = causal_tasks(out);
	if (!rc)
		rc = causal_resolve(&l);
	for (uint32_t i = 0; l.out && i < out->n_threads; i++)
		free_out(&l.out[i]);
	free(l.out);
	causal_free_opens(&l);
	causal_names_fini(&names);
	if (rc) {
		weft_causal_free(out);
		return weft_err_set(err, rc, "cannot read what '%s' waited for: %s", t->path, weft_err_name(rc));
	}
	return 0;
}

void weft_causal_free(struct weft_causal *c)
{
	free(c->thread);
	free(c->of_thread);
	free(c->of_node);
	free(c->node);
	free(c->part);
	free(c->link);
	free(c->path);
	free(c->region);
	free(c->meeting);
	free(c->member);
	free(c->lock);
	free(c->event);
	free(c->holder);
	free(c->send_node);
	free(c->recv_node);
	free(c->out_node);
	free(c->in_node);
	free(c->task_node);
	weft_tasks_free(&c->tasks);
	*c = (struct weft_causal){0};
}
