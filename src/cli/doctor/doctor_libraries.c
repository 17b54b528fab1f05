/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Doctor: libraries. They are looked for as a running program would find them, with dlopen, and called through their stable
 * binary interfaces, so that this build needs none of their headers.
 */
#include "doctor.h"
#include "tune/wire/wire.h"
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Opens it and finds all functions, or says what is missing. */
static void *open_library(struct doctor_report *r, const char *name, const char *package, const char *const *symbols,
                          void **functions)
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		doctor_say(r, DOCTOR_NO, "%s is not installed (%s)", name, package);
		return NULL;
	}
	for (unsigned i = 0; symbols[i]; i++) {
		functions[i] = dlsym(library, symbols[i]);
		if (!functions[i]) {
			doctor_say(r, DOCTOR_NO, "%s has no function %s", name, symbols[i]);
			return NULL;
		}
	}
	return library;
}

/* More text at the end of a list; what does not fit is left out. */
static void add(char *list, size_t size, const char *fmt, ...) WEFT_PRINTF(3, 4);
static void add(char *list, size_t size, const char *fmt, ...)
{
	size_t used = strlen(list);
	va_list args;
	va_start(args, fmt);
	vsnprintf(list + used, size - used, fmt, args);
	va_end(args);
}

enum { CL_NAME = 0x0902, PLATFORMS_MAX = 8, CUDA_DEVICES_SHOWN = 4 };

static void check_opencl(struct doctor_report *r)
{
	static const char *const symbols[] = {"clGetPlatformIDs", "clGetPlatformInfo", "clGetDeviceIDs", NULL};
	void *f[3], *platform[PLATFORMS_MAX];
	unsigned n = 0, devices_in_all = 0;
	char list[200] = "";
	if (!open_library(r, "libOpenCL.so.1", "Debian: ocl-icd-libopencl1", symbols, f))
		return;
	int (*platforms)(unsigned, void **, unsigned *) = (int (*)(unsigned, void **, unsigned *))f[0];
	int (*info)(void *, unsigned, size_t, void *, size_t *) = (int (*)(void *, unsigned, size_t, void *, size_t *))f[1];
	int (*devices)(void *, uint64_t, unsigned, void **,
	               unsigned *) = (int (*)(void *, uint64_t, unsigned, void **, unsigned *))f[2];
	if (platforms(PLATFORMS_MAX, platform, &n) || n == 0) {
		doctor_say(r, DOCTOR_NO, "the loader is there, but no platform (Debian: pocl-opencl-icd makes one of the cpus)");
		return;
	}
	n = n < PLATFORMS_MAX ? n : PLATFORMS_MAX;
	for (unsigned i = 0; i < n; i++) {
		char name[80] = "?";
		unsigned count = 0;
		info(platform[i], CL_NAME, sizeof name, name, NULL);
		devices(platform[i], 0xffffffffu, 0, NULL, &count);
		devices_in_all += count;
		add(list, sizeof list, "%s%.60s (%u device%s)", i ? ", " : "", name, count, count == 1 ? "" : "s");
	}
	doctor_say(r, devices_in_all ? DOCTOR_YES : DOCTOR_PARTLY, "%s", list);
}

static void check_cuda(struct doctor_report *r)
{
	static const char *const symbols[] = {"cuInit",      "cuDriverGetVersion", "cuDeviceGetCount",
	                                      "cuDeviceGet", "cuDeviceGetName",    NULL};
	void *f[5];
	int version = 0, n = 0, device;
	char list[200] = "", name[80];
	if (!open_library(r, "libcuda.so.1", "it comes with NVIDIA's driver", symbols, f))
		return;
	int rc = ((int (*)(unsigned))f[0])(0);
	if (rc) {
		doctor_say(
			r, DOCTOR_NO,
			"the driver's library is there, but cuInit fails with %d (no device, or its kernel module is not loaded)",
			rc);
		return;
	}
	((int (*)(int *))f[1])(&version);
	((int (*)(int *))f[2])(&n);
	for (int i = 0; i < n && i < CUDA_DEVICES_SHOWN; i++)
		if (((int (*)(int *, int))f[3])(&device, i) == 0 &&
		    ((int (*)(char *, int, int))f[4])(name, sizeof name, device) == 0)
			add(list, sizeof list, "%s%.60s", i ? ", " : ": ", name);
	doctor_say(r, n ? DOCTOR_YES : DOCTOR_NO, "%d device%s, CUDA %d.%d%s", n, n == 1 ? "" : "s", version / 1000,
	           version % 1000 / 10, list);
}

enum { HWLOC_PACKAGE = 1, HWLOC_CORE = 2, HWLOC_PU = 3, HWLOC_NUMANODE = 13 }; /* hwloc_obj_type_t of version 2 */

static void check_hwloc(struct doctor_report *r)
{
	static const char *const symbols[] = {"hwloc_get_api_version",
	                                      "hwloc_topology_init",
	                                      "hwloc_topology_load",
	                                      "hwloc_get_type_depth",
	                                      "hwloc_get_nbobjs_by_depth",
	                                      "hwloc_topology_destroy",
	                                      NULL};
	void *f[6], *topology = NULL;
	if (!WEFT_WITH_HWLOC) {
		doctor_say(r, DOCTOR_NO, "this build is without it (Debian: libhwloc-dev, and build again)");
		return;
	}
	if (!open_library(r, "libhwloc.so.15", "Debian: libhwloc15", symbols, f))
		return;
	unsigned version = ((unsigned (*)(void))f[0])();
	int (*depth)(void *, int) = (int (*)(void *, int))f[3];
	unsigned (*count)(void *, int) = (unsigned (*)(void *, int))f[4];
	if (version >> 16 != 2 || ((int (*)(void **))f[1])(&topology) || ((int (*)(void *))f[2])(topology)) {
		doctor_say(r, DOCTOR_PARTLY, "version %u.%u.%u cannot read this machine's topology", version >> 16,
		           version >> 8 & 255, version & 255);
		return;
	}
	doctor_say(r, DOCTOR_YES, "%u.%u: %u package(s), %u core(s), %u cpu(s), %u memory node(s)", version >> 16,
	           version >> 8 & 255, count(topology, depth(topology, HWLOC_PACKAGE)),
	           count(topology, depth(topology, HWLOC_CORE)), count(topology, depth(topology, HWLOC_PU)),
	           count(topology, depth(topology, HWLOC_NUMANODE)));
	((void (*)(void *))f[5])(topology);
}

static void check_zstd(struct doctor_report *r)
{
	static const char *const symbols[] = {"ZSTD_versionString", NULL};
	void *f[1];
	if (open_library(r, "libzstd.so.1", "Debian: libzstd1", symbols, f))
		doctor_say(r, DOCTOR_YES, "%s", ((const char *(*)(void))f[0])());
}

static void check_sodium(struct doctor_report *r)
{
	if (weft_wire_can_seal())
		doctor_say(r, DOCTOR_YES, "%s", weft_wire_library());
	else
		doctor_say(r, DOCTOR_NO,
		           "this build is without it: tuning stays on one host (Debian: libsodium-dev, and build again)");
}

const struct doctor_check doctor_library_checks[] = {
	{"hwloc", "the machine's topology", check_hwloc},  {"zstd", "packed traces", check_zstd},
	{"sodium", "tuning across hosts", check_sodium},   {"opencl", "tasks on OpenCL devices", check_opencl},
	{"cuda", "tasks on NVIDIA's devices", check_cuda}, {0},
};
