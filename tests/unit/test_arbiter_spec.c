/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two specifications that know nothing of each other, evaluated and arbitrated: the number of workers, and the number of collectors for
 * them. The conflict that the thesis names, by rules and under one objective.
 */
#include "tune/derive/derive.h"
#include "harness.h"
#include "tune/arbiter/arbiter_spec.h"
#include "tune/eval/eval.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* A tunlet with one parameter, which an event brings: %s are name, what the header adds, variable, value, what the point adds. */
static const char text[] =
	"TUNLET\nname: %s\nunit: ms\n%s\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable\nid: load\nsource: asVarValue\ntype: double\nactorId: m\nendvariable\n"
	"variable\nid: %s\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n"
	"EVENTS\n"
	"event\nid: Begins\nactorId: m\ncontroliter: begin\nutility: always\nmethod: step\nplace: entry\nATTRS\n"
	"id: load\nendevent\n"
	"event\nid: Ends\nactorId: m\ncontroliter: end\nutility: always\nmethod: step\nplace: exit\nendevent\n"
	"ACTORS\nactor\nid: m\nmin: 1\nmax: 1\ncompletion: /# 1 #/\nexe: m\nendactor\n"
	"ITERATION INFORMATION\n"
	"id: work\ntype: double\ninic: /# work = 0.0; #/\nvalue: /# iter.work = Begins.load; #/\n"
	"dependency: Begins\n"
	"MODEL PARAMETERS\n"
	"id: l\ntype: double\ninic: /# l = 0.0; #/\nvalue: /# l = iter.work; #/\n"
	"TUNING POINTS\npoint\nid: %s\nkind: SetVariableValue\nvalue: /# %s #/\n%s\nendpoint\nENDTUNLET\n";

struct side {
	struct weft_spec *s;
	struct weft_eval *e;
	unsigned tunlet, point;
	double wanted;
	bool wants;
};

static void see(void *ctx, const struct weft_eval_result *what)
{
	struct side *x = ctx;
	if (what->kind == WEFT_RESULT_TUNE) {
		x->wants = true;
		x->wanted = what->number;
	}
	if (what->kind == WEFT_RESULT_FAULT)
		printf("# fault %d\n", (int)what->fault);
}

static void open_side(struct side *x, struct weft_arbiter *a, const char *name, const char *header, const char *variable,
                      const char *value, const char *more)
{
	char all[4096];
	struct weft_err err = {0};
	*x = (struct side){0};
	int n = snprintf(all, sizeof all, text, name, header, variable, variable, value, more);
	REQUIRE(weft_spec_new(&x->s, name, all, (size_t)n, &err) == 0);
	for (unsigned k = 0; weft_spec_diag(x->s, k); k++)
		if (weft_spec_diag(x->s, k)->severity == WEFT_ERROR)
			printf("# %u: %s\n", weft_spec_diag(x->s, k)->line, weft_spec_diag(x->s, k)->text);
	REQUIRE(weft_spec_count(x->s, WEFT_ERROR) == 0);
	REQUIRE(weft_arbiter_add(a, x->s, &x->tunlet, &x->point) == 0);
	REQUIRE(weft_eval_new(&x->e, x->s, &(struct weft_eval_how){.result = see, .ctx = x, .limit_ns = 10000000000}, &err) == 0);
	CHECK(weft_eval_process(x->e, 0, 1, "here", true, NULL) == 0);
}

static void close_side(struct side *x)
{
	weft_eval_free(x->e);
	weft_spec_free(x->s);
}

/* An iteration with that load: what it wants then. */
static struct weft_decision iterate(struct side *x, double load, double now)
{
	struct tune_value v = {.d = load};
	x->wants = false;
	CHECK(weft_eval_event(x->e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 10, .value = &v, .n = 1}, NULL) == 0);
	CHECK(weft_eval_event(x->e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 20}, NULL) == 0);
	CHECK(x->wants);
	return (struct weft_decision){.tunlet = x->tunlet,
	                              .point = x->point,
	                              .process = WEFT_ARBITER_ALL,
	                              .has_now = true,
	                              .now = now,
	                              .number = x->wanted};
}

