/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver: one worker a device, which runs the codelet's function on its own thread and waits for what that has put into the
 * queue. A codelet whose function says STARPU_OPENCL_ASYNC is not waited for at once: the worker goes on, up to some at a time,
 * and asks between jobs whether the first of them has arrived; the queue keeps their order.
 */
#include "opencl.h"
#include "runtime/api/task.h"
#include <errno.h>

enum { FLYING_MOST = 4 };

struct flying { /* a task whose kernels are under way */
	struct rt_job *job;
	cl_event event;
};
struct opencl_worker {
	unsigned devid;
	struct flying flying[FLYING_MOST];
	unsigned first, n;
};
static struct opencl_worker workers[STARPU_MAXOPENCLDEVS];
static unsigned pipeline; /* so many at a time; 0: all are waited for */

static struct opencl_worker *state_of(struct rt_worker *w)
{
	return rt_machine.worker[w->number].state;
}

/* ---- which devices ---- */

/* How many may be used: what the program asks, else the environment; -1: all. */
static int wanted(const struct starpu_conf *conf)
{
	int n = starpu_get_env_number("STARPU_NOPENCL");
	return n >= 0 && !conf->precedence_over_environment_variables ? n : conf->nopencl >= 0 ? conf->nopencl : n;
}

/* The i-th device to use, of `n`, or -1. */
static int choose(const struct starpu_conf *conf, unsigned i, unsigned n)
{
	const char *list = getenv("STARPU_WORKERS_OPENCLID");
	if (conf->use_explicit_workers_opencl_gpuid)
		return conf->workers_opencl_gpuid[i] < n ? (int)conf->workers_opencl_gpuid[i] : -1;
	for (unsigned k = 0; list && *list; k++) {
		char *end;
		unsigned long device = strtoul(list, &end, 10);
		if (end == list)
			break;
		if (k == i)
			return device < n ? (int)device : -1;
		list = end + strspn(end, " ,");
	}
	return i < n ? (int)i : -1;
}

static starpu_ssize_t limit_of(unsigned devid)
{
	starpu_ssize_t limit = rt_node_limit("OPENCL", (int)devid);
	return limit >= 0 ? limit : (starpu_ssize_t)opencl_devices[devid].memory_bytes;
}

static int add_device(struct rt_machine *m, unsigned devid, int nth, struct weft_err *err)
{
	struct opencl_device *d = &opencl_devices[devid];
	if (opencl_open(devid))
		return 0; /* one that does not work is none */
	workers[devid] = (struct opencl_worker){.devid = devid};
	struct rt_worker_info info = {.arch = STARPU_OPENCL_WORKER,
	                              .driver = &rt_driver_opencl,
	                              .devid = (int)devid,
	                              .devnum = nth,
	                              .pu = -1,
	                              .state = &workers[devid]};
	char name[128];
	snprintf(name, sizeof name, "OpenCL %u (%.36s %.1f GiB)", devid, d->name, (double)d->memory_bytes / (1 << 30));
	memcpy(info.name, name, sizeof info.name - 1);
	int number = rt_machine_add_worker(m, &info);
	return number < 0 ? weft_err_set(err, number, "no worker is left for OpenCL device %u", devid) : 1;
}

static int opencl_probe(struct rt_machine *m, struct weft_err *err)
{
	int most = wanted(&m->conf), n = 0;
	if (most == 0)
		return 0;
	unsigned devices = opencl_find();
	for (unsigned i = 0; i < devices && (most < 0 || n < most); i++) {
		int devid = choose(&m->conf, i, devices);
		int rc = devid < 0 ? 0 : add_device(m, (unsigned)devid, n, err);
		if (rc < 0)
			return rc;
		n += rc;
	}
	return n;
}

static int opencl_probe_memory(struct rt_machine *m, struct weft_err *err)
{
	for (unsigned i = 0; i < m->n_workers; i++) {
		struct rt_worker_info *w = &m->worker[i];
		if (w->driver != &rt_driver_opencl)
			continue;
		char name[32];
		snprintf(name, sizeof name, "OpenCL %d", w->devid);
		int node = rt_machine_add_node(m, STARPU_OPENCL_RAM, w->devid, name);
		if (node < 0)
			return weft_err_set(err, node, "no memory node is left for OpenCL device %d", w->devid);
		opencl_devices[w->devid].node = w->node = (unsigned)node;
	}
	return 0;
}

