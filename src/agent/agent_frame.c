/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shadow stacks of threads' own stacks: what is not the fast way of agent_hit.c.
 *
 *     base | outermost frame ... | innermost frame | top ...  limit      slots fall from left to right; those of a chain of tail calls are equal
 *     end  |   bare   | watched                    | odd or 0
 *
 * A hit at slot S shows that all frames below S, and those at S whose stub the slot does not hold,
 * are gone: by longjmp, an exception, a context that was set. They are left, the innermost first:
 * popped, their slots given their own return addresses where they still hold a stub's, and reported
 * by agent_left. The write is for what looks gone and is not (a stack that lies in another one's
 * frame): it will return past its stub. What even that does not reach, since its stack has been
 * copied away, finds its return address in a table of the last ones that were left.
 *
 * That is right on one stack only. So the bounds of a thread's own stack are asked of the kernel
 * before the first frame is left; all that is outside of them goes to agent_foreign.c. Until then a
 * guess does.
 *
 * An unwinder has to find the program's addresses: when one begins, all slots get theirs, and their
 * frames are `bare`. Where the exception is caught, or the next hit after that, the innermost ones
 * are watched again, REARMED at a time: each throw in a deep recursion would cost the whole depth
 * otherwise. Hits below the unwinder's own slot are of what it calls, and change nothing.
 */
#if defined __GNUC__ && !defined __clang__
#pragma GCC target("general-regs-only")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#include "agent_priv.h"
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

enum { REARMED = 64, GUESS_BELOW = 256 << 10, GUESS_ABOVE = 1 << 20, GAP = 1 << 20, GROWTH = 1 << 30, LEFT_KEPT = 4096 };

static uint64_t thread_pointer(void)
{
	uint64_t self;
	__asm__("mov %%fs:0, %0" : "=r"(self));
	return self;
}

/* ---- the array ---- */

static void frame_unmap(void *at, size_t bytes)
{
	agent_syscall(SYS_munmap, (long[6]){(long)at, (long)bytes});
}

/* Without one it begins behind all slots. */
static void set_stack(struct agent_thread *t, uint64_t from, uint64_t to)
{
	t->stack = to > from ? from : ~0ull;
	t->stack_bytes = to - from;
	t->stack_low = from;
	t->base->slot = to;
}

/* The thread has ended; but a guess may have taken another stack for its own, and that goes on. */
static void frame_bury(struct agent_thread *t)
{
	for (struct agent_frame *f = t->base + 1; f < t->top; f++)
		if (f->slot & 1 || f->slot == 0 || !agent_word_is(f->slot, f->stub) ||
		    !agent_foreign_push(t, f, f->has_xmm ? &t->vector[f - t->base] : NULL))
			agent_wiped_of(t)->unwound++;
}

void agent_frames_begin(struct agent_thread *t)
{
	if (t->base)
		frame_bury(t);
	if (t->base && t->base != t->frame) {
		uint64_t n = (uint64_t)(t->limit - t->base);
		frame_unmap(t->base, n * sizeof *t->base);
		frame_unmap(t->vector, n * sizeof *t->vector);
	}
	t->base = t->frame;
	t->limit = t->base + AGENT_FRAMES;
	t->vector = (struct agent_vector *)(void *)t->limit;
	t->top = t->base + 1;
	t->bare = t->base;
	t->exact = 0;
	t->unwinding = 0;
	set_stack(t, 0, 0);
}

static void *frame_map(size_t bytes)
{
	long at = agent_syscall(SYS_mmap, (long[6]){0, (long)bytes, PROT_READ | PROT_WRITE,
	                                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0});
	return at < 0 && at > -4096 ? NULL : (void *)at;
}

/* An array that may be in the block as yet. NULL: no memory. */
static void *frame_resize(void *at, bool in_block, size_t from, size_t to)
{
	if (!in_block) {
		long moved = agent_syscall(SYS_mremap, (long[6]){(long)at, (long)from, (long)to, MREMAP_MAYMOVE});
		return moved < 0 && moved > -4096 ? NULL : (void *)moved;
	}
	void *made = frame_map(to);
	if (made)
		agent_copy((uint64_t)at, from, made);
	return made;
}

