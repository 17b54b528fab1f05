/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Worlds that MPI spawns. Each has a key of its own, of its job's name; what parents and children have in common is their intercommunicator, whose
 * key the parents know without a word to each other (of the communicator that spawns, and how often it has), and which the children find
 * in their environment (WEFT_SPAWNED), where Open MPI's MPI_Info "env" puts it. MPICH has no such way: there the ends stay unpaired.
 *
 * World ranks mean nothing between worlds. So the two ends of a message there are paired by a key of their own: the communicator's, both
 * positions in it, and the tag; the k-th of one key with the k-th. In front stand the parents.
 * What is made of such a communicator has a key of it, of how many were made of it before, and of the members' positions in it.
 */
#include "mpi_priv.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SPAWN_VARIABLE "WEFT_SPAWNED"
enum { SPAWN_INFO_MOST = 4096 };

static uint64_t spawn_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

/* ---- messages between worlds ---- */

static uint64_t pair_key(const struct mpi_comm *c, int from, int to, int tag)
{
	uint64_t key = spawn_mix(spawn_mix(c->key, (uint64_t)(uint32_t)from << 32 | (uint32_t)to), (uint64_t)(uint32_t)tag + 1);
	return key ? key : 1;
}

void mpi_spawn_sent(const struct mpi_comm *c, int to, int tag, uint64_t bytes, uint64_t began)
{
	uint64_t w[4] = {weft_pair_word(to, tag), bytes, weft_ticks() - began, pair_key(c, c->me, to, tag)};
	weft_record(c->weft, WEFT_HEAD_SEND_KEY, 4, w);
}

void mpi_spawn_received(const struct mpi_comm *c, int from, int tag, uint64_t bytes, uint64_t posted)
{
	uint64_t w[4] = {weft_pair_word(from, tag), bytes, weft_ticks() - posted, pair_key(c, from, c->me, tag)};
	weft_record(c->weft, WEFT_HEAD_RECV_KEY, 4, w);
}

/* ---- communicators that have members of several worlds ---- */

static struct mpi_comm *spawn_new(mpi_word handle, uint64_t key, unsigned n)
{
	struct mpi_comm *c = calloc(1, sizeof *c);
	int *ranks = c ? malloc((n ? n : 1) * sizeof *ranks) : NULL;
	if (!ranks) {
		free(c);
		return NULL;
	}
	/* Positions: what they are called in their worlds nobody here knows. */
	for (unsigned i = 0; i < n; i++)
		ranks[i] = (int)i;
	*c = (struct mpi_comm){.handle = handle, .key = key, .ranks = ranks, .n_ranks = (int)n, .foreign = true};
	return c;
}

static void spawn_keep(struct mpi_comm *c, const char *name)
{
	if (c)
		c->weft = weft_define_comm(name, c->key, c->ranks, (unsigned)c->n_ranks);
	if (!c || !mpi_comm_keep(c))
		mpi_lost(1);
}

static struct mpi_comm *make_inter(mpi_word handle, uint64_t key, bool first)
{
	int rank, n, n_theirs;
	if (mpi_own.Comm_rank(handle, &rank) || mpi_own.Comm_size(handle, &n) || mpi_own.Comm_remote_size(handle, &n_theirs) ||
	    n < 1 || n_theirs < 1)
		return NULL;
	struct mpi_comm *c = spawn_new(handle, key, (unsigned)n + (unsigned)n_theirs);
	int *peer = c ? malloc((size_t)n_theirs * sizeof *peer) : NULL;
	for (int i = 0; peer && i < n_theirs; i++)
		peer[i] = i + (first ? n : 0);
	if (!peer) {
		if (c)
			free(c->ranks);
		free(c);
		return NULL;
	}
	c->rank = rank;
	c->size = n;
	c->me = rank + (first ? 0 : n_theirs);
	c->peer = peer;
	c->n_remote = n_theirs;
	return c;
}

void mpi_spawn_joined(mpi_word handle, uint64_t key, bool first, const char *name)
{
	spawn_keep(make_inter(handle, key, first), name);
}

/* The members' positions in the communicator that this one was made of; 0: not known. */
static uint64_t positions(mpi_word of, mpi_word like, int n)
{
	mpi_word group = 0, all = 0;
	uint64_t h = 0;
	int *own = malloc(2 * (size_t)n * sizeof *own);
	if (own && mpi_own.Comm_group(like, &group) == 0 && mpi_own.Comm_group(of, &all) == 0) {
		for (int i = 0; i < n; i++)
			own[i] = i;
		if (mpi_own.Group_translate_ranks(mpi_handle(group), n, own, mpi_handle(all), own + n) == 0)
			for (int i = 0; i < n; i++)
				h = spawn_mix(h + 1, (uint64_t)(uint32_t)own[n + i] + 1);
	}
	if (group)
		mpi_own.Group_free(&group);
	if (all)
		mpi_own.Group_free(&all);
	free(own);
	return h;
}

