/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which events, spans, states and messages pass: a table on the fixed sample, and random filters on random traces against an
 * evaluator that is as simple as can be: it works on the tree that the filter's text was made from, with names and long
 * doubles, and knows nothing of bits and bounds.
 */
#include "harness.h"
#include "sample_trace.h"
#include "trace/filter/filter.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>

static struct weft_filter *filter_for(const struct weft_trace *t, const char *text)
{
	struct weft_err err = {0};
	struct weft_filter *f;
	if (weft_filter_new(&f, text, &err) || weft_filter_bind(f, t, &err)) {
		CHECK_STR(err.text, "");
		test_abandon();
	}
	return f;
}

/* -- the fixed sample -- */

/* Calls for each event of a thread. */
static void each_event(const struct weft_trace *t, uint32_t thread, void (*call)(void *, const struct weft_event *), void *arg)
{
	struct weft_cursor c;
	struct weft_block b;
	int rc;
	MUST(weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER));
	while ((rc = weft_cursor_next(&c, &b)) > 0)
		for (uint32_t i = 0; i < b.n; i++) {
			struct weft_event e = {b.time[i], thread, weft_what_kind(b.what[i]), weft_what_id(b.what[i]), b.value[i]};
			call(arg, &e);
		}
	REQUIRE(rc == 0);
	weft_cursor_end(&c);
}

struct said {
	const struct weft_filter *filter;
	struct weft_buf text;
};

static void say_passing(void *arg, const struct weft_event *e)
{
	struct said *s = arg;
	if (weft_filter_event(s->filter, e))
		weft_buf_printf(&s->text, "%s%u:%" PRIu64 ":%s", s->text.n ? " " : "", e->thread, e->time,
		                weft_kind_info[e->kind].name);
}

static const struct {
	const char *filter, *passing; /* thread:time:kind */
} on_events[] = {
	{"region=halo* kind=enter", "0:200:enter 0:3000010:enter"},
	{"region=\"halo*\"", ""},
	{"region=\"halo, \\\"wide\\\"\" time<1000", "0:200:enter 0:900:leave"},
	{"kind=point", "0:150:point 0:160:point_f 0:170:point_s 1:1300:point 2:15000:point"},
	{"kind=point_*", "0:160:point_f 0:170:point_s"},
	{"type=5001", "0:150:point 1:1300:point 2:15000:point"},
	{"type=5000..6000 value<0", "1:1300:point"},
	{"type=resid*,note", "0:160:point_f 0:170:point_s"},
	{"value=main*", "0:150:point"},
	{"value=\"main, loop\"", "0:150:point"},
	{"value=hello*", "0:170:point_s 0:210:attr_s"},
	{"value=2", "0:150:point"},
	{"value=0.125", "0:160:point_f"},
	{"value=0..1", "0:160:point_f 1:1200:counter_f 2:15000:point"},
	{"value>0.75", "0:110:attr 0:120:counter 0:150:point 1:1400:dropped 1:5000:fork 2:15000:point"},
	{"value!=-7 kind=point", "0:150:point 0:160:point_f 0:170:point_s 2:15000:point"},
	{"counter=flops", "0:120:counter 0:500:counter_set"},
	{"counter!=flops", "1:1200:counter_f"},
	{"attr=* value<0", "0:950:attr_f"},
	{"state=waiting,3", "0:1234567:leave 0:2000000:enter 2:500:state 2:600:enter 2:1500:state_end 2:2500:leave"},
	{"state=Running", "2:10:state 2:500:state_end"},
	{"duration>=490 kind=state", "2:10:state 2:500:state"},
	{"category=mpi", "0:1234567:leave 0:2000000:enter 0:2000100:off 0:2000300:on 2:600:enter 2:2500:leave"},
	{"kind=message", "0:400:send 1:2000:send 2:2400:recv"},
	{"size>=64K", "0:400:send 2:2400:recv"},
	{"size=512,200", "0:530:collective 0:540:data"},
	{"tag=9 peer=0", "2:2400:recv"},
	{"peer=1", "0:400:send"},
	{"peer!=1", "2:2400:recv"},
	{"tag<0", "1:2000:send"},
	{"comm=world kind=message", "0:400:send 1:2000:send 2:2400:recv"},
	{"comm=119 kind=collective", "0:530:collective"},
	{"kind=flow name=submit", "0:800:flow_out 1:1150:flow_in 1:1160:flow_in"},
	{"thread=1.2.1 kind=enter", "2:600:enter 2:9000:enter"},
	{"thread=1.*.1 time=..99", "0:0:thread_begin 0:0:cpu 2:0:thread_begin 2:10:state"},
	{"thread=main time=0", "0:0:thread_begin 0:0:cpu 2:0:thread_begin"},
	{"thread=4811 kind=fork", "1:5000:fork"},
	{"process=1.2 time=0", "2:0:thread_begin"},
	{"process=4712 time=0", "2:0:thread_begin"},
	{"process=heat time=0", "0:0:thread_begin 0:0:cpu 2:0:thread_begin"},
	{"rank=1 time=0", "2:0:thread_begin"},
	{"rank!=1 time=0", "0:0:thread_begin 0:0:cpu"},
	{"rank<1 time=0", "0:0:thread_begin 0:0:cpu"},
	{"host=n2 time=0", "2:0:thread_begin"},
	{"node=n2 time=0", "2:0:thread_begin"},
	{"node=2 time=0", "2:0:thread_begin"},
	{"app=1,nothing time=0", "0:0:thread_begin 0:0:cpu 2:0:thread_begin"},
	{"app=heat time=0", "0:0:thread_begin 0:0:cpu 2:0:thread_begin"},
	{"cpu=1 time=..120 not kind=cpu", "0:0:thread_begin 0:100:enter 0:110:attr 0:120:counter"},
	{"cpu=0", ""},
	{"time=50%..100%", "0:3000000:enter 0:3000010:enter 0:3000500:leave 0:4000000:thread_end"},
	{"time!=0..3ms", "0:3000010:enter 0:3000500:leave 0:4000000:thread_end"},
	{"kind=enter (region=solve or thread=1.2.1) and not time>2us", "0:100:enter 1:1100:enter 2:600:enter"},
	{"not (thread=* or kind=*)", ""},
	{"not name=* time<100", "0:0:thread_begin 0:0:cpu 2:0:thread_begin"},
	{"kind=callstack,sample,dependency,dropped", "0:510:sample 0:520:callstack 0:550:dependency 1:1400:dropped"},
};

