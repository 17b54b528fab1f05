/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Trees over the topology of the machine, for schedulers.
 */
#ifndef __STARPU_TREE_H__
#define __STARPU_TREE_H__

#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_tree;

struct starpu_tree {
	struct starpu_tree *nodes;
	__extension__ union {
		struct starpu_tree *parent;
		struct starpu_tree *father; /* of 1.3 */
	};
	int arity;
	int id;
	int level;
	int is_pu;
};

void starpu_tree_reset_visited(struct starpu_tree *tree, char *visited);
void starpu_tree_prepare_children(unsigned arity, struct starpu_tree *parent);
void starpu_tree_insert(struct starpu_tree *tree, int id, int level, int is_pu, int arity, struct starpu_tree *parent);
struct starpu_tree *starpu_tree_get(struct starpu_tree *tree, int id);
struct starpu_tree *starpu_tree_get_neighbour(struct starpu_tree *tree, struct starpu_tree *node, char *visited, char *present);
void starpu_tree_free(struct starpu_tree *tree);

#ifdef __cplusplus
}
#endif
#endif
