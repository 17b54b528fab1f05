/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands on a thread from one event to its next: the cpu that it runs on, and what `weft cluster` and `weft phases` found out about it,
 * which a trace has as points. A value is a list of times and what holds from each on.
 */
#include "base/pool.h"
#include "base/vec.h"
#include "filter_priv.h"
#include <errno.h>
#include <stdlib.h>

/* The point's value as the field has it; -1: the field is not there. */
static int64_t place_cluster(int64_t value)
{
	return value >= 5 ? value - 5 : -1; /* 5 is the noise; below it stands why a burst was left out */
}

static int64_t place_number(int64_t value)
{
	return value > 0 ? value : -1;
}

static const struct place_rule {
	enum filter_field field;
	int32_t code; /* of the type; 0: the cpu */
	int64_t (*of)(int64_t value);
} rules[FILTER_ALONG] = {
	[ALONG_CPU] = {FIELD_CPU, 0, NULL},
	[ALONG_CLUSTER] = {FIELD_CLUSTER, 90000001, place_cluster},
	[ALONG_ITERATION] = {FIELD_ITERATION, 90000101, place_number},
	[ALONG_PHASE] = {FIELD_PHASE, 90000102, place_number},
};

static int place_add(struct filter_places *p, uint64_t time, int64_t value)
{
	if (p->n == p->cap) {
		size_t cap_time = p->n, cap_value = p->n;
		if (weft_vec_grow(&p->time, &cap_time, p->n + 1, sizeof *p->time) ||
		    weft_vec_grow(&p->value, &cap_value, p->n + 1, sizeof *p->value))
			return -ENOMEM;
		p->cap = cap_time < cap_value ? cap_time : cap_value;
	}
	p->time[p->n] = time;
	p->value[p->n++] = value;
	return 0;
}

struct placing {
	struct weft_filter *f;
	const struct place_rule *rule;
	struct filter_places *places;
	uint32_t what;
};

static int64_t place_value(const struct placing *p, uint64_t value)
{
	const struct weft_trace *t = p->f->trace;
	if (p->rule->of)
		return p->rule->of((int64_t)value);
	return value < t->n_cpus ? (int64_t)t->cpu[value].os : -1;
}

static int places_of_thread(void *arg, size_t thread, unsigned worker)
{
	const struct placing *p = arg;
	struct weft_cursor c;
	struct weft_block b;
	(void)worker;
	if (!filter_bit(p->f->threads, thread))
		return 0;
	int rc = weft_cursor_begin(&c, p->f->trace, (uint32_t)thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	weft_cursor_want(&c, (struct weft_wanted){.whats = weft_what_bit(p->what)});
	while ((rc = weft_cursor_next(&c, &b)) > 0) {
		for (uint32_t i = 0; i < b.n && rc >= 0; i++)
			if (b.what[i] == p->what)
				rc = place_add(&p->places[thread], b.time[i], place_value(p, b.value[i]));
		if (rc < 0)
			break;
	}
	weft_cursor_end(&c);
	return rc;
}

/* The type that has the labels; 0: the trace has none. */
static uint32_t type_of(const struct weft_trace *t, int32_t code)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_TYPE];
	for (uint32_t i = 1; i < d->n; i++)
		if (d->at[i].code == code)
			return i;
	return 0;
}

int filter_bind_places(struct weft_filter *f)
{
	int rc = 0;
	f->n_places = f->trace->n_threads;
	for (unsigned k = 0; k < FILTER_ALONG && !rc; k++) {
		if (!f->uses[rules[k].field])
			continue;
		const uint32_t type = rules[k].code ? type_of(f->trace, rules[k].code) : 0;
		struct placing p = {f, &rules[k], calloc((size_t)f->n_places + 1, sizeof *p.places), 0};
		f->places[k] = p.places;
		p.what = weft_what(rules[k].code ? WEFT_EV_POINT : WEFT_EV_CPU, type);
		if (!p.places)
			rc = -ENOMEM;
		else if (type || !rules[k].code)
			rc = weft_parallel(0, f->n_places, places_of_thread, &p);
	}
	return rc;
}

void filter_unbind_places(struct weft_filter *f)
{
	for (unsigned k = 0; k < FILTER_ALONG; k++) {
		for (uint32_t i = 0; i < f->n_places && f->places[k]; i++) {
			free(f->places[k][i].time);
			free(f->places[k][i].value);
		}
		free(f->places[k]);
		f->places[k] = NULL;
	}
	f->n_places = 0;
}

bool filter_place_lacks(const struct weft_filter *f, const struct filter_test *t)
{
	for (unsigned k = 0; k < FILTER_ALONG; k++)
		if (rules[k].field == (enum filter_field)t->field && rules[k].code)
			return !type_of(f->trace, rules[k].code);
	return false;
}

int64_t filter_place_at(const struct weft_filter *f, const struct filter_test *t, uint32_t thread, uint64_t time)
{
	unsigned k = 0;
	while (rules[k].field != (enum filter_field)t->field)
		k++;
	const struct filter_places *p = &f->places[k][thread];
	size_t low = 0, high = p->n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (p->time[middle] <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low > 0 ? p->value[low - 1] : -1;
}
