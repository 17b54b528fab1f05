/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees over the machine: a leaf is a processing unit whose id is a bind id; `visited` and `present` are indexed by worker. A
 * neighbour is the nearest leaf with a worker that is present and not visited: up one level after the other, and each time down
 * through all but where one came from.
 */
#include <starpu.h>
#include <starpu_tree.h>
#include <stdbool.h>

void starpu_tree_insert(struct starpu_tree *tree, int id, int level, int is_pu, int arity, struct starpu_tree *parent)
{
	struct starpu_tree *nodes = tree->nodes;
	*tree = (struct starpu_tree){.id = id, .level = level, .is_pu = is_pu, .arity = arity, .parent = parent};
	tree->nodes = arity ? nodes : NULL;
}

void starpu_tree_prepare_children(unsigned arity, struct starpu_tree *parent)
{
	parent->nodes = calloc(arity ? arity : 1, sizeof *parent->nodes);
	STARPU_ASSERT_MSG(parent->nodes, "no memory for %u nodes of a tree", arity);
}

struct starpu_tree *starpu_tree_get(struct starpu_tree *tree, int id)
{
	if (tree->arity == 0 || !tree->nodes)
		return tree->is_pu && tree->id == id ? tree : NULL;
	struct starpu_tree *found = NULL;
	for (int i = 0; i < tree->arity && !found; i++)
		found = starpu_tree_get(&tree->nodes[i], id);
	return found;
}

static bool is_wanted(const struct starpu_tree *leaf, const char *visited, const char *present)
{
	int *workers;
	int n = leaf->is_pu ? starpu_bindid_get_workerids(leaf->id, &workers) : 0;
	for (int i = 0; i < n; i++)
		if (present[workers[i]] && !visited[workers[i]])
			return true;
	return false;
}

static struct starpu_tree *find_below(struct starpu_tree *tree, const struct starpu_tree *but, const char *visited,
                                      const char *present)
{
	struct starpu_tree *found = tree->arity == 0 && is_wanted(tree, visited, present) ? tree : NULL;
	for (int i = 0; i < tree->arity && tree->nodes && !found; i++)
		if (&tree->nodes[i] != but)
			found = find_below(&tree->nodes[i], but, visited, present);
	return found;
}

struct starpu_tree *starpu_tree_get_neighbour(struct starpu_tree *tree, struct starpu_tree *node, char *visited, char *present)
{
	struct starpu_tree *found = NULL;
	for (; node && node != tree && node->parent && !found; node = node->parent)
		found = find_below(node->parent, node, visited, present);
	return found;
}

void starpu_tree_reset_visited(struct starpu_tree *tree, char *visited)
{
	int *workers;
	int n = tree->arity == 0 && tree->is_pu ? starpu_bindid_get_workerids(tree->id, &workers) : 0;
	for (int i = 0; i < n; i++)
		visited[workers[i]] = 0;
	for (int i = 0; i < tree->arity && tree->nodes; i++)
		starpu_tree_reset_visited(&tree->nodes[i], visited);
}

void starpu_tree_free(struct starpu_tree *tree)
{
	for (int i = 0; i < tree->arity && tree->nodes; i++)
		starpu_tree_free(&tree->nodes[i]);
	free(tree->nodes);
	tree->nodes = NULL;
	tree->arity = 0;
}
