/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft model plot`. A drawing has for each implementation on each combination the means that were measured, with their deviations,
 * and the curves through them; and the tasks of a trace, one by one. What stands on the y axis is a row of a table: time, energy,
 * GFlop/s, GFlop/s/W, watts.
 */
#include "model_plot.h"
#include "base/log.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum quantity { TIME, ENERGY, SPEED, EFFICIENCY, POWER };
static const struct {
	const char *y_name, *title;
	bool log_y;
} quantities[] = {
	[TIME] = {"Time (us)", "Model of codelet", true},   [ENERGY] = {"Energy (J)", "Energy model of codelet", true},
	[SPEED] = {"GFlop/s", "Speed of codelet", false},   [EFFICIENCY] = {"GFlop/s/W", "Efficiency of codelet", false},
	[POWER] = {"Power (W)", "Power of codelet", false},
};
enum { STEPS = 100 };

static enum quantity quantity_of(const struct model_args *a)
{
	if (a->power)
		return a->gflops ? EFFICIENCY : POWER;
	if (a->energy)
		return a->gflops ? EFFICIENCY : ENERGY;
	return a->gflops ? SPEED : TIME;
}

static struct model_curve *new_curve(struct model_drawing *d, const char *name, unsigned color)
{
	if (weft_vec_push(&d->of, (struct model_curve){.color = color}))
		return NULL;
	struct model_curve *c = &d->of.at[d->of.n - 1];
	snprintf(c->name, sizeof c->name, "%s", name);
	return c;
}

static int add_point(struct model_curve *c, double x, double y, double spread)
{
	return weft_vec_push(&c->x, x) || weft_vec_push(&c->y, y) || weft_vec_push(&c->spread, spread) ? -ENOMEM : 0;
}

void model_drawing_fini(struct model_drawing *d)
{
	for (size_t i = 0; i < d->of.n; i++) {
		free(d->of.at[i].x.at);
		free(d->of.at[i].y.at);
		free(d->of.at[i].spread.at);
	}
	free(d->of.at);
}

/* -- what was measured -- */

/* The entry of another model for the same place and data. */
static const struct weft_model_entry *same_entry(const struct weft_model *other, const struct weft_model_comb *c, uint32_t impl,
                                                 uint32_t footprint)
{
	for (uint32_t i = 0; i < other->n_combs; i++) {
		const struct weft_model_comb *o = &other->comb[i];
		bool same = o->n_devices == c->n_devices && impl < o->n_impls &&
		            !memcmp(o->device, c->device, c->n_devices * sizeof *c->device);
		for (uint32_t k = 0; same && k < o->impl[impl].n_entries; k++)
			if (o->impl[impl].entry[k].footprint == footprint)
				return &o->impl[impl].entry[k];
	}
	return NULL;
}

/* y and its spread; NAN: this entry does not say it. energy: of the second model, with POWER only. */
static double value_of(enum quantity q, const struct weft_model_entry *e, const struct weft_model_entry *energy, double *spread)
{
	double part = e->deviation / e->mean, y = NAN;
	if (q == TIME || q == ENERGY)
		y = e->mean;
	else if (q == SPEED && e->flops > 0)
		y = e->flops / e->mean / 1e3;
	else if (q == EFFICIENCY && e->flops > 0)
		y = e->flops / 1e9 / (energy ? energy->mean : e->mean);
	else if (q == POWER && energy)
		y = energy->mean / (e->mean / 1e6);
	*spread = y * part;
	return e->mean > 0 && e->n ? y : NAN;
}

static int by_size(const void *a, const void *b)
{
	const struct weft_model_entry *const *x = a, *const *y = b;
	return (*x)->size < (*y)->size ? -1 : (*x)->size > (*y)->size;
}

/* Points in the order of sizes, so that a script's reader finds its way. */
static int add_entries(struct model_drawing *d, enum quantity q, const struct weft_model_comb *c, uint32_t number,
                       const struct weft_model *energy, struct model_curve *curve)
{
	const struct weft_model_impl *impl = &c->impl[number];
	const struct weft_model_entry **order = malloc((impl->n_entries + (size_t)1) * sizeof *order);
	int rc = order ? 0 : -ENOMEM;
	(void)d;
	for (uint32_t i = 0; i < impl->n_entries && !rc; i++)
		order[i] = &impl->entry[i];
	if (!rc)
		qsort(order, impl->n_entries, sizeof *order, by_size);
	for (uint32_t i = 0; i < impl->n_entries && !rc; i++) {
		const struct weft_model_entry *of = energy ? same_entry(energy, c, number, order[i]->footprint) : NULL;
		double spread, y = energy && !of ? NAN : value_of(q, order[i], of, &spread);
		if (!isnan(y))
			rc = add_point(curve, (double)order[i]->size, y, spread);
	}
	free(order);
	return rc;
}

/* -- curves through it -- */

static double power_at(const struct weft_model_fit *f, double x)
{
	return f->alpha * pow(x, f->beta);
}
static double offset_at(const struct weft_model_fit *f, double x)
{
	return f->a * pow(x, f->b) + f->c;
}

static int add_curve(struct model_drawing *d, const char *name, unsigned color, const struct weft_model_fit *f,
                     double (*at)(const struct weft_model_fit *, double))
{
	if (!f->min_x || f->max_x <= f->min_x || isnan(at(f, (double)f->min_x)))
		return 0;
	struct model_curve *c = new_curve(d, name, color);
	if (!c)
		return -ENOMEM;
	c->line = true;
	int rc = 0;
	for (int i = 0; i <= STEPS && !rc; i++) {
		double x = (double)f->min_x * pow((double)f->max_x / (double)f->min_x, (double)i / STEPS);
		rc = add_point(c, x, at(f, x), 0);
	}
	return rc;
}

static int add_impl(struct model_drawing *d, enum quantity q, const struct weft_model_comb *c, uint32_t number,
                    const struct weft_model *energy)
{
	char name[512], long_name[600];
	const struct weft_model_fit *f = &c->impl[number].fit;
	unsigned color = (unsigned)d->of.n;
	for (size_t i = 0; i < d->of.n; i++) /* a place has one colour for all that it has */
		color -= d->of.at[i].line;
	weft_model_impl_name(name, sizeof name, c->device, c->n_devices, number, c->number);
	struct model_curve *points = new_curve(d, name, color);
	int rc = points ? add_entries(d, q, c, number, energy, points) : -ENOMEM;
	/* Flops are not known for sizes that were not measured. */
	if (q == TIME || q == ENERGY) {
		snprintf(long_name, sizeof long_name, "%s: a*n^b", name);
		rc = rc ? rc : add_curve(d, long_name, color, f, power_at);
		snprintf(long_name, sizeof long_name, "%s: a*n^b+c", name);
		rc = rc ? rc : add_curve(d, long_name, color, f, offset_at);
	}
	return rc;
}

static int add_samples(struct model_drawing *d, const struct model_args *a, const char *symbol, enum quantity q)
{
	struct model_samples samples;
	struct model_curve *c;
	int status = model_samples(a, symbol, &samples), rc = 0;
	if (!status && (q == TIME || q == SPEED)) {
		c = new_curve(d, "tasks of the trace", 7);
		rc = c ? 0 : -ENOMEM;
		if (c)
			c->small = true;
		for (size_t i = 0; i < samples.of.n && !rc; i++) {
			const struct model_sample *s = &samples.of.at[i];
			double y = q == TIME ? s->us : s->flops > 0 && s->us > 0 ? s->flops / s->us / 1e3 : NAN;
			if (!isnan(y))
				rc = add_point(c, (double)s->size, y, 0);
		}
	}
	free(samples.of.at);
	return status ? status : rc ? cli_fail_code(rc) : CLI_OK;
}

/* Whether there is anything; and how sizes can be shown. */
static bool is_empty(struct model_drawing *d)
{
	bool any = false;
	d->log_x = true;
	for (size_t i = 0; i < d->of.n; i++)
		for (size_t k = 0; k < d->of.at[i].x.n; k++) {
			any = true;
			d->log_x = d->log_x && d->of.at[i].x.at[k] > 0;
		}
	return !any;
}

int model_drawing(const struct model_args *a, const struct model_file *f, struct model_drawing *d)
{
	enum quantity q = quantity_of(a);
	struct model_file energy = {.path = ""};
	int rc = 0, status = a->power ? model_open(a, a->power, &energy) : CLI_OK;
	*d = (struct model_drawing){.log_y = quantities[q].log_y};
	snprintf(d->title, sizeof d->title, "%s %s, host %s", quantities[q].title, f->symbol, f->host);
	snprintf(d->y_name, sizeof d->y_name, "%s", quantities[q].y_name);
	for (uint32_t i = 0; i < f->m.n_combs && !rc && !status; i++)
		for (uint32_t k = 0; k < f->m.comb[i].n_impls && model_is_chosen(&f->m.comb[i], a) && !rc; k++)
			rc = add_impl(d, q, &f->m.comb[i], k, a->power ? &energy.m : NULL);
	model_close(&energy);
	status = status ? status : rc ? cli_fail_code(rc) : CLI_OK;
	if (!status && a->trace)
		status = add_samples(d, a, f->symbol, q);
	if (status || !is_empty(d))
		return status;
	weft_log(WEFT_LOG_ERROR, "there is nothing to draw: '%s' has no measurements%s%s", f->path,
	         q == SPEED || q == EFFICIENCY ? " of tasks that said their flops" : "",
	         a->power                    ? " of sizes that both models have"
	         : a->arch || a->combination ? " of these workers"
	                                     : "");
	return CLI_USAGE;
}

/* -- the verb -- */

static int draw_picture(const struct model_drawing *d, enum weft_picture_form form, struct weft_buf *out)
{
	struct weft_curve *curve = calloc(d->of.n + 1, sizeof *curve);
	if (!curve)
		return -ENOMEM;
	for (size_t i = 0; i < d->of.n; i++) {
		const struct model_curve *c = &d->of.at[i];
		curve[i] = (struct weft_curve){.name = c->name,
		                               .line = c->line,
		                               .small = c->small,
		                               .color = c->color,
		                               .x = c->x.at,
		                               .y = c->y.at,
		                               .spread = c->spread.at,
		                               .n = (unsigned)c->x.n};
	}
	const struct weft_curves_how how = {d->title, "Total size of data (bytes)", d->y_name, 0, 0, d->log_x, d->log_y};
	int rc = weft_curves_picture(out, form, curve, (unsigned)d->of.n, &how);
	free(curve);
	return rc;
}

static bool ends_with(const char *name, const char *ending)
{
	size_t n = strlen(name), k = strlen(ending);
	return n >= k && !strcmp(name + n - k, ending);
}

static int write_drawing(const struct model_drawing *d, const char *output)
{
	struct weft_buf text = {0};
	struct weft_err err = {0};
	struct weft_out out;
	int rc = 0;
	bool is_script = ends_with(output, ".gp");
	if (!is_script)
		rc = draw_picture(d, ends_with(output, ".png") ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG, &text);
	if (rc) {
		weft_buf_fini(&text);
		return cli_fail_code(rc);
	}
	rc = weft_out_open(&out, output, &err);
	if (!rc && is_script) {
		char picture[WEFT_MODEL_PATH];
		snprintf(picture, sizeof picture, "%.*s.png", (int)strlen(output) - 3, output);
		model_gnuplot(d, picture, out.to);
	} else if (!rc) {
		fwrite(text.at, 1, text.n, out.to);
	}
	rc = rc ? rc : weft_out_commit(&out, &err);
	weft_buf_fini(&text);
	return rc ? cli_fail(&err) : CLI_OK;
}

int model_plot(const struct model_args *a, char **operand, int n)
{
	struct model_file f;
	struct model_drawing d;
	(void)n;
	if (!a->output)
		return cli_usage(&weft_command_model, "say where to draw, with -o FILE.svg, FILE.png or FILE.gp");
	if (strcmp(a->output, "-") != 0 && cli_check_ending(&weft_command_model, a->output, ".svg .png .gp", NULL))
		return CLI_USAGE;
	if (strcmp(a->output, "-") != 0 && !a->force && access(a->output, F_OK) == 0)
		return cli_usage(&weft_command_model, "'%s' is there already (--force replaces it)", a->output);
	int status = model_open(a, operand[0], &f);
	if (status)
		return status;
	status = model_drawing(a, &f, &d);
	status = status ? status : write_drawing(&d, a->output);
	model_drawing_fini(&d);
	model_close(&f);
	return status;
}
