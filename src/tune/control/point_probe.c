/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measure points that are probes: entries and exits of functions, with what can be reached there.
 * Each want adds a word that names it to the events, then its values; so several wants of one
 * function share its events, and events that were made before a want was added or removed can still
 * be read:
 *
 *     | mark, want 3 | value | value | mark, want 7 | length of text | bytes … |
 */
#include "control_priv.h"
#include "probe/probe_value.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARK UINT64_C(0x57454654) /* in the upper half of the word */
enum { HELD_MOST = 65536 };

/* ---- names ---- */

/* "A,B" and "f" give "A::f", "B::f", "f": try k of them; false: no more. */
static bool try_name(const char *classes, const char *name, unsigned k, char *out, size_t room)
{
	struct weft_str rest = weft_str(*classes ? classes : NULL), part;
	unsigned i = 0;
	while (weft_str_cut(&rest, ',', &part)) {
		part = weft_str_trim(part);
		if (part.n && i++ == k) {
			snprintf(out, room, "%.*s::%s", (int)part.n, part.at, name);
			return true;
		}
	}
	snprintf(out, room, "%s", name);
	return i == k;
}

/* The name under which a function (or variable) is there; `name` itself when none is. */
static void find_name(struct control_process *t, const char *classes, const char *name, bool data, char *out, size_t room)
{
	struct probe_found found[PROBE_CLONES];
	for (unsigned k = 0; try_name(classes, name, k, out, room); k++) {
		struct weft_err err = {0};
		if (probe_find(t->s, out, data, found, &err) > 0)
			return;
	}
	snprintf(out, room, "%s", name);
}

/* ---- fields ---- */

struct program {
	struct link_op op[LINK_PROGRAM_OPS];
	unsigned n;
};

static int add_ops(struct program *p, const struct link_op *op, unsigned n, struct weft_err *err)
{
	if (p->n + n > LINK_PROGRAM_OPS)
		return weft_err_set(err, -E2BIG, "too many attributes for one event");
	memcpy(p->op + p->n, op, n * sizeof *op);
	p->n += n;
	return 0;
}

static enum link_when when_of(const struct point_want *w)
{
	return w->at_exit ? LINK_EXIT : LINK_ENTRY;
}

static const char *point_declared(const struct message_field *f)
{
	struct probe_type type;
	return *f->type && probe_type_named(f->type, &type) ? f->type : NULL;
}

static int point_variable(struct control_process *t, const struct point_want *w, const struct message_field *f,
                          const char *function, struct probe_value *out, struct weft_err *err)
{
	char name[CONTROL_NAME_MAX], member[CONTROL_NAME_MAX];
	struct weft_err first = {0}, none = {0};
	int rc = 0;
	/* By the name as it is written: "a.b" and "p->c" are names of their own. */
	rc = probe_variable(t->s, f->name, point_declared(f), out, &first);
	for (unsigned k = 0; rc && try_name(w->classes, f->name, k, name, sizeof name); k++) {
		none = (struct weft_err){0};
		rc = strcmp(name, f->name) == 0 ? -ENOENT : probe_variable(t->s, name, point_declared(f), out, &none);
	}
	if (rc) {
		none = (struct weft_err){0};
		snprintf(member, sizeof member, "this->%s", f->name);
		rc = probe_parameter(t->s, &(struct probe_expression){function, member, point_declared(f), when_of(w)}, out,
		                     &none);
	}
	if (rc && err)
		*err = first;
	return rc;
}

static int point_parameter(struct control_process *t, const struct point_want *w, const struct message_field *f,
                           const char *function, struct probe_value *out, struct weft_err *err)
{
	char name[CONTROL_NAME_MAX];
	bool number = f->name[0] && strspn(f->name, "0123456789") == strlen(f->name);
	bool has = strchr(f->name, '*') || strstr(f->name, "->") || strchr(f->name, '[');
	snprintf(name, sizeof name, "%s%s%s", f->source == MESSAGE_POINTED && !has ? "*" : "", number ? "$" : "", f->name);
	return probe_parameter(t->s, &(struct probe_expression){function, name, point_declared(f), when_of(w)}, out, err);
}

