/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors that come and go during a run. The load of one is shared by leaves below it: processes
 * that it forks, each with a stream to it and one to the controller of its host, which then has
 * several ways up (control_way.c). Processes are shared out evenly, and moved one by one; of each,
 * iterations that have begun are finished where they were begun.
 *
 *     GROW n     ── fork ── WAY (a descriptor) to the controller ── the leaf's first LOAD: it has the tunlets
 *     move       HERE, BIND, MOVE to the leaf, which passes MOVE on
 *     a leaf goes  its processes are moved; LEAVE; when each process has left it and nothing is folded there any more, LEAVE to the controller,
 *                  which ends that way (END); END up; and it is let go of
 */
#include "collect_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOAD_NS UINT64_C(100000000)
enum { LEAVES_MOST = 15, DESCRIPTORS = 1024 };

static struct peer *controller_of(struct collect *c)
{
	for (size_t i = 0; i < c->below.n; i++)
		if (!c->below.at[i]->collector && !c->below.at[i]->w && !c->below.at[i]->pid)
			return c->below.at[i];
	return NULL;
}

/* ---- load ---- */

static uint32_t leaves_of(const struct collect *c)
{
	uint32_t n = 0;
	for (size_t i = 0; i < c->below.n; i++)
		n += c->below.at[i]->pid && !c->below.at[i]->leaving;
	return n;
}

/* Not before it can work: the receiver relies on that. */
static bool can_work(const struct collect *c)
{
	bool first = c->how.up >= 0 && !c->how.leaf, tells_time = c->up.w || c->how.follows;
	return first || (c->told && (c->timed || !tells_time));
}

void grow_send_load(struct collect *c, bool now)
{
	uint64_t ns = weft_monotonic_ns();
	struct message m = {.kind = MESSAGE_LOAD};
	char host[65] = "localhost";
	if (!can_work(c) || (!now && ns - c->load_ns < LOAD_NS))
		return;
	c->load_ns = ns;
	c->works = true;
	(void)!gethostname(host, sizeof host - 1);
	m.load = (struct message_load){.time = follow_time(&c->follow, collect_clock(c)),
	                               .events = c->events,
	                               .cpu_ns = weft_process_cpu_ns(),
	                               .delay_ns = weft_process_delay_ns(0),
	                               .collector = c->how.number,
	                               .of = c->how.leaf || c->how.between ? c->how.number >> 16 : c->how.number,
	                               .processes = (uint32_t)c->process.n,
	                               .leaves = leaves_of(c),
	                               .between = level_count(c),
	                               .is_between = c->how.between,
	                               .queued = (uint32_t)(c->up.w ? 0 : channel_kept(&c->up.c)),
	                               .host = host};
	route_send_up(c, &m);
}

/* ---- leaves ---- */

/* All that was open is others' business. */
static void keep_only(int up, int below)
{
	for (int fd = 3; fd < DESCRIPTORS; fd++)
		if (fd != up && fd != below)
			close(fd);
}

static _Noreturn void leaf_main(const struct collect *c, int up, int below)
{
	struct weft_err err = {0};
	struct collect_how how = c->how;
	keep_only(up, below);
	how.up = up;
	how.parent = how.listen = NULL;
	how.below = &below;
	how.n_below = 1;
	how.number = c->how.number << 16 | c->leaves;
	how.life = -1;
	how.leaf = true;
	how.was = c;
	how.follows = c->up.w || c->how.follows;
	how.listening = NULL;
	int rc = collect_run(&how, &err);
	if (rc && how.log)
		how.log(how.ctx, err.text);
	_exit(rc != 0);
}

static int begin_leaf(struct collect *c, struct peer *controller)
{
	int up[2], down[2];
	struct peer *p;
	struct message way = {.kind = MESSAGE_WAY};
	if (channel_pair(up, NULL))
		return -EMFILE;
	if (channel_pair(down, NULL)) {
		close(up[0]);
		close(up[1]);
		return -EMFILE;
	}
	way.way.collector = c->how.number << 16 | ++c->leaves;
	pid_t pid = fork();
	if (pid == 0)
		leaf_main(c, up[1], down[1]);
	close(up[1]);
	close(down[1]);
	int rc = pid < 0 ? -EAGAIN : channel_send_fd(&controller->c, &way, down[0]);
	if (rc)
		close(down[0]);
	rc = rc ? rc : collect_add_below(c, up[0], NULL, &p);
	if (rc) {
		close(up[0]);
		return rc;
	}
	p->pid = pid;
	p->number = way.way.collector;
	return 0;
}

