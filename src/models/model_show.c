/* SPDX-License-Identifier: Apache-2.0 */
/* Models as text and as XML: one walk over combinations and implementations, a function for each part of them. */
#include "model_show.h"
#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- which -- */

/* How much of a text is the name of a kind of device; -1: none. */
static int type_of(const char *asked, size_t *n)
{
	for (int type = 0; strcmp(weft_model_type_name(type), "unknown") != 0; type++) {
		const char *name = weft_model_type_name(type);
		*n = strlen(name);
		if (!strncmp(asked, name, *n))
			return type;
	}
	return -1;
}

/* What stands behind the kind: nothing, ":CORES", or a device's number. */
static bool read_rest(const char *rest, int *cores, int *device)
{
	bool is_cores = *rest == ':';
	*cores = *device = -1;
	rest += is_cores || *rest == '_';
	if (!*rest)
		return !is_cores;
	for (const char *at = rest; *at; at++)
		if (!isdigit((unsigned char)*at) || at - rest > 6)
			return false;
	*(is_cores ? cores : device) = atoi(rest);
	return true;
}

bool weft_model_is_arch(const char *asked)
{
	size_t n;
	int cores, device;
	return type_of(asked, &n) >= 0 && read_rest(asked + n, &cores, &device);
}

bool weft_model_asked_for(const struct weft_model_comb *c, const char *asked)
{
	size_t n;
	int cores, device;
	if (!asked)
		return true;
	int type = type_of(asked, &n);
	if (c->n_devices != 1 || type < 0 || !read_rest(asked + n, &cores, &device) || c->device[0].type != type)
		return false;
	if (cores >= 0)
		return c->device[0].cores == cores;
	/* "cpu" is one core. */
	if (type == 0 && c->device[0].cores != 1)
		return false;
	return device < 0 || c->device[0].id == device;
}

/* -- parameters -- */

#define OF_ENTRY(field) offsetof(struct weft_model_entry, field), true
#define OF_FIT(field) offsetof(struct weft_model_fit, field), false
static const struct parameter {
	const char *name;
	size_t offset;
	bool of_entry;
} parameters[] = {
	{"a", OF_FIT(a)},
	{"b", OF_FIT(b)},
	{"c", OF_FIT(c)},
	{"alpha", OF_FIT(alpha)},
	{"beta", OF_FIT(beta)},
	{"mean", OF_ENTRY(mean)},
	{"stddev", OF_ENTRY(deviation)},
};
static const char debug_path[] = "path-file-debug";
const char weft_model_parameters[] = "a b c alpha beta mean stddev path-file-debug";

static const struct parameter *find_parameter(const char *name)
{
	for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++)
		if (!strcmp(parameters[i].name, name))
			return &parameters[i];
	return NULL;
}

bool weft_model_has_parameter(const char *name)
{
	return find_parameter(name) || !strcmp(name, debug_path);
}

static double double_at(const void *base, size_t offset)
{
	double v;
	memcpy(&v, (const char *)base + offset, sizeof v);
	return v;
}

static bool is_chosen(const struct weft_model_entry *e, const struct weft_model_show *how)
{
	return !how->footprint || *how->footprint == e->footprint;
}

static void show_parameter(const struct weft_model_impl *impl, const char *name, const struct weft_model_show *how, FILE *to)
{
	const struct parameter *p = find_parameter(how->parameter);
	if (!strcmp(how->parameter, debug_path))
		fprintf(to, "\t%s.%s.debug\n", how->debug ? how->debug : "", name);
	else if (p && !p->of_entry)
		fprintf(to, "%e\n", double_at(&impl->fit, p->offset));
	for (uint32_t i = 0; p && p->of_entry && i < impl->n_entries; i++)
		if (is_chosen(&impl->entry[i], how))
			fprintf(to, "%-15e\n", double_at(&impl->entry[i], p->offset));
}

/* -- text -- */

