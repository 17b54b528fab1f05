/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models, lanes and chunks: everything of the parser but the scanning of numbers. The hot half is inline in prv_emit.h; what
 * stands here is called once per many records.
 */
#include "prv_emit.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- ids -- */

static void ids_insert(struct prv_ids *ids, uint32_t number, uint32_t id)
{
	uint32_t i = number * 0x9e3779b1u >> 7;
	while (ids->slot[i & ids->mask].id && ids->slot[i & ids->mask].number != number)
		i++;
	ids->n += !ids->slot[i & ids->mask].id;
	ids->slot[i & ids->mask] = (struct prv_id_slot){number, id};
}

int prv_ids_put(struct prv_ids *ids, uint32_t number, uint32_t id)
{
	if (!ids->slot || ids->n >= (ids->mask + 1) / 4) {
		uint32_t cap = ids->slot ? (ids->mask + 1) * 2 : 64;
		struct prv_ids more = {calloc(cap, sizeof *more.slot), cap - 1, 0};
		if (!more.slot)
			return -ENOMEM;
		for (uint32_t i = 0; ids->slot && i <= ids->mask; i++)
			if (ids->slot[i].id)
				ids_insert(&more, ids->slot[i].number, ids->slot[i].id);
		free(ids->slot);
		*ids = more;
	}
	ids_insert(ids, number, id);
	return 0;
}

/* -- model -- */

int prv_model_init(struct prv_model *m, const struct prv_header *h)
{
	*m = (struct prv_model){.header = h, .unit_ns = prv_unit_ns[h->unit], .most_time = INT64_MAX / prv_unit_ns[h->unit]};
	m->thread_node = calloc(h->n_threads, sizeof *m->thread_node);
	m->cpu_node = calloc((size_t)h->n_cpus + 1, sizeof *m->cpu_node);
	if (!m->thread_node || !m->cpu_node)
		return -ENOMEM;
	for (uint32_t t = 0; t < h->n_tasks; t++)
		for (uint32_t i = 0; i < h->task[t].n_threads; i++)
			m->thread_node[h->task[t].first_thread + i] = h->task[t].node;
	uint32_t cpu = 1;
	for (uint32_t node = 0; node < h->n_nodes; node++)
		for (uint32_t i = 0; i < h->node_cpus[node]; i++)
			m->cpu_node[cpu++] = node + 1;
	return 0;
}

void prv_model_fini(struct prv_model *m)
{
	free(m->thread_node);
	free(m->cpu_node);
	free(m->type.slot);
	free(m->state.slot);
	*m = (struct prv_model){.header = NULL};
}

/* -- lanes -- */

int prv_lane_reserve(struct prv_lane *l, uint32_t more)
{
	if (more > UINT32_MAX / 4 - l->n)
		return -ENOMEM;
	uint32_t cap = l->cap ? l->cap : 16;
	while (cap - l->n < more)
		cap *= 2;
	if (cap == l->cap)
		return 0;
	uint64_t *time = malloc((size_t)cap * (2 * sizeof *l->time + sizeof *l->what));
	if (!time)
		return -ENOMEM;
	uint64_t *value = time + cap;
	uint32_t *what = (uint32_t *)(value + cap);
	if (l->n) {
		memcpy(time, l->time, l->n * sizeof *time);
		memcpy(value, l->value, l->n * sizeof *value);
		memcpy(what, l->what, l->n * sizeof *what);
	}
	free(l->time);
	l->time = time;
	l->value = value;
	l->what = what;
	l->cap = cap;
	return 0;
}

int prv_lane_pass(struct prv_lane *l, uint64_t time)
{
	const struct prv_end *end = l->end + l->first_end;
	uint32_t n = 0;
	while (n < l->n_ends && end[n].time <= time)
		n++;
	if (prv_lane_reserve(l, 2 * n))
		return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		prv_put_end(l, &end[i]);
	l->n_ends -= n;
	l->first_end = l->n_ends ? l->first_end + n : 0;
	l->next_end = l->n_ends ? end[n].time : UINT64_MAX;
	return 0;
}

/* Room for one more end behind the waiting ones. */
static int lane_end_room(struct prv_lane *l)
{
	if (l->first_end + l->n_ends < l->cap_ends)
		return 0;
	if (l->first_end > l->cap_ends / 2) {
		memmove(l->end, l->end + l->first_end, l->n_ends * sizeof *l->end);
		l->first_end = 0;
		return 0;
	}
	uint32_t cap = l->cap_ends ? l->cap_ends * 2 : 4;
	struct prv_end *more = realloc(l->end, cap * sizeof *more);
	if (!more)
		return -ENOMEM;
	l->end = more;
	l->cap_ends = cap;
	return 0;
}