static int point_result(struct control_process *t, const struct point_want *w, const struct message_field *f,
                        const char *function, struct probe_value *out, struct weft_err *err)
{
	if (!w->at_exit)
		return weft_err_set(err, -EINVAL, "'%s' is known at the exit only: it is what '%s' returns", f->name, function);
	/* "*p" and "p->b" lead further from it; all other names are only names. */
	bool leads = *f->name == '*' || strstr(f->name, "->") || strchr(f->name, '[');
	struct probe_expression e = {function, leads ? f->name : "return", point_declared(f), LINK_EXIT};
	return probe_result(t->s, &e, out, err);
}

static void point_constant(struct point_want *w, uint32_t i)
{
	struct message_value *v = &w->constant[i];
	const char *text = w->field[i].name;
	if (weft_parse_i64(weft_str(text), &v->i) == 0)
		v->kind = MESSAGE_INT;
	else if (weft_parse_double(weft_str(text), &v->d) == 0)
		v->kind = MESSAGE_REAL;
	else
		*v = (struct message_value){.kind = MESSAGE_TEXT, .s = text};
}

static int add_field(struct control_process *t, struct point_want *w, uint32_t i, const char *function, struct program *p)
{
	struct probe_value v;
	const struct message_field *f = &w->field[i];
	int rc = 0;
	if (f->source == MESSAGE_CONSTANT) {
		point_constant(w, i);
		return 0;
	}
	if (f->source == MESSAGE_VARIABLE)
		rc = point_variable(t, w, f, function, &v, &w->err);
	else if (f->source == MESSAGE_RESULT)
		rc = point_result(t, w, f, function, &v, &w->err);
	else
		rc = point_parameter(t, w, f, function, &v, &w->err);
	if (rc)
		return rc;
	w->type[i] = v.type.kind == PROBE_TYPE_FLOAT    ? MESSAGE_REAL
	             : v.type.kind == PROBE_TYPE_STRING ? MESSAGE_TEXT
	                                                : MESSAGE_INT;
	w->bytes[i] = v.type.size;
	return add_ops(p, v.op, v.n, &w->err);
}

static int point_prepare(struct control_process *t, struct point_want *w, char *function, size_t room, struct program *p)
{
	struct link_op mark = {.op = LINK_OP_IMM, .put = 1, .a = MARK << 32 | w->number};
	find_name(t, w->classes, w->function, false, function, room);
	struct probe_found found[PROBE_CLONES];
	int rc = probe_find(t->s, function, false, found, &w->err);
	rc = rc < 0 ? rc : add_ops(p, &mark, 1, &w->err);
	for (uint32_t i = 0; rc == 0 && i < w->n; i++)
		rc = add_field(t, w, i, function, p);
	w->request = (struct probe_request){.function = function, .kinds = w->at_exit ? PROBE_EXIT : PROBE_ENTRY};
	w->request.program[w->at_exit ? LINK_EXIT : LINK_ENTRY] = (struct probe_program){p->op, p->n};
	return rc;
}

static void point_insert(struct control_process *t, struct point_want **w, unsigned n)
{
	struct probe_request *r = calloc(n, sizeof *r);
	struct program *p = calloc(n, sizeof *p);
	char(*name)[CONTROL_NAME_MAX] = calloc(n, sizeof *name);
	unsigned good = 0;
	for (unsigned i = 0; i < n; i++) {
		w[i]->rc = r && p && name ? point_prepare(t, w[i], name[i], sizeof name[i], &p[i])
		                          : weft_err_set(&w[i]->err, -ENOMEM, "out of memory");
		if (w[i]->rc == 0)
			r[good++] = w[i]->request;
	}
	uint64_t changed = probe_changing_ns(t->s);
	int first = good ? probe_insert(t->s, r, good) : 0;
	t->cost.insert_ns += probe_changing_ns(t->s) - changed;
	(void)first; /* each says it for itself */
	for (unsigned i = 0, k = 0; i < n; i++) {
		if (w[i]->rc)
			continue;
		w[i]->request = r[k++];
		w[i]->request.function = w[i]->function;
		w[i]->rc = w[i]->request.rc;
		w[i]->err = w[i]->request.err;
		w[i]->traps = w[i]->request.traps;
	}
	free(name);
	free(p);
	free(r);
}

