/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of performance models: where they are looked for and written, what is said of those that are damaged, what functions print of
 * them; combinations of devices; many samples at once.
 */
#include "starpu_check.h"
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <sys/stat.h>

static char home[] = "/tmp/weft-files-XXXXXX";

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}

static void begin(void)
{
	struct starpu_conf conf;
	starpu_conf_init(&conf);
	conf.ncpus = 1;
	conf.nopencl = 0;
	conf.ncuda = 0;
	conf.sched_policy_name = "dmda";
	if (starpu_init(&conf))
		cannot_begin();
}

/* ---- text ---- */

static char *text_of(const char *path)
{
	size_t n = 0;
	char *text = calloc(1, 1 << 16);
	FILE *f = fopen(path, "r");
	if (f) {
		n = fread(text, 1, (1 << 16) - 1, f);
		fclose(f);
	}
	text[n] = 0;
	return text;
}

static void write_text(const char *path, const char *text, size_t n)
{
	FILE *f = fopen(path, "w");
	CHECK(f && fwrite(text, 1, n, f) == n);
	if (f)
		fclose(f);
}

/* What goes to the standard error until it is given back. */
static int standard_error;
static FILE *caught;
static void catch_errors(void)
{
	caught = tmpfile();
	standard_error = dup(STDERR_FILENO);
	if (!caught || standard_error < 0 || dup2(fileno(caught), STDERR_FILENO) < 0)
		cannot_begin();
}
static unsigned caught_lines(char *text, size_t room)
{
	unsigned lines = 0;
	dup2(standard_error, STDERR_FILENO);
	close(standard_error);
	rewind(caught);
	text[fread(text, 1, room - 1, caught)] = 0;
	fclose(caught);
	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	return lines;
}

/* ---- a model that is known, in a file ---- */

static void learn(const char *symbol)
{
	struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = symbol};
	struct starpu_codelet cl = {.cpu_funcs = {nothing}, .model = &m};
	begin();
	struct starpu_task *t = starpu_task_create();
	t->cl = &cl;
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	starpu_perfmodel_update_history_n(&m, t, arch, 0, 0, 50, 12);
	CHECK(starpu_task_expected_length(t, arch, 0) == 50);
	/* As 30 times one: twelve are too far, the others are what is known then. */
	starpu_perfmodel_update_history_n(&m, t, arch, 0, 0, 80, 30);
	CHECK(starpu_task_expected_length(t, arch, 0) == 80);
	t->destroy = 0;
	starpu_task_destroy(t);
	starpu_save_history_based_model(&m);
	starpu_perfmodel_unload_model(&m);
	starpu_shutdown();
}

static double known(const char *symbol)
{
	struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = symbol};
	begin();
	double y = starpu_perfmodel_history_based_expected_perf(&m, starpu_worker_get_perf_archtype(0, 0), 0);
	starpu_shutdown();
	return y;
}

/* ---- where ---- */

static void check_places(void)
{
	char path[600], folder[300], list[700];
	snprintf(folder, sizeof folder, "%s/here", home);
	setenv("STARPU_PERF_MODEL_DIR", folder, 1);
	learn("placed");
	snprintf(path, sizeof path, "%s/codelets/45/placed.test", folder);
	CHECK(!access(path, R_OK) && known("placed") == 80);
	setenv("STARPU_HOSTNAME", "elsewhere", 1);
	CHECK(isnan(known("placed")));
	setenv("STARPU_HOSTNAME", "test", 1);
	unsetenv("STARPU_PERF_MODEL_DIR");
	CHECK(isnan(known("placed")));
	snprintf(list, sizeof list, "/nowhere:%s", folder);
	setenv("STARPU_PERF_MODEL_PATH", list, 1);
	CHECK(known("placed") == 80);
	unsetenv("STARPU_PERF_MODEL_PATH");
	learn("placed");
	snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/45/placed.test", home);
	CHECK(!access(path, R_OK) && known("placed") == 80);
}

/* ---- damaged ---- */

enum damage { NOT_THERE, EMPTY, HALF, SHORT, VERSION, MANY, NOISE, FOLDER, DAMAGES };

