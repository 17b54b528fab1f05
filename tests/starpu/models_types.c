/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every type of performance model, fed with what is known and asked for it: the seven types on several kinds of devices, sizes and
 * footprints, rules of calibration, curves over runs, several parameters over runs, energy, tasks that are never submitted, what comes
 * back from files, symbols one after the other.
 */
#include "starpu_check.h"
#include <dirent.h>
#include <math.h>
#include <stdint.h>
#include <sys/stat.h>

static char home[] = "/tmp/weft-types-XXXXXX";

#define NEAR(a, b, most) \
	do { \
		double a_ = (a), b_ = (b); \
		if (!(fabs(a_ - b_) <= (most))) \
			fprintf(stderr, "# %.9g, not %.9g\n", a_, b_); \
		CHECK(fabs(a_ - b_) <= (most)); \
	} while (0)

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}

static void begin(const char *calibrate)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 2;
	conf.nopencl = 0;
	conf.sched_policy_name = "dmda";
	if (calibrate)
		setenv("STARPU_CALIBRATE", calibrate, 1);
	else
		unsetenv("STARPU_CALIBRATE");
	if (starpu_init(&conf))
		cannot_begin();
	unsetenv("STARPU_CALIBRATE");
}

/* Devices that this machine need not have: models speak of them all the same. */
static struct starpu_perfmodel_device cpu_device = {STARPU_CPU_WORKER, 0, 1}, three_device = {STARPU_CPU_WORKER, 0, 3},
				      cuda_device = {STARPU_CUDA_WORKER, 0, 1}, opencl_device = {STARPU_OPENCL_WORKER, 1, 1};
static struct starpu_perfmodel_arch cpu = {1, &cpu_device}, three = {1, &three_device}, cuda = {1, &cuda_device},
				    opencl = {1, &opencl_device};

/* A task that is never submitted, of a vector of so many bytes that is nowhere; `extra`: bytes that do not count. */
struct dummy {
	struct starpu_codelet cl;
	struct starpu_task *task;
	starpu_data_handle_t handle[2];
};
static void make(struct dummy *d, struct starpu_perfmodel *m, struct starpu_perfmodel *energy, unsigned bytes, unsigned extra)
{
	*d = (struct dummy){.cl = {.cpu_funcs = {nothing},
	                           .nbuffers = extra ? 2 : 1,
	                           .modes = {STARPU_R, STARPU_R | STARPU_NOFOOTPRINT},
	                           .model = m,
	                           .energy_model = energy}};
	starpu_vector_data_register(&d->handle[0], -1, (uintptr_t)NULL, bytes, 1);
	if (extra)
		starpu_vector_data_register(&d->handle[1], -1, (uintptr_t)NULL, extra, 1);
	d->task = starpu_task_create();
	d->task->cl = &d->cl;
	for (unsigned i = 0; i < (extra ? 2u : 1u); i++)
		d->task->handles[i] = d->handle[i];
}
static void drop(struct dummy *d)
{
	starpu_task_destroy(d->task);
	starpu_data_unregister(d->handle[0]);
	if (d->handle[1])
		starpu_data_unregister(d->handle[1]);
}
static void feed(struct starpu_perfmodel *m, unsigned bytes, double y, unsigned times)
{
	struct dummy d;
	make(&d, m, NULL, bytes, 0);
	for (unsigned i = 0; i < times; i++)
		starpu_perfmodel_update_history(m, d.task, &cpu, 0, 0, y);
	drop(&d);
}
static double asked(struct starpu_perfmodel *m, unsigned bytes, struct starpu_perfmodel_arch *arch)
{
	struct dummy d;
	make(&d, m, NULL, bytes, 0);
	double y = starpu_task_expected_length(d.task, arch, 0);
	drop(&d);
	return y;
}

/* ---- given by the program ---- */

static double common_cost(struct starpu_task *t, unsigned impl)
{
	return (double)starpu_vector_get_nx(t->handles[0]) + impl;
}
static double arch_cost(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t;
	return 1000.0 * arch->devices[0].type + 10 * arch->devices[0].ncores + impl;
}
static double worker_cost(struct starpu_task *t, unsigned worker, unsigned impl)
{
	(void)t;
	return 7.0 + worker + 100 * impl;
}

