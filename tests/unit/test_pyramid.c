/* SPDX-License-Identifier: Apache-2.0 */
/* pyramid.c, pyramid_read.c: what is put in comes out; sums hold; files that are damaged, old or of others are not there. */
#include "format/crc.h"
#include "base/fs.h"
#include "harness.h"
#include "sample_index.h"
#include "metric/pyramid/pyramid_priv.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5 };
struct row {
	uint32_t n;
	double *end, *value;
};

/* Rows of different kinds: none, few, whole numbers of each width, fractions, large ones. */
static void make_rows(struct row row[ROWS])
{
	static const uint32_t lengths[ROWS] = {0, 3, 20000, 1000, 9000};
	for (unsigned r = 0; r < ROWS; r++) {
		row[r] = (struct row){lengths[r], malloc((lengths[r] + 1) * sizeof(double)),
		                      malloc((lengths[r] + 1) * sizeof(double))};
		REQUIRE(row[r].end && row[r].value);
		double at = 0;
		for (uint32_t i = 0; i < row[r].n; i++) {
			at += (double)(test_random() % (i % 5000 < 200 ? 3 : 100000)) + (r == 3 ? 0.25 : 0);
			row[r].end[i] = at;
			double wide = ldexp(1, (int)(i / 500 % 50));
			row[r].value[i] = r == 4 && i % 1000 < 300
			                          ? 7
			                          : floor((double)(int64_t)(test_random() % 100) * wide / 100) - (r == 2 ? 5 : 0);
			if (r == 3)
				row[r].value[i] += 0.1;
		}
	}
	row[1].value[1] = NAN;
	row[1].value[2] = -0.0;
}

static void free_rows(struct row row[ROWS])
{
	for (unsigned r = 0; r < ROWS; r++) {
		free(row[r].end);
		free(row[r].value);
	}
}

static int make(struct weft_pyramid **p, const struct weft_trace *t, const char *key, struct row row[ROWS])
{
	struct weft_pyramid_maker *m;
	int rc = weft_pyramid_make(&m, t, key, strlen(key), ROWS);
	*p = NULL;
	if (rc)
		return rc;
	for (unsigned r = ROWS; r-- > 0 && !rc;) { /* in any order */
		struct weft_pyramid_lane *l;
		if (!row[r].n)
			continue;
		rc = weft_pyramid_lane_new(&l, m, r, 0);
		for (uint32_t i = 0, k; i < row[r].n && !rc; i += k) {
			k = 1 + (uint32_t)(i * 7919u % 1000);
			k = k < row[r].n - i ? k : row[r].n - i;
			rc = weft_pyramid_add(l, k, row[r].end + i, row[r].value + i);
		}
		if (l) {
			int end = weft_pyramid_lane_end(l);
			rc = rc ? rc : end;
		}
	}
	if (!rc)
		return weft_pyramid_finish(m, p);
	weft_pyramid_abandon(m);
	return rc;
}

/* What a chunk or node says of the bursts [from, to). */
static void check_sums(const struct weft_pyramid_sums *s, uint64_t at, const struct row *row, uint64_t from, uint64_t to)
{
	double max = -INFINITY, min = 0, sum = 0;
	for (uint64_t i = from; i < to; i++) {
		double v = row->value[i] == row->value[i] ? row->value[i] : 0;
		max = v > max ? v : max;
		min = v != 0 && (min == 0 || v < min) ? v : min;
		sum += v;
	}
	CHECK_NEAR(s->end[at], row->end[to - 1], 0);
	CHECK_NEAR(s->max[at], max, 0);
	CHECK_NEAR(s->min[at], min, 0);
	if (s->size[at] < 9e15)
		CHECK_NEAR(s->sum[at], sum, 0);
}

static double value_at(const struct row *row, uint64_t i)
{
	return row->value[i] == row->value[i] ? row->value[i] : 0;
}

/* How long the value of a burst lasts in [from, to); 0: a burst before it has that value, too. */
static double share_of(const struct row *row, uint64_t from, uint64_t to, uint64_t at)
{
	double time = 0, v = value_at(row, at);
	for (uint64_t i = from; i < to; i++) {
		if (i < at && value_at(row, i) == v)
			return 0;
		time += value_at(row, i) == v ? row->end[i] - (i ? row->end[i - 1] : 0) : 0;
	}
	return time;
}

static bool is_told(const struct row *row, uint64_t from, uint64_t to)
{
	for (uint64_t i = from; i < to; i++) {
		double twice = 2 * value_at(row, i);
		if (!(fabs(twice) <= INT32_MAX) || twice != floor(twice) || row->end[i] != floor(row->end[i]))
			return false;
	}
	return true;
}

