/* SPDX-License-Identifier: Apache-2.0 */
/* The begin of libweft-calls: definitions, whose calls are not the program's, children of fork(). */
#include "calls_priv.h"
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <time.h>

struct calls_defined calls_def;
const struct link_libc *calls_link;
bool calls_each_lock, calls_each_stdio, calls_has_callers;
__thread struct calls_self calls_self __attribute__((tls_model("initial-exec"), visibility("hidden")));
struct calls_range calls_program;
static struct weft_atomic_u64 forked_ms;

/* ---- definitions ---- */

enum {
	STATE_THREADS = WEFT_STATE_WAITING,
	STATE_IO = WEFT_STATE_IO,
	STATE_STDIO = WEFT_STATE_IO,
	STATE_MEMORY = WEFT_STATE_MEMORY,
	STATE_PROCESS = WEFT_STATE_SCHEDULING,
};
static const struct {
	const char *name;
	uint32_t part;
	enum weft_state_class state;
} call[LINK_LIBC_CALLS] = {
#define LIBC_CALL(name, n, part, kind) {#name, LINK_LIBC_##part, (enum weft_state_class)STATE_##part},
#include "link/link_libc_calls.def"
#undef LIBC_CALL
};

/* Calls of stdio are of the category io: what is asked for by `stdio` is each of them. */
static uint32_t asked_parts(void)
{
	uint32_t p = calls_link->parts;
	if (p & LINK_LIBC_STDIO)
		p |= LINK_LIBC_IO;
	if (p & LINK_LIBC_IO)
		p |= LINK_LIBC_STDIO;
	return p & LINK_LIBC_LOCKS ? p | LINK_LIBC_THREADS : p;
}

void calls_put(void **slot, unsigned id, void *wrapper)
{
	if (asked_parts() & call[id].part && calls_link->calls.real[id])
		__atomic_store_n(&slot[id], wrapper, __ATOMIC_RELEASE);
}

static enum weft_state_class state_of(unsigned id)
{
	static const uint16_t waits[] = {
		LINK_LIBC_poll,    LINK_LIBC___poll_chk, LINK_LIBC_ppoll,       LINK_LIBC___ppoll_chk, LINK_LIBC_select,
		LINK_LIBC_pselect, LINK_LIBC_epoll_wait, LINK_LIBC_epoll_pwait, LINK_LIBC_wait,        LINK_LIBC_waitpid,
		LINK_LIBC_wait3,   LINK_LIBC_wait4,      LINK_LIBC_waitid,      LINK_LIBC_pclose,      LINK_LIBC_system,
	};
	for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
		if (waits[i] == id)
			return WEFT_STATE_WAITING;
	return call[id].state;
}

static void define_regions(uint32_t part, weft_category category)
{
	for (unsigned i = 0; i < LINK_LIBC_CALLS; i++)
		if (call[i].part == part && calls_link->calls.real[i])
			calls_def.region[i] = weft_define_region(call[i].name, state_of(i), category);
}

static void define_threads(weft_category in)
{
	struct calls_defined *d = &calls_def;
	d->create = weft_define_region("pthread_create", WEFT_STATE_SCHEDULING, in);
	d->lock = weft_define_attr("lock", "address", in);
	d->holder = weft_define_attr("holder", "thread", in);
	d->condition = weft_define_attr("waits on", "address", in);
	d->lock_taken = weft_define_type("lock taken", "address", in);
	d->lock_released = weft_define_type("lock released", "address", in);
	d->lock_entries = weft_define_type("lock entries", "", in);
	d->started = weft_define_own_flow("thread started", in);
	d->ended = weft_define_own_flow("thread ended", in);
	d->woken = weft_define_own_flow("woken", in);
	d->passed = weft_define_own_flow("lock passed on", in);
	d->opened = weft_define_own_flow("barrier opened", in);
}

static void define_io(weft_category in)
{
	struct calls_defined *d = &calls_def;
	d->fd = weft_define_attr("descriptor", "", in);
	d->file = weft_define_attr("file", "", in);
	d->bytes = weft_define_attr("bytes", "bytes", in);
	d->result = weft_define_attr("result", "", in);
	d->error = weft_define_attr("error", "errno", in);
	d->short_calls = weft_define_attr("short calls before", "", in);
}

static void define_process(weft_category in)
{
	struct calls_defined *d = &calls_def;
	d->pid = weft_define_attr("pid", "", in);
	d->command = weft_define_attr("command", "", in);
}

static void all_off(void)
{
	weft_def *at = (weft_def *)&calls_def;
	for (size_t i = 0; i < sizeof calls_def / sizeof *at; i++)
		at[i] = WEFT_OFF;
}

static void define_all(void)
{
	const struct {
		const char *name;
		uint32_t part;
		void (*more)(weft_category);
	} categories[] = {
		{"threads", LINK_LIBC_THREADS, define_threads},
		{"io", LINK_LIBC_IO, define_io},
		{"memory", LINK_LIBC_MEMORY, calls_memory_define},
		{"process", LINK_LIBC_PROCESS, define_process},
	};
	all_off();
	for (unsigned i = 0; i < sizeof categories / sizeof *categories; i++) {
		if (!(asked_parts() & categories[i].part))
			continue;
		weft_category in = weft_define_category(categories[i].name, 1);
		define_regions(categories[i].part, in);
		if (categories[i].part == LINK_LIBC_IO)
			define_regions(LINK_LIBC_STDIO, in);
		categories[i].more(in);
	}
}

