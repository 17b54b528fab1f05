/* SPDX-License-Identifier: Apache-2.0 */
/* `weft stat`: where the time went. Columns are rows of a table here; src/metric/hist/call_table.c computes. */
#include "cli/common/cli.h"
#include "cli/common/left_out.h"
#include "base/log.h"
#include "metric/hist/call_table.h"
#include "stat_processes.h"
#include "calls_report.h"
#include "view_load.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	const char *by, *sort, *time;
	uint64_t top;
};

static const struct weft_opt options[] = {
	{'b', "by", "GROUPS", WEFT_OPT_STRING, offsetof(struct args, by),
         "what a row is: region, thread, process, state (of Paraver), all; or two, like region,thread; or function (of samples), or counter"},
	{'s', "sort", "COLUMN", WEFT_OPT_STRING, offsetof(struct args, sort),
         "order by this column, greatest first (default: self)"},
	{'n', "top", "N", WEFT_OPT_U64, offsetof(struct args, top), "print the first N rows only"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time), "from A up to B only; regions are cut there"},
	CLI_FILTER_OPTION,
	CLI_TABLE_OPTIONS,
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

/* -- columns -- */

enum when {
	WHEN_REGION = 1,
	WHEN_THREAD = 2,
	WHEN_PROCESS = 4,
	WHEN_NOT_THREAD = 8,
	ALWAYS = 16,
	FOR_PEOPLE = 32,
	FOR_PROGRAMS = 64
};
enum { BAR_CELLS = 16 };

struct view {
	const struct weft_trace *trace;
	const struct weft_def_row *things; /* regions or states */
	uint32_t n_things;
	double most; /* of the share, for the bar */
	char text[64];
};

typedef struct weft_cell cell_fn(struct view *v, const struct weft_call_row *r);

static struct weft_cell text_cell(const char *text)
{
	return (struct weft_cell){WEFT_CELL_TEXT, {.text = text}};
}

static struct weft_cell ns_cell(uint64_t ns)
{
	return (struct weft_cell){WEFT_CELL_NS, {.u64 = ns}};
}

static struct weft_cell percent_cell(double part)
{
	return (struct weft_cell){isnan(part) ? WEFT_CELL_NONE : WEFT_CELL_PERCENT, {.f64 = 100 * part}};
}

static struct weft_cell cell_region(struct view *v, const struct weft_call_row *r)
{
	return text_cell(r->region < v->n_things ? v->things[r->region].name : "?");
}

static struct weft_cell cell_state(struct view *v, const struct weft_call_row *r)
{
	uint32_t state = r->region < v->n_things ? v->things[r->region].state : 0;
	return text_cell(state < WEFT_STATE_CLASSES ? weft_state_name[state] : "?");
}

static struct weft_cell cell_thread(struct view *v, const struct weft_call_row *r)
{
	return text_cell(weft_thread_label(v->trace, r->thread, v->text));
}

static struct weft_cell cell_thread_name(struct view *v, const struct weft_call_row *r)
{
	return text_cell(v->trace->thread[r->thread].name);
}

static struct weft_cell cell_process(struct view *v, const struct weft_call_row *r)
{
	weft_thread_label(v->trace, v->trace->process[r->process].first_thread, v->text);
	*strrchr(v->text, '.') = '\0';
	return text_cell(v->text);
}

static struct weft_cell cell_process_name(struct view *v, const struct weft_call_row *r)
{
	return text_cell(v->trace->process[r->process].name);
}

static struct weft_cell cell_threads(struct view *v, const struct weft_call_row *r)
{
	(void)v;
	return (struct weft_cell){WEFT_CELL_U64, {.u64 = r->n_threads}};
}

static struct weft_cell cell_calls(struct view *v, const struct weft_call_row *r)
{
	(void)v;
	return (struct weft_cell){WEFT_CELL_U64, {.u64 = r->calls}};
}

#define NS_CELL(name, expression) \
	static struct weft_cell cell_##name(struct view *v, const struct weft_call_row *r) \
	{ \
		(void)v; \
		return ns_cell(expression); \
	}
