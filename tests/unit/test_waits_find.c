/* SPDX-License-Identifier: Apache-2.0 */
/* Each class of wait, made on purpose: its name, its place, its length. */
#include "analyze/waits/waits.h"
#include "causal_maker.h"

static void expect(struct causal_made *m, unsigned class, uint64_t n, uint64_t ns)
{
	struct weft_waits w;
	const struct weft_causal *c = cm_end(m);
	REQUIRE(weft_waits_find(c, &w) == 0);
	CHECK_U64(w.class_n[class], n);
	CHECK_U64(w.class_ns[class], ns);
	CHECK_U64(w.total_ns, ns);
	weft_waits_fini(&w);
	cm_free(m);
}

TEST(late_sender)
{
	struct causal_made m;
	cm_begin(&m, 2, true);
	int64_t a = cm_message(&m, 0, 1, 8, (uint64_t[]){100, 110}, (uint64_t[]){20, 115});
	cm_region(&m, 0, "work", 0, 100);
	cm_side(&m, 0, a, true, "MPI_Send", 100, 110);
	cm_region(&m, 1, "work", 0, 20);
	cm_side(&m, 1, a, false, "MPI_Recv", 20, 115);
	expect(&m, WEFT_WAIT_LATE_SENDER, 1, 80);
}

TEST(a_message_that_is_there_is_no_wait)
{
	struct causal_made m;
	cm_begin(&m, 2, true);
	int64_t a = cm_message(&m, 0, 1, 8, (uint64_t[]){10, 12}, (uint64_t[]){50, 60});
	cm_region(&m, 0, "work", 0, 10);
	cm_side(&m, 0, a, true, "MPI_Send", 10, 12);
	cm_region(&m, 1, "work", 0, 50);
	cm_side(&m, 1, a, false, "MPI_Recv", 50, 60);
	expect(&m, WEFT_WAIT_LATE_SENDER, 0, 0);
}

/* b was sent before a, and is taken after it. */
TEST(wrong_order)
{
	struct causal_made m;
	cm_begin(&m, 2, true);
	int64_t b = cm_message(&m, 0, 1, 8, (uint64_t[]){10, 12}, (uint64_t[]){102, 104});
	int64_t a = cm_message(&m, 0, 1, 8, (uint64_t[]){90, 92}, (uint64_t[]){20, 102});
	cm_region(&m, 0, "work", 0, 10);
	cm_side(&m, 0, b, true, "MPI_Send", 10, 12);
	cm_region(&m, 0, "work", 12, 90);
	cm_side(&m, 0, a, true, "MPI_Send", 90, 92);
	cm_region(&m, 1, "work", 0, 20);
	cm_side(&m, 1, a, false, "MPI_Recv", 20, 102);
	cm_side(&m, 1, b, false, "MPI_Recv", 102, 104);
	expect(&m, WEFT_WAIT_WRONG_ORDER, 1, 70);
}

TEST(late_receiver)
{
	struct causal_made m;
	cm_begin(&m, 2, true);
	int64_t a = cm_message(&m, 0, 1, 1 << 20, (uint64_t[]){10, 120}, (uint64_t[]){100, 120});
	cm_region(&m, 0, "work", 0, 10);
	cm_side(&m, 0, a, true, "MPI_Send", 10, 120);
	cm_region(&m, 1, "work", 0, 100);
	cm_side(&m, 1, a, false, "MPI_Recv", 100, 120);
	expect(&m, WEFT_WAIT_LATE_RECEIVER, 1, 90);
}

