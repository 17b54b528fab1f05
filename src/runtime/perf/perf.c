/* SPDX-License-Identifier: Apache-2.0 */
/* The life of performance models: loaded with the first task that has them, saved at the end, unloaded when asked. */
#include "perf.h"
#include "runtime/task/complain.h"
#include <errno.h>
#include <stdarg.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct perf_conf perf_conf = {.minimum = 10, .max_percent = 50, .homogeneous = {[STARPU_CPU_WORKER] = true}};

/* For codelets that do next to nothing: a microsecond wherever they run. It has no symbol, so that tasks keep their codelet's name. */
static double nop_cost(struct starpu_task *task, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)task, (void)arch, (void)impl;
	return 1;
}
struct starpu_perfmodel starpu_perfmodel_nop = {.type = STARPU_PER_ARCH, .arch_cost_function = nop_cost};

/* All models that hang on a list, and the right to change `is_init`, `is_loaded`. */
static struct {
	pthread_mutex_t lock;
	struct _starpu_perfmodel_state *first;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

void perf_say(const char *fmt, ...)
{
	char text[600];
	va_list args;
	if (perf_conf.silent)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	fprintf(stderr, "[starpu] %s\n", text);
}

static void read_environment(const struct starpu_conf *conf)
{
	static const struct {
		enum starpu_worker_archtype type;
		const char *name;
		int usual;
	} kinds[] = {
		{STARPU_CPU_WORKER, "STARPU_PERF_MODEL_HOMOGENEOUS_CPU", 1},
		{STARPU_CUDA_WORKER, "STARPU_PERF_MODEL_HOMOGENEOUS_CUDA", 0},
		{STARPU_OPENCL_WORKER, "STARPU_PERF_MODEL_HOMOGENEOUS_OPENCL", 0},
	};
	int asked = conf ? conf->calibrate : -1;
	int env = rt_env_number("STARPU_CALIBRATE", 0, 2, -1);
	bool conf_wins = conf && conf->precedence_over_environment_variables && asked >= 0;
	perf_conf.calibrate = env >= 0 && !conf_wins ? env : asked > 0 && asked <= 2 ? asked : 0;
	perf_conf.minimum = (uint32_t)rt_env_number("STARPU_CALIBRATE_MINIMUM", 1, INT_MAX, 10);
	perf_conf.max_percent = rt_env_number("STARPU_HISTORY_MAX_ERROR", 0, INT_MAX, 50);
	perf_conf.silent = starpu_getenv_number_default("STARPU_SILENT", 0) > 0;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		perf_conf.homogeneous[kinds[i].type] = starpu_getenv_number_default(kinds[i].name, kinds[i].usual) != 0;
	if (rt_simulator) { /* all that is known counts, and nothing is learnt */
		perf_conf.calibrate = 0;
		perf_conf.minimum = 1;
	}
}

static int layer_begin(struct rt_machine *m, struct weft_err *err)
{
	(void)err;
	const char *host = getenv("STARPU_HOSTNAME");
	if (host && strchr(host, '/'))
		rt_say("STARPU_HOSTNAME is '%s': a name without '/' is expected; this machine's own is taken", host);
	read_environment(&m->conf);
	perf_bus_begin(&m->conf);
	return 0;
}

static int layer_started(struct rt_machine *m, struct weft_err *err)
{
	(void)m, (void)err;
	perf_bus_started();
	return 0;
}

static bool is_measured(const struct starpu_perfmodel *m)
{
	return m->type >= STARPU_HISTORY_BASED && m->type <= STARPU_MULTIPLE_REGRESSION_BASED;
}

/* With the lock of `all`. */
static int init(struct starpu_perfmodel *m)
{
	if (m->is_init)
		return 0;
	struct _starpu_perfmodel_state *s = calloc(1, sizeof *s);
	if (!s)
		return -ENOMEM;
	pthread_rwlock_init(&s->lock, NULL);
	s->model = m;
	m->state = s;
	__atomic_store_n(&m->is_init, 1, __ATOMIC_RELEASE);
	return 0;
}

static void enlist(struct starpu_perfmodel *m)
{
	if (m->state->enlisted)
		return;
	m->state->enlisted = true;
	m->state->next = all.first;
	all.first = m->state;
}

static void delist(struct starpu_perfmodel *m)
{
	for (struct _starpu_perfmodel_state **at = &all.first; *at; at = &(*at)->next)
		if (*at == m->state) {
			*at = m->state->next;
			break;
		}
	m->state->enlisted = false;
}

static void deinit(struct starpu_perfmodel *m)
{
	struct _starpu_perfmodel_state *s = m->state;
	delist(m);
	for (int comb = 0; comb < PERF_COMBS; comb++)
		for (int i = 0; i < STARPU_MAXIMPLEMENTATIONS; i++)
			perf_slot_free(s->slot[comb][i]);
	pthread_rwlock_destroy(&s->lock);
	if (s->symbol_owned) {
		free((char *)(uintptr_t)m->symbol);
		m->symbol = NULL;
	}
	free(s);
	m->state = NULL;
	m->is_init = 0;
	m->benchmarking = 0;
	__atomic_store_n(&m->is_loaded, 0, __ATOMIC_RELEASE);
}

/* With the lock of `all`. A file that is not there is no fault; a damaged one is said, set aside, and begun anew. */
static void load(struct starpu_perfmodel *m)
{
	char path[4096];
	struct weft_err err = {0};
	if (is_measured(m)) {
		if (perf_conf.calibrate != 2 && m->symbol && perf_find_codelet(path, sizeof path, m->symbol) &&
		    perf_load(m, path, &err)) {
			if (rt_simulator) /* another machine's: it stays as it is */
				perf_say("%s", err.text);
			else
				perf_set_aside(path, &err);
		}
		__atomic_store_n(&m->benchmarking, perf_conf.calibrate > 0,
		                 __ATOMIC_RELAXED); /* a switch: nothing is ordered by it */
		enlist(m);
	}
	__atomic_store_n(&m->is_loaded, 1, __ATOMIC_RELEASE);
}

void rt_perf_want_slow(struct starpu_perfmodel *m)
{
	if (m->type == STARPU_PERFMODEL_INVALID)
		return;
	pthread_mutex_lock(&all.lock);
	if (!m->is_loaded && !init(m))
		load(m);
	pthread_mutex_unlock(&all.lock);
}

static void save(struct starpu_perfmodel *m)
{
	struct weft_err err = {0};
	pthread_rwlock_wrlock(&m->state->lock);
	if (m->state->changed && !rt_simulator && perf_save(m, &err))
		perf_say("%s", err.text);
	m->state->changed = false;
	pthread_rwlock_unlock(&m->state->lock);
}

static void layer_end(struct rt_machine *m)
{
	(void)m;
	pthread_mutex_lock(&all.lock);
	for (struct _starpu_perfmodel_state *s = all.first, *next; s; s = next) {
		next = s->next;
		save(s->model);
		deinit(s->model);
	}
	pthread_mutex_unlock(&all.lock);
	perf_bus_end();
	perf_archs_fini();
}

const struct rt_layer rt_layer_perf = {.name = "perf", .begin = layer_begin, .started = layer_started, .end = layer_end};

void rt_perf_calibrate(int calibrate)
{
	pthread_mutex_lock(&all.lock);
	__atomic_store_n(&perf_conf.calibrate, calibrate, __ATOMIC_RELAXED); /* a switch, as `benchmarking` */
	for (struct _starpu_perfmodel_state *s = all.first; s; s = s->next)
		__atomic_store_n(&s->model->benchmarking, calibrate > 0, __ATOMIC_RELAXED);
	__atomic_store_n(&rt_machine.conf.calibrate, calibrate, __ATOMIC_RELAXED);
	pthread_mutex_unlock(&all.lock);
	__atomic_add_fetch(&rt_machine.codelets, 1, __ATOMIC_ACQ_REL); /* one with a model is plain only while none learns */
}

int rt_perf_calibrates(void)
{
	return __atomic_load_n(&perf_conf.calibrate, __ATOMIC_RELAXED);
}

/* -- StarPU's names -- */

void starpu_perfmodel_initialize(void)
{
	read_environment(NULL);
}

void starpu_perfmodel_init(struct starpu_perfmodel *model)
{
	pthread_mutex_lock(&all.lock);
	int rc = init(model);
	pthread_mutex_unlock(&all.lock);
	STARPU_ASSERT_MSG(!rc, "no memory for a performance model");
}

int starpu_perfmodel_deinit(struct starpu_perfmodel *model)
{
	pthread_mutex_lock(&all.lock);
	if (model->is_init)
		deinit(model);
	pthread_mutex_unlock(&all.lock);
	return 0;
}

int starpu_perfmodel_load_file(const char *filename, struct starpu_perfmodel *model)
{
	struct weft_err err = {0};
	pthread_mutex_lock(&all.lock);
	int rc = init(model);
	/* Files do not say what a model was for; a program that does not know either wants its numbers. */
	if (!model->type)
		model->type = STARPU_HISTORY_BASED;
	rc = rc ? rc : perf_load(model, filename, &err);
	if (!rc)
		__atomic_store_n(&model->is_loaded, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&all.lock);
	if (rc)
		perf_say("%s", err.text);
	return rc ? 1 : 0;
}

/* SYMBOL, or SYMBOL.HOST as files are called. */
int starpu_perfmodel_load_symbol(const char *symbol, struct starpu_perfmodel *model)
{
	char path[4096];
	if (!perf_find_codelet(path, sizeof path, symbol)) {
		perf_say("there is no performance model for symbol %s", symbol);
		return 1;
	}
	char *copy = strdup(symbol);
	int rc = copy ? starpu_perfmodel_load_file(path, model) : 1;
	if (rc) {
		free(copy);
		return rc;
	}
	model->symbol = copy;
	model->state->symbol_owned = true;
	return 0;
}

int starpu_perfmodel_unload_model(struct starpu_perfmodel *model)
{
	return starpu_perfmodel_deinit(model);
}

void starpu_save_history_based_model(struct starpu_perfmodel *model)
{
	STARPU_ASSERT_MSG(model->symbol, "a performance model that is saved has a symbol");
	if (!model->is_init)
		starpu_perfmodel_init(model);
	pthread_rwlock_wrlock(&model->state->lock);
	model->state->changed = true;
	pthread_rwlock_unlock(&model->state->lock);
	save(model);
}

void starpu_perfmodel_free_sampling(void)
{
	pthread_mutex_lock(&all.lock);
	while (all.first)
		deinit(all.first->model);
	pthread_mutex_unlock(&all.lock);
	perf_archs_fini();
}
