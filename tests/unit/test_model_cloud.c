/* SPDX-License-Identifier: Apache-2.0 */
/* Two clouds are told from one, whatever shape that one has. */
#include "harness.h"
#include "cli/model/model_cloud.h"
#include <math.h>

enum { MOST = 500 };

static double uniform(void)
{
	return ((double)(test_random() % 1000000) + 0.5) / 1e6;
}
static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

TEST(model_cloud_of_one)
{
	struct model_cloud low, high;
	double y[MOST];
	for (int round = 0; round < 200; round++) {
		size_t n = 8 + test_random() % (MOST - 8);
		for (size_t i = 0; i < n; i++)
			y[i] = 100 * (round % 3 == 0 ? 1 + 0.1 * normal() : round % 3 == 1 ? 0.5 + uniform() : -log(uniform()));
		/* Of few values some may lie so by chance. */
		CHECK(n < 60 || !model_two_clouds(y, n, &low, &high));
	}
	for (int i = 0; i < MOST; i++)
		y[i] = 7;
	CHECK(!model_two_clouds(y, MOST, &low, &high));
	for (int i = 0; i < 40; i++) /* outliers are no cloud */
		y[i] = 900;
	CHECK(!model_two_clouds(y, MOST, &low, &high));
	CHECK(!model_two_clouds(y, 7, &low, &high));
}

TEST(model_cloud_of_two)
{
	struct model_cloud low, high;
	double y[MOST];
	for (int round = 0; round < 100; round++) {
		size_t n = 50 + test_random() % (MOST - 50), k = n / 4 + test_random() % (n / 2);
		for (size_t i = 0; i < n; i++)
			y[i] = (i < k ? 200 : 100) * (1 + 0.05 * normal());
		REQUIRE(model_two_clouds(y, n, &low, &high));
		CHECK_U64(low.n, n - k);
		CHECK_U64(high.n, k);
		CHECK_NEAR(low.mean, 100, 5);
		CHECK_NEAR(high.mean, 200, 10);
		CHECK_NEAR(low.deviation, 5, 2.5);
	}
	/* A twentieth apart is the same, however narrow. */
	for (int i = 0; i < 100; i++)
		y[i] = i % 2 ? 100 : 105;
	CHECK(!model_two_clouds(y, 100, &low, &high));
}
