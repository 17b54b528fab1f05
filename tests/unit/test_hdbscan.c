/* SPDX-License-Identifier: Apache-2.0 */
/* HDBSCAN*: the tree of least edges against Prim's, blobs of very different densities, noise alone, points in one place. */
#include "analyze/cluster/hdbscan.h"
#include "analyze/cluster/hdbscan_priv.h"
#include "analyze/cluster/labels.h"
#include "structure_maker.h"
#include <errno.h>

static double mutual(const double *at, const double *core2, size_t a, size_t b)
{
	double x = at[2 * a] - at[2 * b], y = at[2 * a + 1] - at[2 * b + 1];
	return fmax(x * x + y * y, fmax(core2[a], core2[b]));
}

TEST(least_tree)
{
	enum { N = 400 };
	double at[2 * N], core2[N], best[N], prim = 0, ours = 0;
	bool in[N] = {true};
	struct hdb_edge one[N], many[N];
	struct weft_near_tree tree;
	for (unsigned i = 0; i < 2 * N; i++)
		at[i] = i % 3 ? maker_uniform() : (double)(test_random() % 4); /* many equal lengths, too */
	REQUIRE(weft_near_tree_make(&tree, &(struct weft_cloud){at, N, 2}) == 0);
	for (unsigned i = 0; i < N; i++) {
		struct weft_near near[5];
		weft_near_find(&tree, at + 2 * i, 5, near);
		core2[i] = near[4].distance2;
	}
	REQUIRE(hdb_least_tree(&tree, core2, 1, one) == 0);
	REQUIRE(hdb_least_tree(&tree, core2, 4, many) == 0);
	for (unsigned i = 0; i + 1 < N; i++) {
		REQUIRE(one[i].a == many[i].a && one[i].b == many[i].b && one[i].length2 == many[i].length2);
		CHECK_NEAR(one[i].length2, mutual(at, core2, one[i].a, one[i].b), 0);
		ours += one[i].length2;
	}
	for (unsigned i = 0; i < N; i++)
		best[i] = mutual(at, core2, 0, i);
	for (unsigned k = 1; k < N; k++) {
		unsigned next = N;
		for (unsigned i = 0; i < N; i++)
			if (!in[i] && (next == N || best[i] < best[next]))
				next = i;
		in[next] = true;
		prim += best[next];
		for (unsigned i = 0; i < N; i++)
			best[i] = fmin(best[i], mutual(at, core2, next, i));
	}
	CHECK_NEAR(ours, prim, 1e-9);
	weft_near_tree_fini(&tree);
}

TEST(different_densities)
{
	enum { N = 3000 };
	static const double spread[] = {0.01, 0.08, 0.03, 0.005};
	uint32_t *truth = malloc(N * 4), *label = malloc(N * 4), *known = malloc(N * 4), *of = malloc(N * 4), n, m = 0;
	REQUIRE(truth && label && known && of);
	double *at = maker_blobs(N, 2, 4, spread, truth), alike;
	struct weft_err err = {0};
	struct weft_hdbscan_how how = {15, 100, 0};
	REQUIRE(weft_hdbscan(&(struct weft_cloud){at, N, 2}, &how, label, &n, &err) == 0);
	CHECK_U64(n, 4);
	for (unsigned i = 0; i < N; i++) /* noise: what lies far out; the rest must be right */
		if (label[i]) {
			known[m] = label[i];
			of[m++] = truth[i];
		}
	CHECK(m > N * 8 / 10);
	REQUIRE(weft_labels_alike(known, of, m, &alike) == 0);
	CHECK(alike >= 0.99);
	free(at);
	free(truth);
	free(label);
	free(known);
	free(of);
}

TEST(degenerate)
{
	double same[100] = {0}, two[] = {0, 0, 1, 1};
	uint32_t label[50], n;
	struct weft_err err = {0};
	struct weft_hdbscan_how how = {5, 0, 0};
	CHECK_I64(weft_hdbscan(&(struct weft_cloud){same, 50, 2}, &how, label, &n, &err), 0);
	CHECK_U64(n, 0); /* the whole is no cluster of itself */
	CHECK_I64(weft_hdbscan(&(struct weft_cloud){two, 2, 2}, &how, label, &n, &err), 0);
	CHECK_U64(n, 0);
	CHECK_I64(weft_hdbscan(&(struct weft_cloud){two, 0, 2}, &how, label, &n, &err), 0);
	CHECK_I64(weft_hdbscan(&(struct weft_cloud){two, 1, 2}, &how, label, &n, &err), 0);
	how.min_points = 1;
	CHECK_I64(weft_hdbscan(&(struct weft_cloud){two, 2, 2}, &how, label, &n, &err), -EINVAL);
	how.min_points = 2;
	two[0] = INFINITY;
	err = (struct weft_err){0};
	CHECK_I64(weft_hdbscan(&(struct weft_cloud){two, 2, 2}, &how, label, &n, &err), -EINVAL);
	CHECK_STR(err.text, "cannot cluster: a coordinate is no finite number");
}

TEST(without_memory)
{
	double at[80];
	uint32_t label[40], n;
	for (unsigned i = 0; i < 80; i++)
		at[i] = maker_uniform();
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		int rc = weft_hdbscan(&(struct weft_cloud){at, 40, 2}, &(struct weft_hdbscan_how){3, 0, 1}, label, &n, &err);
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
	}
}
