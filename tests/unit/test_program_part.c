/* SPDX-License-Identifier: Apache-2.0 */
/* A program cut at times: bursts end there, what crosses an edge is passed over, the rest keeps its order and its partners. */
#include "replay/program/program_part.h"
#include "replay/sim/replay.h"
#include "structure_maker.h"
#include <errno.h>

/*
 * Rank 1: computes 0..100, sends at 100 (there at 120), barrier 150..200, computes, Isend 300, allreduce 480..520, computes to 600.
 * Rank 2: computes 0..50, receives 50..120, barrier 180..200, posts a receive 250 and waits 310..330, allreduce 490..520, sends 560 (nobody takes it).
 */
static const char prv[] = "#Paraver (01/01/2026 at 00:00):600_ns:1(2):1:2(1:1,1:1),1\n"
			  "c:1:1:2:1:2\n"
			  "2:2:1:2:1:50:50000001:2\n"
			  "2:1:1:1:1:100:50000001:1\n"
			  "3:1:1:1:1:100:100:2:1:2:1:50:120:64:7\n"
			  "2:1:1:1:1:110:50000001:0\n"
			  "2:2:1:2:1:120:50000001:0\n"
			  "2:1:1:1:1:150:50000002:8:50100001:0:50100002:0:50100004:1\n"
			  "2:2:1:2:1:180:50000002:8:50100001:0:50100002:0:50100004:1\n"
			  "2:1:1:1:1:200:50000002:0\n"
			  "2:2:1:2:1:200:50000002:0\n"
			  "2:2:1:2:1:250:50000001:4\n"
			  "2:2:1:2:1:255:50000001:0\n"
			  "2:1:1:1:1:300:50000001:3\n"
			  "3:1:1:1:1:300:300:2:1:2:1:250:330:64:8\n"
			  "2:1:1:1:1:305:50000001:0\n"
			  "2:2:1:2:1:310:50000001:5\n"
			  "2:2:1:2:1:330:50000001:0\n"
			  "2:1:1:1:1:480:50000002:10:50100001:8:50100002:8:50100004:1\n"
			  "2:2:1:2:1:490:50000002:10:50100001:8:50100002:8:50100004:1\n"
			  "2:1:1:1:1:520:50000002:0\n"
			  "2:2:1:2:1:520:50000002:0\n"
			  "2:2:1:2:1:560:50000001:1\n"
			  "2:2:1:2:1:570:50000001:0\n"
			  "2:1:1:1:1:600:60000019:0\n"
			  "2:2:1:2:1:600:60000019:0\n";
static const char pcf[] =
	"EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n1 MPI_Send\n2 MPI_Recv\n3 MPI_Isend\n4 MPI_Irecv\n"
	"5 MPI_Wait\n0 End\n\nEVENT_TYPE\n9 50000002 MPI Collective Comm\nVALUES\n8 MPI_Barrier\n10 MPI_Allreduce\n0 End\n";

static struct weft_replay_program *load(struct weft_trace **t, const double *edge, uint32_t n)
{
	struct weft_replay_program *p = NULL;
	struct weft_err err = {0};
	const struct weft_replay_from from = {.drop_calls = true, .edge = edge, .n_edges = n};
	*t = maker_prv("a.prv", prv, pcf);
	REQUIRE(weft_replay_program_trace(&p, *t, &from, &err) == 0);
	return p;
}

static double ideal_ns(const struct weft_replay_program *p)
{
	struct weft_replay_machine m = {.name = NULL};
	struct weft_replay_result r = {.rank = NULL};
	struct weft_err err = {0};
	REQUIRE(weft_replay_machine_ideal(&m) == 0);
	REQUIRE(weft_replay_run(p, &m, &(struct weft_replay_how){.eager = WEFT_REPLAY_EAGER_ALL}, &r, &err) == 0);
	CHECK_U64(r.n_stuck, 0);
	const double ns = r.time_ns;
	weft_replay_result_fini(&r);
	weft_replay_machine_fini(&m);
	return ns;
}

static unsigned count(const struct weft_replay_program *p, unsigned kind)
{
	unsigned n = 0;
	for (uint64_t i = 0; i < p->n_ops; i++)
		n += p->op[i].kind == kind;
	return n;
}

struct stretch {
	double ns; /* on an ideal network */
	uint64_t messages, gathers;
};

static void check(const double *edge, uint32_t n, const struct stretch *truth)
{
	struct weft_trace *t;
	struct weft_replay_program *whole = load(&t, edge, n), *p;
	struct weft_replay_cutter *c;
	REQUIRE(weft_replay_cutter_new(&c, whole) == 0);
	for (unsigned again = 0; again < 2; again++) /* a cutter forgets */
		for (uint32_t i = 0; i + 1 < n; i++) {
			REQUIRE(weft_replay_cut(&p, c, i) == 0);
			CHECK_NEAR(ideal_ns(p), truth[i].ns, 1e-6);
			CHECK_U64(p->n_messages, truth[i].messages);
			CHECK_U64(p->n_gathers, truth[i].gathers);
			CHECK_U64(p->n_parts, 2 * truth[i].gathers);
			CHECK_U64(count(p, WEFT_REPLAY_COLLECTIVE), 2 * truth[i].gathers);
			CHECK_U64(count(p, WEFT_REPLAY_SEND), truth[i].messages);
			weft_replay_program_free(p);
		}
	weft_replay_cutter_free(c);
	weft_replay_program_free(whole);
	weft_trace_close(t);
}

TEST(all_is_one_stretch)
{
	/* 50 and then the wait for 100, 60 of rank 2 (40 of rank 1) to the barrier: 160; 155 and 150 of rank 1 and 2 to the allreduce; 80 behind it */
	static const double edge[] = {0, 600};
	check(edge, 2, (const struct stretch[]){{160 + 275 + 80, 2, 2}});
}

TEST(between_operations)
{
	/* up to 220: 160 and 20 behind the barrier; from there: 255 of rank 1 to the allreduce, 80 */
	static const double edge[] = {0, 220, 600};
	check(edge, 3, (const struct stretch[]){{160 + 20, 1, 1}, {255 + 80, 1, 1}});
}

TEST(what_crosses_an_edge)
{
	/*
	 * At 105 rank 1 is in its send, which stays before the edge; rank 2 in its receive, too: both are whole before it. At 260 a receive is posted
	 * whose message comes behind it: passed over. At 485 rank 1 is in the allreduce and rank 2 not: no operation of both.
	 */
	static const double edge[] = {0, 105, 260, 485, 600};
	check(edge, 5, (const struct stretch[]){{100, 1, 0}, {60 + 60, 0, 1}, {215, 0, 0}, {80, 0, 0}});
}

TEST(beyond_its_ends)
{
	static const double edge[] = {0, 40, 40, 600, 700, 900};
	check(edge, 6, (const struct stretch[]){{40, 0, 0}, {0, 0, 0}, {160 + 275 + 80 - 40, 2, 2}, {0, 0, 0}, {0, 0, 0}});
}
