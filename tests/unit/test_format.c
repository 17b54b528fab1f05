/* SPDX-License-Identifier: Apache-2.0 */
#include "format/format.h"
#include "harness.h"
#include <errno.h>
#include <string.h>

static struct weft_page page;

static void begin(struct weft_page_writer *w, uint64_t base)
{
	weft_page_write_begin(w, &page, WEFT_PAGE_EVENTS, 3, 7, base);
}

/* The walk's next record is this one, but for its payload. */
#define CHECK_NEXT(wanted) \
	do { \
		REQUIRE(weft_page_next(&walk, &r) == 1); \
		CHECK_U64(r.ticks, (wanted).ticks); \
		CHECK_U64(r.kind, (wanted).kind); \
		CHECK_U64(r.id, (wanted).id); \
		CHECK_U64(r.n, (wanted).n); \
	} while (0)

TEST(table_has_each_kind_once_and_complete)
{
	unsigned n = 0;
	for (unsigned k = 0; k < 256; k++) {
		const struct weft_kind_info *i = &weft_kind_info[k];
		if (!i->name)
			continue;
		n++;
		CHECK(i->name[0] >= 'a' && i->name[0] <= 'z');
		CHECK(i->text && i->text[0]);
		CHECK(i->of < WEFT_CLASSES);
		/* The letters agree with the words: as many, or with one that stands for any number. */
		if (i->words >= 0 && !strpbrk(i->args, "*b"))
			CHECK_U64(strlen(i->args), (unsigned)i->words);
		for (unsigned j = 0; j < k; j++)
			CHECK(!weft_kind_info[j].name || strcmp(weft_kind_info[j].name, i->name) != 0);
	}
	CHECK(n >= 40);
	CHECK_STR(weft_kind_info[WEFT_EV_ENTER].name, "enter");
	CHECK(weft_kind_info[WEFT_EV_ENTER].of == WEFT_CLASS_REGION);
	CHECK(weft_kind_info[0].name == NULL);
	for (unsigned c = 0; c < WEFT_CLASSES; c++)
		CHECK(weft_class_name[c] && weft_class_name[c][0]);
	for (unsigned s = 0; s < WEFT_STATE_CLASSES; s++)
		CHECK(weft_state_name[s] && weft_state_name[s][0]);
}

TEST(head_packs_its_fields)
{
	uint64_t h = weft_head_make(0xfedcba98, WEFT_ID_MAX, 14, 200);
	CHECK_U64(weft_head_time(h), 0xfedcba98);
	CHECK_U64(weft_head_id(h), WEFT_ID_MAX);
	CHECK_U64(weft_head_words(h), 14);
	CHECK_U64(weft_head_kind(h), 200);
}

TEST(records_come_back_as_they_were_written)
{
	struct weft_page_writer w;
	struct weft_page_walk walk;
	struct weft_record r = {0};
	uint64_t words[40];
	for (unsigned i = 0; i < 40; i++)
		words[i] = i * 1000003u;
	const struct weft_record want[] = {
		{1000, WEFT_EV_ENTER, 5, 0, NULL},
		{1000 + UINT32_MAX, WEFT_EV_POINT, 1, 1, words},
		{1001 + UINT32_MAX, WEFT_EV_LEAVE, 5, 0, NULL}, /* too far from the base */
		{500, WEFT_EV_LEAVE, 5, 0, NULL},               /* before it */
		{UINT64_MAX - 3, WEFT_EV_SAMPLE, 0, 14, words}, /* the most of the short form */
		{UINT64_MAX, WEFT_EV_SAMPLE, 0, 15, words},     /* the least of the long one */
		{0, WEFT_EV_COUNTER_SET, WEFT_ID_MAX, 40, words},
	};
	begin(&w, 1000);
	for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
		REQUIRE(weft_page_write(&w, &want[i]) == 0);
	weft_page_write_end(&w);
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_GOOD);
	for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
		CHECK_NEXT(want[i]);
		CHECK(r.n == 0 || memcmp(r.payload, words, r.n * 8) == 0);
	}
	CHECK(weft_page_next(&walk, &r) == 0);
}

