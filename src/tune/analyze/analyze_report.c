/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The report at the end of a run: each tunlet's evaluations, iteration by iteration, its decisions,
 * its actions with the old value and their durations; and the cost of all of it against the
 * expected cost (a thesis on MATE, 3.2.1: instrumentation + events x their cost + tuning; 3.2.2:
 * further resources).
 */
#include "analyze_priv.h"
#include "tune/control/cost.h"
#include "tune/collect/tree.h"
#include "base/fs.h"
#include "base/visible.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { SHORT_ROWS = 8 };
static const double BUSY = 0.5;

struct report {
	struct analyze *a;
	FILE *to;
	size_t most; /* rows of a list */
};

static void print_value(FILE *to, const struct message_value *v)
{
	if (v->kind == MESSAGE_REAL)
		weft_print_visible(to, "%.6g", v->d);
	else if (v->kind == MESSAGE_TEXT)
		weft_print_visible(to, "%s", v->s);
	else
		weft_print_visible(to, "%lld", (long long)v->i);
}

static void put_iteration(struct report *r, const struct analyze_tunlet *k, const struct analyze_iteration *it)
{
	weft_print_visible(r->to, "  %10.3f s  %lld:", analyze_seconds(r->a, it->time), (long long)it->number);
	if (it->why)
		weft_print_visible(r->to, " not decided upon: %s", it->why);
	struct weft_buf b = {0};
	weft_eval_put_values(k->e, it->value, it->n, false, &b);
	weft_print_visible(r->to, "%s\n", b.at ? b.at : "");
	weft_buf_fini(&b);
}

static void put_iterations(struct report *r, const struct analyze_tunlet *k)
{
	size_t n = 0, at = 0;
	for (size_t i = 0; i < r->a->iteration.n; i++)
		n += r->a->iteration.at[i].tunlet == k->index;
	if (n > r->most)
		fprintf(r->to, "  … %zu earlier ones (--report FILE has all)\n", n - r->most);
	for (size_t i = 0; i < r->a->iteration.n; i++)
		if (r->a->iteration.at[i].tunlet == k->index && at++ + r->most >= n)
			put_iteration(r, k, &r->a->iteration.at[i]);
}

static void put_action(struct report *r, const struct analyze_tunlet *k, const struct analyze_action *x)
{
	const struct spec_point *p = &k->s->point.at[x->point];
	char took[32], whole[32], what[DECIDE_PHRASE];
	decide_phrase(p, &x->value, what);
	weft_print_visible(r->to, "  %10.3f s  iteration %lld, %s: %s %s", analyze_seconds(r->a, x->decided),
	                   (long long)x->iteration, process_name(r->a, r->a->process.at[x->process], k->index),
	                   spec_kind_name[p->k], what);
	if (r->a->how.dry_run) {
		weft_print_visible(r->to, " (not done: a dry run)\n");
	} else if (!x->answered) {
		weft_print_visible(r->to, ": no answer came\n");
	} else if (x->rc) {
		weft_print_visible(r->to, ": cannot be done: %s\n", x->text ? x->text : weft_err_name(x->rc));
	} else {
		if (x->old.kind) {
			weft_print_visible(r->to, ", was ");
			print_value(r->to, &x->old);
		}
		weft_print_visible(r->to, "; in force after %s, the action took %s%s\n",
		                   weft_human_ns(whole, x->acted > x->decided ? x->acted - x->decided : 0),
		                   weft_human_ns(took, x->took_ns), x->undone ? "; undone" : "");
	}
}

static void put_actions(struct report *r, const struct analyze_tunlet *k)
{
	size_t n = 0, at = 0;
	for (size_t i = 0; i < r->a->action.n; i++)
		n += r->a->action.at[i].tunlet == k->index;
	if (n == 0)
		return;
	fprintf(r->to, "%zu action%s:\n", n, n == 1 ? "" : "s");
	if (n > r->most)
		fprintf(r->to, "  … %zu earlier ones\n", n - r->most);
	for (size_t i = 0; i < r->a->action.n; i++)
		if (r->a->action.at[i].tunlet == k->index && at++ + r->most >= n)
			put_action(r, k, &r->a->action.at[i]);
}

