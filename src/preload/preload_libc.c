/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Functions of the C library. Every process calls them, before any constructor, in signal handlers, in children of vfork(): so they are
 * found without a lock or dlsym(), by a walk over the symbol tables of the libraries behind us, and libweft-calls is loaded only
 * where that is safe: in our constructor, in pthread_create, or at a call of a process that is old enough to be worth it.
 *
 *     NEVER    not asked for, or it cannot be: slots lead to the C library
 *     WATCH    slots of files stay empty, so that each call comes here and looks at the process's age
 *     LOADED   libweft-calls has put its functions into the slots that are asked for
 */
#include "preload_libc.h"
#include "link/link_libc.h"
#include "preload_calls.h"
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Their names lie one behind the other, since pointers to them would be set in each process. */
static const struct libc_names {
#define LIBC_CALL(name, n, part, kind) char of_##name[sizeof #name];
#include "link/link_libc_calls.def"
#undef LIBC_CALL
} libc_names = {
#define LIBC_CALL(name, n, part, kind) #name,
#include "link/link_libc_calls.def"
#undef LIBC_CALL
};
static const uint16_t libc_name_at[LINK_LIBC_CALLS] = {
#define LIBC_CALL(name, n, part, kind) offsetof(struct libc_names, of_##name),
#include "link/link_libc_calls.def"
#undef LIBC_CALL
};
static const uint8_t libc_part[LINK_LIBC_CALLS] = {
#define LIBC_CALL(name, n, part, kind) LINK_LIBC_##part,
#include "link/link_libc_calls.def"
#undef LIBC_CALL
};

PRELOAD_ARRAYS(libc, LINK_LIBC_CALLS)
PRELOAD_BEGIN(libc)
#define LIBC_CALL(name, n, part, kind) PRELOAD_STUB(libc, name)
#include "link/link_libc_calls.def"
#undef LIBC_CALL

static const char *libc_name(unsigned call)
{
	return (const char *)&libc_names + libc_name_at[call];
}

enum { NEVER, WATCH, LOADING, LOADED };
static struct {
	int state;
	uint32_t parts, early;
	pid_t pid;
	int64_t since_ms, look_ms; /* the process began; its age is looked at next */
	const char *stack_top;     /* of the first thread */
} libc;

/* ---- names behind us ---- */

static uint32_t gnu_hash(const char *name)
{
	uint32_t h = 5381;
	for (; *name; name++)
		h = h * 33 + (unsigned char)*name;
	return h;
}

struct tables {
	const uint32_t *hash;
	const ElfW(Sym) * symbol;
	const char *string;
	const uint16_t *version;
};

/* The dynamic linker has made addresses of them, but not in what is read-only (the kernel's own library). */
static const void *table_at(const struct link_map *l, const ElfW(Dyn) * d)
{
	return (const void *)(d->d_un.d_ptr < l->l_addr ? d->d_un.d_ptr + l->l_addr : d->d_un.d_ptr);
}

static struct tables tables_of(const struct link_map *l)
{
	struct tables t = {NULL, NULL, NULL, NULL};
	for (const ElfW(Dyn) *d = l->l_ld; d && d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_GNU_HASH)
			t.hash = table_at(l, d);
		else if (d->d_tag == DT_SYMTAB)
			t.symbol = table_at(l, d);
		else if (d->d_tag == DT_STRTAB)
			t.string = table_at(l, d);
		else if (d->d_tag == DT_VERSYM)
			t.version = table_at(l, d);
	}
	return t;
}

/* The default version: condition variables have an older one, which takes them for something else. */
static bool is_it(const struct tables *t, uint32_t i, const char *name)
{
	const ElfW(Sym) *s = &t->symbol[i];
	unsigned type = ELF64_ST_TYPE(s->st_info);
	return s->st_shndx != SHN_UNDEF && (type == STT_FUNC || type == STT_GNU_IFUNC) &&
	       !(t->version && t->version[i] & 0x8000) && strcmp(t->string + s->st_name, name) == 0;
}

static void *find_in(const struct link_map *l, const char *name, uint32_t h)
{
	struct tables t = tables_of(l);
	if (!t.hash || !t.symbol || !t.string)
		return NULL;
	uint32_t n_buckets = t.hash[0], first = t.hash[1], n_bloom = t.hash[2], shift = t.hash[3];
	const uint64_t *bloom = (const uint64_t *)(t.hash + 4);
	const uint32_t *bucket = (const uint32_t *)(bloom + n_bloom), *chain = bucket + n_buckets;
	uint64_t word = bloom[h / 64 % n_bloom];
	if (!(word >> h % 64 & word >> (h >> shift) % 64 & 1) || !n_buckets)
		return NULL;
	for (uint32_t i = bucket[h % n_buckets]; i >= first; i++) {
		if ((chain[i - first] | 1) == (h | 1) && is_it(&t, i, name)) {
			void *at = (void *)(l->l_addr + t.symbol[i].st_value);
			return ELF64_ST_TYPE(t.symbol[i].st_info) == STT_GNU_IFUNC ? ((void *(*)(void))at)() : at;
		}
		if (chain[i - first] & 1)
			break;
	}
	return NULL;
}

