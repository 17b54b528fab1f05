/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/cluster/labels.h"
#include "structure_maker.h"

TEST(numbers_by_weight)
{
	uint32_t label[] = {3, 0, 1, 1, 5, 3, 0}, n = 5;
	double weight[] = {1, 100, 4, 5, 2, 1, 7};
	static const uint32_t want[] = {3, 0, 1, 1, 2, 3, 0}; /* 1: 9, 5: 2, 3: 2, and 3 had the smaller number */
	CHECK_I64(weft_labels_by_weight(label, 7, weight, &n), 0);
	CHECK_U64(n, 3);
	CHECK_U64(label[0], 2);
	CHECK_U64(label[4], 3);
	for (unsigned i = 1; i < 4; i++)
		CHECK_U64(label[i], want[i]);
}

TEST(likeness)
{
	static const uint32_t a[] = {1, 1, 1, 2, 2, 2}, renamed[] = {7, 7, 7, 4, 4, 4}, other[] = {1, 1, 2, 2, 3, 3};
	double v;
	CHECK_I64(weft_labels_alike(a, renamed, 6, &v), 0);
	CHECK_NEAR(v, 1, 1e-12);
	/* Pairs: 2 in both, 6 and 3 of each alone, of 15: (2 - 18/15) / (4.5 - 18/15). */
	CHECK_I64(weft_labels_alike(a, other, 6, &v), 0);
	CHECK_NEAR(v, 0.8 / 3.3, 1e-12);
	CHECK_I64(weft_labels_alike(a, a, 1, &v), 0);
	CHECK_NEAR(v, 1, 0);
	uint32_t x[4000], y[4000];
	for (unsigned i = 0; i < 4000; i++) {
		x[i] = (uint32_t)(test_random() % 5);
		y[i] = (uint32_t)(test_random() % 5);
	}
	CHECK_I64(weft_labels_alike(x, y, 4000, &v), 0);
	CHECK_NEAR(v, 0, 0.01);
}

TEST(spreads_to_the_nearest)
{
	double known[] = {0, 0, 1, 0, 5, 5}, asked[] = {0.1, 0, 0.9, 0.1, 4, 4, 3, 0};
	static const uint32_t of[] = {1, 2, 3};
	uint32_t label[4];
	CHECK_I64(weft_labels_spread(&(struct weft_cloud){known, 3, 2}, of, &(struct weft_cloud){asked, 4, 2}, 1.5, 1, label), 0);
	CHECK_U64(label[0], 1);
	CHECK_U64(label[1], 2);
	CHECK_U64(label[2], 3);
	CHECK_U64(label[3], 0); /* 2 away */
	CHECK_I64(weft_labels_spread(&(struct weft_cloud){known, 0, 2}, of, &(struct weft_cloud){asked, 4, 2}, 1.5, 1, label), 0);
	CHECK_U64(label[0], 0);
}
