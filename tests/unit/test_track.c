/* SPDX-License-Identifier: Apache-2.0 */
/* Runs whose objects are known: they move, part, come together, vanish; two that cross are told apart by who called, or by their order. */
#include "analyze/track/track.h"
#include "structure_maker.h"
#include <errno.h>

enum { EACH = 40, CLUSTERS_MOST = 6, THREADS = 4 };

struct made {
	struct weft_track_run run;
	double raw[2 * EACH * CLUSTERS_MOST], share[CLUSTERS_MOST + 1];
	uint32_t label[EACH * CLUSTERS_MOST], cell[EACH * CLUSTERS_MOST];
	uint64_t caller[EACH * CLUSTERS_MOST];
	struct weft_alignment alignment;
};

/* Clusters at centres; the sequence of each thread is `order` again and again. */
static struct made *make(const double (*center)[2], const uint64_t *caller, unsigned n, const uint32_t *order, unsigned n_order)
{
	struct made *m = calloc(1, sizeof *m);
	REQUIRE(m);
	for (unsigned i = 0; i < n * EACH; i++) {
		unsigned c = i % n;
		m->raw[2 * i] = center[c][0] * (1 + 0.01 * maker_normal());
		m->raw[2 * i + 1] = center[c][1] * (1 + 0.01 * maker_normal());
		m->label[i] = c + 1;
		m->caller[i] = caller ? caller[c] : 0;
		m->share[c + 1] = 1.0 / n;
	}
	m->alignment = (struct weft_alignment){.n = THREADS, .columns = n_order * 5, .cell = m->cell};
	for (unsigned i = 0; i < THREADS * n_order * 5; i++)
		m->cell[i] = order[i % n_order];
	m->run = (struct weft_track_run){.raw = {m->raw, (size_t)n * EACH, 2},
	                                 .label = m->label,
	                                 .n_clusters = n,
	                                 .caller = caller ? m->caller : NULL,
	                                 .share = m->share,
	                                 .alignment = &m->alignment};
	return m;
}

static const struct weft_track_how usual = {.threshold = 0.15, .max_distance = 1, .together = 0.9};
static const uint32_t in_turn[] = {1, 2, 3, 4};

static struct weft_tracks track(struct made *const *m, unsigned n)
{
	struct weft_track_run run[4];
	struct weft_tracks t;
	struct weft_err err = {0};
	for (unsigned i = 0; i < n; i++)
		run[i] = m[i]->run;
	REQUIRE(weft_track(&t, run, n, &usual, &err) == 0);
	return t;
}

static void done(struct made **m, unsigned n, struct weft_tracks *t)
{
	weft_tracks_fini(t);
	for (unsigned i = 0; i < n; i++)
		free(m[i]);
}

TEST(objects_move)
{
	static const double a[][2] = {{100, 1}, {1000, 1.2}, {10000, 0.5}}, b[][2] = {{5000, 0.45}, {50, 0.9}, {520, 1.3}};
	struct made *m[] = {make(a, NULL, 3, in_turn, 3), make(b, NULL, 3, in_turn, 3)};
	struct weft_tracks t = track(m, 2);
	CHECK_U64(t.n_objects, 3);
	CHECK_U64(t.object[0][1], t.object[1][2]);
	CHECK_U64(t.object[0][2], t.object[1][3]);
	CHECK_U64(t.object[0][3], t.object[1][1]);
	CHECK(t.object[0][1] != t.object[0][2] && t.object[0][2] != t.object[0][3]);
	done(m, 2, &t);
}

TEST(parts_and_comes_together)
{
	static const double a[][2] = {{100, 1}, {10000, 0.5}}, b[][2] = {{100, 1}, {9000, 0.5}, {10500, 0.52}};
	struct made *m[] = {make(a, NULL, 2, in_turn, 2), make(b, NULL, 3, in_turn, 3), make(a, NULL, 2, in_turn, 2)};
	struct weft_tracks t = track(m, 3);
	CHECK_U64(t.n_objects, 2);
	CHECK_U64(t.object[1][2], t.object[1][3]);
	CHECK_U64(t.object[0][2], t.object[1][2]);
	CHECK_U64(t.object[2][2], t.object[1][2]);
	CHECK(t.object[1][1] != t.object[1][2]);
	done(m, 3, &t);
}