static void damage(enum damage how, const char *path, const char *good)
{
	size_t n = strlen(good);
	char *text = strdup(good), *at;
	remove(path);
	switch (how) {
	case NOT_THERE:
		break;
	case EMPTY:
		write_text(path, "", 0);
		break;
	case HALF:
		write_text(path, good, n / 2);
		break;
	case SHORT:
		write_text(path, good, n - 20);
		break;
	case VERSION:
		at = strstr(text, "\n45\n");
		CHECK(at);
		at[2] = '4';
		write_text(path, text, n);
		break;
	case MANY:
		at = strstr(text, "combinations\n1");
		CHECK(at);
		memcpy(at, "combinations\n9", 14);
		write_text(path, text, n);
		break;
	case NOISE:
		write_text(path, "\1\377 nothing of a model\n", 23);
		break;
	case FOLDER:
		CHECK(!mkdir(path, 0777));
		break;
	case DAMAGES:
		break;
	}
	free(text);
}

/* Each is said in one line that names the file, is no model, and keeps no program from running. */
static void check_damage(enum damage how, const char *path, const char *good)
{
	struct starpu_perfmodel of_file = {.type = STARPU_HISTORY_BASED}, of_symbol = {.type = STARPU_HISTORY_BASED};
	struct starpu_perfmodel used = {.type = STARPU_HISTORY_BASED, .symbol = "damaged"};
	struct starpu_codelet cl = {.cpu_funcs = {nothing}, .model = &used};
	char text[4000];
	damage(how, path, good);
	begin();
	unsetenv("STARPU_SILENT");
	starpu_perfmodel_initialize();
	catch_errors();
	int rc = starpu_perfmodel_load_file(path, &of_file);
	unsigned lines = caught_lines(text, sizeof text);
	if (lines != 1 || !strstr(text, "damaged.test"))
		fprintf(stderr, "# damage %d: '%s'\n", (int)how, text);
	CHECK(rc == 1 && lines == 1 && strstr(text, "damaged.test"));
	catch_errors();
	rc = starpu_perfmodel_load_symbol("damaged", &of_symbol);
	lines = caught_lines(text, sizeof text);
	CHECK(rc == 1 && lines == 1 && strstr(text, "damaged"));
	starpu_perfmodel_unload_model(&of_file);
	starpu_perfmodel_unload_model(&of_symbol);
	catch_errors();
	for (int i = 0; i < 5; i++)
		CHECK(starpu_task_insert(&cl, 0) == 0);
	starpu_task_wait_for_all();
	starpu_shutdown();
	caught_lines(text, sizeof text);
	setenv("STARPU_SILENT", "1", 1);
}

static void check_damages(void)
{
	char path[600];
	snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/45/damaged.test", home);
	learn("damaged");
	char *good = text_of(path);
	for (int how = 0; how < DAMAGES; how++)
		check_damage(how, path, good);
	free(good);
	remove(path);
}

/* A folder that cannot be made: a line at the end, and nothing else. */
static void check_no_folder(void)
{
	struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = "nowhere"};
	struct starpu_codelet cl = {.cpu_funcs = {nothing}, .model = &m};
	char text[4000], file[300];
	snprintf(file, sizeof file, "%s/file", home);
	write_text(file, "", 0);
	setenv("STARPU_PERF_MODEL_DIR", file, 1);
	unsetenv("STARPU_SILENT");
	setenv("STARPU_CALIBRATE", "1", 1);
	catch_errors();
	begin();
	for (int i = 0; i < 5; i++)
		CHECK(starpu_task_insert(&cl, 0) == 0);
	starpu_task_wait_for_all();
	starpu_shutdown();
	caught_lines(text, sizeof text);
	CHECK(strstr(text, "cannot") && strstr(text, file));
	unsetenv("STARPU_CALIBRATE");
	unsetenv("STARPU_PERF_MODEL_DIR");
	setenv("STARPU_SILENT", "1", 1);
}

/* ---- what is printed ---- */

#define PRINTED(call) \
	do { \
		FILE *f = open_memstream(&text, &n); \
		call; \
		fclose(f); \
	} while (0)

