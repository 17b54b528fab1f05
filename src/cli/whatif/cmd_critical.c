/* SPDX-License-Identifier: Apache-2.0 */
/* `weft critical`: the chain of work and waits that made the run as long as it was; what could have taken longer without harm. */
#include "critical_picture.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	const char *by, *output;
	uint64_t top, width, rows;
};
static const struct weft_opt options[] = {
	{0, "by", "WHAT", WEFT_OPT_STRING, offsetof(struct args, by),
         "a row for each region, path, thread, step or burst (default: region)"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top), "print the first N rows only"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "draw the path over the threads' timeline into OUT, .svg or .png, and print nothing"},
	{0, "width", "PIXELS", WEFT_OPT_U64, offsetof(struct args, width), "of the picture (default: 1200)"},
	{0, "rows", "N", WEFT_OPT_U64, offsetof(struct args, rows), "draw at most N threads (default: 512)"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

struct row {
	uint32_t of; /* region, path or thread */
	uint64_t on_path, all;
	uint64_t calls, least_slack, slack;
};
struct report {
	const struct args *args;
	const struct weft_causal *c;
	const struct weft_causal_critical *p;
	struct row *row;
	uint32_t n_rows;
};

static int by_share(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	if (x->on_path != y->on_path)
		return x->on_path > y->on_path ? -1 : 1;
	if (x->all != y->all)
		return x->all > y->all ? -1 : 1;
	return x->of < y->of ? -1 : x->of > y->of;
}

static void lower(struct row *r, uint64_t slack)
{
	if (slack < r->least_slack)
		r->least_slack = slack;
}

/* What all threads together did by path, and how much of it could wait. */
static void count_all(struct report *r, bool by_region, bool by_thread)
{
	const struct weft_causal *c = r->c;
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		uint32_t at = by_thread ? c->of_node[i] : by_region ? c->path[c->node[i].path].region : c->node[i].path;
		if (c->node[i].end > c->node[i].begin) {
			r->row[at].all += c->node[i].end - c->node[i].begin;
			r->row[at].calls += !by_thread;
		}
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++) {
			const struct weft_causal_part *part = &c->part[k];
			at = by_thread ? c->of_node[i] : by_region ? c->path[part->path].region : part->path;
			r->row[at].all += part->ns;
			r->row[at].calls += by_thread ? 0 : part->count;
			if (part->ns)
				lower(&r->row[at], r->p->slack[i]);
		}
	}
}

static int profile(struct report *r, bool by_region, bool by_thread)
{
	const struct weft_causal *c = r->c;
	r->n_rows = by_thread ? c->n_threads : by_region ? c->n_regions : c->n_paths;
	r->row = calloc((size_t)r->n_rows + 1, sizeof *r->row);
	if (!r->row)
		return -ENOMEM;
	for (uint32_t i = 0; i < r->n_rows; i++) {
		r->row[i].of = i;
		r->row[i].least_slack = UINT64_MAX;
	}
	count_all(r, by_region, by_thread);
	if (by_thread)
		for (uint32_t i = 0; i < c->n_threads; i++)
			r->row[i].on_path = r->p->of_thread[i];
	else
		for (uint32_t i = 0; i < c->n_paths; i++)
			r->row[by_region ? c->path[i].region : i].on_path += r->p->on_path[i];
	qsort(r->row, r->n_rows, sizeof *r->row, by_share);
	return 0;
}

