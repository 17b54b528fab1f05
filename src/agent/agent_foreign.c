/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of stacks that are no thread's own: coroutines', and those of handlers (sigaltstack).
 * Where such a stack begins and ends nobody says, what runs on it goes on in any order, and in any
 * thread. So a frame belongs to its slot and to nothing else: a table of all threads, by slot.
 * Frames of one slot are a chain of tail calls, the innermost first; others of a list have nothing
 * to do with each other.
 *
 * Locks are of groups of lists, with the number of the thread that holds them. A handler that comes
 * while its thread holds one gets nothing: its entry has no exit, and is counted; a function that
 * must know where to return to looks without. Lists can be walked at any instant: each change is
 * one store of a pointer.
 *
 * A frame of a coroutine that is never carried on stays until its slot is used again, or memory is
 * short: then those whose slots hold something else are taken for gone.
 */
#if defined __GNUC__ && !defined __clang__
#pragma GCC target("general-regs-only")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#include "agent_priv.h"
#include <sys/mman.h>
#include <sys/syscall.h>

enum { GROUPS = 64, LISTS = 256 /* of a group */, CHUNK = 448 /* frames: 78 KB */, PATIENCE = 100000, NEAR = 8 << 20 };

struct chunk {
	struct chunk *next;
	struct agent_foreign at[CHUNK];
};

static struct group {
	_Alignas(WEFT_CACHE_LINE) struct weft_atomic_u32 holder;
	struct agent_foreign *free;
	struct chunk *chunks;
	struct agent_foreign *volatile list[LISTS];
} groups[GROUPS];

static uint64_t hash(uint64_t slot)
{
	return (slot >> 3) * 0x9e3779b97f4a7c15ull >> 50;
}

static struct group *group_of(uint64_t slot)
{
	return &groups[hash(slot) % GROUPS];
}

static struct agent_foreign *volatile *list_of(uint64_t slot)
{
	return &group_of(slot)->list[hash(slot) / GROUPS];
}

static bool lock(struct group *g, uint32_t tid)
{
	for (unsigned k = 0; k < PATIENCE; k++) {
		uint32_t holder = 0;
		if (weft_cas_u32(&g->holder, &holder, tid))
			return true;
		if (holder == tid)
			return false;
		agent_syscall(SYS_sched_yield, (long[6]){0});
	}
	return false;
}

static void unlock(struct group *g)
{
	weft_store_u32(&g->holder, 0);
}

static uint32_t my_tid(void)
{
	const struct agent_thread *t = agent_self;
	return t ? t->tid : (uint32_t)agent_syscall(SYS_gettid, (long[6]){0});
}

/*
 * The link that leads to the innermost frame of a slot; what it leads to is NULL where there is
 * none.
 */
static struct agent_foreign *volatile *find(uint64_t slot)
{
	struct agent_foreign *volatile *link = list_of(slot);
	while (*link && (*link)->kept.frame.slot != slot)
		link = (struct agent_foreign *volatile *)&(*link)->next;
	return link;
}

static void unlink_free(struct group *g, struct agent_foreign *volatile *link)
{
	struct agent_foreign *f = *link;
	*link = f->next;
	f->kept.frame.slot = 0;
	f->next = g->free;
	g->free = f;
}

/* Innermost and outermost frame of a slot's chain; false: there is none. */
static bool chain_of(uint64_t slot, struct agent_foreign **inner, struct agent_foreign **outer)
{
	*inner = *outer = *find(slot);
	for (struct agent_foreign *f = *inner; f; f = f->next)
		if (f->kept.frame.slot == slot)
			*outer = f;
	return *inner;
}

/* Its slot holds what it does while the chain is alive. */
static bool is_alive(uint64_t slot)
{
	struct agent_foreign *inner, *outer;
	return chain_of(slot, &inner, &outer) &&
	       agent_word_is(slot, inner->bare ? outer->kept.frame.original : inner->kept.frame.stub);
}

/* Frees what is gone: how many. */
static unsigned sweep(struct group *g)
{
	unsigned n = 0;
	for (unsigned k = 0; k < LISTS; k++)
		for (struct agent_foreign *volatile *link = &g->list[k]; *link;) {
			bool gone = !is_alive((*link)->kept.frame.slot);
			if (gone)
				unlink_free(g, link);
			else
				link = (struct agent_foreign *volatile *)&(*link)->next;
			n += gone;
		}
	return n;
}

/* A free one, or NULL. `gone`: how many were found to be. */
static struct agent_foreign *take_free(struct group *g, unsigned *gone)
{
	if (!g->free && g->chunks)
		*gone = sweep(g);
	/* Where a sweep finds little, the next one is far off. */
	if (!g->free || (*gone && *gone < CHUNK / 4)) {
		long at = agent_syscall(SYS_mmap, (long[6]){0, sizeof(struct chunk), PROT_READ | PROT_WRITE,
		                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0});
		struct chunk *c = at < 0 && at > -4096 ? NULL : (struct chunk *)at;
		for (unsigned k = 0; c && k < CHUNK; k++) {
			c->at[k].next = g->free;
			g->free = &c->at[k];
		}
		if (c) {
			c->next = g->chunks;
			g->chunks = c;
		}
	}
	struct agent_foreign *f = g->free;
	if (f)
		g->free = f->next;
	return f;
}