static void check_given(void)
{
	struct starpu_perfmodel common = {.type = STARPU_COMMON, .symbol = "y_common", .cost_function = common_cost};
	struct starpu_perfmodel arch = {.type = STARPU_PER_ARCH, .symbol = "y_arch", .arch_cost_function = arch_cost};
	struct starpu_perfmodel worker = {.type = STARPU_PER_WORKER, .symbol = "y_worker", .worker_cost_function = worker_cost};
	struct dummy d;
	begin(NULL);
	/* The CPU's cost; other kinds by what they are worth beside one. */
	NEAR(asked(&common, 1333, &cpu), 1333, 0);
	NEAR(asked(&common, 1333, &cuda), 1333 / starpu_worker_get_relative_speedup(&cuda), 1e-9);
	NEAR(asked(&common, 1333, &cuda), 100, 1e-9);
	NEAR(asked(&common, 1333, &three), 1333.0 / 3, 1e-9);
	NEAR(asked(&arch, 10, &cpu), 10, 0);
	NEAR(asked(&arch, 10, &three), 30, 0);
	NEAR(asked(&arch, 10, &opencl), 2010, 0);
	make(&d, &worker, NULL, 10, 0);
	NEAR(starpu_task_worker_expected_length(d.task, 1, 0, 0), 8, 0);
	NEAR(starpu_task_worker_expected_length(d.task, 0, 0, 1), 107, 0);
	/* Over two workers, of 7 and 8: their harmonic mean. */
	NEAR(starpu_task_expected_length_average(d.task, 0), 2 / (1.0 / 7 + 1.0 / 8), 1e-9);
	drop(&d);
	/* What does nothing takes a microsecond, wherever it is. */
	NEAR(asked(&starpu_perfmodel_nop, 10, &cpu), 1, 0);
	NEAR(asked(&starpu_perfmodel_nop, 10, &cuda), 1, 0);
	starpu_shutdown();
	/* What measures nothing is not taken back by the runtime. */
	starpu_perfmodel_deinit(&common);
	starpu_perfmodel_deinit(&arch);
	starpu_perfmodel_deinit(&worker);
}

/* ---- calibration ---- */

static void check_rules(void)
{
	struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = "y_rules"};
	struct starpu_perfmodel line = {.type = STARPU_REGRESSION_BASED, .symbol = "y_line"};
	begin(NULL);
	/* The first of a size is not counted, so ten want eleven. */
	feed(&m, 100, 900, 1);
	feed(&m, 100, 50, 9);
	CHECK(isnan(asked(&m, 100, &cpu)));
	feed(&m, 100, 50, 1);
	NEAR(asked(&m, 100, &cpu), 50, 1e-9);
	CHECK(isnan(asked(&m, 100, &cuda)) && isnan(asked(&m, 101, &cpu)));
	/* Up to 50 % from the mean counts, on either side as a ratio; further does not. */
	feed(&m, 100, 74, 1);
	NEAR(asked(&m, 100, &cpu), 574.0 / 11, 1e-9);
	feed(&m, 100, 574.0 / 11 * 1.51, 1);
	feed(&m, 100, 574.0 / 11 / 1.51, 1);
	NEAR(asked(&m, 100, &cpu), 574.0 / 11, 1e-9);
	/* As many far ones as there are samples: what was known is forgotten. */
	feed(&m, 100, 1000, 8);
	NEAR(asked(&m, 100, &cpu), 574.0 / 11, 1e-9);
	feed(&m, 100, 1000, 1);
	CHECK(isnan(asked(&m, 100, &cpu)));
	feed(&m, 100, 1000, 10);
	NEAR(asked(&m, 100, &cpu), 1000, 1e-9);
	/* Sizes a tenth apart are too near; from 0.9 × the least to 1.1 × the greatest the curve is trusted. */
	feed(&line, 1000, 20, 10);
	feed(&line, 1100, 22, 10);
	CHECK(isnan(asked(&line, 1050, &cpu)));
	feed(&line, 4000, 80, 10);
	NEAR(asked(&line, 2000, &cpu), 40, 1e-6);
	NEAR(asked(&line, 901, &cpu), 18.02, 1e-6);
	NEAR(asked(&line, 4399, &cpu), 87.98, 1e-6);
	CHECK(isnan(asked(&line, 899, &cpu)) && isnan(asked(&line, 4401, &cpu)));
	starpu_shutdown();
}

