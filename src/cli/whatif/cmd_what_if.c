/* SPDX-License-Identifier: Apache-2.0 */
/* `weft what-if`: what a change of the program or the machine would bring, by playing the recorded run again. */
#include "base/log.h"
#include "replay/whatif/remedy.h"
#include "whatif_common.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	struct weft_opt_list faster, balance, overlap, unlock, schedule;
	const char *workers, *omp_threads, *ranks, *task_size;
	double latency, bandwidth;
	uint64_t top;
	bool merge, ideal, why;
};
#define AT(member) offsetof(struct args, member)
static const struct weft_opt options[] = {
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "One remedy, or several, each by itself"},
	{0, "faster", "REGION=N", WEFT_OPT_LIST, AT(faster), "REGION, with what it calls, takes the Nth part of its time"},
	{0, "balance", "REGION", WEFT_OPT_LIST, AT(balance),
         "REGION takes the same time on all threads, phase by phase ('*': all work)"},
	{0, "overlap", "REGION", WEFT_OPT_LIST, AT(overlap), "messages of REGION travel while the program computes ('*': all)"},
	{0, "merge-messages", NULL, WEFT_OPT_FLAG, AT(merge), "messages in a row to one receiver become one"},
	{0, "no-lock", "LOCK", WEFT_OPT_LIST, AT(unlock), "nobody waits for LOCK, or a critical section ('*': for any)"},
	{0, "schedule", "KIND[,N[,T]]", WEFT_OPT_LIST, AT(schedule),
         "OpenMP's loops are handed out by static, dynamic or guided, N iterations at once, to T threads"},
	{0, "task-size", "N", WEFT_OPT_STRING, AT(task_size), "tasks are N times as coarse (0.5: each is divided in two)"},
	{0, "workers", "N", WEFT_OPT_STRING, AT(workers), "the runtime has N workers (x2: twice as many)"},
	{0, "omp-threads", "N", WEFT_OPT_STRING, AT(omp_threads), "parallel regions have N threads (x2: twice as many)"},
	{0, "ranks", "N", WEFT_OPT_STRING, AT(ranks), "there are N ranks (x2: twice as many)"},
	{0, "ideal", NULL, WEFT_OPT_FLAG, AT(ideal), "messages and collectives take no time"},
	{0, "latency", "FACTOR", WEFT_OPT_DOUBLE, AT(latency), "the network's latency times FACTOR"},
	{0, "bandwidth", "FACTOR", WEFT_OPT_DOUBLE, AT(bandwidth), "the network's bandwidth times FACTOR"},
	{0, NULL, NULL, WEFT_OPT_GROUP, 0, "What is printed"},
	{'n', "top", "N", WEFT_OPT_U64, AT(top), "print the first N rows only"},
	{0, "why", NULL, WEFT_OPT_FLAG, AT(why), "also of the usual remedies what each assumes and cannot know"},
	CLI_TABLE_OPTIONS,
	CLI_READ_OPTIONS,
	{0},
};

enum { REMEDIES_MOST = 5 * WEFT_OPT_LIST_MAX + 8 };
struct wanted {
	struct weft_remedy *at;
	uint32_t n;
};

static int bad(const char *option, const char *value)
{
	return cli_usage(&weft_command_what_if, "option '%s': cannot use '%s'", option, value);
}

static void put(struct wanted *w, enum weft_remedy_kind kind, struct weft_str what, double factor)
{
	struct weft_remedy *m = &w->at[w->n++];
	*m = (struct weft_remedy){.kind = kind, .factor = factor, .lock = WEFT_CAUSAL_NONE};
	if (what.n && !weft_str_eq(what, "*"))
		snprintf(m->what, sizeof m->what, "%.*s", (int)what.n, what.at);
}

static int read_faster(const struct args *a, struct wanted *w)
{
	for (unsigned i = 0; i < a->faster.n; i++) {
		const char *text = a->faster.at[i], *equals = strrchr(text, '=');
		double factor = 2;
		if (equals && (weft_parse_double(weft_str(equals + 1), &factor) || !(factor > 0)))
			return bad("--faster", text);
		size_t n = equals ? (size_t)(equals - text) : strlen(text);
		if (!n)
			return bad("--faster", text);
		put(w, WEFT_REMEDY_FASTER, weft_str_n(text, n), factor);
	}
	return CLI_OK;
}

