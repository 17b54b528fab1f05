/* SPDX-License-Identifier: Apache-2.0 */
/* What no program may do is told in one line, and ends it: going on would corrupt its data. */
#ifndef WEFT_RUNTIME_DATA_COMPLAIN_H
#define WEFT_RUNTIME_DATA_COMPLAIN_H

#include "runtime/api/init.h"

#define RT_EXPECT(holds, ...) \
	do { \
		if (WEFT_UNLIKELY(!(holds))) \
			rt_misuse(__VA_ARGS__); \
	} while (0)

#endif
