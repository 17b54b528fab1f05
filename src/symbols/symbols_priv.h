/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this folder share: symbols.c (modules of processes, the cache), symbols_file.c (one file), symbols_lines.c (its debug information). */
#ifndef WEFT_SYMBOLS_PRIV_H
#define WEFT_SYMBOLS_PRIV_H

#include "base/map.h"
#include "base/vec.h"
#include "probe/image/probe_image.h"
#include "symbols.h"

enum { SYMBOLS_DEPTH = 64, SYMBOLS_NAME = 1024 }; /* frames of one address; bytes of a name */

/* -- symbols_lines.c: one file's debug information -- */

struct symbols_lines;
/* What lies at an address: a name (linkage names are spelled by the caller), and where. */
struct symbols_spot {
	const char *name, *linkage; /* either may be NULL. Borrowed from the debug information */
	const char *file;           /* NULL: unknown */
	uint32_t line;
	bool inlined;
};
/* dwarf is borrowed. 0 or -ENOMEM. */
int symbols_lines_new(struct symbols_lines **out, Dwarf *dwarf) WEFT_MUST_CHECK;
void symbols_lines_free(struct symbols_lines *l);
/* Innermost first; how many (0: nothing is known), or -ENOMEM. */
int symbols_lines_find(struct symbols_lines *l, uint64_t addr, struct symbols_spot spot[SYMBOLS_DEPTH]) WEFT_MUST_CHECK;

/* -- symbols_file.c: one executable or library -- */

struct symbols_file;
/* 0; or -ENOMEM, or what is wrong in err: then there is no file. build_id: in hexadecimal, as it must be; "": any. */
int symbols_file_open(struct symbols_file **out, const char *path, const char *build_id, const char *debug_root,
                      struct weft_err *err) WEFT_MUST_CHECK;
void symbols_file_close(struct symbols_file *f);
/* The address in the file of what lies `at` bytes behind the place at which `offset` of the file was loaded. */
uint64_t symbols_file_address(const struct symbols_file *f, uint64_t offset, uint64_t at);
/* As symbols_lines_find. Where nothing but the function's begin is known, it is in *start, and there are none; else UINT64_MAX. */
int symbols_file_find(struct symbols_file *f, uint64_t addr, struct symbols_spot spot[SYMBOLS_DEPTH],
                      uint64_t *start) WEFT_MUST_CHECK;

#endif
