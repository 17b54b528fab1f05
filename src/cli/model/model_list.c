/* SPDX-License-Identifier: Apache-2.0 */
/* `weft model list` and `show`. */
#include "model_cli.h"
#include "models/model_show.h"
#include "base/json.h"
#include "base/str.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static const char *const kind_names[] = {"history", "a*n^b", "a*n^b+c", "multiple"};

static struct weft_cell text_cell(const char *text)
{
	return (struct weft_cell){WEFT_CELL_TEXT, {.text = text}};
}
static struct weft_cell count_cell(uint64_t v)
{
	return (struct weft_cell){WEFT_CELL_U64, {.u64 = v}};
}
static struct weft_cell real_cell(double v)
{
	return (struct weft_cell){isnan(v) ? WEFT_CELL_NONE : WEFT_CELL_DOUBLE, {.f64 = v}};
}

/* -- list -- */

static int list_row(struct weft_table *t, const struct model_name *name, const struct model_file *f)
{
	struct weft_buf places = {0};
	char one[512];
	uint64_t entries = 0, samples = 0;
	enum weft_model_kind kind = WEFT_MODEL_HISTORY;
	for (uint32_t i = 0; i < f->m.n_combs; i++)
		for (uint32_t k = 0; k < f->m.comb[i].n_impls; k++) {
			const struct weft_model_impl *impl = &f->m.comb[i].impl[k];
			model_place(one, sizeof one, &f->m.comb[i], k);
			weft_buf_printf(&places, "%s%s", places.n ? " " : "", one);
			kind = weft_model_kind(impl) > kind ? weft_model_kind(impl) : kind;
			entries += impl->n_entries;
			for (uint32_t e = 0; e < impl->n_entries; e++)
				samples += impl->entry[e].n;
		}
	const struct weft_cell row[] = {text_cell(f->symbol),        text_cell(f->host),
	                                text_cell(kind_names[kind]), text_cell(places.n ? places.at : ""),
	                                count_cell(entries),         count_cell(samples),
	                                text_cell(name->folder)};
	int rc = places.failed ? -ENOMEM : weft_table_row(t, row);
	weft_buf_fini(&places);
	return rc;
}

int model_list(const struct model_args *a, char **operand, int n)
{
	static const struct weft_column columns[] = {
		{"symbol", "symbol", WEFT_CELL_TEXT}, {"host", "host", WEFT_CELL_TEXT},  {"kind", "kind", WEFT_CELL_TEXT},
		{"places", "places", WEFT_CELL_TEXT}, {"sizes", "sizes", WEFT_CELL_U64}, {"samples", "samples", WEFT_CELL_U64},
		{"folder", "folder", WEFT_CELL_TEXT},
	};
	struct model_names names;
	struct weft_table t;
	(void)operand, (void)n;
	int rc = model_names(a->host, &names);
	weft_table_init(&t, columns, sizeof columns / sizeof *columns);
	for (size_t i = 0; i < names.of.n && !rc; i++) {
		struct model_file f;
		if (model_open_name(&names.of.at[i], &f))
			continue;
		rc = list_row(&t, &names.of.at[i], &f) ? cli_fail_code(-ENOMEM) : 0;
		model_close(&f);
	}
	model_names_fini(&names);
	if (rc) {
		weft_table_fini(&t);
		return rc;
	}
	return cli_table(&t, &a->common);
}

/* -- show -- */

static bool is_chosen(const struct weft_model_entry *e, const uint32_t *footprint)
{
	return !footprint || e->footprint == *footprint;
}

static double gflops(const struct weft_model_entry *e)
{
	return e->flops > 0 && e->mean > 0 ? e->flops / e->mean / 1e3 : NAN;
}

