/* SPDX-License-Identifier: Apache-2.0 */
/* Packing for the calls that insert tasks. */
#ifndef WEFT_RUNTIME_API_PACK_H
#define WEFT_RUNTIME_API_PACK_H

#include <starpu.h>
#include <stdarg.h>

enum { RT_PACKED_HEAD_BYTES = sizeof(int) }; /* the number of arguments, before the first of them */

/* STARPU_VALUE, pointer, size, …, 0. */
void rt_pack_values(struct starpu_codelet_pack_arg_data *state, va_list ap);

#endif