NS_CELL(total, r->total)
NS_CELL(self, r->self)
NS_CELL(min, r->min)
NS_CELL(mean, (uint64_t)llround(r->mean))
NS_CELL(p50, r->p50)
NS_CELL(p99, r->p99)
NS_CELL(max, r->max)

static struct weft_cell cell_share(struct view *v, const struct weft_call_row *r)
{
	(void)v;
	return percent_cell(r->share);
}

static struct weft_cell cell_balance(struct view *v, const struct weft_call_row *r)
{
	(void)v;
	return percent_cell(r->n_threads > 1 ? r->balance : NAN);
}

static struct weft_cell cell_bar(struct view *v, const struct weft_call_row *r)
{
	long n = v->most > 0 ? lround(r->share / v->most * BAR_CELLS) : 0;
	memset(v->text, '#', BAR_CELLS);
	v->text[n] = '\0';
	return text_cell(v->text);
}

static double by_total(const struct weft_call_row *r)
{
	return (double)r->total;
}
static double by_self(const struct weft_call_row *r)
{
	return (double)r->self;
}
static double by_calls(const struct weft_call_row *r)
{
	return (double)r->calls;
}
static double by_min(const struct weft_call_row *r)
{
	return (double)r->min;
}
static double by_mean(const struct weft_call_row *r)
{
	return r->mean;
}
static double by_p50(const struct weft_call_row *r)
{
	return (double)r->p50;
}
static double by_p99(const struct weft_call_row *r)
{
	return (double)r->p99;
}
static double by_max(const struct weft_call_row *r)
{
	return (double)r->max;
}
static double by_threads(const struct weft_call_row *r)
{
	return r->n_threads;
}
static double by_balance(const struct weft_call_row *r)
{
	return isnan(r->balance) ? -1 : r->balance;
}

static const struct stat_column {
	struct weft_column column;
	unsigned when;
	cell_fn *cell;
	const char *sort; /* what --sort calls it */
	double (*value)(const struct weft_call_row *r);
} stat_columns[] = {
	{{"region", "region", WEFT_CELL_TEXT}, WHEN_REGION, cell_region, NULL, NULL},
	{{"state", "state", WEFT_CELL_TEXT}, WHEN_REGION | FOR_PROGRAMS, cell_state, NULL, NULL},
	{{"process", "process", WEFT_CELL_TEXT}, WHEN_PROCESS, cell_process, NULL, NULL},
	{{"process_name", "name", WEFT_CELL_TEXT}, WHEN_PROCESS, cell_process_name, NULL, NULL},
	{{"thread", "thread", WEFT_CELL_TEXT}, WHEN_THREAD, cell_thread, NULL, NULL},
	{{"thread_name", "name", WEFT_CELL_TEXT}, WHEN_THREAD, cell_thread_name, NULL, NULL},
	{{"threads", "threads", WEFT_CELL_U64}, WHEN_NOT_THREAD, cell_threads, "threads", by_threads},
	{{"calls", "calls", WEFT_CELL_U64}, ALWAYS, cell_calls, "calls", by_calls},
	{{"total_ns", "total", WEFT_CELL_NS}, ALWAYS, cell_total, "total", by_total},
	{{"self_ns", "self", WEFT_CELL_NS}, ALWAYS, cell_self, "self", by_self},
	{{"min_ns", "min", WEFT_CELL_NS}, ALWAYS, cell_min, "min", by_min},
	{{"mean_ns", "mean", WEFT_CELL_NS}, ALWAYS, cell_mean, "mean", by_mean},
	{{"p50_ns", "p50", WEFT_CELL_NS}, ALWAYS, cell_p50, "p50", by_p50},
	{{"p99_ns", "p99", WEFT_CELL_NS}, ALWAYS, cell_p99, "p99", by_p99},
	{{"max_ns", "max", WEFT_CELL_NS}, ALWAYS, cell_max, "max", by_max},
	{{"balance_percent", "balance", WEFT_CELL_PERCENT}, WHEN_NOT_THREAD, cell_balance, "balance", by_balance},
	{{"share_percent", "share", WEFT_CELL_PERCENT}, ALWAYS, cell_share, "share", by_self},
	{{"bar", "", WEFT_CELL_TEXT}, ALWAYS | FOR_PEOPLE, cell_bar, NULL, NULL},
};
enum { COLUMNS = sizeof stat_columns / sizeof stat_columns[0] };

