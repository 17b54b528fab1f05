/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests of metrics of our own traces: a thread that is there from 100 to 900 of 1000 ns. The region `step` says nothing of what the thread
 * does; `lib` is of a category that is switched off at 700, in the middle of a call; recording is off from 800 to 850.
 *
 *     0    100   200  250  300  350  400       500   550   600  650  700  750   800  850  900  1000
 *          solve
 *                step
 *                     wait      solve                    lib
 *                                                             wait
 */
#ifndef WEFT_TESTS_REGION_MAKER_H
#define WEFT_TESTS_REGION_MAKER_H

#include "metric_maker.h"
#include "trace/store/build.h"
#include "trace/store/cursor.h"

enum { SOLVE = 1, STEP, WAIT, LIB };

static inline int64_t made_id(int64_t id)
{
	REQUIRE(id >= 0);
	return id;
}

static inline void make_regions(struct weft_builder *b)
{
	static const struct {
		const char *name;
		uint32_t state, category;
	} regions[] = {{"solve", WEFT_STATE_RUNNING, 0},
	               {"step", WEFT_STATE_UNKNOWN, 0},
	               {"wait", WEFT_STATE_WAITING, 0},
	               {"lib", WEFT_STATE_RUNNING, 1}};
	uint32_t category[2];
	for (unsigned i = 0; i < 2; i++)
		category[i] = (uint32_t)made_id(
			weft_build_def(b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = i ? "library" : "user"}));
	for (unsigned i = 0; i < sizeof regions / sizeof *regions; i++) {
		const struct weft_def_row row = {.name = regions[i].name,
		                                 .category = category[regions[i].category],
		                                 .state = regions[i].state};
		CHECK_I64(weft_build_def(b, WEFT_CLASS_REGION, &row), i + 1);
	}
}

struct region_event {
	uint64_t time;
	unsigned kind, id;
};

/* A trace of one thread with these events. */
static inline void make_trace_of(struct made *f, const struct region_event *event, unsigned n)
{
	struct weft_builder *b;
	struct weft_err err = {0};
	REQUIRE(weft_builder_new(&b, "regions", "weft", &(struct weft_open_how){.no_index = true}, NULL) == 0);
	made_id(weft_build_node(b, "host"));
	made_id(weft_build_app(b, "app"));
	made_id(weft_build_process(b, &(struct weft_process){.node = 0, .rank = -1, .end = 1000, .status = -1}));
	made_id(weft_build_thread(b, &(struct weft_thread_row){.name = "main", .number = 1, .begin = 100, .end = 900}));
	make_regions(b);
	struct weft_appender *a = weft_builder_appender(b, 0);
	for (unsigned i = 0; i < n; i++)
		REQUIRE(weft_append(a, event[i].time, weft_what(event[i].kind, event[i].id), 0) == 0);
	weft_build_keep_zero(b, 1000);
	CHECK_I64(weft_build_finish(b, NULL, &f->t, &err), 0);
	REQUIRE(f->t != NULL && weft_space_init(&f->s, f->t) == 0);
}

static inline void make_region_trace(struct made *f)
{
	static const struct region_event events[] = {{100, WEFT_EV_ENTER, SOLVE}, {200, WEFT_EV_ENTER, STEP},
	                                             {250, WEFT_EV_ENTER, WAIT},  {300, WEFT_EV_LEAVE, WAIT},
	                                             {350, WEFT_EV_ENTER, SOLVE}, {400, WEFT_EV_LEAVE, SOLVE},
	                                             {500, WEFT_EV_LEAVE, STEP},  {550, WEFT_EV_LEAVE, SOLVE},
	                                             {600, WEFT_EV_ENTER, LIB},   {650, WEFT_EV_ENTER, WAIT},
	                                             {700, WEFT_EV_OFF, 2},       {750, WEFT_EV_LEAVE, WAIT},
	                                             {800, WEFT_EV_OFF, 0},       {850, WEFT_EV_ON, 0}};
	make_trace_of(f, events, sizeof events / sizeof *events);
}

/* ---- random programs, and what is open in them ---- */

enum { RANDOM_EVENTS = 120, REGIONS = 4, USER = 1, LIBRARY = 2 };

static inline unsigned category_of(unsigned region)
{
	return region == LIB ? LIBRARY : USER;
}

/* Enters and leaves, some of them of what is not open or not innermost, often several at one time; marks now and then. */
static inline void make_random_events(struct region_event *event, unsigned n)
{
	uint64_t at = 100;
	for (unsigned i = 0; i < n; i++) {
		unsigned what = (unsigned)(test_random() % 40), region = (unsigned)(1 + test_random() % REGIONS);
		at += test_random() % 3 ? test_random() % 12 : 0;
		event[i] = (struct region_event){at, what < 20 ? WEFT_EV_ENTER : WEFT_EV_LEAVE, region};
		if (what >= 38)
			event[i] = (struct region_event){at, what == 38 ? WEFT_EV_OFF : WEFT_EV_ON,
			                                 what == 38 ? (unsigned)(test_random() % 3) : 0};
		REQUIRE(at < 900);
	}
}

#endif
