/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The world's key, and clocks of several nodes. Processes that share a clock need nothing; else, in MPI_Init and MPI_Finalize, the first process of each other
 * clock asks rank 0 for its time again and again, on a communicator of ours:
 *
 *     rank 0     ---------- t2 ----------          t2 is the same instant as the middle of t1 and t3, but for half of what lies between
 *                         /    \                   them. The round with the least of it counts, and is a sync point of both: an instant
 *     the other  ---- t1         t3 ----           in ticks of each, under one key, with that uncertainty.
 *
 * Two of them, at the begin and at the end, say how fast the clocks go apart.
 */
#include "link/link_job.h"
#include "mpi_priv.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

enum { CLOCK_ROUNDS = 40, CLOCK_TAG = 1 };
/* What rank 0 makes of each process's clock. */
enum { CLOCK_ONE = 1, CLOCK_FOLLOWS, CLOCK_LEADS };
static mpi_word clock_comm; /* handle 0: there is one clock */
static uint64_t clock_key, clock_part;
static uint64_t *clock_parts; /* rank 0's: of each rank */
static int clock_rank, clock_size;
static unsigned clock_phase;

static uint64_t clock_mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0xff51afd7ed558ccdu;
	return h ^ h >> 32;
}

static uint64_t text_hash(uint64_t h, const char *text, ssize_t n)
{
	for (ssize_t i = 0; i < n; i++)
		h = clock_mix(h, (unsigned char)text[i]);
	return h;
}

/* The boot of a machine, and its time namespace. */
static uint64_t clock_identity(void)
{
	char text[128];
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	uint64_t h = text_hash(1, text, fd < 0 ? 0 : read(fd, text, sizeof text));
	if (fd >= 0)
		close(fd);
	return text_hash(h, text, readlink("/proc/self/ns/time", text, sizeof text));
}

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool clock_send(void *what, size_t n, int to)
{
	return mpi_own.Send(what, (int)n, mpi.byte, to, CLOCK_TAG, clock_comm) == 0;
}

static bool clock_recv(void *what, size_t n, int from)
{
	return mpi_own.Recv(what, (int)n, mpi.byte, from, CLOCK_TAG, clock_comm, mpi.status_ignore) == 0;
}

static uint64_t point_key(int rank)
{
	return clock_mix(clock_mix(clock_key, (uint64_t)rank), clock_phase);
}

static void answer(int rank)
{
	uint64_t at[CLOCK_ROUNDS], best, uncertainty;
	for (unsigned i = 0; i < CLOCK_ROUNDS; i++) {
		if (!clock_recv(&best, sizeof best, rank))
			return;
		at[i] = weft_ticks();
		if (!clock_send(&best, sizeof best, rank))
			return;
	}
	if (clock_recv(&best, sizeof best, rank) && clock_recv(&uncertainty, sizeof uncertainty, rank) && best < CLOCK_ROUNDS)
		weft_sync_at(point_key(rank), uncertainty, at[best]);
}

static void ask(void)
{
	uint64_t best = 0, least = UINT64_MAX, middle = 0, word = 0;
	for (unsigned i = 0; i < CLOCK_ROUNDS; i++) {
		uint64_t ns = now_ns(), t1 = weft_ticks();
		if (!clock_send(&word, sizeof word, 0) || !clock_recv(&word, sizeof word, 0))
			return;
		uint64_t t3 = weft_ticks();
		ns = now_ns() - ns;
		if (ns < least) {
			least = ns;
			middle = t1 + (t3 - t1) / 2;
			best = i;
		}
	}
	uint64_t uncertainty = least / 2;
	if (clock_send(&best, sizeof best, 0) && clock_send(&uncertainty, sizeof uncertainty, 0))
		weft_sync_at(point_key(clock_rank), uncertainty, middle);
}

static void meet(void)
{
	clock_phase++;
	for (int i = 1; i < clock_size && clock_rank == 0; i++)
		if (clock_parts[i] == CLOCK_LEADS)
			answer(i);
	if (clock_rank && clock_part == CLOCK_LEADS)
		ask();
}

/* From identities to parts: the first of each clock leads it. */
static void give_parts(uint64_t *identity, int n)
{
	uint64_t *part = calloc((size_t)n, sizeof *part);
	bool one = true;
	for (int i = 1; part && i < n; i++) {
		int k = 0;
		while (identity[k] != identity[i])
			k++;
		part[i] = k == i ? CLOCK_LEADS : CLOCK_FOLLOWS;
		one = one && k == 0;
	}
	for (int i = 0; i < n; i++)
		identity[i] = one || !part ? CLOCK_ONE : part[i];
	free(part);
}

/*
 * Without a word to the others, of whom some may not be recorded: they would never answer. The job's name alone, as each rank may be
 * recorded by a run of its own.
 */
static uint64_t world_key(int size)
{
	char job[300];
	const char *run = getenv("WEFT_RUN_ID");
	uint64_t key = 1;
	if (link_job_name(job, sizeof job))
		return text_hash(2, job, (ssize_t)strlen(job));
	if (size == 1) /* nobody else has to know it */
		(void)!getrandom(&key, sizeof key, 0);
	return text_hash(key, run ? run : "", run ? (ssize_t)strlen(run) : 0);
}

/* All ranks are of this host, as the launcher says. */
static bool is_one_host(int size)
{
	static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "PMI_LOCAL_SIZE"};
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (getenv(names[i]))
			return atoi(getenv(names[i])) == size;
	return false;
}

/* Where `weft record` began the launcher, and not one rank of several. */
static bool may_meet(int size)
{
	const char *asked = getenv("WEFT_CLOCKS");
	if (!asked || size == 1)
		return false;
	return !strcmp(asked, "always") || (!strcmp(asked, "meet") && !is_one_host(size));
}

/* Rank 0 alone needs memory: what it has none for is not begun. */
static void begin_meeting(void)
{
	uint64_t can = 0, mine = clock_identity();
	if (clock_rank == 0) {
		clock_parts = calloc((size_t)clock_size, sizeof *clock_parts);
		can = clock_parts != NULL;
	}
	(void)mpi_own.Bcast(&can, sizeof can, mpi.byte, 0, mpi.world);
	if (!can)
		return;
	if (mpi_own.Gather(&mine, sizeof mine, mpi.byte, clock_parts, sizeof mine, mpi.byte, 0, mpi.world) == 0 &&
	    clock_rank == 0)
		give_parts(clock_parts, clock_size);
	if (mpi_own.Scatter(clock_parts, sizeof mine, mpi.byte, &clock_part, sizeof mine, mpi.byte, 0, mpi.world) == 0 &&
	    clock_part != CLOCK_ONE && mpi_own.Comm_dup(mpi.world, &clock_comm) == 0) {
		clock_comm = mpi_handle(clock_comm);
		meet();
	}
}

uint64_t mpi_clock_begin(int rank, int size)
{
	clock_rank = rank;
	clock_size = size;
	clock_key = world_key(size);
	if (may_meet(size))
		begin_meeting();
	return clock_key;
}

void mpi_before_finalize(struct mpi_call *c)
{
	(void)c;
	mpi_pvars_end();
	if (!clock_comm)
		return;
	meet();
	(void)mpi_own.Comm_free(&clock_comm);
	clock_comm = 0;
}
