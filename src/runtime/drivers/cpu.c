/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CPU workers: one a core, bound to it. How many and where is what the environment and the configuration say: STARPU_NCPU,
 * STARPU_RESERVE_NCPU, STARPU_NTHREADS_PER_CORE, STARPU_WORKERS_CPUID and _COREID, STARPU_WORKERS_NOBIND; else what the process
 * may use. The thread that begins the runtime may have one of the cores for itself: STARPU_MAIN_THREAD_BIND, _CPUID, _COREID.
 */
#include "drivers.h"
#include "runtime/task/complain.h"
#include "drivers.h"
#include "runtime/task/task.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Logical indexes of processing units, in the order in which workers get them. */
struct places {
	int at[STARPU_MAXCPUS];
	unsigned n;
};

static void place_add(struct places *p, int pu)
{
	if (p->n < STARPU_MAXCPUS)
		p->at[p->n++] = pu;
}

/* "0 2 4-6 8-" : numbers and ranges below `count`, the last may be open. True: all of it was understood, and is there. */
static bool places_parse(struct places *p, const char *text, int count, int each)
{
	static const char between[] = " ,\t";
	bool right = true;
	char *end;
	for (text += strspn(text, between); *text; text = end + strspn(end, between)) {
		long from = strtol(text, &end, 10), to = from;
		if (end == text)
			return false;
		if (*end == '-') {
			const char *after = end + 1;
			to = strtol(after, &end, 10);
			to = end == after ? count - 1 : to;
		}
		right = right && from >= 0 && from <= to && to < count;
		for (long i = from < 0 ? 0 : from; i <= to && i < count; i++)
			place_add(p, (int)i * each);
	}
	return right;
}

static void places_of_variable(struct places *p, const char *name, int count, int each)
{
	const char *text = getenv(name);
	if (text && !places_parse(p, text, count, each))
		rt_say("%s is '%s': numbers and ranges from 0 to %d are expected, the others are left out", name, text,
		       count - 1);
}

/* Of each core that the process may use, the first units. */
static void places_of_cores(struct places *p, const struct rt_machine *m)
{
	p->n = 0;
	hwloc_bitmap_t may = hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(m->topology));
	if (starpu_get_env_number_default("STARPU_WORKERS_GETBIND", 1)) {
		hwloc_bitmap_t bound = hwloc_bitmap_alloc();
		if (!hwloc_get_cpubind(m->topology, bound, HWLOC_CPUBIND_THREAD) && hwloc_bitmap_intersects(may, bound))
			hwloc_bitmap_and(may, may, bound);
		hwloc_bitmap_free(bound);
	}
	int each = starpu_get_env_number_default("STARPU_NTHREADS_PER_CORE", 1);
	int cores = hwloc_get_nbobjs_by_type(m->topology, HWLOC_OBJ_CORE);
	for (int c = 0; c < cores; c++) {
		hwloc_obj_t core = hwloc_get_obj_by_type(m->topology, HWLOC_OBJ_CORE, (unsigned)c), pu = NULL;
		int taken = 0;
		while (taken < each &&
		       (pu = hwloc_get_next_obj_inside_cpuset_by_type(m->topology, core->cpuset, HWLOC_OBJ_PU, pu)))
			if (hwloc_bitmap_isset(may, pu->os_index)) {
				place_add(p, (int)pu->logical_index);
				taken++;
			}
	}
	if (!p->n) /* a topology without cores */
		for (int i = 0; i < hwloc_get_nbobjs_by_type(m->topology, HWLOC_OBJ_PU); i++)
			place_add(p, i);
	hwloc_bitmap_free(may);
}

/* Those that the program or the user names, else the cores'. */
static void places_find(struct places *p, const struct rt_machine *m, const struct places *of_cores)
{
	int pus = hwloc_get_nbobjs_by_type(m->topology, HWLOC_OBJ_PU),
	    cores = hwloc_get_nbobjs_by_type(m->topology, HWLOC_OBJ_CORE);
	p->n = 0;
	if (m->conf.use_explicit_workers_bindid)
		for (unsigned i = 0; i < STARPU_MAXCPUS && i < STARPU_NMAXWORKERS; i++)
			place_add(p, (int)m->conf.workers_bindid[i] % pus);
	else
		places_of_variable(p, "STARPU_WORKERS_CPUID", pus, 1);
	if (!p->n && cores > 0)
		places_of_variable(p, "STARPU_WORKERS_COREID", cores, pus / cores);
	if (!p->n)
		*p = *of_cores;
}