static unsigned choose_columns(unsigned by, enum weft_table_form form, const struct stat_column *chosen[COLUMNS])
{
	unsigned has = ALWAYS, n = 0;
	has |= by & WEFT_BY_REGION ? WHEN_REGION : 0;
	has |= by & WEFT_BY_PROCESS ? WHEN_PROCESS : 0;
	has |= by & WEFT_BY_THREAD ? WHEN_THREAD : WHEN_NOT_THREAD;
	unsigned hidden = form == WEFT_TABLE_TEXT ? FOR_PROGRAMS : FOR_PEOPLE;
	for (unsigned i = 0; i < COLUMNS; i++)
		if ((stat_columns[i].when & has) && !(stat_columns[i].when & hidden))
			chosen[n++] = &stat_columns[i];
	return n;
}

/* -- order -- */

struct keyed {
	double value;
	size_t row;
};

static int compare_keyed(const void *a, const void *b)
{
	const struct keyed *x = a, *y = b;
	if (x->value != y->value)
		return x->value > y->value ? -1 : 1;
	return x->row < y->row ? -1 : x->row > y->row;
}

static const struct stat_column *find_sort(const char *name)
{
	for (unsigned i = 0; i < COLUMNS; i++)
		if (stat_columns[i].sort && strcmp(stat_columns[i].sort, name) == 0)
			return &stat_columns[i];
	return NULL;
}

/* Rows by the column; ties and `name` in the order of definitions. malloc'd. */
static struct keyed *stat_sorted(const struct weft_call_table *s, const char *sort)
{
	const struct stat_column *by = find_sort(sort);
	struct keyed *order = calloc(s->n_rows + 1, sizeof *order);
	if (!order)
		return NULL;
	for (size_t i = 0; i < s->n_rows; i++)
		order[i] = (struct keyed){by ? by->value(&s->row[i]) : 0, i};
	qsort(order, s->n_rows, sizeof *order, compare_keyed);
	return order;
}

/* -- printing -- */

static int stat_fill(struct weft_table *t, struct view *v, const struct weft_call_table *s, const struct args *a,
                     const struct stat_column *const *columns, unsigned n_columns)
{
	struct keyed *order = stat_sorted(s, a->sort);
	size_t n = a->top && a->top < s->n_rows ? (size_t)a->top : s->n_rows;
	int rc = order ? 0 : -ENOMEM;
	for (size_t i = 0; !rc && i < s->n_rows; i++)
		v->most = s->row[i].share > v->most ? s->row[i].share : v->most;
	for (size_t i = 0; !rc && i < n; i++) {
		struct weft_cell row[COLUMNS];
		char kept[COLUMNS][sizeof v->text];
		for (unsigned k = 0; k < n_columns; k++) {
			row[k] = columns[k]->cell(v, &s->row[order[i].row]);
			if (row[k].kind == WEFT_CELL_TEXT && row[k].text == v->text)
				row[k].text = strcpy(kept[k], v->text);
		}
		rc = weft_table_row(t, row);
	}
	free(order);
	return rc;
}

