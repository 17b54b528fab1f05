/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine as a tree for schedulers: made from hwloc's topology at the first query, freed at the
 * end of the runtime.
 */
#include "begin.h"
#include "machine.h"
#include <pthread.h>
#include <stdlib.h>

static struct starpu_tree *tree;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/*
 * As StarPU makes it: objects with one child only are left out, a level is a depth of the topology,
 * and that is an inner node's id, too.
 */
static void fill(struct starpu_tree *at, const struct hwloc_obj *o, struct starpu_tree *parent)
{
	while (o->arity == 1)
		o = o->children[0];
	bool is_pu = o->type == HWLOC_OBJ_PU;
	if (o->arity)
		starpu_tree_prepare_children(o->arity, at);
	starpu_tree_insert(at, is_pu ? (int)o->logical_index : o->depth, o->depth, is_pu, (int)o->arity, parent);
	for (unsigned i = 0; i < o->arity; i++)
		fill(&at->nodes[i], o->children[i], at);
}

struct starpu_tree *starpu_workers_get_tree(void)
{
	pthread_mutex_lock(&lock);
	if (!tree && rt_machine.topology && (tree = calloc(1, sizeof *tree)))
		fill(tree, hwloc_get_root_obj(rt_machine.topology), NULL);
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
