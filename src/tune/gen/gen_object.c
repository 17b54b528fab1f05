/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of a compiled tunlet would run while it is loaded, before anybody has called it:
 * constructors, destructors, resolvers of indirect functions, and whatever further objects bring. A
 * translation has none of these; a performance function that was left to the compiler may ask for
 * them (attributes, inline assembler, a header). Such an object is refused before the loader sees
 * it.
 *
 * Only what is known to be data is accepted: a tag of the dynamic section that is not in the table
 * is a reason to refuse. The loader reads the same bytes by the same headers.
 */
#include "gen_priv.h"
#include <elf.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

struct object {
	const unsigned char *at;
	size_t n;
	const Elf64_Phdr *ph;
	unsigned n_ph;
	uint64_t tag[DT_NUM]; /* the last of each, as the loader has it */
	uint64_t needed[4];
	unsigned n_needed;
};

/* Tags that bring no code to run. The loader's own additions have numbers beyond DT_NUM. */
static const int64_t harmless[] =
	{
		DT_NULL,    DT_NEEDED,  DT_PLTRELSZ,   DT_PLTGOT,   DT_HASH,      DT_STRTAB,    DT_SYMTAB,
		DT_RELA,    DT_RELASZ,  DT_RELAENT,    DT_STRSZ,    DT_SYMENT,    DT_SONAME,    DT_SYMBOLIC,
		DT_PLTREL,  DT_DEBUG,   DT_JMPREL,     DT_BIND_NOW, DT_FLAGS,     DT_FLAGS_1,   DT_GNU_HASH,
		DT_VERSYM,  DT_VERNEED, DT_VERNEEDNUM, DT_VERDEF,   DT_VERDEFNUM, DT_RELACOUNT, DT_CHECKSUM,
		DT_TEXTREL, DT_RELR,    DT_RELRSZ,     DT_RELRENT,  0x70000001,   0x70000003, /* BTI, PAC: how its stubs are made */
};

static const struct {
	int64_t tag;
	const char *what;
} runs[] = {
	{DT_INIT, "a constructor"},
	{DT_INIT_ARRAY, "a constructor"},
	{DT_PREINIT_ARRAY, "a constructor"},
	{DT_FINI, "a destructor"},
	{DT_FINI_ARRAY, "a destructor"},
	{DT_AUXILIARY, "another object's code"},
	{DT_FILTER, "another object's code"},
	{DT_AUDIT, "another object's code"},
	{DT_DEPAUDIT, "another object's code"},
	{DT_RPATH, "another object's code"},
	{DT_RUNPATH, "another object's code"},
};

