/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The caller's side: compiles, begins the child, sends requests and listens until each is done. A
 * child that does not answer in time is killed; a killed or dead one is replaced by a new one,
 * which gets the list of processes.
 */
#include "eval_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void eval_say(struct weft_eval *e, const struct weft_eval_result *what)
{
	if (e->how.result)
		e->how.result(e->how.ctx, what);
}

static void end_child(struct weft_eval *e)
{
	if (e->pid > 0) {
		kill(e->pid, SIGKILL);
		while (waitpid(e->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (e->socket >= 0)
		close(e->socket);
	e->pid = 0;
	e->socket = -1;
}

/* One answer: 1, 0 when the child is gone, -ETIME when it is late. */
static int eval_receive(struct weft_eval *e, uint64_t until)
{
	for (;;) {
		uint64_t now = weft_monotonic_ns();
		struct pollfd p = {.fd = e->socket, .events = POLLIN};
		int rc = now >= until ? 0 : poll(&p, 1, (int)((until - now) / 1000000 + 1));
		if (rc < 0 && errno == EINTR)
			continue;
		if (rc == 0)
			return -ETIME;
		ssize_t n = recv(e->socket, &e->answer, sizeof e->answer, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		/* Whatever the child says is checked: it may be out of its mind. */
		bool whole = n >= (ssize_t)offsetof(struct answer, value) && e->answer.n <= ANSWER_VALUES_MAX &&
		             (size_t)n == offsetof(struct answer, value) + e->answer.n * sizeof e->answer.value[0];
		if (!whole)
			return 0;
		e->answer.text[sizeof e->answer.text - 1] = '\0';
		return 1;
	}
}

static void pass_on(struct weft_eval *e)
{
	const struct answer *a = &e->answer;
	const struct weft_spec *s = e->s;
	size_t most = a->kind == WEFT_RESULT_TUNE                                   ? s->point.n
	              : a->kind == WEFT_RESULT_EVENT || a->kind == WEFT_RESULT_LATE ? s->event.n
	                                                                            : SIZE_MAX;
	if (a->kind < 0 || a->kind >= WEFT_RESULT_RESTARTED || a->what >= most || (unsigned)a->fault >= FAULTS)
		return;
	uint32_t what = a->kind == WEFT_RESULT_FAULT && a->what >= s->code.n ? SPEC_NONE : a->what;
	struct weft_eval_result w = {.kind = (enum weft_eval_result_kind)a->kind,
	                             .iteration = a->iteration,
	                             .process = a->process,
	                             .what = what,
	                             .add = a->add,
	                             .fault = a->fault,
	                             .is_text = a->is_text,
	                             .number = a->number,
	                             .text = a->text,
	                             .value = a->value,
	                             .n = a->n,
	                             .steps = a->steps.computed_ns ? &a->steps : NULL};
	eval_say(e, &w);
}

static int begin_child(struct weft_eval *e, struct weft_err *err)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair))
		return weft_err_sys(err, errno, "cannot begin the tunlet's process");
	fflush(NULL);
	*e->running = SPEC_NONE;
	pid_t pid = fork();
	if (pid < 0) {
		int no = errno;
		close(pair[0]);
		close(pair[1]);
		return weft_err_sys(err, no, "cannot begin the tunlet's process");
	}
	if (pid == 0) {
		close(pair[0]);
		eval_child(&(struct eval_begin){e->s, e->how.handlers, e->library.fd, pair[1], e->how.memory, e->running});
	}
	close(pair[1]);
	e->pid = pid;
	e->socket = pair[0];
	/*
	 * Loading may take a while on a busy machine; a tunlet written by hand may decide something
	 * at once.
	 */
	for (int rc; (rc = eval_receive(e, weft_monotonic_ns() + 20000000000u)) > 0;) {
		if (e->answer.kind == ANSWER_READY)
			return 0;
		if (e->answer.kind == ANSWER_FAILED) {
			end_child(e);
			weft_one_line(e->answer.text);
			return weft_err_set(err, -EIO, "cannot load the tunlet '%s': %s", weft_spec_name(e->s), e->answer.text);
		}
		pass_on(e);
	}
	end_child(e);
	return weft_err_set(err, -EIO, "the process of the tunlet '%s' did not begin", weft_spec_name(e->s));
}

static int send_request(struct weft_eval *e)
{
	bool packed = e->request.kind == REQUEST_BATCH || e->request.kind == REQUEST_FOLD;
	size_t bytes = offsetof(struct request, value) + e->request.n * (packed ? 1 : sizeof e->request.value[0]);
	for (;;) {
		if (send(e->socket, &e->request, bytes, MSG_NOSIGNAL) == (ssize_t)bytes)
			return 0;
		if (errno != EINTR)
			return -errno;
	}
}

/* -- metrics: the events so far, for the analysis engine -- */

static double unit_ns(const struct weft_spec *s)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"s", 1e9}, {"us", 1e3}, {"ns", 1}};
	for (size_t i = 0; s->unit.z && i < sizeof units / sizeof units[0]; i++)
		if (!strcmp(s->unit.z, units[i].name))
			return units[i].ns;
	return 1e6;
}

