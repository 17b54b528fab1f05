/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of one process: describes it, does the analyzer's requests in the order in which they
 * came, reads its events, and detaches it at the end. It wakes when there is a request, when the
 * process has ended, and, while something is measured, every few milliseconds: polling the rings
 * costs no system call, and a later poll finds more, so the interval is doubled while no event
 * comes.
 */
#include "control_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { LOOK_LEAST_MS = 1, LOOK_MOST_MS = 8, COST_NS = 200000000, BATCH = 64 };

/* ---- what it costs ---- */

static uint64_t cpu_of(pid_t pid, uint64_t otherwise)
{
	clockid_t clock;
	struct timespec now;
	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &now))
		return otherwise;
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void look_at_cost(struct control_process *t)
{
	t->cost.cpu_ns = cpu_of(t->pid, t->cost.cpu_ns);
	t->cost_said_ns = weft_monotonic_ns();
}

/* alive_at: when it was known to be alive; 0: that is not said. */
static void say_cost(struct control_process *t, uint64_t alive_at)
{
	struct rusage r;
	struct message m = {.kind = MESSAGE_COST};
	getrusage(RUSAGE_SELF, &r);
	m.cost = t->cost;
	m.cost.process = t->process;
	pthread_mutex_lock(&t->c->processes_lock);
	m.cost.entry_ns = t->c->entry_ns;
	m.cost.exit_ns = t->c->exit_ns;
	pthread_mutex_unlock(&t->c->processes_lock);
	m.cost.alive = alive_at != 0;
	m.cost.time = alive_at ? alive_at : control_now(t->c);
	m.cost.controller_cpu_ns = weft_process_cpu_ns();
	m.cost.controller_rss = (uint64_t)r.ru_maxrss * 1024;
	control_send(t->c, &m);
}

/* ---- events ---- */

/*
 * The rings count what they dropped, but not where: it was after the look before, and what was read
 * before now is not sent yet. So all that is measured from that look to this one may lack
 * something. Both instants are turned into ns as the events are that follow.
 */
void control_lost(struct control_process *t)
{
	uint64_t dropped = probe_dropped(t->s) + probe_lost(t->s), ticks = link_ticks();
	struct message m = {.kind = MESSAGE_LOST};
	m.lost = (struct message_lost){.process = t->process, .count = dropped - t->dropped};
	if (dropped > t->dropped) {
		control_look(t->c, &t->at);
		m.lost.since = t->looked ? control_time(t->c, &t->at, t->looked) : 0;
		m.lost.time = control_time(t->c, &t->at, ticks);
		way_lost_events(t, &m);
	}
	t->dropped = dropped;
	t->looked = ticks;
}

void control_event(struct control_process *t, const struct point_want *w, struct message *m)
{
	m->kind = MESSAGE_EVENT;
	m->event.process = t->process;
	m->event.event = w->event;
	control_name(t);
	t->name_at = 0; /* once it is called something, that stays */
	t->cost.hits++;
	t->cost.traps += w->traps;
	t->cost.exits += w->at_exit && !w->traps;
	way_event(t, w, m);
}

static bool control_measures(const struct control_process *t)
{
	for (size_t i = 0; i < t->want.n; i++)
		if (t->want.at[i]->on)
			return true;
	return false;
}

static void control_drain(struct control_process *t, bool last)
{
	if (control_measures(t))
		control_name(t);
	for (const struct point_kind *const *k = point_kinds; *k; k++)
		if ((*k)->drain)
			(*k)->drain(t, last);
}

/*
 * An action waits for a thread, perhaps for long. False: no longer, as the process is to be
 * detached.
 */
static bool control_meanwhile(void *arg)
{
	struct control_process *t = arg;
	control_drain(t, false);
	control_flush(t->c);
	return !weft_load_u32(&t->goes);
}

/* ---- commands ---- */

static char *control_copy(const char *z)
{
	char *c = strdup(z);
	return c ? c : strdup("");
}

