/* SPDX-License-Identifier: Apache-2.0 */
/* starpu_bound_*: what is recorded, solved, printed; and the same for a program that was not written for it (WEFT_BOUND). */
#include "bound.h"
#include "runtime/task/complain.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void starpu_bound_start(int deps, int prio)
{
	bound_lock();
	if (rt_machine.core)
		bound_record_start(deps != 0, prio != 0);
	else
		rt_say("%s: StarPU is not initialised", __func__);
	bound_unlock();
}

void starpu_bound_stop(void)
{
	bound_lock();
	bound_record_stop();
	bound_unlock();
}

/* With the lock. False, which has been said: there is none. */
static bool has_problem(struct bound_problem *p, const char *function)
{
	int rc = bound_problem_make(p);
	if (rc) {
		rt_say("%s: no memory", function);
		bound_problem_free(p);
	}
	return !rc;
}

void starpu_bound_compute(double *res, double *integer_res, int integer)
{
	struct bound_problem p;
	struct bound_found f = {0};
	bool proven;
	if (res)
		*res = 0;
	if (integer_res && integer)
		*integer_res = 0;
	bound_lock();
	if (has_problem(&p, __func__)) {
		if (!bound_find(&p, &f) && res)
			*res = bound.deps ? f.mixed : f.area;
		if (integer_res && integer)
			*integer_res = bound_best(&p, &f, &proven);
		free(f.share);
		bound_problem_free(&p);
	}
	bound_unlock();
}

static void print_program(FILE *output, void (*write)(const struct lp *, FILE *), const char *function)
{
	struct bound_problem p;
	struct lp l = {0};
	bound_lock();
	if (has_problem(&p, function)) {
		int rc = bound_program(&p, &l);
		if (!rc)
			write(&l, output);
		else
			rt_say("%s: %s", function, rc == -E2BIG ? "too many tasks for a program with dependencies" : "no memory");
		lp_free(&l);
		bound_problem_free(&p);
	}
	bound_unlock();
}

static void write_commented(const struct lp *l, FILE *to)
{
	fprintf(to, "/* The least time, in milliseconds, that %u tasks take on this machine%s.\n", bound.n_tasks,
	        bound.deps ? ", with their dependencies" : "");
	for (uint32_t k = 0; k < bound.n_kinds && !bound.deps; k++)
		fprintf(to, "   kind %u: %u tasks of %s, footprint %08x\n", k, bound.kind[k]->n, bound.kind[k]->name,
		        bound.kind[k]->footprint);
	fprintf(to, "*/\n");
	lp_write(l, to);
}

void starpu_bound_print_lp(FILE *output)
{
	print_program(output, write_commented, __func__);
}

void starpu_bound_print_mps(FILE *output)
{
	print_program(output, lp_write_mps, __func__);
}

static void print_quoted(FILE *f, const char *text)
{
	fputc('"', f);
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			fputc('\\', f);
		fputc(*text, f);
	}
	fputc('"', f);
}

static const char *name_of(const struct bound_task *t)
{
	return t->name ? t->name : t->kind == BOUND_NOTHING ? "" : bound.kind[t->kind]->name;
}

void starpu_bound_print_dot(FILE *output)
{
	bound_lock();
	fprintf(output, "digraph tasks {\n");
	for (uint32_t i = 0; i < bound.n_tasks; i++) {
		fprintf(output, "\tt%u [label=", i);
		print_quoted(output, name_of(&bound.task[i]));
		fprintf(output, "]\n");
	}
	for (uint32_t e = 0; e < bound.n_edges; e++)
		fprintf(output, "\tt%u -> t%u\n", bound.edge[e].from, bound.edge[e].to);
	fprintf(output, "}\n");
	bound_unlock();
}

/* ---- in words ---- */

