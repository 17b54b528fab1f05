/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: sends at their calls, receives when they are complete. Source, tag and bytes of a receive are its status's. */
#include "mpi_priv.h"
#include <string.h>

uint64_t mpi_bytes(mpi_word count, mpi_word type)
{
	int size = 0;
	if (mpi_own.Type_size(type, &size) || size < 0)
		return 0;
	return (uint64_t)(int)count * (uint64_t)size;
}

static void sent(const struct mpi_call *c, mpi_word comm, mpi_word peer, mpi_word tag, uint64_t bytes)
{
	const struct mpi_comm *of = (int)peer == mpi.proc_null ? NULL : mpi_comm_of(comm);
	int to = of ? mpi_comm_peer(of, (int)peer) : -1;
	if (to >= 0)
		weft_send_since(of->weft, to, (int)tag, bytes, c->began);
}

static void received(const struct mpi_comm *of, const void *status, uint64_t posted)
{
	int from = of ? mpi_comm_peer(of, mpi_status_int(status, mpi.source)) : -1, cancelled = 0;
	if (from < 0 || mpi_status_int(status, mpi.source) == mpi.proc_null)
		return;
	if (mpi_own.Test_cancelled(status, &cancelled) == 0 && cancelled)
		return;
	weft_recv_since(of->weft, from, mpi_status_int(status, mpi.tag), mpi.bytes(status), posted);
}

void mpi_received(const struct mpi_request *r, const void *status)
{
	received(r->of, status, r->posted);
}

/* ---- blocking ---- */

/* Ours where the program wants none. */
static void own_status(struct mpi_call *c, unsigned at)
{
	c->status = c->a[at];
	if (c->status == mpi.status_ignore)
		c->a[at] = (mpi_word)c->room;
}

void mpi_after_send(struct mpi_call *c, int rc)
{
	if (rc == 0)
		sent(c, c->a[5], c->a[3], c->a[4], mpi_bytes(c->a[1], c->a[2]));
}

void mpi_before_recv(struct mpi_call *c)
{
	own_status(c, 6);
}

void mpi_after_recv(struct mpi_call *c, int rc)
{
	if (rc == 0)
		received(mpi_comm_of(c->a[5]), (const void *)c->a[6], c->began);
}

void mpi_before_sendrecv(struct mpi_call *c)
{
	own_status(c, 11);
}

void mpi_after_sendrecv(struct mpi_call *c, int rc)
{
	if (rc)
		return;
	sent(c, c->a[10], c->a[3], c->a[4], mpi_bytes(c->a[1], c->a[2]));
	received(mpi_comm_of(c->a[10]), (const void *)c->a[11], c->began);
}

void mpi_before_replace(struct mpi_call *c)
{
	own_status(c, 8);
}

void mpi_after_replace(struct mpi_call *c, int rc)
{
	if (rc)
		return;
	sent(c, c->a[7], c->a[3], c->a[4], mpi_bytes(c->a[1], c->a[2]));
	received(mpi_comm_of(c->a[7]), (const void *)c->a[8], c->began);
}

/* ---- begun, and completed by another call ---- */

void mpi_after_isend(struct mpi_call *c, int rc)
{
	mpi_after_send(c, rc);
}

static void posted(const struct mpi_call *c, enum mpi_request_kind kind, bool active)
{
	const struct mpi_comm *of = mpi_comm_of(c->a[5]);
	struct mpi_request r = {.handle = mpi_handle_at((const void *)c->a[6], 0),
	                        .of = of,
	                        .kind = (uint8_t)kind,
	                        .active = active,
	                        .peer = (int)c->a[3],
	                        .tag = (int)c->a[4],
	                        .posted = c->began};
	if (kind == MPI_REQ_SEND_PERSISTENT)
		r.bytes = mpi_bytes(c->a[1], c->a[2]);
	if (of && r.handle != mpi.request_null)
		mpi_request_put(&r);
}

void mpi_after_irecv(struct mpi_call *c, int rc)
{
	if (rc == 0)
		posted(c, MPI_REQ_RECV, true);
}

void mpi_after_send_init(struct mpi_call *c, int rc)
{
	if (rc == 0)
		posted(c, MPI_REQ_SEND_PERSISTENT, false);
}

void mpi_after_recv_init(struct mpi_call *c, int rc)
{
	if (rc == 0)
		posted(c, MPI_REQ_RECV_PERSISTENT, false);
}

static void started(const struct mpi_call *c, mpi_word handle)
{
	struct mpi_request r;
	if (!mpi_request_copy(handle, &r))
		return;
	if (r.kind == MPI_REQ_SEND_PERSISTENT && r.peer != mpi.proc_null) {
		int to = mpi_comm_peer(r.of, r.peer);
		if (to >= 0)
			weft_send_since(r.of->weft, to, r.tag, r.bytes, c->began);
	}
	r.active = true;
	r.posted = c->began;
	mpi_request_put(&r);
}

void mpi_after_start(struct mpi_call *c, int rc)
{
	if (rc == 0)
		started(c, mpi_handle_at((const void *)c->a[0], 0));
}

void mpi_after_startall(struct mpi_call *c, int rc)
{
	for (int i = 0; i < (int)c->a[0] && rc == 0; i++)
		started(c, mpi_handle_at((const void *)c->a[1], (size_t)i));
}

void mpi_before_free(struct mpi_call *c)
{
	struct mpi_request gone;
	mpi_request_take(mpi_handle_at((const void *)c->a[0], 0), &gone);
}
