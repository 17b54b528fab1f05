/* SPDX-License-Identifier: Apache-2.0 */
/* Curves whose truth is known, and those of the real tool from its own samples. */
#include "analyze/fold/fold_curve.h"
#include "structure_maker.h"
#include <errno.h>

enum { STEPS = 1000 };

static double straight(double x)
{
	return x;
}
static double bent(double x)
{
	return x < 0.3 ? 2 * x : x < 0.8 ? 0.6 : 0.6 + 2 * (x - 0.8);
}
static double early(double x)
{
	return 1 - (1 - x) * (1 - x);
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void check(double (*truth)(double), double noise, size_t n, double most)
{
	double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *out = malloc(3 * STEPS * sizeof *out);
	uint32_t *instance = malloc(n * sizeof *instance);
	double shift[40], worst = 0, outside = 0;
	REQUIRE(x && y && out && instance);
	for (unsigned i = 0; i < 40; i++)
		shift[i] = noise * maker_normal();
	for (size_t i = 0; i < n; i++)
		x[i] = maker_uniform();
	qsort(x, n, sizeof *x, ascending);
	for (size_t i = 0; i < n; i++) {
		instance[i] = (uint32_t)(test_random() % 40);
		double ends = 4 * x[i] * (1 - x[i]); /* all instances begin at 0 and end at 1 */
		y[i] = truth(x[i]) + ends * (shift[instance[i]] + noise * maker_normal());
	}
	struct weft_fold_samples s = {x, y, instance, n};
	REQUIRE(weft_fold_monotone(&s, STEPS, out, out + STEPS, out + 2 * STEPS) == 0);
	for (unsigned i = 0; i < STEPS; i++) {
		double want = truth((double)i / (STEPS - 1));
		worst = fmax(worst, fabs(out[i] - want));
		outside += want < out[STEPS + i] - 0.004 || want > out[2 * STEPS + i] + 0.004;
		CHECK(!i || out[i] >= out[i - 1]);
	}
	CHECK_NEAR(out[0], 0, 0);
	CHECK_NEAR(out[STEPS - 1], 1, 0);
	if (!CHECK(worst <= most))
		printf("# %zu samples, noise %g: off by %g\n", n, noise, worst);
	CHECK(outside <= 0.25 * STEPS);
	free(x);
	free(y);
	free(out);
	free(instance);
}

TEST(within_two_percent)
{
	static double (*const truths[])(double) = {straight, bent, early};
	for (unsigned t = 0; t < 3; t++) {
		check(truths[t], 0, 3000, 0.01);
		check(truths[t], 0.01, 3000, 0.02);
		check(truths[t], 0.01, 400, 0.02);
		check(truths[t], 0.005, 100, 0.04);
	}
}

TEST(few_samples)
{
	double x[] = {0.5, 0.5}, y[] = {0.4, 0.6}, out[30];
	uint32_t instance[] = {0, 1};
	for (size_t n = 1; n <= 2; n++) {
		REQUIRE(weft_fold_monotone(&(struct weft_fold_samples){x, y, instance, n}, 10, out, out + 10, out + 20) == 0);
		for (unsigned i = 0; i < 10; i++)
			CHECK(out[i] >= 0 && out[i] <= 1 && out[10 + i] <= out[i] && out[20 + i] >= out[i]);
	}
	REQUIRE(weft_fold_monotone(&(struct weft_fold_samples){x, y, instance, 0}, 10, out, out + 10, out + 20) == 0);
	CHECK_NEAR(out[9], 1, 0);
}

TEST(slopes)
{
	double y[] = {0, 0.25, 0.2, 0.5, 1}, slope[5];
	weft_fold_slope(y, 5, 2, slope);
	CHECK_NEAR(slope[0], 0, 0);
	CHECK_NEAR(slope[1], 2.5, 1e-12);
	CHECK_NEAR(slope[2], 0, 0);
	CHECK_NEAR(slope[3], 2.5, 1e-12);
	CHECK_NEAR(slope[4], 5, 1e-12);
}

TEST(spread)
{
	double x[100];
	uint8_t taken[100];
	size_t n, count = 0;
	for (unsigned i = 0; i < 100; i++)
		x[i] = i < 50 ? i / 500.0 : 0.1 + (i - 49) * 0.9 / 51;
	struct weft_fold_samples s = {x, x, NULL, 100};
	REQUIRE(weft_fold_spread(&s, 20, taken, &n) == 0);
	for (unsigned i = 0; i < 100; i++)
		count += taken[i];
	CHECK_U64(n, 20);
	CHECK_U64(count, 20);
	REQUIRE(weft_fold_spread(&s, 200, taken, &n) == 0);
	CHECK_U64(n, 100);
	CHECK(taken[0] && taken[99]);
}

static size_t read_samples(const char *path, const char *counter, double *x, double *y, size_t most)
{
	char line[400], name[64];
	size_t n = 0;
	FILE *f = fopen(path, "r");
	REQUIRE(f);
	while (n < most && fgets(line, sizeof line, f))
		if (sscanf(line, "u;main;0;%lf;%63[^;];%lf", &x[n], name, &y[n]) == 3 && !strcmp(name, counter))
			n++;
	fclose(f);
	return n;
}

TEST(as_the_real_tool)
{
	static const char *const counters[] = {"PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L1_DCM"};
	const char *dump = maker_shared("folding/expected/444.namd.codeblocks.fused.any.any.any.dump.csv.zst");
	if (!dump)
		SKIP("../shared is not here");
	static double x[2000], y[2000], curve[STEPS];
	char samples[4096], line[400], name[64];
	snprintf(samples, sizeof samples, "%s", dump);
	for (unsigned c = 0; c < 3; c++) {
		size_t n = read_samples(samples, counters[c], x, y, 2000);
		CHECK_U64(n, 1500);
		REQUIRE(weft_fold_kriging(&(struct weft_fold_samples){x, y, NULL, n}, 1e-4, STEPS, curve) == 0);
		FILE *f = fopen(maker_shared("folding/expected/444.namd.codeblocks.fused.any.any.any.interpolate.csv"), "r");
		REQUIRE(f);
		double at, want, worst = 0;
		unsigned i = 0;
		while (i < STEPS && fgets(line, sizeof line, f))
			if (sscanf(line, "main;0;%63[^;];%lf;%lf", name, &at, &want) == 3 && !strcmp(name, counters[c]))
				worst = fmax(worst, fabs(curve[i++] - want));
		fclose(f);
		CHECK_U64(i, STEPS);
		CHECK(worst < 4e-6); /* the samples are printed with six digits */
	}
}
