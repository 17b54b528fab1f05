/* SPDX-License-Identifier: Apache-2.0 */
/* Between a struct starpu_perfmodel and its file. The caller holds the model's lock for writing, or knows that it is alone. */
#include "perf.h"
#include "base/fs.h"
#include "models/fit.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- reading -- */

static int take_entries(struct starpu_perfmodel_per_arch *p, const struct weft_model_impl *from)
{
	/* The list has the newest first, and so has the file. */
	for (uint32_t i = from->n_entries; i-- > 0;) {
		const struct weft_model_entry *e = &from->entry[i];
		struct starpu_perfmodel_history_entry *to = perf_entry_add(p, e->footprint);
		if (!to)
			return -ENOMEM;
		to->mean = e->mean;
		to->deviation = e->deviation;
		to->sum = e->sum;
		to->sum2 = e->sum2;
		to->nsample = e->n;
		to->size = e->size;
		to->flops = e->flops;
	}
	return 0;
}

static int take_fit(struct starpu_perfmodel_regression_model *r, const struct weft_model_fit *f)
{
	*r = (struct starpu_perfmodel_regression_model){
		.sumlnx = f->sum_lnx,
		.sumlnx2 = f->sum_lnx2,
		.sumlny = f->sum_lny,
		.sumlnxlny = f->sum_lnx_lny,
		.alpha = f->alpha,
		.beta = f->beta,
		.nsample = f->n,
		.minx = f->min_x,
		.maxx = f->max_x,
		.a = f->a,
		.b = f->b,
		.c = f->c,
	};
	r->valid = weft_fit_power_valid(f, perf_conf.minimum);
	r->nl_valid = !isnan(f->a) && !isnan(f->b) && !isnan(f->c) && r->valid;
	if (!f->n_coeff)
		return 0;
	r->coeff = malloc(f->n_coeff * sizeof *r->coeff);
	if (!r->coeff)
		return -ENOMEM;
	memcpy(r->coeff, f->coeff, f->n_coeff * sizeof *r->coeff);
	r->ncoeff = f->n_coeff;
	r->multi_valid = !isnan(f->coeff[0]);
	for (uint32_t i = 1; i < f->n_coeff; i++)
		r->multi_valid = r->multi_valid && !isnan(f->coeff[i]);
	return 0;
}

static int take_comb(struct starpu_perfmodel *m, const struct weft_model_comb *c)
{
	struct starpu_perfmodel_device *devices = calloc(c->n_devices ? c->n_devices : 1, sizeof *devices);
	if (!devices)
		return -ENOMEM;
	for (uint32_t i = 0; i < c->n_devices; i++)
		devices[i] = (struct starpu_perfmodel_device){(enum starpu_worker_archtype)c->device[i].type, c->device[i].id,
		                                              c->device[i].cores};
	struct starpu_perfmodel_arch arch = {(int)c->n_devices, devices};
	int rc = 0;
	for (uint32_t i = 0; i < c->n_impls && i < STARPU_MAXIMPLEMENTATIONS && !rc; i++) {
		struct starpu_perfmodel_per_arch *p = perf_slot(m, &arch, i, true);
		rc = p ? take_fit(&p->regression, &c->impl[i].fit) : -ENOMEM;
		rc = rc ? rc : take_entries(p, &c->impl[i]);
	}
	free(devices);
	return rc;
}

int perf_load(struct starpu_perfmodel *m, const char *path, struct weft_err *err)
{
	struct weft_model file;
	int rc = weft_model_read(&file, path, err);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < file.n_combs && !rc; i++)
		rc = take_comb(m, &file.comb[i]);
	weft_model_fini(&file);
	return rc ? weft_err_set(err, rc, "cannot load '%s': %s", path, weft_err_name(rc)) : 0;
}

/* -- writing -- */

static int give_entries(struct weft_model_impl *to, const struct starpu_perfmodel_per_arch *p)
{
	uint32_t n = 0;
	for (struct starpu_perfmodel_history_list *l = p->list; l; l = l->next)
		n++;
	to->entry = calloc(n ? n : 1, sizeof *to->entry);
	if (!to->entry)
		return -ENOMEM;
	for (struct starpu_perfmodel_history_list *l = p->list; l; l = l->next) {
		const struct starpu_perfmodel_history_entry *e = l->entry;
		to->entry[to->n_entries++] = (struct weft_model_entry){
			.footprint = e->footprint,
			.n = e->nsample,
			.size = e->size,
			.flops = e->flops,
			.mean = e->mean,
			.deviation = e->deviation,
			.sum = e->sum,
			.sum2 = e->sum2,
		};
	}
	return 0;
}

