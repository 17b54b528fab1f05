/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ELF files by libelf. Symbol tables are searched from front to end, which takes microseconds for
 * the tables that programs have; who asks for many names gets an index, which costs as much as some
 * such searches.
 */
#include "probe_image.h"
#include "probe_index.h"
#include "base/str.h"
#include "base/vec.h"
#include <elfutils/libdwelf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct file {
	int fd;
	Elf *elf;
};

struct table {
	const Elf64_Sym *at; /* borrowed from the file's Elf */
	size_t n;
	const char *names;
	size_t n_names;
};

struct probe_image {
	char path[PATH_MAX], debug_root[PATH_MAX];
	struct file main, debug;
	struct table table[2];     /* the full one, and that of the dynamic linker */
	const Elf64_Half *version; /* of the latter's symbols; or NULL. Borrowed from the file's Elf */
	size_t n_versions;
	bool moves, debug_sought;
	uint64_t base;
	const Elf64_Phdr *segment;
	size_t n_segments;
	const char *raw; /* the file's bytes */
	size_t n_raw;
	Dwarf *dwarf;
	struct weft_err dwarf_err;
	unsigned searches; /* so far */
	struct probe_index index;
};

/* More names than that are asked for in one file: it is indexed. */
enum { SEARCHES = 2 };

static void file_close(struct file *f)
{
	if (f->elf)
		elf_end(f->elf);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct file){.fd = -1};
}

static int file_open(struct file *f, const char *path, struct weft_err *err)
{
	/* The path is what a process says: it might be anything by now. */
	struct stat st;
	f->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (f->fd < 0)
		return weft_err_sys(err, errno, "cannot open '%s'", path);
	if (fstat(f->fd, &st) || !S_ISREG(st.st_mode)) {
		file_close(f);
		return weft_err_set(err, -ENOEXEC, "'%s' is no 64-bit ELF file", path);
	}
	f->elf = elf_begin(f->fd, ELF_C_READ_MMAP, NULL);
	const char *ident = f->elf ? elf_getident(f->elf, NULL) : NULL;
	if (!ident || elf_kind(f->elf) != ELF_K_ELF || ident[EI_CLASS] != ELFCLASS64 || ident[EI_DATA] != ELFDATA2LSB) {
		file_close(f);
		return weft_err_set(err, -ENOEXEC, "'%s' is no 64-bit ELF file", path);
	}
	/* Tables are used where they lie; every linker puts them where words may lie. */
	const Elf64_Ehdr *e = elf64_getehdr(f->elf);
	if (!e || e->e_phoff % 8 || e->e_shoff % 8) {
		file_close(f);
		return weft_err_set(err, -ENOEXEC, "'%s' is a damaged ELF file: its tables are not aligned", path);
	}
	return 0;
}

/* The symbol table of a type (SHT_SYMTAB, SHT_DYNSYM) in a file; empty when there is none. */
static struct table find_table(Elf *elf, uint32_t type)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(elf, s));) {
		const Elf64_Shdr *h = elf64_getshdr(s);
		if (!h || h->sh_type != type)
			continue;
		Elf_Data *data = elf_getdata(s, NULL), *names = elf_getdata(elf_getscn(elf, h->sh_link), NULL);
		if (!data || !data->d_buf || !names || !names->d_buf || names->d_size == 0)
			continue;
		const char *text = names->d_buf;
		if (text[names->d_size - 1] != '\0' || (uintptr_t)data->d_buf % 8)
			continue;
		return (struct table){data->d_buf, data->d_size / sizeof(Elf64_Sym), text, names->d_size};
	}
	return (struct table){0};
}

static void find_versions(struct probe_image *i)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(i->main.elf, s));) {
		const Elf64_Shdr *h = elf64_getshdr(s);
		Elf_Data *data = h && h->sh_type == SHT_GNU_versym ? elf_getdata(s, NULL) : NULL;
		if (data && data->d_buf && (uintptr_t)data->d_buf % 2 == 0) {
			i->version = data->d_buf;
			i->n_versions = data->d_size / sizeof *i->version;
		}
	}
}

