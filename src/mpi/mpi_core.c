/* SPDX-License-Identifier: Apache-2.0 */
/* The begin of libweft-mpi, and what MPI_Init tells. */
#include "mpi_priv.h"
#include <errno.h>

__attribute__((visibility("default"))) link_calls_begin weft_mpi_begin;

bool mpi_one_thread, mpi_polls_quick;

int weft_mpi_begin(const struct link_calls *with)
{
	static struct link_calls kept;
	if (with->version != LINK_CALLS_VERSION || with->n_calls != LINK_MPI_NAMES)
		return -EPROTO;
	if (mpi_link)
		return -EALREADY; /* the program is linked with us */
	int rc = mpi_shape_find(with);
	if (rc)
		return rc;
	kept = *with;
	mpi_link = &kept;
	mpi_define();
	mpi_wrap_all(with->slot);
	return 0;
}

void mpi_after_init(struct mpi_call *c, int rc)
{
	enum { MULTIPLE = 3 }; /* of both */
	if (rc)
		return;
	mpi_one_thread = c->id == LINK_MPI_Init || *(const int *)c->a[3] < MULTIPLE;
	mpi_polls_quick = mpi_one_thread && !mpi_bursts && !mpi_callers_asked;
	mpi_comm_begin();
	mpi_pvars_begin();
}