/* ---- whose calls ---- */

/*
 * By pages of text, kept in a table of words, 52 bits of page and the answer; the page's module is asked for without a lock. Where a
 * library took the place of another, the answer may be the other's.
 */
enum { PAGES = 1024, PAGE_SHIFT = 12 };
static struct weft_atomic_u64 pages[PAGES];

bool calls_is_runtime(const void *caller)
{
	struct dl_find_object at;
	uint64_t page = (uintptr_t)caller >> PAGE_SHIFT;
	struct weft_atomic_u64 *known = &pages[page % PAGES];
	uint64_t word = weft_load_relaxed_u64(known); /* it stands for itself */
	if (CALLS_LIKELY(word >> 1 == page))
		return word & 1;
	bool is = _dl_find_object((void *)(uintptr_t)caller, &at) == 0 && link_libc_runtime(at.dlfo_link_map->l_name);
	weft_store_relaxed_u64(known, page << 1 | is);
	return is;
}

static int note_program(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size, (void)arg;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			calls_program = (struct calls_range){info->dlpi_addr + p->p_vaddr, p->p_memsz};
	}
	return 1; /* the first is the program */
}

static uint64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

bool calls_still_quiet(void)
{
	if (calls_self.quiet & (CALLS_VFORKED | CALLS_OURS))
		return true;
	if (now_ms() - weft_load_u64(&forked_ms) < LINK_LIBC_YOUNG_MS)
		return true;
	calls_self.quiet = 0;
	calls_file_forget(); /* what it opened and closed meanwhile is not known */
	return false;
}

/* A shell's children live until their exec, a moment later: like other young processes they have no stream. */
static void in_child(void)
{
	calls_self = (struct calls_self){0};
	if (!calls_link->early)
		calls_self.quiet = CALLS_YOUNG;
	weft_store_u64(&forked_ms, now_ms());
	calls_wake_forked();
	calls_lock_forked();
	calls_thread_forked();
}

/* ---- regions that a longjmp() out of a signal handler has jumped over ---- */

void calls_drop_stale(void)
{
	stack_t at = {0};
	if (sigaltstack(NULL, &at) || at.ss_flags & SS_ONSTACK)
		return; /* another stack: places on it say nothing */
	weft_leave(calls_self.open_region);
	calls_self.open = 0;
	calls_self.open_region = NULL;
}

/* ---- who called ---- */

void calls_tell_callers(uint64_t began)
{
	int error = errno;
	(void)weft_callers_anywhere((const void *)calls_wrap_all, began);
	errno = error;
}

/* ---- locks ---- */

bool calls_lock(struct weft_atomic_u32 *lock)
{
	enum { SPINS = 200, YIELDS = 20000 };
	if (calls_self.holding)
		return false;
	calls_self.holding = 1;
	for (unsigned i = 0; i < SPINS + YIELDS; i++) {
		uint32_t none = 0;
		if (weft_load_relaxed_u32(lock) == 0 && weft_cas_u32(lock, &none, 1))
			return true;
		if (i >= SPINS)
			sched_yield();
	}
	calls_self.holding = 0;
	return false;
}

void calls_unlock(struct weft_atomic_u32 *lock)
{
	weft_store_u32(lock, 0);
	calls_self.holding = 0;
}

/* ---- begin and end ---- */

__attribute__((visibility("default"))) link_calls_begin weft_calls_begin;

int weft_calls_begin(const struct link_calls *with)
{
	static struct link_libc kept;
	if (with->version != LINK_CALLS_VERSION || with->n_calls != LINK_LIBC_CALLS)
		return -EPROTO;
	kept = *(const struct link_libc *)(const void *)with;
	calls_link = &kept;
	calls_each_lock = kept.parts & LINK_LIBC_LOCKS;
	calls_each_stdio = kept.parts & LINK_LIBC_STDIO;
	calls_has_callers = weft_callers_anywhere(NULL, 0);
	define_all();
	if (!weft_trace())
		return -ENOENT;
	dl_iterate_phdr(note_program, NULL);
	int rc = asked_parts() & LINK_LIBC_THREADS ? calls_thread_begin() : 0;
	if (rc || (rc = -pthread_atfork(NULL, NULL, in_child)))
		return rc;
	calls_process_put(with->slot);
	calls_wrap_all(with->slot);
	calls_print_put(with->slot);
	calls_char_put(with->slot);
	calls_exec_put(with->slot);
	calls_memory_put(with->slot);
	calls_lock_put(with->slot);
	calls_wait_put(with->slot);
	calls_thread_put(with->slot);
	return 0;
}

__attribute__((destructor)) static void calls_end(void)
{
	if (calls_link)
		calls_lock_told();
}