static void show_curves(const struct weft_model_fit *f, FILE *to)
{
	if (f->n)
		fprintf(to, "\tRegression : #sample = %u\n", f->n);
	if (f->n && !isnan(f->alpha) && !isnan(f->beta))
		fprintf(to, "\tLinear: y = alpha size ^ beta\n\t\talpha = %e\n\t\tbeta = %e\n", f->alpha, f->beta);
	if (!isnan(f->a) && !isnan(f->b) && !isnan(f->c))
		fprintf(to, "\tNon-Linear: y = a size ^b + c\n\t\ta = %e\n\t\tb = %e\n\t\tc = %e\n", f->a, f->b, f->c);
	for (uint32_t i = 0; i < f->n_coeff; i++)
		fprintf(to, "%s%e%s", i ? " " : "\tcoefficients: ", f->coeff[i], i + 1 < f->n_coeff ? "" : "\n");
}

void weft_model_show_impl(const struct weft_model_comb *c, uint32_t impl, const struct weft_model_show *how, FILE *to)
{
	const struct weft_model_impl *m = &c->impl[impl];
	char name[512];
	locale_t l = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = l ? uselocale(l) : (locale_t)0;
	weft_model_impl_name(name, sizeof name, c->device, c->n_devices, impl, c->number);
	fprintf(to, "# performance model for %s\n", name);
	if (how->parameter) {
		show_parameter(m, name, how, to);
	} else {
		show_curves(&m->fit, to);
		fputs("# hash\t\tsize\t\tflops\t\tmean (us or J)\tstddev (us or J)\t\tn\n", to);
		for (uint32_t i = 0; i < m->n_entries; i++) {
			const struct weft_model_entry *e = &m->entry[i];
			if (is_chosen(e, how))
				fprintf(to, "%08x\t%-15lu\t%-15e\t%-15e\t%-15e\t%u\n", e->footprint, (unsigned long)e->size,
				        e->flops, e->mean, e->deviation, e->n);
		}
	}
	if (l) {
		uselocale(before);
		freelocale(l);
	}
}

void weft_model_show(const struct weft_model *m, const struct weft_model_show *how, FILE *to)
{
	for (uint32_t i = 0; i < m->n_combs; i++)
		for (uint32_t k = 0; k < m->comb[i].n_impls && weft_model_asked_for(&m->comb[i], how->arch); k++)
			weft_model_show_impl(&m->comb[i], k, how, to);
}

/* -- XML -- */

/* Within a comment there are no two dashes in a row, and nothing that steers a terminal. */
static void xml_comment_text(const char *text, FILE *to)
{
	for (char last = 0; *text; last = *text++)
		fputc((*text == '-' && last == '-') || (unsigned char)*text < ' ' ? '?' : *text, to);
}

static void xml_attribute_text(const char *text, FILE *to)
{
	for (; *text; text++)
		if (strchr("<>&\"", *text))
			fprintf(to, "&#%d;", *text);
		else
			fputc((unsigned char)*text < ' ' ? '?' : *text, to);
}

static void xml_monomial(const struct weft_model_names *names, uint32_t i, double coeff, FILE *to)
{
	fprintf(to, "        <monomial name=\"");
	if (!names || !names->product)
		fprintf(to, "c%u", i + 1);
	for (uint32_t k = 0, n = 0; names && names->product && k < names->n_parameters; k++) {
		unsigned power = names->product[i][k];
		if (!power)
			continue;
		fputs(n++ ? "*" : "", to);
		xml_attribute_text(names->parameter && names->parameter[k] ? names->parameter[k] : "?", to);
		if (power > 1)
			fprintf(to, "^%u", power);
	}
	fprintf(to, "\" coef=\"%e\"/>\n", coeff);
}

