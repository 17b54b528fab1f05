/* SPDX-License-Identifier: Apache-2.0 */
/* Metrics of our own traces: regions, counters and attributes are events, with the numbers and labels of a conversion to .prv. */
#include "trace/open.h"
#include "metric_maker.h"
#include "metric/hist/call_table.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"
#include "trace/write/export.h"
#include "trace/write/write.h"
#include <errno.h>
#include <math.h>
#include <string.h>

static int64_t made(int64_t id)
{
	REQUIRE(id >= 0);
	return id;
}

/* One process of two threads: "solve" around "send" in the first, a counter and a message; the second receives. */
static struct weft_trace *make_own(void)
{
	struct weft_builder *b;
	struct weft_open_how how = {.no_index = true};
	REQUIRE(weft_builder_new(&b, "own", "weft", &how, NULL) == 0);
	made(weft_build_node(b, "host"));
	made(weft_build_cpu(b, &(struct weft_cpu){.node = 0, .os = 5, .name = ""}));
	made(weft_build_app(b, "app"));
	made(weft_build_process(b, &(struct weft_process){.node = 0, .rank = -1, .end = 1000, .status = -1}));
	for (unsigned i = 0; i < 2; i++)
		made(weft_build_thread(b, &(struct weft_thread_row){.name = i ? "helper" : "", .number = i + 1, .end = 1000}));
	uint32_t user = (uint32_t)made(weft_build_def(b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = "user"}));
	uint32_t solve = (uint32_t)made(
		weft_build_def(b, WEFT_CLASS_REGION,
	                       &(struct weft_def_row){.name = "solve", .category = user, .state = WEFT_STATE_RUNNING}));
	uint32_t send = (uint32_t)made(
		weft_build_def(b, WEFT_CLASS_REGION,
	                       &(struct weft_def_row){.name = "send", .category = user, .state = WEFT_STATE_COMMUNICATING}));
	uint32_t load = (uint32_t)made(weft_build_def(b, WEFT_CLASS_COUNTER, &(struct weft_def_row){.name = "load"}));
	struct weft_appender *a = weft_builder_appender(b, 0);
	REQUIRE(weft_append(a, 100, weft_what(WEFT_EV_CPU, 0), 0) == 0);
	REQUIRE(weft_append(a, 100, weft_what(WEFT_EV_ENTER, solve), 0) == 0);
	REQUIRE(weft_append(a, 150, weft_what(WEFT_EV_COUNTER, load), 42) == 0);
	REQUIRE(weft_append(a, 200, weft_what(WEFT_EV_ENTER, send), 0) == 0);
	REQUIRE(weft_append(a, 300, weft_what(WEFT_EV_LEAVE, send), 0) == 0);
	REQUIRE(weft_append(a, 600, weft_what(WEFT_EV_LEAVE, solve), 0) == 0);
	const struct weft_message_row m = {.send_thread = 0,
	                                   .recv_thread = 1,
	                                   .size = 64,
	                                   .tag = 3,
	                                   .send_began = 210,
	                                   .send_done = 220,
	                                   .recv_began = 200,
	                                   .recv_done = 400};
	REQUIRE(weft_build_message(b, &m) == 0);
	weft_build_keep_zero(b, 1000);
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	CHECK_I64(weft_build_finish(b, NULL, &t, &err), 0);
	REQUIRE(t != NULL);
	return t;
}

#define REGIONS "window_filter_module evt_type 1 1900000001\n"
#define TYPES(function) SINGLE("thread", function, "window_selected_functions { 1, { {evt_type, =} } }\n")

static const char *const views[] = {
	CFG TYPES("Last Evt Val") REGIONS,
	CFG TYPES("Last Evt Val") REGIONS TABLE("Time", "Analyzer2D.HideCols: True\n"),
	CFG SINGLE("thread", "State As Is", "") TABLE("% Time", "Analyzer2D.HideCols: True\n"),
	CFG TYPES("Next Evt Val") "window_filter_module evt_type 1 1980000001\n",
	CFG SINGLE("thread", "Recv Bytes in Transit", ""),
	CFG SINGLE("cpu", "Useful", "") TABLE("Time", ""),
};

