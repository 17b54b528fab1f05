/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes: which actors a process is, and what is wanted of it.
 *
 * Executable, rank and host leave candidates. One: that is it. Several: the events of all are
 * wanted, and the first event that is of one candidate alone decides; what came before waits for
 * that, and is then evaluated or forgotten. An actor that says which function it `enters` is
 * decided by that alone.
 */
#include "analyze_priv.h"
#include "tune/control/ask.h"
#include "tune/lang/spec_runtime.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/*
 * Each host's stream is in order; between hosts streams are late by some milliseconds, more on a
 * busy machine.
 */
#define SETTLE_NS UINT64_C(100000000)
enum { BATCH_MOST = 256, REFUSED_MOST = 1000 };

struct analyze_process *process_find(struct analyze *a, uint64_t number)
{
	uint64_t at;
	return weft_map_get(&a->process_at, number, &at) && at < a->process.n ? a->process.at[at] : NULL;
}

void process_free(struct analyze_process *t)
{
	for (unsigned k = 0; k < ANALYZE_TUNLETS; k++) {
		for (size_t i = 0; i < t->binding[k].waiting.n; i++)
			free(t->binding[k].waiting.at[i]);
		free(t->binding[k].waiting.at);
	}
	free(t->host);
	free(t->exe);
	free(t);
}

const char *process_name(const struct analyze *a, const struct analyze_process *t, uint32_t tunlet)
{
	static char name[160];
	int actor = tunlet < a->how.n_tunlets ? t->binding[tunlet].actor : ACTOR_NONE;
	for (unsigned k = 0; actor < 0 && k < a->how.n_tunlets; k++) {
		actor = t->binding[k].actor;
		tunlet = k;
	}
	if (actor >= 0)
		snprintf(name, sizeof name, "%.100s %lld", a->tunlet[tunlet].s->actor.at[actor].id.z, (long long)t->id);
	else
		snprintf(name, sizeof name, "process %u", t->pid);
	return name;
}

/* -- which actor -- */

static const char *process_override(const struct analyze_overrides *o, const char *actor, const char *otherwise)
{
	for (unsigned i = o->n; i > 0; i--)
		if (!o->at[i - 1].actor || strcmp(o->at[i - 1].actor, actor) == 0)
			return o->at[i - 1].value;
	return otherwise;
}

static bool is_any(const char *z)
{
	return !z || !*z || strcmp(z, "any") == 0 || strcmp(z, "none") == 0;
}

static bool exe_matches(const char *wanted, const char *exe)
{
	char real[PATH_MAX];
	const char *name = strrchr(exe, '/'), *last = strrchr(wanted, '/');
	if (is_any(wanted))
		return true;
	if (!last)
		return weft_glob(wanted, name ? name + 1 : exe);
	return weft_glob(realpath(wanted, real) ? real : wanted, exe);
}

static bool may_be(const struct analyze *a, const struct spec_actor *c, unsigned controller, const struct message_process *m)
{
	bool may;
	if (runtime_is_class(c->class.z))
		return false; /* it is no process */
	if (self_may_be(c, controller, m->exe, &may))
		return may;
	const char *name = c->id.z, *rank = process_override(&a->how.rank, name, c->rank.z),
		   *host = process_override(&a->how.host, name, c->host.z);
	return exe_matches(process_override(&a->how.exe, name, c->exe.z), m->exe) &&
	       (is_any(rank) || weft_spec_rank_in(rank, m->rank)) && (is_any(host) || weft_glob(host, m->host));
}

static const char *process_enters(const struct analyze *a, const struct spec_actor *c)
{
	const char *function = process_override(&a->how.enters, c->id.z, c->enters.z);
	return is_any(function) ? NULL : function;
}

static uint64_t candidates_of(const struct analyze *a, const struct analyze_tunlet *k, unsigned controller,
                              const struct message_process *m)
{
	uint64_t found = 0;
	for (size_t i = 0; i < k->s->actor.n && i < 64; i++)
		if (may_be(a, &k->s->actor.at[i], controller, m))
			found |= UINT64_C(1) << i;
	return found;
}

