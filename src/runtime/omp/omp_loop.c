/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loops and sections. What threads share of a loop (the next iteration to hand out, whose turn it is) stays in a list of the
 * region, found by how many loops a thread has come to: a thread may be some loops ahead of others where they do not wait. A
 * static loop without order shares nothing.
 */
#include "omp.h"

struct range {
	uint64_t begin, end;
};
/* A loop as a thread sees it. */
struct plan {
	uint64_t n, chunk;
	int sched;
	bool ordered;
};

static struct omp_thread *self(void)
{
	return omp_current()->thread;
}

struct omp_loop *omp_loop_enter(struct omp_thread *t)
{
	struct omp_region *r = t->region;
	uint64_t id = ++t->loops;
	omp_spin_lock(&r->lock);
	struct omp_loop *l = r->loops;
	while (l && l->id != id)
		l = l->more;
	if (!l) {
		l = calloc(1, sizeof *l);
		if (!l)
			omp_no_memory();
		*l = (struct omp_loop){.id = id, .left = r->n, .more = r->loops};
		r->loops = l;
	}
	omp_spin_unlock(&r->lock);
	return l;
}

void omp_loop_leave(struct omp_thread *t)
{
	struct omp_region *r = t->region;
	struct omp_loop *l = t->loop, **at = &r->loops;
	t->loop = NULL;
	omp_spin_lock(&r->lock);
	bool last = --l->left == 0;
	while (last && *at != l)
		at = &(*at)->more;
	if (last)
		*at = l->more;
	omp_spin_unlock(&r->lock);
	if (last)
		free(l);
}

/* ---- order ---- */

/* Until all iterations before this one have had their turn. */
static void wait_for_turn(struct omp_thread *t, uint64_t iteration)
{
	for (;;) {
		omp_spin_lock(&t->region->lock);
		if (t->loop->ordered == iteration)
			break;
		omp_wait_in(&t->loop->waiting, &t->region->lock);
	}
	omp_spin_unlock(&t->region->lock);
}

static void give_turn(struct omp_thread *t, uint64_t to)
{
	omp_spin_lock(&t->region->lock);
	t->loop->ordered = to;
	struct rt_waiter *all = t->loop->waiting;
	t->loop->waiting = NULL;
	omp_spin_unlock(&t->region->lock);
	omp_go_on_all(all);
}

/* Iterations of this thread's chunk that had nothing to do in order. */
static void skip_turns(struct omp_thread *t)
{
	if (t->ordered >= t->end)
		return;
	wait_for_turn(t, t->ordered);
	give_turn(t, t->end);
	t->ordered = t->end;
}

void starpu_omp_ordered_inline_begin(void)
{
	struct omp_thread *t = self();
	STARPU_ASSERT_MSG(t->loop, "starpu_omp_ordered outside of an ordered loop");
	wait_for_turn(t, t->ordered);
}

void starpu_omp_ordered_inline_end(void)
{
	struct omp_thread *t = self();
	give_turn(t, ++t->ordered);
}

void starpu_omp_ordered(void (*f)(void *), void *arg)
{
	starpu_omp_ordered_inline_begin();
	f(arg);
	starpu_omp_ordered_inline_end();
}

/* ---- handing out ---- */

/* As equal as can be, in one piece each. */
static bool next_even(struct omp_thread *t, const struct plan *p, struct range *out)
{
	uint64_t n = t->region->n, i = t->number, part = p->n / n, more = p->n % n;
	out->begin = i * part + (i < more ? i : more);
	out->end = out->begin + part + (i < more);
	return t->at++ == 0 && out->end > out->begin;
}

/* Chunks in turn: t->at is the number of the thread's next. */
static bool next_static(struct omp_thread *t, const struct plan *p, struct range *out)
{
	if (!p->chunk)
		return next_even(t, p, out);
	uint64_t chunks = p->n / p->chunk + (p->n % p->chunk != 0), mine = t->at++ * t->region->n + t->number;
	if (mine >= chunks)
		return false;
	out->begin = mine * p->chunk;
	out->end = p->n - out->begin > p->chunk ? out->begin + p->chunk : p->n;
	return true;
}

static bool next_shared(struct omp_thread *t, const struct plan *p, struct range *out)
{
	struct omp_loop *l = t->loop;
	omp_spin_lock(&t->region->lock);
	uint64_t left = p->n - l->next, size = p->chunk ? p->chunk : 1;
	if (p->sched == starpu_omp_sched_guided && left / t->region->n > size)
		size = left / t->region->n;
	size = size < left ? size : left;
	out->begin = l->next;
	out->end = l->next += size;
	omp_spin_unlock(&t->region->lock);
	return left != 0;
}

