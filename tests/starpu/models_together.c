/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes that save the same model at once, while others read it: what is read is always one of those that were written, whole. Rows
 * of multiple regressions are lost by none. And a file that is damaged is set aside, once, with its bytes.
 */
#include "starpu_check.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { WRITERS = 4, ROUNDS = 12, ROWS = 25, SIZES = 40 };
static char home[] = "/tmp/weft-together-XXXXXX";

static void nothing(void *buffers[], void *arg)
{
	(void)buffers, (void)arg;
}
static struct starpu_codelet cl = {.cpu_funcs = {nothing}};
static struct starpu_perfmodel_device device = {STARPU_CPU_WORKER, 0, 1};
static struct starpu_perfmodel_arch cpu = {1, &device};

static uint32_t footprint_now;
static uint32_t footprint(struct starpu_task *t)
{
	(void)t;
	return footprint_now;
}
static double parameter_now;
static void parameters(struct starpu_task *t, double *p)
{
	(void)t;
	p[0] = parameter_now;
}
static const char *names[] = {"N"};

static void feed(struct starpu_perfmodel *m, double y, unsigned times)
{
	struct starpu_task *t = starpu_task_create();
	cl.model = m;
	t->cl = &cl;
	t->destroy = 0;
	starpu_perfmodel_update_history_n(m, t, &cpu, 0, 0, y, times);
	starpu_task_destroy(t);
}

/* Each writer's model has one mean for all its sizes, and as many samples. */
static int write_models(unsigned writer)
{
	starpu_perfmodel_initialize();
	for (int round = 0; round < ROUNDS; round++) {
		struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = "together", .footprint = footprint};
		setenv("STARPU_CALIBRATE", "2", 1);
		starpu_perfmodel_initialize();
		for (footprint_now = 1; footprint_now <= SIZES; footprint_now++)
			feed(&m, 100.0 + writer, 10 + writer);
		starpu_save_history_based_model(&m);
		starpu_perfmodel_unload_model(&m);
	}
	struct starpu_perfmodel rows = {.type = STARPU_MULTIPLE_REGRESSION_BASED,
	                                .symbol = "rows",
	                                .parameters = parameters,
	                                .parameters_names = names,
	                                .nparameters = 1};
	setenv("STARPU_CALIBRATE", "1", 1);
	starpu_perfmodel_initialize();
	for (unsigned i = 0; i < ROWS; i++) {
		parameter_now = writer * ROWS + i;
		feed(&rows, 1 + parameter_now, 1);
		if (i % 5 == 4) /* more than once: no row is written twice */
			starpu_save_history_based_model(&rows);
	}
	starpu_perfmodel_unload_model(&rows);
	return checks_failed();
}

static int read_models(void)
{
	for (int round = 0; round < 10 * ROUNDS; round++) {
		struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED};
		starpu_perfmodel_initialize();
		if (starpu_perfmodel_load_symbol("together", &m)) {
			CHECK(!"read a whole model");
			return checks_failed();
		}
		struct starpu_perfmodel_history_list *l = starpu_perfmodel_get_model_per_arch(&m, &cpu, 0)->list;
		unsigned n = 0, writer = l ? l->entry->nsample - 10 : 99;
		for (; l; l = l->next, n++)
			CHECK(l->entry->nsample == 10 + writer && l->entry->mean == 100 + writer);
		CHECK(n == SIZES && writer < WRITERS);
		starpu_perfmodel_unload_model(&m);
	}
	return checks_failed();
}

static void check_together(void)
{
	pid_t child[WRITERS + 1];
	bool seen[WRITERS * ROWS] = {false};
	char path[300], line[200];
	unsigned lines = 0;
	CHECK(write_models(0) == EXIT_SUCCESS); /* so that there is one to read */
	snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/tmp/rows.out", home);
	CHECK(!remove(path));
	for (unsigned i = 0; i <= WRITERS; i++)
		if (!(child[i] = fork()))
			_exit(i < WRITERS ? write_models(i) : read_models());
	for (unsigned i = 0; i <= WRITERS; i++) {
		int status = -1;
		CHECK(waitpid(child[i], &status, 0) == child[i] && WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS);
	}
	FILE *f = fopen(path, "r");
	CHECK(f && fgets(line, sizeof line, f) && !strcmp(line, "Duration, N\n"));
	for (double y, n; f && fscanf(f, "%lf, %lf", &y, &n) == 2; lines++) {
		CHECK(y == n + 1 && n < WRITERS * ROWS && !seen[(int)n]);
		seen[(int)n] = true;
	}
	CHECK(lines == WRITERS * ROWS);
	if (f)
		fclose(f);
}

/* ---- set aside ---- */

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	CHECK(f && fputs(text, f) >= 0 && !fclose(f));
}
static bool is(const char *path, const char *text)
{
	char got[200] = "";
	FILE *f = fopen(path, "r");
	size_t n = f ? fread(got, 1, sizeof got - 1, f) : 0;
	if (f)
		fclose(f);
	return f && n == strlen(text) && !strcmp(got, text);
}

static void check_aside(void)
{
	static const char junk[] = "45\n1\n1\n0\n0\n1\n1\n7\n";
	struct starpu_perfmodel m = {.type = STARPU_HISTORY_BASED, .symbol = "aside"};
	char path[300], aside[320], line[500], second[10], *list = NULL;
	size_t n;
	snprintf(path, sizeof path, "%s/.starpu/sampling/codelets/45/aside.test", home);
	snprintf(aside, sizeof aside, "%s.damaged", path);
	put(path, junk);
	unsetenv("STARPU_SILENT");
	unsetenv("STARPU_CALIBRATE");
	starpu_perfmodel_initialize();
	FILE *said = tmpfile();
	int standard_error = dup(STDERR_FILENO);
	CHECK(said && dup2(fileno(said), STDERR_FILENO) >= 0);
	footprint_now = 0;
	feed(&m, 5, 12);
	fflush(stderr);
	dup2(standard_error, STDERR_FILENO);
	close(standard_error);
	setenv("STARPU_SILENT", "1", 1);
	starpu_perfmodel_initialize();
	rewind(said);
	CHECK(fgets(line, sizeof line, said) && strstr(line, "aside.test:") && strstr(line, "expected") && strstr(line, aside));
	CHECK(!fgets(second, sizeof second, said));
	fclose(said);
	CHECK(is(aside, junk) && access(path, F_OK));
	starpu_save_history_based_model(&m);
	CHECK(!access(path, R_OK) && is(aside, junk));
	starpu_perfmodel_unload_model(&m);
	/* It is none of the models. */
	FILE *to = open_memstream(&list, &n);
	CHECK(!starpu_perfmodel_list(to));
	fclose(to);
	CHECK(strstr(list, "file: <aside.test>") && !strstr(list, "damaged"));
	free(list);
}

int main(void)
{
	char command[64];
	CHECK(mkdtemp(home) != NULL);
	setenv("STARPU_HOME", home, 1);
	setenv("STARPU_HOSTNAME", "test", 1);
	setenv("STARPU_SILENT", "1", 1);
	unsetenv("STARPU_PERF_MODEL_DIR");
	unsetenv("STARPU_PERF_MODEL_PATH");
	check_together();
	check_aside();
	starpu_perfmodel_free_sampling();
	snprintf(command, sizeof command, "rm -r %s", home);
	CHECK(system(command) == 0);
	return checks_failed();
}
