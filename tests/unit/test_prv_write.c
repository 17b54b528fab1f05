/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing .prv: what was a .prv comes back equal, record for record; what was recorded by us becomes what the strict validator
 * accepts, with states that say what the regions say at every time.
 */
#include "trace/open.h"
#include "sample_trace.h"
#include "base/fs.h"
#include "base/vec.h"
#include "trace/write/export.h"
#include "trace/filter/filter.h"
#include "trace/paraver/prv_names.h"
#include "trace/filter/spans.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *in_dir(const char *name)
{
	static char path[8][4096];
	static unsigned next;
	char *to = path[next++ % 8];
	snprintf(to, sizeof path[0], "%s/%s", test_dir(), name);
	return to;
}

static void write_text(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	REQUIRE(f && fputs(text, f) >= 0 && fclose(f) == 0);
}

static char *read_text(const char *path)
{
	char *text;
	size_t n;
	struct weft_err err = {0};
	int rc = weft_read_file(path, &text, &n, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return text;
}

static struct weft_trace *opened(const char *path)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 256 << 20, .threads = 1, .no_index = true};
	int rc = weft_trace_open(&t, path, &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return t;
}

static void write_filtered(const struct weft_trace *t, const char *path, struct weft_filter *f)
{
	struct weft_err err = {0};
	struct weft_export_how how = {.filter = f};
	int rc = weft_export_prv(t, path, &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
}

static void write_prv(const struct weft_trace *t, const char *path)
{
	write_filtered(t, path, NULL);
}

static void check_valid(const char *path, const char *option)
{
	int status;
	char *said = test_shell(&status, "'%s' %s '%s'", test_built("tests/prv_validate"), option, path);
	if (status != 0)
		CHECK_STR(said, "valid");
	free(said);
}

/* -- what was a .prv -- */

static int order_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct texts {
	char **at;
	size_t n, cap;
};

static void texts_move(struct texts *v, struct weft_buf *out)
{
	if (v->n)
		qsort(v->at, v->n, sizeof *v->at, order_text);
	for (size_t i = 0; i < v->n; i++) {
		weft_buf_puts(out, v->at[i]);
		weft_buf_putc(out, '\n');
		free(v->at[i]);
	}
	free(v->at);
}

/*
 * What a trace says that its lines may not change, in whatever order they come: each event with its cpu; points and begins of
 * states in their order, ends of states and of messages (whose order at one time is that of the lines that say them) sorted.
 */
static char *say_prv(const struct weft_trace *t)
{
	struct weft_buf out = {0};
	sample_say_objects(t, &out);
	for (uint32_t thread = 0; thread < t->n_threads; thread++) {
		struct texts ends = {0};
		struct weft_cursor c;
		struct weft_block b;
		uint64_t cpu = WEFT_NONE;
		weft_buf_printf(&out, "thread '%s'\n", t->thread[thread].name);
		MUST(weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER));
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t i = 0; i < b.n; i++) {
				unsigned kind = weft_what_kind(b.what[i]);
				struct weft_buf z = {0};
				if (kind == WEFT_EV_CPU) {
					cpu = b.value[i];
					continue;
				}
				weft_buf_printf(&z, "%" PRIu64 " on %" PRId32 " %s", b.time[i], (int32_t)cpu,
				                weft_kind_info[kind].name);
				sample_say_def(t, weft_kind_info[kind].of, weft_what_id(b.what[i]), &z);
				sample_say_value(t, thread, kind, b.value[i], 0, &z);
				if (kind == WEFT_EV_POINT || kind == WEFT_EV_STATE) {
					weft_buf_puts(&out, z.at);
					weft_buf_putc(&out, '\n');
					weft_buf_fini(&z);
				} else {
					REQUIRE(weft_vec_push(&ends, z.at) == 0);
				}
			}
		weft_cursor_end(&c);
		texts_move(&ends, &out);
	}
	return out.at;
}