enum { THREADS_MOST = 1 << 16 };

/* "dynamic,4", "static,0,8": the chunk is the schedule's own where it is 0. */
static int read_schedules(const struct args *a, struct wanted *w)
{
	static const char *const names[] = {"static", "dynamic", "guided"};
	for (unsigned i = 0; i < a->schedule.n; i++) {
		struct weft_str rest = weft_str(a->schedule.at[i]), kind = {0}, chunk = {0}, threads = {0};
		struct weft_whatif_loop loop = {.region = WEFT_CAUSAL_NONE};
		unsigned k = 0;
		uint64_t n = 0;
		weft_str_cut(&rest, ',', &kind);
		bool has_chunk = weft_str_cut(&rest, ',', &chunk), has_threads = weft_str_cut(&rest, ',', &threads);
		while (k < 3 && !weft_str_eq(kind, names[k]))
			k++;
		if (k == 3 || rest.at || (has_chunk && weft_parse_u64(chunk, &loop.chunk)) ||
		    (has_chunk && !has_threads && !loop.chunk) ||
		    (has_threads && (weft_parse_u64(threads, &n) || !n || n > THREADS_MOST)))
			return bad("--schedule", a->schedule.at[i]);
		loop.n_threads = (uint32_t)n;
		loop.schedule = (enum weft_whatif_schedule)k;
		put(w, WEFT_REMEDY_SCHEDULE, weft_str(""), 1);
		w->at[w->n - 1].loop = loop;
	}
	return CLI_OK;
}

static uint32_t count_now(const struct weft_causal *c, enum weft_remedy_kind kind)
{
	uint32_t most = 0;
	if (kind == WEFT_REMEDY_WORKERS) {
		struct weft_whatif_task_answer now;
		return weft_whatif_play_tasks(c, &(struct weft_whatif_tasks){0, 1}, &now) ? 0 : now.workers;
	}
	if (kind == WEFT_REMEDY_RANKS) {
		for (uint32_t i = 0; i < c->trace->n_processes; i++)
			most += c->trace->process[i].rank >= 0;
		return most;
	}
	for (uint32_t i = 0; i < c->n_meetings; i++)
		if (c->meeting[i].why == WEFT_CAUSAL_TEAM_END && c->meeting[i].n_members > most)
			most = c->meeting[i].n_members;
	return most;
}

/* "8", or "x2" for twice as many. */
static int read_count(const struct weft_causal *c, const char *text, const char *option, enum weft_remedy_kind kind,
                      struct wanted *w)
{
	double factor = 0;
	if (!text)
		return CLI_OK;
	bool times = text[0] == 'x';
	uint32_t now = count_now(c, kind);
	if (weft_parse_double(weft_str(text + times), &factor) || !(factor > 0) || factor > 1e6)
		return bad(option, text);
	if (!now) /* of workers: no tasks, either */
		return cli_fail_text("option '%s': there are none in '%s'", option, c->trace->path);
	put(w, kind, weft_str(""), times ? factor : factor / now);
	return CLI_OK;
}

