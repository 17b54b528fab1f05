/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The eight calls that complete requests. Before the call the entries of its requests are taken out of the table, into the thread's own
 * room; behind it, those that are complete have their statuses looked at, and the others are put back. A persistent request stays, and
 * is not active.
 *
 * Where one thread at a time calls MPI nobody can be given a handle meanwhile: calls that only ask, and mostly in vain, note the handles, and take
 * the entries when something is complete.
 */
#include "mpi_priv.h"
#include <pthread.h>
#include <stdlib.h>

static const struct shape {
	signed char n, requests, index, flag, n_done, indices, statuses; /* arguments; -1: none */
	bool known, all;
} shapes[LINK_MPI_CALLS] = {
	[LINK_MPI_Wait] = {-1, 0, -1, -1, -1, -1, 1, true, false},  [LINK_MPI_Test] = {-1, 0, -1, 1, -1, -1, 2, true, false},
	[LINK_MPI_Waitall] = {0, 1, -1, -1, -1, -1, 2, true, true}, [LINK_MPI_Testall] = {0, 1, -1, 2, -1, -1, 3, true, true},
	[LINK_MPI_Waitany] = {0, 1, 2, -1, -1, -1, 3, true, false}, [LINK_MPI_Testany] = {0, 1, 2, 3, -1, -1, 4, true, false},
	[LINK_MPI_Waitsome] = {0, 1, -1, -1, 2, 3, 4, true, false}, [LINK_MPI_Testsome] = {0, 1, -1, -1, 2, 3, 4, true, false},
};

enum { WAITED_FIRST = 16 };
__thread struct mpi_waited *mpi_waited_here __attribute__((tls_model("initial-exec")));
static pthread_key_t waited_key;
static pthread_once_t waited_once = PTHREAD_ONCE_INIT;
static bool waited_has_key;

static void waited_free(void *arg)
{
	mpi_waited_here = NULL;
	free(arg);
}

static void waited_begin(void)
{
	waited_has_key = pthread_key_create(&waited_key, waited_free) == 0;
}

static struct mpi_waited *waited_more(unsigned n)
{
	unsigned room = WAITED_FIRST;
	while (room < n)
		room *= 2;
	struct mpi_waited *w = malloc(sizeof *w + room * (sizeof *w->request + sizeof(mpi_word) + MPI_STATUS_MOST));
	pthread_once(&waited_once, waited_begin);
	if (!w || !waited_has_key || pthread_setspecific(waited_key, w)) {
		free(w);
		return NULL;
	}
	w->room = room;
	w->noted = w->request + room;
	w->own = (unsigned char *)w->noted + room * sizeof(mpi_word);
	free(mpi_waited_here);
	mpi_waited_here = w;
	return w;
}

static inline struct mpi_waited *waited_for(unsigned n)
{
	struct mpi_waited *w = mpi_waited_here;
	return WEFT_LIKELY(w && w->room >= n) ? w : waited_more(n);
}

/* No memory: what the call completes is not followed. A persistent request has its next start. */
static void lose_requests(const struct mpi_call *c, const struct shape *s, unsigned n)
{
	uint64_t lost = 0;
	for (unsigned i = 0; i < n; i++) {
		struct mpi_request r;
		if (!mpi_request_take(mpi_handle_at((const void *)c->a[s->requests], i), &r))
			continue;
		lost += r.active && r.kind != MPI_REQ_SEND_PERSISTENT;
		r.active = false;
		if (r.kind >= MPI_REQ_SEND_PERSISTENT)
			mpi_request_put(&r);
	}
	if (lost)
		mpi_lost(lost);
}

/* None of its requests is known, as after sends: nothing is to be done behind the call. */
static bool take_requests(const struct mpi_call *c, const struct shape *s, struct mpi_waited *w)
{
	bool any = false;
	for (unsigned i = 0; i < w->n; i++) {
		mpi_word handle = mpi_handle_at((const void *)c->a[s->requests], i);
		if (handle == mpi.request_null || !mpi_request_take(handle, &w->request[i]))
			w->request[i].handle = 0;
		any |= w->request[i].handle != 0;
	}
	return any;
}

