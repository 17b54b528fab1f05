/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Multiple linear regressions: their rows, which are kept in codelets/tmp/SYMBOL.out over runs, and the coefficients found from them.
 * A run adds what it measured to what is there (after STARPU_CALIBRATE=2 it begins anew). Runs that end at once take turns: a lock on
 * the folder is held from reading to writing, so that none loses another's rows. A row that is in the file has nsample 1.
 */
#include "perf.h"
#include "base/fs.h"
#include "models/fit.h"
#include "models/model_path.h"
#include "models/model_rows.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

/* "0:0:1/2", or with '+' between devices. */
static void name_place(char *at, size_t n, int comb, int impl)
{
	const struct starpu_perfmodel_arch *arch = perf_comb(comb);
	size_t used = 0;
	for (int i = 0; i < arch->ndevices && used < n; i++) {
		const struct starpu_perfmodel_device *d = &arch->devices[i];
		used += (size_t)snprintf(at + used, n - used, "%s%d:%d:%d", i ? "+" : "", (int)d->type, d->devid, d->ncores);
	}
	if (used < n)
		snprintf(at + used, n - used, "/%d", impl);
}

/* From this slot's list, oldest first, what is not in the file yet. */
static int add_new(struct weft_model_rows *rows, const struct starpu_perfmodel_per_arch *p, const char *place, unsigned *n_new)
{
	size_t n = 0;
	for (const struct starpu_perfmodel_history_list *l = p->list; l; l = l->next)
		n += l->entry->parameters && !l->entry->nsample;
	struct starpu_perfmodel_history_entry **entry = malloc((n + 1) * sizeof *entry);
	if (!entry)
		return -ENOMEM;
	size_t k = n;
	for (const struct starpu_perfmodel_history_list *l = p->list; l; l = l->next)
		if (l->entry->parameters && !l->entry->nsample)
			entry[--k] = l->entry;
	int rc = 0;
	for (; k < n && !rc; k++) {
		rc = weft_model_rows_add(rows, entry[k]->duration, entry[k]->parameters, place);
		*n_new += !rc;
	}
	free(entry);
	return rc;
}

static void mark_saved(struct starpu_perfmodel_per_arch *p)
{
	for (struct starpu_perfmodel_history_list *l = p->list; l; l = l->next)
		l->entry->nsample = 1;
}

/* The coefficients of one slot, from its rows and those whose place is not known. */
static int find_products(struct starpu_perfmodel *m, struct starpu_perfmodel_per_arch *p, const struct weft_model_rows *rows,
                         const char *place)
{
	struct starpu_perfmodel_regression_model *r = &p->regression;
	uint32_t own = weft_model_rows_place(rows, place), wide = rows->n_parameters, n = 0;
	if (!m->combinations || !m->ncombinations)
		return 0;
	double *x = malloc(((size_t)wide + 1) * (rows->n + 1) * sizeof *x), *y = x + (size_t)wide * rows->n;
	double *coeff = malloc(((size_t)m->ncombinations + 1) * sizeof *coeff);
	for (uint32_t i = 0; x && i < rows->n; i++) {
		const double *cell = rows->cell.at + (size_t)i * (wide + 1);
		if (rows->place.at[i] && rows->place.at[i] != own)
			continue;
		memcpy(x + (size_t)n * wide, cell + 1, wide * sizeof *x);
		y[n++] = cell[0];
	}
	struct weft_fit_terms terms = {m->combinations, m->ncombinations, m->nparameters};
	int rc = x && coeff ? weft_fit_products_robust(&terms, x, y, n, coeff, NULL) : -ENOMEM;
	free(x);
	if (rc == -EDOM && n)
		perf_say("the parameters of model %s do not say enough: its coefficients stay unknown", m->symbol);
	if (rc) {
		free(coeff);
		return rc == -EDOM ? 0 : rc;
	}
	free(r->coeff);
	r->coeff = coeff;
	r->ncoeff = m->ncombinations + 1;
	r->multi_valid = 1;
	return 0;
}

/* What the file has; begun anew where it is not there, not of these parameters, or no such file. */
static int begin_rows(struct starpu_perfmodel *m, const char *path, struct weft_model_rows *rows)
{
	struct weft_err err = {0};
	bool forget = perf_conf.calibrate == 2 && !m->state->rows_begun;
	if (!forget && !weft_model_rows_read(rows, path, &err)) {
		if (rows->n_parameters == m->nparameters)
			return 0;
		weft_err_set(&err, WEFT_E_SYNTAX, "%s: expected %u parameters, as model %s has, found %u", path, m->nparameters,
		             m->symbol, rows->n_parameters);
		weft_model_rows_fini(rows);
	}
	if (err.code && err.code != -ENOENT)
		perf_set_aside(path, &err);
	return weft_model_rows_init(rows, m->nparameters, m->parameters_names);
}

static int for_each_slot(struct starpu_perfmodel *m, struct weft_model_rows *rows, unsigned *n_new)
{
	char place[256];
	int rc = 0;
	for (int i = 0; i < PERF_COMBS * STARPU_MAXIMPLEMENTATIONS && !rc; i++) {
		int comb = i / STARPU_MAXIMPLEMENTATIONS, impl = i % STARPU_MAXIMPLEMENTATIONS;
		struct starpu_perfmodel_per_arch *p = m->state->slot[comb][impl];
		if (!p)
			continue;
		name_place(place, sizeof place, comb, impl);
		rc = n_new ? add_new(rows, p, place, n_new) : find_products(m, p, rows, place);
	}
	return rc;
}

/* The folder's lock, until its descriptor is closed. A file system without locks is used without. */
static int lock_folder(const char *folder)
{
	int fd = weft_open_folder(folder);
	while (fd >= 0 && flock(fd, LOCK_EX) && errno == EINTR) {}
	return fd;
}

int perf_rows_save(struct starpu_perfmodel *m)
{
	char folder[4096], path[4400];
	struct weft_model_rows rows = {0};
	struct weft_err err = {0};
	unsigned n_new = 0;
	perf_path_of_folder(folder, sizeof folder, "codelets/tmp");
	snprintf(path, sizeof path, "%s/%s.out", folder, m->symbol);
	int rc = weft_make_dirs(folder, &err), fd = rc ? -1 : lock_folder(folder);
	rc = begin_rows(m, path, &rows);
	rc = rc ? rc : for_each_slot(m, &rows, &n_new);
	/* It is beside the model: when it cannot be written, coefficients are found all the same. */
	if (!rc && !err.code && n_new && weft_model_rows_write(&rows, path, &err))
		n_new = 0;
	if (err.code)
		perf_say("%s", err.text);
	for (int i = 0; i < PERF_COMBS * STARPU_MAXIMPLEMENTATIONS && !err.code && !rc; i++) {
		struct starpu_perfmodel_per_arch *p =
			m->state->slot[i / STARPU_MAXIMPLEMENTATIONS][i % STARPU_MAXIMPLEMENTATIONS];
		if (p)
			mark_saved(p);
	}
	m->state->rows_begun = true;
	rc = rc ? rc : for_each_slot(m, &rows, NULL);
	weft_model_rows_fini(&rows);
	if (fd >= 0)
		close(fd);
	return rc;
}