static const char *place_name(unsigned i, char *room, size_t size)
{
	const struct bound_place *p = &bound.place[i];
	if (p->n > 1)
		snprintf(room, size, "%u x %s", p->n, starpu_worker_get_type_as_string(rt_machine.worker[p->first].arch));
	else
		snprintf(room, size, "%s", rt_machine.worker[p->first].name);
	return room;
}

static void print_kinds(FILE *f, const struct bound_problem *p, const struct bound_found *found)
{
	char room[96];
	fprintf(f, "%-24s %8s", "tasks", "");
	for (unsigned i = 0; i < bound.n_places; i++)
		fprintf(f, "  %28.28s", place_name(i, room, sizeof room));
	fprintf(f, "\n%-24s %8s", "", "number");
	for (unsigned i = 0; i < bound.n_places; i++)
		fprintf(f, "  %10s %8s %8s", "ms each", "ran", "ideal");
	for (uint32_t k = 0; k < bound.n_kinds; k++) {
		fprintf(f, "\n%-24.24s %8u", bound.kind[k]->name, bound.kind[k]->n);
		for (unsigned i = 0; i < bound.n_places; i++)
			if (isnan(bound_ms(p, k, i)))
				fprintf(f, "  %10s %8u %8s", "-", bound.kind[k]->n_ran[i], "-");
			else
				fprintf(f, "  %10.4f %8u %8.1f", bound_ms(p, k, i), bound.kind[k]->n_ran[i],
				        found->share ? found->share[(size_t)k * bound.n_places + i] : 0);
	}
	fprintf(f, "\n");
}

static void print_bounds(FILE *f, const struct bound_problem *p, const struct bound_found *found, bool integer)
{
	double measured = bound.ended_ns > bound.began_ns ? (double)(bound.ended_ns - bound.began_ns) / 1e6 : 0;
	double least = bound.deps ? found->mixed : fmax(found->area, found->path);
	bool proven;
	fprintf(f, "%u tasks of %u kinds, %u dependencies\n", bound.n_tasks, bound.n_kinds, bound.n_edges);
	fprintf(f, "measured        %12.4f ms\n", measured);
	fprintf(f, "area            %12.4f ms\n", found->area);
	fprintf(f, "critical path   %12.4f ms\n", found->path);
	if (bound.deps)
		fprintf(f, "area and path   %12.4f ms\n", found->mixed);
	if (integer) {
		double best = bound_best(p, found, &proven);
		fprintf(f, "whole tasks     %12.4f ms%s\n", best, proven ? "" : " (not the optimum: too many to try)");
		least = fmax(least, best);
	}
	if (measured > 0)
		fprintf(f, "efficiency      %12.2f %%\n", 100 * least / measured);
}

static void bound_print(FILE *f, bool integer)
{
	struct bound_problem p;
	struct bound_found found = {0};
	if (!has_problem(&p, "starpu_bound_print"))
		return;
	if (!bound_find(&p, &found)) {
		print_bounds(f, &p, &found, integer);
		print_kinds(f, &p, &found);
	}
	free(found.share);
	bound_problem_free(&p);
}

void starpu_bound_print(FILE *output, int integer)
{
	bound_lock();
	bound_print(output, integer != 0);
	bound_unlock();
}

/* ---- WEFT_BOUND ---- */

static int asked_for(void)
{
	return starpu_get_env_number_default("WEFT_BOUND", 0);
}

static int bound_started(struct rt_machine *m, struct weft_err *err)
{
	(void)m, (void)err;
	if (asked_for() > 0)
		starpu_bound_start(1, 0);
	return 0;
}

static void bound_stopping(struct rt_machine *m)
{
	(void)m;
	if (asked_for() > 0)
		starpu_bound_print(stderr, 0);
	starpu_bound_stop();
}

static void bound_end(struct rt_machine *m)
{
	(void)m;
	bound_lock();
	bound_record_stop();
	bound_record_free();
	bound_unlock();
}

const struct rt_layer rt_layer_bound = {"bound", NULL, bound_started, bound_stopping, bound_end};