static int read_wanted(const struct args *a, const struct weft_causal *c, struct wanted *w)
{
	double size = 0;
	int status = read_faster(a, w);
	for (unsigned i = 0; i < a->balance.n; i++)
		put(w, WEFT_REMEDY_BALANCE, weft_str(a->balance.at[i]), 1);
	for (unsigned i = 0; i < a->overlap.n; i++)
		put(w, WEFT_REMEDY_OVERLAP, weft_str(a->overlap.at[i]), 1);
	for (unsigned i = 0; i < a->unlock.n; i++)
		put(w, WEFT_REMEDY_UNLOCK, weft_str(a->unlock.at[i]), 1);
	if (a->merge)
		put(w, WEFT_REMEDY_MERGE, weft_str(""), 1);
	if (a->ideal)
		put(w, WEFT_REMEDY_IDEAL, weft_str(""), 1);
	if (!status)
		status = read_schedules(a, w);
	if (!status)
		status = read_count(c, a->workers, "--workers", WEFT_REMEDY_WORKERS, w);
	if (!status)
		status = read_count(c, a->omp_threads, "--omp-threads", WEFT_REMEDY_THREADS, w);
	if (!status)
		status = read_count(c, a->ranks, "--ranks", WEFT_REMEDY_RANKS, w);
	if (!status && a->task_size) {
		if (weft_parse_double(weft_str(a->task_size), &size) || !(size > 0) || size > 1e6 || size < 1e-3)
			return bad("--task-size", a->task_size);
		put(w, WEFT_REMEDY_TASK_SIZE, weft_str(""), size);
	}
	if (!status && a->latency >= 0)
		put(w, WEFT_REMEDY_LATENCY, weft_str(""), a->latency);
	if (!status && a->bandwidth > 0)
		put(w, WEFT_REMEDY_BANDWIDTH, weft_str(""), a->bandwidth);
	return status;
}

/* ---- answers ---- */

static int print_answers(const struct args *a, const struct weft_remedy_answer *at, uint32_t n)
{
	static const struct weft_column column[] = {
		{"remedy", "remedy", WEFT_CELL_TEXT},           {"predicted_ns", "predicted", WEFT_CELL_NS},
		{"gain_percent", "gain", WEFT_CELL_PERCENT},    {"gain_low_percent", "from", WEFT_CELL_PERCENT},
		{"gain_high_percent", "to", WEFT_CELL_PERCENT}, {"option", "option", WEFT_CELL_TEXT},
		{"assumes", "assumes", WEFT_CELL_TEXT},         {"cannot_know", "cannot know", WEFT_CELL_TEXT},
	};
	bool whole = a->common.json || a->common.csv;
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, column, whole ? 8 : 6);
	for (uint32_t i = 0; !rc && i < n && (!a->top || i < a->top); i++) {
		const struct weft_remedy_row *row = &weft_remedy_row[at[i].remedy.kind];
		const struct weft_cell cell[] = {
			{.kind = WEFT_CELL_TEXT, .text = at[i].text},         {.kind = WEFT_CELL_NS, .u64 = at[i].predicted},
			{.kind = WEFT_CELL_PERCENT, .f64 = 100 * at[i].gain}, {.kind = WEFT_CELL_PERCENT, .f64 = 100 * at[i].low},
			{.kind = WEFT_CELL_PERCENT, .f64 = 100 * at[i].high}, {.kind = WEFT_CELL_TEXT, .text = at[i].option},
			{.kind = WEFT_CELL_TEXT, .text = row->assumes},       {.kind = WEFT_CELL_TEXT, .text = row->unknown},
		};
		rc = weft_table_row(&t, cell);
	}
	if (rc) {
		weft_table_fini(&t);
		return cli_fail_code(rc);
	}
	return cli_table(&t, &a->common);
}

static void print_why(const struct weft_remedy_answer *at, uint32_t n)
{
	bool said[WEFT_REMEDY_KINDS] = {false};
	for (uint32_t i = 0; i < n; i++) {
		const struct weft_remedy_row *row = &weft_remedy_row[at[i].remedy.kind];
		if (!said[at[i].remedy.kind])
			printf("\n%s\n  assumes that %s\n  cannot know %s\n", row->option, row->assumes, row->unknown);
		said[at[i].remedy.kind] = true;
	}
}

static void print_run(const struct weft_remedies *r)
{
	char measured[32], replayed[32];
	printf("the run took %s", weft_human_ns(measured, r->measured));
	printf("; played again without a change it takes %s\n", weft_human_ns(replayed, r->replayed));
	if (r->forced)
		printf("%llu waits had no end that was recorded: they last as they did\n", (unsigned long long)r->forced);
	putchar('\n');
}

/* why: also what each assumes and cannot know. */
static int show(const struct args *a, const struct weft_remedies *r, const struct weft_remedy_answer *at, uint32_t n, bool why)
{
	bool whole = a->common.json || a->common.csv;
	if (!whole)
		print_run(r);
	int status = print_answers(a, at, n);
	if (!status && !whole && why)
		print_why(at, a->top && a->top < n ? (uint32_t)a->top : n);
	return status ? status : cli_finish(CLI_OK);
}

