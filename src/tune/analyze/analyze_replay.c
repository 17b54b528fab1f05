/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tunlet on a recorded trace: what would it have decided, and when. The same processes,
 * evaluation and arbiter as in a run; time is the trace's, and nothing is acted upon. An event of a
 * specification is, in a trace,
 *
 *     the begin or end of a region that is called as its method ("f", "Class::f"): weft record --probe, or the program's own regions
 *     a point that is called "tunlet.event": weft tune -o
 *
 * and its attributes are points at the same instant ("f.attribute", "tunlet.event.attribute";
 * "f.return" for what it returned), or attributes of the region. At the begin of a region they
 * follow it, so that an event waits until its thread says something else.
 */
#include "trace/open.h"
#include "analyze_priv.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW_NS = 5000000, HEARD_MOST = 512 /* on a thread, the newest */ };
#define PROCESS_BASE (UINT64_C(1) << 32)

/*
 * The state of a thread: attributes that were read, and the event that waits for its remaining
 * ones.
 */
struct heard {
	uint32_t what;
	unsigned kind;
	uint64_t time, value;
};

struct lane {
	WEFT_VEC(struct heard) heard;
	uint32_t event; /* of a begin that waits: index in replay.event + 1 */
	uint64_t time;
};

struct replay_event { /* one event of a tunlet, and where it is in the trace */
	uint32_t number;
	WEFT_VEC(uint32_t) what; /* kinds and ids that are it */
	WEFT_VEC(uint32_t) field[MESSAGE_VALUES];
	uint32_t n_fields;
};

struct replay {
	struct analyze *a;
	struct weft_trace *t;
	WEFT_VEC(struct replay_event) event;
	struct lane *lane;
	struct message *m;
	uint64_t sent;
};

/* -- names -- */

static bool is_method(const struct spec_event *e, const char *name)
{
	char with_class[400];
	snprintf(with_class, sizeof with_class, "%s::%s", e->class.z ? e->class.z : "", e->method.z);
	return strcmp(name, e->method.z) == 0 || strcmp(name, with_class) == 0;
}

static int replay_add(void *list_of, uint32_t what)
{
	WEFT_VEC(uint32_t) *list = list_of;
	return weft_vec_push(list, what);
}

/* An event that the program itself records may also be a type of point. */
static bool is_own(const struct spec_event *e)
{
	return e->class.z && strcmp(e->class.z, "libweft") == 0;
}

/* `name` is "PREFIX.field", where the prefix is one of the event. */
static bool is_field(const struct weft_spec *s, const struct spec_event *e, uint32_t field, const char *name)
{
	const struct spec_ref *r = &e->ref.at[field];
	const char *dot = strrchr(name, '.'), *called = r->id.z;
	char prefix[400], whole[400];
	if (is_own(e) && strcmp(name, e->method.z) == 0 && (strcmp(called, "value") == 0 || strcmp(called, name) == 0))
		return true;
	if (!dot)
		return is_own(e) && strcmp(called, name) == 0;
	snprintf(prefix, sizeof prefix, "%.*s", (int)(dot - name), name);
	snprintf(whole, sizeof whole, "%s.%s", weft_spec_name(s), e->id.z);
	if (r->variable != SPEC_NONE && s->variable.at[r->variable].src == SOURCE_RETURN && is_method(e, prefix))
		called = "return";
	return strcmp(dot + 1, called) == 0 && (strcmp(prefix, whole) == 0 || is_method(e, prefix));
}

