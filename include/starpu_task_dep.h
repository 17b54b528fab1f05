/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Explicit dependencies: between tasks, and through tags.
 */
/* Whoever includes this alone gets all of it, in the right order. */
#ifndef __STARPU_H__
#include <starpu.h>
#endif

#ifndef __STARPU_TASK_DEP_H__
#define __STARPU_TASK_DEP_H__

#include <stdint.h>
#include <starpu_config.h>

#ifdef __cplusplus
extern "C" {
#endif

struct starpu_task;

typedef uint64_t starpu_tag_t;

void starpu_task_declare_deps_array(struct starpu_task *task, unsigned ndeps, struct starpu_task **task_array);
void starpu_task_declare_deps(struct starpu_task *task, unsigned ndeps, ...);
void starpu_task_declare_end_deps_array(struct starpu_task *task, unsigned ndeps, struct starpu_task **task_array);
void starpu_task_declare_end_deps(struct starpu_task *task, unsigned ndeps, ...);
int starpu_task_get_task_succs(struct starpu_task *task, unsigned ndeps, struct starpu_task **task_array);
int starpu_task_get_task_scheduled_succs(struct starpu_task *task, unsigned ndeps, struct starpu_task **task_array);
void starpu_task_end_dep_add(struct starpu_task *t, int nb_deps);
void starpu_task_end_dep_release(struct starpu_task *t);
void starpu_tag_declare_deps(starpu_tag_t id, unsigned ndeps, ...);
void starpu_tag_declare_deps_array(starpu_tag_t id, unsigned ndeps, starpu_tag_t *array);
int starpu_tag_wait(starpu_tag_t id);
int starpu_tag_wait_array(unsigned ntags, starpu_tag_t *id);
void starpu_tag_restart(starpu_tag_t id);
void starpu_tag_remove(starpu_tag_t id);
void starpu_tag_notify_from_apps(starpu_tag_t id);
void starpu_tag_notify_restart_from_apps(starpu_tag_t id);
struct starpu_task *starpu_tag_get_task(starpu_tag_t id);
void starpu_tag_clear(void);

#ifdef __cplusplus
}
#endif
#endif
