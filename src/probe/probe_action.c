/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The actions on a program. A table has a row for each kind: how it is done, and how it is undone.
 * Their common steps are here: finding functions and variables by name, turning values into the
 * bits of a declared type, waiting for a thread to come to the place of a synchronised action, and
 * the parts of sites (probe_site.c) that an inserted, replaced or removed call is made of.
 */
#include "probe_action.h"
#include "probe_priv.h"
#include "probe_value.h"
#include "base/vec.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static uint64_t double_bits(double d)
{
	uint64_t bits;
	memcpy(&bits, &d, sizeof bits);
	return bits;
}

/* An argument as bits of a type. */
static uint64_t argument_bits(const struct probe_argument *g, struct probe_type t)
{
	if (t.kind != PROBE_TYPE_FLOAT)
		return (uint64_t)(g->real ? (int64_t)g->d : g->i);
	double d = g->real ? g->d : (double)g->i;
	float f = (float)d;
	uint32_t narrow;
	memcpy(&narrow, &f, sizeof narrow);
	return t.size == 4 ? narrow : double_bits(d);
}

int action_function(struct act *x, const char *name, struct probe_found *out)
{
	struct probe_found found[PROBE_CLONES];
	*out = (struct probe_found){0};
	int n = probe_find(x->s, name, false, found, x->err);
	if (n > 1)
		return weft_err_set(x->err, -E2BIG, "there are %d functions '%s'", n, name);
	if (n == 1)
		*out = found[0];
	return n < 0 ? n : 0;
}

/* ---- holding a thread ---- */

static int sync_site(struct act *x)
{
	struct probe_found f;
	int rc = action_function(x, x->a->sync, &f);
	if (rc)
		return rc;
	const char *why = x->a->sync_when == LINK_EXIT ? site_no_exit(f.symbol) : NULL;
	if (why)
		return weft_err_set(x->err, -ENOTSUP, "cannot wait for the exit of '%s': %s", x->a->sync, why);
	rc = x->a->sync_when == LINK_EXIT ? site_hook_unwinders(x->s, x->err) : 0;
	return rc ? rc : site_get_entered(x->s, &f, x->err);
}

static unsigned use_of(enum link_when when)
{
	return when == LINK_EXIT ? 2 : 1;
}

static int action_cancel(struct probe_session *s, uint32_t id, enum link_when when)
{
	struct link_site back = {.id = id, .when = when};
	return session_ask(s, LINK_CANCEL, &back, sizeof back, NULL, 0);
}

/* A program that the next thread at the site runs, once. */
static int action_once(struct act *x, uint32_t id, enum link_when when, const struct link_op *op, unsigned n,
                       struct link_done *done)
{
	char payload[sizeof(struct link_site) + LINK_PROGRAM_OPS * sizeof(struct link_op)];
	struct link_site head = {.id = id, .when = when, .n_ops = n};
	memcpy(payload, &head, sizeof head);
	memcpy(payload + sizeof head, op, n * sizeof *op);
	int rc = session_ask(x->s, LINK_ACT, payload, (uint32_t)(sizeof head + n * sizeof *op), NULL, 0);
	if (rc)
		return weft_err_sys(x->err, -rc, "cannot act at '%s'", x->s->site[id].symbol);
	uint32_t tag = x->s->tag;
	int most = x->a->timeout_ms ? x->a->timeout_ms : 1000;
	rc = session_wait_done(x->s, tag, most, done);
	/* If it cannot be taken back any more, a thread is just doing it. */
	if (rc == -ETIMEDOUT && action_cancel(x->s, id, when)) {
		x->s->insists = true;
		rc = session_wait_done(x->s, tag, most, done);
		x->s->insists = false;
	}
	return rc ? weft_err_set(x->err, rc, "no thread has come to '%s' in time", x->s->site[id].symbol) : 0;
}

static int arguments_ops(const struct probe_action *a, struct link_op *op)
{
	int n = 0;
	for (unsigned k = 0; k < a->n_arguments && k < 6; k++) {
		const struct probe_argument *g = &a->argument[k];
		op[n++] = (struct link_op){.op = LINK_OP_IMM, .a = g->real ? double_bits(g->d) : (uint64_t)g->i};
		op[n++] = (struct link_op){.op = g->real ? LINK_OP_ARG_XMM : LINK_OP_ARG};
	}
	return n;
}