static void check_round_trip(const char *path)
{
	struct weft_trace *t = opened(path);
	write_prv(t, in_dir("again.prv"));
	check_valid(in_dir("again.prv"), "--foreign");
	struct weft_trace *again = opened(in_dir("again.prv"));
	CHECK_U64(again->n_problems, 0);
	char *want = say_prv(t), *got = say_prv(again);
	sample_same(got, want);
	free(want);
	free(got);
	/* And from there on nothing changes, to the last byte. */
	write_prv(again, in_dir("third.prv"));
	static const char *const suffixes[] = {"prv", "pcf", "row"};
	for (int i = 0; i < 3; i++) {
		char a[16], b[16];
		snprintf(a, sizeof a, "again.%s", suffixes[i]);
		snprintf(b, sizeof b, "third.%s", suffixes[i]);
		char *x = read_text(in_dir(a)), *y = read_text(in_dir(b));
		sample_same(y, x);
		free(x);
		free(y);
	}
	weft_trace_close(t);
	weft_trace_close(again);
}

TEST(small_traces_come_back_equal)
{
	static const char *const names[] = {"t1", "t2", "t3"};
	for (int i = 0; i < 3; i++) {
		char name[64];
		snprintf(name, sizeof name, "tests/golden/prv/%s.prv", names[i]);
		check_round_trip(test_source(name));
	}
}

TEST(odd_headers_come_back_equal)
{
	static const char *const texts[] = {
		"#Paraver (x):5_ns:1(2):1:1(1:0)\n2:2:1:1:1:3:7:1\n", /* a task on no node, that says its cpu */
		"#Paraver (x):5_ns:3(0,2,0):1:1(1:2)\n2:2:1:1:1:3:7:1\n",
		"new format\n#Paraver (x):5:2:2:1(1:2),1(2:1)\n2:1:2:1:2:9:7:1\n",
		"#Paraver ():0_ms:0:1:1(1:0),2\nI:1:5:1:2\nc:1:7:0\n",
	};
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		write_text(in_dir("h.prv"), texts[i]);
		struct weft_trace *t = opened(in_dir("h.prv"));
		write_prv(t, in_dir("i.prv"));
		struct weft_trace *again = opened(in_dir("i.prv"));
		CHECK_U64(again->n_problems, 0);
		char *want = say_prv(t), *got = say_prv(again);
		sample_same(got, want);
		free(want);
		free(got);
		weft_trace_close(t);
		weft_trace_close(again);
	}
}

/* Traces of real programs that lie beside the project, if they do. */
TEST(traces_of_real_programs_come_back_equal)
{
	static const char *const names[] = {"mw4", "omp4", "stencil4"};
	unsigned found = 0;
	for (int i = 0; i < 3; i++) {
		char name[96];
		snprintf(name, sizeof name, "../shared/data/paraver/traces/%s.prv", names[i]);
		const char *path = test_source(name);
		if (access(path, R_OK) != 0)
			continue;
		found++;
		check_round_trip(path);
	}
	if (!found)
		SKIP("there are none");
}

/* The records of a .prv, one a line: pairs of types and values apart, in the order of the alphabet. */
static char *normal_records(const char *text)
{
	struct texts record = {0};
	struct weft_str rest = weft_str(text), line;
	while (weft_str_cut(&rest, '\n', &line)) {
		char z[4096], head[256];
		int at = 0;
		if (!line.n || !strchr("13", *line.at)) {
			if (!line.n || *line.at != '2')
				continue;
			snprintf(z, sizeof z, "%.*s", (int)line.n, line.at);
			char *field = z;
			for (int i = 0; i < 6; i++)
				field = strchr(field, ':') + 1;
			snprintf(head, sizeof head, "%.*s", (int)(field - z), z);
			while (field) {
				char *value = strchr(field, ':') + 1, *next = strchr(value, ':');
				char *one;
				at = asprintf(&one, "%s%.*s", head, next ? (int)(next - field) : (int)strlen(field), field);
				REQUIRE(at > 0 && weft_vec_push(&record, one) == 0);
				field = next ? next + 1 : NULL;
			}
			continue;
		}
		REQUIRE(weft_vec_push(&record, strndup(line.at, line.n)) == 0);
	}
	struct weft_buf out = {0};
	texts_move(&record, &out);
	return out.at;
}

