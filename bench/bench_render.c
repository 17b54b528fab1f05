/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of many rows: 10,000 threads × 1,920 pixels of a state and of a last-value metric, from what is kept beside the index
 * (trace/pyramid.h), for traces of 10^6, 10^7 and 10^8 events; once for each way that needs no look at every burst. Beside them
 * what the first picture of a metric costs, which evaluates all bursts and keeps them, and how large that is. The floor of any
 * picture is writing its cells: memset of as much fresh memory.
 *
 * Figures are CPU time, of all threads: on n cores a picture takes an n-th of it (rows are drawn side by side). Those that are called
 * so are wall time, with as many threads as there are cores. Traces of as many events in 10 rows show that where there are far more
 * events than pixels, the cost is that of the pixels.
 *
 * Half of the events are states that touch, the other half values of one type. WEFT_BENCH_EVENTS is the largest trace's size.
 */
#include "bench.h"

#include "base/clock.h"
#include "base/fs.h"
#include "render/cells/metric_cells_priv.h"
#include "rows_trace.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROWS = ROWS_TRACE_MOST, FEW_ROWS = 10, WIDTH = 1920, SIZES = 3, TRACES = 2 * SIZES, METRICS = 2 };

static char dir[64] = "/tmp/weft-bench-render-XXXXXX";
static struct sized sized[TRACES];
static struct weft_metric metric[METRICS];
static const char *const functions[METRICS] = {"State As Is", "Last Evt Val"};

static bool set_up(void)
{
	const char *most = getenv("WEFT_BENCH_EVENTS");
	static const double type = 50;
	uint64_t events = most ? strtoull(most, NULL, 10) : 100000000;
	if (!mkdtemp(dir))
		return false;
	for (unsigned i = 0; i < METRICS; i++) {
		weft_metric_init(&metric[i]);
		metric[i].of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, functions[i]);
		metric[i].filter.test[WEFT_OF_TYPE] = (struct weft_test){WEFT_TEST_EQ, {&type, 1}};
	}
	for (unsigned i = SIZES; i-- > 0; events /= 10) {
		sized[i] = (struct sized){.events = events, .rows = ROWS};
		sized[SIZES + i] = (struct sized){.events = events, .rows = FEW_ROWS};
	}
	for (unsigned i = 0; i < TRACES; i++)
		if (!rows_trace_make(&sized[i], dir))
			return false;
	return true;
}

/* ---- rounds ---- */

struct variant {
	unsigned size, metric;
	enum weft_draw draw;
};

static double draw(const struct variant *v, enum weft_cells_keep keep, uint64_t (*clock)(void))
{
	struct sized *s = &sized[v->size];
	struct weft_metric_cells c;
	struct weft_metric_cells_how how = {.space = &s->space,
	                                    .metric = &metric[v->metric],
	                                    .n_rows = s->rows,
	                                    .to = s->space.end,
	                                    .width = WIDTH,
	                                    .draw = v->draw,
	                                    .keep = keep};
	uint64_t from = clock();
	int rc = weft_metric_cells_make(&c, &how);
	double ms = (double)(clock() - from) / 1e6;
	bench_keep((uint64_t)c.cell[(size_t)s->rows * WIDTH / 2]);
	weft_metric_cells_fini(&c);
	return rc ? -1 : ms;
}

static double from_pyramid(void *v)
{
	return draw(v, WEFT_CELLS_KEEP, weft_process_cpu_ns);
}

static double wall(void *v)
{
	return draw(v, WEFT_CELLS_KEEP, weft_monotonic_ns);
}

/* With nothing kept yet. */
static double first_time(void *v)
{
	const struct variant *of = v;
	char path[100];
	rows_trace_path(&sized[of->size], dir, path, sizeof path);
	if (bench_command("rm -f %s.index/pyramid-*", path) < 0)
		return -1;
	return draw(v, WEFT_CELLS_KEEP, weft_process_cpu_ns);
}

static double each_burst(void *v)
{
	return draw(v, WEFT_CELLS_PASS, weft_process_cpu_ns);
}

static double bytes_of_burst(void *v)
{
	const struct variant *of = v;
	struct weft_pyramid *p;
	struct weft_metric_cells_how how = {.space = &sized[of->size].space, .metric = &metric[of->metric]};
	if (cells_pyramid_get(&p, &how, true) || !p)
		return -1;
	double bytes = (double)p->bytes / (double)p->n_bursts;
	weft_pyramid_close(p);
	return bytes;
}

