/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Profiling tools: callbacks for each event, and the structures that they get.
 *
 * The callbacks are a table of atomic pointers, a few for each event: a station calls them without
 * a lock, only registering takes it. Events of tasks come as a watcher's stations and are
 * translated by a table; those of transfers and of the runtime's own life are calls.
 */
#include "prof_tool.h"
#include "runtime/task/complain.h"
#include "runtime/task/watch.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS = starpu_prof_tool_event_user_end + 1, EACH = 4 };
static const char entry[] = "starpu_prof_tool_library_register";

struct weft_atomic_u32 rt_tool_wanted;
static struct {
	pthread_mutex_t lock; /* for changes only; stations do not take it */
	struct weft_atomic_ptr func[EVENTS][EACH];
	struct weft_atomic_u32 quiet; /* a bit for each event that is switched off */
	struct starpu_conf *conf;
	void *library;
} tools = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local uint32_t quiet_here;

/* ---- calling ---- */

static enum starpu_prof_tool_driver_type driver_of(unsigned worker)
{
	enum starpu_worker_archtype arch = worker < rt_machine.n_workers ? rt_machine.worker[worker].arch : STARPU_CPU_WORKER;
	return arch == STARPU_OPENCL_WORKER ? starpu_prof_tool_driver_ocl
	       : arch == STARPU_HIP_WORKER  ? starpu_prof_tool_driver_hip
	       : arch == STARPU_CPU_WORKER  ? starpu_prof_tool_driver_cpu
	                                    : starpu_prof_tool_driver_gpu;
}

static struct starpu_prof_tool_info tool_info(enum starpu_prof_tool_event event, unsigned worker)
{
	bool is_worker = worker < rt_machine.n_workers;
	return (struct starpu_prof_tool_info){
		.conf = tools.conf,
		.event_type = event,
		.starpu_version = {STARPU_MAJOR_VERSION, STARPU_MINOR_VERSION, STARPU_RELEASE_VERSION},
		.thread_id = gettid(),
		.worker_id = is_worker ? (int)worker : -1,
		.device_number = is_worker ? rt_machine.worker[worker].devid : -1,
		.driver_type = driver_of(worker),
		.memnode = is_worker ? rt_machine.worker[worker].node : STARPU_MAIN_RAM,
	};
}

static void tool_call(struct starpu_prof_tool_info *info)
{
	uint32_t off = weft_load_u32(&tools.quiet) ^ quiet_here;
	union starpu_prof_tool_event_info event = {.event_type = info->event_type};
	struct starpu_prof_tool_api_info api = {0};
	if (off & 1U << info->event_type)
		return;
	for (unsigned i = 0; i < EACH; i++) {
		starpu_prof_tool_cb_func func = (starpu_prof_tool_cb_func)weft_load_ptr(&tools.func[info->event_type][i]);
		if (func)
			func(info, &event, &api);
	}
}

void rt_tool_tell(enum starpu_prof_tool_event event, unsigned worker)
{
	struct starpu_prof_tool_info info = tool_info(event, worker);
	if (rt_tool_wants(event))
		tool_call(&info);
}

void rt_tool_transfer(bool begins, unsigned from, unsigned to, size_t bytes)
{
	enum starpu_prof_tool_event event = begins ? starpu_prof_tool_event_start_transfer : starpu_prof_tool_event_end_transfer;
	if (!rt_tool_wants(event))
		return;
	struct starpu_prof_tool_info info = tool_info(event, (unsigned)rt_worker_number());
	unsigned device = rt_machine.node[to].kind == STARPU_CPU_RAM ? from : to;
	info.memnode = to;
	info.device_number = rt_machine.node[device].devid;
	info.driver_type = rt_machine.node[device].kind == STARPU_OPENCL_RAM ? starpu_prof_tool_driver_ocl
	                                                                     : starpu_prof_tool_driver_cpu;
	info.bytes_to_transfer = (unsigned)bytes;
	info.bytes_transfered = begins ? 0 : (unsigned)bytes;
	tool_call(&info);
}

