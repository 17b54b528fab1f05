/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One instance as a trace of its own, a .prv with the samples of all: what Folding calls the folded trace.
 *
 *     |=========== solve ===========|   600000001: the region; a state Running
 *     |== phase 1 ==|=== phase 2 ===|   600000002
 *     | f f g f | h h h h g h h h h |   600000004 function, 600000005 line, of every stack sample at its place
 *     ++++++++++++++++++++++++++++++    counters: counts since the event before, a thousand times along the curve
 */
#include "fold_trace.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTER_TYPE = 600000100 };

static void put_event(struct fold_trace *f, double x, uint32_t type, uint64_t value)
{
	const uint64_t at = (uint64_t)llround((x < 0 ? 0 : x > 1 ? 1 : x) * (double)f->end);
	if (!f->rc)
		f->rc = weft_vec_push(&f->event, (struct fold_event){at, type, (uint32_t)f->event.n, value});
}

uint32_t fold_counter_code(const struct fold_run *r, unsigned c)
{
	const uint32_t type = weft_counters_type(r->trace, r->curve[c].name);
	const struct weft_def_row *d = type ? &r->trace->def[WEFT_CLASS_TYPE].at[type] : NULL;
	return d && d->code > 0 ? (uint32_t)d->code : COUNTER_TYPE + c;
}

/* Its counts add up to what an instance has, rounded once. */
static void put_counter(struct fold_trace *f, unsigned c)
{
	const struct fold_curve *k = &f->r->curve[c];
	const double total = f->r->fold.counter[c].mean_total;
	uint64_t told = 0;
	put_event(f, 0, fold_counter_code(f->r, c), 0);
	for (unsigned i = 1; i < f->r->how->steps; i++) {
		const double part = i + 1 == f->r->how->steps ? 1 : k->y[i];
		const double until = part * total > 0 ? part * total : 0;
		const uint64_t count = until >= (double)told + 0.5 ? (uint64_t)llround(until) - told : 0;
		put_event(f, (double)i / (f->r->how->steps - 1), fold_counter_code(f->r, c), count);
		told += count;
	}
}

static void put_all(struct fold_trace *f)
{
	const struct fold_run *r = f->r;
	put_event(f, 0, FOLD_REGION_TYPE, 1);
	put_event(f, 0, FOLD_PHASE_TYPE, 1);
	for (unsigned k = 0; k < r->n_knees; k++)
		put_event(f, r->knee[k], FOLD_PHASE_TYPE, k + 2u);
	for (size_t i = 0; i < r->fold.n_stacks; i++) {
		const struct weft_fold_stack *s = &r->fold.stack[i];
		if (!r->fold.instance[s->instance].used || !s->n)
			continue;
		put_event(f, s->x, FOLD_FUNCTION_TYPE, r->fold.frame[s->first].function);
		put_event(f, s->x, FOLD_LINE_TYPE, r->fold.frame[s->first].line);
	}
	for (unsigned c = 0; c < r->fold.n_counters; c++)
		if (!r->curve[c].none)
			put_counter(f, c);
	put_event(f, 1, FOLD_REGION_TYPE, 0);
	put_event(f, 1, FOLD_PHASE_TYPE, 0);
}

