/* SPDX-License-Identifier: Apache-2.0 */
/*
 * metric_bank.c: metrics that are made of the same ones over and over give what they would if each use were evaluated on its own. The
 * model is the same expression as a tree: a copy of a metric for each use, of which none can be shared.
 */
#include "metric_maker.h"

enum { LEVELS = 6, MOST_COPIES = 1 << (LEVELS + 2) };

static void make_states(struct made *f)
{
	struct weft_buf prv = {0};
	weft_buf_puts(&prv, "#Paraver (01/01/2024 at 10:00):10000000_ns:1(2):1:1(2:1)\n");
	for (unsigned thread = 1; thread <= 2; thread++) {
		uint64_t at = 0;
		for (unsigned i = 0; i < 3000; i++) {
			uint64_t gap = test_random() % 3 ? 0 : test_random() % 100, length = test_random() % 50;
			weft_buf_printf(&prv, "1:%u:1:1:%u:%llu:%llu:%u\n", thread, thread, (unsigned long long)(at + gap),
			                (unsigned long long)(at + gap + length), (unsigned)(test_random() % 3));
			at += gap + length;
		}
	}
	make_trace(f, prv.at, NULL, NULL);
	weft_buf_fini(&prv);
}

static void make_single(struct weft_metric *m, enum weft_level level)
{
	weft_metric_init(m);
	m->unit = WEFT_NS;
	m->level = level;
	m->of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "State As Is");
	REQUIRE(m->of_level[WEFT_THREAD].func);
}

static void make_derived(struct weft_metric *m, enum weft_level level, const char *operation, const struct weft_metric *a,
                         const struct weft_metric *b)
{
	weft_metric_init(m);
	m->level = level;
	m->parent[0] = a;
	m->parent[1] = b;
	m->operation.func = weft_func_find(WEFT_FUNC_DERIVED, operation);
	REQUIRE(m->operation.func);
}

struct copies {
	struct weft_metric at[MOST_COPIES];
	unsigned n;
};

/* A tree of its own for each use. */
static const struct weft_metric *copy(struct copies *c, const struct weft_metric *m)
{
	REQUIRE(c->n < MOST_COPIES);
	struct weft_metric *to = &c->at[c->n++];
	*to = *m;
	for (unsigned i = 0; i < 2 && m->parent[0]; i++)
		to->parent[i] = copy(c, m->parent[i]);
	return to;
}

static const char *any_of(const char *const *of, unsigned n)
{
	return of[test_random() % n];
}

static void check_one(const struct made *f)
{
	static const char *const operations[] = {"add",
	                                         "product",
	                                         "maximum",
	                                         "different",
	                                         "controlled: clear by",
	                                         "controlled: maximum",
	                                         "controlled: add",
	                                         "controlled: average"};
	static const char *const tops[] = {"As Is", "As Is", "As Is", "Sign", "Join Bursts", "Enumerate", "Burst Time"};
	static const int32_t shifts[] = {0, 0, 0, 0, 1, -1, 7, -3000, 3000, 100000, -100000};
	static struct copies tree;
	struct weft_metric m[LEVELS + 1];
	struct weft_buf shared = {0}, alone = {0};
	enum weft_level level = test_random() % 2 ? WEFT_THREAD : WEFT_TASK;
	make_single(&m[0], level);
	for (unsigned i = 1; i <= LEVELS; i++) {
		const struct weft_metric *other = &m[test_random() % 2 ? i - 1 : test_random() % i];
		make_derived(&m[i], level, any_of(operations, 8), &m[i - 1], other);
		for (unsigned k = 0; k < 2; k++)
			m[i].shift[k] = shifts[test_random() % (sizeof shifts / sizeof *shifts)];
		m[i].top[0].func = weft_func_find(WEFT_FUNC_COMPOSE, any_of(tops, 7));
	}
	tree.n = 0;
	const struct weft_metric *copied = copy(&tree, &m[LEVELS]);
	for (uint32_t row = 0; row < weft_level_size(&f->s, level); row++) {
		row_text(f, &m[LEVELS], row, 20000, 60000, &shared);
		row_text(f, copied, row, 20000, 60000, &alone);
	}
	CHECK(alone.n > 0 && alone.n == shared.n && !memcmp(alone.at, shared.at, alone.n));
	weft_buf_fini(&shared);
	weft_buf_fini(&alone);
}

TEST(what_is_shared_gives_the_same)
{
	struct made f;
	make_states(&f);
	for (int i = 0; i < 60; i++)
		check_one(&f);
	unmake_trace(&f);
}

/* a + a of a + a of …: one evaluation of each, or this test would not end. */
TEST(sixty_doublings_end)
{
	enum { DOUBLINGS = 60 };
	struct made f;
	struct weft_metric m[DOUBLINGS + 1];
	make_states(&f);
	make_single(&m[0], WEFT_THREAD);
	for (unsigned i = 1; i <= DOUBLINGS; i++)
		make_derived(&m[i], WEFT_THREAD, "add", &m[i - 1], &m[i - 1]);
	struct weft_row *one, *all;
	struct weft_intervals *a = malloc(sizeof *a), *b = malloc(sizeof *b);
	REQUIRE(a && b);
	REQUIRE(weft_row_open(&one, &f.s, &m[0], 0, 0, f.s.end) == 0);
	REQUIRE(weft_row_open(&all, &f.s, &m[DOUBLINGS], 0, 0, f.s.end) == 0);
	uint64_t n[2] = {0};
	double sum[2] = {0};
	while (weft_row_next(one, a) > 0)
		for (uint32_t i = 0; i < a->n; i++, n[0]++)
			sum[0] += a->value[i];
	while (weft_row_next(all, b) > 0)
		for (uint32_t i = 0; i < b->n; i++, n[1]++)
			sum[1] += b->value[i];
	CHECK(n[0] > 2000);
	CHECK_U64(n[1], n[0]);
	CHECK(sum[1] == sum[0] * (double)(1ull << DOUBLINGS));
	weft_row_close(one);
	weft_row_close(all);
	free(a);
	free(b);
	unmake_trace(&f);
}

/* Users that are far apart: the number of separate evaluations is bounded, and going over the bound is an error and no hang. */
TEST(doublings_that_are_shifted_far_end)
{
	enum { DOUBLINGS = 60 };
	struct made f;
	struct weft_metric m[DOUBLINGS + 1];
	make_states(&f);
	make_single(&m[0], WEFT_THREAD);
	for (unsigned i = 1; i <= DOUBLINGS; i++) {
		make_derived(&m[i], WEFT_THREAD, "add", &m[i - 1], &m[i - 1]);
		m[i].shift[0] = 100000;
		m[i].shift[1] = -100000;
	}
	struct weft_row *r = NULL;
	CHECK_I64(weft_row_open(&r, &f.s, &m[DOUBLINGS], 0, 0, f.s.end), WEFT_E_LIMIT);
	CHECK(r == NULL);
	unmake_trace(&f);
}