static void fit_from(struct weft_model_fit *f, const struct starpu_perfmodel_regression_model *r)
{
	*f = (struct weft_model_fit){
		.sum_lnx = r->sumlnx,
		.sum_lnx2 = r->sumlnx2,
		.sum_lny = r->sumlny,
		.sum_lnx_lny = r->sumlnxlny,
		.alpha = r->alpha,
		.beta = r->beta,
		.n = r->nsample,
		.min_x = r->minx,
		.max_x = r->maxx,
		.a = r->a,
		.b = r->b,
		.c = r->c,
	};
}

static bool regression_of(const struct starpu_perfmodel *m)
{
	return m->type == STARPU_REGRESSION_BASED || m->type == STARPU_NL_REGRESSION_BASED;
}

/* y = a x^b + c, from the history: costs too much to follow each sample, so that it is known from the next run on. */
static void find_offset(struct starpu_perfmodel *m, struct starpu_perfmodel_per_arch *p, struct weft_model_impl *to)
{
	struct weft_model_fit *f = &to->fit;
	if (!weft_fit_power_valid(f, perf_conf.minimum) || !weft_fit_offset(f, to->entry, to->n_entries)) {
		f->a = f->b = f->c = NAN;
		if (p->regression.nsample)
			perf_say("no curve a x^b + c fits model %s yet: it wants %u samples or more, and three sizes that differ",
			         m->symbol, perf_conf.minimum);
	}
	p->regression.a = f->a;
	p->regression.b = f->b;
	p->regression.c = f->c;
}

static int find_products(struct starpu_perfmodel *m, struct starpu_perfmodel_per_arch *p)
{
	struct starpu_perfmodel_regression_model *r = &p->regression;
	uint32_t n = 0, k = 0;
	for (struct starpu_perfmodel_history_list *l = p->list; l; l = l->next)
		n += l->entry->parameters != NULL;
	if (!m->combinations || !m->ncombinations || !n)
		return 0;
	double *rows = malloc(((size_t)m->nparameters + 1) * n * sizeof *rows), *y = rows + (size_t)m->nparameters * n;
	double *coeff = malloc((m->ncombinations + 1) * sizeof *coeff);
	if (!rows || !coeff) {
		free(rows);
		free(coeff);
		return -ENOMEM;
	}
	for (struct starpu_perfmodel_history_list *l = p->list; l; l = l->next) {
		if (!l->entry->parameters)
			continue;
		memcpy(rows + (size_t)k * m->nparameters, l->entry->parameters, m->nparameters * sizeof *rows);
		y[k++] = l->entry->duration;
	}
	struct weft_fit_terms terms = {m->combinations, m->ncombinations, m->nparameters};
	int rc = weft_fit_products_find(&terms, rows, y, n, coeff);
	free(rows);
	if (rc == -EDOM) {
		perf_say("the parameters of model %s do not say enough: its coefficients stay unknown", m->symbol);
		rc = 0;
	} else if (!rc) {
		free(r->coeff);
		r->coeff = coeff;
		r->ncoeff = m->ncombinations + 1;
		r->multi_valid = 1;
		coeff = NULL;
	}
	free(coeff);
	return rc;
}

static int give_impl(struct starpu_perfmodel *m, struct starpu_perfmodel_per_arch *p, struct weft_model_impl *to)
{
	if (m->type == STARPU_MULTIPLE_REGRESSION_BASED) {
		int rc = find_products(m, p);
		if (rc)
			return rc;
	}
	fit_from(&to->fit, &p->regression);
	if (!regression_of(m))
		to->fit.alpha = to->fit.beta = NAN;
	if (m->type == STARPU_MULTIPLE_REGRESSION_BASED && p->regression.ncoeff) {
		to->fit.coeff = malloc(p->regression.ncoeff * sizeof *to->fit.coeff);
		if (!to->fit.coeff)
			return -ENOMEM;
		memcpy(to->fit.coeff, p->regression.coeff, p->regression.ncoeff * sizeof *to->fit.coeff);
		to->fit.n_coeff = p->regression.ncoeff;
	}
	/* Rows of parameters go to a file of their own. */
	int rc = m->type == STARPU_MULTIPLE_REGRESSION_BASED ? 0 : give_entries(to, p);
	if (!rc && m->type == STARPU_NL_REGRESSION_BASED)
		find_offset(m, p, to);
	else if (m->type != STARPU_NL_REGRESSION_BASED)
		to->fit.a = to->fit.b = to->fit.c = NAN;
	return rc;
}

