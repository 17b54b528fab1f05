/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The header line of a .prv file, by a scanner that knows its column, so that an error can say where it is. A header is all
 * or nothing: without the objects that it declares no record can be placed.
 */
#include "prv_header.h"
#include "base/vec.h"
#include <errno.h>
#include <string.h>

const uint64_t prv_unit_ns[PRV_UNITS] = {1000, 1, 1000000};
const char *const prv_unit_suffix[PRV_UNITS] = {"", "_ns", "_ms"};

struct scan {
	const char *begin, *at, *end;
	struct weft_err *err;
};

static int scan_fail(const struct scan *s, const char *expected)
{
	if (s->at == s->end)
		return weft_err_set(s->err, WEFT_E_SYNTAX, "header, column %zu: expected %s, found the end of the line",
		                    (size_t)(s->at - s->begin) + 1, expected);
	char found[2] = {*s->at, 0};
	weft_one_line(found);
	return weft_err_set(s->err, WEFT_E_SYNTAX, "header, column %zu: expected %s, found '%s'", (size_t)(s->at - s->begin) + 1,
	                    expected, found);
}

static bool scan_take(struct scan *s, char c)
{
	bool here = s->at < s->end && *s->at == c;
	s->at += here;
	return here;
}

static int scan_number(struct scan *s, const char *what, uint64_t most, uint64_t *out)
{
	const char *from = s->at;
	uint64_t v = 0;
	for (; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
		unsigned digit = (unsigned)(*s->at - '0');
		if (digit > most || v > (most - digit) / 10)
			return weft_err_set(s->err, WEFT_E_SYNTAX, "header, column %zu: %s is more than %llu",
			                    (size_t)(from - s->begin) + 1, what, (unsigned long long)most);
		v = v * 10 + digit;
	}
	if (s->at == from)
		return scan_fail(s, what);
	*out = v;
	return 0;
}

/* A number of objects, which together may be no more than PRV_MOST_OBJECTS. */
static int scan_count(struct scan *s, const char *what, uint32_t so_far, uint32_t least, uint32_t *out)
{
	uint64_t v;
	const char *from = s->at;
	int rc = scan_number(s, what, PRV_MOST_OBJECTS - so_far, &v);
	if (rc)
		return rc;
	if (v < least)
		return weft_err_set(s->err, WEFT_E_SYNTAX, "header, column %zu: %s is 0", (size_t)(from - s->begin) + 1, what);
	*out = (uint32_t)v;
	return 0;
}

static int no_memory(const struct scan *s)
{
	return weft_err_set(s->err, -ENOMEM, "header: no memory");
}

/* "#Paraver (date):" */
static int scan_date(struct scan *s, struct prv_header *h)
{
	static const char magic[] = "#Paraver";
	size_t left = (size_t)(s->end - s->at);
	if (left < sizeof magic - 1 || memcmp(s->at, magic, sizeof magic - 1) != 0)
		return scan_fail(s, "'#Paraver'");
	const char *open = memchr(s->at, '(', left);
	const char *close = open ? memchr(open, ')', (size_t)(s->end - open)) : NULL;
	s->at = close ? close + 1 : s->end;
	if (!close)
		return scan_fail(s, "a date in parentheses");
	h->date = weft_arena_strndup(&h->arena, open + 1, (size_t)(close - open - 1));
	if (!h->date)
		return no_memory(s);
	return scan_take(s, ':') ? 0 : scan_fail(s, "':' behind the date");
}

/* "1000_ns:"; an unknown unit counts as microseconds, as no unit does. */
static int scan_end(struct scan *s, struct prv_header *h)
{
	int rc = scan_number(s, "the end time", INT64_MAX, &h->end);
	if (rc)
		return rc;
	const char *colon = memchr(s->at, ':', (size_t)(s->end - s->at));
	struct weft_str unit = {s->at, (size_t)((colon ? colon : s->end) - s->at)};
	if (unit.n && *unit.at != '_')
		return scan_fail(s, "'_' or ':' behind the end time");
	for (int u = 0; u < PRV_UNITS; u++)
		if (*prv_unit_suffix[u] && weft_str_eq(unit, prv_unit_suffix[u]))
			h->unit = (enum prv_unit)u;
	s->at += unit.n;
	if (h->end > INT64_MAX / prv_unit_ns[h->unit])
		return weft_err_set(s->err, WEFT_E_SYNTAX, "header: the end time does not fit in 63 bits of ns");
	return scan_take(s, ':') ? 0 : scan_fail(s, "':' behind the end time");
}

