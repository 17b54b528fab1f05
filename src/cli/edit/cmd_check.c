/* SPDX-License-Identifier: Apache-2.0 */
/* `weft check`: is a trace sound, and if not, what is damaged, what was recovered and what is lost. */
#include "cli/common/cli.h"
#include "base/json.h"
#include "base/log.h"
#include "base/visible.h"
#include "trace/check.h"
#include <inttypes.h>
#include <stdlib.h>

struct args {
	struct cli_common common;
	bool strict;
};

static const struct weft_opt options[] = {
	{0, "strict", NULL, WEFT_OPT_FLAG, offsetof(struct args, strict), "warnings, too, make the exit status 1"},
	CLI_TABLE_OPTIONS,
	{0, "threads", "N", WEFT_OPT_U64, offsetof(struct cli_common, threads), "use N threads (default: all CPUs)"},
	{0, "memory", "SIZE", WEFT_OPT_BYTES, offsetof(struct cli_common, memory),
         "use at most SIZE of memory (default: a quarter of the machine's)"},
	{'q', "quiet", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, quiet), "print nothing; the exit status tells"},
	{'v', "verbose", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, verbose), "print notes, too"},
	{0},
};

static const struct weft_column columns[] = {
	{"grade", "grade", WEFT_CELL_TEXT},         {"rule", "rule", WEFT_CELL_TEXT}, {"file", "file", WEFT_CELL_TEXT},
	{"offset", "offset", WEFT_CELL_U64},        {"line", "line", WEFT_CELL_U64},  {"lost_bytes", "lost", WEFT_CELL_BYTES},
	{"text", "what was found", WEFT_CELL_TEXT},
};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

/* The counts of a report, for both forms. */
static const struct {
	const char *key;
	size_t offset;
} counts[] = {
	{"streams", offsetof(struct weft_check_report, n_streams)},
	{"streams_open", offsetof(struct weft_check_report, n_streams_open)},
	{"streams_live", offsetof(struct weft_check_report, n_streams_live)},
	{"streams_full", offsetof(struct weft_check_report, n_streams_full)},
	{"streams_bad", offsetof(struct weft_check_report, n_streams_bad)},
	{"pages", offsetof(struct weft_check_report, n_pages)},
	{"pages_open", offsetof(struct weft_check_report, n_pages_open)},
	{"pages_unused", offsetof(struct weft_check_report, n_pages_unused)},
	{"pages_bad", offsetof(struct weft_check_report, n_pages_bad)},
	{"pages_missing", offsetof(struct weft_check_report, n_pages_missing)},
	{"threads", offsetof(struct weft_check_report, n_threads)},
	{"records", offsetof(struct weft_check_report, n_records)},
	{"definitions", offsetof(struct weft_check_report, n_definitions)},
	{"unknown_records", offsetof(struct weft_check_report, n_unknown)},
	{"lost_bytes", offsetof(struct weft_check_report, lost_bytes)},
	{"dropped", offsetof(struct weft_check_report, dropped)},
	{"unmatched_leaves", offsetof(struct weft_check_report, unmatched_leaves)},
	{"unclosed_enters", offsetof(struct weft_check_report, unclosed_enters)},
	{"unmatched_messages", offsetof(struct weft_check_report, unmatched_messages)},
	{"backward_messages", offsetof(struct weft_check_report, backward_messages)},
	{"unmatched_flows", offsetof(struct weft_check_report, unmatched_flows)},
	{"ends_missing", offsetof(struct weft_check_report, n_ends_missing)},
};

static uint64_t count_of(const struct weft_check_report *r, size_t i)
{
	return *(const uint64_t *)((const char *)r + counts[i].offset);
}

/* -- text: only what is worth a line -- */

static void print_finding(const struct weft_check_finding *f)
{
	printf("%s: ", weft_check_grade_name[f->grade]);
	if (f->at.file && *f->at.file)
		weft_print_visible(stdout, "%s: ", f->at.file);
	if (f->at.line)
		printf("line %" PRIu64 ": ", f->at.line);
	weft_print_visible(stdout, "%s [%s]\n", f->at.text, f->rule);
}

static void print_count(const char *before, uint64_t n, const char *what)
{
	printf("%s%" PRIu64 " %s%s", before, n, what, n == 1 ? "" : "s");
}

static void print_verdict(const char *path, const struct weft_check_report *r)
{
	char lost[32];
	weft_print_visible(stdout, "%s: ", path);
	if (r->count[WEFT_CHECK_ERROR] == 0)
		printf("sound%s", r->n_streams_live   ? " so far, and still being recorded"
		                  : r->n_ends_missing ? " as far as it goes"
		                                      : "");
	else if (r->n_streams && r->n_streams_bad == r->n_streams)
		printf("unreadable");
	else if (r->lost_bytes)
		printf("damaged: %s lost, the rest was recovered", weft_human_bytes(lost, r->lost_bytes));
	else
		printf("damaged; what is there was recovered");
	/* A foreign trace has no streams. */
	printf("; ");
	if (r->n_streams)
		print_count("", r->n_streams, "stream");
	print_count(r->n_streams ? ", " : "", r->n_threads, "thread");
	print_count(", ", r->n_records, "record");
	if (r->n_definitions)
		print_count(", ", r->n_definitions, "definition");
	printf("\n");
}