static void *find_from(const struct link_map *l, const char *name)
{
	uint32_t h = gnu_hash(name);
	void *at = NULL;
	for (; l && !at; l = l->l_next)
		at = find_in(l, name, h);
	return at;
}

void *preload_libc_next(const char *name)
{
	const struct link_map *l = _r_debug.r_map;
	while (l && l->l_ld != _DYNAMIC)
		l = l->l_next;
	return find_from(l ? l->l_next : NULL, name);
}

void *preload_libc_has(const char *name)
{
	return find_from(_r_debug.r_map, name);
}

bool preload_program_has(const char *name)
{
	const struct link_map *program = _r_debug.r_map;
	return program && find_in(program, name, gnu_hash(name));
}

/* ---- whether it may be loaded here ---- */

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* What the kernel calls a signal's action. */
struct action {
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

/* Where the signal handlers that there are return to: one place, the C library's, unless somebody is very much his own. */
static unsigned restorers(uintptr_t *out, unsigned room)
{
	unsigned n = 0;
	for (int signal = 1; signal <= 64; signal++) {
		struct action a = {0};
		if (syscall(SYS_rt_sigaction, signal, NULL, &a, sizeof a.mask) || a.handler <= 1)
			continue;
		unsigned i = 0;
		while (i < n && out[i] != a.restorer)
			i++;
		if (i == n && n < room)
			out[n++] = a.restorer;
		else if (i == n)
			return room + 1;
	}
	return n;
}

/*
 * A handler may have interrupted anything, malloc too, and dlopen() needs that. Its frame has the restorer's address as return address;
 * other stacks than the first thread's are not looked at.
 */
static bool in_handler(void)
{
	enum { RESTORERS = 4, STACK_MOST = 4 << 20 };
	uintptr_t restorer[RESTORERS];
	const char *here = __builtin_frame_address(0);
	unsigned n = restorers(restorer, RESTORERS);
	if (n > RESTORERS || here > libc.stack_top || libc.stack_top - here > STACK_MOST)
		return true;
	for (const uintptr_t *at = (const uintptr_t *)here; n && (const char *)at < libc.stack_top; at++)
		for (unsigned i = 0; i < n; i++)
			if (*at == restorer[i])
				return true;
	return false;
}

static struct preload_runtime runtime;

/* Behind us, but for what goes through preload_signal.c. */
static void *real_of(unsigned call)
{
	static const struct {
		unsigned call;
		void *to;
	} ours[] = {{LINK_LIBC_sigwait, (void *)preload_sigwait},
	            {LINK_LIBC_sigwaitinfo, (void *)preload_sigwaitinfo},
	            {LINK_LIBC_sigtimedwait, (void *)preload_sigtimedwait}};
	for (unsigned i = 0; i < sizeof ours / sizeof *ours; i++)
		if (ours[i].call == call)
			return ours[i].to;
	return preload_libc_next(libc_name(call));
}

static void load(int from)
{
	if (!__atomic_compare_exchange_n(&libc.state, &from, LOADING, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return;
	for (unsigned i = 0; i < LINK_LIBC_CALLS; i++)
		libc_real[i] = real_of(i);
	const struct link_libc with = {{LINK_CALLS_VERSION, LINK_LIBC_CALLS, weft_preload_libc_slot, libc_real, preload_libc_next,
	                                preload_on_thread},
	                               libc.parts,
	                               libc.early};
	__atomic_store_n(&libc.state, preload_load(&runtime, &with.calls) ? NEVER : LOADED, __ATOMIC_RELEASE);
}

/* MPI's launcher, say, is not worth it for what its libraries do. Not in a signal handler. */
static bool is_runtime(const void *caller)
{
	Dl_info from;
	return dladdr(caller, &from) && from.dli_fname && link_libc_runtime(from.dli_fname);
}

static bool is_worth_it(int64_t age_ms)
{
	struct timespec t;
	if (age_ms >= LINK_LIBC_OLD_MS)
		return true;
	return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) == 0 && t.tv_sec * 1000 + t.tv_nsec / 1000000 >= LINK_LIBC_CPU_MS;
}

static void look_at_age(const void *caller)
{
	enum { TRY_AGAIN_MS = 20 };
	int64_t now = now_ms();
	if (now < libc.look_ms || libc.pid != (pid_t)syscall(SYS_getpid))
		return;
	libc.look_ms = now + TRY_AGAIN_MS;
	if (is_worth_it(now - libc.since_ms) && (pid_t)syscall(SYS_gettid) == libc.pid && !in_handler() && !is_runtime(caller))
		load(WATCH);
}

PRELOAD_HIDDEN void *weft_preload_libc_resolve(unsigned call, const void *caller);
void *weft_preload_libc_resolve(unsigned call, const void *caller)
{
	int error = errno;
	if (!libc_real[call])
		__atomic_store_n(&libc_real[call], real_of(call), __ATOMIC_RELAXED);
	if (!libc_real[call]) {
		dprintf(STDERR_FILENO, "weft: symbol lookup error: undefined symbol: %s\n", libc_name(call));
		_exit(127);
	}
	if (__atomic_load_n(&libc.state, __ATOMIC_ACQUIRE) == WATCH && libc_part[call] & (LINK_LIBC_IO | LINK_LIBC_STDIO)) {
		look_at_age(caller);
	} else if (__atomic_load_n(&libc.state, __ATOMIC_ACQUIRE) != LOADING) {
		void *none = NULL;
		__atomic_compare_exchange_n(&weft_preload_libc_slot[call], &none, libc_real[call], false, __ATOMIC_ACQ_REL,
		                            __ATOMIC_ACQUIRE);
	}
	errno = error;
	void *to = __atomic_load_n(&weft_preload_libc_slot[call], __ATOMIC_ACQUIRE);
	return to ? to : libc_real[call];
}

void preload_libc_thread(const void *caller)
{
	if (__atomic_load_n(&libc.state, __ATOMIC_RELAXED) == WATCH && libc.pid == (pid_t)syscall(SYS_getpid) &&
	    !is_runtime(caller))
		load(WATCH);
}

/* ---- the begin ---- */

static const struct {
	const char *name;
	uint32_t part;
	bool on;
} parts[] = {
	{"threads", LINK_LIBC_THREADS, true}, {"locks", LINK_LIBC_LOCKS, false},   {"io", LINK_LIBC_IO, true},
	{"stdio", LINK_LIBC_STDIO, false},    {"memory", LINK_LIBC_MEMORY, false}, {"process", LINK_LIBC_PROCESS, false},
};

static bool asked(const char *name, bool on)
{
	const char *const names[] = {name, NULL};
	return preload_asked(names, on);
}

static void libc_in_child(void)
{
	libc.pid = (pid_t)syscall(SYS_getpid);
	libc.since_ms = now_ms();
	libc.look_ms = libc.since_ms + LINK_LIBC_YOUNG_MS;
}

/* Their own functions of the same names count calls and locks, too, and look at who called. */
bool preload_is_sanitized(void)
{
	return preload_libc_has("__tsan_init") || preload_libc_has("__asan_init") || preload_libc_has("__msan_init");
}

/* They start the program that is meant, and make threads for their own sake (by plugins that look at the machine). */
static bool is_launcher(void)
{
	static const char *const launchers[] = {"mpirun", "mpiexec", "orte", "prte", "hydra_", "srun", "slurmstepd"};
	for (unsigned i = 0; i < sizeof launchers / sizeof *launchers; i++)
		if (strncmp(program_invocation_short_name, launchers[i], strlen(launchers[i])) == 0)
			return true;
	return false;
}

__attribute__((constructor)) static void libc_begin(int argc, char **argv)
{
	const char *dir = secure_getenv("WEFT_DIR");
	(void)argc;
	if (!dir || !*dir)
		return;
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++)
		if (asked(parts[i].name, parts[i].on))
			libc.parts |= parts[i].part;
	libc.early = asked("early", false) || libc.parts & (LINK_LIBC_MEMORY | LINK_LIBC_PROCESS);
	if (!libc.parts || preload_is_sanitized() || (!libc.early && is_launcher()) || pthread_atfork(NULL, NULL, libc_in_child))
		return;
	libc.stack_top = (const char *)argv;
	libc_in_child();
	__atomic_store_n(&libc.state, WATCH, __ATOMIC_RELEASE);
	if (libc.early)
		load(WATCH);
}

static struct preload_runtime runtime = {
	.library = LINK_LIBC_LIBRARY,
	.begin = LINK_LIBC_BEGIN,
};
