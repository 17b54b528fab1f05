/* SPDX-License-Identifier: Apache-2.0 */
/* Models for people: as text, as StarPU's tools print them, and as XML. */
#include "perf.h"
#include "models/model_show.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A copy under the model's lock is what is printed: tasks may be running. False: there is nothing to print. */
static bool copy(struct starpu_perfmodel *m, struct weft_model *file)
{
	*file = (struct weft_model){0};
	if (!m->is_init || !m->state)
		return false;
	pthread_rwlock_rdlock(&m->state->lock);
	int rc = perf_copy(m, file);
	pthread_rwlock_unlock(&m->state->lock);
	if (rc)
		perf_say("cannot print model %s: %s", m->symbol ? m->symbol : "?", weft_err_name(rc));
	return !rc;
}

static bool knows_parameter(const char *parameter)
{
	bool known = !parameter || weft_model_has_parameter(parameter);
	if (!known)
		perf_say("a performance model has no parameter '%s', but: %s", parameter, weft_model_parameters);
	return known;
}

static void debug_prefix(const struct starpu_perfmodel *m, char *at, size_t n)
{
	char folder[3000], host[256];
	perf_host_name(host, sizeof host);
	perf_path_of_folder(folder, sizeof folder, "debug");
	snprintf(at, n, "%s/%s.%s", folder, m->symbol ? m->symbol : "", host);
}

void starpu_perfmodel_print(struct starpu_perfmodel *model, struct starpu_perfmodel_arch *arch, unsigned nimpl, char *parameter,
                            uint32_t *footprint, FILE *output)
{
	char debug[4096];
	struct weft_model file;
	struct weft_model_show how = {.parameter = parameter, .footprint = footprint, .debug = debug};
	int comb = perf_comb_of(arch, false);
	if (!knows_parameter(parameter) || comb < 0 || nimpl >= STARPU_MAXIMPLEMENTATIONS || !copy(model, &file))
		return;
	debug_prefix(model, debug, sizeof debug);
	for (uint32_t i = 0; i < file.n_combs; i++)
		if (file.comb[i].number == (uint32_t)comb && nimpl < file.comb[i].n_impls && model->state->slot[comb][nimpl])
			weft_model_show_impl(&file.comb[i], nimpl, &how, output);
	weft_model_fini(&file);
}

int starpu_perfmodel_print_all(struct starpu_perfmodel *model, char *arch, char *parameter, uint32_t *footprint, FILE *output)
{
	int n = starpu_perfmodel_get_narch_combs();
	if (arch && !weft_model_is_arch(arch)) {
		perf_say("'%s' is no kind of worker; kinds are cpu, cpu:3 (three cores), cuda, cuda0, opencl…", arch);
		return -1;
	}
	if (!knows_parameter(parameter))
		return -1;
	for (int comb = 0; comb < n; comb++) {
		struct starpu_perfmodel_arch *c = starpu_perfmodel_arch_comb_fetch(comb);
		struct weft_model_device one = {0};
		if (c->ndevices == 1)
			one = (struct weft_model_device){(int)c->devices[0].type, c->devices[0].devid, c->devices[0].ncores};
		if (!weft_model_asked_for(&(struct weft_model_comb){.device = &one, .n_devices = (uint32_t)c->ndevices}, arch))
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
	fprintf(output, "Model <%s>\n", model->symbol ? model->symbol : "");
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

void starpu_perfmodel_dump_xml(FILE *output, struct starpu_perfmodel *model)
{
	struct weft_model file;
	struct weft_model_names names = {model->parameters_names, model->nparameters, model->combinations};
	/* A model that nobody has measured yet has no combinations. */
	if (!copy(model, &file))
		file = (struct weft_model){0};
	weft_model_xml(&file, model->symbol ? model->symbol : "", &names, output);
	weft_model_fini(&file);
}
