/* SPDX-License-Identifier: Apache-2.0 */
/* `weft waits`: what threads waited for, where, and which work was to blame. */
#include "analyze/waits/waits.h"
#include "whatif_common.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	const char *by;
	uint64_t top;
};
static const struct weft_opt options[] = {
	{0, "by", "WHAT", WEFT_OPT_STRING, offsetof(struct args, by),
         "a row for each class, cause, place, thread or wait (default: class, then the first causes)"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top), "print the first N rows only"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

struct report {
	const struct args *args;
	const struct weft_waits *w;
};

static double share(uint64_t part, uint64_t all)
{
	return all ? 100.0 * (double)part / (double)all : 0;
}

/* ---- by class ---- */

static int class_rows(const struct report *r, struct weft_table *t)
{
	const struct weft_waits *w = r->w;
	uint64_t all = 0;
	bool done[WEFT_WAIT_CLASSES] = {false};
	int rc = 0;
	for (uint32_t i = 0; i < w->c->n_threads; i++)
		all += w->c->thread[i].end - w->c->thread[i].begin;
	for (unsigned n = 0; !rc && n < WEFT_WAIT_CLASSES && (!r->args->top || n < r->args->top); n++) {
		unsigned k = WEFT_WAIT_CLASSES;
		for (unsigned i = 0; i < WEFT_WAIT_CLASSES; i++)
			if (!done[i] && (k == WEFT_WAIT_CLASSES || w->class_ns[i] > w->class_ns[k]))
				k = i;
		done[k] = true;
		if (!w->class_n[k])
			continue;
		const struct weft_cell cell[] = {
			{.kind = WEFT_CELL_TEXT,
		         .text = r->args->common.csv || r->args->common.json ? weft_wait_row[k].key : weft_wait_row[k].name},
			{.kind = WEFT_CELL_U64, .u64 = w->class_n[k]},
			{.kind = WEFT_CELL_NS, .u64 = w->class_ns[k]},
			{.kind = WEFT_CELL_PERCENT, .f64 = share(w->class_ns[k], w->total_ns)},
			{.kind = WEFT_CELL_PERCENT, .f64 = share(w->class_ns[k], all)},
			{.kind = WEFT_CELL_TEXT, .text = weft_wait_row[k].about},
		};
		rc = weft_table_row(t, cell);
	}
	return rc;
}

static const struct weft_column class_column[] = {
	{"class", "waits", WEFT_CELL_TEXT},
	{"count", "count", WEFT_CELL_U64},
	{"wait_ns", "time", WEFT_CELL_NS},
	{"percent_of_waits", "of all waits", WEFT_CELL_PERCENT},
	{"percent_of_time", "of all threads' time", WEFT_CELL_PERCENT},
	{"about", "what it is", WEFT_CELL_TEXT},
};

/* ---- by cause ---- */

static int cause_rows(const struct report *r, struct weft_table *t, uint64_t most)
{
	const struct weft_waits *w = r->w;
	struct weft_buf name = {0};
	char label[40];
	int rc = 0;
	for (uint32_t i = 0; !rc && i < w->n_costs && (!most || i < most); i++) {
		const struct weft_wait_cost *k = &w->cost[i];
		uint64_t direct = (uint64_t)(k->direct_ns + 0.5), propagated = (uint64_t)(k->propagated_ns + 0.5);
		const struct weft_cell cell[] = {
			{.kind = WEFT_CELL_TEXT, .text = whatif_path_name(w->c, k->path, true, &name)},
			{.kind = WEFT_CELL_TEXT, .text = weft_thread_label(w->c->trace, w->c->thread[k->thread].thread, label)},
			{.kind = WEFT_CELL_NS, .u64 = direct},
			{.kind = WEFT_CELL_NS, .u64 = propagated},
			{.kind = WEFT_CELL_PERCENT, .f64 = share(direct + propagated, w->total_ns)},
		};
		rc = weft_table_row(t, cell);
	}
	weft_buf_fini(&name);
	return rc;
}

static const struct weft_column cause_column[] = {
	{"path", "caused by", WEFT_CELL_TEXT},
	{"thread", "on", WEFT_CELL_TEXT},
	{"direct_ns", "directly", WEFT_CELL_NS},
	{"propagated_ns", "over other waits", WEFT_CELL_NS},
	{"percent_of_waits", "of all waits", WEFT_CELL_PERCENT},
};

/* ---- by place and thread ---- */

struct place {
	uint64_t ns, n;
	uint32_t of;
	uint8_t class;
};
static int by_time(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	if (x->of != y->of)
		return x->of < y->of ? -1 : 1;
	return x->class < y->class ? -1 : x->class > y->class;
}

static int place_rows(const struct report *r, struct weft_table *t, bool threads)
{
	const struct weft_waits *w = r->w;
	size_t n = (size_t)(threads ? w->c->n_threads : w->c->n_paths) * WEFT_WAIT_CLASSES;
	struct place *at = calloc(n + 1, sizeof *at);
	struct weft_buf name = {0};
	char label[40];
	int rc = at ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < n; i++)
		at[i] = (struct place){.of = (uint32_t)(i / WEFT_WAIT_CLASSES), .class = (uint8_t)(i % WEFT_WAIT_CLASSES)};
	for (uint32_t i = 0; !rc && i < w->n; i++) {
		uint32_t of = threads ? w->c->of_node[w->wait[i].node] : w->c->node[w->wait[i].node].path;
		struct place *p = &at[(size_t)of * WEFT_WAIT_CLASSES + w->wait[i].class];
		p->ns += w->wait[i].ns;
		p->n++;
	}
	if (!rc)
		qsort(at, n, sizeof *at, by_time);
	for (size_t i = 0; !rc && i < n && at[i].n && (!r->args->top || i < r->args->top); i++) {
		const char *text = threads ? weft_thread_label(w->c->trace, w->c->thread[at[i].of].thread, label)
		                           : whatif_path_name(w->c, at[i].of, true, &name);
		const struct weft_cell cell[] = {
			{.kind = WEFT_CELL_TEXT, .text = text},
			{.kind = WEFT_CELL_TEXT, .text = weft_wait_row[at[i].class].key},
			{.kind = WEFT_CELL_U64, .u64 = at[i].n},
			{.kind = WEFT_CELL_NS, .u64 = at[i].ns},
			{.kind = WEFT_CELL_PERCENT, .f64 = share(at[i].ns, w->total_ns)},
		};
		rc = weft_table_row(t, cell);
	}
	weft_buf_fini(&name);
	free(at);
	return rc;
}