static int show_table(const struct model_args *a, const struct model_file *f, const uint32_t *footprint)
{
	static const struct weft_column columns[] = {
		{"place", "place", WEFT_CELL_TEXT},
		{"footprint", "footprint", WEFT_CELL_TEXT},
		{"size", "size", WEFT_CELL_U64},
		{"samples", "samples", WEFT_CELL_U64},
		{"mean", "mean (us or J)", WEFT_CELL_DOUBLE},
		{"deviation", "deviation", WEFT_CELL_DOUBLE},
		{"deviation_percent", "of mean", WEFT_CELL_PERCENT},
		{"flops", "flops", WEFT_CELL_DOUBLE},
		{"gflops", "GFlop/s", WEFT_CELL_DOUBLE},
	};
	struct weft_table t;
	char name[512], hash[16];
	int rc = 0;
	weft_table_init(&t, columns, sizeof columns / sizeof *columns);
	for (uint32_t i = 0; i < f->m.n_combs && !rc; i++)
		for (uint32_t k = 0; k < f->m.comb[i].n_impls && model_is_chosen(&f->m.comb[i], a) && !rc; k++)
			for (uint32_t n = 0; n < f->m.comb[i].impl[k].n_entries && !rc; n++) {
				const struct weft_model_entry *e = &f->m.comb[i].impl[k].entry[n];
				if (!is_chosen(e, footprint))
					continue;
				model_place(name, sizeof name, &f->m.comb[i], k);
				snprintf(hash, sizeof hash, "%08x", e->footprint);
				struct weft_cell part = {e->mean > 0 ? WEFT_CELL_PERCENT : WEFT_CELL_NONE,
				                         {.f64 = 100 * e->deviation / e->mean}};
				const struct weft_cell row[] = {text_cell(name),
				                                text_cell(hash),
				                                count_cell(e->size),
				                                count_cell(e->n),
				                                real_cell(e->mean),
				                                real_cell(e->deviation),
				                                part,
				                                real_cell(e->flops),
				                                real_cell(gflops(e))};
				rc = weft_table_row(&t, row);
			}
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, &a->common);
}

/* What stands behind the table: the curves, each in a line. */
static void print_curves(const struct model_args *a, const struct model_file *f)
{
	char name[512], number[7][WEFT_FMT_DOUBLE];
	for (uint32_t i = 0; i < f->m.n_combs; i++)
		for (uint32_t k = 0; k < f->m.comb[i].n_impls && model_is_chosen(&f->m.comb[i], a); k++) {
			const struct weft_model_fit *c = &f->m.comb[i].impl[k].fit;
			const double values[] = {c->alpha, c->beta, c->a, c->b, c->c};
			model_place(name, sizeof name, &f->m.comb[i], k);
			for (int v = 0; v < 5; v++)
				snprintf(number[v], sizeof number[v], "%.6g", values[v]);
			if (c->n && !isnan(c->alpha))
				printf("%s: y = %s * size^%s, of %u samples of %" PRIu64 " to %" PRIu64 " bytes\n", name,
				       number[0], number[1], c->n, c->min_x, c->max_x);
			if (!isnan(c->a) && !isnan(c->b) && !isnan(c->c))
				printf("%s: y = %s * size^%s + %s\n", name, number[2], number[3], number[4]);
			for (uint32_t v = 0; v < c->n_coeff; v++) {
				snprintf(number[0], sizeof number[0], "%.6g", c->coeff[v]);
				printf("%s%s%s", v ? ", " : name, v ? "" : ": coefficients ", number[0]);
			}
			printf("%s", c->n_coeff ? "\n" : "");
		}
}

static void json_real(struct weft_json *j, const char *key, double v)
{
	weft_json_key(j, key);
	weft_json_double(j, v);
}
static void json_count(struct weft_json *j, const char *key, uint64_t v)
{
	weft_json_key(j, key);
	weft_json_u64(j, v);
}
static void json_text(struct weft_json *j, const char *key, const char *text)
{
	weft_json_key(j, key);
	weft_json_string(j, text);
}