/* Whether shares of [from, to) are all of its time, each value's once; most: with more values there are none. */
static bool check_shares(const struct weft_pyramid *p, uint32_t r, const struct row *row, const struct weft_pyramid_shares *of,
                         uint64_t from, uint64_t to, uint32_t most)
{
	const struct weft_pyramid_share *share;
	uint32_t n = weft_pyramid_shares(p, r, of, &share), values = 0, wrong = 0;
	bool told = is_told(row, from, to);
	for (uint64_t i = from; i < to && told; i++) {
		double time = share_of(row, from, to, i);
		values += time > 0;
		for (uint32_t k = 0; k < n && time > 0; k++)
			wrong += share[k].twice == 2 * value_at(row, i) && share[k].time != time;
	}
	CHECK_U64(wrong, 0);
	return CHECK_U64(n, told && values <= most ? values : 0) && n;
}

static unsigned check_row(const struct weft_pyramid *p, uint32_t r, const struct row *row)
{
	unsigned shared = 0;
	const struct weft_pyramid_row *of = &p->row[r];
	struct weft_pyramid_bursts b;
	CHECK_U64(of->n_chunks, (row->n + WEFT_PYRAMID_BURSTS - 1) / WEFT_PYRAMID_BURSTS);
	uint64_t at = 0, wrong = 0;
	for (uint64_t i = 0; i < of->n_chunks; i++) {
		struct weft_pyramid_packed c;
		weft_pyramid_packed(p, r, of->first_chunk + i, &c);
		CHECK_NEAR(c.begin, at ? row->end[at - 1] : 0, 0);
		check_sums(&p->of_chunk, of->first_chunk + i, row, at, at + c.n);
		shared += check_shares(p, r, row, &p->chunk_shares[of->first_chunk + i], at, at + c.n, 32);
		weft_pyramid_ends(&c, b.end);
		weft_pyramid_values(&c, b.value);
		for (uint32_t k = 0; k < c.n; k++, at++) {
			double v = row->value[at] == row->value[at] ? row->value[at] : 0;
			wrong += b.end[k] != row->end[at] || b.value[k] != v;
			wrong += weft_pyramid_end(&c, k) != row->end[at] || weft_pyramid_value(&c, k) != v;
		}
	}
	CHECK_U64(wrong, 0);
	CHECK_U64(at, row->n);
	for (uint64_t i = 0; i < of->n_nodes; i++) {
		uint64_t from = i * WEFT_PYRAMID_FAN * WEFT_PYRAMID_BURSTS, to = from + WEFT_PYRAMID_FAN * WEFT_PYRAMID_BURSTS;
		check_sums(&p->of_node, of->first_node + i, row, from, to < row->n ? to : row->n);
	}
	for (uint64_t i = 0; i < of->n_chunks; i += 7) {
		struct weft_pyramid_packed c;
		weft_pyramid_packed(p, r, of->first_chunk + i, &c);
		double time = row->end[i * WEFT_PYRAMID_BURSTS + test_random() % c.n] + (double)(test_random() % 3) - 1;
		uint32_t before = weft_pyramid_before(&c, time), low = 0, high = 0;
		for (uint32_t k = 0; k < c.n; k++) {
			low += weft_pyramid_end(&c, k) < time - 1e-6;
			high += weft_pyramid_end(&c, k) <= time + 1e-6;
		}
		CHECK(before >= low && before <= high);
	}
	for (unsigned i = 0; i < 50; i++) {
		double time = row->n ? row->end[test_random() % row->n] : 5;
		uint64_t found = weft_pyramid_find(p, r, time), first = of->first_chunk;
		while (first < of->first_chunk + of->n_chunks && p->of_chunk.end[first] <= time)
			first++;
		CHECK_U64(found, first);
	}
	return shared;
}

