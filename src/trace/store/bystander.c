/* SPDX-License-Identifier: Apache-2.0 */
/* Threads and processes that are no part of the program's work: what little is recorded of them says so. */
#include "cursor.h"
#include <string.h>

enum { BEGIN_AND_END = 2, FEW = 64 }; /* events */

static bool has_ranks(const struct weft_trace *t)
{
	for (uint32_t i = 0; i < t->n_processes; i++)
		if (t->process[i].rank >= 0)
			return true;
	return false;
}

/* The first thread of its process that is no helper of Weft's. */
static uint32_t first_of(const struct weft_trace *t, uint32_t thread)
{
	uint32_t first = t->process[t->thread[thread].process].first_thread;
	while (first < thread && t->thread[first].own)
		first++;
	return first;
}

static bool begins_mpi(const struct weft_trace *t, uint32_t what)
{
	const unsigned kind = weft_what_kind(what), id = weft_what_id(what);
	const struct weft_def_table *d = &t->def[WEFT_CLASS_REGION];
	return (kind == WEFT_EV_ENTER || kind == WEFT_EV_LEAVE) && id < d->n &&
	       (!strcmp(d->at[id].name, "MPI_Init") || !strcmp(d->at[id].name, "MPI_Init_thread"));
}

static uint64_t wanted(const struct weft_trace *t)
{
	uint64_t whats = 0;
	for (uint32_t i = 1; i < t->def[WEFT_CLASS_REGION].n; i++)
		if (begins_mpi(t, weft_what(WEFT_EV_ENTER, i)))
			whats |= weft_what_bit(weft_what(WEFT_EV_ENTER, i)) | weft_what_bit(weft_what(WEFT_EV_LEAVE, i));
	return whats;
}

/* Whether the first thread of its process is in MPI_Init when it begins: MPI has made it, for itself. */
static bool began_in_init(const struct weft_trace *t, uint32_t thread)
{
	const struct weft_thread_row *row = &t->thread[thread];
	struct weft_cursor c;
	struct weft_block b;
	bool inside = false, over = false;
	const uint64_t whats = wanted(t);
	if (!whats || row->begin == WEFT_NEVER || weft_cursor_begin(&c, t, first_of(t, thread), 0, row->begin))
		return false;
	weft_cursor_want(&c, (struct weft_wanted){.whats = whats});
	while (!over && weft_cursor_next(&c, &b) > 0)
		for (uint32_t i = 0; i < b.n && !over; i++) {
			over = b.time[i] > row->begin;
			if (!over && begins_mpi(t, b.what[i]))
				inside = weft_what_kind(b.what[i]) == WEFT_EV_ENTER;
		}
	weft_cursor_end(&c);
	return inside;
}

bool weft_thread_is_bystander(const struct weft_trace *t, uint32_t thread)
{
	if (thread >= t->n_threads || t->thread[thread].process >= t->n_processes)
		return false;
	const struct weft_thread_row *row = &t->thread[thread];
	const struct weft_process *p = &t->process[row->process];
	const bool helps = thread != first_of(t, thread) && !row->own;
	if (helps && row->n_events <= BEGIN_AND_END)
		return true;
	if (weft_thread_reads_counters(t, thread) || (p->rank < 0 && has_ranks(t)))
		return true;
	return helps && p->rank >= 0 && row->n_events <= FEW && began_in_init(t, thread);
}