static int print_profile(struct report *r, bool by_region, bool by_thread)
{
	const struct weft_column column[] = {
		{by_thread   ? "thread"
	         : by_region ? "region"
	                     : "path",
	         by_thread   ? "thread"
	         : by_region ? "region"
	                     : "path",
	         WEFT_CELL_TEXT},
		{"critical_ns", "on the path", WEFT_CELL_NS},
		{"critical_percent", "share", WEFT_CELL_PERCENT},
		{"total_ns", "of all threads", WEFT_CELL_NS},
		{"calls", "calls", WEFT_CELL_U64},
		{"least_slack_ns", "least slack", WEFT_CELL_NS},
	};
	struct weft_table t;
	struct weft_buf name = {0};
	char label[40];
	int rc = profile(r, by_region, by_thread);
	uint64_t length = 0;
	for (size_t i = 0; i < r->p->step.n; i++)
		length += r->p->step.at[i].end - r->p->step.at[i].begin;
	weft_table_init(&t, column, 6);
	for (uint32_t i = 0; !rc && i < r->n_rows && (!r->args->top || i < r->args->top); i++) {
		const struct row *w = &r->row[i];
		if (!w->on_path && !w->all)
			continue;
		const char *text = by_thread   ? weft_thread_label(r->c->trace, r->c->thread[w->of].thread, label)
		                   : by_region ? r->c->region[w->of].name
		                               : whatif_path_name(r->c, w->of, true, &name);
		const struct weft_cell cell[] = {
			{.kind = WEFT_CELL_TEXT, .text = text},
			{.kind = WEFT_CELL_NS, .u64 = w->on_path},
			{.kind = WEFT_CELL_PERCENT, .f64 = length ? 100.0 * (double)w->on_path / (double)length : 0},
			{.kind = WEFT_CELL_NS, .u64 = w->all},
			{.kind = by_thread ? WEFT_CELL_NONE : WEFT_CELL_U64, .u64 = w->calls},
			{.kind = w->least_slack == UINT64_MAX ? WEFT_CELL_NONE : WEFT_CELL_NS, .u64 = w->least_slack},
		};
		rc = weft_table_row(&t, cell);
	}
	weft_buf_fini(&name);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, &r->args->common);
}

/* The path itself, in the order of time. */
static int print_steps(const struct report *r)
{
	static const struct weft_column column[] = {
		{"begin_ns", "begin", WEFT_CELL_NS}, {"end_ns", "end", WEFT_CELL_NS},    {"thread", "thread", WEFT_CELL_TEXT},
		{"what", "what", WEFT_CELL_TEXT},    {"where", "where", WEFT_CELL_TEXT},
	};
	const struct weft_causal *c = r->c;
	struct weft_table t;
	struct weft_buf name = {0};
	char label[40];
	int rc = 0;
	weft_table_init(&t, column, 5);
	for (size_t i = 0; !rc && i < r->p->step.n && (!r->args->top || i < r->args->top); i++) {
		const struct weft_causal_step *s = &r->p->step.at[i];
		uint32_t path = c->node[s->node].path;
		uint64_t most = 0;
		for (uint32_t k = c->node[s->node].first_part; !s->in_node && k < c->node[s->node + 1].first_part; k++)
			if (c->part[k].ns > most) {
				most = c->part[k].ns;
				path = c->part[k].path;
			}
		const struct weft_cell cell[] = {
			{.kind = WEFT_CELL_NS, .u64 = s->begin},
			{.kind = WEFT_CELL_NS, .u64 = s->end},
			{.kind = WEFT_CELL_TEXT, .text = weft_thread_label(c->trace, c->thread[s->thread].thread, label)},
			{.kind = WEFT_CELL_TEXT, .text = s->in_node ? "call" : "burst"},
			{.kind = WEFT_CELL_TEXT, .text = whatif_path_name(c, path, true, &name)},
		};
		rc = weft_table_row(&t, cell);
	}
	weft_buf_fini(&name);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, &r->args->common);
}

