/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See check_program.h. The points are asked through the same table as in a run (point.h), without
 * the controller's threads.
 */
#include "check_program.h"
#include "ask.h"
#include "control_priv.h"
#include "tune/lang/expr.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ACCEPT_MS = 5000, SLICE_MS = 50 };

static pid_t start(const struct tune_check_how *how, const char *name)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	int nothing = open("/dev/null", O_RDWR);
	for (int fd = 0; fd < 3; fd++)
		dup2(nothing, fd);
	setenv("LD_PRELOAD", how->agent, 1);
	setenv(LINK_ENVIRONMENT, name, 1);
	execvp(how->argv[0], how->argv);
	_exit(127);
}

/* A program without a dynamic linker never connects: it is not left to run. */
static int accept_one(const struct tune_check_how *how, struct probe_listener *l, pid_t *pid, struct probe_session **s,
                      struct weft_err *err)
{
	for (int waited = 0; waited < ACCEPT_MS; waited += SLICE_MS) {
		int status;
		int rc = probe_accept(l, SLICE_MS, s, err);
		if (rc != -ETIMEDOUT)
			return rc;
		*err = (struct weft_err){0};
		if (waitpid(*pid, &status, WNOHANG) != *pid)
			continue;
		*pid = 0;
		if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
			return weft_err_set(err, -ENOENT, "cannot run '%s'", how->argv[0]);
		return weft_err_set(err, -ENOTSUP, "'%s' ends without a look at it: is it statically linked?", how->argv[0]);
	}
	return weft_err_set(err, -ETIMEDOUT, "'%s' does not load the agent: is it statically linked?", how->argv[0]);
}

static void put_names(struct point_want *w, struct message_want *m)
{
	w->function = (char *)m->function;
	w->classes = (char *)m->classes;
	w->at_exit = m->at_exit;
	w->n = m->n;
	memcpy(w->field, m->field, m->n * sizeof *m->field);
	w->kind = point_kind_of(m->classes);
}

static void check_event(const struct tune_check_how *how, struct control_process *t, uint32_t event)
{
	struct message *m = calloc(1, sizeof *m);
	struct point_want *w = calloc(1, sizeof *w);
	struct weft_buf classes = {0};
	const struct spec_event *e = &how->spec->event.at[event];
	if (m && w) {
		ask_want(how->spec, event, &m->want, &classes);
		put_names(w, &m->want);
		w->kind->insert(t, &w, 1);
		bool on = w->rc == 0;
		if (on && w->kind->can)
			w->rc = w->kind->can(t, &w->err);
		how->found(how->ctx, &(struct tune_finding){false, e->id.z, how->spec->actor.at[e->actor_id].id.z, w->rc,
		                                            w->traps, w->err.text});
		if (on)
			w->kind->remove(t, w);
	}
	weft_buf_fini(&classes);
	free(w);
	free(m);
}

/* A text that is written out, as names of functions are. */
static char *literal(const struct weft_spec *s, const struct spec_point *p)
{
	const struct expr *body = p->value == SPEC_NONE ? NULL : s->code.at[p->value].body;
	const struct expr *e = body ? body->kid[0] : NULL;
	if (!e || e->kind != EXPR_STRING || !e->name)
		return NULL;
	size_t n = strlen(e->name);
	bool quoted = n > 1 && e->name[0] == '"';
	return strndup(e->name + quoted, n - 2 * quoted);
}

static void check_point(const struct tune_check_how *how, struct control_process *t, uint32_t point)
{
	struct message *m = calloc(1, sizeof *m);
	char object[ASK_OBJECT_BYTES];
	const struct spec_point *p = &how->spec->point.at[point];
	struct weft_err err = {0};
	char *text = literal(how->spec, p);
	int rc = -ENOSYS;
	if (m) {
		ask_act(how->spec, point, text, 0, &m->act, object);
		for (const struct point_kind *const *k = point_kinds; *k && rc == -ENOSYS; k++)
			if ((*k)->check)
				rc = (*k)->check(t, &m->act, &err);
		const char *actor = p->actor_id == SPEC_NONE ? "" : how->spec->actor.at[p->actor_id].id.z;
		how->found(how->ctx, &(struct tune_finding){true, p->id.z, actor, rc, false, err.text});
	}
	free(text);
	free(m);
}

static bool is_asked(const struct tune_check_how *how, uint32_t actor)
{
	return !how->actor || (actor != SPEC_NONE && strcmp(how->spec->actor.at[actor].id.z, how->actor) == 0);
}

static void look(const struct tune_check_how *how, struct probe_session *s)
{
	struct control c = {0};
	struct control_process t = {.c = &c, .s = s, .pid = probe_pid(s), .why = "", .also = -1};
	for (uint32_t i = 0; i < how->spec->event.n; i++)
		if (is_asked(how, how->spec->event.at[i].actor_id))
			check_event(how, &t, i);
	for (uint32_t i = 0; i < how->spec->point.n; i++)
		if (how->spec->point.at[i].actor_id == SPEC_NONE || is_asked(how, how->spec->point.at[i].actor_id))
			check_point(how, &t, i);
	for (const struct point_kind *const *k = point_kinds; *k; k++)
		if ((*k)->fini)
			(*k)->fini(&t);
}

int tune_check(const struct tune_check_how *how, struct weft_err *err)
{
	struct probe_listener *listener;
	struct probe_session *s = NULL;
	int rc = probe_listen(&listener, NULL, err);
	if (rc)
		return rc;
	pid_t pid = start(how, probe_listener_name(listener));
	rc = pid < 0 ? weft_err_sys(err, errno, "cannot start a process") : accept_one(how, listener, &pid, &s, err);
	if (rc == 0)
		look(how, s);
	if (pid > 0) {
		kill(pid, SIGKILL);
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (s)
		probe_abandon(s);
	probe_listener_free(listener);
	return rc;
}