int prv_lane_wait(struct prv_lane *l, const struct prv_end *e)
{
	if (lane_end_room(l))
		return -ENOMEM;
	struct prv_end *first = l->end + l->first_end, *at = first + l->n_ends++;
	for (; at > first && at[-1].time > e->time; at--)
		*at = at[-1];
	*at = *e;
	l->next_end = first->time;
	return 0;
}

int prv_lane_send_room(struct prv_lane *l)
{
	uint32_t need = l->n_sends + l->n_ends + 1;
	if (need <= l->cap_sends)
		return 0;
	uint32_t cap = need + need / 2 + 8;
	uint32_t *more = realloc(l->send_at, cap * sizeof *more);
	if (!more)
		return -ENOMEM;
	l->send_at = more;
	l->cap_sends = cap;
	return 0;
}

struct sort_row {
	uint64_t time, value;
	uint32_t what, cpu, place;
};

static int compare_rows(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->place < y->place ? -1 : 1;
}

/* Moves that a nearly sorted lane may cost, for each event, before it is sorted as any other. */
enum { MOVES_AN_EVENT = 16 };

/* Inserts each row that comes too late where it belongs. False: too far from sorted. */
static bool insert_rows(struct sort_row *row, uint32_t n)
{
	uint64_t moves = 0;
	for (uint32_t i = 1; i < n; i++) {
		if (row[i].time >= row[i - 1].time)
			continue;
		struct sort_row late = row[i];
		uint32_t at = i;
		for (; at && row[at - 1].time > late.time; at--)
			row[at] = row[at - 1];
		row[at] = late;
		moves += i - at;
		if (moves > (uint64_t)MOVES_AN_EVENT * n)
			return false;
	}
	return true;
}

/* The same in place, for a lane with one cpu, whose event stays in front. */
static bool insert_in_place(struct prv_lane *l)
{
	uint64_t moves = 0;
	for (uint32_t i = 2; i < l->n; i++) {
		if (l->time[i] >= l->time[i - 1])
			continue;
		uint64_t time = l->time[i], value = l->value[i];
		uint32_t what = l->what[i], at = i;
		while (at > 1 && l->time[at - 1] > time)
			at--;
		memmove(l->time + at + 1, l->time + at, (i - at) * sizeof *l->time);
		memmove(l->value + at + 1, l->value + at, (i - at) * sizeof *l->value);
		memmove(l->what + at + 1, l->what + at, (i - at) * sizeof *l->what);
		l->time[at] = time;
		l->value[at] = value;
		l->what[at] = what;
		moves += i - at;
		if (moves > (uint64_t)MOVES_AN_EVENT * l->n)
			return false;
	}
	if (l->n > 1)
		l->time[0] = l->time[1];
	l->last = l->n ? l->time[l->n - 1] : 0;
	l->unsorted = false;
	return true;
}

/* Where the ends of messages are after sorting. */
static void find_sends(struct prv_lane *l)
{
	uint32_t n = 0;
	for (uint32_t i = 0; n < l->n_sends && i < l->n; i++)
		if (weft_what_kind(l->what[i]) == WEFT_EV_SEND || weft_what_kind(l->what[i]) == WEFT_EV_RECV)
			l->send_at[n++] = i;
}

int prv_lane_sort(struct prv_lane *l)
{
	if (!l->unsorted)
		return 0;
	if (l->n_cpus == 1 && insert_in_place(l)) {
		find_sends(l);
		return 0;
	}
	struct sort_row *row = malloc((l->n + 1) * sizeof *row);
	if (!row)
		return -ENOMEM;
	uint32_t n = 0, cpu = PRV_CPU_UNSET;
	for (uint32_t i = 0; i < l->n; i++) {
		if (weft_what_kind(l->what[i]) == WEFT_EV_CPU)
			cpu = l->value[i] == WEFT_NONE ? 0 : (uint32_t)l->value[i] + 1;
		else
			row[n++] = (struct sort_row){l->time[i], l->value[i], l->what[i], cpu, i};
	}
	if (!insert_rows(row, n))
		qsort(row, n, sizeof *row, compare_rows);
	/* The sorted order may change cpus more often. */
	uint32_t most = n;
	for (uint32_t i = 0; i < n; i++)
		most += i == 0 || row[i].cpu != row[i - 1].cpu;
	l->n = 0;
	int rc = prv_lane_reserve(l, most);
	l->cpu = PRV_CPU_UNSET;
	l->n_cpus = 0;
	for (uint32_t i = 0; i < n && !rc; i++) {
		if (row[i].cpu != l->cpu)
			prv_put_cpu(l, row[i].time, row[i].cpu);
		prv_put(l, row[i].time, row[i].what, row[i].value);
	}
	l->last = n ? row[n - 1].time : 0;
	l->unsorted = false;
	find_sends(l);
	free(row);
	return rc;
}