static void json_fit(struct weft_json *j, const struct weft_model_fit *f)
{
	json_count(j, "samples", f->n);
	json_count(j, "min_size", f->min_x);
	json_count(j, "max_size", f->max_x);
	json_real(j, "alpha", f->n ? f->alpha : NAN);
	json_real(j, "beta", f->n ? f->beta : NAN);
	json_real(j, "a", f->a);
	json_real(j, "b", f->b);
	json_real(j, "c", f->c);
	weft_json_key(j, "coefficients");
	weft_json_array(j);
	for (uint32_t i = 0; i < f->n_coeff; i++)
		weft_json_double(j, f->coeff[i]);
	weft_json_end(j);
}

static void json_entry(struct weft_json *j, const struct weft_model_entry *e)
{
	char hash[16];
	snprintf(hash, sizeof hash, "%08x", e->footprint);
	weft_json_object(j);
	json_text(j, "footprint", hash);
	json_count(j, "size", e->size);
	json_count(j, "samples", e->n);
	json_real(j, "mean", e->mean);
	json_real(j, "deviation", e->deviation);
	json_real(j, "flops", e->flops);
	json_real(j, "gflops", gflops(e));
	weft_json_end(j);
}

static void json_impl(struct weft_json *j, const struct weft_model_comb *c, uint32_t number, const uint32_t *footprint)
{
	const struct weft_model_impl *impl = &c->impl[number];
	char name[512];
	model_place(name, sizeof name, c, number);
	weft_json_object(j);
	json_text(j, "place", name);
	weft_json_key(j, "devices");
	weft_json_array(j);
	for (uint32_t i = 0; i < c->n_devices; i++) {
		weft_json_object(j);
		json_text(j, "type", weft_model_type_name(c->device[i].type));
		json_count(j, "id", (uint64_t)c->device[i].id);
		json_count(j, "cores", (uint64_t)c->device[i].cores);
		weft_json_end(j);
	}
	weft_json_end(j);
	json_count(j, "implementation", number);
	json_text(j, "kind", kind_names[weft_model_kind(impl)]);
	json_fit(j, &impl->fit);
	weft_json_key(j, "sizes");
	weft_json_array(j);
	for (uint32_t i = 0; i < impl->n_entries; i++)
		if (is_chosen(&impl->entry[i], footprint))
			json_entry(j, &impl->entry[i]);
	weft_json_end(j);
	weft_json_end(j);
}

static int show_json(const struct model_args *a, const struct model_file *f, const uint32_t *footprint)
{
	struct weft_json j;
	weft_json_init(&j, stdout, true);
	weft_json_object(&j);
	json_text(&j, "symbol", f->symbol);
	json_text(&j, "host", f->host);
	json_text(&j, "path", f->path);
	json_count(&j, "version", WEFT_MODEL_VERSION);
	weft_json_key(&j, "implementations");
	weft_json_array(&j);
	for (uint32_t i = 0; i < f->m.n_combs; i++)
		for (uint32_t k = 0; k < f->m.comb[i].n_impls && model_is_chosen(&f->m.comb[i], a); k++)
			json_impl(&j, &f->m.comb[i], k, footprint);
	weft_json_end(&j);
	weft_json_end(&j);
	return CLI_OK;
}

int model_show(const struct model_args *a, char **operand, int n)
{
	struct model_file f;
	uint32_t room;
	const uint32_t *footprint;
	(void)n;
	if (!model_footprint(a, &room, &footprint))
		return CLI_USAGE;
	int status = model_open(a, operand[0], &f);
	if (status)
		return status;
	if (a->xml)
		weft_model_xml(&f.m, f.symbol, NULL, stdout);
	else if (a->common.json)
		status = show_json(a, &f, footprint);
	else
		status = show_table(a, &f, footprint);
	if (!status && !a->xml && !a->common.json && !a->common.csv)
		print_curves(a, &f);
	model_close(&f);
	return status;
}
