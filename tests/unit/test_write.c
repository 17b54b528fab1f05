/* SPDX-License-Identifier: Apache-2.0 */
/* Streams written from traces: what is read back is what was written; cuts, filters and merges keep what they should. */
#include "trace/open.h"
#include "sample_trace.h"
#include "base/fs.h"
#include "trace/write/write.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *in_dir(const char *name)
{
	static char path[4096];
	snprintf(path, sizeof path, "%s/%s", test_dir(), name);
	return path;
}

static struct weft_trace *open_written(const char *path)
{
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 256 << 20, .threads = 1, .no_index = true};
	int rc = weft_trace_open(&t, path, &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	CHECK_U64(t->n_problems, 0);
	return t;
}

static struct weft_trace *written(const struct weft_trace *t, const struct weft_write_how *how)
{
	static unsigned number;
	char name[32];
	struct weft_err err = {0};
	snprintf(name, sizeof name, "out%u.weft", number++);
	const char *path = in_dir(name);
	int rc = weft_trace_write(&t, 1, path, how, false, false, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return open_written(path);
}

static const struct weft_write_how everything = {.to = WEFT_NEVER};

static void check_round_trip(struct weft_trace *t)
{
	struct weft_trace *again = written(t, &everything);
	char *want = sample_say(t), *got = sample_say(again);
	sample_same(got, want);
	free(want);
	free(got);
	weft_trace_close(again);
	weft_trace_close(t);
}

TEST(the_fixed_trace_reads_back_equal)
{
	check_round_trip(sample_fixed());
}

TEST(random_traces_read_back_equal)
{
	for (unsigned i = 0; i < 12; i++)
		check_round_trip(sample_random(&(struct sample_random){.n_threads = 1 + i % 5,
		                                                       .n_events = (unsigned)sample_below(3000),
		                                                       .longest_gap = i % 3 ? 1000 : UINT64_C(30000000000),
		                                                       .marks = i % 2}));
}

TEST(the_dictionary_holds_what_is_used_and_no_more)
{
	struct weft_trace *t = sample_fixed();
	struct weft_filter *f;
	struct weft_err err = {0};
	MUST(weft_filter_new(&f, "region=solve and thread=1.1.2", &err));
	struct weft_trace *part = written(t, &(struct weft_write_how){.filter = f, .to = WEFT_NEVER});
	CHECK_U64(part->def[WEFT_CLASS_REGION].n, 2);
	CHECK_STR(part->def[WEFT_CLASS_REGION].at[1].name, "solve");
	CHECK_STR(part->def[WEFT_CLASS_REGION].at[1].file, "heat.c");
	CHECK_U64(part->def[WEFT_CLASS_CATEGORY].n, 2);
	CHECK_U64(part->def[WEFT_CLASS_TYPE].n, 1);
	CHECK_U64(part->def[WEFT_CLASS_COUNTER].n, 1);
	CHECK_U64(part->n_threads, 1);
	CHECK_U64(part->thread[0].number, 2);
	weft_filter_free(f);
	weft_trace_close(part);
	weft_trace_close(t);
}

/* ---- spans of a trace, for holding against each other ---- */

struct span_list {
	const struct weft_trace *t;
	const struct weft_filter *filter;
	uint64_t from, to;
	WEFT_VEC(struct weft_span) span;
};

static int note_span(void *arg, const struct weft_span *s)
{
	struct span_list *l = arg;
	struct weft_span clipped = *s;
	if (l->filter && !weft_filter_span(l->filter, s))
		return 0;
	if (s->begin >= l->to || s->end < l->from)
		return 0;
	clipped.begin = (s->begin < l->from ? l->from : s->begin) - l->from;
	clipped.end = (s->end > l->to ? l->to : s->end) - l->from;
	if (clipped.end == 0)
		return 0; /* only touches the range: whether it is kept is all the same */
	return weft_vec_push(&l->span, clipped);
}

static int by_begin(const void *a, const void *b)
{
	const struct weft_span *x = a, *y = b;
	return x->sequence < y->sequence ? -1 : x->sequence > y->sequence;
}

static char *spans_text(const struct weft_trace *t, const struct weft_filter *f, uint64_t from, uint64_t to)
{
	struct weft_buf out = {0};
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct span_list l = {.t = t, .filter = f, .from = from, .to = to};
		MUST(weft_spans(t, i, 0, WEFT_NEVER, NULL, note_span, &l));
		if (l.span.n)
			qsort(l.span.at, l.span.n, sizeof *l.span.at, by_begin);
		char label[40];
		for (size_t k = 0; k < l.span.n; k++)
			weft_buf_printf(&out, "%s %s %" PRIu64 " %" PRIu64 "\n", weft_thread_label(t, i, label),
			                t->def[WEFT_CLASS_REGION].at[l.span.at[k].region].name, l.span.at[k].begin,
			                l.span.at[k].end);
		free(l.span.at);
	}
	weft_buf_puts(&out, "end\n");
	return out.at;
}