/* -- chunks -- */

void prv_lane_touch(struct prv_chunk *c, uint32_t row)
{
	struct prv_lane *l = &c->lane[row];
	if (l->touched)
		return;
	l->touched = true;
	if (weft_vec_push(&c->touched, row))
		c->failed = true;
}

uint32_t prv_new_id(struct prv_chunk *c, unsigned kind, uint32_t number)
{
	uint64_t key = (uint64_t)kind << 32 | number, place;
	if (!weft_map_get(&c->unknown_place, key, &place)) {
		place = c->unknown.n;
		if (place >= PRV_NEW_ID - 1 || weft_map_put(&c->unknown_place, key, place) ||
		    weft_vec_push(&c->unknown, (struct prv_number){kind, number})) {
			c->failed = true;
			place = 0;
		}
	}
	return PRV_NEW_ID + (uint32_t)place;
}

void prv_emit_comm(struct prv_chunk *c, const struct prv_comm *m)
{
	uint64_t unit = c->model->unit_ns;
	struct weft_message_row row = {
		.send_thread = m->send_row,
		.recv_thread = m->recv_row,
		.tag = m->tag,
		.size = m->size,
		.send_began = m->time[0] * unit,
		.send_done = m->time[1] * unit,
		.recv_began = m->time[2] * unit,
		.recv_done = m->time[3] * unit,
	};
	c->n_records++;
	uint32_t place = (uint32_t)c->message.n;
	prv_lane_touch(c, m->send_row);
	prv_lane_touch(c, m->recv_row);
	c->n_behind += c->lane[m->send_row].last > row.send_began;
	if (prv_lane_send_room(&c->lane[m->send_row]))
		goto fail;
	prv_wait(c, m->send_row, row.send_done, weft_what(WEFT_EV_SEND, 0), m->send_cpu, place);
	if (prv_lane_send_room(&c->lane[m->recv_row]))
		goto fail;
	prv_wait(c, m->recv_row, row.recv_done, weft_what(WEFT_EV_RECV, 0), m->recv_cpu, place);
	for (int i = 0; i < 4; i++)
		if (m->time[i] * unit > c->last_time)
			c->last_time = m->time[i] * unit;
	if (!weft_vec_push(&c->message, row))
		return;
fail:
	c->failed = true;
}

static void lane_reset(struct prv_lane *l)
{
	l->n = l->n_ends = l->first_end = 0;
	l->last = 0;
	l->next_end = UINT64_MAX;
	l->cpu = PRV_CPU_UNSET;
	l->n_cpus = l->n_sends = 0;
	l->unsorted = l->touched = false;
}

int prv_chunk_init(struct prv_chunk *c, const struct prv_model *m)
{
	*c = (struct prv_chunk){.model = m};
	c->lane = calloc(m->header->n_threads, sizeof *c->lane);
	if (!c->lane)
		return -ENOMEM;
	for (uint32_t i = 0; i < m->header->n_threads; i++)
		lane_reset(&c->lane[i]);
	return 0;
}

void prv_chunk_fini(struct prv_chunk *c)
{
	for (uint32_t i = 0; c->lane && i < c->model->header->n_threads; i++) {
		free(c->lane[i].time);
		free(c->lane[i].end);
		free(c->lane[i].send_at);
	}
	free(c->lane);
	free(c->touched.at);
	free(c->message.at);
	free(c->unknown.at);
	weft_map_fini(&c->unknown_place);
	free(c->issue.at);
	free(c->comment.at);
	free(c->comment_text.at);
	free(c->prefix);
	*c = (struct prv_chunk){.model = NULL};
}

void prv_chunk_reset(struct prv_chunk *c)
{
	for (size_t i = 0; i < c->touched.n; i++)
		lane_reset(&c->lane[c->touched.at[i]]);
	if (c->unknown.n)
		weft_map_fini(&c->unknown_place);
	c->touched.n = c->message.n = c->unknown.n = c->issue.n = c->comment.n = c->comment_text.n = 0;
	c->n_issues = c->n_lines = c->n_records = c->last_time = c->n_behind = 0;
	c->failed = false;
}

int prv_chunk_parse_with(const struct prv_kernel *k, struct prv_chunk *c, const char *text, size_t n, uint64_t offset)
{
	c->at = text;
	c->n = n;
	c->offset = offset;
	k->parse(c);
	for (size_t i = 0; i < c->touched.n && !c->failed; i++)
		if (prv_lane_sort(&c->lane[c->touched.at[i]]))
			c->failed = true;
	return c->failed ? -ENOMEM : 0;
}

int prv_chunk_parse(struct prv_chunk *c, const char *text, size_t n, uint64_t offset)
{
	return prv_chunk_parse_with(prv_kernel_best(), c, text, n, offset);
}
