/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks: encode and decode against what went in; damaged blocks are refused, or decode to something inside the bounds. */
#include "harness.h"
#include "trace/store/builder.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct bench {
	struct col_out out;
	struct col_writer w;
	struct col_encoder *enc;
	struct col_source source;
	struct col_scratch *scratch;
	uint64_t time[WEFT_BLOCK_EVENTS], value[WEFT_BLOCK_EVENTS];
	uint32_t what[WEFT_BLOCK_EVENTS];
};
static struct bench bench;

static void bench_begin(void)
{
	int fd = spill_file();
	REQUIRE(fd >= 0);
	REQUIRE(col_out_init(&bench.out, fd) == 0);
	col_writer_init(&bench.w, &bench.out, NULL, 0);
	bench.enc = col_encoder_new();
	bench.scratch = calloc(1, sizeof *bench.scratch);
	REQUIRE(bench.enc && bench.scratch);
}

static void bench_map(void)
{
	uint64_t bytes;
	REQUIRE(col_out_finish(&bench.out, &bytes) == 0);
	void *at = mmap(NULL, bytes + COL_SLACK, PROT_READ | PROT_WRITE, MAP_PRIVATE, bench.out.fd, 0);
	REQUIRE(at != MAP_FAILED);
	bench.source = (struct col_source){at, bytes};
}

static void bench_end(void)
{
	if (bench.source.at)
		munmap((void *)(uintptr_t)bench.source.at, bench.source.n + COL_SLACK);
	bench.source = (struct col_source){0};
	col_writer_fini(&bench.w);
	col_out_fini(&bench.out);
	col_encoder_free(bench.enc);
	col_scratch_fini(bench.scratch);
	free(bench.scratch);
}

/* Puts n events that the caller has in bench.time, .what, .value. */
static void put_block(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		REQUIRE(col_put(&bench.w, bench.time[i], bench.what[i], bench.value[i]) == 0);
	REQUIRE(col_write_block(&bench.w, bench.enc) == 0);
}

static bool block_is_back(uint32_t n)
{
	const struct col_block *row = &bench.w.block.at[bench.w.block.n - 1];
	if (!CHECK_U64(row->n, n) || !CHECK(col_block_intact(&bench.source, row)) ||
	    !CHECK(col_decode(&bench.source, row, bench.scratch) == 0))
		return false;
	bool good = row->first == bench.time[0] && row->last == bench.time[n - 1];
	uint64_t kinds = 0;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t want = col_value_of(weft_what_kind(bench.what[i])) == COL_NONE ? 0 : bench.value[i];
		good = good && bench.scratch->time[i] == bench.time[i] && bench.scratch->what[i] == bench.what[i] &&
		       bench.scratch->value[i] == want;
		kinds |= 1ull << weft_what_kind(bench.what[i]);
	}
	return good && kinds == row->kinds;
}

TEST(block_of_one_event)
{
	bench_begin();
	bench.time[0] = UINT64_MAX - 5;
	bench.what[0] = weft_what(WEFT_EV_POINT, 0xffffff);
	bench.value[0] = UINT64_MAX;
	put_block(1);
	bench_map();
	CHECK(block_is_back(1));
	bench_end();
}

/* Gaps and values of up to `gap_bits` and `value_bits`, `n_whats` different events. */
static void random_block(uint32_t n, unsigned gap_bits, unsigned value_bits, uint32_t n_whats)
{
	uint64_t t = test_random() >> 8, base = test_random();
	for (uint32_t i = 0; i < n; i++) {
		uint64_t gap = gap_bits ? test_random() >> (64 - gap_bits) : 0;
		if (test_random() % 100 == 0 && gap_bits)
			gap = test_random() >> (24 + test_random() % 40); /* a pause */
		t += i ? gap : 0;
		bench.time[i] = t;
		uint32_t id = (uint32_t)(test_random() % n_whats);
		bench.what[i] = weft_what(id % 3 ? WEFT_EV_ENTER : WEFT_EV_COUNTER, id);
		bench.value[i] = id % 3 ? 0 : base + (value_bits ? test_random() >> (64 - value_bits) : 0);
	}
}

TEST(blocks_come_back_whatever_their_widths)
{
	static const unsigned bits[] = {0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 40};
	static const uint32_t whats[] = {1, 2, 3, 17, 255, 256, 257, 1000, 4096, 100000};
	for (unsigned g = 0; g < sizeof bits / sizeof *bits; g++)
		for (unsigned w = 0; w < sizeof whats / sizeof *whats; w++) {
			uint32_t n = 1 + (uint32_t)(test_random() % WEFT_BLOCK_EVENTS);
			bench_begin();
			random_block(n, bits[g], bits[test_random() % 12] + (w == 0 ? 24 : 0), whats[w]);
			put_block(n);
			bench_map();
			if (!CHECK(block_is_back(n)))
				printf("# gap bits %u, whats %u, events %u\n", bits[g], whats[w], n);
			bench_end();
		}
}

