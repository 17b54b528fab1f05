/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that are saved: they fit their limit, are the same each time, and say nothing of where the trace was. */
#include "saved/server_export.h"
#include "server_stage.h"
#include <ctype.h>

static void open_heat(struct stage *s)
{
	stage_begin(s);
	stage_add(s, "tests/golden/traces/heat.weft");
	stage_read(s);
}

static int make_page(struct stage *s, struct weft_buf *page, const char *const *view, unsigned n_views,
                     struct server_export_result *result)
{
	struct server_export_how how = {.session = s->session,
	                                .title = "<script>alert(1)</script> & co",
	                                .view = view,
	                                .n_views = n_views,
	                                .to = s->session->trace[0].trace->end,
	                                .limit = 2 << 20};
	s->err = (struct weft_err){0};
	return server_export_page(page, &how, result, &s->err);
}

TEST(a_page_is_whole_and_small)
{
	struct stage s;
	struct weft_buf page = {0}, again = {0};
	struct server_export_result result, second;
	const char *const view[] = {"states"};
	open_heat(&s);
	REQUIRE(make_page(&s, &page, view, 1, &result) == 0);
	weft_buf_putc(&page, 0);
	CHECK(page.n < 2 << 20);
	CHECK_U64(result.step_ns, 1);
	CHECK(result.intervals > 10 && result.parts > 1);
	CHECK(strstr(page.at, "default-src 'none'; script-src 'sha256-"));
	CHECK(strstr(page.at, "<title>&lt;script&gt;alert(1)&lt;/script&gt; &amp; co</title>"));
	CHECK(!strstr(page.at, "src=\"") && !strstr(page.at, "href=\"http") && !strstr(page.at, test_dir()));
	REQUIRE(make_page(&s, &again, view, 1, &second) == 0);
	CHECK_U64(again.n + 1, page.n);
	CHECK(!memcmp(again.at, page.at, again.n));
	weft_buf_fini(&page);
	weft_buf_fini(&again);
	stage_end(&s);
}

TEST(an_unknown_view_is_refused)
{
	struct stage s;
	struct weft_buf page = {0};
	struct server_export_result result;
	const char *const view[] = {"nothing"};
	open_heat(&s);
	CHECK(make_page(&s, &page, view, 1, &result) < 0);
	CHECK(strstr(s.err.text, "nothing"));
	weft_buf_fini(&page);
	stage_end(&s);
}
