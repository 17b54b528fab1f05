/* SPDX-License-Identifier: Apache-2.0 */
/* The critical path over the timeline of threads. */
#ifndef WEFT_CLI_CRITICAL_PICTURE_H
#define WEFT_CLI_CRITICAL_PICTURE_H

#include "whatif_common.h"

struct critical_picture {
	const struct cli_common *common;
	const char *output; /* .svg or .png */
	uint64_t width, rows;
};
/* Whether sizes and ending are those of a picture; else it has said what is wrong. */
bool critical_picture_check(const struct weft_command *c, const struct critical_picture *how);
int critical_picture_write(const struct critical_picture *how, const struct weft_causal *c, const struct weft_causal_critical *p);

#endif
