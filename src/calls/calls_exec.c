/* SPDX-License-Identifier: Apache-2.0 */
/*
 * execl() and its like: their arguments become an array, and they go on as what takes one, which is what the C library does. Children of vfork()
 * call them, too, with the parent's memory: so more arguments than there is room for are mapped, not allocated.
 */
#include "calls_wrap.h"
#include <stdarg.h>
#include <sys/mman.h>

enum { ARGUMENTS = 256 };
struct list {
	char **argument, **environment, *room[ARGUMENTS];
	size_t mapped;
};

/* Up to the NULL, behind which the environment stands, if there is one. */
static bool list_make(struct list *l, const char *first, va_list given, bool has_environment)
{
	va_list twice;
	size_t n = first != NULL;
	va_copy(twice, given);
	while (n && va_arg(twice, char *))
		n++;
	va_end(twice);
	l->mapped = n + 1 > ARGUMENTS ? (n + 1) * sizeof *l->argument : 0;
	l->argument = l->room;
	if (l->mapped)
		l->argument = mmap(NULL, l->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (l->argument == MAP_FAILED)
		return false;
	l->argument[0] = (char *)first;
	for (size_t i = 1; i <= n; i++)
		l->argument[i] = va_arg(given, char *);
	l->environment = has_environment ? va_arg(given, char **) : NULL;
	return true;
}

static int go(unsigned id, const char *command, const struct list *l)
{
	typedef int exec_plain(const char *, char *const *);
	typedef int exec_with(const char *, char *const *, char *const *);
	void *const *real = calls_link->calls.real;
	if (id == LINK_LIBC_execle)
		return ((exec_with *)real[LINK_LIBC_execve])(command, l->argument, l->environment);
	return ((exec_plain *)real[id == LINK_LIBC_execl ? LINK_LIBC_execv : LINK_LIBC_execvp])(command, l->argument);
}

/* Comes back only where it has failed. */
#define EXEC(name) \
	static int wrap_##name(const char *command, const char *first, ...) \
	{ \
		struct list l; \
		va_list given; \
		bool passes = calls_passes(CALLS_CALLER); \
		va_start(given, first); \
		bool made = list_make(&l, first, given, LINK_LIBC_##name == LINK_LIBC_execle); \
		va_end(given); \
		if (!made) \
			return -1; \
		CALLS_OPEN(o) = {0, NULL, NULL}; \
		if (!passes) \
			calls_enter_command(&o, LINK_LIBC_##name, (calls_word)command); \
		int rc = go(LINK_LIBC_##name, command, &l), error = errno; \
		if (!passes) \
			calls_leave_bare(&o); \
		if (l.mapped) \
			munmap(l.argument, l.mapped); \
		errno = error; \
		return rc; \
	}
EXEC(execl)
EXEC(execle)
EXEC(execlp)

void calls_exec_put(void **slot)
{
	calls_put(slot, LINK_LIBC_execl, (void *)wrap_execl);
	calls_put(slot, LINK_LIBC_execle, (void *)wrap_execle);
	calls_put(slot, LINK_LIBC_execlp, (void *)wrap_execlp);
}
