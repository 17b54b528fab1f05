/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The modules of each process, files by path and build id (processes share them), and what was found out about each address: by file,
 * as many processes load it at different places.
 *
 *     process, address ─ binary search ─> module ─> file ─┬─ address in it ─ map ─> answer: frames
 *                                                          └─ opened when first asked for
 */
#include "symbols_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct object {                      /* a file, by path and build id */
	const char *path, *build_id; /* borrowed from the trace */
	struct symbols_file *file;   /* NULL: not opened yet, or not usable */
	bool tried;
	struct weft_map found; /* address in the module -> index of answer */
};
struct answer {
	struct weft_frame *frame; /* in the arena */
	uint32_t n;
};
struct weft_symbols {
	const struct weft_trace *trace;
	const char *root, *debug_root;
	struct weft_arena arena;
	struct weft_intern text; /* [0] is "" */
	WEFT_VEC(struct object) object;
	uint32_t *of_module;   /* by module of the trace: its object. Owned */
	uint32_t *first;       /* by process: its first module; one more at the end. Owned */
	struct weft_map known; /* name << 32 | module -> function */
	WEFT_VEC(struct weft_function) function;
	WEFT_VEC(struct answer) answer;
	WEFT_VEC(const char *) problem; /* in the arena */
	struct weft_map outside;        /* addresses of no module -> answer */
	const struct weft_module *last; /* the module that was found last */
};

static int intern(struct weft_symbols *s, const char *z, uint32_t *id)
{
	return weft_intern_add(&s->text, weft_str(z), id);
}

/* ---- making ---- */

static int add_object(struct weft_symbols *s, const struct weft_module *m, struct weft_map *known, uint32_t *object)
{
	uint32_t path, id;
	uint64_t at;
	if (intern(s, m->path, &path) || intern(s, m->build_id, &id))
		return -ENOMEM;
	uint64_t key = (uint64_t)path << 32 | id;
	if (weft_map_get(known, key, &at)) {
		*object = (uint32_t)at;
		return 0;
	}
	*object = (uint32_t)s->object.n;
	if (weft_map_put(known, key, *object))
		return -ENOMEM;
	return weft_vec_push(&s->object, (struct object){.path = m->path, .build_id = m->build_id});
}

static int list_modules(struct weft_symbols *s)
{
	const struct weft_trace *t = s->trace;
	struct weft_map known = {0};
	int rc = 0;
	for (uint32_t i = 0, p = 0; i < t->n_modules && !rc; i++) {
		for (; p < t->n_processes && p <= t->module[i].process; p++)
			s->first[p] = i;
		rc = add_object(s, &t->module[i], &known, &s->of_module[i]);
	}
	/* Processes behind the last one that has modules have none. */
	uint32_t with = t->n_modules ? t->module[t->n_modules - 1].process + 1 : 0;
	for (uint32_t p = with; p <= t->n_processes; p++)
		s->first[p] = t->n_modules;
	weft_map_fini(&known);
	return rc;
}

int weft_symbols_new(struct weft_symbols **out, const struct weft_trace *t, const struct weft_symbols_how *how)
{
	struct weft_symbols *s = calloc(1, sizeof *s);
	uint32_t none;
	*out = NULL;
	if (!s)
		return -ENOMEM;
	s->trace = t;
	s->root = how ? how->root : NULL;
	s->debug_root = how ? how->debug_root : NULL;
	s->of_module = calloc((size_t)t->n_modules + 1, sizeof *s->of_module);
	s->first = calloc((size_t)t->n_processes + 2, sizeof *s->first);
	if (!s->of_module || !s->first || intern(s, "", &none) || list_modules(s)) {
		weft_symbols_free(s);
		return -ENOMEM;
	}
	*out = s;
	return 0;
}

