/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Communication statistics: a message of a row's threads goes to the column of its partner. A cell
 * is there for every partner with whom there was a message in either direction.
 */
#include "hist_priv.h"
#include <errno.h>
#include <stdlib.h>

/* The object of the thread, which was on that cpu (from 1, 0: unknown). */
static uint32_t object_of(const struct weft_space *s, enum weft_level level, uint32_t thread, uint32_t cpu)
{
	if (level == WEFT_CPU)
		return cpu ? cpu - 1 : WEFT_NONE;
	if (weft_level_of_resources(level))
		return level == WEFT_SYSTEM ? 0 : s->node_of[thread];
	return weft_level_up(s, WEFT_THREAD, thread, level);
}

/* Is this the record at which the end counts? Each counts once. */
static bool counts(const struct weft_record_filter *f, const struct metric_comm *c, const struct metric_message *m)
{
	if (c->kind & METRIC_SENDS)
		return c->kind == (f->logical ? METRIC_LOG_SEND : METRIC_PHY_SEND);
	return metric_comm_completes(f, c->kind, m);
}

static int take_message(struct weft_result *r, struct hist_row *row, struct hist_pieces *p, const struct metric_comm *c,
                        const struct metric_message *m)
{
	const struct weft_stat *stat = r->hist->stat;
	const enum weft_level level = r->view->window[r->hist->control].metric.level;
	bool send = c->kind & METRIC_SENDS;
	uint32_t cpu = level == WEFT_CPU ? metric_message_cpu(r->space, m->number, send) : 0;
	uint32_t partner = object_of(r->space, level, send ? m->to : m->from, cpu);
	if (partner == WEFT_NONE)
		return 0;
	p->n = 1;
	p->value[HIST_DATA][0] = m->size;
	int rc = hist_row_place(row, 0, partner, &p->cell[0]);
	if (!rc && (send ? stat->sends : stat->receives))
		stat->add(row->sum.at, p);
	return rc;
}

/* All messages of a thread, each to the row of its object. */
static int take_thread(struct weft_result *r, struct hist_row *row, const uint32_t *row_number, uint32_t thread,
                       struct hist_pieces *p)
{
	const struct weft_metric *m = &r->view->window[r->hist->control].metric;
	struct metric_comms comms;
	const struct metric_comm *c;
	int rc = metric_comms_open(&comms, r->space, m, thread, METRIC_SENDS | METRIC_RECVS);
	for (uint64_t i = 0; !rc && (c = metric_comms_at(&comms, i)); i++) {
		struct metric_message message;
		metric_comms_forget(&comms, i);
		uint32_t object = object_of(r->space, m->level, thread, c->cpu);
		if (object == WEFT_NONE || row_number[object] == WEFT_NONE || c->time < r->begin || c->time > r->end)
			continue;
		metric_message_get(r->space, c->message, &message);
		if (counts(&m->filter, c, &message))
			rc = take_message(r, &row[row_number[object]], p, c, &message);
	}
	rc = rc ? rc : comms.rc;
	metric_comms_fini(&comms);
	return rc;
}

int hist_comms(struct weft_result *r, struct hist_row *row, const uint32_t *row_number)
{
	struct hist_pieces *one = calloc(1, sizeof *one);
	int rc = one ? 0 : -ENOMEM;
	/* Messages are in no plane of a third window. */
	for (uint32_t t = 0; t < r->space->trace->n_threads && !rc && r->hist->extra == WEFT_NONE; t++)
		rc = take_thread(r, row, row_number, t, one);
	free(one);
	return rc;
}