/* -- from the end of an iteration to what follows from it -- */

struct step {
	const struct analyze *a;
	const struct analyze_tunlet *k;
	const struct analyze_iteration *it;
};

static double in_program(const struct step *s)
{
	return (s->it->steps.ended - s->it->steps.began) * s->k->per_unit;
}

static double report_seen(const struct step *s)
{
	return (double)(s->it->steps.ended_ns - s->it->steps.begun_ns);
}

static double end_known(const struct step *s)
{
	return (double)(s->it->steps.ended_ns - s->a->began_mono) - s->it->steps.ended * s->k->per_unit;
}

static double report_complete(const struct step *s)
{
	return (double)(s->it->steps.complete_ns - s->it->steps.ended_ns);
}

static double report_computed(const struct step *s)
{
	return (double)(s->it->steps.computed_ns - s->it->steps.complete_ns);
}

static double report_decided(const struct step *s)
{
	return s->it->decided_ns ? (double)(s->it->decided_ns - s->it->steps.computed_ns) : NAN;
}

static int compare_ns(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static void put_step(struct report *r, const char *name, double *ns, size_t n)
{
	char middle[32], most[32];
	qsort(ns, n, sizeof *ns, compare_ns);
	fprintf(r->to, "  %-58s %10s %10s\n", name, n ? weft_human_ns(middle, (uint64_t)fmax(ns[n / 2], 0)) : "-",
	        n ? weft_human_ns(most, (uint64_t)fmax(ns[n - 1], 0)) : "-");
}

/* The figures of table 3.1 of a thesis on MATE, for this run. */
static void put_steps(struct report *r, const struct analyze_tunlet *k)
{
	static const struct {
		const char *name;
		double (*ns)(const struct step *s);
	} rows[] = {{"an iteration, in the program", in_program},
	            {"from its first event to its end, as the analyzer sees them", report_seen},
	            {"its end is known, after it was", end_known},
	            {"all that is needed is known, after that", report_complete},
	            {"its values are computed, after that", report_computed},
	            {"what follows is decided and sent, after that", report_decided}};
	double *ns = malloc((r->a->iteration.n + 1) * sizeof *ns);
	if (!ns || k->evaluated == 0 || r->a->how.replay) {
		free(ns);
		return;
	}
	fprintf(r->to, "%-60s %10s %10s\n", "Steps:", "median", "most");
	for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
		size_t n = 0;
		for (size_t i = 0; i < r->a->iteration.n; i++) {
			const struct analyze_iteration *it = &r->a->iteration.at[i];
			struct step s = {r->a, k, it};
			double one = it->tunlet == k->index && it->has_steps ? rows[row].ns(&s) : NAN;
			if (!isnan(one))
				ns[n++] = one;
		}
		put_step(r, rows[row].name, ns, n);
	}
	free(ns);
}

static void put_tunlet(struct report *r, const struct analyze_tunlet *k)
{
	weft_print_visible(r->to,
	                   "\nTunlet '%s': %llu iterations evaluated, %llu not decided upon, %llu late events, %llu faults\n",
	                   weft_spec_name(k->s), (unsigned long long)k->evaluated, (unsigned long long)k->incomplete,
	                   (unsigned long long)k->late, (unsigned long long)k->faults);
	if (k->lost)
		fprintf(r->to, "  %llu iteration%s not decided upon: events were lost\n", (unsigned long long)k->lost,
		        k->lost == 1 ? "" : "s");
	if (k->estimated)
		fprintf(r->to, "  %llu iteration%s evaluated although events were lost: estimates will do\n",
		        (unsigned long long)k->estimated, k->estimated == 1 ? "" : "s");
	fault_report(k, r->to);
	put_iterations(r, k);
	put_actions(r, k);
	if (r->most > SHORT_ROWS)
		put_steps(r, k);
}

