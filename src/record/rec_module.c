/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The loaded objects and their build ids: what turns an address into a function after the run. Written when the stream is
 * opened, whenever the dynamic linker's count of loaded objects has changed when somebody looks (the helper, each second), and
 * at the end; only objects that were not written before.
 *
 * They are collected without our lock, as the dynamic linker calls us under its own.
 */
#include "rec_priv.h"
#include "base/map.h"
#include <elf.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#define MODULES_MOST 4096u
#define BUILD_ID_MOST 64u

struct module {
	uint64_t from, to, hash;
	char path[512];
	uint8_t build_id[BUILD_ID_MOST];
	uint32_t build_id_bytes;
};

struct module_list {
	struct module *at;
	uint32_t n, room;
	uint64_t adds;
};

static void module_build_id(struct module *m, const char *at, size_t bytes, size_t align)
{
	while (bytes >= sizeof(ElfW(Nhdr))) {
		ElfW(Nhdr) note;
		memcpy(&note, at, sizeof note);
		size_t name = sizeof note, desc = name + ((note.n_namesz + align - 1) & ~(align - 1));
		size_t next = desc + ((note.n_descsz + align - 1) & ~(align - 1));
		if (next > bytes)
			return;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at + name, "GNU", 4) == 0 &&
		    note.n_descsz <= BUILD_ID_MOST) {
			memcpy(m->build_id, at + desc, note.n_descsz);
			m->build_id_bytes = note.n_descsz;
			return;
		}
		at += next;
		bytes -= next;
	}
}

static int module_collect(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct module_list *list = arg;
	if (size >= offsetof(struct dl_phdr_info, dlpi_subs))
		list->adds = info->dlpi_adds;
	if (list->n == list->room)
		return 1;
	struct module *m = &list->at[list->n];
	*m = (struct module){.from = UINT64_MAX};
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *h = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + h->p_vaddr;
		if (h->p_type == PT_LOAD) {
			m->from = from < m->from ? from : m->from;
			m->to = from + h->p_memsz > m->to ? from + h->p_memsz : m->to;
		} else if (h->p_type == PT_NOTE && !m->build_id_bytes) {
			module_build_id(m, (const char *)(uintptr_t)from, h->p_memsz, h->p_align == 8 ? 8 : 4);
		}
	}
	if (m->from >= m->to)
		return 0;
	if (info->dlpi_name && *info->dlpi_name) {
		strncpy(m->path, info->dlpi_name, sizeof m->path - 1);
	} else {
		ssize_t n = readlink("/proc/self/exe", m->path, sizeof m->path - 1);
		m->path[n > 0 ? n : 0] = 0;
	}
	m->hash = weft_hash(m->path, strlen(m->path)) ^ m->from * 0x9e3779b97f4a7c15u;
	list->n++;
	return 0;
}

static int module_count(struct dl_phdr_info *info, size_t size, void *arg)
{
	uint64_t *adds = arg;
	*adds = size >= offsetof(struct dl_phdr_info, dlpi_subs) ? info->dlpi_adds : *adds + 1;
	return size >= offsetof(struct dl_phdr_info, dlpi_subs);
}

static bool module_is_new(struct rec_stream *s, uint64_t hash)
{
	for (uint32_t i = 0; i < s->known_modules; i++)
		if (s->module_seen[i] == hash)
			return false;
	if (s->known_modules == MODULES_MOST)
		return false;
	s->module_seen[s->known_modules++] = hash;
	return true;
}

static void module_write(struct rec_stream *s, const struct module *m)
{
	uint64_t word[3] = {m->from, m->to, 0};
	rec_meta_put(s, WEFT_EV_MODULE, 0, 3, word, weft_str(m->path));
	if (m->build_id_bytes)
		rec_meta_put(s, WEFT_EV_BUILD_ID, 0, 1, word, weft_str_n((const char *)m->build_id, m->build_id_bytes));
}

/* Whether there are any that were not there before; list->at is mapped then. */
static bool modules_collect(const struct rec_stream *s, struct module_list *list)
{
	uint64_t adds = 0;
	dl_iterate_phdr(module_count, &adds);
	if (adds == s->modules_adds)
		return false;
	/* Objects may be loaded meanwhile: they change the count again. */
	list->room = adds < MODULES_MOST / 2 ? (uint32_t)adds * 2 + 16 : MODULES_MOST;
	list->at = rec_mmap(list->room * sizeof *list->at);
	if (list->at)
		dl_iterate_phdr(module_collect, list);
	return list->at;
}

static void modules_write(struct rec_stream *s, const struct module_list *list)
{
	if (!rec_lock())
		return;
	if (!s->module_seen)
		s->module_seen = rec_mmap(MODULES_MOST * sizeof *s->module_seen);
	for (uint32_t i = 0; s->module_seen && i < list->n; i++)
		if (module_is_new(s, list->at[i].hash))
			module_write(s, &list->at[i]);
	s->modules_adds = list->adds;
	rec_unlock();
}

void rec_modules_update(struct rec_stream *s)
{
	struct module_list list = {.room = 0};
	sigset_t all, old;
	bool any = false;
	/* No handler may fork while we have the lock of the dynamic linker, nor anybody else. */
	sigfillset(&all);
	sigdelset(&all, SIGTRAP); /* as in rec_helper.c */
	pthread_sigmask(SIG_SETMASK, &all, &old);
	if (rec_foreign_begin(true)) {
		any = modules_collect(s, &list);
		rec_foreign_end();
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (any)
		modules_write(s, &list);
	rec_munmap(list.at, list.room * sizeof *list.at);
}
