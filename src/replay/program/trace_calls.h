/* SPDX-License-Identifier: Apache-2.0 */
/* What MPI's calls are to a replay, by their names; and the numbers that operations have in traces. */
#ifndef WEFT_REPLAY_TRACE_CALLS_H
#define WEFT_REPLAY_TRACE_CALLS_H

#include "program.h"

enum trace_call {
	TRACE_NO_CALL,
	TRACE_OTHER,      /* takes its time: files, windows, communicators */
	TRACE_WAITS,      /* waits or polls; its measured time is not its own */
	TRACE_SENDS,      /* blocking */
	TRACE_SENDS_SYNC, /* blocking, never eager */
	TRACE_POSTS_SEND, /* not blocking */
	TRACE_POSTS,      /* receives that complete later */
	TRACE_EXCHANGES,  /* Sendrecv */
	TRACE_BEGINS,     /* a collective operation that is completed later */
	TRACE_TOGETHER,   /* a collective operation */
	TRACE_PUTS,       /* one-sided */
	TRACE_GETS,
	TRACE_FLUSHES, /* ends an epoch of such */
	TRACE_INIT,    /* all begin together */
	TRACE_FENCE,   /* ends an epoch for all */
	TRACE_FINALIZE,
	TRACE_CALLS,
};
/* "MPI_Irecv", also "PMPI_Irecv", "MPI_IRECV", "mpi_irecv_". */
enum trace_call trace_call_of(const char *name);
/* By the number of a collective operation in a trace; -1: none that is known. */
int trace_operation(unsigned number);

#endif