/* Few values for long: nodes have shares as well, but for times too long for them. */
TEST(values_share_the_time_of_chunks_and_nodes)
{
	enum { MANY = 3 * WEFT_PYRAMID_BURSTS * WEFT_PYRAMID_FAN };
	struct weft_trace *t = sample_index_open();
	struct weft_pyramid_maker *m;
	struct weft_pyramid_lane *lane;
	struct weft_pyramid *p;
	struct row row = {MANY, malloc(MANY * sizeof(double)), malloc(MANY * sizeof(double))};
	REQUIRE(row.end && row.value && weft_pyramid_make(&m, t, "shares", 6, 1) == 0);
	REQUIRE(weft_pyramid_lane_new(&lane, m, 0, 0) == 0);
	for (uint32_t i = 0; i < MANY; i++) {
		double time = (double)(test_random() % (i / WEFT_PYRAMID_BURSTS / WEFT_PYRAMID_FAN == 1 ? 100000000 : 1000));
		row.end[i] = (i ? row.end[i - 1] : 0) + time;
		row.value[i] = (double)(test_random() % 20) / 2 - 1;
	}
	REQUIRE(weft_pyramid_add(lane, MANY, row.end, row.value) == 0 && weft_pyramid_lane_end(lane) == 0);
	REQUIRE(weft_pyramid_finish(m, &p) == 0);
	CHECK_U64(check_row(p, 0, &row), 3 * WEFT_PYRAMID_FAN);
	REQUIRE(p->n_nodes == 3);
	for (uint64_t i = 0; i < 3; i++) {
		uint64_t from = i * WEFT_PYRAMID_FAN * WEFT_PYRAMID_BURSTS;
		if (i == 1)
			CHECK_U64(p->node_shares[i].n, 0);
		else
			CHECK(check_shares(p, 0, &row, &p->node_shares[i], from, from + WEFT_PYRAMID_FAN * WEFT_PYRAMID_BURSTS,
			                   64));
	}
	weft_pyramid_close(p);
	free(row.end);
	free(row.value);
	weft_trace_close(t);
}

TEST(a_pyramid_gives_back_what_was_put_in)
{
	struct weft_trace *t = sample_index_open();
	struct row row[ROWS];
	struct weft_pyramid *p;
	make_rows(row);
	CHECK_I64(weft_pyramid_open(&p, t, "a", 1), -ENOENT);
	REQUIRE(make(&p, t, "a", row) == 0);
	CHECK_U64(p->n_rows, ROWS);
	CHECK_U64(p->n_bursts, 30003);
	for (uint32_t r = 0; r < ROWS; r++)
		check_row(p, r, &row[r]);
	weft_pyramid_close(p);
	/* and again from the file */
	REQUIRE(weft_pyramid_open(&p, t, "a", 1) == 0);
	for (uint32_t r = 0; r < ROWS; r++)
		check_row(p, r, &row[r]);
	CHECK(p->bytes < 30003 * 12);
	weft_pyramid_close(p);
	CHECK_I64(weft_pyramid_open(&p, t, "b", 1), -ENOENT);
	free_rows(row);
	weft_trace_close(t);
}

/* The files of pyramids in the index's folder. */
static unsigned count_files(char *one, size_t n)
{
	char **names, dir[4096];
	unsigned found = 0;
	snprintf(dir, sizeof dir, "%s/t.prv.index", test_dir());
	int all = weft_list_dir(dir, &names, NULL);
	REQUIRE(all >= 0);
	for (int i = 0; i < all; i++)
		if (!strncmp(names[i], "pyramid", 7)) {
			snprintf(one, n, "%s/%s", dir, names[i]);
			found++;
		}
	weft_list_free(names, all);
	return found;
}

static void write_file(const char *path, const char *at, size_t n)
{
	FILE *f = fopen(path, "w");
	REQUIRE(f && fwrite(at, 1, n, f) == n && fclose(f) == 0);
}

/* As if the machine had been started again since. */
static void age(char *at)
{
	struct pyramid_head h;
	memcpy(&h, at, sizeof h);
	h.boot_id[0] ^= 1;
	h.crc = weft_crc32c(0, &h, offsetof(struct pyramid_head, crc));
	memcpy(at, &h, sizeof h);
}

TEST(a_damaged_pyramid_is_not_there)
{
	struct weft_trace *t = sample_index_open();
	struct row row[ROWS];
	struct weft_pyramid *p;
	char path[5000];
	char *at;
	size_t n;
	make_rows(row);
	REQUIRE(make(&p, t, "a", row) == 0);
	size_t data_end = p->data_end, tables = (size_t)((const uint8_t *)p->row - p->at);
	weft_pyramid_close(p);
	CHECK_U64(count_files(path, sizeof path), 1);
	REQUIRE(weft_read_file(path, &at, &n, NULL) == 0);
	age(at);
	for (unsigned i = 0; i < 80; i++) {
		/* the head, the tables, the chunks, and a file that is cut off */
		static const bool may_hold[] = {true, false, false, false}; /* the head's mark may have any value */
		const size_t places[] = {test_random() % 128, tables + test_random() % (n - tables),
		                         PYRAMID_HEAD + test_random() % (data_end - PYRAMID_HEAD), 0};
		size_t cut = i % 4 == 3 ? test_random() % n : n, place = places[i % 4];
		char was = at[place];
		if (i % 4 != 3)
			at[place] = (char)(at[place] ^ (1 << test_random() % 8));
		write_file(path, at, cut);
		int rc = weft_pyramid_open(&p, t, "a", 1);
		if (!rc && may_hold[i % 4])
			weft_pyramid_close(p);
		else
			CHECK_I64(rc, -ENOENT);
		at[place] = was;
	}
	write_file(path, at, n);
	for (unsigned i = 0; i < 2; i++) { /* it is checked, and marked as checked */
		REQUIRE(weft_pyramid_open(&p, t, "a", 1) == 0);
		CHECK_U64(((const struct pyramid_head *)(const void *)p->at)->verified, 1);
		weft_pyramid_close(p);
	}
	REQUIRE(make(&p, t, "a", row) == 0); /* and can be made again */
	weft_pyramid_close(p);
	free(at);
	free_rows(row);
	weft_trace_close(t);
}

