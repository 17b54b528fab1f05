/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measure and tuning points that are the task runtime's: its counters, and its knobs. Nothing is put into the process and nothing of it is
 * patched: it is asked over its live channel (src/pulse), which only its user can do, and which costs it nothing while nobody asks.
 *
 *     sample ──> bounds (time, a counter, the program's iterations) ──> ends: events of workers, of the program; begins: of both
 *     ACT ──> knob NAME VALUE OF ──> answer, with what the value was ──> ACTED
 *
 * Events carry values of the sample at which they are. When the connection ends, counting does; knobs stay as they are.
 */
#include "point_runtime.h"
#include "base/clock.h"
#include "base/fs.h"
#include "tune/lang/spec_model.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RUNTIME_SCHEME "runtime"
enum { OTHER_HZ = 100, ANSWER_MS = 2000, COMMAND_BYTES = 300 };
static const char enable_knob[] = "starpu.worker.w_enable_worker_knob";

static struct runtime_live *live_of(struct control_process *t)
{
	struct runtime_live *l = t->runtime ? t->runtime : calloc(1, sizeof *l);
	if (l && !t->runtime)
		l->fd = -1;
	t->runtime = l;
	return l;
}

/* ---- events ---- */

/* "runtime,runtime": of an actor that is a worker. */
static bool is_of_worker(const struct point_want *w)
{
	return strcmp(w->classes, RUNTIME_SCHEME "," RUNTIME_SCHEME) == 0;
}

static bool is_real(const struct message_field *f)
{
	return strcmp(f->type, "double") == 0 || strcmp(f->type, "float") == 0;
}

static bool is_counter(const char *path)
{
	struct weft_err err = {0};
	const char *of;
	const struct runtime_name *name = runtime_name(path, &of, &err);
	return name && name->what == RUNTIME_COUNTER;
}

static bool runtime_field(const struct runtime_live *l, const struct point_want *w, uint32_t i, int worker,
                          struct message_value *out)
{
	const struct runtime_bounds *b = &l->bounds.at[w->bounds];
	const struct message_field *f = &w->field[i];
	double v = 0;
	bool known = true;
	if (f->source == MESSAGE_CONSTANT)
		known = weft_parse_double(weft_str(f->name), &v) == 0;
	else if (strcmp(f->name, "number") == 0)
		v = (double)(w->at_exit ? b->ended : b->number);
	else if (is_counter(f->name))
		known = runtime_value(runtime_bounds_instant(l, b, w->at_exit), f->name, worker, &v);
	else
		known = runtime_value(l->sample, f->name, worker, &v);
	*out = (struct message_value){.kind = is_real(f) ? MESSAGE_REAL : MESSAGE_INT, .d = v, .s = ""};
	out->i = fabs(v) < 9e18 ? (int64_t)v : 0;
	return known;
}

static void runtime_fire(struct control_process *t, const struct point_want *w, int worker, struct message *m)
{
	const struct runtime_live *l = t->runtime;
	const struct pulse_value *instant = runtime_bounds_instant(l, &l->bounds.at[w->bounds], w->at_exit);
	uint64_t at_ns = (uint64_t)pulse_number(instant, "at_ns", 0);
	m->event.incomplete = false;
	for (uint32_t i = 0; i < w->n; i++)
		m->event.incomplete |= !runtime_field(l, w, i, worker, &m->event.value[i]);
	m->event.n = w->n;
	m->event.time = t->c->real_0 + (at_ns - t->c->began.ns);
	m->event.tid = worker == RUNTIME_NO_WORKER ? (uint32_t)t->pid : (uint32_t)worker;
	control_event(t, w, m);
}

static void fire_want(struct control_process *t, const struct point_want *w, struct message *m)
{
	const struct runtime_live *l = t->runtime;
	unsigned workers = is_of_worker(w) ? runtime_workers(l->sample) : 0;
	if (!is_of_worker(w))
		runtime_fire(t, w, RUNTIME_NO_WORKER, m);
	for (unsigned i = 0; i < workers; i++)
		runtime_fire(t, w, (int)i, m);
}

/* Ends, then begins; what workers say of an iteration is within it. */
static void fire_all(struct control_process *t, struct message *m)
{
	const struct runtime_live *l = t->runtime;
	static const struct {
		bool at_exit, of_worker;
	} order[] = {{true, true}, {true, false}, {false, false}, {false, true}};
	for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
		for (size_t i = 0; i < t->want.n; i++) {
			const struct point_want *w = t->want.at[i];
			if (!w->on || w->kind != &point_runtime || w->at_exit != order[k].at_exit ||
			    is_of_worker(w) != order[k].of_worker)
				continue;
			const struct runtime_bounds *b = &l->bounds.at[w->bounds];
			if (w->at_exit ? b->ends_now : b->begins_now)
				fire_want(t, w, m);
		}
}

static bool has_counter(const struct pulse_value *instant, const char *path)
{
	char name[RUNTIME_NAME_BYTES];
	double v;
	snprintf(name, sizeof name, "%.*s", (int)strcspn(path, "@"), path);
	return !is_counter(name) || !instant || instant->kind != PULSE_OBJECT ||
	       runtime_value(instant, name, RUNTIME_NO_WORKER, &v);
}

/* What is wanted of the runtime is counted by now: a sample from before that says nothing. */
static bool is_whole(const struct control_process *t)
{
	const struct runtime_live *l = t->runtime;
	for (size_t i = 0; i < t->want.n; i++) {
		const struct point_want *w = t->want.at[i];
		if (w->kind != &point_runtime || !w->wanted)
			continue;
		const struct runtime_bounds *b = &l->bounds.at[w->bounds];
		if (b->method.counter && !has_counter(l->sample, b->method.counter))
			return false;
		for (uint32_t f = 0; f < w->n; f++)
			if (w->field[f].source != MESSAGE_CONSTANT &&
			    (!has_counter(l->sample, w->field[f].name) ||
			     !has_counter(runtime_bounds_instant(l, b, w->at_exit), w->field[f].name)))
				return false;
	}
	return true;
}

static void hear_all(struct control_process *t)
{
	struct runtime_live *l = t->runtime;
	struct message *m = calloc(1, sizeof *m);
	int rc = 0;
	while (m && (rc = runtime_hear(l)) > 0) {
		if (!is_whole(t))
			continue;
		runtime_bounds_look(l);
		fire_all(t, m);
	}
	if (rc < 0)
		runtime_disconnect(t, l);
	free(m);
}

/* ---- wants ---- */

static void say_counter(struct runtime_live *l, const char *path)
{
	struct weft_err err = {0};
	const char *of;
	const struct runtime_name *name = runtime_name(path, &of, &err);
	if (name && name->what == RUNTIME_COUNTER)
		runtime_say(l, "count %s", name->name);
}

static double hz_of(const struct runtime_method *m)
{
	double hz = m->bound == RUNTIME_EVERY_TIME ? 1e9 / (double)m->period_ns : OTHER_HZ;
	return hz < PULSE_HZ_MOST ? hz : PULSE_HZ_MOST;
}

/* Samples as often as the shortest of what is wanted needs, and what they are to have. First the rate: counting ends when nobody looks. */
static void say_wants(struct control_process *t)
{
	struct runtime_live *l = t->runtime;
	double hz = 0;
	bool each = false;
	for (size_t i = 0; i < t->want.n; i++) {
		const struct point_want *w = t->want.at[i];
		if (w->kind != &point_runtime || w->rc)
			continue;
		const struct runtime_method *m = &l->bounds.at[w->bounds].method;
		hz = w->wanted && hz_of(m) > hz ? hz_of(m) : hz;
		each |= w->wanted && m->bound == RUNTIME_ITERATION;
	}
	runtime_say(l, "watch %g%s", hz, each ? " each" : "");
	for (size_t i = 0; i < t->want.n && hz > 0; i++) {
		const struct point_want *w = t->want.at[i];
		if (w->kind != &point_runtime || w->rc || !w->wanted)
			continue;
		if (l->bounds.at[w->bounds].method.counter)
			say_counter(l, l->bounds.at[w->bounds].method.counter);
		for (uint32_t f = 0; f < w->n; f++)
			if (w->field[f].source != MESSAGE_CONSTANT)
				say_counter(l, w->field[f].name);
	}
}

static void want_one(struct runtime_live *l, struct point_want *w)
{
	const char *of;
	w->rc = runtime_bounds_add(l, w->function, &w->bounds, &w->err);
	for (uint32_t i = 0; i < w->n && !w->rc; i++)
		if (w->field[i].source != MESSAGE_CONSTANT && !runtime_name(w->field[i].name, &of, &w->err))
			w->rc = -ENOENT;
	w->wanted = !w->rc;
}

static void runtime_insert(struct control_process *t, struct point_want **w, unsigned n)
{
	struct runtime_live *l = live_of(t);
	struct weft_err err = {0};
	int folder = pulse_folder(false, &err);
	if (folder >= 0)
		close(folder);
	for (unsigned i = 0; i < n; i++) {
		if (!l)
			w[i]->rc = weft_err_set(&w[i]->err, -ENOMEM, "out of memory");
		else if (folder < 0 && folder != -ENOENT)
			w[i]->rc = weft_err_set(&w[i]->err, folder, "%s", err.text);
		else
			want_one(l, w[i]);
	}
	if (l && l->fd >= 0)
		say_wants(t);
}

static void take_out(struct control_process *t, struct point_want *w)
{
	const struct runtime_live *l = t->runtime;
	w->rc = 0;
	w->err = (struct weft_err){0};
	w->wanted = false;
	if (l && l->fd >= 0)
		say_wants(t);
}

static bool wants_runtime(const struct control_process *t)
{
	for (size_t i = 0; i < t->want.n; i++)
		if (t->want.at[i]->kind == &point_runtime && t->want.at[i]->on)
			return true;
	return false;
}

/* It has ended, and there was nothing to ask. Said once of each event. */
static void say_absent(struct control_process *t)
{
	struct runtime_live *l = t->runtime;
	l->is_said = true;
	for (size_t i = 0; i < t->want.n; i++) {
		struct point_want *w = t->want.at[i];
		if (w->kind != &point_runtime || !w->on)
			continue;
		w->rc = weft_err_set(&w->err, -ENODATA, "the process has never begun the task runtime");
		control_say_inserted(t, w, true, 0);
	}
}

static void runtime_drain(struct control_process *t, bool last)
{
	struct runtime_live *l = t->runtime;
	if (!l)
		return;
	if (l->fd < 0 && wants_runtime(t) && !last && runtime_connect(t, l))
		say_wants(t);
	if (l->fd >= 0)
		hear_all(t);
	if (last && !l->was_there && !l->is_said && !*t->why)
		say_absent(t);
}

/* ---- tuning ---- */

/* A command and its answer; samples that come meanwhile are heard as ever. */
static int runtime_command(struct control_process *t, const char *command, double *was, struct weft_err *err)
{
	struct runtime_live *l = t->runtime;
	uint64_t until = weft_monotonic_ns() + ANSWER_MS * UINT64_C(1000000);
	struct pollfd at = {l->fd, POLLIN, 0};
	runtime_say(l, "%s", command);
	l->answer = NULL;
	while (l->fd >= 0 && l->owed) {
		if (weft_monotonic_ns() > until)
			return weft_err_set(err, -ETIMEDOUT, "the program does not answer");
		(void)!poll(&at, 1, 10);
		hear_all(t);
	}
	const struct pulse_value *done = pulse_get(l->answer, "done");
	if (l->fd < 0 || !done)
		return weft_err_set(err, -EPIPE, "the program's runtime has ended");
	if (!done->truth)
		return weft_err_set(err, -EINVAL, "%s", pulse_text(l->answer, "error", "it is refused"));
	*was = pulse_number(l->answer, "was", NAN);
	return 0;
}

static int remember(struct runtime_live *l, uint32_t action, const char *command)
{
	char *copy = strdup(command);
	if (copy && weft_vec_push(&l->turned, (struct runtime_turned){action, copy}) == 0)
		return 0;
	free(copy);
	return -ENOMEM;
}

/* One knob of one owner ("" where it is nobody's). */
static int turn_one(struct control_process *t, uint32_t action, const char *name, double value, const char *of, double *was,
                    struct weft_err *err)
{
	char command[COMMAND_BYTES], number[WEFT_FMT_DOUBLE];
	weft_fmt_double(number, value);
	snprintf(command, sizeof command, "knob %s %s%s%s", name, number, *of ? " " : "", of);
	int rc = runtime_command(t, command, was, err);
	if (rc || isnan(*was))
		return rc;
	weft_fmt_double(number, *was);
	snprintf(command, sizeof command, "knob %s %s%s%s", name, number, *of ? " " : "", of);
	return remember(t->runtime, action, command) ? weft_err_set(err, -ENOMEM, "out of memory") : 0;
}

/* As many workers as are to be on: the first ones. What the runtime refuses for one is an end to it. */
static int turn_count(struct control_process *t, uint32_t action, double n, double *was, struct weft_err *err)
{
	const struct runtime_live *l = t->runtime;
	unsigned workers = l->sample ? runtime_workers(l->sample) : 0;
	int rc = 0;
	*was = 0;
	if (!workers)
		return weft_err_set(err, -EAGAIN, "nothing is known of the program's workers yet");
	if (!(n >= 1 && n <= workers && n == floor(n)))
		return weft_err_set(err, -EINVAL, "1 to %u workers can be on, not %g", workers, n);
	/* Those that are to be on before others go off: so many as are wanted, or more, always are. */
	for (unsigned i = 0; i < workers && !rc; i++) {
		char of[16];
		double before;
		snprintf(of, sizeof of, "%u", i);
		rc = turn_one(t, action, enable_knob, i < n, of, &before, err);
		*was += before;
	}
	return rc;
}

/* All workers, where none is named. */
static int turn_each(struct control_process *t, uint32_t action, const struct runtime_name *name, double value, double *was,
                     struct weft_err *err)
{
	const struct runtime_live *l = t->runtime;
	unsigned workers = l->sample ? runtime_workers(l->sample) : 0;
	int rc = workers ? 0 : weft_err_set(err, -EAGAIN, "nothing is known of the program's workers yet");
	for (unsigned i = 0; i < workers && !rc; i++) {
		char of[16];
		snprintf(of, sizeof of, "%u", i);
		rc = turn_one(t, action, name->name, value, of, was, err);
	}
	return rc;
}

static bool is_ours(const struct message_act *a)
{
	return strncmp(a->classes, RUNTIME_SCHEME, strlen(RUNTIME_SCHEME)) == 0;
}

static const struct runtime_name *settable(const struct message_act *a, const char **of, struct weft_err *err)
{
	const struct runtime_name *name = runtime_name(a->subject, of, err);
	if (!name)
		return NULL;
	if (name->settable && a->kind == KIND_SET_VARIABLE)
		return name;
	weft_err_set(err, -EINVAL, "'%s' can be read, and not be set", a->subject);
	return NULL;
}

static int runtime_act(struct control_process *t, const struct message_act *a, struct message_acted *out, struct weft_err *err)
{
	const char *of;
	double was = NAN;
	if (!is_ours(a))
		return -ENOSYS;
	struct runtime_live *l = live_of(t);
	const struct runtime_name *name = settable(a, &of, err);
	if (!name)
		return -EINVAL;
	if (!a->n)
		return weft_err_set(err, -EINVAL, "no number is given for '%s'", a->subject);
	double value = a->argument[0].kind == MESSAGE_REAL ? a->argument[0].d : (double)a->argument[0].i;
	if (l && l->fd < 0 && runtime_connect(t, l))
		say_wants(t);
	if (!l || l->fd < 0)
		return weft_err_set(err, -ENOTCONN, "the process has no task runtime now");
	int rc = name->what == RUNTIME_FIGURE        ? turn_count(t, a->action, value, &was, err)
	         : name->of == RUNTIME_WORKER && !of ? turn_each(t, a->action, name, value, &was, err)
	                                             : turn_one(t, a->action, name->name, value, of ? of : "", &was, err);
	out->value = a->argument[0];
	bool whole = was == floor(was);
	if (!isnan(was))
		out->old = (struct message_value){whole ? MESSAGE_INT : MESSAGE_REAL, .i = (int64_t)was, .d = was, .s = ""};
	return rc;
}

static int undo_last(struct control_process *t, struct weft_err *err)
{
	struct runtime_live *l = t->runtime;
	struct runtime_turned *x = &l->turned.at[--l->turned.n];
	double was;
	int rc = l->fd < 0 ? weft_err_set(err, -ENOTCONN, "the process has no task runtime now")
	                   : runtime_command(t, x->command, &was, err);
	free(x->command);
	return rc;
}

/* Those of one action stand together; whatever was done later stays. */
static int runtime_undo(struct control_process *t, uint32_t action, struct message_acted *out, struct weft_err *err)
{
	struct runtime_live *l = t->runtime;
	int rc = -ENOSYS;
	(void)out;
	for (size_t i = l ? l->turned.n : 0; i-- > 0;) {
		if (l->turned.at[i].action != action)
			continue;
		struct runtime_turned x = l->turned.at[i];
		memmove(&l->turned.at[i], &l->turned.at[i + 1], (--l->turned.n - i) * sizeof x);
		l->turned.at[l->turned.n++] = x;
		rc = undo_last(t, err);
	}
	return rc;
}

static void runtime_undo_all(struct control_process *t)
{
	struct runtime_live *l = t->runtime;
	while (l && l->turned.n) {
		struct weft_err err = {0};
		struct message m = {.kind = MESSAGE_ACTED};
		uint32_t action = l->turned.at[l->turned.n - 1].action;
		m.acted = (struct message_acted){.process = t->process, .action = action, .undo = true};
		m.acted.rc = undo_last(t, &err);
		m.acted.time = control_now(t->c);
		m.acted.text = err.text;
		control_send(t->c, &m);
	}
}

/* ---- before a run ---- */

/* Whether it is linked with the runtime; what it loads later is not known before it does. */
static int runtime_can(struct control_process *t, struct weft_err *err)
{
	char path[64], *maps;
	size_t n;
	snprintf(path, sizeof path, "/proc/%d/maps", (int)t->pid);
	int rc = weft_read_file(path, &maps, &n, err);
	if (rc)
		return rc;
	bool has = strstr(maps, "/libstarpu-1.") != NULL;
	free(maps);
	return has ? 0 : weft_err_set(err, -ENODATA, "the program is not linked with the task runtime (libstarpu-1.4)");
}

static int runtime_check_act(struct control_process *t, const struct message_act *a, struct weft_err *err)
{
	const char *of;
	if (!is_ours(a))
		return -ENOSYS;
	return settable(a, &of, err) ? runtime_can(t, err) : -EINVAL;
}

static void runtime_fini(struct control_process *t)
{
	struct runtime_live *l = t->runtime;
	if (!l)
		return;
	runtime_disconnect(t, l);
	for (size_t i = 0; i < l->turned.n; i++)
		free(l->turned.at[i].command);
	free(l->turned.at);
	runtime_bounds_free(l);
	weft_buf_fini(&l->in);
	weft_arena_fini(&l->of_sample);
	weft_arena_fini(&l->of_answer);
	free(l);
	t->runtime = NULL;
}

const struct point_kind point_runtime = {.scheme = RUNTIME_SCHEME,
                                         .insert = runtime_insert,
                                         .remove = take_out,
                                         .drain = runtime_drain,
                                         .can = runtime_can,
                                         .act = runtime_act,
                                         .check = runtime_check_act,
                                         .undo = runtime_undo,
                                         .undo_all = runtime_undo_all,
                                         .fini = runtime_fini};
