/* SPDX-License-Identifier: Apache-2.0 */
#include "burst_csv.h"
#include "base/str.h"
#include "trace/paraver/prv_header.h"
#include "trace/paraver/prv_names.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 4, LEVELS = 3 };
static const double MOST_NS = 0x1p62;

struct csv_reading {
	const struct weft_trace *t;
	double unit_ns;
	WEFT_VEC(struct weft_burst_row) row;
};

static double unit_of(const struct weft_trace *t)
{
	const char *suffix = weft_trace_note(t, PRV_NOTE_UNIT);
	for (unsigned u = 0; suffix && u < PRV_UNITS; u++)
		if (!strcmp(prv_unit_suffix[u], suffix))
			return (double)prv_unit_ns[u];
	return 1;
}

/* "1.2.1": numbers from 1. How many, or 0. */
static unsigned levels(struct weft_str object, uint64_t *number)
{
	struct weft_str part;
	unsigned n = 0;
	while (weft_str_cut(&object, '.', &part))
		if (n == LEVELS || weft_parse_u64(part, &number[n]) || !number[n++])
			return 0;
	return n;
}

/* WEFT_NONE: there is none of that name, or it does not say which of several threads. */
static uint32_t thread_of(const struct weft_trace *t, struct weft_str object)
{
	uint64_t number[LEVELS] = {1, 1, 1};
	const unsigned n = levels(object, number);
	if (n < 2 || number[0] > t->n_apps || number[1] > t->app[number[0] - 1].n_processes)
		return WEFT_NONE;
	const struct weft_process *p = &t->process[t->app[number[0] - 1].first_process + number[1] - 1];
	if (number[2] > p->n_threads || (n == 2 && p->n_threads > 1))
		return WEFT_NONE;
	return p->first_thread + (uint32_t)number[2] - 1;
}

/* NULL, or what is wrong. */
static const char *take_line(struct csv_reading *r, struct weft_str line, int *rc)
{
	struct weft_str word[FIELDS], rest = weft_str_trim(line);
	double begin, length, value;
	unsigned n = 0;
	for (; rest.n && n < FIELDS; n++)
		word[n] = weft_str_word(&rest);
	if (!n || word[0].at[0] == '#')
		return NULL;
	if (n != FIELDS || rest.n)
		return "expected an object, a begin, a length and a value";
	if (weft_parse_double(word[1], &begin) || weft_parse_double(word[2], &length) || weft_parse_double(word[3], &value))
		return "a begin, a length or a value is no number";
	if (!(begin >= 0 && length >= 0 && (begin + length) * r->unit_ns < MOST_NS))
		return "a begin or a length is no time";
	if (!(fabs(value) >= 1 && fabs(value) < MOST_NS)) /* values are whole numbers: 0, or the zero of a fraction */
		return NULL;
	const uint32_t thread = thread_of(r->t, word[0]);
	if (thread == WEFT_NONE)
		return "the trace has no such thread";
	const struct weft_burst_row row = {(uint64_t)llround(begin * r->unit_ns),
	                                   (uint64_t)llround((begin + length) * r->unit_ns), (int64_t)value, thread};
	*rc = weft_vec_push(&r->row, row);
	return NULL;
}

static int by_thread(const void *a, const void *b)
{
	const struct weft_burst_row *x = a, *y = b;
	if (x->thread != y->thread)
		return x->thread < y->thread ? -1 : 1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

int weft_burst_csv_parse(struct weft_burst_row **out, size_t *n_rows, const struct weft_trace *t, const char *path,
                         const char *text, size_t n, struct weft_err *err)
{
	struct csv_reading r = {.t = t, .unit_ns = unit_of(t)};
	struct weft_str rest = weft_str_n(text, n), line;
	unsigned number = 0;
	int rc = 0;
	while (!rc && weft_str_cut(&rest, '\n', &line)) {
		const char *wrong = take_line(&r, line, &rc);
		number++;
		if (wrong)
			rc = weft_err_set(err, -EINVAL, "'%s', line %u: %s", path, number, wrong);
	}
	if (!rc && r.row.n)
		qsort(r.row.at, r.row.n, sizeof *r.row.at, by_thread);
	*out = r.row.at;
	*n_rows = r.row.n;
	return rc;
}
