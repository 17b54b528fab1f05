/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communicators: what each handle is in the trace. The members of one must give it the same key without a word to each other: it is made
 * of the world's key, the members' world ranks in their order, and how many communicators of just these members each of them has made
 * before; as making one is collective, all have made as many. The world's key is made of the launcher's name of the job.
 *
 * An intercommunicator is one communicator in the trace, of the members of both groups, the group with the lower first world rank in
 * front; a rank of the other group is translated.
 */
#include "mpi_priv.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COMM_FIRST = 64 };
/* By handle; open addressing. Grown by a new one: the old ones stay, as do communicators that are gone, since a thread may look at them. */
static struct comm_table {
	unsigned room, n;
	struct mpi_comm *row[];
} * comm_table;
static pthread_mutex_t comm_lock = PTHREAD_MUTEX_INITIALIZER;
static mpi_word world_group;
static uint64_t world_key;
static struct {
	uint64_t members;
	uint32_t n;
} * made; /* how many of these members there have been */
static size_t n_made;

static unsigned comm_place(mpi_word handle)
{
	return (unsigned)((uint64_t)handle * 0x9e3779b97f4a7c15u >> 32);
}

static struct mpi_comm *comm_find(mpi_word handle)
{
	const struct comm_table *t = __atomic_load_n(&comm_table, __ATOMIC_ACQUIRE);
	for (unsigned i = comm_place(handle); t; i++) {
		struct mpi_comm *c = __atomic_load_n(&t->row[i & (t->room - 1)], __ATOMIC_ACQUIRE);
		if (!c)
			return NULL;
		if (__atomic_load_n(&c->handle, __ATOMIC_RELAXED) == handle) /* who asks knows that it is there */
			return c;
	}
	return NULL;
}

static uint64_t comm_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

/* World ranks of a group; NULL: no memory. Who is of another world is -1. */
static int *comm_ranks_of(mpi_word group, int *n)
{
	if (mpi_own.Group_size(group, n) || *n < 1)
		return NULL;
	int *own = malloc(2 * (size_t)*n * sizeof *own), *world = own ? own + *n : NULL;
	for (int i = 0; own && i < *n; i++)
		own[i] = i;
	if (own && mpi_own.Group_translate_ranks(group, *n, own, world_group, world)) {
		free(own);
		return NULL;
	}
	if (own)
		memmove(own, world, (size_t)*n * sizeof *own);
	return own;
}

static mpi_word comm_group(mpi_word comm, int (*of)(mpi_word, void *))
{
	mpi_word group = 0;
	return of(comm, &group) ? 0 : mpi_handle(group);
}

static uint64_t comm_next_key(const int *ranks, int n)
{
	uint64_t members = comm_mix(world_key, (uint64_t)n);
	size_t k = 0;
	for (int i = 0; i < n; i++)
		members = comm_mix(members, (uint64_t)ranks[i] + 1);
	while (k < n_made && made[k].members != members)
		k++;
	if (k == n_made) {
		void *more = realloc(made, (n_made + 1) * sizeof *made);
		if (!more)
			return members;
		made = more;
		made[n_made++].members = members;
		made[k].n = 0;
	}
	return comm_mix(members, ++made[k].n);
}

/* Both groups' members, the one with the lower first rank in front; and what the other group's are called there. */
static int *comm_join(struct mpi_comm *c, int *mine, int n_mine, int *theirs, int n_theirs)
{
	int *both = malloc((size_t)(n_mine + n_theirs) * sizeof *both), first = mine[0] < theirs[0] ? n_mine : 0;
	c->peer = malloc((size_t)n_theirs * sizeof *c->peer);
	if (!both || !c->peer) {
		free(both);
		return NULL;
	}
	memcpy(both + (first ? 0 : n_theirs), mine, (size_t)n_mine * sizeof *mine);
	memcpy(both + first, theirs, (size_t)n_theirs * sizeof *theirs);
	for (int i = 0; i < n_theirs; i++)
		c->peer[i] = first + i;
	c->me = c->rank + (first ? 0 : n_theirs);
	c->n_remote = n_theirs;
	return both;
}

