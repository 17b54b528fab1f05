/* SPDX-License-Identifier: Apache-2.0 */
/* `weft phases`: iterations, found without a hint. */
#include "analyze/phase/phases.h"
#include "annotate.h"
#include "bursts_cli.h"
#include "cli/common/left_out.h"
#include "phases_cut.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct cli_common common;
	const char *signal, *of, *time, *output;
	uint64_t cut;
	double strength;
	bool force, iterations, left_out;
};

static const struct weft_opt options[] = {
	{0, "signal", "SIGNAL", WEFT_OPT_STRING, offsetof(struct args, signal),
         "look at how many threads compute (computing), how long bursts are (durations), how often they end (calls); default: the "
         "first of these that has a period"},
	{0, "of", "BURSTS", WEFT_OPT_STRING, offsetof(struct args, of),
         "what a burst is: states (Running), compute, regions (those of -f), type=NAME, csv=FILE"},
	{'t', "time", "A..B", WEFT_OPT_STRING, offsetof(struct args, time), "look between A and B only"},
	CLI_FILTER_OPTION,
	{0, "strength", "S", WEFT_OPT_DOUBLE, offsetof(struct args, strength),
         "autocorrelation from which something counts as a period (default: 0.25)"},
	{0, "iterations", NULL, WEFT_OPT_FLAG, offsetof(struct args, iterations), "print every iteration"},
	{0, "left-out", NULL, WEFT_OPT_FLAG, offsetof(struct args, left_out),
         "print what weft record --representative left out, and how often what it kept counts"},
	{0, "cut", "N", WEFT_OPT_U64, offsetof(struct args, cut), "write the N most representative iterations in a row to OUT"},
	{'o', "output", "OUT", WEFT_OPT_STRING, offsetof(struct args, output),
         "write the trace with iterations and phases as events, or with --cut a part of it; .weft or .prv"},
	{0, "force", NULL, WEFT_OPT_FLAG, offsetof(struct args, force), "replace OUT if it is there"},
	CLI_TABLE_OPTIONS,
	CLI_OWN_THREADS_OPTION,
	CLI_READ_OPTIONS,
	{0},
};

struct finding { /* owned */
	const struct args *a;
	const char *path;
	struct weft_trace *trace;
	struct weft_filter *filter;
	struct weft_bursts bursts;
	struct weft_phases phases;
	enum weft_signal_of of;
};

/* ---- which signal ---- */

static bool has_period(const struct weft_phases *p)
{
	for (uint32_t i = 0; i < p->n_regions; i++)
		if (p->region[i].period.found)
			return true;
	return false;
}

static int try_signal(struct finding *f, enum weft_signal_of of)
{
	struct weft_phases_how how = {.end = f->trace->end,
	                              .least_strength = f->a->strength,
	                              .to = WEFT_NEVER,
	                              .threads = (unsigned)f->a->common.threads};
	struct weft_signal s;
	struct weft_err err = {0};
	if (f->a->time && weft_time_range(f->a->time, f->trace->end, &how.from, &how.to, &err))
		return cli_fail(&err);
	int rc = weft_signal_make(&s, &f->bursts, of, f->trace->end);
	if (!rc) {
		weft_phases_fini(&f->phases);
		f->of = of;
		rc = weft_phases_make(&f->phases, &s, &how);
		weft_signal_fini(&s);
	}
	return rc ? cli_fail_code(rc) : CLI_OK;
}

static int find_phases(struct finding *f)
{
	enum weft_signal_of first = WEFT_SIGNAL_COMPUTING, last = WEFT_SIGNALS - 1;
	for (unsigned i = 0; f->a->signal && i < WEFT_SIGNALS; i++)
		if (!strcmp(f->a->signal, weft_signal_names[i]))
			first = last = (enum weft_signal_of)i;
	for (unsigned of = first; of <= (unsigned)last; of++) {
		int status = try_signal(f, (enum weft_signal_of)of);
		if (status || has_period(&f->phases))
			return status;
	}
	return first == last ? CLI_OK : try_signal(f, first); /* what regions there are, at least */
}

static int find_bursts(struct finding *f)
{
	struct weft_bursts_how how = {.filter = f->filter,
	                              .to = WEFT_NEVER,
	                              .own_threads = f->a->common.own_threads,
	                              .threads = (unsigned)f->a->common.threads};
	struct weft_err err = {0};
	struct weft_burst_row *rows;
	int status = cli_bursts_of(&weft_command_phases, f->a->of, f->trace, &how, &rows);
	if (!status && weft_bursts_make(&f->bursts, f->trace, &how, &err))
		status = cli_fail(&err);
	free(rows);
	if (status)
		return status;
	return f->bursts.n ? CLI_OK : cli_fail_text("'%s' has no bursts here: nothing computes", f->path);
}

