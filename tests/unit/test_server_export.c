/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that are saved: they fit their limit, are the same each time, and say nothing of where the trace was. */
#include "saved/server_export.h"
#include "server_stage.h"
#include "base/atomic.h"
#include <ctype.h>
#include <errno.h>

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

/* ---- share/page ---- */

static int ask_page(struct stage *s, const struct server_arg *arg, unsigned n, bool (*gone)(const struct server_request *r))
{
	struct server_request r = {.session = s->session, .arg = arg, .n_args = n, .body = "", .err = &s->err, .gone = gone};
	s->err = (struct weft_err){0};
	s->answer = (struct server_answer){.status = 200};
	s->session->save_page = server_export_answer;
	const struct server_route *route = server_route_find("share/page");
	REQUIRE(route);
	return route->answer(&r, &s->answer);
}

static unsigned looks;
static bool leaves_soon(const struct server_request *r)
{
	(void)r;
	return ++looks > 3;
}

TEST(a_page_asks_for_a_page)
{
	static const struct server_arg arg[] = {{"view0", "useful"},
	                                        {"level0", "process"},
	                                        {"table_view", "useful"},
	                                        {"limit", "1048576"},
	                                        {"state", "{\"dock\":\"table\"}"}};
	struct stage s;
	open_heat(&s);
	REQUIRE(ask_page(&s, arg, 5, NULL) == 0);
	CHECK(s.answer.body.n > 10000 && s.answer.body.n <= 1 << 20);
	CHECK_U64(weft_load_u64(&s.session->saved_bytes), s.answer.body.n);
	CHECK_U64(weft_load_u64(&s.session->saving.done), 1000);
	weft_buf_fini(&s.answer.body);
	/* Two at a time would take too much memory. */
	weft_store_bool(&s.session->is_saving, true);
	CHECK_I64(ask_page(&s, arg, 5, NULL), -EAGAIN);
	weft_store_bool(&s.session->is_saving, false);
	weft_buf_fini(&s.answer.body);
	stage_end(&s);
}

TEST(a_page_that_nobody_waits_for_is_given_up)
{
	struct stage s;
	open_heat(&s);
	looks = 0;
	CHECK_I64(ask_page(&s, NULL, 0, leaves_soon), -ECANCELED);
	CHECK(!weft_load_bool(&s.session->is_saving));
	weft_buf_fini(&s.answer.body);
	stage_end(&s);
}

TEST(what_a_page_asks_for_is_checked)
{
	static const struct {
		struct server_arg arg;
		const char *words;
	} bad[] = {
		{{"limit", "1000"}, "'limit': expected a number from 1048576"},
		{{"state", "[1]"}, "'state': expected an object"},
		{{"state", "{\"a\":1} x"}, "'state': expected an object"},
		{{"table_statistic", "Time"}, "'table_view': expected"},
		{{"view0", "nothing"}, "nothing"},
		{{"trace", "7"}, "'trace'"},
	};
	struct stage s;
	open_heat(&s);
	for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) {
		CHECK(ask_page(&s, &bad[i].arg, 1, NULL) < 0);
		CHECK(strstr(s.err.text, bad[i].words));
		weft_buf_fini(&s.answer.body);
	}
	stage_end(&s);
}