bool process_may_be_known(const struct analyze *a, unsigned controller, const struct message_process *m)
{
	for (unsigned k = 0; k < a->how.n_tunlets; k++)
		if (candidates_of(a, &a->tunlet[k], controller, m))
			return true;
	return false;
}

static bool process_same(const char *x, const char *y)
{
	return strcmp(x ? x : "", y ? y : "") == 0;
}

/* Whether only this event's actor, of all candidates, has such an event. */
static bool process_decides(const struct analyze *a, const struct analyze_tunlet *k, const struct analyze_binding *b,
                            uint32_t event)
{
	const struct spec_event *e = &k->s->event.at[event];
	if (process_enters(a, &k->s->actor.at[e->actor_id]))
		return false;
	for (size_t i = 0; i < k->s->event.n; i++) {
		const struct spec_event *o = &k->s->event.at[i];
		if (o->actor_id != e->actor_id && (b->candidates >> o->actor_id & 1) && process_same(o->method.z, e->method.z) &&
		    process_same(o->class.z, e->class.z) && o->at_exit == e->at_exit)
			return false;
	}
	return true;
}

/* -- wants -- */

void process_want(struct analyze *a, struct analyze_process *t, uint32_t tunlet, uint32_t event, bool on)
{
	struct message m = {.kind = on ? MESSAGE_WANT : MESSAGE_UNWANT};
	struct weft_buf classes = {0};
	if (!on) {
		m.unwant = (struct message_unwant){t->process, tunlet << 16 | event};
		analyze_send(a, t->controller, &m);
		return;
	}
	m.want.process = t->process;
	m.want.event = tunlet << 16 | event;
	ask_want(a->tunlet[tunlet].s, event, &m.want, &classes);
	analyze_send(a, t->controller, &m);
	a->wants++;
	weft_buf_fini(&classes);
}

static void want_enters(struct analyze *a, struct analyze_process *t, uint32_t tunlet, uint32_t actor, const char *function)
{
	struct message m = {.kind = MESSAGE_WANT};
	m.want = (struct message_want){.process = t->process,
	                               .event = tunlet << 16 | EVENT_ENTERS | actor,
	                               .function = function,
	                               .classes = ""};
	analyze_send(a, t->controller, &m);
}

static void want_all(struct analyze *a, struct analyze_process *t, uint32_t tunlet)
{
	const struct analyze_tunlet *k = &a->tunlet[tunlet];
	const struct analyze_binding *b = &t->binding[tunlet];
	for (uint32_t i = 0; i < k->s->event.n; i++) {
		uint32_t actor = k->s->event.at[i].actor_id;
		bool its = worker_is_actor(k, actor) ? b->candidates != 0 : b->candidates >> actor & 1;
		if (its && k->asked[i])
			process_want(a, t, tunlet, i, true);
	}
	for (uint32_t i = 0; b->actor == ACTOR_OPEN && i < k->s->actor.n && i < 64; i++) {
		const char *function = process_enters(a, &k->s->actor.at[i]);
		if ((b->candidates >> i & 1) && function)
			want_enters(a, t, tunlet, i, function);
	}
}

/* -- its beginning and end -- */

static void process_flush_tunlet(struct analyze *a, struct analyze_tunlet *k);

/*
 * The key of a pid among all hosts: the upper half of a process's number is its host's controller.
 */
static uint64_t pid_key(uint64_t process, uint32_t pid)
{
	return (process & ~(uint64_t)UINT32_MAX) | pid;
}

/* Collectors that are processes of a tunlet have ids of their own. */
static void take_id(struct analyze *a, struct analyze_process *t, const struct message_process *m)
{
	uint64_t at;
	bool own = t->controller == ANALYZE_SELF, taken = !own && weft_map_get(&a->id_at, (uint64_t)m->rank, &at);
	t->id = m->rank >= 0 && !taken ? m->rank : (int64_t)m->pid;
	if (!own && t->known && weft_map_put(&a->id_at, (uint64_t)t->id, t->number - 1))
		analyze_fail(a, -ENOMEM, NULL);
}

