/* SPDX-License-Identifier: Apache-2.0 */
/* A function on workers, once on each: tasks bound to them, of one codelet, for all of which the caller waits. */
#include <starpu.h>

struct call {
	void (*func)(void *);
	void *arg;
};

static void call_it(void *buffers[], void *arg)
{
	const struct call *c = arg;
	(void)buffers;
	c->func(c->arg);
}

static struct starpu_task *send(struct starpu_codelet *cl, struct call *c, unsigned worker)
{
	struct starpu_task *t = starpu_task_create();
	t->cl = cl;
	t->cl_arg = c;
	t->cl_arg_size = sizeof *c;
	t->execute_on_a_specific_worker = 1;
	t->workerid = worker;
	t->detach = 0;
	t->destroy = 0;
	int rc = starpu_task_submit(t);
	if (rc) {
		t->cl_arg = NULL;
		starpu_task_destroy(t);
	}
	return rc ? NULL : t;
}

void starpu_execute_on_specific_workers(void (*func)(void *), void *arg, unsigned num_workers, unsigned *workers,
                                        const char *name)
{
	STARPU_ASSERT_MSG(func, "starpu_execute_on_specific_workers: there is no function");
	struct call c = {func, arg};
	struct starpu_codelet cl;
	struct starpu_task *sent[STARPU_NMAXWORKERS] = {NULL};
	starpu_codelet_init(&cl);
	cl.cpu_funcs[0] = cl.opencl_funcs[0] = call_it;
	cl.cuda_funcs[0] = call_it;
	cl.where = STARPU_CPU | STARPU_CUDA | STARPU_OPENCL;
	cl.nbuffers = 0;
	cl.name = name ? name : "execute_on_each_worker";
	for (unsigned i = 0; i < num_workers && i < STARPU_NMAXWORKERS; i++)
		sent[i] = send(&cl, &c, workers[i]);
	for (unsigned i = 0; i < num_workers && i < STARPU_NMAXWORKERS; i++) {
		if (!sent[i])
			continue;
		int rc = starpu_task_wait(sent[i]);
		STARPU_CHECK_RETURN_VALUE(rc, "starpu_task_wait");
		starpu_task_destroy(sent[i]);
	}
}

void starpu_execute_on_each_worker_ex(void (*func)(void *), void *arg, uint32_t where, const char *name)
{
	static const struct {
		enum starpu_worker_archtype type;
		uint32_t bit;
	} kinds[] = {{STARPU_CPU_WORKER, STARPU_CPU}, {STARPU_CUDA_WORKER, STARPU_CUDA}, {STARPU_OPENCL_WORKER, STARPU_OPENCL}};
	unsigned workers[STARPU_NMAXWORKERS], n = 0;
	for (unsigned i = 0; i < starpu_worker_get_count() && n < STARPU_NMAXWORKERS; i++)
		for (unsigned k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
			if (starpu_worker_get_type((int)i) == kinds[k].type && where & kinds[k].bit)
				workers[n++] = i;
	starpu_execute_on_specific_workers(func, arg, n, workers, name);
}

void starpu_execute_on_each_worker(void (*func)(void *), void *arg, uint32_t where)
{
	starpu_execute_on_each_worker_ex(func, arg, where, NULL);
}
