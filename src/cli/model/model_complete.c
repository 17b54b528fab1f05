/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tasks.rec with a field more, EstimatedTime: microseconds on each worker, devices first, as StarPU numbers them. Of the task's model what was
 * measured for its footprint counts; where nothing was, the regression at the size of its data; nan where the model has neither. A
 * task without a model stays as it is.
 */
#include "model_cli.h"
#include "base/log.h"
#include "models/bus.h"
#include "taskfiles/rec_file.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct known {
	struct model_file *file; /* owned; NULL: there is none of that symbol */
};
struct complete {
	struct text_lines *from;
	FILE *to;
	struct model_names names;
	struct weft_intern symbol;
	WEFT_VEC(struct known) model; /* by number of symbol */
	struct weft_bus_config machine;
	struct weft_err *err;
};

static const struct {
	enum weft_bus_count count;
	const char *type;
	bool is_cpu; /* all of them have one model, the first's */
} kinds[] = {{WEFT_BUS_CUDA, "cuda", false}, {WEFT_BUS_OPENCL, "opencl", false}, {WEFT_BUS_CPU, "cpu", true}};

/* By the file's name, "SYMBOL.HOST". */
static struct model_file *find_model(const struct complete *c, struct weft_str symbol)
{
	for (size_t i = 0; i < c->names.of.n; i++) {
		const char *name = c->names.of.at[i].name;
		if (strncmp(name, symbol.at, symbol.n) != 0 || name[symbol.n] != '.')
			continue;
		struct model_file *f = calloc(1, sizeof *f);
		if (f && !model_open_name(&c->names.of.at[i], f) && !strncmp(f->symbol, symbol.at, symbol.n) &&
		    !f->symbol[symbol.n])
			return f;
		if (f)
			model_close(f);
		free(f);
	}
	weft_log(WEFT_LOG_WARN, "there is no performance model '%.*s'", (int)symbol.n, symbol.at);
	return NULL;
}

static int model_for(struct complete *c, struct weft_str symbol, const struct weft_model **out)
{
	uint32_t id;
	*out = NULL;
	if (weft_intern_add(&c->symbol, symbol, &id))
		return -ENOMEM;
	if (id == c->model.n && weft_vec_push(&c->model, (struct known){find_model(c, symbol)}))
		return -ENOMEM;
	if (c->model.at[id].file)
		*out = &c->model.at[id].file->m;
	return 0;
}

static double impl_time(const struct weft_model_impl *impl, uint32_t footprint, double size)
{
	for (uint32_t i = 0; i < impl->n_entries; i++)
		if (impl->entry[i].footprint == footprint && impl->entry[i].n)
			return impl->entry[i].mean;
	const struct weft_model_fit *f = &impl->fit;
	enum weft_model_kind kind = weft_model_kind(impl);
	if (kind == WEFT_MODEL_OFFSET)
		return f->a * pow(size, f->b) + f->c;
	return kind == WEFT_MODEL_POWER ? f->alpha * pow(size, f->beta) : NAN;
}

/* The shortest of the worker's implementations. */
static double worker_time(const struct weft_model *m, unsigned kind, uint32_t number, uint32_t footprint, double size)
{
	double least = NAN;
	for (uint32_t i = 0; i < m->n_combs; i++) {
		const struct weft_model_comb *comb = &m->comb[i];
		if (comb->n_devices != 1 || comb->device[0].cores > 1 ||
		    strcmp(weft_model_type_name(comb->device[0].type), kinds[kind].type) ||
		    comb->device[0].id != (int)(kinds[kind].is_cpu ? 0 : number))
			continue;
		for (uint32_t k = 0; k < comb->n_impls; k++)
			least = fmin(least, impl_time(&comb->impl[k], footprint, size));
	}
	return least;
}

static double sum_of_sizes(const struct record *r)
{
	struct weft_str rest = record_get(r, "Sizes");
	double sum = 0, one;
	while (rest.n)
		if (!weft_parse_double(weft_str_word(&rest), &one))
			sum += one;
	return sum;
}

static bool parse_hex(struct weft_str text, uint32_t *out)
{
	char digits[12], *end;
	snprintf(digits, sizeof digits, "%.*s", (int)(text.n < 10 ? text.n : 10), text.n ? text.at : "");
	unsigned long v = strtoul(digits, &end, 16);
	*out = (uint32_t)v;
	return text.n && text.n <= 8 && !*end;
}

static int print_estimate(struct complete *c, const struct record *r)
{
	struct weft_str symbol = record_get(r, "Model"), text = record_get(r, "Footprint");
	const struct weft_model *m;
	uint32_t footprint;
	if (!symbol.n || !text.at)
		return 0;
	if (!parse_hex(text, &footprint))
		return weft_err_set(c->err, WEFT_E_SYNTAX,
		                    "%s:%llu: field 'Footprint': expected hexadecimal digits, found '%.*s'",
		                    text_lines_name(c->from), (unsigned long long)r->line, (int)(text.n < 60 ? text.n : 60),
		                    text.at);
	if (model_for(c, symbol, &m))
		return weft_err_set(c->err, -ENOMEM, "out of memory");
	if (!m)
		return 0;
	fputs("EstimatedTime:", c->to);
	for (unsigned k = 0; k < sizeof kinds / sizeof *kinds; k++)
		for (uint32_t i = 0; i < c->machine.count[kinds[k].count]; i++)
			fprintf(c->to, " %f", worker_time(m, k, i, footprint, sum_of_sizes(r)));
	putc('\n', c->to);
	return 0;
}

static void print_field(FILE *to, const struct record_field *f)
{
	fwrite(f->name.at, 1, f->name.n, to);
	fputs(": ", to);
	for (size_t i = 0; i < f->value.n; i++) {
		putc(f->value.at[i], to);
		if (f->value.at[i] == '\n')
			fputs("+ ", to);
	}
	putc('\n', to);
}

static int complete_all(struct complete *c)
{
	struct record r = {.line = 0};
	int rc;
	while ((rc = record_next(&r, c->from, c->err)) > 0) {
		for (size_t i = 0; i < r.field.n; i++)
			if (!weft_str_eq(r.field.at[i].name, "EstimatedTime"))
				print_field(c->to, &r.field.at[i]);
		rc = print_estimate(c, &r);
		if (rc)
			break;
		putc('\n', c->to);
	}
	record_fini(&r);
	return rc;
}

static void fini(struct complete *c)
{
	for (size_t i = 0; i < c->model.n; i++)
		if (c->model.at[i].file) {
			model_close(c->model.at[i].file);
			free(c->model.at[i].file);
		}
	free(c->model.at);
	weft_intern_fini(&c->symbol);
	model_names_fini(&c->names);
	text_lines_close(c->from);
}

int model_complete(const struct model_args *a, const char *input, const char *output)
{
	struct weft_err err = {0};
	struct weft_out out;
	struct complete c = {.err = &err};
	char here[256];
	const char *host = model_host(a, here, sizeof here);
	int status = model_names(host, &c.names);
	if (!status && text_lines_open(&c.from, input ? input : "-", &err))
		status = cli_fail(&err);
	if (!status && weft_out_open(&out, output ? output : "-", &err))
		status = cli_fail(&err);
	if (status) {
		fini(&c);
		return status;
	}
	model_machine(host, &c.machine);
	c.to = out.to;
	if (complete_all(&c)) {
		weft_out_abandon(&out);
		status = cli_fail(&err);
	} else if (weft_out_commit(&out, &err)) {
		status = cli_fail(&err);
	}
	fini(&c);
	return status;
}