/* A region and an arrow's end are one record, and two for whoever walks: in a sealed page, an open one, one that is cut. */
TEST(enter_flow_is_walked_over_as_two_records)
{
	enum { REGION = WEFT_BOTH_REGION, FLOW = 255, ID = FLOW << WEFT_BOTH_FLOW_SHIFT | REGION };
	struct weft_page_writer w;
	struct weft_page_walk walk;
	struct weft_record r;
	uint64_t words[] = {0xabcdef0123456789, 2};
	const struct weft_record put[] = {
		{100, WEFT_EV_ENTER_FLOW, ID, 1, words},
		{100, WEFT_EV_ENTER_FLOW, ID, 1, words},
		{101, WEFT_EV_LEAVE, REGION, 0, NULL},
		{102 + UINT64_C(0x100000000), WEFT_EV_ENTER_FLOW, ID, 2,
	         words}, /* behind a TIME; with a word of a version to come */
	};
	static const struct {
		uint64_t ticks;
		unsigned kind, id, n, at; /* at: where the walk stands then */
	} want[] = {
		{100, WEFT_EV_ENTER, REGION, 0, 0},
		{100, WEFT_EV_FLOW_IN, FLOW, 1, 2},
		{100, WEFT_EV_ENTER, REGION, 0, 2},
		{100, WEFT_EV_FLOW_IN, FLOW, 1, 4},
		{101, WEFT_EV_LEAVE, REGION, 0, 5},
		{102 + UINT64_C(0x100000000), WEFT_EV_ENTER, REGION, 0, 7},
		{102 + UINT64_C(0x100000000), WEFT_EV_FLOW_IN, FLOW, 2, 10},
	};
	for (unsigned sealed = 0; sealed < 2; sealed++) {
		begin(&w, 100);
		for (unsigned i = 0; i < sizeof put / sizeof *put; i++)
			REQUIRE(weft_page_write(&w, &put[i]) == 0);
		if (sealed)
			weft_page_write_end(&w);
		CHECK(weft_page_begin(&walk, &page, true) == (sealed ? WEFT_PAGE_GOOD : WEFT_PAGE_OPEN));
		for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
			CHECK_NEXT(want[i]);
			CHECK(r.n == 0 || memcmp(r.payload, words, 8 * r.n) == 0);
			CHECK_U64(walk.at - page.word, want[i].at);
		}
		CHECK(weft_page_next(&walk, &r) == 0);
	}
	page.used -= 8; /* its last word is gone: so are both of its halves */
	CHECK(weft_page_begin(&walk, &page, false) == WEFT_PAGE_GOOD);
	for (unsigned i = 0; i < 5; i++)
		REQUIRE(weft_page_next(&walk, &r) == 1);
	CHECK(weft_page_next(&walk, &r) == WEFT_E_DAMAGED);
	begin(&w, 100);
	REQUIRE(weft_page_write(&w, &(struct weft_record){100, WEFT_EV_ENTER_FLOW, ID, 0, NULL}) == 0);
	CHECK(weft_page_begin(&walk, &page, false) == WEFT_PAGE_OPEN);
	CHECK(weft_page_next(&walk, &r) == 1); /* without a key it is what it is: too short */
	CHECK_U64(r.kind, WEFT_EV_ENTER_FLOW);
	CHECK(weft_page_next(&walk, &r) == 0);
}

static uint64_t heads(unsigned kind, unsigned id, unsigned words, unsigned kind2, unsigned id2, unsigned words2)
{
	return weft_head_make(0, id, words, kind) | weft_head_make(0, id2, words2, kind2) << 32;
}

TEST(a_bundle_is_walked_over_as_its_events)
{
	struct weft_page_writer w;
	struct weft_page_walk walk;
	struct weft_record r;
	const uint64_t three[] = {heads(WEFT_EV_ENTER, WEFT_ID_MAX, 0, WEFT_EV_DEPENDENCY, 3, 2), 10, 11,
	                          heads(WEFT_EV_ATTR, 5, 1, 0, 0, 0), 12};
	const uint64_t two[] = {heads(WEFT_EV_LEAVE, 1, 0, WEFT_EV_ENTER, 2, 0)};
	static const struct {
		uint64_t ticks;
		unsigned kind, id, n, word, at; /* at: where the walk stands then */
	} want[] = {
		{100, WEFT_EV_ENTER, WEFT_ID_MAX, 0, 0, 0}, {100, WEFT_EV_DEPENDENCY, 3, 2, 10, 0},
		{100, WEFT_EV_ATTR, 5, 1, 12, 6},           {101, WEFT_EV_LEAVE, 1, 0, 0, 6},
		{101, WEFT_EV_ENTER, 2, 0, 0, 8},           {102, WEFT_EV_LEAVE, 2, 0, 0, 9},
	};
	for (unsigned sealed = 0; sealed < 2; sealed++) {
		begin(&w, 100);
		REQUIRE(weft_page_write(&w, &(struct weft_record){100, WEFT_EV_BUNDLE, 3, 5, three}) == 0);
		REQUIRE(weft_page_write(&w, &(struct weft_record){101, WEFT_EV_BUNDLE, 2, 1, two}) == 0);
		REQUIRE(weft_page_write(&w, &(struct weft_record){102, WEFT_EV_LEAVE, 2, 0, NULL}) == 0);
		if (sealed)
			weft_page_write_end(&w);
		CHECK(weft_page_begin(&walk, &page, true) == (sealed ? WEFT_PAGE_GOOD : WEFT_PAGE_OPEN));
		for (unsigned i = 0; i < sizeof want / sizeof *want; i++) {
			CHECK_NEXT(want[i]);
			CHECK(!r.n || r.payload[0] == want[i].word);
			CHECK_U64(walk.at - page.word, want[i].at);
		}
		CHECK(weft_page_next(&walk, &r) == 0);
	}
}

