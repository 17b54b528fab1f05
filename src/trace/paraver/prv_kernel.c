/* SPDX-License-Identifier: Apache-2.0 */
/* Which kernel parses .prv lines on this machine. All give the same; tests hold them to it. */
#include "prv_chunk.h"
#include <stddef.h>

static bool always(void)
{
	return true;
}

const struct prv_kernel prv_kernels[] = {
#if defined __x86_64__
	{"avx512", prv_avx512_here, prv_parse_avx512},
#endif
	{"swar", always, prv_parse_swar},
	{NULL, NULL, NULL},
};

const struct prv_kernel *prv_kernel_best(void)
{
	const struct prv_kernel *k = prv_kernels;
	while (!k->here())
		k++;
	return k;
}
