/* SPDX-License-Identifier: Apache-2.0 */
#include "fold_run.h"
#include "base/log.h"
#include "fold_select.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KRIGING_SAMPLES = 1500 };

/* ---- stacks ---- */

static int64_t line_id(struct fold_run *r, const struct weft_frame *x)
{
	uint64_t known, key = (uint64_t)x->file << 32 | x->line;
	if (!x->file)
		return 0;
	if (weft_map_get(&r->line_of, key, &known))
		return (int64_t)known;
	if (weft_vec_push(&r->line, (struct fold_line_id){x->file, x->line, x->function}) ||
	    weft_map_put(&r->line_of, key, r->line.n))
		return -ENOMEM;
	return (int64_t)r->line.n;
}

static int64_t frames_of(void *arg, uint32_t thread, uint64_t value, struct weft_fold_frame *out, unsigned most)
{
	struct fold_run *r = arg;
	uint32_t words = 0, inner;
	unsigned n = 0;
	const uint64_t *address = weft_extra(r->trace, thread, value, &words);
	for (uint32_t i = 0; i < words && n < most; i++) {
		const struct weft_frame *x = weft_symbols_find(r->symbols, r->trace->thread[thread].process, address[i], i > 0,
		                                               &inner);
		for (uint32_t k = 0; x && k < inner && n < most; k++) {
			int64_t line = line_id(r, &x[k]);
			if (line < 0)
				return line;
			out[n++] = (struct weft_fold_frame){x[k].function + 1, (uint32_t)line};
		}
		if (!x)
			return -ENOMEM;
	}
	return n;
}

const char *fold_function_name(const struct fold_run *r, uint32_t function)
{
	const char *label = NULL;
	if (r->symbols)
		return function ? weft_symbols_function(r->symbols, function - 1)->name : "?";
	if (r->function_type)
		label = weft_value_label(&r->trace->def[WEFT_CLASS_TYPE].at[r->function_type], function);
	return label ? label : "?";
}

unsigned fold_line_place(const struct fold_run *r, uint32_t line, char *file, size_t n)
{
	*file = '\0';
	if (r->symbols) {
		if (!line || line > r->line.n)
			return 0;
		snprintf(file, n, "%s", weft_symbols_text(r->symbols, r->line.at[line - 1].file));
		return r->line.at[line - 1].line;
	}
	const char *label = r->line_type ? weft_value_label(&r->trace->def[WEFT_CLASS_TYPE].at[r->line_type], line) : NULL;
	const char *open = label ? strchr(label, '(') : NULL;
	if (open)
		snprintf(file, n, "%.*s", (int)strcspn(open + 1, ",)"), open + 1);
	return label ? (unsigned)strtoul(label, NULL, 10) : 0;
}

static int open_stacks(struct fold_run *r)
{
	struct weft_symbols_how where = {.root = r->how->symbols};
	r->function_type = weft_counters_type(r->trace, "30000000");
	r->line_type = weft_counters_type(r->trace, "30000100");
	if (r->trace->n_modules && weft_symbols_new(&r->symbols, r->trace, &where))
		return cli_fail_code(-ENOMEM);
	return CLI_OK;
}

/* ---- curves ---- */

static int choose_samples(struct fold_run *r, struct fold_curve *c)
{
	size_t most = r->how->samples ? r->how->samples : r->how->kriging ? KRIGING_SAMPLES : c->taken.n;
	struct weft_fold_samples all = weft_fold_samples_of(&c->taken);
	c->chosen = malloc(c->taken.n + 1);
	return c->chosen ? weft_fold_spread(&all, most, c->chosen, &c->n_chosen) : -ENOMEM;
}

static int make_curve(struct fold_run *r, unsigned counter)
{
	struct fold_curve *c = &r->curve[counter];
	const struct weft_fold_counter *k = &r->fold.counter[counter];
	unsigned steps = r->how->steps;
	size_t n = 0;
	int rc = weft_fold_take(&r->fold, counter, &c->taken);
	rc = rc ? rc : choose_samples(r, c);
	c->none = !rc && (!c->taken.n || isnan(k->mean_total));
	if (rc || c->none)
		return rc;
	c->y = malloc((size_t)steps * 4 * sizeof *c->y);
	double *x = malloc((c->taken.n + 1) * 2 * sizeof *x), *y = x + c->taken.n + 1;
	uint32_t *instance = malloc((c->taken.n + 1) * sizeof *instance);
	rc = c->y && x && instance ? 0 : -ENOMEM;
	for (size_t i = 0; i < c->taken.n && !rc; i++)
		if (c->chosen[i]) {
			x[n] = c->taken.x[i];
			y[n] = c->taken.y[i];
			instance[n++] = c->taken.instance[i];
		}
	struct weft_fold_samples s = {x, y, instance, n};
	c->slope = c->y ? c->y + steps : NULL;
	if (!rc && r->how->kriging) {
		rc = weft_fold_kriging(&s, r->how->nugget, steps, c->y);
	} else if (!rc) {
		c->low = c->y + 2 * (size_t)steps;
		c->high = c->y + 3 * (size_t)steps;
		rc = weft_fold_monotone(&s, steps, c->y, c->low, c->high);
	}
	if (!rc)
		weft_fold_slope(c->y, steps, k->rate, c->slope);
	free(x);
	free(instance);
	return rc;
}

