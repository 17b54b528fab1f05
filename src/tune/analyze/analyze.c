/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analyzer's connections, its loop, its beginning and end. The shape of the whole:
 * analyze_priv.h.
 *
 *     poll ── messages ──┬── handled at once: replies, accounts, folds' pieces
 *                        └── queued by time (analyze_order.c) ── handled in turn: events, losses,
 *                            processes' begins and ends, whole folds ── batches ── evaluation
 *
 * One table says of each kind of message which of both happens. After each round the batches are
 * evaluated, ends that are old enough are passed on, and the decisions of the round are judged and
 * sent. The run is over when `life` says so; then all that is queued is handled, whatever its time.
 */
#include "analyze_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
enum {
	WINDOW_NS = 5000000,
	SYNC_MS = 10000,
	TICK_MS = 250,
	END_MS = 5000,
	END_MOST_MS = 15000,
	HOSTS_MS = 10000,
	LAST_LOOKS = 200
};

uint64_t analyze_now(const struct analyze *a)
{
	return a->virtual_now ? a->virtual_now : a->began + (weft_monotonic_ns() - a->began_mono);
}

double analyze_seconds(const struct analyze *a, uint64_t time)
{
	return (double)(int64_t)(time - a->began) / 1e9;
}

void analyze_fail(struct analyze *a, int rc, const struct weft_err *err)
{
	if (!a->err.code)
		weft_err_set(&a->err, rc, "%s", err && err->code ? err->text : weft_err_name(rc));
}

/* -- controllers -- */

static void analyze_lose(struct analyze *a, unsigned i)
{
	if (a->controller[i].fd < 0)
		return;
	channel_fini(&a->controller[i]);
	/* At the end of a run the connection's last messages wait in the queue. */
	if (a->ended)
		analyze_work(a, true);
	fold_lose(a, i);
	self_lose(a, i);
	hold_lose(a, i);
	bool told = false;
	for (size_t k = 0; k < a->process.n; k++) {
		struct analyze_process *t = a->process.at[k];
		if (!t->alive || t->controller != i)
			continue;
		if (!told)
			show_line(a, true, "a controller is gone; its processes run on without it");
		told = true;
		process_gone(a, &(struct message_gone){t->process, analyze_now(a), "is let go"});
	}
}

void analyze_send(struct analyze *a, unsigned controller, const struct message *m)
{
	if (controller == ANALYZE_SELF) {
		self_told(a, m);
		return;
	}
	/*
	 * Not analyze_lose(): callers hold pointers into the lists that it changes. The loop
	 * notices the end of the stream.
	 */
	if (a->controller[controller].fd >= 0 && channel_send(&a->controller[controller], m) == -ENOMEM)
		analyze_fail(a, -ENOMEM, NULL);
}

/* -- messages: in their kind's row is what happens to one -- */

static bool handle_always(const struct analyze *a, unsigned controller, const struct message *m)
{
	(void)a, (void)controller, (void)m;
	return true;
}

static bool handle_of_process(const struct analyze *a, unsigned controller, const struct message *m)
{
	(void)a, (void)controller;
	return m->gone.process != 0;
}

static bool handle_of_actor(const struct analyze *a, unsigned controller, const struct message *m)
{
	return process_may_be_known(a, controller, &m->process);
}

static void handle_begun(struct analyze *a, unsigned controller, const struct message *m)
{
	process_begins(a, controller, &m->process);
}

static void handle_refused(struct analyze *a, unsigned controller, const struct message *m)
{
	(void)controller;
	process_gone(a, &m->gone);
}

static void handle_inserted(struct analyze *a, unsigned controller, const struct message *m)
{
	(void)controller;
	process_inserted(a, &m->inserted);
}

static void handle_acted(struct analyze *a, unsigned controller, const struct message *m)
{
	(void)controller;
	decide_acted(a, &m->acted);
}

static void handle_hello(struct analyze *a, unsigned controller, const struct message *m)
{
	fold_hello(a, controller, &m->hello);
}

static void handle_fold_piece(struct analyze *a, unsigned controller, const struct message *m)
{
	fold_heard(a, controller, &m->folded);
}

static void handle_here(struct analyze *a, unsigned controller, const struct message *m)
{
	fold_here(a, controller, &m->here);
}

static void handle_end(struct analyze *a, unsigned controller, const struct message *m)
{
	(void)m;
	fold_ended(a, controller);
}

static void handle_named(struct analyze *a, unsigned controller, const struct message *m)
{
	(void)controller;
	process_named(a, &m->named);
}