TEST(regions_counters_and_messages_are_what_paraver_sees)
{
	struct made f = {.t = make_own()};
	REQUIRE(weft_space_init(&f.s, f.t) == 0);
	check_view(&f, views[0],
	           "1.1.1\t0.00\t100.00\t0.00\n1.1.1\t100.00\t100.00\t1.00\n1.1.1\t200.00\t100.00\t2.00\n"
	           "1.1.1\t300.00\t300.00\t1.00\n1.1.1\t600.00\t400.00\t0.00\n1.1.2\t0.00\t1000.00\t0.00\n");
	/* A computed scale leaves zeros out. */
	check_view(&f, views[1],
	           "\tsolve\tsend\t\nTHREAD 1.1.1\t400.00\t100.00\t\nhelper\t0.00\t0.00\t\n\n"
	           "Total\t400.00\t100.00\t\nAverage\t400.00\t100.00\t\nMaximum\t400.00\t100.00\t\n"
	           "Minimum\t400.00\t100.00\t\nStDev\t0.00\t0.00\t\nAvg/Max\t1.00\t1.00\t\n\n");
	check_view(&f, views[4],
	           "1.1.1\t0.00\t1000.00\t0.00\n1.1.2\t0.00\t200.00\t0.00\n1.1.2\t200.00\t10.00\t0.00\n"
	           "1.1.2\t210.00\t190.00\t64.00\n1.1.2\t400.00\t600.00\t0.00\n");
	unmake_trace(&f);
}

/* All views of the list give the same on the trace and on what `weft convert --to prv` makes of it. Takes the trace. */
static void compare_with_conversion(struct weft_trace *t, const char *const *list, size_t n)
{
	struct made own = {.t = t}, prv = {0};
	struct weft_err err = {0};
	struct weft_buf a = {0}, b = {0};
	char path[4096];
	const struct weft_paraver_how how = {.decimals = 10};
	snprintf(path, sizeof path, "%s/c.prv", test_dir());
	REQUIRE(weft_export_prv(own.t, path, &(struct weft_export_how){.filter = NULL}, &err) == 0);
	REQUIRE(weft_trace_open(&prv.t, path, &(struct weft_open_how){.no_index = true}, &err) == 0);
	REQUIRE(weft_space_init(&own.s, own.t) == 0 && weft_space_init(&prv.s, prv.t) == 0);
	CHECK(own.s.schema && !prv.s.schema);
	for (size_t i = 0; i < n; i++) {
		view_text(&own, list[i], &how, &a);
		view_text(&prv, list[i], &how, &b);
		CHECK_STR(a.at, b.at);
		CHECK(a.n > 10);
	}
	weft_buf_fini(&a);
	weft_buf_fini(&b);
	unmake_trace(&own);
	unmake_trace(&prv);
}

TEST(a_trace_and_its_conversion_give_the_same_tables)
{
	compare_with_conversion(make_own(), views, sizeof views / sizeof *views);
}

/* ---- random programs ---- */

enum { RANDOM_TRACES = 10, REGIONS_MADE = 9, CATEGORIES_MADE = 3 };

static uint64_t random_state;
static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % n;
}

/* What random traces have. */
struct random_kind {
	bool marks;   /* recording and categories are switched off and on */
	bool running; /* some regions are of class running */
};

static void random_defs(struct weft_builder *b, const struct random_kind *kind)
{
	static const enum weft_class classes[] = {WEFT_CLASS_TYPE, WEFT_CLASS_COUNTER, WEFT_CLASS_ATTR, WEFT_CLASS_STRING};
	char name[40];
	for (unsigned i = 0; i < CATEGORIES_MADE; i++) {
		snprintf(name, sizeof name, "category %u", i);
		made(weft_build_def(b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = name}));
	}
	for (unsigned i = 0; i < REGIONS_MADE; i++) {
		uint32_t state = i % WEFT_STATE_CLASSES;
		state = state != WEFT_STATE_RUNNING || kind->running ? state : WEFT_STATE_WAITING;
		snprintf(name, sizeof name, i % 4 ? "region %u" : " odd\tregion\x7f%u ", i);
		made(weft_build_def(b, WEFT_CLASS_REGION,
		                    &(struct weft_def_row){.name = name, .category = i % (CATEGORIES_MADE + 1), .state = state}));
	}
	for (unsigned c = 0; c < sizeof classes / sizeof *classes; c++)
		for (unsigned i = 0; i < 3; i++) {
			snprintf(name, sizeof name, "def %u.%u", c, i);
			made(weft_build_def(b, classes[c], &(struct weft_def_row){.name = name, .unit = i == 1 ? "B" : ""}));
		}
	made(weft_build_def(b, WEFT_CLASS_SET, &(struct weft_def_row){.name = "", .member = (uint64_t[]){1, 3}, .n_members = 2}));
}

