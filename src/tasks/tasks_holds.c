/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What threads of the program had acquired. A release says the handle, and not whose acquisition ends: the oldest one of that handle
 * that is open. What is unregistered meanwhile ends with the handle.
 */
#include "tasks_priv.h"
#include <stdlib.h>

static int by_handle(const void *a, const void *b)
{
	const struct weft_tasks_hold *x = a, *y = b;
	return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
	       : x->handle != y->handle ? (x->handle > y->handle) - (x->handle < y->handle)
	                                : (x->from > y->from) - (x->from < y->from);
}

static int by_thread(const void *a, const void *b)
{
	const struct weft_tasks_hold *x = a, *y = b;
	return x->thread != y->thread ? (x->thread > y->thread) - (x->thread < y->thread)
	                              : (x->from > y->from) - (x->from < y->from);
}

static int by_note(const void *a, const void *b)
{
	const struct tasks_note *x = a, *y = b;
	return x->process != y->process ? (x->process > y->process) - (x->process < y->process)
	       : x->handle != y->handle ? (x->handle > y->handle) - (x->handle < y->handle)
	                                : (x->time > y->time) - (x->time < y->time);
}

static bool is_same(const struct weft_tasks_hold *h, const struct tasks_note *n)
{
	return h->process == n->process && h->handle == n->handle;
}

static bool is_behind(const struct weft_tasks_hold *h, const struct tasks_note *n)
{
	return h->process != n->process ? h->process > n->process : h->handle > n->handle;
}

void tasks_holds_finish(struct tasks_load *l)
{
	struct weft_tasks_hold *h = l->hold.at;
	size_t at = 0, n = l->hold.n;
	if (n)
		qsort(h, n, sizeof *h, by_handle);
	if (l->release.n)
		qsort(l->release.at, l->release.n, sizeof *l->release.at, by_note);
	for (size_t i = 0; i < l->release.n; i++) {
		const struct tasks_note *r = &l->release.at[i];
		while (at < n && !is_same(&h[at], r) && !is_behind(&h[at], r))
			at++;
		if (at < n && is_same(&h[at], r) && h[at].from <= r->time)
			h[at++].until = r->time;
	}
	for (size_t i = 0; i < n; i++) {
		if (h[i].until != WEFT_NEVER)
			continue;
		struct weft_tasks of = {.data = l->data.at, .n_data = (uint32_t)l->data.n};
		uint32_t d = weft_tasks_data_at(&of, h[i].process, h[i].handle, h[i].from);
		h[i].until = d == WEFT_TASKS_NO_ONE ? WEFT_NEVER : l->data.at[d].until;
	}
	if (n)
		qsort(h, n, sizeof *h, by_thread);
}
