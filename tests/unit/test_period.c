/* SPDX-License-Identifier: Apache-2.0 */
/* Periods of series whose truth is known: within half a percent, or none. */
#include "analyze/phase/period.h"
#include "structure_maker.h"

static const struct weft_period_how how = {.least = 0.25, .cycles = 2.5};

/* Computes for part of a period, jitters by a share of it, has noise on it. */
static void made(double *x, size_t n, double period, double part, double jitter, double noise)
{
	double next = 0, begin = 0;
	for (size_t i = 0; i < n; i++) {
		if ((double)i >= next) {
			begin = next;
			next += period * (1 + jitter * maker_normal());
		}
		x[i] = ((double)i - begin < part * period ? 4 : 0) + noise * maker_normal();
	}
}

TEST(finds_periods)
{
	enum { N = 20000 };
	static double x[N];
	static const double periods[] = {37.3, 100, 512.7, 1999.5, 5000};
	for (unsigned k = 0; k < 5; k++)
		for (unsigned variant = 0; variant < 4; variant++) {
			struct weft_period p;
			made(x, N, periods[k], variant & 1 ? 0.8 : 0.4, 0, variant & 2 ? 1 : 0);
			REQUIRE(weft_period_find(x, N, &how, &p) == 0);
			CHECK(p.found);
			CHECK_NEAR(p.period / periods[k], 1, 0.005);
		}
}

TEST(jitter)
{
	enum { N = 40000 };
	static double x[N];
	struct weft_period p;
	made(x, N, 400, 0.7, 0.01, 0.3);
	REQUIRE(weft_period_find(x, N, &how, &p) == 0);
	CHECK(p.found);
	CHECK_NEAR(p.period / 400, 1, 0.005);
	double period = 380;
	REQUIRE(weft_period_refine(x, N, 0, &period) == 0);
	CHECK_NEAR(period / 400, 1, 0.005);
}

TEST(finds_none)
{
	enum { N = 8192 };
	static double x[N];
	struct weft_period p;
	for (unsigned i = 0; i < N; i++)
		x[i] = maker_normal();
	REQUIRE(weft_period_find(x, N, &how, &p) == 0);
	CHECK(!p.found);
	for (unsigned i = 0; i < N; i++)
		x[i] = 3;
	REQUIRE(weft_period_find(x, N, &how, &p) == 0);
	CHECK(!p.found);
	for (unsigned i = 0; i < N; i++)
		x[i] = i; /* only grows */
	REQUIRE(weft_period_find(x, N, &how, &p) == 0);
	CHECK(!p.found);
	for (unsigned i = 0; i < N; i++)
		x[i] = i > N / 2;
	REQUIRE(weft_period_find(x, N, &how, &p) == 0);
	CHECK(!p.found);
	REQUIRE(weft_period_find(x, 5, &how, &p) == 0);
	CHECK(!p.found);
}

TEST(stretches)
{
	double x[200] = {0}, d[100];
	struct weft_stretch s[100];
	for (unsigned i = 40; i < 120; i += 4)
		x[i] = 1; /* details 20, 22, … 58 */
	x[160] = 1;
	weft_haar_details(x, 200, d);
	CHECK_NEAR(d[20], M_SQRT1_2, 1e-12);
	CHECK_U64(weft_haar_stretches(d, 100, 10, 5, s), 1);
	CHECK_U64(s[0].from, 20);
	CHECK_U64(s[0].to, 59);
	CHECK_U64(weft_haar_stretches(d, 100, 30, 5, s), 1);
	CHECK_U64(s[0].to, 81);
	CHECK_U64(weft_haar_stretches(d, 100, 1, 1, s), 21);
	CHECK_U64(weft_haar_stretches(d, 0, 10, 5, s), 0);
}
