/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results of evaluations. Values are kept and shown. Decisions are queued until the event that
 * caused them is done, judged by the arbiter, and sent as actions to each process that they
 * concern; the outcome of an action is recorded, and passed to the arbiter.
 */
#include "analyze_priv.h"
#include "tune/control/ask.h"
#include "tune/lang/spec_runtime.h"
#include "tune/arbiter/arbiter_spec.h"
#include "base/clock.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The cost of a combination of decisions by a tunlet's model; negative: the model has none. */
static int ask_model(void *ctx, unsigned tunlet, const struct weft_assumed *assumed, unsigned n, double *cost)
{
	struct analyze *a = ctx;
	for (unsigned i = 0; i < a->how.n_tunlets; i++)
		if (a->tunlet[i].arbiter_id == tunlet)
			return weft_eval_cost(a->tunlet[i].e, assumed, n, cost, NULL);
	return -ENOENT;
}

int decide_begin(struct analyze *a, struct weft_err *err)
{
	int rc = weft_arbiter_new(&a->arbiter, &(struct weft_arbiter_how){.model = ask_model, .ctx = a});
	return rc ? weft_err_set(err, rc, "out of memory") : 0;
}

int decide_add(struct analyze *a, struct analyze_tunlet *k, struct weft_err *err)
{
	return weft_arbiter_add(a->arbiter, k->s, &k->arbiter_id, &k->first_point) ? weft_err_set(err, -ENOMEM, "out of memory")
	                                                                           : 0;
}

static void free_action(struct analyze_action *x)
{
	if (x->value.kind == MESSAGE_TEXT)
		free((char *)x->value.s);
	free(x->text);
}

void decide_end(struct analyze *a)
{
	for (unsigned i = 0; i < a->how.n_tunlets; i++) {
		free(a->tunlet[i].values);
		free(a->tunlet[i].fault.at);
	}
	for (size_t i = 0; i < a->action.n; i++)
		free_action(&a->action.at[i]);
	for (size_t i = 0; i < a->iteration.n; i++) {
		free(a->iteration.at[i].value);
		free(a->iteration.at[i].why);
	}
	for (size_t i = 0; i < a->decision.n; i++)
		free(a->decision.at[i].text);
	free(a->action.at);
	free(a->iteration.at);
	free(a->decision.at);
	weft_arbiter_free(a->arbiter);
}

/* -- what is said -- */

static void keep_iteration(struct analyze_tunlet *k, const struct weft_eval_result *w, const char *why)
{
	struct analyze_iteration it = {.tunlet = k->index, .number = w->iteration, .time = analyze_now(k->a), .n = w->n};
	it.value = w->n && !why ? malloc(w->n * sizeof *it.value) : NULL;
	it.n = it.value ? w->n : 0;
	if (it.value)
		memcpy(it.value, w->value, w->n * sizeof *it.value);
	it.why = why ? strdup(why) : NULL;
	it.has_steps = w->steps != NULL;
	it.steps = w->steps ? *w->steps : (struct weft_steps){0};
	if (weft_vec_push(&k->a->iteration, it)) {
		free(it.value);
		free(it.why);
	}
}

static void result_evaluated(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	k->evaluated++;
	k->estimated += w->add;
	double *copy = realloc(k->values, (w->n + 1) * sizeof *copy);
	if (copy) {
		memcpy(copy, w->value, w->n * sizeof *copy);
		k->values = copy;
		k->n_values = w->n;
	}
	keep_iteration(k, w, NULL);
	sink_values(k->a, k, w);
	show_values(k->a, k->index, w->iteration, w->value, w->n);
	look_values(k, w->iteration, w->value, w->n);
	weft_arbiter_evaluated(k->a->arbiter, k->arbiter_id);
}

static void result_tune(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	struct analyze_decision d = {k->index, w->what, w->iteration, w->process, w->is_text, w->number, NULL};
	d.text = w->is_text ? strdup(w->text) : NULL;
	if ((w->is_text && !d.text) || weft_vec_push(&k->a->decision, d))
		free(d.text);
}

static void result_event(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	struct analyze *a = k->a;
	if (w->process == INT64_MIN && k->asked[w->what] == w->add)
		return;
	if (w->process == INT64_MIN)
		k->asked[w->what] = w->add;
	for (size_t i = 0; i < a->process.n; i++) {
		struct analyze_process *t = a->process.at[i];
		uint32_t actor = k->s->event.at[w->what].actor_id;
		bool its = t->alive && (worker_is_actor(k, actor) ? t->binding[k->index].actor >= 0
		                                                  : t->binding[k->index].actor == (int)actor);
		if (its && (w->process == INT64_MIN || t->id == w->process))
			process_want(a, t, k->index, w->what, w->add);
	}
	show_line(a, true, "%s: event '%s' is %s", weft_spec_name(k->s), k->s->event.at[w->what].id.z,
	          w->add ? "added" : "removed");
}