/* Each burst with its slack: in parts, so that millions need no memory. */
static int print_bursts(const struct report *r)
{
	static const struct weft_column column[] = {
		{"thread", "thread", WEFT_CELL_TEXT}, {"begin_ns", "begin", WEFT_CELL_NS}, {"end_ns", "end", WEFT_CELL_NS},
		{"region", "region", WEFT_CELL_TEXT}, {"slack_ns", "slack", WEFT_CELL_NS},
	};
	enum { ROWS = 4096 };
	const struct weft_causal *c = r->c;
	struct weft_table t;
	char label[40];
	int rc = 0;
	uint64_t rows = 0;
	weft_table_init(&t, column, 5);
	for (uint32_t i = 0; !rc && i < c->n_nodes && (!r->args->top || rows < r->args->top); i++) {
		uint64_t begin = weft_causal_burst_begin(c, c->of_node[i], i), most = 0;
		uint32_t path = c->node[i].path;
		if (begin >= c->node[i].begin)
			continue;
		for (uint32_t k = c->node[i].first_part; k < c->node[i + 1].first_part; k++)
			if (c->part[k].ns > most) {
				most = c->part[k].ns;
				path = c->part[k].path;
			}
		const struct weft_cell cell[] = {
			{.kind = WEFT_CELL_TEXT, .text = weft_thread_label(c->trace, c->thread[c->of_node[i]].thread, label)},
			{.kind = WEFT_CELL_NS, .u64 = begin},
			{.kind = WEFT_CELL_NS, .u64 = c->node[i].begin},
			{.kind = WEFT_CELL_TEXT, .text = weft_causal_region_of(c, path)->name},
			{.kind = WEFT_CELL_NS, .u64 = r->p->slack[i]},
		};
		rc = weft_table_row(&t, cell);
		if (!rc && ++rows % ROWS == 0)
			rc = weft_table_part(&t, cli_form(&r->args->common), stdout, false);
	}
	if (!rc)
		rc = weft_table_part(&t, cli_form(&r->args->common), stdout, true);
	weft_table_fini(&t);
	return rc ? cli_fail_code(rc) : cli_finish(CLI_OK);
}

static const char *const by_names[] = {"region", "path", "thread", "step", "burst"};
enum { BY_REGION, BY_PATH, BY_THREAD, BY_STEP, BY_BURST, N_BY };

static int show(struct report *r, unsigned by)
{
	int status = by == BY_STEP    ? print_steps(r)
	             : by == BY_BURST ? print_bursts(r)
	                              : print_profile(r, by == BY_REGION, by == BY_THREAD);
	free(r->row);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {.width = 1200, .rows = 512};
	struct weft_trace *t;
	struct weft_causal c;
	struct weft_causal_critical p;
	unsigned by = BY_REGION;
	int n;
	if (!cli_parse(&weft_command_critical, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_critical, argv, n, 1, 1))
		return CLI_USAGE;
	while (a.by && by < N_BY && strcmp(a.by, by_names[by]) != 0)
		by++;
	if (by == N_BY)
		return cli_unknown(&weft_command_critical, "option '--by': unknown", a.by, by_names, N_BY);
	const struct critical_picture picture = {&a.common, a.output, a.width, a.rows};
	if (a.output && !critical_picture_check(&weft_command_critical, &picture))
		return CLI_USAGE;
	int status = whatif_open(&a.common, argv[1], &t, &c);
	if (status)
		return status;
	int rc = weft_causal_critical(&c, by != BY_STEP && !a.output, &p);
	if (rc) {
		status = cli_fail_code(rc);
	} else {
		struct report r = {.args = &a, .c = &c, .p = &p};
		status = a.output ? critical_picture_write(&picture, &c, &p) : show(&r, by);
		weft_causal_critical_fini(&p);
	}
	whatif_close(t, &c);
	return status;
}

const struct weft_command weft_command_critical = {
	.name = "critical",
	.operands = "TRACE",
	.summary = "the critical path: what made the run as long as it was",
	.about = "Follows the run from its end backwards, over messages, collectives, locks,\n"
		 "barriers, teams, tasks, threads and wake-ups: wherever a thread had waited, the\n"
		 "path goes on at what it had waited for. What is on the path made the run as long\n"
		 "as it was; a burst's slack is how much longer it might have lasted without harm.\n"
		 "\n"
		 "Examples:\n"
		 "    weft critical run.weft\n"
		 "    weft critical run.weft --by thread\n"
		 "    weft critical run.weft -o path.svg\n"
		 "    weft critical run.weft --by step --csv >path.csv\n"
		 "    weft critical run.weft --by burst --csv >slack.csv",
	.options = options,
	.run = run,
};