/* A trace in which threads move, states overlap and lack ends, lines are in no order. */
static void random_prv(struct weft_buf *out, unsigned lines, const char *unit)
{
	static const char *const who[] = {"1:1:1", "1:1:2", "1:2:1", "2:1:1"};
	weft_buf_printf(out, "#Paraver (01/02/2020 at 03:04):100%s:2(2,2):2:2(2:1,1:2),1(1:2),1\nc:1:1:2:1:2\n", unit);
	for (unsigned i = 0; i < lines; i++) {
		unsigned row = (unsigned)sample_below(4), to = (unsigned)sample_below(4), time = (unsigned)sample_below(1000);
		unsigned base = row < 2 ? 1 : 3, to_base = to < 2 ? 1 : 3;
		unsigned cpu = sample_below(3) ? base + (unsigned)sample_below(2) : 0;
		switch (sample_below(4)) {
		case 0:
			weft_buf_printf(out, "1:%u:%s:%u:%u:%u\n", cpu, who[row], time, time + (unsigned)sample_below(300),
			                (unsigned)sample_below(4));
			break;
		case 1:
			weft_buf_printf(out, "1:%u:%s:%u:-1:2\n", cpu, who[row], time);
			break;
		case 2:
			weft_buf_printf(out, "2:%u:%s:%u", cpu, who[row], time);
			for (unsigned k = 0; k <= sample_below(80); k++)
				weft_buf_printf(out, ":%u:%" PRId64, (unsigned)sample_below(5) + 1,
				                (int64_t)test_random() >> sample_below(64));
			weft_buf_putc(out, '\n');
			break;
		default:
			weft_buf_printf(out, "3:%u:%s:%u:%u:%u:%s:%u:%u:%u:%d\n", cpu, who[row], time / 2, time,
			                sample_below(2) ? to_base : 0, who[to], (unsigned)sample_below(1000),
			                (unsigned)sample_below(1000), (unsigned)sample_below(99), (int)sample_below(9) - 4);
		}
	}
}

TEST(random_traces_come_back_equal_record_for_record)
{
	static const char *const units[] = {"", "_ns", "_ms", "_us"};
	for (unsigned round = 0; round < 40; round++) {
		struct weft_buf text = {0};
		random_prv(&text, 120, units[round % 4]);
		write_text(in_dir("r.prv"), text.at);
		check_round_trip(in_dir("r.prv"));
		char *written = read_text(in_dir("again.prv"));
		char *want = normal_records(text.at), *got = normal_records(written);
		sample_same(got, want);
		free(want);
		free(got);
		free(written);
		weft_buf_fini(&text);
	}
}

TEST(packed_outputs_are_the_same_trace)
{
	struct weft_buf text = {0};
	random_prv(&text, 3000, "_ns");
	write_text(in_dir("p.prv"), text.at);
	struct weft_trace *t = opened(in_dir("p.prv"));
	char *want = say_prv(t);
	static const char *const names[] = {"q.prv.gz", "q.prv.zst"};
	for (int i = 0; i < 2; i++) {
		write_prv(t, in_dir(names[i]));
		struct weft_trace *again = opened(in_dir(names[i]));
		char *got = say_prv(again);
		sample_same(got, want);
		free(got);
		weft_trace_close(again);
		CHECK(access(in_dir("q.pcf"), F_OK) == 0);
		CHECK(access(in_dir("q.row"), F_OK) == 0);
	}
	int status;
	free(test_shell(&status, "gzip -t '%s' && zstd -qt '%s'", in_dir(names[0]), in_dir(names[1])));
	CHECK_I64(status, 0);
	free(want);
	weft_trace_close(t);
	weft_buf_fini(&text);
}

/* -- what we recorded -- */

TEST(the_fixed_trace)
{
	struct weft_trace *t = sample_fixed();
	write_prv(t, in_dir("fixed.prv"));
	static const char *const suffixes[] = {"prv", "pcf", "row"};
	for (int i = 0; i < 3; i++) {
		char name[64];
		snprintf(name, sizeof name, "fixed.%s", suffixes[i]);
		char *got = read_text(in_dir(name));
		snprintf(name, sizeof name, "prv/fixed.%s", suffixes[i]);
		CHECK(test_golden(got, strlen(got), name));
		free(got);
	}
	check_valid(in_dir("fixed.prv"), "--foreign");
	weft_trace_close(t);
}

