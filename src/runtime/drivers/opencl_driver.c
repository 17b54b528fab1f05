/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver: one worker a device, which runs the codelet's function on its own thread and waits for what that has put into the
 * queue. A codelet whose function says STARPU_OPENCL_ASYNC is not waited for at once: the worker goes on, up to some at a time,
 * and asks between jobs whether the first of them has arrived; the queue keeps their order. A task that flies takes the device's time
 * from when those before it have arrived until it has. When that was is measured by OpenCL's own thread, as the worker may look late.
 */
#include "opencl.h"
#include "runtime/run/run.h"
#include "base/clock.h"
#include "runtime/task/task.h"
#include <errno.h>
#include <sched.h>

enum { FLYING_MOST = 4 };

struct flying { /* a task whose kernels are under way */
	struct rt_job *job;
	cl_event event;
	uint64_t called_ns;                /* its function */
	struct weft_atomic_u64 arrived_ns; /* 0: not yet */
};
struct opencl_worker {
	unsigned devid;
	struct rt_stretch stretch; /* of the first */
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

static bool opencl_is(const struct rt_worker_info *w, const struct starpu_driver *d)
{
	return opencl_devices[w->devid].id == d->id.opencl_id;
}

static bool has_worker(const struct rt_machine *m, unsigned devid)
{
	bool has = false;
	for (unsigned i = 0; i < m->n_workers; i++)
		has = has || (m->worker[i].driver == &rt_driver_opencl && m->worker[i].devid == (int)devid);
	return has;
}

static int add_device(struct rt_machine *m, unsigned devid, int nth, struct weft_err *err)
{
	struct opencl_device *d = &opencl_devices[devid];
	if (has_worker(m, devid) || opencl_open(devid))
		return 0; /* one that was named before, or does not work, is none */
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

static bool opencl_flies(const struct starpu_codelet *codelet, unsigned impl)
{
	return pipeline && codelet->opencl_flags[impl] & STARPU_OPENCL_ASYNC && !starpu_asynchronous_opencl_copy_disabled();
}

static void CL_CALLBACK arrives(cl_event event, cl_int status, void *arrived_ns)
{
	(void)event, (void)status;
	weft_store_u64(arrived_ns, weft_monotonic_ns());
}

/* The device is the first one's, which was not before those that were there. */
static void first_begins(struct rt_worker *w, struct opencl_worker *s, uint64_t free_ns)
{
	const struct flying *f = &s->flying[s->first];
	s->stretch = rt_task_begins(f->job, w);
	if (s->stretch.measured_from_ns)
		s->stretch.measured_from_ns = f->called_ns > free_ns ? f->called_ns : free_ns;
}

/* The first has arrived. */
static void land(struct rt_worker *w, struct opencl_worker *s)
{
	struct flying *f = &s->flying[s->first];
	struct rt_job *job = f->job;
	uint64_t arrived_ns = s->stretch.measured_until_ns = weft_load_u64(&f->arrived_ns);
	if (f->event)
		ocl.clReleaseEvent(f->event);
	s->first = (s->first + 1) % FLYING_MOST;
	s->n--;
	rt_task_stops(job, w, &s->stretch);
	rt_task_ran(job, w);
	if (s->n)
		first_begins(w, s, arrived_ns);
}

static void wait_for_first(struct rt_worker *w, struct opencl_worker *s)
{
	struct flying *f = &s->flying[s->first];
	if (f->event)
		ocl.clWaitForEvents(1, &f->event);
	while (!weft_load_u64(&f->arrived_ns))
		sched_yield();
	land(w, s);
}

/* What its function has put into the queue is followed by an event; where there is none, it is waited for. */
static void take_off(struct flying *f, cl_command_queue queue)
{
	f->event = NULL;
	if (!ocl.clEnqueueMarkerWithWaitList(queue, 0, NULL, &f->event) &&
	    !ocl.clSetEventCallback(f->event, CL_COMPLETE, arrives, &f->arrived_ns)) {
		ocl.clFlush(queue);
		return;
	}
	ocl.clFinish(queue);
	weft_store_u64(&f->arrived_ns, weft_monotonic_ns());
}

static enum rt_verdict opencl_run(struct rt_worker *w, struct rt_job *j, unsigned impl, void **buffers, void *cl_arg)
{
	struct opencl_worker *s = state_of(w);
	cl_command_queue queue = opencl_devices[s->devid].queue;
	const struct starpu_codelet *codelet = rt_upper(j)->cl;
	if (!opencl_flies(codelet, impl)) {
		codelet->opencl_funcs[impl](buffers, cl_arg);
		ocl.clFinish(queue);
		return RT_DONE;
	}
	if (s->n >= pipeline)
		wait_for_first(w, s);
	struct flying *f = &s->flying[(s->first + s->n) % FLYING_MOST];
	f->job = j;
	f->called_ns = weft_monotonic_ns();
	weft_store_u64(&f->arrived_ns, 0);
	if (!s->n)
		first_begins(w, s, 0);
	codelet->opencl_funcs[impl](buffers, cl_arg);
	take_off(f, queue);
	s->n++;
	return RT_LATER;
}

static bool opencl_poll(struct rt_worker *w)
{
	struct opencl_worker *s = state_of(w);
	while (s->n && weft_load_u64(&s->flying[s->first].arrived_ns))
		land(w, s);
	return s->n;
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
	.is = opencl_is,
	.probe_memory = opencl_probe_memory,
	.run = opencl_run,
	.has = opencl_has,
	.flies = opencl_flies,
	.poll = opencl_poll,
	.drain = opencl_drain,
	.finish = opencl_finish,
};

/* ---- as a part of the runtime: the data layer's nodes, when it has begun ---- */

static int layer_begin(struct rt_machine *m, struct weft_err *err)
{
	int asked = starpu_get_env_number_default("STARPU_OPENCL_PIPELINE", FLYING_MOST);
	pipeline = asked < 0 || asked > FLYING_MOST ? FLYING_MOST : (unsigned)asked;
	/* In the order of the nodes' numbers, which the user may have given devices (STARPU_WORKERS_OPENCLID). */
	for (unsigned i = 0; i < m->n_workers; i++) {
		int devid = m->worker[i].devid;
		if (m->worker[i].driver != &rt_driver_opencl)
			continue;
		struct opencl_device *d = &opencl_devices[devid];
		if (rt_node_add(STARPU_OPENCL_RAM, devid, &opencl_node_ops, d, limit_of((unsigned)devid)) != (int)d->node)
			return weft_err_set(err, -ENOSPC, "no memory node is left for OpenCL device %d", devid);
	}
	return 0;
}

static void layer_end(struct rt_machine *m)
{
	(void)m;
	opencl_forget();
}

const struct rt_layer rt_layer_opencl = {.name = "opencl", .begin = layer_begin, .end = layer_end};
