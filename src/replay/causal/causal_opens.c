/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Teams of traces of Extrae: nobody numbers them. A process's first thread begins parallel regions one after the other, and what another thread
 * executes belongs to the one that was begun last before. So these begins are looked up in a pass of their own, over that thread and that type alone.
 */
#include "causal_priv.h"
#include "trace/store/cursor.h"
#include <errno.h>
#include <stdlib.h>

static uint32_t type_of_parallel(const struct weft_trace *t)
{
	const struct weft_def_table *d = &t->def[WEFT_CLASS_TYPE];
	for (uint32_t i = 1; i < d->n; i++)
		if (d->at[i].code == CAUSAL_PARALLEL_CODE)
			return i;
	return 0;
}

static int find_of_process(const struct weft_trace *t, uint32_t process, uint32_t type, struct causal_opens *to)
{
	struct weft_cursor c;
	struct weft_block b;
	uint32_t what = weft_what(WEFT_EV_POINT, type);
	int rc = weft_cursor_begin(&c, t, t->process[process].first_thread, 0, WEFT_NEVER);
	if (rc)
		return rc;
	weft_cursor_want(&c, (struct weft_wanted){.whats = weft_what_bit(what)});
	while ((rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n; i++)
			if (b.what[i] == what && b.value[i] && weft_vec_push(to, b.time[i])) {
				weft_cursor_end(&c);
				return -ENOMEM;
			}
	weft_cursor_end(&c);
	return rc;
}

int causal_find_opens(struct causal_load *l)
{
	uint32_t type = type_of_parallel(l->trace);
	int rc = 0;
	if (!type)
		return 0;
	l->opens = calloc((size_t)l->trace->n_processes + 1, sizeof *l->opens);
	if (!l->opens)
		return -ENOMEM;
	for (uint32_t i = 0; !rc && i < l->trace->n_processes; i++)
		if (l->trace->process[i].n_threads)
			rc = find_of_process(l->trace, i, type, &l->opens[i]);
	return rc;
}

void causal_free_opens(struct causal_load *l)
{
	for (uint32_t i = 0; l->opens && i < l->trace->n_processes; i++)
		free(l->opens[i].at);
	free(l->opens);
	l->opens = NULL;
}