/* A task of a size that is not known makes the model learn, whatever STARPU_CALIBRATE says; 2 forgets. */
static void check_calibrate(void)
{
	struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = "y_calibrate"};
	begin(NULL);
	feed(&m, 500, 33, 20);
	CHECK(!m.benchmarking && asked(&m, 500, &cpu) == 33);
	CHECK(isnan(asked(&m, 600, &cpu)) && m.benchmarking);
	starpu_shutdown();
	begin("1");
	CHECK(asked(&m, 500, &cpu) == 33 && m.benchmarking);
	starpu_shutdown();
	begin("2");
	CHECK(isnan(asked(&m, 500, &cpu)) && m.benchmarking);
	feed(&m, 500, 44, 20);
	starpu_shutdown();
	begin("0");
	CHECK(asked(&m, 500, &cpu) == 44 && !m.benchmarking);
	starpu_shutdown();
}

/* ---- what counts as size ---- */

static size_t by_count(struct starpu_task *t, unsigned impl)
{
	(void)t;
	return 5000 + impl;
}
static size_t by_arch(struct starpu_task *t, struct starpu_perfmodel_arch *arch, unsigned impl)
{
	(void)t, (void)impl;
	return 100 + (size_t)arch->devices[0].type;
}
static uint32_t always(struct starpu_task *t)
{
	(void)t;
	return 0xabcd;
}

static struct starpu_perfmodel_history_entry *entry_of(struct starpu_perfmodel *m, struct starpu_perfmodel_arch *arch)
{
	struct starpu_perfmodel_per_arch *p = starpu_perfmodel_get_model_per_arch(m, arch, 0);
	CHECK(p && p->list);
	return p && p->list ? p->list->entry : NULL;
}

static void check_sizes(void)
{
	struct starpu_perfmodel plain = {.type = STARPU_HISTORY_BASED, .symbol = "y_plain"},
				sized = {.type = STARPU_HISTORY_BASED, .symbol = "y_sized", .size_base = by_count},
				marked = {.type = STARPU_HISTORY_BASED, .symbol = "y_marked", .footprint = always},
				each = {.type = STARPU_HISTORY_BASED, .symbol = "y_each"};
	struct dummy d, e;
	begin(NULL);
	/* Data that is marked so is in neither footprint nor size. */
	make(&d, &plain, NULL, 4096, 0);
	make(&e, &plain, NULL, 4096, 999);
	CHECK(starpu_task_data_footprint(d.task) == starpu_task_data_footprint(e.task));
	CHECK(starpu_task_footprint(&plain, d.task, &cpu, 0) == starpu_task_data_footprint(d.task));
	starpu_perfmodel_update_history_n(&plain, e.task, &cpu, 0, 0, 6, 10);
	CHECK(entry_of(&plain, &cpu)->size == 4096 && entry_of(&plain, &cpu)->nsample == 10);
	NEAR(starpu_task_expected_length(d.task, &cpu, 0), 6, 1e-9);
	drop(&e);
	/* size_base is hashed, and is the size; footprint is the footprint. */
	starpu_perfmodel_update_history_n(&sized, d.task, &cpu, 0, 0, 8, 10);
	size_t size = 5000;
	CHECK(entry_of(&sized, &cpu)->size == 5000 &&
	      entry_of(&sized, &cpu)->footprint == starpu_hash_crc32c_be_n(&size, sizeof size, 0));
	NEAR(asked(&sized, 77, &cpu), 8, 1e-9);
	starpu_perfmodel_update_history_n(&marked, d.task, &cpu, 0, 0, 9, 10);
	CHECK(entry_of(&marked, &cpu)->footprint == 0xabcd && entry_of(&marked, &cpu)->size == 4096);
	starpu_perfmodel_init(&each);
	CHECK(!starpu_perfmodel_set_per_devices_size_base(&each, 0, by_arch, STARPU_CUDA_WORKER, 0, 1, -1));
	starpu_perfmodel_update_history_n(&each, d.task, &cuda, 0, 0, 2, 10);
	starpu_perfmodel_update_history_n(&each, d.task, &cpu, 0, 0, 3, 10);
	CHECK(entry_of(&each, &cuda)->size == 101 && entry_of(&each, &cpu)->size == 4096);
	drop(&d);
	starpu_shutdown();
}

/* ---- curves ---- */

static double curve(double bytes)
{
	return 2e-3 * pow(bytes, 1.1) + 25;
}

