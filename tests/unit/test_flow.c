/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fair rates: worked out by hand where that is short, and on random networks by the definition itself: rates are max-min fair exactly if no link
 * carries more than it can, and each flow has a link that is full and where nobody has more than it. Ends of whole runs are those of a
 * plain reference, which fills all links anew at each change.
 */
#include "replay/flow/flow.h"
#include "harness.h"

#include <math.h>
#include <stdlib.h>

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-9 * fmax(1, fabs(b));
}

TEST(two_share_a_link_and_the_first_speeds_up)
{
	struct weft_flows *f;
	struct weft_flow_end end;
	double at;
	REQUIRE(weft_flows_new(&f, (const double[]){2}, 1) == 0);
	REQUIRE(weft_flows_begin(f, 0, 100, (const uint32_t[]){0}, 1, 7) == 0);
	REQUIRE(weft_flows_share(f, 0) == 0);
	CHECK(weft_flows_rate(f, 7) == 2);
	REQUIRE(weft_flows_begin(f, 10, 20, (const uint32_t[]){0}, 1, 8) == 0); /* 80 of the first are left */
	REQUIRE(weft_flows_share(f, 10) == 0);
	CHECK(weft_flows_rate(f, 7) == 1 && weft_flows_rate(f, 8) == 1);
	REQUIRE(weft_flows_next(f, &at));
	CHECK(at == 30);
	CHECK(!weft_flows_end(f, 29, &end));
	REQUIRE(weft_flows_end(f, 30, &end));
	CHECK(end.of == 8 && end.begin_ns == 10 && end.alone_ns == 10);
	REQUIRE(weft_flows_share(f, 30) == 0);
	REQUIRE(weft_flows_next(f, &at));
	CHECK(at == 60); /* 60 are left, at 2 */
	REQUIRE(weft_flows_end(f, 60, &end) && weft_flows_share(f, 60) == 0);
	CHECK(!weft_flows_next(f, &at));
	const struct weft_flow_link_use use = weft_flows_use(f, 0, 100);
	CHECK(use.size == 120 && use.busy_ns == 60 && use.full_ns == 60 && use.most == 2 && use.ended == 2 && use.flows == 0);
	weft_flows_free(f);
}

/* One flow through links 0 1 2, and one through each: everybody has half. With link 1 of 3: the long one has 1/2, the middle one 5/2. */
TEST(parking_lot)
{
	struct weft_flows *f;
	REQUIRE(weft_flows_new(&f, (const double[]){1, 3, 1}, 3) == 0);
	REQUIRE(weft_flows_begin(f, 0, 100, (const uint32_t[]){0, 1, 2}, 3, 0) == 0);
	for (uint32_t i = 0; i < 3; i++)
		REQUIRE(weft_flows_begin(f, 0, 100, &i, 1, i + 1) == 0);
	REQUIRE(weft_flows_share(f, 0) == 0);
	CHECK(weft_flows_rate(f, 0) == 0.5 && weft_flows_rate(f, 1) == 0.5 && weft_flows_rate(f, 2) == 2.5 &&
	      weft_flows_rate(f, 3) == 0.5);
	CHECK(weft_flows_use(f, 1, 10).full_ns == 10); /* it is full, too, though it keeps only its own flow */
	weft_flows_free(f);
}

TEST(nothing_holds_it_up)
{
	struct weft_flows *f;
	struct weft_flow_end end;
	double at;
	REQUIRE(weft_flows_new(&f, (const double[]){0, 5}, 2) == 0);
	REQUIRE(weft_flows_begin(f, 3, 100, (const uint32_t[]){0}, 1, 1) == 0); /* no limit */
	REQUIRE(weft_flows_begin(f, 3, 0, (const uint32_t[]){1}, 1, 2) == 0);   /* nothing to carry */
	REQUIRE(weft_flows_share(f, 3) == 0);
	REQUIRE(weft_flows_next(f, &at));
	CHECK(at == 3);
	REQUIRE(weft_flows_end(f, 3, &end));
	CHECK(end.of == 1);
	REQUIRE(weft_flows_end(f, 3, &end));
	CHECK(end.of == 2);
	CHECK(!weft_flows_end(f, 1e9, &end));
	weft_flows_free(f);
}

/* ---- random networks against the definition ---- */

enum { LINKS = 12, FLOWS = 40, HOPS = 4 };
struct model {
	bool there;
	unsigned n;
	uint32_t link[HOPS];
};

static uint32_t seed = 12345;
static uint32_t below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static bool goes_through(const struct model *m, uint32_t link)
{
	for (unsigned k = 0; k < m->n; k++)
		if (m->link[k] == link)
			return true;
	return false;
}