static int find_points(struct replay *r, const struct weft_spec *s, const struct spec_event *e, struct replay_event *out)
{
	const struct weft_def_table *types = &r->t->def[WEFT_CLASS_TYPE], *attrs = &r->t->def[WEFT_CLASS_ATTR];
	char whole[400];
	int rc = 0;
	snprintf(whole, sizeof whole, "%s.%s", weft_spec_name(s), e->id.z);
	for (uint32_t id = 1; id < types->n && rc == 0; id++) {
		if (strcmp(types->at[id].name, whole) == 0 || (is_own(e) && strcmp(types->at[id].name, e->method.z) == 0))
			rc = replay_add(&out->what, weft_what(WEFT_EV_POINT, id));
		for (uint32_t f = 0; f < out->n_fields && rc == 0; f++)
			if (is_field(s, e, f, types->at[id].name))
				rc = replay_add(&out->field[f], weft_what(WEFT_EV_POINT, id));
	}
	for (uint32_t id = 1; id < attrs->n && rc == 0; id++)
		for (uint32_t f = 0; f < out->n_fields && rc == 0; f++)
			if (strcmp(attrs->at[id].name, e->ref.at[f].id.z) == 0)
				rc = replay_add(&out->field[f], weft_what(WEFT_EV_ATTR, id));
	return rc;
}

static bool find_said(struct replay *r, const struct weft_spec *s, const struct spec_event *e, struct replay_event *out)
{
	const struct weft_def_table *types = &r->t->def[WEFT_CLASS_TYPE];
	char whole[400];
	snprintf(whole, sizeof whole, "%s.%s", weft_spec_name(s), e->id.z);
	for (uint32_t id = 1; id < types->n; id++) {
		if (strcmp(types->at[id].name, whole) != 0)
			continue;
		out->what.at[0] = weft_what(WEFT_EV_POINT, id);
		out->what.n = 1;
		return true;
	}
	return false;
}

static int find_event(struct replay *r, uint32_t tunlet, uint32_t event)
{
	const struct weft_spec *s = r->a->tunlet[tunlet].s;
	const struct spec_event *e = &s->event.at[event];
	const struct weft_def_table *regions = &r->t->def[WEFT_CLASS_REGION];
	struct replay_event x = {.number = tunlet << 16 | event, .n_fields = (uint32_t)e->ref.n};
	x.n_fields = x.n_fields < MESSAGE_VALUES ? x.n_fields : MESSAGE_VALUES;
	int rc = find_points(r, s, e, &x);
	/* Where weft tune has said it, it is not taken from the program once more. */
	bool found = rc == 0 && find_said(r, s, e, &x);
	for (uint32_t id = 1; id < regions->n && rc == 0 && !found; id++)
		if (is_method(e, regions->at[id].name))
			rc = replay_add(&x.what, weft_what(e->at_exit ? WEFT_EV_LEAVE : WEFT_EV_ENTER, id));
	if (x.what.n == 0)
		show_line(r->a, true, "%s: nothing in this trace is event '%s'", weft_spec_name(s), e->id.z);
	return rc ? rc : weft_vec_push(&r->event, x);
}

/* -- events -- */

/* Points and attributes of integers, reals and strings are of one name. */
static uint32_t replay_plain(unsigned kind, uint32_t id)
{
	if (kind == WEFT_EV_POINT_F || kind == WEFT_EV_POINT_S)
		kind = WEFT_EV_POINT;
	else if (kind == WEFT_EV_ATTR_F || kind == WEFT_EV_ATTR_S)
		kind = WEFT_EV_ATTR;
	return weft_what(kind, id);
}

static bool replay_has(const uint32_t *at, size_t n, uint32_t what)
{
	for (size_t i = 0; i < n; i++)
		if (at[i] == what)
			return true;
	return false;
}

static struct message_value value_of(const struct replay *r, const struct heard *h)
{
	struct message_value v = {.kind = MESSAGE_INT, .i = (int64_t)h->value, .s = ""};
	if (h->kind == WEFT_EV_POINT_F || h->kind == WEFT_EV_ATTR_F) {
		v.kind = MESSAGE_REAL;
		memcpy(&v.d, &h->value, sizeof v.d);
	} else if (h->kind == WEFT_EV_POINT_S || h->kind == WEFT_EV_ATTR_S) {
		v.kind = MESSAGE_TEXT;
		v.s = h->value < r->t->def[WEFT_CLASS_STRING].n ? r->t->def[WEFT_CLASS_STRING].at[h->value].name : "";
	}
	return v;
}

/*
 * The newest that was said on the thread. Points count at their instant only, but at the end of a
 * region: what was said at its begin is its.
 */
