/* SPDX-License-Identifier: Apache-2.0 */
/* The cost of an event, measured in the process: see src/agent/agent_measure.c. */
#include "probe_action.h"
#include "probe_priv.h"
#include <math.h>

static int measure(struct probe_session *s, double *ns)
{
	struct probe_action a = {.kind = PROBE_ONE_TIME_CALL, .subject = LINK_MEASURE};
	int rc = probe_act(s, &a, NULL);
	*ns = (double)a.value / 1000;
	return rc;
}

/* With two values, as events often have; nobody takes these for an event of his. */
static int measure_with(struct probe_session *s, unsigned kind, enum link_when when, double *ns)
{
	static const struct link_op op[] = {{.op = LINK_OP_IMM, .put = 1}, {.op = LINK_OP_IMM, .put = 1}};
	struct probe_request r = {.function = LINK_TARGET, .kinds = kind};
	r.program[when] = (struct probe_program){op, 2};
	int rc = probe_insert(s, &r, 1);
	if (rc)
		return rc;
	rc = measure(s, ns);
	int out = probe_remove(s, &r, 1);
	return rc ? rc : out;
}

int probe_measure(struct probe_session *s, double *entry_ns, double *exit_ns)
{
	double bare = 0, entry = 0, leave = 0;
	*entry_ns = *exit_ns = 0;
	int rc = measure(s, &bare);
	rc = rc ? rc : measure_with(s, PROBE_ENTRY, LINK_ENTRY, &entry);
	rc = rc ? rc : measure_with(s, PROBE_EXIT, LINK_EXIT, &leave);
	if (rc)
		return rc;
	*entry_ns = fmax(0, entry - bare);
	*exit_ns = fmax(0, leave - bare);
	return 0;
}