/* In scaled space the two changed places; their callers did not. */
TEST(callers_win)
{
	static const double a[][2] = {{100, 1}, {1000, 2}}, b[][2] = {{1000, 2}, {100, 1}};
	static const uint64_t callers[] = {7, 9};
	struct made *m[] = {make(a, callers, 2, in_turn, 2), make(b, callers, 2, in_turn, 2)};
	struct weft_tracks t = track(m, 2);
	CHECK_U64(t.n_objects, 2);
	CHECK_U64(t.object[0][1], t.object[1][1]);
	CHECK_U64(t.object[0][2], t.object[1][2]);
	for (size_t i = 0; i < t.n_links; i++)
		CHECK(!t.link[i].linked || t.link[i].callers == 1);
	done(m, 2, &t);
}

/* Clusters 2 and 3 lie so near that points of each fall to both; what comes before them says which is which. */
TEST(sequences_divide)
{
	static const double a[][2] = {{100, 1}, {5000, 1}, {5060, 1.003}, {100000, 2}},
			    b[][2] = {{100, 1}, {5060, 1.003}, {5000, 1}, {100000, 2}};
	static const uint32_t first[] = {1, 2, 4, 3}, second[] = {1, 3, 4, 2};
	struct made *m[] = {make(a, NULL, 4, first, 4), make(b, NULL, 4, second, 4)};
	struct weft_tracks t = track(m, 2);
	CHECK_U64(t.object[0][2], t.object[1][3]);
	CHECK_U64(t.object[0][3], t.object[1][2]);
	CHECK(t.object[0][2] != t.object[0][3]);
	CHECK_U64(t.n_objects, 4);
	done(m, 2, &t);
}

TEST(what_vanishes_is_an_object_of_its_own)
{
	static const double a[][2] = {{100, 1}, {1000, 1.5}, {10000, 4}}, b[][2] = {{100, 1}, {10000, 4}};
	static const uint64_t callers[] = {1, 2, 3}, left[] = {1, 3};
	struct made *m[] = {make(a, callers, 3, in_turn, 3), make(b, left, 2, in_turn, 2)};
	struct weft_tracks t = track(m, 2);
	CHECK_U64(t.object[0][1], t.object[1][1]);
	CHECK_U64(t.object[0][3], t.object[1][2]);
	CHECK(t.n_objects >= 2 && t.n_objects <= 3);
	done(m, 2, &t);
}

TEST(degenerate)
{
	static const double a[][2] = {{100, 1}}, same[][2] = {{5, 5}};
	struct made *m[] = {make(a, NULL, 1, in_turn, 1), make(same, NULL, 1, in_turn, 1)};
	for (unsigned i = 0; i < 2 * EACH; i++)
		m[1]->raw[i] = 0; /* no logarithm, all equal */
	struct weft_tracks t = track(m, 2);
	CHECK(t.n_objects >= 1);
	weft_tracks_fini(&t);
	m[1]->run.n_clusters = 0; /* all noise */
	memset(m[1]->label, 0, sizeof m[1]->label);
	m[1]->alignment.columns = 0;
	t = track(m, 2);
	CHECK_U64(t.n_objects, 1);
	weft_tracks_fini(&t);
	struct weft_track_run run[] = {m[0]->run, m[1]->run};
	struct weft_err err = {0};
	run[1].raw.dims = 1;
	CHECK_I64(weft_track(&t, run, 2, &usual, &err), -EINVAL);
	CHECK_STR(err.text, "runs were clustered by 2 and by 1 metrics");
	free(m[0]);
	free(m[1]);
}

TEST(without_memory)
{
	static const double a[][2] = {{100, 1}, {1000, 1.5}};
	static const uint64_t callers[] = {1, 2};
	struct made *m[] = {make(a, callers, 2, in_turn, 2), make(a, callers, 2, in_turn, 2)};
	struct weft_track_run run[] = {m[0]->run, m[1]->run};
	struct weft_track_how how = usual;
	how.threads = 1;
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_tracks t;
		struct weft_err err = {0};
		int rc = weft_track(&t, run, 2, &how, &err);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		if (!rc)
			weft_tracks_fini(&t);
	}
	free(m[0]);
	free(m[1]);
}