static void check_fair(const struct weft_flows *f, const struct model *m, const double *capacity)
{
	double load[LINKS] = {0}, most[LINKS] = {0}, rate[FLOWS] = {0};
	for (unsigned i = 0; i < FLOWS; i++) {
		if (!m[i].there)
			continue;
		rate[i] = weft_flows_rate(f, i);
		CHECK(rate[i] > 0);
		for (unsigned k = 0; k < m[i].n; k++) {
			load[m[i].link[k]] += rate[i];
			most[m[i].link[k]] = fmax(most[m[i].link[k]], rate[i]);
		}
	}
	for (unsigned l = 0; l < LINKS; l++)
		CHECK(load[l] <= capacity[l] * (1 + 1e-9));
	for (unsigned i = 0; i < FLOWS; i++) {
		bool held = !m[i].there;
		for (uint32_t l = 0; l < LINKS && !held; l++)
			held = goes_through(&m[i], l) && near(load[l], capacity[l]) && rate[i] >= most[l] * (1 - 1e-9);
		CHECK(held);
	}
}

static void add_random(struct weft_flows *f, struct model *m, unsigned number, double now)
{
	m[number] = (struct model){.there = true};
	const unsigned n = 1 + below(HOPS);
	while (m[number].n < n) {
		const uint32_t link = below(LINKS);
		if (!goes_through(&m[number], link))
			m[number].link[m[number].n++] = link;
	}
	REQUIRE(weft_flows_begin(f, now, 1 + below(1000), m[number].link, m[number].n, number) == 0);
}

TEST(model)
{
	for (unsigned round = 0; round < 200; round++) {
		double capacity[LINKS], now = 0, at;
		struct model m[FLOWS] = {0};
		struct weft_flows *f;
		for (unsigned l = 0; l < LINKS; l++)
			capacity[l] = 1 + below(5); /* many equal ones */
		REQUIRE(weft_flows_new(&f, capacity, LINKS) == 0);
		for (unsigned step = 0; step < 60; step++) {
			const unsigned number = below(FLOWS);
			struct weft_flow_end end;
			if (!m[number].there && step < 50)
				add_random(f, m, number, now);
			else if (weft_flows_next(f, &at)) {
				CHECK(at >= now);
				now = at;
				while (weft_flows_end(f, now, &end))
					m[end.of].there = false;
			}
			REQUIRE(weft_flows_share(f, now) == 0);
			check_fair(f, m, capacity);
		}
		weft_flows_free(f);
	}
}

/* A ring of flows, each through two neighbouring links: all end when bytes say, and the same twice. */
TEST(sizes_are_kept)
{
	double ends[2] = {0};
	for (unsigned again = 0; again < 2; again++) {
		double capacity[LINKS], now = 0, moved = 0;
		struct weft_flow_end end;
		struct weft_flows *f;
		for (unsigned l = 0; l < LINKS; l++)
			capacity[l] = 1;
		REQUIRE(weft_flows_new(&f, capacity, LINKS) == 0);
		for (uint32_t l = 0; l < LINKS; l++)
			REQUIRE(weft_flows_begin(f, 0, 100 + l, (const uint32_t[]){l, (l + 1) % LINKS}, 2, l) == 0);
		REQUIRE(weft_flows_share(f, 0) == 0);
		for (uint32_t l = 0; l < LINKS; l++)
			CHECK(weft_flows_rate(f, l) == 0.5);
		while (weft_flows_next(f, &now)) {
			while (weft_flows_end(f, now, &end))
				moved += 1;
			REQUIRE(weft_flows_share(f, now) == 0);
		}
		CHECK(moved == LINKS && now <= 2 * (100 + LINKS) && now > 200);
		CHECK(weft_flows_use(f, 0, now).size == 100 + 100 + LINKS - 1);
		ends[again] = now;
		weft_flows_free(f);
	}
	CHECK(ends[0] == ends[1]);
}

/* ---- a plain reference: all rates anew at each change, by filling; and patience ---- */

enum { MANY_FLOWS = 200, MANY_LINKS = 20 };
struct plain {
	double begin, size, left, rate, end;
	unsigned n;
	uint32_t link[HOPS];
};

static bool plain_moves(const struct plain *p, double now)
{
	return p->begin <= now && p->end == INFINITY;
}

static bool plain_uses(const struct plain *p, uint32_t link)
{
	for (unsigned k = 0; k < p->n; k++)
		if (p->link[k] == link)
			return true;
	return false;
}

/* The link that has least for each of its open flows is full next; those stay as they are. */
static bool plain_fill(struct plain *p, const double *capacity, double now, bool *fixed)
{
	double left[MANY_LINKS], least = INFINITY;
	unsigned open[MANY_LINKS] = {0}, best = 0;
	for (unsigned l = 0; l < MANY_LINKS; l++) {
		left[l] = capacity[l];
		for (unsigned i = 0; i < MANY_FLOWS; i++)
			if (plain_moves(&p[i], now) && plain_uses(&p[i], l)) {
				left[l] -= fixed[i] ? p[i].rate : 0;
				open[l] += !fixed[i];
			}
		if (open[l] && left[l] / open[l] < least) {
			least = left[l] / open[l];
			best = l;
		}
	}
	for (unsigned i = 0; i < MANY_FLOWS && least < INFINITY; i++)
		if (plain_moves(&p[i], now) && !fixed[i] && plain_uses(&p[i], best)) {
			p[i].rate = least;
			fixed[i] = true;
		}
	return least < INFINITY;
}

