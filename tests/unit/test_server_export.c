/* SPDX-License-Identifier: Apache-2.0 */
/* Pages that are saved: they fit their limit, are the same each time, and say nothing of where the trace was. */
#include "saved/server_export_priv.h"
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

/* ---- arrows, tasks ---- */

/* What `put` writes of the whole trace into so much room, as a tree. */
static const struct pulse_value *put_part(struct stage *s, uint64_t room, struct weft_buf *bytes,
                                          int (*put)(struct weft_json *j, const struct server_export_how *how, uint64_t room,
                                                     struct weft_buf *bytes))
{
	struct server_export_how how = {.session = s->session, .to = s->session->trace[0].trace->end, .limit = 2 << 20};
	struct weft_json j;
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	REQUIRE(to);
	bytes->n = 0;
	weft_json_init(&j, to, false);
	weft_json_object(&j);
	REQUIRE(put(&j, &how, room, bytes) == 0);
	weft_json_end(&j);
	REQUIRE(fclose(to) == 0);
	struct pulse_value *v = NULL;
	REQUIRE(pulse_read(text, n, &s->arena, &v, &s->err) == 0);
	free(text);
	return v;
}

/* heat.weft has two messages. */
TEST(of_arrows_the_longest_stay)
{
	struct stage s;
	struct weft_buf bytes = {0};
	open_heat(&s);
	const struct pulse_value *all = pulse_get(pulse_get(put_part(&s, 1000, &bytes, export_arrows_put), "arrows"), "messages");
	CHECK_NEAR(pulse_number(all, "count", -1), 2, 0);
	CHECK_NEAR(pulse_number(all, "left_out", -1), 0, 0);
	size_t whole = bytes.n;
	const struct weft_messages *m = &s.session->trace[0].trace->message;
	uint64_t length[2], longest;
	for (unsigned i = 0; i < 2; i++)
		length[i] = m->recv_done[i] - m->send_done[i];
	longest = length[1] > length[0];
	const struct pulse_value *one = pulse_get(pulse_get(put_part(&s, 20, &bytes, export_arrows_put), "arrows"), "messages");
	CHECK_NEAR(pulse_number(one, "count", -1), 1, 0);
	CHECK_NEAR(pulse_number(one, "left_out", -1), 1, 0);
	CHECK(bytes.n < whole);
	uint64_t begin = 0, at = 0;
	for (unsigned shift = 0; at < bytes.n; shift += 7) {
		begin |= (uint64_t)(bytes.at[at] & 127) << shift;
		if (!(bytes.at[at++] & 128))
			break;
	}
	CHECK_U64(begin, m->send_done[longest]);
	weft_buf_fini(&bytes);
	stage_end(&s);
}

TEST(of_tasks_stays_what_fits)
{
	struct stage s;
	struct weft_buf bytes = {0};
	stage_begin(&s);
	stage_add(&s, "tests/golden/traces/tiles.weft");
	stage_read(&s);
	const struct pulse_value *all = pulse_get(put_part(&s, 1 << 20, &bytes, export_tasks_put), "tasks");
	CHECK_NEAR(pulse_number(all, "seen", -1), 20, 0);
	CHECK_NEAR(pulse_number(pulse_get(all, "list"), "count", -1), 20, 0);
	CHECK_NEAR(pulse_number(pulse_get(pulse_get(all, "charts"), "codelets"), "width", -1), 8192, 0);
	CHECK(pulse_get(all, "details") && pulse_get(pulse_get(all, "answers"), "task/path"));
	const struct pulse_value *few = pulse_get(put_part(&s, 200, &bytes, export_tasks_put), "tasks");
	CHECK_NEAR(pulse_number(few, "seen", -1), 20, 0);
	CHECK_NEAR(pulse_number(pulse_get(few, "list"), "count", -1), 0, 0);
	CHECK_NEAR(pulse_number(pulse_get(pulse_get(few, "charts"), "codelets"), "width", -1), 512, 0);
	CHECK(!pulse_get(few, "details"));
	weft_buf_fini(&bytes);
	stage_end(&s);
}

TEST(a_trace_without_tasks_has_none)
{
	struct stage s;
	struct weft_buf bytes = {0};
	open_heat(&s);
	CHECK(!pulse_get(put_part(&s, 1 << 20, &bytes, export_tasks_put), "tasks"));
	CHECK_U64(bytes.n, 0);
	weft_buf_fini(&bytes);
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