TEST(events_of_the_sample)
{
	struct weft_trace *t = sample_fixed();
	for (size_t i = 0; i < sizeof on_events / sizeof on_events[0]; i++) {
		struct said s = {.filter = filter_for(t, on_events[i].filter)};
		weft_buf_puts(&s.text, "");
		for (uint32_t k = 0; k < t->n_threads; k++)
			each_event(t, k, say_passing, &s);
		if (!CHECK_STR(s.text.at ? s.text.at : "", on_events[i].passing))
			printf("# %s\n", on_events[i].filter);
		weft_buf_fini(&s.text);
		weft_filter_free((struct weft_filter *)(uintptr_t)s.filter);
	}
	weft_trace_close(t);
}

struct said_span {
	struct said said;
	const struct weft_trace *trace;
	char which; /* s: span, e: enter, l: leave */
};

static int say_span(void *arg, const struct weft_span *s)
{
	struct said_span *a = arg;
	const struct weft_filter *f = a->said.filter;
	bool pass = a->which == 's'   ? weft_filter_span(f, s)
	            : a->which == 'e' ? weft_filter_enter(f, s)
	                              : weft_filter_leave(f, s);
	if (pass)
		weft_buf_printf(&a->said.text, "%s%u:%" PRIu64 "+%" PRIu64, a->said.text.n ? " " : "", s->thread, s->begin,
		                s->end - s->begin);
	return 0;
}

static const struct {
	char which;
	const char *filter, *passing; /* thread:begin+duration, in the order of their ends */
} on_spans[] = {
	{'s', "duration=700..900", "0:200+700 0:100+900"},
	{'s', "duration>1us region=solve", "1:1100+4900 2:9000+6000"},
	{'s', "time=850..950", "0:200+700 0:100+900 2:600+1900"},
	{'s', "time=..100", "0:100+900"},
	{'s', "time>2000200 thread=1.1.1", "0:3000010+490 0:3000000+500"},
	{'s', "time!=0..2ms thread=1.1.1", "0:2000001+199 0:3000010+490 0:3000000+500"},
	{'s', "state=waiting", "0:2000000+100 2:600+1900"},
	{'s', "kind=enter thread=1.2.1", "2:600+1900 2:9000+6000"},
	{'s', "kind=leave thread=1.2.1", "2:600+1900 2:9000+6000"},
	{'s', "kind=point", ""},
	{'s', "attr=* value<0", "0:100+900"}, /* a region passes by its attributes, when those are asked for */
	{'s', "attr=* value=hello*", "0:200+700"},
	{'s', "region=none or attr=*", "0:200+700 0:100+900"},
	{'s', "kind=attr value<0", ""},
	{'e', "time=850..950", ""},
	{'e', "time=600..700 duration>1us", "2:600+1900"},
	{'e', "kind=leave", ""},
	{'e', "attr=*", ""},
	{'l', "time=850..950", "0:200+700"},
	{'l', "kind=leave duration<=100", "0:2000000+100"},
	{'l', "kind=enter", ""},
};

