/* SPDX-License-Identifier: Apache-2.0 */
/* A library that records calls, as those of runtimes do: a region, and who called at its end. */
#include <weft/record.h>
#include <time.h>

void wrapped(long wait_ns);
static __attribute__((noinline)) void real(long wait_ns)
{
	struct timespec ns = {0, wait_ns};
	if (wait_ns)
		nanosleep(&ns, NULL);
}

WEFT_REGION(call, "wrapped", WEFT_STATE_WAITING);
void wrapped(long wait_ns)
{
	uint64_t began = weft_ticks();
	weft_enter(call);
	real(wait_ns);
	weft_callers((const void *)wrapped, began);
	weft_leave(call);
}
