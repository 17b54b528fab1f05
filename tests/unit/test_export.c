/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Traces in foreign formats: the fixed trace as goldens; of random traces, what any reader of the format would count; what is
 * left when writing fails. What real foreign readers say is in test_export_foreign.c, Perfetto's binary in test_export_perfetto.c.
 */
#include "sample_export.h"
#include "base/fs.h"
#include "base/json.h"
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the table ---- */

TEST(formats_are_found_by_name_and_by_suffix)
{
	static const struct {
		const char *name, *path, *want;
	} rows[] = {
		{NULL, "a.prv", "prv"},
		{NULL, "a.prv.gz", "prv"},
		{NULL, "dir/a.paje", "paje"},
		{NULL, "a.trace", "paje"},
		{NULL, "a.json", "chrome"},
		{NULL, "a.pftrace", "perfetto"},
		{NULL, "a.csv", "csv"},
		{NULL, "a.perfetto-trace", "perfetto"},
		{NULL, "a.weft", "weft"},
		{NULL, "a.weft/", "weft"},
		{NULL, "a.weft//", "weft"},
		{"csv", "a.json", "csv"},
		{"chrome", "-", "chrome"},
		{NULL, "a", NULL},
		{NULL, ".json", NULL},
		{NULL, "json", NULL},
		{"jsn", "a.json", NULL},
		{NULL, "a.JSON", NULL},
		{NULL, "", NULL},
		{NULL, "/", NULL},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct weft_exporter *e = weft_exporter_find(rows[i].name, rows[i].path);
		CHECK_STR(e ? e->name : "none", rows[i].want ? rows[i].want : "none");
	}
}

TEST(every_format_says_what_it_is)
{
	for (const struct weft_exporter *e = weft_exporters; e->name; e++) {
		CHECK(e->suffix[0] == '.' && e->text[0] && e->write);
		CHECK(weft_exporter_find(e->name, NULL) == e);
	}
}

/* ---- goldens ---- */

TEST(the_fixed_trace_in_each_format)
{
	static const struct {
		const char *format, *golden;
	} rows[] = {{"paje", "export.paje"}, {"chrome", "export.json"}, {"csv", "export.csv"}};
	struct weft_trace *t = sample_fixed();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		size_t n;
		char *got = exported(t, rows[i].format, NULL, &n);
		CHECK(test_golden(got, n, rows[i].golden));
		free(got);
	}
	weft_trace_close(t);
}

TEST(a_filter_drops_regions_with_their_attributes_and_messages_whole)
{
	struct weft_trace *t = sample_fixed();
	struct weft_filter *f = bound_filter(t, "region=solve or kind=counter and thread=1.1.1");
	size_t n;
	char *got = exported(t, "csv", f, &n);
	CHECK_STR(got, "kind,app,process,thread,begin_ns,end_ns,name,value,size,peer,tag,depth\n"
	               "attr,1,1,1,110,110,size,4096,,,,0\n"
	               "counter,1,1,1,120,120,flops,1000000,,,,\n"
	               "counter,1,1,1,500,500,flops,7,,,,\n" /* of a set */
	               "counter,1,1,1,500,500,load,8,,,,\n"
	               "attr_f,1,1,1,950,950,ratio,-1.5,,,,0\n"
	               "region,1,1,1,100,1000,solve,,,,,0\n"
	               "region,1,1,1,3000000,3000500,solve,,,,,0\n"
	               "region,1,1,2,1100,6000,solve,,,,,0\n"
	               "region,1,2,1,9000,15000,solve,,,,,0\n");
	free(got);
	got = exported(t, "chrome", f, &n);
	CHECK_U64(count_of(got, "\"ph\":\"B\""), 4);
	CHECK_U64(count_of(got, "\"ph\":\"E\""), 4);
	CHECK_U64(count_of(got, "\"ph\":\"C\""), 3);
	CHECK_U64(count_of(got, "\"ph\":\"i\""), 0);
	free(got);
	weft_filter_free(f);
	f = bound_filter(t, "kind=send,recv and thread=1.1.*");
	got = exported(t, "paje", f, &n); /* the other end of the message is in 1.2.1, which goes */
	CHECK_U64(count_of(got, " M t0 "), 0);
	CHECK_U64(count_of(got, " \"1.2.1 main\"\n"), 0);
	CHECK_U64(count_of(got, "\n10 0.000002000 k8 t2 \"world\"\n"), 1);
	free(got);
	weft_filter_free(f);
	weft_trace_close(t);
}