/* ---- running ---- */

static bool opencl_has(const struct starpu_codelet *cl, unsigned impl)
{
	return impl < STARPU_MAXIMPLEMENTATIONS && cl->opencl_funcs[impl];
}

static bool is_asynchronous(const struct starpu_codelet *codelet, unsigned impl)
{
	return pipeline && codelet->opencl_flags[impl] & STARPU_OPENCL_ASYNC && !rt_machine.conf.disable_asynchronous_opencl_copy;
}

/* The oldest has arrived. */
static void land(struct rt_worker *w, struct opencl_worker *s)
{
	struct flying f = s->flying[s->first];
	s->first = (s->first + 1) % FLYING_MOST;
	s->n--;
	ocl.clReleaseEvent(f.event);
	rt_task_ran(f.job, w);
}

static void wait_for_first(struct rt_worker *w, struct opencl_worker *s)
{
	ocl.clWaitForEvents(1, &s->flying[s->first].event);
	land(w, s);
}

static enum rt_verdict opencl_run(struct rt_worker *w, struct rt_job *j, unsigned impl, void **buffers, void *cl_arg)
{
	struct opencl_worker *s = state_of(w);
	struct opencl_device *d = &opencl_devices[s->devid];
	const struct starpu_codelet *codelet = rt_part(j)->cl;
	codelet->opencl_funcs[impl](buffers, cl_arg);
	cl_event event;
	if (!is_asynchronous(codelet, impl) || ocl.clEnqueueMarkerWithWaitList(d->queue, 0, NULL, &event)) {
		ocl.clFinish(d->queue);
		return RT_DONE;
	}
	ocl.clFlush(d->queue);
	if (s->n >= pipeline)
		wait_for_first(w, s);
	s->flying[(s->first + s->n++) % FLYING_MOST] = (struct flying){j, event};
	return RT_LATER;
}

static bool opencl_poll(struct rt_worker *w)
{
	struct opencl_worker *s = state_of(w);
	while (s->n) {
		cl_int status = CL_QUEUED;
		cl_int err = ocl.clGetEventInfo(s->flying[s->first].event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status,
		                                &status, NULL);
		if (!err && status > CL_COMPLETE)
			return true;
		land(w, s);
	}
	return false;
}

static void opencl_drain(struct rt_worker *w)
{
	struct opencl_worker *s = state_of(w);
	while (s->n)
		wait_for_first(w, s);
}

static void opencl_finish(struct rt_worker *w)
{
	ocl.clFinish(opencl_devices[state_of(w)->devid].queue);
}

const struct rt_driver rt_driver_opencl = {
	.arch = STARPU_OPENCL_WORKER,
	.name = "OpenCL",
	.where = STARPU_OPENCL,
	.traits = RT_W_ONLY_PLACED | RT_W_POLLS,
	.memory = STARPU_OPENCL_RAM,
	.probe = opencl_probe,
	.probe_memory = opencl_probe_memory,
	.run = opencl_run,
	.has = opencl_has,
	.poll = opencl_poll,
	.drain = opencl_drain,
	.finish = opencl_finish,
};

/* ---- as a part of the runtime: the data layer's nodes, when it has begun ---- */

static int layer_begin(struct rt_machine *m, struct weft_err *err)
{
	(void)m;
	int asked = starpu_get_env_number_default("STARPU_OPENCL_PIPELINE", FLYING_MOST);
	pipeline = asked < 0 || asked > FLYING_MOST ? FLYING_MOST : (unsigned)asked;
	for (unsigned i = 0; i < opencl_n_devices; i++) {
		struct opencl_device *d = &opencl_devices[i];
		if (!d->context)
			continue;
		int node = rt_node_add(STARPU_OPENCL_RAM, (int)i, &opencl_node_ops, d, limit_of(i));
		if (node != (int)d->node)
			return weft_err_set(err, -ENOSPC, "no memory node is left for OpenCL device %u", i);
	}
	return 0;
}

static void layer_end(struct rt_machine *m)
{
	(void)m;
	opencl_forget();
}

const struct rt_layer rt_layer_opencl = {.name = "opencl", .begin = layer_begin, .end = layer_end};
