/* SPDX-License-Identifier: Apache-2.0 */
/* What is recorded of the runtime: definitions before its workers begin, and their names. */
#include "machine.h"
#include "runtime/life_trace.h"

static int begin(struct rt_machine *m, struct weft_err *err)
{
	(void)m, (void)err;
	rt_trace_begin();
	return 0;
}

const struct rt_layer rt_layer_trace = {.name = "trace", .begin = begin};
