/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/cluster/k_distance.h"
#include "analyze/cluster/labels.h"
#include "structure_maker.h"
#include <errno.h>

static int descending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x > y ? -1 : x < y;
}

static int ascending(const void *a, const void *b)
{
	return -descending(a, b);
}

TEST(as_sorted_distances)
{
	enum { N = 300, K = 4 };
	double at[2 * N], row[N], want[N], *got;
	size_t n;
	for (unsigned i = 0; i < 2 * N; i++)
		at[i] = maker_uniform();
	for (unsigned i = 0; i < N; i++) {
		for (unsigned k = 0; k < N; k++)
			row[k] = hypot(at[2 * i] - at[2 * k], at[2 * i + 1] - at[2 * k + 1]);
		qsort(row, N, sizeof *row, ascending);
		want[i] = row[K];
	}
	qsort(want, N, sizeof *want, descending);
	CHECK_I64(weft_k_distances(&(struct weft_cloud){at, N, 2}, K, 0, 0, &got, &n), 0);
	CHECK_U64(n, N);
	for (unsigned i = 0; i < N; i++)
		CHECK_NEAR(got[i], want[i], 1e-12);
	free(got);
	CHECK_I64(weft_k_distances(&(struct weft_cloud){at, N, 2}, K, 100, 0, &got, &n), 0);
	CHECK_U64(n, 100);
	free(got);
	CHECK_I64(weft_k_distances(&(struct weft_cloud){at, 4, 2}, K, 0, 0, &got, &n), -EINVAL);
}

/* Well parted blobs, of one density: the epsilon that is chosen parts them. */
TEST(epsilon_parts_blobs)
{
	enum { N = 4000 };
	static const double spread[] = {0.04, 0.04, 0.05, 0.05, 0.04};
	uint32_t *truth = malloc(N * 4), *label = malloc(N * 4), clusters;
	REQUIRE(truth && label);
	double *at = maker_blobs(N, 2, 5, spread, truth), *distance, eps[WEFT_EPSILONS], alike;
	struct weft_cloud cloud = {at, N, 2};
	struct weft_err err = {0};
	size_t n;
	REQUIRE(weft_k_distances(&cloud, 9, 0, 0, &distance, &n) == 0);
	unsigned count = weft_epsilons(distance, n, eps);
	REQUIRE(count > 0);
	for (unsigned i = 1; i < count; i++)
		CHECK(eps[i] > eps[i - 1]);
	REQUIRE(weft_dbscan(&cloud, &(struct weft_dbscan_how){eps[0], 10, 0}, label, &clusters, &err) == 0);
	size_t kept = 0;
	for (unsigned i = 0; i < N; i++) /* the outermost points of blobs are noise, as they should be */
		if (label[i]) {
			label[kept] = label[i];
			truth[kept++] = truth[i];
		}
	CHECK(kept > N * 9 / 10);
	REQUIRE(weft_labels_alike(label, truth, kept, &alike) == 0);
	CHECK(alike >= 0.99);
	free(distance);
	free(at);
	free(truth);
	free(label);
}

TEST(flat_curves)
{
	double same[400] = {0}, eps[WEFT_EPSILONS], none = 0;
	CHECK_U64(weft_epsilons(same, 400, eps), 0);
	CHECK_U64(weft_epsilons(&none, 0, eps), 0);
	for (unsigned i = 0; i < 400; i++)
		same[i] = 3;
	CHECK(weft_epsilons(same, 400, eps) >= 1);
	CHECK_NEAR(eps[0], 3, 0);
}
