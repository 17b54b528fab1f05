/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a function or variable of the program is called. Outlined functions are local, so only the file's own table (.symtab) has them: the
 * file is looked into, once for each address that is asked for. Nothing in it is believed: it is not what is mapped, perhaps.
 */
#include "openmp_priv.h"
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	const char *path; /* of the object; empty: the program's */
	uint64_t address; /* asked for; then in the object */
	bool found;
};

static int is_here(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct place *p = arg;
	(void)size;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		if (h->p_type != PT_LOAD || p->address - info->dlpi_addr - h->p_vaddr >= h->p_memsz)
			continue;
		p->path = info->dlpi_name ? info->dlpi_name : "";
		p->address -= info->dlpi_addr;
		p->found = true;
		return 1;
	}
	return 0;
}

struct file {
	const uint8_t *at;
	size_t bytes;
};

static const void *part(const struct file *f, uint64_t offset, uint64_t bytes)
{
	return offset <= f->bytes && bytes <= f->bytes - offset ? f->at + offset : NULL;
}

/* Among the table's symbols the one that covers the address, or the last one in front of it that has no size. */
static bool look_in(const struct file *f, const Elf64_Shdr *table, const Elf64_Shdr *names, uint64_t address, char *out,
                    size_t room)
{
	const Elf64_Sym *symbol = part(f, table->sh_offset, table->sh_size);
	const char *text = part(f, names->sh_offset, names->sh_size);
	if (!symbol || !text || !names->sh_size || text[names->sh_size - 1] || (uintptr_t)symbol % 8)
		return false;
	for (uint64_t i = 0; i < table->sh_size / sizeof *symbol; i++) {
		unsigned type = ELF64_ST_TYPE(symbol[i].st_info);
		if (symbol[i].st_shndx == SHN_UNDEF || (type != STT_FUNC && type != STT_OBJECT) ||
		    symbol[i].st_name >= names->sh_size ||
		    (address - symbol[i].st_value >= symbol[i].st_size && address != symbol[i].st_value))
			continue;
		snprintf(out, room, "%s", text + symbol[i].st_name);
		return true;
	}
	return false;
}

static bool look(const struct file *f, uint64_t address, char *out, size_t room)
{
	const Elf64_Ehdr *head = part(f, 0, sizeof *head);
	if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 || head->e_shoff % 8 ||
	    head->e_shentsize != sizeof(Elf64_Shdr))
		return false;
	const Elf64_Shdr *section = part(f, head->e_shoff, (uint64_t)head->e_shnum * sizeof *section);
	for (unsigned i = 0; section && i < head->e_shnum; i++)
		if ((section[i].sh_type == SHT_SYMTAB || section[i].sh_type == SHT_DYNSYM) &&
		    section[i].sh_link < head->e_shnum &&
		    look_in(f, &section[i], &section[section[i].sh_link], address, out, room))
			return true;
	return false;
}

static bool look_in_file(const char *path, uint64_t address, char *out, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	bool found = false;
	if (fd < 0)
		return false;
	if (fstat(fd, &st) == 0 && st.st_size > 0) {
		struct file f = {MAP_FAILED, (size_t)st.st_size};
		f.at = mmap(NULL, f.bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		found = f.at != MAP_FAILED && look(&f, address, out, room);
		if (f.at != MAP_FAILED)
			munmap((void *)(uintptr_t)f.at, f.bytes);
	}
	close(fd);
	return found;
}

/* C++ programs bring what undoes their names. */
static void demangle(char *name, size_t room)
{
	char *(*undo)(const char *, char *, size_t *, int *);
	void *at = strncmp(name, "_Z", 2) ? NULL : dlsym(RTLD_DEFAULT, "__cxa_demangle");
	int status = 0;
	if (!at)
		return;
	memcpy(&undo, &at, sizeof undo);
	char *plain = undo(name, NULL, NULL, &status);
	if (plain) {
		char *arguments = strchr(plain, '(');
		if (arguments && arguments != plain)
			*arguments = 0;
		snprintf(name, room, "%s", plain);
	}
	free(plain);
}

bool openmp_symbol(const void *address, char *out, size_t room)
{
	struct place p = {"", (uint64_t)(uintptr_t)address, false};
	dl_iterate_phdr(is_here, &p);
	if (!p.found) {
		snprintf(out, room, "%p", address);
		return false;
	}
	const char *slash = strrchr(p.path, '/');
	if (look_in_file(*p.path ? p.path : "/proc/self/exe", p.address, out, room)) {
		char *outlined = strstr(out, "._omp_");
		char number[24] = "";
		if (outlined) {
			unsigned long k = strtoul(outlined + strcspn(outlined, "0123456789"), NULL, 10);
			if (k)
				snprintf(number, sizeof number, "#%lu", k);
			*outlined = 0;
		}
		demangle(out, room);
		size_t n = strlen(out);
		snprintf(out + n, room - n, "%s", number);
		return true;
	}
	snprintf(out, room, "%s+0x%llx",
	         slash     ? slash + 1
	         : *p.path ? p.path
	                   : program_invocation_short_name,
	         (unsigned long long)p.address);
	return false;
}