static uint64_t random_double(void)
{
	const double some[] = {0.25, -3.0000005, 1e-9, 1e300, NAN, 123456.789};
	double v = some[random_below(sizeof some / sizeof *some)];
	uint64_t bits;
	memcpy(&bits, &v, sizeof bits);
	return bits;
}

/* Regions without order, marks, and values of all kinds; often several events at one time. */
static void random_event(struct weft_appender *a, uint64_t time, bool marks)
{
	const uint32_t def = 1 + random_below(3), region = 1 + random_below(REGIONS_MADE);
	switch (marks ? random_below(20) : 2 + random_below(18)) {
	case 0:
		REQUIRE(weft_append(a, time, weft_what(WEFT_EV_OFF, random_below(CATEGORIES_MADE + 1)), 0) == 0);
		break;
	case 1:
		REQUIRE(weft_append(a, time, weft_what(WEFT_EV_ON, 0), 0) == 0);
		break;
	case 2:
		REQUIRE(weft_append(a, time, weft_what(WEFT_EV_CPU, 0), random_below(5) ? random_below(4) : WEFT_NONE) == 0);
		break;
	case 3:
		REQUIRE(weft_append(a, time, weft_what(WEFT_EV_COUNTER_F, def), random_double()) == 0);
		break;
	case 4:
		REQUIRE(weft_append(a, time, weft_what(WEFT_EV_POINT_S, def), 1 + random_below(3)) == 0);
		break;
	case 5:
		REQUIRE(weft_append(a, time, weft_what(WEFT_EV_ATTR, def), (uint64_t)-5 + random_below(10)) == 0);
		break;
	case 6:
		REQUIRE(weft_append(a, time, weft_what(WEFT_EV_DROPPED, 0), random_below(9)) == 0);
		break;
	case 7:
		REQUIRE(weft_append_extra(a, time, weft_what(WEFT_EV_COUNTER_SET, 1), (uint64_t[]){time, random_below(50)}, 2) ==
		        0);
		break;
	case 8:
	case 9:
		REQUIRE(weft_append(a, time, weft_what(WEFT_EV_POINT, def), random_below(7)) == 0);
		break;
	default:
		REQUIRE(weft_append(a, time, weft_what(random_below(2) ? WEFT_EV_ENTER : WEFT_EV_LEAVE, region), 0) == 0);
	}
}

/* Two processes with threads that begin late and end early, one without any. */
static void random_objects(struct weft_builder *b)
{
	for (unsigned i = 0; i < 2; i++)
		made(weft_build_node(b, i ? "second" : "first"));
	for (unsigned i = 0; i < 4; i++)
		made(weft_build_cpu(b, &(struct weft_cpu){.node = i / 2, .os = i, .name = ""}));
	made(weft_build_app(b, "app"));
	for (unsigned i = 0; i < 3; i++) {
		made(weft_build_process(b, &(struct weft_process){.node = i % 2,
		                                                  .rank = -1,
		                                                  .name = "p\n",
		                                                  .end = WEFT_NEVER,
		                                                  .status = -1}));
		for (unsigned k = 0; i != 1 && k < 2; k++)
			made(weft_build_thread(b, &(struct weft_thread_row){.process = i,
			                                                    .name = k ? "" : "na\tme",
			                                                    .number = k + 1,
			                                                    .begin = 100 * random_below(3),
			                                                    .end = k ? 20000 : WEFT_NEVER}));
	}
}

static struct weft_trace *random_trace(uint64_t seed, struct random_kind kind)
{
	struct weft_builder *b;
	struct weft_trace *t = NULL;
	random_state = seed;
	REQUIRE(weft_builder_new(&b, "random", "weft", &(struct weft_open_how){.no_index = true}, NULL) == 0);
	random_objects(b);
	random_defs(b, &kind);
	for (uint32_t i = 0; i < 4; i++) {
		struct weft_appender *a = weft_builder_appender(b, i);
		uint64_t time = 300;
		for (uint32_t n = random_below(4) ? random_below(300) : 9000; n; n--) {
			time += random_below(3) ? random_below(4) : 0;
			random_event(a, time, kind.marks);
		}
	}
	for (unsigned i = 0; i < 40; i++) {
		uint64_t sent = 100 * i + 50 + random_below(50), received = sent + random_below(900);
		const struct weft_message_row m = {.send_thread = random_below(4),
		                                   .recv_thread = random_below(4),
		                                   .size = random_below(100),
		                                   .tag = (int32_t)random_below(3),
		                                   .send_began = sent - random_below(50),
		                                   .send_done = sent,
		                                   .recv_began = received - random_below(99),
		                                   .recv_done = received};
		REQUIRE(weft_build_message(b, &m) == 0);
	}
	weft_build_keep_zero(b, 40000);
	REQUIRE(weft_build_finish(b, NULL, &t, NULL) == 0);
	return t;
}