TEST(spans_of_the_sample)
{
	struct weft_trace *t = sample_fixed();
	for (size_t i = 0; i < sizeof on_spans / sizeof on_spans[0]; i++) {
		struct said_span s = {.said.filter = filter_for(t, on_spans[i].filter), .trace = t, .which = on_spans[i].which};
		for (uint32_t k = 0; k < t->n_threads; k++)
			MUST(weft_spans(t, k, 0, WEFT_NEVER, s.said.filter, say_span, &s));
		if (!CHECK_STR(s.said.text.at ? s.said.text.at : "", on_spans[i].passing))
			printf("# %s\n", on_spans[i].filter);
		weft_buf_fini(&s.said.text);
		weft_filter_free((struct weft_filter *)(uintptr_t)s.said.filter);
	}
	weft_trace_close(t);
}

static const struct {
	const char *filter, *passing; /* sizes */
} on_messages[] = {
	{"kind=message", "65536 8"}, {"kind=send", "65536 8"},   {"kind=recv", "65536"},
	{"thread=1.2.1", "65536"},   {"thread=1.1.2", "8"},      {"thread=1.1.1 peer=1", "65536"},
	{"thread=1.1.1 peer=0", ""}, {"rank=1 peer=0", "65536"}, {"duration=2100", "65536"},
	{"duration>=0", "65536"},    {"time=300", "65536"},      {"time=1500", "65536"},
	{"time=2000", "65536 8"},    {"time>2400", ""},          {"size<64K", "8"},
	{"tag=-1..9", "65536 8"},    {"not peer=1", "65536 8"},  {"comm=w*d category=user", ""},
};

TEST(messages_of_the_sample)
{
	struct weft_trace *t = sample_fixed();
	for (size_t i = 0; i < sizeof on_messages / sizeof on_messages[0]; i++) {
		struct weft_filter *f = filter_for(t, on_messages[i].filter);
		struct weft_buf out = {0};
		for (uint64_t k = 0; k < t->message.n; k++)
			if (weft_filter_message(f, k))
				weft_buf_printf(&out, "%s%" PRIu64, out.n ? " " : "", t->message.size[k]);
		if (!CHECK_STR(out.at ? out.at : "", on_messages[i].passing))
			printf("# %s\n", on_messages[i].filter);
		weft_buf_fini(&out);
		weft_filter_free(f);
	}
	weft_trace_close(t);
}

TEST(states_of_the_sample)
{
	struct weft_trace *t = sample_fixed();
	struct weft_filter *f = filter_for(t, "state=3 duration>=1us time=700..800");
	CHECK(weft_filter_state(f, 2, 2, 500, 1500));
	CHECK(!weft_filter_state(f, 2, 2, 500, 1499));
	CHECK(!weft_filter_state(f, 2, 2, 801, 1900));
	CHECK(!weft_filter_state(f, 2, 1, 500, 1500));
	weft_filter_free(f);
	weft_trace_close(t);
}

