/* SPDX-License-Identifier: Apache-2.0 */
/* A prediction as a table: a row a rank, and what there is of it all. */
#include "replay_options.h"
#include "replay/out/replay_rows.h"
#include <math.h>
#include <stdlib.h>

static uint64_t ns(double v)
{
	return (uint64_t)floor(v + 0.5);
}

static void print_head(const struct weft_replay_program *p, const struct weft_replay_result *r)
{
	char a[32], b[32];
	if (p->measured_ns > 0)
		printf("predicted %s, measured %s (%+.2f %%)\n\n", weft_human_ns(a, ns(r->time_ns)),
		       weft_human_ns(b, ns(p->measured_ns)), 100 * (r->time_ns / p->measured_ns - 1));
	else
		printf("predicted %s\n\n", weft_human_ns(a, ns(r->time_ns)));
}

int replay_print(const struct replay_args *a, const struct weft_replay_program *p, const struct weft_replay_result *r,
                 bool memory)
{
	struct weft_table t;
	weft_table_init(&t, weft_replay_columns, memory ? WEFT_REPLAY_COLUMNS : WEFT_REPLAY_ALWAYS);
	if (cli_form(&a->common) == WEFT_TABLE_TEXT)
		print_head(p, r);
	for (uint32_t i = 0; i < r->n_ranks; i++)
		if (weft_replay_row(&t, i, &p->rank[i], &r->rank[i])) {
			weft_table_fini(&t);
			return cli_fail_code(-12);
		}
	return cli_table(&t, &a->common);
}
