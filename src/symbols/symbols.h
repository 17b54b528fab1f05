/* SPDX-License-Identifier: Apache-2.0 */
/*
 * After the run: from the code addresses of a trace (samples, call stacks) to functions, files and lines.
 *
 *     process, address ── the module that was there ── its file, if it is still that build ── symbols, debug information
 *
 * Where the file is gone, is another build or is stripped, a function is called after its module and where it begins in it
 * ("libx.so+0x1a20"): the tables of unwinders say where, and without these the address itself stands for one. C++ names are those that
 * people write. Each address is looked up once; the debug information of a compilation unit is read when an address first leads to it.
 */
#ifndef WEFT_SYMBOLS_SYMBOLS_H
#define WEFT_SYMBOLS_SYMBOLS_H

#include "trace/store/trace.h"

struct weft_symbols;

struct weft_symbols_how {
	const char *root; /* files are looked for below this folder first, by the paths that the trace has; NULL: as they are */
	const char *debug_root; /* where separate debug files lie; NULL: /usr/lib/debug */
};
struct weft_function {
	const char *name, *module; /* module: the path that the trace has; "" for none */
};
struct weft_frame {
	uint32_t function; /* for weft_symbols_function */
	uint32_t file;     /* for weft_symbols_text; 0: unknown */
	uint32_t line;     /* 0: unknown */
	bool inlined;      /* into the frame behind it */
};

/* The trace and what `how` (may be NULL) points to are borrowed. One thread at a time. 0 or -ENOMEM. */
int weft_symbols_new(struct weft_symbols **out, const struct weft_trace *t, const struct weft_symbols_how *how) WEFT_MUST_CHECK;
void weft_symbols_free(struct weft_symbols *s); /* NULL is fine */

/*
 * What was being executed at the address, the innermost first: functions that the compiler put into others, then the one that was called.
 * There is always one at least. calls: the address is where a call returns to, and its line is meant. Valid until free. NULL: out of memory.
 */
const struct weft_frame *weft_symbols_find(struct weft_symbols *s, uint32_t process, uint64_t address, bool calls, uint32_t *n);

const struct weft_function *weft_symbols_function(const struct weft_symbols *s, uint32_t function);
uint32_t weft_symbols_n_functions(const struct weft_symbols *s);
const char *weft_symbols_text(const struct weft_symbols *s, uint32_t text);
/* A function of that name and module, for what has no address (regions): its number, or -ENOMEM. */
int64_t weft_symbols_add(struct weft_symbols *s, const char *name, const char *module) WEFT_MUST_CHECK;

/* Files that could not be used, one line each: "'x' is another build than was recorded …". */
uint32_t weft_symbols_n_problems(const struct weft_symbols *s);
const char *weft_symbols_problem(const struct weft_symbols *s, uint32_t i);

#endif
