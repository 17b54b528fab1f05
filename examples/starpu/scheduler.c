/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A scheduler of one's own: a stack for all workers, so that what became ready last runs first. StarPU's interface hands it each
 * ready task once, and asks for one whenever a worker has nothing to do.
 */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <starpu_thread_util.h>

enum { TASKS = 2000 };

struct stack {
	starpu_pthread_mutex_t lock;
	struct starpu_task *top; /* by `prev` */
	unsigned pushed, popped;
};
static struct stack the; /* kept behind the scheduler's end, for the numbers below */

static void begin(unsigned sched_ctx_id)
{
	STARPU_PTHREAD_MUTEX_INIT(&the.lock, NULL);
	starpu_sched_ctx_set_policy_data(sched_ctx_id, &the);
}

static void end(unsigned sched_ctx_id)
{
	struct stack *s = starpu_sched_ctx_get_policy_data(sched_ctx_id);
	STARPU_PTHREAD_MUTEX_DESTROY(&s->lock);
}

static int push(struct starpu_task *task)
{
	unsigned ctx = task->sched_ctx; /* once it is pushed, the task may be done and gone at any moment */
	struct stack *s = starpu_sched_ctx_get_policy_data(ctx);
	STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
	task->prev = s->top;
	s->top = task;
	s->pushed++;
	starpu_push_task_end(task);
	STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
	/* Somebody may be asleep who can run it. */
	struct starpu_sched_ctx_iterator it;
	struct starpu_worker_collection *workers = starpu_sched_ctx_get_worker_collection(ctx);
	workers->init_iterator(workers, &it);
	while (workers->has_next(workers, &it))
		starpu_wake_worker_relax_light(workers->get_next(workers, &it));
	return 0;
}

static struct starpu_task *pop(unsigned sched_ctx_id)
{
	struct stack *s = starpu_sched_ctx_get_policy_data(sched_ctx_id);
	STARPU_PTHREAD_MUTEX_LOCK(&s->lock);
	struct starpu_task *task = s->top;
	if (task) {
		s->top = task->prev;
		task->prev = NULL;
		s->popped++;
	}
	STARPU_PTHREAD_MUTEX_UNLOCK(&s->lock);
	return task;
}

static struct starpu_sched_policy policy = {
	.init_sched = begin,
	.deinit_sched = end,
	.push_task = push,
	.pop_task = pop,
	.policy_name = "newest",
	.policy_description = "what became ready last runs first",
	.worker_type = STARPU_WORKER_LIST,
};

static unsigned ran;

static void count(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	STARPU_ATOMIC_ADD(&ran, 1);
}

static struct starpu_codelet codelet = {.cpu_funcs = {count}, .name = "count"};

int main(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.sched_policy = &policy;
	conf.nopencl = 0;
	unsetenv("STARPU_SCHED"); /* which would win */
	int rc = starpu_init(&conf);
	if (rc == -ENODEV)
		return 77;
	STARPU_CHECK_RETURN_VALUE(rc, "starpu_init");
	for (unsigned i = 0; i < TASKS; i++) {
		rc = starpu_task_insert(&codelet, 0);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_insert");
	}
	starpu_task_wait_for_all();
	starpu_shutdown();
	printf("%u tasks pushed, %u popped, %u ran\n", the.pushed, the.popped, ran);
	return ran != TASKS || the.pushed != TASKS || the.popped != TASKS;
}
