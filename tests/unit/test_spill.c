/* SPDX-License-Identifier: Apache-2.0 */
#include "harness.h"
#include "trace/store/spill.h"
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct row {
	uint64_t key[SPILL_KEYS];
	uint64_t more[2];
};

static int by_key(const void *x, const void *y)
{
	const struct row *a = x, *b = y;
	for (unsigned i = 0; i < SPILL_KEYS; i++)
		if (a->key[i] != b->key[i])
			return a->key[i] < b->key[i] ? -1 : 1;
	return 0;
}

/* keys 0: the rows are to stay as they come. */
static void check_sort(size_t n, uint64_t bound, unsigned shift, uint32_t keys)
{
	struct spill_sort s;
	struct row *model = malloc((n + 1) * sizeof *model);
	REQUIRE(model != NULL);
	spill_sort_init(&s, sizeof *model, bound);
	s.keys = keys;
	for (size_t i = 0; i < n; i++) {
		model[i] = (struct row){{test_random() >> shift, test_random() >> 60, i}, {~i, 7}};
		REQUIRE(spill_sort_add(&s, &model[i]) == 0);
	}
	REQUIRE(spill_sort_finish(&s) == 0);
	CHECK_U64(s.n_rows, n);
	if (keys)
		qsort(model, n, sizeof *model, by_key);
	const void *row;
	size_t wrong = 0, at = 0;
	int more;
	while ((more = spill_sort_next(&s, &row)) > 0) {
		wrong += at >= n || memcmp(row, &model[at], sizeof *model) != 0;
		at++;
	}
	CHECK_I64(more, 0);
	CHECK_U64(at, n);
	CHECK_U64(wrong, 0);
	CHECK(n < 2 || (s.run.n == 0) == (bound >= n * (sizeof *model + 32)));
	spill_sort_fini(&s);
	free(model);
}

TEST(rows_come_sorted_from_memory_and_from_files)
{
	static const size_t counts[] = {0, 1, 2, 100, 10000};
	static const uint64_t bounds[] = {1, 5000, 100000, 1 << 30};
	for (unsigned c = 0; c < 5; c++)
		for (unsigned b = counts[c] > 1000 ? 1 : 0; b < 4; b++) {
			check_sort(counts[c], bounds[b], 0, SPILL_KEYS);
			check_sort(counts[c], bounds[b], 60, SPILL_KEYS); /* many equal keys */
			check_sort(counts[c], bounds[b], 0, 0);
		}
}

/* Rows that are put in at once, behind others, and reached by number. */
TEST(rows_at_once_where_memory_has_room)
{
	enum { FIRST = 10, MORE = 3000 };
	struct spill_sort s;
	struct row *row;
	spill_sort_init(&s, sizeof *row, 1 << 20);
	for (uint64_t i = 0; i < FIRST; i++)
		REQUIRE(spill_sort_add(&s, &(struct row){.key = {1, 2, FIRST - i}}) == 0);
	CHECK(spill_sort_extend(&s, 1 << 20) == NULL);
	CHECK_U64(s.n_rows, FIRST);
	row = spill_sort_extend(&s, MORE);
	REQUIRE(row != NULL);
	for (uint64_t i = 0; i < MORE; i++)
		row[i] = (struct row){.key = {2, i * 7919 % MORE / 2, i % 2, MORE - i}};
	REQUIRE(spill_sort_finish(&s) == 0);
	CHECK(spill_sort_in_memory(&s));
	REQUIRE(s.n_rows == FIRST + MORE);
	for (uint64_t i = 1; i < s.n_rows; i++)
		CHECK(by_key(spill_sort_at(&s, i - 1), spill_sort_at(&s, i)) < 0);
	spill_sort_fini(&s);
}

TEST(nothing_is_put_at_once_when_some_are_in_a_file)
{
	struct spill_sort s;
	spill_sort_init(&s, sizeof(struct row), 200);
	for (uint64_t i = 0; i < 10; i++)
		REQUIRE(spill_sort_add(&s, &(struct row){.key = {i}}) == 0);
	CHECK(!spill_sort_in_memory(&s));
	CHECK(spill_sort_extend(&s, 1) == NULL);
	spill_sort_fini(&s);
}

