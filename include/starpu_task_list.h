/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doubly linked lists of tasks, for schedulers. A task is on one list at a time.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_TASK_LIST_H__
#define __STARPU_TASK_LIST_H__

#include <starpu_task.h>
#include <starpu_util.h>

#ifdef __cplusplus
extern "C" {
#endif

#define STARPU_TASK_LIST_INLINE extern

struct starpu_task;
struct starpu_task_list;

struct starpu_task_list {
	struct starpu_task *head;
	struct starpu_task *tail;
};

void starpu_task_list_init(struct starpu_task_list *list);
void starpu_task_list_push_front(struct starpu_task_list *list, struct starpu_task *task);
void starpu_task_list_push_back(struct starpu_task_list *list, struct starpu_task *task);
struct starpu_task *starpu_task_list_front(const struct starpu_task_list *list);
struct starpu_task *starpu_task_list_back(const struct starpu_task_list *list);
int starpu_task_list_empty(const struct starpu_task_list *list);
void starpu_task_list_erase(struct starpu_task_list *list, struct starpu_task *task);
struct starpu_task *starpu_task_list_pop_front(struct starpu_task_list *list);
struct starpu_task *starpu_task_list_pop_back(struct starpu_task_list *list);
struct starpu_task *starpu_task_list_begin(const struct starpu_task_list *list);
struct starpu_task *starpu_task_list_end(const struct starpu_task_list *list);
struct starpu_task *starpu_task_list_next(const struct starpu_task *task);
int starpu_task_list_ismember(const struct starpu_task_list *list, const struct starpu_task *look);
void starpu_task_list_move(struct starpu_task_list *ldst, struct starpu_task_list *lsrc);

#ifdef __cplusplus
}
#endif
#endif