TEST(bounds)
{
	static const struct {
		const char *filter;
		uint64_t from, to;
		const char *threads;
	} rows[] = {
		{"region=solve", 0, WEFT_NEVER, "012"},
		{"time=1us..2us", 1000, 2001, "012"},
		{"time=1us..2us,5us..6us", 1000, 6001, "012"},
		{"time>=1us time<3us", 1000, 3000, "012"},
		{"time>1us or time=500", 500, WEFT_NEVER, "012"},
		{"time=1us..2us time=3us..4us", 0, 0, "012"},
		{"(time=1us..2us time=3us..4us) or time=7", 7, 8, "012"},
		{"not time=1us..2us", 0, WEFT_NEVER, "012"},
		{"time!=1us..2us", 0, WEFT_NEVER, "012"},
		{"time=10%..20% region=solve", 500000, 1000001, "012"},
		{"time=..0", 0, 1, "012"},
		{"thread=1.1.*", 0, WEFT_NEVER, "01"},
		{"rank=1 or region=solve", 0, WEFT_NEVER, "012"},
		{"rank=1 or thread=1.1.1 region=solve", 0, WEFT_NEVER, "02"},
		{"not rank=1", 0, WEFT_NEVER, "01"},
		{"not (rank=1 and region=solve)", 0, WEFT_NEVER, "012"},
		{"not (rank=1 or region=solve)", 0, WEFT_NEVER, "01"},
		{"rank=0 rank=1", 0, WEFT_NEVER, ""},
		{"rank!=0", 0, WEFT_NEVER, "2"},
	};
	struct weft_trace *t = sample_fixed();
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		struct weft_filter *f = filter_for(t, rows[i].filter);
		char threads[4] = "";
		uint64_t from, to;
		weft_filter_range(f, &from, &to);
		for (uint32_t k = 0; k < t->n_threads; k++)
			if (weft_filter_thread(f, k))
				threads[strlen(threads)] = (char)('0' + k);
		if (!CHECK_U64(from, rows[i].from) | !CHECK_U64(to, rows[i].to) | !CHECK_STR(threads, rows[i].threads))
			printf("# %s\n", rows[i].filter);
		CHECK(weft_filter_wants_spans(f) == false);
		weft_filter_free(f);
	}
	weft_trace_close(t);
}

TEST(names_that_the_trace_has_not_are_told)
{
	static const struct {
		const char *filter, *told;
	} cases[] = {
		{"region=halo*", NULL},
		{"kind=enter region=hallo", "column 19: the trace has no region 'hallo'"},
		{"region=halo*,xyz", "column 14: the trace has no region 'xyz'"},
		{"type=5000..6000,7777", "column 17: the trace has no type '7777'"},
		{"not (counter=flop)", "column 14: the trace has no counter 'flop' (did you mean 'flops'?)"},
		{"thread=9.*", "column 8: the trace has no thread '9.*'"},
		{"thread=1.1.* value=12345 time=1s..", NULL},
	};
	struct weft_trace *t = sample_fixed();
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weft_filter *f = filter_for(t, cases[i].filter);
		char told[200] = "";
		CHECK_I64(weft_filter_lacks(f, told, sizeof told), cases[i].told != NULL);
		CHECK_STR(told, cases[i].told ? cases[i].told : "");
		weft_filter_free(f);
	}
	weft_trace_close(t);
}

TEST(binds_to_one_trace_after_the_other)
{
	struct weft_trace *t = sample_fixed(), *other = sample_random(&(struct sample_random){4, 50, 10, false});
	struct weft_filter *f = filter_for(t, "cpu=1 and thread=4711 or region=solve and duration>5");
	struct weft_err err = {0};
	CHECK(weft_filter_wants_spans(f));
	CHECK(weft_filter_thread(f, 0));
	MUST(weft_filter_bind(f, other, &err));
	CHECK(weft_filter_thread(f, 3));
	MUST(weft_filter_bind(f, t, &err));
	weft_trace_close(other);
	struct weft_event e = {100, 0, WEFT_EV_ENTER, 1, 0};
	CHECK(weft_filter_event(f, &e));
	weft_filter_free(f);
	weft_trace_close(t);
}

/* With threads of its own, the cpu test can do without some allocations; no other can. */
static void bind_without_memory(const struct weft_trace *t, const char *text, bool each_is_needed)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_err err = {0};
		struct weft_filter *f;
		int rc = weft_filter_new(&f, text, &err);
		if (!rc)
			rc = weft_filter_bind(f, t, &err);
		if (each_is_needed || rc)
			CHECK_I64(rc, test_alloc_failed() ? -ENOMEM : 0);
		CHECK((rc == 0) == (err.text[0] == '\0'));
		weft_filter_free(f);
	}
}

TEST(failed_allocations_of_bind_are_reported)
{
	struct weft_trace *t = sample_fixed();
	bind_without_memory(t, "value=a* or name=solve or rank=1 or kind=send", true);
	bind_without_memory(t, "cpu=1", false);
	weft_trace_close(t);
}

/* -- the simple evaluator -- */

enum what { NAIVE_OR, NAIVE_AND, NAIVE_NOT, NAIVE_TEST };
struct naive {
	enum what what;
	struct naive *part[3];
	unsigned n_parts;
	const char *field, *compare;
	struct {
		char text[32]; /* as written */
		long double low, high;
		bool number, quoted;
	} value[2];
	unsigned n_values;
};

static struct naive nodes[256];
static unsigned n_nodes;