static bool grow_to(struct agent_thread *t, size_t n)
{
	size_t had = (size_t)(t->limit - t->base), used = (size_t)(t->top - t->base), bare = (size_t)(t->bare - t->base);
	bool in_block = t->base == t->frame;
	struct agent_vector *vector = frame_resize(t->vector, in_block, had * sizeof *vector, n * sizeof *vector);
	if (!vector)
		return false;
	struct agent_frame *base = frame_resize(t->base, in_block, had * sizeof *base, n * sizeof *base);
	if (!base && in_block) {
		frame_unmap(vector, n * sizeof *vector);
		return false;
	}
	if (!base) { /* to become shorter never fails, nor moves it */
		t->vector = frame_resize(vector, false, n * sizeof *vector, had * sizeof *vector);
		return false;
	}
	t->vector = vector;
	t->base = base;
	t->limit = base + n;
	t->bare = base + bare;
	t->top = base + used;
	return true;
}

/*
 * Twice as long; where there is no room for that, a little longer. No handler may see it half
 * moved.
 */
bool agent_frames_grow(struct agent_thread *t)
{
	uint64_t before;
	size_t n = (size_t)(t->limit - t->base), more = n;
	agent_signals_block(&before);
	bool grown = t->top < t->limit; /* by a handler just now */
	for (; !grown && more >= AGENT_FRAMES / 2; more /= 4)
		grown = grow_to(t, n + more);
	agent_signals_unblock(&before);
	return grown;
}

/* ---- bounds ---- */

struct line {
	uint64_t from, to, before; /* before: the end of the one in front */
	bool is_stack;
};

struct reader {
	long at, n, offset;
	char text[256]; /* little: this may be on a small stack */
};

static int next_char(struct reader *r)
{
	if (r->at == r->n) {
		r->n = agent_syscall(SYS_pread64, (long[6]){agent.maps, (long)r->text, sizeof r->text, r->offset});
		if (r->n <= 0)
			return -1;
		r->offset += r->n;
		r->at = 0;
	}
	return (unsigned char)r->text[r->at++];
}

