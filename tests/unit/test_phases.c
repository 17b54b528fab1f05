/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose iterations are known: a beginning, iterations of 10 ms with one that takes twice as long, an end. */
#include "analyze/phase/phases.h"
#include "structure_maker.h"
#include <errno.h>

enum { ITERATIONS = 60, THREADS = 4, SLOW = 25 };
static const uint64_t MS = 1000000, BEGIN = 50000000;

struct made {
	struct weft_bursts b;
	uint64_t begin[THREADS * ITERATIONS * 4], end[THREADS * ITERATIONS * 4], truth[ITERATIONS + 1], stop;
};

/* outer: each third iteration computes less; inner: four bursts an iteration. */
static struct made *make(bool outer, bool inner, bool slow)
{
	struct made *m = calloc(1, sizeof *m);
	REQUIRE(m);
	uint64_t now = BEGIN;
	for (unsigned i = 0; i < ITERATIONS; i++) {
		uint64_t length = slow && i == SLOW ? 20 * MS : 10 * MS, busy = length * (outer && i % 3 == 2 ? 3 : 7) / 10;
		unsigned parts = inner ? 4 : 1;
		m->truth[i] = now;
		for (unsigned t = 0; t < THREADS; t++)
			for (unsigned k = 0; k < parts; k++) {
				uint64_t from = now + k * length / parts + (uint64_t)(maker_uniform() * 50000);
				m->begin[m->b.n] = from;
				m->end[m->b.n++] = from + busy / parts - 100000 * t;
			}
		now += length;
	}
	m->truth[ITERATIONS] = now;
	m->stop = now + 30 * MS;
	m->b.begin = m->begin;
	m->b.end = m->end;
	return m;
}

static struct weft_phases find(const struct made *m)
{
	struct weft_signal s;
	struct weft_phases p;
	struct weft_phases_how how = {.end = m->stop, .least_strength = 0.25, .to = WEFT_NEVER};
	REQUIRE(weft_signal_make(&s, &m->b, WEFT_SIGNAL_COMPUTING, m->stop) == 0);
	REQUIRE(weft_phases_make(&p, &s, &how) == 0);
	weft_signal_fini(&s);
	return p;
}

TEST(iterations)
{
	struct made *m = make(false, false, true);
	struct weft_phases p = find(m);
	REQUIRE(p.n_regions == 1 && p.region[0].period.found);
	CHECK_NEAR(p.region[0].period.period / (10 * MS), 1, 0.005);
	CHECK_NEAR(p.region[0].from, BEGIN, MS);
	CHECK(p.n_iterations >= ITERATIONS - 1 && p.n_iterations <= ITERATIONS + 1);
	unsigned right = 0, perturbed = 0;
	for (uint32_t i = 0; i < p.n_iterations; i++) {
		const struct weft_phase_iteration *x = &p.iteration[i];
		for (unsigned k = 0; k < ITERATIONS; k++)
			right += llabs((int64_t)x->begin - (int64_t)m->truth[k]) < (int64_t)MS;
		if (x->perturbed) {
			perturbed++;
			CHECK(x->begin + MS >= m->truth[SLOW] && x->begin <= m->truth[SLOW + 1] + MS);
		}
	}
	CHECK(right >= ITERATIONS - 2);
	CHECK(perturbed >= 1 && perturbed <= 3);
	uint32_t best = weft_phases_best(&p, 5);
	REQUIRE(best != WEFT_NONE);
	for (uint32_t i = best; i < best + 5; i++)
		CHECK(!p.iteration[i].perturbed);
	CHECK_U64(weft_phases_best(&p, 1000), WEFT_NONE);
	CHECK_U64(weft_phases_best(&p, 0), WEFT_NONE);
	weft_phases_fini(&p);
	free(m);
}