TEST(collectors_and_workers_by_the_rule_of_their_resource)
{
	struct weft_arbiter *a;
	struct side workers, agents;
	REQUIRE(weft_arbiter_new(&a, &(struct weft_arbiter_how){0}) == 0);
	open_side(&workers, a, "workers", "priority: 3", "nworkers", "l / 10", "resource: processes\nsense: more");
	open_side(&agents, a, "agents", "hold: 1", "ncollectors", "l / 20", "resource: processes\nsense: more");
	struct weft_decision d[2] = {iterate(&agents, 60, 1), iterate(&workers, 50, 8)};
	CHECK_NEAR(d[0].number, 3, 0);
	CHECK_NEAR(d[1].number, 5, 0);
	CHECK_I64(weft_arbiter_judge(a, 0, d, 2), 1);
	CHECK(!d[0].allowed && d[1].allowed);
	CHECK_STR(d[0].why, "'workers' (priority 3 against 0) sets 'variable nworkers' to 5");
	close_side(&workers);
	close_side(&agents);
	weft_arbiter_free(a);
}

struct pair {
	struct side workers, agents;
};

static int cost_of(void *ctx, unsigned tunlet, const struct weft_assumed *assumed, unsigned n, double *cost)
{
	struct pair *p = ctx;
	return weft_eval_cost(tunlet == p->workers.tunlet ? p->workers.e : p->agents.e, assumed, n, cost, NULL);
}

TEST(collectors_and_workers_under_one_objective)
{
	struct weft_arbiter *a;
	struct pair p;
	REQUIRE(weft_arbiter_new(&a, &(struct weft_arbiter_how){.model = cost_of, .ctx = &p}) == 0);
	open_side(&p.workers, a, "workers", "objective: /# l / nworkers + nworkers #/", "nworkers", "4",
	          "resource: processes\nsense: more");
	/* The collectors' model knows that their load comes from the workers: the variable is declared beside its own. */
	open_side(&p.agents, a, "agents",
	          "weight: 2\nobjective: /# nworkers / ncollectors + 2 * ncollectors #/\n"
	          "MEASURE POINTS\nvariable\nid: nworkers\nsource: asVarValue\ntype: int\nactorId: m\nendvariable",
	          "ncollectors", "2", "resource: processes\nsense: more");
	double cost;
	struct weft_assumed all[2] = {{"variable nworkers", WEFT_ARBITER_ALL, false, 8, ""},
	                              {"variable ncollectors", WEFT_ARBITER_ALL, false, 1, ""}};
	/* Before an iteration was evaluated its parameters mean nothing. */
	CHECK_I64(weft_eval_cost(p.workers.e, all, 2, &cost, NULL), -EAGAIN);
	struct weft_decision d[2] = {iterate(&p.workers, 16, 8), iterate(&p.agents, 16, 1)};
	CHECK(weft_eval_cost(p.workers.e, all, 2, &cost, NULL) == 0);
	CHECK_NEAR(cost, 10, 0);
	CHECK(weft_eval_cost(p.agents.e, all, 2, &cost, NULL) == 0);
	CHECK_NEAR(cost, 10, 0);
	/* Nobody has said how many collectors there are. */
	CHECK_I64(weft_eval_cost(p.agents.e, all, 1, &cost, NULL), -EAGAIN);
	/*
	 * Nothing: 10 + 2·10 = 30. Both: 8 + 2·6 = 20. 4 workers alone: 8 + 2·6 = 20 as well, and changes less; a second collector alone:
	 * 10 + 2·8 = 26, so that its own model would have added it.
	 */
	CHECK_I64(weft_arbiter_judge(a, 0, d, 2), 1);
	CHECK(d[0].allowed && !d[1].allowed);
	CHECK_STR(d[1].why, "under the common objective it costs 20 with it, 20 without");
	close_side(&p.workers);
	close_side(&p.agents);
	weft_arbiter_free(a);
}

TEST(what_a_header_may_say)
{
	static const struct {
		const char *header, *point, *rule;
	} rows[] = {
		{"priority: high", "", "number"},
		{"hold: some", "", "number"},
		{"weight: 0\nobjective: /# l #/", "", "number"},
		{"weight: 2", "", "missing-objective"},
		{"objective: /# iter.work #/", "", "objective"},
		{"", "sense: more", "missing-resource"},
		{"", "resource: r\nsense: up", "unknown-word"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		char all[4096];
		struct weft_spec *s;
		bool found = false;
		int n = snprintf(all, sizeof all, text, "t", rows[k].header, "v", "v", "l", rows[k].point);
		REQUIRE(weft_spec_new(&s, "t", all, (size_t)n, NULL) == 0);
		for (unsigned i = 0; weft_spec_diag(s, i); i++)
			found |= weft_spec_diag(s, i)->severity == WEFT_ERROR &&
			         !strcmp(weft_spec_diag(s, i)->rule, rows[k].rule);
		if (!CHECK(found))
			weft_spec_report(s, WEFT_NOTE, stdout);
		weft_spec_free(s);
	}
}