static struct weft_filter *filter_of(const char *text)
{
	struct weft_filter *f;
	struct weft_err err = {0};
	int rc = weft_filter_new(&f, text, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return f;
}

/* ---- cuts ---- */

static void check_cut(const struct weft_trace *t, uint64_t from, uint64_t to)
{
	struct weft_trace *part = written(t, &(struct weft_write_how){.from = from, .to = to});
	char *want = spans_text(t, NULL, from, to), *got = spans_text(part, NULL, 0, WEFT_NEVER);
	sample_same(got, want);
	CHECK_U64(part->end, (to < t->end ? to : t->end) - from);
	for (uint64_t m = 0; m < part->message.n; m++) { /* whole ones only; halves as they were */
		bool half = part->message.send_thread[m] == WEFT_NONE || part->message.recv_thread[m] == WEFT_NONE;
		CHECK(part->message.size[m] != 0 && (half || part->message.send_done[m] <= part->end));
	}
	free(want);
	free(got);
	weft_trace_close(part);
}

TEST(a_cut_clips_what_is_open_at_its_bounds)
{
	struct weft_trace *t = sample_fixed();
	check_cut(t, 0, WEFT_NEVER);
	check_cut(t, 150, 400);
	check_cut(t, 250, 2000050);     /* recv and odd open at the end */
	check_cut(t, 2000101, 2000150); /* odd alone */
	check_cut(t, 2000100, 3000400);
	check_cut(t, 3000000, 3000000 + 1);
	check_cut(t, 4500000, WEFT_NEVER); /* after everything but the region that is never left */
	weft_trace_close(t);
}

TEST(random_cuts_clip_what_is_open_at_their_bounds)
{
	for (unsigned i = 0; i < 10; i++) {
		struct weft_trace *t = sample_random(
			&(struct sample_random){.n_threads = 2, .n_events = 400, .longest_gap = 20, .marks = i % 2});
		uint64_t from = sample_below(t->end), to = from + 1 + sample_below(t->end - from);
		check_cut(t, from, to);
		weft_trace_close(t);
	}
}

TEST(a_cut_says_anew_what_holds_at_its_begin)
{
	struct weft_trace *t = sample_fixed();
	struct weft_trace *part = written(t, &(struct weft_write_how){.from = 600, .to = 960});
	struct weft_buf out = {0};
	sample_say_thread(part, 0, 0, WEFT_NEVER, 0, &out);
	const char *want = "thread 1.1.1 'main' tid=4711\n"
			   "0 cpu cpu 1 of n1\n"
			   "0 counter 'flops' unit='flop' file='':0 category='user' state=0 code=0 key=0 f4240\n"
			   "0 enter 'solve' unit='' file='heat.c':17 category='user' state=1 code=0 key=0\n"
			   "0 attr 'size' unit='B' file='':0 category='' state=0 code=0 key=0 1000\n"
			   "0 enter 'halo, \"wide\"' unit='' file='':0 category='user' state=3 code=0 key=0\n"
			   "0 attr_s 'who' unit='' file='':0 category='' state=0 code=0 key=0 'hello, \"world\"'\n"
			   "0 callstack 401000\n"
			   "300 leave 'halo, \"wide\"' unit='' file='':0 category='user' state=3 code=0 key=0\n"
			   "350 attr_f 'ratio' unit='' file='':0 category='' state=0 code=0 key=0 bff8000000000000\n"
			   "360 leave 'solve' unit='' file='heat.c':17 category='user' state=1 code=0 key=0\n";
	sample_same(out.at, want);
	out.n = 0;
	sample_say_thread(part, 1, 0, WEFT_NEVER, 0, &out); /* the state reaches over both bounds */
	want = "thread 1.2.1 'main' tid=4712\n"
	       "0 state 'Waiting a message' unit='' file='':0 category='' state=0 code=3 key=0 168\n"
	       "0 enter 'MPI_Recv' unit='' file='':0 category='mpi' state=2 code=0 key=0\n"
	       "360 leave 'MPI_Recv' unit='' file='':0 category='mpi' state=2 code=0 key=0\n"
	       "360 state_end 'Waiting a message' unit='' file='':0 category='' state=0 code=3 key=0\n";
	sample_same(out.at, want);
	CHECK_U64(part->message.n, 0); /* sent before, received after */
	CHECK_U64(part->flow.n, 0);
	CHECK_U64(part->begin_realtime, UINT64_C(1700000000000000600));
	weft_buf_fini(&out);
	weft_trace_close(part);
	weft_trace_close(t);
}

static struct weft_trace *cut_of(const struct weft_trace *t, uint64_t from, uint64_t to)
{
	return written(t, &(struct weft_write_how){.from = from, .to = to});
}

TEST(messages_and_flows_over_a_bound_go_whole)
{
	static const struct {
		uint64_t from, to, messages, flows;
	} rows[] = {
		{0, 5000, 2, 2},   {0, 2401, 2, 2}, {0, 2400, 1, 2}, {401, 5000, 1, 2},
		{350, 5000, 2, 2}, {0, 1150, 0, 0}, {0, 1151, 0, 1}, {801, 5000, 1, 1},
	};
	struct weft_trace *t = sample_fixed();
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weft_trace *part = cut_of(t, rows[i].from, rows[i].to);
		CHECK_U64(part->message.n, rows[i].messages); /* one was never received, and stays */
		CHECK_U64(part->flow.n, rows[i].flows);
		weft_trace_close(part);
	}
	struct weft_trace *part = cut_of(t, 350, 5000);
	REQUIRE(part->message.n == 2);
	CHECK_U64(part->message.send_began[0], 0); /* it began before */
	CHECK_U64(part->message.send_done[0], 50);
	CHECK_U64(part->message.recv_began[0], 350);
	weft_trace_close(part);
	part = written(t, &(struct weft_write_how){.from = 350, .to = 5000, .keep_times = true});
	CHECK_U64(part->message.send_began[0], 350);
	weft_trace_close(part);
	weft_trace_close(t);
}