static void put_processes(struct report *r)
{
	char text[32];
	weft_print_visible(r->to, "\nTasks:\n");
	for (size_t i = 0; i < r->a->process.n; i++) {
		const struct analyze_process *t = r->a->process.at[i];
		if (!t->known)
			continue;
		weft_print_visible(r->to, "  %-16s pid %-8u %s on %s: %llu events", process_name(r->a, t, UINT32_MAX), t->pid,
		                   t->exe, t->host, (unsigned long long)t->events);
		if (t->lost)
			weft_print_visible(r->to, ", %llu lost", (unsigned long long)t->lost);
		weft_print_visible(r->to, ", %s of CPU\n", weft_human_ns(text, t->cost.cpu_ns));
	}
}

/* ns of all events of a process, at what one was measured to cost, or else at what is expected. */
static double events_ns(const struct message_cost *m)
{
	struct cost_counts n = {.hits = m->hits - m->traps, .traps = m->traps};
	if (m->entry_ns <= 0)
		return cost_predict(&n).events;
	struct cost_counts by_traps = {.traps = m->traps};
	return (double)(n.hits - m->exits) * m->entry_ns + (double)m->exits * m->exit_ns + cost_predict(&by_traps).events;
}

static void put_event_cost(struct report *r, const struct message_cost *m)
{
	if (m && m->entry_ns > 0)
		fprintf(r->to, "; measured: %.1f ns an entry, %.1f ns an exit\n", m->entry_ns, m->exit_ns);
	else
		fprintf(r->to, "; their number is measured, the cost of one is the constant\n");
}

static void put_cost(struct report *r)
{
	struct cost_counts n = {0};
	uint64_t cpu = 0, insert = 0, act = 0, prepare = 0;
	double events = 0;
	const struct message_cost *one = NULL;
	char a[32], b[32], c[32];
	for (size_t i = 0; i < r->a->process.n; i++) {
		const struct message_cost *m = &r->a->process.at[i]->cost;
		if (!r->a->process.at[i]->known)
			continue;
		n.probes += m->inserted;
		n.hits += m->hits - m->traps;
		n.traps += m->traps;
		n.actions += m->acts;
		insert += m->insert_ns;
		act += m->act_ns;
		prepare += m->prepare_ns;
		n.processes += m->inserted > 0;
		cpu += m->cpu_ns;
		events += events_ns(m);
		one = m->entry_ns > 0 ? m : one;
	}
	struct cost_ns predicted = cost_predict(&n);
	struct cost_ns measured = {(double)prepare, (double)insert, events, (double)act};
	fprintf(r->to, "\nIntrusion (instrumentation + events + tuning):\n");
	fprintf(r->to, "  %-14s %12s %12s\n", "", "predicted", "measured");
	fprintf(r->to, "  %-14s %12s %12s  %llu process%s, while names are looked up\n", "start",
	        weft_human_ns(a, (uint64_t)predicted.start), weft_human_ns(b, (uint64_t)measured.start),
	        (unsigned long long)n.processes, n.processes == 1 ? "" : "es");
	fprintf(r->to, "  %-14s %12s %12s  %llu probes inserted\n", "probes", weft_human_ns(a, (uint64_t)predicted.probes),
	        weft_human_ns(b, (uint64_t)measured.probes), (unsigned long long)n.probes);
	fprintf(r->to, "  %-14s %12s %12s  %llu hits, %llu of them by traps", "events",
	        weft_human_ns(a, (uint64_t)predicted.events), weft_human_ns(b, (uint64_t)measured.events),
	        (unsigned long long)(n.hits + n.traps), (unsigned long long)n.traps);
	put_event_cost(r, one);
	fprintf(r->to, "  %-14s %12s %12s  %llu action%s, with the time that %s waited for a thread\n", "tuning",
	        weft_human_ns(a, (uint64_t)predicted.actions), weft_human_ns(b, (uint64_t)measured.actions),
	        (unsigned long long)n.actions, n.actions == 1 ? "" : "s", n.actions == 1 ? "it" : "they");
	double of = cpu ? 100.0 * measured.events / (double)cpu : 0;
	fprintf(r->to, "  events are %.3f %% of the processes' %s of CPU\n", of, weft_human_ns(c, cpu));
}

