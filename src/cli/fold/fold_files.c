/* SPDX-License-Identifier: Apache-2.0 */
/* The files of BSC's Folding, in its columns and forms; a picture. */
#include "fold_run.h"
#include "render/draw/curves.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int begin(struct weft_out *out, const char *prefix, const char *ending)
{
	struct weft_err err = {0};
	char path[4096];
	if (!cli_prefixed(path, sizeof path, prefix, ending))
		return cli_fail_text("'%s' is too long for a name", prefix);
	return weft_out_open(out, path, &err) ? cli_fail(&err) : CLI_OK;
}

static int end(struct weft_out *out)
{
	struct weft_err err = {0};
	return weft_out_commit(out, &err) ? cli_fail(&err) : CLI_OK;
}

/* Groups count from 0 in these files, but in .groups.csv. */
static unsigned group_of(const struct fold_run *r)
{
	return (unsigned)r->how->group - 1;
}

static int write_interpolated(const struct fold_run *r, const char *prefix)
{
	struct weft_out out;
	int status = begin(&out, prefix, ".interpolate.csv");
	if (status)
		return status;
	for (unsigned c = 0; c < r->fold.n_counters; c++)
		for (unsigned i = 0; !r->curve[c].none && i < r->how->steps; i++)
			fprintf(out.to, "%s;%u;%s;%g;%g\n", r->region, group_of(r), r->curve[c].name, (double)i / r->how->steps,
			        r->curve[c].y[i]);
	return end(&out);
}

static void print_models(const struct fold_run *r, FILE *to)
{
	for (unsigned m = 0; m < r->n_models; m++)
		for (unsigned k = 0; k < r->model[m].n_components; k++)
			for (unsigned i = 1; i < r->how->steps; i++) {
				double v = fold_model_value(r, &r->model[m].component[k], i);
				if (isfinite(v))
					fprintf(to, "%s;%u;%s_%s;%g;%g\n", r->region, group_of(r), r->model[m].name,
					        r->model[m].component[k].name, (double)i / r->how->steps, v);
			}
}

static int write_slopes(const struct fold_run *r, const char *prefix)
{
	struct weft_out out;
	int status = begin(&out, prefix, ".slope.csv");
	const struct fold_curve *ins = r->instructions >= 0 ? &r->curve[r->instructions] : NULL;
	if (status)
		return status;
	for (unsigned c = 0; c < r->fold.n_counters; c++)
		for (unsigned i = 1; !r->curve[c].none && i < r->how->steps; i++)
			fprintf(out.to, "%s;%u;%s;%g;%g;%g\n", r->region, group_of(r), r->curve[c].name,
			        (double)i / r->how->steps, r->curve[c].slope[i],
			        r->curve[c].y[i] * r->fold.counter[c].mean_total);
	for (unsigned c = 0; ins && c < r->fold.n_counters; c++)
		for (unsigned i = 1; !r->curve[c].none && (int)c != r->instructions && i < r->how->steps; i++)
			fprintf(out.to, "%s;%u;%s_per_ins;%g;%g\n", r->region, group_of(r), r->curve[c].name,
			        (double)i / r->how->steps, ins->slope[i] > 0 ? r->curve[c].slope[i] / ins->slope[i] : 0);
	print_models(r, out.to);
	return end(&out);
}

static int write_dump(const struct fold_run *r, const char *prefix)
{
	struct weft_out out;
	int status = begin(&out, prefix, ".dump.csv");
	char file[256];
	if (status)
		return status;
	for (unsigned used = 2; used-- > 0;)
		for (unsigned c = 0; c < r->fold.n_counters; c++) {
			const struct fold_curve *k = &r->curve[c];
			for (size_t i = 0; i < k->taken.n; i++)
				if (k->chosen[i] == used)
					fprintf(out.to, "%s;%s;%u;%g;%s;%g\n", used ? "u" : "un", r->region, group_of(r),
					        k->taken.x[i], k->name, k->taken.y[i]);
		}
	for (size_t i = 0; i < r->fold.n_stacks; i++) {
		const struct weft_fold_stack *s = &r->fold.stack[i];
		const struct weft_fold_frame *x = &r->fold.frame[s->first];
		if (r->fold.instance[s->instance].used)
			fprintf(out.to, "cl;%s;%u;%g;%u;%u\n", r->region, group_of(r), s->x,
			        fold_line_place(r, x->line, file, sizeof file), x->function);
	}
	for (unsigned c = 0; c < r->fold.n_counters; c++) {
		const struct weft_fold_counter *k = &r->fold.counter[c];
		for (size_t i = 0; i < k->n; i++)
			if (!r->fold.instance[k->instance[i]].used)
				fprintf(out.to, "e;%s;%u;%g;%s;%g\n", r->region, group_of(r), k->x[i], r->curve[c].name, k->y[i]);
	}
	return end(&out);
}

