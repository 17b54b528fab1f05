/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The master: divides, sends chunks, receives answers into their places, until there is no more work.
 *
 *     partition → _M_SendIteration      a chunk to each worker that takes part
 *                 _M_ReceiveIteration   an answer; the next chunk to who answered, while tuples are left; … → collect
 *
 * The number of workers is read once an iteration, the size of a chunk at each chunk, so both may change at any time. A result's place
 * is its tuple's: who computed it, and with which others, cannot be seen in it. After a failure no more is sent, what is under way
 * is waited for, and all workers are told the end.
 */
#include "mw_priv.h"
#include <errno.h>
#include <string.h>

static void note_failure(struct mw_master *m, int rc)
{
	if (rc < 0 && m->rc == 0)
		m->rc = rc;
}

static int clamp(size_t n)
{
	return n < INT32_MAX ? (int)n : INT32_MAX;
}

static int workers_now(const struct mw_master *m)
{
	int all = m->link->size - 1, wanted = NOptWorkers;
	int n = wanted > 0 && wanted < all ? wanted : all;
	return m->work.n < (size_t)n ? (int)m->work.n : n;
}

/* Tuples of the chunk for worker k (from 1) of the first round: never so many that one behind it gets none. */
static size_t first_chunk(const struct mw_master *m, size_t k)
{
	size_t workers = (size_t)m->work.workers, share = m->work.n / workers + (k <= m->work.n % workers);
	int wanted = globalSizeChunk;
	return wanted > 0 && (size_t)wanted < share ? (size_t)wanted : share;
}

static size_t next_chunk(const struct mw_master *m)
{
	size_t left = m->work.n - m->sent, wanted = (size_t)(globalSizeChunk > 0 ? globalSizeChunk : 0);
	if (wanted == 0)
		wanted = (left - 1) / (size_t)m->work.workers + 1;
	return wanted < left ? wanted : left;
}

/* Measured: _DMM_SendTask. */
int mw_send_task(struct mw_master *m, int worker, size_t n)
{
	workerTID = worker;
	numtuples = clamp(n);
	const struct weft_mw *p = m->program;
	struct frame_head head = {
		.magic = FRAME_MAGIC,
		.kind = MW_WORK,
		.iteration = m->work.iteration,
		.has_shared = !m->has_shared[worker],
		.first = m->sent,
		.n = n,
		.shared = m->work.shared_bytes,
		.bytes = n * p->tuple_bytes,
	};
	const char *tuples = m->work.tuples;
	int rc = frame_send(m->link, worker, &head, m->work.shared, tuples ? tuples + m->sent * p->tuple_bytes : NULL,
	                    &m->message);
	note_failure(m, rc);
	if (rc)
		return rc;
	m->has_shared[worker] = true;
	m->sent += n;
	m->busy++;
	m->work.chunks++;
	return 0;
}

/* Measured: _DMM_ReceiveEffective. An answer, into its place. */
int mw_receive_effective(struct mw_master *m)
{
	struct frame_head head;
	int worker, rc = frame_receive(m->link, WEFT_FRAME_ANY, &worker, &head, &m->in);
	if (rc)
		return rc;
	workerTIDr = worker;
	nbytes = clamp(m->in.n);
	size_t each = m->program->result_bytes;
	if (head.kind != MW_ANSWER || head.iteration != m->work.iteration || head.first > m->sent ||
	    head.n > m->sent - head.first)
		return -EPROTO;
	m->busy--;
	note_failure(m, head.rc);
	if (head.rc < 0)
		return 0;
	if (m->in.n != head.n * each)
		return -EPROTO;
	if (m->in.n)
		memcpy(m->results.at + head.first * each, m->in.at, m->in.n);
	m->received += head.n;
	return 0;
}

/* Measured: _M_SendIteration. */
int mw_send_iteration(struct mw_master *m)
{
	m->began = frame_now();
	int rc = 0;
	for (int k = 1; k <= m->work.workers && rc == 0; k++)
		rc = mw_send_task(m, k, first_chunk(m, (size_t)k));
	return rc;
}

/* Measured: _M_ReceiveIteration. */
int mw_receive_iteration(struct mw_master *m)
{
	while (m->busy) {
		int rc = mw_receive_effective(m);
		if (rc == 0 && m->sent < m->work.n && m->rc == 0)
			rc = mw_send_task(m, workerTIDr, next_chunk(m));
		if (rc)
			return rc;
	}
	if (m->rc)
		return m->rc;
	m->work.seconds = frame_now() - m->began;
	return m->program->collect ? m->program->collect(m->user, &m->work, m->results.at) : 0;
}

/* Without workers: the master computes by itself. */
static int compute_alone(struct mw_master *m)
{
	const struct weft_mw *p = m->program;
	const char *tuples = m->work.tuples;
	m->began = frame_now();
	struct weft_mw_place at = {.iteration = m->work.iteration,
	                           .shared = m->work.shared,
	                           .shared_bytes = m->work.shared_bytes};
	at.of = m->work.n;
	for (size_t i = 0; i < m->work.n; i++) {
		at.index = at.at = i;
		int rc = p->compute(m->user, &at, tuples ? tuples + i * p->tuple_bytes : NULL,
		                    m->results.at + i * p->result_bytes);
		if (rc < 0)
			return rc;
	}
	return mw_receive_iteration(m);
}

/* 1: there was one; 0: no more. */
static int run_iteration(struct mw_master *m, int number)
{
	const struct weft_mw *p = m->program;
	m->work = (struct weft_mw_work){.iteration = number};
	int more = p->partition(m->user, &m->work);
	if (more <= 0)
		return more;
	if (p->result_bytes && m->work.n > SIZE_MAX / p->result_bytes)
		return -ENOMEM;
	int rc = frame_reserve(&m->results, m->work.n * p->result_bytes);
	if (rc)
		return rc;
	m->sent = m->received = 0;
	memset(m->has_shared, 0, (size_t)m->link->size * sizeof *m->has_shared);
	iteration = number;
	TheWorkUnitBytes = (int)p->tuple_bytes;
	TheNumTuples = clamp(m->work.n);
	nw = m->work.workers = workers_now(m);
	if (m->work.workers == 0) {
		rc = compute_alone(m);
	} else {
		rc = mw_send_iteration(m);
		int rest = mw_receive_iteration(m); /* also what was sent before a failure */
		rc = rc ? rc : rest;
	}
	return rc < 0 ? rc : 1;
}

int mw_master_run(struct mw_master *m)
{
	for (int number = 1, more = 1; more > 0 && m->rc == 0; number++) {
		more = run_iteration(m, number);
		note_failure(m, more);
	}
	const struct frame_head end = {.magic = FRAME_MAGIC, .kind = MW_END, .rc = m->rc};
	for (int k = 1; k < m->link->size; k++)
		note_failure(m, frame_send(m->link, k, &end, NULL, NULL, &m->message));
	return m->rc;
}