/* Asked about is `like`: a communicator of the same members that can be asked by now. */
static struct mpi_comm *comm_make(mpi_word handle, mpi_word like, const char *name)
{
	int is_inter = 0, n = 0, n_theirs = 0;
	struct mpi_comm *c = calloc(1, sizeof *c);
	mpi_word group = c ? comm_group(like, mpi_own.Comm_group) : 0;
	int *ranks = group ? comm_ranks_of(group, &n) : NULL;
	if (group)
		mpi_own.Group_free(&(mpi_word){group});
	if (!ranks || mpi_own.Comm_rank(like, &c->rank) || mpi_own.Comm_test_inter(like, &is_inter))
		goto fail;
	c->handle = handle;
	c->size = n;
	c->me = c->rank;
	if (is_inter) {
		mpi_word other = comm_group(like, mpi_own.Comm_remote_group);
		int *theirs = other ? comm_ranks_of(other, &n_theirs) : NULL, *both;
		if (other)
			mpi_own.Group_free(&(mpi_word){other});
		both = theirs ? comm_join(c, ranks, n, theirs, n_theirs) : NULL;
		free(theirs);
		if (!both)
			goto fail;
		free(ranks);
		ranks = both;
		n += n_theirs;
	}
	for (int i = 0; i < n; i++)
		if (ranks[i] < 0)
			goto fail; /* of a world that was spawned, or connected: not known here */
	c->key = handle == mpi.world ? world_key : comm_next_key(ranks, n);
	if (handle == mpi.world) {
		free(ranks);
		ranks = NULL;
	}
	c->ranks = ranks;
	c->n_ranks = n;
	c->weft = weft_define_comm(name, c->key, ranks, ranks ? (unsigned)n : 0);
	return c;
fail:
	if (c)
		free(c->peer);
	free(c);
	free(ranks);
	return NULL;
}

static void comm_place_in(struct comm_table *t, struct mpi_comm *c)
{
	unsigned i = comm_place(c->handle);
	while (t->row[i & (t->room - 1)])
		i++;
	t->n++;
	__atomic_store_n(&t->row[i & (t->room - 1)], c, __ATOMIC_RELEASE);
}

/* At most half full, of those that were ever: a new table has only those that are. */
static bool comm_keep(struct mpi_comm *c)
{
	struct comm_table *t = comm_table, *more;
	if (!t || 2 * (t->n + 1) > t->room) {
		unsigned live = 1, room = COMM_FIRST;
		for (unsigned i = 0; t && i < t->room; i++)
			live += t->row[i] && t->row[i]->handle;
		while (room < 4 * live)
			room *= 2;
		more = calloc(1, sizeof *more + room * sizeof *more->row);
		if (!more)
			return false;
		more->room = room;
		for (unsigned i = 0; t && i < t->room; i++)
			if (t->row[i] && t->row[i]->handle)
				comm_place_in(more, t->row[i]);
		__atomic_store_n(&comm_table, t = more, __ATOMIC_RELEASE);
	}
	comm_place_in(t, c);
	return true;
}

static bool comm_known(mpi_word handle, mpi_word like, const char *name)
{
	pthread_mutex_lock(&comm_lock);
	struct mpi_comm *c = comm_find(handle);
	bool known = c || ((c = comm_make(handle, like, name)) && comm_keep(c));
	pthread_mutex_unlock(&comm_lock);
	return known;
}

static void comm_made(mpi_word handle, mpi_word like, const char *name)
{
	if (handle != mpi.comm_null && world_group && !comm_known(handle, like, name))
		mpi_lost(1);
}

bool mpi_comm_in_world(mpi_word handle, const char *name)
{
	return world_group && comm_known(handle, handle, name);
}

bool mpi_comm_keep(struct mpi_comm *c)
{
	pthread_mutex_lock(&comm_lock);
	bool kept = !comm_find(c->handle) && comm_keep(c);
	pthread_mutex_unlock(&comm_lock);
	return kept;
}