static void handle_cost(struct analyze *a, unsigned controller, const struct message *m)
{
	struct analyze_process *t = process_find(a, m->cost.process);
	(void)controller;
	if (t) {
		t->cost = m->cost;
		hold_seen(a, t, &m->cost);
	}
	a->controller_cpu_ns = m->cost.controller_cpu_ns;
	a->controller_rss = m->cost.controller_rss;
}

static void handle_load(struct analyze *a, unsigned controller, const struct message *m)
{
	self_heard(a, controller, &m->load);
}

static void turn_event(struct analyze *a, unsigned controller, struct message *m)
{
	(void)controller;
	process_event(a, m);
	free(m);
}

static void turn_lost(struct analyze *a, unsigned controller, struct message *m)
{
	(void)controller;
	process_lost(a, &m->lost);
	free(m);
}

static void turn_process(struct analyze *a, unsigned controller, struct message *m)
{
	if (hold_process(a, controller, m))
		analyze_fail(a, -ENOMEM, NULL);
	hold_look(a);
}

static void turn_gone(struct analyze *a, unsigned controller, struct message *m)
{
	(void)controller;
	hold_gone(a, m->gone.process);
	process_gone(a, &m->gone);
	hold_look(a);
	free(m);
}

static void turn_folded(struct analyze *a, unsigned controller, struct message *m)
{
	fold_due(a, controller, &m->folded);
	decide_all(a);
	free(m);
}

static const struct {
	/*
	 * Whether the message is queued (analyze_order.c), behind messages of other streams with
	 * earlier times. NULL: never.
	 */
	bool (*waits)(const struct analyze *a, unsigned controller, const struct message *m);
	/* On arrival, also of a message that is queued. NULL: nothing. */
	void (*arrives)(struct analyze *a, unsigned controller, const struct message *m);
	/* On arrival of a message that is not queued. NULL: it is ignored. */
	void (*at_once)(struct analyze *a, unsigned controller, const struct message *m);
	/* When a queued message leaves the queue; the message belongs to the handler. */
	void (*in_turn)(struct analyze *a, unsigned controller, struct message *m);
} handlers[MESSAGE_KINDS] = {
	[MESSAGE_HELLO] = {.at_once = handle_hello},
	[MESSAGE_PROCESS] = {handle_of_actor, .at_once = handle_begun, .in_turn = turn_process},
	[MESSAGE_GONE] = {handle_of_process, .at_once = handle_refused, .in_turn = turn_gone},
	[MESSAGE_INSERTED] = {.at_once = handle_inserted},
	[MESSAGE_EVENT] = {handle_always, .in_turn = turn_event},
	[MESSAGE_LOST] = {handle_always, .arrives = fold_lost, .in_turn = turn_lost},
	[MESSAGE_ACTED] = {.at_once = handle_acted},
	[MESSAGE_COST] = {.at_once = handle_cost},
	[MESSAGE_FOLDED] = {.at_once = handle_fold_piece, .in_turn = turn_folded}, /* a whole one is queued by fold_heard */
	[MESSAGE_HERE] = {.at_once = handle_here},
	[MESSAGE_LOAD] = {.at_once = handle_load},
	[MESSAGE_END] = {.at_once = handle_end},
	[MESSAGE_NAMED] = {.at_once = handle_named},
};

void analyze_heard(struct analyze *a, unsigned controller, const struct message *m)
{
	bool waits = handlers[m->kind].waits && handlers[m->kind].waits(a, controller, m);
	if (handlers[m->kind].arrives)
		handlers[m->kind].arrives(a, controller, m);
	if (waits && order_put(a, controller, m))
		analyze_fail(a, -ENOMEM, NULL);
	if (!waits && handlers[m->kind].at_once)
		handlers[m->kind].at_once(a, controller, m);
}

static void analyze_hear(struct analyze *a, unsigned i, struct message *m)
{
	int end = channel_fill(&a->controller[i]), rc = 0;
	while (!a->fold[i].over && (rc = channel_next(&a->controller[i], m)) > 0)
		analyze_heard(a, i, m);
	if (a->fold[i].over)
		show_line(a, true, "a collector says a fold of more than 64 MiB, and is let go");
	if (rc < 0)
		show_line(a, true, "a controller says what nobody understands");
	if (rc < 0 || end || a->fold[i].over)
		analyze_lose(a, i);
}

/* -- events, in order -- */

