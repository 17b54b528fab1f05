/* SPDX-License-Identifier: Apache-2.0 */
#include "state_sums.h"
#include "paje_states.h"
#include "state_sums_priv.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

void state_sums_fini(struct state_sums *s)
{
	for (size_t i = 0; i < s->at.n; i++)
		free(s->at.at[i].length.at);
	free(s->at.at);
	weft_intern_fini(&s->word);
	*s = (struct state_sums){.from = 0};
}

const struct state_sum *state_sums_find(const struct state_sums *s, const char *name)
{
	for (size_t i = 0; i < s->at.n; i++)
		if (!strcmp(s->at.at[i].name, name))
			return &s->at.at[i];
	return NULL;
}

/* Names with commas between; without a list every name is in it. */
static bool is_listed(const char *list, const char *name)
{
	struct weft_str rest = weft_str(list), part;
	if (!list)
		return true;
	while (weft_str_cut(&rest, ',', &part))
		if (weft_str_eq(weft_str_trim(part), name))
			return true;
	return false;
}

int state_sums_add(struct state_sums *s, struct weft_str name, const char *category, int64_t begin, int64_t end)
{
	uint32_t id;
	double from = (double)begin / STATE_UNIT, to = (double)end / STATE_UNIT;
	if (from < s->from || (s->to > s->from && to > s->to))
		return 0;
	if (weft_intern_add(&s->word, name, &id))
		return -ENOMEM;
	while (s->at.n <= id) {
		struct state_sum new = {.name = s->word.name[s->at.n], .category = category};
		if (weft_vec_push(&s->at, new))
			return -ENOMEM;
	}
	struct state_sum *sum = &s->at.at[id];
	if (s->only && !sum->n && !is_listed(s->only, sum->name))
		return 0;
	s->first = begin < s->first ? begin : s->first;
	s->last = end > s->last ? end : s->last;
	sum->category = category;
	sum->n++;
	sum->total += end - begin;
	if (s->keep_lengths && sum->length.n < LENGTHS_MOST && weft_vec_push(&sum->length, to - from))
		return -ENOMEM;
	return 0;
}

void state_sums_forget(struct state_sums *s)
{
	for (size_t i = 0; i < s->at.n; i++) {
		s->at.at[i].n = s->at.at[i].length.n = 0;
		s->at.at[i].total = 0;
	}
	s->parts = (struct state_parts){0};
	s->first = INT64_MAX;
	s->last = INT64_MIN;
}

/* StarPU writes a worker's state for its scheduling context once more: those types are called InCtx1 and so on. */
static int take_state(void *arg, const struct paje_state *p)
{
	struct state_sums *s = arg;
	if (!strncmp(p->type, "InCtx", 5))
		return 0;
	return state_sums_add(s, weft_str(p->value), "", p->begin, p->end);
}

int state_sums_read_paje(struct state_sums *s, struct text_lines *from, struct weft_err *err)
{
	s->first = INT64_MAX;
	s->last = INT64_MIN;
	int rc = paje_states_read(from, take_state, s, err);
	return rc == -ENOMEM ? weft_err_set(err, rc, "out of memory") : rc;
}