/* Several slabs: more than 2 MiB of bursts, from lanes that are open at the same time. */
TEST(a_pyramid_of_many_bursts)
{
	enum { MANY = 400000, PART = 1000 };
	struct weft_trace *t = sample_index_open();
	struct weft_pyramid_maker *m;
	struct weft_pyramid_lane *lane[2];
	struct row row[2];
	struct weft_pyramid *p;
	REQUIRE(weft_pyramid_make(&m, t, "many", 4, 2) == 0);
	for (unsigned r = 0; r < 2; r++) {
		row[r] = (struct row){MANY, malloc(MANY * sizeof(double)), malloc(MANY * sizeof(double))};
		REQUIRE(row[r].end && row[r].value && weft_pyramid_lane_new(&lane[r], m, r, 0) == 0);
		for (uint32_t i = 0; i < MANY; i++) {
			row[r].end[i] = (i ? row[r].end[i - 1] : 0) + (double)(test_random() % 100000);
			row[r].value[i] = (double)(test_random() % 1000000);
		}
	}
	for (uint32_t i = 0; i < MANY; i += PART)
		for (unsigned r = 0; r < 2; r++)
			REQUIRE(weft_pyramid_add(lane[r], PART, row[r].end + i, row[r].value + i) == 0);
	for (unsigned r = 0; r < 2; r++)
		REQUIRE(weft_pyramid_lane_end(lane[r]) == 0);
	REQUIRE(weft_pyramid_finish(m, &p) == 0);
	CHECK_U64(p->n_bursts, 2 * MANY);
	for (uint32_t r = 0; r < 2; r++)
		check_row(p, r, &row[r]);
	weft_pyramid_close(p);
	for (unsigned r = 0; r < 2; r++) {
		free(row[r].end);
		free(row[r].value);
	}
	weft_trace_close(t);
}

TEST(a_pyramid_goes_with_its_index)
{
	struct weft_trace *t = sample_index_open();
	struct row row[ROWS];
	struct weft_pyramid *p;
	char path[5000];
	make_rows(row);
	REQUIRE(make(&p, t, "a", row) == 0);
	weft_pyramid_close(p);
	struct weft_trace *again = sample_index_open(); /* builds it anew */
	CHECK_I64(weft_pyramid_open(&p, again, "a", 1), -ENOENT);
	/* The trace that was opened before has lost its folder to the new one. */
	CHECK_I64(make(&p, t, "b", row), -ENOENT);
	REQUIRE(make(&p, again, "b", row) == 0);
	weft_pyramid_close(p);
	CHECK_U64(count_files(path, sizeof path), 1); /* the old one was removed */
	weft_trace_close(again);
	weft_trace_close(t);
	free_rows(row);
}

TEST(without_an_index_there_is_no_pyramid)
{
	struct weft_trace *t = sample_index_none();
	struct row row[ROWS];
	struct weft_pyramid *p;
	make_rows(row);
	CHECK_I64(make(&p, t, "a", row), -ENOENT);
	CHECK_I64(weft_pyramid_open(&p, t, "a", 1), -ENOENT);
	free_rows(row);
	weft_trace_close(t);
}

TEST(pyramids_say_when_memory_is_out)
{
	struct weft_trace *t = sample_index_open();
	struct row row[ROWS];
	make_rows(row);
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_pyramid *p;
		int rc = make(&p, t, "a", row);
		if (!rc || !test_alloc_failed())
			CHECK_I64(rc, 0);
		else
			CHECK(rc == -ENOMEM || rc == -ENOENT);
		weft_pyramid_close(p);
	}
	free_rows(row);
	weft_trace_close(t);
}
