/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of this folder that begin and end with the runtime; api/init.c has the order. */
#ifndef WEFT_RUNTIME_TASK_BEGIN_H
#define WEFT_RUNTIME_TASK_BEGIN_H

#include "machine.h"

/*
 * conf.c: the configuration from the program's (or NULL) and the environment. 0, or -EINVAL: not
 * made by starpu_conf_init.
 */
int rt_conf_take(struct starpu_conf *out, const struct starpu_conf *from) WEFT_MUST_CHECK;

/* topology.c: a machine without workers and memory nodes, which the drivers add. */
int rt_topology_begin(struct rt_machine *m, struct weft_err *err) WEFT_MUST_CHECK;
void rt_topology_end(struct rt_machine *m);

/* wait.c: limits on tasks under way, and the watchdog. */
void rt_watch_begin(struct rt_machine *m);
void rt_watch_end(void);

/*
 * main_thread.c: the thread that begins the runtime is bound where the user wants it, until it ends
 * it.
 */
void rt_main_begin(const struct rt_machine *m);
void rt_main_end(const struct rt_machine *m);

/* signals.c: a signal that kills the program first prints the tasks that ran. */
void rt_signals_begin(const struct rt_machine *m);
void rt_signals_end(void);
void rt_signals_catch(bool on); /* while it runs; by one thread at a time */
bool rt_signals_are_caught(void);

/* worker_bind.c */
void rt_worker_bind_end(void);

/* tag.c, worker_order.c, worker_tree.c: frees what the program has left. */
void rt_tags_end(void);
void rt_turns_end(void);
void rt_worker_tree_end(void);

/* hook.c: the program's functions in the workers' loop. */
void rt_hooks_call(bool idle);
void rt_hooks_begin(void); /* those that were registered before the runtime began */

/* trace_layer.c */
extern const struct rt_layer rt_layer_trace;

#endif
