/* SPDX-License-Identifier: Apache-2.0 */
/* Texts for people: names of threads by their place, labels of values, notes. */
#include "base/str.h"
#include "trace.h"
#include <string.h>

char *weft_thread_label(const struct weft_trace *t, uint32_t thread, char *out)
{
	if (thread >= t->n_threads)
		return strcpy(out, "?");
	const struct weft_thread_row *row = &t->thread[thread];
	const struct weft_process *p = &t->process[row->process];
	char *at = out;
	at += weft_fmt_u64(at, p->app + 1ull);
	*at++ = '.';
	at += weft_fmt_u64(at, row->process - t->app[p->app].first_process + 1ull);
	*at++ = '.';
	at += weft_fmt_u64(at, row->number);
	*at = 0;
	return out;
}

const char *weft_value_label(const struct weft_def_row *type, int64_t value)
{
	uint32_t low = 0, high = type->n_labels;
	while (low < high) {
		uint32_t mid = low + (high - low) / 2;
		if (type->label[mid].value < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low < type->n_labels && type->label[low].value == value ? type->label[low].text : NULL;
}

static bool is_of_openmp(const struct weft_trace *t, const struct weft_def_row *region)
{
	const struct weft_def_table *c = &t->def[WEFT_CLASS_CATEGORY];
	return region->category && region->category < c->n && strcmp(c->at[region->category].name, "openmp") == 0;
}

/* What libweft-sample calls its own (src/sample/sample_each.c). */
bool weft_thread_reads_counters(const struct weft_trace *t, uint32_t thread)
{
	return thread != t->process[t->thread[thread].process].first_thread && !strcmp(t->thread[thread].name, "counters");
}

bool weft_outside_is_useful(const struct weft_trace *t, uint32_t thread)
{
	const struct weft_def_table *regions = &t->def[WEFT_CLASS_REGION];
	for (uint32_t i = 1; i < regions->n; i++)
		if (regions->at[i].state == WEFT_STATE_RUNNING && regions->at[i].n_events && !is_of_openmp(t, &regions->at[i]))
			return false;
	return !weft_thread_is_bystander(t, thread);
}

const char *weft_trace_note(const struct weft_trace *t, const char *key)
{
	for (uint32_t i = 0; i < t->n_notes; i++)
		if (strcmp(t->note[i].key, key) == 0)
			return t->note[i].text;
	return NULL;
}