/* In the first run the history alone answers; at its end the curve is found, for all runs that follow. */
static void check_offset(void)
{
	struct starpu_perfmodel m = {.type = STARPU_NL_REGRESSION_BASED, .symbol = "y_offset"};
	char path[600];
	begin(NULL);
	for (unsigned bytes = 1000; bytes < 3000000; bytes = bytes * 3 / 2)
		feed(&m, bytes, curve(bytes), 11);
	NEAR(asked(&m, 1500, &cpu), curve(1500), 1e-9);
	CHECK(isnan(asked(&m, 1600, &cpu)));
	starpu_shutdown();
	begin(NULL);
	NEAR(asked(&m, 1600, &cpu) / curve(1600), 1, 1e-3);
	NEAR(asked(&m, 777777, &cpu) / curve(777777), 1, 1e-3);
	struct starpu_perfmodel_regression_model *r = &starpu_perfmodel_get_model_per_arch(&m, &cpu, 0)->regression;
	NEAR(r->a, 2e-3, 2e-5);
	NEAR(r->b, 1.1, 1e-3);
	NEAR(r->c, 25, 0.2);
	starpu_perfmodel_get_model_path("y_offset", path, sizeof path);
	CHECK(!access(path, R_OK));
	starpu_shutdown();
}

/* ---- several parameters ---- */

static double p_m, p_n, p_k;
static void parameters(struct starpu_task *t, double *p)
{
	(void)t;
	p[0] = p_m;
	p[1] = p_n;
	p[2] = p_k;
}
static const char *names[] = {"M", "N", "K"};
static unsigned mnk[] = {1, 1, 1}, mn[] = {1, 1, 0}, *products[] = {mnk, mn};
static double formula(double noise)
{
	return (40 + 0.002 * p_m * p_n * p_k + 0.3 * p_m * p_n) * noise;
}

static unsigned lines_of(const char *name, char *first, size_t n)
{
	char path[600], line[300];
	unsigned lines = 0;
	snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/tmp/%s", home, name);
	FILE *f = fopen(path, "r");
	*first = 0;
	while (f && fgets(line, sizeof line, f))
		if (!lines++)
			snprintf(first, n, "%s", line);
	if (f)
		fclose(f);
	return lines;
}

static void run_rows(struct starpu_perfmodel *m, const char *calibrate, unsigned from, unsigned to)
{
	begin(calibrate);
	for (unsigned i = from; i < to; i++) {
		p_m = 16 + i % 7 * 8;
		p_n = 16 + i % 5 * 16;
		p_k = 16 + i % 3 * 32;
		feed(m, 10, formula(1 + 0.02 * ((int)(i * 7919 % 21) - 10) / 10), 1);
	}
	starpu_shutdown();
}

static void check_products(void)
{
	struct starpu_perfmodel m = {.type = STARPU_MULTIPLE_REGRESSION_BASED,
	                             .symbol = "y_products",
	                             .parameters = parameters,
	                             .parameters_names = names,
	                             .nparameters = 3,
	                             .combinations = products,
	                             .ncombinations = 2};
	struct starpu_perfmodel open = {.type = STARPU_MULTIPLE_REGRESSION_BASED,
	                                .symbol = "y_open",
	                                .parameters = parameters,
	                                .parameters_names = names,
	                                .nparameters = 3};
	char head[300];
	run_rows(&m, "1", 0, 100);
	CHECK(lines_of("y_products.out", head, sizeof head) == 101 && !strcmp(head, "Duration, M, N, K\n"));
	begin(NULL);
	p_m = 100, p_n = 200, p_k = 50;
	NEAR(asked(&m, 10, &cpu) / formula(1), 1, 0.02);
	struct starpu_perfmodel_regression_model *r = &starpu_perfmodel_get_model_per_arch(&m, &cpu, 0)->regression;
	CHECK(r->ncoeff == 3 && r->multi_valid);
	double before = r->coeff[1];
	NEAR(r->coeff[0], 40, 4);
	NEAR(r->coeff[1], 0.002, 1e-4);
	NEAR(r->coeff[2], 0.3, 0.01);
	starpu_shutdown();
	/* With 1 the rows of earlier runs count on, with 2 they are forgotten. */
	run_rows(&m, "1", 100, 150);
	CHECK(lines_of("y_products.out", head, sizeof head) == 151);
	begin(NULL);
	CHECK(asked(&m, 10, &cpu) > 0);
	r = &starpu_perfmodel_get_model_per_arch(&m, &cpu, 0)->regression;
	CHECK(r->coeff[1] != before && fabs(r->coeff[1] - 0.002) < 1e-4);
	starpu_shutdown();
	run_rows(&m, "2", 0, 60);
	CHECK(lines_of("y_products.out", head, sizeof head) == 61);
	/* Without an equation there is nothing to expect, but the rows are kept. */
	run_rows(&open, "1", 0, 40);
	CHECK(lines_of("y_open.out", head, sizeof head) == 41 && !strcmp(head, "Duration, M, N, K\n"));
	begin(NULL);
	CHECK(isnan(asked(&open, 10, &cpu)));
	starpu_shutdown();
}

