/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One executable or library: debug information where it has some, its own or in a separate file; else its symbols, sorted once; else
 * the tables of unwinders, which say where a function begins.
 */
#include "symbols_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct symbols_file {
	struct probe_image *image;
	struct probe_symbols symbol; /* by address; of one address the first that the tables have */
	struct symbols_lines *lines; /* NULL: no debug information */
	bool lines_sought;
};

static int order_symbols(const void *a, const void *b)
{
	const struct probe_symbol *x = a, *y = b;
	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->local != y->local) /* the name by which others know it */
		return x->local - y->local;
	return strcmp(x->name, y->name);
}

static void drop_doubles(struct probe_symbols *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (n && s->at[n - 1].addr == s->at[i].addr) {
			if (s->at[n - 1].size < s->at[i].size)
				s->at[n - 1].size = s->at[i].size;
			continue;
		}
		s->at[n++] = s->at[i];
	}
	s->n = n;
}

static int check_build(const struct probe_image *i, const char *path, const char *wanted, struct weft_err *err)
{
	const uint8_t *id;
	char has[2 * 64 + 1] = "";
	size_t n = probe_image_build_id(i, &id);
	if (!*wanted)
		return 0;
	for (size_t k = 0; k < n && k < 64; k++)
		snprintf(has + 2 * k, 3, "%02x", id[k]);
	if (strcmp(has, wanted) == 0)
		return 0;
	return weft_err_set(err, -ESTALE,
	                    "'%s' is another build than the one that ran: its build id is %.40s, in the trace %.40s", path,
	                    *has ? has : "missing", wanted);
}

int symbols_file_open(struct symbols_file **out, const char *path, const char *build_id, const char *debug_root,
                      struct weft_err *err)
{
	struct symbols_file *f = calloc(1, sizeof *f);
	*out = NULL;
	if (!f)
		return -ENOMEM;
	int rc = probe_image_open(path, debug_root, &f->image, err);
	if (!rc)
		rc = check_build(f->image, path, build_id, err);
	if (!rc)
		rc = probe_image_functions(f->image, &f->symbol);
	if (rc) {
		symbols_file_close(f);
		return rc;
	}
	if (f->symbol.n)
		qsort(f->symbol.at, f->symbol.n, sizeof *f->symbol.at, order_symbols);
	drop_doubles(&f->symbol);
	*out = f;
	return 0;
}

void symbols_file_close(struct symbols_file *f)
{
	if (!f)
		return;
	symbols_lines_free(f->lines);
	free(f->symbol.at);
	probe_image_close(f->image);
	free(f);
}

uint64_t symbols_file_address(const struct symbols_file *f, uint64_t offset, uint64_t at)
{
	uint64_t addr;
	/* A whole object begins with its first segment, wherever in the file that is. */
	if (offset == 0 || !probe_image_loaded_at(f->image, offset, &addr))
		return probe_image_base(f->image) + at;
	return addr + at;
}

/* One without a size reaches to the next. */
static const struct probe_symbol *symbol_at(const struct symbols_file *f, uint64_t addr)
{
	size_t from = 0, to = f->symbol.n;
	while (from < to) {
		size_t middle = from + (to - from) / 2;
		if (f->symbol.at[middle].addr <= addr)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from)
		return NULL;
	const struct probe_symbol *s = &f->symbol.at[from - 1];
	return !s->size || addr - s->addr < s->size ? s : NULL;
}

static int seek_lines(struct symbols_file *f)
{
	Dwarf *dwarf = f->lines_sought ? NULL : probe_image_dwarf(f->image, NULL);
	f->lines_sought = true;
	return dwarf ? symbols_lines_new(&f->lines, dwarf) : 0;
}

int symbols_file_find(struct symbols_file *f, uint64_t addr, struct symbols_spot spot[SYMBOLS_DEPTH], uint64_t *start)
{
	int n = seek_lines(f);
	*start = UINT64_MAX;
	if (!n && f->lines)
		n = symbols_lines_find(f->lines, addr, spot);
	if (n < 0)
		return n;
	const struct probe_symbol *s = symbol_at(f, addr);
	if (!n && s) {
		spot[0] = (struct symbols_spot){.linkage = s->name};
		return 1;
	}
	/* The outermost may have no name of its own in the debug information. */
	if (n && s && !spot[n - 1].name && !spot[n - 1].linkage)
		spot[n - 1].linkage = s->name;
	if (!n && !probe_image_function_begin(f->image, addr, start))
		*start = UINT64_MAX;
	return n;
}
