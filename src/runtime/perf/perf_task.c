/* SPDX-License-Identifier: Apache-2.0 */
/* Models and tasks: the footprint and size of a task, what a model expects of it, what a run teaches the model. */
#include "perf.h"
#include "runtime/task/task.h"
#include "models/fit.h"
#include <math.h>
#include <stdlib.h>

/* -- what a task's data are -- */

static uint32_t data_footprint(starpu_data_handle_t handle)
{
	struct starpu_data_interface_ops *ops = starpu_data_get_interface_ops(handle);
	return starpu_hash_crc32c_be(ops->footprint ? ops->footprint(handle) : 0, (uint32_t)ops->interfaceid);
}

static uint32_t find_footprint(struct starpu_task *task)
{
	uint32_t sum = 0;
	int n = STARPU_TASK_GET_NBUFFERS(task);
	for (int i = 0; i < n; i++) {
		starpu_data_handle_t handle = STARPU_TASK_GET_HANDLE(task, i);
		if (!(STARPU_TASK_GET_MODE(task, i) & STARPU_NOFOOTPRINT))
			sum = starpu_hash_crc32c_be(data_footprint(handle), sum);
	}
	return sum;
}

/* What its data are is settled when it is ready, and asked for each worker that might run it, and again when it has run. */
uint32_t starpu_task_data_footprint(struct starpu_task *task)
{
	struct rt_task *own = task->starpu_private;
	if (!own || (task->status != STARPU_TASK_READY && task->status != STARPU_TASK_RUNNING))
		return find_footprint(task);
	uint64_t known = weft_load_u64(&own->footprint);
	if (!known) {
		known = UINT64_C(1) << 32 | find_footprint(task);
		weft_store_u64(&own->footprint, known);
	}
	return (uint32_t)known;
}

uint32_t starpu_task_footprint(struct starpu_perfmodel *model, struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                               unsigned nimpl)
{
	const struct starpu_perfmodel_per_arch *p = model && model->is_init ? perf_slot(model, arch, nimpl, false) : NULL;
	size_t size;
	if (p && p->size_base)
		size = p->size_base(task, arch, nimpl);
	else if (model && model->footprint)
		return model->footprint(task);
	else if (model && model->size_base)
		size = model->size_base(task, nimpl);
	else
		return starpu_task_data_footprint(task);
	return starpu_hash_crc32c_be_n(&size, sizeof size, 0);
}

size_t perf_size_of(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	const struct starpu_perfmodel_per_arch *p = m->is_init ? perf_slot(m, arch, impl, false) : NULL;
	if (p && p->size_base)
		return p->size_base(t, arch, impl);
	if (m->size_base)
		return m->size_base(t, impl);
	size_t size = 0;
	int n = STARPU_TASK_GET_NBUFFERS(t);
	for (int i = 0; i < n; i++)
		if (!(STARPU_TASK_GET_MODE(t, i) & STARPU_NOFOOTPRINT))
			size += starpu_data_get_size(STARPU_TASK_GET_HANDLE(t, i));
	return size;
}

/* -- what is expected -- */

/* Who asks for what is not known has the next runs measured, also when nobody asked for calibration. */
static double perf_unknown(struct starpu_perfmodel *m, struct starpu_perfmodel_arch *arch, unsigned impl, unsigned samples)
{
	char name[512];
	if (!rt_simulator &&
	    !__atomic_exchange_n(&m->benchmarking, 1, __ATOMIC_RELAXED)) { /* a switch: nothing is ordered by it */
		starpu_perfmodel_get_arch_name(arch, name, sizeof name, impl);
		perf_say("model %s is not calibrated enough for %s (only %u measurements): it is calibrated in this run, and probably needs more of "
		         "them (STARPU_CALIBRATE)",
		         m->symbol ? m->symbol : "?", name, samples);
	}
	return NAN;
}

static double perf_history(struct starpu_perfmodel *m, struct starpu_perfmodel_arch *arch, unsigned impl, uint32_t footprint)
{
	pthread_rwlock_rdlock(&m->state->lock);
	const struct starpu_perfmodel_history_entry *e = perf_entry(perf_slot(m, arch, impl, false), footprint);
	unsigned n = e ? e->nsample : 0;
	double mean = e ? e->mean : NAN;
	pthread_rwlock_unlock(&m->state->lock);
	return n >= perf_conf.minimum ? mean : perf_unknown(m, arch, impl, n);
}

static double from_history(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	return perf_history(m, arch, impl, starpu_task_footprint(m, t, arch, impl));
}

/* The curve counts a tenth beyond the sizes that it was made from. */
static bool in_range(const struct starpu_perfmodel_regression_model *r, double size)
{
	return size >= 0.9 * (double)r->minx && size <= 1.1 * (double)r->maxx;
}