/* The running codelet function. */
static void *function_of(const struct starpu_task *t, unsigned worker)
{
	unsigned impl = starpu_task_get_implementation((struct starpu_task *)(uintptr_t)t);
	if (!t->cl)
		return NULL;
	return rt_machine.worker[worker].arch == STARPU_OPENCL_WORKER ? (void *)t->cl->opencl_funcs[impl]
	                                                              : (void *)t->cl->cpu_funcs[impl];
}

static void fill_data(struct starpu_prof_tool_data_info *d, struct starpu_task *t, int n)
{
	for (int i = 0; i < n; i++) {
		d[i] = (struct starpu_prof_tool_data_info){.handle = STARPU_TASK_GET_HANDLE(t, i),
		                                           .mode = STARPU_TASK_GET_MODE(t, i)};
		unsigned dimensions = starpu_data_get_coordinates_array(d[i].handle, 5, d[i].coordinates);
		d[i].dimensions = dimensions < 5 ? dimensions : 5;
	}
}

static void tell_of_task(enum starpu_prof_tool_event event, struct starpu_task *t, unsigned worker)
{
	struct starpu_prof_tool_info info = tool_info(event, worker);
	struct starpu_prof_tool_data_info data[STARPU_NMAXBUFS];
	int n = t->cl ? STARPU_TASK_GET_NBUFFERS(t) : 0;
	n = n < STARPU_NMAXBUFS ? n : STARPU_NMAXBUFS;
	fill_data(data, t, n);
	info.task_name = starpu_task_get_name(t);
	info.model_name = starpu_task_get_model_name(t);
	info.fun_ptr = worker < rt_machine.n_workers ? function_of(t, worker) : NULL;
	info.iterations[0] = t->iterations[0];
	info.iterations[1] = t->iterations[1];
	info.nbuffers = n;
	info.buffers = data;
	info.flops = t->flops;
	tool_call(&info);
}

static void tool_pass(enum rt_station at, struct starpu_task *t, unsigned worker, uint64_t now)
{
	/* Events of CPUs; those of devices come two behind. */
	static const enum starpu_prof_tool_event events[RT_STATIONS] = {
		[RT_AT_START] = starpu_prof_tool_event_start_cpu_exec,
		[RT_AT_END] = starpu_prof_tool_event_end_cpu_exec,
		[RT_AT_CALLBACK] = starpu_prof_tool_event_user_start,
		[RT_AT_CALLED_BACK] = starpu_prof_tool_event_user_end,
	};
	enum starpu_prof_tool_event event = events[at];
	(void)now;
	if (!event || !t)
		return;
	bool is_user = at == RT_AT_CALLBACK || at == RT_AT_CALLED_BACK;
	if (is_user && !t->callback_func && !(t->cl && t->cl->callback_func))
		return;
	if (!is_user && driver_of(worker) != starpu_prof_tool_driver_cpu)
		event += starpu_prof_tool_event_start_gpu_exec - starpu_prof_tool_event_start_cpu_exec;
	if (rt_tool_wants(event))
		tell_of_task(event, t, worker);
}

/* ---- registering ---- */

/* With the lock. */
static void tool_wanted(void)
{
	enum { OF_TASKS = 0xf << starpu_prof_tool_event_start_cpu_exec | 3 << starpu_prof_tool_event_user_start };
	uint32_t wanted = 0;
	for (unsigned i = 0; i < EVENTS; i++)
		for (unsigned k = 0; k < EACH; k++)
			wanted |= (uint32_t)(weft_load_ptr(&tools.func[i][k]) != NULL) << i;
	weft_store_u32(&rt_tool_wanted, wanted);
	rt_watch(RT_WATCH_TOOL, wanted & OF_TASKS ? tool_pass : NULL);
}

