/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of Extrae's interface, as libweft-preload and libweft-extrae number them. */
#ifndef WEFT_LINK_EXTRAE_H
#define WEFT_LINK_EXTRAE_H

#include "link_calls.h"

enum link_extrae_call {
#define EXTRAE_C(name) LINK_EXTRAE_##name,
#define EXTRAE_FORTRAN(name, large) LINK_EXTRAE_FORTRAN_##name,
#include "link_extrae_calls.def"
#undef EXTRAE_C
#undef EXTRAE_FORTRAN
	LINK_EXTRAE_CALLS
};

#define LINK_EXTRAE_LIBRARY "libweft-extrae.so.0"
#define LINK_EXTRAE_BEGIN "weft_extrae_begin"

#endif
