/* SPDX-License-Identifier: Apache-2.0 */
/* See spec_runtime.h. That the names are those of the runtime is held by a test that asks it for all that it has. */
#include "spec_runtime.h"
#include "spec_model.h"
#include <errno.h>
#include <string.h>

enum { PERIOD_LEAST_NS = 1000000 };

static const struct runtime_name names[] = {
	{"starpu.task.g_total_submitted", RUNTIME_COUNTER, RUNTIME_NOBODY, false},
	{"starpu.task.g_peak_submitted", RUNTIME_COUNTER, RUNTIME_NOBODY, false},
	{"starpu.task.g_peak_ready", RUNTIME_COUNTER, RUNTIME_NOBODY, false},
	{"starpu.task.w_total_executed", RUNTIME_COUNTER, RUNTIME_WORKER, false},
	{"starpu.task.w_cumul_execution_time", RUNTIME_COUNTER, RUNTIME_WORKER, false},
	{"starpu.task.c_total_submitted", RUNTIME_COUNTER, RUNTIME_CODELET, false},
	{"starpu.task.c_peak_submitted", RUNTIME_COUNTER, RUNTIME_CODELET, false},
	{"starpu.task.c_peak_ready", RUNTIME_COUNTER, RUNTIME_CODELET, false},
	{"starpu.task.c_total_executed", RUNTIME_COUNTER, RUNTIME_CODELET, false},
	{"starpu.task.c_cumul_execution_time", RUNTIME_COUNTER, RUNTIME_CODELET, false},
	{"starpu.global.g_calibrate_knob", RUNTIME_KNOB, RUNTIME_NOBODY, true},
	{"starpu.global.g_enable_catch_signal_knob", RUNTIME_KNOB, RUNTIME_NOBODY, true},
	{"starpu.worker.w_bind_to_pu_knob", RUNTIME_KNOB, RUNTIME_WORKER, true},
	{"starpu.worker.w_enable_worker_knob", RUNTIME_KNOB, RUNTIME_WORKER, true},
	{"starpu.task.s_max_priority_cap_knob", RUNTIME_KNOB, RUNTIME_POLICY, true},
	{"starpu.task.s_min_priority_cap_knob", RUNTIME_KNOB, RUNTIME_POLICY, true},
	{"starpu.dmda.s_alpha_knob", RUNTIME_KNOB, RUNTIME_POLICY, true},
	{"starpu.dmda.s_beta_knob", RUNTIME_KNOB, RUNTIME_POLICY, true},
	{"starpu.dmda.s_gamma_knob", RUNTIME_KNOB, RUNTIME_POLICY, true},
	{"starpu.dmda.s_idle_power_knob", RUNTIME_KNOB, RUNTIME_POLICY, true},
	/* what a sample has beside them */
	{"number", RUNTIME_FIGURE, RUNTIME_NOBODY, false},
	{"worker", RUNTIME_FIGURE, RUNTIME_NOBODY, false},
	{"workers", RUNTIME_FIGURE, RUNTIME_NOBODY, false},
	{"enabled_workers", RUNTIME_FIGURE, RUNTIME_NOBODY, true},
	{"submitted", RUNTIME_FIGURE, RUNTIME_NOBODY, false},
	{"ready", RUNTIME_FIGURE, RUNTIME_NOBODY, false},
	{"tasks", RUNTIME_FIGURE, RUNTIME_WORKER, false},
	{"executing_s", RUNTIME_FIGURE, RUNTIME_WORKER, false},
	{"callback_s", RUNTIME_FIGURE, RUNTIME_WORKER, false},
	{"sleeping_s", RUNTIME_FIGURE, RUNTIME_WORKER, false},
	{"other_s", RUNTIME_FIGURE, RUNTIME_WORKER, false},
	{"used_bytes", RUNTIME_FIGURE, RUNTIME_NODE, false},
	{"transferred_bytes", RUNTIME_FIGURE, RUNTIME_LINK, false},
	{"transfers", RUNTIME_FIGURE, RUNTIME_LINK, false},
	{"transfer_s", RUNTIME_FIGURE, RUNTIME_LINK, false},
};
enum { NAMES = sizeof names / sizeof names[0] };

bool runtime_is_class(const char *class)
{
	return class && strcmp(class, "runtime") == 0;
}