static void take_out(struct control_process *t, struct point_want *w)
{
	w->err = (struct weft_err){0};
	w->rc = probe_remove(t->s, &w->request, 1);
	if (w->rc)
		weft_err_sys(&w->err, -w->rc, "cannot take the probe of '%s' out", w->function);
}

/* ---- events ---- */

struct cursor {
	const struct probe_event *e;
	uint32_t at;
	char text[LINK_TEXT_BYTES * 8];
	size_t text_n;
};

static uint64_t next_word(struct cursor *c)
{
	return c->at < c->e->n ? c->e->value[c->at++] : 0;
}

static void read_text(struct cursor *c, struct message_value *v)
{
	uint64_t n = next_word(c), words = (n + 7) / 8;
	v->s = "";
	if (words > c->e->n - c->at || c->text_n + n + 1 > sizeof c->text) {
		c->at = c->e->n;
		return;
	}
	char *to = c->text + c->text_n;
	memcpy(to, &c->e->value[c->at], n);
	to[n] = '\0';
	weft_one_line(to);
	v->s = to;
	c->text_n += n + 1;
	c->at += (uint32_t)words;
}

static void read_value(struct cursor *c, const struct point_want *w, uint32_t i, struct message_value *v)
{
	if (w->field[i].source == MESSAGE_CONSTANT) {
		*v = w->constant[i];
		return;
	}
	*v = (struct message_value){.kind = w->type[i], .s = ""};
	if (w->type[i] == MESSAGE_TEXT) {
		read_text(c, v);
		return;
	}
	uint64_t word = next_word(c);
	float narrow;
	v->i = (int64_t)word;
	if (w->type[i] == MESSAGE_REAL && w->bytes[i] == 4) {
		memcpy(&narrow, &word, sizeof narrow);
		v->d = (double)narrow;
	} else if (w->type[i] == MESSAGE_REAL) {
		memcpy(&v->d, &word, sizeof v->d);
	}
}

