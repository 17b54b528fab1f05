/* SPDX-License-Identifier: Apache-2.0 */
/* Files of topologies: any bytes are read or refused with one line; in what was read each way ends where it should, or there is none. */
#include "fuzz.h"

#include "replay/machine/replay_topology.h"

#include <errno.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_topology *t;
	struct weft_err err = {0};
	struct weft_route r = {0};
	int rc = weft_topology_parse(&t, (const char *)at, n, "fuzz", &err);
	if (rc) {
		FUZZ_REQUIRE(rc < 0 && !t && err.code == rc && err.text[0] && !strchr(err.text, '\n'));
		return 0;
	}
	for (uint32_t a = 0; a < t->n_nodes && a < 8; a++)
		for (uint32_t b = 0; b < t->n_nodes && b < 8; b++) {
			uint32_t where = a;
			rc = weft_topology_route(t, a, b, &r);
			FUZZ_REQUIRE(rc == 0 || rc == -ENETUNREACH);
			for (size_t i = 0; i < r.link.n; i++) {
				FUZZ_REQUIRE(t->link.at[r.link.at[i]].from == where);
				where = t->link.at[r.link.at[i]].to;
			}
			FUZZ_REQUIRE(rc || where == b);
		}
	weft_route_fini(&r);
	weft_topology_free(t);
	return 0;
}