static uint64_t read_hex(struct reader *r)
{
	uint64_t v = 0;
	for (int c; (c = next_char(r)) > ' ' && c != '-';)
		v = v << 4 | (uint64_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
	return v;
}

/* A line of /proc/self/maps. */
static bool next_line(struct reader *r, struct line *l)
{
	static const char name[] = "[stack]";
	unsigned same = 0;
	int c;
	l->before = l->to;
	l->from = read_hex(r);
	l->to = read_hex(r);
	l->is_stack = false;
	while ((c = next_char(r)) >= 0 && c != '\n') {
		same = c == name[same] ? same + 1 : c == name[0];
		if (same == sizeof name - 1) {
			l->is_stack = true;
			same = 0;
		}
	}
	return c == '\n';
}

/*
 * The main thread's stack is named, and grows; the kernel keeps GAP free below it. Those of others
 * lie below their thread pointers, in one mapping with them. Neither found: nothing is this
 * thread's own stack, and all goes the slower way.
 */
static void find_stack(struct agent_thread *t)
{
	struct reader r = {.at = 0};
	struct line l = {0};
	uint64_t self = thread_pointer();
	bool first = t->tid == agent.pid;
	t->exact = 1;
	set_stack(t, 0, 0);
	while (next_line(&r, &l)) {
		if (first ? !l.is_stack : self < l.from || self >= l.to)
			continue;
		set_stack(t, first && l.from - l.before > GAP ? l.from - GAP : first ? l.before : l.from, first ? l.to : self);
		if (first)
			t->stack_low = l.from - l.before > GROWTH ? l.from - GROWTH : l.before;
		break;
	}
}

/* Frames that a guess took for ones of the thread's own stack. */
static void move_foreign(struct agent_thread *t)
{
	struct agent_frame *to = t->base + 1, *bare = t->bare;
	for (struct agent_frame *f = to, *top = t->top; f < top; f++) {
		struct agent_vector *v = t->vector + (f - t->base);
		if (f->slot & 1 || f->slot == 0)
			continue;
		if (!agent_on_stack(t, f->slot)) {
			bool kept = f >= t->bare && agent_foreign_push(t, f, f->has_xmm ? v : NULL);
			if (!kept && agent_word_is(f->slot, f->stub))
				agent_poke(f->slot, 8, f->original);
			agent_wiped_of(t)->full += !kept;
			bare -= f < t->bare;
			continue;
		}
		if (to != f) {
			agent_copy((uint64_t)f, sizeof *f, to);
			agent_copy((uint64_t)v, sizeof *v, t->vector + (to - t->base));
		}
		to++;
	}
	t->bare = bare;
	for (struct agent_frame *f = to; f < t->top; f++)
		f->slot |= 1;
	t->top = to;
}

bool agent_frames_learn(struct agent_thread *t, uint64_t slot)
{
	uint64_t self = thread_pointer(), before;
	/*
	 * So near below its thread pointer it is most likely the thread's own, and goes on as far
	 * again at least.
	 */
	if (!t->exact && t->stack_bytes == 0 && t->tid != agent.pid && self > slot && self - slot < GUESS_ABOVE) {
		set_stack(t, slot - GUESS_BELOW, self);
		return true;
	}
	bool grown = t->exact && slot < t->stack && slot >= t->stack_low;
	if (!t->exact || grown) {
		agent_signals_block(&before);
		find_stack(t);
		if (!grown)
			move_foreign(t);
		agent_signals_unblock(&before);
	}
	return agent_on_stack(t, slot);
}

/* ---- frames that are left ---- */

/* The last ones, by slot and site: whoever comes last has the place. */
static struct {
	volatile uint64_t slot, site, original;
} left[LEFT_KEPT];

static unsigned left_place(uint64_t slot, uint32_t site)
{
	return (unsigned)((slot ^ (uint64_t)site << 40) * 0x9e3779b97f4a7c15ull >> 52) % LEFT_KEPT;
}

static void leave_last(struct agent_thread *t, struct agent_regs *r, uint64_t here)
{
	struct agent_frame *at = t->top - 1, f = *at;
	struct agent_kept kept = {.frame = f};
	unsigned place = left_place(f.slot, f.site);
	if (f.has_xmm)
		kept.vector = t->vector[at - t->base];
	left[place].slot = f.slot;
	left[place].site = f.site;
	left[place].original = f.original;
	/* Gone first: a handler that comes now must not find it. */
	at->slot |= 1;
	t->top = at;
	/* What lies between this function and the hit is in use by ourselves. */
	if (at >= t->bare && f.slot < here && *(volatile uint64_t *)f.slot == f.stub)
		*(volatile uint64_t *)f.slot = f.original;
	if (t->bare > at)
		t->bare = at > t->base + 1 ? at : t->base;
	agent_left(t, &kept, r);
}

static void leave_below(struct agent_thread *t, struct agent_regs *r)
{
	uint64_t slot = (uint64_t)&r->ret, here = (uint64_t)__builtin_frame_address(0) - 512;
	for (;;) {
		const struct agent_frame *f = t->top - 1;
		if (f->slot > slot || f->slot & 1 || f->slot == 0 || (f->slot == slot && f->stub == r->ret))
			return;
		leave_last(t, r, here);
	}
}

bool agent_frames_settle(struct agent_thread *t, struct agent_regs *r)
{
	uint64_t slot = (uint64_t)&r->ret;
	bool here = agent_on_stack(t, slot) || agent_frames_learn(t, slot);
	if (here && !t->exact && t->top[-1].slot <= slot)
		here = agent_frames_learn(t, slot);
	if (!here) {
		agent_foreign_settle(t, r);
		return false;
	}
	leave_below(t, r);
	if (t->top <= t->bare)
		agent_frames_rearm(t, slot);
	return true;
}

/* ---- unwinders ---- */

/* The outermost frame of the chain that f ends. */
static struct agent_frame *chain_begin(struct agent_frame *f)
{
	while (f[-1].slot == f->slot)
		f--;
	return f;
}

static void change_slot(uint64_t slot, uint64_t from, uint64_t to)
{
	volatile uint64_t *at = (volatile uint64_t *)slot;
	if (*at == from)
		*at = to;
}

static void make_bare(struct agent_thread *t)
{
	struct agent_frame *top = t->top;
	for (struct agent_frame *f = top - 1, *first; f > t->base && f >= t->bare; f = first - 1) {
		first = chain_begin(f);
		if (!(f->slot & 1) && f->slot)
			change_slot(f->slot, f->stub, first->original);
	}
	t->bare = top > t->base + 1 ? top : t->base;
}

void agent_frames_rearm(struct agent_thread *t, uint64_t at)
{
	if (at < t->unwinding || weft_load_u32(&agent.ending))
		return;
	t->unwinding = 0;
	struct agent_frame *top = t->top, *end = top;
	for (unsigned n = 0; end > t->base + 1 && n < REARMED; n++)
		end = chain_begin(end - 1);
	/* First, so that a handler in between makes them bare again. */
	t->bare = end > t->base + 1 ? end : t->base;
	for (struct agent_frame *f = top - 1, *first; f >= end; f = first - 1) {
		first = chain_begin(f);
		change_slot(f->slot, first->original, f->stub);
	}
}

static void frame_caught(struct agent_thread *t, struct agent_regs *r)
{
	uint64_t began = t->unwinding;
	t->unwinding = 0;
	if (!agent_frames_settle(t, r))
		agent_foreign_caught(t, began, r);
	if (t->bare > t->base)
		agent_frames_rearm(t, (uint64_t)&r->ret);
}

/* Who unwinds by force, unwinds all of them. */
static void leave_all(struct agent_thread *t, struct agent_regs *r)
{
	uint64_t here = (uint64_t)__builtin_frame_address(0) - 512;
	while (t->top > t->base + 1)
		leave_last(t, r, here);
}

int agent_unwind(uint64_t site, struct agent_regs *r)
{
	struct agent_thread *t = agent_self;
	uint64_t what = ((site & ~1ull) - (uint64_t)agent.site) / sizeof(struct agent_site);
	if (!t || t->ours)
		return 0;
	if (what == LINK_UNWIND_CAUGHT) {
		frame_caught(t, r);
		return 0;
	}
	/* Slots are written to without a question: they have to be where they seem to be. */
	for (unsigned k = 0; k < 2 && !t->exact; k++)
		agent_frames_learn(t, (uint64_t)&r->ret);
	bool here = agent_frames_settle(t, r);
	if (here || agent_on_other_stack())
		make_bare(t);
	if (!here)
		agent_foreign_unwind((uint64_t)&r->ret);
	if (here && what == LINK_UNWIND_FORCED)
		leave_all(t, r);
	t->unwinding = (uint64_t)&r->ret;
	return 0;
}

/* ---- other threads' ---- */

/* A frame of a thread that runs, and may move it meanwhile. False: it is none. */
static bool frame_look(const struct agent_frame *f, struct agent_frame *out)
{
	return !agent_copy((uint64_t)f, sizeof *f, out).bad && out->slot && !(out->slot & 1);
}

uint64_t agent_frame_lost(struct agent_thread *t, uint64_t slot)
{
	struct agent_frame f;
	struct agent_thread *other;
	for (uint32_t k = 0; (other = agent_block(k)); k++)
		for (struct agent_frame *at = other->top, *base = other->base; other != t && at > base + 1;)
			if (frame_look(--at, &f) && f.slot == slot)
				return f.original;
	for (unsigned k = 0; k < LEFT_KEPT; k++)
		if (left[k].slot == slot)
			return left[k].original;
	return 0;
}

/*
 * Frames whose slots hold a stub's address; `restore`: they get their own back. Their threads run:
 * only what still holds the stub's address is exchanged. From the top, as tail calls are chained.
 */
static unsigned frames_alive(bool restore)
{
	unsigned alive = 0;
	struct agent_thread *t;
	for (uint32_t k = 0; (t = agent_block(k)); k++) {
		struct agent_frame *at = t->top, *base = t->base, f;
		while (at > base + 1 && agent_lives(t) && frame_look(--at, &f)) {
			struct agent_peeked p = agent_peek(f.slot, 8);
			if (p.bad || p.value != f.stub)
				continue;
			alive++;
			if (restore)
				agent_exchange(f.slot, f.stub, f.original);
		}
	}
	return alive + agent_foreign_alive(restore);
}

/*
 * The unwinders' hooks may only go when no thread can meet a stub's address on its stack. Most
 * functions end by themselves; those that last get their return addresses back. A thread may have
 * been stopped in a stub, before it wrote there: so it is looked for some time after the last was
 * seen.
 */
void agent_frames_end(void)
{
	enum { BY_THEMSELVES = 50, QUIET = 30, MOST = 1000 };
	const struct timespec millisecond = {0, 1000000};
	unsigned quiet = 0;
	weft_store_u32(&agent.ending, 1);
	for (unsigned round = 0; round < MOST && quiet < QUIET; round++) {
		quiet = frames_alive(round >= BY_THEMSELVES) ? 0 : quiet + 1;
		agent_syscall(SYS_nanosleep, (long[6]){(long)&millisecond, 0});
	}
}