/* The unit that the user names, or -1. */
static int named_for_main(const struct rt_machine *m)
{
	int pus = hwloc_get_nbobjs_by_type(m->topology, HWLOC_OBJ_PU),
	    cores = hwloc_get_nbobjs_by_type(m->topology, HWLOC_OBJ_CORE);
	int cpu = starpu_get_env_number_default("STARPU_MAIN_THREAD_CPUID", -1),
	    core = starpu_get_env_number_default("STARPU_MAIN_THREAD_COREID", -1);
	if (cpu >= 0 && cpu < pus)
		return cpu;
	if (cpu >= 0)
		rt_say("STARPU_MAIN_THREAD_CPUID=%d: the machine has %d processing units", cpu, pus);
	else if (core >= 0 && core < cores)
		return (int)hwloc_get_obj_inside_cpuset_by_type(m->topology,
		                                                hwloc_get_obj_by_type(m->topology, HWLOC_OBJ_CORE, (unsigned)core)
		                                                        ->cpuset,
		                                                HWLOC_OBJ_PU, 0)
		        ->logical_index;
	else if (core >= 0)
		rt_say("STARPU_MAIN_THREAD_COREID=%d: the machine has %d cores", core, cores);
	return -1;
}

/* With STARPU_MAIN_THREAD_BIND the unit of the main thread, the last one if it is not named, is no worker's, and so much fewer there are. */
static unsigned places_without_main(struct places *p, struct rt_machine *m, const struct places *of_cores)
{
	m->main_pu = named_for_main(m);
	if (starpu_get_env_number_default("STARPU_MAIN_THREAD_BIND", 0) <= 0)
		return 0;
	if (m->main_pu < 0)
		m->main_pu = p->at[p->n - 1];
	unsigned kept = 0;
	for (unsigned i = 0; i < p->n; i++)
		if (p->at[i] != m->main_pu)
			p->at[kept++] = p->at[i];
	/* The only one is shared. */
	p->n = kept ? kept : 1;
	return of_cores->n > 1;
}

/* What others take is no CPU worker's. */
static unsigned count(const struct rt_machine *m, const struct places *cores, unsigned taken)
{
	if (m->conf.ncpus >= 0)
		return (unsigned)m->conf.ncpus < STARPU_MAXCPUS ? (unsigned)m->conf.ncpus : STARPU_MAXCPUS;
	taken += m->conf.reserve_ncpus > 0 ? (unsigned)m->conf.reserve_ncpus : 0;
	return cores->n > taken ? cores->n - taken : 0;
}

static bool is(const struct rt_worker_info *w, const struct starpu_driver *d)
{
	return w->devid == (int)d->id.cpu_id;
}

static struct rt_worker_info worker_info(unsigned number)
{
	struct rt_worker_info w = {.driver = &rt_driver_cpu,
	                           .arch = STARPU_CPU_WORKER,
	                           .devid = (int)number,
	                           .devnum = (int)number};
	snprintf(w.name, sizeof w.name, "CPU %u", number);
	return w;
}

/* CPU workers choose first, then those of devices, whose numbers come before. */
static void place_workers(struct rt_machine *m, const struct places *p, unsigned devices)
{
	for (unsigned i = 0; i < m->n_workers; i++) {
		struct rt_worker_info *w = &m->worker[(devices + i) % m->n_workers];
		w->pu = p->at[i % p->n];
		hwloc_obj_t unit = w->pu < 0 ? NULL : hwloc_get_obj_by_type(m->topology, HWLOC_OBJ_PU, (unsigned)w->pu);
		w->set = unit && m->binds ? hwloc_bitmap_dup(unit->cpuset) : NULL;
	}
}

static int probe(struct rt_machine *m, struct weft_err *err)
{
	struct places cores, p;
	m->binds = starpu_get_env_number_default("STARPU_WORKERS_NOBIND", 0) <= 0;
	places_of_cores(&cores, m);
	places_find(&p, m, &cores);
	/* Each device takes a core, for the thread that serves it. */
	unsigned devices = m->n_workers, n = count(m, &cores, devices + places_without_main(&p, m, &cores));
	for (unsigned i = 0; i < n; i++) {
		struct rt_worker_info w = worker_info(i);
		if (rt_machine_add_worker(m, &w) < 0)
			return weft_err_set(err, -ENOSPC, "more than %d workers", STARPU_NMAXWORKERS);
	}
	place_workers(m, &p, devices);
	return (int)n;
}

static bool has(const struct starpu_codelet *cl, unsigned impl)
{
	return cl->cpu_funcs[impl] != NULL;
}

static enum rt_verdict run(struct rt_worker *w, struct rt_job *j, unsigned impl, void **buffers, void *cl_arg)
{
	(void)w, (void)j;
	rt_upper(j)->cl->cpu_funcs[impl](buffers, cl_arg);
	return RT_DONE;
}

const struct rt_driver rt_driver_cpu = {
	.arch = STARPU_CPU_WORKER,
	.name = "CPU",
	.where = STARPU_CPU,
	.memory = STARPU_CPU_RAM,
	.probe = probe,
	.is = is,
	.has = has,
	.run = run,
};