static void result_incomplete(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	k->incomplete++;
	k->lost += w->add;
	keep_iteration(k, w, w->text);
	/* A reason that repeats is shown once; the report has all. */
	if (strcmp(k->why, w->text) != 0)
		show_line(k->a, true, "%s, iteration %lld: not decided upon: %s", weft_spec_name(k->s), (long long)w->iteration,
		          w->text);
	snprintf(k->why, sizeof k->why, "%s", w->text);
}

static void result_late(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	(void)w;
	k->late++;
}

static void result_handler(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	k->faults++;
	show_line(k->a, true, "%s: handler %s", weft_spec_name(k->s), w->text);
}

static void result_restarted(struct analyze_tunlet *k, const struct weft_eval_result *w)
{
	(void)w;
	k->restarts++;
	show_line(k->a, true, "%s: its process was begun anew; open iterations are lost", weft_spec_name(k->s));
}

void decide_result(void *ctx, const struct weft_eval_result *w)
{
	static void (*const results[])(struct analyze_tunlet * k, const struct weft_eval_result *w) = {
		[WEFT_RESULT_EVALUATED] = result_evaluated,
		[WEFT_RESULT_TUNE] = result_tune,
		[WEFT_RESULT_EVENT] = result_event,
		[WEFT_RESULT_FAULT] = fault_result,
		[WEFT_RESULT_INCOMPLETE] = result_incomplete,
		[WEFT_RESULT_LATE] = result_late,
		[WEFT_RESULT_HANDLER] = result_handler,
		[WEFT_RESULT_RESTARTED] = result_restarted,
		[WEFT_RESULT_CLOSE] = fold_result,
		[WEFT_RESULT_CLOSED] = fold_result,
	};
	if ((unsigned)w->kind < sizeof results / sizeof results[0] && results[w->kind])
		results[w->kind](ctx, w);
}

/* -- actions -- */

/* An argument of a call: a constant, or a model parameter's last value. */
static struct message_value argument_of(struct analyze_tunlet *k, const struct spec_ref *r)
{
	struct message_value v = {.kind = MESSAGE_INT, .s = ""};
	bool real = r->t == TYPE_DOUBLE || r->t == TYPE_FLOAT;
	double number;
	if (weft_parse_i64(weft_str(r->id.z), &v.i) == 0)
		return v;
	if (weft_parse_double(weft_str(r->id.z), &number) == 0)
		return ask_value(number, true);
	const char *name;
	for (uint32_t i = 0; i < k->n_values && (name = weft_eval_value_name(k->e, i)); i++)
		if (strcmp(name, r->id.z) == 0)
			return ask_value(k->values[i], real);
	return v;
}

static struct message_value kept_value(const struct analyze_decision *d, bool real)
{
	if (!d->is_text)
		return ask_value(d->number, real);
	struct message_value v = {.kind = MESSAGE_TEXT, .s = strdup(d->text)};
	return v.s ? v : (struct message_value){.s = ""};
}

static void send_act(struct analyze *a, const struct analyze_decision *d, size_t process, uint32_t arbiter)
{
	struct analyze_tunlet *k = &a->tunlet[d->tunlet];
	struct message m = {.kind = MESSAGE_ACT};
	char object[ASK_OBJECT_BYTES];
	uint64_t now = analyze_now(a);
	struct analyze_action x = {.number = ++a->actions,
	                           .tunlet = d->tunlet,
	                           .point = d->point,
	                           .iteration = d->iteration,
	                           .process = process,
	                           .is_text = d->is_text,
	                           .decided = now,
	                           .sent = now,
	                           .arbiter = arbiter};
	x.value = kept_value(d, ask_is_real(k->s, &k->s->point.at[d->point]));
	if (weft_vec_push(&a->action, x)) {
		free_action(&x);
		return;
	}
	if (a->how.dry_run)
		return;
	m.act.process = a->process.at[process]->process;
	m.act.action = x.number;
	ask_act(k->s, d->point, d->text, d->number, &m.act, object);
	char subject[RUNTIME_NAME_BYTES + 16];
	uint32_t worker;
	const struct spec_point *p = &k->s->point.at[d->point];
	if (d->process != INT64_MIN && p->actor_id != SPEC_NONE && worker_is_actor(k, p->actor_id) &&
	    worker_meant(a->process.at[process], d->process, &worker)) {
		snprintf(subject, sizeof subject, "%.*s@%u", RUNTIME_NAME_BYTES - 1, m.act.subject, worker);
		m.act.subject = subject;
	}
	m.act.timeout_ms = a->how.sync_ms;
	for (size_t i = 0; i < k->s->point.at[d->point].ref.n && m.act.n < 6; i++)
		m.act.argument[m.act.n++] = argument_of(k, &k->s->point.at[d->point].ref.at[i]);
	analyze_send(a, a->process.at[process]->controller, &m);
}

