/* SPDX-License-Identifier: Apache-2.0 */
/* Messages: sends at their calls, receives when they are complete. Source, tag and bytes of a receive are its status's. */
#include "mpi_priv.h"

uint64_t mpi_type_size(mpi_word type)
{
	int size = 0;
	return mpi_own.Type_size(type, &size) || size < 0 ? 0 : (uint64_t)size;
}

static void message_out(const struct mpi_comm *of, int to, int tag, uint64_t bytes, uint64_t began)
{
	if (WEFT_UNLIKELY(mpi_bursts))
		mpi_burst_sent(of, to, bytes);
	else if (of->foreign)
		mpi_spawn_sent(of, to, tag, bytes, began);
	else
		weft_send_since(of->weft, to, tag, bytes, began);
}

static void message_in(const struct mpi_comm *of, int from, int tag, uint64_t bytes, uint64_t posted)
{
	if (WEFT_UNLIKELY(mpi_bursts))
		mpi_burst_received(of, from, bytes);
	else if (of->foreign)
		mpi_spawn_received(of, from, tag, bytes, posted);
	else
		weft_recv_since(of->weft, from, tag, bytes, posted);
}

static void sent(const struct mpi_call *c, mpi_word comm, unsigned peer, unsigned tag, uint64_t bytes)
{
	const struct mpi_comm *of = mpi_count_int(c, peer) == mpi.proc_null ? NULL : mpi_comm_of(comm);
	int to = of ? mpi_comm_peer(of, mpi_count_int(c, peer)) : -1;
	if (to >= 0)
		message_out(of, to, mpi_count_int(c, tag), bytes, c->began);
}

static void received(const struct mpi_comm *of, const void *status, uint64_t posted)
{
	int source = mpi_status_int(status, mpi.source), from = of ? mpi_comm_peer(of, source) : -1;
	if (from >= 0 && source != mpi.proc_null && !mpi_status_cancelled(status))
		message_in(of, from, mpi_status_int(status, mpi.tag), mpi_status_bytes(status), posted);
}

/* As it was posted: the bytes are those that there was room for. */
static void exchanged(const struct mpi_request *r)
{
	int from = mpi_comm_peer(r->of, r->peer);
	if (r->peer == mpi.proc_null)
		return;
	if (from < 0 || r->tag < 0)
		mpi_lost(1);
	else
		message_in(r->of, from, r->tag, r->bytes, r->posted);
}

void mpi_complete(const struct mpi_request *r, const void *status)
{
	if (r->kind == MPI_REQ_RECV || r->kind == MPI_REQ_RECV_PERSISTENT)
		received(r->of, status, r->posted);
	else if (r->kind == MPI_REQ_EXCHANGE)
		exchanged(r);
	else if (r->kind != MPI_REQ_COLLECTIVE && r->kind != MPI_REQ_COLLECTIVE_PERSISTENT)
		return;
	else if (WEFT_UNLIKELY(mpi_bursts))
		mpi_burst_collected(r->of, r->bytes, r->received);
	else
		weft_collective(r->of->weft, r->tag, r->peer, r->bytes, r->received);
}

/* ---- blocking ---- */

void mpi_after_send(struct mpi_call *c, int rc)
{
	if (rc == 0)
		sent(c, c->a[5], 3, 4, mpi_bytes(c, 1, 2));
}

void mpi_before_recv(struct mpi_call *c)
{
	mpi_own_status(c, 6);
}

void mpi_after_recv(struct mpi_call *c, int rc)
{
	if (rc == 0)
		received(mpi_comm_of(c->a[5]), (const void *)c->a[6], c->began);
}

void mpi_before_sendrecv(struct mpi_call *c)
{
	mpi_own_status(c, 11);
}

void mpi_after_sendrecv(struct mpi_call *c, int rc)
{
	if (rc)
		return;
	sent(c, c->a[10], 3, 4, mpi_bytes(c, 1, 2));
	received(mpi_comm_of(c->a[10]), (const void *)c->a[11], c->began);
}

void mpi_before_replace(struct mpi_call *c)
{
	mpi_own_status(c, 8);
}

void mpi_after_replace(struct mpi_call *c, int rc)
{
	if (rc)
		return;
	sent(c, c->a[7], 3, 4, mpi_bytes(c, 1, 2));
	received(mpi_comm_of(c->a[7]), (const void *)c->a[8], c->began);
}

/* ---- begun, and completed by another call ---- */

/* Arguments of a call that posts: where they stand. */
struct posting {
	enum mpi_request_kind kind;
	unsigned peer, tag, comm, request;
	const struct mpi_comm *of; /* where there is no argument for it */
	uint64_t bytes;
};

static void posted(const struct mpi_call *c, const struct posting *p)
{
	struct mpi_request r = {.handle = mpi_handle_at((const void *)c->a[p->request], 0),
	                        .of = p->of ? p->of : mpi_comm_of(c->a[p->comm]),
	                        .kind = (uint8_t)p->kind,
	                        .active = p->kind < MPI_REQ_SEND_PERSISTENT,
	                        .peer = mpi_count_int(c, p->peer),
	                        .tag = mpi_count_int(c, p->tag),
	                        .bytes = p->bytes,
	                        .posted = c->began};
	if (r.of && r.handle != mpi.request_null)
		mpi_request_put(&r);
}