bool agent_foreign_push(struct agent_thread *t, const struct agent_frame *f, const struct agent_vector *v)
{
	struct group *g = group_of(f->slot);
	unsigned gone = 0;
	if (!lock(g, t->tid))
		return false;
	struct agent_foreign *to = take_free(g, &gone);
	if (to) {
		to->kept.frame = *f;
		if (v)
			to->kept.vector = *v;
		to->tid = t->tid;
		to->bare = 0;
		to->next = *list_of(f->slot);
		*list_of(f->slot) = to;
	}
	unlock(g);
	agent_wiped_of(t)->unwound += gone;
	return to;
}

bool agent_foreign_take(uint64_t slot, struct agent_foreign *out)
{
	struct group *g = group_of(slot);
	bool locked = lock(g, my_tid());
	struct agent_foreign *volatile *link = find(slot);
	bool found = *link;
	if (found)
		*out = **link;
	if (found && locked)
		unlink_free(g, link);
	if (locked)
		unlock(g);
	return found;
}

/* ---- frames that are left ---- */

static void leave(struct agent_thread *t, uint64_t slot, struct agent_regs *r)
{
	struct agent_foreign gone;
	if (!agent_foreign_take(slot, &gone))
		return;
	if (gone.tid == t->tid)
		agent_left(t, &gone.kept, r);
	else
		agent_wiped_of(t)->unwound++;
}

void agent_foreign_settle(struct agent_thread *t, struct agent_regs *r)
{
	uint64_t slot = (uint64_t)&r->ret;
	for (unsigned k = 0; k < PATIENCE; k++) {
		const struct agent_foreign *f = *find(slot);
		if (!f || f->kept.frame.stub == r->ret || weft_load_u32(&group_of(slot)->holder) == t->tid)
			return;
		leave(t, slot, r);
	}
}

/*
 * The frame of this thread that lies innermost in a range of slots, or NULL. `bare`: that an
 * unwinder has passed.
 */
static struct agent_foreign *innermost(const struct agent_thread *t, uint64_t from, uint64_t to)
{
	struct agent_foreign *least = NULL;
	for (unsigned g = 0; g < GROUPS; g++)
		for (struct chunk *c = groups[g].chunks; c; c = c->next)
			for (unsigned k = 0; k < CHUNK; k++) {
				struct agent_foreign *f = &c->at[k];
				bool is = f->kept.frame.slot >= from && f->kept.frame.slot <= to && f->bare && f->tid == t->tid;
				if (is && (!least || f->kept.frame.slot < least->kept.frame.slot))
					least = f;
			}
	return least;
}

/*
 * A slot whose frames are bare holds what the outermost one of its chain returns to; else the stub
 * of the innermost one.
 */
static bool change_chain(uint64_t slot, bool bare, uint32_t tid)
{
	struct agent_foreign *inner, *outer;
	if (!chain_of(slot, &inner, &outer))
		return false;
	for (struct agent_foreign *f = inner; f; f = f->next)
		if (f->kept.frame.slot == slot) {
			f->bare = bare;
			f->tid = tid;
		}
	uint64_t stub = inner->kept.frame.stub, original = outer->kept.frame.original;
	return agent_exchange(slot, bare ? stub : original, bare ? original : stub);
}

/* Of this thread; and those near `from`, which another thread may have begun. */
static void change_all(uint64_t from, bool bare, uint32_t tid)
{
	for (unsigned g = 0; g < GROUPS; g++)
		for (struct chunk *c = groups[g].chunks; c; c = c->next)
			for (unsigned k = 0; k < CHUNK; k++) {
				const struct agent_foreign *f = &c->at[k];
				uint64_t slot = f->kept.frame.slot;
				bool mine = f->tid == tid || (bare && slot - from < NEAR);
				if (slot && slot >= from && !!f->bare != bare && mine)
					change_chain(slot, bare, tid);
			}
}

void agent_foreign_unwind(uint64_t from)
{
	change_all(from, true, my_tid());
}

void agent_foreign_caught(struct agent_thread *t, uint64_t from, struct agent_regs *r)
{
	uint64_t to = (uint64_t)&r->ret;
	for (struct agent_foreign *f; from && (f = innermost(t, from, to));)
		leave(t, f->kept.frame.slot, r);
	if (!weft_load_u32(&agent.ending))
		change_all(0, false, t->tid);
}

unsigned agent_foreign_alive(bool restore)
{
	unsigned alive = 0;
	for (unsigned g = 0; g < GROUPS; g++)
		for (struct chunk *c = groups[g].chunks; c; c = c->next)
			for (unsigned k = 0; k < CHUNK; k++) {
				uint64_t slot = c->at[k].kept.frame.slot;
				if (!slot || c->at[k].bare || !is_alive(slot))
					continue;
				alive++;
				if (restore)
					change_chain(slot, true, c->at[k].tid);
			}
	return alive;
}

void agent_foreign_forked(void)
{
	for (unsigned g = 0; g < GROUPS; g++)
		weft_store_u32(&groups[g].holder, 0);
}