/* b is sent while its receiver computes; the send is over when that comes to MPI, for another message. */
static void progress(struct causal_made *m, uint64_t sent)
{
	cm_begin(m, 2, true);
	int64_t a = cm_message(m, 0, 1, 8, (uint64_t[]){2, 4}, (uint64_t[]){100, 101});
	int64_t b = cm_message(m, 0, 1, 1000, (uint64_t[]){10, sent}, (uint64_t[]){300, 301});
	cm_region(m, 0, "work", 0, 2);
	cm_side(m, 0, a, true, "MPI_Send", 2, 4);
	cm_region(m, 0, "work", 4, 10);
	cm_side(m, 0, b, true, "MPI_Send", 10, sent);
	cm_region(m, 1, "work", 0, 100);
	cm_side(m, 1, a, false, "MPI_Recv", 100, 101);
	cm_region(m, 1, "work", 101, 300);
	cm_side(m, 1, b, false, "MPI_Recv", 300, 301);
}

TEST(late_to_mpi)
{
	struct causal_made m;
	progress(&m, 104);
	expect(&m, WEFT_WAIT_LATE_RECEIVER, 1, 90);
	progress(&m, 150); /* long after the receiver was there: not because of it */
	expect(&m, WEFT_WAIT_LATE_RECEIVER, 0, 0);
	progress(&m, 90); /* before */
	expect(&m, WEFT_WAIT_LATE_RECEIVER, 0, 0);
}

/* Three in a ring send first: the last one's send waits for a receiver that stands in a send itself. */
TEST(eager_limit)
{
	struct causal_made m;
	cm_begin(&m, 3, true);
	int64_t a = cm_message(&m, 0, 1, 1 << 20, (uint64_t[]){10, 120}, (uint64_t[]){100, 120});
	int64_t b = cm_message(&m, 1, 2, 1 << 20, (uint64_t[]){10, 99}, (uint64_t[]){60, 99});
	cm_region(&m, 0, "work", 0, 10);
	cm_side(&m, 0, a, true, "MPI_Send", 10, 120);
	cm_region(&m, 1, "work", 0, 10);
	cm_side(&m, 1, b, true, "MPI_Send", 10, 99);
	cm_side(&m, 1, a, false, "MPI_Recv", 100, 120);
	cm_region(&m, 2, "work", 0, 60);
	cm_side(&m, 2, b, false, "MPI_Recv", 60, 99);
	struct weft_waits w;
	const struct weft_causal *c = cm_end(&m);
	REQUIRE(weft_waits_find(c, &w) == 0);
	CHECK_U64(w.class_ns[WEFT_WAIT_EAGER_LIMIT], 90);
	CHECK_U64(w.class_ns[WEFT_WAIT_LATE_RECEIVER], 50);
	CHECK_U64(w.total_ns, 140);
	weft_waits_fini(&w);
	cm_free(&m);
}

static void collective(const char *name, uint32_t op, int32_t root, const uint64_t *come, unsigned class, uint64_t n, uint64_t ns)
{
	struct causal_made m;
	cm_begin(&m, 3, true);
	for (unsigned i = 0; i < 3; i++) {
		cm_region(&m, i, "work", 0, come[i]);
		cm_collective(&m, i, name, op, root, come[i], 210);
	}
	expect(&m, class, n, ns);
}

TEST(collectives)
{
	const uint64_t come[] = {100, 200, 150};
	collective("MPI_Allreduce", 10, -1, come, WEFT_WAIT_N_TO_N, 2, 150);
	collective("MPI_Barrier", 8, -1, come, WEFT_WAIT_MPI_BARRIER, 2, 150);
	collective("MPI_Bcast", 7, 1, come, WEFT_WAIT_ONE_TO_N, 2, 150);
	collective("MPI_Bcast", 7, 0, come, WEFT_WAIT_ONE_TO_N, 0, 0);
	collective("MPI_Reduce", 9, 0, come, WEFT_WAIT_N_TO_ONE, 1, 100);
	collective("MPI_Gather", 13, 1, come, WEFT_WAIT_N_TO_ONE, 0, 0);
}

