/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Routing in a collector against a simple model: random messages from controllers and collectors below and from above, neighbours
 * that die and others that come. After each step every neighbour must have got what the model says, in order, and nothing else.
 */
#include "harness.h"
#include "tune/collect/collect_priv.h"
#include "base/clock.h"
#include <poll.h>
#include <stdlib.h>
#include <string.h>

enum { BELOW = 4, PROCESSES = 24, STEPS = 4000, NOWHERE = -1, EXPECTED = 64 };

/* What somebody is to get. */
struct expected {
	enum message_kind kind;
	uint64_t process; /* 0: of none */
};

struct end { /* the other side of a stream */
	struct channel c;
	struct expected want[EXPECTED];
	unsigned n;
};

struct neighbour {
	struct end e;
	uint32_t id; /* of the collector's peer */
	bool collector;
};

struct model {
	struct collect *c;
	struct end up;
	struct neighbour below[BELOW];
	int way[PROCESSES + 1]; /* of each process, by number: the neighbour; NOWHERE: it is not there, or its way is gone */
	bool known[PROCESSES + 1];
	struct message *in;
	unsigned seen[MESSAGE_KINDS];
};

static unsigned any(unsigned n)
{
	return (unsigned)(test_random() % n);
}

static void expect(struct end *e, enum message_kind kind, uint64_t process)
{
	REQUIRE(e->n < EXPECTED);
	e->want[e->n++] = (struct expected){kind, process};
}

static struct peer *peer_by_id(struct collect *c, uint32_t id)
{
	for (size_t i = 0; i < c->below.n; i++)
		if (c->below.at[i]->id == id)
			return c->below.at[i];
	return NULL;
}

static void from_below(struct model *m, int k, struct message *message)
{
	route_up(m->c, peer_by_id(m->c, m->below[k].id), message);
}

static void join(struct model *m, int k, bool collector)
{
	int pair[2];
	struct peer *p;
	REQUIRE(channel_pair(pair, NULL) == 0 && collect_add_below(m->c, pair[0], NULL, &p) == 0);
	m->below[k] = (struct neighbour){.id = p->id, .collector = collector};
	channel_init(&m->below[k].e.c, pair[1], CHANNEL_ALL);
	struct message hello = {.kind = MESSAGE_HELLO,
	                        .hello = {.version = MESSAGE_VERSION, .host = "h", .collector = collector}};
	from_below(m, k, &hello);
	if (collector)
		expect(&m->below[k].e, MESSAGE_ABOVE, 0);
}

static struct model *begin(void)
{
	int pair[2];
	struct model *m = calloc(1, sizeof *m);
	REQUIRE(m && (m->c = calloc(1, sizeof *m->c)) && (m->in = calloc(1, sizeof *m->in)));
	REQUIRE((m->c->in = calloc(1, sizeof *m->c->in)) && channel_pair(pair, NULL) == 0);
	m->c->how.up = pair[0];
	m->c->up.alive = true;
	channel_init(&m->c->up.c, pair[0], CHANNEL_ALL);
	channel_init(&m->up.c, pair[1], CHANNEL_ALL);
	for (int i = 0; i <= PROCESSES; i++)
		m->way[i] = NOWHERE;
	for (int k = 0; k < BELOW; k++)
		join(m, k, k >= BELOW / 2);
	return m;
}

static void finish(struct model *m)
{
	peer_end(&m->c->up);
	channel_fini(&m->up.c);
	for (int k = 0; k < BELOW; k++)
		channel_fini(&m->below[k].e.c);
	while (m->c->below.n) {
		peer_end(m->c->below.at[m->c->below.n - 1]);
		free(m->c->below.at[--m->c->below.n]);
	}
	route_fini(m->c);
	grow_fini(m->c);
	free(m->c->below.at);
	free(m->c->in);
	free(m->c);
	free(m->in);
	free(m);
}

/* False: it got something else. */
static bool check_end(struct model *m, struct end *e, const char *whose)
{
	unsigned n = 0;
	bool ok = true;
	REQUIRE(channel_fill(&e->c) == 0);
	for (; channel_next(&e->c, m->in) > 0; n++) {
		m->seen[m->in->kind]++;
		bool right = n < e->n && m->in->kind == e->want[n].kind && message_process_of(m->in) == e->want[n].process;
		ok &= right;
		if (!CHECK(right))
			printf("# %s: got %s of process %llu as message %u of %u\n", whose, message_name(m->in->kind),
			       (unsigned long long)message_process_of(m->in), n, e->n);
	}
	ok &= CHECK_U64(n, e->n);
	e->n = 0;
	return ok;
}

