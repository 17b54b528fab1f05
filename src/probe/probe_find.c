/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a name to functions (or variables) of a process. The first module that has it decides, as
 * for the dynamic linker; a pattern means all modules but the system's own, and those where nobody
 * else has any. `FILE:NAME` is of that source file. Of a function with variants (IFUNC) it is the
 * one that the dynamic linker has chosen, which the tables of addresses hold.
 */
#include "probe_priv.h"
#include "probe_value.h"
#include "base/str.h"
#include "base/vec.h"
#include <dwarf.h>
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "FILE:" in front of a name, with its colon; 0: there is none. */
static size_t file_length(const char *name)
{
	size_t k = strcspn(name, ":(<[{ ");
	return name[k] == ':' && name[k + 1] != ':' && k > 0 && name[k + 1] ? k + 1 : 0;
}

static bool is_file(const char *path, const char *file, size_t n)
{
	size_t length = path ? strlen(path) : 0;
	return length >= n && !memcmp(path + length - n, file, n) && (length == n || path[length - n - 1] == '/');
}

/* ---- none ---- */

/*
 * What the executable's debug information knows of a name that nothing in the process has; else
 * what is most likely.
 */
static const char *why_missing(struct probe_session *s, const char *name, bool data, const char **like)
{
	struct probe_image *main = s->modules.n ? process_image(s, &s->modules.at[0]) : NULL;
	Dwarf *dw = main ? probe_image_dwarf(main, NULL) : NULL;
	const char *why = dw ? dwarf_why_not(dw, name, data) : NULL;
	if (why)
		return why;
	for (size_t k = 0; k < s->modules.n && !*like; k++)
		if (process_image(s, &s->modules.at[k]))
			*like = probe_image_resembling(s->modules.at[k].image, name, data);
	if (*like)
		return NULL;
	if (main && probe_image_stripped(main))
		return "its executable has no symbols (it was stripped)";
	return data ? "it is not there, or the compiler has left it out" : "it is not there, or was inlined everywhere";
}

/* There is one of that name, but not in that file, or with other parameters. */
static bool say_nearly(struct probe_session *s, const char *name, struct weft_err *err)
{
	struct probe_found *found;
	char base[512], label[512];
	size_t n_file = file_length(name);
	bool cut = probe_name_without_parameters(name, base, sizeof base);
	if (n_file)
		snprintf(base, sizeof base, "%s", name + n_file);
	else if (!cut)
		return false;
	int n = probe_find_all(s, base, false, &found, NULL);
	if (n <= 0)
		return false;
	probe_name_label(found[0].symbol, label, sizeof label);
	if (n_file)
		weft_err_set(err, -ENOENT, "no function '%s' is of a file '%.*s'", base, (int)n_file - 1, name);
	else
		weft_err_set(err, -ENOENT, "no function '%s' in this process: did you mean '%s'?", name, label);
	free(found);
	return true;
}

static void say_not_found(struct probe_session *s, const char *name, bool data, struct weft_err *err)
{
	if (!err || (!data && say_nearly(s, name, err)))
		return;
	const char *like = NULL, *why = why_missing(s, name, data, &like), *what = data ? "variable" : "function";
	if (why)
		weft_err_set(err, -ENOENT, "no %s '%s' in this process: %s", what, name, why);
	else
		weft_err_set(err, -ENOENT, "no %s '%s' in this process: did you mean '%s'?", what, name, like);
}

/* ---- of which file ---- */

/* By its symbol table, or by the unit of debug information that it is in. */
static bool is_of_file(struct probe_image *image, const struct probe_symbol *y, const char *file, size_t n)
{
	Dwarf_Die function, unit;
	if (is_file(y->file, file, n))
		return true;
	Dwarf *dw = probe_image_dwarf(image, NULL);
	return dw && dwarf_function_at(dw, y->addr, &function) && dwarf_diecu(&function, &unit, NULL, NULL) &&
	       is_file(dwarf_diename(&unit), file, n);
}