#define OF(level, function, types) \
	CFG SINGLE(level, function, \
	           "window_selected_functions { 1, { {evt_type, [x,y]} } }\n") "window_filter_module evt_type 2 " types "\n"
#define ALL_REGIONS "1900000000 1919999999"
#define ALL_COUNTERS "1980000000 2019999999"
#define ALL_TYPES "1 2147483647"

static const char *const random_views[] = {
	OF("thread", "Last Evt Val", ALL_REGIONS),
	OF("thread", "Last Evt Val", "1900000000 1900000000"),
	OF("thread", "Next Evt Val", "1900000002 1900000002"),
	OF("thread", "Last Evt Val", ALL_COUNTERS),
	OF("thread", "Last Evt Val", "1980000001 1980000001"),
	OF("thread", "Last Evt Type", ALL_TYPES),
	OF("thread", "Last Evt Val", ALL_TYPES),
	OF("cpu", "Last Evt Val", ALL_REGIONS),
	CFG SINGLE("thread", "State As Is", "") TABLE("Time", "Analyzer2D.HideCols: True\n"),
	CFG SINGLE("thread", "State As Is", ""),
	/* Scales of states are found while the table is filled; of a .prv before. */
	CFG SINGLE("thread", "State As Is", "") TABLE("Time", ""),
	CFG SINGLE("thread", "State As Is", "") TABLE("# Bursts", "Analyzer2D.Minimum: 0\n"),
	CFG SINGLE("thread", "Useful", "") TABLE("Average Burst Time", ""),
	CFG SINGLE("thread", "Not In State", "") TABLE("Maximum", ""),
	CFG SINGLE("thread", "State Record Dur.", ""),
	CFG SINGLE("thread", "Useful", ""),
	CFG SINGLE("task", "Useful", ""),
	CFG SINGLE("thread", "Cpu ID", ""),
	CFG SINGLE("cpu", "State As Is", ""),
	CFG SINGLE("node", "Useful", ""),
	CFG SINGLE("thread", "Send Bytes in Transit", ""),
	CFG SINGLE("thread", "Comm Partner", ""),
	CFG SINGLE("thread", "Event Bytes", ""),
	CFG SINGLE("cpu", "Recv Messages in Transit", ""),
	OF("thread", "Last Evt Val", ALL_REGIONS) TABLE("# Bursts", "Analyzer2D.HideCols: True\n"),
	OF("thread", "Last Evt Val", "1960000001 1960000003") TABLE("Time", "Analyzer2D.HideCols: True\n"),
	OF("thread", "Last Evt Type", ALL_TYPES) TABLE("Time", "Analyzer2D.HideCols: True\n"),
};

TEST(random_traces_and_their_conversions_give_the_same)
{
	for (uint64_t seed = 1; seed <= RANDOM_TRACES; seed++)
		compare_with_conversion(random_trace(seed, (struct random_kind){true, seed % 2}), random_views,
		                        sizeof random_views / sizeof *random_views);
}

/* ---- useful time ---- */

/* Of a row of a window: 1 where the thread computes, or of regions half a number more. */
static bool is_useful(const struct weft_metric *m, double v)
{
	if (m->of_level[WEFT_THREAD].func == weft_func_innermost_region())
		return v > 0 && v != (double)(uint32_t)v;
	return v == 1;
}

static uint64_t useful_of(const struct weft_space *s, const struct weft_metric *m, uint32_t row)
{
	struct weft_intervals *b = malloc(sizeof *b);
	struct weft_row *r;
	double sum = 0;
	int rc;
	REQUIRE(b && weft_row_open(&r, s, m, row, 0, INFINITY) == 0);
	while ((rc = weft_row_next(r, b)) > 0)
		for (uint32_t i = 0; i < b->n; i++)
			sum += is_useful(m, b->value[i]) ? b->end[i] - (i ? b->end[i - 1] : b->begin) : 0;
	CHECK_I64(rc, 0);
	weft_row_close(r);
	free(b);
	return (uint64_t)sum;
}