static void tool_switch(enum starpu_prof_tool_event event, enum starpu_prof_tool_command command)
{
	if (command == starpu_prof_tool_command_toggle_per_thread)
		quiet_here ^= 1U << event;
	else
		weft_store_u32(&tools.quiet, weft_load_u32(&tools.quiet) ^ 1U << event);
}

/* In the place of `from`, `to`; false: there is none. */
static bool tool_put(enum starpu_prof_tool_event event, const void *from, void *to)
{
	for (unsigned i = 0; i < EACH; i++)
		if (weft_load_ptr(&tools.func[event][i]) == from) {
			weft_store_ptr(&tools.func[event][i], to);
			return true;
		}
	return false;
}

static bool is_event(enum starpu_prof_tool_event event)
{
	bool is = event > starpu_prof_tool_event_none && (int)event < (int)EVENTS;
	if (!is)
		rt_say("a profiling tool names event %d, which there is not", (int)event);
	return is;
}

static void tool_register(enum starpu_prof_tool_event event, starpu_prof_tool_cb_func func, enum starpu_prof_tool_command command)
{
	if (!is_event(event))
		return;
	pthread_mutex_lock(&tools.lock);
	if (command != starpu_prof_tool_command_reg)
		tool_switch(event, command);
	else if (func && !tool_put(event, NULL, (void *)func))
		rt_say("more than %d profiling tools want event %d", EACH, (int)event);
	tool_wanted();
	pthread_mutex_unlock(&tools.lock);
}

static void tool_unregister(enum starpu_prof_tool_event event, starpu_prof_tool_cb_func func,
                            enum starpu_prof_tool_command command)
{
	if (!is_event(event))
		return;
	pthread_mutex_lock(&tools.lock);
	if (command != starpu_prof_tool_command_reg)
		tool_switch(event, command);
	else
		tool_put(event, (void *)func, NULL);
	tool_wanted();
	pthread_mutex_unlock(&tools.lock);
}

typedef void (*register_func)(starpu_prof_tool_entry_register_func, starpu_prof_tool_entry_register_func);

/* The library that the user names. */
static void load_tool(starpu_prof_tool_entry_register_func reg, starpu_prof_tool_entry_register_func unreg)
{
	const char *path = getenv("STARPU_PROF_TOOL");
	if (!path || !*path)
		return;
	tools.library = tools.library ? tools.library : dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!tools.library) {
		rt_say("STARPU_PROF_TOOL: %s", dlerror());
		return;
	}
	register_func func = (register_func)dlsym(tools.library, entry);
	if (!func)
		rt_say("STARPU_PROF_TOOL: '%s' has no function %s", path, entry);
	else
		func(reg, unreg);
}

/*
 * A program that is a tool itself defines a function of this name, too, which takes precedence,
 * also here.
 */
void starpu_prof_tool_library_register(starpu_prof_tool_entry_register_func reg, starpu_prof_tool_entry_register_func unreg)
	__attribute__((alias("load_tool")));

static void find_tools(void)
{
	register_func visible = (register_func)dlsym(RTLD_DEFAULT, entry);
	load_tool(tool_register, tool_unregister);
	if (visible && visible != load_tool)
		visible(tool_register, tool_unregister);
}

void rt_tool_begin(struct starpu_conf *conf)
{
	tools.conf = conf;
	find_tools();
	rt_tool_tell(starpu_prof_tool_event_init, RT_NO_WORKER);
	rt_tool_tell(starpu_prof_tool_event_init_begin, RT_NO_WORKER);
}

void rt_tool_end(void)
{
	rt_tool_tell(starpu_prof_tool_event_terminate, RT_NO_WORKER);
	pthread_mutex_lock(&tools.lock);
	memset(tools.func, 0, sizeof tools.func);
	weft_store_u32(&tools.quiet, 0);
	tool_wanted();
	pthread_mutex_unlock(&tools.lock);
}