static void keep_of_file(struct probe_image *image, struct probe_symbols *all, const char *file, size_t n)
{
	size_t kept = 0;
	for (size_t k = 0; n && k < all->n; k++)
		if (is_of_file(image, &all->at[k], file, n))
			all->at[kept++] = all->at[k];
	all->n = n ? kept : all->n;
}

/* ---- variants ---- */

static bool lies_in(const struct probe_module *m, uint64_t addr)
{
	uint64_t end;
	return m->image && addr >= m->bias && probe_image_executes(m->image, addr - m->bias, &end);
}

/* A slot of its own module that is not filled yet leads to a stub there, which is no function. */
static bool is_variant(const struct probe_module *of, const struct probe_module *slot_of, uint64_t addr)
{
	struct probe_symbol symbol;
	if (!lies_in(of, addr))
		return false;
	return of != slot_of || (probe_image_symbol_at(of->image, addr - of->bias, &symbol) && symbol.addr == addr - of->bias);
}

/* What the dynamic linker has put where it needs the function; 0: nothing so far. */
static uint64_t chosen_variant(struct probe_session *s, const struct probe_module *of, const struct probe_symbol *y)
{
	enum { SLOTS = 8 };
	uint64_t slot[SLOTS], addr;
	char name[256];
	snprintf(name, sizeof name, "%.*s", (int)strcspn(y->name, "@."), y->name);
	for (size_t k = 0; k < s->modules.n; k++) {
		struct probe_module *m = &s->modules.at[k];
		if (!m->here || !process_image(s, m))
			continue;
		struct probe_slots slots = {m == of ? y->addr : 0, name, slot, SLOTS, 0};
		unsigned n = probe_image_slots(m->image, &slots);
		for (unsigned i = 0; i < n; i++) {
			bool sure = i < slots.sure;
			if (probe_read(s, slot[i] + m->bias, &addr, sizeof addr) == 0 && addr != y->addr + of->bias &&
			    (sure ? lies_in(of, addr) : is_variant(of, m, addr)))
				return addr;
		}
	}
	return 0;
}

static bool add_variant(struct probe_session *s, const struct probe_module *m, const struct probe_symbol *y,
                        struct probe_found *f)
{
	struct probe_symbol symbol;
	uint64_t addr = chosen_variant(s, m, y);
	if (!addr)
		return false;
	bool named = probe_image_symbol_at(m->image, addr - m->bias, &symbol) && symbol.addr == addr - m->bias;
	f->addr = addr;
	f->size = named ? symbol.size : 0;
	f->symbol = named ? symbol.name : y->name;
	f->stands_for = y->name;
	return true;
}

/* ---- choosing ---- */

struct found_list {
	struct probe_found *at; /* owned */
	size_t n, cap;
};

static bool is_there(const struct found_list *out, const struct probe_found *f)
{
	for (size_t k = 0; k < out->n; k++)
		if (out->at[k].addr == f->addr)
			return true;
	return false;
}

/* What of a module's symbols is meant; the others are only like it. */
static int find_choose(struct probe_session *s, const struct probe_module *m, const struct probe_symbols *all, const char *name,
                       struct found_list *out, struct weft_err *err)
{
	uint8_t best = PROBE_NO;
	bool whole = false, unresolved = false, current = false;
	size_t before = out->n;
	for (size_t k = 0; k < all->n; k++) {
		best = all->at[k].match > best ? all->at[k].match : best;
		current |= !all->at[k].old;
		whole |= all->at[k].clone == PROBE_WHOLE || all->at[k].clone == PROBE_SPECIAL;
	}
	for (size_t k = 0; k < all->n; k++) {
		const struct probe_symbol *y = &all->at[k];
		if (y->match != best || y->clone == PROBE_COLD || (y->old && current && best != PROBE_GLOB) ||
		    (y->clone == PROBE_PART && whole && best != PROBE_GLOB))
			continue;
		struct probe_found f = {.image = m->image,
		                        .bias = m->bias,
		                        .addr = y->addr + m->bias,
		                        .size = y->size,
		                        .symbol = y->name,
		                        .file = y->file,
		                        .clone = y->clone,
		                        .local = y->local,
		                        .thread = y->type == STT_TLS,
		                        .executable = m == s->modules.at};
		if (y->type == STT_GNU_IFUNC && !add_variant(s, m, y, &f)) {
			unresolved = true;
			continue;
		}
		if (!is_there(out, &f) && weft_vec_push(out, f))
			return weft_err_set(err, -ENOMEM, "out of memory");
	}
	if (unresolved && out->n == before && best != PROBE_GLOB)
		return weft_err_set(err, -ENOTSUP, "'%s' has several variants, and nothing in the process has chosen one yet",
		                    name);
	return 0;
}

