/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Perfetto's format, read back by a decoder that knows of it only what its definition says: wire types, field numbers, interning by
 * sequence. The fixed trace is a golden of what was decoded; random ones must give back the trace's own regions and values.
 */
#include "sample_export.h"
#include "base/map.h"

struct field {
	unsigned number, wire;
	uint64_t value; /* wire types 0 and 1 */
	const char *at; /* wire type 2 */
	size_t n;
};
struct reader {
	const uint8_t *at, *end;
};

static uint64_t read_varint(struct reader *r)
{
	uint64_t v = 0;
	for (unsigned shift = 0; shift < 64; shift += 7) {
		REQUIRE(r->at < r->end);
		v |= (uint64_t)(*r->at & 0x7f) << shift;
		if (!(*r->at++ & 0x80))
			return v;
	}
	REQUIRE(!"a varint ends after ten bytes");
	return 0;
}

static bool read_field(struct reader *r, struct field *f)
{
	if (r->at == r->end)
		return false;
	uint64_t tag = read_varint(r);
	*f = (struct field){.number = (unsigned)(tag >> 3), .wire = tag & 7};
	REQUIRE(f->number > 0 && (f->wire == 0 || f->wire == 1 || f->wire == 2));
	if (f->wire == 0) {
		f->value = read_varint(r);
	} else if (f->wire == 1) {
		REQUIRE(r->end - r->at >= 8);
		memcpy(&f->value, r->at, 8);
		r->at += 8;
	} else {
		f->n = read_varint(r);
		REQUIRE(f->n <= (size_t)(r->end - r->at));
		f->at = (const char *)r->at;
		r->at += f->n;
	}
	return true;
}

static struct reader inside(const struct field *f)
{
	return (struct reader){(const uint8_t *)f->at, (const uint8_t *)f->at + f->n};
}

/* The field of that number in a message; number 0 when there is none. */
static struct field find(const struct field *message, unsigned number)
{
	struct reader r = inside(message);
	struct field f;
	while (read_field(&r, &f))
		if (f.number == number)
			return f;
	return (struct field){0};
}

/* ---- what has been interned, and the tracks ---- */

struct open_slice {
	uint64_t track, begin;
};
struct decoded {
	struct weft_buf text;
	struct weft_map name;  /* (table, sequence, iid) -> place in `names` */
	struct weft_map track; /* uuid -> place in `names` */
	struct weft_map known_sequence;
	WEFT_VEC(char *) names;
	uint64_t begins, ends, instants, counters, flow_starts, flow_ends, annotations;
	uint64_t flow_sum; /* of ids, signed: starts plus, ends minus */
	WEFT_VEC(struct open_slice) stack;
	uint64_t span_ns, counter_sum;
};

static uint64_t keep_name(struct decoded *d, const char *at, size_t n)
{
	MUST(weft_vec_push(&d->names, strndup(at ? at : "", n)));
	return d->names.n - 1;
}

static uint64_t key_of(unsigned table, uint64_t sequence, uint64_t iid)
{
	return (uint64_t)table << 60 | sequence << 32 | iid;
}

static const char *interned(const struct decoded *d, unsigned table, uint64_t sequence, uint64_t iid)
{
	uint64_t at;
	REQUIRE(weft_map_get(&d->name, key_of(table, sequence, iid), &at)); /* interned before it is used */
	return d->names.at[at];
}

static void read_interned(struct decoded *d, uint64_t sequence, const struct field *data)
{
	struct reader r = inside(data);
	struct field entry;
	while (read_field(&r, &entry)) {
		struct field iid = find(&entry, 1), name = find(&entry, 2);
		REQUIRE(entry.number >= 1 && entry.number <= 3 && iid.value > 0 && iid.value < UINT32_MAX && name.number == 2);
		uint64_t ignored;
		CHECK(!weft_map_get(&d->name, key_of(entry.number, sequence, iid.value), &ignored)); /* once is enough */
		MUST(weft_map_put(&d->name, key_of(entry.number, sequence, iid.value), keep_name(d, name.at, name.n)));
	}
}

