/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/cluster/sequence.h"
#include "structure_maker.h"
#include <errno.h>

/* Whatever the alignment is, without its gaps each row is its sequence. */
static void check_rows(const struct weft_alignment *a, const struct weft_sequences *s)
{
	REQUIRE(a->n == s->n);
	for (uint32_t i = 0; i < a->n; i++) {
		size_t at = s->first[i];
		for (size_t c = 0; c < a->columns; c++) {
			uint32_t x = a->cell[i * a->columns + c];
			if (x != WEFT_SEQUENCE_GAP)
				REQUIRE(at < s->first[i + 1] && s->id[at++] == x);
		}
		REQUIRE(at == s->first[i + 1]);
	}
}

static double score_of(const size_t *first, const uint32_t *id, uint32_t n, uint32_t n_ids, const double *share,
                       struct weft_sequence_score *score)
{
	struct weft_sequences s = {n, first, id, n_ids, share};
	struct weft_alignment a;
	double global;
	REQUIRE(weft_sequences_align(&a, &s) == 0);
	check_rows(&a, &s);
	REQUIRE(weft_sequences_score(&a, &s, score, &global) == 0);
	weft_alignment_fini(&a);
	return global;
}

TEST(all_the_same)
{
	static const size_t first[] = {0, 4, 8, 12};
	static const uint32_t id[] = {1, 2, 1, 3, 1, 2, 1, 3, 1, 2, 1, 3};
	static const double share[] = {0, 0.5, 0.3, 0.2};
	struct weft_sequence_score score[4];
	CHECK_NEAR(score_of(first, id, 3, 4, share, score), 1, 1e-12);
	CHECK_NEAR(score[1].score, 1, 0);
	CHECK_U64(score[1].columns, 2);
	CHECK_U64(score[1].occurrences, 6);
	CHECK_NEAR(score[0].score, 0, 0);
}

TEST(one_is_missing)
{
	static const size_t first[] = {0, 5, 9};
	static const uint32_t id[] = {1, 2, 3, 1, 2, 1, 2, 1, 2};
	static const double share[] = {0, 0.4, 0.4, 0.2};
	struct weft_sequence_score score[4];
	double global = score_of(first, id, 2, 4, share, score);
	CHECK_NEAR(score[1].score, 1, 0);
	CHECK_NEAR(score[2].score, 1, 0);
	CHECK_NEAR(score[3].score, 0.5, 0);
	CHECK_NEAR(global, 0.9, 1e-12);
}

/* Two threads do in cluster 1 what two others do in cluster 2. */
TEST(under_other_names)
{
	static const size_t first[] = {0, 6, 12, 18, 24};
	static const uint32_t id[] = {1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3, 2, 3};
	static const double share[] = {0, 0.3, 0.3, 0.4};
	struct weft_sequences s = {4, first, id, 4, share};
	struct weft_alignment a;
	double together[16];
	REQUIRE(weft_sequences_align(&a, &s) == 0);
	CHECK_U64(a.columns, 6);
	REQUIRE(weft_sequences_together(&a, 4, together) == 0);
	CHECK_NEAR(together[1 * 4 + 2], 1, 0);
	CHECK_NEAR(together[1 * 4 + 3], 0, 0);
	weft_alignment_fini(&a);
	struct weft_sequence_score score[4];
	CHECK_NEAR(score_of(first, id, 4, 4, share, score), 0.3 * 0.5 + 0.3 * 0.5 + 0.4, 1e-12);
}

TEST(random_ones_keep_their_order)
{
	for (unsigned turn = 0; turn < 30; turn++) {
		size_t first[6] = {0};
		uint32_t id[400];
		double share[] = {0.1, 0.4, 0.3, 0.2};
		for (unsigned i = 0; i < 5; i++) {
			first[i + 1] = first[i] + test_random() % 60;
			for (size_t k = first[i]; k < first[i + 1]; k++)
				id[k] = (uint32_t)(test_random() % 4);
		}
		struct weft_sequence_score score[4];
		double global = score_of(first, id, 5, 4, share, score);
		CHECK(global >= 0 && global <= 1);
	}
}

TEST(nothing)
{
	static const size_t first[] = {0, 0, 0};
	static const double share[] = {0};
	struct weft_sequence_score score[1];
	CHECK_NEAR(score_of(first, NULL, 2, 1, share, score), 0, 0);
	CHECK_NEAR(score_of(first, NULL, 0, 1, share, score), 0, 0);
}

TEST(without_memory)
{
	static const size_t first[] = {0, 3, 5};
	static const uint32_t id[] = {1, 2, 1, 1, 1};
	static const double share[] = {0, 0.5, 0.5};
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_alignment a;
		int rc = weft_sequences_align(&a, &(struct weft_sequences){2, first, id, 3, share});
		CHECK(rc == (test_alloc_failed() ? -ENOMEM : 0));
		if (!rc)
			weft_alignment_fini(&a);
	}
}