static struct peer *last_leaf(struct collect *c)
{
	for (size_t i = c->below.n; i > 0; i--)
		if (c->below.at[i - 1]->pid && !c->below.at[i - 1]->leaving)
			return c->below.at[i - 1];
	return NULL;
}

static void adapt_number(struct collect *c)
{
	struct peer *controller = controller_of(c);
	uint32_t n = 1 + leaves_of(c);
	if (c->wanted > n && controller && controller->c.fd_out < 0 && begin_leaf(c, controller)) {
		collect_log(c, "cannot begin another collector");
		c->wanted = n;
	}
	for (; c->wanted < n; n--) {
		last_leaf(c)->leaving = true;
		c->uneven = true;
	}
}

/* ---- processes ---- */

static void grow_move(struct collect_process *t, struct peer *to)
{
	struct message m = {.kind = MESSAGE_HERE, .here = {t->process}};
	if (to->pid)
		(void)!peer_send(to, &m);
	for (uint32_t k = 0; k < COLLECT_TUNLETS && to->pid; k++) {
		const struct collect_binding *b = &t->tunlet[k];
		m = (struct message){.kind = MESSAGE_BIND, .bind = {t->process, k, b->actor, b->id}};
		if (b->bound)
			(void)!peer_send(to, &m);
	}
	m = (struct message){.kind = MESSAGE_MOVE, .move = {t->process}};
	(void)!peer_send(to, &m);
	t->by = to->id;
}

struct share {
	struct peer *p;
	size_t processes;
};

static struct share *share_of(struct share *s, size_t n, uint32_t id)
{
	for (size_t i = 0; i < n; i++)
		if (s[i].p->id == id)
			return &s[i];
	return NULL;
}

/*
 * The parties that may be given processes: those that can fold and do not leave; the first is this
 * collector itself, by its controller.
 */
static size_t find_shares(struct collect *c, struct share s[LEAVES_MOST + 1])
{
	size_t n = 0;
	struct peer *controller = controller_of(c);
	if (controller)
		s[n++] = (struct share){controller, 0};
	for (size_t i = 0; n && i < c->below.n && n <= LEAVES_MOST; i++)
		if (c->below.at[i]->pid && c->below.at[i]->ready && !c->below.at[i]->leaving)
			s[n++] = (struct share){c->below.at[i], 0};
	return n;
}

static bool by_leaf(const struct collect *c, const struct collect_process *t)
{
	for (size_t i = 0; i < c->below.n; i++)
		if (c->below.at[i]->id == t->by)
			return c->below.at[i]->pid != 0;
	return false;
}

/* From leaves that go, or have more than their share, to the one with the least. */
static void share_out(struct collect *c)
{
	struct share s[LEAVES_MOST + 1];
	size_t n = find_shares(c, s), all = 0;
	c->uneven = false;
	for (size_t i = 0; n && i < c->process.n; i++) {
		struct share *of = share_of(s, n, c->process.at[i].by);
		all += of || by_leaf(c, &c->process.at[i]);
		if (of)
			of->processes++;
	}
	size_t most = n ? (all + n - 1) / n : 0;
	for (size_t i = 0; n && i < c->process.n; i++) {
		struct collect_process *t = &c->process.at[i];
		struct share *of = share_of(s, n, t->by), *least = &s[0];
		if ((!of && !by_leaf(c, t)) || (of && of->processes <= most) || t->orphan_ns)
			continue;
		for (size_t k = 1; k < n; k++)
			least = s[k].processes < least->processes ? &s[k] : least;
		if (least == of)
			continue;
		if (of)
			of->processes--;
		least->processes++;
		grow_move(t, least->p);
	}
}

/* ---- a leaf goes ---- */

static bool has_process(const struct collect *c, const struct peer *p)
{
	for (size_t i = 0; i < c->process.n; i++)
		if (c->process.at[i].by == p->id)
			return true;
	return false;
}

static bool grow_owes(const struct collect *c, const struct peer *p)
{
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f && folder_owes(c->tunlet[k].f, p->id))
			return true;
	return false;
}

static void let_go(struct collect *c, size_t i)
{
	struct peer *p = c->below.at[i];
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f)
			folder_leave(c->tunlet[k].f, p->id);
	p->collector = false; /* nothing of it is lost */
	collect_drop_below(c, i);
}