static void forget_alive(struct analyze *a, const struct analyze_process *t)
{
	uint64_t at, key = pid_key(t->process, t->pid);
	if (weft_map_get(&a->alive_at, key, &at) && at == t->number - 1)
		weft_map_del(&a->alive_at, key);
	if (weft_map_get(&a->id_at, (uint64_t)t->id, &at) && at == t->number - 1)
		weft_map_del(&a->id_at, (uint64_t)t->id);
}

static void tell_eval(struct analyze *a, struct analyze_process *t, uint32_t tunlet, bool begins)
{
	struct weft_err err = {0};
	process_flush_tunlet(a, &a->tunlet[tunlet]);
	if (!begins)
		worker_end_all(a, t, tunlet);
	int rc = weft_eval_process(a->tunlet[tunlet].e, (uint32_t)t->binding[tunlet].actor, t->id, t->host, begins, &err);
	if (rc)
		analyze_fail(a, rc, &err);
}

/*
 * Passes pending ends to the evaluation before a process of the same id begins, or the first
 * process of the next program.
 */
static void settle_before(struct analyze *a, const struct analyze_process *t, uint32_t tunlet)
{
	bool others = false, same = false;
	for (size_t i = 0; i < a->process.n && !others; i++)
		others = a->process.at[i] != t && a->process.at[i]->alive && a->process.at[i]->binding[tunlet].actor >= 0;
	for (size_t i = 0; i < a->endings.n; i++)
		same |= a->process.at[a->endings.at[i].process]->id == t->id;
	if (!others || same)
		process_settle(a, true);
}

static void begins_for(struct analyze *a, struct analyze_process *t, uint32_t tunlet)
{
	settle_before(a, t, tunlet);
	tell_eval(a, t, tunlet, true);
}

void process_settle(struct analyze *a, bool all)
{
	uint64_t now = a->endings.n && !all ? analyze_now(a) : 0;
	size_t kept = 0;
	for (size_t i = 0; i < a->endings.n; i++) {
		struct analyze_ending e = a->endings.at[i];
		if (all || e.until <= now)
			tell_eval(a, a->process.at[e.process], e.tunlet, false);
		else
			a->endings.at[kept++] = e;
	}
	a->endings.n = kept;
}

static void say_begins(struct analyze *a, const struct analyze_process *t, uint32_t tunlet)
{
	const char *name = strrchr(t->exe, '/');
	look_process(t->pid);
	show_line(a, false, "%s begins: %s, pid %u on %s", process_name(a, t, tunlet), name ? name + 1 : t->exe, t->pid, t->host);
}

static void process_decided(struct analyze *a, struct analyze_process *t, uint32_t tunlet, uint32_t actor)
{
	struct analyze_tunlet *k = &a->tunlet[tunlet];
	struct analyze_binding *b = &t->binding[tunlet];
	uint64_t others = b->candidates & ~(UINT64_C(1) << actor);
	b->actor = (int)actor;
	b->candidates = UINT64_C(1) << actor;
	begins_for(a, t, tunlet);
	fold_bind(a, t, tunlet);
	say_begins(a, t, tunlet);
	for (uint32_t i = 0; i < k->s->event.n; i++)
		if (others >> k->s->event.at[i].actor_id & 1)
			process_want(a, t, tunlet, i, false);
	for (uint32_t i = 0; i < k->s->actor.n && i < 64; i++)
		if (process_enters(a, &k->s->actor.at[i])) {
			struct message m = {.kind = MESSAGE_UNWANT};
			m.unwant = (struct message_unwant){t->process, tunlet << 16 | EVENT_ENTERS | i};
			analyze_send(a, t->controller, &m);
		}
	for (size_t i = 0; i < b->waiting.n; i++) {
		process_event(a, b->waiting.at[i]);
		free(b->waiting.at[i]);
	}
	b->waiting.n = 0;
}