static double from_regression(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch,
                              unsigned impl)
{
	double size = (double)perf_size_of(m, t, arch, impl), y = NAN;
	unsigned n = 0;
	pthread_rwlock_rdlock(&m->state->lock);
	const struct starpu_perfmodel_per_arch *p = perf_slot(m, arch, impl, false);
	if (p) {
		const struct starpu_perfmodel_regression_model *r = &p->regression;
		n = r->nsample;
		if (m->type == STARPU_NL_REGRESSION_BASED && r->nl_valid && in_range(r, size))
			y = r->a * pow(size, r->b) + r->c;
		else if (m->type == STARPU_REGRESSION_BASED && r->valid && in_range(r, size))
			y = r->alpha * pow(size, r->beta);
	}
	pthread_rwlock_unlock(&m->state->lock);
	if (!isnan(y))
		return y;
	return m->type == STARPU_NL_REGRESSION_BASED ? from_history(m, t, arch, impl) : perf_unknown(m, arch, impl, n);
}

static double from_products(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	double parameter[64], y = NAN;
	if (!m->parameters || !m->combinations || m->nparameters > 64)
		return NAN;
	m->parameters(t, parameter);
	struct weft_fit_terms terms = {m->combinations, m->ncombinations, m->nparameters};
	pthread_rwlock_rdlock(&m->state->lock);
	const struct starpu_perfmodel_per_arch *p = perf_slot(m, arch, impl, false);
	if (p && p->regression.multi_valid && p->regression.ncoeff == m->ncombinations + 1)
		y = weft_fit_products(&terms, p->regression.coeff, parameter);
	pthread_rwlock_unlock(&m->state->lock);
	return isnan(y) ? perf_unknown(m, arch, impl, 0) : fmax(y, 0.00001);
}

static double from_arch(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	const struct starpu_perfmodel_per_arch *p = perf_slot(m, arch, impl, false);
	if (m->arch_cost_function)
		return m->arch_cost_function(t, arch, impl);
	return p && p->cost_function ? p->cost_function(t, arch, impl) : NAN;
}

static double from_common(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	return m->cost_function ? m->cost_function(t, impl) / starpu_worker_get_relative_speedup(arch) : NAN;
}

double perf_expected(struct starpu_perfmodel *m, struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	static double (*const by_type[])(struct starpu_perfmodel *, struct starpu_task *, struct starpu_perfmodel_arch *,
	                                 unsigned) = {
		[STARPU_PER_ARCH] = from_arch,
		[STARPU_COMMON] = from_common,
		[STARPU_HISTORY_BASED] = from_history,
		[STARPU_REGRESSION_BASED] = from_regression,
		[STARPU_NL_REGRESSION_BASED] = from_regression,
		[STARPU_MULTIPLE_REGRESSION_BASED] = from_products,
	};
	if (!m || (size_t)m->type >= sizeof by_type / sizeof *by_type || m->type == STARPU_PERFMODEL_INVALID)
		return 0;
	rt_perf_want(m);
	if (!m->state || !by_type[m->type])
		return NAN; /* a cost per worker says nothing of an architecture */
	return by_type[m->type](m, t, arch, impl);
}

static double expected_on(struct starpu_perfmodel *m, struct starpu_task *t, unsigned worker, unsigned impl)
{
	if (m && m->type == STARPU_PER_WORKER)
		return m->worker_cost_function ? m->worker_cost_function(t, worker, impl) : NAN;
	return perf_expected(m, t, perf_worker_arch(worker), impl);
}

/* Over the workers of the context that may run it, with their best implementations; those without an answer are left out. */
static double perf_average(struct starpu_perfmodel *m, struct starpu_task *t, unsigned ctx)
{
	int *workers;
	unsigned n = starpu_sched_ctx_get_workers_list_raw(ctx, &workers), known = 0;
	double sum = 0;
	for (unsigned i = 0; i < n; i++) {
		double best = NAN;
		for (unsigned impl = 0; impl < STARPU_MAXIMPLEMENTATIONS; impl++)
			if (starpu_worker_can_execute_task((unsigned)workers[i], t, impl))
				best = fmin(best, expected_on(m, t, (unsigned)workers[i], impl));
		if (!isnan(best)) {
			sum += 1 / best;
			known++;
		}
	}
	return known ? known / sum : NAN;
}

double starpu_task_expected_length(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	return task->cl ? perf_expected(task->cl->model, task, arch, nimpl) : 0;
}

double starpu_task_worker_expected_length(struct starpu_task *task, unsigned workerid, unsigned sched_ctx_id, unsigned nimpl)
{
	(void)sched_ctx_id;
	return task->cl ? expected_on(task->cl->model, task, workerid, nimpl) : 0;
}

