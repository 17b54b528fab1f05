/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is told of the configuration, the workers and memory before starpu_init(), between and after starpu_shutdown(), in lines on
 * stdout. Arguments set fields of the configuration (ncpus=2, bind=1,0); the environment says the rest. Built twice where Debian's
 * StarPU is installed, against us and against that, so that the two can be compared line by line.
 */
#include <starpu.h>
#include <starpu_scheduler.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct starpu_conf conf;

#define FIELD(name) \
	{ \
#name, offsetof(struct starpu_conf, name) \
	}
static const struct field {
	const char *name;
	size_t at; /* of an int or unsigned */
} fields[] = {
	FIELD(ncpus),
	FIELD(reserve_ncpus),
	FIELD(ncuda),
	FIELD(nopencl),
	FIELD(nmpi_ms),
	FIELD(use_explicit_workers_bindid),
	FIELD(use_explicit_workers_cuda_gpuid),
	FIELD(use_explicit_workers_opencl_gpuid),
	FIELD(use_explicit_workers_mpi_ms_deviceid),
	FIELD(bus_calibrate),
	FIELD(calibrate),
	FIELD(single_combined_worker),
	FIELD(disable_asynchronous_copy),
	FIELD(disable_asynchronous_cuda_copy),
	FIELD(disable_asynchronous_opencl_copy),
	FIELD(disable_asynchronous_mpi_ms_copy),
	FIELD(n_cuda_opengl_interoperability),
	FIELD(n_not_launched_drivers),
	FIELD(global_sched_ctx_min_priority),
	FIELD(global_sched_ctx_max_priority),
	FIELD(catch_signals),
	FIELD(driver_spinning_backoff_min),
	FIELD(driver_spinning_backoff_max),
	FIELD(precedence_over_environment_variables),
	FIELD(will_use_mpi),
	FIELD(magic),
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

static int *field(const struct field *f)
{
	return (int *)(void *)((char *)&conf + f->at);
}

static void tell_conf(void)
{
	for (const struct field *f = fields; f < fields + FIELDS; f++)
		printf("conf %s %d\n", f->name, *field(f));
	printf("conf policy %s, buffer %lu\n", conf.sched_policy_name ? conf.sched_policy_name : "-",
	       (unsigned long)conf.trace_buffer_size);
}

/* "name=value" */
static void set(char *text)
{
	char *value = strchr(text, '=');
	if (!value)
		return;
	*value++ = '\0';
	for (const struct field *f = fields; f < fields + FIELDS; f++)
		if (!strcmp(f->name, text))
			*field(f) = atoi(value);
	if (!strcmp(text, "policy"))
		conf.sched_policy_name = value;
	if (strcmp(text, "bind"))
		return;
	conf.use_explicit_workers_bindid = 1;
	unsigned n = 0;
	for (const char *unit = strtok(value, ","); unit; unit = strtok(NULL, ","))
		conf.workers_bindid[n++] = (unsigned)atoi(unit);
}

/* ---- what there is ---- */

static void tell_worker(int w)
{
	char name[64], set_text[64] = "-";
	int *ids = NULL, n = starpu_bindid_get_workerids(starpu_worker_get_bindid(w), &ids);
	hwloc_cpuset_t bound = starpu_worker_get_hwloc_cpuset(w);
	hwloc_obj_t unit = starpu_worker_get_hwloc_obj(w);
	if (bound)
		hwloc_bitmap_snprintf(set_text, sizeof set_text, bound);
	hwloc_bitmap_free(bound);
	starpu_worker_get_name(w, name, sizeof name);
	printf("worker %d '%s' type %d device %d memory %u unit %d %d set %s with", w, name, (int)starpu_worker_get_type(w),
	       starpu_worker_get_devid(w), starpu_worker_get_memory_node((unsigned)w), starpu_worker_get_bindid(w),
	       unit ? (int)unit->logical_index : -1, set_text);
	for (int i = 0; i < n; i++)
		printf(" %d", ids[i]);
	printf("; blocked %d, slave %d, by type %d, by device %d\n", starpu_worker_is_blocked_in_parallel(w),
	       starpu_worker_is_slave_somewhere(w), starpu_worker_get_by_type(STARPU_CPU_WORKER, w),
	       starpu_worker_get_by_devid(STARPU_CPU_WORKER, w));
}

static void tell_combined(void)
{
	unsigned first = starpu_worker_get_count();
	for (unsigned c = first; c < first + starpu_combined_worker_get_count(); c++) {
		int size, *members;
		printf("combined %d:", starpu_combined_worker_get_description((int)c, &size, &members));
		for (int i = 0; i < size; i++)
			printf(" %d", members[i]);
		printf("\n");
	}
}

/* How much there is in all is told where it is limited: without a limit StarPU 1.3 has the machine's, and its handbook -1. */
static void tell_memory(void)
{
	for (unsigned i = 0; i < starpu_memory_nodes_get_count(); i++) {
		char name[64];
		starpu_memory_node_get_name(i, name, sizeof name);
		printf("node %u '%s' kind %d numa %d\n", i, name, (int)starpu_node_get_kind(i),
		       starpu_memory_nodes_numa_devid_to_id(i));
		if (getenv("TELLS_LIMITS"))
			printf("limit %ld, free %ld\n", (long)starpu_memory_get_total(i), (long)starpu_memory_get_available(i));
	}
}

static void tell_counts(void)
{
	static const enum starpu_worker_archtype types[] = {STARPU_CPU_WORKER, STARPU_CUDA_WORKER, STARPU_OPENCL_WORKER,
	                                                    STARPU_ANY_WORKER};
	int ids[STARPU_NMAXWORKERS], is = starpu_is_initialized();
	printf("is %d, workers %u, cpus %u, cuda %u, opencl %u, combined %u, nodes %u, numa %u\n", is, starpu_worker_get_count(),
	       starpu_cpu_worker_get_count(), starpu_cuda_worker_get_count(), starpu_opencl_worker_get_count(),
	       is ? starpu_combined_worker_get_count() : 0, starpu_memory_nodes_get_count(),
	       starpu_memory_nodes_get_numa_count());
	for (unsigned i = 0; i < sizeof types / sizeof types[0]; i++)
		printf("type %u: %d, %u\n", i, starpu_worker_get_count_by_type(types[i]),
		       starpu_worker_get_ids_by_type(types[i], ids, STARPU_NMAXWORKERS));
	printf("devices %d, short %d\n", starpu_worker_get_devids(STARPU_CPU_WORKER, ids, STARPU_NMAXWORKERS),
	       (int)starpu_worker_get_ids_by_type(STARPU_CPU_WORKER, ids, 0));
	printf("here %d, combined %d %d %d, task %d, context %u\n", starpu_worker_get_id(), starpu_combined_worker_get_id(),
	       starpu_combined_worker_get_size(), starpu_combined_worker_get_rank(), starpu_task_get_current() != NULL,
	       starpu_sched_ctx_get_context());
	printf("submitted %d, ready %d, profiling %d\n", starpu_task_nsubmitted(), starpu_task_nready(),
	       starpu_profiling_status_get());
}

static void tell_waits(void)
{
	printf("waits %d %d %d\n", starpu_task_wait_for_all(), starpu_task_wait_for_n_submitted(1),
	       starpu_task_wait_for_no_ready());
}

static void say_where(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
	printf("a task on %d, context %u\n", starpu_worker_get_id(), starpu_sched_ctx_get_context());
}
static struct starpu_codelet tells = {.cpu_funcs = {say_where}};

static void run_on_each(void)
{
	for (unsigned w = 0; w < starpu_worker_get_count(); w++) {
		struct starpu_task *t = starpu_task_create();
		t->cl = &tells;
		t->execute_on_a_specific_worker = 1;
		t->workerid = w;
		t->synchronous = 1;
		printf("submitted: %d\n", starpu_task_submit(t));
	}
}

static void tell_life(void)
{
	tell_counts();
	for (unsigned w = 0; w < starpu_worker_get_count(); w++)
		tell_worker((int)w);
	tell_combined();
	tell_memory();
	printf("priorities %d %d, prefetch %d\n", starpu_sched_get_min_priority(), starpu_sched_get_max_priority(),
	       starpu_get_prefetch_flag());
	run_on_each();
	tell_waits();
}

int main(int argc, char **argv)
{
	memset(&conf, 0x55, sizeof conf);
	printf("conf %d, without %d\n", starpu_conf_init(&conf), starpu_conf_init(NULL));
	tell_conf();
	tell_counts();
	tell_waits();
	for (int i = 1; i < argc; i++)
		set(argv[i]);
	for (unsigned round = 0; round < 2; round++) {
		int rc = starpu_init(&conf);
		printf("init %d\n", rc);
		if (rc) {
			tell_waits();
			continue;
		}
		tell_conf();
		tell_life();
		starpu_shutdown();
		tell_counts();
		tell_waits();
	}
	return 0;
}