TEST(what_is_no_bundle_is_one_record_that_is_too_short)
{
	static const uint64_t attr = WEFT_EV_ATTR | 1 << 8 | 1 << 12;
	static const struct {
		unsigned events, n;
		uint64_t word[4];
	} rows[] = {
		{0, 2, {attr, 7}},                                 /* of no events */
		{1, 1, {attr}},                                    /* its word is missing */
		{1, 3, {attr, 7, 8}},                              /* one too many */
		{2, 2, {attr, 7}},                                 /* the second is missing */
		{1, 3, {attr | attr << 32, 7, 8}},                 /* a second that is not counted */
		{3, 3, {attr | attr << 32, 7, 8}},                 /* the third is missing */
		{WEFT_ID_MAX, 2, {attr, 7}},                       /* far too many */
		{1, 2, {WEFT_EV_BUNDLE | 1 << 8 | 1 << 12, attr}}, /* what stands for others */
		{1, 2, {WEFT_EV_ENTER_FLOW | 1 << 8, 7}},
		{1, 2, {WEFT_EV_TIME | 1 << 8, 7}},    /* what is applied to others */
		{1, 2, {WEFT_EV_SAMPLE | 15 << 8, 0}}, /* the long form */
	};
	struct weft_page_writer w;
	struct weft_page_walk walk;
	struct weft_record r;
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		begin(&w, 100);
		REQUIRE(weft_page_write(&w, &(struct weft_record){100, WEFT_EV_BUNDLE, rows[i].events, rows[i].n,
		                                                  rows[i].word}) == 0);
		REQUIRE(weft_page_write(&w, &(struct weft_record){101, WEFT_EV_LEAVE, 9, 0, NULL}) == 0);
		CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_OPEN);
		CHECK(weft_page_next(&walk, &r) == 1);
		CHECK_U64(r.kind, WEFT_EV_BUNDLE);
		CHECK_U64(r.n, 0);
		CHECK(weft_page_next(&walk, &r) == 1);
		CHECK_U64(r.id, 9);
		CHECK(weft_page_next(&walk, &r) == 0);
	}
}

TEST(page_takes_what_fits_and_no_more)
{
	struct weft_page_writer w;
	struct weft_page_walk walk;
	struct weft_record r, event = {10, WEFT_EV_ENTER, 1, 0, NULL};
	uint64_t words[WEFT_WORDS_MAX] = {1, 2};
	unsigned n = 0;
	begin(&w, 10);
	while (weft_page_write(&w, &event) == 0)
		n++;
	CHECK_U64(n, WEFT_PAGE_ROOM / 8);
	weft_page_write_end(&w);
	CHECK_U64(page.used, WEFT_PAGE_BYTES);
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_GOOD);
	while (weft_page_next(&walk, &r) == 1)
		n--;
	CHECK_U64(n, 0);
	/* The longest record fits an empty page, even with a time far away; a longer one never does. */
	begin(&w, 0);
	CHECK(weft_page_write(&w, &(struct weft_record){UINT64_MAX, WEFT_EV_SAMPLE, 0, WEFT_WORDS_MAX - 2, words}) == 0);
	begin(&w, 0);
	CHECK(weft_page_write(&w, &(struct weft_record){0, WEFT_EV_SAMPLE, 0, WEFT_WORDS_MAX, words}) == 0);
	CHECK(weft_page_write(&w, &(struct weft_record){0, WEFT_EV_SAMPLE, 0, WEFT_WORDS_MAX + 1, words}) == -ENOSPC);
}