double starpu_task_expected_length_average(struct starpu_task *task, unsigned sched_ctx_id)
{
	return task->cl && task->cl->model ? perf_average(task->cl->model, task, sched_ctx_id) : 0;
}

double starpu_task_expected_energy(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned nimpl)
{
	return task->cl ? perf_expected(task->cl->energy_model, task, arch, nimpl) : 0;
}

double starpu_task_worker_expected_energy(struct starpu_task *task, unsigned workerid, unsigned sched_ctx_id, unsigned nimpl)
{
	(void)sched_ctx_id;
	return task->cl ? expected_on(task->cl->energy_model, task, workerid, nimpl) : 0;
}

double starpu_task_expected_energy_average(struct starpu_task *task, unsigned sched_ctx_id)
{
	return task->cl && task->cl->energy_model ? perf_average(task->cl->energy_model, task, sched_ctx_id) : 0;
}

double starpu_perfmodel_history_based_expected_perf(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch,
                                                    uint32_t footprint)
{
	rt_perf_want(model);
	return model->state ? perf_history(model, arch, 0, footprint) : NAN;
}

double starpu_codelet_expected_length_by_level(struct starpu_codelet *cl, int level)
{
	if (!cl->model || level < 0 || level >= STARPU_RECURSIVE_TASKS_NMAX_LEVELS)
		return -1;
	return starpu_perfmodel_history_based_expected_perf(cl->model, perf_worker_arch(0),
	                                                    cl->model->footprint_per_level[level]);
}

/* -- what a run teaches -- */

struct sample {
	struct starpu_perfmodel *model;
	struct starpu_task *task;
	struct starpu_perfmodel_arch *arch;
	unsigned impl, times;
	double y;
};

static void too_far(const struct sample *s, const struct weft_model_entry *was)
{
	char name[512];
	starpu_perfmodel_get_arch_name(s->arch, name, sizeof name, s->impl);
	perf_say("model %s on %s: %f us is too far from the average %f us of %u samples for the last time, which is now forgotten "
	         "(STARPU_HISTORY_MAX_ERROR is %.0f %%)",
	         s->model->symbol ? s->model->symbol : "?", name, s->y, was->mean, was->n, perf_conf.max_percent);
}

static void add_flops(struct starpu_perfmodel_history_entry *e, double flops)
{
	if (flops == 0 || e->flops == flops)
		return;
	/* Tasks of one footprint with different numbers of operations: there is no number to tell. */
	e->flops = e->flops == 0 ? flops : NAN;
}

static void add_to_history(const struct sample *s, struct starpu_perfmodel_per_arch *p)
{
	uint32_t footprint = starpu_task_footprint(s->model, s->task, s->arch, s->impl);
	bool first = !perf_entry(p, footprint);
	struct starpu_perfmodel_history_entry *e = perf_entry_add(p, footprint);
	if (!e)
		return;
	if (first)
		e->size = perf_size_of(s->model, s->task, s->arch, s->impl);
	add_flops(e, s->task->flops);
	/* The first run of all is rarely like the others: caches are cold, pages are not there. */
	if (first && s->model->type == STARPU_HISTORY_BASED && s->times == 1)
		return;
	struct weft_model_entry v =
		{.n = e->nsample, .mean = e->mean, .deviation = e->deviation, .sum = e->sum, .sum2 = e->sum2, .n_far = e->nerror};
	struct weft_model_entry was = v;
	/* A mean that did not count yet is no loss. */
	if (weft_model_sample(&v, s->y, s->times, perf_conf.max_percent) == WEFT_SAMPLE_FORGOT && was.n >= perf_conf.minimum)
		too_far(s, &was);
	e->nsample = v.n;
	e->nerror = v.n_far;
	e->mean = v.mean;
	e->deviation = v.deviation;
	e->sum = v.sum;
	e->sum2 = v.sum2;
}

static void add_to_regression(const struct sample *s, struct starpu_perfmodel_per_arch *p)
{
	struct starpu_perfmodel_regression_model *r = &p->regression;
	struct weft_model_fit f = {.sum_lnx = r->sumlnx,
	                           .sum_lnx2 = r->sumlnx2,
	                           .sum_lny = r->sumlny,
	                           .sum_lnx_lny = r->sumlnxlny,
	                           .n = r->nsample,
	                           .min_x = r->minx,
	                           .max_x = r->maxx};
	if (!weft_fit_power_add(&f, perf_size_of(s->model, s->task, s->arch, s->impl), s->y, s->times))
		return;
	r->sumlnx = f.sum_lnx;
	r->sumlnx2 = f.sum_lnx2;
	r->sumlny = f.sum_lny;
	r->sumlnxlny = f.sum_lnx_lny;
	r->nsample = f.n;
	r->minx = f.min_x;
	r->maxx = f.max_x;
	r->alpha = f.alpha;
	r->beta = f.beta;
	r->valid = weft_fit_power_valid(&f, perf_conf.minimum);
}

