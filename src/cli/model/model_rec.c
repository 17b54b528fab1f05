/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft model rec`: the machine and its models as records, which recutils and simulators read. The machine is the one that the models
 * are of: what its bus files say (HOST.config, bandwidths, latencies), and where there are none, this one.
 */
#include "model_cli.h"
#include "models/bus.h"
#include "base/log.h"
#include "base/str.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct machine {
	struct weft_bus bus;
	struct weft_bus_config config;
	bool has_bus, is_here;
};

/* How many of a kind: the environment says how many are used, the machine how many there are. */
static uint32_t limited(uint32_t there, const char *variable)
{
	const char *text = getenv(variable);
	uint64_t n;
	if (!text || weft_parse_u64(weft_str(text), &n) || n > UINT32_MAX)
		return there;
	return (uint32_t)n;
}

static void find_machine(struct machine *m, const char *host)
{
	static const char *const variables[] = {"STARPU_NCPU", NULL, "STARPU_NCUDA", "STARPU_NOPENCL"};
	char folder[WEFT_MODEL_PATH - 300], prefix[WEFT_MODEL_PATH], here[256];
	struct weft_err err = {0};
	weft_model_host(here, sizeof here);
	m->is_here = !strcmp(host, here);
	for (unsigned i = 0; !m->has_bus && weft_model_folder(i, folder, sizeof folder); i++) {
		snprintf(prefix, sizeof prefix, "%s/bus/%s", folder, host);
		int rc = weft_bus_read(&m->bus, &m->config, prefix, &err);
		if (rc && rc != -ENOENT)
			weft_log(WEFT_LOG_WARN, "%s", err.text);
		m->has_bus = !rc;
		err = (struct weft_err){0};
	}
	if (!m->has_bus) {
		long cpus = sysconf(_SC_NPROCESSORS_ONLN);
		m->config = (struct weft_bus_config){{[WEFT_BUS_CPU] = cpus > 0 ? (uint32_t)cpus : 1, [WEFT_BUS_NUMA] = 1}};
	}
	for (int i = 0; i < WEFT_BUS_COUNTS; i++)
		if (variables[i])
			m->config.count[i] = limited(m->config.count[i], variables[i]);
}

void model_machine(const char *host, struct weft_bus_config *out)
{
	struct machine *m = calloc(1, sizeof *m);
	*out = (struct weft_bus_config){{0}};
	if (!m)
		return;
	find_machine(m, host);
	*out = m->config;
	free(m);
}

static void print_workers(const struct machine *m, FILE *to)
{
	static const struct {
		enum weft_bus_count count;
		const char *name;
	} devices[] = {{WEFT_BUS_CUDA, "cuda"}, {WEFT_BUS_OPENCL, "opencl"}};
	fprintf(to, "%%rec: worker_count\n\n");
	for (unsigned k = 0; k < 2; k++)
		for (uint32_t i = 0; i < m->config.count[devices[k].count]; i++)
			fprintf(to, "Architecture: %s%u\nNbWorkers: 1\n\n", devices[k].name, i);
	if (m->config.count[WEFT_BUS_CPU])
		fprintf(to, "Architecture: cpu0\nNbWorkers: %u\n\n", m->config.count[WEFT_BUS_CPU]);
}

/* Memory nodes: NUMA nodes, then devices; workers of devices have the first numbers, those of CPUs come behind, on the first node. */
static void print_memories(const struct machine *m, FILE *to)
{
	uint32_t numa = m->config.count[WEFT_BUS_NUMA] ? m->config.count[WEFT_BUS_NUMA] : 1,
		 cuda = m->config.count[WEFT_BUS_CUDA];
	uint32_t devices = cuda + m->config.count[WEFT_BUS_OPENCL];
	long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
	fprintf(to, "%%rec: memory_workers\n\n");
	for (uint32_t i = 0; i < numa; i++) {
		fprintf(to, "MemoryNode: %u\nName: NUMA %u\n", i, i);
		if (m->is_here && numa == 1 && pages > 0)
			fprintf(to, "Size: %" PRIu64 "\n", (uint64_t)pages * (uint64_t)page);
		for (uint32_t w = 0; !i && w < m->config.count[WEFT_BUS_CPU]; w++)
			fprintf(to, "%s %u", w ? "" : "Workers:", devices + w);
		fprintf(to, "%s\n", !i && m->config.count[WEFT_BUS_CPU] ? "\n" : "");
	}
	for (uint32_t i = 0; i < devices; i++)
		fprintf(to, "MemoryNode: %u\nName: %s %u\nWorkers: %u\n\n", numa + i, i < cuda ? "CUDA" : "OpenCL",
		        i < cuda ? i : i - cuda, i);
	fprintf(to, "%%rec: memory_performance\n\n");
	for (uint32_t i = 0; m->has_bus && i < numa + devices && i < m->bus.n; i++)
		for (uint32_t k = 0; k < numa + devices && k < m->bus.n; k++)
			if (i != k && !isnan(m->bus.mb_per_s[i][k]))
				fprintf(to, "MemoryNodeSrc: %u\nMemoryNodeDst: %u\nBandwidth: %e\nLatency: %e\n\n", i, k,
				        m->bus.mb_per_s[i][k], m->bus.latency_us[i][k]);
}

static void print_model(const struct model_file *f, FILE *to)
{
	for (uint32_t i = 0; i < f->m.n_combs; i++)
		for (uint32_t k = 0; k < f->m.comb[i].n_impls; k++)
			for (uint32_t n = 0; n < f->m.comb[i].impl[k].n_entries; n++) {
				const struct weft_model_comb *c = &f->m.comb[i];
				const struct weft_model_entry *e = &c->impl[k].entry[n];
				char name[512];
				weft_model_impl_name(name, sizeof name, c->device, c->n_devices, k, 0);
				/* "cpu0", as workers are called; what makes it another model stands behind. */
				char *behind = strstr(name, k ? " (" : "_impl");
				if (behind)
					*behind = 0;
				if (c->n_devices == 1 && c->device[0].cores > 1)
					snprintf(name + strlen(name), sizeof name - strlen(name), "_cores%d", c->device[0].cores);
				fprintf(to,
				        "Model: %s\nArchitecture: %s\nFootprint: %08x\nSize: %" PRIu64
				        "\nFlops: %-15e\nMean: %-15e\nStddev: %-15e\nSamples: %u\n\n",
				        f->symbol, name, e->footprint, e->size, e->flops, e->mean, e->deviation, e->n);
			}
}

static int print_models(const struct model_args *a, char **operand, int n, const char *host, FILE *to)
{
	struct model_names names = {{0}};
	struct model_file f;
	int status = n ? CLI_OK : model_names(host, &names);
	fprintf(to, "%%rec: timing\n\n");
	for (size_t i = 0; i < names.of.n && !status; i++) {
		if (model_open_name(&names.of.at[i], &f))
			continue;
		print_model(&f, to);
		model_close(&f);
	}
	for (int i = 0; i < n && !status; i++) {
		status = model_open(a, operand[i], &f);
		if (!status)
			print_model(&f, to);
		model_close(&f);
	}
	model_names_fini(&names);
	return status;
}

int model_rec(const struct model_args *a, char **operand, int n)
{
	struct machine *m = calloc(1, sizeof *m);
	struct weft_err err = {0};
	struct weft_out out;
	char here[256];
	const char *host = model_host(a, here, sizeof here);
	if (!m)
		return cli_fail_code(-ENOMEM);
	if (weft_out_open(&out, a->output ? a->output : "-", &err)) {
		free(m);
		return cli_fail(&err);
	}
	find_machine(m, host);
	print_workers(m, out.to);
	print_memories(m, out.to);
	free(m);
	int status = print_models(a, operand, n, host, out.to);
	if (status) {
		weft_out_abandon(&out);
		return status;
	}
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}