/* What the state of a thread is at each time, the slow way: walks all spans anew. */
struct at_time {
	const struct weft_trace *t;
	uint64_t time;
	uint32_t state;
	uint64_t sequence;
	bool found, inside;
};

static int look_at_span(void *arg, const struct weft_span *s)
{
	struct at_time *a = arg;
	a->inside |= s->begin <= a->time && s->end > a->time;
	if (s->begin > a->time || s->end <= a->time || (a->found && s->sequence < a->sequence))
		return 0;
	uint32_t state = prv_state_of_region(&a->t->def[WEFT_CLASS_REGION].at[s->region]);
	if (state == UINT32_MAX)
		return 0;
	a->found = true;
	a->sequence = s->sequence;
	a->state = state;
	return 0;
}

static bool is_off(const struct weft_trace *t, uint32_t thread, uint64_t time)
{
	struct weft_cursor c;
	struct weft_block b;
	bool off = false;
	MUST(weft_cursor_begin(&c, t, thread, 0, time + 1));
	while (weft_cursor_next(&c, &b) > 0)
		for (uint32_t i = 0; i < b.n; i++)
			if ((weft_what_kind(b.what[i]) == WEFT_EV_OFF || weft_what_kind(b.what[i]) == WEFT_EV_ON) &&
			    !weft_what_id(b.what[i]))
				off = weft_what_kind(b.what[i]) == WEFT_EV_OFF;
	weft_cursor_end(&c);
	return off;
}

static uint32_t state_at(const struct weft_trace *t, uint32_t thread, uint64_t time)
{
	const struct weft_thread_row *row = &t->thread[thread];
	if (time < row->begin || time >= row->end)
		return PRV_STATE_NOT_CREATED;
	if (is_off(t, thread, time))
		return PRV_STATE_DISABLED;
	struct at_time a = {.t = t, .time = time};
	MUST(weft_spans(t, thread, 0, WEFT_NEVER, NULL, look_at_span, &a));
	/* Where some region says that the program computes, what is outside of all regions is something else. */
	return a.found                             ? a.state
	       : a.inside                          ? PRV_STATE_RUNNING
	       : weft_outside_is_useful(t, thread) ? PRV_STATE_RUNNING
	                                           : PRV_STATE_OTHERS;
}

TEST(states_of_random_traces_are_what_the_regions_say)
{
	for (unsigned round = 0; round < 6; round++) {
		struct weft_trace *t = sample_random(&(struct sample_random){.n_threads = 1 + round,
		                                                             .n_events = 120,
		                                                             .longest_gap = round % 2 ? 3 : 1000,
		                                                             .marks = round >= 2});
		write_prv(t, in_dir("s.prv"));
		check_valid(in_dir("s.prv"), "");
		char *text = read_text(in_dir("s.prv"));
		struct weft_str rest = weft_str(text), line;
		unsigned states = 0, wrong = 0;
		while (weft_str_cut(&rest, '\n', &line)) {
			unsigned cpu, app, task, thread;
			uint64_t begin, end;
			uint32_t state;
			if (!line.n || *line.at != '1')
				continue;
			REQUIRE(sscanf(line.at, "1:%u:%u:%u:%u:%" SCNu64 ":%" SCNu64 ":%u", &cpu, &app, &task, &thread, &begin,
			               &end, &state) == 7);
			uint32_t row = t->process[t->app[app - 1].first_process + task - 1].first_thread + thread - 1;
			states++;
			wrong += state_at(t, row, begin) != state || state_at(t, row, end - 1) != state;
		}
		CHECK(states > 0);
		CHECK_U64(wrong, 0);
		free(text);
		weft_trace_close(t);
	}
}

TEST_IN(TIER_FULL, larger_random_traces_are_valid)
{
	for (unsigned round = 0; round < 8; round++) {
		struct weft_trace *t = sample_random(&(struct sample_random){.n_threads = 1 + round * 3,
		                                                             .n_events = 6000,
		                                                             .longest_gap = round % 2 ? 3 : 100000,
		                                                             .marks = round % 3 == 0});
		write_prv(t, in_dir("l.prv"));
		check_valid(in_dir("l.prv"), "");
		struct weft_trace *again = opened(in_dir("l.prv"));
		CHECK_U64(again->n_problems, 0);
		CHECK_U64(again->n_threads, t->n_threads);
		CHECK_U64(again->end, t->end);
		weft_trace_close(again);
		weft_trace_close(t);
	}
}

