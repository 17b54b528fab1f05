/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bursts in place of calls and messages (link_burst.h): a region "MPI" from the first call behind a burst to the end of the last one before the
 * next, with what lay between as its attributes (mpi_statistics.def); what is 0 is not written. Bytes are counted where messages and
 * collective operations would be recorded: a receive's when it is complete.
 */
#include "link/link_burst.h"
#include "mpi_priv.h"
#include <pthread.h>

enum statistic {
#define MPI_STATISTIC(id, name, unit) STAT_##id,
#include "mpi_statistics.def"
#undef MPI_STATISTIC
	STATISTICS,
	STAT_FIRST_TIME = STAT_TIME
};
static const struct {
	const char *name, *unit;
} statistics[STATISTICS] = {
#define MPI_STATISTIC(id, name, unit) {name, unit},
#include "mpi_statistics.def"
#undef MPI_STATISTIC
};

bool mpi_bursts;
static struct link_burst burst;
static weft_region between;
static weft_attr attr[STATISTICS];

/* Who was a partner, and in which stretch the last time: a hash table of the thread's own; who 0: free. */
struct partner {
	uint64_t who;
	uint32_t in, out;
};
static __thread struct {
	uint64_t began, ended; /* ticks of the call; of the last one */
	uint64_t n[STATISTICS];
	uint32_t stretch, n_partners, room;
	struct partner *partner;
	bool open; /* the region is */
	struct link_burst_last last;
} here __attribute__((tls_model("initial-exec")));
static pthread_key_t partners_key;

static void partners_free(void *arg)
{
	here.partner = NULL;
	here.n_partners = here.room = 0;
	free(arg);
}

void mpi_burst_define(weft_category category)
{
	mpi_bursts = link_burst_begin(&burst) && pthread_key_create(&partners_key, partners_free) == 0;
	if (!mpi_bursts)
		return;
	between = weft_define_region("MPI", WEFT_STATE_COMMUNICATING, category);
	for (unsigned i = 0; i < STATISTICS; i++)
		attr[i] = weft_define_attr(statistics[i].name, statistics[i].unit, category);
}

/* ---- partners ---- */

static struct partner *partner_at(uint64_t who)
{
	uint32_t i = (uint32_t)(who * 0x9e3779b97f4a7c15u >> 32) & (here.room - 1);
	while (here.partner[i].who && here.partner[i].who != who)
		i = (i + 1) & (here.room - 1);
	return &here.partner[i];
}

static bool partners_grow(void)
{
	struct partner *old = here.partner;
	uint32_t n = here.room, room = n ? 2 * n : 64;
	struct partner *more = calloc(room, sizeof *more);
	if (!more || pthread_setspecific(partners_key, more)) {
		free(more);
		return false;
	}
	here.partner = more;
	here.room = room;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].who)
			*partner_at(old[i].who) = old[i];
	free(old);
	return true;
}

/* By world rank; those of another world by communicator and rank. */
static struct partner *partner_of(const struct mpi_comm *of, int rank)
{
	uint64_t who = (uint64_t)(of->ranks ? of->ranks[rank] : rank) + 1;
	if (of->foreign)
		who = (of->key + (uint64_t)rank) | 1ull << 63;
	if (2 * here.n_partners >= here.room && !partners_grow())
		return NULL;
	struct partner *p = partner_at(who);
	here.n_partners += !p->who;
	p->who = who;
	return p;
}

/* ---- what is counted ---- */

void mpi_burst_sent(const struct mpi_comm *of, int to, uint64_t bytes)
{
	struct partner *p = partner_of(of, to);
	here.n[STAT_OUTGOING]++;
	here.n[STAT_SENT] += bytes;
	here.n[STAT_TO] += p && p->out != here.stretch;
	if (p)
		p->out = here.stretch;
}

void mpi_burst_received(const struct mpi_comm *of, int from, uint64_t bytes)
{
	struct partner *p = partner_of(of, from);
	here.n[STAT_INCOMING]++;
	here.n[STAT_RECEIVED] += bytes;
	here.n[STAT_FROM] += p && p->in != here.stretch;
	if (p)
		p->in = here.stretch;
}

void mpi_burst_collected(const struct mpi_comm *of, uint64_t given, uint64_t got)
{
	bool world = of->handle == mpi.world;
	here.n[STAT_GIVEN] += given;
	here.n[STAT_GOT] += got;
	here.n[STAT_WORLD_GIVEN] += world ? given : 0;
	here.n[STAT_WORLD_GOT] += world ? got : 0;
}

/* Sends and receives; what completes them, probes, and what only prepares them are other calls. */
static bool is_point_to_point(const struct mpi_call *c)
{
	static void (*const all[])(struct mpi_call *, int) = {mpi_after_send,      mpi_after_isend,
	                                                      mpi_after_recv,      mpi_after_irecv,
	                                                      mpi_after_sendrecv,  mpi_after_replace,
	                                                      mpi_after_isendrecv, mpi_after_isendrecv_replace,
	                                                      mpi_after_mrecv,     mpi_after_imrecv};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (mpi_hooks[c->id].after == all[i])
			return true;
	return false;
}

static void count_call(const struct mpi_call *c, uint64_t took)
{
	bool collective = mpi_hooks[c->id].after == mpi_after_collective, pair = is_point_to_point(c);
	bool world = collective && mpi_collective_is_of_world(c);
	here.n[STAT_CALLS]++;
	here.n[STAT_TIME] += took;
	here.n[STAT_PAIRS] += pair;
	here.n[STAT_PAIR_TIME] += pair ? took : 0;
	here.n[STAT_COLLECTIVES] += collective;
	here.n[STAT_COLLECTIVE_TIME] += collective ? took : 0;
	here.n[STAT_WORLDS] += world;
	here.n[STAT_WORLD_TIME] += world ? took : 0;
}

/* ---- begin and end of a call ---- */

void mpi_burst_enter(struct mpi_call *c)
{
	here.began = c->began = weft_ticks();
	bool short_one = here.ended && here.began - here.ended < burst.ticks;
	if (!here.open && !(short_one && link_burst_take_back(&here.last))) {
		memset(here.n, 0, sizeof here.n);
		here.stretch++;
		weft_enter(between);
	}
	here.open = true;
	here.last.at = 0;
	if (mpi_hooks[c->id].before)
		mpi_hooks[c->id].before(c);
}

void mpi_burst_leave(struct mpi_call *c, int rc)
{
	struct weft_bundle b;
	here.ended = weft_ticks();
	count_call(c, here.ended - here.began);
	if (mpi_hooks[c->id].after)
		mpi_hooks[c->id].after(c, rc);
	weft_bundle_begin(&b);
	for (unsigned i = 0; i < STATISTICS; i++)
		if (here.n[i])
			weft_bundle_add(&b, attr[i], WEFT_HEAD_ATTR,
			                i < STAT_FIRST_TIME ? here.n[i] : link_burst_in_ns(&burst, here.n[i]));
	weft_bundle_add(&b, between, WEFT_HEAD_LEAVE, 0);
	link_burst_record(&here.last, &b);
	here.open = false;
}