static void print_summary(const struct weft_call_table *s, const struct args *a)
{
	char human[32];
	uint64_t self = 0;
	for (size_t i = 0; i < s->n_rows; i++)
		self += s->row[i].self;
	printf("\n");
	if (a->top && a->top < s->n_rows)
		printf("%" PRIu64 " of %zu rows are shown.\n", a->top, s->n_rows);
	printf("Threads lasted %s in all", weft_human_ns(human, s->thread_time));
	if (s->thread_time && self <= s->thread_time)
		printf("; %.1f %% of it is in none of these", 100 * (double)(s->thread_time - self) / (double)s->thread_time);
	printf(".\n");
	if (!isnan(s->load_balance) && s->n_threads > 1)
		printf("Load balance %.1f %%: average over greatest busy time of %" PRIu32 " threads.\n", 100 * s->load_balance,
		       s->n_threads);
	if (s->unmatched_leaves || s->closed_early)
		printf("%" PRIu64 " leaves had no enter, %" PRIu64 " regions had no leave of their own.\n", s->unmatched_leaves,
		       s->closed_early);
}

static int stat_print(const struct weft_trace *trace, const struct weft_call_table *s, const struct weft_call_how *how,
                      const struct args *a)
{
	const struct weft_def_table *things = &trace->def[how->states ? WEFT_CLASS_STATE : WEFT_CLASS_REGION];
	struct view v = {.trace = trace, .things = things->at, .n_things = things->n};
	const struct stat_column *chosen[COLUMNS];
	struct weft_column columns[COLUMNS];
	unsigned n = choose_columns(how->by, cli_form(&a->common), chosen);
	for (unsigned i = 0; i < n; i++) {
		columns[i] = chosen[i]->column;
		if (how->states && chosen[i]->cell == cell_region)
			columns[i].key = columns[i].title = "state";
		if (how->states && chosen[i]->cell == cell_state)
			columns[i].key = "class";
	}
	struct weft_table t;
	weft_table_init(&t, columns, n);
	int rc = stat_fill(&t, &v, s, a, chosen, n);
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	int status = cli_table(&t, &a->common);
	if (!status && cli_form(&a->common) == WEFT_TABLE_TEXT) {
		print_summary(s, a);
		cli_left_out_say(trace);
	}
	return status;
}

/* -- the command -- */

static const struct {
	const char *name;
	unsigned by;
	bool states;
} groupings[] = {
	{"region", WEFT_BY_REGION, false},
	{"state", WEFT_BY_REGION, true},
	{"thread", WEFT_BY_THREAD, false},
	{"process", WEFT_BY_PROCESS, false},
	{"all", 0, false},
};
enum { GROUPINGS = sizeof groupings / sizeof groupings[0] };
/* Tables of their own, with nothing to group them by beside: of samples, of counters. */
static const struct {
	const char *name;
	int (*print)(const struct weft_trace *t, struct weft_filter *f, const char *time, uint64_t top,
	             const struct cli_common *c);
} alone[] = {{"function", cli_stat_functions}, {"counter", cli_stat_counters}};
enum { ALONE = sizeof alone / sizeof alone[0] };

static unsigned find_alone(const char *name)
{
	unsigned i = 0;
	while (i < ALONE && strcmp(alone[i].name, name) != 0)
		i++;
	return i;
}

static int parse_by(const char *text, struct weft_call_how *how)
{
	struct weft_str rest = weft_str(text), part;
	const char *known[GROUPINGS + ALONE];
	for (unsigned i = 0; i < GROUPINGS; i++)
		known[i] = groupings[i].name;
	for (unsigned i = 0; i < ALONE; i++)
		known[GROUPINGS + i] = alone[i].name;
	while (weft_str_cut(&rest, ',', &part)) {
		unsigned i = 0;
		while (i < GROUPINGS && !weft_str_eq(part, known[i]))
			i++;
		if (i < GROUPINGS) {
			how->by |= groupings[i].by;
			how->states = how->states || groupings[i].states;
			continue;
		}
		char typed[32];
		snprintf(typed, sizeof typed, "%.*s", (int)part.n, part.at);
		if (find_alone(typed) < ALONE)
			return cli_usage(&weft_command_stat, "option '--by': %s stands alone", typed);
		return cli_unknown(&weft_command_stat, "option '--by': cannot group by", typed, known, GROUPINGS + ALONE);
	}
	if ((how->by & WEFT_BY_THREAD) && (how->by & WEFT_BY_PROCESS))
		return cli_usage(&weft_command_stat, "option '--by': a thread is of one process; group by one of the two");
	return CLI_OK;
}

