/* SPDX-License-Identifier: Apache-2.0 */
/* MPI's calls by name: first whole names, then what the other names begin with. */
#include "trace_calls.h"
#include <string.h>
#include <strings.h>

static const struct {
	const char *name; /* behind MPI_; a * at the end: all that begin so */
	enum trace_call call;
} names[] = {
	{"Init", TRACE_INIT},
	{"Init_thread", TRACE_INIT},
	{"Finalize", TRACE_FINALIZE},
	{"Ssend", TRACE_SENDS_SYNC},
	{"Send", TRACE_SENDS},
	{"Send_c", TRACE_SENDS},
	{"Rsend", TRACE_SENDS},
	{"Bsend", TRACE_POSTS_SEND},
	{"Isend*", TRACE_POSTS_SEND},
	{"Issend", TRACE_POSTS_SEND},
	{"Irsend", TRACE_POSTS_SEND},
	{"Ibsend", TRACE_POSTS_SEND},
	{"Start*", TRACE_POSTS},
	{"Irecv*", TRACE_POSTS},
	{"Imrecv*", TRACE_POSTS},
	{"Recv_init*", TRACE_OTHER},
	{"Recv*", TRACE_WAITS},
	{"Mrecv*", TRACE_WAITS},
	{"Sendrecv*", TRACE_EXCHANGES},
	{"Isendrecv*", TRACE_POSTS},
	{"Wait*", TRACE_WAITS},
	{"Test*", TRACE_WAITS},
	{"Probe", TRACE_WAITS},
	{"Mprobe", TRACE_WAITS},
	{"Iprobe", TRACE_WAITS},
	{"Improbe", TRACE_WAITS},
	{"Request_get_status", TRACE_WAITS},
	{"Put*", TRACE_PUTS},
	{"Rput*", TRACE_PUTS},
	{"Accumulate*", TRACE_PUTS},
	{"Raccumulate*", TRACE_PUTS},
	{"Get", TRACE_GETS},
	{"Get_c", TRACE_GETS},
	{"Rget*", TRACE_GETS},
	{"Get_accumulate*", TRACE_GETS},
	{"Fetch_and_op", TRACE_GETS},
	{"Compare_and_swap", TRACE_GETS},
	{"Win_unlock*", TRACE_FLUSHES},
	{"Win_flush*", TRACE_FLUSHES},
	{"Win_complete", TRACE_FLUSHES},
	{"Win_fence", TRACE_FENCE},
	{"Barrier", TRACE_TOGETHER},
	{"Bcast*", TRACE_TOGETHER},
	{"Reduce_local*", TRACE_OTHER},
	{"Reduce*", TRACE_TOGETHER},
	{"Allreduce*", TRACE_TOGETHER},
	{"Alltoall*", TRACE_TOGETHER},
	{"Gather*", TRACE_TOGETHER},
	{"Scatter*", TRACE_TOGETHER},
	{"Allgather*", TRACE_TOGETHER},
	{"Scan*", TRACE_TOGETHER},
	{"Exscan*", TRACE_TOGETHER},
	{"Neighbor_*", TRACE_TOGETHER},
	{"Ibarrier*", TRACE_BEGINS},
	{"Ibcast*", TRACE_BEGINS},
	{"Ireduce*", TRACE_BEGINS},
	{"Iallreduce*", TRACE_BEGINS},
	{"Ialltoall*", TRACE_BEGINS},
	{"Igather*", TRACE_BEGINS},
	{"Iscatter*", TRACE_BEGINS},
	{"Iallgather*", TRACE_BEGINS},
	{"Iscan*", TRACE_BEGINS},
	{"Iexscan*", TRACE_BEGINS},
	{"Ineighbor_*", TRACE_BEGINS},
};

static bool is_named(const char *name, size_t n, const char *pattern)
{
	const size_t length = strlen(pattern);
	if (length && pattern[length - 1] == '*')
		return n >= length - 1 && strncasecmp(name, pattern, length - 1) == 0;
	return n == length && strncasecmp(name, pattern, n) == 0;
}

enum trace_call trace_call_of(const char *name)
{
	if (name[0] == 'P' || name[0] == 'p')
		name++;
	if (strncasecmp(name, "MPI_", 4) != 0)
		return TRACE_NO_CALL;
	name += 4;
	size_t n = strlen(name);
	while (n && name[n - 1] == '_')
		n--;
	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (is_named(name, n, names[i].name))
			return names[i].call;
	return TRACE_OTHER;
}

int trace_operation(unsigned number)
{
	static const struct {
		uint8_t number, operation;
	} rows[] = {
		{7, WEFT_REPLAY_BCAST},
		{8, WEFT_REPLAY_BARRIER},
		{9, WEFT_REPLAY_REDUCE},
		{10, WEFT_REPLAY_ALLREDUCE},
		{11, WEFT_REPLAY_ALLTOALL},
		{12, WEFT_REPLAY_ALLTOALLV},
		{13, WEFT_REPLAY_GATHER},
		{14, WEFT_REPLAY_GATHERV},
		{15, WEFT_REPLAY_SCATTER},
		{16, WEFT_REPLAY_SCATTERV},
		{17, WEFT_REPLAY_ALLGATHER},
		{18, WEFT_REPLAY_ALLGATHERV},
		{30, WEFT_REPLAY_SCAN},
		{80, WEFT_REPLAY_REDUCE_SCATTER},
		{168, WEFT_REPLAY_REDUCE_SCATTER_BLOCK},
		{170, WEFT_REPLAY_ALLTOALLW},
		{174, WEFT_REPLAY_ALLGATHER},
		{176, WEFT_REPLAY_ALLGATHERV},
		{178, WEFT_REPLAY_ALLTOALL},
		{180, WEFT_REPLAY_ALLTOALLV},
		{182, WEFT_REPLAY_ALLTOALLW},
		{214, WEFT_REPLAY_SCAN},
		/* the same, as calls that only begin them */
		{154, WEFT_REPLAY_REDUCE},
		{155, WEFT_REPLAY_ALLREDUCE},
		{156, WEFT_REPLAY_BARRIER},
		{157, WEFT_REPLAY_BCAST},
		{158, WEFT_REPLAY_ALLTOALL},
		{159, WEFT_REPLAY_ALLTOALLV},
		{160, WEFT_REPLAY_ALLGATHER},
		{161, WEFT_REPLAY_ALLGATHERV},
		{162, WEFT_REPLAY_GATHER},
		{163, WEFT_REPLAY_GATHERV},
		{164, WEFT_REPLAY_SCATTER},
		{165, WEFT_REPLAY_SCATTERV},
		{166, WEFT_REPLAY_REDUCE_SCATTER},
		{167, WEFT_REPLAY_SCAN},
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
		if (rows[i].number == number)
			return rows[i].operation;
	return -1;
}
