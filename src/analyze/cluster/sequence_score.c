/* SPDX-License-Identifier: Apache-2.0 */
#include "sequence.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* How many sequences have which id in a column. */
static void count_column(const struct weft_alignment *a, size_t column, uint32_t n_ids, uint32_t *count)
{
	memset(count, 0, n_ids * sizeof *count);
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t id = a->cell[i * a->columns + column];
		if (id != WEFT_SEQUENCE_GAP)
			count[id]++;
	}
}

int weft_sequences_score(const struct weft_alignment *a, const struct weft_sequences *s, struct weft_sequence_score *score,
                         double *global)
{
	uint32_t *count = malloc((s->n_ids + (size_t)1) * sizeof *count);
	*global = 0;
	memset(score, 0, s->n_ids * sizeof *score);
	if (!count)
		return -ENOMEM;
	for (size_t c = 0; c < a->columns; c++) {
		count_column(a, c, s->n_ids, count);
		for (uint32_t i = 0; i < s->n_ids; i++) {
			score[i].score += (double)count[i] / a->n;
			score[i].columns += count[i] > 0;
			score[i].occurrences += count[i];
		}
	}
	for (uint32_t i = 0; i < s->n_ids; i++) {
		score[i].score = score[i].columns ? score[i].score / (double)score[i].columns : 0;
		*global += score[i].score * s->share[i];
	}
	free(count);
	return 0;
}

int weft_sequences_together(const struct weft_alignment *a, uint32_t n_ids, double *together)
{
	uint32_t *count = malloc((n_ids + (size_t)1) * sizeof *count);
	size_t n = n_ids;
	if (!count)
		return -ENOMEM;
	memset(together, 0, n * n * sizeof *together);
	for (size_t c = 0; c < a->columns; c++) {
		count_column(a, c, n_ids, count);
		for (size_t i = 0; i < n; i++)
			for (size_t k = 0; count[i] && k < n; k++)
				together[i * n + k] += count[k] > 0;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < i; k++) {
			double all = together[i * n + i] + together[k * n + k];
			double both = all > 0 ? 2 * together[i * n + k] / all : 0;
			together[i * n + k] = together[k * n + i] = both;
		}
	for (size_t i = 0; i < n; i++)
		together[i * n + i] = together[i * n + i] > 0;
	free(count);
	return 0;
}
