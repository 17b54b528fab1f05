/* SPDX-License-Identifier: Apache-2.0 */
/* The machine as a tree for schedulers: made when somebody asks, given back at the end. */
#include "init.h"
#include <pthread.h>
#include <stdlib.h>

static struct starpu_tree *tree;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int id_of(const struct hwloc_obj *o)
{
	return o->type == HWLOC_OBJ_PU ? (int)o->logical_index : (int)(o->depth * STARPU_NMAXWORKERS) + (int)o->logical_index;
}

static void fill(struct starpu_tree *at, struct hwloc_obj *o, int level, struct starpu_tree *parent)
{
	if (o->arity)
		starpu_tree_prepare_children(o->arity, at);
	starpu_tree_insert(at, id_of(o), level, o->type == HWLOC_OBJ_PU, (int)o->arity, parent);
	for (unsigned i = 0; i < o->arity; i++)
		fill(&at->nodes[i], o->children[i], level + 1, at);
}

struct starpu_tree *starpu_workers_get_tree(void)
{
	pthread_mutex_lock(&lock);
	if (!tree && rt_machine.topology && (tree = calloc(1, sizeof *tree)))
		fill(tree, hwloc_get_root_obj(rt_machine.topology), 0, NULL);
	pthread_mutex_unlock(&lock);
	return tree;
}

void rt_worker_tree_end(void)
{
	if (tree)
		starpu_tree_free(tree);
	free(tree);
	tree = NULL;
}
