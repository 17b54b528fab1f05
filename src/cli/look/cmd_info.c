/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft info`: what a trace is. Each fact is a row of a table: its key for programs, its title for people, and a function that
 * gives the value in both forms.
 */
#include "cli/common/cli.h"
#include "base/json.h"
#include "base/visible.h"
#include "info_list.h"
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *list;
};

static const struct weft_opt options[] = {
	{'l', "list", "WHAT", WEFT_OPT_STRING, offsetof(struct args, list),
         "print a table: processes, threads, nodes, cpus, regions, types, labels, counters, attributes, categories, communicators, "
         "flows, sets, data, states, modules, notes"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

/* -- facts -- */

struct fact {
	struct weft_cell cell; /* for programs */
	char text[400];        /* for people; also what a text cell has */
	bool hide;             /* nothing to say */
};
struct info {
	const struct weft_trace *trace;
	uint64_t bytes;
};
typedef void fact_fn(const struct info *i, struct fact *f);

static void fact_text(struct fact *f, const char *fmt, ...) WEFT_PRINTF(2, 3);
static void fact_text(struct fact *f, const char *fmt, ...)
{
	va_list args;
	va_start(args, fmt);
	vsnprintf(f->text, sizeof f->text, fmt, args);
	va_end(args);
	weft_one_line(f->text);
	f->cell = (struct weft_cell){WEFT_CELL_TEXT, {.text = f->text}};
}

/* The count, and in words what belongs to it. */
static void fact_count(struct fact *f, uint64_t n, const char *fmt, ...) WEFT_PRINTF(3, 4);
static void fact_count(struct fact *f, uint64_t n, const char *fmt, ...)
{
	va_list args;
	int used = snprintf(f->text, sizeof f->text, "%" PRIu64, n);
	va_start(args, fmt);
	vsnprintf(f->text + used, sizeof f->text - (size_t)used, fmt, args);
	va_end(args);
	weft_one_line(f->text);
	f->cell = (struct weft_cell){WEFT_CELL_U64, {.u64 = n}};
}

static void fact_path(const struct info *i, struct fact *f)
{
	fact_text(f, "%s", i->trace->path);
}

static void fact_format(const struct info *i, struct fact *f)
{
	fact_text(f, "%s", i->trace->format);
}

static void fact_duration(const struct info *i, struct fact *f)
{
	char human[32];
	fact_text(f, "%s", weft_human_ns(human, i->trace->end));
	f->cell = (struct weft_cell){WEFT_CELL_NS, {.u64 = i->trace->end}};
}

static void fact_date(const struct info *i, struct fact *f)
{
	char date[40] = "";
	time_t s = (time_t)(i->trace->begin_realtime / 1000000000);
	struct tm tm;
	f->hide = i->trace->begin_realtime == 0;
	if (!f->hide && gmtime_r(&s, &tm))
		strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &tm);
	fact_text(f, "%s UTC", date);
	f->cell = (struct weft_cell){f->hide ? WEFT_CELL_NONE : WEFT_CELL_TEXT, {.text = f->text}};
}

/* Distinct texts of the processes, each once, a few of them. */
static void info_distinct(const struct info *i, struct fact *f, const char *(*of)(const struct weft_process *))
{
	const struct weft_trace *t = i->trace;
	char list[300] = "";
	uint32_t n = 0, shown = 0;
	for (uint32_t p = 0; p < t->n_processes; p++) {
		const char *text = of(&t->process[p]);
		bool known = !*text || (p > 0 && strcmp(text, of(&t->process[p - 1])) == 0);
		for (uint32_t k = 0; k < p && k < 256 && !known; k++)
			known = strcmp(of(&t->process[k]), text) == 0;
		if (known)
			continue;
		size_t used = strlen(list);
		if (n++ == shown && used + strlen(text) + 2 < 200) {
			snprintf(list + used, sizeof list - used, "%s%s", shown ? ", " : "", text);
			shown++;
		}
	}
	f->hide = n == 0;
	if (n > shown && shown)
		fact_text(f, "%s and %" PRIu32 " more", list, n - shown);
	else
		fact_text(f, "%s", n > shown ? "(long)" : list);
}

static const char *host_of(const struct weft_process *p)
{
	return p->host;
}

static const char *command_of(const struct weft_process *p)
{
	return p->command;
}

static void fact_hosts(const struct info *i, struct fact *f)
{
	info_distinct(i, f, host_of);
}

static void fact_commands(const struct info *i, struct fact *f)
{
	info_distinct(i, f, command_of);
}

/* 0 when it is no regular file: reading a pipe again would wait. */
static uint64_t bytes_of_file(const char *path)
{
	struct stat st;
	return stat(path, &st) || !S_ISREG(st.st_mode) ? 0 : (uint64_t)st.st_size;
}

/* Which clock a stream was recorded with; 0 when it is no stream. */
static uint32_t clock_of_stream(const char *path, double *ticks_per_ns)
{
	struct weft_stream_head head = {.clock = 0};
	struct stat st;
	int fd = weft_open_regular(path, &st, NULL);
	bool is_stream = fd >= 0 && weft_read_all(fd, &head, sizeof head, 0) == 0 &&
	                 memcmp(head.magic, WEFT_STREAM_MAGIC, sizeof head.magic) == 0;
	if (fd >= 0)
		close(fd);
	*ticks_per_ns = head.ticks_per_ns;
	return is_stream ? head.clock : 0;
}

/* Of all streams of a trace: how many have which. */
static void fact_clock(const struct info *i, struct fact *f)
{
	char **names = NULL, path[4200];
	unsigned tsc = 0, monotonic = 0;
	double rate = 0, this_rate;
	struct weft_err err = {0};
	bool ours = strcmp(i->trace->format, "weft") == 0, folder = ours && weft_is_dir(i->trace->path);
	int n = folder ? weft_list_dir(i->trace->path, &names, &err) : ours && bytes_of_file(i->trace->path) ? 0 : -1;
	for (int k = 0; k < n || (k == 0 && n == 0); k++) {
		snprintf(path, sizeof path, n ? "%s/%s" : "%s", i->trace->path, n ? names[k] : "");
		uint32_t clock = clock_of_stream(path, &this_rate);
		tsc += clock == WEFT_CLOCK_TSC;
		monotonic += clock == WEFT_CLOCK_MONOTONIC;
		rate = clock == WEFT_CLOCK_TSC ? this_rate : rate;
	}
	if (names)
		weft_list_free(names, n);
	f->hide = tsc + monotonic == 0;
	if (tsc && monotonic)
		fact_text(f, "tsc in %u streams, monotonic in %u", tsc, monotonic);
	else if (tsc)
		fact_text(f, "tsc, %.1f MHz", rate * 1000);
	else
		fact_text(f, "monotonic");
}

static void fact_processes(const struct info *i, struct fact *f)
{
	int32_t first = INT32_MAX, last = -1;
	for (uint32_t p = 0; p < i->trace->n_processes; p++) {
		int32_t rank = i->trace->process[p].rank;
		first = rank >= 0 && rank < first ? rank : first;
		last = rank > last ? rank : last;
	}
	if (last >= 0)
		fact_count(f, i->trace->n_processes, " (ranks %" PRId32 " to %" PRId32 ")", first, last);
	else
		fact_count(f, i->trace->n_processes, "%s", "");
}

static void fact_threads(const struct info *i, struct fact *f)
{
	fact_count(f, i->trace->n_threads, "%s", "");
}

static void fact_cpus(const struct info *i, struct fact *f)
{
	f->hide = i->trace->n_cpus == 0;
	fact_count(f, i->trace->n_cpus, " on %" PRIu32 " node%s", i->trace->n_nodes, i->trace->n_nodes == 1 ? "" : "s");
}

static void fact_events(const struct info *i, struct fact *f)
{
	char human[32];
	if (i->trace->end)
		fact_count(f, i->trace->n_events, " (%s a second)",
		           weft_human_count(human, (uint64_t)((double)i->trace->n_events * 1e9 / (double)i->trace->end)));
	else
		fact_count(f, i->trace->n_events, "%s", "");
}

static void fact_definitions(const struct info *i, struct fact *f)
{
	static const char *const plural[WEFT_CLASSES] = {
		[WEFT_CLASS_REGION] = "regions",      [WEFT_CLASS_TYPE] = "types",      [WEFT_CLASS_COUNTER] = "counters",
		[WEFT_CLASS_CATEGORY] = "categories", [WEFT_CLASS_ATTR] = "attributes", [WEFT_CLASS_COMM] = "communicators",
		[WEFT_CLASS_FLOW] = "kinds of flow",  [WEFT_CLASS_SET] = "sets",        [WEFT_CLASS_DATA] = "kinds of data",
		[WEFT_CLASS_STATE] = "states",        [WEFT_CLASS_STRING] = "strings",
	};
	char list[300] = "";
	uint64_t sum = 0;
	for (unsigned c = 1; c < WEFT_CLASSES; c++) {
		uint32_t n = i->trace->def[c].n;
		if (n <= 1 || !plural[c])
			continue;
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%s %" PRIu32, used ? ", " : "", plural[c], n - 1);
		sum += n - 1;
	}
	fact_count(f, sum, "%s%s%s", sum ? " (" : "", list, sum ? ")" : "");
}

static void fact_messages(const struct info *i, struct fact *f)
{
	const struct weft_messages *m = &i->trace->message;
	uint64_t alone = 0;
	for (uint64_t k = 0; k < m->n; k++)
		alone += m->send_thread[k] == WEFT_NONE || m->recv_thread[k] == WEFT_NONE;
	f->hide = m->n == 0;
	fact_count(f, m->n, ", %" PRIu64 " with one end only, %" PRIu64 " received before they were sent", alone,
	           i->trace->backward_messages);
}

static void fact_flows(const struct info *i, struct fact *f)
{
	const struct weft_flows *w = &i->trace->flow;
	uint64_t alone = 0;
	for (uint64_t k = 0; k < w->n; k++)
		alone += w->from_thread[k] == WEFT_NONE || w->to_thread[k] == WEFT_NONE;
	f->hide = w->n == 0;
	fact_count(f, w->n, ", %" PRIu64 " with one end only", alone);
}

static void fact_bytes(const struct info *i, struct fact *f)
{
	char human[32];
	fact_text(f, "%s", weft_human_bytes(human, i->bytes));
	f->cell = (struct weft_cell){WEFT_CELL_U64, {.u64 = i->bytes}};
}

static void fact_bytes_per_event(const struct info *i, struct fact *f)
{
	double each = i->trace->n_events ? (double)i->bytes / (double)i->trace->n_events : 0;
	f->hide = i->trace->n_events == 0;
	fact_text(f, "%.1f", each);
	f->cell = (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = (double)(int64_t)(each * 100 + 0.5) / 100}};
}

static void fact_dropped(const struct info *i, struct fact *f)
{
	fact_count(f, i->trace->dropped, "%s", i->trace->dropped ? " events were lost while recording" : "");
}

static void fact_problems(const struct info *i, struct fact *f)
{
	if (i->trace->n_problems)
		fact_count(f, i->trace->n_problems, " (see 'weft check')");
	else
		fact_text(f, "none");
	f->cell = (struct weft_cell){WEFT_CELL_U64, {.u64 = i->trace->n_problems}};
}

static void fact_helper(const struct info *i, struct fact *f)
{
	char human[32];
	f->hide = strcmp(i->trace->format, "weft") != 0;
	fact_text(f, "%s of CPU time", weft_human_ns(human, i->trace->helper_cpu_ns));
	f->cell = (struct weft_cell){WEFT_CELL_NS, {.u64 = i->trace->helper_cpu_ns}};
}

static const struct {
	const char *key, *title;
	fact_fn *fact;
} facts[] = {
	{"trace", "trace", fact_path},
	{"format", "format", fact_format},
	{"recorded", "recorded", fact_date},
	{"duration_ns", "duration", fact_duration},
	{"hosts", "hosts", fact_hosts},
	{"commands", "command", fact_commands},
	{"clock", "clock", fact_clock},
	{"processes", "processes", fact_processes},
	{"threads", "threads", fact_threads},
	{"cpus", "cpus", fact_cpus},
	{"events", "events", fact_events},
	{"definitions", "definitions", fact_definitions},
	{"messages", "messages", fact_messages},
	{"flows", "flows", fact_flows},
	{"bytes", "size", fact_bytes},
	{"bytes_per_event", "bytes/event", fact_bytes_per_event},
	{"dropped", "dropped", fact_dropped},
	{"problems", "damage", fact_problems},
	{"helper_cpu_ns", "helper", fact_helper},
};
enum { FACTS = sizeof facts / sizeof facts[0] };

static void json_cell(struct weft_json *j, const struct weft_cell *c)
{
	if (c->kind == WEFT_CELL_TEXT)
		weft_json_string(j, c->text);
	else if (c->kind == WEFT_CELL_DOUBLE)
		weft_json_double(j, c->f64);
	else if (c->kind == WEFT_CELL_NONE)
		weft_json_null(j);
	else
		weft_json_u64(j, c->u64);
}

static int print_json(const struct info *i)
{
	struct weft_json j;
	weft_json_init(&j, stdout, true);
	weft_json_object(&j);
	for (unsigned k = 0; k < FACTS; k++) {
		struct fact f = {.hide = false};
		facts[k].fact(i, &f);
		if (f.hide)
			f.cell.kind = WEFT_CELL_NONE;
		weft_json_key(&j, facts[k].key);
		json_cell(&j, &f.cell);
	}
	weft_json_end(&j);
	return CLI_OK;
}

static int print_facts(const struct info *i, const struct cli_common *c)
{
	static const struct weft_column columns[] = {{"key", "", WEFT_CELL_TEXT}, {"value", "", WEFT_CELL_TEXT}};
	struct weft_table t;
	int rc = 0;
	if (c->json)
		return print_json(i);
	weft_table_init(&t, columns, 2);
	for (unsigned k = 0; k < FACTS && !rc; k++) {
		struct fact f = {.hide = false};
		facts[k].fact(i, &f);
		if (f.hide)
			f.cell.kind = WEFT_CELL_NONE;
		if (!c->csv && !f.hide)
			weft_print_visible(stdout, "%-14s%s\n", facts[k].title, f.text);
		struct weft_cell row[2] = {{WEFT_CELL_TEXT, {.text = facts[k].key}}, f.cell};
		rc = weft_table_row(&t, row);
	}
	if (!rc && c->csv)
		return cli_table(&t, c);
	weft_table_fini(&t);
	return rc ? cli_fail_code(rc) : CLI_OK;
}

/* -- lists -- */

static const struct info_list *find_list(const char *name)
{
	const char *known[32];
	size_t n = 0;
	for (const struct info_list *l = info_lists; l->name; l++) {
		if (strcmp(l->name, name) == 0)
			return l;
		if (n < 32)
			known[n++] = l->name;
	}
	cli_unknown(&weft_command_info, "option '--list': unknown", name, known, n);
	return NULL;
}

static int print_list(const struct weft_trace *t, const struct info_list *l, const struct cli_common *c)
{
	struct weft_table table;
	weft_table_init(&table, l->columns, l->n_columns);
	int rc = l->fill(&table, t, l);
	if (!rc)
		return cli_table(&table, c);
	weft_table_fini(&table);
	return cli_fail_code(rc);
}

/* Of our own streams the trace knows it; a foreign one is its file. */
static uint64_t bytes_of(const struct weft_trace *t)
{
	return t->stream_bytes ? t->stream_bytes : bytes_of_file(t->path);
}

static int info_run(int argc, char **argv)
{
	struct args a = {0};
	const struct info_list *list = NULL;
	struct weft_trace *t;
	int n;
	if (!cli_parse(&weft_command_info, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_info, argv, n, 1, 1))
		return CLI_USAGE;
	if (a.list && !(list = find_list(a.list)))
		return CLI_USAGE;
	int status = cli_open(&a.common, argv[1], &t, NULL);
	if (status)
		return status;
	struct info i = {.trace = t, .bytes = bytes_of(t)};
	status = list ? print_list(t, list, &a.common) : print_facts(&i, &a.common);
	weft_trace_close(t);
	return status;
}

const struct weft_command weft_command_info = {
	.name = "info",
	.operands = "TRACE",
	.summary = "what a trace is: when, where, how long, how much",
	.about = "Prints what TRACE is: when and where it was recorded, of what, how long it is\n"
		 "and how much there is in it, what was dropped and what is damaged. With --list,\n"
		 "its processes, threads or definitions as a table.\n"
		 "\n"
		 "Examples:\n"
		 "    weft info run.weft\n"
		 "    weft info run.weft --list threads\n"
		 "    weft info run.weft --list regions --json",
	.options = options,
	.run = info_run,
};