/* One hit may be events of several wants. */
static void read_event(struct control_process *t, const struct probe_event *e, struct message *m)
{
	struct cursor c = {.e = e};
	uint64_t time = control_time(t->c, &t->at, e->ticks);
	while (c.at < e->n) {
		uint64_t mark = next_word(&c);
		if (mark >> 32 != MARK || (uint32_t)mark >= t->want.n)
			return; /* the process sends events that were not asked for */
		const struct point_want *w = t->want.at[(uint32_t)mark];
		for (uint32_t i = 0; i < w->n; i++)
			read_value(&c, w, i, &m->event.value[i]);
		m->event.n = w->n;
		m->event.time = time;
		m->event.tid = e->tid;
		m->event.incomplete = e->incomplete;
		if (w->on)
			control_event(t, w, m);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct control_held *x = a, *y = b;
	return (x->ticks > y->ticks) - (x->ticks < y->ticks);
}

/*
 * Threads have rings of their own: what is older than this look is complete, the rest waits for the
 * next.
 */
static void point_drain(struct control_process *t, bool last)
{
	uint64_t until = last ? UINT64_MAX : link_ticks();
	size_t k = 0;
	struct probe_event *e = NULL;
	while (t->held.n < HELD_MOST && (e || (e = malloc(sizeof *e))) && probe_next(t->s, e)) {
		struct probe_event *kept = malloc(offsetof(struct probe_event, value) + e->n * sizeof e->value[0]);
		if (!kept)
			break;
		memcpy(kept, e, offsetof(struct probe_event, value) + e->n * sizeof e->value[0]);
		if (weft_vec_push(&t->held, (struct control_held){e->ticks, kept})) {
			free(kept);
			break;
		}
	}
	free(e);
	control_lost(t);
	struct message *m = t->held.n ? calloc(1, sizeof *m) : NULL;
	if (!m)
		return;
	if (t->at.ticks < until || last)
		control_look(t->c, &t->at);
	qsort(t->held.at, t->held.n, sizeof *t->held.at, by_time);
	for (; k < t->held.n && t->held.at[k].ticks <= until; k++) {
		read_event(t, t->held.at[k].event, m);
		free(t->held.at[k].event);
	}
	memmove(t->held.at, t->held.at + k, (t->held.n - k) * sizeof *t->held.at);
	t->held.n -= k;
	free(m);
}

/* ---- actions ---- */

/* In the order of enum spec_kind, which messages use. */
static const enum probe_action_kind action_kind[] = {
	PROBE_SET_VARIABLE,  PROBE_REPLACE_FUNCTION, PROBE_INSERT_CALL,  PROBE_REMOVE_CALL,
	PROBE_ONE_TIME_CALL, PROBE_CHANGE_PARAMETER, PROBE_LOAD_LIBRARY,
};
enum { ACTION_KINDS = sizeof action_kind / sizeof action_kind[0] };

static void free_action(struct control_action *a)
{
	probe_action_free(&a->action);
	free(a->subject);
	free(a->object);
	free(a->declared);
	free(a->sync);
	free(a);
}

static char *found_name(struct control_process *t, const struct message_act *m, const char *name, bool data)
{
	char found[CONTROL_NAME_MAX];
	if (!*name)
		return NULL;
	find_name(t, m->classes, name, data, found, sizeof found);
	return strdup(found);
}

static void set_names(struct control_process *t, const struct message_act *m, struct control_action *a)
{
	enum probe_action_kind kind = a->action.kind;
	bool plain = kind == PROBE_LOAD_LIBRARY;
	/* "a.b" and "p->c" are no symbols: as they are. */
	a->subject = plain ? strdup(m->subject) : found_name(t, m, m->subject, kind == PROBE_SET_VARIABLE);
	a->object = kind == PROBE_CHANGE_PARAMETER ? strdup(m->object) : found_name(t, m, m->object, false);
	a->sync = found_name(t, m, m->sync, false);
	a->declared = *m->declared ? strdup(m->declared) : NULL;
	a->action.subject = a->subject;
	a->action.object = a->object;
	a->action.sync = a->sync;
	a->action.declared = a->declared;
}

static struct control_action *new_action(struct control_process *t, const struct message_act *m)
{
	struct control_action *a = calloc(1, sizeof *a);
	if (!a)
		return NULL;
	a->number = m->action;
	a->action.kind = action_kind[m->kind];
	a->action.when = m->at_exit ? LINK_EXIT : LINK_ENTRY;
	a->action.sync_when = m->sync_at_exit ? LINK_EXIT : LINK_ENTRY;
	a->action.wants_old = m->wants_old;
	a->action.timeout_ms = (int)m->timeout_ms;
	for (uint32_t i = 0; i < m->n && i < 6; i++) {
		const struct message_value *v = &m->argument[i];
		a->action.argument[i] = (struct probe_argument){v->kind == MESSAGE_REAL, v->i, v->d};
		a->action.n_arguments = i + 1;
	}
	set_names(t, m, a);
	return a;
}

/* The old value, from its bits. */
static struct message_value old_value(const struct probe_action *a)
{
	struct message_value v = {.kind = MESSAGE_INT, .s = ""};
	unsigned bits = a->size < 8 ? 64 - 8 * a->size : 0;
	if (!a->has_old)
		return (struct message_value){.kind = MESSAGE_ABSENT, .s = ""};
	v.i = a->old_sign ? (int64_t)(a->old << bits) >> bits : (int64_t)(a->old << bits >> bits);
	if (!a->old_real)
		return v;
	float narrow;
	v.kind = MESSAGE_REAL;
	memcpy(&narrow, &a->old, sizeof narrow);
	memcpy(&v.d, &a->old, sizeof v.d);
	v.d = a->size == 4 ? (double)narrow : v.d;
	return v;
}

static int point_act(struct control_process *t, const struct message_act *m, struct message_acted *out, struct weft_err *err)
{
	if (m->kind >= ACTION_KINDS)
		return weft_err_set(err, -EINVAL, "there is no such action");
	bool sets = action_kind[m->kind] == PROBE_SET_VARIABLE || action_kind[m->kind] == PROBE_CHANGE_PARAMETER;
	if (sets && m->n == 0)
		return weft_err_set(err, -EINVAL, "no number is given for '%s'", m->subject);
	struct control_action *a = new_action(t, m);
	if (!a || weft_vec_push(&t->action, a)) {
		if (a)
			free_action(a);
		return weft_err_set(err, -ENOMEM, "out of memory");
	}
	int rc = probe_act(t->s, &a->action, err);
	if (rc) {
		t->action.n--;
		free_action(a);
		return rc;
	}
	out->tid = a->action.tid;
	control_look(t->c, &t->at);
	out->time = control_time(t->c, &t->at, a->action.ticks);
	out->value = (struct message_value){.kind = MESSAGE_INT, .i = (int64_t)a->action.value, .s = ""};
	out->old = old_value(&a->action);
	return 0;
}

/* ---- whether they could be done ---- */

/* A probe that goes in and out again, before anything runs. */
static int check_place(struct control_process *t, const char *function, bool at_exit, struct weft_err *err)
{
	struct probe_request r = {.function = function, .kinds = at_exit ? PROBE_EXIT : PROBE_ENTRY};
	int rc = probe_insert(t->s, &r, 1);
	if (rc == 0)
		return probe_remove(t->s, &r, 1);
	if (err)
		*err = r.err;
	return rc;
}

static int check_function(struct control_process *t, const char *function, struct weft_err *err)
{
	struct probe_found found[PROBE_CLONES];
	int n = function ? probe_find(t->s, function, false, found, err) : 0;
	return n < 0 ? n : n > 1 ? weft_err_set(err, -E2BIG, "there are %d functions '%s'", n, function) : 0;
}

static int check_kind(struct control_process *t, const struct probe_action *a, struct weft_err *err)
{
	struct probe_value v;
	switch (a->kind) {
	case PROBE_SET_VARIABLE:
		return probe_can_set(t->s, a->subject, a->declared, &v, err);
	case PROBE_CHANGE_PARAMETER:
		return probe_can_change(t->s, a, &v, err);
	case PROBE_LOAD_LIBRARY:
		return 0; /* the dynamic linker knows where libraries are, in that process, then */
	case PROBE_ONE_TIME_CALL:
		return check_function(t, a->subject, err);
	default: {
		int rc = check_function(t, a->object, err);
		return rc ? rc : check_place(t, a->subject, a->kind == PROBE_INSERT_CALL && a->when == LINK_EXIT, err);
	}
	}
}

static int point_check(struct control_process *t, const struct message_act *m, struct weft_err *err)
{
	if (m->kind >= ACTION_KINDS)
		return weft_err_set(err, -EINVAL, "there is no such action");
	struct control_action *a = new_action(t, m);
	if (!a)
		return weft_err_set(err, -ENOMEM, "out of memory");
	int rc = check_kind(t, &a->action, err);
	if (rc == 0 && a->sync)
		rc = check_place(t, a->sync, m->sync_at_exit, err);
	free_action(a);
	return rc;
}

static int point_undo(struct control_process *t, uint32_t action, struct message_acted *out, struct weft_err *err)
{
	(void)out;
	for (size_t i = t->action.n; i > 0; i--) {
		if (t->action.at[i - 1]->number != action)
			continue;
		int rc = probe_undo(t->s, &t->action.at[i - 1]->action, err);
		free_action(t->action.at[i - 1]);
		t->action.at[i - 1] = t->action.at[--t->action.n];
		return rc;
	}
	return -ENOSYS;
}

static void point_fini(struct control_process *t)
{
	for (size_t i = 0; i < t->held.n; i++)
		free(t->held.at[i].event);
	for (size_t i = 0; i < t->action.n; i++)
		free_action(t->action.at[i]);
	free(t->held.at);
	free(t->action.at);
}

const struct point_kind point_probe = {
	.insert = point_insert,
	.remove = take_out,
	.drain = point_drain,
	.act = point_act,
	.check = point_check,
	.undo = point_undo,
	.fini = point_fini,
};