static void read_track(struct decoded *d, const struct field *track)
{
	struct field uuid = find(track, 1), name = find(track, 2), process = find(track, 3), thread = find(track, 4),
		     parent = find(track, 5), counter = find(track, 8);
	uint64_t at;
	REQUIRE(uuid.value > 0 && !weft_map_get(&d->track, uuid.value, &at));
	weft_buf_printf(&d->text, "track %" PRIu64, uuid.value);
	if (parent.number) {
		REQUIRE(weft_map_get(&d->track, parent.value, &at));
		weft_buf_printf(&d->text, " in '%s'", d->names.at[at]);
	}
	if (process.number) {
		name = find(&process, 6);
		weft_buf_printf(&d->text, " process pid=%" PRIu64, find(&process, 1).value);
	}
	if (thread.number) {
		name = find(&thread, 5);
		weft_buf_printf(&d->text, " thread pid=%" PRIu64 " tid=%" PRIu64, find(&thread, 1).value, find(&thread, 2).value);
	}
	if (counter.number) {
		struct field unit = find(&counter, 6);
		weft_buf_printf(&d->text, " counter unit='%.*s'", (int)unit.n, unit.at ? unit.at : "");
	}
	weft_buf_printf(&d->text, " '%.*s'\n", (int)name.n, name.at);
	MUST(weft_map_put(&d->track, uuid.value, keep_name(d, name.at, name.n)));
}

/* ---- events ---- */

static void read_annotation(struct decoded *d, uint64_t sequence, const struct field *a)
{
	struct reader r = inside(a);
	struct field f;
	const char *name = NULL;
	d->annotations++;
	while (read_field(&r, &f)) /* values stand before or behind names */
		if (f.number == 1)
			name = interned(d, 3, sequence, f.value);
		else if (f.number == 10)
			name = f.at;
	REQUIRE(name != NULL);
	weft_buf_printf(&d->text, " %s=", name ? name : "?");
	r = inside(a);
	while (read_field(&r, &f)) {
		double real;
		memcpy(&real, &f.value, sizeof real);
		if (f.number == 3)
			weft_buf_printf(&d->text, "%" PRIu64, f.value);
		else if (f.number == 4)
			weft_buf_printf(&d->text, "%" PRId64, (int64_t)f.value);
		else if (f.number == 5)
			weft_buf_printf(&d->text, "%g", real);
		else if (f.number == 6)
			weft_buf_printf(&d->text, "'%.*s'", (int)f.n, f.at);
	}
}

static void count_event(struct decoded *d, unsigned type, uint64_t track, uint64_t time)
{
	if (type == 1) {
		d->begins++;
		MUST(weft_vec_push(&d->stack, (struct open_slice){track, time}));
	} else if (type == 2) {
		size_t i = d->stack.n;
		d->ends++;
		while (i > 0 && d->stack.at[i - 1].track != track)
			i--;
		REQUIRE(i > 0); /* something is open on this track */
		d->span_ns += time - d->stack.at[i - 1].begin;
		memmove(d->stack.at + i - 1, d->stack.at + i, (--d->stack.n - (i - 1)) * sizeof *d->stack.at);
	}
	d->instants += type == 3;
	d->counters += type == 4;
}

