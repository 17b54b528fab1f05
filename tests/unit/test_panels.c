/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_tasks.h"
#include "cli/panels/panels.h"

static struct panels_how how(void)
{
	return (struct panels_how){.by = task_field_find(weft_str("iteration")), .chain = "last", .width = 300};
}

/* sample_tasks.h: a 20-30 and c 60-80 on CPU 0, b 40-55 on CPU 1, c after both; submitted from 10 on; c says iteration 5. */
TEST(panels_of_a_trace)
{
	struct weft_trace *t = sample_tasks_trace();
	struct panels_how h = how();
	struct panels p;
	REQUIRE(panels_init(&p, t, &h, &weft_command_panels) == 0);
	CHECK_U64(p.last - p.first, 70000);
	CHECK_U64(p.area, 22500);
	CHECK_U64(p.path, 45000); /* a, b, c */
	CHECK(p.has_path);
	REQUIRE(p.chain.n == 3);
	CHECK(p.chain.at[0] == 0 && p.chain.at[1] == 1 && p.chain.at[2] == 2);
	REQUIRE(p.iteration.n == 1);
	CHECK_I64(p.iteration.at[0].value, 5);
	CHECK_U64(p.iteration.at[0].start, 60000);
	REQUIRE(p.link.n == 1);
	CHECK_U64(p.link.at[0].bytes, 800);
	CHECK_U64(p.link.at[0].ns, 4000); /* from when it was submitted, 34, to 38 */
	CHECK_U64(p.g.row.at[p.g.first_worker].task_ns, 30000);
	panels_fini(&p);
	weft_trace_close(t);
}

TEST(panels_say_when_memory_is_out)
{
	struct weft_trace *t = sample_tasks_trace();
	struct panels_how h = how();
	const struct panels_look look = {.panels = (1u << PANELS_MOST) - 1};
	TEST_EACH_ALLOCATION_FAILS {
		struct panels p;
		struct weft_buf out = {0};
		int rc = panels_init(&p, t, &h, &weft_command_panels);
		if (!rc)
			rc = panels_page(&p, &look, &out);
		CHECK(!rc == !test_alloc_failed());
		weft_buf_fini(&out);
		panels_fini(&p);
	}
	weft_trace_close(t);
}