static struct point_want *new_want(struct control_process *t, const struct message_want *m)
{
	struct point_want *w = calloc(1, sizeof *w);
	if (!w || weft_vec_push(&t->want, w)) {
		free(w);
		return NULL;
	}
	w->event = m->event;
	w->number = (uint32_t)t->want.n - 1;
	w->kind = point_kind_of(m->classes);
	w->at_exit = m->at_exit;
	w->function = control_copy(m->function);
	w->classes = control_copy(m->classes);
	w->n = m->n;
	w->iteration = m->iteration;
	for (uint32_t i = 0; i < m->n; i++)
		w->field[i] = (struct message_field){m->field[i].source, control_copy(m->field[i].name),
		                                     control_copy(m->field[i].type)};
	return w;
}

static void free_want(struct point_want *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		free((char *)w->field[i].name);
		free((char *)w->field[i].type);
	}
	free(w->function);
	free(w->classes);
	free(w);
}

void control_say_inserted(struct control_process *t, const struct point_want *w, bool on, uint64_t took_ns)
{
	struct message m = {.kind = MESSAGE_INSERTED};
	m.inserted = (struct message_inserted){t->process, w->event, on, w->traps, w->rc, took_ns, w->err.text};
	control_send(t->c, &m);
}

/* Once a controller: in the first process in which something is measured, before that is. */
static void measure_event(struct control_process *t)
{
	struct control *c = t->c;
	double entry, exit;
	pthread_mutex_lock(&c->processes_lock);
	bool first = !c->measured;
	c->measured = true;
	pthread_mutex_unlock(&c->processes_lock);
	if (!first || probe_measure(t->s, &entry, &exit))
		return;
	pthread_mutex_lock(&c->processes_lock);
	c->entry_ns = entry;
	c->exit_ns = exit;
	pthread_mutex_unlock(&c->processes_lock);
}

/* Probes that were asked for together are inserted together: the program's code is changed once. */
static void insert_batch(struct control_process *t, struct point_want **w, unsigned n)
{
	if (w[0]->kind == &point_probe)
		measure_event(t);
	for (unsigned from = 0; from < n;) {
		unsigned to = from + 1;
		while (to < n && w[to]->kind == w[from]->kind)
			to++;
		uint64_t began = weft_monotonic_ns(), changing = t->cost.insert_ns;
		w[from]->kind->insert(t, w + from, to - from);
		uint64_t took = weft_monotonic_ns() - began;
		t->cost.prepare_ns += took - (t->cost.insert_ns - changing);
		for (; from < to; from++) {
			w[from]->on = w[from]->rc == 0;
			t->cost.inserted += w[from]->on;
			control_say_inserted(t, w[from], true, took);
		}
	}
}

static void do_unwant(struct control_process *t, const struct message *m)
{
	for (size_t i = 0; i < t->want.n; i++) {
		struct point_want *w = t->want.at[i];
		if (!w->on || w->event != m->unwant.event)
			continue;
		uint64_t began = weft_monotonic_ns();
		w->kind->remove(t, w);
		w->on = false;
		uint64_t took = weft_monotonic_ns() - began;
		t->cost.insert_ns += took;
		control_say_inserted(t, w, false, took);
	}
}

static void do_ready(struct control_process *t, const struct message *m)
{
	struct pollfd at = {probe_socket(t->s), 0, 0};
	uint64_t now = control_now(t->c); /* before the look: it may end behind that */
	/*
	 * Said again: is it alive? The socket of a process that has ended is closed, whether or not
	 * we have seen that yet.
	 */
	if (m && t->ready && !t->over && poll(&at, 1, 0) == 0)
		say_cost(t, now);
	/* The process may be gone; the next poll finds out. */
	if (!t->ready && !probe_hello(t->s)->attached && probe_go(t->s))
		t->over = true;
	t->ready = true;
}