static void add_row(const struct sample *s, struct starpu_perfmodel_per_arch *p)
{
	double *parameters = calloc(s->model->nparameters ? s->model->nparameters : 1, sizeof *parameters);
	struct starpu_perfmodel_history_entry *e = parameters ? perf_row_add(p) : NULL;
	if (!e) {
		free(parameters);
		return;
	}
	e->parameters = parameters;
	e->duration = s->y;
	e->tag = s->task->tag_id;
	if (s->model->parameters)
		s->model->parameters(s->task, parameters);
}

static void perf_teach(const struct sample *s)
{
	struct starpu_perfmodel *m = s->model;
	rt_perf_want(m);
	if (!m->state || !s->times || !(s->y >= 0))
		return;
	pthread_rwlock_wrlock(&m->state->lock);
	struct starpu_perfmodel_per_arch *p = perf_slot(m, s->arch, s->impl, true);
	m->state->changed = true;
	if (p && m->type == STARPU_MULTIPLE_REGRESSION_BASED)
		add_row(s, p);
	else if (p && m->type >= STARPU_HISTORY_BASED)
		add_to_history(s, p);
	if (p && (m->type == STARPU_REGRESSION_BASED || m->type == STARPU_NL_REGRESSION_BASED))
		add_to_regression(s, p);
	pthread_rwlock_unlock(&m->state->lock);
}

void rt_perf_ran(struct starpu_task *task, unsigned worker, unsigned impl, double us)
{
	/* A parallel task is one of all the workers that it has. */
	int combined = starpu_combined_worker_get_id();
	struct starpu_perfmodel_arch *arch = perf_worker_arch(combined >= 0 ? (unsigned)combined : worker);
	perf_teach(&(struct sample){task->cl->model, task, arch, impl, 1, us});
}

void starpu_perfmodel_update_history(struct starpu_perfmodel *model, struct starpu_task *task, struct starpu_perfmodel_arch *arch,
                                     unsigned cpuid, unsigned nimpl, double measured)
{
	(void)cpuid;
	perf_teach(&(struct sample){model, task, arch, nimpl, 1, measured});
}

void starpu_perfmodel_update_history_n(struct starpu_perfmodel *model, struct starpu_task *task,
                                       struct starpu_perfmodel_arch *arch, unsigned cpuid, unsigned nimpl,
                                       double average_measured, unsigned number)
{
	(void)cpuid;
	perf_teach(&(struct sample){model, task, arch, nimpl, number, average_measured});
}

/* -- functions per architecture -- */

struct starpu_perfmodel_per_arch *starpu_perfmodel_get_model_per_arch(struct starpu_perfmodel *model,
                                                                      struct starpu_perfmodel_arch *arch, unsigned impl)
{
	if (!model->is_init)
		starpu_perfmodel_init(model);
	return perf_slot(model, arch, impl, true);
}

/* (type, devid, ncores) three by three, up to -1. */
static struct starpu_perfmodel_per_arch *slot_of(struct starpu_perfmodel *model, int impl, va_list args)
{
	struct starpu_perfmodel_device device[STARPU_NMAXWORKERS];
	int n = 0;
	for (int type = va_arg(args, int); type != -1 && n < STARPU_NMAXWORKERS; type = va_arg(args, int)) {
		device[n].type = (enum starpu_worker_archtype)type;
		device[n].devid = va_arg(args, int);
		device[n++].ncores = va_arg(args, int);
	}
	struct starpu_perfmodel_arch arch = {n, device};
	return impl < 0 ? NULL : starpu_perfmodel_get_model_per_arch(model, &arch, (unsigned)impl);
}

struct starpu_perfmodel_per_arch *starpu_perfmodel_get_model_per_devices(struct starpu_perfmodel *model, int impl, ...)
{
	va_list args;
	va_start(args, impl);
	struct starpu_perfmodel_per_arch *p = slot_of(model, impl, args);
	va_end(args);
	return p;
}

int starpu_perfmodel_set_per_devices_cost_function(struct starpu_perfmodel *model, int impl,
                                                   starpu_perfmodel_per_arch_cost_function func, ...)
{
	va_list args;
	va_start(args, func);
	struct starpu_perfmodel_per_arch *p = slot_of(model, impl, args);
	va_end(args);
	if (!p)
		return -1;
	p->cost_function = func;
	return 0;
}

int starpu_perfmodel_set_per_devices_size_base(struct starpu_perfmodel *model, int impl, starpu_perfmodel_per_arch_size_base func,
                                               ...)
{
	va_list args;
	va_start(args, func);
	struct starpu_perfmodel_per_arch *p = slot_of(model, impl, args);
	va_end(args);
	if (!p)
		return -1;
	p->size_base = func;
	return 0;
}
