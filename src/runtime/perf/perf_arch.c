/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Combinations of devices, numbered as they are met. The table only grows while the runtime lives: whoever has a number or a
 * pointer may keep it until perf_archs_fini.
 */
#include "perf.h"
#include <stdlib.h>
#include <string.h>

static struct {
	pthread_mutex_t lock;
	int n; /* published with release */
	struct starpu_perfmodel_arch comb[PERF_COMBS];
	struct starpu_perfmodel_arch worker[STARPU_NMAXWORKERS];
	struct starpu_perfmodel_device device[STARPU_NMAXWORKERS];
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int count(void)
{
	return __atomic_load_n(&all.n, __ATOMIC_ACQUIRE);
}

static bool same_device(const struct starpu_perfmodel_device *a, const struct starpu_perfmodel_device *b)
{
	return a->type == b->type && a->devid == b->devid && a->ncores == b->ncores;
}

/* The same devices, in any order. */
static bool same(const struct starpu_perfmodel_arch *a, const struct starpu_perfmodel_arch *b)
{
	if (a->ndevices != b->ndevices)
		return false;
	for (int i = 0; i < a->ndevices; i++) {
		bool found = false;
		for (int k = 0; k < b->ndevices && !found; k++)
			found = same_device(&a->devices[i], &b->devices[k]);
		if (!found)
			return false;
	}
	return true;
}

static int find(const struct starpu_perfmodel_arch *arch, int from, int to)
{
	for (int i = from; i < to; i++)
		if (same(&all.comb[i], arch))
			return i;
	return -1;
}

static int add(const struct starpu_perfmodel_arch *arch)
{
	size_t bytes = (size_t)arch->ndevices * sizeof *arch->devices;
	struct starpu_perfmodel_device *devices = all.n < PERF_COMBS ? malloc(bytes ? bytes : 1) : NULL;
	if (!devices)
		return -1;
	memcpy(devices, arch->devices, bytes);
	all.comb[all.n] = (struct starpu_perfmodel_arch){arch->ndevices, devices};
	__atomic_store_n(&all.n, all.n + 1, __ATOMIC_RELEASE);
	return all.n - 1;
}

int perf_comb_of(const struct starpu_perfmodel_arch *arch, bool make)
{
	int seen = count(), at = find(arch, 0, seen);
	if (at >= 0 || !make)
		return at;
	pthread_mutex_lock(&all.lock);
	at = find(arch, seen, all.n);
	if (at < 0)
		at = add(arch);
	pthread_mutex_unlock(&all.lock);
	return at;
}

const struct starpu_perfmodel_arch *perf_comb(int comb)
{
	return comb >= 0 && comb < count() ? &all.comb[comb] : NULL;
}

void perf_archs_fini(void)
{
	for (int i = 0; i < all.n; i++)
		free(all.comb[i].devices);
	__atomic_store_n(&all.n, 0, __ATOMIC_RELEASE);
	memset(all.worker, 0, sizeof all.worker);
}

/* Devices of a kind that is homogeneous share what is known about the first. */
struct starpu_perfmodel_arch *perf_worker_arch(unsigned worker)
{
	if (worker >= STARPU_NMAXWORKERS)
		return NULL;
	struct starpu_perfmodel_arch *arch = &all.worker[worker];
	if (__atomic_load_n(&arch->ndevices, __ATOMIC_ACQUIRE))
		return arch;
	int size = 1, *members;
	if (starpu_worker_is_combined_worker((int)worker)) {
		starpu_combined_worker_get_description((int)worker, &size, &members);
		worker = (unsigned)members[0];
	}
	enum starpu_worker_archtype type = starpu_worker_get_type((int)worker);
	pthread_mutex_lock(&all.lock);
	if (!arch->ndevices) { /* another thread may have been here first: what is published stays */
		struct starpu_perfmodel_device *d = &all.device[arch - all.worker];
		*d = (struct starpu_perfmodel_device){type,
		                                      perf_conf.homogeneous[type] ? 0 : starpu_worker_get_devid((int)worker),
		                                      size};
		arch->devices = d;
		__atomic_store_n(&arch->ndevices, 1, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&all.lock);
	return arch;
}

/* -- StarPU's names -- */

int starpu_perfmodel_get_narch_combs(void)
{
	return count();
}

int starpu_perfmodel_arch_comb_add(int ndevices, struct starpu_perfmodel_device *devices)
{
	return perf_comb_of(&(struct starpu_perfmodel_arch){ndevices, devices}, true);
}

int starpu_perfmodel_arch_comb_get(int ndevices, struct starpu_perfmodel_device *devices)
{
	return perf_comb_of(&(struct starpu_perfmodel_arch){ndevices, devices}, false);
}

struct starpu_perfmodel_arch *starpu_perfmodel_arch_comb_fetch(int comb)
{
	return comb >= 0 && comb < count() ? &all.comb[comb] : NULL;
}

struct starpu_perfmodel_arch *starpu_worker_get_perf_archtype(int workerid, unsigned sched_ctx_id)
{
	(void)sched_ctx_id;
	bool is_there = workerid >= 0 &&
	                ((unsigned)workerid < starpu_worker_get_count() || starpu_worker_is_combined_worker(workerid));
	return is_there ? perf_worker_arch((unsigned)workerid) : NULL;
}

const char *starpu_perfmodel_get_archtype_name(enum starpu_worker_archtype archtype)
{
	return weft_model_type_name((int)archtype);
}

void starpu_perfmodel_get_arch_name(struct starpu_perfmodel_arch *arch, char *archname, size_t maxlen, unsigned nimpl)
{
	struct weft_model_device device[STARPU_NMAXWORKERS];
	int n = arch->ndevices < STARPU_NMAXWORKERS ? arch->ndevices : STARPU_NMAXWORKERS;
	for (int i = 0; i < n; i++)
		device[i] = (struct weft_model_device){(int)arch->devices[i].type, arch->devices[i].devid,
		                                       arch->devices[i].ncores};
	int comb = perf_comb_of(arch, true);
	weft_model_impl_name(archname, maxlen, device, (unsigned)n, nimpl, comb < 0 ? 0 : (unsigned)comb);
}

/* What a kind of device is worth beside one CPU core, for models that know only one cost. */
double starpu_worker_get_relative_speedup(struct starpu_perfmodel_arch *perf_arch)
{
	static const struct {
		enum starpu_worker_archtype type;
		double speed;
	} known[] = {{STARPU_CUDA_WORKER, 13.33}, {STARPU_OPENCL_WORKER, 12.22}, {STARPU_HIP_WORKER, 13.33}};
	double sum = 0;
	for (int i = 0; i < perf_arch->ndevices; i++) {
		double speed = 1;
		for (size_t k = 0; k < sizeof known / sizeof *known; k++)
			speed = perf_arch->devices[i].type == known[k].type ? known[k].speed : speed;
		sum += speed * (perf_arch->devices[i].ncores > 0 ? perf_arch->devices[i].ncores : 1);
	}
	return sum;
}