/* Of the system: a pattern that somebody else has functions for does not mean these. */
static bool is_system(const char *path)
{
	static const char *const names[] = {"libc.so",       "libm.so",     "libpthread.so", "libdl.so", "librt.so",
	                                    "libstdc++.so.", "libgcc_s.so", "ld-linux",      "libc++"};
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	for (size_t k = 0; k < sizeof names / sizeof *names; k++)
		if (!strncmp(base, names[k], strlen(names[k])))
			return true;
	return false;
}

static bool is_ours(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	return !strncmp(name, "libweft-agent", 13) || !strncmp(name, "libweft-preload", 15) || !strncmp(name, "libweft-mpi", 11);
}

struct search {
	struct probe_session *s;
	const char *name; /* without its file */
	const char *file;
	size_t n_file;
	bool data, pattern, system;
	struct found_list *out;
	struct weft_err *err;
};

static int search_module(struct search *q, struct probe_module *m)
{
	struct probe_symbols all = {0};
	if (!m->here || !process_image(q->s, m) || (q->pattern && (is_ours(m->path) || is_system(m->path) != q->system)))
		return 0;
	int rc = probe_image_find(m->image, q->name, q->data, &all);
	if (rc)
		rc = weft_err_set(q->err, rc, "out of memory");
	keep_of_file(m->image, &all, q->file, q->n_file);
	if (rc == 0 && all.n)
		rc = find_choose(q->s, m, &all, q->name, q->out, q->err);
	free(all.at);
	return rc;
}

/* A pattern's functions are those of all modules; for a name the first one that has it decides. */
static int search_all(struct search *q)
{
	for (int round = 0; round < 2; round++) {
		for (size_t k = 0; k < q->s->modules.n; k++) {
			int rc = search_module(q, &q->s->modules.at[k]);
			if (rc || (q->out->n && !q->pattern))
				return rc;
		}
		if (q->out->n || !q->pattern)
			break;
		q->system = true;
	}
	return 0;
}

int probe_find_all(struct probe_session *s, const char *name, bool data, struct probe_found **out, struct weft_err *err)
{
	struct found_list all = {0};
	size_t n_file = data ? 0 : file_length(name);
	*out = NULL;
	for (int round = 0; round < 2; round++) {
		struct search q = {.s = s, .name = name + n_file, .data = data, .out = &all, .err = err};
		q.file = name;
		q.n_file = n_file ? n_file - 1 : 0;
		q.pattern = !data && probe_name_is_pattern(q.name);
		int rc = search_all(&q);
		if (rc) {
			free(all.at);
			return rc;
		}
		/* It may have loaded something since. */
		if (all.n || round == 1 || process_read_map(s))
			break;
	}
	*out = all.at;
	if (all.n)
		return (int)all.n;
	say_not_found(s, name, data, err);
	return -ENOENT;
}

int probe_find(struct probe_session *s, const char *name, bool data, struct probe_found *out, struct weft_err *err)
{
	struct probe_found *all;
	int n = probe_find_all(s, name, data, &all, err);
	if (n > (int)PROBE_CLONES)
		n = weft_err_set(err, -E2BIG, "'%s' is the name of more than %u functions", name, PROBE_CLONES);
	if (n > 0)
		memcpy(out, all, (size_t)n * sizeof *out);
	free(all);
	return n;
}