void weft_symbols_free(struct weft_symbols *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->object.n; i++) {
		symbols_file_close(s->object.at[i].file);
		weft_map_fini(&s->object.at[i].found);
	}
	free(s->object.at);
	free(s->of_module);
	free(s->first);
	free(s->function.at);
	free(s->answer.at);
	free(s->problem.at);
	weft_map_fini(&s->known);
	weft_map_fini(&s->outside);
	weft_intern_fini(&s->text);
	weft_arena_fini(&s->arena);
	free(s);
}

/* ---- modules and files ---- */

static bool covers(const struct weft_module *m, uint32_t process, uint64_t address)
{
	return m->process == process && address >= m->first && address < m->end;
}

/* Of several that were there one after the other the last. */
static const struct weft_module *module_at(struct weft_symbols *s, uint32_t process, uint64_t address)
{
	if (process >= s->trace->n_processes)
		return NULL;
	if (s->last && covers(s->last, process, address))
		return s->last;
	uint32_t begin = s->first[process], from = begin, to = s->first[process + 1];
	while (from < to) {
		uint32_t middle = from + (to - from) / 2;
		if (s->trace->module[middle].first <= address)
			from = middle + 1;
		else
			to = middle;
	}
	for (; from > begin; from--)
		if (covers(&s->trace->module[from - 1], process, address))
			return s->last = &s->trace->module[from - 1];
	return NULL;
}

static int note_problem(struct weft_symbols *s, const char *text)
{
	const char *kept = weft_arena_printf(&s->arena, "%s; its functions have no names", text);
	return kept ? weft_vec_push(&s->problem, kept) : -ENOMEM;
}

/* The vdso and what the kernel calls by a name in brackets are no files. */
static bool is_file(const char *path)
{
	return *path == '/';
}

/* 0 or -ENOMEM; what cannot be opened has no file. */
static int open_object(struct weft_symbols *s, struct object *o)
{
	struct weft_err err = {0};
	struct weft_buf path = {0};
	if (o->tried || !is_file(o->path))
		return 0;
	o->tried = true;
	weft_buf_printf(&path, "%s%s", s->root ? s->root : "", o->path);
	int rc = path.failed ? -ENOMEM : symbols_file_open(&o->file, path.at, o->build_id, s->debug_root, &err);
	if (rc && rc != -ENOMEM && s->root) { /* what is not below the root is where it was */
		struct weft_err other = {0};
		rc = symbols_file_open(&o->file, o->path, o->build_id, s->debug_root, &other);
	}
	weft_buf_fini(&path);
	if (rc && rc != -ENOMEM)
		rc = note_problem(s, err.text);
	return rc;
}

/* ---- answers ---- */

static int64_t function_of(struct weft_symbols *s, const char *name, const char *module)
{
	uint32_t n, m;
	uint64_t at;
	if (intern(s, name, &n) || intern(s, module, &m))
		return -ENOMEM;
	uint64_t key = (uint64_t)n << 32 | m;
	if (weft_map_get(&s->known, key, &at))
		return (int64_t)at;
	at = s->function.n;
	if (weft_map_put(&s->known, key, at) ||
	    weft_vec_push(&s->function, (struct weft_function){s->text.name[n], s->text.name[m]}))
		return -ENOMEM;
	return (int64_t)at;
}