static void do_act(struct control_process *t, const struct message *m)
{
	struct message out = {.kind = MESSAGE_ACTED};
	struct weft_err err = {0};
	uint64_t began = weft_monotonic_ns();
	int rc = -ENOSYS;
	out.acted = (struct message_acted){.process = t->process, .undo = m->kind == MESSAGE_UNDO, .text = ""};
	out.acted.action = out.acted.undo ? m->undo.action : m->act.action;
	for (const struct point_kind *const *k = point_kinds; *k && rc == -ENOSYS; k++) {
		if (out.acted.undo && (*k)->undo)
			rc = (*k)->undo(t, m->undo.action, &out.acted, &err);
		else if (!out.acted.undo && (*k)->act)
			rc = (*k)->act(t, &m->act, &out.acted, &err);
	}
	out.acted.rc = rc;
	out.acted.text = err.text;
	out.acted.took_ns = weft_monotonic_ns() - began;
	out.acted.time = out.acted.time ? out.acted.time : control_now(t->c);
	t->cost.acts++;
	t->cost.act_ns += out.acted.took_ns;
	control_send(t->c, &out);
}

static void do_end(struct control_process *t, const struct message *m)
{
	t->undo = m->kind == MESSAGE_END ? m->end.undo : m->detach.undo;
	t->over = true;
	t->why = m->kind == MESSAGE_END ? "is let go: the run is over" : "is let go";
}

static void (*const doing[MESSAGE_KINDS])(struct control_process *t, const struct message *m) = {
	[MESSAGE_UNWANT] = do_unwant, [MESSAGE_READY] = do_ready, [MESSAGE_ACT] = do_act,
	[MESSAGE_UNDO] = do_act,      [MESSAGE_DETACH] = do_end,  [MESSAGE_END] = do_end,
};

void control_process_tell(struct control_process *t, unsigned kind, const void *at, size_t n)
{
	uint32_t head[2] = {kind, (uint32_t)n};
	uint64_t one = 1;
	if (doing[kind] == do_end)
		weft_store_u32(&t->goes, 1);
	pthread_mutex_lock(&t->lock);
	weft_buf_add(&t->commands, (const char *)head, sizeof head);
	weft_buf_add(&t->commands, at, n);
	pthread_mutex_unlock(&t->lock);
	if (write(t->wake, &one, sizeof one) != (ssize_t)sizeof one)
		return; /* its counter is full: it wakes anyway */
}

static void run_commands(struct control_process *t)
{
	struct point_want *batch[BATCH];
	struct message *m = malloc(sizeof *m);
	uint32_t head[2];
	unsigned n = 0;
	pthread_mutex_lock(&t->lock);
	struct weft_buf b = t->commands;
	t->commands = (struct weft_buf){0};
	pthread_mutex_unlock(&t->lock);
	for (size_t at = 0; m && !t->over && at + sizeof head <= b.n; at += sizeof head + head[1]) {
		memcpy(head, b.at + at, sizeof head);
		if (message_decode(head[0], b.at + at + sizeof head, head[1], m))
			continue;
		if ((head[0] != MESSAGE_WANT || n == BATCH) && n) {
			insert_batch(t, batch, n);
			n = 0;
		}
		if (head[0] == MESSAGE_WANT)
			n += (batch[n] = new_want(t, &m->want)) != NULL;
		else if (doing[head[0]])
			doing[head[0]](t, m);
	}
	if (n && !t->over)
		insert_batch(t, batch, n);
	weft_buf_fini(&b);
	free(m);
}

/* ---- life ---- */

static void say_begun(struct control_process *t)
{
	struct message m = {.kind = MESSAGE_PROCESS};
	const struct link_hello *h = probe_hello(t->s);
	char exe[sizeof h->exe];
	memcpy(exe, h->exe, sizeof exe);
	weft_one_line(exe); /* a file's name may hold anything, and goes to terminals */
	m.process.process = t->process;
	m.process.time = control_now(t->c);
	m.process.how = h->attached ? MESSAGE_ATTACHED : MESSAGE_STARTED;
	m.process.host = t->c->host;
	m.process.exe = exe;
	control_describe(t->pid, &m.process);
	control_send(t->c, &m);
	control_flush(t->c);
}

