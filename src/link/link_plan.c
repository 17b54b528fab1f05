/* SPDX-License-Identifier: Apache-2.0 */
/* Which counters are read where: `--counters` and WEFT_COUNTERS, read by the command and by the libraries in the program. */
#include "link_counter.h"
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

enum { TURN_NS = 1000000000, EACH_LEAST_NS = 1000000, MACHINE_NS = 100000000 };

/* Categories with so many short regions that counters at them are asked for by name only. */
static const char *const not_worth[] = {"threads", "locks", "io", "stdio", "memory", "process", "callers", "samples"};

static bool counter_find(struct weft_str name, struct link_counted *out)
{
	struct weft_str rest = name, base;
	uint64_t code = 0;
	*out = (struct link_counted){.part = ""};
	if (!name.n || name.n >= sizeof out->name || !weft_str_cut(&rest, ':', &base))
		return false;
	for (unsigned i = 0; i < link_n_counters && !out->of.name; i++)
		if (weft_str_eq(base, link_counters[i].name) || weft_str_eq(base, link_counters[i].other))
			out->of = link_counters[i];
	if (!out->of.name && !rest.n && base.n > 1 && base.at[0] == 'r') {
		for (size_t i = 1; i < base.n; i++) {
			const char *digits = "0123456789abcdef", *at = memchr(digits, base.at[i] | 0x20, 16);
			if (!at || i > 16)
				return false;
			code = code << 4 | (uint64_t)(at - digits);
		}
		out->of = (struct link_counter){"", "", "", "", LINK_COUNTER_PERF, false, PERF_TYPE_RAW, code};
	}
	/* Of MPI a part must be named; others than these have none. */
	bool parts = out->of.name && (out->of.source == LINK_COUNTER_NET || out->of.source == LINK_COUNTER_MPI_T);
	if (!out->of.name || (rest.n && !parts) || (!rest.n && out->of.source == LINK_COUNTER_MPI_T))
		return false;
	memcpy(out->name, name.at, name.n);
	/* One that has two names is called in the trace as it was asked for. */
	out->part = rest.n ? out->name + base.n + 1 : "";
	return true;
}

static int read_where(struct weft_str where, struct link_plan *p, struct weft_err *err)
{
	struct weft_str at;
	bool said = weft_str_cut(&where, ':', &at);
	if (where.n && (weft_parse_ns(where, &p->turn_ns) || p->turn_ns < EACH_LEAST_NS))
		return weft_err_set(err, -EINVAL, "expected a time from 1ms, found '%.*s'", (int)where.n, where.at);
	if (!said || !at.n)
		return weft_err_set(err, -EINVAL, "expected 'samples', 'regions', categories or a time behind '@'");
	if (weft_str_eq(at, "samples"))
		return 0;
	if (at.at[0] >= '0' && at.at[0] <= '9') {
		p->where = LINK_AT_TIMES;
		if (weft_parse_ns(at, &p->each_ns) || p->each_ns < EACH_LEAST_NS)
			return weft_err_set(err, -EINVAL, "expected a time from 1ms, found '%.*s'", (int)at.n, at.at);
		return 0;
	}
	p->where = LINK_AT_REGIONS;
	if (weft_str_eq(at, "regions"))
		return 0;
	if (at.n >= sizeof p->categories)
		return weft_err_set(err, -EINVAL, "too many categories: '%.*s'", (int)at.n, at.at);
	memcpy(p->categories, at.at, at.n);
	p->categories[at.n] = '\0';
	return 0;
}

/* Where it cannot be read as was asked; NULL: it can. Machines are read by nobody's thread, the heap not in signal handlers. */
static const char *misplaced(const struct link_counted *c, const struct link_plan *p)
{
	static const char machine[] = "is of the whole machine: give it a time, as in '@100ms'";
	static const char process[] = "is of the whole process: give it a time, as in '@100ms'";
	switch (c->of.source) {
	case LINK_COUNTER_ENERGY:
	case LINK_COUNTER_NET:
		return p->where == LINK_AT_TIMES ? NULL : machine;
	case LINK_COUNTER_HEAP:
		return p->where == LINK_AT_TIMES ? NULL : process;
	case LINK_COUNTER_MPI_T:
		return p->where == LINK_AT_SAMPLES ? "is read in calls of MPI: '@regions', or a time" : NULL;
	default:
		return NULL;
	}
}