static void put_resources(struct report *r)
{
	struct rusage self, kids;
	char a[32], b[32], c[32], d[32];
	getrusage(RUSAGE_SELF, &self);
	getrusage(RUSAGE_CHILDREN, &kids);
	uint64_t own = (uint64_t)(self.ru_utime.tv_sec + self.ru_stime.tv_sec) * 1000000000u +
	               (uint64_t)(self.ru_utime.tv_usec + self.ru_stime.tv_usec) * 1000u;
	fprintf(r->to, "\nFurther resources:\n  analyzer: %s of CPU, %s of memory\n  controllers: %s of CPU, %s of memory\n",
	        weft_human_ns(a, own), weft_human_bytes(b, (uint64_t)self.ru_maxrss * 1024),
	        weft_human_ns(c, r->a->controller_cpu_ns), weft_human_bytes(d, r->a->controller_rss));
	fprintf(r->to, "  messages: %llu events, %llu wants\n", (unsigned long long)r->a->events,
	        (unsigned long long)r->a->wants);
	double busy = (double)own / 1e9 / analyze_seconds(r->a, analyze_now(r->a));
	if (busy > BUSY && r->a->how.collectors == 0)
		fprintf(r->to, "  the analyzer was busy for %.0f %% of the time: --collectors auto would share its work\n",
		        100 * busy);
}

/* The measured values are the inputs that the model lacked: they can be given to the next run. */
static void put_collectors(struct report *r)
{
	const struct analyze *a = r->a;
	double seconds = analyze_seconds(a, analyze_now(a)), evaluated = 0, made = 0;
	for (size_t i = 0; i < a->process.n; i++)
		made += (double)a->process.at[i]->cost.hits;
	for (unsigned i = 0; i < a->how.n_tunlets; i++)
		evaluated += (double)a->tunlet[i].evaluated;
	if (a->how.hosts == 0 || seconds <= 0)
		return;
	struct tree_load load = {.controllers = a->how.hosts, .events = made / seconds, .iterations = evaluated / seconds};
	load.passing = made > 0 ? fmin((double)a->events / made, 1) : 1;
	struct tree_shape t = tree_plan(&load);
	fprintf(r->to,
	        "  collectors: %u; for %.0f events/s, %.0f %% of them needed above, and %.1f iterations/s the model has %u in %u levels\n",
	        a->how.collectors, load.events, 100 * load.passing, load.iterations, t.collectors, t.depth);
}

static void put_all(struct report *r)
{
	struct analyze *a = r->a;
	weft_print_visible(r->to, "weft tune: %s, %.3f s%s\n", a->how.command, analyze_seconds(a, analyze_now(a)),
	                   a->how.dry_run ? ", a dry run: nothing was changed" : "");
	for (unsigned i = 0; i < a->how.n_tunlets; i++)
		put_tunlet(r, &a->tunlet[i]);
	if (a->refused.n)
		weft_print_visible(r->to, "\nNot measured:\n");
	for (size_t i = 0; i < a->refused.n && i < r->most; i++)
		weft_print_visible(r->to, "  %s\n", a->refused.at[i]);
	put_processes(r);
	if (a->how.replay)
		return;
	put_cost(r);
	put_resources(r);
	put_collectors(r);
}

int report_write(struct analyze *a, struct weft_err *err)
{
	struct weft_out o;
	struct report r = {a, stderr, SHORT_ROWS};
	show_tick(a);
	if (!a->how.quiet)
		put_all(&r);
	if (!a->how.report)
		return 0;
	int rc = weft_out_open(&o, a->how.report, err);
	if (rc)
		return rc;
	r = (struct report){a, o.to, SIZE_MAX / 2};
	put_all(&r);
	return weft_out_commit(&o, err);
}