static char *text_of_thread(const struct weft_trace *t, uint32_t thread)
{
	struct weft_buf out = {0};
	sample_say_thread(t, thread, 0, WEFT_NEVER, 0, &out);
	return out.at;
}

static void check_part(const struct weft_trace *t, uint64_t from, uint64_t to, const char *want)
{
	struct weft_trace *part = cut_of(t, from, to);
	char *got = text_of_thread(part, 0), *body = strchr(got, '\n') + 1;
	for (char *at = got; (at = strstr(at, " unit=''"));) { /* the rest of the definition is the same everywhere */
		const char *rest = strstr(at, "key=0") + strlen("key=0");
		memmove(at, rest, strlen(rest) + 1);
	}
	sample_same(body, want);
	free(got);
	weft_trace_close(part);
}

TEST(states_are_clipped_to_the_range)
{
	struct sample_ids d;
	struct weft_builder *b = sample_begin(1, &d);
	SAMPLE_APPEND(b, 0,
	              {{0, WEFT_EV_STATE, d.state_run, 100},
	               {20, WEFT_EV_STATE, d.state_wait, 30}, /* its end is missing */
	               {100, WEFT_EV_STATE_END, d.state_run, 0},
	               {100, WEFT_EV_STATE, d.state_wait, 200},
	               {300, WEFT_EV_STATE_END, d.state_wait, 0},
	               {400, WEFT_EV_POINT, d.phase, 1}});
	struct weft_trace *t = sample_finish(b, 400);
	check_part(t, 60, 80, "0 state 'Running' 14\n20 state_end 'Running'\n");
	check_part(
		t, 60, 150,
		"0 state 'Running' 28\n40 state_end 'Running'\n40 state 'Waiting a message' 32\n90 state_end 'Waiting a message'\n");
	check_part(t, 100, 300, "0 state 'Waiting a message' c8\n200 state_end 'Waiting a message'\n");
	check_part(t, 300, 399, "");
	weft_trace_close(t);
}

