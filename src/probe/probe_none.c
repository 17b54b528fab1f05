/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where probes do not work: other processors than x86-64, on which the build leaves the agent out.
 * Who asks for a probe is told so by the first call, which all others come behind.
 * tests/cli/probe_none.t holds that nothing is missing here.
 */
#include "probe_action.h"
#include "probe_outside.h"
#include "probe_watch.h"
#include <errno.h>

static int none(struct weft_err *err)
{
	return weft_err_set(err, -ENOTSUP, "probes and actions in running programs work on x86-64 only");
}

int probe_listen(struct probe_listener **out, const struct probe_listen_how *how, struct weft_err *err)
{
	(void)how;
	*out = NULL;
	return none(err);
}

int probe_accept(struct probe_listener *l, int timeout_ms, struct probe_session **out, struct weft_err *err)
{
	(void)l;
	(void)timeout_ms;
	*out = NULL;
	return none(err);
}

int probe_may_attach(pid_t pid, uid_t *uid, struct weft_err *err)
{
	(void)pid;
	*uid = 0;
	return none(err);
}

int probe_inject(pid_t pid, const char *agent_path, const char *name, int timeout_ms, struct weft_err *err)
{
	(void)pid;
	(void)agent_path;
	(void)name;
	(void)timeout_ms;
	return none(err);
}

int probe_set_environment(const char *agent, const char *socket, struct weft_err *err)
{
	(void)agent;
	(void)socket;
	return none(err);
}

int probe_watch_parse(const char *text, struct probe_watch *out, struct weft_err *err)
{
	(void)text;
	*out = (struct probe_watch){0};
	return none(err);
}

bool probe_type_named(const char *name, struct probe_type *out)
{
	(void)name;
	*out = (struct probe_type){0};
	return false;
}

/* ---- of sessions, of which there are none ---- */

#define NEEDS_A_SESSION(result, name, ...) \
	result name(__VA_ARGS__) \
	{ \
		WEFT_BUG("%s without a session", #name); \
	}
#pragma GCC diagnostic ignored "-Wunused-parameter"

NEEDS_A_SESSION(const char *, probe_listener_name, const struct probe_listener *l)
NEEDS_A_SESSION(int, probe_listener_fd, const struct probe_listener *l)
NEEDS_A_SESSION(const struct probe_refused *, probe_refused, struct probe_listener *l)
NEEDS_A_SESSION(int, probe_go, struct probe_session *s)
NEEDS_A_SESSION(int, probe_go_alone, struct probe_session *s)
NEEDS_A_SESSION(int, probe_detach, struct probe_session *s)
NEEDS_A_SESSION(pid_t, probe_pid, const struct probe_session *s)
NEEDS_A_SESSION(int, probe_socket, const struct probe_session *s)
NEEDS_A_SESSION(const struct link_hello *, probe_hello, const struct probe_session *s)
NEEDS_A_SESSION(int, probe_status, struct probe_session *s, struct link_status *out)
NEEDS_A_SESSION(int, probe_insert, struct probe_session *s, struct probe_request *r, unsigned n)
NEEDS_A_SESSION(int, probe_remove, struct probe_session *s, struct probe_request *r, unsigned n)
NEEDS_A_SESSION(int, probe_measure, struct probe_session *s, double *entry_ns, double *exit_ns)
NEEDS_A_SESSION(int, probe_counted, struct probe_session *s, const struct probe_request *r, uint64_t *out)
NEEDS_A_SESSION(bool, probe_next, struct probe_session *s, struct probe_event *out)
NEEDS_A_SESSION(uint64_t, probe_lost, const struct probe_session *s)
NEEDS_A_SESSION(void, probe_when_full, struct probe_session *s, bool waits)
NEEDS_A_SESSION(uint64_t, probe_changing_ns, const struct probe_session *s)
NEEDS_A_SESSION(uint64_t, probe_dropped, const struct probe_session *s)
NEEDS_A_SESSION(void, probe_meanwhile, struct probe_session *s, bool (*call)(void *ctx), void *ctx)
NEEDS_A_SESSION(int, probe_read, struct probe_session *s, uint64_t addr, void *to, size_t n)
NEEDS_A_SESSION(int, probe_write, struct probe_session *s, uint64_t addr, const void *from, size_t n)
NEEDS_A_SESSION(int, probe_find, struct probe_session *s, const char *name, bool data, struct probe_found *out,
                struct weft_err *err)
NEEDS_A_SESSION(int, probe_act, struct probe_session *s, struct probe_action *a, struct weft_err *err)
NEEDS_A_SESSION(int, probe_can_set, struct probe_session *s, const char *subject, const char *declared, struct probe_value *v,
                struct weft_err *err)
NEEDS_A_SESSION(int, probe_can_change, struct probe_session *s, const struct probe_action *a, struct probe_value *v,
                struct weft_err *err)
NEEDS_A_SESSION(int, probe_undo, struct probe_session *s, struct probe_action *a, struct weft_err *err)
NEEDS_A_SESSION(int, probe_variable, struct probe_session *s, const char *expression, const char *declared,
                struct probe_value *out, struct weft_err *err)
NEEDS_A_SESSION(int, probe_parameter, struct probe_session *s, const struct probe_expression *e, struct probe_value *out,
                struct weft_err *err)
NEEDS_A_SESSION(int, probe_result, struct probe_session *s, const struct probe_expression *e, struct probe_value *out,
                struct weft_err *err)
NEEDS_A_SESSION(int, probe_watch_expand, struct probe_session *s, const struct probe_watch *w, struct probe_watch **out,
                struct weft_err *err)
NEEDS_A_SESSION(int, probe_watch_bind, struct probe_session *s, const struct probe_watch *w, struct probe_bound *b,
                struct weft_err *err)
NEEDS_A_SESSION(int, probe_record, struct probe_session *s, const char *directory, struct weft_err *err)
NEEDS_A_SESSION(int, probe_sample, struct probe_session *s, const char *settings, struct weft_err *err)
NEEDS_A_SESSION(int, probe_define, struct probe_session *s, enum link_definition what, const char *name, uint64_t *out,
                struct weft_err *err)
NEEDS_A_SESSION(int, probe_watch_record, struct probe_session *s, struct probe_bound *b, bool values_only, struct weft_err *err)

/* These take what may not be there. */
void probe_listener_leave(struct probe_listener *l)
{
}

void probe_listener_free(struct probe_listener *l)
{
}

void probe_close(struct probe_session *s)
{
}

void probe_abandon(struct probe_session *s)
{
}

void probe_action_free(struct probe_action *a)
{
}

int probe_outside_open(struct probe_outside **out, pid_t pid, uint64_t period_ns, struct weft_err *err)
{
	(void)pid, (void)period_ns;
	*out = NULL;
	return none(err);
}

int probe_outside_watch(struct probe_outside *o, const char *name, probe_outside_named *says, void *arg, struct weft_err *err)
{
	(void)o, (void)name, (void)says, (void)arg;
	return none(err);
}

int probe_outside_go(struct probe_outside *o, struct weft_err *err)
{
	(void)o;
	return none(err);
}

const struct probe_outside_module *probe_outside_module(const struct probe_outside *o)
{
	static const struct probe_outside_module nothing;
	(void)o;
	return &nothing;
}

int probe_outside_look(struct probe_outside *o, bool last, probe_outside_see *see, void *arg)
{
	(void)o, (void)last, (void)see, (void)arg;
	return -ENOTSUP;
}

uint64_t probe_outside_lost(const struct probe_outside *o)
{
	(void)o;
	return 0;
}

void probe_outside_close(struct probe_outside *o)
{
	(void)o;
}
