/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft tune check PROGRAM SPEC`: what of a tunlet can be done in a program, and what it would cost, before any run. A line each, like a compiler's;
 * status 1 when something cannot be done.
 */
#include "tune_run.h"
#include "base/log.h"
#include "base/visible.h"
#include "tune/control/check_program.h"
#include "tune/control/cost.h"
#include <limits.h>
#include <stdio.h>
#include <string.h>

struct outcome {
	const struct tune_args *args;
	unsigned events, points, cannot, traps;
};

static void print_finding(void *ctx, const struct tune_finding *f)
{
	struct outcome *o = ctx;
	o->events += !f->point && f->rc == 0;
	o->points += f->point && f->rc == 0;
	o->cannot += f->rc != 0;
	o->traps += f->traps;
	if (f->rc == 0 && o->args->common.quiet)
		return;
	weft_print_visible(stdout, "%s '%s'%s%s: ", f->point ? "point" : "event", f->name, *f->actor ? " of " : "", f->actor);
	if (f->rc)
		weft_print_visible(stdout, "cannot be %s: %s\n", f->point ? "tuned" : "measured", f->text);
	else
		weft_print_visible(stdout, "ok%s%s%s\n", f->traps ? ", by a trap, which is slow" : "", *f->text ? "; " : "",
		                   f->text);
}

/* Instrumentation + events + tuning: how often events come is the program's secret, so they are given for one. */
static void print_cost(const struct outcome *o)
{
	char start[32], probes[32], hit[32], trap[32], action[32], rate[32];
	struct cost_ns all = cost_predict(&(struct cost_counts){.processes = 1, .probes = o->events, .actions = 1});
	struct cost_ns one = cost_predict(&(struct cost_counts){.hits = 1}),
		       slow = cost_predict(&(struct cost_counts){.traps = 1});
	printf("predicted intrusion: %s at the start, %s for %u probe%s, %s for an event",
	       weft_human_ns(start, (uint64_t)all.start), weft_human_ns(probes, (uint64_t)all.probes), o->events,
	       o->events == 1 ? "" : "s", weft_human_ns(hit, (uint64_t)one.events));
	if (o->traps)
		printf(" (%s by a trap)", weft_human_ns(trap, (uint64_t)slow.events));
	printf(", %s for an action; %s events/s are 1 %% of a processor\n", weft_human_ns(action, (uint64_t)all.actions),
	       weft_human_count(rate, (uint64_t)(1e7 / one.events)));
}

static bool has_actor(const struct weft_spec *s, const char *name)
{
	const char *actor;
	for (unsigned i = 0; (actor = weft_spec_actor(s, i)); i++)
		if (strcmp(actor, name) == 0)
			return true;
	return false;
}

int tune_check_command(const struct tune_args *args, struct analyze_how *with, char **operand, int n)
{
	char *argv[] = {operand[0], NULL};
	struct tune_check_how all = {.spec = with->tunlet[0].spec, .argv = argv, .actor = n > 2 ? operand[2] : NULL}, *how = &all;
	char agent[PATH_MAX];
	struct weft_err err = {0};
	struct outcome o = {.args = args};
	if (tune_agent_path(agent, sizeof agent, &err))
		return cli_fail(&err);
	if (how->actor && !has_actor(how->spec, how->actor)) {
		weft_log(WEFT_LOG_ERROR, "the tunlet '%s' has no actor '%s'", weft_spec_name(how->spec), how->actor);
		return CLI_USAGE;
	}
	how->agent = agent;
	how->found = print_finding;
	how->ctx = &o;
	if (tune_check(how, &err))
		return cli_fail(&err);
	if (!args->common.quiet)
		print_cost(&o);
	return o.cannot ? CLI_NO : CLI_OK;
}
