/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ideal run counts only when it is whole, and no longer than the run itself: a replay that got stuck says something of the trace (a message without
 * its other end), and nothing of the network. Stretches are replayed each by itself, as a trace cut there would be.
 */
#include "factor_ideal.h"
#include "base/pool.h"
#include "replay/program/program_part.h"
#include "replay/sim/replay.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EAGER_BELOW = 32768, STRETCHES_MOST = 10000 };

static void say_stuck(struct factor_run *run, const struct weft_replay_program *p, const struct weft_replay_result *r)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	if (!to)
		return;
	weft_replay_explain(p, r, 1, to);
	fclose(to);
	const size_t line = text ? strcspn(text, "\n") : 0;
	snprintf(run->no_ideal, sizeof run->no_ideal, "communication is not divided: on an ideal network it gets stuck: %.*s",
	         (int)(line < 200 ? line : 200), text ? text : "");
	free(text);
}

/* Bursts take as long as they did, so the most useful thread is as useful as it was; no longer than the run, though. */
static void take_result(struct factor_run *run, const struct weft_replay_program *p, const struct weft_replay_result *r)
{
	struct weft_factors *f = &run->f[0];
	if (r->n_stuck)
		say_stuck(run, p, r);
	else if (r->time_ns > f->runtime * 1.001)
		snprintf(
			run->no_ideal, sizeof run->no_ideal,
			"communication is not divided: on an ideal network it would take %.6f s, more than the %.6f s that it took",
			r->time_ns / 1e9, f->runtime / 1e9);
	else
		weft_factors_set_ideal(f, r->time_ns, f->useful_max < r->time_ns ? f->useful_max : r->time_ns);
}

static int run_ideal(const struct weft_replay_program *p, struct weft_replay_result *r, struct weft_err *err)
{
	struct weft_replay_machine m = {.name = NULL};
	const struct weft_replay_how how = {.eager = WEFT_REPLAY_EAGER_BELOW, .eager_bytes = EAGER_BELOW, .ideal_threads = true};
	int rc = weft_replay_machine_ideal(&m);
	if (!rc)
		rc = weft_replay_run(p, &m, &how, r, err);
	weft_replay_machine_fini(&m);
	return rc;
}

static int ideal_of_all(struct factor_run *run, const struct weft_replay_program *p, struct weft_err *err)
{
	struct weft_replay_result r = {.rank = NULL};
	int rc = run_ideal(p, &r, err);
	if (!rc)
		take_result(run, p, &r);
	weft_replay_result_fini(&r);
	return rc;
}

/* ---- stretches ---- */

struct ideal_stretches {
	struct factor_run *run;
	const struct weft_replay_program *program;
	const double *weight;               /* 0: nobody asks for it; NULL: all are asked for */
	struct weft_replay_cutter **cutter; /* by worker, made when it is needed */
	struct weft_err *err;               /* by worker */
	uint8_t *divided;                   /* by stretch: it has its factors, or needs none */
};

static void take_stretch(struct ideal_stretches *s, size_t i, const struct weft_replay_result *r)
{
	struct weft_factors *f = &s->run->f[i];
	if (r->n_stuck || r->time_ns > f->runtime * 1.001)
		return;
	s->divided[i] = 1;
	if (r->time_ns > 0)
		weft_factors_set_ideal(f, r->time_ns, f->useful_max < r->time_ns ? f->useful_max : r->time_ns);
}

static int one_stretch(void *arg, size_t i, unsigned worker)
{
	struct ideal_stretches *s = arg;
	struct weft_replay_program *p = NULL;
	struct weft_replay_result r = {.rank = NULL};
	if (s->weight && !(s->weight[i] > 0)) {
		s->divided[i] = 1;
		return 0;
	}
	int rc = s->cutter[worker] ? 0 : weft_replay_cutter_new(&s->cutter[worker], s->program);
	if (!rc)
		rc = weft_replay_cut(&p, s->cutter[worker], (uint32_t)i);
	if (!rc)
		rc = run_ideal(p, &r, &s->err[worker]);
	if (!rc)
		take_stretch(s, i, &r);
	weft_replay_result_fini(&r);
	weft_replay_program_free(p);
	return rc;
}

static int ideal_of_stretches(struct factor_run *run, const struct weft_replay_program *p, const double *weight, unsigned threads,
                              struct weft_err *err)
{
	const unsigned workers = threads ? threads : weft_pool_width();
	struct ideal_stretches s = {.run = run, .program = p, .weight = weight};
	uint32_t left = 0;
	s.cutter = calloc(workers, sizeof *s.cutter);
	s.err = calloc(workers, sizeof *s.err);
	s.divided = calloc(run->n + (size_t)1, 1);
	int rc = s.cutter && s.err && s.divided ? weft_parallel(threads, run->n, one_stretch, &s) : -ENOMEM;
	for (unsigned i = 0; i < workers && s.cutter && s.err; i++) {
		weft_replay_cutter_free(s.cutter[i]);
		if (rc && s.err[i].code)
			*err = s.err[i];
	}
	for (uint32_t i = 0; i < run->n && !rc; i++)
		left += !s.divided[i];
	if (left)
		snprintf(run->no_ideal, sizeof run->no_ideal,
		         "communication is not divided in %u of %u stretches: on an ideal network they would last longer than they did, "
		         "or never end",
		         left, run->n);
	free(s.cutter);
	free(s.err);
	free(s.divided);
	return rc;
}

int factor_ideal(struct factor_run *run, const struct weft_trace *t, bool stretches, const double *weight,
                 const struct cli_common *c)
{
	struct weft_replay_program *p = NULL;
	struct weft_err err = {0};
	const struct weft_replay_from from = {.drop_calls = true,
	                                      .memory = c->memory,
	                                      .threads = (unsigned)c->threads,
	                                      .edge = run->edge,
	                                      .n_edges = stretches ? run->n + 1 : 0};
	if (stretches && run->n > STRETCHES_MOST) {
		snprintf(run->no_ideal, sizeof run->no_ideal, "communication is not divided: there are more than %d stretches",
		         STRETCHES_MOST);
		return CLI_OK;
	}
	int rc = weft_replay_program_trace(&p, t, &from, &err);
	if (rc == -ENODATA) /* no messages: nothing to divide */
		return CLI_OK;
	if (!rc)
		rc = stretches ? ideal_of_stretches(run, p, weight, (unsigned)c->threads, &err) : ideal_of_all(run, p, &err);
	weft_replay_program_free(p);
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}