TEST(attributes_of_a_region_that_a_mark_has_closed_are_not_said_anew)
{
	struct sample_ids d;
	struct weft_builder *b = sample_begin(1, &d);
	SAMPLE_APPEND(b, 0,
	              {{0, WEFT_EV_LEAVE, d.solve, 0}, /* of nothing, at the very begin */
	               {10, WEFT_EV_ENTER, d.recv, 0},
	               {11, WEFT_EV_ATTR, d.who, 1},
	               {20, WEFT_EV_ENTER, d.odd, 0},
	               {21, WEFT_EV_ATTR, d.who, 2},
	               {22, WEFT_EV_ATTR, d.who, 3}, /* takes the place of 2 */
	               {30, WEFT_EV_OFF, d.mpi, 0},  /* closes recv */
	               {90, WEFT_EV_LEAVE, d.odd, 0}});
	struct weft_trace *t = sample_finish(b, 100);
	check_part(t, 40, 80,
	           "0 off 'mpi'\n0 enter 'a\\b\tc \xc3\xa9 \xff'\n0 attr 'who' 3\n"
	           "40 leave 'a\\b\tc \xc3\xa9 \xff'\n");
	struct weft_trace *part = cut_of(t, 0, 50);
	CHECK_U64(part->n_events, 8); /* with a leave of odd */
	weft_trace_close(part);
	weft_trace_close(t);
}

TEST(a_name_that_is_too_long_is_cut_between_characters)
{
	struct sample_ids d;
	struct weft_builder *b = sample_begin(1, &d);
	static char name[6000];
	memset(name, 'x', sizeof name - 1);
	for (unsigned i = 1; i + 1 < sizeof name - 1; i += 2)
		memcpy(name + i, "\xc3\xa9", 2); /* from an odd place on: no cut at an even one fits */
	uint32_t region = MADE(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = name}));
	SAMPLE_APPEND(b, 0, {{1, WEFT_EV_ENTER, region, 0}, {2, WEFT_EV_LEAVE, region, 0}});
	struct weft_trace *t = sample_finish(b, 10), *again = written(t, &everything);
	const char *got = again->def[WEFT_CLASS_REGION].at[1].name;
	CHECK(strlen(got) > 3900 && strlen(got) % 2 == 1 && strncmp(got, name, strlen(got)) == 0);
	weft_trace_close(again);
	weft_trace_close(t);
}

TEST(a_cut_may_keep_its_times)
{
	struct weft_trace *t = sample_fixed();
	struct weft_trace *part = written(t, &(struct weft_write_how){.from = 600, .to = 960, .keep_times = true});
	char *want = spans_text(t, NULL, 600, 960), *got = spans_text(part, NULL, 600, WEFT_NEVER);
	sample_same(got, want);
	CHECK_U64(part->end, 960);
	CHECK_U64(part->begin_realtime, t->begin_realtime);
	free(want);
	free(got);
	weft_trace_close(part);
	weft_trace_close(t);
}

