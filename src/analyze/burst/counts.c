/* SPDX-License-Identifier: Apache-2.0 */
#include "counts.h"
#include "trace/paraver/prv_names.h"
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HARDWARE = 42000000, HARDWARE_END = 42999999 };

/* ---- names ---- */

/* Whole, or up to what stands in brackets behind it; or in brackets in front of its description. */
static bool is_called(const char *label, const char *name)
{
	size_t n = strlen(name);
	if (label[0] == '(' && name[0] != '(')
		return !strncasecmp(label + 1, name, n) && label[n + 1] == ')';
	return !strncasecmp(label, name, n) && (!label[n] || (label[n] == ' ' && (label[n + 1] == '[' || label[n + 1] == '(')));
}

size_t weft_counters_name(const char *label, const char **begin)
{
	const char *close = label[0] == '(' ? strchr(label, ')') : NULL;
	const char *open = strstr(label, " ["), *round = strstr(label, " (");
	*begin = close ? label + 1 : label;
	if (close)
		return (size_t)(close - label) - 1;
	open = open && round && round < open ? round : open ? open : round;
	return open ? (size_t)(open - label) : strlen(label);
}

static bool is_meant(const struct weft_def_row *d, const char *name)
{
	int64_t number;
	if (!weft_parse_i64(weft_str(name), &number))
		return d->code == number;
	return is_called(d->name, name);
}

uint32_t weft_counters_type(const struct weft_trace *t, const char *name)
{
	const struct weft_def_table *types = &t->def[WEFT_CLASS_TYPE];
	for (uint32_t i = 1; i < types->n; i++)
		if (is_meant(&types->at[i], name))
			return i;
	return 0;
}

/* A .prv that we wrote has running sums under numbers of our own. */
static bool is_running_sum(const struct weft_def_row *type)
{
	return type->code >= PRV_COUNTERS && type->code < PRV_ATTRS;
}

static int add(struct weft_counters *c, unsigned kind, uint32_t id, uint32_t counter, bool running)
{
	c->kinds |= UINT64_C(1) << kind;
	return weft_map_put(&c->of, weft_what(kind, id), (uint64_t)counter << 1 | running);
}

static int add_type(struct weft_counters *c, uint32_t id, uint32_t counter)
{
	const struct weft_def_row *d = &c->trace->def[WEFT_CLASS_TYPE].at[id];
	c->name[counter] = d->name;
	int rc = add(c, WEFT_EV_POINT, id, counter, is_running_sum(d));
	return rc ? rc : add(c, WEFT_EV_POINT_F, id, counter, is_running_sum(d));
}

static int add_counter(struct weft_counters *c, uint32_t id, uint32_t counter)
{
	c->name[counter] = c->trace->def[WEFT_CLASS_COUNTER].at[id].name;
	c->kinds |= UINT64_C(1) << WEFT_EV_COUNTER_SET;
	int rc = add(c, WEFT_EV_COUNTER, id, counter, true);
	return rc ? rc : add(c, WEFT_EV_COUNTER_F, id, counter, true);
}

static int find_one(struct weft_counters *c, uint32_t counter, const char *name, const char **missing)
{
	const struct weft_def_table *counters = &c->trace->def[WEFT_CLASS_COUNTER];
	uint32_t type = weft_counters_type(c->trace, name);
	bool found = type;
	int rc = type ? add_type(c, type, counter) : 0;
	for (uint32_t i = 1; i < counters->n && !rc; i++)
		if (is_meant(&counters->at[i], name)) {
			rc = add_counter(c, i, counter);
			found = true;
		}
	if (!found) {
		c->name[counter] = "";
		*missing = *missing ? *missing : name;
	}
	return rc;
}

int weft_counters_find(struct weft_counters *c, const struct weft_trace *t, const char *const *name, uint32_t n,
                       const char **missing)
{
	*c = (struct weft_counters){.trace = t, .n = n};
	*missing = NULL;
	c->name = calloc(n + (size_t)1, sizeof *c->name);
	int rc = c->name ? 0 : -ENOMEM;
	for (uint32_t i = 0; i < n && !rc; i++)
		rc = find_one(c, i, name[i], missing);
	if (rc)
		weft_counters_fini(c);
	return rc;
}

int weft_counters_all(struct weft_counters *c, const struct weft_trace *t)
{
	const struct weft_def_table *types = &t->def[WEFT_CLASS_TYPE], *counters = &t->def[WEFT_CLASS_COUNTER];
	*c = (struct weft_counters){.trace = t};
	c->name = calloc((size_t)types->n + counters->n + 1, sizeof *c->name);
	int rc = c->name ? 0 : -ENOMEM;
	for (uint32_t i = 1; i < types->n && !rc; i++) {
		const struct weft_def_row *d = &types->at[i];
		if (d->n_events && ((d->code >= HARDWARE && d->code <= HARDWARE_END) || is_running_sum(d)))
			rc = add_type(c, i, c->n++);
	}
	for (uint32_t i = 1; i < counters->n && !rc; i++)
		rc = add_counter(c, i, c->n++);
	if (rc)
		weft_counters_fini(c);
	return rc;
}

