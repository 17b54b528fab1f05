/* SPDX-License-Identifier: Apache-2.0 */
/* DBSCAN against the rule as it is told, point after point, in one to seven dimensions, with clouds, lines, lattices and doubles. */
#include "analyze/cluster/dbscan.h"
#include "harness.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double uniform(void)
{
	return (double)(test_random() >> 11) * 0x1p-53;
}

static bool near(const struct weft_cloud *c, size_t a, size_t b, double eps)
{
	double sum = 0;
	for (unsigned d = 0; d < c->dims; d++) {
		double x = c->at[a * c->dims + d] - c->at[b * c->dims + d];
		sum += x * x;
	}
	return sum <= eps * eps;
}

static size_t around(const struct weft_cloud *c, size_t p, double eps, uint32_t *list)
{
	size_t n = 0;
	for (size_t q = 0; q < c->n; q++)
		if (near(c, p, q, eps))
			list[n++] = (uint32_t)q;
	return n;
}

/* The rule: UINT32_MAX is not yet labelled. */
static uint32_t told(const struct weft_cloud *c, double eps, uint32_t least, uint32_t *label)
{
	uint32_t clusters = 0, *list = malloc((c->n + 1) * 4), *queue = malloc((c->n + 1) * 4);
	REQUIRE(list && queue);
	memset(label, 0xff, c->n * 4);
	for (size_t p = 0; p < c->n; p++) {
		size_t n = 0, head = 0, tail = 0;
		if (label[p] != UINT32_MAX)
			continue;
		n = around(c, p, eps, list);
		if (n < least) {
			label[p] = 0;
			continue;
		}
		clusters++;
		for (size_t k = 0; k < n; k++) {
			label[list[k]] = clusters;
			queue[tail++] = list[k];
		}
		while (head < tail) {
			uint32_t q = queue[head++];
			n = around(c, q, eps, list);
			for (size_t k = 0; n >= least && k < n; k++)
				if (label[list[k]] == UINT32_MAX || label[list[k]] == 0) {
					label[list[k]] = clusters;
					queue[tail++] = list[k];
				}
		}
	}
	free(list);
	free(queue);
	return clusters;
}

static void compare(const struct weft_cloud *c, double eps, uint32_t least)
{
	uint32_t *want = malloc((c->n + 1) * 4), *got = malloc((c->n + 1) * 4), n = 0, clusters = told(c, eps, least, want);
	REQUIRE(want && got);
	for (unsigned threads = 1; threads <= 4; threads += 3) {
		struct weft_err err = {0};
		struct weft_dbscan_how how = {eps, least, threads};
		memset(got, 0xee, c->n * 4);
		REQUIRE(weft_dbscan(c, &how, got, &n, &err) == 0);
		CHECK_U64(n, clusters);
		for (size_t i = 0; i < c->n; i++)
			REQUIRE(got[i] == want[i]);
	}
	free(want);
	free(got);
}

/* Clouds of several widths and a floor of noise. */
static double *clouds(size_t n, unsigned dims)
{
	double *at = malloc((n + 1) * dims * sizeof *at);
	REQUIRE(at);
	for (size_t i = 0; i < n; i++) {
		unsigned of = (unsigned)(test_random() % 6);
		for (unsigned d = 0; d < dims; d++) {
			double spread = (uniform() + uniform() + uniform() - 1.5) * 0.05 * (1 + of);
			at[i * dims + d] = of == 5 ? uniform() : 0.15 * (double)(of * (d + 2) % 6) + spread;
		}
	}
	return at;
}

TEST(clouds_in_any_dimension)
{
	for (unsigned dims = 1; dims <= 7; dims++)
		for (unsigned k = 0; k < 4; k++) {
			double *at = clouds(700, dims);
			struct weft_cloud c = {at, 700, dims};
			compare(&c, 0.02 * (1 + k) * sqrt(dims), 2 + 3 * k);
			free(at);
		}
}

TEST(lattices_and_doubles)
{
	double at[2 * 900];
	struct weft_cloud c = {at, 900, 2};
	for (unsigned i = 0; i < 900; i++) { /* each point three times, neighbours at exactly eps */
		at[2 * i] = i / 3 % 20;
		at[2 * i + 1] = i / 60;
	}
	compare(&c, 1, 4);
	compare(&c, 1, 16);
	compare(&c, 0.999, 3);
	compare(&c, 0.999, 4);
	compare(&c, 1.5, 27);
}

TEST(borders_between_clusters)
{
	for (unsigned turn = 0; turn < 200; turn++) { /* few points, close together: many borders of two clusters */
		double at[2 * 40];
		struct weft_cloud c = {at, 40, 2};
		for (unsigned i = 0; i < 80; i++)
			at[i] = (double)(test_random() % 12);
		compare(&c, 1.5, 3 + turn % 4);
	}
}

TEST(degenerate)
{
	double one[3] = {1, 2, 3}, same[40] = {0};
	uint32_t label[40], n;
	struct weft_err err = {0};
	struct weft_dbscan_how how = {0.1, 1, 0};
	CHECK_I64(weft_dbscan(&(struct weft_cloud){one, 0, 2}, &how, label, &n, &err), 0);
	CHECK_U64(n, 0);
	CHECK_I64(weft_dbscan(&(struct weft_cloud){one, 1, 3}, &how, label, &n, &err), 0);
	CHECK_U64(n, 1);
	how.min_points = 21;
	CHECK_I64(weft_dbscan(&(struct weft_cloud){same, 20, 2}, &how, label, &n, &err), 0);
	CHECK_U64(n, 0);
	CHECK_U64(label[7], 0);
	how.min_points = 20;
	CHECK_I64(weft_dbscan(&(struct weft_cloud){same, 20, 2}, &how, label, &n, &err), 0);
	CHECK_U64(n, 1);
	CHECK_U64(label[7], 1);
}

TEST(refuses)
{
	double at[4] = {0, 1, 2, NAN}, wide[4] = {0, 0, 1e300, 1};
	uint32_t label[2], n;
	struct weft_err err = {0};
	struct weft_dbscan_how how = {0.1, 1, 0};
	CHECK_I64(weft_dbscan(&(struct weft_cloud){at, 2, 2}, &how, label, &n, &err), -EINVAL);
	CHECK_STR(err.text, "cannot cluster: a coordinate is no finite number");
	err = (struct weft_err){0};
	CHECK_I64(weft_dbscan(&(struct weft_cloud){wide, 2, 2}, &how, label, &n, &err), -ERANGE);
	CHECK_STR(err.text, "epsilon 0.1 is too small for values that lie so far apart");
	err = (struct weft_err){0};
	how.eps = 0;
	CHECK_I64(weft_dbscan(&(struct weft_cloud){wide, 2, 2}, &how, label, &n, &err), -EINVAL);
	CHECK_STR(err.text, "epsilon must be positive, not 0");
}

TEST(without_memory)
{
	double *at = clouds(50, 2);
	uint32_t label[50], n;
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		struct weft_dbscan_how how = {0.05, 4, 1};
		int rc = weft_dbscan(&(struct weft_cloud){at, 50, 2}, &how, label, &n, &err);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
	}
	free(at);
}
