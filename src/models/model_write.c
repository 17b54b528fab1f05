/* SPDX-License-Identifier: Apache-2.0 */
/* Writing a model file as StarPU does, with its comments, so that people find what they know and a diff shows only numbers. */
#include "base/fs.h"
#include "model.h"
#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

/* At least as StarPU does, in a column of 15; the caller has set the locale. */
static void print_real(FILE *to, double v, const char *behind)
{
	char text[40];
	for (int digits = 6; digits <= 16; digits++) {
		snprintf(text, sizeof text, "%.*e", digits, v);
		if (strtod(text, NULL) == v)
			break;
	}
	/* Not a number is never equal, and has one text. */
	fprintf(to, "%-15s%s", text, behind);
}

static void print_coeff_names(const struct weft_model_names *names, uint32_t n, FILE *to)
{
	fprintf(to, "# n\tintercept\t");
	for (uint32_t i = 0; names && names->product && i + 1 < n; i++) {
		bool first = true;
		for (uint32_t k = 0; k < names->n_parameters; k++) {
			unsigned power = names->product[i][k];
			if (!power)
				continue;
			fprintf(to, "%s%s", first ? "" : "*",
			        names->parameter && names->parameter[k] ? names->parameter[k] : "?");
			if (power > 1)
				fprintf(to, "^%u", power);
			first = false;
		}
		fprintf(to, "\t\t");
	}
	fprintf(to, "\n");
}

static void print_fit(const struct weft_model_fit *f, const struct weft_model_names *names, FILE *to)
{
	fprintf(to, "# sumlnx\tsumlnx2\t\tsumlny\t\tsumlnxlny\talpha\t\tbeta\t\tn\tminx\t\tmaxx\n");
	const double sums[] = {f->sum_lnx, f->sum_lnx2, f->sum_lny, f->sum_lnx_lny, f->alpha, f->beta};
	for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
		print_real(to, sums[i], "\t");
	fprintf(to, "%u\t%-15lu\t%-15lu\n# a\t\tb\t\tc\n", f->n, (unsigned long)f->min_x, (unsigned long)f->max_x);
	print_real(to, f->a, "\t");
	print_real(to, f->b, "\t");
	print_real(to, f->c, "\n");
	if (!f->n_coeff) {
		fprintf(to, "# not multiple-regression-base\n0\n");
		return;
	}
	print_coeff_names(names, f->n_coeff, to);
	fprintf(to, "%u", f->n_coeff);
	for (uint32_t i = 0; i < f->n_coeff; i++) {
		fprintf(to, "\t");
		print_real(to, f->coeff[i], "");
	}
	fprintf(to, "\n");
}

static void print_impl(const struct weft_model_impl *impl, const struct weft_model_names *names, FILE *to)
{
	fprintf(to, "# number of entries\n%u\n", impl->n_entries);
	print_fit(&impl->fit, names, to);
	if (impl->n_entries)
		fprintf(to, "# hash\t\tsize\t\tflops\t\tmean (us)\tdev (us)\tsum\t\tsum2\t\tn\n");
	for (uint32_t i = 0; i < impl->n_entries; i++) {
		const struct weft_model_entry *e = &impl->entry[i];
		const double columns[] = {e->flops, e->mean, e->deviation, e->sum, e->sum2};
		fprintf(to, "%08x\t%-15lu\t", e->footprint, (unsigned long)e->size);
		for (size_t k = 0; k < sizeof columns / sizeof *columns; k++)
			print_real(to, columns[k], "\t");
		fprintf(to, "%u\n", e->n);
	}
	fprintf(to, "\n");
}

static void print_comb(const struct weft_model_comb *c, uint32_t number, const struct weft_model_names *names, FILE *to)
{
	static const char rule[] = "####################\n";
	fprintf(to, "%s# COMB_%u\n# number of types devices\n%u\n", rule, number, c->n_devices);
	for (uint32_t i = 0; i < c->n_devices; i++) {
		const struct weft_model_device *d = &c->device[i];
		fprintf(to, "%s# DEV_%u\n# device type (CPU - 0, CUDA - 1, OPENCL - 2, MIC - 3, MPI_MS - 5)\n%d\n", rule, i,
		        d->type);
		fprintf(to, "%s# DEV_%u\n# device id \n%d\n", rule, i, d->id);
		fprintf(to, "%s# DEV_%u\n# number of cores \n%d\n", rule, i, d->cores);
	}
	fprintf(to, "##########\n# number of implementations\n%u\n", c->n_impls);
	for (uint32_t i = 0; i < c->n_impls; i++) {
		char name[512];
		weft_model_impl_name(name, sizeof name, c->device, c->n_devices, i, number);
		fprintf(to, "#####\n# Model for %s\n", name);
		print_impl(&c->impl[i], names, to);
	}
}

void weft_model_print(const struct weft_model *m, const struct weft_model_names *names, FILE *to)
{
	/* A program that has set a locale with a decimal comma writes points all the same. */
	locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = c ? uselocale(c) : (locale_t)0;
	fprintf(to, "##################\n# Performance Model Version\n%d\n\n", WEFT_MODEL_VERSION);
	fprintf(to, "####################\n# COMBs\n# number of combinations\n%u\n", m->n_combs);
	for (uint32_t i = 0; i < m->n_combs; i++)
		print_comb(&m->comb[i], i, names, to);
	if (c) {
		uselocale(before);
		freelocale(c);
	}
}

int weft_model_write(const struct weft_model *m, const struct weft_model_names *names, const char *path, struct weft_err *err)
{
	const char *slash = strrchr(path, '/');
	char *folder = slash ? strndup(path, (size_t)(slash - path)) : NULL;
	if (slash && !folder)
		return weft_err_sys(err, ENOMEM, "cannot write '%s'", path);
	struct weft_out out;
	int rc = folder && *folder ? weft_make_dirs(folder, err) : 0;
	free(folder);
	rc = rc ? rc : weft_out_open(&out, path, err);
	if (rc)
		return rc;
	weft_model_print(m, names, out.to);
	return weft_out_commit(&out, err);
}
