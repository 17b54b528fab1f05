/* SPDX-License-Identifier: Apache-2.0 */
/* See runtime_sample.h. All lists of a sample are read in one way: what is chosen of a list is added up. */
#include "runtime_sample.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which of a list are meant. */
struct chosen {
	enum runtime_of by; /* RUNTIME_NOBODY: all */
	const char *text;
	long number, second; /* second: where a link leads */
};

static struct chosen choose(const struct runtime_name *name, const char *of, int worker)
{
	struct chosen c = {.by = RUNTIME_NOBODY};
	char *end;
	if (of) {
		c = (struct chosen){.by = name->of, .text = of, .number = strtol(of, &end, 10)};
		c.second = *end == '-' ? strtol(end + 1, NULL, 10) : 0;
	} else if (name->of == RUNTIME_WORKER && worker != RUNTIME_NO_WORKER) {
		c = (struct chosen){.by = RUNTIME_WORKER, .number = worker};
	}
	return c;
}

static bool is_chosen(const struct chosen *c, const struct pulse_value *v)
{
	if (c->by == RUNTIME_NOBODY)
		return true;
	if (c->by == RUNTIME_CODELET)
		return strcmp(pulse_text(v, "name", ""), c->text) == 0;
	if (c->by == RUNTIME_LINK)
		return pulse_number(v, "from", -1) == (double)c->number && pulse_number(v, "to", -1) == (double)c->second;
	return pulse_number(v, "id", -1) == (double)c->number;
}

/* An absent list is none; of one from which nothing is chosen the sum is 0, but where one was asked for. */
static bool sum_list(const struct pulse_value *list, const char *key, const struct chosen *c, double *out)
{
	bool found = c->by == RUNTIME_NOBODY || c->by == RUNTIME_CODELET || c->by == RUNTIME_LINK;
	*out = 0;
	for (const struct pulse_value *v = list ? list->first : NULL; v; v = v->next) {
		if (!is_chosen(c, v))
			continue;
		*out += pulse_number(v, key, 0);
		found = true;
	}
	return list && found;
}

/* Numbers in a row, by worker. */
static bool sum_values(const struct pulse_value *values, const struct chosen *c, double *out)
{
	bool found = c->by == RUNTIME_NOBODY;
	long worker = 0;
	*out = 0;
	for (const struct pulse_value *v = values->first; v; v = v->next, worker++) {
		if (c->by != RUNTIME_NOBODY && worker != c->number)
			continue;
		*out += v->kind == PULSE_NUMBER ? v->number : 0;
		found = true;
	}
	return found;
}

static const struct pulse_value *named(const struct pulse_value *list, const char *name)
{
	for (const struct pulse_value *v = list ? list->first : NULL; v; v = v->next)
		if (strcmp(pulse_text(v, "name", ""), name) == 0)
			return v;
	return NULL;
}

/* A counter or a knob: one value, or one for each worker, or for each codelet. */
static bool item_value(const struct pulse_value *item, const struct chosen *c, double *out)
{
	const struct pulse_value *values = pulse_get(item, "values"), *codelets = pulse_get(item, "codelets"),
				 *value = pulse_get(item, "value");
	if (values)
		return sum_values(values, c, out);
	if (codelets)
		return sum_list(codelets, "value", c, out);
	if (!value || value->kind != PULSE_NUMBER)
		return false;
	*out = value->number;
	return c->by != RUNTIME_POLICY || strcmp(pulse_text(item, "policy", ""), c->text) == 0;
}

unsigned runtime_workers(const struct pulse_value *sample)
{
	const struct pulse_value *list = pulse_get(sample, "workers");
	unsigned n = 0;
	for (const struct pulse_value *v = list ? list->first : NULL; v; v = v->next)
		n++;
	return n;
}

static bool count_workers(const struct pulse_value *sample, double *out)
{
	*out = runtime_workers(sample);
	return *out > 0;
}

static bool count_enabled(const struct pulse_value *sample, double *out)
{
	const struct pulse_value *knob = named(pulse_get(sample, "knobs"), "starpu.worker.w_enable_worker_knob");
	return knob && item_value(knob, &(struct chosen){.by = RUNTIME_NOBODY}, out);
}

/* Where figures are: computed, a number of the object "tasks", or the sum over a list. */
static const struct figure {
	const char *name, *list, *key;
	bool (*compute)(const struct pulse_value *sample, double *out);
} figures[] = {
	{"workers", NULL, NULL, count_workers},        {"enabled_workers", NULL, NULL, count_enabled},
	{"submitted", NULL, "submitted", NULL},        {"ready", NULL, "ready", NULL},
	{"tasks", "workers", "tasks", NULL},           {"executing_s", "workers", "executing_s", NULL},
	{"callback_s", "workers", "callback_s", NULL}, {"sleeping_s", "workers", "sleeping_s", NULL},
	{"other_s", "workers", "other_s", NULL},       {"used_bytes", "nodes", "used_bytes", NULL},
	{"transferred_bytes", "links", "bytes", NULL}, {"transfers", "links", "transfers", NULL},
	{"transfer_s", "links", "time_s", NULL},
};

static bool figure_value(const struct figure *f, const struct pulse_value *sample, const struct chosen *c, double *out)
{
	if (f->compute)
		return f->compute(sample, out);
	if (f->list)
		return sum_list(pulse_get(sample, f->list), f->key, c, out);
	const struct pulse_value *v = pulse_get(pulse_get(sample, "tasks"), f->key);
	*out = v && v->kind == PULSE_NUMBER ? v->number : 0;
	return v != NULL;
}

bool runtime_value(const struct pulse_value *sample, const char *path, int worker, double *out)
{
	struct weft_err err = {0};
	const char *of;
	const struct runtime_name *name = runtime_name(path, &of, &err);
	*out = 0;
	if (!name)
		return false;
	struct chosen c = choose(name, of, worker);
	if (name->what != RUNTIME_FIGURE) {
		const char *list = name->what == RUNTIME_COUNTER ? "counters" : "knobs";
		const struct pulse_value *item = named(pulse_get(sample, list), name->name);
		return item && item_value(item, &c, out);
	}
	for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
		if (strcmp(figures[i].name, name->name) == 0)
			return figure_value(&figures[i], sample, &c, out);
	if (strcmp(name->name, "worker") != 0 || worker == RUNTIME_NO_WORKER)
		return false;
	*out = worker;
	return true;
}