static int unknown_name(const char *name, struct weft_err *err)
{
	const char *all[NAMES];
	for (unsigned i = 0; i < NAMES; i++)
		all[i] = names[i].name;
	const char *near = weft_nearest(name, all, NAMES);
	return weft_err_set(err, -ENOENT, "the runtime has no counter, knob or figure '%s'%s%s%s", name,
	                    near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* A number, or for links two with a dash; names of codelets and policies may be any. */
static bool is_owner(enum runtime_of of, const char *text)
{
	struct weft_str rest = weft_str(text), part;
	uint64_t v;
	if (of == RUNTIME_CODELET || of == RUNTIME_POLICY)
		return *text != '\0';
	if (of == RUNTIME_LINK && (!weft_str_cut(&rest, '-', &part) || weft_parse_u64(part, &v) || !rest.at))
		return false;
	return of != RUNTIME_NOBODY && weft_parse_u64(rest, &v) == 0 && v < 10000;
}

const struct runtime_name *runtime_name(const char *path, const char **of, struct weft_err *err)
{
	const char *at = strchr(path, '@');
	char name[RUNTIME_NAME_BYTES];
	*of = at ? at + 1 : NULL;
	snprintf(name, sizeof name, "%.*s", at ? (int)(at - path) : (int)strlen(path), path);
	for (unsigned i = 0; i < NAMES; i++) {
		if (strcmp(names[i].name, name) != 0)
			continue;
		if (!*of || is_owner(names[i].of, *of))
			return &names[i];
		weft_err_set(err, -EINVAL, "'%s' is not whose '%s' can be", *of, name);
		return NULL;
	}
	unknown_name(name, err);
	return NULL;
}

/* "NUMBER COUNTER" */
static int parse_count(const char *text, struct runtime_method *out, struct weft_err *err)
{
	struct weft_str rest = weft_str(text), part;
	const char *of;
	uint64_t n;
	if (!weft_str_cut(&rest, ' ', &part) || weft_parse_u64(part, &n) || n == 0 || !rest.at)
		return weft_err_set(err, -EINVAL, "'every %s' is neither a time from 1ms on nor a number and a counter", text);
	out->bound = RUNTIME_EVERY_COUNT;
	out->count = (double)n;
	out->counter = weft_str_trim(rest).at;
	const struct runtime_name *name = runtime_name(out->counter, &of, err);
	if (!name)
		return -ENOENT;
	return name->what != RUNTIME_KNOB ? 0 : weft_err_set(err, -EINVAL, "'%s' is no counter", name->name);
}

int runtime_method(const char *text, struct runtime_method *out, struct weft_err *err)
{
	*out = (struct runtime_method){.bound = RUNTIME_ITERATION};
	if (strcmp(text, "iteration") == 0)
		return 0;
	if (strncmp(text, "every ", 6) != 0)
		return weft_err_set(err, -EINVAL,
		                    "'%s' bounds nothing in the runtime: 'every TIME', 'every NUMBER COUNTER' or 'iteration'",
		                    text);
	out->bound = RUNTIME_EVERY_TIME;
	if (weft_parse_ns(weft_str_trim(weft_str(text + 6)), &out->period_ns) == 0 && out->period_ns >= PERIOD_LEAST_NS)
		return 0;
	return parse_count(text + 6, out, err);
}

/* ---- a specification ---- */

static void say_wrong(struct weft_spec *s, const struct word *w, const char *fix, const char *text)
{
	spec_say(s, WEFT_ERROR, "runtime", w->where, fix, "%s", text);
}

/* A variable as the runtime calls it; NULL, and a diagnosis: it does not. */
static const struct runtime_name *check_variable(struct weft_spec *s, const struct spec_ref *r)
{
	const struct spec_variable *v = r->variable == SPEC_NONE ? NULL : &s->variable.at[r->variable];
	const struct word *w = v && v->path.z ? &v->path : v ? &v->id : &r->id;
	struct weft_err err = {0};
	const char *of;
	const struct runtime_name *name = w->z ? runtime_name(w->z, &of, &err) : NULL;
	if (w->z && !name)
		say_wrong(s, w, NULL, err.text);
	return name;
}

static void check_event(struct weft_spec *s, const struct spec_event *e)
{
	struct runtime_method m;
	struct weft_err err = {0};
	if (e->method.z && runtime_method(e->method.z, &m, &err))
		say_wrong(s, &e->method, NULL, err.text);
	for (size_t i = 0; i < e->ref.n; i++) {
		const struct spec_ref *r = &e->ref.at[i];
		if (r->variable == SPEC_NONE || s->variable.at[r->variable].src != SOURCE_CONSTANT)
			check_variable(s, r);
	}
}

static void check_point(struct weft_spec *s, const struct spec_point *p)
{
	struct spec_ref r = {.id = p->id, .variable = p->variable};
	const struct runtime_name *name = p->k == KIND_SET_VARIABLE ? check_variable(s, &r) : NULL;
	if (p->k != KIND_SET_VARIABLE)
		say_wrong(s, &p->kind, "SetVariableValue", "all that can be done to the runtime is SetVariableValue");
	if (name && !name->settable)
		say_wrong(s, &p->id, NULL, "this can be read, and not be set");
	if (p->sync.z && *p->sync.z && strcmp(p->sync.z, "0") != 0 && strcmp(p->sync.z, "none") != 0)
		say_wrong(s, &p->sync, "leave it out", "what the runtime lets turn is turned at once");
}

void runtime_check(struct weft_spec *s)
{
	size_t workers = 0;
	for (size_t i = 0; i < s->actor.n; i++)
		workers += runtime_is_class(s->actor.at[i].class.z);
	for (size_t i = 0; i < s->event.n; i++) {
		const struct spec_event *e = &s->event.at[i];
		bool of_worker = e->actor_id != SPEC_NONE && runtime_is_class(s->actor.at[e->actor_id].class.z);
		if (runtime_is_class(e->class.z))
			check_event(s, e);
		else if (of_worker)
			say_wrong(s, &e->id, "class: runtime",
			          "the event's actor is a worker of the runtime, and its class another");
		if (of_worker && e->iter != ITER_NO && e->iter != ITER_EVAL)
			say_wrong(s, &e->controliter, NULL, "workers begin and end no iteration: the program does");
	}
	for (size_t i = 0; i < s->point.n; i++)
		if (runtime_is_class(s->point.at[i].class.z))
			check_point(s, &s->point.at[i]);
	if (workers && workers == s->actor.n)
		say_wrong(s, &s->actor.at[0].id, NULL, "workers belong to a program: an actor for it is missing");
}
