/* SPDX-License-Identifier: Apache-2.0 */
/* Programs of Dimemas: any bytes are read or refused with one line; what was read runs to an end, and explains where it gets stuck. */
#include "fuzz.h"

#include "replay/dimemas/dim.h"
#include "replay/sim/replay.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_replay_program *p;
	struct weft_replay_machine m;
	struct weft_replay_result r;
	struct weft_err err = {0};
	int rc = weft_replay_dim_parse(&p, (const char *)at, n, "fuzz", 1 << 20, &err);
	FUZZ_REQUIRE(rc <= 0 && (rc == 0) == (p != NULL));
	if (rc) {
		FUZZ_REQUIRE(err.code == rc && err.text[0] && !strchr(err.text, '\n'));
		return 0;
	}
	FUZZ_REQUIRE(weft_replay_machine_plain(&m, 1000, 1) == 0);
	m.map.per_node = 3;
	m.kind.at[0].cpus = n & 1 ? 2 : 0;
	m.site.at[0].buses = n & 2 ? 1 : 0;
	m.kind.at[0].intra = (struct weft_replay_way){100, 2, 1, 1, 0};
	if (p->n_ranks <= 4096) {
		const struct weft_replay_how how = {.eager = n & 4 ? WEFT_REPLAY_EAGER_FLAGS : WEFT_REPLAY_EAGER_BELOW,
		                                    .eager_bytes = 64};
		FUZZ_REQUIRE(weft_replay_run(p, &m, &how, &r, &err) == 0);
		char *text = NULL;
		size_t length = 0;
		FILE *to = open_memstream(&text, &length);
		FUZZ_REQUIRE(to != NULL);
		weft_replay_explain(p, &r, 5, to);
		fclose(to);
		FUZZ_REQUIRE((r.n_stuck > 0) == (length > 0));
		free(text);
		weft_replay_result_fini(&r);
	}
	weft_replay_machine_fini(&m);
	weft_replay_program_free(p);
	return 0;
}
