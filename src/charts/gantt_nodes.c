/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows of memory nodes: allocations, submissions of copies and the copies themselves (of the node that they go to). Several go on side by side, so
 * a pixel has what most of its activity was, however little that is of its time: transfers are short, and a chart without them would say nothing.
 */
#include "gantt.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum node_state { NODE_ALLOCATING, NODE_REUSING, NODE_FREEING, NODE_SUBMITTING, NODE_COPYING, NODE_STATES };

/* The handbook's names and colours (4.1.1.4). */
static const struct gantt_paint looks[NODE_STATES] = {
	[NODE_ALLOCATING] = {0x800020, GANTT_NODE_STATE + NODE_ALLOCATING, "allocating", 0},
	[NODE_REUSING] = {0xc2255c, GANTT_NODE_STATE + NODE_REUSING, "allocating (reused)", 0},
	[NODE_FREEING] = {0x5c0016, GANTT_NODE_STATE + NODE_FREEING, "freeing", 0},
	[NODE_SUBMITTING] = {0x0b5d1e, GANTT_NODE_STATE + NODE_SUBMITTING, "submitting a copy", 0},
	[NODE_COPYING] = {0x8ce99a, GANTT_NODE_STATE + NODE_COPYING, "copying", 0},
};

struct node {
	uint32_t process, number;
	double *spent[NODE_STATES]; /* by pixel; NULL: never */
};
struct nodes {
	struct gantt *g;
	WEFT_VEC(struct node) node;
};

static int find_node(struct nodes *n, uint32_t process, uint32_t number, struct node **out)
{
	for (size_t k = 0; k < n->node.n; k++)
		if (n->node.at[k].process == process && n->node.at[k].number == number) {
			*out = &n->node.at[k];
			return 0;
		}
	int rc = weft_vec_push(&n->node, ((struct node){.process = process, .number = number}));
	*out = rc ? NULL : &n->node.at[n->node.n - 1];
	return rc;
}

static int spend(struct nodes *n, struct node *node, enum node_state state, uint64_t from, uint64_t to)
{
	if (from == WEFT_NEVER || to == WEFT_NEVER || to <= from || to <= n->g->from || from >= n->g->to)
		return 0;
	if (!node->spent[state])
		node->spent[state] = calloc(n->g->width, sizeof *node->spent[state]);
	if (!node->spent[state])
		return -ENOMEM;
	gantt_spread(n->g, node->spent[state], from, to, (double)(to - from));
	return 0;
}

static int collect(struct nodes *n)
{
	const struct weft_tasks *t = &n->g->tasks->tasks;
	struct node *node;
	int rc = 0;
	for (uint32_t i = 0; i < t->n_memory && !rc; i++) {
		const struct weft_tasks_memory *m = &t->memory[i];
		rc = find_node(n, m->process, m->node, &node);
		if (!rc)
			rc = spend(n, node,
			           m->frees    ? NODE_FREEING
			           : m->cached ? NODE_REUSING
			                       : NODE_ALLOCATING,
			           m->begin, m->end);
	}
	for (uint32_t i = 0; i < t->n_copies && !rc; i++) {
		const struct weft_tasks_copy *c = &t->copy[i];
		struct node *source;
		rc = find_node(n, c->process, c->from, &source); /* a row of its own, where arrows begin */
		rc = rc ? rc : find_node(n, c->process, c->to, &node);
		rc = rc ? rc : spend(n, node, NODE_SUBMITTING, c->submit, c->start);
		rc = rc ? rc : spend(n, node, NODE_COPYING, c->start, c->end);
	}
	return rc;
}

static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;
	if (x->process != y->process)
		return x->process < y->process ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

static void label_node(const struct nodes *n, const struct node *node, char *out, size_t size)
{
	const struct weft_tasks *t = &n->g->tasks->tasks;
	const char *name = "";
	for (uint32_t k = 0; k < t->n_nodes; k++)
		if (t->node[k].process == node->process && t->node[k].number == node->number)
			name = t->node[k].name;
	bool several = n->node.at[0].process != n->node.at[n->node.n - 1].process;
	size_t at = several ? (size_t)snprintf(out, size, "%u: ", node->process) : 0;
	if (*name)
		snprintf(out + at, size - at, "%.40s", name);
	else
		snprintf(out + at, size - at, "node %u", node->number);
}

static int add_node(const struct nodes *n, const struct node *node, const uint16_t *paint)
{
	struct gantt *g = n->g;
	struct gantt_row row = {.cell = calloc(g->width, sizeof *row.cell),
	                        .kind = GANTT_NODE,
	                        .of = node->number,
	                        .process = node->process};
	label_node(n, node, row.label, sizeof row.label);
	if (!row.cell || weft_vec_push(&g->row, row)) {
		free(row.cell);
		return -ENOMEM;
	}
	for (unsigned x = 0; x < g->width; x++) {
		double most = 0;
		for (unsigned s = 0; s < NODE_STATES; s++)
			if (node->spent[s] && node->spent[s][x] > most) {
				most = node->spent[s][x];
				row.cell[x] = paint[s];
			}
	}
	return 0;
}

int gantt_nodes(struct gantt *g)
{
	struct nodes n = {.g = g};
	uint16_t paint[NODE_STATES] = {0};
	int rc = collect(&n);
	if (n.node.n)
		qsort(n.node.at, n.node.n, sizeof *n.node.at, compare_nodes);
	for (unsigned s = 0; s < NODE_STATES && !rc; s++) {
		bool any = false;
		for (size_t k = 0; k < n.node.n; k++)
			any = any || n.node.at[k].spent[s];
		if (any)
			rc = gantt_paint(g, looks[s], &paint[s]);
	}
	for (size_t k = 0; k < n.node.n && !rc; k++)
		rc = add_node(&n, &n.node.at[k], paint);
	for (size_t k = 0; k < n.node.n; k++)
		for (unsigned s = 0; s < NODE_STATES; s++)
			free(n.node.at[k].spent[s]);
	free(n.node.at);
	return rc;
}
