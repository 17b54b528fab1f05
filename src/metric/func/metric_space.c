/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is the same for all metrics of a trace: the numbers that functions and filters speak of, the
 * trace's own unit of time, and the two trees of objects (workload > application > task > thread,
 * system > node > cpu).
 */
#include "base/str.h"
#include "metric_work.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double unit_step[WEFT_UNITS] =
	{[WEFT_US] = 1000, [WEFT_MS] = 1000, [WEFT_SECONDS] = 1000, [WEFT_MINUTES] = 60, [WEFT_HOURS] = 60, [WEFT_DAYS] = 24};

double weft_unit_convert(double time, enum weft_unit from, enum weft_unit to)
{
	double factor = 1;
	for (enum weft_unit u = from; u < to; u++)
		factor *= unit_step[u + 1];
	if (from < to)
		return time / factor;
	for (enum weft_unit u = to; u < from; u++)
		factor *= unit_step[u + 1];
	return time * factor;
}

/* "1e-3": how the unit of a type says that its values are scaled. */
static double scale_of(const char *unit)
{
	if (strncmp(unit, "1e-", 3) != 0 || !unit[3])
		return 1;
	uint64_t digits;
	if (weft_parse_u64(weft_str(unit + 3), &digits) || digits > 300)
		return 1;
	return pow(10, -(double)digits);
}

static void set_unit(struct weft_space *s)
{
	const char *unit = weft_trace_note(s->trace, "prv.unit");
	s->unit = !unit || !strcmp(unit, "_ns") ? WEFT_NS : !strcmp(unit, "_ms") ? WEFT_MS : WEFT_US;
	s->unit_ns = s->unit == WEFT_NS ? 1 : s->unit == WEFT_US ? 1000 : 1000000;
	s->end = (double)(s->trace->end / s->unit_ns);
}

static void set_threads(struct weft_space *s)
{
	const struct weft_trace *t = s->trace;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		const struct weft_process *p = &t->process[t->thread[i].process];
		s->appl_of[i] = p->app;
		s->node_of[i] = p->node;
		if (p->node != WEFT_NONE)
			s->node_first[p->node + 1]++;
	}
	for (uint32_t i = 0; i < t->n_nodes; i++)
		s->node_first[i + 1] += s->node_first[i];
	for (uint32_t i = 0; i < t->n_threads; i++)
		if (s->node_of[i] != WEFT_NONE)
			s->node_thread[s->node_first[s->node_of[i]]++] = i;
	for (uint32_t i = t->n_nodes; i > 0; i--)
		s->node_first[i] = s->node_first[i - 1];
	s->node_first[0] = 0;
}

static int init_space(struct weft_space *s, const struct weft_trace *t, bool own_threads)
{
	*s = (struct weft_space){.trace = t, .own_threads = own_threads, .fill_gaps = true};
	int rc = strcmp(t->format, "prv") != 0 ? metric_schema_new(&s->schema, t, own_threads) : 0;
	if (rc)
		return rc;
	if (s->schema)
		s->trace = t = &s->schema->seen;
	const char *messages = weft_trace_note(t, "prv.messages");
	s->by_physical_send = s->schema || (messages && !strcmp(messages, "physical"));
	const struct weft_def_table *type = &t->def[WEFT_CLASS_TYPE], *state = &t->def[WEFT_CLASS_STATE];
	s->type = calloc((size_t)type->n + 1, sizeof *s->type);
	s->scale = calloc((size_t)type->n + 1, sizeof *s->scale);
	s->state = calloc((size_t)state->n + 1, sizeof *s->state);
	s->appl_of = calloc((size_t)t->n_threads + 1, sizeof *s->appl_of);
	s->node_of = calloc((size_t)t->n_threads + 1, sizeof *s->node_of);
	s->node_thread = calloc((size_t)t->n_threads + 1, sizeof *s->node_thread);
	s->node_first = calloc((size_t)t->n_nodes + 2, sizeof *s->node_first);
	if (!s->type || !s->scale || !s->state || !s->appl_of || !s->node_of || !s->node_thread || !s->node_first)
		return -ENOMEM;
	for (uint32_t i = 1; i < type->n; i++) {
		s->type[i] = (uint32_t)type->at[i].code;
		s->scale[i] = scale_of(type->at[i].unit);
	}
	for (uint32_t i = 1; i < state->n; i++)
		s->state[i] = (uint32_t)state->at[i].code;
	set_unit(s);
	set_threads(s);
	return metric_places_new(&s->message_cpus);
}

