/* SPDX-License-Identifier: Apache-2.0 */
/* pyramid_cells.c, pyramid_make.c, metric_key.c: cells from a pyramid are, bit for bit, those of evaluating every burst. */
#include "harness.h"
#include "render/cells/metric_cells_priv.h"
#include "render/cells/time_cells_priv.h"
#include "sample_metric.h"
#include <stdlib.h>
#include <string.h>

static void check_same(const struct sample_metric *f, const struct weft_metric *m, double from, double to, unsigned width,
                       enum weft_draw draw)
{
	struct weft_metric_cells direct, kept;
	struct weft_metric_cells_how how = {.space = &f->s,
	                                    .metric = m,
	                                    .n_rows = weft_level_size(&f->s, m->level),
	                                    .from = from,
	                                    .to = to,
	                                    .width = width,
	                                    .draw = draw,
	                                    .keep = WEFT_CELLS_PASS,
	                                    .threads = 2};
	REQUIRE(weft_metric_cells_make(&direct, &how) == 0);
	how.keep = WEFT_CELLS_KEEP;
	REQUIRE(weft_metric_cells_make(&kept, &how) == 0);
	size_t n = (size_t)how.n_rows * width, wrong = 0;
	for (size_t i = 0; i < n; i++)
		wrong += direct.cell[i] != kept.cell[i];
	if (!CHECK_U64(wrong, 0))
		for (size_t i = 0; i < n; i++)
			if (direct.cell[i] != kept.cell[i]) {
				printf("# %s [%g, %g) / %u: row %zu pixel %zu: %.17g, not %.17g\n", draw_mode_names[draw], from,
				       to, width, i / width, i % width, kept.cell[i], direct.cell[i]);
				break;
			}
	weft_metric_cells_fini(&direct);
	weft_metric_cells_fini(&kept);
}

/* The same by time. */
static void check_same_time(const struct sample_metric *f, const struct weft_metric *m, double from, double to, unsigned width,
                            uint32_t n_values)
{
	struct weft_metric_cells c[2];
	struct weft_time_sums sums[2] = {{.n_values = n_values}, {.n_values = n_values, .unwanted = true}};
	struct weft_metric_cells_how how = {.space = &f->s,
	                                    .metric = m,
	                                    .n_rows = weft_level_size(&f->s, m->level),
	                                    .from = from,
	                                    .to = to,
	                                    .width = width,
	                                    .keep = WEFT_CELLS_KEEP,
	                                    .threads = 2};
	for (unsigned i = 0; i < 2; i++)
		REQUIRE(weft_time_cells_make(&c[i], &sums[i], &how) == 0);
	CHECK(sums[0].total && !sums[1].total); /* the others were kept */
	size_t n = (size_t)how.n_rows * width, wrong = 0;
	for (size_t i = 0; i < n; i++)
		if (c[0].cell[i] != c[1].cell[i] && !wrong++)
			printf("# [%g, %g) / %u: row %zu pixel %zu: %g, not %g\n", from, to, width, i / width, i % width,
			       c[1].cell[i], c[0].cell[i]);
	CHECK_U64(wrong, 0);
	for (unsigned i = 0; i < 2; i++) {
		weft_metric_cells_fini(&c[i]);
		weft_time_sums_fini(&sums[i]);
	}
}

TEST(cells_by_time)
{
	static const char *const function[] = {"State As Is", "Last Evt Val", "Avg Next Evt Val"};
	static const unsigned widths[] = {1, 2, 4, 8, 64, 128, 1024, 4096};
	struct sample_metric f;
	struct weft_buf text = sample_metric_text(4, 60000, 3000000);
	sample_metric_open_how(&f, text.at, true);
	for (unsigned i = 0; i < 3; i++) {
		struct weft_metric m;
		sample_metric_of(&m, function[i], 50);
		check_same_time(&f, &m, 0, f.s.end, 1, 4);
		for (unsigned k = 0; k < 20; k++) {
			double from = (double)(test_random() % (uint64_t)f.s.end), span = 1 << test_random() % 22;
			check_same_time(&f, &m, k % 2 ? from : 0, k % 2 ? from + span : span, widths[test_random() % 8],
			                4 + k % 3);
		}
	}
	weft_buf_fini(&text);
	sample_metric_close(&f);
}

/* More values than there is room for columns: the pixels are done in parts. */
TEST(cells_by_time_of_many_values)
{
	struct sample_metric f;
	struct weft_metric m;
	struct weft_buf text = {0};
	weft_buf_puts(&text, "#Paraver (01/01/2024 at 10:00):400000_ns:1(1):1:1(1:1)\n");
	for (unsigned i = 0; i < 4000; i++)
		weft_buf_printf(&text, "2:1:1:1:1:%u:50:%u\n", 100 * i, i % 2 ? 7 : 100 + i);
	sample_metric_open_how(&f, text.at, true);
	sample_metric_of(&m, "Last Evt Val", 50);
	for (unsigned width = 1; width <= 8192; width *= 8)
		check_same_time(&f, &m, 0, 1 << 18, width, 5000);
	weft_buf_fini(&text);
	sample_metric_close(&f);
}

