/* SPDX-License-Identifier: Apache-2.0 */
/*
 * order.c against a model: random programs of all kinds of access, each job noting when it began and ended by a common count; then
 * every two jobs that the model puts in order must have run so. What the model leaves free is shown by jobs that wait for each other.
 */
#include "harness.h"
#include "runtime/core/core.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>

enum kind { READS, WRITES, COMMUTES, REDUCES, SCRATCH, OUTSIDE, KINDS };
static const uint32_t modes[KINDS] = {
	[READS] = RT_READ,    [WRITES] = RT_READ | RT_WRITE, [COMMUTES] = RT_READ | RT_WRITE | RT_COMMUTE,
	[REDUCES] = RT_REDUX, [SCRATCH] = RT_SCRATCH,        [OUTSIDE] = RT_READ | RT_WRITE | RT_UNORDERED,
};

static struct rt_runtime *begin(unsigned workers)
{
	struct rt_runtime *r;
	struct weft_err err = {0};
	struct rt_how how = {.workers = workers, .spin_ns = 10000};
	REQUIRE(rt_begin(&r, &how, &err) == 0);
	return r;
}

/* ---- the model: per handle the group that is open, and for each access the group that it is in ---- */

struct model {
	enum kind open;      /* KINDS: none */
	unsigned group;      /* number of the last group; each write is one */
	bool reduced;        /* a reduction was put together since the last write: those outside the order come behind it */
	unsigned reduced_at; /* the last group that was a reduction */
};

/* The access's group, or 0 of what has no place. */
static unsigned model_place(struct model *m, enum kind k)
{
	if (k == SCRATCH)
		return 0;
	if (k == OUTSIDE) {
		m->open = m->open == REDUCES ? KINDS : m->open;
		return 0;
	}
	if (k == WRITES || k != m->open) {
		m->group++;
		m->open = k == WRITES ? KINDS : k;
	}
	m->reduced = k == REDUCES || (m->reduced && k != WRITES);
	m->reduced_at = k == REDUCES ? m->group : m->reduced_at;
	return m->group;
}

/* ---- programs ---- */

enum { HANDLES = 4, STEPS = 600 };
struct use {
	enum kind kind;
	unsigned group, behind; /* behind: of an access without a place, the group that it comes after; 0: none */
};
struct step {
	unsigned n, handle[HANDLES];
	struct use use[HANDLES]; /* by handle; of those that it has */
	bool has[HANDLES];
	uint64_t began, ended;
};
static struct weft_atomic_u64 count;
static struct weft_atomic_u32 put_together;

static enum rt_verdict body_step(struct rt_job *j, struct rt_worker *w)
{
	struct step *s = j->arg;
	(void)w;
	s->began = weft_add_u64(&count, 1);
	if (s->n % 2)
		sched_yield();
	s->ended = weft_add_u64(&count, 1);
	return RT_DONE;
}

static enum rt_verdict body_reduce(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	weft_add_u32(&put_together, 1);
	return RT_DONE;
}

static void reduce(struct rt_handle *h, struct rt_job *j)
{
	(void)h;
	j->body = body_reduce;
}

static struct step *make_program(unsigned kinds)
{
	struct model m[HANDLES] = {{.open = KINDS}, {.open = KINDS}, {.open = KINDS}, {.open = KINDS}};
	struct step *s = calloc(STEPS, sizeof *s);
	REQUIRE(s != NULL);
	for (unsigned i = 0; i < STEPS; i++)
		for (unsigned h = 0; h < HANDLES; h++) {
			if (test_random() % 3)
				continue;
			struct use *u = &s[i].use[h];
			u->kind = (enum kind)(test_random() % kinds);
			s[i].has[h] = true;
			s[i].handle[s[i].n++] = h;
			u->behind = u->kind == OUTSIDE && m[h].reduced ? m[h].reduced_at : 0;
			u->group = model_place(&m[h], u->kind);
		}
	return s;
}