TEST(outer_loops)
{
	struct made *m = make(true, false, false);
	struct weft_phases p = find(m);
	REQUIRE(p.n_regions == 1 && p.region[0].period.found);
	/* Whether three iterations are one, or one of three differs: both are true, and one of them is said. */
	double period = p.region[0].period.period / (10 * MS);
	CHECK(fabs(period - 3) < 0.015 || (fabs(period - 1) < 0.005 && p.region[0].outer == 3));
	weft_phases_fini(&p);
	free(m);
}

TEST(inner_loops)
{
	struct made *m = make(true, true, false);
	struct weft_phases p = find(m);
	REQUIRE(p.n_regions == 1 && p.region[0].period.found);
	double period = p.region[0].period.period / MS, inner = p.region[0].inner_ns / MS;
	CHECK(fabs(period - 30) < 0.15 || fabs(period - 10) < 0.05 || fabs(period - 2.5) < 0.0125);
	CHECK(period < 3 || inner > 0);
	weft_phases_fini(&p);
	free(m);
}

TEST(nothing_repeats)
{
	struct made *m = make(false, false, false);
	m->b.n = 1; /* one burst */
	struct weft_phases p = find(m);
	CHECK_U64(p.n_iterations, 0);
	weft_phases_fini(&p);
	m->b.n = 0;
	p = find(m);
	CHECK_U64(p.n_regions, 0);
	CHECK_U64(p.n_iterations, 0);
	weft_phases_fini(&p);
	uint64_t now = 0; /* bursts of random lengths */
	for (m->b.n = 0; m->b.n < 900; m->b.n++) {
		now += (uint64_t)(-log(maker_uniform() + 1e-12) * 700000);
		m->begin[m->b.n] = now;
		now += (uint64_t)(-log(maker_uniform() + 1e-12) * 700000);
		m->end[m->b.n] = now;
	}
	m->stop = now + 1;
	p = find(m);
	for (uint32_t i = 0; i < p.n_regions; i++)
		CHECK(!p.region[i].period.found);
	weft_phases_fini(&p);
	free(m);
}

TEST(as_the_real_tool)
{
	const char *prv = maker_shared("spectral/spec4.prv");
	if (!prv)
		SKIP("../shared is not here");
	struct weft_trace *t = maker_open(prv);
	struct weft_bursts b;
	struct weft_err err = {0};
	struct weft_signal s;
	struct weft_phases p;
	REQUIRE(weft_bursts_make(&b, t, &(struct weft_bursts_how){.to = WEFT_NEVER}, &err) == 0);
	REQUIRE(weft_signal_make(&s, &b, WEFT_SIGNAL_COMPUTING, t->end) == 0);
	REQUIRE(weft_phases_make(&p, &s, &(struct weft_phases_how){.end = t->end, .least_strength = 0.25, .to = WEFT_NEVER}) ==
	        0);
	REQUIRE(p.n_regions == 1 && p.region[0].period.found);
	CHECK_NEAR(p.region[0].from / 1e6, 701, 1);
	CHECK_NEAR(p.region[0].to / 1e6, 13958, 0.005 * 13257);
	CHECK_NEAR(p.region[0].period.period / 1e6, 221, 0.005 * 221);
	CHECK_U64(p.region[0].n, 60);
	weft_phases_fini(&p);
	weft_signal_fini(&s);
	weft_bursts_fini(&b);
	weft_trace_close(t);
}

TEST(without_memory)
{
	struct made *m = make(false, false, false);
	struct weft_signal s;
	struct weft_phases p;
	struct weft_phases_how how = {.end = m->stop, .least_strength = 0.25, .to = WEFT_NEVER, .threads = 1};
	REQUIRE(weft_signal_make(&s, &m->b, WEFT_SIGNAL_COMPUTING, m->stop) == 0);
	TEST_EACH_ALLOCATION_FAILS {
		int rc = weft_phases_make(&p, &s, &how);
		CHECK(rc == 0 || (rc == -ENOMEM && test_alloc_failed()));
		if (!rc)
			weft_phases_fini(&p);
	}
	weft_signal_fini(&s);
	free(m);
}
