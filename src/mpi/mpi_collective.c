/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collective operations: what this process gives and gets, by the arguments of the call. Recorded when the call ends, or, begun and
 * completed by another call, when its request is complete. An argument is looked at only where MPI says that it counts: counts and types
 * of the root's side at the root, nothing of the side that is MPI_IN_PLACE.
 */
#include "mpi_priv.h"

/* How the bytes of a side come from its count and type. */
enum amount {
	NOTHING,
	ONE,      /* count elements */
	EACH,     /* count elements for each member, or neighbour */
	LIST,     /* an array of counts, all of them */
	LIST_OWN, /* the entry of this process, of an array */
	LIST_W    /* an array of counts, and one of types */
};
/* Whom a side is for. */
enum whose { EVERY, ROOT, OTHERS };

struct side {
	unsigned char amount, whose;
	signed char buffer, count, type;
};
enum operation {
	OP_NONE,
	OP_Bcast,
	OP_Barrier,
	OP_Reduce,
	OP_Allreduce,
	OP_Alltoall,
	OP_Alltoallv,
	OP_Gather,
	OP_Gatherv,
	OP_Scatter,
	OP_Scatterv,
	OP_Allgather,
	OP_Allgatherv,
	OP_Scan,
	OP_Reduce_scatter,
	OP_Reduce_scatter_block,
	OP_Alltoallw,
	OP_Neighbor_allgather,
	OP_Neighbor_allgatherv,
	OP_Neighbor_alltoall,
	OP_Neighbor_alltoallv,
	OP_Neighbor_alltoallw,
	OP_Exscan,
};
/* Argument numbers; -1: none. What takes a request has it last. */
static const struct collective {
	unsigned char operation; /* as in docs/format.md */
	signed char root, comm;
	struct side send, recv;
	bool neighbours;
} collectives[] = {
	/* clang-format off */
	[OP_Bcast] = {7, 3, 4, {ONE, ROOT, 0, 1, 2}, {ONE, OTHERS, 0, 1, 2}, false},
	[OP_Barrier] = {8, -1, 0, {NOTHING, EVERY, -1, -1, -1}, {NOTHING, EVERY, -1, -1, -1}, false},
	[OP_Reduce] = {9, 5, 6, {ONE, EVERY, -1, 2, 3}, {ONE, ROOT, -1, 2, 3}, false},
	[OP_Allreduce] = {10, -1, 5, {ONE, EVERY, -1, 2, 3}, {ONE, EVERY, -1, 2, 3}, false},
	[OP_Alltoall] = {11, -1, 6, {EACH, EVERY, 0, 1, 2}, {EACH, EVERY, 3, 4, 5}, false},
	[OP_Alltoallv] = {12, -1, 8, {LIST, EVERY, 0, 1, 3}, {LIST, EVERY, 4, 5, 7}, false},
	[OP_Gather] = {13, 6, 7, {ONE, EVERY, 0, 1, 2}, {EACH, ROOT, 3, 4, 5}, false},
	[OP_Gatherv] = {14, 7, 8, {ONE, EVERY, 0, 1, 2}, {LIST, ROOT, 3, 4, 6}, false},
	[OP_Scatter] = {15, 6, 7, {EACH, ROOT, 0, 1, 2}, {ONE, EVERY, 3, 4, 5}, false},
	[OP_Scatterv] = {16, 7, 8, {LIST, ROOT, 0, 1, 3}, {ONE, EVERY, 4, 5, 6}, false},
	[OP_Allgather] = {17, -1, 6, {ONE, EVERY, 0, 1, 2}, {EACH, EVERY, 3, 4, 5}, false},
	[OP_Allgatherv] = {18, -1, 7, {ONE, EVERY, 0, 1, 2}, {LIST, EVERY, 3, 4, 6}, false},
	[OP_Scan] = {30, -1, 5, {ONE, EVERY, -1, 2, 3}, {ONE, EVERY, -1, 2, 3}, false},
	[OP_Reduce_scatter] = {80, -1, 5, {LIST, EVERY, -1, 2, 3}, {LIST_OWN, EVERY, -1, 2, 3}, false},
	[OP_Reduce_scatter_block] = {168, -1, 5, {EACH, EVERY, -1, 2, 3}, {ONE, EVERY, -1, 2, 3}, false},
	[OP_Alltoallw] = {170, -1, 8, {LIST_W, EVERY, 0, 1, 3}, {LIST_W, EVERY, 4, 5, 7}, false},
	[OP_Neighbor_allgather] = {174, -1, 6, {ONE, EVERY, -1, 1, 2}, {EACH, EVERY, -1, 4, 5}, true},
	[OP_Neighbor_allgatherv] = {176, -1, 7, {ONE, EVERY, -1, 1, 2}, {LIST, EVERY, -1, 4, 6}, true},
	[OP_Neighbor_alltoall] = {178, -1, 6, {EACH, EVERY, -1, 1, 2}, {EACH, EVERY, -1, 4, 5}, true},
	[OP_Neighbor_alltoallv] = {180, -1, 8, {LIST, EVERY, -1, 1, 3}, {LIST, EVERY, -1, 5, 7}, true},
	[OP_Neighbor_alltoallw] = {182, -1, 8, {LIST_W, EVERY, -1, 1, 3}, {LIST_W, EVERY, -1, 5, 7}, true},
	[OP_Exscan] = {214, -1, 5, {ONE, EVERY, -1, 2, 3}, {ONE, EVERY, -1, 2, 3}, false},
	/* clang-format on */
};
enum { AT_ONCE, POSTED, PERSISTENT };