/* Two threads and a lock of which each taking was recorded. */
TEST(lock)
{
	struct causal_made m;
	cm_begin(&m, 2, false);
	cm_region(&m, 0, "work", 0, 10);
	cm_event(&m, 0, 10, WEFT_EV_POINT, m.taken, 0xabc);
	cm_region(&m, 0, "work", 10, 100);
	cm_event(&m, 0, 100, WEFT_EV_POINT, m.released, 0xabc);
	cm_region(&m, 1, "work", 0, 30);
	cm_enter(&m, 1, "pthread_mutex_lock", 30);
	cm_event(&m, 1, 30, WEFT_EV_ATTR, m.lock, 0xabc);
	cm_leave(&m, 1, "pthread_mutex_lock", 103);
	cm_event(&m, 1, 104, WEFT_EV_POINT, m.taken, 0xabc);
	cm_event(&m, 1, 150, WEFT_EV_POINT, m.released, 0xabc);
	expect(&m, WEFT_WAIT_LOCK, 1, 70);
}

TEST(critical_section)
{
	struct causal_made m;
	cm_begin(&m, 2, false);
	cm_region(&m, 0, "omp critical x wait", 10, 10);
	cm_region(&m, 0, "omp critical x", 10, 100);
	cm_region(&m, 1, "omp critical x wait", 40, 102);
	cm_region(&m, 1, "omp critical x", 102, 200);
	expect(&m, WEFT_WAIT_CRITICAL, 1, 60);
}

TEST(wake_up)
{
	struct causal_made m;
	cm_begin(&m, 2, false);
	cm_region(&m, 0, "work", 0, 80);
	REQUIRE(weft_append_flow(weft_builder_appender(m.b, 0), 80, m.woken, 1, true) == 0);
	cm_region(&m, 0, "work", 80, 120);
	cm_region(&m, 1, "work", 0, 20);
	cm_enter(&m, 1, "pthread_cond_wait", 20);
	REQUIRE(weft_append_flow(weft_builder_appender(m.b, 1), 89, m.woken, 1, false) == 0);
	cm_leave(&m, 1, "pthread_cond_wait", 90);
	cm_region(&m, 1, "work", 90, 110);
	expect(&m, WEFT_WAIT_WOKEN, 1, 60);
}

static void part(struct causal_made *m, uint32_t thread, uint64_t team, uint64_t begin, uint64_t come, uint64_t out, uint64_t end)
{
	cm_enter(m, thread, "f [omp parallel]", begin);
	cm_event(m, thread, begin, WEFT_EV_ATTR, m->team, team);
	cm_region(m, thread, "row", begin, come);
	cm_region(m, thread, "omp barrier", come, out);
	cm_leave(m, thread, "f [omp parallel]", end);
}

/* A team of two: the worker is idle while the master works alone, waits at the barrier, and is late at the end. */
TEST(team)
{
	struct causal_made m;
	struct weft_waits w;
	cm_begin(&m, 2, false);
	cm_region(&m, 0, "serial", 0, 50);
	cm_enter(&m, 0, "omp parallel in f", 50);
	cm_event(&m, 0, 50, WEFT_EV_ATTR, m.team, 1);
	part(&m, 0, 1, 52, 100, 110, 120);
	cm_enter(&m, 0, "omp join", 120);
	cm_leave(&m, 0, "omp join", 145);
	cm_leave(&m, 0, "omp parallel in f", 145);
	cm_region(&m, 1, "omp idle", 10, 55);
	part(&m, 1, 1, 55, 70, 111, 140);
	const struct weft_causal *c = cm_end(&m);
	REQUIRE(weft_waits_find(c, &w) == 0);
	CHECK_U64(w.class_ns[WEFT_WAIT_TEAM_IDLE], 40);
	CHECK_U64(w.class_ns[WEFT_WAIT_TEAM_BARRIER], 30);
	CHECK_U64(w.class_ns[WEFT_WAIT_TEAM_END], 20);
	CHECK_U64(w.total_ns, 90);
	weft_waits_fini(&w);
	cm_free(&m);
}
