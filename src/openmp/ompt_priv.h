/* SPDX-License-Identifier: Apache-2.0 */
/* What the files share that hear LLVM's runtime. */
#ifndef WEFT_OMPT_PRIV_H
#define WEFT_OMPT_PRIV_H

#include "ompt.h"
#include "openmp_priv.h"

/* A thread's part of a team's work. */
struct ompt_part {
	struct openmp_frame frame;
	struct ompt_part *up;
	weft_region body;
	const void *met; /* where the construct was met, on the thread that met it */
	bool is_worker, ended;
};

struct ompt_callback_row {
	int which; /* enum ompt_callback */
	ompt_function *with;
};
#define OMPT_ROW(which, function) \
	{ \
		OMPT_##which, (ompt_function *)(void (*)(void))(function) \
	}
extern const struct ompt_callback_row ompt_teams[], ompt_works[]; /* up to one of 0 */

#endif