void analyze_work(struct analyze *a, bool all)
{
	struct message *m;
	unsigned controller;
	uint64_t began = weft_monotonic_ns();
	while (order_next(a, all, &m, &controller))
		handlers[m->kind].in_turn(a, controller, m);
	hold_look(a);
	process_flush(a);
	process_settle(a, false);
	decide_all(a);
	a->eval_ns += weft_monotonic_ns() - began;
}

/* -- the loop -- */

static void look_at_life(struct analyze *a)
{
	struct analyze_end end;
	if (read(a->how.life, &end, sizeof end) == (ssize_t)sizeof end)
		a->end = end;
	else
		a->lost = true;
	a->ended = true;
}

static bool analyze_connected(const struct analyze *a)
{
	for (unsigned i = 0; i < a->n_controllers; i++)
		if (a->controller[i].fd >= 0)
			return true;
	return false;
}

static int wait_ms(const struct analyze *a, int most)
{
	int wait = order_wait_ms(a);
	return wait < 0 || wait > most ? most : wait;
}

static void analyze_look(struct analyze *a, struct message *m, int most_ms)
{
	struct pollfd at[ANALYZE_CONTROLLERS + 1];
	for (unsigned i = 0; i < a->n_controllers; i++) {
		struct channel *c = &a->controller[i];
		if (c->fd >= 0 && channel_pending(c) && channel_flush(c))
			analyze_lose(a, i);
		at[i] = (struct pollfd){c->fd, (short)(POLLIN | (channel_pending(c) ? POLLOUT : 0)), 0};
	}
	at[a->n_controllers] = (struct pollfd){a->ended ? -1 : a->how.life, POLLIN, 0};
	if (poll(at, a->n_controllers + 1, wait_ms(a, most_ms)) < 0)
		return;
	for (unsigned i = 0; i < a->n_controllers; i++)
		if (at[i].revents & (POLLIN | POLLHUP | POLLERR))
			analyze_hear(a, i, m);
	if (at[a->n_controllers].revents)
		look_at_life(a);
	split_look(a);
	self_look(a);
	analyze_work(a, false);
	decide_all(a);
	show_tick(a);
}

/* Polls the controllers while messages arrive, within limits. */
static void analyze_finish(struct analyze *a, struct message *m)
{
	struct message end = {.kind = MESSAGE_END, .end = {a->how.undo}};
	uint64_t now = weft_monotonic_ns(), last = now + END_MOST_MS * MS, until = now + END_MS * MS, heard;
	/*
	 * Events of the processes are still on their way: they are evaluated, but no decision
	 * follows from them.
	 */
	for (unsigned i = 0; i < a->n_controllers; i++)
		analyze_send(a, i, &end);
	for (; analyze_connected(a) && !fold_all_ended(a) && now < until && now < last; now = weft_monotonic_ns()) {
		heard = a->sequence;
		analyze_look(a, m, TICK_MS);
		if (a->sequence != heard)
			until = now + END_MS * MS;
	}
	analyze_work(a, true);
	process_settle(a, true);
	decide_all(a);
	/* Collectors answer the questions that this has raised. */
	for (int i = 0; i < LAST_LOOKS && fold_waits(a) && analyze_connected(a); i++)
		analyze_look(a, m, 2);
	analyze_work(a, true);
	for (unsigned i = 0; i < a->n_controllers; i++)
		channel_fini(&a->controller[i]);
}

/* -- beginning and end -- */

static void name_tunlet(struct analyze *a, uint32_t tunlet)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}};
	struct analyze_tunlet *k = &a->tunlet[tunlet];
	k->a = a;
	k->index = tunlet;
	k->s = a->how.tunlet[tunlet].spec;
	k->per_unit = 1e6;
	for (size_t u = 0; u < sizeof units / sizeof units[0]; u++)
		if (k->s->unit.z && strcmp(k->s->unit.z, units[u].name) == 0)
			k->per_unit = units[u].ns;
}

int analyze_begin_tunlet(struct analyze *a, uint32_t tunlet, struct weft_err *err)
{
	struct analyze_tunlet *k = &a->tunlet[tunlet];
	name_tunlet(a, tunlet);
	struct weft_eval_how how = {.result = decide_result,
	                            .ctx = k,
	                            .handlers = a->how.tunlet[tunlet].handlers,
	                            .limit_ns = a->how.limit_ns};
	k->asked = calloc(k->s->event.n + 1, sizeof *k->asked);
	if (!k->asked)
		return weft_err_set(err, -ENOMEM, "out of memory");
	for (size_t e = 0; e < k->s->event.n; e++)
		k->asked[e] = k->s->event.at[e].util != UTILITY_ADDABLE;
	int rc = decide_add(a, k, err);
	return rc ? rc : weft_eval_new(&k->e, k->s, &how, err);
}