static const char *symbol_name(const struct table *t, const Elf64_Sym *s)
{
	return s->st_name < t->n_names ? t->names + s->st_name : "";
}

/* ---- separate debug files ---- */

static bool same_build(Elf *a, Elf *b)
{
	const void *id_a, *id_b;
	ssize_t n_a = dwelf_elf_gnu_build_id(a, &id_a), n_b = dwelf_elf_gnu_build_id(b, &id_b);
	if (n_a <= 0 || n_b <= 0)
		return n_a <= 0 && n_b <= 0;
	return n_a == n_b && !memcmp(id_a, id_b, (size_t)n_a);
}

/* CRC-32 of zlib, by which a file without a build id knows its debug file. */
static uint32_t image_checksum(const unsigned char *at, size_t n)
{
	uint32_t crc = ~0u;
	for (size_t k = 0; k < n; k++) {
		crc ^= at[k];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* Another build's debug file has functions at other places. */
static bool image_belongs(struct probe_image *i)
{
	const void *id;
	GElf_Word crc;
	size_t n;
	if (dwelf_elf_gnu_build_id(i->main.elf, &id) > 0 || !dwelf_elf_gnu_debuglink(i->main.elf, &crc))
		return same_build(i->main.elf, i->debug.elf);
	const char *raw = elf_rawfile(i->debug.elf, &n);
	return raw && image_checksum((const unsigned char *)raw, n) == crc;
}

static bool try_debug(struct probe_image *i, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool try_debug(struct probe_image *i, const char *fmt, ...)
{
	char path[PATH_MAX * 2];
	va_list ap;
	va_start(ap, fmt);
	int n = vsnprintf(path, sizeof path, fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof path || access(path, R_OK) || file_open(&i->debug, path, NULL))
		return false;
	if (image_belongs(i))
		return true;
	file_close(&i->debug);
	return false;
}

/* By build id, then by the name that the file has for it. */
static void seek_debug(struct probe_image *i)
{
	if (i->debug_sought)
		return;
	i->debug_sought = true;
	const void *id;
	ssize_t n = dwelf_elf_gnu_build_id(i->main.elf, &id);
	if (n > 1 && n <= 64) {
		char hex[130] = "";
		for (ssize_t k = 0; k < n; k++)
			snprintf(hex + 2 * k, 3, "%02x", ((const unsigned char *)id)[k]);
		if (try_debug(i, "%s/.build-id/%.2s/%s.debug", i->debug_root, hex, hex + 2))
			return;
	}
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(i->main.elf, &crc);
	if (!link || strchr(link, '/'))
		return;
	const char *slash = strrchr(i->path, '/');
	int dir = slash ? (int)(slash - i->path) : 0;
	if (!try_debug(i, "%.*s/.debug/%s", dir, i->path, link) && !try_debug(i, "%s%.*s/%s", i->debug_root, dir, i->path, link))
		try_debug(i, "%.*s/%s", dir, i->path, link);
}

Dwarf *probe_image_dwarf(struct probe_image *i, struct weft_err *err)
{
	if (!i->dwarf && !i->dwarf_err.code) {
		i->dwarf = dwarf_begin_elf(i->main.elf, DWARF_C_READ, NULL);
		if (!i->dwarf) {
			seek_debug(i);
			i->dwarf = i->debug.elf ? dwarf_begin_elf(i->debug.elf, DWARF_C_READ, NULL) : NULL;
		}
		if (!i->dwarf)
			weft_err_set(&i->dwarf_err, -ENOENT, "'%s' has no debug information (compile with -g)", i->path);
	}
	if (!i->dwarf && err && !err->code)
		*err = i->dwarf_err;
	return i->dwarf;
}

/* ---- opening ---- */

static int read_header(struct probe_image *i, struct weft_err *err)
{
	const Elf64_Ehdr *e = elf64_getehdr(i->main.elf);
	i->raw = elf_rawfile(i->main.elf, &i->n_raw);
	i->segment = elf64_getphdr(i->main.elf);
	if (!e || !i->raw || !i->segment || elf_getphdrnum(i->main.elf, &i->n_segments))
		return weft_err_set(err, -ENOEXEC, "'%s' has no program header", i->path);
	if (e->e_machine != EM_X86_64)
		return weft_err_set(err, -ENOTSUP, "'%s' is not for x86-64, where alone probes work", i->path);
	i->moves = e->e_type == ET_DYN;
	for (size_t k = i->n_segments; k-- > 0;)
		if (i->segment[k].p_type == PT_LOAD)
			i->base = i->segment[k].p_vaddr & ~4095ull;
	return 0;
}

int probe_image_open(const char *path, const char *debug_root, struct probe_image **out, struct weft_err *err)
{
	*out = NULL;
	elf_version(EV_CURRENT);
	struct probe_image *i = calloc(1, sizeof *i);
	if (!i)
		return weft_err_set(err, -ENOMEM, "out of memory");
	i->main.fd = i->debug.fd = -1;
	snprintf(i->path, sizeof i->path, "%s", path);
	snprintf(i->debug_root, sizeof i->debug_root, "%s", debug_root ? debug_root : "/usr/lib/debug");
	int rc = file_open(&i->main, path, err);
	if (rc == 0)
		rc = read_header(i, err);
	if (rc < 0) {
		probe_image_close(i);
		return rc;
	}
	i->table[1] = find_table(i->main.elf, SHT_DYNSYM);
	find_versions(i);
	i->table[0] = find_table(i->main.elf, SHT_SYMTAB);
	if (i->table[0].n == 0) {
		seek_debug(i);
		if (i->debug.elf)
			i->table[0] = find_table(i->debug.elf, SHT_SYMTAB);
	}
	*out = i;
	return 0;
}

void probe_image_close(struct probe_image *i)
{
	if (!i)
		return;
	if (i->dwarf)
		dwarf_end(i->dwarf);
	probe_index_fini(&i->index);
	file_close(&i->debug);
	file_close(&i->main);
	free(i);
}

const char *probe_image_path(const struct probe_image *i)
{
	return i->path;
}

bool probe_image_stripped(const struct probe_image *i)
{
	return i->table[0].n == 0;
}

bool probe_image_moves(const struct probe_image *i)
{
	return i->moves;
}

uint64_t probe_image_base(const struct probe_image *i)
{
	return i->base;
}

static const Elf64_Phdr *segment_of(const struct probe_image *i, uint64_t addr)
{
	for (size_t k = 0; k < i->n_segments; k++) {
		const Elf64_Phdr *p = &i->segment[k];
		if (p->p_type == PT_LOAD && addr >= p->p_vaddr && addr - p->p_vaddr < p->p_memsz)
			return p;
	}
	return NULL;
}

uint64_t probe_image_thread_bytes(const struct probe_image *i)
{
	for (size_t k = 0; k < i->n_segments; k++) {
		const Elf64_Phdr *p = &i->segment[k];
		uint64_t align = p->p_align ? p->p_align : 1;
		if (p->p_type == PT_TLS)
			return (p->p_memsz + align - 1) / align * align;
	}
	return 0;
}

bool probe_image_executes(const struct probe_image *i, uint64_t addr, uint64_t *end)
{
	const Elf64_Phdr *p = segment_of(i, addr);
	if (!p || !(p->p_flags & PF_X))
		return false;
	*end = p->p_vaddr + p->p_filesz;
	return addr < *end;
}

bool probe_image_writes(const struct probe_image *i, uint64_t addr)
{
	const Elf64_Phdr *p = segment_of(i, addr);
	return p && p->p_flags & PF_W;
}

int probe_image_read(const struct probe_image *i, uint64_t addr, void *to, size_t n)
{
	const Elf64_Phdr *p = segment_of(i, addr);
	if (!p)
		return -EFAULT;
	uint64_t at = addr - p->p_vaddr;
	if (at > p->p_filesz || n > p->p_filesz - at || p->p_offset > i->n_raw || at + n > i->n_raw - p->p_offset)
		return -EFAULT;
	memcpy(to, i->raw + p->p_offset + at, n);
	return 0;
}

/* ---- finding ---- */

static bool wanted_type(unsigned type, bool data)
{
	return data ? type == STT_OBJECT || type == STT_NOTYPE || type == STT_TLS : type == STT_FUNC || type == STT_GNU_IFUNC;
}

/* One address is one function, whatever it is called beside. */
static int add_symbol(struct probe_symbols *out, struct probe_symbol s)
{
	for (size_t k = 0; k < out->n; k++) {
		if (out->at[k].addr == s.addr) {
			out->at[k].match = s.match > out->at[k].match ? s.match : out->at[k].match;
			out->at[k].file = out->at[k].file ? out->at[k].file : s.file;
			out->at[k].local &= s.local;
			out->at[k].old &= s.old;
			out->at[k].size = s.size > out->at[k].size ? s.size : out->at[k].size;
			return 0;
		}
	}
	return weft_vec_push(out, s);
}

/* The file symbol in front of a local one. */
static const char *file_of(const struct table *t, size_t which)
{
	if (ELF64_ST_BIND(t->at[which].st_info) != STB_LOCAL)
		return NULL;
	while (which-- > 0)
		if (ELF64_ST_TYPE(t->at[which].st_info) == STT_FILE)
			return *symbol_name(t, &t->at[which]) ? symbol_name(t, &t->at[which]) : NULL;
	return NULL;
}

/* NAME@VERSION, not NAME@@VERSION. */
static bool is_old(const struct probe_image *i, unsigned table, size_t which, const char *symbol)
{
	enum { HIDDEN = 0x8000 };
	const char *at = strchr(symbol, '@');
	return (at && at[1] != '@') || (table == 1 && which < i->n_versions && i->version[which] & HIDDEN);
}

struct asked {
	const char *name;
	bool data, full;
};

/* Adds a symbol when it is what is asked for. */
static int image_consider(const struct probe_image *i, unsigned table, size_t which, const struct asked *a,
                          struct probe_symbols *out)
{
	const struct table *t = &i->table[table];
	const Elf64_Sym *s = &t->at[which];
	enum probe_clone clone;
	if (s->st_shndx == SHN_UNDEF || s->st_shndx >= SHN_LORESERVE || !wanted_type(ELF64_ST_TYPE(s->st_info), a->data))
		return 0;
	const char *symbol = symbol_name(t, s);
	enum probe_match match = (a->full ? probe_name_match_full : probe_name_match)(symbol, a->name, &clone);
	/* What has no size was not written by anybody who would ask for it in this way. */
	if (match == PROBE_NO || (match == PROBE_GLOB && s->st_size == 0))
		return 0;
	return add_symbol(out, (struct probe_symbol){.addr = s->st_value,
	                                             .size = s->st_size,
	                                             .name = symbol,
	                                             .type = ELF64_ST_TYPE(s->st_info),
	                                             .clone = (uint8_t)clone,
	                                             .local = ELF64_ST_BIND(s->st_info) == STB_LOCAL,
	                                             .old = is_old(i, table, which, symbol),
	                                             .match = (uint8_t)match,
	                                             .file = file_of(t, which)});
}

static int image_search(const struct probe_image *i, const struct asked *a, struct probe_symbols *out)
{
	int rc = 0;
	for (unsigned k = 0; k < 2; k++)
		for (size_t j = 0; j < i->table[k].n && rc == 0; j++)
			rc = image_consider(i, k, j, a, out);
	return rc;
}

/*
 * Symbols are numbered through both tables, and added from the last on: they are found in their
 * order.
 */
static void make_index(struct probe_image *i)
{
	size_t first = i->table[0].n, all = first + i->table[1].n;
	int rc = all < UINT32_MAX ? probe_index_init(&i->index, all) : -E2BIG;
	for (size_t k = all; rc == 0 && k-- > 0;) {
		const struct table *t = &i->table[k >= first];
		const Elf64_Sym *s = &t->at[k >= first ? k - first : k];
		bool asked_for = wanted_type(ELF64_ST_TYPE(s->st_info), false) || wanted_type(ELF64_ST_TYPE(s->st_info), true);
		if (s->st_shndx != SHN_UNDEF && asked_for)
			rc = probe_index_add(&i->index, symbol_name(t, s), (uint32_t)k);
	}
	if (rc)
		probe_index_fini(&i->index);
}

int probe_image_find(struct probe_image *i, const char *name, bool data, struct probe_symbols *out)
{
	if (i->searches++ == SEARCHES)
		make_index(i);
	struct asked a = {name, data, probe_name_is_full(name)};
	if (!i->index.head || a.full)
		return image_search(i, &a, out);
	struct probe_index_walk walk = {.asked = name};
	size_t first = i->table[0].n;
	int rc = 0;
	for (uint32_t k; rc == 0 && probe_index_next(&i->index, &walk, &k);)
		rc = image_consider(i, k >= first, k >= first ? k - first : k, &a, out);
	return rc;
}

bool probe_image_symbol_at(struct probe_image *i, uint64_t addr, struct probe_symbol *out)
{
	for (unsigned k = 0; k < 2; k++) {
		const struct table *t = &i->table[k];
		for (size_t j = 0; j < t->n; j++) {
			const Elf64_Sym *s = &t->at[j];
			if (s->st_shndx == SHN_UNDEF || addr < s->st_value || addr - s->st_value >= (s->st_size ? s->st_size : 1))
				continue;
			*out = (struct probe_symbol){.addr = s->st_value,
			                             .size = s->st_size,
			                             .name = symbol_name(t, s),
			                             .type = ELF64_ST_TYPE(s->st_info),
			                             .match = PROBE_SAME};
			return true;
		}
	}
	return false;
}

int probe_image_functions(const struct probe_image *i, struct probe_symbols *out)
{
	int rc = 0;
	for (unsigned k = 0; k < 2; k++) {
		const struct table *t = &i->table[k];
		for (size_t j = 0; j < t->n && !rc; j++) {
			const Elf64_Sym *s = &t->at[j];
			if (s->st_shndx == SHN_UNDEF || s->st_shndx >= SHN_LORESERVE ||
			    !wanted_type(ELF64_ST_TYPE(s->st_info), false))
				continue;
			rc = weft_vec_push(out, (struct probe_symbol){.addr = s->st_value,
			                                              .size = s->st_size,
			                                              .name = symbol_name(t, s),
			                                              .local = ELF64_ST_BIND(s->st_info) == STB_LOCAL});
		}
	}
	return rc;
}

size_t probe_image_build_id(const struct probe_image *i, const uint8_t **id)
{
	const void *at;
	ssize_t n = dwelf_elf_gnu_build_id(i->main.elf, &at);
	*id = n > 0 ? at : NULL;
	return n > 0 ? (size_t)n : 0;
}

bool probe_image_loaded_at(const struct probe_image *i, uint64_t offset, uint64_t *addr)
{
	for (size_t k = 0; k < i->n_segments; k++) {
		const Elf64_Phdr *p = &i->segment[k];
		if (p->p_type == PT_LOAD && offset >= p->p_offset && offset - p->p_offset < p->p_filesz) {
			*addr = p->p_vaddr + (offset - p->p_offset);
			return true;
		}
	}
	return false;
}

/*
 * .eh_frame_hdr: 4 bytes that say how the rest is written, where .eh_frame is, how many functions, and for each its begin and its entry
 * there, in order, as signed words from the table's own begin. Written otherwise (nobody does), it is left alone.
 */
bool probe_image_function_begin(const struct probe_image *i, uint64_t addr, uint64_t *begin)
{
	static const uint8_t usual[] = {1, 0x1b, 0x03, 0x3b};
	const Elf64_Phdr *p = NULL;
	uint8_t head[4];
	uint32_t n;
	int32_t place;
	for (size_t k = 0; k < i->n_segments && !p; k++)
		p = i->segment[k].p_type == PT_GNU_EH_FRAME ? &i->segment[k] : NULL;
	if (!p || probe_image_read(i, p->p_vaddr, head, sizeof head) || memcmp(head, usual, sizeof head) != 0 ||
	    probe_image_read(i, p->p_vaddr + 8, &n, sizeof n))
		return false;
	uint64_t from = 0, to = n;
	while (from < to) {
		uint64_t middle = from + (to - from) / 2;
		if (probe_image_read(i, p->p_vaddr + 12 + 8 * middle, &place, sizeof place))
			return false;
		if (p->p_vaddr + (uint64_t)(int64_t)place <= addr)
			from = middle + 1;
		else
			to = middle;
	}
	if (!from || probe_image_read(i, p->p_vaddr + 12 + 8 * (from - 1), &place, sizeof place))
		return false;
	*begin = p->p_vaddr + (uint64_t)(int64_t)place;
	return *begin <= addr;
}

const char *probe_image_resembling(struct probe_image *i, const char *name, bool data)
{
	WEFT_VEC(const char *) known = {0};
	for (unsigned k = 0; k < 2; k++) {
		for (size_t j = 0; j < i->table[k].n; j++) {
			const Elf64_Sym *s = &i->table[k].at[j];
			const char *symbol = symbol_name(&i->table[k], s);
			if (s->st_shndx != SHN_UNDEF && *symbol && *symbol != '_' &&
			    wanted_type(ELF64_ST_TYPE(s->st_info), data) && weft_vec_push(&known, symbol))
				break;
		}
	}
	const char *nearest = known.n ? weft_nearest(name, known.at, known.n) : NULL;
	free(known.at);
	return nearest;
}

const char *probe_image_slot(struct probe_image *i, uint64_t addr)
{
	for (Elf_Scn *s = NULL; (s = elf_nextscn(i->main.elf, s));) {
		const Elf64_Shdr *h = elf64_getshdr(s);
		if (!h || h->sh_type != SHT_RELA || !(h->sh_flags & SHF_ALLOC))
			continue;
		Elf_Data *data = elf_getdata(s, NULL);
		const Elf64_Rela *r = data ? data->d_buf : NULL;
		for (size_t k = 0; r && k < data->d_size / sizeof *r; k++) {
			size_t which = ELF64_R_SYM(r[k].r_info);
			if (r[k].r_offset == addr && which < i->table[1].n)
				return symbol_name(&i->table[1], &i->table[1].at[which]);
		}
	}
	return NULL;
}

static void take_slots(struct probe_image *i, struct probe_slots *s, unsigned *n, bool sure)
{
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(i->main.elf, scn));) {
		const Elf64_Shdr *h = elf64_getshdr(scn);
		if (!h || h->sh_type != SHT_RELA || !(h->sh_flags & SHF_ALLOC))
			continue;
		Elf_Data *data = elf_getdata(scn, NULL);
		const Elf64_Rela *r = data ? data->d_buf : NULL;
		for (size_t k = 0; r && k < data->d_size / sizeof *r && *n < s->room; k++) {
			size_t which = ELF64_R_SYM(r[k].r_info), type = ELF64_R_TYPE(r[k].r_info);
			bool by_name = (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT || type == R_X86_64_64) &&
			               which < i->table[1].n &&
			               !strcmp(symbol_name(&i->table[1], &i->table[1].at[which]), s->name);
			bool own = type == R_X86_64_IRELATIVE && s->resolver && (uint64_t)r[k].r_addend == s->resolver;
			if (sure ? own : by_name)
				s->at[(*n)++] = r[k].r_offset;
		}
	}
}

unsigned probe_image_slots(struct probe_image *i, struct probe_slots *s)
{
	unsigned n = 0;
	take_slots(i, s, &n, true);
	s->sure = n;
	take_slots(i, s, &n, false);
	return n;
}