void mpi_comm_gone(mpi_word handle)
{
	pthread_mutex_lock(&comm_lock);
	struct mpi_comm *c = comm_find(mpi_handle(handle));
	if (c)
		__atomic_store_n(&c->handle, 0, __ATOMIC_RELAXED); /* nobody who may ask asks for it */
	pthread_mutex_unlock(&comm_lock);
}

struct mpi_comm *mpi_comm_of(mpi_word handle)
{
	return comm_find(mpi_handle(handle));
}

int mpi_comm_peer(const struct mpi_comm *c, int rank)
{
	return !c->peer ? rank : rank >= 0 && rank < c->n_remote ? c->peer[rank] : -1;
}

void mpi_comm_begin(void)
{
	int rank = -1, size = 0;
	if (world_group || mpi_own.Comm_rank(mpi.world, &rank) || mpi_own.Comm_size(mpi.world, &size))
		return;
	weft_set_rank(rank, size);
	world_key = mpi_clock_begin(rank, size);
	world_group = comm_group(mpi.world, mpi_own.Comm_group);
	comm_made(mpi.world, mpi.world, "MPI_COMM_WORLD");
	comm_made(mpi.self, mpi.self, "MPI_COMM_SELF");
	mpi_spawn_begin();
}

/* The new handle's address is the last argument, but for what stands in the table. */
void mpi_after_new_comm(struct mpi_call *c, int rc)
{
	static const struct {
		unsigned call, argument;
		const char *name;
	} where[] = {{LINK_MPI_Comm_dup, 1, "dup"},
	             {LINK_MPI_Comm_dup_with_info, 2, "dup"},
	             {LINK_MPI_Comm_idup, 1, "dup"},
	             {LINK_MPI_Comm_idup_with_info, 2, "dup"},
	             {LINK_MPI_Comm_create, 2, "create"},
	             {LINK_MPI_Comm_create_group, 3, "create"},
	             {LINK_MPI_Comm_split, 3, "split"},
	             {LINK_MPI_Comm_split_type, 4, "split"},
	             {LINK_MPI_Cart_create, 5, "cart"},
	             {LINK_MPI_Cart_sub, 2, "cart"},
	             {LINK_MPI_Graph_create, 5, "graph"},
	             {LINK_MPI_Dist_graph_create, 8, "graph"},
	             {LINK_MPI_Dist_graph_create_adjacent, 9, "graph"},
	             {LINK_MPI_Intercomm_create, 5, "intercomm"},
	             {LINK_MPI_Intercomm_merge, 2, "merge"}};
	for (size_t i = 0; i < sizeof where / sizeof *where && rc == 0; i++)
		if (where[i].call == c->id) {
			mpi_word handle = mpi_handle_at((const void *)c->a[where[i].argument], 0);
			bool later = c->id == LINK_MPI_Comm_idup || c->id == LINK_MPI_Comm_idup_with_info;
			struct mpi_comm *from = mpi_comm_of(mpi_handle(c->a[0]));
			mpi_word like = later ? mpi_handle(c->a[0]) : handle;
			if (from && from->foreign)
				mpi_spawn_derived(from, handle, like, where[i].name);
			else
				comm_made(handle, like, where[i].name);
		}
}

void mpi_before_comm_free(struct mpi_call *c)
{
	if (c->a[0])
		mpi_comm_gone(mpi_handle_at((const void *)c->a[0], 0));
}

/* The program's name for it takes the place of ours. */
void mpi_after_comm_name(struct mpi_call *c, int rc)
{
	struct mpi_comm *of = rc ? NULL : mpi_comm_of(c->a[0]);
	const char *name = (const char *)c->a[1];
	if (of && *name)
		__atomic_store_n(&of->weft, weft_define_comm(name, of->key, of->ranks, of->ranks ? (unsigned)of->n_ranks : 0),
		                 __ATOMIC_RELEASE);
}