static void take_noted(struct mpi_waited *w)
{
	for (unsigned i = 0; i < w->n; i++) {
		mpi_word handle = mpi_handle_at(w->noted, i);
		if (handle == mpi.request_null || !mpi_request_take(handle, &w->request[i]))
			w->request[i].handle = 0;
	}
}

void mpi_before_wait(struct mpi_call *c)
{
	const struct shape *s = &shapes[c->id];
	bool one_status = s->n < 0 || s->index >= 0;
	int asked = s->n < 0 ? 1 : (int)c->a[(int)s->n];
	unsigned n = asked > 0 && c->a[s->requests] ? (unsigned)asked : 0;
	c->waited = NULL;
	if (!n)
		return;
	struct mpi_waited *w = waited_for(n);
	if (WEFT_UNLIKELY(!w)) {
		lose_requests(c, s, n);
		return;
	}
	w->n = n;
	w->later = mpi_one_thread && mpi_hooks[c->id].poll;
	if (w->later)
		memcpy(w->noted, (const void *)c->a[s->requests], n * mpi.handle);
	else if (!take_requests(c, s, w))
		return;
	mpi_word ignore = one_status ? mpi.status_ignore : mpi.statuses_ignore;
	if (c->a[(int)s->statuses] == ignore)
		c->a[(int)s->statuses] = (mpi_word)w->own;
	w->status = (const unsigned char *)c->a[(int)s->statuses];
	c->waited = w;
}

static void complete(struct mpi_request *r, const void *status)
{
	if (r->active)
		mpi_complete(r, status);
	if (r->kind < MPI_REQ_SEND_PERSISTENT)
		r->handle = 0;
	r->active = false; /* and stays */
}

static int int_at(mpi_word address, int i)
{
	return ((const int *)address)[i];
}

/* The requests of the call that are complete; `failed`: but for those whose statuses say that they failed. */
static void complete_some(const struct mpi_call *c, const struct shape *s, struct mpi_waited *w, bool failed)
{
	int n = s->all ? (int)w->n : int_at(c->a[(int)s->n_done], 0); /* MPI_UNDEFINED is negative */
	for (int i = 0; i < n; i++) {
		const unsigned char *status = w->status + (size_t)i * mpi.status;
		unsigned k = s->all ? (unsigned)i : (unsigned)int_at(c->a[(int)s->indices], i);
		if (k < w->n && w->request[k].handle && !(failed && mpi_status_int(status, mpi.error)))
			complete(&w->request[k], status);
	}
}

static void complete_those(const struct mpi_call *c, const struct shape *s, struct mpi_waited *w)
{
	if (s->flag >= 0 && !int_at(c->a[(int)s->flag], 0))
		return;
	if (s->all || s->n_done >= 0) {
		complete_some(c, s, w, false);
		return;
	}
	int k = s->index >= 0 ? int_at(c->a[(int)s->index], 0) : 0;
	if (k >= 0 && (unsigned)k < w->n && w->request[k].handle)
		complete(&w->request[k], w->status);
}

void mpi_after_wait(struct mpi_call *c, int rc)
{
	const struct shape *s = &shapes[c->id];
	struct mpi_waited *w = c->waited;
	if (!w || (w->later && !rc && !int_at(c->a[mpi_hooks[c->id].poll], 0)))
		return;
	if (w->later)
		take_noted(w);
	if (rc == 0)
		complete_those(c, s, w);
	else if ((rc & mpi.class_bits) == mpi.in_status && (s->all || s->n_done >= 0))
		complete_some(c, s, w, true);
	for (unsigned i = 0; i < w->n; i++) {
		/* Of a call that failed some are complete, and their handles gone. */
		bool gone = rc && mpi_handle_at((const void *)c->a[s->requests], i) == mpi.request_null;
		if (w->request[i].handle && !gone)
			mpi_request_put(&w->request[i]);
	}
}
