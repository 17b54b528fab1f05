/* SPDX-License-Identifier: Apache-2.0 */
/* What is needed, as filters: each reads back, and keeps what was asked for and nothing else. */
#include "build_maker.h"
#include "base/str.h"
#include "trace/filter/filter.h"
#include "trace/filter/need.h"

static struct weft_trace *typed(void)
{
	struct weft_builder *b = made_builder(1);
	REQUIRE(weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = "MPI", .code = 50000001}) == 2);
	REQUIRE(weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = "a \"b\\c\" * (d)"}) == 3);
	REQUIRE(weft_build_def(b, WEFT_CLASS_STATE, &(struct weft_def_row){.name = "Running", .code = 1}) == 1);
	made_point(b, 0, 10, 1);
	return made_trace(b);
}

static const uint32_t types[] = {2, 3, 0, 77};
static const struct {
	struct weft_need need;
	const char *text;
} rows[] = {
	{{0}, "kind=*"},
	{{.states = true}, "kind=state"},
	{{.states = true, .least_ns = 1000}, "(kind=state and duration>=1000ns)"},
	{{.messages = true, .type = types, .n_types = 1}, "kind=message or type=50000001"},
	{{.type = types, .n_types = 4}, "type=50000001,\"a \\\"b\\\\c\\\" * (d)\""},
	{{.points = true, .cpus = true, .type = types, .n_types = 2}, "kind=point or kind=cpu"},
	{{.regions = true, .flows = true, .counters = true, .least_ns = 5},
         "(kind=region,attr and duration>=5ns) or kind=flow or kind=counter"},
};

TEST(needs_are_filters_that_read_back)
{
	struct weft_trace *t = typed();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weft_buf text = {0};
		struct weft_filter *f;
		struct weft_err err = {0};
		REQUIRE(weft_need_filter(&rows[i].need, t, &text) == 0);
		CHECK_STR(text.at, rows[i].text);
		CHECK(weft_filter_new(&f, text.at, &err) == 0);
		CHECK_STR(err.text, "");
		CHECK(weft_filter_bind(f, t, &err) == 0);
		weft_filter_free(f);
		weft_buf_fini(&text);
	}
	weft_trace_close(t);
}

TEST(the_filter_keeps_the_types_that_are_needed)
{
	struct weft_trace *t = typed();
	struct weft_buf text = {0};
	struct weft_filter *f;
	REQUIRE(weft_need_filter(&(struct weft_need){.type = types, .n_types = 2}, t, &text) == 0);
	REQUIRE(weft_filter_new(&f, text.at, NULL) == 0 && weft_filter_bind(f, t, NULL) == 0);
	for (unsigned id = 1; id <= 3; id++)
		CHECK(weft_filter_event(f, &(struct weft_event){.kind = WEFT_EV_POINT, .id = id}) == (id > 1));
	weft_filter_free(f);
	weft_buf_fini(&text);
	weft_trace_close(t);
}

static void check_command(const char *path, const char *want)
{
	struct weft_trace *t = typed(), copy = *t;
	struct weft_buf text = {0};
	copy.path = path;
	REQUIRE(weft_need_command(&(struct weft_need){.states = true}, &copy, &text) == 0);
	CHECK_STR(text.at, want);
	weft_buf_fini(&text);
	weft_trace_close(t);
}

TEST(the_command_is_one_for_a_shell)
{
	check_command("a/big.prv.gz", "weft filter a/big.prv.gz -o a/big.filtered.weft -f 'kind=state'");
	check_command("run.weft/", "weft filter run.weft/ -o run.filtered.weft -f 'kind=state'");
	check_command("it's big", "weft filter 'it'\\''s big' -o 'it'\\''s big.filtered.weft' -f 'kind=state'");
}

TEST(what_is_large)
{
	struct weft_trace *t = typed();
	uint64_t bytes;
	CHECK(!weft_trace_is_large(t, 0, &bytes));
	CHECK(bytes > 100);
	CHECK(weft_trace_is_large(t, bytes - 1, &bytes));
	CHECK(!weft_trace_is_large(t, bytes, &bytes));
	weft_trace_close(t);
}