static int check_sort(const char *sort)
{
	const char *known[COLUMNS + 1] = {"name"};
	unsigned n = 1;
	if (strcmp(sort, "name") == 0 || find_sort(sort))
		return CLI_OK;
	for (unsigned i = 0; i < COLUMNS; i++)
		if (stat_columns[i].sort)
			known[n++] = stat_columns[i].sort;
	return cli_unknown(&weft_command_stat, "option '--sort': unknown column", sort, known, n);
}

static int stat_trace(const struct args *a, const char *path, struct weft_call_how *how)
{
	struct weft_trace *t;
	struct weft_filter *f;
	struct weft_call_table s;
	struct weft_space space;
	struct weft_err err = {0};
	int status = cli_open(&a->common, path, &t, &f);
	if (status)
		return status;
	if (!a->by && !a->time && !f && cli_stat_has_processes_only(t)) {
		status = cli_stat_processes(t, &a->common, a->top);
		weft_trace_close(t);
		return status;
	}
	unsigned own = a->by ? find_alone(a->by) : ALONE;
	if (own < ALONE) {
		status = alone[own].print(t, f, a->time, a->top, &a->common);
		weft_filter_free(f);
		weft_trace_close(t);
		return status;
	}
	how->filter = f;
	/* A trace of Paraver has states where ours have regions. */
	if (t->def[WEFT_CLASS_REGION].n <= 1 && t->def[WEFT_CLASS_STATE].n > 1)
		how->states = true;
	if (cli_space_init(&space, t, &a->common)) {
		status = cli_fail_code(-ENOMEM);
	} else if ((a->time && weft_time_range(a->time, t->end, &how->from, &how->to, &err)) ||
	           weft_call_table_compute(&s, &space, how, &err)) {
		status = cli_fail(&err);
	} else {
		status = stat_print(t, &s, how, a);
		weft_call_table_fini(&s);
	}
	weft_space_fini(&space);
	weft_filter_free(f);
	weft_trace_close(t);
	return status;
}

static int stat_run(int argc, char **argv)
{
	struct args a = {.sort = "self"};
	int n;
	if (!cli_parse(&weft_command_stat, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_stat, argv, n, 1, 1))
		return CLI_USAGE;
	struct weft_call_how how = {.to = WEFT_NEVER,
	                            .progress = !a.common.quiet,
	                            .threads = cli_open_how(&a.common).threads,
	                            .memory = a.common.memory};
	int status = a.by && find_alone(a.by) == ALONE ? parse_by(a.by, &how) : 0;
	if (!a.by)
		how.by = WEFT_BY_REGION;
	if (!status)
		status = check_sort(a.sort);
	return status ? status : stat_trace(&a, argv[1], &how);
}

const struct weft_command weft_command_stat = {
	.name = "stat",
	.operands = "TRACE",
	.summary = "where the time went: per region, thread or process",
	.about = "Prints for each region (or what --by says) how often it was entered, its time\n"
		 "in all (total) and without the regions inside (self), the least, mean, median\n"
		 "(p50), 99th percentile and greatest time of a call, and self as a share of the\n"
		 "time of all threads. balance is average over greatest self time of the threads\n"
		 "that have the region: 100 % when all have the same. Percentiles are right to\n"
		 "0.8 %. Of a trace without regions and states it prints the processes: their\n"
		 "threads, how long they lasted, their exit status. --by function is of samples: the\n"
		 "functions that ran, with the bounds of their shares at 95 % confidence (Wilson).\n"
		 "--by counter is of counters: what they counted in each region.\n"
		 "\n"
		 "Examples:\n"
		 "    weft stat run.weft\n"
		 "    weft stat run.weft --by thread\n"
		 "    weft stat run.weft --by function --top 10\n"
		 "    weft stat run.weft --by region,process --sort max --top 5\n"
		 "    weft stat run.weft --time 25%..75% -f 'region=solve*' --csv",
	.options = options,
	.run = stat_run,
};