static void read_event(struct decoded *d, uint64_t sequence, uint64_t time, const struct field *event)
{
	static const char *const types[] = {"?", "begin", "end", "instant", "counter"};
	struct field type = find(event, 9), track = find(event, 11), f;
	struct reader r = inside(event);
	uint64_t at;
	REQUIRE(type.value >= 1 && type.value <= 4 && weft_map_get(&d->track, track.value, &at));
	weft_buf_printf(&d->text, "%" PRIu64 " '%s' %s", time, d->names.at[at], types[type.value]);
	count_event(d, (unsigned)type.value, track.value, time);
	while (read_field(&r, &f)) {
		double real;
		memcpy(&real, &f.value, sizeof real);
		if (f.number == 10)
			weft_buf_printf(&d->text, " '%s'", interned(d, 2, sequence, f.value));
		else if (f.number == 3)
			weft_buf_printf(&d->text, " in '%s'", interned(d, 1, sequence, f.value));
		else if (f.number == 30)
			weft_buf_printf(&d->text, " %" PRId64, (int64_t)f.value);
		else if (f.number == 44)
			weft_buf_printf(&d->text, " %g", real);
		else if (f.number == 47 || f.number == 48)
			weft_buf_printf(&d->text, f.number == 47 ? " starts %" PRIu64 : " ends %" PRIu64, f.value);
		d->counter_sum += f.number == 30 ? f.value : 0;
		d->flow_starts += f.number == 47;
		d->flow_ends += f.number == 48;
		d->flow_sum += f.number == 47 ? f.value * f.value : f.number == 48 ? -(f.value * f.value) : 0;
	}
	for (r = inside(event); read_field(&r, &f);)
		if (f.number == 4)
			read_annotation(d, sequence, &f);
	weft_buf_putc(&d->text, '\n');
}

static void read_packet(struct decoded *d, const struct field *packet)
{
	struct field sequence = find(packet, 10), flags = find(packet, 13), time = find(packet, 8), event = find(packet, 11),
		     track = find(packet, 60), names = find(packet, 12);
	uint64_t known;
	REQUIRE(sequence.value > 0); /* every packet has one */
	if (!weft_map_get(&d->known_sequence, sequence.value, &known)) {
		CHECK_U64(flags.value & 1, 1); /* the first of a sequence clears */
		MUST(weft_map_put(&d->known_sequence, sequence.value, 1));
	}
	if (names.number) {
		CHECK_U64(flags.value & 2, 2);
		read_interned(d, sequence.value, &names);
	}
	if (track.number)
		read_track(d, &track);
	if (event.number) {
		CHECK_U64(flags.value & 2, 2);
		CHECK(time.number == 8);
		read_event(d, sequence.value, time.value, &event);
	}
}

static struct decoded decode(const char *at, size_t n)
{
	struct decoded d = {0};
	struct field file = {.at = at, .n = n}, packet;
	struct reader r = inside(&file);
	while (read_field(&r, &packet)) {
		REQUIRE(packet.number == 1 && packet.wire == 2);
		read_packet(&d, &packet);
	}
	return d;
}

static void decoded_fini(struct decoded *d)
{
	weft_buf_fini(&d->text);
	weft_map_fini(&d->name);
	weft_map_fini(&d->track);
	weft_map_fini(&d->known_sequence);
	for (size_t i = 0; i < d->names.n; i++)
		free(d->names.at[i]);
	free(d->names.at);
	free(d->stack.at);
}

TEST(the_fixed_trace_as_decoded)
{
	struct weft_trace *t = sample_fixed();
	size_t n;
	char *got = exported(t, "perfetto", NULL, &n);
	struct decoded d = decode(got, n);
	CHECK(test_golden(d.text.at, d.text.n, "export.pftrace.txt"));
	decoded_fini(&d);
	free(got);
	weft_trace_close(t);
}

static uint64_t sum_of_counters(const struct weft_trace *t)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		MUST(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER));
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n; k++) {
				uint32_t n = 0;
				if (weft_what_kind(b.what[k]) == WEFT_EV_COUNTER)
					sum += b.value[k];
				else if (weft_what_kind(b.what[k]) == WEFT_EV_CPU)
					sum += t->cpu[b.value[k]].os;
				else if (weft_what_kind(b.what[k]) == WEFT_EV_COUNTER_SET)
					sum += weft_extra(t, i, b.value[k], &n)[0] + weft_extra(t, i, b.value[k], &n)[1];
			}
		weft_cursor_end(&c);
	}
	return sum;
}