static void end_tunlets(struct analyze *a)
{
	for (unsigned i = 0; i < a->how.n_tunlets; i++) {
		process_batch_free(&a->tunlet[i]);
		weft_eval_free(a->tunlet[i].e);
		free(a->tunlet[i].asked);
		free(a->tunlet[i].asks.at);
	}
}

int analyze_begin(struct analyze *a, struct weft_err *err)
{
	static const int ignored[] = {SIGINT, SIGQUIT, SIGHUP, SIGPIPE};
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN); /* signals of the terminal are meant for the program */
	a->began_mono = weft_monotonic_ns();
	a->began = a->began_mono + weft_realtime_offset_ns();
	a->how.window_ns = a->how.window_ns ? a->how.window_ns : WINDOW_NS;
	a->how.sync_ms = a->how.sync_ms ? a->how.sync_ms : SYNC_MS;
	a->n_controllers = a->how.n_controllers;
	for (unsigned i = 0; i < ANALYZE_CONTROLLERS; i++)
		a->controller[i].fd = -1;
	for (unsigned i = 0; i < a->n_controllers; i++)
		channel_init(&a->controller[i], a->how.controller[i], CHANNEL_ALL);
	int rc = show_begin(a) ? weft_err_set(err, -ENOMEM, "out of memory") : 0;
	rc = rc ? rc : decide_begin(a, err);
	for (unsigned i = 0; i < a->how.n_tunlets && !rc; i++)
		rc = analyze_begin_tunlet(a, i, err);
	return rc;
}

void analyze_fini(struct analyze *a)
{
	show_end(a);
	end_tunlets(a);
	decide_end(a);
	for (unsigned i = 0; i < a->n_controllers; i++)
		channel_fini(&a->controller[i]);
	for (unsigned i = 0; i < a->n_controllers; i++)
		weft_buf_fini(&a->fold[i].bytes);
	for (size_t i = 0; i < a->process.n; i++)
		process_free(a->process.at[i]);
	for (size_t i = 0; i < a->queue.n; i++)
		free(a->queue.at[i].m);
	for (size_t i = 0; i < a->refused.n; i++)
		free(a->refused.at[i]);
	hold_free(a);
	split_end(a);
	self_fini(a);
	free(a->process.at);
	weft_map_fini(&a->process_at);
	weft_map_fini(&a->alive_at);
	weft_map_fini(&a->id_at);
	free(a->queue.at);
	free(a->endings.at);
	free(a->refused.at);
}

/* From `ready` until the run is over. */
static int analyze_live(struct analyze *a, struct message *m, struct weft_err *err)
{
	/* A process that begins on a host before its controller would not be seen. */
	uint64_t until = weft_monotonic_ns() + HOSTS_MS * MS;
	while (a->how.hosts > 1 && self_heads(a) < a->how.collectors && !a->ended && weft_monotonic_ns() < until)
		analyze_look(a, m, TICK_MS);
	if (a->how.hosts > 1 && self_heads(a) < a->how.collectors)
		show_line(a, true, "%u of %u collectors have not begun yet: what begins on their hosts before is not tuned",
		          a->how.collectors - self_heads(a), a->how.collectors);
	if (write(a->how.ready, "r", 1) != 1)
		return weft_err_sys(err, errno, "cannot begin");
	while (!a->ended && !a->err.code)
		analyze_look(a, m, TICK_MS);
	analyze_finish(a, m);
	return 0;
}

int analyze_run(const struct analyze_how *how, struct weft_err *err)
{
	struct analyze *a = calloc(1, sizeof *a);
	struct message *m = calloc(1, sizeof *m);
	int rc = -ENOMEM;
	if (!a || !m || how->n_controllers > ANALYZE_CONTROLLERS || how->n_tunlets > ANALYZE_TUNLETS) {
		weft_err_set(err, rc, "out of memory");
		goto out;
	}
	a->how = *how;
	rc = analyze_begin(a, err);
	if (rc == 0 && !how->replay)
		look_begin(a);
	if (rc == 0)
		rc = how->replay ? analyze_replay_trace(a, how->replay, err) : analyze_live(a, m, err);
	if (rc == 0 && !a->lost)
		rc = report_write(a, err);
	if (rc == 0 && a->err.code)
		rc = weft_err_set(err, a->err.code, "%s", a->err.text);
	look_end();
	analyze_fini(a);
out:
	free(a);
	free(m);
	return rc;
}