/* ---- each ---- */

/*
 * The library's file, to be sent; a path is one of the process's folder where it does not begin
 * with a slash, a name without one (-1) is looked for by the process's dynamic linker.
 */
static int open_library(struct act *x, int *fd)
{
	const char *path = x->a->subject;
	struct stat st;
	*fd = -1;
	if (!strchr(path, '/'))
		return 0;
	int from = path[0] == '/' ? AT_FDCWD : openat(x->s->peer->dir, "cwd", O_PATH | O_DIRECTORY | O_CLOEXEC);
	*fd = from == -1 ? -1 : openat(from, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int rc = *fd < 0 || fstat(*fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (from >= 0)
		close(from);
	if (rc == 0)
		return 0;
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	return rc == -EINVAL ? weft_err_set(x->err, rc, "cannot load '%s': it is no regular file", path)
	                     : weft_err_sys(x->err, -rc, "cannot load '%s'", path);
}

static int do_load(struct act *x)
{
	size_t n = strlen(x->a->subject) + 1;
	int file, rc = open_library(x, &file);
	session_begin_packet(x->s);
	char *path = rc ? NULL : link_packet_add(x->s->out, LINK_LOAD, x->s->tag, (uint32_t)n);
	if (path) {
		memcpy(path, x->a->subject, n);
		rc = session_exchange_with(x->s, file);
	}
	if (file >= 0)
		close(file);
	if (!path)
		return rc ? rc : -ENAMETOOLONG;
	uint32_t pos = 0;
	struct link_head *h = rc ? NULL : link_packet_next(x->s->in, &pos);
	if (!h)
		return weft_err_sys(x->err, rc ? -rc : EPROTO, "cannot load '%s'", x->a->subject);
	if (h->rc)
		return weft_err_set(x->err, h->rc, "cannot load '%s': %.*s", x->a->subject, (int)h->bytes,
		                    (char *)link_payload(h));
	if (h->bytes < sizeof x->a->value)
		return weft_err_sys(x->err, EPROTO, "cannot load '%s'", x->a->subject);
	memcpy(&x->a->value, link_payload(h), sizeof x->a->value);
	return process_read_map(x->s);
}

static int undo_load(struct act *x)
{
	return session_ask(x->s, LINK_UNLOAD, &x->a->value, sizeof x->a->value, NULL, 0);
}

/* Goes through pointers as they are now. */
static int address_of(struct act *x, const struct probe_value *v, uint64_t *addr)
{
	uint64_t acc = 0;
	for (unsigned k = 0; k < v->n; k++) {
		const struct link_op *op = &v->op[k];
		if (op->op == LINK_OP_IMM)
			acc = op->a;
		else if (op->op == LINK_OP_LOAD && k + 1 == v->n) {
			*addr = acc + op->a;
			return 0;
		} else if (op->op != LINK_OP_LOAD || probe_read(x->s, acc + op->a, &acc, 8))
			break;
	}
	return weft_err_set(x->err, -EFAULT, "'%s' cannot be set", x->a->subject);
}

static void set_type(struct probe_action *a, struct probe_type t)
{
	a->size = t.size;
	a->old_real = t.kind == PROBE_TYPE_FLOAT;
	a->old_sign = t.sign;
}

/* What can be measured, and not set. */
static const char *why_not_set(const struct probe_value *v)
{
	if (v->type.kind == PROBE_TYPE_STRING)
		return "is a text: only numbers can be set";
	for (unsigned k = 0; k < v->n; k++)
		if (v->op[k].op == LINK_OP_THREAD)
			return "is a variable of each thread: it can be measured, not set";
		else if (v->op[k].op == LINK_OP_BITS)
			return "is a bit field: it can be measured, not set";
	return NULL;
}

int probe_can_set(struct probe_session *s, const char *subject, const char *declared, struct probe_value *v, struct weft_err *err)
{
	int rc = probe_variable(s, subject, declared, v, err);
	const char *why = rc ? NULL : why_not_set(v);
	return why ? weft_err_set(err, -ENOTSUP, "'%s' %s", subject, why) : rc;
}

static int do_set(struct act *x)
{
	struct probe_value v;
	int rc = probe_can_set(x->s, x->a->subject, x->a->declared, &v, x->err);
	rc = rc ? rc : address_of(x, &v, &x->a->addr);
	if (rc)
		return rc;
	uint64_t bits = argument_bits(&x->a->argument[0], v.type);
	set_type(x->a, v.type);
	x->a->old = 0;
	x->a->has_old = true;
	rc = probe_read(x->s, x->a->addr, &x->a->old, v.type.size);
	rc = rc ? rc : probe_write(x->s, x->a->addr, &bits, v.type.size);
	return rc ? weft_err_sys(x->err, -rc, "cannot set '%s'", x->a->subject) : 0;
}

static int undo_set(struct act *x)
{
	return probe_write(x->s, x->a->addr, &x->a->old, x->a->size);
}

static int action_other(struct act *x, uint64_t target, unsigned returns)
{
	struct probe_found f;
	int rc = action_function(x, x->a->subject, &f);
	int id = rc ? rc : site_get(x->s, &f, x->err);
	if (id < 0)
		return id;
	struct probe_site *site = &x->s->site[id];
	if (site->is_other || site->uses[0] || site->uses[1] || site->uses[2])
		return weft_err_set(x->err, -EBUSY, "'%s' is %s already", x->a->subject,
		                    site->is_other ? "replaced" : "instrumented");
	site->is_other = true;
	site->other = target;
	site->returns = returns;
	x->a->site = (uint32_t)id;
	rc = site_update(x->s, &x->a->site, 1, x->err);
	if (rc)
		site->is_other = false;
	return rc;
}

static int undo_other(struct act *x)
{
	x->s->site[x->a->site].is_other = false;
	return site_update(x->s, &x->a->site, 1, x->err);
}

static int do_replace(struct act *x)
{
	struct probe_found f;
	int rc = action_function(x, x->a->object, &f);
	return rc ? rc : action_other(x, f.addr, 0);
}

/* A part at a site of the subject. */
static int add_part(struct act *x, enum link_when when, const struct link_op *op, int n)
{
	struct probe_found f;
	int rc = action_function(x, x->a->subject, &f);
	const char *why = rc == 0 && when == LINK_EXIT ? site_no_exit(f.symbol) : NULL;
	if (why)
		return weft_err_set(x->err, -ENOTSUP, "cannot act at the exit of '%s': %s", x->a->subject, why);
	rc = rc == 0 && when == LINK_EXIT ? site_hook_unwinders(x->s, x->err) : rc;
	int id = rc ? rc : site_get_entered(x->s, &f, x->err);
	if (id < 0)
		return id;
	if (x->s->site[id].is_other)
		return weft_err_set(x->err, -EBUSY, "'%s' is replaced", x->a->subject);
	x->a->site = (uint32_t)id;
	x->a->when = when;
	x->a->owner = ++x->s->owners;
	struct probe_part p = {.site = (uint32_t)id,
	                       .when = when,
	                       .n = (unsigned)n,
	                       .op = (struct link_op *)op,
	                       .owner = x->a->owner};
	if (site_add_part(x->s, p))
		return weft_err_set(x->err, -ENOMEM, "out of memory");
	x->s->site[id].uses[use_of(when)]++;
	rc = site_update(x->s, &x->a->site, 1, x->err);
	if (rc) {
		x->s->site[id].uses[use_of(when)]--;
		site_drop_parts(x->s, x->a->owner);
	}
	return rc;
}

static int undo_part(struct act *x)
{
	x->s->site[x->a->site].uses[use_of(x->a->when)]--;
	site_drop_parts(x->s, x->a->owner);
	return site_update(x->s, &x->a->site, 1, x->err);
}

static int do_insert(struct act *x)
{
	struct probe_found f;
	struct link_op op[14];
	int rc = action_function(x, x->a->object, &f);
	if (rc)
		return rc;
	int n = arguments_ops(x->a, op);
	op[n++] = (struct link_op){.op = LINK_OP_CALL, .a = f.addr};
	return add_part(x, x->a->when, op, n);
}

static int do_once(struct act *x)
{
	struct probe_found f;
	struct link_call call = {0};
	struct link_called called;
	unsigned ints = 0, reals = 0;
	int rc = action_function(x, x->a->subject, &f);
	if (rc)
		return rc;
	call.function = f.addr;
	for (unsigned k = 0; k < x->a->n_arguments && k < 6; k++) {
		const struct probe_argument *g = &x->a->argument[k];
		if (g->real && reals < 2)
			call.xmm[reals++] = g->d;
		else if (!g->real)
			call.arg[ints++] = (uint64_t)g->i;
	}
	rc = session_ask(x->s, LINK_CALL, &call, sizeof call, &called, sizeof called);
	if (rc)
		return weft_err_sys(x->err, -rc, "cannot call '%s'", x->a->subject);
	x->a->value = called.rax;
	x->a->ticks = called.ticks;
	return 0;
}

static int undo_nothing(struct act *x)
{
	return weft_err_set(x->err, -EINVAL, "a call that was made cannot be undone: '%s'", x->a->subject);
}

int probe_can_change(struct probe_session *s, const struct probe_action *a, struct probe_value *v, struct weft_err *err)
{
	struct weft_err why = {0};
	struct probe_expression e = {a->subject, a->object, a->declared, LINK_ENTRY};
	int rc = probe_parameter(s, &e, v, &why);
	/*
	 * Without debug information the value says what it is: whole numbers of all sizes are
	 * passed alike.
	 */
	e.declared = a->argument[0].real ? "double" : "long";
	if (rc == -ENODATA)
		rc = probe_parameter(s, &e, v, &why);
	if (rc == 0 && v->in_register < 0)
		rc = weft_err_set(&why, -ENOTSUP, "parameter '%s' of '%s' is in no register of its own", a->object, a->subject);
	if (rc && err)
		*err = why;
	return rc;
}

static int do_change(struct act *x)
{
	struct probe_value v;
	int rc = probe_can_change(x->s, x->a, &v, x->err);
	if (rc)
		return rc;
	set_type(x->a, v.type);
	x->a->reg = v.in_register;
	struct link_op op[2] = {{.op = LINK_OP_IMM, .a = argument_bits(&x->a->argument[0], v.type)},
	                        {.op = v.in_register >= 8 ? LINK_OP_SET_XMM : LINK_OP_SET_INT, .index = v.in_register & 7}};
	return add_part(x, LINK_ENTRY, op, 2);
}

/* What the next call has for the parameter: an action runs before the program that changes it. */
static void look_at_parameter(struct act *x)
{
	struct link_done done;
	bool xmm = x->a->reg >= 8;
	struct link_op look = {.op = xmm ? LINK_OP_XMM : LINK_OP_INT, .size = 8, .index = x->a->reg & 7};
	if (action_once(&(struct act){x->s, x->a, NULL}, x->a->site, LINK_ENTRY, &look, 1, &done) == 0) {
		x->a->has_old = true;
		x->a->old = done.value;
	}
}

/* ---- removed calls: in one caller (probe_action_calls.c), or all ---- */

/*
 * Callers that know the function keep values in registers that it does not touch: nothing but its
 * result may change. Where the type of that is not known, callers cannot know the function either,
 * as far as anybody can tell: both places are 0.
 */
static int returns_of(struct act *x, unsigned *returns)
{
	struct weft_err err = {0};
	struct probe_value v;
	int rc = probe_result(x->s, &(struct probe_expression){x->a->subject, "return", NULL, LINK_EXIT}, &v, &err);
	*returns = rc == -ENODATA                    ? PROBE_RETURNS_RAX | PROBE_RETURNS_XMM0
	           : rc == -EINVAL                   ? PROBE_RETURNS_NOTHING
	           : v.type.kind == PROBE_TYPE_FLOAT ? PROBE_RETURNS_XMM0
	                                             : PROBE_RETURNS_RAX;
	if (rc == 0 || rc == -ENODATA || rc == -EINVAL)
		return 0;
	return weft_err_set(x->err, rc, "cannot remove calls: %s", err.text);
}

static int do_remove(struct act *x)
{
	struct probe_found f;
	unsigned returns;
	int rc = action_function(x, x->a->subject, &f);
	rc = rc ? rc : returns_of(x, &returns);
	return rc ? rc : x->a->object ? action_remove_calls(x, &f, returns) : action_other(x, 0, returns);
}

static int undo_remove(struct act *x)
{
	return x->a->object ? action_undo_calls(x) : undo_other(x);
}

static const struct {
	int (*act)(struct act *), (*undo)(struct act *);
} kinds[PROBE_ACTIONS] = {
	[PROBE_LOAD_LIBRARY] = {do_load, undo_load},         [PROBE_SET_VARIABLE] = {do_set, undo_set},
	[PROBE_REPLACE_FUNCTION] = {do_replace, undo_other}, [PROBE_INSERT_CALL] = {do_insert, undo_part},
	[PROBE_ONE_TIME_CALL] = {do_once, undo_nothing},     [PROBE_REMOVE_CALL] = {do_remove, undo_remove},
	[PROBE_CHANGE_PARAMETER] = {do_change, undo_part},
};

/* ---- together ---- */

static int time_of(struct act *x)
{
	struct link_status status;
	int rc = x->a->ticks ? 0 : probe_status(x->s, &status);
	if (rc == 0 && !x->a->ticks)
		x->a->ticks = status.clock.ticks;
	return rc;
}

/* The call is made by the program's own thread. */
static int once_synchronised(struct act *x, uint32_t id)
{
	struct probe_found f;
	struct link_op op[14];
	struct link_done done;
	int rc = action_function(x, x->a->subject, &f);
	int n = arguments_ops(x->a, op);
	op[n++] = (struct link_op){.op = LINK_OP_CALL, .a = f.addr};
	rc = rc ? rc : action_once(x, id, x->a->sync_when, op, (unsigned)n, &done);
	if (rc == 0) {
		x->a->value = done.value;
		x->a->ticks = done.ticks;
		x->a->tid = done.tid;
	}
	return rc;
}

static int action_held(struct act *x, uint32_t id)
{
	static const struct link_op hold = {.op = LINK_OP_HOLD};
	struct link_done done;
	int rc = action_once(x, id, x->a->sync_when, &hold, 1, &done);
	if (rc)
		return rc;
	x->a->tid = done.tid;
	rc = kinds[x->a->kind].act(x);
	rc = rc ? rc : time_of(x);
	int released = session_ask(x->s, LINK_RELEASE, NULL, 0, NULL, 0);
	return rc ? rc : released;
}

static int action_synchronised(struct act *x)
{
	int id = sync_site(x);
	if (id < 0)
		return id;
	uint32_t site = (uint32_t)id;
	unsigned *uses = &x->s->site[id].uses[use_of(x->a->sync_when)];
	if (x->s->site[id].is_other)
		return weft_err_set(x->err, -EBUSY, "'%s' is replaced: nothing can wait for it", x->a->sync);
	++*uses;
	int rc = site_update(x->s, &site, 1, x->err);
	rc = rc ? rc : x->a->kind == PROBE_ONE_TIME_CALL ? once_synchronised(x, site) : action_held(x, site);
	--*uses;
	int back = site_update(x->s, &site, 1, rc ? NULL : x->err);
	return rc ? rc : back;
}

int probe_act(struct probe_session *s, struct probe_action *a, struct weft_err *err)
{
	struct act x = {s, a, err};
	if ((unsigned)a->kind >= PROBE_ACTIONS || !a->subject)
		return weft_err_set(err, -EINVAL, "there is no such action");
	a->done = a->has_old = false;
	a->ticks = a->tid = 0;
	a->patch = NULL;
	a->n_patches = 0;
	int rc = a->sync ? action_synchronised(&x) : kinds[a->kind].act(&x);
	rc = rc ? rc : time_of(&x);
	a->done = rc == 0;
	/* Now that nobody is held: that thread may be the one that shows it. */
	if (a->done && a->wants_old && a->kind == PROBE_CHANGE_PARAMETER)
		look_at_parameter(&x);
	return rc;
}

int probe_undo(struct probe_session *s, struct probe_action *a, struct weft_err *err)
{
	struct act x = {s, a, err};
	if (!a->done)
		return weft_err_set(err, -EINVAL, "it was not done, or is undone already");
	int rc = kinds[a->kind].undo(&x);
	a->done = rc != 0;
	return rc ? weft_err_set(err, rc, "cannot undo: %s", weft_err_name(rc)) : 0;
}

void probe_action_free(struct probe_action *a)
{
	free(a->patch);
	a->patch = NULL;
	a->n_patches = 0;
}