static void process_bind(struct analyze *a, struct analyze_process *t, const struct message_process *m)
{
	for (uint32_t k = 0; k < a->how.n_tunlets; k++) {
		struct analyze_binding *b = &t->binding[k];
		b->candidates = candidates_of(a, &a->tunlet[k], t->controller, m);
		b->actor = b->candidates ? ACTOR_OPEN : ACTOR_NONE;
		t->known |= b->candidates != 0;
	}
	/* The id by which values of events name the process: see tuning.md. */
	take_id(a, t, m);
	for (uint32_t k = 0; k < a->how.n_tunlets; k++) {
		struct analyze_binding *b = &t->binding[k];
		bool one = b->candidates && (b->candidates & (b->candidates - 1)) == 0;
		uint32_t actor = one ? (uint32_t)__builtin_ctzll(b->candidates) : 0;
		if (one && !process_enters(a, &a->tunlet[k].s->actor.at[actor])) {
			b->actor = (int)actor;
			begins_for(a, t, k);
			fold_bind(a, t, k);
			say_begins(a, t, k);
		}
		want_all(a, t, k);
	}
}

/*
 * A process that executes another program becomes another process; the message of the first one's
 * end may come later.
 */
static void end_former(struct analyze *a, const struct message_process *m)
{
	uint64_t at;
	if (weft_map_get(&a->alive_at, pid_key(m->process, m->pid), &at))
		process_gone(a, &(struct message_gone){a->process.at[at]->process, m->time, ""});
}

void process_begins(struct analyze *a, unsigned controller, const struct message_process *m)
{
	struct analyze_process *t = calloc(1, sizeof *t);
	end_former(a, m);
	if (!t || weft_map_put(&a->process_at, m->process, a->process.n) ||
	    weft_map_put(&a->alive_at, pid_key(m->process, m->pid), a->process.n) || weft_vec_push(&a->process, t)) {
		free(t);
		analyze_fail(a, -ENOMEM, NULL);
		return;
	}
	if (controller != ANALYZE_SELF)
		sink_process(a, m);
	t->process = m->process;
	t->number = (uint32_t)a->process.n;
	t->controller = controller;
	t->pid = m->pid;
	t->rank = m->rank;
	t->began = m->time;
	t->alive = true;
	t->host = strdup(m->host);
	t->exe = strdup(m->exe);
	if (!t->host || !t->exe) {
		analyze_fail(a, -ENOMEM, NULL);
		return;
	}
	process_bind(a, t, m);
	struct message out = {.kind = t->known ? MESSAGE_READY : MESSAGE_DETACH};
	if (t->known)
		out.ready.process = t->process;
	else
		out.detach.process = t->process;
	analyze_send(a, controller, &out);
}

void process_gone(struct analyze *a, const struct message_gone *m)
{
	struct analyze_process *t = process_find(a, m->process);
	if (!t) {
		if (*m->why)
			show_line(a, true, "%s", m->why);
		return;
	}
	if (!t->alive)
		return;
	process_flush(a);
	t->alive = false;
	forget_alive(a, t);
	t->ended = m->time;
	for (uint32_t k = 0; k < a->how.n_tunlets; k++) {
		if (t->binding[k].actor < 0)
			continue;
		struct analyze_ending e = {t->number - 1, k, m->time + SETTLE_NS};
		if (weft_vec_push(&a->endings, e))
			analyze_fail(a, -ENOMEM, NULL);
		show_line(a, false, "%s %s", process_name(a, t, k), *m->why ? m->why : "ends");
	}
	decide_all(a);
}

