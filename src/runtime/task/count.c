/* SPDX-License-Identifier: Apache-2.0 */
/* Who counts tasks. */
#include "count.h"

struct weft_atomic_ptr rt_counter;
struct weft_atomic_bool rt_counter_wants_ready;
_Thread_local RT_NEAR struct rt_job *rt_count_submitting;

void rt_count_by(const struct rt_count_ops *ops)
{
	const void *old = weft_swap_ptr(&rt_counter, (void *)(uintptr_t)ops);
	if (!old != !ops) /* which codelets are plain is asked anew */
		__atomic_add_fetch(&rt_machine.codelets, 1, __ATOMIC_ACQ_REL);
}