static void plain_run(struct plain *p, const double *capacity)
{
	double now = 0;
	for (;;) {
		bool fixed[MANY_FLOWS] = {false};
		double next = INFINITY;
		while (plain_fill(p, capacity, now, fixed))
			;
		for (unsigned i = 0; i < MANY_FLOWS; i++)
			if (plain_moves(&p[i], now))
				next = fmin(next, now + p[i].left / p[i].rate);
			else if (p[i].begin > now)
				next = fmin(next, p[i].begin);
		if (next == INFINITY)
			return;
		for (unsigned i = 0; i < MANY_FLOWS; i++)
			if (plain_moves(&p[i], now)) {
				p[i].left -= p[i].rate * (next - now);
				p[i].end = p[i].left <= 1e-9 * p[i].size ? next : INFINITY;
			}
		now = next;
	}
}

/* The same flows through the code under test, shared when they say that they are due; their ends. The count of sharings. */
static unsigned run_flows(const struct plain *p, const double *capacity, uint32_t many, double part, double *end)
{
	struct weft_flows *f;
	struct weft_flow_end e;
	double due = INFINITY, at;
	unsigned shares = 0;
	bool begun[MANY_FLOWS] = {false};
	REQUIRE(weft_flows_new(&f, capacity, MANY_LINKS) == 0);
	weft_flows_patience(f, many, part);
	for (;;) {
		double now = due;
		if (weft_flows_next(f, &at))
			now = fmin(now, at);
		for (unsigned i = 0; i < MANY_FLOWS; i++)
			now = begun[i] ? now : fmin(now, p[i].begin);
		if (now == INFINITY)
			break;
		bool changes = false;
		for (; weft_flows_end(f, now, &e); changes = true)
			end[e.of] = now;
		for (unsigned i = 0; i < MANY_FLOWS; i++)
			if (!begun[i] && p[i].begin <= now) {
				REQUIRE(weft_flows_begin(f, now, p[i].size, p[i].link, p[i].n, i) == 0);
				begun[i] = changes = true;
			}
		if (changes && due == INFINITY)
			due = weft_flows_due(f, now);
		if (due > now)
			continue;
		REQUIRE(weft_flows_share(f, now) == 0);
		due = INFINITY;
		shares++;
	}
	weft_flows_free(f);
	return shares;
}

static void make_plain(struct plain *p, double *capacity)
{
	for (unsigned l = 0; l < MANY_LINKS; l++)
		capacity[l] = 1 + below(5);
	for (unsigned i = 0; i < MANY_FLOWS; i++) {
		p[i] = (struct plain){.begin = below(400), .size = 1 + below(1000), .end = INFINITY};
		p[i].left = p[i].size;
		const unsigned n = 1 + below(HOPS);
		while (p[i].n < n) {
			const uint32_t link = below(MANY_LINKS);
			if (!plain_uses(&p[i], link))
				p[i].link[p[i].n++] = link;
		}
	}
}

TEST(a_plain_reference_agrees)
{
	for (unsigned round = 0; round < 40; round++) {
		double capacity[MANY_LINKS], end[MANY_FLOWS];
		struct plain p[MANY_FLOWS];
		make_plain(p, capacity);
		run_flows(p, capacity, 0, 0, end);
		plain_run(p, capacity);
		for (unsigned i = 0; i < MANY_FLOWS; i++)
			CHECK(near(end[i], p[i].end));
	}
}

/* It shares more seldom, and nobody's end is far from where it was; with few flows it is as without. */
TEST(patience_saves_sharing_and_little_else)
{
	for (unsigned round = 0; round < 20; round++) {
		double capacity[MANY_LINKS], exact[MANY_FLOWS], late[MANY_FLOWS], last = 0, off = 0;
		struct plain p[MANY_FLOWS];
		make_plain(p, capacity);
		const unsigned all = run_flows(p, capacity, 0, 0, exact), few = run_flows(p, capacity, 20, 1.0 / 64, late);
		CHECK(few < all * 9 / 10);
		for (unsigned i = 0; i < MANY_FLOWS; i++) {
			off += fabs(late[i] - exact[i]);
			last = fmax(last, exact[i]);
		}
		CHECK(off > 0 && off / MANY_FLOWS < 0.005 * last);
		for (unsigned i = 0; i < MANY_FLOWS; i++)
			CHECK(fabs(late[i] - exact[i]) < 0.05 * last);
		CHECK(run_flows(p, capacity, MANY_FLOWS + 1, 1.0 / 64, late) == all);
		for (unsigned i = 0; i < MANY_FLOWS; i++)
			CHECK(late[i] == exact[i]);
	}
}