TEST(regions_are_events_of_their_category)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	MUST(weft_builder_new(&b, "nested", "test", &(struct weft_open_how){.threads = 1, .no_index = true}, &err));
	MADE(weft_build_app(b, "a"));
	MADE(weft_build_process(b, &(struct weft_process){.node = WEFT_NONE,
	                                                  .name = "p",
	                                                  .command = "",
	                                                  .host = "",
	                                                  .end = WEFT_NEVER,
	                                                  .status = -1}));
	MADE(weft_build_thread(b, &(struct weft_thread_row){.name = "", .end = WEFT_NEVER}));
	uint32_t user = MADE(weft_build_def(b, WEFT_CLASS_CATEGORY, &(struct weft_def_row){.name = "user"}));
	uint32_t outer = MADE(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "outer", .category = user}));
	uint32_t inner = MADE(
		weft_build_def(b, WEFT_CLASS_REGION,
	                       &(struct weft_def_row){.name = "in\nner", .category = user, .state = WEFT_STATE_IO}));
	uint32_t call = MADE(weft_build_def(b, WEFT_CLASS_REGION,
	                                    &(struct weft_def_row){.name = "MPI_Isend", .state = WEFT_STATE_COMMUNICATING}));
	const struct sample_event events[] = {
		{10, WEFT_EV_ENTER, outer, 0}, {20, WEFT_EV_ENTER, inner, 0}, {25, WEFT_EV_ENTER, call, 0},
		{30, WEFT_EV_LEAVE, call, 0},  {40, WEFT_EV_LEAVE, inner, 0}, {50, WEFT_EV_ENTER, inner, 0},
		{60, WEFT_EV_LEAVE, outer, 0}, {70, WEFT_EV_ENTER, outer, 0},
	};
	sample_append(b, 0, events, sizeof events / sizeof *events);
	weft_build_keep_zero(b, 100);
	MUST(weft_build_finish(b, NULL, &t, &err));
	write_prv(t, in_dir("n.prv"));
	check_valid(in_dir("n.prv"), "--labels");
	char *text = read_text(in_dir("n.prv")), *pcf = read_text(in_dir("n.pcf"));
	static const char want[] = "#Paraver (01/01/1970 at 00:00):100_ns:0:1:1(1:0),0\n"
				   "1:0:1:1:1:0:20:1\n"
				   "2:0:1:1:1:10:1900000001:1\n"
				   "1:0:1:1:1:20:25:12\n"
				   "2:0:1:1:1:20:1900000001:2\n"
				   "1:0:1:1:1:25:30:10\n"
				   "2:0:1:1:1:25:1900000000:3\n"
				   "1:0:1:1:1:30:40:12\n"
				   "2:0:1:1:1:30:1900000000:0\n"
				   "1:0:1:1:1:40:50:1\n"
				   "2:0:1:1:1:40:1900000001:1\n"
				   "1:0:1:1:1:50:60:12\n"
				   "2:0:1:1:1:50:1900000001:2\n"
				   "1:0:1:1:1:60:70:1\n"
				   "2:0:1:1:1:60:1900000001:0\n"
				   "1:0:1:1:1:70:100:2\n"
				   "2:0:1:1:1:70:1900000001:1\n"
				   "2:0:1:1:1:70:1900000001:0\n";
	sample_same(text, want);
	CHECK(strstr(pcf, "9    1900000001    Regions (user)\nVALUES\n0    End\n1    outer\n2    in ner\n") != NULL);
	CHECK(strstr(pcf, "9    1900000000    Regions (no category)\nVALUES\n0    End\n3    MPI_Isend\n") != NULL);
	free(text);
	free(pcf);
	weft_trace_close(t);
}

