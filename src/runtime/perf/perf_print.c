/* SPDX-License-Identifier: Apache-2.0 */
/* Models for people: as text, as StarPU's tools print them, and as XML. */
#include "perf.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char head[] = "# hash\t\tsize\t\tflops\t\tmean (us)\tstddev (us)\t\tn\n";

static void print_entries(const struct starpu_perfmodel_per_arch *p, const uint32_t *footprint, FILE *to)
{
	fputs(head, to);
	for (const struct starpu_perfmodel_history_list *l = p->list; l; l = l->next) {
		const struct starpu_perfmodel_history_entry *e = l->entry;
		if (!footprint || e->footprint == *footprint)
			fprintf(to, "%08x\t%-15lu\t%-15e\t%-15e\t%-15e\t%u\n", e->footprint, (unsigned long)e->size, e->flops,
			        e->mean, e->deviation, e->nsample);
	}
}

static void print_curves(enum starpu_perfmodel_type type, const struct starpu_perfmodel_regression_model *r, FILE *to)
{
	if (type != STARPU_REGRESSION_BASED && type != STARPU_NL_REGRESSION_BASED && !r->valid && !r->nl_valid)
		return;
	fprintf(to, "\tRegression : #sample = %u\n", r->nsample);
	if (r->valid)
		fprintf(to, "\tLinear: y = alpha size ^ beta\n\t\talpha = %e\n\t\tbeta = %e\n", r->alpha, r->beta);
	if (r->nl_valid)
		fprintf(to, "\tNon-Linear: y = a size ^b + c\n\t\ta = %e\n\t\tb = %e\n\t\tc = %e\n", r->a, r->b, r->c);
}

static void print_values(const struct starpu_perfmodel_per_arch *p, const uint32_t *footprint, size_t offset, FILE *to)
{
	for (const struct starpu_perfmodel_history_list *l = p->list; l; l = l->next)
		if (!footprint || l->entry->footprint == *footprint) {
			double v;
			memcpy(&v, (const char *)l->entry + offset, sizeof v);
			fprintf(to, "%-15e\n", v);
		}
}

/* One parameter by name: of the regression, or of each entry. */
static const struct {
	const char *name;
	size_t offset;
	bool of_entry;
} parameters[] = {
	{"a", offsetof(struct starpu_perfmodel_regression_model, a), false},
	{"b", offsetof(struct starpu_perfmodel_regression_model, b), false},
	{"c", offsetof(struct starpu_perfmodel_regression_model, c), false},
	{"alpha", offsetof(struct starpu_perfmodel_regression_model, alpha), false},
	{"beta", offsetof(struct starpu_perfmodel_regression_model, beta), false},
	{"mean", offsetof(struct starpu_perfmodel_history_entry, mean), true},
	{"stddev", offsetof(struct starpu_perfmodel_history_entry, deviation), true},
};

static void print_parameter(const struct starpu_perfmodel_per_arch *p, const char *name, const uint32_t *footprint, FILE *to)
{
	for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
		if (strcmp(parameters[i].name, name) != 0)
			continue;
		double v;
		memcpy(&v, (const char *)&p->regression + (parameters[i].of_entry ? 0 : parameters[i].offset), sizeof v);
		if (parameters[i].of_entry)
			print_values(p, footprint, parameters[i].offset, to);
		else
			fprintf(to, "%e\n", v);
		return;
	}
	fprintf(stderr, "starpu: a performance model has no parameter '%s', but: a b c alpha beta mean stddev\n", name);
}

void starpu_perfmodel_print(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, unsigned nimpl, char *parameter,
                            uint32_t *footprint, FILE *output)
{
	char name[512];
	struct starpu_perfmodel_per_arch *p = model->is_init ? perf_slot(model, arch, nimpl, false) : NULL;
	if (!p)
		return;
	starpu_perfmodel_get_arch_name(arch, name, sizeof name, nimpl);
	fprintf(output, "# performance model for %s\n", name);
	if (parameter) {
		print_parameter(p, parameter, footprint, output);
		return;
	}
	print_curves(model->type, &p->regression, output);
	if (p->regression.multi_valid)
		for (unsigned i = 0; i < p->regression.ncoeff; i++)
			fprintf(output, "%s%e%s", i ? " " : "\tcoefficients: ", p->regression.coeff[i],
			        i + 1 < p->regression.ncoeff ? "" : "\n");
	print_entries(p, footprint, output);
}

/* NULL: all. "cpu", "cpu:3" (three cores), "cuda", "cuda0", "opencl1"… */
static bool asked_for(const struct starpu_perfmodel_arch *c, const char *asked)
{
	if (!asked)
		return true;
	if (c->ndevices != 1)
		return false;
	const char *kind = starpu_perfmodel_get_archtype_name(c->devices[0].type);
	size_t n = strlen(kind);
	if (strncmp(asked, kind, n) != 0)
		return false;
	if (asked[n] == ':')
		return atoi(asked + n + 1) == c->devices[0].ncores;
	if (c->devices[0].type == STARPU_CPU_WORKER && c->devices[0].ncores != 1)
		return false;
	return !asked[n] || atoi(asked + n) == c->devices[0].devid;
}

int starpu_perfmodel_print_all(struct starpu_perfmodel *model, char *arch, char *parameter, uint32_t *footprint, FILE *output)
{
	int n = starpu_perfmodel_get_narch_combs();
	for (int comb = 0; comb < n; comb++) {
		struct starpu_perfmodel_arch *c = starpu_perfmodel_arch_comb_fetch(comb);
		if (!asked_for(c, arch))
			continue;
		for (unsigned impl = 0; impl < STARPU_MAXIMPLEMENTATIONS; impl++)
			starpu_perfmodel_print(model, c, impl, parameter, footprint, output);
	}
	return 0;
}

