/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs for tests of who waited for whom: ranks of a thread each, or threads of one process, with regions, calls of MPI, locks at given times.
 * Events of a thread are given in the order of time.
 */
#ifndef WEFT_TESTS_CAUSAL_MAKER_H
#define WEFT_TESTS_CAUSAL_MAKER_H

#include "harness.h"
#include "replay/causal/causal.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include <stdlib.h>
#include <string.h>

struct causal_made {
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_causal c;
	uint32_t user, mpi, threads, openmp, world, taken, released, woken, lock, team, iterations;
};

static inline uint32_t cm_id(int64_t id)
{
	REQUIRE(id >= 0);
	return (uint32_t)id;
}

static inline uint32_t cm_def(struct causal_made *m, enum weft_class of, const char *name, uint32_t category, uint32_t state)
{
	return cm_id(weft_build_def(m->b, of, &(struct weft_def_row){.name = name, .category = category, .state = state}));
}

/* Threads by process; ranks: each process has its rank. */
static inline void cm_begin_teams(struct causal_made *m, unsigned processes, unsigned threads, bool ranks)
{
	*m = (struct causal_made){0};
	REQUIRE(weft_builder_new(&m->b, "made", "test", &(struct weft_open_how){.no_index = true}, NULL) == 0);
	cm_id(weft_build_app(m->b, "app"));
	for (unsigned i = 0; i < processes; i++) {
		struct weft_process p = {.node = WEFT_NONE,
		                         .rank = ranks ? (int32_t)i : -1,
		                         .begin = WEFT_NEVER,
		                         .end = WEFT_NEVER,
		                         .status = -1};
		cm_id(weft_build_process(m->b, &p));
		for (unsigned k = 0; k < threads; k++) {
			struct weft_thread_row t = {.process = i,
			                            .number = k + 1,
			                            .tid = 100 + k,
			                            .begin = WEFT_NEVER,
			                            .end = WEFT_NEVER};
			cm_id(weft_build_thread(m->b, &t));
		}
	}
	m->user = cm_def(m, WEFT_CLASS_CATEGORY, "user", 0, 0);
	m->mpi = cm_def(m, WEFT_CLASS_CATEGORY, "mpi", 0, 0);
	m->threads = cm_def(m, WEFT_CLASS_CATEGORY, "threads", 0, 0);
	m->openmp = cm_def(m, WEFT_CLASS_CATEGORY, "openmp", 0, 0);
	m->world = cm_id(weft_build_def(m->b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = "MPI_COMM_WORLD", .key = 7}));
	m->taken = cm_def(m, WEFT_CLASS_TYPE, "lock taken", m->threads, 0);
	m->released = cm_def(m, WEFT_CLASS_TYPE, "lock released", m->threads, 0);
	m->woken = cm_def(m, WEFT_CLASS_FLOW, "woken", m->threads, 0);
	m->lock = cm_def(m, WEFT_CLASS_ATTR, "lock", m->threads, 0);
	m->team = cm_def(m, WEFT_CLASS_ATTR, "omp team", m->openmp, 0);
	m->iterations = cm_def(m, WEFT_CLASS_ATTR, "omp iterations", m->openmp, 0);
}

/* ranks: each thread is a process with a rank; else all are threads of one process. */
static inline void cm_begin(struct causal_made *m, unsigned n, bool ranks)
{
	cm_begin_teams(m, ranks ? n : 1, ranks ? 1 : n, ranks);
}

static inline void cm_event(struct causal_made *m, uint32_t thread, uint64_t time, unsigned kind, uint32_t id, uint64_t value)
{
	struct weft_appender *a = weft_builder_appender(m->b, thread);
	REQUIRE(a && weft_append(a, time, weft_what(kind, id), value) == 0);
}

static inline uint32_t cm_region_id(struct causal_made *m, const char *name)
{
	bool mpi = !strncmp(name, "MPI_", 4), omp = !strncmp(name, "omp ", 4) || strstr(name, "[omp"),
	     pt = strstr(name, "pthread_") == name;
	return cm_def(m, WEFT_CLASS_REGION, name,
	              mpi   ? m->mpi
	              : omp ? m->openmp
	              : pt  ? m->threads
	                    : m->user,
	              mpi || omp || pt ? WEFT_STATE_WAITING : WEFT_STATE_RUNNING);
}

static inline void cm_enter(struct causal_made *m, uint32_t thread, const char *name, uint64_t time)
{
	cm_event(m, thread, time, WEFT_EV_ENTER, cm_region_id(m, name), 0);
}
static inline void cm_leave(struct causal_made *m, uint32_t thread, const char *name, uint64_t time)
{
	cm_event(m, thread, time, WEFT_EV_LEAVE, cm_region_id(m, name), 0);
}
static inline void cm_region(struct causal_made *m, uint32_t thread, const char *name, uint64_t begin, uint64_t end)
{
	cm_enter(m, thread, name, begin);
	cm_leave(m, thread, name, end);
}

/* A collective operation by its number (docs/format.md) on MPI_COMM_WORLD. */
static inline void cm_collective(struct causal_made *m, uint32_t thread, const char *name, uint32_t op, int32_t root,
                                 uint64_t begin, uint64_t end)
{
	const uint64_t payload[] = {(uint64_t)(uint32_t)root << 32 | op, 8, 8};
	struct weft_appender *a = weft_builder_appender(m->b, thread);
	cm_enter(m, thread, name, begin);
	REQUIRE(a && weft_append_extra(a, end, weft_what(WEFT_EV_COLLECTIVE, m->world), payload, 3) == 0);
	cm_leave(m, thread, name, end);
}

/* A side of a message: its call, with the end of the message in it. */
static inline int64_t cm_message(struct causal_made *m, uint32_t from, uint32_t to, uint64_t size, const uint64_t *send,
                                 const uint64_t *recv)
{
	struct weft_message_row row = {from, to, m->world, 1, size, send[0], send[1], recv[0], recv[1]};
	return weft_build_message_row(m->b, &row);
}
static inline void cm_side(struct causal_made *m, uint32_t thread, int64_t message, bool sends, const char *name, uint64_t begin,
                           uint64_t end)
{
	cm_enter(m, thread, name, begin);
	REQUIRE(weft_append_end(weft_builder_appender(m->b, thread), cm_id(message), sends) == 0);
	cm_leave(m, thread, name, end);
}

static inline struct weft_causal *cm_end(struct causal_made *m)
{
	struct weft_err err = {0};
	CHECK(weft_build_finish(m->b, NULL, &m->t, &err) == 0);
	CHECK_STR(err.text, "");
	REQUIRE(m->t != NULL);
	REQUIRE(weft_causal_load(m->t, NULL, &m->c, &err) == 0);
	return &m->c;
}
static inline void cm_free(struct causal_made *m)
{
	weft_causal_free(&m->c);
	weft_trace_close(m->t);
}

/* ns of a region among those of paths. */
static inline uint64_t cm_of_region(const struct weft_causal *c, const uint64_t *by_path, const char *name)
{
	uint64_t ns = 0;
	for (uint32_t i = 0; i < c->n_paths; i++)
		if (!strcmp(weft_causal_region_of(c, i)->name, name))
			ns += by_path[i];
	return ns;
}

#endif