TEST(state_classes_become_paravers_states)
{
	static const struct {
		enum weft_state_class class;
		const char *name;
		uint32_t state;
	} cases[] = {
		{WEFT_STATE_UNKNOWN, "f", UINT32_MAX},
		{WEFT_STATE_RUNNING, "f", 1},
		{WEFT_STATE_WAITING, "MPI_Recv", 3},
		{WEFT_STATE_SYNCHRONIZING, "barrier", 5},
		{WEFT_STATE_IO, "write", 12},
		{WEFT_STATE_OVERHEAD, "o", 24},
		{WEFT_STATE_IDLE, "i", 0},
		{WEFT_STATE_MEMORY, "malloc", 17},
		{WEFT_STATE_SCHEDULING, "fork", 7},
		{WEFT_STATE_COMMUNICATING, "MPI_Allreduce", 13},
		{WEFT_STATE_COMMUNICATING, "MPI_Send", 4},
		{WEFT_STATE_COMMUNICATING, "MPI_Recv", 3},
		{WEFT_STATE_COMMUNICATING, "MPI_Sendrecv", 16},
		{WEFT_STATE_COMMUNICATING, "MPI_Isend", 10},
		{WEFT_STATE_COMMUNICATING, "MPI_Irecv", 11},
		{WEFT_STATE_COMMUNICATING, "MPI_Waitall", 8},
		{WEFT_STATE_COMMUNICATING, "MPI_Iprobe", 6},
		{WEFT_STATE_CLASSES, "of a later version", UINT32_MAX},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		CHECK_U64(prv_state_of_region(&(struct weft_def_row){.name = cases[i].name, .state = cases[i].class}),
		          cases[i].state);
}

TEST(a_filter_leaves_out_what_it_drops)
{
	struct weft_trace *t = sample_fixed();
	struct weft_filter *f;
	struct weft_err err = {0};
	MUST(weft_filter_new(&f, "region=solve and thread=1.1.1", &err));
	MUST(weft_filter_bind(f, t, &err));
	write_filtered(t, in_dir("f.prv"), f);
	char *text = read_text(in_dir("f.prv")), *pcf = read_text(in_dir("f.pcf"));
	CHECK(strstr(text, "\n3:") == NULL);
	CHECK(strstr(pcf, "solve") != NULL);
	CHECK(strstr(pcf, "MPI_Recv") == NULL);
	CHECK(strstr(pcf, "phase") == NULL);
	struct weft_trace *again = opened(in_dir("f.prv"));
	CHECK_U64(again->n_threads, 3);
	CHECK_U64(again->thread[1].n_events, 2); /* not created, to the end */
	weft_trace_close(again);
	free(text);
	free(pcf);
	weft_filter_free(f);
	weft_trace_close(t);
}

TEST(times_that_do_not_fit_the_unit_are_written_in_ns)
{
	write_text(in_dir("u.prv"), "#Paraver (x):5:0:1:1(1:0)\n2:0:1:1:1:3:7:1\n");
	struct weft_trace *t = opened(in_dir("u.prv"));
	write_prv(t, in_dir("v.prv"));
	char *text = read_text(in_dir("v.prv"));
	CHECK_STR(text, "#Paraver (x):5:0:1:1(1:0),0\n2:0:1:1:1:3:7:1\n");
	free(text);
	weft_trace_close(t);

	struct weft_builder *b;
	struct weft_err err = {0};
	MUST(weft_builder_new(&b, "odd", "test", &(struct weft_open_how){.threads = 1, .no_index = true}, &err));
	MADE(weft_build_app(b, ""));
	MADE(weft_build_process(b, &(struct weft_process){.node = WEFT_NONE,
	                                                  .name = "",
	                                                  .command = "",
	                                                  .host = "",
	                                                  .end = 5000,
	                                                  .status = -1}));
	MADE(weft_build_thread(b, &(struct weft_thread_row){.name = "", .end = 5000}));
	uint32_t type = MADE(weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = "t", .code = 7}));
	MUST(weft_append(weft_builder_appender(b, 0), 3001, weft_what(WEFT_EV_POINT, type), 1));
	MUST(weft_build_note(b, PRV_NOTE_DATE, "x"));
	MUST(weft_build_note(b, PRV_NOTE_UNIT, ""));
	weft_build_keep_zero(b, 5000);
	MUST(weft_build_finish(b, NULL, &t, &err));
	write_prv(t, in_dir("v.prv"));
	text = read_text(in_dir("v.prv"));
	CHECK_STR(text, "#Paraver (x):5000_ns:0:1:1(1:0),0\n2:0:1:1:1:3001:7:1\n");
	free(text);
	weft_trace_close(t);
}