static bool decide_meant(const struct analyze *a, const struct analyze_decision *d, const struct analyze_process *t)
{
	const struct spec_point *p = &a->tunlet[d->tunlet].s->point.at[d->point];
	int actor = t->binding[d->tunlet].actor;
	uint32_t worker;
	if (p->actor_id != SPEC_NONE && worker_is_actor(&a->tunlet[d->tunlet], p->actor_id))
		return t->alive && actor >= 0 && (d->process == INT64_MIN || worker_meant(t, d->process, &worker));
	return t->alive && actor >= 0 && (p->actor_id == SPEC_NONE || actor == (int)p->actor_id) &&
	       (d->process == INT64_MIN || t->id == d->process);
}

static void print_value(const struct message_value *v, char out[WEFT_FMT_DOUBLE])
{
	if (v->kind == MESSAGE_REAL)
		weft_fmt_double(out, v->d);
	else if (v->kind == MESSAGE_TEXT)
		snprintf(out, WEFT_FMT_DOUBLE, "%s", v->s);
	else
		snprintf(out, WEFT_FMT_DOUBLE, "%lld", (long long)v->i);
}

/* "chunk = 7"; "note in main"; "once": a point whose action has no value. */
static void decide_phrase_of(const struct spec_point *p, const char *value, char out[DECIDE_PHRASE])
{
	if (p->value == SPEC_NONE)
		snprintf(out, DECIDE_PHRASE, "%s", p->id.z);
	else
		snprintf(out, DECIDE_PHRASE, "%s%s%s", p->id.z, p->k == KIND_REMOVE_CALL ? " in " : " = ", value);
}

static void phrase_decision(const struct spec_point *p, const struct analyze_decision *d, char out[DECIDE_PHRASE])
{
	char number[WEFT_FMT_DOUBLE];
	weft_fmt_double(number, d->number);
	decide_phrase_of(p, d->is_text ? d->text : number, out);
}

void decide_phrase(const struct spec_point *p, const struct message_value *v, char out[DECIDE_PHRASE])
{
	char number[WEFT_FMT_DOUBLE];
	print_value(v, number);
	decide_phrase_of(p, v->kind == MESSAGE_TEXT ? v->s : number, out);
}

static void carry_out(struct analyze *a, const struct analyze_decision *d, const struct weft_decision *verdict)
{
	const struct analyze_tunlet *k = &a->tunlet[d->tunlet];
	const struct spec_point *p = &k->s->point.at[d->point];
	char what[DECIDE_PHRASE];
	unsigned n = 0;
	phrase_decision(p, d, what);
	if (!verdict->allowed) {
		show_step(a, (struct look_what){LOOK_REFUSED, d->tunlet, d->iteration},
		          "%s, iteration %lld: %s %s is not done: %s", weft_spec_name(k->s), (long long)d->iteration,
		          spec_kind_name[p->k], what, verdict->why);
		return;
	}
	sink_decision(a, d);
	for (size_t i = 0; i < a->process.n; i++)
		if (decide_meant(a, d, a->process.at[i])) {
			send_act(a, d, i, verdict->id);
			n++;
		}
	show_step(a, (struct look_what){LOOK_DECIDED, d->tunlet, d->iteration}, "%s, iteration %lld: %s %s%s%s",
	          weft_spec_name(k->s), (long long)d->iteration, a->how.dry_run ? "would apply" : "applies", what,
	          n ? "" : ", but no process is there to apply it to", *verdict->why ? verdict->why : "");
	if (!n || a->how.dry_run)
		weft_arbiter_done(a->arbiter, verdict->id, analyze_now(a), n && a->how.dry_run);
}