/* Parts of all sizes, pixels that hold nothing up to all; each way. */
static void check_parts(const struct sample_metric *f, const struct weft_metric *m, unsigned rounds)
{
	double end = f->s.end;
	for (unsigned mode = 0; mode < WEFT_DRAWS; mode++)
		check_same(f, m, 0, end, 1, (enum weft_draw)mode);
	for (unsigned i = 0; i < rounds; i++) {
		double from = (double)(test_random() % (uint64_t)end),
		       span = 1 + (double)(test_random() % (uint64_t)(end - from));
		if (test_random() % 3 == 0)
			span = span > 500 ? 500 : span;
		static const unsigned widths[] = {1, 2, 3, 7, 64, 100, 613, 1920};
		check_same(f, m, from, from + span, widths[test_random() % 8], (enum weft_draw)(i % WEFT_DRAWS));
	}
}

TEST(cells_of_states_and_events)
{
	static const char *const function[] = {"State As Is", "Last Evt Val", "TaskID", "Next Evt Val"};
	struct sample_metric f;
	struct weft_buf text = sample_metric_text(4, 20000, 1500000);
	sample_metric_open_how(&f, text.at, true);
	for (unsigned i = 0; i < 4; i++) {
		struct weft_metric m;
		sample_metric_of(&m, function[i], 50);
		check_parts(&f, &m, 20);
	}
	weft_buf_fini(&text);
	sample_metric_close(&f);
}

/* Fractions, whose sums depend on the order; a level above threads; times that are far between. */
TEST(cells_of_other_chains)
{
	struct sample_metric f;
	struct weft_metric m;
	struct weft_buf text = sample_metric_text(6, 9000, 900000000);
	sample_metric_open_how(&f, text.at, true);
	sample_metric_of(&m, "Avg Next Evt Val", 50);
	check_parts(&f, &m, 20);
	sample_metric_of(&m, "Useful", 50);
	m.level = WEFT_WORKLOAD;
	m.of_level[WEFT_TASK].func = weft_func_find(WEFT_FUNC_LEVEL, "Adding");
	check_parts(&f, &m, 20);
	sample_metric_of(&m, "Last Evt Val", 50);
	m.top[0].func = weft_func_find(WEFT_FUNC_COMPOSE, "sin");
	REQUIRE(m.top[0].func);
	check_parts(&f, &m, 20);
	weft_buf_fini(&text);
	sample_metric_close(&f);
}

TEST(rows_that_are_chosen_come_from_the_same_pyramid)
{
	struct sample_metric f;
	struct weft_metric m;
	struct weft_buf text = sample_metric_text(5, 2000, 100000);
	sample_metric_open_how(&f, text.at, true);
	sample_metric_of(&m, "State As Is", 50);
	const uint32_t row[] = {4, 1};
	struct weft_metric_cells all, two;
	struct weft_metric_cells_how how = {.space = &f.s,
	                                    .metric = &m,
	                                    .n_rows = 5,
	                                    .to = 100000,
	                                    .width = 50,
	                                    .draw = WEFT_DRAW_MAXIMUM,
	                                    .keep = WEFT_CELLS_KEEP};
	REQUIRE(weft_metric_cells_make(&all, &how) == 0);
	how.row = row;
	how.n_rows = 2;
	REQUIRE(weft_metric_cells_make(&two, &how) == 0);
	CHECK(!memcmp(two.cell, all.cell + 4 * 50, 50 * sizeof(double)));
	CHECK(!memcmp(two.cell + 50, all.cell + 50, 50 * sizeof(double)));
	struct weft_pyramid *p;
	REQUIRE(cells_pyramid_get(&p, &how, false) == 0);
	CHECK(p != NULL); /* it was kept */
	weft_pyramid_close(p);
	weft_metric_cells_fini(&all);
	weft_metric_cells_fini(&two);
	weft_buf_fini(&text);
	sample_metric_close(&f);
}