static int add(struct weft_str name, struct link_plans *out, uint8_t set, struct weft_err *err)
{
	struct link_counted *c = &out->counted[out->n_counted];
	const struct link_plan *p = &out->plan[out->n - 1];
	if (out->n_counted == LINK_COUNTED_MOST)
		return weft_err_set(err, -EINVAL, "more than %d counters", LINK_COUNTED_MOST);
	if (!counter_find(name, c))
		return weft_err_set(err, -EINVAL, "no counter is called '%.*s' (weft record --counters list)", (int)name.n,
		                    name.at);
	const char *why = misplaced(c, p);
	if (why)
		return weft_err_set(err, -EINVAL, "'%s' %s", c->name, why);
	for (unsigned i = 0; i < out->n_counted; i++)
		if (!strcmp(out->counted[i].name, c->name) && (out->counted[i].plan != out->n - 1 || out->counted[i].set == set))
			return weft_err_set(err, -EINVAL, "'%s' is there twice", c->name);
	c->plan = (uint8_t)(out->n - 1);
	c->set = set;
	out->n_counted++;
	return 0;
}

static bool all_of_machine(struct weft_str lists)
{
	struct weft_str name;
	struct link_counted c;
	bool all = lists.n > 0;
	while (lists.n && weft_str_cut(&lists, ',', &name))
		all &= counter_find(name, &c) && (c.of.source == LINK_COUNTER_ENERGY || c.of.source == LINK_COUNTER_NET ||
		                                  c.of.source == LINK_COUNTER_HEAP || c.of.source == LINK_COUNTER_MPI_T);
	return all;
}

static int read_plan(struct weft_str text, struct link_plans *out, struct weft_err *err)
{
	struct weft_str lists, list, name;
	struct link_plan *p = &out->plan[out->n];
	bool has = memchr(text.at, '@', text.n) != NULL;
	int rc = 0;
	if (out->n == LINK_PLANS_MOST)
		return weft_err_set(err, -EINVAL, "more than %d parts", LINK_PLANS_MOST);
	weft_str_cut(&text, '@', &lists);
	*p = (struct link_plan){.where = LINK_AT_SAMPLES, .turn_ns = TURN_NS};
	if (has && (rc = read_where(text, p, err)) != 0)
		return rc;
	if (!has && all_of_machine(lists)) {
		p->where = LINK_AT_TIMES;
		p->each_ns = MACHINE_NS;
	}
	out->n++;
	do {
		unsigned n = 0;
		if (!weft_str_cut(&lists, '/', &list) || p->n_sets == UINT8_MAX)
			return weft_err_set(err, -EINVAL, "expected names of counters");
		while (list.at && !rc && weft_str_cut(&list, ',', &name)) {
			rc = add(name, out, p->n_sets, err);
			n++;
		}
		if (!rc && (n == 0 || n > LINK_COUNTERS_MOST))
			rc = weft_err_set(err, -EINVAL, "expected 1 to %d names, found %u", LINK_COUNTERS_MOST, n);
		p->n_sets++;
	} while (lists.at && !rc);
	return rc;
}

int link_plans_read(const char *text, struct link_plans *out, struct weft_err *err)
{
	struct weft_str rest = weft_str(text), part;
	int rc = 0;
	memset(out, 0, sizeof *out);
	while (rest.n && !rc && weft_str_cut(&rest, ';', &part))
		rc = read_plan(part, out, err);
	if (!rc && !out->n)
		rc = weft_err_set(err, -EINVAL, "expected names of counters");
	return rc;
}

bool link_plan_wants(const struct link_plan *p, const char *category)
{
	struct weft_str rest = weft_str(p->categories), one;
	if (p->where != LINK_AT_REGIONS)
		return false;
	if (!rest.n) {
		for (size_t i = 0; i < sizeof not_worth / sizeof *not_worth; i++)
			if (!strcmp(not_worth[i], category))
				return false;
		return true;
	}
	while (rest.n && weft_str_cut(&rest, '+', &one))
		if (weft_str_eq(one, category))
			return true;
	return false;
}