static int make_curves(struct fold_run *r)
{
	r->curve = calloc(r->fold.n_counters + (size_t)1, sizeof *r->curve);
	if (!r->curve)
		return cli_fail_code(-ENOMEM);
	r->instructions = r->cycles = -1;
	for (unsigned c = 0; c < r->fold.n_counters; c++) {
		const char *begin;
		size_t n = weft_counters_name(r->fold.counter[c].label, &begin);
		snprintf(r->curve[c].name, sizeof r->curve[c].name, "%.*s", (int)(n < 60 ? n : 60), begin);
		int rc = make_curve(r, c);
		if (rc)
			return cli_fail_code(rc);
		if (r->curve[c].none)
			continue;
		if (!strcmp(r->curve[c].name, "PAPI_TOT_INS") || !strcmp(r->curve[c].name, "instructions"))
			r->instructions = (int)c;
		if (!strcmp(r->curve[c].name, "PAPI_TOT_CYC") || !strcmp(r->curve[c].name, "cpu-cycles"))
			r->cycles = (int)c;
	}
	return CLI_OK;
}

static int find_knees(struct fold_run *r)
{
	static const struct weft_knees_how how = {.coarse = 0.002, .least = 0.02, .most = FOLD_KNEES_MOST};
	const double **curve = malloc((r->fold.n_counters + (size_t)1) * sizeof *curve);
	unsigned n = 0;
	for (unsigned c = 0; curve && c < r->fold.n_counters; c++)
		if (!r->curve[c].none)
			curve[n++] = r->curve[c].y;
	int rc = curve ? weft_knees(curve, n, r->how->steps, &how, r->knee, &r->n_knees) : -ENOMEM;
	free(curve);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

double fold_rate_between(const struct fold_run *r, unsigned counter, double from, double to)
{
	const struct fold_curve *c = &r->curve[counter];
	unsigned last = r->how->steps - 1;
	double a = c->y[(unsigned)lround(from * last)], b = c->y[(unsigned)lround(to * last)];
	return to > from ? r->fold.counter[counter].rate * (b - a) / (to - from) : 0;
}

/* ---- models ---- */

static int read_models(struct fold_run *r)
{
	for (unsigned i = 0; r->how->models && i < r->how->models->n; i++) {
		const char *path = r->how->models->at[i];
		struct weft_err err = {0};
		char *text;
		size_t n;
		if (r->n_models == FOLD_MODELS_MOST)
			return cli_fail_text("more than %d models", FOLD_MODELS_MOST);
		if (weft_read_input(path, &text, &n, &err))
			return cli_fail(&err);
		int rc = weft_counter_model_parse(&r->model[r->n_models++], path, text, n, &err);
		free(text);
		if (rc)
			return cli_fail(&err);
	}
	return CLI_OK;
}

struct asking {
	const struct fold_run *r;
	unsigned step;
};

static double counter_value(void *arg, const char *counter)
{
	const struct asking *a = arg;
	for (unsigned c = 0; c < a->r->fold.n_counters; c++)
		if (!a->r->curve[c].none && !strcmp(a->r->curve[c].name, counter))
			return a->r->curve[c].slope[a->step];
	return NAN;
}

double fold_model_value(const struct fold_run *r, const struct weft_counter_component *c, unsigned step)
{
	struct asking a = {r, step};
	return weft_counter_model_value(c->value, counter_value, &a);
}

/* ---- the whole ---- */

static int find_counters(struct fold_run *r)
{
	const char *missing = NULL;
	int rc = r->how->counter ? weft_counters_find(&r->counters, r->trace, r->how->counter, r->how->n_counters, &missing)
	                         : weft_counters_all(&r->counters, r->trace);
	if (rc)
		return cli_fail_code(rc);
	if (missing)
		return cli_fail_text("'%s' has no counter '%s'", r->how->path, missing);
	return CLI_OK;
}

static int fold_bursts(struct fold_run *r)
{
	static const struct weft_fold_calls_how calls = {.in_a_row = 15, .least = 0.05};
	struct weft_fold_how how = {.counters = &r->counters, .rule = r->how->rule, .arg = r};
	struct weft_bursts b = {0};
	struct weft_err err = {0};
	int status = fold_select(r, &b);
	how.frames = r->symbols ? frames_of : NULL;
	if (!status && weft_folding_make(&r->fold, r->trace, &b, &how, &err))
		status = cli_fail(&err);
	weft_bursts_fini(&b);
	if (!status && weft_fold_calls(&r->fold, &calls, &r->call, &r->n_calls))
		status = cli_fail_code(-ENOMEM);
	return status;
}

int fold_run(struct fold_run *r, const struct cli_common *common, const struct fold_how *how)
{
	*r = (struct fold_run){.common = common, .how = how};
	int status = read_models(r);
	status = status ? status : cli_open(common, how->path, &r->trace, &r->filter);
	status = status ? status : find_counters(r);
	status = status ? status : open_stacks(r);
	status = status ? status : fold_bursts(r);
	status = status ? status : make_curves(r);
	return status ? status : find_knees(r);
}

void fold_run_fini(struct fold_run *r)
{
	for (unsigned c = 0; r->curve && c < r->fold.n_counters; c++) {
		free(r->curve[c].y);
		free(r->curve[c].taken.x);
		free(r->curve[c].chosen);
	}
	free(r->curve);
	free(r->call);
	free(r->group);
	for (unsigned i = 0; i < r->n_models; i++)
		weft_counter_model_fini(&r->model[i]);
	weft_folding_fini(&r->fold);
	weft_counters_fini(&r->counters);
	weft_symbols_free(r->symbols);
	free(r->line.at);
	weft_map_fini(&r->line_of);
	weft_filter_free(r->filter);
	weft_trace_close(r->trace);
}
