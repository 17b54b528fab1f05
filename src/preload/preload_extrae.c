/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of Extrae's interface, under all the names that programs call them by. Where nothing is recorded, and no other library has them,
 * they do nothing.
 */
#include "link/link_extrae.h"
#include "preload_calls.h"

static const char extrae_call[] =
#define EXTRAE_C(name) "Extrae_" #name "\0"
#define EXTRAE_FORTRAN(name, large) "extrae_" #name "_\0"
#include "link/link_extrae_calls.def"
#undef EXTRAE_C
#undef EXTRAE_FORTRAN
	;

#define ALIAS(alias, name) \
	__asm__(".globl " #alias "\n" \
	        ".type " #alias ", @function\n" \
	        ".set " #alias ", " #name "\n");
PRELOAD_ARRAYS(extrae, LINK_EXTRAE_CALLS)
PRELOAD_BEGIN(extrae)
#define EXTRAE_C(name) \
	PRELOAD_STUB(extrae, Extrae_##name) \
	ALIAS(MPItrace_##name, Extrae_##name) \
	ALIAS(OMPtrace_##name, Extrae_##name) \
	ALIAS(OMPItrace_##name, Extrae_##name) \
	ALIAS(SEQtrace_##name, Extrae_##name)
#define EXTRAE_FORTRAN(name, large) \
	PRELOAD_STUB(extrae, extrae_##name##_) \
	ALIAS(extrae_##name, extrae_##name##_) \
	ALIAS(extrae_##name##__, extrae_##name##_) \
	ALIAS(EXTRAE_##large, extrae_##name##_) \
	ALIAS(mpitrace_##name##_, extrae_##name##_) \
	ALIAS(omptrace_##name##_, extrae_##name##_) \
	ALIAS(ompitrace_##name##_, extrae_##name##_) \
	ALIAS(seqtrace_##name##_, extrae_##name##_)
#include "link/link_extrae_calls.def"
#undef EXTRAE_C
#undef EXTRAE_FORTRAN

static long extrae_absent(void)
{
	return 0;
}

static void *extrae_find(const char *name)
{
	void *at = preload_find(NULL, name);
	return at ? at : (void *)extrae_absent;
}

static void extrae_fill(void);
static const char *const extrae_names[] = {"extrae", NULL};
static struct preload_runtime extrae = {
	.names = extrae_names,
	.on = true,
	.library = LINK_EXTRAE_LIBRARY,
	.begin = LINK_EXTRAE_BEGIN,
	.find = extrae_find,
	.fill = extrae_fill,
	.n_calls = LINK_EXTRAE_CALLS,
	.call = extrae_call,
	.slot = weft_preload_extrae_slot,
	.real = extrae_real,
	.once = PTHREAD_ONCE_INIT,
};
PRELOAD_RESOLVER(extrae, extrae)
