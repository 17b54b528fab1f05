/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An ideal run counts only when it is whole, and no longer than the run itself: a replay that got stuck says something of the trace (a message without
 * its other end), and nothing of the network.
 */
#include "factor_ideal.h"
#include "replay/sim/replay.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { EAGER_BELOW = 32768 };

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

static int run_ideal(struct factor_run *run, const struct weft_replay_program *p, struct weft_err *err)
{
	struct weft_replay_machine m = {.name = NULL};
	struct weft_replay_result r = {.rank = NULL};
	const struct weft_replay_how how = {.eager = WEFT_REPLAY_EAGER_BELOW, .eager_bytes = EAGER_BELOW, .ideal_threads = true};
	int rc = weft_replay_machine_ideal(&m);
	if (!rc)
		rc = weft_replay_run(p, &m, &how, &r, err);
	if (!rc)
		take_result(run, p, &r);
	weft_replay_result_fini(&r);
	weft_replay_machine_fini(&m);
	return rc;
}

int factor_ideal(struct factor_run *run, const struct weft_trace *t, const struct cli_common *c)
{
	struct weft_replay_program *p = NULL;
	struct weft_err err = {0};
	const struct weft_replay_from from = {.drop_calls = true, .memory = c->memory, .threads = (unsigned)c->threads};
	int rc = weft_replay_program_trace(&p, t, &from, &err);
	if (rc == -ENODATA) /* no messages: nothing to divide */
		return CLI_OK;
	if (!rc)
		rc = run_ideal(run, p, &err);
	weft_replay_program_free(p);
	return !rc ? CLI_OK : err.code ? cli_fail(&err) : cli_fail_code(rc);
}