/* ---- Chrome ---- */

static uint64_t jq_number(const char *path, const char *query)
{
	int status;
	char *text = test_shell(&status, "jq '%s' %s", query, path);
	CHECK_I64(status, 0);
	uint64_t n = strtoull(text, NULL, 10);
	free(text);
	return n;
}

TEST(chrome_is_json_with_what_the_trace_has)
{
	for (unsigned i = 0; i < 4; i++) {
		struct weft_trace *t = sample_random(
			&(struct sample_random){.n_threads = 3, .n_events = 2000, .longest_gap = 5000, .marks = i % 2});
		struct sample_counts want = sample_count(t);
		struct weft_err err = {0};
		size_t n;
		char *got = exported(t, "chrome", NULL, &n);
		CHECK_I64(weft_json_check(got, n, &err), 0);
		CHECK_STR(err.text, "");
		CHECK_U64(count_of(got, "\n{\"ph\":\"B\""), count_of(got, "\n{\"ph\":\"E\""));
		if (i % 2 == 0)
			CHECK_U64(count_of(got, "\n{\"ph\":\"B\""), want.spans);
		CHECK_U64(count_of(got, "\n{\"ph\":\"C\""), want.counter_values);
		CHECK_U64(count_of(got, "\n{\"ph\":\"s\""), want.messages + want.flows);
		CHECK_U64(count_of(got, "\n{\"ph\":\"f\""), want.messages + want.flows);
		CHECK_U64(count_of(got, "\"name\":\"thread_name\""), t->n_threads);
		free(got);
		weft_trace_close(t);
	}
}

TEST(chrome_times_are_exact_and_jq_reads_them)
{
	int status;
	char *found = test_shell(&status, "command -v jq");
	free(found);
	if (status)
		SKIP("jq is not installed");
	struct weft_trace *t = sample_fixed();
	size_t n;
	free(exported(t, "chrome", NULL, &n));
	const char *path = exported_path("chrome");
	CHECK_U64(jq_number(path, "[.traceEvents[] | select(.ph == \"B\")] | length"), 10);
	CHECK_U64(jq_number(path, "[.traceEvents[] | select(.ph == \"B\" and .name == \"solve\") | .ts * 1000 | round] | add"),
	          100 + 1100 + 9000 + 3000000);
	CHECK_U64(jq_number(path, "[.traceEvents[] | select(.ph == \"E\") | .args.size // 0] | add"), 4096);
	CHECK_U64(jq_number(path, "[.traceEvents[] | select(.ph == \"s\" or .ph == \"f\") | .id] | add"), 4);
	weft_trace_close(t);
}

/* Within a thread every E ends the B before it, times never fall but to where a send began, and nothing is left open. */
TEST(chrome_regions_nest)
{
	struct weft_trace *t = sample_random(
		&(struct sample_random){.n_threads = 3, .n_events = 3000, .longest_gap = 3, .marks = true});
	size_t n;
	char *got = exported(t, "chrome", NULL, &n);
	long depth = 0;
	unsigned long tid, last_tid = 0;
	double ts, last_ts = 0;
	for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n")) {
		char ph;
		if (sscanf(line, "{\"ph\":\"%c\",\"pid\":%*u,\"tid\":%lu,\"ts\":%lf", &ph, &tid, &ts) != 3)
			continue;
		if (tid != last_tid) {
			CHECK_I64(depth, 0);
			last_ts = 0;
		}
		if (ph == 's' || ph == 'X')
			continue;
		CHECK(ts >= last_ts);
		depth += (ph == 'B') - (ph == 'E');
		CHECK(depth >= 0);
		last_tid = tid;
		last_ts = ts;
	}
	CHECK_I64(depth, 0);
	CHECK_U64(last_tid, 3);
	free(got);
	weft_trace_close(t);
}

/* The lines of an export that have `what` in them, for small traces. */
static void check_lines(const struct weft_trace *t, const char *format, const char *what, const char *want)
{
	size_t n;
	char *got = exported(t, format, NULL, &n);
	struct weft_buf lines = {0};
	for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, what))
			weft_buf_printf(&lines, "%s\n", line);
	CHECK_STR(lines.n ? lines.at : "", want);
	weft_buf_fini(&lines);
	free(got);
}

