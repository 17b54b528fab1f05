/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a region becomes, by its category and name: rows of a table, the first that fits. MPI's calls have their numbers in Extrae's
 * own table, and their states here.
 */
#include "like_priv.h"
#include "base/str.h"
#include "trace/paraver/prv_names.h"
#include <string.h>

enum {
	IDLE = 0,
	RUNS = 1,
	RECV = 3,
	SEND = 4,
	SYNC = 5,
	PROBE = 6,
	SCHED = 7,
	WAIT = 8,
	BLOCKED = 9,
	ISEND = 10,
	IRECV = 11,
	IO = 12,
	GROUP = 13,
	OTHERS = 15,
	SENDRECV = 16,
	TRANSFER = 17,
	ALLOC = 30,
	FREE = 31
};

static const struct by_name {
	const char *category, *name; /* name: a pattern */
	enum extrae_kind kind;
	uint32_t type;
	int64_t value;
	uint32_t state;
} table[] = {
	{"openmp", "OpenMP", EXTRAE_BURSTS, 0, 0, SYNC},
	{"openmp", "omp parallel in *", EXTRAE_CALL, 60000001, 3, SCHED},
	{"openmp", "omp teams in *", EXTRAE_CALL, 60000001, 3, SCHED},
	{"openmp", "* [omp parallel]", EXTRAE_FUNCTION, 60000018, 0, RUNS},
	{"openmp", "* [omp teams]", EXTRAE_FUNCTION, 60000018, 0, RUNS},
	{"openmp", "* [omp task]", EXTRAE_FUNCTION, 60000023, 0, RUNS},
	{"openmp", "* [omp target]", EXTRAE_CALL, 60000034, 1, RUNS},
	{"openmp", "omp for", EXTRAE_CALL, 60000002, 4, RUNS},
	{"openmp", "omp for *", EXTRAE_DISPATCHED, 60000002, 4, SCHED},
	{"openmp", "omp chunk", EXTRAE_CHUNK, 60000011, 0, RUNS},
	{"openmp", "omp sections", EXTRAE_CALL, 60000002, 5, SCHED},
	{"openmp", "omp section", EXTRAE_NOTHING, 0, 0, RUNS},
	{"openmp", "omp single", EXTRAE_CALL, 60000002, 6, RUNS},
	{"openmp", "omp barrier*", EXTRAE_CALL, 60000005, 1, SYNC},
	{"openmp", "omp join", EXTRAE_CALL, 60000016, 1, SYNC},
	{"openmp", "omp idle", EXTRAE_NOTHING, 0, 0, IDLE},
	{"openmp", "omp critical wait", EXTRAE_LOCK_WAIT, 60000007, 3, SYNC},
	{"openmp", "omp critical", EXTRAE_CALL, 60000007, 6, RUNS},
	{"openmp", "omp critical * wait", EXTRAE_LOCK_WAIT, 60000006, 3, SYNC},
	{"openmp", "omp critical *", EXTRAE_CALL, 60000006, 6, RUNS},
	{"openmp", "omp lock * wait", EXTRAE_LOCK_WAIT, 60000006, 3, SYNC},
	{"openmp", "omp lock *", EXTRAE_CALL, 60000006, 6, EXTRAE_AS_BEFORE},
	{"openmp", "omp ordered wait", EXTRAE_LOCK_WAIT, 60000033, 3, SYNC},
	{"openmp", "omp ordered", EXTRAE_CALL, 60000033, 6, RUNS},
	{"openmp", "omp task create", EXTRAE_CALL, 60000021, 1, SCHED},
	{"openmp", "omp taskloop", EXTRAE_CALL, 60000029, 1, SCHED},
	{"openmp", "omp taskwait", EXTRAE_CALL, 60000022, 1, SYNC},
	{"openmp", "omp taskyield", EXTRAE_CALL, 60000035, 1, SYNC},
	{"openmp", "omp taskgroup", EXTRAE_CALL, 60000027, 1, EXTRAE_AS_BEFORE},
	{"openmp", "omp taskgroup wait", EXTRAE_CALL, 60000025, 2, SYNC},
	{"openmp", "omp target*", EXTRAE_CALL, 60000034, 1, OTHERS},
	{"threads", "pthread_exit", EXTRAE_CALL, 61000000, 1, SCHED},
	{"threads", "*_create", EXTRAE_CALL, 61000000, 2, SCHED},
	{"threads", "pthread_*join*", EXTRAE_CALL, 61000000, 3, SCHED},
	{"threads", "thrd_join", EXTRAE_CALL, 61000000, 3, SCHED},
	{"threads", "*_detach", EXTRAE_CALL, 61000000, 4, SCHED},
	{"threads", "pthread_rwlock_*wrlock", EXTRAE_CALL, 61000000, 5, SYNC},
	{"threads", "pthread_rwlock_*rdlock", EXTRAE_CALL, 61000000, 6, SYNC},
	{"threads", "pthread_rwlock_unlock", EXTRAE_CALL, 61000000, 7, SYNC},
	{"threads", "pthread_mutex_unlock", EXTRAE_CALL, 61000000, 9, SYNC},
	{"threads", "mtx_unlock", EXTRAE_CALL, 61000000, 9, SYNC},
	{"threads", "pthread_mutex_*lock", EXTRAE_CALL, 61000000, 8, SYNC},
	{"threads", "mtx_*lock", EXTRAE_CALL, 61000000, 8, SYNC},
	{"threads", "*_signal", EXTRAE_CALL, 61000000, 10, SYNC},
	{"threads", "*_broadcast", EXTRAE_CALL, 61000000, 11, SYNC},
	{"threads", "pthread_cond_*wait", EXTRAE_CALL, 61000000, 12, SYNC},
	{"threads", "cnd_*wait", EXTRAE_CALL, 61000000, 12, SYNC},
	{"threads", "pthread_barrier_wait", EXTRAE_CALL, 61000000, 13, SYNC},
	{"threads", "sem_*", EXTRAE_NOTHING, 0, 0, SYNC},
	{"threads", "pthread_spin_*", EXTRAE_NOTHING, 0, 0, SYNC},
	{"threads", "*", EXTRAE_NOTHING, 0, 0, BLOCKED},
	{"io", "read", EXTRAE_CALL, 40000004, 1, IO},
	{"io", "__read_chk", EXTRAE_CALL, 40000004, 1, IO},
	{"io", "write", EXTRAE_CALL, 40000004, 2, IO},
	{"io", "*fread*", EXTRAE_CALL, 40000004, 3, IO},
	{"io", "fwrite*", EXTRAE_CALL, 40000004, 4, IO},
	{"io", "*preadv*", EXTRAE_CALL, 40000004, 9, IO},
	{"io", "*pwritev*", EXTRAE_CALL, 40000004, 10, IO},
	{"io", "*pread*", EXTRAE_CALL, 40000004, 5, IO},
	{"io", "pwrite*", EXTRAE_CALL, 40000004, 6, IO},
	{"io", "readv", EXTRAE_CALL, 40000004, 7, IO},
	{"io", "writev", EXTRAE_CALL, 40000004, 8, IO},
	{"io", "fopen*", EXTRAE_CALL, 40000004, 12, IO},
	{"io", "freopen*", EXTRAE_CALL, 40000004, 12, IO},
	{"io", "*open*", EXTRAE_CALL, 40000004, 11, IO},
	{"io", "creat*", EXTRAE_CALL, 40000004, 11, IO},
	{"io", "ioctl", EXTRAE_CALL, 40000004, 13, IO},
	{"io", "fclose", EXTRAE_CALL, 40000004, 15, IO},
	{"io", "close", EXTRAE_CALL, 40000004, 14, IO},
	{"io", "*", EXTRAE_NOTHING, 0, 0, IO},
	{"memory", "malloc", EXTRAE_CALL, 40000040, 1, ALLOC},
	{"memory", "free", EXTRAE_CALL, 40000040, 2, FREE},
	{"memory", "realloc*", EXTRAE_CALL, 40000040, 3, ALLOC},
	{"memory", "calloc", EXTRAE_CALL, 40000040, 4, ALLOC},
	{"memory", "*align*", EXTRAE_CALL, 40000040, 5, ALLOC},
	{"memory", "*", EXTRAE_NOTHING, 0, 0, ALLOC},
	{"process", "*fork", EXTRAE_CALL, 40000027, 1, SCHED},
	{"process", "wait", EXTRAE_CALL, 40000027, 2, BLOCKED},
	{"process", "wait*", EXTRAE_CALL, 40000027, 3, BLOCKED},
	{"process", "*exec*", EXTRAE_CALL, 40000027, 4, BLOCKED},
	{"process", "posix_spawn*", EXTRAE_CALL, 40000027, 4, BLOCKED},
	{"process", "system", EXTRAE_CALL, 40000027, 5, BLOCKED},
	{"process", "*", EXTRAE_NOTHING, 0, 0, BLOCKED},
};