static int by_value(const void *x, const void *y)
{
	const uint64_t *a = x, *b = y;
	return *a < *b ? -1 : *a > *b;
}

TEST(events_of_one_instant_share_their_gap)
{
	static const unsigned bits[] = {1, 8, 9, 16, 20, 24, 25, 32, 33};
	for (unsigned g = 0; g < sizeof bits / sizeof *bits; g++)
		for (unsigned share = 1; share <= 64; share *= 2) {
			uint32_t n = 1 + (uint32_t)(test_random() % WEFT_BLOCK_EVENTS);
			bench_begin();
			random_block(n, bits[g], 20, 7);
			for (uint32_t i = 1; i < n; i++)
				if (test_random() % share)
					bench.time[i] = bench.time[i - 1];
			qsort(bench.time, n, sizeof *bench.time, by_value);
			put_block(n);
			bench_map();
			if (!CHECK(block_is_back(n)))
				printf("# gap bits %u, shared by %u, events %u\n", bits[g], share, n);
			bench_end();
		}
}

TEST(codes_that_repeat_themselves)
{
	static const uint32_t periods[] = {1, 2, 3, 10, 37, 63, 64, 65, 200};
	static const uint32_t odd_each[] = {0, 2, 5, 17, 100};
	for (unsigned p = 0; p < sizeof periods / sizeof *periods; p++)
		for (unsigned o = 0; o < sizeof odd_each / sizeof *odd_each; o++) {
			uint32_t n = p + o ? 1 + (uint32_t)(test_random() % WEFT_BLOCK_EVENTS) : WEFT_BLOCK_EVENTS, at = 0;
			bench_begin();
			random_block(n, 20, 20, 250);
			for (uint32_t i = 0; i < n; i++) {
				bool odd = odd_each[o] &&
				           test_random() % odd_each[o] == 0; /* put in between: shifts the others */
				bench.what[i] = weft_what(WEFT_EV_COUNTER,
				                          odd ? 100 + (unsigned)(test_random() % 99) : at++ % periods[p]);
				bench.value[i] = test_random() >> 40;
			}
			put_block(n);
			bench_map();
			if (!CHECK(block_is_back(n)))
				printf("# period %u, odd each %u, events %u\n", periods[p], odd_each[o], n);
			if (n ==
			    WEFT_BLOCK_EVENTS) /* no codes, no values to speak of: it takes little more than gaps and values */
				CHECK(bench.w.block.at[0].bytes < n * 6 + n / 4 + 2000);
			bench_end();
		}
}

/* Events of a period, with and without values, that is broken now and then: what is done for a period at once is right at its ends. */
TEST(values_of_periods_that_are_broken)
{
	static const uint32_t periods[] = {1, 2, 3, 5, 6, 16, 17, 40, 64};
	for (unsigned round = 0; round < 90; round++) {
		uint32_t period = periods[round % 9], break_each = 50u << round / 9 % 6, n = WEFT_BLOCK_EVENTS;
		uint32_t what[64];
		for (uint32_t i = 0; i < period; i++) /* an entry may stand several times in the period */
			what[i] = weft_what(test_random() % 3 ? WEFT_EV_COUNTER : WEFT_EV_ENTER,
			                    1 + (unsigned)(test_random() % 7));
		bench_begin();
		for (unsigned block = 0; block < 3; block++) { /* the later ones try the first one's period */
			random_block(n, 12, 0, 1);
			for (uint32_t i = 0, at = 0; i < n; i++, at++) {
				bool odd = test_random() % break_each == 0;
				at += odd ? (uint32_t)test_random() % 5 : 0;
				bench.what[i] = odd ? weft_what(WEFT_EV_COUNTER, 9) : what[(at + block) % period];
				bool none = weft_what_kind(bench.what[i]) == WEFT_EV_ENTER;
				bench.value[i] = none ? 0 : weft_what_id(bench.what[i]) * 1000000u + test_random() % 1000;
			}
			put_block(n);
		}
		bench_map();
		if (!CHECK(block_is_back(n)))
			printf("# period %u, broken each %u\n", period, break_each);
		bench_end();
	}
}

TEST(full_block_of_4096_whats)
{
	bench_begin();
	for (uint32_t i = 0; i < WEFT_BLOCK_EVENTS; i++) {
		bench.time[i] = 10 * i;
		bench.what[i] = weft_what(WEFT_EV_POINT, i);
		bench.value[i] = (uint64_t)i << i % 50;
	}
	put_block(WEFT_BLOCK_EVENTS);
	bench_map();
	CHECK(block_is_back(WEFT_BLOCK_EVENTS));
	bench_end();
}

