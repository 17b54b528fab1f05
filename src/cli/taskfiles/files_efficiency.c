/* SPDX-License-Identifier: Apache-2.0 */
/* `weft files efficiency`, starpu_trace_state_stats.py: states of trace.rec, where the workers' time went, and efficiencies made of that. */
#include "files_cli.h"
#include "base/log.h"
#include "taskfiles/paje_states.h"
#include <math.h>
#include <string.h>

enum { EFFICIENCIES = 5 };
static const char *const names[EFFICIENCIES] = {"Parallel", "Task", "Runtime", "Scheduling", "Pipeline"};
static const char *const meanings[EFFICIENCIES] = {
	"all of them multiplied",
	"tasks alone one after the other / tasks here (1 where that was not given)",
	"tasks and scheduling / these and the runtime",
	"tasks / tasks and scheduling",
	"tasks, scheduling and runtime / these and idle workers",
};

static double ratio(double a, double b)
{
	return b > 0 ? a / b : 1;
}

static void compute(const struct state_parts *p, double sequential, double *e)
{
	e[1] = sequential > 0 ? ratio(sequential, p->task) : 1;
	e[2] = ratio(p->task + p->scheduling, p->task + p->scheduling + p->runtime);
	e[3] = ratio(p->task, p->task + p->scheduling);
	e[4] = ratio(p->task + p->scheduling + p->runtime, p->task + p->scheduling + p->runtime + p->idle);
	e[0] = e[1] * e[2] * e[3] * e[4];
}

static int read_sums(const struct files_args *a, const char *path, struct state_sums *s, double *e)
{
	struct text_lines *t;
	struct weft_err err = {0};
	double sequential = 0;
	if (a->sequential && (weft_parse_double(weft_str(a->sequential), &sequential) || sequential <= 0)) {
		weft_log(WEFT_LOG_ERROR, "the time of the tasks one after the other: expected milliseconds, found '%s'",
		         a->sequential);
		return CLI_USAGE;
	}
	int status = files_open(&t, path);
	if (status)
		return status;
	if (state_sums_read_rec(s, t, &err))
		status = cli_fail(&err);
	text_lines_close(t);
	compute(&s->parts, sequential, e);
	return status;
}

int files_efficiency(const struct files_args *a, char **operand, int n)
{
	static const struct weft_column columns[] = {{"efficiency", "efficiency", WEFT_CELL_TEXT},
	                                             {"value", "value", WEFT_CELL_DOUBLE},
	                                             {"meaning", "what it is", WEFT_CELL_TEXT}};
	struct state_sums s = {.from = -1e300, .to = -INFINITY};
	struct weft_table t;
	double e[EFFICIENCIES];
	int rc = 0, status = read_sums(a, operand[0], &s, e);
	(void)n;
	weft_table_init(&t, columns, 3);
	for (unsigned i = 0; i < EFFICIENCIES && !status && !rc; i++)
		rc = weft_table_row(&t, (struct weft_cell[]){{WEFT_CELL_TEXT, {.text = names[i]}},
		                                             {WEFT_CELL_DOUBLE, {.f64 = round(e[i] * 1e6) / 1e6}},
		                                             {WEFT_CELL_TEXT, {.text = meanings[i]}}});
	state_sums_fini(&s);
	if (!status && !rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return status ? status : cli_fail_code(rc);
}

/* ---- as StarPU's script writes it ---- */

static int write_times(const struct files_args *a, const struct state_parts *p)
{
	struct weft_buf b = {0};
	weft_buf_printf(&b, "\"Time\",\"Duration\"\n\"Runtime\",%.6f\n\"Task\",%.6f\n\"Idle\",%.6f\n\"Scheduling\",%.6f\n",
	                p->runtime, p->task, p->idle, p->scheduling);
	int status = files_write(a, "times.csv", &b);
	weft_buf_fini(&b);
	return status;
}

static int write_efficiencies(const struct files_args *a, const double *e)
{
	struct weft_buf b = {0};
	weft_buf_puts(&b, "\"Efficiency\",\"Value\"\n");
	for (unsigned i = 0; i < EFFICIENCIES; i++)
		weft_buf_printf(&b, e[i] == 1 ? "\"%s\",%.1f\n" : "\"%s\",%.6f\n", names[i], e[i]);
	int status = files_write(a, "efficiencies.csv", &b);
	weft_buf_fini(&b);
	return status;
}

int files_efficiency_starpu(const struct files_args *a, char **operand, int n)
{
	struct state_sums s = {.from = -1e300, .to = -INFINITY};
	double e[EFFICIENCIES];
	char text[32];
	int status = read_sums(a, operand[0], &s, e);
	(void)n;
	if (!status && a->efficiencies && !a->sequential)
		weft_log(WEFT_LOG_WARN, "the task efficiency is 1: -s says how long the tasks take one after the other");
	if (!status)
		puts("\"Name\",\"Count\",\"Type\",\"Duration\"");
	for (size_t i = 0; i < s.at.n && !status; i++)
		if (s.at.at[i].n)
			printf("\"%s\",%llu,\"%s\",%s\n", s.at.at[i].name, (unsigned long long)s.at.at[i].n, s.at.at[i].category,
			       paje_time_text(text, s.at.at[i].total));
	if (!status && a->times)
		status = write_times(a, &s.parts);
	if (!status && a->efficiencies)
		status = write_efficiencies(a, e);
	state_sums_fini(&s);
	return status;
}