/* -- faults -- */

TEST(nothing_appears_when_writing_fails)
{
	struct weft_trace *t = sample_fixed();
	struct weft_err err = {0};
	struct weft_export_how how = {0};
	CHECK(weft_export_prv(t, in_dir("no/such/folder.prv"), &how, &err) < 0);
	CHECK(strstr(err.text, "folder.prv") != NULL);
	err = (struct weft_err){0};
	/* The .pcf cannot be written: a folder is in its place. */
	REQUIRE(mkdir(in_dir("x.pcf"), 0777) == 0);
	write_text(in_dir("x.prv"), "old\n");
	CHECK(weft_export_prv(t, in_dir("x.prv"), &how, &err) < 0);
	char *text = read_text(in_dir("x.prv"));
	CHECK_STR(text, "old\n");
	free(text);
	CHECK(access(in_dir("x.row"), F_OK) != 0);
	weft_trace_close(t);
}

TEST(a_trace_without_threads_is_refused)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	MUST(weft_builder_new(&b, "empty", "test", &(struct weft_open_how){.threads = 1, .no_index = true}, &err));
	MUST(weft_build_finish(b, NULL, &t, &err));
	CHECK_I64(weft_export_prv(t, in_dir("e.prv"), &(struct weft_export_how){0}, &err), -EINVAL);
	CHECK(strstr(err.text, "has none") != NULL);
	weft_trace_close(t);
}

TEST(writing_without_memory)
{
	struct weft_trace *t = sample_fixed();
	const char *path = in_dir("m.prv");
	write_prv(t, path);
	char *whole = read_text(path);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		unlink(path);
		int rc = weft_export_prv(t, path, &(struct weft_export_how){0}, &err);
		if (rc || !test_alloc_failed())
			CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		/* It is there or not, but never in part; after a failure only when the folder could not be synchronised. */
		static char got[1 << 16];
		int fd = open(path, O_RDONLY);
		ssize_t n = fd >= 0 ? read(fd, got, sizeof got) : -1;
		CHECK(n >= 0 || rc != 0);
		CHECK(n < 0 || ((size_t)n == strlen(whole) && memcmp(got, whole, (size_t)n) == 0));
		if (fd >= 0)
			close(fd);
	}
	free(whole);
	weft_trace_close(t);
}

TEST(ten_thousand_short_threads)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	enum { N = 10000 };
	MUST(weft_builder_new(&b, "many", "test", &(struct weft_open_how){.threads = 1, .no_index = true}, &err));
	MADE(weft_build_app(b, ""));
	MADE(weft_build_process(b, &(struct weft_process){.node = WEFT_NONE,
	                                                  .name = "",
	                                                  .command = "",
	                                                  .host = "",
	                                                  .end = WEFT_NEVER,
	                                                  .status = -1}));
	MADE(weft_build_process(b, &(struct weft_process){.node = WEFT_NONE,
	                                                  .name = "",
	                                                  .command = "",
	                                                  .host = "",
	                                                  .end = 10,
	                                                  .status = -1}));
	uint32_t region = MADE(
		weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = "r", .state = WEFT_STATE_WAITING}));
	for (uint32_t i = 0; i < N; i++) {
		MADE(weft_build_thread(b, &(struct weft_thread_row){.name = "", .begin = 100 * i, .end = WEFT_NEVER}));
		const struct sample_event events[] = {{100 * i, WEFT_EV_ENTER, region, 0},
		                                      {100 * i + 150, WEFT_EV_LEAVE, region, 0}};
		sample_append(b, i, events, 2);
	}
	weft_build_keep_zero(b, 0);
	MUST(weft_build_finish(b, NULL, &t, &err));
	uint64_t before = weft_rss_peak_bytes();
	write_prv(t, in_dir("k.prv"));
	CHECK(weft_rss_peak_bytes() - before < 200 << 20);
	check_valid(in_dir("k.prv"), "--labels");
	weft_trace_close(t);
}