TEST(random_traces_decode_to_what_they_hold)
{
	for (unsigned i = 0; i < 6; i++) {
		struct weft_trace *t = sample_random(&(struct sample_random){.n_threads = 4,
		                                                             .n_events = 1500,
		                                                             .longest_gap = i < 3 ? 9 : 1u << 30,
		                                                             .marks = i % 2});
		struct sample_counts want = sample_count(t);
		size_t n;
		char *got = exported(t, "perfetto", NULL, &n);
		struct decoded d = decode(got, n);
		CHECK_U64(d.begins, d.ends);
		CHECK_U64(d.span_ns, want.span_ns);
		if (i % 2 == 0)
			CHECK_U64(d.begins, want.spans);
		CHECK_U64(d.counters, want.counter_values);
		CHECK_U64(d.counter_sum, sum_of_counters(t));
		CHECK_U64(d.flow_starts, want.messages + want.flows);
		CHECK_U64(d.flow_ends, want.messages + want.flows);
		CHECK_U64(d.flow_sum, 0);
		CHECK_U64(count_of(d.text.at, "' instant 'phase'"), want.kind[WEFT_EV_POINT]);
		uint64_t outside = count_of(d.text.at, " instant 'size'"); /* attributes of no region */
		CHECK_U64(count_of(d.text.at, " size=") + outside,
		          want.kind[WEFT_EV_SEND] + want.kind[WEFT_EV_RECV] + want.kind[WEFT_EV_DATA] + want.kind[WEFT_EV_ATTR]);
		decoded_fini(&d);
		free(got);
		weft_trace_close(t);
	}
}

TEST(text_of_any_length_and_bytes_stays_within_its_packet)
{
	static char longest[20000];
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.memory = 64 << 20, .threads = 1, .no_index = true};
	memset(longest, 'x', sizeof longest - 1);
	memcpy(longest + 2999, "\xc3\xa9", 2); /* a character over the bound of 3000 */
	MUST(weft_builder_new(&b, "long", "test", &how, &err));
	MADE(weft_build_app(b, longest));
	MADE(weft_build_process(b, &(struct weft_process){.node = WEFT_NONE,
	                                                  .rank = -1,
	                                                  .name = longest,
	                                                  .command = "",
	                                                  .host = "",
	                                                  .begin = 0,
	                                                  .end = 9}));
	MADE(weft_build_thread(b, &(struct weft_thread_row){.number = 1, .name = "\xff\xfe", .begin = 0, .end = 9}));
	uint32_t region = MADE(weft_build_def(b, WEFT_CLASS_REGION, &(struct weft_def_row){.name = longest}));
	struct weft_appender *a = weft_builder_appender(b, 0);
	MUST(weft_append(a, 1, weft_what(WEFT_EV_ENTER, region), 0));
	for (unsigned i = 0; i < 50; i++) {
		char name[16];
		snprintf(name, sizeof name, "a%u", i);
		uint32_t attr = MADE(weft_build_def(b, WEFT_CLASS_ATTR, &(struct weft_def_row){.name = name}));
		MUST(weft_append(a, 2, weft_what(WEFT_EV_ATTR_S, attr), MADE(weft_build_string(b, longest, sizeof longest - 1))));
	}
	MUST(weft_append(a, 9, weft_what(WEFT_EV_LEAVE, region), 0));
	MUST(weft_build_finish(b, NULL, &t, &err));
	size_t n;
	char *got = exported(t, "perfetto", NULL, &n);
	struct decoded d = decode(got, n);
	CHECK_U64(d.begins, 1);
	CHECK_U64(d.ends, 1);
	CHECK(d.annotations > 0 && d.annotations <= 50);
	CHECK(strstr(d.text.at, "'1.1.1 ?\?'") != NULL);
	decoded_fini(&d);
	free(got);
	weft_trace_close(t);
}