void weft_counters_fini(struct weft_counters *c)
{
	free(c->name);
	weft_map_fini(&c->of);
	*c = (struct weft_counters){.trace = NULL};
}

/* ---- lines ---- */

void weft_count_line_fini(struct weft_count_line *l)
{
	free(l->time);
	free(l->sum);
	*l = (struct weft_count_line){0};
}

static int grow(struct weft_count_line *l)
{
	int rc = weft_vec_grow(&l->time, &l->n_time, l->n + 1, sizeof *l->time);
	return rc ? rc : weft_vec_grow(&l->sum, &l->cap, l->n + 1, sizeof *l->sum);
}

static int take(struct weft_count_line *l, uint64_t time, double v, bool running)
{
	double last = l->n ? l->sum[l->n - 1] : 0;
	double sum = running ? v : last + v;
	if (l->n && l->time[l->n - 1] == time) {
		l->sum[l->n - 1] = sum;
		return 0;
	}
	if ((l->n >= l->cap || l->n >= l->n_time) && grow(l))
		return -ENOMEM;
	l->time[l->n] = time;
	l->sum[l->n++] = sum;
	return 0;
}

static double as_number(unsigned kind, uint64_t value)
{
	double v;
	if (kind != WEFT_EV_COUNTER_F && kind != WEFT_EV_POINT_F)
		return (double)(int64_t)value;
	memcpy(&v, &value, sizeof v);
	return v;
}

static int take_set(const struct weft_counters *c, uint32_t thread, uint64_t time, uint32_t what, uint64_t value,
                    struct weft_count_line *line)
{
	const struct weft_def_row *set = &c->trace->def[WEFT_CLASS_SET].at[weft_what_id(what)];
	uint32_t n;
	const uint64_t *word = weft_extra(c->trace, thread, value, &n);
	uint64_t of;
	int rc = 0;
	for (uint32_t i = 0; i < n && i < set->n_members && !rc; i++)
		if (weft_map_get(&c->of, weft_what(WEFT_EV_COUNTER, (unsigned)set->member[i]), &of))
			rc = take(&line[of >> 1], time, (double)(int64_t)word[i], true);
	return rc;
}

static int take_block(const struct weft_counters *c, uint32_t thread, const struct weft_block *b, struct weft_count_line *line)
{
	int rc = 0;
	for (uint32_t i = 0; i < b->n && !rc; i++) {
		uint64_t of;
		unsigned kind = weft_what_kind(b->what[i]);
		if (!(c->kinds >> (kind & 63) & 1) || kind > 63)
			continue;
		if (kind == WEFT_EV_COUNTER_SET)
			rc = take_set(c, thread, b->time[i], b->what[i], b->value[i], line);
		else if (weft_map_get(&c->of, b->what[i], &of))
			rc = take(&line[of >> 1], b->time[i], as_number(kind, b->value[i]), of & 1);
	}
	return rc;
}

int weft_counts_read(const struct weft_counters *c, uint32_t thread, struct weft_count_line *line)
{
	struct weft_cursor cursor;
	struct weft_block b;
	for (uint32_t i = 0; i < c->n; i++)
		line[i].n = 0;
	if (!c->of.n)
		return 0;
	int rc = weft_cursor_begin(&cursor, c->trace, thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	weft_cursor_want(&cursor, (struct weft_wanted){.kinds = c->kinds});
	while ((rc = weft_cursor_next(&cursor, &b)) > 0)
		if ((rc = take_block(c, thread, &b, line)))
			break;
	weft_cursor_end(&cursor);
	return rc;
}

size_t weft_count_upto(const struct weft_count_line *l, uint64_t time)
{
	size_t a = 0, b = l->n;
	while (a < b) {
		size_t mid = a + (b - a) / 2;
		if (l->time[mid] <= time)
			a = mid + 1;
		else
			b = mid;
	}
	return a;
}

double weft_count_between(const struct weft_count_line *l, uint64_t begin, uint64_t end)
{
	size_t a = weft_count_upto(l, begin), b = weft_count_upto(l, end);
	return a ? l->sum[b - 1] - l->sum[a - 1] : NAN;
}

double weft_count_at(const struct weft_count_line *l, uint64_t time)
{
	size_t i = weft_count_upto(l, time);
	if (!i || l->time[i - 1] != time)
		return NAN;
	return l->sum[i - 1] - (i > 1 ? l->sum[i - 2] : 0);
}
