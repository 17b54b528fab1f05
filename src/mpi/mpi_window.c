/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One-sided communication: the region of a call has the target, as a rank of the window's group, and the bytes that are moved as
 * attributes. It is no message: the target has no call that it would end at, and when it ends is not to be seen.
 */
#include "mpi_priv.h"

static const struct {
	unsigned call;
	signed char target, count, type; /* -1: none; without a count, one */
} moves[] = {
#define BOTH(name, target, count, type) {LINK_MPI_##name, target, count, type}, {LINK_MPI_##name##_c, target, count, type},
	BOTH(Put, 3, 1, 2) BOTH(Get, 3, 1, 2) BOTH(Accumulate, 3, 1, 2) BOTH(Rput, 3, 1, 2) BOTH(Rget, 3, 1, 2)
		BOTH(Raccumulate, 3, 1, 2) BOTH(Get_accumulate, 6, 8, 9) BOTH(Rget_accumulate, 6, 8, 9)
#undef BOTH
			{LINK_MPI_Fetch_and_op, 3, -1, 2},
	{LINK_MPI_Compare_and_swap, 4, -1, 3},
	{LINK_MPI_Win_lock, 1, -1, -1},
	{LINK_MPI_Win_unlock, 0, -1, -1},
	{LINK_MPI_Win_flush, 0, -1, -1},
	{LINK_MPI_Win_flush_local, 0, -1, -1},
};

void mpi_before_window(struct mpi_call *c)
{
	static weft_attr target = WEFT_OFF, bytes = WEFT_OFF;
	unsigned i = 0;
	while (i < sizeof moves / sizeof *moves && moves[i].call != c->id)
		i++;
	if (i == sizeof moves / sizeof *moves)
		return;
	mpi_attr_define(&target, "target", "");
	weft_attr_int(target, mpi_count_int(c, (unsigned)moves[i].target));
	if (moves[i].type < 0)
		return;
	uint64_t size = mpi_type_size(c->a[(int)moves[i].type]);
	mpi_attr_define(&bytes, "bytes", "B");
	weft_attr_int(bytes, (int64_t)(moves[i].count < 0 ? size : size * mpi_count(c, c->a[(int)moves[i].count])));
}