static struct plan plan_of(unsigned long long n, unsigned long long chunk, int sched, int ordered)
{
	const struct omp_icvs *icvs = &omp_current()->icvs;
	struct plan p = {n, chunk, sched, ordered != 0};
	if (sched == starpu_omp_sched_runtime) {
		p.sched = icvs->sched;
		p.chunk = icvs->sched_modifier > 0 ? (uint64_t)icvs->sched_modifier : 0;
	}
	if (p.sched != starpu_omp_sched_dynamic && p.sched != starpu_omp_sched_guided)
		p.sched = starpu_omp_sched_static;
	return p;
}

static bool shares(const struct plan *p)
{
	return p->ordered || p->sched != starpu_omp_sched_static;
}

static bool next(const struct plan *p, struct range *out)
{
	struct omp_thread *t = self();
	if (p->ordered)
		skip_turns(t);
	bool any = p->sched == starpu_omp_sched_static ? next_static(t, p, out) : next_shared(t, p, out);
	if (any) {
		t->ordered = out->begin;
		t->end = out->end;
	} else if (shares(p)) {
		omp_loop_leave(t);
	}
	return any;
}

static bool first(const struct plan *p, struct range *out)
{
	struct omp_thread *t = self();
	t->at = t->end = t->ordered = 0;
	if (shares(p))
		t->loop = omp_loop_enter(t);
	return next(p, out);
}

/* ---- as functions ---- */

int starpu_omp_for_inline_first_alt(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
                                    unsigned long long *_begin_i, unsigned long long *_end_i)
{
	struct plan p = plan_of(nb_iterations, chunk, schedule, ordered);
	struct range r = {0, 0};
	bool any = first(&p, &r);
	*_begin_i = r.begin;
	*_end_i = r.end;
	return any;
}

int starpu_omp_for_inline_next_alt(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
                                   unsigned long long *_begin_i, unsigned long long *_end_i)
{
	struct plan p = plan_of(nb_iterations, chunk, schedule, ordered);
	struct range r = {0, 0};
	bool any = next(&p, &r);
	*_begin_i = r.begin;
	*_end_i = r.end;
	return any;
}

int starpu_omp_for_inline_first(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
                                unsigned long long *_first_i, unsigned long long *_nb_i)
{
	unsigned long long end;
	int any = starpu_omp_for_inline_first_alt(nb_iterations, chunk, schedule, ordered, _first_i, &end);
	*_nb_i = any ? end - *_first_i : 0;
	return any;
}

int starpu_omp_for_inline_next(unsigned long long nb_iterations, unsigned long long chunk, int schedule, int ordered,
                               unsigned long long *_first_i, unsigned long long *_nb_i)
{
	unsigned long long end;
	int any = starpu_omp_for_inline_next_alt(nb_iterations, chunk, schedule, ordered, _first_i, &end);
	*_nb_i = any ? end - *_first_i : 0;
	return any;
}

void starpu_omp_for(void (*f)(unsigned long long, unsigned long long, void *), void *arg, unsigned long long nb_iterations,
                    unsigned long long chunk, int schedule, int ordered, int nowait)
{
	struct plan p = plan_of(nb_iterations, chunk, schedule, ordered);
	struct range r;
	for (bool any = first(&p, &r); any; any = next(&p, &r))
		f(r.begin, r.end - r.begin, arg);
	if (!nowait)
		starpu_omp_barrier();
}

void starpu_omp_for_alt(void (*f)(unsigned long long, unsigned long long, void *), void *arg, unsigned long long nb_iterations,
                        unsigned long long chunk, int schedule, int ordered, int nowait)
{
	struct plan p = plan_of(nb_iterations, chunk, schedule, ordered);
	struct range r;
	for (bool any = first(&p, &r); any; any = next(&p, &r))
		f(r.begin, r.end, arg);
	if (!nowait)
		starpu_omp_barrier();
}

/* ---- sections: iterations of a dynamic loop ---- */

void starpu_omp_sections(unsigned long long nb_sections, void (**section_f)(void *arg), void **section_arg, int nowait)
{
	struct plan p = {nb_sections, 1, starpu_omp_sched_dynamic, false};
	struct range r;
	for (bool any = first(&p, &r); any; any = next(&p, &r))
		section_f[r.begin](section_arg[r.begin]);
	if (!nowait)
		starpu_omp_barrier();
}

void starpu_omp_sections_combined(unsigned long long nb_sections, void (*section_f)(unsigned long long, void *),
                                  void *section_arg, int nowait)
{
	struct plan p = {nb_sections, 1, starpu_omp_sched_dynamic, false};
	struct range r;
	for (bool any = first(&p, &r); any; any = next(&p, &r))
		section_f(r.begin, section_arg);
	if (!nowait)
		starpu_omp_barrier();
}