static const char *pick_of(const char *const *list, unsigned n)
{
	return list[sample_below(n)];
}
#define PICK(...) pick_of((const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void naive_name(struct naive *t, unsigned i, const char *text)
{
	t->value[i].quoted = sample_below(4) == 0;
	snprintf(t->value[i].text, sizeof t->value[i].text, "%s", text);
	if (strpbrk(text, "*?"))
		t->value[i].quoted = false;
}

static void naive_number(struct naive *t, unsigned i, long long most)
{
	long long a = (long long)sample_below((uint64_t)most), b = a + (long long)sample_below((uint64_t)most);
	t->value[i].number = true;
	t->value[i].low = t->value[i].high = (long double)a;
	if (strlen(t->compare) == 1 && *t->compare != '=') {
		snprintf(t->value[i].text, 32, "%lld", a);
		return;
	}
	if (t->compare[1] == '=' && t->compare[0] != '!') {
		snprintf(t->value[i].text, 32, "%lld", a);
		return;
	}
	unsigned form = (unsigned)sample_below(4);
	t->value[i].high = form == 1 ? (long double)b : form == 2 ? (long double)INFINITY : (long double)a;
	t->value[i].low = form == 3 ? (long double)-INFINITY : (long double)a;
	snprintf(t->value[i].text, 32, form == 0 ? "%lld" : form == 1 ? "%lld..%lld" : form == 2 ? "%lld.." : "..%lld", a, b);
}

static void naive_test(struct naive *t)
{
	static const struct {
		const char *field;
		long long most; /* of numbers; 0: names */
	} fields[] = {
		{"time", 3000},  {"rank", 3},   {"cpu", 2},    {"value", 1 << 20}, {"size", 300}, {"duration", 400},
		{"tag", 3},      {"peer", 3},   {"thread", 0}, {"process", 0},     {"host", 0},   {"kind", 0},
		{"name", 0},     {"region", 0}, {"type", 0},   {"counter", 0},     {"attr", 0},   {"state", 0},
		{"category", 0}, {"comm", 0},   {"value", 0},
	};
	unsigned i = (unsigned)sample_below(sizeof fields / sizeof fields[0]);
	t->what = NAIVE_TEST;
	t->field = fields[i].field;
	t->compare = fields[i].most ? PICK("=", "=", "!=", "<", "<=", ">", ">=") : PICK("=", "=", "!=");
	bool list = strcmp(t->compare, "=") == 0 || strcmp(t->compare, "!=") == 0;
	t->n_values = list ? 1 + (unsigned)sample_below(2) : 1;
	for (unsigned k = 0; k < t->n_values; k++) {
		if (fields[i].most)
			naive_number(t, k, fields[i].most);
		else if (strcmp(t->field, "kind") == 0)
			naive_name(t, k,
			           PICK("enter", "leave", "point*", "*", "send", "message", "recv", "flow", "region", "c*"));
		else if (strcmp(t->field, "thread") == 0 || strcmp(t->field, "process") == 0)
			naive_name(t, k, PICK("1.1.*", "1.?.1", "t", "1.2", "1001", "random", "1*"));
		else
			naive_name(t, k,
			           PICK("*", "solve", "s*", "*a*", "MPI_Recv", "running", "waiting", "user", "mpi", "world",
			                "phase", "flops", "hello, \"world\"", "warm-up", "n1"));
	}
}

static struct naive *naive_random(unsigned depth)
{
	struct naive *n = &nodes[n_nodes++];
	*n = (struct naive){.what = NAIVE_TEST};
	if (depth == 0 || sample_below(3) == 0) {
		naive_test(n);
		return n;
	}
	n->what = (enum what)sample_below(3);
	n->n_parts = n->what == NAIVE_NOT ? 1 : 2 + (unsigned)sample_below(2);
	for (unsigned i = 0; i < n->n_parts; i++)
		n->part[i] = naive_random(depth - 1);
	return n;
}

static void naive_print(const struct naive *n, struct weft_buf *b)
{
	if (n->what != NAIVE_TEST) {
		weft_buf_puts(b, n->what == NAIVE_NOT ? "not (" : "(");
		for (unsigned i = 0; i < n->n_parts; i++) {
			weft_buf_puts(b, i == 0 ? "" : n->what == NAIVE_OR ? " or " : " and ");
			naive_print(n->part[i], b);
		}
		weft_buf_puts(b, ")");
		return;
	}
	weft_buf_printf(b, "%s%s", n->field, n->compare);
	for (unsigned i = 0; i < n->n_values; i++) {
		bool quote = n->value[i].quoted || strpbrk(n->value[i].text, " ,\"");
		weft_buf_puts(b, i ? "," : "");
		for (const char *z = n->value[i].text; *z; z++)
			weft_buf_printf(b, "%s%s%c", quote && z == n->value[i].text ? "\"" : "", *z == '"' ? "\\" : "", *z);
		weft_buf_puts(b, quote ? "\"" : "");
	}
}