int64_t weft_symbols_add(struct weft_symbols *s, const char *name, const char *module)
{
	return function_of(s, name, module);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

/* Names of a file may hold anything. */
static void spell(const struct symbols_spot *spot, char name[SYMBOLS_NAME])
{
	if (spot->linkage && *spot->linkage)
		probe_name_label(spot->linkage, name, SYMBOLS_NAME);
	else
		snprintf(name, SYMBOLS_NAME, "%s", spot->name && *spot->name ? spot->name : "?");
	weft_one_line(name);
}

static int fill_frame(struct weft_symbols *s, const struct symbols_spot *spot, const char *module, struct weft_frame *f)
{
	char name[SYMBOLS_NAME];
	spell(spot, name);
	int64_t function = function_of(s, name, module);
	if (function < 0 || intern(s, spot->file ? spot->file : "", &f->file))
		return -ENOMEM;
	f->function = (uint32_t)function;
	f->line = spot->line;
	f->inlined = spot->inlined;
	return 0;
}

static int place_frame(struct weft_symbols *s, const char *module, uint64_t at, struct weft_frame *f)
{
	char name[SYMBOLS_NAME];
	if (*module)
		snprintf(name, sizeof name, "%.900s+0x%llx", base_name(module), (unsigned long long)at);
	else
		snprintf(name, sizeof name, "0x%llx", (unsigned long long)at);
	weft_one_line(name);
	int64_t function = function_of(s, name, module);
	*f = (struct weft_frame){.function = (uint32_t)function};
	return function < 0 ? -ENOMEM : 0;
}

/* at: where in its module the address lies. */
static int make_answer(struct weft_symbols *s, struct object *o, uint64_t addr, uint64_t at, struct answer *a)
{
	struct symbols_spot spot[SYMBOLS_DEPTH];
	struct weft_frame frame[SYMBOLS_DEPTH];
	uint64_t start = UINT64_MAX;
	const char *module = o ? o->path : "";
	int n = o && o->file ? symbols_file_find(o->file, addr, spot, &start) : 0, rc = n < 0 ? n : 0;
	for (int i = 0; i < n && !rc; i++)
		rc = fill_frame(s, &spot[i], module, &frame[i]);
	if (!n && !rc) {
		rc = place_frame(s, module, start != UINT64_MAX && start <= addr && addr - start <= at ? at - (addr - start) : at,
		                 frame);
		n = 1;
	}
	if (rc)
		return rc;
	a->n = (uint32_t)n;
	a->frame = weft_arena_alloc(&s->arena, (size_t)n * sizeof *frame);
	if (!a->frame)
		return -ENOMEM;
	memcpy(a->frame, frame, (size_t)n * sizeof *frame);
	return 0;
}

static const struct weft_frame *give(const struct weft_symbols *s, uint64_t index, uint32_t *n)
{
	*n = s->answer.at[index].n;
	return s->answer.at[index].frame;
}

const struct weft_frame *weft_symbols_find(struct weft_symbols *s, uint32_t process, uint64_t address, bool calls, uint32_t *n)
{
	uint64_t index, meant = calls && address ? address - 1 : address;
	const struct weft_module *m = module_at(s, process, meant);
	struct object *o = m ? &s->object.at[s->of_module[m - s->trace->module]] : NULL;
	uint64_t at = m ? meant - m->first : meant;
	struct weft_map *found = o ? &o->found : &s->outside;
	/* Parts of one file that are rows of their own are told apart by where in the file they begin. */
	uint64_t key = m ? weft_hash_u64(m->offset) ^ at : at;
	*n = 0;
	if (weft_map_get(found, key, &index))
		return give(s, index, n);
	struct answer a;
	index = s->answer.n;
	if (o && open_object(s, o))
		return NULL;
	uint64_t addr = o && o->file ? symbols_file_address(o->file, m->offset, at) : at;
	if (make_answer(s, o, addr, m ? at + m->offset : at, &a) || weft_vec_push(&s->answer, a) ||
	    weft_map_put(found, key, index))
		return NULL;
	return give(s, index, n);
}

/* ---- asking ---- */

const struct weft_function *weft_symbols_function(const struct weft_symbols *s, uint32_t function)
{
	return &s->function.at[function];
}

uint32_t weft_symbols_n_functions(const struct weft_symbols *s)
{
	return (uint32_t)s->function.n;
}

const char *weft_symbols_text(const struct weft_symbols *s, uint32_t text)
{
	return text < s->text.n ? s->text.name[text] : "";
}

uint32_t weft_symbols_n_problems(const struct weft_symbols *s)
{
	return (uint32_t)s->problem.n;
}

const char *weft_symbols_problem(const struct weft_symbols *s, uint32_t i)
{
	return s->problem.at[i];
}