/* States of calls of MPI, the first pattern that fits; behind those by type. */
static const struct {
	const char *name;
	uint32_t state;
} mpi_states[] = {
	{"MPI_Sendrecv*", SENDRECV},
	{"MPI_*probe", PROBE},
	{"MPI_*_init", ISEND},
	{"MPI_Recv_init", IRECV},
	{"MPI_Imrecv*", IRECV},
	{"MPI_Irecv*", IRECV},
	{"MPI_Recv*", RECV},
	{"MPI_Mrecv*", RECV},
	{"MPI_I?send*", ISEND},
	{"MPI_Isend*", ISEND},
	{"MPI_Send*", SEND},
	{"MPI_?send*", SEND},
	{"MPI_Wait*", WAIT},
	{"MPI_Test_cancelled", OTHERS},
	{"MPI_Test*", WAIT},
	{"MPI_Request_free", WAIT},
	{"MPI_Win_wait", WAIT},
	{"MPI_Win_fence", TRANSFER},
	{"MPI_Win_*", OTHERS},
	{"MPI_Cancel", OTHERS},
	{"MPI_Put*", TRANSFER},
	{"MPI_Get", TRANSFER},
	{"MPI_Get_accumulate*", TRANSFER},
	{"MPI_Accumulate*", TRANSFER},
	{"MPI_Fetch_and_op", TRANSFER},
	{"MPI_Compare_and_swap", TRANSFER},
	{"MPI_R*put*", TRANSFER},
	{"MPI_Rget*", TRANSFER},
	{"MPI_File_*", IO},
};