static bool check_all(struct model *m)
{
	REQUIRE(peer_flush(&m->c->up) == 0);
	for (size_t i = 0; i < m->c->below.n; i++)
		REQUIRE(peer_flush(m->c->below.at[i]) == 0);
	bool ok = check_end(m, &m->up, "above");
	for (int k = 0; k < BELOW; k++)
		ok &= check_end(m, &m->below[k].e, m->below[k].collector ? "a collector" : "a controller");
	ok &= CHECK(!m->c->over);
	for (uint64_t p = 1; p <= PROCESSES; p++) {
		const struct collect_process *t = route_process(m->c, p);
		ok &= CHECK(m->known[p] == (t != NULL));
		if (t)
			ok &= CHECK(t->orphan_ns ? m->way[p] == NOWHERE
			                         : m->way[p] != NOWHERE && m->below[m->way[p]].id == t->by);
	}
	return ok;
}

/* -- steps -- */

static void appears(struct model *m, int k, uint64_t p)
{
	struct message x = {.kind = MESSAGE_PROCESS, .process = {.process = p, .host = "h", .exe = "/e"}};
	if (m->known[p] || m->below[k].collector)
		x = (struct message){.kind = MESSAGE_HERE, .here = {p}};
	m->way[p] = k;
	m->known[p] = true;
	expect(&m->up, x.kind, p);
	from_below(m, k, &x);
}

static void goes(struct model *m, int k, uint64_t p)
{
	struct message x = {.kind = MESSAGE_GONE, .gone = {.process = p, .why = ""}};
	m->way[p] = NOWHERE;
	m->known[p] = false;
	expect(&m->up, MESSAGE_GONE, p);
	from_below(m, k, &x);
}

/* What only passes on its way up. */
static void tells(struct model *m, int k, uint64_t p)
{
	static const enum message_kind kinds[] = {MESSAGE_EVENT, MESSAGE_INSERTED, MESSAGE_ACTED,
	                                          MESSAGE_COST,  MESSAGE_NAMED,    MESSAGE_LOST};
	struct message *x = m->in;
	memset(x, 0, sizeof *x);
	x->kind = kinds[any(sizeof kinds / sizeof kinds[0])];
	switch (x->kind) {
	case MESSAGE_INSERTED:
		x->inserted = (struct message_inserted){.process = p, .text = ""};
		break;
	case MESSAGE_ACTED:
		x->acted = (struct message_acted){.process = p, .text = "", .old.s = "", .value.s = ""};
		break;
	default:
		x->event.process = p; /* where the others have it, too */
	}
	REQUIRE(message_process_of(x) == p);
	expect(&m->up, x->kind, p);
	from_below(m, k, x);
}

/* Of one process, or (p 0) for all below. */
static void told(struct model *m, uint64_t p)
{
	struct message x = {.kind = p && any(2) ? MESSAGE_READY : MESSAGE_DETACH};
	if (x.kind == MESSAGE_READY)
		x.ready.process = p;
	else
		x.detach.process = p;
	for (int k = 0; k < BELOW; k++)
		if (p ? m->way[p] == k : true)
			expect(&m->below[k].e, x.kind, p);
	route_down(m->c, &x);
}

/* For collectors: all of them, or the one that has the process. */
static void collectors_told(struct model *m, uint64_t p)
{
	struct message x = {.kind = MESSAGE_CLOSE, .close = {.tunlet = any(3), .iteration = any(9)}};
	if (any(3) == 0)
		x = (struct message){.kind = MESSAGE_LOST, .lost = {.process = p, .count = 1}};
	else if (any(2))
		x = (struct message){.kind = MESSAGE_BIND, .bind = {.process = p, .actor = 1, .id = (int64_t)p}};
	for (int k = BELOW / 2; k < BELOW; k++)
		if (x.kind != MESSAGE_BIND || m->way[p] == k)
			expect(&m->below[k].e, x.kind, message_process_of(&x));
	route_down(m->c, &x);
	if (x.kind == MESSAGE_BIND && m->known[p])
		CHECK(route_process(m->c, p)->tunlet[0].bound);
}