TEST(the_parts_of_a_trace_have_the_time_of_the_whole)
{
	struct weft_trace *t = sample_random(
		&(struct sample_random){.n_threads = 3, .n_events = 2000, .longest_gap = 50, .marks = true});
	uint64_t at = t->end / 3;
	struct weft_trace *one = written(t, &(struct weft_write_how){.to = at}),
			  *two = written(t, &(struct weft_write_how){.from = at, .to = WEFT_NEVER});
	const struct weft_trace *all[3] = {t, one, two};
	uint64_t sum[3] = {0};
	for (unsigned k = 0; k < 3; k++)
		for (uint32_t i = 0; i < all[k]->n_threads; i++) {
			struct span_list l = {.t = all[k], .to = WEFT_NEVER};
			MUST(weft_spans(all[k], i, 0, WEFT_NEVER, NULL, note_span, &l));
			for (size_t s = 0; s < l.span.n; s++)
				sum[k] += l.span.at[s].end - l.span.at[s].begin;
			free(l.span.at);
		}
	CHECK(sum[0] > 0);
	CHECK_U64(sum[1] + sum[2], sum[0]);
	weft_trace_close(one);
	weft_trace_close(two);
	weft_trace_close(t);
}

TEST(the_end_of_a_thread_that_no_event_says_is_kept)
{
	struct weft_trace *t = sample_fixed();
	t->thread[2].end = 30000; /* as of a foreign format, or of a process that was seen to end from outside */
	struct weft_trace *again = written(t, &everything);
	CHECK_U64(again->thread[2].end, 30000);
	CHECK_U64(again->thread[1].end, t->thread[1].end);
	CHECK_U64(again->n_events, t->n_events + 1);
	char *want = spans_text(t, NULL, 0, WEFT_NEVER), *got = spans_text(again, NULL, 0, WEFT_NEVER);
	CHECK(strstr(want, "1.2.1 solve 9000 30000") != NULL);
	sample_same(got, want);
	free(want);
	free(got);
	weft_trace_close(again);
	weft_trace_close(t);
}

/* ---- filters ---- */

static uint64_t count_kind(const struct weft_trace *t, unsigned kind)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t n = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		MUST(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER));
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n; k++)
				n += weft_what_kind(b.what[k]) == kind;
		weft_cursor_end(&c);
	}
	return n;
}

TEST(a_filter_drops_both_ends_of_what_it_drops)
{
	static const char *const filters[] = {"region=solve", "region!=solve", "duration>100ns",
	                                      "not region=halo* and thread=1.1.1", "region=MPI_Recv,solve and duration<1ms"};
	for (unsigned i = 0; i < 15; i++) {
		struct weft_trace *t = i < 5 ? sample_fixed()
		                             : sample_random(&(struct sample_random){.n_threads = 2,
		                                                                     .n_events = 500,
		                                                                     .longest_gap = 60,
		                                                                     .marks = i % 2});
		struct weft_filter *f = filter_of(filters[i % 5]);
		struct weft_trace *part = written(t, &(struct weft_write_how){.filter = f, .to = WEFT_NEVER});
		char *want = spans_text(t, f, 0, WEFT_NEVER), *got = spans_text(part, NULL, 0, WEFT_NEVER);
		sample_same(got, want);
		free(want);
		free(got);
		weft_trace_close(part);
		weft_trace_close(t);
		weft_filter_free(f);
	}
}

TEST(attributes_go_with_their_region)
{
	struct weft_trace *t = sample_fixed();
	struct weft_filter *f = filter_of("region=halo* and kind=enter or region=halo*");
	struct weft_trace *part = written(t, &(struct weft_write_how){.filter = f, .to = WEFT_NEVER});
	CHECK_U64(count_kind(part, WEFT_EV_ATTR), 0);   /* of solve */
	CHECK_U64(count_kind(part, WEFT_EV_ATTR_F), 0); /* of solve, after halo */
	CHECK_U64(count_kind(part, WEFT_EV_ATTR_S), 1);
	CHECK_U64(count_kind(part, WEFT_EV_CALLSTACK), 1);
	weft_trace_close(part);
	weft_trace_close(t);
	weft_filter_free(f);
}

