/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of an evaluation as text: names of values, values, faults, and a line for each kind of
 * result.
 */
#include "eval_priv.h"
#include <math.h>
#include <string.h>

const char *const weft_fault_name[FAULTS] = {
	"no fault",
	"division by zero",
	"a number that does not fit its type, or is none",
	"an index that is not in the array",
	"a process that is not in the iteration",
	"more processes than the actor's max",
	"a fault of arithmetic",
	"a fault of memory",
	"no answer in time: an endless loop?",
	"the process ended by itself",
	"a value that nobody knows",
	"a metric that cannot be computed",
	"it wanted something of the system: a file, a socket, a process…",
	"no memory is left in its process",
};

const char *weft_eval_value_name(struct weft_eval *e, uint32_t i)
{
	for (int scope = SCOPE_PARAMETER; scope >= SCOPE_ITERATION; scope--)
		for (size_t k = 0; k < e->s->attr.n; k++) {
			const struct spec_attr *a = &e->s->attr.at[k];
			uint32_t n = a->len ? a->len : 1;
			if ((int)a->scope != scope)
				continue;
			if (i >= n) {
				i -= n;
				continue;
			}
			snprintf(e->name, sizeof e->name, a->len ? "%s%s[%u]" : "%s%s", scope == SCOPE_ITERATION ? "iter." : "",
			         a->id.z, i);
			return e->name;
		}
	return NULL;
}

static void put_number(struct weft_buf *b, double v, bool whole)
{
	char number[WEFT_FMT_DOUBLE];
	if (isnan(v)) {
		weft_buf_printf(b, "-");
		return;
	}
	if (!whole) {
		/* Numbers of things as a whole, measures with what can be read at a glance. */
		weft_buf_printf(b, "%.*g", v == floor(v) && fabs(v) < 1e15 ? 15 : 6, v);
		return;
	}
	weft_fmt_double(number, v);
	weft_buf_printf(b, "%s", number);
}

static void put_attr(struct weft_buf *b, const struct spec_attr *a, const double *value, bool whole)
{
	uint32_t known = 0, n = a->len ? a->len : 1;
	for (uint32_t i = 0; i < n; i++)
		known += !isnan(value[i]);
	if (!known)
		return;
	weft_buf_printf(b, " %s%s=%s", a->scope == SCOPE_ITERATION ? "iter." : "", a->id.z, a->len ? "[" : "");
	for (uint32_t i = 0; i < n; i++) {
		weft_buf_printf(b, "%s", i ? " " : "");
		put_number(b, value[i], whole);
	}
	weft_buf_printf(b, "%s", a->len ? "]" : "");
}

void weft_eval_put_values(struct weft_eval *e, const double *value, uint32_t n, bool whole, struct weft_buf *b)
{
	uint32_t at = 0;
	for (int scope = SCOPE_PARAMETER; scope >= SCOPE_ITERATION; scope--)
		for (size_t k = 0; k < e->s->attr.n; k++) {
			const struct spec_attr *a = &e->s->attr.at[k];
			uint32_t len = a->len ? a->len : 1;
			if ((int)a->scope != scope || n - at < len)
				continue;
			put_attr(b, a, value + at, whole);
			at += len;
		}
}

static void print_fault(const struct weft_spec *s, const struct weft_eval_result *w, FILE *to)
{
	uint32_t line, col;
	fprintf(to, "fault: %s", weft_fault_name[w->fault]);
	if (w->what != SPEC_NONE) {
		spec_place(s, s->code.at[w->what].where.at, &line, &col);
		fprintf(to, " (%s:%u:%u)", s->file, line, col);
	}
	fputc('\n', to);
}

static void print_values(struct weft_eval *e, const struct weft_eval_result *w, FILE *to)
{
	struct weft_buf b = {0};
	weft_eval_put_values(e, w->value, w->n, true, &b);
	fprintf(to, "evaluated:%s\n", b.at ? b.at : "");
	weft_buf_fini(&b);
}

static void print_process(const struct weft_eval_result *w, FILE *to)
{
	if (w->process != INT64_MIN)
		fprintf(to, " in process %lld", (long long)w->process);
	fputc('\n', to);
}

static void print_tune(const struct weft_spec *s, const struct weft_eval_result *w, FILE *to)
{
	char number[WEFT_FMT_DOUBLE];
	const struct spec_point *p = &s->point.at[w->what];
	weft_fmt_double(number, w->number);
	fprintf(to, "%s %s = %s", spec_kind_name[p->k], p->id.z, w->is_text ? w->text : number);
	print_process(w, to);
}

void weft_eval_result_print(const struct weft_spec *s, struct weft_eval *e, const struct weft_eval_result *w, FILE *to)
{
	if (w->iteration >= 0)
		fprintf(to, "iteration %lld: ", (long long)w->iteration);
	switch (w->kind) {
	case WEFT_RESULT_EVALUATED:
		print_values(e, w, to);
		return;
	case WEFT_RESULT_TUNE:
		print_tune(s, w, to);
		return;
	case WEFT_RESULT_EVENT:
		fprintf(to, "%s event %s", w->add ? "add" : "remove", s->event.at[w->what].id.z);
		print_process(w, to);
		return;
	case WEFT_RESULT_FAULT:
		print_fault(s, w, to);
		return;
	case WEFT_RESULT_HANDLER:
		fprintf(to, "handler %s\n", w->text);
		return;
	case WEFT_RESULT_INCOMPLETE:
		fprintf(to, "incomplete: %s\n", w->text);
		return;
	case WEFT_RESULT_CLOSE:
	case WEFT_RESULT_CLOSED:
		fprintf(to, "collectors: %s\n", w->kind == WEFT_RESULT_CLOSED ? "closed" : w->add ? "asked for all" : "asked");
		return;
	case WEFT_RESULT_LATE:
		fprintf(to, "late: %s\n", s->event.at[w->what].id.z);
		return;
	default:
		fprintf(to, "the tunlet's process was begun anew; open iterations are lost\n");
	}
}
