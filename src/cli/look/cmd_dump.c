/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft dump`: the events of a trace as text, merged in order of time; and fxt_print, FxT's command of that kind.
 * A filter on durations must know how long a region lasts at its begin, so the threads are walked once before: a bit for each
 * enter and for each leave says whether it is to be printed.
 */
#include "cli/common/cli.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "dump_print.h"
#include "trace/store/cursor.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct args {
	struct cli_common common;
	const char *output;
	uint64_t count;
	bool delta;
};

static const struct weft_opt options[] = {
	CLI_FILTER_OPTION,
	{'o', "output", "FILE", WEFT_OPT_STRING, offsetof(struct args, output), "write to FILE instead of stdout"},
	{'n', "count", "N", WEFT_OPT_U64, offsetof(struct args, count), "stop after N events"},
	{0, "delta", NULL, WEFT_OPT_FLAG, offsetof(struct args, delta), "times since the line before"},
	{0, "json", NULL, WEFT_OPT_FLAG, offsetof(struct cli_common, json), "print a JSON object a line"},
	CLI_READ_OPTIONS,
	{0},
};

/* -- filters on durations: what is decided beforehand -- */

/* Of one thread: by the number of an enter, whether it and its leave pass. */
struct verdicts {
	uint64_t *enter, *leave;
	size_t cap_enter, cap_leave; /* in words */
	struct weft_span_walk walk;  /* while printing: which enter a leave belongs to */
	uint64_t closed;             /* the span that the last leave closed */
	bool has_closed;
};

struct dump {
	const struct weft_trace *trace;
	struct weft_filter *filter; /* NULL: all */
	struct verdicts *verdicts;  /* by thread; NULL unless the filter asks for durations */
	struct dump_printer *printer;
	uint64_t left; /* lines that may still be printed */
	struct weft_progress progress;
};
enum { PROGRESS_EVERY = 1 << 16 };

static int set_bit(uint64_t **bits, size_t *cap, uint64_t i)
{
	size_t before = *cap;
	if (i / 64 >= before) {
		if (weft_vec_grow(bits, cap, i / 64 + 1, sizeof **bits))
			return -ENOMEM;
		memset(*bits + before, 0, (*cap - before) * sizeof **bits);
	}
	(*bits)[i / 64] |= 1ull << (i % 64);
	return 0;
}

static bool get_bit(const uint64_t *bits, size_t cap, uint64_t i)
{
	return i / 64 < cap && (bits[i / 64] >> (i % 64) & 1);
}

struct judge {
	struct weft_filter *filter;
	struct verdicts *verdicts;
};

static int judge_span(void *arg, const struct weft_span *s)
{
	struct judge *j = arg;
	int rc = 0;
	if (weft_filter_enter(j->filter, s))
		rc = set_bit(&j->verdicts->enter, &j->verdicts->cap_enter, s->sequence);
	if (!rc && weft_filter_leave(j->filter, s))
		rc = set_bit(&j->verdicts->leave, &j->verdicts->cap_leave, s->sequence);
	return rc;
}

static int judge_thread(void *arg, size_t thread, unsigned worker)
{
	struct dump *d = arg;
	struct judge j = {d->filter, &d->verdicts[thread]};
	(void)worker;
	if (!weft_filter_thread(d->filter, (uint32_t)thread))
		return 0;
	return weft_spans(d->trace, (uint32_t)thread, 0, WEFT_NEVER, NULL, judge_span, &j);
}

static int note_closed(void *arg, const struct weft_span *s)
{
	struct verdicts *v = arg;
	v->has_closed = !s->closed_early;
	v->closed = s->sequence;
	return 0;
}

static int judge_begin(struct dump *d, unsigned threads)
{
	d->verdicts = calloc((size_t)d->trace->n_threads + 1, sizeof *d->verdicts);
	if (!d->verdicts)
		return -ENOMEM;
	for (uint32_t i = 0; i < d->trace->n_threads; i++)
		weft_span_begin(&d->verdicts[i].walk, d->trace, i, note_closed, &d->verdicts[i]);
	return weft_parallel(threads, d->trace->n_threads, judge_thread, d);
}

static void judge_end(struct dump *d)
{
	for (uint32_t i = 0; d->verdicts && i < d->trace->n_threads; i++) {
		int rc = weft_span_end(&d->verdicts[i].walk, WEFT_NEVER); /* frees; what is open does not matter any more */
		(void)rc;
		free(d->verdicts[i].enter);
		free(d->verdicts[i].leave);
	}
	free(d->verdicts);
	d->verdicts = NULL;
}

/* 1: print it. Negative: a failure. */
static int passes_judged(struct dump *d, const struct weft_event *e)
{
	struct verdicts *v = &d->verdicts[e->thread];
	uint32_t what = weft_what(e->kind, e->id);
	struct weft_block one = {.n = 1, .time = &e->time, .what = &what, .value = &e->value};
	uint64_t number = v->walk.sequence;
	v->has_closed = false;
	int rc = weft_span_feed(&v->walk, &one);
	if (rc)
		return rc;
	if (e->kind == WEFT_EV_ENTER)
		return get_bit(v->enter, v->cap_enter, number);
	if (e->kind == WEFT_EV_LEAVE)
		return v->has_closed && get_bit(v->leave, v->cap_leave, v->closed);
	return weft_filter_event(d->filter, e);
}

/* -- the dump -- */

static int dump_events(struct dump *d, struct weft_merge *m)
{
	struct weft_event e;
	uint64_t seen = 0;
	int rc = 0;
	while (d->left > 0 && (rc = weft_merge_next(m, &e)) > 0) {
		if (++seen % PROGRESS_EVERY == 0)
			weft_progress_step(d->progress.on ? &d->progress : NULL, PROGRESS_EVERY);
		int print = d->verdicts ? passes_judged(d, &e) : !d->filter || weft_filter_event(d->filter, &e);
		if (print < 0)
			return print;
		if (!print)
			continue;
		rc = dump_printer_event(d->printer, &e);
		if (rc)
			return rc;
		d->left--;
	}
	return rc < 0 ? rc : dump_printer_flush(d->printer);
}

/* Which threads can have events that pass; NULL: all. */
static bool *wanted_threads(const struct dump *d)
{
	bool *wanted = d->filter ? calloc((size_t)d->trace->n_threads + 1, sizeof *wanted) : NULL;
	for (uint32_t i = 0; wanted && i < d->trace->n_threads; i++)
		wanted[i] = weft_filter_thread(d->filter, i);
	return wanted;
}

static int dump_to(struct dump *d, FILE *to, const struct args *a)
{
	struct dump_how how = {.json = a->common.json, .delta = a->delta};
	uint64_t from = 0, until = WEFT_NEVER;
	struct weft_merge *m = NULL;
	bool *wanted = wanted_threads(d);
	int rc = d->filter && !wanted ? -ENOMEM : 0;
	if (!rc && d->filter && weft_filter_wants_spans(d->filter))
		rc = judge_begin(d, (unsigned)a->common.threads);
	if (!rc && d->filter && !d->verdicts)
		weft_filter_range(d->filter, &from, &until);
	if (!rc)
		rc = dump_printer_new(&d->printer, d->trace, to, &how);
	if (!rc)
		rc = weft_merge_new(&m, d->trace, wanted, from, until);
	/* Not among lines that are just being printed there. */
	if (!a->common.quiet && (a->output || !isatty(STDOUT_FILENO)))
		weft_progress_begin(&d->progress, "printing", d->trace->n_events);
	if (!rc)
		rc = dump_events(d, m);
	if (d->progress.on)
		weft_progress_end(&d->progress);
	weft_merge_free(m);
	dump_printer_free(d->printer);
	judge_end(d);
	free(wanted);
	return rc;
}

static int dump_dump(const struct args *a, const char *path)
{
	struct weft_trace *t;
	struct dump d = {.left = a->count};
	struct weft_out out = {.to = stdout};
	struct weft_err err = {0};
	int status = cli_open(&a->common, path, &t, &d.filter);
	if (status)
		return status;
	d.trace = t;
	int rc = a->output ? weft_out_open(&out, a->output, &err) : 0;
	if (!rc) {
		rc = dump_to(&d, out.to, a);
		if (rc && a->output) {
			weft_out_abandon(&out);
			weft_err_set(&err, rc, "cannot write '%s': %s", a->output, weft_err_name(rc));
		} else if (a->output) {
			rc = weft_out_commit(&out, &err);
		}
	}
	weft_filter_free(d.filter);
	weft_trace_close(t);
	if (!rc || (!a->output && ferror(stdout)))
		return CLI_OK; /* what is wrong with stdout is said at the end of every command */
	weft_err_set(&err, rc, "cannot read '%s': %s", path, weft_err_name(rc));
	return cli_fail(&err);
}

static int dump_run(int argc, char **argv)
{
	struct args a = {.count = UINT64_MAX};
	int n;
	if (!cli_parse(&weft_command_dump, &a, argc, argv, &n))
		return CLI_USAGE;
	cli_talk(&a.common, argv[0]);
	if (!cli_operands(&weft_command_dump, argv, n, 1, 1))
		return CLI_USAGE;
	return dump_dump(&a, argv[1]);
}

const struct weft_command weft_command_dump = {
	.name = "dump",
	.operands = "TRACE",
	.summary = "print the events of a trace as text",
	.about = "Prints the events of all threads of TRACE in order of time, one a line: the\n"
		 "time in nanoseconds from the begin of the trace, the thread as\n"
		 "application.process.thread, the kind of event, and what it says. With --json\n"
		 "each line is a JSON object.\n"
		 "\n"
		 "Examples:\n"
		 "    weft dump run.weft\n"
		 "    weft dump run.weft -f 'region=solve* and duration>1ms'\n"
		 "    weft dump run.weft -f 'kind=message size>=1K' --json\n"
		 "    weft dump run.prv -n 20",
	.options = options,
	.run = dump_run,
};

/* -- fxt_print -- */

static const char fxt_usage[] = "usage: fxt_print [-d] [-o] [-x] [-f FILE]\n"
				"Prints the events of a trace of Weft, as FxT's fxt_print does of one of FxT.\n"
				"  -f FILE  the trace (default: $TRACE_FILE, or trace_file)\n"
				"  -o       times from the begin of the trace (so they are always)\n"
				"  -x       times since the event before\n"
				"  -d       no interpretation (accepted, and changes nothing)\n";

int cli_fxt_print(int argc, char **argv)
{
	struct fxt_args {
		struct args dump;
		bool raw, offset, help;
		const char *file;
	} a = {.dump = {.common.quiet = true, .count = UINT64_MAX}, .file = getenv("TRACE_FILE")};
	static const struct weft_opt fxt_options[] = {
		{'f', NULL, "FILE", WEFT_OPT_STRING, offsetof(struct fxt_args, file), "the trace"},
		{'o', NULL, NULL, WEFT_OPT_FLAG, offsetof(struct fxt_args, offset), "times from the begin"},
		{'x', NULL, NULL, WEFT_OPT_FLAG, offsetof(struct args, delta), "times since the event before"},
		{'d', NULL, NULL, WEFT_OPT_FLAG, offsetof(struct fxt_args, raw), "no interpretation"},
		{'h', "help", NULL, WEFT_OPT_FLAG, offsetof(struct fxt_args, help), "this help"},
		{0},
	};
	struct weft_err err = {0};
	int n;
	weft_log_set(WEFT_LOG_ERROR, "fxt_print");
	if (weft_opt_parse(fxt_options, &a, argc, argv, 0, &n, &err) || n > 0) {
		weft_log(WEFT_LOG_ERROR, "%s", n > 0 ? "it takes no operands: say -f FILE" : err.text);
		fputs(fxt_usage, stderr);
		return CLI_USAGE;
	}
	if (a.help) {
		fputs(fxt_usage, stdout);
		return CLI_OK;
	}
	return dump_dump(&a.dump, a.file ? a.file : "trace_file");
}