/* What an event, span or message is, in words. */
struct seen {
	const struct weft_trace *t;
	struct weft_event e;
	uint64_t first, last;
	bool has_duration;
	uint64_t duration;
	int64_t cpu; /* -1: none */
};

static bool naive_glob(const char *p, const char *z)
{
	if (*p == '*')
		return naive_glob(p + 1, z) || (*z && naive_glob(p, z + 1));
	return *p == '\0' ? *z == '\0' : *z && (*p == '?' || *p == *z) && naive_glob(p + 1, z + 1);
}

static bool is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static const char *kind_group(unsigned kind)
{
	const char *name = weft_kind_info[kind].name;
	if (kind == WEFT_EV_ENTER || kind == WEFT_EV_LEAVE)
		return "region";
	if (kind == WEFT_EV_SEND || kind == WEFT_EV_RECV)
		return "message";
	if (kind == WEFT_EV_FLOW_IN || kind == WEFT_EV_FLOW_OUT)
		return "flow";
	if (kind == WEFT_EV_COUNTER_F || kind == WEFT_EV_COUNTER_SET)
		return "counter";
	return kind == WEFT_EV_POINT_S ? "point" : kind == WEFT_EV_ATTR_S ? "attr" : name;
}

struct facts {
	char text[4][64];
	unsigned n_texts;
	long double number;
	bool has_number;
};

static void fact_text(struct facts *f, const char *z)
{
	snprintf(f->text[f->n_texts++], 64, "%s", z);
}

static void fact_number(struct facts *f, long double v)
{
	f->has_number = true;
	f->number = v;
}

static const struct weft_def_row *def_of(const struct seen *s)
{
	enum weft_class c = weft_kind_info[s->e.kind].of;
	return c && s->e.id && s->e.id < s->t->def[c].n ? &s->t->def[c].at[s->e.id] : NULL;
}

static void facts_of_row(const struct seen *s, const char *field, struct facts *f)
{
	const struct weft_thread_row *row = &s->t->thread[s->e.thread];
	const struct weft_process *p = &s->t->process[row->process];
	char z[64];
	if (is(field, "thread")) {
		snprintf(z, sizeof z, "1.%u.%u", row->process + 1, row->number);
		fact_text(f, z);
		fact_text(f, row->name);
		snprintf(z, sizeof z, "%" PRId64, row->tid);
		fact_text(f, z);
	} else if (is(field, "process")) {
		snprintf(z, sizeof z, "1.%u", row->process + 1);
		fact_text(f, z);
		fact_text(f, p->name);
		snprintf(z, sizeof z, "%" PRId64, p->pid);
		fact_text(f, z);
	} else if (is(field, "host")) {
		fact_text(f, p->host);
	} else if (is(field, "rank")) {
		fact_number(f, p->rank);
	}
}

static void facts_of_def(const struct seen *s, const char *field, struct facts *f)
{
	enum weft_class c = weft_kind_info[s->e.kind].of;
	const struct weft_def_row *d = def_of(s);
	if (!d)
		return;
	if (is(field, "name") || is(field, weft_class_name[c]))
		fact_text(f, d->name);
	if (is(field, "counter") && c == WEFT_CLASS_SET) {
		fact_text(f, "flops");
		fact_text(f, "load");
	}
	if (is(field, "state") && c == WEFT_CLASS_REGION)
		fact_text(f, weft_state_name[d->state]);
	if (is(field, "category") && d->category)
		fact_text(f, s->t->def[WEFT_CLASS_CATEGORY].at[d->category].name);
}

static void facts_of_value(const struct seen *s, struct facts *f)
{
	uint64_t v = s->e.value;
	double d;
	memcpy(&d, &v, sizeof d);
	switch (s->e.kind) {
	case WEFT_EV_POINT:
		fact_number(f, (long double)(int64_t)v);
		if (v == 1 || v == 2)
			fact_text(f, v == 1 ? "warm-up" : "main, loop");
		break;
	case WEFT_EV_COUNTER:
	case WEFT_EV_ATTR:
		fact_number(f, (long double)(int64_t)v);
		break;
	case WEFT_EV_COUNTER_F:
		fact_number(f, d);
		break;
	case WEFT_EV_POINT_S:
		fact_text(f, "hello, \"world\"");
		break;
	default:
		break;
	}
}

