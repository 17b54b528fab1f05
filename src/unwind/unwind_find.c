/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loaded object that an address lies in. _dl_find_object of the C library (2.35 and later) needs no lock; without it nothing is found.
 * The object's own headers say which of its bytes are mapped.
 */
#include "unwind_priv.h"
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>

#if defined __x86_64__ && defined DLFO_EH_SEGMENT_TYPE
#pragma weak _dl_find_object

static bool find_object(uint64_t at, struct dl_find_object *out)
{
	return _dl_find_object && _dl_find_object((void *)(uintptr_t)at, out) == 0;
}

/* The loaded segment that `hdr` lies in: .eh_frame is beside it. */
static bool find_segment(const struct dl_find_object *o, struct unwind_bytes *out)
{
	const uint8_t *base = o->dlfo_map_start, *end = o->dlfo_map_end, *hdr = o->dlfo_eh_frame;
	ElfW(Ehdr) e;
	if ((size_t)(end - base) < sizeof e)
		return false;
	memcpy(&e, base, sizeof e);
	if (memcmp(e.e_ident, ELFMAG, SELFMAG) != 0 || e.e_phentsize != sizeof(ElfW(Phdr)) || e.e_phoff > 4096 ||
	    e.e_phoff + (uint64_t)e.e_phnum * sizeof(ElfW(Phdr)) > 4096)
		return false;
	const uint8_t *first = base;
	for (unsigned pass = 0, i = 0; pass < 2; i = 0, pass++) {
		for (; i < e.e_phnum; i++) {
			ElfW(Phdr) h;
			memcpy(&h, base + e.e_phoff + i * sizeof h, sizeof h);
			if (h.p_type != PT_LOAD)
				continue;
			if (pass == 0) { /* the first one: what addresses count from is below base by it */
				first = base - (h.p_vaddr & ~UINT64_C(4095));
				break;
			}
			const uint8_t *from = first + h.p_vaddr, *to = from + h.p_filesz;
			if (hdr >= from && hdr < to && to <= end) {
				*out = (struct unwind_bytes){from, to};
				return true;
			}
		}
	}
	return false;
}

const uint8_t *unwind_tables(uint64_t ip)
{
	struct dl_find_object o;
	return find_object(ip, &o) ? o.dlfo_eh_frame : NULL;
}

bool unwind_find(uint64_t ip, struct unwind_where *out)
{
	struct dl_find_object o;
	if (!find_object(ip, &o) || !o.dlfo_eh_frame)
		return false;
	out->hdr = o.dlfo_eh_frame;
	return find_segment(&o, &out->bytes);
}

bool unwind_object(const void *at, uint64_t *from, uint64_t *to)
{
	struct dl_find_object o;
	*from = *to = 0;
	if (!find_object((uint64_t)(uintptr_t)at, &o))
		return false;
	*from = (uint64_t)(uintptr_t)o.dlfo_map_start;
	*to = (uint64_t)(uintptr_t)o.dlfo_map_end;
	return true;
}
#else
const uint8_t *unwind_tables(uint64_t ip)
{
	(void)ip;
	return NULL;
}

bool unwind_find(uint64_t ip, struct unwind_where *out)
{
	(void)ip;
	(void)out;
	return false;
}

bool unwind_object(const void *at, uint64_t *from, uint64_t *to)
{
	(void)at;
	*from = *to = 0;
	return false;
}
#endif