void mpi_after_isend(struct mpi_call *c, int rc)
{
	if (rc)
		return;
	sent(c, c->a[5], 3, 4, mpi_bytes(c, 1, 2));
	mpi_request_forget(mpi_handle_at((const void *)c->a[6], 0));
}

void mpi_after_irecv(struct mpi_call *c, int rc)
{
	if (rc == 0)
		posted(c, &(struct posting){MPI_REQ_RECV, 3, 4, 5, 6, NULL, 0});
}

void mpi_after_isendrecv(struct mpi_call *c, int rc)
{
	if (rc)
		return;
	sent(c, c->a[10], 3, 4, mpi_bytes(c, 1, 2));
	posted(c, &(struct posting){MPI_REQ_EXCHANGE, 8, 9, 10, 11, NULL, mpi_bytes(c, 6, 7)});
}

void mpi_after_isendrecv_replace(struct mpi_call *c, int rc)
{
	if (rc)
		return;
	sent(c, c->a[7], 3, 4, mpi_bytes(c, 1, 2));
	posted(c, &(struct posting){MPI_REQ_EXCHANGE, 5, 6, 7, 8, NULL, mpi_bytes(c, 1, 2)});
}

void mpi_after_send_init(struct mpi_call *c, int rc)
{
	if (rc == 0)
		posted(c, &(struct posting){MPI_REQ_SEND_PERSISTENT, 3, 4, 5, 6, NULL, mpi_bytes(c, 1, 2)});
}

void mpi_after_recv_init(struct mpi_call *c, int rc)
{
	if (rc == 0)
		posted(c, &(struct posting){MPI_REQ_RECV_PERSISTENT, 3, 4, 5, 6, NULL, 0});
}

/* Partitioned: one message a start, of all partitions. Their counts have 64 bits. */
static void posted_parts(const struct mpi_call *c, enum mpi_request_kind kind)
{
	uint64_t parts = c->a[2] > 0 && (int)c->a[1] > 0 ? (uint64_t)(int)c->a[1] * (uint64_t)c->a[2] : 0;
	posted(c, &(struct posting){kind, 4, 5, 6, 8, NULL, parts * mpi_type_size(c->a[3])});
}

void mpi_after_psend_init(struct mpi_call *c, int rc)
{
	if (rc == 0)
		posted_parts(c, MPI_REQ_SEND_PERSISTENT);
}

void mpi_after_precv_init(struct mpi_call *c, int rc)
{
	if (rc == 0)
		posted_parts(c, MPI_REQ_RECV_PERSISTENT);
}

void mpi_started(const struct mpi_call *c, mpi_word handle)
{
	struct mpi_request r;
	if (!mpi_request_start(handle, c->began, &r) || r.kind != MPI_REQ_SEND_PERSISTENT || r.peer == mpi.proc_null)
		return;
	int to = mpi_comm_peer(r.of, r.peer);
	if (to >= 0)
		message_out(r.of, to, r.tag, r.bytes, c->began);
}

void mpi_after_start(struct mpi_call *c, int rc)
{
	if (rc == 0)
		mpi_started(c, mpi_handle_at((const void *)c->a[0], 0));
}

void mpi_after_startall(struct mpi_call *c, int rc)
{
	for (int i = 0; rc == 0 && i < mpi_count_int(c, 0); i++)
		mpi_started(c, mpi_handle_at((const void *)c->a[1], (size_t)i));
}

void mpi_before_free(struct mpi_call *c)
{
	if (c->a[0])
		mpi_request_forget(mpi_handle_at((const void *)c->a[0], 0));
}

/* ---- probed, then received by the message's handle, which alone knows the communicator ---- */

static void probed(const struct mpi_call *c, unsigned message)
{
	struct mpi_request r = {.handle = mpi_handle_at((const void *)c->a[message], 0),
	                        .of = mpi_comm_of(c->a[2]),
	                        .kind = MPI_REQ_MESSAGE};
	if (r.of)
		mpi_request_put(&r);
}

void mpi_after_mprobe(struct mpi_call *c, int rc)
{
	if (rc == 0)
		probed(c, 3);
}

void mpi_after_improbe(struct mpi_call *c, int rc)
{
	if (rc == 0 && *(const int *)c->a[3])
		probed(c, 4);
}

static void take_message(struct mpi_call *c)
{
	struct mpi_request r;
	bool known = c->a[3] && mpi_request_take(mpi_handle_at((const void *)c->a[3], 0), &r);
	c->of = known && r.kind == MPI_REQ_MESSAGE ? r.of : NULL;
}

void mpi_before_mrecv(struct mpi_call *c)
{
	mpi_own_status(c, 4);
	take_message(c);
}

void mpi_after_mrecv(struct mpi_call *c, int rc)
{
	if (rc == 0)
		received(c->of, (const void *)c->a[4], c->began);
}

void mpi_before_imrecv(struct mpi_call *c)
{
	take_message(c);
}

void mpi_after_imrecv(struct mpi_call *c, int rc)
{
	if (rc == 0 && c->of)
		posted(c, &(struct posting){MPI_REQ_RECV, 1, 1, 1, 4, c->of, 0});
}