static void compare_useful(const struct weft_trace *t)
{
	struct weft_call_table stat;
	struct weft_space s;
	struct weft_metric m, of_regions;
	uint64_t sum = 0, most = 0, n = 0;
	REQUIRE(weft_space_init(&s, t) == 0);
	REQUIRE(weft_call_table_compute(&stat, &s, &(struct weft_call_how){.to = WEFT_NEVER}, NULL) == 0);
	weft_metric_init(&m);
	m.of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "Useful");
	REQUIRE(m.of_level[WEFT_THREAD].func != NULL);
	of_regions = m;
	of_regions.of_level[WEFT_THREAD].func = weft_func_innermost_region();
	for (uint32_t i = 0; i < s.trace->n_threads; i++) {
		uint64_t useful = useful_of(&s, &m, i);
		CHECK_U64(useful_of(&s, &of_regions, i), useful);
		sum += useful;
		most = useful > most ? useful : most;
		n += useful > 0;
	}
	CHECK(sum > 0);
	CHECK_U64(stat.busy, sum);
	CHECK_U64(stat.n_threads, n);
	CHECK(fabs(stat.load_balance - (double)sum / (double)(n * most)) < 1e-12);
	weft_space_fini(&s);
	weft_call_table_fini(&stat);
}

TEST(statistics_views_and_pictures_mean_the_same_by_useful)
{
	for (uint64_t seed = 1; seed <= 2 * RANDOM_TRACES; seed++) {
		struct weft_trace *t = random_trace(seed, (struct random_kind){seed > RANDOM_TRACES, seed % 2});
		compare_useful(t);
		weft_trace_close(t);
	}
}

/* A thread of the program that computes for 500 ns, and one of Weft's own that is there for 1000. */
static struct weft_trace *helped_trace(void)
{
	struct weft_builder *b;
	struct weft_trace *t = NULL;
	REQUIRE(weft_builder_new(&b, "helped", "weft", &(struct weft_open_how){.no_index = true}, NULL) == 0);
	made(weft_build_node(b, "host"));
	made(weft_build_app(b, "app"));
	made(weft_build_process(b, &(struct weft_process){.node = 0, .rank = -1, .end = 1000, .status = -1}));
	for (unsigned i = 0; i < 2; i++)
		made(weft_build_thread(b, &(struct weft_thread_row){.name = i ? "main" : "weft-helper",
		                                                    .number = i + 1,
		                                                    .end = i ? 500 : 1000,
		                                                    .own = !i}));
	weft_build_keep_zero(b, 1000);
	REQUIRE(weft_build_finish(b, NULL, &t, NULL) == 0);
	return t;
}

TEST(our_own_threads_are_no_rows_unless_asked_for)
{
	struct weft_trace *t = helped_trace();
	struct weft_space s;
	struct weft_call_table stat;
	compare_useful(t);
	for (unsigned own = 0; own < 2; own++) {
		REQUIRE((own ? weft_space_init_whole(&s, t) : weft_space_init(&s, t)) == 0);
		CHECK_U64(s.trace->n_threads, own ? 2 : 1);
		CHECK_STR(s.trace->thread[own].name, "main");
		REQUIRE(weft_call_table_compute(&stat, &s, &(struct weft_call_how){.to = WEFT_NEVER}, NULL) == 0);
		CHECK_U64(stat.thread_time, own ? 1500 : 500);
		CHECK_U64(stat.n_threads, own ? 2 : 1);
		weft_call_table_fini(&stat);
		weft_space_fini(&s);
	}
	weft_trace_close(t);
}

TEST(no_memory_is_an_error_and_nothing_leaks)
{
	struct weft_trace *t = make_own();
	struct weft_metric m;
	weft_metric_init(&m);
	m.of_level[WEFT_THREAD].func = weft_func_find(WEFT_FUNC_THREAD, "Event Bytes");
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_space s;
		struct weft_intervals *b = malloc(sizeof *b);
		struct weft_row *r = NULL;
		uint32_t n = 0;
		int rc = b ? weft_space_init(&s, t) : -ENOMEM;
		if (b && !rc && !(rc = weft_row_open(&r, &s, &m, 0, 0, INFINITY)))
			while ((rc = weft_row_next(r, b)) > 0)
				n += b->n;
		/* What can do without the memory (workers, buffers that are read ahead) gives the same. */
		if (rc)
			CHECK(rc == -ENOMEM && test_alloc_failed());
		else
			CHECK_U64(n, 6);
		weft_row_close(r);
		if (b)
			weft_space_fini(&s);
		free(b);
	}
	weft_trace_close(t);
}