void process_named(struct analyze *a, const struct message_named *m)
{
	struct analyze_process *t = process_find(a, m->process);
	uint64_t at;
	if (!t || !t->alive || weft_map_get(&a->id_at, (uint64_t)m->id, &at))
		return;
	for (uint32_t k = 0; k < a->how.n_tunlets; k++)
		if (t->binding[k].actor >= 0)
			tell_eval(a, t, k, false);
	weft_map_del(&a->id_at, (uint64_t)t->id);
	t->id = m->id;
	if (weft_map_put(&a->id_at, (uint64_t)t->id, t->number - 1))
		analyze_fail(a, -ENOMEM, NULL);
	for (uint32_t k = 0; k < a->how.n_tunlets; k++) {
		if (t->binding[k].actor < 0)
			continue;
		tell_eval(a, t, k, true);
		fold_bind(a, t, k);
	}
	show_line(a, false, "%s is pid %u", process_name(a, t, UINT32_MAX), t->pid);
}

void process_lost(struct analyze *a, const struct message_lost *m)
{
	struct analyze_process *t = process_find(a, m->process);
	if (!t)
		return;
	process_flush(a);
	t->lost += m->again ? 0 : m->count;
	if (!m->again)
		show_line(a, true, "%s: %llu events lost", process_name(a, t, UINT32_MAX), (unsigned long long)m->count);
	for (uint32_t k = 0; k < a->how.n_tunlets; k++) {
		struct weft_err err = {0};
		double until = (double)(int64_t)(m->time - a->began) / a->tunlet[k].per_unit;
		int rc = t->binding[k].actor < 0 ? 0 : weft_eval_lost(a->tunlet[k].e, t->id, m->count, until, &err);
		if (rc)
			analyze_fail(a, rc, &err);
	}
}

/* -- events -- */

static void drop_batch(struct analyze_tunlet *k)
{
	for (size_t i = 0; i < k->batch.n; i++)
		free((void *)k->batch.at[i].value);
	for (size_t i = 0; i < k->batch_text.n; i++)
		free(k->batch_text.at[i]);
	k->batch.n = k->batch_text.n = 0;
}

/* Evaluates a tunlet's batch. */
static void process_flush_tunlet(struct analyze *a, struct analyze_tunlet *k)
{
	struct weft_err err = {0};
	if (k->batch.n == 0)
		return;
	int rc = weft_eval_events(k->e, k->batch.at, k->batch.n, &err);
	if (rc)
		analyze_fail(a, rc, &err);
	drop_batch(k);
}

void process_flush(struct analyze *a)
{
	for (unsigned i = 0; i < a->how.n_tunlets; i++)
		process_flush_tunlet(a, &a->tunlet[i]);
}

static bool keep_text(struct analyze_tunlet *k, struct tune_value *v, const char *text)
{
	char *copy = strdup(text);
	if (!copy || weft_vec_push(&k->batch_text, copy)) {
		free(copy);
		return false;
	}
	v->s = copy;
	return true;
}

static bool keep_values(struct analyze_tunlet *k, const struct message *m, struct tune_value *value)
{
	for (uint32_t i = 0; i < m->event.n; i++) {
		const struct message_value *v = &m->event.value[i];
		bool real = v->kind == MESSAGE_REAL;
		value[i] = (struct tune_value){real ? v->d : (double)v->i, real ? (long long)v->d : v->i, ""};
		if (v->kind == MESSAGE_TEXT && !keep_text(k, &value[i], v->s))
			return false;
	}
	return true;
}

/*
 * Events are evaluated many at once: an exchange with the tunlet's process costs more than an
 * event.
 */
static void process_evaluate(struct analyze *a, struct analyze_process *t, int64_t id, const struct message *m)
{
	struct analyze_tunlet *k = &a->tunlet[m->event.event >> 16];
	struct tune_value *value = malloc((m->event.n + 1) * sizeof *value);
	struct weft_eval_record r = {.event = m->event.event & 0xffff,
	                             .n = m->event.n,
	                             .id = id,
	                             .time = ((double)(int64_t)(m->event.time - a->began)) / k->per_unit,
	                             .value = value,
	                             .folded = m->event.folded,
	                             .child = t->controller};
	if (!value || !keep_values(k, m, value) || weft_vec_push(&k->batch, r)) {
		free(value);
		analyze_fail(a, -ENOMEM, NULL);
		return;
	}
	if (k->batch.n >= BATCH_MOST)
		process_flush_tunlet(a, k);
}