static double floor_of_cells(void *unused)
{
	size_t bytes = (size_t)ROWS * WIDTH * sizeof(double), page = (size_t)2 << 20;
	uint64_t from = weft_process_cpu_ns();
	char *at = aligned_alloc(page, (bytes + page - 1) / page * page);
	(void)unused;
	if (!at)
		return -1;
	madvise(at, bytes, MADV_HUGEPAGE);
	memset(at, 1, bytes);
	bench_keep((uint64_t)at[bytes / 2]);
	double ms = (double)(weft_process_cpu_ns() - from) / 1e6;
	free(at);
	return ms;
}

#define VARIANT(size, metric, way) (&(struct variant){size, metric, way})
#define OF_SIZES(metric, way) \
	{ \
		{"1e8", from_pyramid, VARIANT(2, metric, way)}, {"1e7", from_pyramid, VARIANT(1, metric, way)}, \
			{"1e6", from_pyramid, VARIANT(0, metric, way)}, {"1e8-wall", wall, VARIANT(2, metric, way)}, \
			{"cells", floor_of_cells, NULL}, {0}, \
	}
#define OF_FEW_ROWS(metric, way) \
	{ \
		{"1e8", from_pyramid, VARIANT(5, metric, way)}, {"1e7", from_pyramid, VARIANT(4, metric, way)}, \
			{"1e6", from_pyramid, VARIANT(3, metric, way)}, {0}, \
	}
static const struct bench_variant state_last[] = OF_SIZES(0, WEFT_DRAW_LAST), state_max[] = OF_SIZES(0, WEFT_DRAW_MAXIMUM),
				  value_last[] = OF_SIZES(1, WEFT_DRAW_LAST), value_max[] = OF_SIZES(1, WEFT_DRAW_MAXIMUM),
				  value_min[] = OF_SIZES(1, WEFT_DRAW_MIN_NOT_ZERO),
				  value_average[] = OF_SIZES(1, WEFT_DRAW_AVERAGE), value_mode[] = OF_SIZES(1, WEFT_DRAW_MODE);
static const struct bench_variant few_last[] = OF_FEW_ROWS(1, WEFT_DRAW_LAST), few_max[] = OF_FEW_ROWS(0, WEFT_DRAW_MAXIMUM),
				  few_average[] = OF_FEW_ROWS(1, WEFT_DRAW_AVERAGE);
static const struct bench_variant first[] = {{"1e8", first_time, VARIANT(2, 1, WEFT_DRAW_LAST)},
                                             {"unkept", each_burst, VARIANT(2, 1, WEFT_DRAW_LAST)},
                                             {"1e7", first_time, VARIANT(1, 1, WEFT_DRAW_LAST)},
                                             {0}};
static const struct bench_variant size[] = {{"state", bytes_of_burst, VARIANT(2, 0, WEFT_DRAW_LAST)},
                                            {"value", bytes_of_burst, VARIANT(2, 1, WEFT_DRAW_LAST)},
                                            {0}};
static const struct bench benches[] = {
	{"state-last", "ms", 7, state_last},
	{"state-maximum", "ms", 7, state_max},
	{"value-last", "ms", 7, value_last},
	{"value-maximum", "ms", 7, value_max},
	{"value-minimum", "ms", 7, value_min},
	{"value-average", "ms", 7, value_average},
	{"10-rows-last", "ms", 7, few_last},
	{"10-rows-maximum", "ms", 7, few_max},
	{"10-rows-average", "ms", 7, few_average},
	{"value-mode", "ms", 1, value_mode},
	{"first-picture", "ms", 1, first},
	{"bytes-a-burst", "bytes", 1, size},
	{0},
};

int main(int argc, char **argv)
{
	int status = 1;
	if (set_up())
		status = bench_main(argc, argv, benches);
	else
		fprintf(stderr, "cannot make the traces in '%s'\n", dir);
	for (unsigned i = 0; i < TRACES; i++)
		if (sized[i].trace) {
			weft_space_fini(&sized[i].space);
			weft_trace_close(sized[i].trace);
		}
	return weft_remove_tree(dir, NULL) ? 1 : status;
}