static bool find_value(const struct replay *r, const struct lane *l, const struct replay_event *x, uint32_t f, uint64_t time,
                       struct message_value *out)
{
	bool leaves = x->what.n && weft_what_kind(x->what.at[0]) == WEFT_EV_LEAVE;
	for (size_t i = l->heard.n; i > 0; i--) {
		const struct heard *h = &l->heard.at[i - 1];
		bool now = leaves || weft_what_kind(h->what) == WEFT_EV_ATTR || h->time == time;
		if (now && replay_has(x->field[f].at, x->field[f].n, h->what)) {
			*out = value_of(r, h);
			return true;
		}
	}
	*out = (struct message_value){.kind = MESSAGE_INT, .s = ""};
	return false;
}

static void pass_on(struct replay *r, bool all)
{
	struct message *m;
	unsigned controller;
	while (order_next(r->a, all, &m, &controller)) {
		process_event(r->a, m);
		process_flush(r->a);
		decide_all(r->a);
		free(m);
	}
}

static int replay_fire(struct replay *r, uint32_t thread, const struct replay_event *x, uint64_t time)
{
	struct lane *l = &r->lane[thread];
	struct message *m = r->m;
	const struct analyze_tunlet *k = &r->a->tunlet[x->number >> 16];
	struct analyze_process *t = process_find(r->a, PROCESS_BASE | (r->t->thread[thread].process + 1));
	uint32_t actor = k->s->event.at[x->number & 0xffff].actor_id;
	if (!t || !k->asked[x->number & 0xffff] || !(t->binding[k->index].candidates >> actor & 1))
		return 0;
	m->kind = MESSAGE_EVENT;
	m->event.process = t->process;
	m->event.time = r->a->began + time;
	m->event.event = x->number;
	m->event.tid = (uint32_t)r->t->thread[thread].tid;
	m->event.n = x->n_fields;
	m->event.incomplete = false;
	for (uint32_t f = 0; f < x->n_fields; f++)
		m->event.incomplete |= !find_value(r, l, x, f, time, &m->event.value[f]);
	r->sent++;
	return order_put(r->a, 0, m);
}

/*
 * A begin that waited is complete when its thread says something that is no attribute of it, nor an
 * arrow that ends there.
 */
static int fire_waiting(struct replay *r, uint32_t thread)
{
	struct lane *l = &r->lane[thread];
	int rc = 0;
	for (size_t i = 0; l->event && i < r->event.n && rc == 0; i++)
		if (replay_has(r->event.at[i].what.at, r->event.at[i].what.n, l->event))
			rc = replay_fire(r, thread, &r->event.at[i], l->time);
	l->event = 0;
	return rc;
}

/*
 * A point REGION.NAME right behind the begin of REGION: a probe's attribute, which at the end of a
 * page is written some ns later.
 */
static bool is_attribute(const struct replay *r, const struct lane *l, uint32_t type)
{
	if (weft_what_kind(l->event) != WEFT_EV_ENTER)
		return false;
	const char *region = r->t->def[WEFT_CLASS_REGION].at[weft_what_id(l->event)].name;
	const char *name = r->t->def[WEFT_CLASS_TYPE].at[type].name;
	size_t n = strlen(region);
	return strncmp(name, region, n) == 0 && name[n] == '.';
}

