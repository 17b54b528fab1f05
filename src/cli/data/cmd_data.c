/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft data`: memory and data of a program of tasks. One verb with subjects (--by), since all of them are of one computation and one
 * wants them after one another: which node is full, which data, why they move, which move in vain.
 */
#include "cli/common/cli.h"
#include "data_tables.h"
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { ROWS_FOR_PEOPLE = 50 };
#define UNSAID UINT64_MAX

struct args {
	struct cli_common common;
	const char *by, *data, *output;
	uint64_t top;
	bool force;
};

static const struct weft_opt options[] = {
	{'b', "by", "SUBJECT", WEFT_OPT_STRING, offsetof(struct args, by),
         "a row for each: node (default), handle, place, cause, way, return, trip"},
	{'d', "data", "PATTERN", WEFT_OPT_STRING, offsetof(struct args, data),
         "only data whose name, or handle (0x...), matches: handle, place, return, trip"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top),
         "print the first N rows only (default: 50 where people read it, else all)"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write memory over time to OUT instead: .svg, .png or .csv"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT when it is there already"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

static bool ends_with(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);
	return n > m && strcmp(name + n - m, end) == 0;
}

static int write_curve(const struct args *a, const struct data_view *v)
{
	struct weft_buf text = {0};
	struct weft_out out;
	struct weft_err err = {0};
	int rc = ends_with(a->output, ".csv")
	                 ? data_curve_csv(v, &text)
	                 : data_curve_picture(v, ends_with(a->output, ".png") ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG, &text);
	int status = rc ? cli_fail_code(rc) : CLI_OK;
	if (!status && weft_out_open(&out, a->output, &err))
		status = cli_fail(&err);
	else if (!status) {
		fwrite(text.at, 1, text.n, out.to);
		status = weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
	}
	weft_buf_fini(&text);
	return status;
}

static int print(const struct args *a, struct data_view *v, const struct data_table *table)
{
	int rc = data_print(v, table, cli_form(&a->common));
	if (rc)
		return ferror(stdout) ? CLI_OK : cli_fail_code(rc);
	if (v->people && !v->n)
		printf("(none: %s)\n", v->tasks.n_copies || !strcmp(table->by, "node") || !strcmp(table->by, "handle")
		                               ? table->help
		                               : "no copy between memory nodes was recorded");
	if (v->people && v->shown < v->n)
		printf("\n%" PRIu64 " of %" PRIu64 " are shown ('-n 0': all).\n", v->shown, v->n);
	return CLI_OK;
}

static int data_of(const struct args *a, const struct weft_trace *t, const struct data_table *table)
{
	struct data_view v = {.pattern = a->data, .people = cli_form(&a->common) == WEFT_TABLE_TEXT};
	struct weft_err err = {0};
	v.most = a->top != UNSAID ? a->top : v.people ? ROWS_FOR_PEOPLE : 0;
	int rc = weft_tasks_load(t, &v.tasks), status = rc ? cli_fail_code(rc) : CLI_OK;
	if (!status && !v.tasks.n && !v.tasks.n_data && !v.tasks.n_memory) {
		weft_err_set(&err, -ENOENT, "'%s' has no data: it is not of a program of the task runtime", t->path);
		status = cli_fail(&err);
	}
	if (!status && !(v.tasks.has & WEFT_TASKS_HAS_DATA)) {
		weft_err_set(&err, -ENOENT, "'%s' says nothing of data: record with '--on starpu_detail', or STARPU_FXT_TRACE=1",
		             t->path);
		status = cli_fail(&err);
	}
	rc = status ? 0 : weft_use_compute(&v.tasks, &v.use);
	status = rc ? cli_fail_code(rc) : status;
	for (uint32_t i = 0; i < v.use.n_nodes; i++)
		v.several |= v.use.node[i].process != v.use.node[0].process;
	if (!status)
		status = a->output ? write_curve(a, &v) : print(a, &v, table);
	weft_use_fini(&v.use);
	weft_tasks_free(&v.tasks);
	return status;
}

static int find_table(const char *by, const struct data_table **table)
{
	const char *known[16];
	for (unsigned i = 0; i < n_data_tables; i++) {
		known[i] = data_tables[i].by;
		if (strcmp(by, data_tables[i].by) == 0)
			*table = &data_tables[i];
	}
	return *table ? CLI_OK : cli_unknown(&weft_command_data, "option '--by': unknown subject", by, known, n_data_tables);
}

static int check_output(const struct args *a)
{
	int status = cli_check_ending(&weft_command_data, a->output, ".svg .png .csv", NULL);
	if (!status && !a->force && access(a->output, F_OK) == 0)
		status = cli_usage(&weft_command_data, "'%s' is there already (--force replaces it)", a->output);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {.by = "node", .top = UNSAID};
	const struct data_table *table = NULL;
	struct weft_trace *t;
	int n;
	if (!cli_parse(&weft_command_data, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_data, argv, n, 1, 1))
		return CLI_USAGE;
	int status = find_table(a.by, &table);
	if (!status && a.output)
		status = check_output(&a);
	if (!status)
		status = cli_open(&a.common, argv[1], &t, NULL);
	if (status)
		return status;
	status = data_of(&a, t, table);
	weft_trace_close(t);
	return status;
}

const struct weft_command weft_command_data = {
	.name = "data",
	.operands = "TRACE",
	.summary = "memory and data of a program of tasks: nodes, handles, copies, returns",
	.about = "Prints what the memory nodes of a program of the task runtime held, and what\n"
		 "became of its data: by node (memory over time, allocations, reuse), by handle\n"
		 "(accesses, allocations, copies), by place (each datum on each node, and how long),\n"
		 "by cause of copies (fetch, prefetch, write back, reclaim, acquire...), by way\n"
		 "from node to node, and by return: which data were moved back and forth, for\n"
		 "which tasks, the most bytes first (trip: each of them). -o draws memory over\n"
		 "time. All that is recorded with the category starpu_detail.\n"
		 "\n"
		 "Examples:\n"
		 "    weft record --on starpu_detail -- ./cholesky\n"
		 "    weft data cholesky.weft\n"
		 "    weft data cholesky.weft --by return\n"
		 "    weft data cholesky.weft --by place --data 'A*' --csv\n"
		 "    weft data cholesky.weft -o memory.svg",
	.options = options,
	.run = run,
};
