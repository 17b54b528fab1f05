/* SPDX-License-Identifier: Apache-2.0 */
/* See eval_group.h. */
#include "eval_group.h"
#include <stdlib.h>

void groups_free(struct group *group, size_t n)
{
	for (size_t a = 0; group && a < n; a++) {
		weft_map_fini(&group[a].by_id);
		free(group[a].id);
		free(group[a].first);
		free(group[a].flags);
		free(group[a].data);
	}
	free(group);
}

void groups_spare(struct group **spare, struct group *group, size_t n)
{
	if (*spare || !group) {
		groups_free(group, n);
		return;
	}
	for (size_t a = 0; a < n; a++) {
		weft_map_clear(&group[a].by_id);
		group[a].n = 0;
		group[a].folded = group[a].folded_incomplete = 0;
	}
	*spare = group;
}