static void facts_of_message(const struct seen *s, const char *field, struct facts *f)
{
	const struct weft_messages *m = &s->t->message;
	uint64_t i = s->e.value;
	if (s->e.kind != WEFT_EV_SEND && s->e.kind != WEFT_EV_RECV)
		return;
	if (is(field, "size"))
		fact_number(f, m->size[i]);
	if (is(field, "tag"))
		fact_number(f, m->tag[i]);
	uint32_t other = s->e.kind == WEFT_EV_SEND ? m->recv_thread[i] : m->send_thread[i];
	if (is(field, "peer") && other != WEFT_NONE)
		fact_number(f, s->t->process[s->t->thread[other].process].rank);
	if (is(field, "duration") && m->send_thread[i] != WEFT_NONE && m->recv_thread[i] != WEFT_NONE)
		fact_number(f, m->recv_done[i] - m->send_began[i]);
}

static void facts_of(const struct seen *s, const char *field, struct facts *f)
{
	uint32_t n = 0;
	const uint64_t *word = s->e.kind == WEFT_EV_DATA ? weft_extra(s->t, s->e.thread, s->e.value, &n) : NULL;
	facts_of_row(s, field, f);
	facts_of_def(s, field, f);
	facts_of_message(s, field, f);
	if (is(field, "kind")) {
		fact_text(f, weft_kind_info[s->e.kind].name);
		fact_text(f, kind_group(s->e.kind));
	}
	if (is(field, "value"))
		facts_of_value(s, f);
	if (is(field, "size") && word)
		fact_number(f, (long double)(int64_t)word[1]);
	if (is(field, "duration") && s->has_duration)
		fact_number(f, s->duration);
	if (is(field, "cpu") && s->cpu >= 0)
		fact_number(f, s->cpu);
}

static bool in_order(const char *compare, long double x, long double y)
{
	return is(compare, "<") ? x < y : is(compare, "<=") ? x <= y : is(compare, ">") ? x > y : x >= y;
}

static bool naive_value(const struct naive *t, unsigned i, const struct facts *f)
{
	bool list = is(t->compare, "=") || is(t->compare, "!=");
	if (f->has_number && t->value[i].number &&
	    (list ? f->number >= t->value[i].low && f->number <= t->value[i].high
	          : in_order(t->compare, f->number, t->value[i].low)))
		return true;
	for (unsigned k = 0; k < f->n_texts; k++)
		if (t->value[i].quoted || strpbrk(t->value[i].text, " ,\"") ? is(t->value[i].text, f->text[k])
		                                                            : naive_glob(t->value[i].text, f->text[k]))
			return true;
	return false;
}

static bool naive_time(const struct naive *t, const struct seen *s)
{
	bool in = false;
	for (unsigned i = 0; i < t->n_values; i++) {
		long double low = t->value[i].low, high = t->value[i].high;
		low = *t->compare == '<' ? -INFINITY : is(t->compare, ">") ? low + 1 : low;
		high = *t->compare == '>' ? INFINITY : is(t->compare, "<") ? high - 1 : high;
		in = in || ((long double)s->last >= low && (long double)s->first <= high);
	}
	return in != is(t->compare, "!=");
}

static bool naive_eval(const struct naive *n, const struct seen *s)
{
	if (n->what == NAIVE_NOT)
		return !naive_eval(n->part[0], s);
	if (n->what != NAIVE_TEST) {
		unsigned yes = 0;
		for (unsigned i = 0; i < n->n_parts; i++)
			yes += naive_eval(n->part[i], s);
		return n->what == NAIVE_OR ? yes > 0 : yes == n->n_parts;
	}
	if (is(n->field, "time"))
		return naive_time(n, s);
	struct facts f = {.n_texts = 0};
	facts_of(s, n->field, &f);
	if (f.n_texts == 0 && !f.has_number)
		return false;
	bool any = false;
	for (unsigned i = 0; i < n->n_values; i++)
		any = any || naive_value(n, i, &f);
	return any != is(n->compare, "!=");
}

/* -- both, on everything that a random trace has -- */

struct both {
	const struct weft_trace *t;
	const struct weft_filter *f;
	const struct naive *n;
	const char *text;
	int64_t cpu;
	uint64_t cpu_until; /* the time of the cpu mark, which counts for all events of its instant */
	uint64_t compared, passed, from, to;
};