static int replay_hear(struct replay *r, const struct weft_event *e)
{
	struct lane *l = &r->lane[e->thread];
	uint32_t what = replay_plain(e->kind, e->id);
	bool point = weft_what_kind(what) == WEFT_EV_POINT, attr = weft_what_kind(what) == WEFT_EV_ATTR;
	int rc = 0;
	r->a->virtual_now = r->a->began + e->time;
	bool attribute = point && l->event && (e->time == l->time || is_attribute(r, l, e->id));
	bool of_begin = attr || attribute || e->kind == WEFT_EV_FLOW_IN || e->kind == WEFT_EV_CPU;
	if (l->event && !of_begin)
		rc = fire_waiting(r, e->thread);
	if (l->heard.n == HEARD_MOST) {
		memmove(l->heard.at, l->heard.at + HEARD_MOST / 2, HEARD_MOST / 2 * sizeof *l->heard.at);
		l->heard.n = HEARD_MOST / 2;
	}
	if (rc == 0 && (point || attr))
		rc = weft_vec_push(&l->heard, (struct heard){what, e->kind, attribute ? l->time : e->time, e->value});
	if (rc == 0 && e->kind == WEFT_EV_ENTER) {
		l->event = what;
		l->time = e->time;
	}
	for (size_t i = 0; e->kind != WEFT_EV_ENTER && i < r->event.n && rc == 0; i++)
		if (replay_has(r->event.at[i].what.at, r->event.at[i].what.n, what))
			rc = replay_fire(r, e->thread, &r->event.at[i], e->time);
	pass_on(r, false);
	return rc;
}

/* -- the whole -- */

static void begin_processes(struct replay *r)
{
	for (uint32_t p = 0; p < r->t->n_processes; p++) {
		const struct weft_process *x = &r->t->process[p];
		struct message_process m = {.process = PROCESS_BASE | (p + 1),
		                            .time = r->a->began + x->begin,
		                            .pid = (uint32_t)x->pid,
		                            .rank = x->rank,
		                            .size = -1,
		                            .host = x->host,
		                            .exe = x->name};
		process_begins(r->a, 0, &m);
	}
}

static void end_processes(struct replay *r)
{
	for (uint32_t p = 0; p < r->t->n_processes; p++)
		process_gone(r->a, &(struct message_gone){PROCESS_BASE | (p + 1), r->a->virtual_now, ""});
	process_settle(r->a, true);
	decide_all(r->a);
}

static int replay_walk(struct replay *r, struct weft_err *err)
{
	struct weft_merge *merge;
	struct weft_event e;
	int rc = weft_merge_new(&merge, r->t, NULL, 0, WEFT_NEVER);
	if (rc)
		return weft_err_set(err, rc, "cannot read '%s': %s", r->t->path, weft_err_name(rc));
	while ((rc = weft_merge_next(merge, &e)) > 0)
		if ((rc = replay_hear(r, &e)) < 0)
			break;
	for (uint32_t k = 0; k < r->t->n_threads && rc == 0; k++)
		rc = fire_waiting(r, k);
	weft_merge_free(merge);
	pass_on(r, true);
	return rc ? weft_err_set(err, rc, "cannot read '%s': %s", r->t->path, weft_err_name(rc)) : 0;
}

static void replay_fini(struct replay *r)
{
	for (size_t i = 0; i < r->event.n; i++) {
		free(r->event.at[i].what.at);
		for (uint32_t f = 0; f < MESSAGE_VALUES; f++)
			free(r->event.at[i].field[f].at);
	}
	for (uint32_t k = 0; r->lane && k < r->t->n_threads; k++)
		free(r->lane[k].heard.at);
	free(r->event.at);
	free(r->lane);
	free(r->m);
	weft_trace_close(r->t);
}

int analyze_replay_trace(struct analyze *a, const char *path, struct weft_err *err)
{
	struct replay r = {.a = a};
	int rc = weft_trace_open(&r.t, path, NULL, err);
	if (rc)
		return rc;
	a->how.dry_run = true;
	a->how.window_ns = WINDOW_NS;
	/* Time 0 of the trace. */
	a->virtual_now = a->began;
	r.m = calloc(1, sizeof *r.m);
	r.lane = calloc(r.t->n_threads + 1, sizeof *r.lane);
	if (!r.m || !r.lane)
		rc = -ENOMEM;
	for (uint32_t k = 0; k < a->how.n_tunlets && rc == 0; k++)
		for (uint32_t e = 0; e < a->tunlet[k].s->event.n && rc == 0; e++)
			rc = find_event(&r, k, e);
	if (rc)
		weft_err_set(err, rc, "out of memory");
	if (rc == 0) {
		begin_processes(&r);
		rc = replay_walk(&r, err);
		end_processes(&r);
	}
	replay_fini(&r);
	return rc;
}