TEST(messages_go_or_stay_whole)
{
	struct weft_trace *t = sample_fixed();
	static const struct {
		const char *filter;
		uint64_t messages, sends, recvs, flows;
	} rows[] = {
		{"kind=send,recv", 2, 2, 1, 0}, {"size>=64K", 1, 1, 1, 0}, {"size<64K", 1, 1, 0, 0},
		{"thread=1.1.*", 1, 1, 0, 2}, /* the one to 1.2.1 loses its other end, and goes; the lost one stays */
		{"kind=flow_out", 0, 0, 0, 1},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weft_filter *f = filter_of(rows[i].filter);
		struct weft_trace *part = written(t, &(struct weft_write_how){.filter = f, .to = WEFT_NEVER});
		CHECK_U64(part->message.n, rows[i].messages);
		CHECK_U64(count_kind(part, WEFT_EV_SEND), rows[i].sends);
		CHECK_U64(count_kind(part, WEFT_EV_RECV), rows[i].recvs);
		CHECK_U64(part->flow.n, rows[i].flows);
		weft_trace_close(part);
		weft_filter_free(f);
	}
	weft_trace_close(t);
}

/* ---- merges ---- */

static struct weft_trace *merged(const struct weft_trace *const *traces, unsigned n, bool align, const char *name)
{
	struct weft_err err = {0};
	int rc = weft_trace_write(traces, n, in_dir(name), &everything, align, false, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return open_written(in_dir(name));
}

TEST(merged_traces_stand_side_by_side)
{
	struct weft_trace *t = sample_fixed();
	const struct weft_trace *twice[] = {t, t};
	struct weft_trace *both = merged(twice, 2, false, "both.weft");
	CHECK_U64(both->n_apps, 2);
	CHECK_U64(both->n_processes, 4);
	CHECK_U64(both->n_threads, 6);
	CHECK_U64(both->n_events, 2 * t->n_events);
	CHECK_U64(both->message.n, 2 * t->message.n);
	CHECK_U64(both->flow.n, 2 * t->flow.n);
	CHECK_U64(both->def[WEFT_CLASS_REGION].n, t->def[WEFT_CLASS_REGION].n);
	for (uint32_t i = 0; i < 3; i++) {
		struct weft_buf want = {0}, got = {0};
		sample_say_thread(t, i, 0, WEFT_NEVER, 0, &want);
		sample_say_thread(both, i, 0, WEFT_NEVER, 0, &got);
		sample_same(got.at, want.at);
		weft_buf_fini(&want);
		weft_buf_fini(&got);
	}
	for (uint64_t m = 0; m < both->message.n; m++) /* no arrow from one run into the other */
		CHECK(both->message.recv_thread[m] == WEFT_NONE ||
		      both->message.send_thread[m] / 3 == both->message.recv_thread[m] / 3);
	for (uint64_t f = 0; f < both->flow.n; f++)
		CHECK(both->flow.from_thread[f] == WEFT_NONE || both->flow.from_thread[f] / 3 == both->flow.to_thread[f] / 3);
	weft_trace_close(both);
	weft_trace_close(t);
}

/* Keys of flows are made anew when traces meet, and applications numbered on: "1.2.1@" becomes "?.2.1@". */
static void blank_what_moves(char *text)
{
	for (char *at = text; (at = strstr(at, "key="));)
		for (at += 4; *at && *at != ' ' && *at != '\n';)
			memmove(at, at + 1, strlen(at));
	for (char *at = text; (at = strchr(at, '@')); at++)
		at[-5] = '?';
}

TEST(merged_traces_are_aligned_by_the_time_of_day)
{
	struct weft_trace *early = sample_fixed(), *late = sample_fixed(), *unknown = sample_fixed();
	late->begin_realtime += 1000000;
	unknown->begin_realtime = 0;
	const struct weft_trace *all[] = {late, early, unknown};
	struct weft_trace *both = merged(all, 3, true, "day.weft");
	CHECK_U64(both->begin_realtime, early->begin_realtime);
	CHECK_U64(both->end, early->end + 1000000);
	for (uint32_t i = 0; i < 9; i++) {
		struct weft_buf want = {0}, got = {0};
		sample_say_thread(early, i % 3, 0, WEFT_NEVER, i < 3 ? 1000000 : 0, &want);
		sample_say_thread(both, i, 0, WEFT_NEVER, 0, &got);
		blank_what_moves(want.at);
		blank_what_moves(got.at);
		sample_same(strchr(got.at, '\n'), strchr(want.at, '\n')); /* the first lines name the threads */
		weft_buf_fini(&want);
		weft_buf_fini(&got);
	}
	weft_trace_close(both);
	weft_trace_close(early);
	weft_trace_close(late);
	weft_trace_close(unknown);
}

TEST(merged_random_traces_keep_their_arrows)
{
	struct weft_trace *one = sample_random(&(struct sample_random){.n_threads = 4, .n_events = 400, .longest_gap = 50});
	struct weft_trace *two = sample_random(&(struct sample_random){.n_threads = 5, .n_events = 300, .longest_gap = 70});
	const struct weft_trace *all[] = {one, two};
	struct weft_trace *both = merged(all, 2, false, "random.weft");
	for (uint32_t i = 0; i < 9; i++) {
		char *want = i < 4 ? text_of_thread(one, i) : text_of_thread(two, i - 4), *got = text_of_thread(both, i);
		blank_what_moves(want);
		blank_what_moves(got);
		sample_same(strchr(got, '\n'), strchr(want, '\n'));
		free(want);
		free(got);
	}
	weft_trace_close(both);
	weft_trace_close(one);
	weft_trace_close(two);
}

/* ---- faults ---- */

static unsigned entries_of(const char *path)
{
	char **names;
	struct weft_err err = {0};
	int n = weft_list_dir(path, &names, &err);
	REQUIRE(n >= 0);
	weft_list_free(names, n);
	return (unsigned)n;
}

static void touch(const char *path)
{
	FILE *f = fopen(path, "w");
	REQUIRE(f != NULL);
	fclose(f);
}

TEST(what_is_there_is_not_replaced_unasked)
{
	const struct weft_trace *t = sample_fixed();
	struct weft_err err = {0};
	char want[4200];
	MUST(weft_trace_write(&t, 1, in_dir("a.weft"), &everything, false, false, &err));
	CHECK_I64(weft_trace_write(&t, 1, in_dir("a.weft/"), &everything, false, false, &err), -EEXIST);
	snprintf(want, sizeof want, "'%s' is there already (--force replaces it)", in_dir("a.weft"));
	CHECK_STR(err.text, want);
	touch(in_dir("a.weft/00000009.stream")); /* is gone when the folder is replaced */
	err = (struct weft_err){0};
	CHECK_I64(weft_trace_write(&t, 1, in_dir("a.weft"), &everything, false, true, &err), 0);
	CHECK_STR(err.text, "");
	CHECK_U64(entries_of(in_dir("a.weft")), 2);
	CHECK_U64(entries_of(test_dir()), 1);
	weft_trace_close((struct weft_trace *)t);
}

TEST(a_folder_that_is_no_trace_is_never_replaced)
{
	const struct weft_trace *t = sample_fixed();
	struct weft_err err = {0};
	char want[8400], path[4096];
	snprintf(path, sizeof path, "%s", in_dir("mine"));
	MUST(mkdir(path, 0777));
	touch(in_dir("mine/letter.txt"));
	CHECK_I64(weft_trace_write(&t, 1, path, &everything, false, true, &err), -ENOTEMPTY);
	snprintf(want, sizeof want, "will not replace '%s': it is no trace, it holds 'letter.txt'", path);
	CHECK_STR(err.text, want);
	CHECK_U64(entries_of(path), 1);
	err = (struct weft_err){0};
	touch(in_dir("file"));
	CHECK_I64(weft_trace_write(&t, 1, in_dir("file"), &everything, false, true, &err), -ENOTDIR);
	CHECK_U64(entries_of(test_dir()), 2);
	weft_trace_close((struct weft_trace *)t);
}

TEST(a_write_that_fails_leaves_nothing)
{
	struct weft_trace *t = sample_random(&(struct sample_random){.n_threads = 3, .n_events = 20000, .longest_gap = 100});
	struct rlimit old, small = {100000, RLIM_INFINITY};
	struct weft_err err = {0};
	REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
	signal(SIGXFSZ, SIG_IGN);
	small.rlim_max = old.rlim_max;
	REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
	int rc = weft_trace_write((const struct weft_trace *const *)&t, 1, in_dir("a.weft"), &everything, false, false, &err);
	REQUIRE(setrlimit(RLIMIT_FSIZE, &old) == 0);
	CHECK_I64(rc, -EFBIG);
	CHECK(strstr(err.text, "file too large") != NULL);
	CHECK_U64(entries_of(test_dir()), 0);
	err = (struct weft_err){0};
	CHECK_I64(weft_trace_write((const struct weft_trace *const *)&t, 1, in_dir("no/such/a.weft"), &everything, false, false,
	                           &err),
	          -ENOENT);
	weft_trace_close(t);
}

TEST(no_memory_is_an_error_and_leaves_nothing)
{
	struct weft_trace *t = sample_fixed();
	struct weft_filter *f = filter_of("not region=halo*");
	char temporary[4200];
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		struct weft_write_how how = {.filter = f, .from = 10, .to = 3000000};
		int rc = weft_trace_write((const struct weft_trace *const *)&t, 1, in_dir("a.weft"), &how, false, true, &err);
		CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		snprintf(temporary, sizeof temporary, "%s/.a.weft.%d.tmp", test_dir(), (int)getpid());
		CHECK(access(temporary, F_OK) != 0);
	}
	weft_filter_free(f);
	weft_trace_close(t);
}

