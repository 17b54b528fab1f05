/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The root of divide and conquer: makes the tree of a problem, gives its leaves away, combines solutions on the way up.
 *
 *     _D_Divide: level by level, until the depth is reached or a part is too small
 *     _D_Conquer: a leaf to each worker that is free; an answer; what it completes is combined at once; …
 *
 * The depth is read once a problem. Leaves are given away in the order of the tree, and combined in the order of parts.
 */
#include "divide_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_PARENT UINT32_MAX

static void note_failure(struct divide_root *r, int rc)
{
	if (rc < 0 && r->rc == 0)
		r->rc = rc;
}

static int add_node(struct divide_root *r, uint32_t parent, struct divide_node **out)
{
	if (r->n == r->room) {
		uint32_t room = r->room ? r->room * 2 : 64;
		struct divide_node *node = room > r->room ? realloc(r->node, room * sizeof *node) : NULL;
		if (!node)
			return -ENOMEM;
		r->node = node;
		r->room = room;
	}
	*out = &r->node[r->n++];
	**out = (struct divide_node){.parent = parent, .depth = parent == NO_PARENT ? 0 : r->node[parent].depth + 1};
	return 0;
}

static void drop_nodes(struct divide_root *r)
{
	for (uint32_t i = 0; i < r->n; i++) {
		free(r->node[i].problem.at);
		free(r->node[i].solution.at);
	}
	r->n = 0;
}

int weft_divide_part(struct weft_divide_parts *parts, const void *data, size_t bytes)
{
	struct divide_root *r = parts->root;
	struct divide_node *part;
	int rc = add_node(r, parts->of, &part);
	if (rc)
		return rc;
	struct divide_node *whole = &r->node[parts->of];
	if (whole->n++ == 0)
		whole->first = r->n - 1;
	whole->open++;
	return weft_frame_put(&part->problem, data, bytes);
}

/* Measured: _D_Divide. */
int divide_split(struct divide_root *r)
{
	unsigned depth = (unsigned)DivideDepthNow;
	int leaves = 0;
	for (uint32_t i = 0; i < r->n; i++) { /* r->n grows */
		struct weft_divide_parts parts = {r, i};
		struct weft_frame_bytes problem = r->node[i].problem;
		if (r->node[i].depth < depth) {
			int rc = r->program->divide(r->user, (struct weft_divide_bytes){problem.at, problem.n}, &parts);
			if (rc < 0)
				return rc;
		}
		leaves += r->node[i].n == 0;
	}
	DivideLeaves = leaves;
	return 0;
}

static int combine(struct divide_root *r, struct divide_node *whole)
{
	struct weft_divide_bytes *part = calloc(whole->n, sizeof *part);
	if (!part)
		return -ENOMEM;
	for (uint32_t i = 0; i < whole->n; i++) {
		const struct weft_frame_bytes *s = &r->node[whole->first + i].solution;
		part[i] = (struct weft_divide_bytes){s->at, s->n};
	}
	int rc = r->program->combine(r->user, part, whole->n, &whole->solution);
	free(part);
	return rc < 0 ? rc : 0;
}

/* A leaf is solved: so may be what it is a part of, and so on. */
static int climb(struct divide_root *r, uint32_t i)
{
	while (r->node[i].parent != NO_PARENT) {
		i = r->node[i].parent;
		if (--r->node[i].open)
			return 0;
		int rc = combine(r, &r->node[i]);
		if (rc)
			return rc;
	}
	return 0;
}

/* The next leaf, or r->n. */
static uint32_t next_leaf(struct divide_root *r)
{
	while (r->next < r->n && r->node[r->next].n)
		r->next++;
	return r->next;
}

static int give_leaf(struct divide_root *r, int rank, uint32_t leaf)
{
	const struct weft_frame_bytes *problem = &r->node[leaf].problem;
	const struct frame_head head =
		{.magic = FRAME_MAGIC, .kind = DIVIDE_LEAF, .iteration = r->number, .first = leaf, .n = 1, .bytes = problem->n};
	int rc = frame_send(r->link, rank, &head, NULL, problem->at, &r->message);
	if (rc)
		return rc;
	r->busy[rank] = true;
	r->has[rank] = leaf;
	r->n_busy++;
	r->next++;
	return 0;
}

static int take_answer(struct divide_root *r)
{
	struct frame_head head;
	int rank, rc = frame_receive(r->link, WEFT_FRAME_ANY, &rank, &head, &r->in);
	if (rc)
		return rc;
	if (head.kind != DIVIDE_ANSWER || !r->busy[rank] || head.first != r->has[rank] || head.iteration != r->number ||
	    head.has_shared)
		return -EPROTO;
	r->busy[rank] = false;
	r->n_busy--;
	note_failure(r, head.rc);
	if (r->rc)
		return 0;
	note_failure(r, weft_frame_put(&r->node[head.first].solution, r->in.at, r->in.n));
	if (r->rc == 0)
		note_failure(r, climb(r, (uint32_t)head.first));
	return 0;
}

static int solve_alone(struct divide_root *r)
{
	for (uint32_t leaf; (leaf = next_leaf(r)) < r->n; r->next++) {
		struct divide_node *n = &r->node[leaf];
		int rc = r->program->solve(r->user, (struct weft_divide_bytes){n->problem.at, n->problem.n}, &n->solution);
		rc = rc < 0 ? rc : climb(r, leaf);
		if (rc)
			return rc;
	}
	return 0;
}

/* Measured: _D_Conquer. */
int divide_conquer(struct divide_root *r)
{
	r->next = 0;
	if (r->link->size == 1)
		return solve_alone(r);
	do {
		for (int rank = 1; rank < r->link->size && r->rc == 0; rank++)
			if (!r->busy[rank] && next_leaf(r) < r->n)
				note_failure(r, give_leaf(r, rank, r->next));
		int rc = r->n_busy ? take_answer(r) : 0;
		if (rc)
			return rc; /* a link that fails, or a process that is none of ours: nothing to wait for */
	} while (r->n_busy || (r->rc == 0 && next_leaf(r) < r->n));
	return r->rc;
}

/* 1: there was one; 0: no more. */
static int run_problem(struct divide_root *r)
{
	struct divide_node *whole;
	int rc = add_node(r, NO_PARENT, &whole);
	rc = rc ? rc : r->program->problem(r->user, r->number, &whole->problem);
	if (rc <= 0)
		return rc;
	int depth = DivideDepth;
	DivideProblem = r->number;
	DivideDepthNow = depth < 0 ? 0 : depth > WEFT_DIVIDE_DEPTH ? WEFT_DIVIDE_DEPTH : depth;
	rc = divide_split(r);
	rc = rc ? rc : divide_conquer(r);
	if (rc)
		return rc;
	const struct weft_frame_bytes *solution = &r->node[0].solution;
	rc = r->program->solved(r->user, r->number, (struct weft_divide_bytes){solution->at, solution->n});
	return rc < 0 ? rc : 1;
}

int divide_root_run(struct divide_root *r)
{
	for (int more = 1; more > 0 && r->rc == 0;) {
		r->number++;
		more = run_problem(r);
		note_failure(r, more);
		drop_nodes(r);
	}
	const struct frame_head end = {.magic = FRAME_MAGIC, .kind = DIVIDE_END, .rc = r->rc};
	for (int k = 1; k < r->link->size; k++)
		note_failure(r, frame_send(r->link, k, &end, NULL, NULL, &r->message));
	return r->rc;
}