TEST(every_flipped_bit_of_a_sealed_page_is_noticed)
{
	struct weft_page_writer w;
	struct weft_page_walk walk;
	struct weft_page copy;
	begin(&w, 99);
	for (unsigned i = 0; i < 20; i++)
		REQUIRE(weft_page_write(&w, &(struct weft_record){99 + i, WEFT_EV_ENTER, i + 1, 0, NULL}) == 0);
	weft_page_write_end(&w);
	copy = page;
	unsigned good = 0;
	for (unsigned bit = 0; bit < copy.used * 8; bit++) {
		page = copy;
		((uint8_t *)&page)[bit / 8] ^= (uint8_t)(1u << bit % 8);
		/* Without the flag "sealed" the page counts as open: its checksum is not valid yet. */
		good += weft_page_begin(&walk, &page, true) == WEFT_PAGE_GOOD;
	}
	CHECK_U64(good, 0);
}

TEST(open_page_is_readable_up_to_the_first_zero_head)
{
	struct weft_page_writer w;
	struct weft_page_walk walk;
	struct weft_record r;
	begin(&w, 5);
	for (unsigned i = 0; i < 3; i++)
		REQUIRE(weft_page_write(&w, &(struct weft_record){5 + i, WEFT_EV_LEAVE, 1, 0, NULL}) == 0);
	page.word[4] = 77; /* the payload of a record whose head was not stored yet */
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_OPEN);
	unsigned n = 0;
	while (weft_page_next(&walk, &r) == 1)
		n++;
	CHECK_U64(n, 3);
}

TEST(page_of_zeros_is_empty_and_other_pages_are_bad)
{
	struct weft_page_walk walk;
	struct weft_page_writer w;
	memset(&page, 0, sizeof page);
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_EMPTY);
	page.word[100] = 1;
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_BAD);
	begin(&w, 0);
	page.type = 9;
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_BAD);
	begin(&w, 0);
	page.thread = 0; /* events of nobody */
	page.seq = 1;
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_BAD);
	page.seq = 0; /* about to be used again */
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_EMPTY);
	page.flags = WEFT_PAGE_SEALED;
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_EMPTY);
	begin(&w, 0);
	page.flags = 2;
	CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_BAD);
	const uint32_t used[] = {0, WEFT_PAGE_HEAD - 8, WEFT_PAGE_BYTES + 8, 36, UINT32_MAX};
	for (unsigned i = 0; i < sizeof used / sizeof *used; i++) {
		begin(&w, 0);
		weft_page_write_end(&w);
		page.used = used[i];
		CHECK(weft_page_begin(&walk, &page, true) == WEFT_PAGE_BAD);
		CHECK(weft_page_begin(&walk, &page, false) == WEFT_PAGE_BAD);
	}
}

TEST(walk_over_random_words_stays_in_the_page_and_ends)
{
	struct weft_page_writer w;
	struct weft_page_walk walk;
	struct weft_record r;
	unsigned damaged = 0;
	for (unsigned round = 0; round < 2000; round++) {
		begin(&w, 0);
		for (unsigned i = 0; i < WEFT_PAGE_ROOM / 8; i++)
			page.word[i] = test_random() >> test_random() % 64;
		CHECK(weft_page_begin(&walk, &page, false) == WEFT_PAGE_OPEN);
		int rc;
		unsigned n = 0;
		while ((rc = weft_page_next(&walk, &r)) == 1) {
			n++;
			REQUIRE(r.n == 0 || (r.payload >= page.word && r.payload + r.n <= page.word + WEFT_PAGE_ROOM / 8));
		}
		REQUIRE(n <= WEFT_PAGE_ROOM / 8);
		damaged += rc == WEFT_E_DAMAGED;
	}
	CHECK(damaged > 0);
}

TEST(bytes_of_a_record_must_fit_its_words)
{
	const char *at;
	uint32_t n;
	uint64_t words[3] = {8, 0x6867666564636261, 0};
	struct weft_record r = {.n = 2, .payload = words};
	CHECK(weft_record_bytes(&r, 0, &at, &n) && n == 8 && memcmp(at, "abcdefgh", 8) == 0);
	words[0] = 9;
	CHECK(!weft_record_bytes(&r, 0, &at, &n));
	words[0] = UINT64_MAX;
	CHECK(!weft_record_bytes(&r, 0, &at, &n));
	words[0] = 0;
	CHECK(weft_record_bytes(&r, 0, &at, &n) && n == 0);
	CHECK(!weft_record_bytes(&r, 2, &at, &n));
	CHECK(!weft_record_bytes(&r, UINT32_MAX, &at, &n));
}