static void same(struct both *b, bool got, const struct seen *s, const char *of)
{
	bool want = naive_eval(b->n, s);
	b->compared++;
	b->passed += want;
	if (got != want) {
		printf("# %s: thread %u time %" PRIu64 " kind %s id %u value %" PRIu64 ": %s\n", of, s->e.thread, s->e.time,
		       weft_kind_info[s->e.kind].name, s->e.id, s->e.value, b->text);
		CHECK(got == want);
	}
	if (want)
		CHECK(weft_filter_thread(b->f, s->e.thread) && s->last >= b->from && s->first < b->to);
}

static void both_event(void *arg, const struct weft_event *e)
{
	struct both *b = arg;
	struct seen s = {.t = b->t, .e = *e, .first = e->time, .last = e->time, .cpu = -1};
	/* The cpu at a time is the last one that was set at it. */
	struct weft_cursor c;
	struct weft_block k;
	if (strstr(b->text, "cpu")) {
		MUST(weft_cursor_begin(&c, b->t, e->thread, 0, e->time + 1));
		while (weft_cursor_next(&c, &k) > 0)
			for (uint32_t i = 0; i < k.n; i++)
				if (weft_what_kind(k.what[i]) == WEFT_EV_CPU)
					s.cpu = (int64_t)k.value[i];
		weft_cursor_end(&c);
	}
	same(b, weft_filter_event(b->f, e), &s, "event");
}

static int both_span(void *arg, const struct weft_span *span)
{
	struct both *b = arg;
	struct seen s = {.t = b->t,
	                 .first = span->begin,
	                 .last = span->end,
	                 .has_duration = true,
	                 .duration = span->end - span->begin,
	                 .cpu = -1};
	s.e = (struct weft_event){span->begin, span->thread, WEFT_EV_ENTER, span->region, 0};
	bool as_enter = naive_eval(b->n, &s);
	if (!as_enter)
		s.e.kind = WEFT_EV_LEAVE;
	if (!strstr(b->text, "cpu"))
		same(b, weft_filter_span(b->f, span), &s, "span");
	return 0;
}

static void both_message(struct both *b, uint64_t i)
{
	const struct weft_messages *m = &b->t->message;
	bool sent = m->send_thread[i] != WEFT_NONE, received = m->recv_thread[i] != WEFT_NONE;
	struct seen s = {.t = b->t, .cpu = -1};
	s.first = sent ? m->send_began[i] : m->recv_began[i];
	s.last = received ? m->recv_done[i] : m->send_done[i];
	s.e = (struct weft_event){s.first, sent ? m->send_thread[i] : m->recv_thread[i], sent ? WEFT_EV_SEND : WEFT_EV_RECV,
	                          m->comm[i], i};
	if (sent && received && !naive_eval(b->n, &s)) {
		s.e.kind = WEFT_EV_RECV;
		s.e.thread = m->recv_thread[i];
	}
	if (!strstr(b->text, "cpu"))
		same(b, weft_filter_message(b->f, i), &s, "message");
}

TEST(random_filters_agree_with_a_simple_evaluator)
{
	uint64_t compared = 0, passed = 0;
	for (unsigned round = 0; round < 8; round++) {
		struct weft_trace *t = sample_random(&(struct sample_random){7, 60, 60, true});
		for (unsigned i = 0; i < 120; i++) {
			struct weft_buf text = {0};
			n_nodes = 0;
			struct naive *n = naive_random(3);
			naive_print(n, &text);
			REQUIRE(!text.failed);
			struct weft_filter *f = filter_for(t, text.at);
			struct both b = {.t = t, .f = f, .n = n, .text = text.at};
			weft_filter_range(f, &b.from, &b.to);
			for (uint32_t k = 0; k < t->n_threads; k++) {
				each_event(t, k, both_event, &b);
				MUST(weft_spans(t, k, 0, WEFT_NEVER, NULL, both_span, &b));
			}
			for (uint64_t k = 0; k < t->message.n; k++)
				both_message(&b, k);
			compared += b.compared;
			passed += b.passed;
			weft_filter_free(f);
			weft_buf_fini(&text);
		}
		weft_trace_close(t);
	}
	/* The comparison says something only when both answers are frequent. */
	CHECK(passed > compared / 10 && passed < compared / 10 * 9);
	printf("# %" PRIu64 " answers compared, %" PRIu64 " of them yes\n", compared, passed);
}
