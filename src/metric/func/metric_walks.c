/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Several metrics over one thread, as the parents of a derived one and the windows of a table are,
 * read the same blocks one after the other: they walk together (trace/cursor.h), so that a block is
 * opened once for all.
 */
#include "base/map.h"
#include "metric_work.h"
#include <errno.h>
#include <stdlib.h>

struct metric_walks {
	struct weft_map of;                /* thread -> its place in walk[] */
	WEFT_VEC(struct weft_walk *) walk; /* owned */
};

int metric_walks_new(struct metric_walks **out)
{
	*out = calloc(1, sizeof **out);
	return *out ? 0 : -ENOMEM;
}

void metric_walks_free(struct metric_walks *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < w->walk.n; i++)
		weft_walk_free(w->walk.at[i]);
	free(w->walk.at);
	weft_map_fini(&w->of);
	free(w);
}

int metric_walks_get(struct metric_walks *w, uint32_t thread, struct weft_walk **out)
{
	uint64_t place;
	if (weft_map_get(&w->of, thread, &place)) {
		*out = w->walk.at[place];
		return 0;
	}
	*out = weft_walk_new();
	if (!*out || weft_vec_push(&w->walk, *out)) {
		weft_walk_free(*out);
		return -ENOMEM;
	}
	return weft_map_put(&w->of, thread, w->walk.n - 1);
}
