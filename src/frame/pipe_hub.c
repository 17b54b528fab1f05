/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hub of a pipeline: source, queues, servers, sink.
 *
 *     source → queue 0 → servers of stage 0 → queue 1 → … → sink, in the order of numbers
 *
 * An item's place is its number modulo the number of places, since no more than that are under way: the place is its memory, and the
 * sink's order. An epoch is over when the sink has taken as many items as there are places; then servers are shared out anew. A server
 * that was moved finishes its batch first. Dispatch is O(servers) a message.
 */
#include "pipe_priv.h"
#include <errno.h>
#include <string.h>

static void note_failure(struct pipe_hub *h, int rc)
{
	if (rc < 0 && h->rc == 0)
		h->rc = rc;
}

static unsigned char *item(const struct pipe_hub *h, uint64_t place)
{
	return h->items + place * h->program->item_bytes;
}

static void push(struct pipe_hub *h, unsigned stage, uint64_t place)
{
	struct pipe_queue *q = &h->queue[stage];
	q->at[(q->head + q->n++) % h->places] = (uint32_t)place;
}

static uint32_t pop(struct pipe_hub *h, unsigned stage)
{
	struct pipe_queue *q = &h->queue[stage];
	q->n--;
	return q->at[q->head++ % h->places];
}

void pipe_share(const int *wanted, unsigned stages, unsigned servers, unsigned *out)
{
	unsigned sum = 0;
	for (unsigned s = 0; s < stages; s++) {
		out[s] = wanted[s] > 0 ? (unsigned)wanted[s] < servers ? (unsigned)wanted[s] : servers : 1;
		sum += out[s];
	}
	/* Too many: from the largest. Too few: to those that left it open, else to all, in turn. */
	for (; sum > servers; sum--) {
		unsigned most = 0;
		for (unsigned s = 1; s < stages; s++)
			most = out[s] > out[most] ? s : most;
		out[most]--;
	}
	bool open = false;
	for (unsigned s = 0; s < stages; s++)
		open = open || wanted[s] <= 0;
	for (unsigned s = 0; sum < servers; s = (s + 1) % stages) {
		if (open && wanted[s] > 0)
			continue;
		out[s]++;
		sum++;
	}
}

static void assign_servers(struct pipe_hub *h)
{
	unsigned servers = (unsigned)h->link->size - 1, stages = h->program->stages, share[WEFT_PIPE_STAGES] = {0};
	int wanted[WEFT_PIPE_STAGES] = {0};
	if (servers < stages)
		return;
	for (unsigned s = 0; s < stages; s++)
		wanted[s] = *pipe_replicas[s];
	pipe_share(wanted, stages, servers, share);
	for (unsigned s = 0, rank = 1; s < stages; s++)
		for (unsigned k = 0; k < share[s]; k++)
			h->server[rank++].stage = s;
}

/* Measured: _P_NewEpoch. */
int pipe_begin_epoch(struct pipe_hub *h)
{
	assign_servers(h);
	return 0;
}

/* Measured: _P_EndEpoch. */
int pipe_end_epoch(struct pipe_hub *h)
{
	return h->rc;
}

static void next_epoch(struct pipe_hub *h)
{
	int batch = PipeBatch;
	PipeEpoch++;
	PipeBatchNow = batch < 1 ? 1 : batch > (int)h->places ? (int)h->places : batch;
	pipe_begin_epoch(h);
}

/* The stage that a server is to serve now; false: there is nothing for it. */
static bool find_work(struct pipe_hub *h, int rank, unsigned *stage)
{
	*stage = h->server[rank].stage;
	if (h->link->size - 1 >= (int)h->program->stages)
		return h->queue[*stage].n > 0;
	/* Too few servers: what is furthest first. */
	for (unsigned s = h->program->stages; s-- > 0;)
		if (h->queue[s].n) {
			*stage = s;
			return true;
		}
	return false;
}

static int give_batch(struct pipe_hub *h, int rank, unsigned stage)
{
	struct pipe_server *s = &h->server[rank];
	uint64_t n = h->queue[stage].n < (uint64_t)PipeBatchNow ? h->queue[stage].n : (uint64_t)PipeBatchNow;
	struct pipe_queue *q = &h->queue[stage];
	h->batch.n = 0;
	int rc = 0;
	for (uint64_t i = 0; i < n && rc == 0; i++) {
		uint64_t place = q->at[(q->head + i) % h->places], base = h->taken - h->taken % h->places + place;
		uint64_t number = base < h->taken ? base + h->places : base;
		rc = weft_frame_put(&h->batch, &number, sizeof number);
	}
	for (uint64_t i = 0; i < n && rc == 0; i++)
		rc = weft_frame_put(&h->batch, item(h, pop(h, stage)), h->program->item_bytes);
	const struct frame_head head =
		{.magic = FRAME_MAGIC, .kind = PIPE_BATCH, .iteration = PipeEpoch, .first = stage, .n = n, .bytes = h->batch.n};
	rc = rc ? rc : frame_send(h->link, rank, &head, NULL, h->batch.at, &h->message);
	if (rc == 0) {
		s->busy = true;
		s->given = stage;
		s->n = (unsigned)n;
		h->busy++;
	}
	return rc;
}