static const struct weft_column place_column[] = {
	{"path", "where", WEFT_CELL_TEXT},
	{"class", "class", WEFT_CELL_TEXT},
	{"count", "count", WEFT_CELL_U64},
	{"wait_ns", "time", WEFT_CELL_NS},
	{"percent_of_waits", "of all waits", WEFT_CELL_PERCENT},
};
static const struct weft_column thread_column[] = {
	{"thread", "thread", WEFT_CELL_TEXT},
	{"class", "class", WEFT_CELL_TEXT},
	{"count", "count", WEFT_CELL_U64},
	{"wait_ns", "time", WEFT_CELL_NS},
	{"percent_of_waits", "of all waits", WEFT_CELL_PERCENT},
};

/* ---- each wait ---- */

static const struct weft_column wait_column[] = {
	{"thread", "thread", WEFT_CELL_TEXT}, {"begin_ns", "begin", WEFT_CELL_NS}, {"wait_ns", "time", WEFT_CELL_NS},
	{"class", "class", WEFT_CELL_TEXT},   {"where", "where", WEFT_CELL_TEXT},  {"for", "for", WEFT_CELL_TEXT},
};

static int print_waits(const struct report *r)
{
	enum { ROWS = 4096 };
	const struct weft_waits *w = r->w;
	struct weft_table t;
	char label[40], other[40];
	int rc = 0;
	weft_table_init(&t, wait_column, 6);
	for (uint32_t i = 0; !rc && i < w->n && (!r->args->top || i < r->args->top); i++) {
		const struct weft_wait *one = &w->wait[i];
		bool known = one->cause_thread != WEFT_CAUSAL_NONE;
		const struct weft_cell cell[] = {
			{.kind = WEFT_CELL_TEXT,
		         .text = weft_thread_label(w->c->trace, w->c->thread[w->c->of_node[one->node]].thread, label)},
			{.kind = WEFT_CELL_NS, .u64 = w->c->node[one->node].begin},
			{.kind = WEFT_CELL_NS, .u64 = one->ns},
			{.kind = WEFT_CELL_TEXT, .text = weft_wait_row[one->class].key},
			{.kind = WEFT_CELL_TEXT, .text = weft_causal_region_of(w->c, w->c->node[one->node].path)->name},
			{.kind = known ? WEFT_CELL_TEXT : WEFT_CELL_NONE,
		         .text = known ? weft_thread_label(w->c->trace, w->c->thread[one->cause_thread].thread, other) : ""},
		};
		rc = weft_table_row(&t, cell);
		if (!rc && (i + 1) % ROWS == 0)
			rc = weft_table_part(&t, cli_form(&r->args->common), stdout, false);
	}
	if (!rc)
		rc = weft_table_part(&t, cli_form(&r->args->common), stdout, true);
	weft_table_fini(&t);
	return rc ? cli_fail_code(rc) : cli_finish(CLI_OK);
}