int starpu_perfmodel_print_estimations(struct starpu_perfmodel *model, uint32_t footprint, FILE *output)
{
	unsigned n = starpu_worker_get_count();
	for (unsigned i = 0; i < n; i++)
		fprintf(output, "%s%e", i ? " " : "",
		        starpu_perfmodel_history_based_expected_perf(model, perf_worker_arch(i), footprint));
	return 0;
}

static bool has_comb(const struct starpu_perfmodel *m, int comb)
{
	bool any = false;
	for (int i = 0; i < STARPU_MAXIMPLEMENTATIONS && m->state; i++)
		any = any || m->state->slot[comb][i];
	return any;
}

int starpu_perfmodel_list_combs(FILE *output, struct starpu_perfmodel *model)
{
	int n = starpu_perfmodel_get_narch_combs();
	fprintf(output, "Model <%s>\n", model->symbol);
	for (int comb = 0; comb < n; comb++) {
		const struct starpu_perfmodel_arch *c = perf_comb(comb);
		if (!has_comb(model, comb))
			continue;
		fprintf(output, "\tComb %d: %d device%s\n", comb, c->ndevices, c->ndevices > 1 ? "s" : "");
		for (int i = 0; i < c->ndevices; i++)
			fprintf(output, "\t\tDevice %d: type: %s - devid: %d - ncores: %d\n", i,
			        starpu_perfmodel_get_archtype_name(c->devices[i].type), c->devices[i].devid,
			        c->devices[i].ncores);
	}
	return 0;
}

/* -- XML -- */

static void xml_curves(enum starpu_perfmodel_type type, const struct starpu_perfmodel_regression_model *r, FILE *to)
{
	if (type == STARPU_REGRESSION_BASED)
		fprintf(to,
		        "      <!-- time = alpha size ^ beta -->\n      <l_regression sumlnx=\"%e\" sumlnx2=\"%e\" sumlny=\"%e\" sumlnxlny=\"%e\" "
		        "alpha=\"%e\" beta=\"%e\" nsample=\"%u\" minx=\"%lu\" maxx=\"%lu\"/>\n",
		        r->sumlnx, r->sumlnx2, r->sumlny, r->sumlnxlny, r->alpha, r->beta, r->nsample, r->minx, r->maxx);
	else if (type == STARPU_NL_REGRESSION_BASED)
		fprintf(to, "      <!-- time = a size ^b + c -->\n      <nl_regression a=\"%e\" b=\"%e\" c=\"%e\"/>\n", r->a,
		        r->b, r->c);
	else if (type == STARPU_MULTIPLE_REGRESSION_BASED && r->ncoeff) {
		fprintf(to, "      <ml_regression constant=\"%e\">\n", r->coeff[0]);
		for (unsigned i = 1; i < r->ncoeff; i++)
			fprintf(to, "        <monomial name=\"c%u\" coef=\"%e\"/>\n", i, r->coeff[i]);
		fprintf(to, "      </ml_regression>\n");
	}
}

static void xml_comb(struct starpu_perfmodel *m, int comb, FILE *to)
{
	static const char *const kinds[] = {"CPU", "CUDA", "OpenCL", "MAX_FPGA", "MPI_MS", "TCPIP_MS", "HIP"};
	struct starpu_perfmodel_arch *c = starpu_perfmodel_arch_comb_fetch(comb);
	fprintf(to, "  <combination>\n");
	for (int i = 0; i < c->ndevices; i++) {
		unsigned type = (unsigned)c->devices[i].type;
		fprintf(to, "    <device type=\"%s\" id=\"%d\"", type < sizeof kinds / sizeof *kinds ? kinds[type] : "unknown",
		        c->devices[i].devid);
		if (type == STARPU_CPU_WORKER)
			fprintf(to, " ncores=\"%d\"", c->devices[i].ncores);
		fprintf(to, "/>\n");
	}
	for (unsigned impl = 0; impl < STARPU_MAXIMPLEMENTATIONS; impl++) {
		const struct starpu_perfmodel_per_arch *p = m->state->slot[comb][impl];
		char name[512];
		if (!p)
			continue;
		starpu_perfmodel_get_arch_name(c, name, sizeof name, impl);
		fprintf(to, "    <implementation id=\"%u\">\n      <!-- %s -->\n", impl, name);
		xml_curves(m->type, &p->regression, to);
		for (const struct starpu_perfmodel_history_list *l = p->list; l; l = l->next)
			fprintf(to,
			        "      <entry footprint=\"%08x\" size=\"%lu\" flops=\"%e\" mean=\"%e\" deviation=\"%e\" sum=\"%e\" sum2=\"%e\" "
			        "nsample=\"%u\"/>\n",
			        l->entry->footprint, (unsigned long)l->entry->size, l->entry->flops, l->entry->mean,
			        l->entry->deviation, l->entry->sum, l->entry->sum2, l->entry->nsample);
		fprintf(to, "    </implementation>\n");
	}
	fprintf(to, "  </combination>\n");
}

void starpu_perfmodel_dump_xml(FILE *output, struct starpu_perfmodel *model)
{
	int n = starpu_perfmodel_get_narch_combs();
	fprintf(output,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE StarPUPerfmodel SYSTEM \"starpu-perfmodel.dtd\">\n");
	fprintf(output, "<!-- symbol %s -->\n<!-- All times in us -->\n<perfmodel version=\"%d\">\n", model->symbol,
	        WEFT_MODEL_VERSION);
	for (int comb = 0; comb < n; comb++)
		if (has_comb(model, comb))
			xml_comb(model, comb, output);
	fprintf(output, "</perfmodel>\n");
}
