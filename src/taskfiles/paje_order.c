/* SPDX-License-Identifier: Apache-2.0 */
/*
 * First the stretches are found: a line whose time is less than the one before it begins one. Then a heap has the stretch on top whose
 * next line is the earliest; as many of its lines are written at once as are not later than the next stretch's first.
 *
 *     |1 2 3 9|4 5|6 7 8|    →    1 2 3 | 4 5 | 6 7 8 | 9
 *
 * Merging n lines in s stretches looks at each line's time twice, and costs O(log s) for each change of stretches.
 */
#include "paje_order.h"
#include "paje_states.h"
#include "trace/paje/paje_line.h"
#include "base/vec.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 1000, NO_TIME = 255, NOT_DEFINED = 254 };
#define FIRST INT64_MIN /* definitions */

struct stretch {
	const char *at, *end;
	int64_t next; /* time of the line at `at` */
};
struct order {
	const char *name;
	struct paje_defs defs;
	uint8_t time_field[NUMBERS]; /* by an event's number: which field, from 0, is its time */
	unsigned number;             /* of the event that the head is defining */
	WEFT_VEC(struct stretch) stretch;
	uint64_t lines;
	bool begun; /* the head is over: what its numbers mean stays */
	struct weft_err *err;
};

static int wrong(struct order *o, const char *why)
{
	return weft_err_set(o->err, WEFT_E_SYNTAX, "%s:%llu: %s", o->name, (unsigned long long)o->lines, why);
}

/* What a line of the head adds to the table of numbers: "%EventDef NAME NUMBER", then its fields. */
static int learn(struct order *o, struct weft_str line)
{
	const char *why;
	size_t before = o->defs.at.n;
	int rc = paje_defs_line(&o->defs, line, &why);
	if (rc)
		return rc < 0 ? weft_err_set(o->err, -ENOMEM, "out of memory") : wrong(o, why);
	if (o->defs.at.n > before) {
		uint64_t number;
		while (weft_str_word(&line).n && line.n)
			if (!weft_parse_u64(line, &number))
				break;
		o->number = !weft_parse_u64(line, &number) && number < NUMBERS ? (unsigned)number : NUMBERS;
		if (o->number == NUMBERS)
			return wrong(o, "the number of an event must be less than 1000");
		o->time_field[o->number] = NO_TIME;
	}
	if (!o->defs.open || !o->defs.at.n)
		return 0;
	const struct paje_def *d = &o->defs.at.at[o->defs.at.n - 1];
	if (d->n && d->field[d->n - 1].slot == PAJE_TIME)
		o->time_field[o->number] = (uint8_t)(d->n - 1);
	return 0;
}

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static const char *skip_field(const char *at, const char *end)
{
	if (at < end && *at == '"') {
		at = memchr(at + 1, '"', (size_t)(end - at - 1));
		return at ? at + 1 : end;
	}
	while (at < end && *at != ' ' && *at != '\t' && *at != '\r')
		at++;
	return at;
}

/* The time of a line; `before` for one that says nothing itself. 0, or why there is none. */
static const char *time_of(const struct order *o, const char *at, const char *end, int64_t before, int64_t *out)
{
	unsigned number = 0;
	at = skip_blanks(at, end);
	const char *digits = at;
	*out = before;
	if (at == end || *at == '#' || *at == '\r')
		return NULL;
	if (*at == '%') {
		*out = FIRST;
		return NULL;
	}
	for (; at < end && at - digits < 4 && *at >= '0' && *at <= '9'; at++)
		number = 10 * number + (unsigned)(*at - '0');
	if (at == digits || number >= NUMBERS || (at < end && *at != ' ' && *at != '\t') || o->time_field[number] == NOT_DEFINED)
		return "expected the number of an event";
	*out = FIRST;
	if (o->time_field[number] == NO_TIME)
		return NULL;
	at = skip_blanks(at, end);
	for (unsigned i = 0; i < o->time_field[number]; i++)
		at = skip_blanks(skip_field(at, end), end);
	const char *behind = skip_field(at, end);
	return paje_time_parse(weft_str_n(at, (size_t)(behind - at)), out) ? NULL : "expected a time";
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));
	return newline ? newline : end;
}

