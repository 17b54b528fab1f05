/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finding libweft: the program's own where it has one, else the one beside the agent. On the
 * command thread, before anything is recorded.
 */
#include "agent_record_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define LIBRARY "libweft.so.0"

struct agent_recorder agent_recorder;

bool agent_record_goes_on(void)
{
	return weft_load_u32(&agent_recorder.on) && weft_load_u32(&agent.go) && !weft_load_u32(&agent.patching) &&
	       agent_patches() > 0;
}

/* ---- libweft ---- */

/* Where the agent lies; else wherever the loader finds one. */
static void *load_library(void)
{
	Dl_info me;
	char path[4200];
	void *handle = dlopen(LIBRARY, RTLD_NOW | RTLD_NOLOAD);
	const char *slash = !handle && dladdr((void *)agent_record_open, &me) ? strrchr(me.dli_fname, '/') : NULL;
	if (slash && snprintf(path, sizeof path, "%.*s/" LIBRARY, (int)(slash - me.dli_fname), me.dli_fname) < (int)sizeof path)
		handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return handle ? handle : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
}

static int keep_code(struct dl_phdr_info *info, size_t bytes, void *arg)
{
	struct agent_recorder *r = arg;
	uint64_t within = (uint64_t)r->slow;
	(void)bytes;
	for (unsigned k = 0; k < info->dlpi_phnum; k++) {
		uint64_t from = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr, to = from + info->dlpi_phdr[k].p_memsz;
		if (info->dlpi_phdr[k].p_type != PT_LOAD || within < from || within >= to)
			continue;
		r->text = from;
		r->text_end = to;
		return 1;
	}
	return 0;
}

static int open_library(struct agent_recorder *r, int (**start)(const char *), char *why, size_t room)
{
	/* One that is linked into the program itself counts, too, if it can be seen. */
	bool there = dlsym(RTLD_DEFAULT, "weft_thread_1");
	void *handle = there ? RTLD_DEFAULT : load_library(), *block = NULL;
	if (!there && !handle) {
		snprintf(why, room, "cannot load libweft: %s", dlerror());
		return -ELIBACC;
	}
	const struct {
		const char *name;
		void *to;
	} wanted[] = {
		{"weft_thread_1", &block},          {"weft_record_slow", &r->slow},     {"weft_start", start},
		{"weft_define_string", &r->string}, {"weft_define_region", &r->region}, {"weft_define_type", &r->type},
	};
	for (size_t k = 0; k < sizeof wanted / sizeof *wanted; k++) {
		void *at = dlsym(handle, wanted[k].name);
		if (!at) {
			snprintf(why, room, "the libweft in the process has no %s", wanted[k].name);
			return -ELIBACC;
		}
		memcpy(wanted[k].to, &at, sizeof at);
	}
	r->block = (char *)block - (char *)__builtin_thread_pointer();
	dl_iterate_phdr(keep_code, r);
	return 0;
}

int agent_record_open(const char *directory, char *why, size_t room)
{
	int (*start)(const char *) = NULL;
	int rc = open_library(&agent_recorder, &start, why, room);
	if (rc)
		return rc;
	rc = start(*directory ? directory : NULL);
	if (rc)
		snprintf(why, room, "cannot record: %s", strerror(-rc));
	else
		weft_store_u32(&agent_recorder.on, 1);
	return rc;
}

uint64_t agent_record_define(enum link_definition what, const char *name)
{
	if (!weft_load_u32(&agent_recorder.on))
		return 0;
	return (uint64_t)(what == LINK_DEFINE_REGION ? agent_recorder.region(name, WEFT_STATE_RUNNING, 0)
	                                             : agent_recorder.type(name, NULL, 0));
}
