/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subscriber that counts tasks. When it comes or goes, codelets are examined again: some are
 * plain no longer, or again.
 */
#include "count.h"

struct weft_atomic_ptr rt_counter;
struct weft_atomic_bool rt_counter_wants_ready;
_Thread_local RT_NEAR struct rt_job *rt_count_submitting;

void rt_count_by(const struct rt_count_ops *ops)
{
	weft_store_ptr(&rt_counter, (void *)(uintptr_t)ops);
	__atomic_add_fetch(&rt_machine.codelets, 1, __ATOMIC_ACQ_REL);
}

void rt_count_ready(bool wanted)
{
	weft_store_bool(&rt_counter_wants_ready, wanted);
	__atomic_add_fetch(&rt_machine.codelets, 1, __ATOMIC_ACQ_REL);
}
