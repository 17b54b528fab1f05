/* SPDX-License-Identifier: Apache-2.0 */
/* Nearest points against looking at all of them. */
#include "analyze/cluster/near_tree.h"
#include "structure_maker.h"
#include <errno.h>

static int nearer(const void *a, const void *b)
{
	const struct weft_near *x = a, *y = b;
	if (x->distance2 != y->distance2)
		return x->distance2 < y->distance2 ? -1 : 1;
	return x->point < y->point ? -1 : x->point > y->point;
}

static void check(size_t n, unsigned dims, bool lattice)
{
	double *at = malloc(n * dims * sizeof *at);
	struct weft_near *all = malloc(n * sizeof *all), got[9];
	struct weft_near_tree t;
	REQUIRE(at && all);
	for (size_t i = 0; i < n * dims; i++)
		at[i] = lattice ? (double)(test_random() % 5) : maker_uniform();
	struct weft_cloud cloud = {at, n, dims};
	REQUIRE(weft_near_tree_make(&t, &cloud) == 0);
	for (unsigned turn = 0; turn < 60; turn++) {
		double from[8];
		for (unsigned d = 0; d < dims; d++)
			from[d] = turn % 2 ? at[(turn % n) * dims + d] : maker_uniform() * 6 - 0.5;
		for (size_t i = 0; i < n; i++) {
			all[i] = (struct weft_near){0, (uint32_t)i};
			for (unsigned d = 0; d < dims; d++)
				all[i].distance2 += (at[i * dims + d] - from[d]) * (at[i * dims + d] - from[d]);
		}
		qsort(all, n, sizeof *all, nearer);
		unsigned found = weft_near_find(&t, from, 9, got);
		CHECK_U64(found, n < 9 ? n : 9);
		for (unsigned k = 0; k < found; k++)
			REQUIRE(got[k].point == all[k].point && got[k].distance2 == all[k].distance2);
	}
	CHECK_U64(weft_near_find(&t, at, 0, got), 0);
	weft_near_tree_fini(&t);
	free(at);
	free(all);
}

TEST(as_looking_at_all)
{
	for (unsigned dims = 1; dims <= 5; dims++) {
		check(1, dims, false);
		check(13, dims, false);
		check(1000, dims, false);
		check(1000, dims, true); /* many in one place */
	}
}

TEST(without_memory)
{
	double at[40] = {0};
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_near_tree t;
		int rc = weft_near_tree_make(&t, &(struct weft_cloud){at, 20, 2});
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		if (!rc)
			weft_near_tree_fini(&t);
	}
}