/* False: the process is gone, or lets us go. */
static bool wait_for(struct control_process *t, int ms)
{
	uint64_t count;
	struct pollfd at[3] = {{t->wake, POLLIN, 0}, {probe_socket(t->s), 0, 0}, {t->also, POLLIN, 0}};
	(void)!poll(at, 3, ms);
	if (at[0].revents && read(t->wake, &count, sizeof count) < 0)
		return true;
	return !at[1].revents;
}

static void control_serve(struct control_process *t)
{
	int look_ms = LOOK_LEAST_MS;
	while (!t->over) {
		bool there = wait_for(t, control_measures(t) ? look_ms : -1);
		uint64_t before = t->cost.hits;
		if (there)
			run_commands(t);
		if (!t->over)
			control_drain(t, false);
		if (weft_monotonic_ns() - t->cost_said_ns > COST_NS)
			look_at_cost(t);
		look_ms = t->cost.hits > before ? LOOK_LEAST_MS : look_ms * 2 < LOOK_MOST_MS ? look_ms * 2 : LOOK_MOST_MS;
		control_flush(t->c);
		t->over |= !there;
	}
}

/* An action that cannot be undone (a call that was made) stays done. */
static void undo_all(struct control_process *t)
{
	for (size_t i = t->action.n; i > 0 && t->undo; i--) {
		struct message m = {.kind = MESSAGE_ACTED};
		struct weft_err err = {0};
		if (!t->action.at[i - 1]->action.done)
			continue;
		m.acted = (struct message_acted){.process = t->process, .action = t->action.at[i - 1]->number, .undo = true};
		m.acted.rc = probe_undo(t->s, &t->action.at[i - 1]->action, &err);
		m.acted.time = control_now(t->c);
		m.acted.text = err.text;
		control_send(t->c, &m);
	}
	for (const struct point_kind *const *k = point_kinds; *k && t->undo; k++)
		if ((*k)->undo_all)
			(*k)->undo_all(t);
}

static void *process_main(void *arg)
{
	struct control_process *t = arg;
	t->why = "";
	probe_meanwhile(t->s, control_meanwhile, t);
	say_begun(t);
	control_serve(t);
	look_at_cost(t);
	if (*t->why) {
		undo_all(t);
		do_ready(t, NULL);
		if (probe_detach(t->s))
			t->why = ""; /* it has ended meanwhile */
	}
	control_drain(t, true);
	control_lost(t);
	look_at_cost(t);
	say_cost(t, 0);
	struct message m = {.kind = MESSAGE_GONE};
	m.gone = (struct message_gone){t->process, control_now(t->c), t->why};
	way_gone(t, &m);
	pthread_mutex_lock(&t->lock);
	t->ended = true;
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

int control_process_start(struct control *c, struct probe_session *s, struct weft_err *err)
{
	struct control_process *t = calloc(1, sizeof *t);
	if (!t)
		return weft_err_set(err, -ENOMEM, "out of memory");
	t->c = c;
	t->s = s;
	t->pid = probe_pid(s);
	t->also = -1;
	probe_when_full(s, c->how.waits);
	pthread_mutex_init(&t->lock, NULL);
	way_begin(&t->route);
	t->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_lock(&c->processes_lock);
	t->process = (uint64_t)c->how.number << 32 | ++c->serial;
	int rc = t->wake < 0 ? -errno : weft_vec_push(&c->process, t);
	if (rc == 0 && (rc = -pthread_create(&t->thread, NULL, process_main, t)))
		c->process.n--;
	pthread_mutex_unlock(&c->processes_lock);
	if (rc == 0)
		return 0;
	if (t->wake >= 0)
		close(t->wake);
	free(t);
	return weft_err_sys(err, -rc, "cannot take a process on");
}

void control_process_free(struct control_process *t)
{
	pthread_join(t->thread, NULL);
	for (const struct point_kind *const *k = point_kinds; *k; k++)
		if ((*k)->fini)
			(*k)->fini(t);
	for (size_t i = 0; i < t->want.n; i++)
		free_want(t->want.at[i]);
	probe_abandon(t->s);
	pthread_mutex_destroy(&t->lock);
	weft_buf_fini(&t->commands);
	weft_buf_fini(&t->route.held);
	free(t->want.at);
	close(t->wake);
	free(t);
}
