/* SPDX-License-Identifier: Apache-2.0 */
/* region_view.c: pictures of known traces as goldens, and what holds for all of them. */
#include "harness.h"
#include "render/region_view.h"
#include "sample_trace.h"
#include <errno.h>

static struct weft_buf picture(const struct weft_trace *t, const struct weft_region_view_how *how)
{
	struct weft_buf b = {0};
	struct weft_space s;
	MUST(weft_space_init(&s, t));
	MUST(weft_region_view_draw(&b, WEFT_PICTURE_SVG, &s, how));
	weft_space_fini(&s);
	return b;
}

TEST(region_view_of_a_part_is_as_it_was)
{
	struct weft_trace *t = sample_fixed();
	struct weft_region_view_how how = {.to = 20000, .width = 600, .most_messages = 10, .title = "a <small> trace"};
	struct weft_buf b = picture(t, &how);
	test_golden(b.at, b.n, "timeline_part.svg");
	weft_buf_fini(&b);
	weft_trace_close(t);
}

TEST(region_view_without_regions_shows_who_was_there)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	MUST(weft_builder_new(&b, "make.weft", "test", &(struct weft_open_how){.no_index = true}, &err));
	MADE(weft_build_app(b, "make"));
	for (unsigned i = 0; i < 3; i++) {
		struct weft_process p = {.node = WEFT_NONE,
		                         .pid = 100 + i,
		                         .rank = -1,
		                         .name = i ? "cc" : "make",
		                         .command = "",
		                         .host = "",
		                         .begin = i * 1000,
		                         .end = 5000 - i * 500,
		                         .status = 0};
		uint32_t process = MADE(weft_build_process(b, &p));
		struct weft_thread_row h =
			{.process = process, .number = 1, .tid = p.pid, .name = "", .begin = p.begin, .end = p.end};
		uint32_t thread = MADE(weft_build_thread(b, &h));
		MUST(weft_append(weft_builder_appender(b, thread), p.begin, weft_what(WEFT_EV_THREAD_BEGIN, 0), 0));
		MUST(weft_append(weft_builder_appender(b, thread), p.end, weft_what(WEFT_EV_THREAD_END, 0), 0));
	}
	weft_build_keep_zero(b, 5000);
	MUST(weft_build_finish(b, NULL, &t, &err));
	struct weft_buf out = picture(t, &(struct weft_region_view_how){.to = WEFT_NEVER, .width = 500});
	test_golden(out.at, out.n, "timeline_processes.svg");
	weft_buf_fini(&out);
	weft_trace_close(t);
}

TEST(region_view_is_bounded_however_long_the_trace_is)
{
	struct sample_random how = {.n_threads = 20, .n_events = 20000, .longest_gap = 1000};
	struct weft_trace *t = sample_random(&how);
	struct weft_buf b = picture(t, &(struct weft_region_view_how){.to = WEFT_NEVER, .width = 500, .most_messages = 0});
	CHECK(b.n < 20 * 500 * 24 + 10000);
	weft_buf_fini(&b);
	weft_trace_close(t);
}

TEST(region_view_says_what_it_does_not_show)
{
	struct weft_trace *t = sample_fixed();
	struct weft_buf b = picture(t, &(struct weft_region_view_how){.to = WEFT_NEVER, .most_rows = 2, .most_messages = 0});
	CHECK(strstr(b.at, "1 more thread is not shown") != NULL);
	weft_buf_fini(&b);
	b = picture(t, &(struct weft_region_view_how){.to = WEFT_NEVER, .most_messages = 0});
	CHECK(strstr(b.at, "1 message is not drawn") != NULL);
	CHECK(strstr(b.at, "marker-end") == NULL);
	weft_buf_fini(&b);
	weft_trace_close(t);
}

TEST(region_view_of_an_empty_trace_is_a_picture)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	MUST(weft_builder_new(&b, "empty", "test", &(struct weft_open_how){.no_index = true}, &err));
	MUST(weft_build_finish(b, NULL, &t, &err));
	struct weft_buf out = picture(t, &(struct weft_region_view_how){.to = WEFT_NEVER});
	CHECK(strstr(out.at, "</svg>") != NULL);
	weft_buf_fini(&out);
	weft_trace_close(t);
}

TEST(region_view_says_when_memory_is_out)
{
	struct weft_trace *t = sample_fixed();
	struct weft_space s;
	MUST(weft_space_init(&s, t));
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_buf b = {0};
		int rc = weft_region_view_draw(&b, WEFT_PICTURE_SVG, &s,
		                               &(struct weft_region_view_how){.to = WEFT_NEVER, .width = 400, .threads = 1});
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		weft_buf_fini(&b);
	}
	weft_space_fini(&s);
	weft_trace_close(t);
}