TEST(chrome_gives_an_arrow_a_slice_where_no_region_is_open)
{
	struct sample_ids d;
	struct weft_builder *b = sample_begin(1, &d);
	struct weft_appender *a = weft_builder_appender(b, 0);
	SAMPLE_APPEND(b, 0, {{10, WEFT_EV_ENTER, d.solve, 0}, {30, WEFT_EV_LEAVE, d.solve, 0}, {50, WEFT_EV_POINT, d.phase, 1}});
	MUST(weft_append_flow(a, 20, d.submit, 1, true));
	MUST(weft_append_flow(a, 40, d.submit, 1, false));
	struct weft_trace *t = sample_finish(b, 60);
	check_lines(
		t, "chrome", "\"cat\":\"flow_",
		"{\"ph\":\"i\",\"pid\":1,\"tid\":1,\"ts\":0.020,\"s\":\"t\",\"name\":\"submit\",\"cat\":\"flow_out\",\"args\":{\"key\":\"0x1\"}},\n"
		"{\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":0.040,\"dur\":0,\"name\":\"submit\",\"cat\":\"flow_in\",\"args\":{\"key\":\"0x1\"}},\n");
	weft_trace_close(t);
}

TEST(chrome_keeps_the_last_of_an_attribute_that_comes_twice)
{
	struct sample_ids d;
	struct weft_builder *b = sample_begin(1, &d);
	SAMPLE_APPEND(b, 0,
	              {{10, WEFT_EV_ENTER, d.solve, 0},
	               {11, WEFT_EV_ATTR, d.size, 1},
	               {12, WEFT_EV_ATTR, d.ratio, 2},
	               {13, WEFT_EV_ATTR, d.size, 3},
	               {30, WEFT_EV_LEAVE, d.solve, 0}});
	struct weft_trace *t = sample_finish(b, 60);
	check_lines(t, "chrome", "\"E\"", "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":0.030,\"args\":{\"ratio\":2,\"size\":3}}\n");
	weft_trace_close(t);
}

TEST(a_state_that_reaches_beyond_the_one_around_it_ends_that_one)
{
	struct sample_ids d;
	struct weft_builder *b = sample_begin(1, &d);
	SAMPLE_APPEND(b, 0,
	              {{0, WEFT_EV_STATE, d.state_run, 100},
	               {50, WEFT_EV_STATE, d.state_wait, 100},
	               {60, WEFT_EV_STATE, d.state_run, 10}, /* within */
	               {70, WEFT_EV_STATE_END, d.state_run, 0},
	               {100, WEFT_EV_STATE_END, d.state_run, 0},
	               {150, WEFT_EV_STATE_END, d.state_wait, 0}});
	struct weft_trace *t = sample_finish(b, 200);
	check_lines(t, "paje", " S t1",
	            "8 0.000000000 S t1 s1\n9 0.000000050 S t1\n8 0.000000050 S t1 s2\n8 0.000000060 S t1 s1\n9 0.000000070 S t1\n"
	            "9 0.000000150 S t1\n");
	weft_trace_close(t);
}

TEST(paje_creates_and_destroys_threads_when_they_begin_and_end)
{
	struct sample_ids d;
	struct weft_builder *b = sample_begin(3, &d);
	SAMPLE_APPEND(b, 0, {{0, WEFT_EV_ENTER, d.solve, 0}, {5, WEFT_EV_POINT, d.phase, 1}}); /* is never left */
	SAMPLE_APPEND(b, 1, {{10, WEFT_EV_ENTER, d.solve, 0}, {20, WEFT_EV_LEAVE, d.solve, 0}});
	SAMPLE_APPEND(b, 2, {{20, WEFT_EV_ENTER, d.solve, 0}, {90, WEFT_EV_LEAVE, d.solve, 0}});
	struct weft_trace *t = sample_finish(b, 100);
	check_lines(
		t, "paje", " 0.0000000",
		"6 0.000000000 t0 C0 0 \"trace\"\n6 0.000000000 a0 C1 t0 \"1 small\"\n6 0.000000000 p0 C3 a0 \"1.1 small [pid 7]\"\n"
		"6 0.000000000 t1 C4 p0 \"1.1.1 t\"\n8 0.000000000 R t1 r1\n10 0.000000005 e1 t1 \"warm-up\"\n9 0.000000005 R t1\n"
		"7 0.000000005 t1 C4\n6 0.000000010 t2 C4 p0 \"1.1.2 t\"\n8 0.000000010 R t2 r1\n6 0.000000020 t3 C4 p0 \"1.1.3 t\"\n"
		"9 0.000000020 R t2\n8 0.000000020 R t3 r1\n7 0.000000020 t2 C4\n9 0.000000090 R t3\n7 0.000000090 t3 C4\n"
		"7 0.000000090 p0 C3\n");
	weft_trace_close(t);
}