/* ---- events that the trace has not ---- */

TEST(extra_events)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	MUST(weft_builder_new(&b, "x", "weft", NULL, &err));
	MADE(weft_build_node(b, "n"));
	MADE(weft_build_app(b, "a"));
	MADE(weft_build_process(b, &(struct weft_process){.name = "p", .command = "", .host = "", .end = 100, .status = -1}));
	for (uint32_t i = 0; i < 3; i++)
		MADE(weft_build_thread(b, &(struct weft_thread_row){.number = i + 1, .name = "", .end = i < 2 ? 100 : 50}));
	uint32_t type = MADE(weft_build_def(b, WEFT_CLASS_TYPE, &(struct weft_def_row){.name = "old"}));
	for (uint32_t i = 0; i < 2; i++)
		for (uint64_t time = 10; time <= 100; time += 10)
			MUST(weft_append(weft_builder_appender(b, i), time, weft_what(WEFT_EV_POINT, type), time));
	weft_build_keep_zero(b, 100);
	MUST(weft_build_finish(b, NULL, &t, &err));
	static const size_t first[] = {0, 3, 3, 4};
	static const uint64_t time[] = {5, 10, 200, 30}, value[] = {1, 2, 3, 4};
	const uint32_t what[] = {weft_what(WEFT_EV_POINT, type), weft_what(WEFT_EV_POINT, type), weft_what(WEFT_EV_POINT, type),
	                         weft_what(WEFT_EV_POINT, type)};
	struct weft_write_extra extra = {first, time, value, what};
	struct weft_write_how how = {.to = WEFT_NEVER, .keep_times = true, .extra = &extra};
	struct weft_trace *got = written(t, &how);
	CHECK_U64(got->thread[0].n_events - got->thread[1].n_events, 3);
	struct weft_cursor c;
	struct weft_block block;
	uint64_t values[40], times[40], n = 0;
	MUST(weft_cursor_begin(&c, got, 0, 0, WEFT_NEVER));
	while (weft_cursor_next(&c, &block) > 0)
		for (uint32_t i = 0; i < block.n; i++)
			if (weft_what_kind(block.what[i]) == WEFT_EV_POINT && n < 40) {
				times[n] = block.time[i];
				values[n++] = block.value[i];
			}
	weft_cursor_end(&c);
	CHECK_U64(n, 13);
	CHECK(times[0] == 5 && values[0] == 1);
	CHECK(times[1] == 10 && values[1] == 2); /* before what the trace has at that time */
	CHECK(times[2] == 10 && values[2] == 10);
	CHECK(times[12] == 200 && values[12] == 3);
	CHECK(got->thread[2].n_events >= 1);
	weft_trace_close(got);
	weft_trace_close(t);
}
