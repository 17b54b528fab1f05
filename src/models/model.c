/* SPDX-License-Identifier: Apache-2.0 */
/* Models in memory: names, what a sample does to a mean, the end. */
#include "model.h"
#include <stdlib.h>
#include <math.h>
#include <string.h>

/* As enum starpu_worker_archtype counts, in file names and messages, and in XML. */
static const struct {
	const char *name, *label;
} types[] = {
	{"cpu", "CPU"},       {"cuda", "CUDA"},         {"opencl", "OpenCL"}, {"mic", "MIC"},   {"max_fpga", "MAX_FPGA"},
	{"mpi_sc", "MPI_SC"}, {"tcpip_sc", "TCPIP_SC"}, {"hip", "HIP"},       {"sycl", "SYCL"},
};

const char *weft_model_type_name(int type)
{
	return type >= 0 && (size_t)type < sizeof types / sizeof *types ? types[type].name : "unknown";
}

const char *weft_model_type_label(int type)
{
	return type >= 0 && (size_t)type < sizeof types / sizeof *types ? types[type].label : "unknown";
}

enum weft_model_kind weft_model_kind(const struct weft_model_impl *impl)
{
	const struct weft_model_fit *f = &impl->fit;
	if (f->n_coeff)
		return WEFT_MODEL_MULTIPLE;
	if (!isnan(f->a) && !isnan(f->b) && !isnan(f->c))
		return WEFT_MODEL_OFFSET;
	return f->n ? WEFT_MODEL_POWER : WEFT_MODEL_HISTORY;
}

void weft_model_impl_name(char *at, size_t n, const struct weft_model_device *device, unsigned n_devices, unsigned impl,
                          unsigned comb)
{
	size_t used = 0;
	for (unsigned i = 0; i < n_devices && used < n; i++) {
		int wrote = snprintf(at + used, n - used, "%s%s%d", i ? "_" : "", weft_model_type_name(device[i].type),
		                     device[i].id);
		used += wrote > 0 ? (size_t)wrote : 0;
	}
	if (used < n)
		snprintf(at + used, n - used, "_impl%u (Comb%u)", impl, comb);
}

static void impl_fini(struct weft_model_impl *impl)
{
	free(impl->fit.coeff);
	free(impl->entry);
}

void weft_model_fini(struct weft_model *m)
{
	for (uint32_t i = 0; i < m->n_combs; i++) {
		for (uint32_t k = 0; k < m->comb[i].n_impls; k++)
			impl_fini(&m->comb[i].impl[k]);
		free(m->comb[i].impl);
		free(m->comb[i].device);
	}
	free(m->comb);
	*m = (struct weft_model){0};
}

static bool is_far(double a, double b, double max_percent)
{
	double most = 1 + max_percent / 100;
	return a > b * most || b > a * most;
}

static void take_sample(struct weft_model_entry *e, double measured, uint32_t times)
{
	if (!times)
		return;
	e->n += times;
	e->sum += measured * times;
	e->sum2 += measured * measured * times;
	e->mean = e->sum / e->n;
	double variance = e->sum2 / e->n - e->mean * e->mean;
	e->deviation = variance > 0 ? sqrt(variance) : 0; /* rounding can make it negative */
}

/* As so many samples of one: those that are far too often begin the mean anew, the ones after them make it. */
enum weft_model_sample weft_model_sample(struct weft_model_entry *e, double measured, uint32_t times, double max_percent)
{
	if (e->n && is_far(measured, e->mean, max_percent)) {
		uint32_t until = e->n > e->n_far ? e->n - e->n_far : 1;
		if (times < until) {
			e->n_far += times;
			return WEFT_SAMPLE_FAR;
		}
		e->n = e->n_far = 0;
		e->mean = e->deviation = e->sum = e->sum2 = 0;
		take_sample(e, measured, times - until);
		return WEFT_SAMPLE_FORGOT;
	}
	take_sample(e, measured, times);
	return WEFT_SAMPLE_TAKEN;
}
