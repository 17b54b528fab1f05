/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The resolver of all runtimes. A runtime's library may have been loaded by dlopen() with names of its own (Python's mpi4py): what is
 * not behind us in the global order is looked for in the libraries that are mapped.
 */
#include "preload_calls.h"
#include "preload_libc.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct mapped {
	const char *const *files;
	const char *path;
};

static int is_runtime(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct mapped *m = arg;
	const char *slash = strrchr(info->dlpi_name, '/'), *name = slash ? slash + 1 : info->dlpi_name;
	(void)size;
	for (const char *const *f = m->files; *f && !m->path; f++)
		if (strncmp(name, *f, strlen(*f)) == 0)
			m->path = info->dlpi_name;
	return m->path != NULL;
}

void *preload_find(const char *const *files, const char *name)
{
	struct mapped m = {files, NULL};
	void *at = dlsym(RTLD_NEXT, name), *library;
	if (at || !files || !dl_iterate_phdr(is_runtime, &m) || !(library = dlopen(m.path, RTLD_NOW | RTLD_NOLOAD)))
		return at;
	at = dlsym(library, name);
	dlclose(library);
	return at;
}

/* Without functions of the C library, which the program's user may have asked to watch: those are calls of ours. */
static bool lists(const char *list, const char *name)
{
	while (*list) {
		const char *n = name;
		while (*n && *list == *n) {
			list++;
			n++;
		}
		if (!*n && (*list == ',' || !*list))
			return true;
		while (*list && *list != ',')
			list++;
		list += *list == ',';
	}
	return false;
}

/* Under valgrind: what it would say of us is not what its user wants to know, and signals come to it only now and then. */
static bool under_valgrind(void)
{
	static int known; /* 1 more than the answer */
	if (!known)
		known = 1 + (preload_libc_has("_vgnU_freeres") != NULL);
	return known == 2;
}

bool preload_asked(const char *const *names, bool on)
{
	const char *list = secure_getenv("WEFT_RECORD");
	if (under_valgrind())
		return false;
	if (!list)
		return on;
	for (; *names; names++)
		if (lists(list, *names))
			return true;
	return false;
}

/* It lies beside this one, which may have been loaded by a link. */
void *preload_symbol(const char *file, const char *function)
{
	Dl_info me;
	char real[PATH_MAX], path[PATH_MAX];
	if (!dladdr((void *)preload_symbol, &me) || !realpath(me.dli_fname, real))
		return NULL;
	int folder = (int)(strrchr(real, '/') - real);
	if (snprintf(path, sizeof path, "%.*s/%s", folder, real, file) >= (int)sizeof path)
		return NULL;
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	return library ? dlsym(library, function) : NULL;
}

int preload_load(const struct preload_runtime *r, const struct link_calls *with)
{
	void *begin = preload_symbol(r->library, r->begin);
	return begin ? ((link_calls_begin *)begin)(with) : -ENOENT;
}

void preload_fill(struct preload_runtime *r)
{
	int error = errno;
	const char *dir = secure_getenv("WEFT_DIR");
	const struct link_calls with = {LINK_CALLS_VERSION, r->n_calls, r->slot, r->real, r->find, preload_on_thread};
	const char *call = r->call;
	for (unsigned i = 0; i < r->n_calls; i++, call += strlen(call) + 1)
		r->real[i] = r->find(call);
	if (dir && *dir && preload_asked(r->names, r->on))
		if (preload_load(r, &with) == 0)
			preload_sample_now();
	for (unsigned i = 0; i < r->n_calls; i++)
		if (!r->slot[i])
			__atomic_store_n(&r->slot[i], r->real[i], __ATOMIC_RELEASE);
	errno = error;
}

void *preload_resolve(struct preload_runtime *r, unsigned call)
{
	pthread_once(&r->once, r->fill);
	void *to = __atomic_load_n(&r->slot[call], __ATOMIC_ACQUIRE);
	if (to)
		return to;
	const char *name = r->call;
	while (call--)
		name += strlen(name) + 1;
	dprintf(STDERR_FILENO, "weft: symbol lookup error: undefined symbol: %s\n", name);
	_exit(127);
}