/* Stages that are through: to the next queue, or to the sink as soon as it is its turn. */
static int pass_on(struct pipe_hub *h, uint64_t number, unsigned stage)
{
	if (stage + 1 < h->program->stages) {
		push(h, stage + 1, number % h->places);
		return 0;
	}
	h->done[number % h->places] = true;
	for (uint64_t place; h->rc == 0 && h->done[place = h->taken % h->places];) {
		h->done[place] = false;
		int rc = h->program->sink(h->user, h->taken, item(h, place));
		if (rc < 0)
			return rc;
		if (++h->taken % h->places == 0) {
			pipe_end_epoch(h);
			next_epoch(h);
		}
	}
	return 0;
}

static int receive_batch(struct pipe_hub *h)
{
	struct frame_head head;
	int rank, rc = frame_receive(h->link, WEFT_FRAME_ANY, &rank, &head, &h->in);
	if (rc)
		return rc;
	size_t each = h->program->item_bytes, numbers = head.n * sizeof(uint64_t);
	if (head.kind != PIPE_ANSWER || !h->server[rank].busy || head.n != h->server[rank].n ||
	    head.first != h->server[rank].given || h->in.n != numbers + head.n * each)
		return -EPROTO;
	h->server[rank].busy = false;
	h->busy--;
	note_failure(h, head.rc);
	for (uint64_t i = 0; i < head.n && h->rc == 0; i++) {
		uint64_t number;
		memcpy(&number, h->in.at + i * sizeof number, sizeof number);
		if (number < h->taken || number >= h->made)
			return -EPROTO;
		if (each)
			memcpy(item(h, number % h->places), h->in.at + numbers + i * each, each);
		note_failure(h, pass_on(h, number, (unsigned)head.first));
	}
	return 0;
}

/* No more at a time than the servers can take at once, so that they need not wait for a slow source. */
static void fill(struct pipe_hub *h)
{
	uint64_t enough = (uint64_t)h->link->size * (uint64_t)PipeBatchNow;
	while (!h->dry && h->rc == 0 && h->made - h->taken < h->places && h->queue[0].n < enough) {
		int more = h->program->source(h->user, h->made, item(h, h->made % h->places));
		note_failure(h, more);
		h->dry = more <= 0;
		if (more > 0)
			push(h, 0, h->made++ % h->places);
	}
}

static int serve_alone(struct pipe_hub *h)
{
	while (h->queue[0].n && h->rc == 0) {
		uint64_t number = h->taken, place = pop(h, 0);
		for (unsigned s = 0; s < h->program->stages && h->rc == 0; s++)
			note_failure(h, h->program->stage[s].work(h->user, number, item(h, place)));
		if (h->rc == 0)
			note_failure(h, pass_on(h, number, h->program->stages - 1));
	}
	return h->rc;
}

static int serve(struct pipe_hub *h)
{
	int rc = 0;
	for (int rank = 1; rank < h->link->size && rc == 0 && h->rc == 0; rank++) {
		unsigned stage;
		if (!h->server[rank].busy && find_work(h, rank, &stage))
			rc = give_batch(h, rank, stage);
	}
	return rc ? rc : h->busy ? receive_batch(h) : 0;
}

int pipe_hub_run(struct pipe_hub *h)
{
	if (h->rc == 0) {
		next_epoch(h);
		fill(h);
	}
	while (h->busy || (h->rc == 0 && h->taken < h->made)) {
		int rc = h->link->size > 1 ? serve(h) : serve_alone(h);
		note_failure(h, rc);
		if (rc)
			break; /* a link that fails, or a process that is none of ours: nothing to wait for */
		fill(h);
	}
	if (PipeEpoch)
		pipe_end_epoch(h);
	const struct frame_head end = {.magic = FRAME_MAGIC, .kind = PIPE_END, .rc = h->rc};
	for (int k = 1; k < h->link->size; k++)
		note_failure(h, frame_send(h->link, k, &end, NULL, NULL, &h->message));
	return h->rc;
}