static void xml_curves(const struct weft_model_impl *impl, const struct weft_model_names *names, FILE *to)
{
	const struct weft_model_fit *f = &impl->fit;
	enum weft_model_kind kind = weft_model_kind(impl);
	if (kind == WEFT_MODEL_POWER)
		fprintf(to,
		        "      <!-- time = alpha size ^ beta -->\n      <l_regression sumlnx=\"%e\" sumlnx2=\"%e\" sumlny=\"%e\" sumlnxlny=\"%e\" "
		        "alpha=\"%e\" beta=\"%e\" nsample=\"%u\" minx=\"%lu\" maxx=\"%lu\"/>\n",
		        f->sum_lnx, f->sum_lnx2, f->sum_lny, f->sum_lnx_lny, f->alpha, f->beta, f->n, (unsigned long)f->min_x,
		        (unsigned long)f->max_x);
	if (kind == WEFT_MODEL_OFFSET)
		fprintf(to, "      <!-- time = a size ^b + c -->\n      <nl_regression a=\"%e\" b=\"%e\" c=\"%e\"/>\n", f->a,
		        f->b, f->c);
	if (kind == WEFT_MODEL_MULTIPLE) {
		fprintf(to, "      <ml_regression constant=\"%e\">\n", f->coeff[0]);
		for (uint32_t i = 1; i < f->n_coeff; i++)
			xml_monomial(names, i - 1, f->coeff[i], to);
		fprintf(to, "      </ml_regression>\n");
	}
}

static void xml_impl(const struct weft_model_comb *c, uint32_t number, const struct weft_model_names *names, FILE *to)
{
	char name[512];
	const struct weft_model_impl *impl = &c->impl[number];
	weft_model_impl_name(name, sizeof name, c->device, c->n_devices, number, c->number);
	fprintf(to, "    <implementation id=\"%u\">\n      <!-- %s -->\n", number, name);
	xml_curves(impl, names, to);
	for (uint32_t i = 0; i < impl->n_entries; i++) {
		const struct weft_model_entry *e = &impl->entry[i];
		fprintf(to,
		        "      <entry footprint=\"%08x\" size=\"%lu\" flops=\"%e\" mean=\"%e\" deviation=\"%e\" sum=\"%e\" sum2=\"%e\" "
		        "nsample=\"%u\"/>\n",
		        e->footprint, (unsigned long)e->size, e->flops, e->mean, e->deviation, e->sum, e->sum2, e->n);
	}
	fprintf(to, "    </implementation>\n");
}

static void xml_comb(const struct weft_model_comb *c, const struct weft_model_names *names, FILE *to)
{
	fprintf(to, "  <combination>\n");
	for (uint32_t i = 0; i < c->n_devices; i++) {
		const struct weft_model_device *d = &c->device[i];
		fprintf(to, "    <device type=\"%s\" id=\"%d\"", weft_model_type_label(d->type), d->id);
		if (d->type == 0)
			fprintf(to, " ncores=\"%d\"", d->cores);
		fprintf(to, "/>\n");
	}
	for (uint32_t i = 0; i < c->n_impls; i++)
		xml_impl(c, i, names, to);
	fprintf(to, "  </combination>\n");
}

void weft_model_xml(const struct weft_model *m, const char *symbol, const struct weft_model_names *names, FILE *to)
{
	locale_t l = newlocale(LC_ALL_MASK, "C", (locale_t)0), before = l ? uselocale(l) : (locale_t)0;
	fprintf(to,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE StarPUPerfmodel SYSTEM \"starpu-perfmodel.dtd\">\n<!-- symbol ");
	xml_comment_text(symbol, to);
	fprintf(to, " -->\n<!-- All times in us -->\n<perfmodel version=\"%d\">\n", WEFT_MODEL_VERSION);
	for (uint32_t i = 0; i < m->n_combs; i++)
		xml_comb(&m->comb[i], names, to);
	fprintf(to, "</perfmodel>\n");
	if (l) {
		uselocale(before);
		freelocale(l);
	}
}