/* The value that the last action at this point has set, if there was one. */
static bool now_there(const struct analyze *a, const struct analyze_decision *d, double *out)
{
	for (size_t i = a->action.n; i > 0; i--) {
		const struct analyze_action *x = &a->action.at[i - 1];
		if (x->tunlet != d->tunlet || x->point != d->point || x->rc || x->undone || x->is_text)
			continue;
		*out = x->value.kind == MESSAGE_REAL ? x->value.d : (double)x->value.i;
		return true;
	}
	return false;
}

static void judge_all(struct analyze *a)
{
	size_t n = a->decision.n;
	struct weft_decision *d = n ? calloc(n, sizeof *d) : NULL;
	if (!d)
		return;
	for (size_t i = 0; i < n; i++) {
		const struct analyze_decision *x = &a->decision.at[i];
		d[i] = (struct weft_decision){.tunlet = a->tunlet[x->tunlet].arbiter_id,
		                              .point = a->tunlet[x->tunlet].first_point + x->point,
		                              .process = x->process,
		                              .is_text = x->is_text,
		                              .number = x->number,
		                              .text = x->text};
		d[i].has_now = now_there(a, x, &d[i].now);
	}
	int rc = weft_arbiter_judge(a->arbiter, analyze_now(a), d, (unsigned)n);
	for (size_t i = 0; i < n; i++) {
		if (rc >= 0)
			carry_out(a, &a->decision.at[i], &d[i]);
		free(a->decision.at[i].text);
	}
	if (rc < 0)
		analyze_fail(a, rc, NULL);
	a->decision.n = 0;
	free(d);
}

void decide_all(struct analyze *a)
{
	judge_all(a);
	for (; a->n_judged < a->iteration.n; a->n_judged++)
		a->iteration.at[a->n_judged].decided_ns = weft_monotonic_ns();
}

/* -- what came of it -- */

static bool more_of(const struct analyze *a, const struct analyze_action *x)
{
	/* Actions of one verdict are neighbours, near the end of the list. */
	const struct analyze_action *first = x, *last = a->action.at + a->action.n;
	while (first > a->action.at && first[-1].arbiter == x->arbiter)
		first--;
	for (; first < last && first->arbiter == x->arbiter; first++)
		if (!first->answered)
			return true;
	return false;
}

static void show_acted(struct analyze *a, const struct analyze_action *x)
{
	const struct analyze_tunlet *k = &a->tunlet[x->tunlet];
	const struct spec_point *p = &k->s->point.at[x->point];
	char what[DECIDE_PHRASE], old[WEFT_FMT_DOUBLE], took[32];
	decide_phrase(p, &x->value, what);
	print_value(&x->old, old);
	if (x->rc)
		show_step(a, (struct look_what){LOOK_FAILED, x->tunlet, x->iteration}, "%s: %s %s cannot be done: %s",
		          process_name(a, a->process.at[x->process], x->tunlet), spec_kind_name[p->k], what, x->text);
	else
		show_step(a, (struct look_what){LOOK_DONE, x->tunlet, x->iteration}, "%s: %s%s%s, %s after the decision",
		          process_name(a, a->process.at[x->process], x->tunlet), what, x->old.kind ? ", was " : "",
		          x->old.kind ? old : "", weft_human_ns(took, x->acted > x->decided ? x->acted - x->decided : 0));
}

/* Not shown on a terminal, where the run is over. */
static void show_undone(const struct analyze *a, const struct analyze_action *x)
{
	char what[DECIDE_PHRASE], text[1200];
	decide_phrase(&a->tunlet[x->tunlet].s->point.at[x->point], &x->value, what);
	snprintf(text, sizeof text, "%s: %s is %s", process_name(a, a->process.at[x->process], x->tunlet), what,
	         x->undone ? "undone" : "not undone");
	look_say(LOOK_UNDONE, (int)x->tunlet, x->iteration, text);
}

void decide_acted(struct analyze *a, const struct message_acted *m)
{
	for (size_t i = a->action.n; i > 0; i--) {
		struct analyze_action *x = &a->action.at[i - 1];
		if (x->number != m->action)
			continue;
		if (m->undo) {
			x->undone = m->rc == 0;
			show_undone(a, x);
			return;
		}
		x->answered = true;
		x->rc = m->rc;
		x->old = m->old;
		x->old.s = "";
		x->acted = m->time;
		x->answered_ns = analyze_now(a);
		x->took_ns = m->took_ns;
		x->text = m->rc ? strdup(m->text) : NULL;
		show_acted(a, x);
		sink_action(a, x);
		if (!more_of(a, x))
			weft_arbiter_done(a->arbiter, x->arbiter, analyze_now(a), m->rc == 0);
		return;
	}
}
