/* SPDX-License-Identifier: Apache-2.0 */
/* What is rare on a stack of regions: it grows, or a mark closes what stands in its middle. */
#include "metric_stack.h"
#include <errno.h>
#include <stdlib.h>

/* says[0] is what holds in an outermost region that says nothing. */
static int say_all(struct metric_stack *k)
{
	const size_t n = k->nest.open.n;
	int rc = weft_vec_reserve(&k->says, n + 2);
	if (rc)
		return rc;
	k->says.at[0] = PRV_STATE_RUNNING;
	for (size_t i = 0; i < n; i++) {
		uint32_t state = k->schema->region_state[k->nest.open.at[i]];
		k->says.at[i + 1] = state < PRV_STATES ? state : k->says.at[i];
	}
	return 0;
}

int metric_stack_init(struct metric_stack *k, const struct metric_schema *s, uint32_t thread)
{
	*k = (struct metric_stack){.schema = s, .outside = prv_state_outside(s->trace, thread)};
	return say_all(k);
}

void metric_stack_fini(struct metric_stack *k)
{
	weft_nest_fini(&k->nest);
	free(k->says.at);
	k->says.at = NULL;
}

int metric_stack_slowly(struct metric_stack *k, uint32_t what)
{
	const unsigned id = weft_what_id(what);
	int rc = 0;
	switch (weft_what_kind(what)) {
	case WEFT_EV_ENTER:
		rc = weft_nest_enter(&k->nest, id);
		return rc ? rc : say_all(k);
	case WEFT_EV_LEAVE:
		return weft_nest_leave(&k->nest, id);
	case WEFT_EV_ON:
		k->off = k->off && id;
		return 0;
	case WEFT_EV_OFF:
		k->off = k->off || !id;
		if (id)
			weft_nest_close_category(&k->nest, k->schema->trace, id);
		else
			weft_nest_clear(&k->nest);
		return say_all(k);
	case WEFT_EV_THREAD_END:
		weft_nest_clear(&k->nest);
		return 0;
	default:
		return 0;
	}
}