static struct extrae_rule mpi_rule(const char *name)
{
	struct extrae_rule r = {.kind = EXTRAE_NOTHING, .state = OTHERS};
	if (!strcmp(name, "MPI")) {
		r.kind = EXTRAE_BURSTS;
		return r;
	}
	if (extrae_mpi_value(name, &r.type, &r.value))
		r.kind = EXTRAE_CALL;
	r.collective = r.type == 50000002;
	if (r.collective) {
		r.state = GROUP;
		return r;
	}
	for (size_t i = 0; i < sizeof mpi_states / sizeof *mpi_states; i++)
		if (weft_glob(mpi_states[i].name, name)) {
			r.state = !strcmp(name, "MPI_Recv_init") ? IRECV : mpi_states[i].state;
			break;
		}
	return r;
}

struct extrae_rule extrae_rule_of(const struct weft_trace *t, uint32_t region)
{
	const struct weft_def_row *r = &t->def[WEFT_CLASS_REGION].at[region];
	const struct weft_def_table *categories = &t->def[WEFT_CLASS_CATEGORY];
	const char *category = r->category && r->category < categories->n ? categories->at[r->category].name : "";
	if (!strcmp(category, "mpi"))
		return mpi_rule(r->name);
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(table[i].category, category) && weft_glob(table[i].name, r->name))
			return (struct extrae_rule){table[i].kind,  table[i].type, table[i].value, table[i].state, false, 0, 0,
			                            {{0, 0, false}}};
	if (!strcmp(category, "openmp"))
		return (struct extrae_rule){EXTRAE_NOTHING, 0, 0, EXTRAE_AS_BEFORE, false, 0, 0, {{0, 0, false}}};
	/* The program's own: functions of the user. */
	return (struct extrae_rule){EXTRAE_FUNCTION, 60000019, 0, prv_state_of_region(r), false, 0, 0, {{0, 0, false}}};
}

uint32_t extrae_memory_call(const char *name)
{
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		if (!strcmp(table[i].category, "memory") && table[i].kind == EXTRAE_CALL && weft_glob(table[i].name, name))
			return (uint32_t)table[i].value;
	return 0;
}
