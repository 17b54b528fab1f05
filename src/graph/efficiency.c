/* SPDX-License-Identifier: Apache-2.0 */
/* A chain of ratios, each of what was left before a loss over what that was with it: the middle terms cancel out. */
#include "efficiency.h"
#include <stdlib.h>

#define LOST(effort) (1u << WEFT_EFFORT_##effort)

const char *const weft_effort_names[WEFT_EFFORTS] = {"tasks", "runtime", "scheduling", "transfers", "late", "starved"};

const struct weft_efficiency_factor weft_efficiency_classic[WEFT_EFFICIENCY_CLASSIC] = {
	{"task", 0, "tasks take longer than in the reference: memory and caches are shared, or frequencies lower"},
	{"runtime", LOST(RUNTIME), "the runtime itself takes time: tasks are too small for it"},
	{"scheduling", LOST(SCHEDULING), "the policy takes time to choose"},
	{"pipeline", LOST(TRANSFER) | LOST(LATE) | LOST(STARVED), "workers wait: for data, or for tasks that are ready"},
};
const struct weft_efficiency_factor weft_efficiency_fine[WEFT_EFFICIENCY_FINE] = {
	{"task", 0, "tasks take longer than in the reference: memory and caches are shared, or frequencies lower"},
	{"runtime", LOST(RUNTIME), "the runtime itself takes time: tasks are too small for it"},
	{"scheduling", LOST(SCHEDULING), "the policy takes time to choose"},
	{"transfers", LOST(TRANSFER), "workers wait for data: more to overlap, to keep in place, or larger tasks"},
	{"dispatch", LOST(LATE),
         "tasks are ready, and workers that idle do not get them: waking up, policy, or no worker may run them"},
	{"parallelism", LOST(STARVED), "no task is ready: the graph is too narrow, the submission too slow, or the end uneven"},
};

double weft_efficiency(const struct weft_efficiency_factor *factor, unsigned n, const double effort[WEFT_EFFORTS],
                       double reference, double *value)
{
	double left = effort[WEFT_EFFORT_WORK], product = 1;
	for (unsigned i = 0; i < n; i++) {
		double with = left;
		value[i] = 1;
		for (unsigned e = 0; e < WEFT_EFFORTS; e++)
			with += factor[i].lost >> e & 1 ? effort[e] : 0;
		if (!factor[i].lost && reference >= 0 && left > 0)
			value[i] = reference / left;
		else if (with > 0)
			value[i] = left / with;
		left = with;
		product *= value[i];
	}
	return product;
}

static int compare_steps(const void *a, const void *b)
{
	const struct weft_idle_step *x = a, *y = b;
	return x->at < y->at ? -1 : x->at > y->at;
}

void weft_idle_split(struct weft_idle_step *step, size_t n, uint64_t from, uint64_t to, double late[WEFT_IDLE_KINDS],
                     double starved[WEFT_IDLE_KINDS])
{
	int64_t idle[WEFT_IDLE_KINDS] = {0}, all = 0, ready = 0;
	uint64_t now = from;
	for (unsigned k = 0; k < WEFT_IDLE_KINDS; k++)
		late[k] = starved[k] = 0;
	qsort(step, n, sizeof *step, compare_steps);
	for (size_t i = 0; i <= n && now < to; i++) {
		uint64_t at = i < n && step[i].at < to ? step[i].at : to;
		if (at > now && all > 0) {
			double could = ready < 0 ? 0 : (double)(ready < all ? ready : all) / (double)all, ns = (double)(at - now);
			for (unsigned k = 0; k < WEFT_IDLE_KINDS; k++) {
				late[k] += ns * (double)idle[k] * could;
				starved[k] += ns * (double)idle[k] * (1 - could);
			}
		}
		now = at > now ? at : now;
		if (i == n)
			break;
		unsigned kind = step[i].kind < WEFT_IDLE_KINDS ? step[i].kind : WEFT_IDLE_KINDS - 1;
		idle[kind] += step[i].idle;
		all += step[i].idle;
		ready += step[i].ready;
	}
}