int weft_space_init(struct weft_space *s, const struct weft_trace *t)
{
	return init_space(s, t, false);
}

int weft_space_init_whole(struct weft_space *s, const struct weft_trace *t)
{
	return init_space(s, t, true);
}

void weft_space_fini(struct weft_space *s)
{
	free(s->type);
	free(s->scale);
	free(s->state);
	free(s->appl_of);
	free(s->node_of);
	free(s->node_thread);
	free(s->node_first);
	metric_places_free(s->message_cpus);
	metric_schema_free(s->schema);
	*s = (struct weft_space){.trace = NULL};
}

/* ---- objects ---- */

uint32_t weft_level_size(const struct weft_space *s, enum weft_level l)
{
	const struct weft_trace *t = s->trace;
	const char *resources = weft_trace_note(t, "prv.resources");
	if (weft_level_of_resources(l) && (!t->n_cpus || (resources && !strcmp(resources, "no"))))
		return 0;
	const uint32_t size[WEFT_LEVELS] = {1, t->n_apps, t->n_processes, t->n_threads, 1, t->n_nodes, t->n_cpus};
	return size[l];
}

bool weft_level_fits(enum weft_level a, enum weft_level b)
{
	return weft_level_of_resources(a) == weft_level_of_resources(b);
}

bool weft_space_is_bystander(const struct weft_space *s, uint32_t thread)
{
	if (!s->schema)
		return weft_thread_is_bystander(s->trace, thread);
	const uint32_t of = s->schema->thread[thread];
	return of != WEFT_NONE && weft_thread_is_bystander(s->schema->trace, of);
}

uint32_t weft_level_up(const struct weft_space *s, enum weft_level from, uint32_t object, enum weft_level to)
{
	const struct weft_trace *t = s->trace;
	if (from == to)
		return object;
	if (to == WEFT_WORKLOAD || to == WEFT_SYSTEM)
		return 0;
	if (from == WEFT_CPU)
		return t->cpu[object].node;
	if (from == WEFT_THREAD)
		object = t->thread[object].process;
	return to == WEFT_TASK ? object : t->process[object].app;
}

/* One step down: the children of an object. */
static void children(const struct weft_space *s, enum weft_level from, uint32_t object, uint32_t *first, uint32_t *n)
{
	const struct weft_trace *t = s->trace;
	*first = 0;
	switch (from) {
	case WEFT_WORKLOAD:
		*n = t->n_apps;
		return;
	case WEFT_APPL:
		*first = t->app[object].first_process;
		*n = t->app[object].n_processes;
		return;
	case WEFT_TASK:
		*first = t->process[object].first_thread;
		*n = t->process[object].n_threads;
		return;
	case WEFT_SYSTEM:
		*n = t->n_nodes;
		return;
	case WEFT_NODE:
		*first = t->node[object].first_cpu;
		*n = t->node[object].n_cpus;
		return;
	default:
		*n = 0;
	}
}

void weft_level_down(const struct weft_space *s, enum weft_level from, uint32_t object, enum weft_level to, uint32_t *first,
                     uint32_t *n)
{
	*first = object;
	*n = 1;
	for (enum weft_level l = from; l < to; l++) {
		uint32_t f, last_first, last_n, count;
		if (!*n)
			return;
		children(s, l, *first, &f, &count);
		children(s, l, *first + *n - 1, &last_first, &last_n);
		*first = f;
		*n = last_first + last_n - f;
	}
}