static int give_comb(struct starpu_perfmodel *m, int comb, struct weft_model *file)
{
	struct starpu_perfmodel_per_arch **slot = m->state->slot[comb];
	uint32_t n = STARPU_MAXIMPLEMENTATIONS;
	while (n && !slot[n - 1])
		n--;
	if (!n)
		return 0;
	const struct starpu_perfmodel_arch *arch = perf_comb(comb);
	struct weft_model_comb *to = &file->comb[file->n_combs++];
	to->device = calloc((size_t)(arch->ndevices ? arch->ndevices : 1), sizeof *to->device);
	to->impl = calloc(n, sizeof *to->impl);
	if (!to->device || !to->impl)
		return -ENOMEM;
	to->n_devices = (uint32_t)arch->ndevices;
	for (int i = 0; i < arch->ndevices; i++)
		to->device[i] = (struct weft_model_device){(int)arch->devices[i].type, arch->devices[i].devid,
		                                           arch->devices[i].ncores};
	int rc = 0;
	for (uint32_t i = 0; i < n && !rc; i++, to->n_impls++) {
		to->impl[i].fit = (struct weft_model_fit){.alpha = NAN, .beta = NAN, .a = NAN, .b = NAN, .c = NAN};
		rc = slot[i] ? give_impl(m, slot[i], &to->impl[i]) : 0;
	}
	return rc;
}

/* The rows of a multiple regression, for looking at with other tools: SYMBOL.out, as StarPU writes it. */
static void save_rows(const struct starpu_perfmodel *m)
{
	char folder[4096], path[4400];
	struct weft_out out;
	perf_path_of_folder(folder, sizeof folder, "codelets/tmp");
	snprintf(path, sizeof path, "%s/%s.out", folder, m->symbol);
	if (weft_make_dirs(folder, NULL) || weft_out_open(&out, path, NULL))
		return;
	fprintf(out.to, "Duration");
	for (unsigned i = 0; i < m->nparameters; i++)
		fprintf(out.to, ", %s", m->parameters_names ? m->parameters_names[i] : "P");
	fprintf(out.to, "\n");
	for (int comb = 0; comb < PERF_COMBS * STARPU_MAXIMPLEMENTATIONS; comb++) {
		const struct starpu_perfmodel_per_arch *p =
			m->state->slot[comb / STARPU_MAXIMPLEMENTATIONS][comb % STARPU_MAXIMPLEMENTATIONS];
		for (struct starpu_perfmodel_history_list *l = p ? p->list : NULL; l; l = l->next) {
			if (!l->entry->parameters)
				continue;
			fprintf(out.to, "%f", l->entry->duration);
			for (unsigned i = 0; i < m->nparameters; i++)
				fprintf(out.to, ", %f", l->entry->parameters[i]);
			fprintf(out.to, "\n");
		}
	}
	/* It is beside the model: when it cannot be written, nothing is lost that the model needs. */
	if (weft_out_commit(&out, NULL))
		return;
}

int perf_save(struct starpu_perfmodel *m, struct weft_err *err)
{
	char path[4096];
	if (!m->symbol || !perf_path_of_codelet(path, sizeof path, m->symbol))
		return weft_err_set(err, -EINVAL, "a performance model without a symbol cannot be saved");
	int n = starpu_perfmodel_get_narch_combs(), rc = 0;
	struct weft_model file = {calloc((size_t)(n ? n : 1), sizeof *file.comb), 0};
	if (!file.comb)
		return weft_err_sys(err, ENOMEM, "cannot save '%s'", path);
	for (int i = 0; i < n && !rc; i++)
		rc = give_comb(m, i, &file);
	struct weft_model_names names = {m->parameters_names, m->nparameters, m->combinations};
	rc = rc ? weft_err_sys(err, -rc, "cannot save '%s'", path) : weft_model_write(&file, &names, path, err);
	weft_model_fini(&file);
	if (!rc && m->type == STARPU_MULTIPLE_REGRESSION_BASED)
		save_rows(m);
	return rc;
}