static bool must_follow(const struct step *a, const struct step *b)
{
	for (unsigned h = 0; h < HANDLES; h++) {
		if (!a->has[h] || !b->has[h] || !a->use[h].group)
			continue;
		const struct use *x = &a->use[h], *y = &b->use[h];
		if ((y->group && x->group < y->group) || (y->behind && x->kind == REDUCES && x->group <= y->behind))
			return true;
	}
	return false;
}

static void submit_step(struct rt_submitter *me, struct step *s, struct rt_handle *handle)
{
	struct rt_job *j = rt_prepare(me);
	REQUIRE(j != NULL);
	j->body = body_step;
	j->arg = s;
	j->n_accesses = (uint16_t)s->n;
	/* In any order: it is not theirs that counts. */
	for (unsigned k = 0; k < s->n; k++) {
		unsigned h = s->handle[(k + s->n / 2) % s->n];
		j->access[k] = &handle[h];
		j->mode[k] = modes[s->use[h].kind];
	}
	REQUIRE(rt_submit(me, j) == 0);
}

static void check_program(struct rt_runtime *r, unsigned kinds)
{
	struct rt_handle handle[HANDLES];
	struct step *s = make_program(kinds);
	for (unsigned h = 0; h < HANDLES; h++)
		rt_handle_init(&handle[h]);
	for (unsigned i = 0; i < STEPS; i++)
		submit_step(rt_self(r), &s[i], handle);
	rt_wait_all(r);
	unsigned wrong = 0, ordered = 0;
	for (unsigned i = 0; i < STEPS; i++) {
		CHECK(s[i].ended > s[i].began);
		for (unsigned k = i + 1; k < STEPS; k++) {
			bool must = must_follow(&s[i], &s[k]);
			ordered += must;
			wrong += must && s[k].began < s[i].ended;
		}
	}
	CHECK_U64(wrong, 0);
	CHECK(ordered > STEPS);
	for (unsigned h = 0; h < HANDLES; h++) {
		CHECK(rt_handle_is_idle(&handle[h]));
		rt_handle_fini(&handle[h]);
	}
	free(s);
}

static void check_programs(unsigned workers, unsigned programs)
{
	struct rt_order_hooks before = rt_order_hooks;
	rt_order_hooks = (struct rt_order_hooks){.reduce = reduce};
	struct rt_runtime *r = begin(workers);
	weft_store_u32(&put_together, 0);
	for (unsigned i = 0; i < programs; i++)
		check_program(r, i % 3 ? KINDS : 2 + i % 4);
	CHECK(weft_load_u32(&put_together) > 0);
	rt_end(r);
	rt_order_hooks = before;
}

TEST(random_programs_are_in_the_models_order_on_two_workers)
{
	check_programs(2, 30);
}

TEST(random_programs_are_in_the_models_order_on_many_workers)
{
	check_programs(6, 30);
}

/* ---- what is free ---- */

static struct weft_atomic_u32 met;

static enum rt_verdict body_meet(struct rt_job *j, struct rt_worker *w)
{
	(void)j, (void)w;
	weft_add_u32(&met, 1);
	while (weft_load_u32(&met) < 2) /* for ever, when the order keeps the other away */
		sched_yield();
	return RT_DONE;
}