/* ---- CSV ---- */

struct csv_sums {
	uint64_t rows, region_ns, region_depths, cells;
};

/* A reader of RFC 4180 in a few lines: hands over each cell with its column. */
static void read_csv(const char *at, void (*cell)(void *arg, unsigned column, const char *text), void *arg)
{
	struct weft_buf text = {0};
	unsigned column = 0;
	while (*at) {
		text.n = 0;
		if (*at == '"') {
			for (at++; *at && (*at != '"' || at[1] == '"'); at++) {
				weft_buf_putc(&text, *at);
				at += *at == '"';
			}
			REQUIRE(*at == '"');
			at++;
		} else {
			for (; *at && *at != ',' && *at != '\n'; at++)
				weft_buf_putc(&text, *at);
		}
		cell(arg, column, text.n ? text.at : "");
		REQUIRE(*at == ',' || *at == '\n');
		column = *at++ == ',' ? column + 1 : 0;
	}
	weft_buf_fini(&text);
}

struct csv_row {
	char kind[32];
	uint64_t begin, end;
	struct csv_sums sums;
	uint64_t by_kind[64];
};

static void sum_cell(void *arg, unsigned column, const char *text)
{
	struct csv_row *r = arg;
	r->sums.cells++;
	if (column == 0)
		snprintf(r->kind, sizeof r->kind, "%s", text);
	else if (column == 4)
		r->begin = strtoull(text, NULL, 10);
	else if (column == 5)
		r->end = strtoull(text, NULL, 10);
	else if (column == 11) {
		r->sums.rows++;
		CHECK(r->end >= r->begin);
		if (strcmp(r->kind, "region") == 0) {
			r->sums.region_ns += r->end - r->begin;
			r->sums.region_depths += strtoull(text, NULL, 10);
			r->by_kind[0]++;
		}
		for (unsigned k = 1; k < 64; k++)
			if (weft_kind_info[k].name && strcmp(r->kind, weft_kind_info[k].name) == 0)
				r->by_kind[k]++;
	}
}

TEST(csv_has_a_row_for_everything)
{
	for (unsigned i = 0; i < 4; i++) {
		struct weft_trace *t = sample_random(
			&(struct sample_random){.n_threads = 3, .n_events = 2000, .longest_gap = 5000, .marks = i % 2});
		struct sample_counts want = sample_count(t);
		struct csv_row row = {.sums = {0}};
		size_t n;
		char *got = exported(t, "csv", NULL, &n);
		read_csv(got, sum_cell, &row);
		CHECK_U64(row.sums.cells, row.sums.rows * 12);
		CHECK_U64(row.sums.region_ns, want.span_ns);
		CHECK_U64(row.sums.region_depths, want.span_depths);
		CHECK_U64(row.by_kind[0], want.spans);
		CHECK_U64(row.by_kind[WEFT_EV_POINT], want.kind[WEFT_EV_POINT]);
		CHECK_U64(row.by_kind[WEFT_EV_POINT_S], want.kind[WEFT_EV_POINT_S]);
		CHECK_U64(row.by_kind[WEFT_EV_ATTR], want.kind[WEFT_EV_ATTR]);
		CHECK_U64(row.by_kind[WEFT_EV_SAMPLE], want.kind[WEFT_EV_SAMPLE]);
		CHECK_U64(row.by_kind[WEFT_EV_CALLSTACK], want.kind[WEFT_EV_CALLSTACK]);
		CHECK_U64(row.by_kind[WEFT_EV_COUNTER], want.kind[WEFT_EV_COUNTER] + 2 * want.kind[WEFT_EV_COUNTER_SET]);
		CHECK_U64(row.by_kind[WEFT_EV_SEND] + row.by_kind[WEFT_EV_RECV], want.half_messages);
		CHECK_U64(count_of(got, "\nmessage,"), want.messages);
		CHECK_U64(count_of(got, "\nflow,"), want.flows);
		free(got);
		weft_trace_close(t);
	}
}

/* ---- Paje, as far as its text shows it ---- */