TEST(enter_and_leave_cost_three_bytes)
{
	bench_begin();
	for (uint32_t i = 0; i < WEFT_BLOCK_EVENTS; i++) {
		bench.time[i] = 1000 * i;
		bench.what[i] = weft_what(i % 2 ? WEFT_EV_LEAVE : WEFT_EV_ENTER, 1 + i / 2 % 4);
		bench.value[i] = 0;
	}
	put_block(WEFT_BLOCK_EVENTS);
	bench_map();
	CHECK(block_is_back(WEFT_BLOCK_EVENTS));
	CHECK(bench.w.block.at[0].bytes < 3 * WEFT_BLOCK_EVENTS + 200);
	bench_end();
}

struct event {
	uint64_t time, order;
	uint32_t what;
};

static int by_time(const void *x, const void *y)
{
	const struct event *a = x, *b = y;
	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

TEST(events_in_disorder_are_sorted_and_equal_times_keep_their_order)
{
	static struct event event[WEFT_BLOCK_EVENTS];
	for (unsigned round = 0; round < 30; round++) {
		uint32_t n = 1 + (uint32_t)(test_random() % WEFT_BLOCK_EVENTS);
		bench_begin();
		for (uint32_t i = 0; i < n; i++) {
			/* Rounds from nearly sorted to random, with many equal times. */
			uint64_t t = round < 10 ? i + test_random() % (round + 1) : test_random() % (round * 100);
			event[i] = (struct event){t, i, weft_what(WEFT_EV_POINT, 1)};
			REQUIRE(col_put(&bench.w, t, event[i].what, i) == 0);
		}
		REQUIRE(col_write_block(&bench.w, bench.enc) == 0);
		qsort(event, n, sizeof *event, by_time);
		for (uint32_t i = 0; i < n; i++) {
			bench.time[i] = event[i].time;
			bench.what[i] = event[i].what;
			bench.value[i] = event[i].order;
		}
		bench_map();
		CHECK(block_is_back(n));
		bench_end();
	}
}

TEST(payloads_of_several_words_are_found_again)
{
	uint64_t words[WEFT_WORDS_MAX];
	bench_begin();
	for (uint32_t i = 0; i < 100; i++) {
		for (uint32_t k = 0; k < i; k++)
			words[k] = 1000 * i + k;
		REQUIRE(col_put_extra(&bench.w, i, weft_what(WEFT_EV_SAMPLE, 0), words, i) == 0);
	}
	REQUIRE(col_write_block(&bench.w, bench.enc) == 0);
	bench_map();
	REQUIRE(col_decode(&bench.source, &bench.w.block.at[0], bench.scratch) == 0);
	for (uint32_t i = 0; i < 100; i++) {
		uint64_t place = bench.scratch->value[i] * 8;
		REQUIRE(place + 8 * (i + 1) <= bench.source.n);
		const uint64_t *at = (const uint64_t *)(const void *)(bench.source.at + place);
		CHECK_U64(at[0], i);
		for (uint32_t k = 0; k < i; k++)
			CHECK(at[1 + k] == 1000 * i + k);
	}
	bench_end();
}

TEST(block_ends_early_when_payloads_are_large)
{
	uint64_t words[WEFT_WORDS_MAX] = {0};
	bench_begin();
	uint32_t n = 0;
	while (!col_full(&bench.w)) {
		REQUIRE(col_put_extra(&bench.w, n, weft_what(WEFT_EV_SAMPLE, 0), words, WEFT_WORDS_MAX) == 0);
		n++;
	}
	CHECK(n < WEFT_BLOCK_EVENTS && n > COL_MAX_EXTRA / (WEFT_WORDS_MAX + 1) - 2);
	bench_end();
}

/* Any byte of a block changed: the checksum sees it; and without the checksum decoding stays inside (ASan holds that). */
TEST(damaged_blocks_are_seen_and_do_no_harm)
{
	bench_begin();
	random_block(1000, 9, 13, 40);
	put_block(1000);
	uint64_t words[3] = {1, 2, 3};
	REQUIRE(col_put_extra(&bench.w, 1, weft_what(WEFT_EV_COUNTER_SET, 1), words, 3) == 0);
	REQUIRE(col_put(&bench.w, 2, weft_what(WEFT_EV_CPU, 0), 77) == 0);
	REQUIRE(col_write_block(&bench.w, bench.enc) == 0);
	random_block(1000, 20, 13, 40);
	for (uint32_t i = 0; i < 1000; i++) {
		bench.time[i] = i / 5 * 1000;
		bench.what[i] = weft_what(WEFT_EV_COUNTER, i % 50 ? 1 + i % 7 : 20);
	}
	put_block(1000);
	bench_map();
	unsigned missed = 0, refused = 0;
	for (unsigned b = 0; b < 3; b++) {
		const struct col_block *row = &bench.w.block.at[b];
		uint8_t *at = (uint8_t *)(uintptr_t)bench.source.at + row->offset;
		for (uint32_t i = 0; i < row->bytes; i += i < 1200 ? 1 : 7) {
			uint8_t was = at[i];
			at[i] = (uint8_t)(at[i] ^ (1u << test_random() % 8));
			missed += col_block_intact(&bench.source, row);
			refused += col_decode(&bench.source, row, bench.scratch) != 0;
			at[i] = (uint8_t)test_random();
			refused += col_decode(&bench.source, row, bench.scratch) != 0;
			at[i] = was;
		}
		CHECK(col_decode(&bench.source, row, bench.scratch) == 0);
	}
	CHECK_U64(missed, 0);
	CHECK(refused > 0);
	bench_end();
}

TEST(rows_that_lead_out_of_the_file_are_refused)
{
	bench_begin();
	random_block(100, 9, 13, 4);
	put_block(100);
	bench_map();
	struct col_block row = bench.w.block.at[0];
	CHECK(col_decode(&bench.source, &row, bench.scratch) == 0);
	row.offset = bench.source.n;
	CHECK(col_decode(&bench.source, &row, bench.scratch) == WEFT_E_DAMAGED);
	CHECK(!col_block_intact(&bench.source, &row));
	row = bench.w.block.at[0];
	row.offset = UINT64_MAX - 7;
	CHECK(col_decode(&bench.source, &row, bench.scratch) == WEFT_E_DAMAGED);
	row = bench.w.block.at[0];
	row.bytes = UINT32_MAX;
	CHECK(col_decode(&bench.source, &row, bench.scratch) == WEFT_E_DAMAGED);
	row = bench.w.block.at[0];
	row.n++;
	CHECK(col_decode(&bench.source, &row, bench.scratch) == WEFT_E_DAMAGED);
	row = bench.w.block.at[0];
	row.last++;
	CHECK(col_decode(&bench.source, &row, bench.scratch) == WEFT_E_DAMAGED);
	bench_end();
}

/* Against looking at each event, for all lengths and whatever is chosen. */
static void check_places(uint32_t (*find)(const uint8_t *, uint32_t, const uint8_t *, uint16_t *, uint64_t *))
{
	uint8_t codes[300];
	uint16_t place[300 + COL_PLACES_MORE];
	uint64_t bits[COL_WORDS];
	uint32_t seed = 1;
	for (uint32_t round = 0; round < 2000; round++) {
		uint8_t chosen[256] = {0};
		uint32_t n = round % 300, different = 1 + round % 20 * (round % 3 ? 1 : 13), k = 0;
		for (uint32_t i = 0; i < n; i++)
			codes[i] = (uint8_t)((seed = seed * 1664525 + 1013904223) >> 16) % different;
		for (uint32_t i = 0; i < round % 8; i++)
			chosen[((seed = seed * 1664525 + 1013904223) >> 16) % different] = 1;
		uint32_t found = find(codes, n, chosen, place, bits);
		for (uint32_t i = 0; i < n; i++)
			if (chosen[codes[i]])
				REQUIRE(k < found && place[k++] == i && bits[i / 64] >> i % 64 & 1);
		CHECK_U64(found, k);
		for (uint32_t i = 0; i < COL_WORDS; i++)
			k -= (uint32_t)__builtin_popcountll(bits[i]);
		CHECK_U64(k, 0);
	}
}

TEST(places_of_chosen_codes)
{
	check_places(col_find_places);
	check_places(col_find_places_portable);
}

TEST(output_keeps_blocks_larger_than_its_buffer_apart)
{
	struct col_out out;
	uint64_t offset[3], bytes;
	size_t large = 3u << 20;
	char *block = malloc(large), *back = malloc(large);
	REQUIRE(block && back);
	memset(block, 7, large);
	REQUIRE(col_out_init(&out, spill_file()) == 0);
	REQUIRE(col_out_add(&out, "abc", 3, &offset[0]) == 0);
	REQUIRE(col_out_add(&out, block, large, &offset[1]) == 0);
	REQUIRE(col_out_add(&out, "defg", 4, &offset[2]) == 0);
	REQUIRE(col_out_finish(&out, &bytes) == 0);
	CHECK_U64(offset[0], 0);
	CHECK_U64(offset[1], 8);
	CHECK_U64(offset[2], 8 + large);
	CHECK_U64(bytes, 16 + large);
	CHECK(pread(out.fd, back, 4, (off_t)offset[2]) == 4 && memcmp(back, "defg", 4) == 0);
	CHECK(pread(out.fd, back, large, (off_t)offset[1]) == (ssize_t)large && memcmp(back, block, large) == 0);
	col_out_fini(&out);
	free(block);
	free(back);
}