static int write_groups(const struct fold_run *r, const char *prefix)
{
	struct weft_out out;
	int status = begin(&out, prefix, ".groups.csv");
	if (status)
		return status;
	for (unsigned used = 2; used-- > 0;)
		for (uint32_t i = 0; i < r->fold.n; i++) {
			const struct weft_fold_instance *x = &r->fold.instance[i];
			if (x->used == used)
				fprintf(out.to, "%c;%s;%u;%" PRIu64 "\n", used ? 'u' : 'e', r->region, group_of(r) + 1,
				        x->end - x->begin);
		}
	return end(&out);
}

static int write_stats(const struct fold_run *r, const char *prefix)
{
	struct weft_out out;
	const struct weft_fold_stats *s = &r->fold.stats;
	int status = begin(&out, prefix, ".stats");
	if (status)
		return status;
	fputs("#Region, Group, Total Instance Number, Total Sample Number (ms), Total Median (ms), Total Mad (ms), Sigma Time Factor, "
	      "Selection Interval Min (ms), Selection Interval Max (ms), Selected Instance Number, Selected Instance Proportion (%), "
	      "Selected Instance Median (ms), Selected Instance Mad (ms)\n",
	      out.to);
	fprintf(out.to, "%s,Group_%u,%zu,%zu,%g,%g,%g,%g,%g,%zu,%zu,%g,%g\n", r->region, group_of(r), s->n, s->samples,
	        s->middle / 1e6, s->spread / 1e6, r->how->rule.times, s->low / 1e6, s->high / 1e6, s->used,
	        s->n ? 100 * s->used / s->n : 0, s->used_middle / 1e6, s->used_spread / 1e6);
	return end(&out);
}

int fold_write_csv(const struct fold_run *r, const char *prefix)
{
	int status = write_interpolated(r, prefix);
	status = status ? status : write_slopes(r, prefix);
	status = status ? status : write_dump(r, prefix);
	status = status ? status : write_groups(r, prefix);
	return status ? status : write_stats(r, prefix);
}

/* ---- picture ---- */

/* Rates over their means: 1 is as fast as on the whole, so that counters of any size share an axis. */
int fold_write_picture(const struct fold_run *r, const char *path)
{
	unsigned steps = r->how->steps, n = 0;
	struct weft_curve *curve = calloc(r->fold.n_counters + (size_t)1, sizeof *curve);
	double *x = malloc(steps * (r->fold.n_counters + (size_t)1) * sizeof *x);
	struct weft_buf text = {0};
	char title[320];
	int rc = curve && x ? 0 : -ENOMEM;
	for (unsigned i = 0; i < steps && !rc; i++)
		x[i] = r->fold.stats.used_middle / 1e6 * i / (steps - 1);
	for (unsigned c = 0; c < r->fold.n_counters && !rc; c++) {
		double *y = x + (size_t)steps * (c + 1);
		if (r->curve[c].none)
			continue;
		for (unsigned i = 1; i < steps; i++)
			y[i] = r->curve[c].slope[i] / r->fold.counter[c].rate;
		y[0] = y[1];
		curve[n] = (struct weft_curve){.name = r->curve[c].name, .line = true, .color = n, .x = x, .y = y, .n = steps};
		n++;
	}
	snprintf(title, sizeof title, "%s: %zu of %zu instances folded", r->region, r->fold.stats.used, r->fold.stats.n);
	struct weft_curves_how how = {.title = title,
	                              .x_name = "ms since the begin of an instance",
	                              .y_name = "rate, 1: its mean"};
	if (!rc)
		rc = weft_curves_picture(&text, picture_form_of(path), curve, n, &how);
	int status = rc ? cli_fail_code(rc) : cli_write_whole(path, &text);
	weft_buf_fini(&text);
	free(curve);
	free(x);
	return status;
}
