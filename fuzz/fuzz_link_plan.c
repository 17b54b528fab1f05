/* SPDX-License-Identifier: Apache-2.0 */
/* What --counters may say: any text is refused with one line, or says lists that lie within their bounds. */
#include "fuzz.h"

#include "link/link_counter.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	static const char *const categories[] = {"mpi", "memory", ""};
	struct link_plans p;
	struct weft_err err = {0};
	char *text = malloc(n + 1);
	FUZZ_REQUIRE(text != NULL);
	memcpy(text, at, n);
	text[n] = '\0';
	int rc = link_plans_read(text, &p, &err);
	FUZZ_REQUIRE(rc == err.code && (rc == 0) == (err.text[0] == '\0'));
	FUZZ_REQUIRE(p.n <= LINK_PLANS_MOST && p.n_counted <= LINK_COUNTED_MOST);
	for (unsigned i = 0; !rc && i < p.n_counted; i++) {
		const struct link_counted *c = &p.counted[i];
		FUZZ_REQUIRE(c->plan < p.n && c->set < p.plan[c->plan].n_sets && c->name[0] &&
		             strlen(c->name) < LINK_COUNTER_NAME);
		FUZZ_REQUIRE(!*c->part || (c->part > c->name && c->part < c->name + strlen(c->name)));
	}
	for (unsigned i = 0; !rc && i < p.n; i++) {
		FUZZ_REQUIRE(p.plan[i].n_sets > 0 && p.plan[i].turn_ns > 0);
		FUZZ_REQUIRE((p.plan[i].where == LINK_AT_TIMES) == (p.plan[i].each_ns > 0));
		for (unsigned k = 0; k < 3; k++)
			FUZZ_REQUIRE(!link_plan_wants(&p.plan[i], categories[k]) || p.plan[i].where == LINK_AT_REGIONS);
	}
	free(text);
	return 0;
}
