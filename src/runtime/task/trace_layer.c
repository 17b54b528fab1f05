/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded of the runtime: definitions before its workers begin, and their names. */
#include "machine.h"
#include "runtime/core/life_trace.h"
#include <dlfcn.h>
#include <starpu_profiling.h>
#include <stdio.h>
#include <string.h>

/* By its function: the name that others may link with, or where it is, "program+0x2a49". NULL: not even that is known. */
static const char *by_function(const void *codelet, char *room, size_t size)
{
	char *function = (char *)(uintptr_t)((const struct starpu_codelet *)codelet)->cpu_funcs[0];
	Dl_info in;
	if (!function || !dladdr(function, &in) || !in.dli_fname)
		return NULL;
	if (in.dli_sname && in.dli_saddr == function)
		return in.dli_sname;
	const char *slash = strrchr(in.dli_fname, '/');
	snprintf(room, size, "%s+%#tx", slash ? slash + 1 : in.dli_fname, function - (char *)in.dli_fbase);
	return room;
}

/* The process in the trace is called by it, so that those of several runs of a program are told apart. */
static struct weft_atomic_i32 profile_id = {-1};

void starpu_profiling_set_id(int new_id)
{
	weft_store_i32(&profile_id, new_id);
}

static void name_process(void)
{
	char name[32];
	int id = weft_load_i32(&profile_id);
	snprintf(name, sizeof name, "profile %d", id);
	if (id >= 0)
		weft_name_process(name);
}

static int begin(struct rt_machine *m, struct weft_err *err)
{
	(void)m, (void)err;
	rt_trace_nameless = by_function;
	rt_trace_begin();
	name_process();
	return 0;
}

const struct rt_layer rt_layer_trace = {.name = "trace", .begin = begin};
