/* SPDX-License-Identifier: Apache-2.0 */
/* Between a struct starpu_perfmodel and its file. The caller holds the model's lock for writing, or knows that it is alone. */
#include "perf.h"
#include "base/fs.h"
#include "models/fit.h"
#include "models/model_path.h"
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

void perf_set_aside(const char *path, const struct weft_err *err)
{
	char aside[4200];
	snprintf(aside, sizeof aside, "%s" WEFT_MODEL_ASIDE, path);
	bool is_text = err->code == WEFT_E_SYNTAX || err->code == WEFT_E_VERSION;
	/* What cannot be read now may be read another time, and a folder of others is theirs. */
	if (is_text && !rename(path, aside))
		perf_say("%s; the file is set aside as '%s'", err->text, aside);
	else
		perf_say("%s", err->text);
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

static int give_impl(struct starpu_perfmodel *m, struct starpu_perfmodel_per_arch *p, struct weft_model_impl *to)
{
	bool is_multiple = m->type == STARPU_MULTIPLE_REGRESSION_BASED;
	fit_from(&to->fit, &p->regression);
	if (!regression_of(m))
		to->fit.alpha = to->fit.beta = NAN;
	if (m->type != STARPU_NL_REGRESSION_BASED || !p->regression.nl_valid)
		to->fit.a = to->fit.b = to->fit.c = NAN;
	if (is_multiple && p->regression.ncoeff) {
		to->fit.coeff = malloc(p->regression.ncoeff * sizeof *to->fit.coeff);
		if (!to->fit.coeff)
			return -ENOMEM;
		memcpy(to->fit.coeff, p->regression.coeff, p->regression.ncoeff * sizeof *to->fit.coeff);
		to->fit.n_coeff = p->regression.ncoeff;
	}
	/* Rows of parameters go to a file of their own. */
	return is_multiple ? 0 : give_entries(to, p);
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
	to->number = (uint32_t)comb;
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

int perf_copy(struct starpu_perfmodel *m, struct weft_model *file)
{
	int n = m->state ? starpu_perfmodel_get_narch_combs() : 0, rc = 0;
	*file = (struct weft_model){calloc((size_t)(n ? n : 1), sizeof *file->comb), 0};
	if (!file->comb)
		return -ENOMEM;
	for (int i = 0; i < n && !rc; i++)
		rc = give_comb(m, i, file);
	if (rc)
		weft_model_fini(file);
	return rc;
}

/* -- what is fitted at the end -- */

/*
 * y = a x^b + c, from the history: costs too much to follow each sample, so that it is known from the next run on. Programs that ask
 * for it earlier (starpu_save_history_based_model) have it at once.
 */
static void find_offset(const struct starpu_perfmodel *m, struct starpu_perfmodel_per_arch *p)
{
	struct starpu_perfmodel_regression_model *r = &p->regression;
	struct weft_model_impl history = {0};
	struct weft_model_fit f;
	fit_from(&f, r);
	bool ok = weft_fit_power_valid(&f, perf_conf.minimum) && !give_entries(&history, p) &&
	          weft_fit_offset(&f, history.entry, history.n_entries);
	free(history.entry);
	if (!ok && r->nsample)
		perf_say("no curve a x^b + c fits model %s yet: it wants %u samples or more, and three sizes that differ",
		         m->symbol, perf_conf.minimum);
	r->a = ok ? f.a : NAN;
	r->b = ok ? f.b : NAN;
	r->c = ok ? f.c : NAN;
	r->nl_valid = ok;
}

static int fit_all(struct starpu_perfmodel *m)
{
	if (m->type == STARPU_MULTIPLE_REGRESSION_BASED)
		return perf_rows_save(m);
	for (int i = 0; m->type == STARPU_NL_REGRESSION_BASED && i < PERF_COMBS * STARPU_MAXIMPLEMENTATIONS; i++) {
		struct starpu_perfmodel_per_arch *p =
			m->state->slot[i / STARPU_MAXIMPLEMENTATIONS][i % STARPU_MAXIMPLEMENTATIONS];
		if (p)
			find_offset(m, p);
	}
	return 0;
}

int perf_save(struct starpu_perfmodel *m, struct weft_err *err)
{
	char path[4096];
	struct weft_model file = {0};
	if (!m->symbol || !perf_path_of_codelet(path, sizeof path, m->symbol))
		return weft_err_set(err, -EINVAL, "a performance model without a symbol cannot be saved");
	int rc = fit_all(m);
	rc = rc ? rc : perf_copy(m, &file);
	/* In the file, combinations have its own numbers. */
	for (uint32_t i = 0; i < file.n_combs; i++)
		file.comb[i].number = i;
	struct weft_model_names names = {m->parameters_names, m->nparameters, m->combinations};
	rc = rc ? weft_err_sys(err, -rc, "cannot save '%s'", path) : weft_model_write(&file, &names, path, err);
	weft_model_fini(&file);
	return rc;
}
