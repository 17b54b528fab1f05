/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workers that do not run functions but let the time pass that they would take: what the codelet's model expects on this worker. A
 * codelet may ask to be executed all the same (STARPU_CODELET_SIMGRID_EXECUTE, for the time of its model; _AND_INJECT, for the time that
 * it took here and now): on CPU workers, whose memory is there.
 */
#include "sim.h"
#include "runtime/perf/perf.h"
#include "runtime/task/task.h"
#include <math.h>
#include <stdlib.h>

struct sim_done sim_done;

/* What a codelet without a model takes: STARPU_SIMULATED_UNKNOWN, microseconds; negative: it cannot be simulated. */
static double unknown_us(void)
{
	static double us = -2;
	if (us == -2) {
		const char *text = getenv("STARPU_SIMULATED_UNKNOWN");
		us = text && *text ? atof(text) : -1;
	}
	return us;
}

static size_t bytes_of(struct starpu_task *t)
{
	size_t sum = 0;
	int n = STARPU_TASK_GET_NBUFFERS(t);
	for (int i = 0; i < n; i++)
		sum += starpu_data_get_size(STARPU_TASK_GET_HANDLE(t, i));
	return sum;
}

static _Noreturn void refuse(struct starpu_task *t, const struct starpu_codelet *cl, const struct rt_worker *w)
{
	const char *name = starpu_task_get_name(t);
	if (!cl->model || cl->model->type == STARPU_PERFMODEL_INVALID)
		sim_refuse(
			"codelet '%s' has no performance model, so that its tasks cannot be simulated (STARPU_SIMULATED_UNKNOWN is what "
			"such take, in us)",
			name ? name : "unnamed");
	sim_refuse(
		"model '%s' of '%s' does not know tasks of %zu bytes (footprint %08x) on %s, so that they cannot be simulated: it wants a run "
		"there with STARPU_CALIBRATE=1",
		cl->model->symbol ? cl->model->symbol : "unnamed", sim_machine.host, bytes_of(t), starpu_task_data_footprint(t),
		rt_machine.worker[w->number].name);
}

static double expected_us(struct starpu_task *t, const struct starpu_codelet *cl, struct rt_worker *w, unsigned impl)
{
	int combined = starpu_combined_worker_get_id();
	bool has_model = cl->model && cl->model->type != STARPU_PERFMODEL_INVALID;
	double us = unknown_us();
	if (has_model)
		us = combined >= 0 && (unsigned)combined >= rt_machine.n_workers
		             ? starpu_task_expected_length(t, starpu_worker_get_perf_archtype(combined, t->sched_ctx), impl)
		             : starpu_task_worker_expected_length(t, w->number, t->sched_ctx, impl);
	if (isnan(us) && unknown_us() >= 0)
		us = unknown_us();
	if (!(us >= 0))
		refuse(t, cl, w);
	return us;
}

static uint64_t execute(const struct starpu_codelet *cl, unsigned impl, void **buffers, void *cl_arg)
{
	uint64_t from = weft_monotonic_ns();
	if (cl->cpu_funcs[impl])
		cl->cpu_funcs[impl](buffers, cl_arg);
	return weft_monotonic_ns() - from;
}

static enum rt_verdict run(struct rt_worker *w, struct rt_job *j, unsigned impl, void **buffers, void *cl_arg)
{
	const struct starpu_codelet *cl = rt_upper(j)->cl;
	struct starpu_task *t = rt_job_task(j);
	bool is_cpu = rt_machine.worker[w->number].arch == STARPU_CPU_WORKER,
	     is_ours = (t && t->type == STARPU_TASK_TYPE_INTERNAL) || cl == &starpu_codelet_nop,
	     injects = is_cpu && cl->flags & STARPU_CODELET_SIMGRID_EXECUTE_AND_INJECT;
	uint64_t took = 0, from = rt_time_ns();
	if (is_cpu && (is_ours || injects || cl->flags & STARPU_CODELET_SIMGRID_EXECUTE))
		took = execute(cl, impl, buffers, cl_arg);
	if (!injects)
		took = is_ours ? 0 : (uint64_t)llround(expected_us(t, cl, w, impl) * 1e3);
	sim_simulator.last(took);
	sim_done.tasks++;
	sim_done.last_ns = rt_time_ns();
	if (sim_traces())
		sim_trace_task(w->number, t ? starpu_task_get_name(t) : cl->name, from, rt_time_ns());
	return RT_DONE;
}

static void finish(struct rt_worker *w)
{
	(void)w; /* a device has nothing under way */
}

static bool is(const struct rt_worker_info *w, const struct starpu_driver *d)
{
	return w->devid == (int)d->id.cpu_id; /* a union of numbers */
}

static bool cpu_has(const struct starpu_codelet *cl, unsigned impl)
{
	return sim_codelet_has(cl, STARPU_CPU_WORKER, impl);
}

static bool cuda_has(const struct starpu_codelet *cl, unsigned impl)
{
	return sim_codelet_has(cl, STARPU_CUDA_WORKER, impl);
}

static bool opencl_has(const struct starpu_codelet *cl, unsigned impl)
{
	return sim_codelet_has(cl, STARPU_OPENCL_WORKER, impl);
}

const struct rt_driver sim_driver_cpu = {.arch = STARPU_CPU_WORKER,
                                         .name = "CPU",
                                         .where = STARPU_CPU,
                                         .memory = STARPU_CPU_RAM,
                                         .is = is,
                                         .run = run,
                                         .has = cpu_has,
                                         .finish = finish};
const struct rt_driver sim_driver_cuda = {.arch = STARPU_CUDA_WORKER,
                                          .name = "CUDA",
                                          .where = STARPU_CUDA,
                                          .traits = RT_W_ONLY_PLACED,
                                          .memory = STARPU_CUDA_RAM,
                                          .is = is,
                                          .run = run,
                                          .has = cuda_has,
                                          .finish = finish};
const struct rt_driver sim_driver_opencl = {.arch = STARPU_OPENCL_WORKER,
                                            .name = "OpenCL",
                                            .where = STARPU_OPENCL,
                                            .traits = RT_W_ONLY_PLACED,
                                            .memory = STARPU_OPENCL_RAM,
                                            .is = is,
                                            .run = run,
                                            .has = opencl_has,
                                            .finish = finish};