static struct spill_log shared;

static void *append(void *arg)
{
	uint64_t rows[10][2];
	for (uint64_t i = 0; i < 2000; i += 10) {
		for (unsigned k = 0; k < 10; k++) {
			rows[k][0] = (uint64_t)(uintptr_t)arg;
			rows[k][1] = i + k;
		}
		if (spill_log_add(&shared, rows, 10))
			return arg;
	}
	return NULL;
}

TEST(log_gives_back_all_rows_of_all_threads)
{
	static const uint64_t bounds[] = {1, 3000, 1 << 20};
	for (unsigned b = 0; b < 3; b++) {
		pthread_t thread[4];
		uint64_t next[5] = {0}, n = 0;
		REQUIRE(spill_log_init(&shared, 16, bounds[b]) == 0);
		for (uintptr_t i = 0; i < 4; i++)
			REQUIRE(pthread_create(&thread[i], NULL, append, (void *)(i + 1)) == 0);
		for (unsigned i = 0; i < 4; i++) {
			void *failed;
			REQUIRE(pthread_join(thread[i], &failed) == 0 && !failed);
		}
		const void *rows;
		int64_t got;
		while ((got = spill_log_next(&shared, &rows)) > 0)
			for (int64_t i = 0; i < got; i++, n++) {
				const uint64_t *row = (const uint64_t *)rows + 2 * i;
				REQUIRE(row[0] >= 1 && row[0] <= 4);
				CHECK(row[1] == next[row[0]]++); /* those of a thread in their order */
			}
		CHECK_I64(got, 0);
		CHECK_U64(n, 8000);
		CHECK_U64(shared.n_rows, 8000);
		CHECK((shared.in_file > 0) == (bounds[b] < 8000 * 16));
		spill_log_fini(&shared);
	}
}

TEST(rows_are_found_by_number_in_memory_and_in_files)
{
	static const uint64_t bounds[] = {0, 3 << 20, 1 << 30};
	enum { ROWS = 300000 };
	for (unsigned k = 0; k < sizeof bounds / sizeof *bounds; k++) {
		struct spill_rows r;
		spill_rows_init(&r, sizeof(struct row), bounds[k]);
		for (uint64_t i = 0; i < ROWS; i++) {
			struct row *row = spill_rows_add(&r);
			REQUIRE(row != NULL);
			*row = (struct row){.key = {i, i * i}};
			struct row *earlier = spill_rows_at(&r, test_random() % (i + 1));
			earlier->more[0]++; /* also of those that were let go */
		}
		uint64_t touched = 0;
		bool right = true;
		for (uint64_t i = 0; i < ROWS; i++) {
			const struct row *row = spill_rows_at(&r, i);
			right = right && row->key[0] == i && row->key[1] == i * i;
			touched += row->more[0];
			if (i % 50000 == 0)
				spill_rows_done(&r, i);
		}
		CHECK(right);
		CHECK_U64(r.n, ROWS);
		CHECK_U64(touched, ROWS);
		CHECK(k < 2 ? r.fd >= 0 : r.fd < 0);
		spill_rows_fini(&r);
	}
}

TEST(spilling_says_when_memory_is_out)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct spill_sort s;
		struct row r = {{0}, {0}};
		const void *row;
		int rc = 0, more = 0;
		spill_sort_init(&s, sizeof r, 4000);
		for (unsigned i = 0; !rc && i < 200; i++) {
			r.key[0] = i * 7919 % 1000;
			rc = spill_sort_add(&s, &r);
		}
		if (!rc)
			rc = spill_sort_finish(&s);
		while (!rc && (more = spill_sort_next(&s, &row)) > 0)
			;
		bool failed = test_alloc_failed();
		CHECK_I64(rc ? rc : more, failed ? -ENOMEM : 0);
		spill_sort_fini(&s);
	}
}
