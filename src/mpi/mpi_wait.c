/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The eight calls that complete requests. Before the call the entries of its requests are taken out of the table, in `taken`; behind it,
 * those that are complete have their statuses looked at, and the others are put back. A persistent request stays, and is not active.
 */
#include "mpi_priv.h"
#include <stdlib.h>
#include <string.h>

/* Of one call: where its arguments stand, and what is kept meanwhile. */
struct waited {
	unsigned n;
	struct mpi_request *request; /* handle 0: not one that we know */
	unsigned char *status;       /* the program's, or ours */
	bool is_one;                 /* one status for the request that is complete */
};
static const struct shape {
	unsigned call;
	signed char n, requests, index, flag, n_done, indices, statuses; /* arguments; -1: none */
	bool all;
} shapes[] = {
	{LINK_MPI_Wait, -1, 0, -1, -1, -1, -1, 1, false},  {LINK_MPI_Test, -1, 0, -1, 1, -1, -1, 2, false},
	{LINK_MPI_Waitall, 0, 1, -1, -1, -1, -1, 2, true}, {LINK_MPI_Testall, 0, 1, -1, 2, -1, -1, 3, true},
	{LINK_MPI_Waitany, 0, 1, 2, -1, -1, -1, 3, false}, {LINK_MPI_Testany, 0, 1, 2, 3, -1, -1, 4, false},
	{LINK_MPI_Waitsome, 0, 1, -1, -1, 2, 3, 4, false}, {LINK_MPI_Testsome, 0, 1, -1, -1, 2, 3, 4, false},
};

static const struct shape *shape_of(unsigned call)
{
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
		if (shapes[i].call == call)
			return &shapes[i];
	return NULL;
}

/* None of its requests is known, as after sends: nothing is to be done behind the call. */
static bool take_requests(const struct mpi_call *c, const struct shape *s, struct waited *w)
{
	bool any = false;
	for (unsigned i = 0; i < w->n; i++) {
		mpi_word handle = mpi_handle_at((const void *)c->a[(int)s->requests], i);
		if (handle == mpi.request_null || !mpi_request_take(handle, &w->request[i]))
			w->request[i].handle = 0;
		any |= w->request[i].handle != 0;
	}
	return any;
}

void mpi_before_wait(struct mpi_call *c)
{
	const struct shape *s = shape_of(c->id);
	bool one_status = s->n < 0 || s->index >= 0;
	int asked = s->n < 0 ? 1 : (int)c->a[(int)s->n];
	unsigned n = asked > 0 ? (unsigned)asked : 0;
	c->taken = NULL;
	if (!n)
		return;
	size_t statuses = one_status ? 1 : n;
	struct waited *w = malloc(sizeof *w + n * sizeof *w->request + statuses * MPI_STATUS_MOST);
	if (!w)
		return;
	w->n = n;
	w->request = (struct mpi_request *)(w + 1);
	w->status = (unsigned char *)(w->request + n);
	if (!take_requests(c, s, w)) {
		free(w);
		return;
	}
	mpi_word ignore = one_status ? mpi.status_ignore : mpi.statuses_ignore;
	if (c->a[(int)s->statuses] == ignore)
		c->a[(int)s->statuses] = (mpi_word)w->status;
	else
		w->status = (unsigned char *)c->a[(int)s->statuses];
	c->taken = w;
}

static void complete(struct mpi_request *r, const void *status)
{
	if (r->active && (r->kind == MPI_REQ_RECV || r->kind == MPI_REQ_RECV_PERSISTENT))
		mpi_received(r, status);
	if (r->kind == MPI_REQ_RECV) {
		r->handle = 0;
		return;
	}
	r->active = false; /* and stays */
}

static int int_at(mpi_word address, int i)
{
	return ((const int *)address)[i];
}

/* The requests of the call that are complete. */
static void complete_those(const struct mpi_call *c, const struct shape *s, struct waited *w)
{
	if (s->flag >= 0 && !int_at(c->a[(int)s->flag], 0))
		return;
	if (s->n_done >= 0) {
		int n = int_at(c->a[(int)s->n_done], 0);
		for (int i = 0; i < n; i++) { /* MPI_UNDEFINED is negative */
			unsigned k = (unsigned)int_at(c->a[(int)s->indices], i);
			if (k < w->n && w->request[k].handle)
				complete(&w->request[k], w->status + (size_t)i * mpi.status);
		}
		return;
	}
	if (s->all) {
		for (unsigned i = 0; i < w->n; i++)
			if (w->request[i].handle)
				complete(&w->request[i], w->status + i * mpi.status);
		return;
	}
	int k = s->index >= 0 ? int_at(c->a[(int)s->index], 0) : 0;
	if (k >= 0 && (unsigned)k < w->n && w->request[k].handle)
		complete(&w->request[k], w->status);
}

void mpi_after_wait(struct mpi_call *c, int rc)
{
	const struct shape *s = shape_of(c->id);
	struct waited *w = c->taken;
	if (!w)
		return;
	if (rc == 0)
		complete_those(c, s, w);
	for (unsigned i = 0; i < w->n; i++)
		if (w->request[i].handle)
			mpi_request_put(&w->request[i]);
	free(w);
}