TEST(paje_is_in_order_of_time_and_balanced)
{
	for (unsigned i = 0; i < 4; i++) {
		struct weft_trace *t = sample_random(
			&(struct sample_random){.n_threads = 4, .n_events = 2000, .longest_gap = 40, .marks = i % 2});
		struct sample_counts want = sample_count(t);
		size_t n;
		char *got = exported(t, "paje", NULL, &n);
		double last = 0;
		uint64_t codes[16] = {0};
		for (char *line = strtok(got, "\n"); line; line = strtok(NULL, "\n")) {
			char *end;
			unsigned long code = strtoul(line, &end, 10);
			if (end == line)
				continue;
			REQUIRE(code < 16);
			codes[code]++;
			if (code < 6)
				continue;
			double time = strtod(end, NULL);
			CHECK(time >= last);
			last = time;
		}
		CHECK_U64(codes[6], codes[7]); /* containers */
		CHECK_U64(codes[8], codes[9]); /* states */
		if (i % 2 == 0)
			CHECK_U64(codes[8], want.spans);
		CHECK_U64(codes[12] + codes[13], want.messages + want.flows);
		CHECK_U64(codes[14], want.messages + want.flows);
		CHECK_U64(codes[11], want.counter_values);
		CHECK_U64(count_of(got, "\"\""), 0);
		free(got);
		weft_trace_close(t);
	}
}

/* ---- what cannot be written ---- */

static const char *const formats[] = {"paje", "chrome", "perfetto", "csv"};

TEST(a_full_disk_is_an_error_and_leaves_nothing)
{
	struct weft_trace *t = sample_random(&(struct sample_random){.n_threads = 3, .n_events = 20000, .longest_gap = 100});
	struct rlimit old, small = {0};
	REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
	signal(SIGXFSZ, SIG_IGN);
	small.rlim_cur = 300000;
	small.rlim_max = old.rlim_max;
	for (size_t i = 0; i < 4; i++) {
		struct weft_export_how how = {0};
		struct weft_err err = {0};
		const char *path = exported_path(formats[i]);
		REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
		int rc = weft_exporter_find(formats[i], NULL)->write(t, path, &how, &err);
		REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
		CHECK_I64(rc, -EFBIG);
		CHECK(strstr(err.text, "cannot write") && strstr(err.text, path) && strstr(err.text, "file too large"));
		CHECK(access(path, F_OK) != 0);
		err = (struct weft_err){0};
		CHECK_I64(weft_exporter_find(formats[i], NULL)->write(t, "/dev/full", &how, &err), -ENOSPC);
		err = (struct weft_err){0};
		CHECK_I64(weft_exporter_find(formats[i], NULL)->write(t, "/no/such/folder/x", &how, &err), -ENOENT);
		CHECK(err.text[0] != 0);
	}
	char **names;
	struct weft_err err = {0};
	CHECK_I64(weft_list_dir(test_dir(), &names, &err), 0);
	weft_list_free(names, 0);
	weft_trace_close(t);
}

TEST(no_memory_is_an_error_and_leaves_nothing)
{
	struct weft_trace *t = sample_fixed();
	struct weft_filter *f = bound_filter(t, "not region=halo*");
	for (size_t i = 0; i < 4; i++) {
		const char *path = exported_path(formats[i]);
		size_t n;
		char *whole = exported(t, formats[i], f, &n);
		unlink(path);
		TEST_EACH_ALLOCATION_FAILS {
			struct weft_export_how how = {.filter = f};
			struct weft_err err = {0};
			int rc = weft_exporter_find(formats[i], NULL)->write(t, path, &how, &err);
			CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
			CHECK(rc == 0 || err.text[0] != 0);
			CHECK(rc || access(path, F_OK) == 0);
			struct stat st; /* the very last step may fail when the file already has its name: then it is whole */
			if (stat(path, &st) == 0)
				CHECK_U64((uint64_t)st.st_size, n);
			unlink(path);
		}
		free(whole);
	}
	weft_filter_free(f);
	weft_trace_close(t);
}

TEST(an_empty_trace_is_a_file_too)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	MUST(weft_builder_new(&b, "empty", "test", &how, &err));
	MUST(weft_build_finish(b, NULL, &t, &err));
	size_t n;
	char *got = exported(t, "chrome", NULL, &n);
	CHECK_STR(got, "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"producer\":\"weft\"},\"traceEvents\":[\n]}\n");
	free(got);
	got = exported(t, "csv", NULL, &n);
	CHECK_STR(got, "kind,app,process,thread,begin_ns,end_ns,name,value,size,peer,tag,depth\n");
	free(got);
	free(exported(t, "paje", NULL, &n));
	free(exported(t, "perfetto", NULL, &n));
	weft_trace_close(t);
}
