/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WEFT_TASKFILES_STATE_SUMS_PRIV_H
#define WEFT_TASKFILES_STATE_SUMS_PRIV_H

#include "state_sums.h"

/* Adds a state that was; category: stays. 0 or -ENOMEM. */
int state_sums_add(struct state_sums *s, struct weft_str name, const char *category, int64_t begin, int64_t end) WEFT_MUST_CHECK;
/* Nothing was. */
void state_sums_forget(struct state_sums *s);

#endif
