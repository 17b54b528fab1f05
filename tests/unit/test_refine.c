/* SPDX-License-Identifier: Apache-2.0 */
/* A program whose truth is known: eight threads, three kinds of bursts in turn, one of them wide and one tight. */
#include "analyze/cluster/labels.h"
#include "analyze/cluster/refine.h"
#include "structure_maker.h"
#include <errno.h>

enum { THREADS = 8, TURNS = 40, KINDS = 3, N = THREADS * TURNS * KINDS };
static const double center[KINDS][2] = {{0.1, 0.1}, {0.9, 0.9}, {0.22, 0.1}};
static const double width[KINDS] = {0.004, 0.05, 0.004};

struct made {
	double at[2 * N], duration[N];
	uint32_t sequence[N], truth[N], label[N];
};

static struct made *make(void)
{
	struct made *m = malloc(sizeof *m);
	REQUIRE(m);
	for (unsigned i = 0; i < N; i++) {
		unsigned kind = i / THREADS % KINDS;
		m->sequence[i] = i % THREADS;
		m->truth[i] = kind + 1;
		m->duration[i] = 1000 + 100 * kind;
		for (unsigned d = 0; d < 2; d++)
			m->at[2 * i + d] = center[kind][d] + width[kind] * maker_normal();
	}
	return m;
}

static void check(bool divisive)
{
	static const double eps[] = {0.003, 0.01, 0.03, 0.06, 0.1};
	struct made *m = make();
	struct weft_refine_how how = {.divisive = divisive,
	                              .eps = eps,
	                              .n_eps = 5,
	                              .min_points = 10,
	                              .sequence = m->sequence,
	                              .n_sequences = THREADS,
	                              .duration = m->duration};
	struct weft_err err = {0};
	uint32_t n;
	double score, alike;
	REQUIRE(weft_refine(&(struct weft_cloud){m->at, N, 2}, &how, m->label, &n, &score, &err) == 0);
	/* From above, two kinds that always come in the same order are one: nothing speaks for dividing them. */
	for (unsigned i = 0; i < N && divisive; i++)
		m->truth[i] = m->truth[i] == 3 ? 1 : m->truth[i];
	REQUIRE(weft_labels_alike(m->label, m->truth, N, &alike) == 0);
	CHECK(alike >= 0.99);
	CHECK_U64(n, divisive ? 2 : KINDS);
	CHECK(score >= 0.98);
	free(m);
}

TEST(aggregative)
{
	check(false);
}

TEST(divisive)
{
	check(true);
}

static int stop(void *arg, unsigned step, double eps, const uint32_t *label, uint32_t n_clusters, double score)
{
	unsigned *steps = arg;
	(void)eps, (void)label, (void)n_clusters, (void)score;
	*steps = step;
	return 77;
}

TEST(steps_are_told)
{
	static const double eps[] = {0.01};
	struct made *m = make();
	unsigned steps = 0;
	struct weft_refine_how how = {.eps = eps,
	                              .n_eps = 1,
	                              .min_points = 10,
	                              .sequence = m->sequence,
	                              .n_sequences = THREADS,
	                              .duration = m->duration,
	                              .on_step = stop,
	                              .arg = &steps};
	struct weft_err err = {0};
	uint32_t n;
	double score;
	CHECK_I64(weft_refine(&(struct weft_cloud){m->at, N, 2}, &how, m->label, &n, &score, &err), 77);
	CHECK_U64(steps, 1);
	free(m);
}

TEST(nothing_and_noise)
{
	static const double eps[] = {1e-9, 1e-8};
	struct made *m = make();
	struct weft_refine_how how = {.eps = eps,
	                              .n_eps = 2,
	                              .min_points = 10,
	                              .sequence = m->sequence,
	                              .n_sequences = THREADS,
	                              .duration = m->duration};
	struct weft_err err = {0};
	uint32_t n = 9;
	double score = 9;
	CHECK_I64(weft_refine(&(struct weft_cloud){m->at, 0, 2}, &how, m->label, &n, &score, &err), 0);
	CHECK_U64(n, 0);
	CHECK_I64(weft_refine(&(struct weft_cloud){m->at, N, 2}, &how, m->label, &n, &score, &err), 0);
	CHECK_U64(n, 0);
	CHECK_U64(m->label[5], 0);
	free(m);
}