void process_batch_free(struct analyze_tunlet *k)
{
	drop_batch(k);
	free(k->batch.at);
	free(k->batch_text.at);
}

/* What a worker says, of which the process is known. */
static void worker_event(struct analyze *a, struct analyze_process *t, const struct message *m)
{
	uint32_t tunlet = m->event.event >> 16, worker = m->event.tid;
	if (t->binding[tunlet].actor < 0 || !worker_begins(a, t, tunlet, worker))
		return;
	t->events++;
	a->events++;
	sink_event(a, t, m);
	process_evaluate(a, t, worker_id(t, worker), m);
}

void process_event(struct analyze *a, const struct message *m)
{
	uint32_t tunlet = m->event.event >> 16, event = m->event.event & 0xffff;
	struct analyze_process *t = process_find(a, m->event.process);
	if (!t || tunlet >= a->how.n_tunlets)
		return;
	const struct weft_spec *s = a->tunlet[tunlet].s;
	struct analyze_binding *b = &t->binding[tunlet];
	if (event & EVENT_ENTERS) {
		uint32_t actor = event & ~(uint32_t)EVENT_ENTERS;
		if (b->actor == ACTOR_OPEN && actor < s->actor.n)
			process_decided(a, t, tunlet, actor);
		return;
	}
	if (event >= s->event.n)
		return;
	uint32_t actor = s->event.at[event].actor_id;
	if (worker_is_actor(&a->tunlet[tunlet], actor)) {
		worker_event(a, t, m);
		return;
	}
	if (b->actor == ACTOR_OPEN && process_decides(a, &a->tunlet[tunlet], b, event))
		process_decided(a, t, tunlet, actor);
	if (b->actor == ACTOR_OPEN) {
		struct message *c = message_copy(m);
		if (!c || weft_vec_push(&b->waiting, c))
			free(c);
	} else if (b->actor == (int)actor) {
		uint32_t at = s->event.at[event].iteration_ref;
		if (at < m->event.n)
			collect_heard(&b->heard, m->event.value[at].i);
		t->events++;
		a->events++;
		sink_event(a, t, m);
		/* A folded event that only the trace needs ends here. */
		if (!m->event.folded || s->event.at[event].passes)
			process_evaluate(a, t, t->id, m);
	}
}

void process_inserted(struct analyze *a, const struct message_inserted *m)
{
	struct analyze_process *t = process_find(a, m->process);
	uint32_t tunlet = m->event >> 16, event = m->event & 0x7fff;
	a->insert_ns += m->took_ns;
	a->inserted += m->on && m->rc == 0;
	if (!t || tunlet >= a->how.n_tunlets || !m->on || (m->rc == 0 && !*m->text && !m->traps))
		return;
	const struct weft_spec *s = a->tunlet[tunlet].s;
	const char *what = m->event & EVENT_ENTERS        ? "the function that makes an actor"
	                   : event < (uint32_t)s->event.n ? s->event.at[event].id.z
	                                                  : "?";
	char *line = NULL;
	if (m->rc && asprintf(&line, "%s: '%s' cannot be measured: %s", process_name(a, t, tunlet), what, m->text) < 0)
		line = NULL;
	else if (!m->rc && asprintf(&line, "%s: '%s' is measured%s%s%s", process_name(a, t, tunlet), what,
	                            m->traps ? " by a trap, which is slow" : "", *m->text ? ": " : "", m->text) < 0)
		line = NULL;
	/* A process that may be one of several actors need not have the functions of the others. */
	bool quiet = m->rc && t->binding[tunlet].actor == ACTOR_OPEN;
	if (line && !quiet)
		show_line(a, m->rc != 0, "%s", line);
	if (line && !quiet && m->rc && a->refused.n < REFUSED_MOST && weft_vec_push(&a->refused, line) == 0)
		return;
	free(line);
}