/* The calls of an operation: itself, begun, and made to be started, each with a form of wide counts. */
static const struct {
	unsigned char operation, way;
} called[LINK_MPI_CALLS] = {
#define BOTH(call, op, way) [LINK_MPI_##call] = {OP_##op, way}, [LINK_MPI_##call##_c] = {OP_##op, way},
#define CALLS(op, begun) BOTH(op, op, AT_ONCE) BOTH(begun, op, POSTED) BOTH(op##_init, op, PERSISTENT)
	[LINK_MPI_Barrier] = {OP_Barrier, AT_ONCE},
	[LINK_MPI_Ibarrier] = {OP_Barrier, POSTED},
	[LINK_MPI_Barrier_init] = {OP_Barrier, PERSISTENT},
	CALLS(Bcast, Ibcast) CALLS(Reduce, Ireduce) CALLS(Allreduce, Iallreduce) CALLS(Alltoall, Ialltoall)
		CALLS(Alltoallv, Ialltoallv) CALLS(Alltoallw, Ialltoallw) CALLS(Gather, Igather) CALLS(Gatherv, Igatherv)
			CALLS(Scatter, Iscatter) CALLS(Scatterv, Iscatterv) CALLS(Allgather, Iallgather)
				CALLS(Allgatherv, Iallgatherv) CALLS(Scan, Iscan) CALLS(Exscan, Iexscan)
					CALLS(Reduce_scatter, Ireduce_scatter) CALLS(Reduce_scatter_block, Ireduce_scatter_block)
						CALLS(Neighbor_allgather, Ineighbor_allgather)
							CALLS(Neighbor_allgatherv, Ineighbor_allgatherv)
								CALLS(Neighbor_alltoall, Ineighbor_alltoall)
									CALLS(Neighbor_alltoallv, Ineighbor_alltoallv)
										CALLS(Neighbor_alltoallw, Ineighbor_alltoallw)};

/* ---- how many there are to give to and to get from ---- */

struct partners {
	int in, out;
};

static struct partners neighbours(const struct mpi_comm *of)
{
	int kind = 0, n = 0, weighted = 0;
	struct partners p = {0, 0};
	if (mpi_own.Topo_test(of->handle, &kind))
		return p;
	if (kind == mpi.cart && mpi_own.Cartdim_get(of->handle, &n) == 0)
		p = (struct partners){2 * n, 2 * n};
	else if (kind == mpi.graph && mpi_own.Graph_neighbors_count(of->handle, of->rank, &n) == 0)
		p = (struct partners){n, n};
	else if (kind == mpi.dist_graph)
		(void)mpi_own.Dist_graph_neighbors_count(of->handle, &p.in, &p.out, &weighted);
	return p;
}

/* ---- bytes ---- */

static uint64_t entry(const struct mpi_call *c, mpi_word counts, int i)
{
	return mpi_count(c, mpi_hooks[c->id].wide ? (mpi_word)((const int64_t *)counts)[i] : ((const int *)counts)[i]);
}