/* The loss is said once; processes of a controller go with it, those of a collector may come back by another way. */
static void dies(struct model *m, int k)
{
	struct collect *c = m->c;
	bool had = false;
	size_t at = 0;
	for (size_t i = 0; i < c->process.n; i++) {
		uint64_t p = c->process.at[i].process;
		if (m->way[p] != k)
			continue;
		if (!had)
			expect(&m->up, MESSAGE_LOST, p);
		had = true;
	}
	/* In the order in which the collector has them: the last takes the place of one that goes. */
	uint64_t order[PROCESSES + 1];
	size_t n = c->process.n;
	for (size_t i = 0; i < n; i++)
		order[i] = c->process.at[i].process;
	for (size_t i = 0; i < n; i++) {
		uint64_t p = order[i];
		if (m->way[p] != k)
			continue;
		m->way[p] = NOWHERE;
		if (m->below[k].collector)
			continue;
		expect(&m->up, MESSAGE_GONE, p);
		m->known[p] = false;
		order[i--] = order[--n];
	}
	while (c->below.at[at]->id != m->below[k].id)
		at++;
	REQUIRE(peer_flush(c->below.at[at]) == 0);
	(void)check_end(m, &m->below[k].e, "one that dies");
	collect_drop_below(c, at);
	channel_fini(&m->below[k].e.c);
	join(m, k, m->below[k].collector);
}

TEST(messages_go_where_the_model_says)
{
	struct model *m = begin();
	unsigned deaths = 0;
	uint64_t since = weft_monotonic_ns();
	REQUIRE(check_all(m));
	for (unsigned i = 0; i < STEPS; i++) {
		uint64_t p = 1 + any(PROCESSES);
		int k = m->way[p] == NOWHERE ? (int)any(BELOW) : m->way[p];
		switch (any(12)) {
		case 0:
		case 1:
		case 2:
			/* One that is known comes by another collector only. */
			if (!m->known[p] || m->below[k].collector)
				appears(m, m->known[p] ? BELOW / 2 + (int)any(BELOW / 2) : k, p);
			break;
		case 3:
			if (m->way[p] != NOWHERE)
				goes(m, k, p);
			break;
		case 4:
		case 5:
			if (m->way[p] != NOWHERE)
				tells(m, k, p);
			break;
		case 6:
		case 7:
		case 8:
			told(m, any(6) ? p : 0);
			break;
		case 9:
		case 10:
			collectors_told(m, p);
			break;
		default:
			if (any(8) == 0) {
				dies(m, (int)any(BELOW));
				deaths++;
				/* Whose way is gone has two seconds to come back: it does at once here, so that no clock matters. */
				for (uint64_t q = 1; q <= PROCESSES; q++)
					if (m->known[q] && m->way[q] == NOWHERE)
						appears(m, BELOW / 2 + (int)any(BELOW / 2), q);
			}
		}
		if (!check_all(m))
			break;
	}
	printf("# %u deaths, %.1f s\n", deaths, (double)(weft_monotonic_ns() - since) * 1e-9);
	CHECK(deaths > 5);
	static const enum message_kind all[] = {MESSAGE_PROCESS, MESSAGE_HERE,  MESSAGE_GONE,   MESSAGE_EVENT,
	                                        MESSAGE_LOST,    MESSAGE_READY, MESSAGE_DETACH, MESSAGE_CLOSE,
	                                        MESSAGE_BIND,    MESSAGE_NAMED, MESSAGE_ABOVE};
	for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
		if (!CHECK(m->seen[all[i]] > 0))
			printf("# no %s\n", message_name(all[i]));
	finish(m);
}

/* Times of a controller are put right once, here; those of a collector were already. */
TEST(times_are_corrected_once)
{
	struct model *m = begin();
	uint64_t now = weft_realtime_ns();
	REQUIRE(check_all(m));
	/* The time above is 5 s ahead of ours. */
	follow_exchange(&m->c->follow, now, now + 5000000000 + 500, now + 5000000000 + 500, now + 1000);
	for (int k = 0; k < BELOW; k++) {
		struct message x = {.kind = MESSAGE_LOST, .lost = {.process = 1, .time = now, .since = now - 1000}};
		from_below(m, k, &x);
		uint64_t want = m->below[k].collector ? now : now + 5000000000;
		CHECK_U64(x.lost.time, want);
		CHECK_U64(x.lost.since, want - 1000);
	}
	finish(m);
}