/* What is damaged while the machine runs may show anything, and does no harm. */
TEST(damaged_tables_do_no_harm)
{
	struct sample_metric f;
	struct weft_metric m;
	struct weft_buf text = sample_metric_text(3, 20000, 1500000);
	sample_metric_open_how(&f, text.at, true);
	sample_metric_of(&m, "Last Evt Val", 50);
	struct weft_metric_cells c;
	struct weft_metric_cells_how how =
		{.space = &f.s, .metric = &m, .n_rows = 3, .to = f.s.end, .width = 100, .keep = WEFT_CELLS_KEEP, .threads = 1};
	REQUIRE(weft_metric_cells_make(&c, &how) == 0);
	weft_metric_cells_fini(&c);
	struct weft_pyramid *p;
	REQUIRE(cells_pyramid_get(&p, &how, false) == 0 && p);
	uint8_t *copy = malloc(p->bytes);
	REQUIRE(copy);
	size_t tables = (size_t)((const uint8_t *)p->chunk - p->at);
	struct weft_pyramid damaged = *p;
	damaged.chunk = (const void *)(copy + tables);
	const double *sums = (const void *)(damaged.chunk + p->n_chunks), *nodes = sums + (p->of_node.end - p->of_chunk.end);
	uint64_t n = p->n_chunks, nn = p->n_nodes;
	damaged.at = copy;
	damaged.of_chunk = (struct weft_pyramid_sums){sums, sums + n, sums + 2 * n, sums + 3 * n, sums + 4 * n};
	damaged.of_node = (struct weft_pyramid_sums){nodes, nodes + nn, nodes + 2 * nn, nodes + 3 * nn, nodes + 4 * nn};
	damaged.chunk_shares = (const void *)(nodes + 5 * nn);
	damaged.node_shares = damaged.chunk_shares + n;
	damaged.share = (const void *)(damaged.node_shares + nn);
	for (unsigned i = 0; i < 200; i++) {
		memcpy(copy, p->at, p->bytes);
		for (unsigned k = 0; k < 1 + i % 50; k++)
			copy[tables + test_random() % (p->bytes - tables)] = (uint8_t)test_random();
		how.draw = (enum weft_draw)(i % WEFT_DRAWS);
		how.width = 1 + i * 7;
		how.from = (double)(test_random() % 1000000);
		c = (struct weft_metric_cells){.n_rows = 3, .width = how.width, .from = how.from, .to = how.to};
		REQUIRE((c.cell = malloc((size_t)3 * how.width * sizeof *c.cell)) != NULL);
		CHECK_I64(cells_from_pyramid(&c, &how, &damaged), 0);
		struct row_painter painter;
		REQUIRE(row_painter_init(&painter, &c, 7) == 0);
		for (uint32_t row = 0; row < 3; row++)
			CHECK_I64(row_paint(&painter, &how, &damaged, row, c.cell + row * how.width), 0);
		row_painter_fini(&painter);
		weft_metric_cells_fini(&c);
	}
	free(copy);
	weft_pyramid_close(p);
	weft_buf_fini(&text);
	sample_metric_close(&f);
}

/* Whatever changes a metric's rows changes its key; its name does not. */
TEST(keys_of_metrics)
{
	struct sample_metric f;
	struct weft_buf text = sample_metric_text(2, 10, 1000);
	sample_metric_open_how(&f, text.at, false);
	static const double one = 1;
	struct weft_metric m[12], parent[2];
	for (unsigned i = 0; i < 12; i++)
		sample_metric_of(&m[i], "Last Evt Val", 50);
	m[1].of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "Next Evt Val");
	m[2].level = WEFT_TASK;
	m[3].unit = WEFT_MS;
	m[4].compose[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_COMPOSE, "Sign");
	m[5].top[1].func = weft_func_find(WEFT_FUNC_COMPOSE, "Sign");
	m[6].filter.test[WEFT_OF_TYPE].kind = WEFT_TEST_NE;
	m[7].filter.test[WEFT_OF_VALUE] = (struct weft_test){WEFT_TEST_EQ, {&one, 1}};
	m[8].filter.or_type_value = true;
	m[9].of_level[WEFT_THREAD].param[0] = (struct weft_list){&one, 1};
	sample_metric_of(&parent[0], "Last Evt Val", 50);
	sample_metric_of(&parent[1], "Next Evt Val", 50);
	for (unsigned i = 10; i < 12; i++) {
		m[i].parent[0] = &parent[0];
		m[i].parent[1] = &parent[1];
		m[i].operation.func = weft_func_find(WEFT_FUNC_DERIVED, "add");
		m[i].factor[0] = i;
	}
	struct weft_buf key[12] = {{0}}, same = {0};
	for (unsigned i = 0; i < 12; i++) {
		REQUIRE(metric_key(&f.s, &m[i], &key[i]) == 0);
		for (unsigned k = 0; k < i; k++)
			CHECK(strcmp(key[i].at, key[k].at) != 0);
	}
	m[0].name = "another";
	REQUIRE(metric_key(&f.s, &m[0], &same) == 0);
	CHECK_STR(same.at, key[0].at);
	for (unsigned i = 0; i < 12; i++)
		weft_buf_fini(&key[i]);
	weft_buf_fini(&same);
	weft_buf_fini(&text);
	sample_metric_close(&f);
}