static void look_at_leaving(struct collect *c)
{
	struct message leave = {.kind = MESSAGE_LEAVE};
	for (size_t i = 0; i < c->below.n; i++) {
		struct peer *p = c->below.at[i];
		if (!p->leaving)
			continue;
		if (!p->told_to && p->ready && !has_process(c, p))
			p->told_to = peer_send(p, &leave) == 0;
		if (p->drained && !c->ending && !grow_owes(c, p))
			let_go(c, i--);
	}
}

static bool has_own(const struct collect *c)
{
	for (uint32_t k = 0; k < COLLECT_TUNLETS; k++)
		if (c->tunlet[k].f && folder_has_own(c->tunlet[k].f))
			return true;
	return false;
}

static bool all_left(const struct collect *c)
{
	for (size_t i = 0; i < c->process.n; i++)
		if (!c->process.at[i].left)
			return false;
	return true;
}

/* This one is the leaf. */
static void grow_leave(struct collect *c)
{
	struct message leave = {.kind = MESSAGE_LEAVE}, end = {.kind = MESSAGE_END};
	struct peer *controller = controller_of(c);
	if (has_own(c) || !all_left(c))
		return;
	if (!c->told_controller && controller)
		c->told_controller = peer_send(controller, &leave) == 0;
	if (c->said_end || (controller && !controller->drained))
		return;
	route_send_up(c, &end);
	c->said_end = true;
}

static void grow_reap(struct collect *c, int how)
{
	for (size_t i = 0; i < c->ended.n; i++)
		if (waitpid(c->ended.at[i], NULL, how) != 0)
			c->ended.at[i--] = c->ended.at[--c->ended.n];
}

void grow_look(struct collect *c)
{
	grow_send_load(c, false);
	grow_reap(c, WNOHANG);
	if (c->leaving && c->how.between)
		level_leave(c);
	else if (c->leaving)
		grow_leave(c);
	if (!c->wanted || c->ending)
		return;
	adapt_number(c);
	if (c->uneven)
		share_out(c);
	look_at_leaving(c);
}

void grow_lost(struct collect *c, const struct peer *leaf)
{
	struct message m = {.kind = MESSAGE_LOAD};
	m.load = (struct message_load){.collector = leaf->number, .of = c->how.number, .gone = true, .host = ""};
	route_send_up(c, &m);
	c->uneven = true;
	(void)!weft_vec_push(&c->ended, leaf->pid); /* else it stays a zombie until we end */
}

void grow_fini(struct collect *c)
{
	grow_reap(c, 0);
	free(c->ended.at);
}

/* ---- messages (see route_up and route_down) ---- */

bool grow_up_left(struct collect *c, struct peer *from, struct message *m)
{
	struct collect_process *t = route_process(c, m->left.process);
	struct message go = {.kind = MESSAGE_GO, .go = {m->left.process}};
	(void)from;
	if (t && m->left.how == MESSAGE_MOVED)
		t->left = c->how.leaf;
	else if (t && m->left.how == MESSAGE_ENDED && c->how.leaf)
		route_forget(c, m->left.process);
	else if (t && m->left.how == MESSAGE_ENDED)
		route_ended(c, t);
	if (m->left.how == MESSAGE_MOVED)
		return false;
	if (!c->how.leaf && t)
		route_to_process(c, m->left.process, &go);
	return c->how.leaf;
}

bool grow_up_load(struct collect *c, struct peer *from, struct message *m)
{
	(void)m;
	/* Not asked for folds before: while it translates its tunlets it does not answer. */
	if (from->collector && !from->ready)
		route_can_fold(c, from);
	return true;
}

void grow_down_grow(struct collect *c, const struct message *m)
{
	if (m->grow.collector == c->how.number)
		c->wanted = m->grow.n < 1 ? 1 : m->grow.n > LEAVES_MOST ? LEAVES_MOST : m->grow.n;
	else
		for (size_t i = 0; i < c->below.n; i++)
			if (c->below.at[i]->collector)
				(void)!peer_send(c->below.at[i], m);
}

void grow_down_here(struct collect *c, const struct message *m)
{
	struct peer *controller = controller_of(c);
	if (controller)
		(void)route_add_process(c, m->here.process, controller->id);
}

void grow_down_leave(struct collect *c, const struct message *m)
{
	(void)m;
	c->leaving = true;
}