static int by_time(const void *a, const void *b)
{
	const struct fold_event *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void print_events(const struct fold_trace *f, FILE *to)
{
	fprintf(to, "#Paraver (01/01/1970 at 00:00):%" PRIu64 "_ns:1(1):1:1(1:1),0\n", f->end);
	fprintf(to, "1:1:1:1:1:0:%" PRIu64 ":1\n", f->end);
	for (size_t i = 0; i < f->event.n; i++) {
		const struct fold_event *e = &f->event.at[i];
		if (!i || e[-1].time != e->time)
			fprintf(to, "%s2:1:1:1:1:%" PRIu64, i ? "\n" : "", e->time);
		fprintf(to, ":%" PRIu32 ":%" PRIu64, e->type, e->value);
	}
	fputc('\n', to);
}

/* ---- labels ---- */

static int by_value(const void *a, const void *b)
{
	const struct fold_event *x = a, *y = b;
	if (x->type != y->type)
		return x->type < y->type ? -1 : 1;
	return x->value < y->value ? -1 : x->value > y->value;
}

static void print_type(FILE *to, uint32_t type, const char *name)
{
	fprintf(to, "\nEVENT_TYPE\n9    %" PRIu32 "    %s\n", type, name);
}

/* Of a .pcf: a label ends with its line. */
static void print_label(FILE *to, uint64_t value, const char *text)
{
	fprintf(to, "%" PRIu64 "      %.*s\n", value, (int)strcspn(text, "\n"), text);
}

void fold_line_text(const struct fold_run *r, uint32_t line, char *text, size_t n)
{
	char file[256];
	const unsigned number = fold_line_place(r, line, file, sizeof file);
	snprintf(text, n, "%u (%s)", number, file);
}

/* Functions and lines that occur; the events are by type, then value. */
static void print_sampled(const struct fold_trace *f, FILE *to, uint32_t type)
{
	char text[320];
	uint64_t last = 0;
	for (size_t i = 0; i < f->event.n; i++) {
		const struct fold_event *e = &f->event.at[i];
		if (e->type != type || e->value == 0 || e->value == last)
			continue;
		last = e->value;
		if (type == FOLD_LINE_TYPE)
			fold_line_text(f->r, (uint32_t)e->value, text, sizeof text);
		print_label(to, e->value, type == FOLD_LINE_TYPE ? text : fold_function_name(f->r, (uint32_t)e->value));
	}
}

static void print_pcf(struct fold_trace *f, FILE *to)
{
	char text[32];
	qsort(f->event.at, f->event.n, sizeof *f->event.at, by_value);
	fputs("DEFAULT_OPTIONS\n\nLEVEL               THREAD\nUNITS               NANOSEC\n\nSTATES\n0    Idle\n1    Running\n",
	      to);
	print_type(to, FOLD_REGION_TYPE, "Folded region");
	fputs("VALUES\n0      End\n", to);
	print_label(to, 1, f->r->region);
	print_type(to, FOLD_PHASE_TYPE, "Folded phase");
	fputs("VALUES\n0      End\n", to);
	for (unsigned k = 0; k <= f->r->n_knees; k++) {
		snprintf(text, sizeof text, "Phase %u", k + 1);
		print_label(to, k + 1u, text);
	}
	if (f->r->fold.n_stacks) {
		print_type(to, FOLD_FUNCTION_TYPE, "Folded function");
		fputs("VALUES\n0      ?\n", to);
		print_sampled(f, to, FOLD_FUNCTION_TYPE);
		print_type(to, FOLD_LINE_TYPE, "Folded line");
		fputs("VALUES\n0      ?\n", to);
		print_sampled(f, to, FOLD_LINE_TYPE);
	}
	for (unsigned c = 0; c < f->r->fold.n_counters; c++)
		if (!f->r->curve[c].none)
			fprintf(to, "\nEVENT_TYPE\n7    %" PRIu32 "    %s\n", fold_counter_code(f->r, c), f->r->curve[c].name);
}

static int write_file(struct fold_trace *f, const char *path, bool labels)
{
	struct weft_out out;
	struct weft_err err = {0};
	char name[4096];
	if (labels && !cli_prefixed(name, sizeof name, path, ".pcf"))
		return cli_fail_text("'%s' is too long for a name", path);
	if (weft_out_open(&out, labels ? name : path, &err))
		return cli_fail(&err);
	if (labels)
		print_pcf(f, out.to);
	else
		print_events(f, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

static bool is_weft(const char *path)
{
	const size_t n = strlen(path);
	return n > 5 && !strcmp(path + n - 5, ".weft");
}

int fold_write_trace(const struct fold_run *r, const char *path)
{
	struct fold_trace f = {.r = r, .end = (uint64_t)llround(r->fold.stats.used_middle)};
	put_all(&f);
	int status = f.rc ? cli_fail_code(f.rc) : CLI_OK;
	if (!status)
		qsort(f.event.at, f.event.n, sizeof *f.event.at, by_time);
	if (!status && is_weft(path)) {
		status = fold_write_weft(&f, path);
	} else {
		status = status ? status : write_file(&f, path, false);
		status = status ? status : write_file(&f, path, true);
	}
	free(f.event.at);
	return status;
}