void mpi_spawn_derived(struct mpi_comm *from, mpi_word handle, mpi_word like, const char *name)
{
	int is_inter = 0, rank, n;
	uint64_t key = spawn_mix(from->key, weft_add_u32(&from->n_made, 1) + 1);
	if (handle == mpi.comm_null)
		return;
	if (mpi_own.Comm_test_inter(like, &is_inter) || mpi_own.Comm_rank(like, &rank) || mpi_own.Comm_size(like, &n) || n < 1) {
		mpi_lost(1);
	} else if (is_inter) {
		spawn_keep(make_inter(handle, key, from->me == from->rank), name);
	} else {
		struct mpi_comm *c = spawn_new(handle, from->peer ? key : spawn_mix(key, positions(from->handle, like, n)),
		                               (unsigned)n);
		if (c) {
			c->rank = c->me = rank;
			c->size = n;
		}
		spawn_keep(c, name);
	}
}

/* ---- the call ---- */

/* What the program wants in its children's environment, and ours: in a copy of its info. */
static mpi_word info_with_key(mpi_word info, uint64_t key)
{
	char env[SPAWN_INFO_MOST] = "";
	mpi_word own = 0;
	int there = 0, rc;
	size_t n = 0;
	if (mpi_handle(info) == mpi.info_null) {
		rc = mpi_own.Info_create(&own);
	} else {
		rc = mpi_own.Info_dup(info, &own);
		if (rc == 0 && mpi_own.Info_get(info, "env", SPAWN_INFO_MOST - 64, env, &there) == 0 && there)
			n = strlen(env);
	}
	if (rc)
		return 0;
	snprintf(env + n, sizeof env - n, "%s" SPAWN_VARIABLE "=%016llx", n ? "\n" : "", (unsigned long long)key);
	if (mpi_own.Info_set(mpi_handle(own), "env", env)) {
		mpi_own.Info_free(&own);
		return 0;
	}
	return mpi_handle(own);
}

/* Where the arguments of the two calls stand. */
static const struct spawn_call {
	unsigned info, root, comm, inter;
	bool many; /* an array of infos, as many as the first argument says */
} one_program = {3, 4, 5, 6, false}, programs = {4, 5, 6, 7, true};

static const struct spawn_call *spawn_arguments(const struct mpi_call *c)
{
	return c->id == LINK_MPI_Comm_spawn ? &one_program : &programs;
}

static uint64_t spawn_key(struct mpi_comm *of, bool next)
{
	uint32_t n = next ? weft_add_u32(&of->n_spawned, 1) + 1 : weft_load_u32(&of->n_spawned);
	return spawn_mix(spawn_mix(of->key, 0x737061776eu), n);
}

void mpi_before_spawn(struct mpi_call *c)
{
	const struct spawn_call *at = spawn_arguments(c);
	struct mpi_comm *of = mpi_comm_of(c->a[at->comm]);
	c->infos = NULL;
	if (!of)
		return;
	uint64_t key = spawn_key(of, true);
	int n = at->many ? mpi_count_int(c, 0) : 1;
	if (mpi_count_int(c, at->root) != of->rank || !mpi.info_null || n < 1)
		return; /* only the root's count */
	struct mpi_infos *own = calloc(1, sizeof *own + (size_t)n * sizeof(mpi_word));
	if (!own)
		return;
	own->n = n;
	for (int i = 0; i < n; i++) {
		mpi_word given = at->many ? mpi_handle_at((const void *)c->a[at->info], (size_t)i) : c->a[at->info];
		if (!(own->at[i] = info_with_key(given, key))) {
			own->n = i;
			break;
		}
	}
	if (own->n == n)
		c->a[at->info] = at->many ? (mpi_word)own->at : own->at[0];
	c->infos = own;
}

void mpi_after_spawn(struct mpi_call *c, int rc)
{
	const struct spawn_call *at = spawn_arguments(c);
	struct mpi_comm *of = mpi_comm_of(c->a[at->comm]);
	for (int i = 0; c->infos && i < c->infos->n; i++)
		mpi_own.Info_free(&c->infos->at[i]);
	free(c->infos);
	c->infos = NULL;
	if (rc || !of || !c->a[at->inter])
		return;
	mpi_word handle = mpi_handle_at((const void *)c->a[at->inter], 0);
	if (handle != mpi.comm_null)
		spawn_keep(make_inter(handle, spawn_key(of, false), true), "spawned");
}

void mpi_spawn_begin(void)
{
	const char *text = getenv(SPAWN_VARIABLE);
	mpi_word parent = 0;
	if (!text || mpi_own.Comm_get_parent(&parent))
		return;
	parent = mpi_handle(parent);
	if (parent != mpi.comm_null)
		spawn_keep(make_inter(parent, strtoull(text, NULL, 16), false), "parent");
}
