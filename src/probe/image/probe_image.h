/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An executable or shared library as a file: its symbols, and its debug information when somebody
 * asks for it.
 *
 * Addresses here are those of the file; a process adds the bias with which it has loaded it.
 * Everything is lazy, since a process has dozens of libraries and a question concerns one: opening
 * maps the file, names come from the symbol tables (the file's own, or of a separate debug file),
 * and DWARF is opened for the one module, and read for the one compilation unit, that an address
 * leads to.
 */
#ifndef WEFT_PROBE_IMAGE_H
#define WEFT_PROBE_IMAGE_H

#include "base/err.h"
#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the compiler has made of a function beside, or in place of, itself. */
enum probe_clone {
	PROBE_WHOLE,
	PROBE_SPECIAL, /* .isra, .constprop: the function, with parameters changed or gone */
	PROBE_PART,    /* .part: its rest, after a beginning that was inlined into the callers */
	PROBE_COLD,    /* .cold: never entered from outside */
};

/* How well a name fits what was asked for: as a pattern, by its end, all of it. */
enum probe_match { PROBE_NO, PROBE_GLOB, PROBE_END, PROBE_SAME };

struct probe_symbol {
	uint64_t addr, size;
	const char *name; /* borrowed from the image */
	uint8_t type;     /* STT_* */
	uint8_t clone;    /* enum probe_clone */
	bool local;       /* no other file can call it: the compiler may have changed how it is called */
	bool old;         /* a version that only programs use which were linked with that one */
	uint8_t match;    /* enum probe_match */
	const char *file; /* of a local one: the source file, by its symbol table; or NULL. Borrowed from the image */
};
struct probe_symbols {
	struct probe_symbol *at; /* owned */
	size_t n, cap;
};

struct probe_image;

/* debug_root: where separate debug files lie; NULL: /usr/lib/debug. Not thread-safe. */
int probe_image_open(const char *path, const char *debug_root, struct probe_image **out, struct weft_err *err) WEFT_MUST_CHECK;
void probe_image_close(struct probe_image *i);
const char *probe_image_path(const struct probe_image *i);
bool probe_image_stripped(const struct probe_image *i); /* it has the dynamic linker's symbols only */
bool probe_image_moves(const struct probe_image *i);    /* position-independent: addresses are relative */
uint64_t probe_image_base(const struct probe_image *i); /* address of the first loaded page */
bool probe_image_executes(const struct probe_image *i, uint64_t addr, uint64_t *end); /* end of that loaded code */
bool probe_image_writes(const struct probe_image *i, uint64_t addr); /* the program may, to what is loaded there */
int probe_image_read(const struct probe_image *i, uint64_t addr, void *to, size_t n) WEFT_MUST_CHECK;

/*
 * Functions (or, with `data`, variables) that are called `name`: a C name, a C++ name with or
 * without leading namespaces ("Solver::step", "step"), in full as c++filt prints it, a pattern of
 * either, or the symbol itself. One for each address. 0 or -ENOMEM; finding none is no error.
 */
int probe_image_find(struct probe_image *i, const char *name, bool data, struct probe_symbols *out) WEFT_MUST_CHECK;
/* Any symbol that covers the address; false: none. */
bool probe_image_symbol_at(struct probe_image *i, uint64_t addr, struct probe_symbol *out);
/* All functions, in the order of the tables: an address may come several times. 0 or -ENOMEM. */
int probe_image_functions(const struct probe_image *i, struct probe_symbols *out) WEFT_MUST_CHECK;
/* Its build id: bytes, borrowed, and how many; 0: it has none. */
size_t probe_image_build_id(const struct probe_image *i, const uint8_t **id);
/* The address at which this place of the file is loaded; false: it is not. */
bool probe_image_loaded_at(const struct probe_image *i, uint64_t offset, uint64_t *addr);
/* Where the function begins that has this address, by the table of unwinders, which a stripped file has, too; false: not known. */
bool probe_image_function_begin(const struct probe_image *i, uint64_t addr, uint64_t *begin);
/* A name that resembles the one asked for, or NULL. Borrowed. */
const char *probe_image_resembling(struct probe_image *i, const char *name, bool data);
/* What it has for each thread, with its alignment; 0: nothing. */
uint64_t probe_image_thread_bytes(const struct probe_image *i);
/*
 * Slots that the dynamic linker fills with a function's address, up to `room` of them; their
 * number.
 */
struct probe_slots {
	uint64_t
		resolver; /* of a function of this image that has variants: the first `sure` ones are for it alone; 0: by name only */
	const char *name;
	uint64_t *at;
	unsigned room, sure;
};
unsigned probe_image_slots(struct probe_image *i, struct probe_slots *s);
/*
 * The name for which the dynamic linker fills the slot (of the table of addresses, .got) at addr,
 * or NULL.
 */
const char *probe_image_slot(struct probe_image *i, uint64_t addr);

/* NULL, and why, when there is none. Owned by the image. */
Dwarf *probe_image_dwarf(struct probe_image *i, struct weft_err *err);

/* ---- probe_spell.c: C++ names in full ---- */

/*
 * It has what only a full name can have (parameters, template arguments, operators), or is a
 * pattern.
 */
bool probe_name_is_full(const char *asked);
/*
 * `*` and `?` of it stand for other characters: those that are no part of an operator, of
 * parameters or of template arguments.
 */
bool probe_name_is_pattern(const char *asked);
/*
 * As c++filt prints a symbol of n bytes, but for spaces; false: it is no C++ name, or nobody here
 * can read it.
 */
bool probe_name_spoken(const char *symbol, size_t n, char *out, size_t room);
enum probe_match probe_name_match_spoken(const char *spoken, const char *asked);
/*
 * The name by which a function is told from all others: with parameters, where it is C++, without
 * what it returns.
 */
void probe_name_label(const char *symbol, char *out, size_t room);
/* A full name without its parameters; false: it has none. */
bool probe_name_without_parameters(const char *asked, char *out, size_t room);
/* Length of the group in brackets with which text begins. */
size_t probe_name_group(const char *text, size_t n);

/* ---- probe_name.c ---- */

/* Whether a symbol's name is `asked`; *clone: what stands behind its first dot. */
enum probe_match probe_name_match(const char *symbol, const char *asked, enum probe_clone *clone);
/* The same where probe_name_is_full(asked). */
enum probe_match probe_name_match_full(const char *symbol, const char *asked, enum probe_clone *clone);
/*
 * The qualified name, without parameters and template arguments, of a mangled one; false: it is
 * none. room: of `out`.
 */
bool probe_name_qualified(const char *symbol, size_t n, char *out, size_t room);

#endif