static uint64_t ns_of(const struct weft_eval *e, double time)
{
	return time > 0 ? (uint64_t)llround(time * unit_ns(e->s)) : 0;
}

static int keep_event(struct weft_eval *e, const struct weft_eval_record *r)
{
	char name[400];
	const struct spec_event *v = &e->s->event.at[r->event];
	struct live_point p = {.process = r->id, .time = ns_of(e, r->time), .name = name};
	int rc = 0;
	for (uint32_t i = 0; e->live && rc == 0 && i < r->n && i < v->ref.n; i++) {
		p.real = v->ref.at[i].t == TYPE_DOUBLE || v->ref.at[i].t == TYPE_FLOAT;
		p.i = r->value[i].i;
		p.d = r->value[i].d;
		snprintf(name, sizeof name, "%s.%s.%s", weft_spec_name(e->s), v->id.z, v->ref.at[i].id.z);
		if (v->ref.at[i].t != TYPE_STRING)
			rc = live_add(e->live, &p);
	}
	snprintf(name, sizeof name, "%s.%s", weft_spec_name(e->s), v->id.z);
	p.real = false;
	p.i = 1;
	return e->live && rc == 0 ? live_add(e->live, &p) : rc;
}

static int answer_metric(struct weft_eval *e)
{
	const struct answer *a = &e->answer;
	struct request r = {.kind = REQUEST_METRIC};
	struct weft_err err = {0};
	if (a->what < e->s->attr.n && e->s->attr.at[a->what].metric.z && e->live)
		r.begins = live_value(e->live, e->s->attr.at[a->what].metric.z, ns_of(e, a->number), &r.time, &err) == 0 &&
		           isfinite(r.time);
	if (!r.begins && err.code)
		eval_say(e, &(struct weft_eval_result){.kind = WEFT_RESULT_HANDLER,
		                                       .iteration = -1,
		                                       .process = INT64_MIN,
		                                       .text = err.text});
	ssize_t n = offsetof(struct request, value);
	return send(e->socket, &r, (size_t)n, MSG_NOSIGNAL) == n ? 0 : -EPIPE;
}

/* Sends the request and listens; 0 when it was done, 1 when the child had to be ended. */
static int ask_once(struct weft_eval *e)
{
	uint64_t until = weft_monotonic_ns() + e->how.limit_ns;
	int rc = send_request(e) ? 0 : 1;
	bool said_last = false; /* why it ends */
	while (rc > 0) {
		rc = eval_receive(e, until);
		if (rc > 0 && e->answer.kind == ANSWER_DONE)
			return 0;
		if (rc > 0 && e->answer.kind == ANSWER_COST) {
			e->has_cost = true;
			e->cost = e->answer.number;
		} else if (rc > 0 && e->answer.kind == ANSWER_METRIC) {
			uint64_t began = weft_monotonic_ns();
			rc = answer_metric(e) ? 0 : 1;
			until += weft_monotonic_ns() - began;
		} else if (rc > 0) {
			said_last |= e->answer.kind == WEFT_RESULT_FAULT &&
			             (e->answer.fault == FAULT_MEMORY || e->answer.fault == FAULT_FENCE);
			pass_on(e);
		}
	}
	uint32_t running = *e->running;
	if (!said_last)
		eval_say(e, &(struct weft_eval_result){.kind = WEFT_RESULT_FAULT,
		                                       .iteration = -1,
		                                       .process = INT64_MIN,
		                                       .what = running < e->s->code.n ? running : SPEC_NONE,
		                                       .fault = rc == -ETIME ? FAULT_TIME : FAULT_EXIT,
		                                       .text = ""});
	return 1;
}

static void tell_processes(struct weft_eval *e)
{
	struct request kept = e->request;
	for (size_t i = 0; i < e->process.n; i++) {
		e->request = (struct request){.kind = REQUEST_PROCESS,
		                              .what = e->process.at[i].actor,
		                              .id = e->process.at[i].id,
		                              .begins = true};
		memcpy(e->request.host, e->process.at[i].host, sizeof e->request.host);
		if (ask_once(e))
			break;
	}
	for (size_t i = 0; i < e->child.n && e->pid; i++) {
		e->request = (struct request){.kind = REQUEST_CHILD, .what = e->child.at[i], .begins = true};
		if (ask_once(e))
			break;
	}
	e->request = kept;
}