/* ---- tables ---- */

static struct weft_cell ns(double v)
{
	return (struct weft_cell){v > 0 ? WEFT_CELL_NS : WEFT_CELL_NONE, {.u64 = v > 0 ? (uint64_t)(v + 0.5) : 0}};
}

static struct weft_cell count(uint64_t v, bool any)
{
	return (struct weft_cell){any ? WEFT_CELL_U64 : WEFT_CELL_NONE, {.u64 = v}};
}

static struct weft_cell number(double v, bool any)
{
	return (struct weft_cell){any ? WEFT_CELL_DOUBLE : WEFT_CELL_NONE, {.f64 = round(v * 1e4) / 1e4}};
}

static int print_regions(const struct finding *f)
{
	static const struct weft_column column[] = {{"from_ns", "from", WEFT_CELL_NS},
	                                            {"to_ns", "to", WEFT_CELL_NS},
	                                            {"period_ns", "period", WEFT_CELL_NS},
	                                            {"strength", "strength", WEFT_CELL_DOUBLE},
	                                            {"iterations", "iterations", WEFT_CELL_U64},
	                                            {"perturbed", "perturbed", WEFT_CELL_U64},
	                                            {"inner_ns", "inner", WEFT_CELL_NS},
	                                            {"outer", "outer", WEFT_CELL_U64}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, column, 8);
	for (uint32_t i = 0; i < f->phases.n_regions && !rc; i++) {
		const struct weft_phase_region *r = &f->phases.region[i];
		bool any = r->period.found;
		struct weft_cell cell[] = {{WEFT_CELL_NS, {.u64 = r->from}},
		                           {WEFT_CELL_NS, {.u64 = r->to}},
		                           ns(any ? r->period.period : 0),
		                           number(r->period.strength, any),
		                           count(r->n, any),
		                           count(r->perturbed, any),
		                           ns(r->inner_ns),
		                           count((uint64_t)r->outer, r->outer > 0)};
		rc = weft_table_row(&t, cell);
	}
	if (!rc)
		return cli_table(&t, &f->a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static int print_iterations(const struct finding *f)
{
	static const struct weft_column column[] = {{"iteration", "iteration", WEFT_CELL_U64},
	                                            {"begin_ns", "begin", WEFT_CELL_NS},
	                                            {"duration_ns", "duration", WEFT_CELL_NS},
	                                            {"likeness", "likeness", WEFT_CELL_DOUBLE},
	                                            {"region", "region", WEFT_CELL_U64},
	                                            {"kind", "kind", WEFT_CELL_TEXT}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, column, 6);
	for (uint32_t i = 0; i < f->phases.n_iterations && !rc; i++) {
		const struct weft_phase_iteration *x = &f->phases.iteration[i];
		struct weft_cell cell[] = {{WEFT_CELL_U64, {.u64 = i + UINT64_C(1)}},
		                           {WEFT_CELL_NS, {.u64 = x->begin}},
		                           {WEFT_CELL_NS, {.u64 = x->end - x->begin}},
		                           number(x->likeness, true),
		                           {WEFT_CELL_U64, {.u64 = x->region + UINT64_C(1)}},
		                           {WEFT_CELL_TEXT, {.text = x->perturbed ? "perturbed" : "regular"}}};
		rc = weft_table_row(&t, cell);
	}
	if (!rc)
		return cli_table(&t, &f->a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

static void print_summary(const struct finding *f)
{
	char a[32], b[32], c[32];
	if (!f->phases.n_regions) {
		printf("Nothing changes in '%s' for long enough to be looked at: no region, no period.\n", f->path);
		return;
	}
	printf("\nSignal: %s.", weft_signal_names[f->of]);
	if (!has_period(&f->phases)) {
		printf(" No period: nothing repeats (autocorrelation below %g, or what it says is not like itself).\n",
		       f->a->strength);
		return;
	}
	putchar('\n');
	for (uint32_t i = 0; i < f->phases.n_regions; i++) {
		const struct weft_phase_region *r = &f->phases.region[i];
		if (!r->period.found) {
			printf("Region %u: no period.\n", i + 1);
			continue;
		}
		printf("Region %u: %.2f iterations of %s", i + 1, (double)(r->to - r->from) / r->period.period,
		       weft_human_ns(a, (uint64_t)(r->period.period + 0.5)));
		if (r->n)
			printf(", %u of them whole, from %s to %s", r->n, weft_human_ns(b, f->phases.iteration[r->first].begin),
			       weft_human_ns(c, f->phases.iteration[r->first + r->n - 1].end));
		printf("; likeliness %.4f, %.4f, %.4f.\n", r->period.likeliness[0], r->period.likeliness[1],
		       r->period.likeliness[2]);
		if (r->inner_ns > 0)
			printf("  Within an iteration: a period of %s (strength %.2f).\n",
			       weft_human_ns(a, (uint64_t)r->inner_ns), r->inner_strength);
		if (r->outer > 0)
			printf("  Over iterations: each %.0f are one of an outer loop (strength %.2f).\n", r->outer,
			       r->outer_strength);
	}
}

/* ---- what a recording left out ---- */

static int print_left_out(const struct args *a, const struct weft_trace *trace)
{
	static const struct weft_column column[] = {{"kind", "kind", WEFT_CELL_U64},
	                                            {"kept", "kept", WEFT_CELL_U64},
	                                            {"left_out", "left out", WEFT_CELL_U64},
	                                            {"left_out_ns", "time left out", WEFT_CELL_NS},
	                                            {"weight", "weight", WEFT_CELL_DOUBLE}};
	struct cli_left_out l;
	struct weft_table t;
	int rc = cli_left_out_read(&l, trace);
	weft_table_init(&t, column, 5);
	for (size_t i = 0; i < l.n && !rc; i++) {
		const struct cli_left_out_kind *k = &l.kind[i];
		const double all = (double)(k->kept + k->left_out);
		struct weft_cell cell[] = {{WEFT_CELL_U64, {.u64 = k->kind}},
		                           {WEFT_CELL_U64, {.u64 = k->kept}},
		                           {WEFT_CELL_U64, {.u64 = k->left_out}},
		                           {WEFT_CELL_NS, {.u64 = k->left_out_ns}},
		                           number(k->kept ? all / (double)k->kept : 0, k->kept > 0)};
		rc = weft_table_row(&t, cell);
	}
	cli_left_out_fini(&l);
	if (!rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

/* ---- the trace with labels ---- */

enum { ITERATION_TYPE = 90000101, PHASE_TYPE = 90000102 };
enum { PHASE_NONE, PHASE_REGULAR, PHASE_PERTURBED, PHASE_OTHER };

static int note_thread(const struct finding *f, uint32_t thread, struct cli_notes *n)
{
	uint64_t last = UINT64_MAX;
	int rc = 0;
	for (uint32_t i = 0; i < f->phases.n_iterations && !rc; i++) {
		const struct weft_phase_iteration *x = &f->phases.iteration[i];
		if (last != UINT64_MAX && last < x->begin) {
			rc = weft_vec_push(&n->note, ((struct cli_note){last, 0, thread, 0, 0}));
			rc = rc ? rc : weft_vec_push(&n->note, ((struct cli_note){last, PHASE_OTHER, thread, 0, 1}));
		}
		rc = rc ? rc : weft_vec_push(&n->note, ((struct cli_note){x->begin, i + INT64_C(1), thread, 0, 0}));
		int64_t phase = x->perturbed ? PHASE_PERTURBED : PHASE_REGULAR;
		rc = rc ? rc : weft_vec_push(&n->note, ((struct cli_note){x->begin, phase, thread, 0, 1}));
		last = x->end;
	}
	if (!rc && last != UINT64_MAX && last <= f->trace->end) {
		rc = weft_vec_push(&n->note, ((struct cli_note){last, 0, thread, 0, 0}));
		rc = rc ? rc : weft_vec_push(&n->note, ((struct cli_note){last, PHASE_OTHER, thread, 0, 1}));
	}
	return rc;
}

static int write_labels(const struct finding *f)
{
	static const struct weft_tool_new_label phase[] = {{PHASE_NONE, "End"},
	                                                   {PHASE_REGULAR, "Regular iteration"},
	                                                   {PHASE_PERTURBED, "Perturbed iteration"},
	                                                   {PHASE_OTHER, "Outside"}};
	static const struct weft_tool_new_type types[] = {{ITERATION_TYPE, 9, "Iteration", NULL, 0},
	                                                  {PHASE_TYPE, 9, "Phase", phase, 4}};
	struct cli_notes n = {.type = types, .n_types = 2};
	int rc = 0;
	for (uint32_t t = 0; t < f->trace->n_threads && !rc; t++)
		if (!f->trace->thread[t].own || f->a->common.own_threads)
			rc = note_thread(f, t, &n);
	rc = rc ? rc : cli_notes_sort(&n);
	int status = rc ? cli_fail_code(rc) : cli_notes_write(&f->a->common, f->trace, f->path, f->a->output, &n, f->a->force);
	free(n.note.at);
	return status;
}

static int write_cut(const struct finding *f)
{
	uint32_t first = weft_phases_best(&f->phases, (uint32_t)(f->a->cut < UINT32_MAX ? f->a->cut : UINT32_MAX));
	char a[32], b[32];
	if (first == WEFT_NONE)
		return cli_fail_text("there are no %" PRIu64 " regular iterations in a row", f->a->cut);
	uint64_t from = f->phases.iteration[first].begin, to = f->phases.iteration[first + f->a->cut - 1].end;
	if (!f->a->common.quiet)
		fprintf(stderr, "iterations %u to %" PRIu64 ", from %s to %s\n", first + 1, first + f->a->cut,
		        weft_human_ns(a, from), weft_human_ns(b, to));
	return phases_cut(&f->a->common, f->trace, f->path, f->a->output, from, to, f->a->force);
}

/* ---- the command ---- */

static int check(const struct args *a)
{
	bool known = !a->signal;
	for (unsigned i = 0; a->signal && i < WEFT_SIGNALS; i++)
		known |= !strcmp(a->signal, weft_signal_names[i]);
	if (!known)
		return cli_unknown(&weft_command_phases, "option '--signal': unknown", a->signal, weft_signal_names,
		                   WEFT_SIGNALS);
	if (!(a->strength > 0) || a->strength > 1)
		return cli_usage(&weft_command_phases, "option '--strength': expected a number from 0 to 1");
	if (a->left_out && (a->output || a->iterations || a->cut))
		return cli_usage(&weft_command_phases, "option '--left-out' goes with none of --output, --iterations, --cut");
	if (a->cut && !a->output)
		return cli_usage(&weft_command_phases, "option '--cut': say where to write, with -o OUT");
	return CLI_OK;
}

static int find_all(struct finding *f)
{
	const struct args *a = f->a;
	int status = find_bursts(f);
	status = status ? status : find_phases(f);
	if (!status && a->output && !has_period(&f->phases))
		status = cli_fail_text("'%s' has no period: there are no iterations to write", f->path);
	else if (!status && a->output)
		status = a->cut ? write_cut(f) : write_labels(f);
	if (!status && (f->phases.n_regions || a->common.json || a->common.csv))
		status = a->iterations ? print_iterations(f) : print_regions(f);
	if (!status && !a->common.json && !a->common.csv)
		print_summary(f);
	return status;
}

static int run_phases(int argc, char **argv)
{
	struct args a = {.strength = 0.25};
	struct finding f = {.a = &a};
	int n;
	if (!cli_parse(&weft_command_phases, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_phases, argv, n, 1, 1))
		return CLI_USAGE;
	int status = check(&a);
	if (status || (status = cli_check_input(argv[1])))
		return status;
	f.path = argv[1];
	status = cli_open(&a.common, argv[1], &f.trace, &f.filter);
	if (status)
		return status;
	status = a.left_out ? print_left_out(&a, f.trace) : find_all(&f);
	weft_phases_fini(&f.phases);
	weft_bursts_fini(&f.bursts);
	weft_filter_free(f.filter);
	weft_trace_close(f.trace);
	return status;
}

const struct weft_command weft_command_phases = {
	.name = "phases",
	.operands = "TRACE",
	.summary = "iterations of a program, found without a hint",
	.about = "Finds where a program repeats itself: stretches in which something happens, by\n"
		 "wavelets; the period of each, by autocorrelation; every iteration, and which of\n"
		 "them are unlike the others; iterations in iterations. Nothing has to be known of\n"
		 "the program. With --cut the iterations that stand best for all become a small\n"
		 "trace; without it -o writes the trace with iterations (event 90000101) and phases\n"
		 "(90000102). weft-structure(7) explains how it is done.\n"
		 "\n"
		 "Examples:\n"
		 "    weft phases run.prv\n"
		 "    weft phases run.weft --iterations --csv\n"
		 "    weft phases run.weft --cut 2 -o two.weft",
	.options = options,
	.run = run_phases,
};