static void print_text(const char *path, const struct weft_check_report *r, bool notes)
{
	uint64_t total = 0, hidden = 0;
	for (unsigned g = 0; g < WEFT_CHECK_GRADES; g++)
		total += r->count[g];
	for (size_t i = 0; i < r->finding.n; i++) {
		if (r->finding.at[i].grade > WEFT_CHECK_NOTE || notes)
			print_finding(&r->finding.at[i]);
		else
			hidden++;
	}
	if (total > r->finding.n)
		printf("... and %" PRIu64 " findings more\n", total - r->finding.n);
	if (hidden)
		printf("%" PRIu64 " note%s (shown with -v)\n", hidden, hidden == 1 ? "" : "s");
	print_verdict(path, r);
}

/* -- tables -- */

static int fill(struct weft_table *t, const struct weft_check_report *r)
{
	int rc = 0;
	weft_table_init(t, columns, COLUMNS);
	for (size_t i = 0; i < r->finding.n && !rc; i++) {
		const struct weft_check_finding *f = &r->finding.at[i];
		struct weft_cell row[COLUMNS] = {
			{WEFT_CELL_TEXT, {.text = weft_check_grade_name[f->grade]}},
			{WEFT_CELL_TEXT, {.text = f->rule}},
			{WEFT_CELL_TEXT, {.text = f->at.file}},
			{WEFT_CELL_U64, {.u64 = f->at.offset}},
			{f->at.line ? WEFT_CELL_U64 : WEFT_CELL_NONE, {.u64 = f->at.line}},
			{WEFT_CELL_BYTES, {.u64 = f->at.lost_bytes}},
			{WEFT_CELL_TEXT, {.text = f->at.text}},
		};
		rc = weft_table_row(t, row);
	}
	return rc;
}

static void print_json(const char *path, const struct weft_check_report *r)
{
	struct weft_json j;
	weft_json_init(&j, stdout, true);
	weft_json_object(&j);
	weft_json_key(&j, "trace");
	weft_json_string(&j, path);
	for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
		weft_json_key(&j, counts[i].key);
		weft_json_u64(&j, count_of(r, i));
	}
	weft_json_key(&j, "max_drift_ppm");
	weft_json_double(&j, r->max_drift_ppm);
	weft_json_key(&j, "index");
	weft_json_string(&j, weft_check_index_name[r->index]);
	for (unsigned g = 0; g < WEFT_CHECK_GRADES; g++) {
		char key[24];
		snprintf(key, sizeof key, "%ss", weft_check_grade_name[g]);
		weft_json_key(&j, key);
		weft_json_u64(&j, r->count[g]);
	}
	weft_json_key(&j, "findings");
	weft_json_array(&j);
	for (size_t i = 0; i < r->finding.n; i++) {
		const struct weft_check_finding *f = &r->finding.at[i];
		weft_json_object(&j);
		weft_json_key(&j, "grade");
		weft_json_string(&j, weft_check_grade_name[f->grade]);
		weft_json_key(&j, "rule");
		weft_json_string(&j, f->rule);
		weft_json_key(&j, "file");
		weft_json_string(&j, f->at.file ? f->at.file : "");
		weft_json_key(&j, f->at.line ? "line" : "offset");
		weft_json_u64(&j, f->at.line ? f->at.line : f->at.offset);
		weft_json_key(&j, "lost_bytes");
		weft_json_u64(&j, f->at.lost_bytes);
		weft_json_key(&j, "text");
		weft_json_string(&j, f->at.text);
		weft_json_end(&j);
	}
	weft_json_end(&j);
	weft_json_end(&j);
	printf("\n");
}

static int print(const struct args *a, const char *path, const struct weft_check_report *r)
{
	struct weft_table t;
	if (a->common.json)
		print_json(path, r);
	else if (!a->common.csv && !a->common.quiet)
		print_text(path, r, a->common.verbose);
	if (!a->common.csv)
		return CLI_OK;
	int rc = fill(&t, r);
	if (!rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static int check(const struct args *a, const char *path)
{
	struct weft_check_report r;
	struct weft_err err = {0};
	struct weft_open_how how = cli_open_how(&a->common);
	int status = cli_check_input(path);
	if (status)
		return status;
	if (weft_trace_check(path, &how, &r, &err))
		status = cli_fail(&err);
	else
		status = print(a, path, &r);
	if (!status && (r.count[WEFT_CHECK_ERROR] || (a->strict && r.count[WEFT_CHECK_WARNING])))
		status = CLI_NO;
	weft_check_report_fini(&r);
	return status;
}

static int run(int argc, char **argv)
{
	struct args a = {0};
	int n, worst = CLI_OK;
	if (!cli_parse(&weft_command_check, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_check, argv, n, 1, a.common.json || a.common.csv ? 1 : -1))
		return CLI_USAGE;
	for (int i = 1; i <= n; i++) {
		int status = check(&a, argv[i]);
		worst = status > worst ? status : worst;
	}
	return worst;
}

const struct weft_command weft_command_check = {
	.name = "check",
	.operands = "TRACE...",
	.summary = "is a trace sound; what is damaged, what was recovered",
	.about = "Reads every page of every stream of each TRACE and holds it against the format:\n"
		 "checksums, order, definitions, the balance of regions, the matching of messages\n"
		 "and flows, clocks, and the index. Says what is damaged and what is lost of it.\n"
		 "Changes nothing. The exit status is 1 when something is damaged. A process that\n"
		 "was killed leaves no damage.\n"
		 "\n"
		 "Examples:\n"
		 "    weft check run.weft\n"
		 "    weft check --json run.weft\n"
		 "    weft check -q run.weft && echo sound",
	.options = options,
	.run = run,
};
