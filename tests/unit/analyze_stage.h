/* SPDX-License-Identifier: Apache-2.0 */
/* An analyzer with one controller, whose other end the test has. */
#ifndef WEFT_TESTS_ANALYZE_STAGE_H
#define WEFT_TESTS_ANALYZE_STAGE_H

#include "harness.h"
#include "tune/analyze/analyze_priv.h"
#include <stdlib.h>

struct stage {
	struct analyze *a;
	struct channel below;
	struct message *in;
};

static inline struct stage stage_begin(void)
{
	struct stage st = {.a = calloc(1, sizeof *st.a), .in = calloc(1, sizeof *st.in)};
	int pair[2];
	REQUIRE(st.a && st.in && channel_pair(pair, NULL) == 0);
	st.a->n_controllers = 1;
	channel_init(&st.a->controller[0], pair[0], CHANNEL_ALL);
	channel_init(&st.below, pair[1], CHANNEL_ALL);
	return st;
}

static inline void stage_end(struct stage *st)
{
	channel_fini(&st->a->controller[0]);
	channel_fini(&st->below);
	for (size_t i = 0; i < st->a->process.n; i++)
		process_free(st->a->process.at[i]);
	free(st->a->process.at);
	weft_map_fini(&st->a->process_at);
	weft_map_fini(&st->a->alive_at);
	weft_map_fini(&st->a->id_at);
	free(st->a);
	free(st->in);
}

#endif