static int find_stretches(struct order *o, const char *at, const char *end)
{
	int64_t before = FIRST, time;
	while (at < end) {
		const char *stop = line_end(at, end), *why = NULL, *next = stop < end ? stop + 1 : end;
		struct weft_str line = weft_str_trim(weft_str_n(at, (size_t)(stop - at)));
		o->lines++;
		if (line.n && *line.at == '%') {
			int rc = o->begun ? wrong(o, "a definition behind the first event") : learn(o, line);
			if (rc)
				return rc;
			time = FIRST;
		} else if ((why = time_of(o, at, stop, before, &time)) != NULL) {
			return wrong(o, why);
		}
		o->begun |= line.n && *line.at != '%' && *line.at != '#';
		if (!o->stretch.n || time < before) {
			if (weft_vec_push(&o->stretch, (struct stretch){at, next, time}))
				return weft_err_set(o->err, -ENOMEM, "out of memory");
		} else {
			o->stretch.at[o->stretch.n - 1].end = next;
		}
		before = time;
		at = next;
	}
	return o->defs.at.n ? 0 : weft_err_set(o->err, WEFT_E_SYNTAX, "%s: no Paje trace: it has no %%EventDef", o->name);
}

/* ---- merging: the heap is the array of stretches itself ---- */

/* Which comes first; of one time, what stood first in the file. */
static bool is_before(const struct stretch *a, const struct stretch *b)
{
	return a->next != b->next ? a->next < b->next : a->at < b->at;
}

static void sink(struct stretch *heap, size_t n, size_t i)
{
	for (;;) {
		size_t least = i;
		for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < n; child++)
			if (is_before(&heap[child], &heap[least]))
				least = child;
		if (least == i)
			return;
		struct stretch s = heap[i];
		heap[i] = heap[least];
		heap[least] = s;
		i = least;
	}
}

/* Writes lines of the first stretch, up to where `other` has to go on; what is left of it stays there. */
static void advance(const struct order *o, struct stretch *s, const struct stretch *other, FILE *to)
{
	const char *from = s->at;
	do {
		const char *stop = line_end(s->at, s->end);
		int64_t before = s->next;
		s->at = stop < s->end ? stop + 1 : s->end;
		if (s->at < s->end)
			(void)time_of(o, s->at, line_end(s->at, s->end), before, &s->next);
	} while (s->at < s->end && (!other || is_before(s, other)));
	fwrite(from, 1, (size_t)(s->at - from), to);
	if (s->at[-1] != '\n')
		putc('\n', to);
}

static int merge(struct order *o, FILE *to)
{
	struct stretch *heap = o->stretch.at;
	size_t n = o->stretch.n;
	for (size_t i = n / 2; i-- > 0;)
		sink(heap, n, i);
	while (n) {
		const struct stretch *other = n > 1 ? &heap[1] : NULL;
		if (n > 2 && is_before(&heap[2], other))
			other = &heap[2];
		advance(o, &heap[0], other, to);
		if (heap[0].at == heap[0].end)
			heap[0] = heap[--n];
		sink(heap, n, 0);
	}
	return ferror(to) ? weft_err_set(o->err, -EIO, "cannot write") : 0;
}

int paje_order_write(const char *at, size_t n, const char *name, FILE *to, struct paje_order *out, struct weft_err *err)
{
	struct order *o = calloc(1, sizeof *o);
	if (!o)
		return weft_err_set(err, -ENOMEM, "out of memory");
	o->name = name;
	o->err = err;
	memset(o->time_field, NOT_DEFINED, sizeof o->time_field);
	int rc = find_stretches(o, at, at + n);
	*out = (struct paje_order){o->lines, o->stretch.n};
	if (!rc && to)
		rc = merge(o, to);
	free(o->stretch.at);
	paje_defs_fini(&o->defs);
	free(o);
	return rc;
}