static int answer_wanted(const struct args *a, const struct weft_remedies *r, const struct wanted *w)
{
	struct weft_remedy_answer *answer = calloc(w->n, sizeof *answer);
	int status = answer ? CLI_OK : cli_fail_code(-ENOMEM);
	for (uint32_t i = 0; !status && i < w->n; i++) {
		int rc = weft_remedy_try(r, &w->at[i], &answer[i]);
		if (rc == -ENOENT)
			status = cli_fail_text("option '%s': nothing in '%s' is called '%s'",
			                       weft_remedy_row[w->at[i].kind].option, r->c->trace->path, w->at[i].what);
		else if (rc)
			status = cli_fail_code(rc);
		else if (!answer[i].touched)
			weft_log(WEFT_LOG_WARN, "option '%s': there is nothing that it would change",
			         weft_remedy_row[w->at[i].kind].option);
	}
	if (!status)
		status = show(a, r, answer, w->n, true);
	free(answer);
	return status;
}

/* Those that would bring next to nothing are only counted. */
static uint32_t worth_saying(const struct weft_remedy_answer *at, uint32_t n)
{
	uint32_t k = n;
	while (k > 0 && at[k - 1].gain < 0.001)
		k--;
	return k;
}

static int answer_usual(const struct args *a, const struct weft_remedies *r)
{
	struct weft_remedy_answer *answer;
	uint32_t n, said;
	int rc = weft_remedies_usual(r, (unsigned)a->common.threads, &answer, &n);
	if (rc)
		return cli_fail_code(rc);
	bool whole = a->common.json || a->common.csv;
	said = whole ? n : worth_saying(answer, n);
	int status = show(a, r, answer, said, a->why);
	if (!status && !whole && said < n)
		printf("%s%u other%s would bring nothing\n", said ? "\n" : "", n - said, n - said == 1 ? "" : "s");
	if (!status && !whole && said && !a->why)
		printf("\n--why says what each assumes and cannot know\n");
	free(answer);
	return status ? status : cli_finish(CLI_OK);
}

static int run(int argc, char **argv)
{
	struct args a = {.latency = -1};
	struct weft_trace *t;
	struct weft_causal c;
	struct weft_remedies r;
	struct wanted w = {0};
	int n;
	if (!cli_parse(&weft_command_what_if, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_what_if, argv, n, 1, 1))
		return CLI_USAGE;
	int status = whatif_open(&a.common, argv[1], &t, &c);
	if (status)
		return status;
	w.at = calloc(REMEDIES_MOST, sizeof *w.at);
	status = w.at ? read_wanted(&a, &c, &w) : cli_fail_code(-ENOMEM);
	if (!status) {
		int rc = weft_remedies_init(&r, &c);
		status = rc ? cli_fail_code(rc) : w.n ? answer_wanted(&a, &r, &w) : answer_usual(&a, &r);
		if (!rc)
			weft_remedies_fini(&r);
	}
	free(w.at);
	whatif_close(t, &c);
	return status;
}

const struct weft_command weft_command_what_if = {
	.name = "what-if",
	.operands = "TRACE",
	.summary = "what a change of the program or the machine would bring",
	.about = "Plays the recorded run again with other lengths: work that is balanced, faster,\n"
		 "overlapped; no lock; other chunks, tasks, numbers of threads; another network.\n"
		 "Without options it tries the usual remedies and ranks them by what they bring\n"
		 "beyond the work that they take away, or the machine that they add. Each answer\n"
		 "has an interval, and says what it assumed and cannot know (of the usual: --why).\n"
		 "\n"
		 "Examples:\n"
		 "    weft what-if run.weft\n"
		 "    weft what-if run.weft --faster 'solve'=2 --balance 'sweep'\n"
		 "    weft what-if run.weft --overlap exchange --merge-messages\n"
		 "    weft what-if run.weft --workers 8",
	.options = options,
	.run = run,
};