/* `n`: as many counts as there are. */
static uint64_t amount_of(const struct mpi_call *c, const struct side *s, int n, int own)
{
	if (s->amount == NOTHING)
		return 0;
	mpi_word counts = c->a[(int)s->count], type = c->a[(int)s->type];
	uint64_t sum = 0;
	if (s->amount == LIST_W) {
		for (int i = 0; i < n; i++)
			sum += entry(c, counts, i) * mpi_type_size(mpi_handle_at((const void *)type, (size_t)i));
		return sum;
	}
	if (s->amount == LIST)
		for (int i = 0; i < n; i++)
			sum += entry(c, counts, i);
	else
		sum = s->amount == LIST_OWN ? entry(c, counts, own)
		                            : mpi_count(c, counts) * (s->amount == EACH ? (uint64_t)n : 1);
	return sum * mpi_type_size(type);
}

/* The side whose buffer is MPI_IN_PLACE: what it would have been stands in the other's arguments. */
static uint64_t amount_in_place(const struct mpi_call *c, const struct side *s, const struct side *other, int n, int own)
{
	struct side like = *other;
	if (s->amount == ONE && other->amount == EACH)
		like.amount = ONE;
	else if (s->amount == ONE && other->amount == LIST)
		like.amount = LIST_OWN;
	return amount_of(c, &like, n, own);
}

/* Between two groups: who neither is the root nor has one in the other group takes no part; data goes one way. */
static bool takes_part(const struct collective *k, const struct side *s, const struct mpi_comm *of, int root)
{
	if (k->root < 0)
		return true;
	if (!of->peer) {
		bool is_root = root == of->rank;
		return s->whose == EVERY || (s->whose == ROOT) == is_root;
	}
	if (root == mpi.proc_null)
		return false;
	bool is_root = root == mpi.root, from_root = k->send.whose == ROOT;
	return is_root ? s->whose == ROOT : s == &k->send ? !from_root : from_root;
}

static uint64_t bytes_of(const struct mpi_call *c, const struct collective *k, bool send, const struct mpi_comm *of)
{
	const struct side *s = send ? &k->send : &k->recv, *other = send ? &k->recv : &k->send;
	if (s->amount == NOTHING || !takes_part(k, s, of, k->root < 0 ? -1 : mpi_count_int(c, (unsigned)k->root)))
		return 0;
	struct partners p = k->neighbours ? neighbours(of) : (struct partners){of->size, of->size};
	/* Between two groups the partners are the others; who scatters a reduction scatters it in its own. */
	if (of->peer && k->operation != collectives[OP_Reduce_scatter].operation &&
	    k->operation != collectives[OP_Reduce_scatter_block].operation)
		p.in = p.out = of->n_remote;
	int n = send ? p.out : p.in;
	if (s->buffer >= 0 && c->a[(int)s->buffer] == mpi.in_place)
		return amount_in_place(c, s, other, n, of->rank);
	return amount_of(c, s, n, of->rank);
}

static int root_of(const struct mpi_call *c, const struct collective *k, const struct mpi_comm *of)
{
	if (k->root < 0)
		return -1;
	int root = mpi_count_int(c, (unsigned)k->root);
	return of->peer && root == mpi.root ? of->me : mpi_comm_peer(of, root);
}

bool mpi_collective_is_of_world(const struct mpi_call *c)
{
	return mpi_handle(c->a[(int)collectives[called[c->id].operation].comm]) == mpi_handle(mpi.world);
}

void mpi_after_collective(struct mpi_call *c, int rc)
{
	const struct collective *k = &collectives[called[c->id].operation];
	const struct mpi_comm *of = rc ? NULL : mpi_comm_of(c->a[(int)k->comm]);
	if (!of)
		return;
	int root = root_of(c, k, of), way = called[c->id].way;
	uint64_t out = bytes_of(c, k, true, of), in = bytes_of(c, k, false, of);
	if (way == AT_ONCE && WEFT_UNLIKELY(mpi_bursts)) {
		mpi_burst_collected(of, out, in);
		return;
	}
	if (way == AT_ONCE) {
		const uint64_t word[3] = {weft_pair_word(k->operation, root), out, in};
		if (!mpi_leave_with(c, of->weft, WEFT_HEAD_COLLECTIVE, word))
			weft_collective(of->weft, k->operation, root, out, in);
		return;
	}
	struct mpi_request r = {.handle = mpi_handle_at((const void *)c->a[k->comm + (way == POSTED ? 1 : 2)], 0),
	                        .of = of,
	                        .kind = way == POSTED ? MPI_REQ_COLLECTIVE : MPI_REQ_COLLECTIVE_PERSISTENT,
	                        .active = way == POSTED,
	                        .peer = root,
	                        .tag = k->operation,
	                        .bytes = out,
	                        .received = in,
	                        .posted = c->began};
	if (r.handle != mpi.request_null)
		mpi_request_put(&r);
}