static void check_prints(void)
{
	struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED};
	static char mean[] = "mean", deviation[] = "stddev", cpu[] = "cpu", cuda[] = "cuda";
	uint32_t none = 1, all = 0;
	char *text, want[600], path[600];
	size_t n;
	learn("printed");
	begin();
	CHECK(!starpu_perfmodel_load_symbol("printed", &m));
	struct starpu_perfmodel_arch *arch = starpu_worker_get_perf_archtype(0, 0);
	PRINTED(starpu_perfmodel_print(&m, arch, 0, NULL, NULL, f));
	CHECK(strstr(text, "# performance model for cpu0_impl0 (Comb0)\n# hash\t\tsize") &&
	      strstr(text, "00000000\t0              \t0.000000e+00   \t8.000000e+01   \t0.000000e+00   \t18\n"));
	free(text);
	const struct {
		char *arch, *parameter;
		uint32_t *footprint;
		const char *want;
	} rows[] = {
		{NULL, mean, NULL, "# performance model for cpu0_impl0 (Comb0)\n8.000000e+01   \n"},
		{cpu, deviation, &all, "# performance model for cpu0_impl0 (Comb0)\n0.000000e+00   \n"},
		{cpu, mean, &none, "# performance model for cpu0_impl0 (Comb0)\n"},
		{cuda, mean, NULL, ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		PRINTED(starpu_perfmodel_print_all(&m, rows[i].arch, rows[i].parameter, rows[i].footprint, f));
		CHECK(!strcmp(text, rows[i].want));
		free(text);
	}
	starpu_perfmodel_debugfilepath(&m, arch, path, sizeof path, 1);
	snprintf(want, sizeof want, "%s/.starpu/sampling/debug/printed.test.cpu0_impl1 (Comb0).debug", home);
	CHECK(!strcmp(path, want));
	starpu_perfmodel_unload_model(&m);

	snprintf(want, sizeof want, "%s/.starpu/sampling/bus/test.", home);
	PRINTED(starpu_bus_print_filenames(f));
	CHECK(strstr(text, want) && strstr(text, ".bandwidth>") && strstr(text, ".affinity>") && strstr(text, ".latency>"));
	free(text);
	PRINTED(starpu_bus_print_bandwidth(f));
	CHECK(!strncmp(text, "from\tto ", 8));
	free(text);
	PRINTED(starpu_bus_print_affinity(f));
	CHECK(strstr(text, "# GPU\tNUMA"));
	free(text);
	starpu_shutdown();
}

/* ---- combinations of devices ---- */

static void check_combinations(void)
{
	struct starpu_perfmodel_device mixed[] = {{STARPU_CPU_WORKER, 0, 1}, {STARPU_OPENCL_WORKER, 3, 1}},
				       turned[] = {{STARPU_OPENCL_WORKER, 3, 1}, {STARPU_CPU_WORKER, 0, 1}};
	char name[100];
	begin();
	int before = starpu_perfmodel_get_narch_combs(), comb = starpu_perfmodel_arch_comb_add(2, mixed);
	CHECK(comb == before && starpu_perfmodel_get_narch_combs() == before + 1);
	CHECK(starpu_perfmodel_arch_comb_add(2, turned) == comb && starpu_perfmodel_arch_comb_get(2, turned) == comb);
	CHECK(starpu_perfmodel_arch_comb_get(1, mixed + 1) == -1 && starpu_perfmodel_arch_comb_fetch(comb)->ndevices == 2);
	starpu_perfmodel_get_arch_name(starpu_perfmodel_arch_comb_fetch(comb), name, sizeof name, 0);
	CHECK(!strcmp(name, "cpu0_opencl3_impl0 (Comb0)"));
	CHECK(!strcmp(starpu_perfmodel_get_archtype_name(STARPU_CPU_WORKER), "cpu") &&
	      !strcmp(starpu_perfmodel_get_archtype_name(STARPU_CUDA_WORKER), "cuda") &&
	      !strcmp(starpu_perfmodel_get_archtype_name(STARPU_OPENCL_WORKER), "opencl"));
	CHECK(!starpu_perfmodel_nop.symbol); /* tasks that have it are not called after it */
	starpu_perfmodel_free_sampling();
	CHECK(starpu_perfmodel_get_narch_combs() == 0);
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
	unsetenv("STARPU_CALIBRATE");
	unsetenv("STARPU_PERF_MODEL_DIR");
	unsetenv("STARPU_PERF_MODEL_PATH");
	check_places();
	check_damages();
	check_no_folder();
	check_prints();
	check_combinations();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
