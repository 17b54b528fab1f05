/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of OpenMP runtimes, as libweft-preload and libweft-openmp number them: a process may have both runtimes. */
#ifndef WEFT_LINK_OPENMP_H
#define WEFT_LINK_OPENMP_H

#include "link_calls.h"

enum link_gomp_call {
#define GOMP_CALL(name) LINK_##name,
#include "link_gomp_calls.def"
#undef GOMP_CALL
	LINK_GOMP_CALLS
};
enum link_kmpc_call {
#define KMPC_CALL(name) LINK_##name,
#include "link_kmpc_calls.def"
#undef KMPC_CALL
	LINK_KMPC_CALLS
};

#define LINK_OPENMP_LIBRARY "libweft-openmp.so.0"
#define LINK_GOMP_BEGIN "weft_gomp_begin"
#define LINK_KMPC_BEGIN "weft_kmpc_begin"

#endif