TEST(what_the_model_leaves_free_runs_at_once)
{
	/* The last two meet; what comes before them, if anything, has its place alone. */
	static const enum kind at_once[][3] = {
		{SCRATCH, READS, READS},       {SCRATCH, COMMUTES, COMMUTES}, {SCRATCH, REDUCES, REDUCES},
		{SCRATCH, SCRATCH, WRITES},    {WRITES, SCRATCH, SCRATCH},    {SCRATCH, WRITES, OUTSIDE},
		{SCRATCH, OUTSIDE, WRITES},    {SCRATCH, OUTSIDE, OUTSIDE},   {REDUCES, WRITES, OUTSIDE},
		{WRITES, READS, READS},        {READS, OUTSIDE, READS},       {REDUCES, READS, READS},
		{REDUCES, COMMUTES, COMMUTES},
	};
	struct rt_order_hooks before = rt_order_hooks;
	rt_order_hooks = (struct rt_order_hooks){.reduce = reduce};
	struct rt_runtime *r = begin(2);
	for (unsigned i = 0; i < sizeof at_once / sizeof *at_once; i++) {
		struct rt_handle h;
		rt_handle_init(&h);
		weft_store_u32(&met, 0);
		struct step first = {.n = 1};
		for (unsigned k = 0; k < 3; k++) {
			struct rt_job *j = rt_prepare(rt_self(r));
			REQUIRE(j != NULL);
			j->body = k ? body_meet : body_step;
			j->arg = &first;
			j->n_accesses = 1;
			j->access[0] = &h;
			j->mode[0] = modes[at_once[i][k]];
			REQUIRE(rt_submit(rt_self(r), j) == 0);
		}
		rt_wait_all(r);
		CHECK_U64(weft_load_u32(&met), 2);
		rt_handle_fini(&h);
	}
	rt_end(r);
	rt_order_hooks = before;
}

/* ---- versions and refusals ---- */

static int submit_one(struct rt_runtime *r, struct rt_handle *h, uint32_t mode, struct step *s)
{
	struct rt_job *j = rt_prepare(rt_self(r));
	REQUIRE(j != NULL);
	*s = (struct step){.n = 1};
	j->body = body_step;
	j->arg = s;
	j->n_accesses = 1;
	j->access[0] = h;
	j->mode[0] = mode;
	return rt_submit(rt_self(r), j);
}

TEST(each_write_makes_another_version)
{
	struct rt_runtime *r = begin(1);
	struct rt_handle h;
	struct step s[8];
	rt_ref was, is;
	rt_handle_init(&h);
	REQUIRE(rt_handle_version(&h, &was));
	REQUIRE(submit_one(r, &h, RT_READ, &s[0]) == 0);
	CHECK(rt_handle_version(&h, &is) && is == was);
	REQUIRE(submit_one(r, &h, RT_WRITE, &s[1]) == 0);
	CHECK(rt_handle_version(&h, &is) && is != was);
	was = is;
	REQUIRE(submit_one(r, &h, RT_READ | RT_WRITE, &s[2]) == 0);
	CHECK(rt_handle_version(&h, &is) && is != was);
	REQUIRE(submit_one(r, &h, modes[COMMUTES], &s[3]) == 0);
	CHECK(!rt_handle_version(&h, &is));
	REQUIRE(submit_one(r, &h, RT_WRITE, &s[4]) == 0);
	CHECK(rt_handle_version(&h, &is));
	rt_wait_all(r);
	rt_handle_fini(&h);
	rt_end(r);
}

TEST(a_handle_that_refuses_changes_nothing)
{
	struct rt_order_hooks before = rt_order_hooks;
	rt_order_hooks = (struct rt_order_hooks){.reduce = reduce};
	struct rt_runtime *r = begin(1);
	struct rt_handle h;
	struct step s[4];
	rt_ref was, is;
	rt_handle_init(&h);
	REQUIRE(submit_one(r, &h, RT_WRITE, &s[0]) == 0);
	CHECK(rt_handle_version(&h, &was));
	rt_handle_mark(&h, RT_H_REFUSED, 0);
	CHECK_I64(submit_one(r, &h, RT_WRITE, &s[1]), -22);
	CHECK(rt_handle_version(&h, &is) && is == was);
	rt_handle_mark(&h, 0, RT_H_REFUSED);
	CHECK_I64(submit_one(r, &h, RT_READ, &s[2]), 0);
	/* The last access closes the handle itself. */
	CHECK_I64(submit_one(r, &h, RT_READ | RT_WRITE | RT_LAST, &s[3]), 0);
	CHECK_I64(submit_one(r, &h, RT_READ, &s[1]), -22);
	rt_wait_all(r);
	CHECK(s[3].began > s[2].ended && s[2].began > s[0].ended);
	CHECK_U64(s[1].began, 0);
	rt_handle_fini(&h);
	rt_end(r);
	rt_order_hooks = before;
}