/* ---- energy ---- */

static void check_energy(void)
{
	struct starpu_perfmodel length = {.type = STARPU_HISTORY_BASED, .symbol = "y_length"},
				energy = {.type = STARPU_HISTORY_BASED, .symbol = "y_length_energy"};
	struct dummy d;
	begin(NULL);
	make(&d, &length, &energy, 100, 0);
	starpu_perfmodel_update_history_n(&length, d.task, &cpu, 0, 0, 30, 10);
	starpu_perfmodel_update_history_n(&energy, d.task, &cpu, 0, 0, 0.25, 10);
	NEAR(starpu_task_expected_length(d.task, &cpu, 0), 30, 1e-12);
	NEAR(starpu_task_expected_energy(d.task, &cpu, 0), 0.25, 1e-12);
	NEAR(starpu_task_worker_expected_energy(d.task, 1, 0, 0), 0.25, 1e-12);
	NEAR(starpu_task_expected_energy_average(d.task, 0), 0.25, 1e-12);
	drop(&d);
	starpu_shutdown();
	begin(NULL);
	make(&d, &length, &energy, 100, 0);
	NEAR(starpu_task_expected_energy(d.task, &cpu, 0), 0.25, 1e-12);
	drop(&d);
	starpu_shutdown();
}

/* ---- what comes back ---- */

static unsigned model_files(void)
{
	char path[300];
	unsigned n = 0;
	snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/45", home);
	DIR *folder = opendir(path);
	for (struct dirent *e; folder && (e = readdir(folder));)
		n += e->d_name[0] != '.';
	if (folder)
		closedir(folder);
	return n;
}

/* Every number, to the bit; and a walk over all symbols, as starpu_perfmodel_list says them. */
static void check_back(void)
{
	struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = "y_back"}, back = {.type = STARPU_PERFMODEL_INVALID};
	struct starpu_perfmodel_history_entry was;
	char *list = NULL, symbol[200];
	size_t n;
	unsigned seen = 0, at = 0;
	begin(NULL);
	feed(&m, 100, 1.0 / 3, 2);
	for (int i = 1; i < 30; i++)
		feed(&m, 100, 1 / (3 + 0.01 * i), 1);
	was = *entry_of(&m, &cpu);
	starpu_shutdown();
	begin(NULL);
	CHECK(!starpu_perfmodel_load_symbol("y_back", &back));
	const struct starpu_perfmodel_history_entry *e = entry_of(&back, &cpu);
	CHECK(was.nsample == 30 && e->nsample == was.nsample && e->footprint == was.footprint && e->size == was.size);
	CHECK(!memcmp(&e->mean, &was.mean, sizeof was.mean) && !memcmp(&e->sum2, &was.sum2, sizeof was.sum2) &&
	      !memcmp(&e->deviation, &was.deviation, sizeof was.deviation));
	starpu_perfmodel_unload_model(&back);
	FILE *to = open_memstream(&list, &n);
	CHECK(!starpu_perfmodel_list(to));
	fclose(to);
	for (char *line = list; (line = strstr(line, "file: <")); line += 7, seen++) {
		struct starpu_perfmodel one = {.type = STARPU_PERFMODEL_INVALID};
		CHECK(sscanf(line, "file: <%199[^.>]", symbol) == 1 && !starpu_perfmodel_load_symbol(symbol, &one));
		for (int comb = 0; comb < starpu_perfmodel_get_narch_combs(); comb++)
			for (struct starpu_perfmodel_history_list *l =
			             starpu_perfmodel_get_model_per_arch(&one, starpu_perfmodel_arch_comb_fetch(comb), 0)->list;
			     l; l = l->next)
				at += l->entry->nsample > 0;
		starpu_perfmodel_unload_model(&one);
	}
	CHECK(seen == model_files() && seen > 5 && at > 20);
	free(list);
	starpu_shutdown();
}

int main(void)
{
	char command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_HOSTNAME", "test", 1);
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_SCHED");
	unsetenv("STARPU_PERF_MODEL_DIR");
	unsetenv("STARPU_PERF_MODEL_PATH");
	check_given();
	check_rules();
	check_calibrate();
	check_sizes();
	check_offset();
	check_products();
	check_energy();
	check_back();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