/* Libraries that the program has loaded already. */
static const char *const libraries[] = {"libc.so.6", "libm.so.6", "libc.so", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"};

/* n bytes at an address, or NULL. */
static const void *bytes_at(const struct object *o, uint64_t address, uint64_t n)
{
	for (unsigned i = 0; i < o->n_ph; i++) {
		const Elf64_Phdr *p = &o->ph[i];
		if (p->p_type != PT_LOAD || address < p->p_vaddr || address - p->p_vaddr > p->p_filesz)
			continue;
		uint64_t into = address - p->p_vaddr;
		if (n <= p->p_filesz - into && p->p_offset <= o->n && p->p_filesz <= o->n - p->p_offset)
			return o->at + p->p_offset + into;
	}
	return NULL;
}

static const char *text_at(const struct object *o, uint64_t offset)
{
	uint64_t size = o->tag[DT_STRSZ];
	const char *text = offset < size ? bytes_at(o, o->tag[DT_STRTAB], size) : NULL;
	return text && memchr(text + offset, '\0', size - offset) ? text + offset : NULL;
}

static bool is_harmless(int64_t tag)
{
	for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
		if (harmless[i] == tag)
			return true;
	return false;
}

/* The code that a tag of the dynamic section would run; NULL: none. */
static const char *runs_by(int64_t tag)
{
	for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
		if (runs[i].tag == tag)
			return runs[i].what;
	return is_harmless(tag) ? NULL : "something that is not known";
}

static const char *look_at_dynamic(struct object *o, const Elf64_Phdr *p)
{
	const Elf64_Dyn *d = bytes_at(o, p->p_vaddr, p->p_filesz);
	for (size_t i = 0; d && i < p->p_filesz / sizeof *d; i++) {
		const char *what = runs_by(d[i].d_tag);
		if (what || d[i].d_tag == DT_NULL)
			return what;
		if (d[i].d_tag == DT_NEEDED && o->n_needed == sizeof o->needed / sizeof *o->needed)
			return "another object's code";
		if (d[i].d_tag == DT_NEEDED)
			o->needed[o->n_needed++] = d[i].d_un.d_val;
		else if (d[i].d_tag < DT_NUM)
			o->tag[d[i].d_tag] = d[i].d_un.d_val;
	}
	return "something that is not known";
}

static const char *look_at_needed(const struct object *o)
{
	for (unsigned i = 0; i < o->n_needed; i++) {
		const char *name = text_at(o, o->needed[i]);
		bool known = false;
		for (size_t k = 0; name && k < sizeof libraries / sizeof *libraries; k++)
			known |= strcmp(name, libraries[k]) == 0;
		if (!known)
			return "another object's code";
	}
	return NULL;
}

static const char *look_at_symbols(const struct object *o)
{
	static const char unknown[] = "something that is not known";
	const uint32_t *hash = bytes_at(o, o->tag[DT_HASH], 2 * sizeof *hash);
	uint64_t n = hash ? hash[1] : 0;
	const Elf64_Sym *s = bytes_at(o, o->tag[DT_SYMTAB], n * sizeof *s);
	for (uint64_t i = 0; s && i < n; i++)
		if (ELF64_ST_TYPE(s[i].st_info) == STT_GNU_IFUNC && s[i].st_shndx != SHN_UNDEF)
			return "the resolver of an indirect function";
	return s ? NULL : unknown;
}

static const char *look_at_relocations(const struct object *o, uint64_t address, uint64_t bytes)
{
	const Elf64_Rela *r = bytes ? bytes_at(o, address, bytes) : NULL;
	for (size_t i = 0; r && i < bytes / sizeof *r; i++) {
		uint64_t type = ELF64_R_TYPE(r[i].r_info);
		if (type == R_X86_64_IRELATIVE || type == R_AARCH64_IRELATIVE)
			return "the resolver of an indirect function";
	}
	return bytes && !r ? "something that is not known" : NULL;
}

/* The code of the object that loading would run; NULL: none. */
static const char *look_at(struct object *o)
{
	static const char unknown[] = "something that is not known";
	const Elf64_Ehdr *h = (const void *)o->at;
	const Elf64_Phdr *dynamic = NULL;
	if (o->n < sizeof *h || memcmp(h->e_ident, ELFMAG, SELFMAG) || h->e_ident[EI_CLASS] != ELFCLASS64 ||
	    h->e_type != ET_DYN || h->e_phentsize != sizeof *o->ph || h->e_phoff > o->n ||
	    h->e_phnum > (o->n - h->e_phoff) / sizeof *o->ph)
		return unknown;
	o->ph = (const void *)(o->at + h->e_phoff);
	o->n_ph = h->e_phnum;
	for (unsigned i = 0; i < o->n_ph; i++) {
		const Elf64_Phdr *p = &o->ph[i];
		bool code = p->p_type == PT_LOAD && (p->p_flags & (PF_W | PF_X)) == (PF_W | PF_X);
		if (code || p->p_type == PT_INTERP || p->p_type == PT_TLS || (dynamic && p->p_type == PT_DYNAMIC))
			return p->p_type == PT_TLS ? "what makes the variables of a thread" : unknown;
		dynamic = p->p_type == PT_DYNAMIC ? p : dynamic;
	}
	const char *what = dynamic ? look_at_dynamic(o, dynamic) : unknown;
	what = what ? what : look_at_needed(o);
	what = what ? what : look_at_symbols(o);
	what = what ? what : look_at_relocations(o, o->tag[DT_RELA], o->tag[DT_RELASZ]);
	return what ? what : look_at_relocations(o, o->tag[DT_JMPREL], o->tag[DT_PLTRELSZ]);
}

int tune_object_check(int fd, const char *name, struct weft_err *err)
{
	struct stat st;
	if (fstat(fd, &st) || st.st_size <= 0)
		return weft_err_set(err, -EIO, "cannot read the compiled tunlet '%s'", name);
	struct object o = {.n = (size_t)st.st_size};
	void *at = mmap(NULL, o.n, PROT_READ, MAP_PRIVATE, fd, 0);
	if (at == MAP_FAILED)
		return weft_err_sys(err, errno, "cannot read the compiled tunlet '%s'", name);
	o.at = at;
	const char *what = look_at(&o);
	munmap(at, o.n);
	if (!what)
		return 0;
	return weft_err_set(err, WEFT_E_SYNTAX, "'%s': a performance function would run before it is called: it has %s", name,
	                    what);
}
