/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Codelets: the workers that may run one. A codelet's fields are examined once; cl->checked keeps
 * the result with the number of the runtime that computed it. A codelet with one CPU function and
 * nothing unusual is plain: its tasks need no struct and take the shortest way.
 */
#include "count.h"
#include "driver.h"
#include "task.h"
#include "watch.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static void nothing(void **buffers, void *arg)
{
	(void)buffers, (void)arg;
}

struct starpu_codelet starpu_codelet_nop = {
	.where = STARPU_CPU | STARPU_OPENCL,
	.cpu_funcs = {nothing},
	.opencl_funcs = {nothing},
	.name = "nop",
};

void starpu_codelet_init(struct starpu_codelet *cl)
{
	memset(cl, 0, sizeof *cl);
}

/*
 * A field of old programs is the first of the array of new ones, unless it says that there is an
 * array.
 */
static void take_old_fields(struct starpu_codelet *cl)
{
	if (cl->cpu_func && cl->cpu_func != STARPU_MULTIPLE_CPU_IMPLEMENTATIONS && !cl->cpu_funcs[0])
		cl->cpu_funcs[0] = cl->cpu_func;
	if (cl->opencl_func && cl->opencl_func != STARPU_MULTIPLE_OPENCL_IMPLEMENTATIONS && !cl->opencl_funcs[0])
		cl->opencl_funcs[0] = cl->opencl_func;
}

static bool implements(const struct rt_driver *d, const struct starpu_codelet *cl)
{
	for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
		if (d->has(cl, i))
			return true;
	return false;
}

/* The kinds of workers, where the codelet does not name them itself. */
static uint32_t where_of(const struct starpu_codelet *cl)
{
	uint32_t where = 0;
	for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++) {
		where |= cl->cpu_funcs[i] ? STARPU_CPU : 0;
		where |= cl->cuda_funcs[i] ? STARPU_CUDA : 0;
		where |= cl->hip_funcs[i] ? STARPU_HIP : 0;
		where |= cl->opencl_funcs[i] ? STARPU_OPENCL : 0;
		where |= cl->max_fpga_funcs[i] ? STARPU_MAX_FPGA : 0;
	}
	return where;
}

static void find_workers(const struct starpu_codelet *cl, struct rt_mask *m)
{
	uint32_t where = cl->where ? cl->where : where_of(cl);
	*m = (struct rt_mask){0};
	for (unsigned i = 0; i < rt_machine.n_workers; i++) {
		const struct rt_driver *d = rt_machine.worker[i].driver;
		if (d->where & where && implements(d, cl))
			rt_mask_add(m, i);
	}
}

/* The workers of the core's loop, and no others. */
static bool is_for_cpus(const struct starpu_codelet *cl)
{
	struct rt_mask m;
	find_workers(cl, &m);
	return rt_mask_equals(&m, &rt_machine.cpus) && !rt_mask_is_empty(&m);
}

/* Functions are called, and no watcher is notified. */
static bool runs_quietly(void)
{
	return !rt_machine.idle_functions && !rt_machine.tells_progress && !rt_machine.counts_no_codelets &&
	       !rt_machine.counts_accesses && !rt_wants_structs() && !rt_counts_ready() && !rt_cap_priority();
}

static bool is_plain(const struct starpu_codelet *cl)
{
	return !rt_simulator && !rt_policy() && runs_quietly() && is_for_cpus(cl) && cl->cpu_funcs[0] && !cl->cpu_funcs[1] &&
	       !cl->can_execute && cl->type == STARPU_SEQ && !cl->specific_nodes && !cl->callback_func && !cl->flags &&
	       cl->nbuffers >= 0 && cl->nbuffers <= STARPU_NMAXBUFS && !cl->dyn_modes &&
	       (!cl->model || __atomic_load_n(&rt_machine.conf.calibrate, __ATOMIC_RELAXED) <= 0);
}

/*
 * Threads may bring a codelet's first tasks at once: one examines it, the others read the result.
 */
unsigned rt_codelet_check_slow(struct starpu_codelet *cl)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	if (rt_codelet_is_constant(cl))
		return RT_CL_CHECKED; /* not plain: its runs cannot be counted */
	pthread_mutex_lock(&lock);
	take_old_fields(cl);
	if (!cl->where)
		cl->where = where_of(cl) | (rt_machine.also_where ? rt_machine.also_where(cl) : 0);
	unsigned checked = __atomic_load_n(&rt_machine.codelets, __ATOMIC_ACQUIRE) << 2 | RT_CL_CHECKED |
	                   (is_plain(cl) ? RT_CL_PLAIN : 0);
	__atomic_store_n(&cl->checked, (int)checked, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&lock);
	return checked;
}

void rt_codelet_mask(struct starpu_codelet *cl, struct rt_mask *m)
{
	rt_codelet_check(cl);
	find_workers(cl, m);
}

/* The words of a program's set of workers. */
static void keep_listed(struct rt_mask *m, const uint32_t *ids, unsigned len)
{
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (i / 32 >= len || !(ids[i / 32] >> i % 32 & 1))
			m->word[i / 64] &= ~(UINT64_C(1) << i % 64);
}

void rt_task_mask(const struct starpu_task *t, struct rt_mask *m)
{
	if (!t->cl) {
		*m = rt_machine.all;
		return;
	}
	rt_codelet_mask(t->cl, m);
	if (t->where > 0)
		for (unsigned i = 0; i < rt_machine.n_workers; i++)
			if (!(rt_machine.worker[i].driver->where & (uint32_t)t->where))
				m->word[i / 64] &= ~(UINT64_C(1) << i % 64);
	if (t->execute_on_a_specific_worker) {
		struct rt_mask one = {0};
		int size = 0, *members;
		if (t->workerid < rt_machine.n_workers && rt_mask_has(m, t->workerid))
			rt_mask_add(&one, t->workerid);
		else if (!starpu_combined_worker_get_description((int)t->workerid, &size, &members))
			for (int i = 0; i < size; i++)
				if (rt_mask_has(m, (unsigned)members[i]))
					rt_mask_add(&one, (unsigned)members[i]);
		*m = one;
	}
	if (t->workerids_len)
		keep_listed(m, t->workerids, t->workerids_len);
}

int rt_task_can_run(struct starpu_task *t, unsigned worker)
{
	struct rt_task *own = t->starpu_private;
	const struct rt_driver *d = rt_machine.worker[worker].driver;
	if (own && !rt_mask_has(&own->mask, worker))
		return -1;
	for (unsigned i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
		if (d->has(t->cl, i) && (!t->cl->can_execute || t->cl->can_execute(worker, t, i)))
			return (int)i;
	return -1;
}

bool rt_task_has_place(struct starpu_task *t, const struct rt_mask *workers)
{
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (rt_mask_has(workers, i) && rt_task_can_run(t, i) >= 0)
			return true;
	return false;
}

void starpu_codelet_display_stats(struct starpu_codelet *cl)
{
	unsigned long total = 0;
	for (unsigned i = 0; i < STARPU_NMAXWORKERS; i++)
		total += cl->per_worker_stats[i];
	fprintf(stderr, "Statistics for codelet %s\n",
	        cl->name                           ? cl->name
	        : (cl->model && cl->model->symbol) ? cl->model->symbol
	                                           : "?");
	for (unsigned i = 0; i < rt_machine.n_workers; i++)
		if (*rt_codelet_count(cl, i))
			fprintf(stderr, "\t%s -> %lu / %lu (%2.2f %%)\n", rt_machine.worker[i].name, *rt_codelet_count(cl, i),
			        total, 100.0 * (double)*rt_codelet_count(cl, i) / (double)total);
}