static int eval_ask(struct weft_eval *e, struct weft_err *err)
{
	if (e->pid && ask_once(e) == 0)
		return 0;
	end_child(e);
	int rc = begin_child(e, err);
	if (rc)
		return rc;
	eval_say(e, &(struct weft_eval_result){.kind = WEFT_RESULT_RESTARTED, .iteration = -1, .text = ""});
	tell_processes(e);
	return 0;
}

/* For a child that is begun anew. */
static bool note_process(struct weft_eval *e, const struct known_process *t, bool begins)
{
	uint64_t at;
	bool known = weft_map_get(&e->process_at, (uint64_t)t->id, &at);
	if (begins && known)
		e->process.at[at] = *t;
	if (begins && !known)
		return weft_map_put(&e->process_at, (uint64_t)t->id, e->process.n) == 0 && weft_vec_push(&e->process, *t) == 0;
	if (begins || !known)
		return true;
	struct known_process *last = &e->process.at[--e->process.n];
	weft_map_del(&e->process_at, (uint64_t)t->id);
	if (at == e->process.n)
		return true;
	e->process.at[at] = *last;
	return weft_map_put(&e->process_at, (uint64_t)last->id, at) == 0;
}

uint64_t weft_eval_cpu_ns(const struct weft_eval *e)
{
	clockid_t clock;
	struct timespec now;
	if (e->pid <= 0 || clock_getcpuclockid(e->pid, &clock) || clock_gettime(clock, &now))
		return 0;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t weft_eval_delay_ns(const struct weft_eval *e)
{
	return e->pid > 0 ? weft_process_delay_ns(e->pid) : 0;
}

int weft_eval_process(struct weft_eval *e, uint32_t actor, int64_t id, const char *host, bool begins, struct weft_err *err)
{
	struct known_process t = {.actor = actor, .id = id};
	snprintf(t.host, sizeof t.host, "%s", host ? host : "");
	if (actor >= e->s->actor.n)
		return weft_err_set(err, -EINVAL, "no actor has the number %u", actor);
	if (!note_process(e, &t, begins))
		return weft_err_set(err, -ENOMEM, "out of memory");
	e->request = (struct request){.kind = REQUEST_PROCESS, .what = actor, .id = id, .begins = begins};
	memcpy(e->request.host, t.host, sizeof t.host);
	return eval_ask(e, err);
}

int weft_eval_event(struct weft_eval *e, const struct weft_eval_record *record, struct weft_err *err)
{
	if (record->event >= e->s->event.n || record->n > EVAL_VALUES_MAX)
		return weft_err_set(err, -EINVAL, "no such event");
	if (keep_event(e, record))
		return weft_err_set(err, -ENOMEM, "out of memory");
	struct request *r = &e->request;
	*r = (struct request){.kind = REQUEST_EVENT,
	                      .what = record->event,
	                      .id = record->id,
	                      .time = record->time,
	                      .n = record->n};
	for (uint32_t i = 0; i < record->n; i++) {
		const struct tune_value *v = &record->value[i];
		r->value[i].d = v->d;
		r->value[i].i = v->i;
		snprintf(r->value[i].s, sizeof r->value[i].s, "%s", v->s ? v->s : "");
	}
	return eval_ask(e, err);
}

/* -- many events at once -- */

static size_t packed_bytes(const struct weft_eval_record *r)
{
	size_t n = sizeof(struct packed_event) + r->n * sizeof(struct packed_value);
	for (uint32_t i = 0; i < r->n; i++)
		n += r->value[i].s ? (strnlen(r->value[i].s, EVAL_TEXT_MAX - 1) + 7) / 8 * 8 : 0;
	return n;
}

static char *pack_event(char *at, const struct weft_eval_record *r)
{
	struct packed_event e =
		{.event = r->event, .n = r->n, .folded = r->folded, .child = r->child, .id = r->id, .time = r->time};
	memcpy(at, &e, sizeof e);
	at += sizeof e;
	for (uint32_t i = 0; i < r->n; i++) {
		const char *z = r->value[i].s ? r->value[i].s : "";
		size_t n = strnlen(z, EVAL_TEXT_MAX - 1);
		struct packed_value v = {.d = r->value[i].d, .i = r->value[i].i, .text = (n + 7) / 8 * 8};
		memcpy(at, &v, sizeof v);
		memset(at + sizeof v, 0, v.text);
		memcpy(at + sizeof v, z, n);
		at += sizeof v + v.text;
	}
	return at;
}

int weft_eval_events(struct weft_eval *e, const struct weft_eval_record *record, size_t n, struct weft_err *err)
{
	for (size_t i = 0; i < n; i++)
		if (record[i].event >= e->s->event.n || record[i].n > EVAL_VALUES_MAX)
			return weft_err_set(err, -EINVAL, "no such event");
	for (size_t i = 0; i < n && e->live; i++)
		if (keep_event(e, &record[i]))
			return weft_err_set(err, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n;) {
		struct request *r = &e->request;
		memset(r, 0, offsetof(struct request, value));
		r->kind = REQUEST_BATCH;
		char *at = (char *)r->value, *end = at + BATCH_BYTES;
		/* One event with the most and the longest values always fits. */
		do
			at = pack_event(at, &record[i++]);
		while (i < n && packed_bytes(&record[i]) <= (size_t)(end - at));
		r->n = (uint32_t)(at - (char *)r->value);
		int rc = eval_ask(e, err);
		if (rc)
			return rc;
	}
	return 0;
}

/* -- collectors -- */

int weft_eval_child(struct weft_eval *e, uint32_t child, bool begins, struct weft_err *err)
{
	for (size_t i = 0; i < e->child.n; i++)
		if (e->child.at[i] == child)
			e->child.at[i--] = e->child.at[--e->child.n];
	if (begins && weft_vec_push(&e->child, child))
		return weft_err_set(err, -ENOMEM, "out of memory");
	e->request = (struct request){.kind = REQUEST_CHILD, .what = child, .begins = begins};
	return eval_ask(e, err);
}

int weft_eval_fold(struct weft_eval *e, uint32_t child, const void *at, size_t n, struct weft_err *err)
{
	struct request *r = &e->request;
	for (size_t done = 0; done < n;) {
		size_t part = n - done < BATCH_BYTES ? n - done : BATCH_BYTES;
		memset(r, 0, offsetof(struct request, value));
		r->kind = REQUEST_FOLD;
		r->what = child;
		r->n = (uint32_t)part;
		r->begins = done + part < n;
		memcpy(r->value, (const char *)at + done, part);
		done += part;
		int rc = eval_ask(e, err);
		if (rc)
			return rc;
	}
	return 0;
}

int weft_eval_lost(struct weft_eval *e, int64_t id, uint64_t count, double until, struct weft_err *err)
{
	e->request = (struct request){.kind = REQUEST_LOST, .id = id, .count = count, .time = until};
	return eval_ask(e, err);
}

int weft_eval_cost(struct weft_eval *e, const struct weft_assumed *assumed, unsigned n, double *cost, struct weft_err *err)
{
	static const char kind[] = "variable ";
	e->request = (struct request){.kind = REQUEST_COST};
	for (unsigned k = 0; k < n && e->request.n < EVAL_VALUES_MAX; k++) {
		if (assumed[k].is_text || strncmp(assumed[k].target, kind, sizeof kind - 1) != 0)
			continue;
		uint32_t variable = spec_find_variable(e->s, assumed[k].target + sizeof kind - 1);
		if (variable == SPEC_NONE)
			continue;
		e->request.value[e->request.n].i = variable;
		e->request.value[e->request.n++].d = assumed[k].number;
	}
	e->has_cost = false;
	int rc = e->s->objective == SPEC_NONE ? -EAGAIN : eval_ask(e, err);
	*cost = e->cost;
	return rc ? rc : e->has_cost ? 0 : -EAGAIN;
}

int weft_eval_new(struct weft_eval **out, struct weft_spec *s, const struct weft_eval_how *how, struct weft_err *err)
{
	*out = NULL;
	struct weft_eval *e = calloc(1, sizeof *e);
	if (!e)
		return weft_err_set(err, -ENOMEM, "out of memory");
	e->s = s;
	e->how = *how;
	e->how.limit_ns = how->limit_ns ? how->limit_ns : 1000000000;
	e->how.memory = how->memory ? how->memory : 256 << 20;
	e->socket = -1;
	e->library.fd = -1;
	void *shared = mmap(NULL, sizeof *e->running, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	e->running = shared == MAP_FAILED ? NULL : shared;
	int rc = !e->running || (weft_spec_has_metrics(s) && live_new(&e->live)) ? weft_err_set(err, -ENOMEM, "out of memory")
	                                                                         : 0;
	if (!rc && !how->handlers)
		rc = tune_library_make(&e->library, s, TUNE_WHOLE, err);
	rc = rc ? rc : begin_child(e, err);
	if (rc)
		weft_eval_free(e);
	else
		*out = e;
	return rc;
}

void weft_eval_free(struct weft_eval *e)
{
	if (!e)
		return;
	/* A tunlet written by hand may have a last word. */
	e->request = (struct request){.kind = REQUEST_END};
	if (e->pid)
		(void)ask_once(e);
	end_child(e);
	tune_library_close(&e->library);
	if (e->running)
		munmap((void *)(uintptr_t)e->running, sizeof *e->running);
	live_free(e->live);
	free(e->process.at);
	weft_map_fini(&e->process_at);
	free(e->child.at);
	free(e);
}
