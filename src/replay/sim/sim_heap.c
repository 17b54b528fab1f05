/* SPDX-License-Identifier: Apache-2.0 */
/* Events in order of time; of one instant by class, wishes by thread, then as they came. A heap of four children a node. */
#include "sim_priv.h"

static inline unsigned class_of(uint32_t kind)
{
	return kind == SIM_CPU_RUN ? 0 : kind < SIM_REQUEST ? 1 : kind < SIM_SHARE ? 2 : 3;
}

static inline bool before(const struct sim_event *a, const struct sim_event *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	const unsigned of_a = class_of(a->kind), of_b = class_of(b->kind);
	if (of_a != of_b)
		return of_a < of_b;
	if (a->tie != b->tie && of_a == 2)
		return a->tie < b->tie;
	if (a->kind == SIM_CPU_END && b->kind == SIM_CPU_END && a->tie && b->tie)
		return a->seq > b->seq; /* the last that began ends first, as in Dimemas */
	return a->seq < b->seq;
}

int sim_push(struct sim *s, struct sim_event e)
{
	e.seq = s->seq++;
	if (weft_vec_push(&s->heap, e))
		return -12;
	struct sim_event *h = s->heap.at;
	size_t i = s->heap.n - 1;
	while (i && before(&e, &h[(i - 1) / 4])) {
		h[i] = h[(i - 1) / 4];
		i = (i - 1) / 4;
	}
	h[i] = e;
	return 0;
}

bool sim_pop(struct sim *s, struct sim_event *e)
{
	struct sim_event *h = s->heap.at;
	if (!s->heap.n)
		return false;
	*e = h[0];
	const size_t n = --s->heap.n;
	const struct sim_event last = h[n];
	size_t i = 0;
	for (size_t child = 1; child < n; child = 4 * i + 1) {
		size_t least = child;
		for (size_t k = child + 1; k < child + 4 && k < n; k++)
			if (before(&h[k], &h[least]))
				least = k;
		if (!before(&h[least], &last))
			break;
		h[i] = h[least];
		i = least;
	}
	if (n)
		h[i] = last;
	return true;
}
