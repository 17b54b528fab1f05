/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What happens when a thread of the program comes to a stub. It may be anywhere: inside malloc, in
 * a signal handler, in a function of libc that this file would call. So nothing of libc is called
 * on this way, no vector register touched, nothing waited for.
 *
 * A hit that interrupts another one (a signal handler's) makes no event while that one writes to
 * the ring, or opens it. `busy` holds the address of its registers, so that one that was left by
 * siglongjmp is recognised: nothing below a frame that is gone can still be in it. That is so on
 * one stack; a handler on a stack of its own may lie anywhere, and believes what it finds.
 */
#if defined __GNUC__ && !defined __clang__
#pragma GCC target("general-regs-only")
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif
#include "agent_priv.h"
#include "agent_record_priv.h"

__thread struct agent_thread *agent_self;
uint64_t agent_distance;

static uint64_t hit_sized(uint64_t v, unsigned size, bool sign)
{
	if (size >= 8 || size == 0)
		return v;
	unsigned shift = 64 - 8 * size;
	return sign ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
}

/* n bits, 1 to 64, from bit `at` on. */
static uint64_t bits_of(uint64_t v, unsigned at, unsigned n, bool sign)
{
	unsigned above = 64 - (n - 1) % 64 - 1;
	v = (v >> at % 64) << above;
	return sign ? (uint64_t)((int64_t)v >> above) : v >> above;
}

static uint64_t thread_pointer(void)
{
	uint64_t self;
	__asm__("mov %%fs:0, %0" : "=r"(self));
	return self;
}

static uint64_t *int_register(struct agent_regs *r, unsigned index)
{
	static const uint8_t at[8] = {
		offsetof(struct agent_regs, rdi) / 8, offsetof(struct agent_regs, rsi) / 8, offsetof(struct agent_regs, rdx) / 8,
		offsetof(struct agent_regs, rcx) / 8, offsetof(struct agent_regs, r8) / 8,  offsetof(struct agent_regs, r9) / 8,
		offsetof(struct agent_regs, rax) / 8, offsetof(struct agent_regs, rdx) / 8,
	};
	return (uint64_t *)r + at[index & 7];
}

struct run {
	struct agent_thread *t;
	struct agent_wiped *w;
	struct agent_regs *r;
	const struct agent_frame *frame; /* at the exit */
	uint64_t acc, old, bad;
	uint64_t *event; /* where the next attribute goes; NULL: no event */
	uint64_t *event_end;
	struct agent_values *values; /* of an event of libweft's; or NULL */
	uint64_t arg[6];
	double xmm[2];
	unsigned n_args, n_xmm;
	bool hold, has_xmm;
};

static void op_text(struct run *x, const struct link_op *op)
{
	if (!x->event || x->event >= x->event_end)
		return;
	uint64_t *length = x->event++;
	uint64_t most = (uint64_t)(x->event_end - x->event) * 8, n = 0;
	most = most < op->a ? most : op->a;
	for (; n < most; n++) {
		struct agent_peeked c = agent_peek(x->acc + n, 1);
		x->bad |= c.bad;
		if (c.bad || c.value == 0)
			break;
		if (n % 8 == 0)
			x->event[n / 8] = 0;
		x->event[n / 8] |= c.value << 8 * (n % 8);
	}
	*length = n;
	x->event += (n + 7) / 8;
}

/* Of x->frame, which is in the shadow stack or a struct agent_kept. */
static uint64_t kept_xmm(const struct run *x, unsigned index)
{
	const struct agent_thread *t = x->t;
	const struct agent_frame *f = x->frame;
	const struct agent_vector *v = &((const struct agent_kept *)(const void *)f)->vector;
	return (f >= t->base && f < t->limit ? &t->vector[f - t->base] : v)->xmm[index & 7];
}

static void op_call(struct run *x, const struct link_op *op)
{
	if (!x->t->calling) {
		/* The shadow stack may move meanwhile. */
		ptrdiff_t at = x->frame - x->t->base, to = x->t->limit - x->t->base;
		bool inside = x->frame && at >= 0 && at < to;
		x->t->calling = 1;
		x->acc = agent_call(op->a, x->arg, x->xmm, NULL);
		x->t->calling = 0;
		if (inside)
			x->frame = x->t->base + at;
	}
	x->n_args = x->n_xmm = 0;
}

static void op_set(struct run *x, uint64_t *to)
{
	x->old = *to;
	*to = x->acc;
}

static inline void run_op(struct run *x, const struct link_op *op)
{
	switch ((enum link_opcode)op->op) {
	case LINK_OP_INT:
		x->acc = hit_sized(*int_register(x->r, op->index), op->size, op->sign);
		break;
	case LINK_OP_KEPT:
		x->acc = x->frame ? hit_sized(x->frame->param[op->index % 6], op->size, op->sign) : 0;
		break;
	case LINK_OP_KEPT_XMM:
		x->bad |= !x->frame || !x->frame->has_xmm;
		x->acc = x->bad ? 0 : kept_xmm(x, op->index);
		break;
	case LINK_OP_XMM:
		x->acc = x->has_xmm ? *agent_xmm(x->r, op->index) : 0;
		x->bad |= !x->has_xmm;
		break;
	case LINK_OP_FRAME:
		x->acc = (uint64_t)&x->r->ret + op->a;
		break;
	case LINK_OP_IMM:
		x->acc = op->a;
		break;
	case LINK_OP_ADD:
		x->acc += op->a;
		break;
	case LINK_OP_SHIFT:
		x->acc = hit_sized(x->acc >> (op->a & 63), op->size, op->sign);
		break;
	case LINK_OP_BITS:
		x->acc = bits_of(x->acc, (unsigned)op->a, op->size, op->sign);
		break;
	case LINK_OP_THREAD:
		x->acc = thread_pointer() + op->a;
		break;
	case LINK_OP_LOAD: {
		struct agent_peeked p = agent_peek(x->acc + op->a, op->size);
		x->bad |= p.bad;
		x->acc = hit_sized(p.value, op->size, op->sign);
		break;
	}
	case LINK_OP_TEXT:
		op_text(x, op);
		break;
	case LINK_OP_SET_INT:
		op_set(x, int_register(x->r, op->index));
		break;
	case LINK_OP_SET_XMM:
		if (x->has_xmm)
			op_set(x, agent_xmm(x->r, op->index));
		x->bad |= !x->has_xmm;
		break;
	case LINK_OP_STORE: {
		struct agent_peeked p = agent_poke(op->a, op->size, x->acc);
		x->bad |= p.bad;
		x->old = p.value;
		break;
	}
	case LINK_OP_ARG:
		x->arg[x->n_args++ % 6] = x->acc;
		break;
	case LINK_OP_ARG_XMM:
		((uint64_t *)x->xmm)[x->n_xmm++ % 2] = x->acc;
		break;
	case LINK_OP_HOLD:
		x->hold = true;
		break;
	case LINK_OP_CALL:
		op_call(x, op);
		break;
	case LINK_OP_VALUE:
		if (x->values)
			x->event = agent_record_value(x->values, op, x->acc);
		break;
	case LINK_OP_EVENT: /* the program's own */
	case LINK_OP_END:
	case LINK_OPS:
		break;
	}
	if (op->put && x->event && x->event < x->event_end)
		*x->event++ = x->acc;
}

/* An instruction at an exit that was no return. False: there is not what it asks for. */
static bool op_left(struct run *x, const struct link_op *op)
{
	switch ((enum link_opcode)op->op) {
	case LINK_OP_KEPT:
		x->acc = hit_sized(x->frame->param[op->index % 6], op->size, op->sign);
		return true;
	case LINK_OP_KEPT_XMM:
		x->acc = x->frame->has_xmm ? kept_xmm(x, op->index) : 0;
		return x->frame->has_xmm;
	case LINK_OP_IMM:
		x->acc = op->a;
		return true;
	case LINK_OP_ADD:
		x->acc += op->a;
		return true;
	case LINK_OP_SHIFT:
		x->acc = hit_sized(x->acc >> (op->a & 63), op->size, op->sign);
		return true;
	case LINK_OP_BITS:
		x->acc = bits_of(x->acc, (unsigned)op->a, op->size, op->sign);
		return true;
	default:
		x->acc = 0;
		return false;
	}
}

/* All attributes are there; 0 is for what is not known. Nothing is changed or called. */
static void __attribute__((noinline)) run_left(struct run *x, const struct agent_program *p)
{
	for (const struct link_op *op = p->op, *end = op + p->n; op < end; op++) {
		bool put = op->put || op->op == LINK_OP_TEXT; /* of which the length is 0 */
		if (op->op == LINK_OP_VALUE) {
			x->event = x->values ? agent_record_value(x->values, op, x->acc) : x->event;
			continue;
		}
		x->bad |= !op_left(x, op) && put;
		if (put && x->event && x->event < x->event_end)
			*x->event++ = op->op == LINK_OP_TEXT ? 0 : x->acc;
	}
}

/* `when` of an exit that is no return: there are no results, and nothing is done. */
enum { LEFT = LINK_WHENS };

static inline void run_ops(struct run *x, const struct agent_program *p, unsigned when)
{
	if (WEFT_UNLIKELY(when == LEFT)) {
		run_left(x, p);
		return;
	}
	for (const struct link_op *op = p->op, *end = op + p->n; op < end; op++)
		run_op(x, op);
}

static inline bool ring_begin(struct run *x)
{
	uint64_t busy = x->t->busy;
	if (WEFT_UNLIKELY(busy != 0) && (busy > (uint64_t)x->r || agent_on_other_stack())) {
		if (x->w->ring.ring)
			weft_add_relaxed_u64(&x->w->ring.ring->dropped, 1); /* relaxed: only a sum; this thread tells it */
		else
			weft_add_relaxed_u64(&agent.unblocked, 1); /* likewise */
		return false;
	}
	x->t->busy = (uint64_t)x->r;
	if (WEFT_LIKELY(x->w->ring.ring && x->w->told == x->t->tid) || agent_ring_open(x->t))
		return true;
	x->t->busy = 0;
	return false;
}

/* Behind what is to be said of events that were lost before. */
static inline uint64_t *agent_ring_reserve(struct agent_wiped *w, unsigned words)
{
	uint64_t *record = NULL;
	do {
		if (link_ring_has_lost(&w->ring) && !link_ring_tell_lost(&w->ring))
			continue;
		record = link_ring_reserve(&w->ring, words);
	} while (!record && link_ring_wait(&w->ring, agent.rings, &w->gave_up));
	return record;
}

static void run_program(struct run *x, const struct agent_program *p, uint32_t site, unsigned when)
{
	uint64_t *record = NULL;
	if (p->flags & LINK_SITE_EVENT && ring_begin(x)) {
		uint64_t now = __builtin_ia32_rdtsc();
		record = agent_ring_reserve(x->w, p->words);
		if (record) {
			record[1] = now;
			x->event = record + 2;
			x->event_end = record + p->words;
		} else {
			link_ring_drop(&x->w->ring, now);
			x->t->busy = 0;
		}
	}
	run_ops(x, p, when);
	if (record) {
		unsigned words = (unsigned)(x->event - record);
		unsigned flags = (x->bad ? LINK_REC_INCOMPLETE : 0u) | (when == LEFT ? LINK_REC_LEFT : 0u);
		record[0] = link_rec_head(words, when == LINK_ENTRY ? LINK_REC_ENTER : LINK_REC_LEAVE, flags, site);
		link_ring_publish(&x->w->ring, words);
		x->t->busy = 0;
	}
	x->w->faults += x->bad != 0;
}

/* Its values, then the event and these at one instant. */
static void __attribute__((noinline)) run_recorded(struct run *x, const struct agent_program *p, unsigned when)
{
	struct agent_values values;
	values.n = 0;
	x->values = &values;
	x->event = values.text;
	x->event_end = values.text + AGENT_TEXT_WORDS;
	run_ops(x, p, when);
	agent_record_put(x->t, x->r->ret, p, &values);
	x->w->faults += x->bad != 0;
}

/* A synchronised action: who takes it off its hook runs it. */
static void __attribute__((noinline)) run_action(struct run *x, struct agent_site *s, unsigned when)
{
	struct agent_action *a = weft_swap_ptr(&s->action[when], NULL);
	if (!a)
		return;
	uint32_t released = weft_load_u32(&agent.released);
	weft_store_u32(&a->state, AGENT_ACTION_RUNS);
	run_program(x, &a->program, s->id, when);
	a->done = (struct link_done){x->old, x->acc, __builtin_ia32_rdtsc(), x->t->tid, x->bad != 0};
	weft_store_u32(&a->state, AGENT_ACTION_DONE);
	agent_wake_command();
	if (x->hold)
		agent_hold(released);
}

struct hit {
	struct agent_thread *t;
	struct agent_site *s;
	struct agent_regs *r;
	const struct agent_frame *frame;
	unsigned when;
	bool has_xmm;
};

static void __attribute__((noinline)) run_hung(const struct hit *h)
{
	struct run x = {.t = h->t, .w = agent_wiped_of(h->t), .r = h->r, .frame = h->frame, .has_xmm = h->has_xmm};
	run_action(&x, h->s, h->when);
}

/* Its events are libweft's. */
static bool hit_records(const struct agent_program *p)
{
	return p->flags & LINK_SITE_RECORD && !(p->flags & LINK_SITE_EVENT);
}

static void __attribute__((noinline)) run_whole(const struct hit *h, const struct agent_program *p)
{
	struct run x;
	x.t = h->t;
	x.w = agent_wiped_of(h->t);
	x.r = h->r;
	x.frame = h->frame;
	x.acc = x.bad = 0;
	x.event = NULL;
	x.values = NULL;
	x.n_args = x.n_xmm = 0;
	x.has_xmm = h->has_xmm;
	if (hit_records(p))
		run_recorded(&x, p, h->when);
	else
		run_program(&x, p, h->s->id, h->when);
}

static inline __attribute__((always_inline)) void run_site(struct agent_thread *t, struct agent_site *s, struct agent_regs *r,
                                                           const struct agent_frame *f, unsigned when, bool has_xmm)
{
	/* Relaxed: taking it is an exchange. */
	if (WEFT_UNLIKELY(__atomic_load_n(&s->action[when].v, __ATOMIC_RELAXED) != NULL))
		run_hung(&(struct hit){t, s, r, f, when, has_xmm});
	const struct agent_program *p = weft_load_ptr(&s->program[when]);
	if (p && !(p->plain && agent_record_event(p)))
		run_whole(&(struct hit){t, s, r, f, when, has_xmm}, p);
}

void agent_left(struct agent_thread *t, const struct agent_kept *f, struct agent_regs *r)
{
	struct agent_site *s = &agent.site[f->frame.site % LINK_SITES];
	const struct agent_program *p = weft_load_ptr(&s->program[LINK_EXIT]);
	agent_wiped_of(t)->unwound++;
	if (!p || (p->plain && agent_record_event(p)))
		return;
	struct run x = {.t = t, .w = agent_wiped_of(t), .r = r, .frame = &f->frame};
	if (hit_records(p))
		run_recorded(&x, p, LEFT);
	else
		run_program(&x, p, s->id, LEFT);
}

static inline struct agent_site *site_of(uint64_t site)
{
	return (struct agent_site *)(site & ~1ull);
}

static inline void frame_fill(struct agent_frame *f, const struct agent_site *s, const struct agent_regs *r, uint64_t stub,
                              bool xmm)
{
	f->original = r->ret;
	f->stub = stub;
	f->site = s->id;
	f->has_xmm = xmm;
	f->param[0] = r->rdi;
	f->param[1] = r->rsi;
	f->param[2] = r->rdx;
	f->param[3] = r->rcx;
	f->param[4] = r->r8;
	f->param[5] = r->r9;
	/* Last, and not before: until then whoever looks at it sees that it is not filled in. */
	*(volatile uint64_t *)&f->slot = (uint64_t)&r->ret;
}

static void vector_fill(struct agent_vector *v, struct agent_regs *r)
{
	for (unsigned k = 0; k < 8; k++)
		v->xmm[k] = *agent_xmm(r, k);
}

/* The function will return to the stub. False: it will not be watched. */
static inline int frame_push(struct agent_thread *t, struct agent_site *s, struct agent_regs *r, uint64_t stub, bool has_xmm)
{
	/* Relaxed: whether it is wanted; where to is the stub's to say. */
	if (!stub || !__atomic_load_n(&s->exit_stub.v, __ATOMIC_RELAXED))
		return 0;
	struct agent_frame *f = t->top;
	if (WEFT_UNLIKELY(f == t->limit)) {
		if (!agent_frames_grow(t)) {
			agent_wiped_of(t)->full++;
			return 0;
		}
		f = t->top;
	}
	/* Claimed before it is filled: a handler that comes between uses the next one. */
	t->top = f + 1;
	if (has_xmm)
		vector_fill(t->vector + (f - t->base), r);
	frame_fill(f, s, r, stub, has_xmm);
	return 1;
}

static int __attribute__((noinline))
push_elsewhere(struct agent_thread *t, struct agent_site *s, struct agent_regs *r, uint64_t stub, bool has_xmm)
{
	struct agent_frame f;
	struct agent_vector v;
	if (!stub || !weft_load_u64(&s->exit_stub))
		return 0;
	if (has_xmm)
		vector_fill(&v, r);
	frame_fill(&f, s, r, stub, has_xmm);
	bool done = agent_foreign_push(t, &f, has_xmm ? &v : NULL);
	agent_wiped_of(t)->full += !done;
	return done;
}

/*
 * Frames that are gone by now, as this hit shows. False: it is on a stack that is not the thread's
 * own.
 */
static inline bool hit_settle(struct agent_thread *t, struct agent_regs *r)
{
	uint64_t slot = (uint64_t)&r->ret;
	const struct agent_frame *last = t->top - 1;
	/* The outermost one's slot is the stack's end. */
	if (WEFT_LIKELY(last->slot > slot && slot >= t->stack))
		return true;
	if (last->slot == slot && last->stub == r->ret)
		return true;
	return agent_frames_settle(t, r);
}

int agent_enter(uint64_t site, struct agent_regs *r, uint64_t stub)
{
	struct agent_site *s = site_of(site);
	struct agent_thread *t = agent_self;
	if (WEFT_UNLIKELY(!t)) {
		t = agent_first();
		if (!t)
			return 0;
	}
	if (WEFT_UNLIKELY(t->ours))
		return 0;
	bool here = hit_settle(t, r);
	run_site(t, s, r, NULL, LINK_ENTRY, site & 1);
	return WEFT_LIKELY(here) ? frame_push(t, s, r, stub, site & 1) : push_elsewhere(t, s, r, stub, site & 1);
}

/* Takes it, and all that were left above it. */
static inline void frame_pop(struct agent_thread *t, struct agent_frame *f, uint64_t slot)
{
	f->slot = slot | 1;
	for (struct agent_frame *k = t->top - 1; WEFT_UNLIKELY(k > f); k--)
		k->slot |= 1;
	t->top = f;
}

static inline void leave_here(struct agent_thread *t, struct agent_site *s, struct agent_regs *r, struct agent_frame *f,
                              bool has_xmm)
{
	ptrdiff_t at = (char *)f - (char *)t->base; /* in bytes: the shadow stack may move meanwhile */
	r->ret = f->original;
	run_site(t, s, r, f, LINK_EXIT, has_xmm);
	f = (struct agent_frame *)(void *)((char *)t->base + at);
	frame_pop(t, f, (uint64_t)&r->ret);
	if (WEFT_UNLIKELY(f <= t->bare))
		agent_frames_rearm(t, (uint64_t)&r->ret);
}

static void __attribute__((noinline))
leave_elsewhere(struct agent_thread *t, struct agent_site *s, struct agent_regs *r, bool has_xmm)
{
	uint64_t slot = (uint64_t)&r->ret;
	struct agent_foreign gone;
	if (!t)
		t = agent_first(); /* what another thread has begun */
	if (t && agent_frames_settle(t, r)) {
		struct agent_frame *f = t->top - 1;
		/* Above it there may be some that a signal handler began, and left. */
		while (f > t->base && f->slot != slot && (f->slot & 1 || f->slot == 0))
			f--;
		if (f->slot == slot) {
			leave_here(t, s, r, f, has_xmm);
			return;
		}
	}
	if (agent_foreign_take(slot, &gone)) {
		r->ret = gone.kept.frame.original;
		if (t)
			run_site(t, s, r, &gone.kept.frame, LINK_EXIT, has_xmm);
		return;
	}
	/*
	 * A thread's own stack that another thread has carried on. Frames are never forgotten: it
	 * must be there.
	 */
	r->ret = agent_frame_lost(t, slot);
	if (t)
		agent_wiped_of(t)->full++;
}

void agent_leave(uint64_t site, struct agent_regs *r)
{
	struct agent_site *s = site_of(site);
	struct agent_thread *t = agent_self;
	struct agent_frame *last = t ? t->top - 1 : NULL;
	if (WEFT_LIKELY(last && last->slot == (uint64_t)&r->ret))
		leave_here(t, s, r, last, site & 1);
	else
		leave_elsewhere(t, s, r, site & 1);
}