/* ---- the whole ---- */

static const char *const by_names[] = {"class", "cause", "place", "thread", "wait"};
enum { BY_CLASS, BY_CAUSE, BY_PLACE, BY_THREAD, BY_WAIT, N_BY };

static int print_table(const struct report *r, unsigned by, uint64_t most)
{
	static const struct {
		const struct weft_column *column;
		unsigned n;
	} tables[] = {{class_column, 6}, {cause_column, 5}, {place_column, 5}, {thread_column, 5}};
	struct weft_table t;
	weft_table_init(&t, tables[by].column, tables[by].n);
	int rc = by == BY_CLASS   ? class_rows(r, &t)
	         : by == BY_CAUSE ? cause_rows(r, &t, most)
	                          : place_rows(r, &t, by == BY_THREAD);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, &r->args->common);
}

static int show(const struct report *r, unsigned by)
{
	enum { FIRST_CAUSES = 10 };
	bool whole = r->args->common.csv || r->args->common.json;
	char time[32];
	if (by == BY_WAIT)
		return print_waits(r);
	if (by != N_BY)
		return print_table(r, by, r->args->top);
	int status = print_table(r, BY_CLASS, 0);
	if (status || whole || !r->w->n_costs)
		return status;
	putchar('\n');
	status = print_table(r, BY_CAUSE, r->args->top ? r->args->top : FIRST_CAUSES);
	if (!status && r->w->unexplained_ns >= 1)
		printf("\n%s of waits have no cause that was recorded\n", weft_human_ns(time, (uint64_t)r->w->unexplained_ns));
	return status ? status : cli_finish(CLI_OK);
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	struct weft_trace *t;
	struct weft_causal c;
	struct weft_waits w;
	unsigned by = a.by ? 0 : N_BY;
	int n;
	if (!cli_parse(&weft_command_waits, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_waits, argv, n, 1, 1))
		return CLI_USAGE;
	for (unsigned i = 0; a.by && i < N_BY; i++)
		if (!strcmp(a.by, by_names[i]))
			by = i;
	if (a.by && by == N_BY)
		return cli_unknown(&weft_command_waits, "option '--by': unknown", a.by, by_names, N_BY);
	int status = whatif_open(&a.common, argv[1], &t, &c);
	if (status)
		return status;
	int rc = weft_waits_find(&c, &w);
	if (!rc && (by == BY_CAUSE || by == N_BY))
		rc = weft_waits_blame(&w);
	if (rc) {
		status = cli_fail_code(rc);
	} else {
		struct report r = {&a, &w};
		status = show(&r, by);
		weft_waits_fini(&w);
	}
	whatif_close(t, &c);
	return status;
}

const struct weft_command weft_command_waits = {
	.name = "waits",
	.operands = "TRACE",
	.summary = "what threads waited for, and which work was to blame",
	.about = "Finds each wait and says what it was: late senders and receivers, collectives,\n"
		 "barriers, locks, lack of tasks and others. Then the causes: what another thread\n"
		 "had done more of, since the two had last passed something together, is charged\n"
		 "with the wait, directly or over waits of its own.\n"
		 "\n"
		 "Examples:\n"
		 "    weft waits run.weft\n"
		 "    weft waits run.weft --by cause\n"
		 "    weft waits run.weft --by place --top 20\n"
		 "    weft waits run.weft --by wait --csv >waits.csv",
	.options = options,
	.run = run,
};
