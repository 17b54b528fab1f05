/* SPDX-License-Identifier: Apache-2.0 */
/* A library of policies, as STARPU_SCHED_LIB names them: one list of tasks for all. */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <string.h>

static struct starpu_task_list tasks;
static starpu_pthread_mutex_t lock = STARPU_PTHREAD_MUTEX_INITIALIZER;

static void init(unsigned ctx)
{
	(void)ctx;
	starpu_task_list_init(&tasks);
}
static int push(struct starpu_task *t)
{
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	starpu_task_list_push_back(&tasks, t);
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	starpu_push_task_end(t);
	return 0;
}
static struct starpu_task *pop(unsigned ctx)
{
	struct starpu_task *t = NULL;
	(void)ctx;
	STARPU_PTHREAD_MUTEX_LOCK(&lock);
	if (!starpu_task_list_empty(&tasks))
		t = starpu_task_list_pop_front(&tasks);
	STARPU_PTHREAD_MUTEX_UNLOCK(&lock);
	return t;
}
static struct starpu_sched_policy policy = {.init_sched = init,
                                            .push_task = push,
                                            .pop_task = pop,
                                            .policy_name = "of_the_library",
                                            .policy_description = "one list",
                                            .worker_type = STARPU_WORKER_LIST};

struct starpu_sched_policy *starpu_get_sched_lib_policy(const char *name)
{
	return name && !strcmp(name, policy.policy_name) ? &policy : NULL;
}

struct starpu_sched_policy **starpu_get_sched_lib_policies(void)
{
	static struct starpu_sched_policy *all[] = {&policy, NULL};
	return all;
}