/* "2(4,4):", "2:" (two nodes of one cpu), "0:" (nothing known) */
static int scan_resources(struct scan *s, struct prv_header *h)
{
	int rc = scan_count(s, "the number of nodes", 0, 0, &h->n_nodes);
	if (rc)
		return rc;
	bool listed = scan_take(s, '(');
	h->has_resources = h->n_nodes > 0;
	if (listed && !h->n_nodes)
		return scan_fail(s, "no list of cpus behind 0 nodes");
	/* A list has two characters a node at least: nothing is allocated that the line cannot fill. */
	if (listed && h->n_nodes > (size_t)(s->end - s->at))
		return scan_fail(s, "a list of as many nodes as are said");
	h->node_cpus = weft_arena_alloc(&h->arena, (h->n_nodes + 1) * sizeof *h->node_cpus);
	if (!h->node_cpus)
		return no_memory(s);
	for (uint32_t i = 0; i < h->n_nodes; i++) {
		if (i && listed && !scan_take(s, ','))
			return scan_fail(s, "',' and the cpus of the next node");
		h->node_cpus[i] = 1;
		if (listed && (rc = scan_count(s, "a number of cpus", h->n_cpus, 0, &h->node_cpus[i])) != 0)
			return rc;
		h->n_cpus += h->node_cpus[i];
	}
	if (listed && !scan_take(s, ')'))
		return scan_fail(s, "')' behind the cpus of the nodes");
	return scan_take(s, ':') ? 0 : scan_fail(s, "':' behind the nodes");
}

/* "3:1": a task's threads and its node */
static int scan_task(struct scan *s, struct prv_header *h, struct prv_task *task)
{
	uint64_t node;
	int rc = scan_count(s, "a number of threads", h->n_threads, 1, &task->n_threads);
	if (rc)
		return rc;
	if (!scan_take(s, ':'))
		return scan_fail(s, "':' and the node of the task");
	rc = scan_number(s, "a node", UINT32_MAX, &node);
	if (rc)
		return rc;
	if (!h->has_resources)
		node = 0;
	if (node > h->n_nodes)
		return weft_err_set(s->err, WEFT_E_SYNTAX, "header, column %zu: node %llu of %u", (size_t)(s->at - s->begin),
		                    (unsigned long long)node, h->n_nodes);
	task->node = (uint32_t)node;
	task->first_thread = h->n_threads;
	h->n_threads += task->n_threads;
	return 0;
}

/* "2(1:1,3:2)": the tasks of an application */
static int scan_app(struct scan *s, struct prv_header *h, struct prv_app *app, size_t *cap_tasks)
{
	uint32_t n;
	int rc = scan_count(s, "a number of tasks", h->n_tasks, 1, &n);
	if (rc)
		return rc;
	if (!scan_take(s, '('))
		return scan_fail(s, "'(' and the tasks of the application");
	*app = (struct prv_app){.first_task = h->n_tasks, .n_tasks = n};
	for (uint32_t i = 0; i < n; i++) {
		if (i && !scan_take(s, ','))
			return scan_fail(s, "',' and the next task");
		if (h->n_tasks == *cap_tasks) {
			size_t cap = *cap_tasks * 2 + 16;
			struct prv_task *more = weft_arena_alloc(&h->arena, cap * sizeof *more);
			if (!more)
				return no_memory(s);
			if (h->n_tasks)
				memcpy(more, h->task, h->n_tasks * sizeof *more);
			h->task = more;
			*cap_tasks = cap;
		}
		rc = scan_task(s, h, &h->task[h->n_tasks]);
		if (rc)
			return rc;
		h->n_tasks++;
	}
	return scan_take(s, ')') ? 0 : scan_fail(s, "')' behind the tasks");
}

static int scan_apps(struct scan *s, struct prv_header *h)
{
	int rc = scan_count(s, "the number of applications", 0, 1, &h->n_apps);
	if (rc)
		return rc;
	if (!scan_take(s, ':'))
		return scan_fail(s, "':' and the applications");
	if (h->n_apps > (size_t)(s->end - s->at))
		return scan_fail(s, "as many applications as are said");
	h->app = weft_arena_alloc(&h->arena, h->n_apps * sizeof *h->app);
	if (!h->app)
		return no_memory(s);
	size_t cap_tasks = 0;
	for (uint32_t i = 0; i < h->n_apps; i++) {
		if (i && !scan_take(s, ','))
			return scan_fail(s, "',' and the next application");
		rc = scan_app(s, h, &h->app[i], &cap_tasks);
		if (rc)
			return rc;
	}
	return 0;
}

int prv_header_parse(struct prv_header *h, struct weft_str line, struct weft_err *err)
{
	*h = (struct prv_header){.unit = PRV_US};
	struct weft_str text = weft_str_trim(line);
	struct scan s = {text.at, text.at, text.at + text.n, err};
	int rc = scan_date(&s, h);
	if (!rc)
		rc = scan_end(&s, h);
	if (!rc)
		rc = scan_resources(&s, h);
	if (!rc)
		rc = scan_apps(&s, h);
	if (!rc && scan_take(&s, ',')) {
		uint64_t n;
		rc = scan_number(&s, "the number of communicators", UINT32_MAX, &n);
		h->n_comms = rc ? 0 : (uint32_t)n;
	}
	if (!rc && s.at != s.end) {
		h->rest = weft_arena_strndup(&h->arena, s.at, (size_t)(s.end - s.at));
		rc = h->rest ? 0 : no_memory(&s);
	}
	return rc;
}

void prv_header_fini(struct prv_header *h)
{
	weft_arena_fini(&h->arena);
}
