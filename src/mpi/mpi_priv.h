/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of libweft-mpi share. A call of MPI goes through wrap_X (mpi_wrap.c): its region is entered, its arguments lie in an
 * array of words, a hook may look at them and change them before and after the MPI library's own function; see mpi_hooks.c for which.
 *
 * Handles of MPI are words: an address with Open MPI, an int with MPICH, in the lower half of a register whose upper half is
 * anything. What else differs between the two is in struct mpi_shape.
 */
#ifndef WEFT_MPI_PRIV_H
#define WEFT_MPI_PRIV_H

#include "base/atomic.h"
#include "link/link_mpi.h"
#include <stdbool.h>
#include <stddef.h>
#include <weft/record.h>

typedef intptr_t mpi_word;

/* ---- what the MPI library at hand is like (mpi_shape.c) ---- */

struct mpi_shape {
	const char *library;
	size_t handle;              /* bytes of one in an array */
	size_t status, source, tag; /* bytes of a status; where its fields are */
	mpi_word status_ignore, statuses_ignore, in_place;
	int proc_null, any_source, root;
	uint64_t (*bytes)(const void *status); /* received */
	mpi_word world, self, comm_null, request_null, byte;
};
extern struct mpi_shape mpi;

enum { MPI_STATUS_MOST = 32 };

int mpi_shape_find(const struct link_calls *with);
static inline mpi_word mpi_handle(mpi_word w)
{
	return mpi.handle == 4 ? (mpi_word)(uint32_t)w : w;
}
static inline mpi_word mpi_handle_at(const void *array, size_t i)
{
	return mpi.handle == 4 ? (mpi_word)((const uint32_t *)array)[i] : ((const mpi_word *)array)[i];
}
int mpi_status_int(const void *status, size_t offset);
/* Functions of the MPI library that we call ourselves, by their PMPI names. */
struct mpi_own {
	int (*Comm_size)(mpi_word, int *), (*Comm_rank)(mpi_word, int *), (*Comm_group)(mpi_word, void *);
	int (*Comm_remote_group)(mpi_word, void *), (*Comm_test_inter)(mpi_word, int *);
	int (*Comm_remote_size)(mpi_word, int *);
	int (*Group_size)(mpi_word, int *), (*Group_free)(void *);
	int (*Group_translate_ranks)(mpi_word, int, const int *, mpi_word, int *);
	int (*Type_size)(mpi_word, int *), (*Bcast)(void *, int, mpi_word, int, mpi_word);
	int (*Test_cancelled)(const void *, int *);
};
extern struct mpi_own mpi_own;

/* ---- one call ---- */

struct mpi_call {
	unsigned id;
	mpi_word *a;     /* its arguments */
	uint64_t began;  /* ticks */
	mpi_word status; /* the program's own, where ours stands in its place */
	void *taken;     /* what a hook keeps from before the call until behind it; malloc */
	_Alignas(16) unsigned char room[2 * MPI_STATUS_MOST];
};
struct mpi_hook {
	void (*before)(struct mpi_call *c);
	void (*after)(struct mpi_call *c, int rc);
	unsigned char poll; /* asks only: 1 more than the argument that says whether there was something; 0: does more */
};
extern const struct mpi_hook mpi_hooks[LINK_MPI_CALLS];
extern weft_region mpi_region[LINK_MPI_CALLS];
extern const struct link_calls *mpi_link;

void mpi_wrap_all(void **slot);
void mpi_define(void); /* the regions */

/* ---- communicators (mpi_comm.c) ---- */

struct mpi_comm {
	mpi_word handle;
	weft_comm weft;
	uint64_t key;
	int rank, size, n_remote;
	int *peer; /* of an intercommunicator: what the ranks of the other group are called in `weft`; else NULL */
	int me;    /* this process in `weft` */
};
void mpi_comm_begin(void);                     /* MPI has begun: the world */
struct mpi_comm *mpi_comm_of(mpi_word handle); /* NULL: none, or no memory */
void mpi_comm_gone(mpi_word handle);
int mpi_comm_peer(const struct mpi_comm *c, int rank);

/* ---- requests (mpi_request.c) ---- */

enum mpi_request_kind { MPI_REQ_NONE, MPI_REQ_RECV, MPI_REQ_SEND_PERSISTENT, MPI_REQ_RECV_PERSISTENT };
struct mpi_request {
	mpi_word handle;
	const struct mpi_comm *of;
	uint64_t bytes, posted;
	int peer, tag;
	uint8_t kind;
	bool active;
};
void mpi_request_put(const struct mpi_request *r);
bool mpi_request_take(mpi_word handle, struct mpi_request *out); /* it is not in the table any more */
bool mpi_request_copy(mpi_word handle, struct mpi_request *out);

/* ---- hooks (mpi_message.c, mpi_wait.c, mpi_comm.c) ---- */

uint64_t mpi_bytes(mpi_word count, mpi_word type);
void mpi_received(const struct mpi_request *r, const void *status);
#define MPI_HOOK(name) void mpi_before_##name(struct mpi_call *c)
#define MPI_AFTER(name) void mpi_after_##name(struct mpi_call *c, int rc)
MPI_AFTER(init);
MPI_AFTER(send);
MPI_HOOK(recv);
MPI_AFTER(recv);
MPI_HOOK(sendrecv);
MPI_AFTER(sendrecv);
MPI_HOOK(replace);
MPI_AFTER(replace);
MPI_AFTER(isend);
MPI_AFTER(irecv);
MPI_AFTER(send_init);
MPI_AFTER(recv_init);
MPI_AFTER(start);
MPI_AFTER(startall);
MPI_HOOK(free);
MPI_HOOK(wait);
MPI_AFTER(wait);
MPI_AFTER(new_comm);
MPI_HOOK(comm_free);

#endif
