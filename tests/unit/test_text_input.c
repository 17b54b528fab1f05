/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks of lines: whatever the size of the blocks and however long the lines, all blocks together are the text, each begins
 * where a line begins, and its pads may be read. Packed files give the same, and what can be read of damaged ones.
 */
#include "harness.h"
#include "base/pool.h"
#include "base/vec.h"
#include "trace/write/prv_out.h"
#include "trace/text/text_input.h"
#include "trace/text/text_unpack.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>

static const char *in_dir(const char *name)
{
	static char path[4096];
	snprintf(path, sizeof path, "%s/%s", test_dir(), name);
	return path;
}

static void write_file(const char *path, const char *at, size_t n)
{
	FILE *f = fopen(path, "w");
	REQUIRE(f != NULL);
	CHECK_U64(fwrite(at, 1, n, f), n);
	REQUIRE(fclose(f) == 0);
}

/* Packed by the name's end. */
static void write_packed(const char *path, const char *at, size_t n, const char *mode)
{
	FILE *to = fopen(path, mode), *packed;
	REQUIRE(to != NULL);
	REQUIRE(prv_pack_open(&packed, to, path) == 0);
	REQUIRE(packed != NULL);
	CHECK_U64(fwrite(at, 1, n, packed), n);
	REQUIRE(fclose(packed) == 0);
	REQUIRE(fclose(to) == 0);
}

static struct text_input *open_input(const char *path, size_t block_bytes)
{
	struct text_input *in;
	struct weft_err err = {0};
	int rc = text_input_open(&in, path, block_bytes, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	return in;
}

/* All blocks, put together; checks each. */
static char *read_all(struct text_input *in, size_t *n, uint64_t offset)
{
	struct weft_buf all = {0};
	struct text_block b = {0};
	struct weft_err err = {0};
	bool good = true;
	int rc;
	for (uint64_t i = 0; (rc = text_input_block(in, i, &b, &err)) > 0; i++) {
		good &= !b.n || ((all.n == 0 || all.at[all.n - 1] == '\n') && b.offset == offset + all.n);
		for (int k = 0; k < TEXT_PAD; k++)
			good &= b.at[b.n + (size_t)k] == '\n';
		volatile char before = b.at[-TEXT_PAD]; /* may be read, says the sanitizer */
		(void)before;
		weft_buf_add(&all, b.at, b.n);
	}
	CHECK(good);
	CHECK_I64(rc, 0);
	CHECK_STR(err.text, "");
	text_block_fini(&b);
	*n = all.n;
	return all.at;
}

static size_t random_text(char *at, size_t n, unsigned longest)
{
	size_t i = 0;
	while (i < n) {
		size_t line = test_random() % (longest + 1);
		for (size_t k = 0; k < line && i < n; k++)
			at[i++] = (char)('a' + k % 26);
		if (i < n)
			at[i++] = '\n';
	}
	return n - (n && test_random() % 2 && at[n - 1] == '\n'); /* with and without the last newline */
}

static void check_file(const char *path, const char *text, size_t n, size_t block_bytes)
{
	size_t got_n;
	struct text_input *in = open_input(path, block_bytes);
	char *got = read_all(in, &got_n, 0);
	CHECK_U64(got_n, n);
	CHECK(got_n != n || n == 0 || memcmp(got, text, n) == 0);
	CHECK(text_input_damage(in) == NULL);
	free(got);
	text_input_close(in);
}

TEST(plain_blocks_of_every_size)
{
	static char text[3000];
	const char *path = in_dir("plain");
	for (int round = 0; round < 60; round++) {
		size_t n = random_text(text, test_random() % sizeof text, round % 3 ? 40 : 1500);
		write_file(path, text, n);
		static const size_t sizes[] = {1, 2, 3, 7, 64, 100, 511, 512, 513, 1000, 2999, 3000, 5000, 1 << 20};
		for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
			check_file(path, text, n, sizes[i]);
	}
}

TEST(a_line_longer_than_many_blocks)
{
	size_t n = 3 << 20;
	char *text = malloc(n);
	REQUIRE(text != NULL);
	memset(text, 'x', n);
	text[10] = text[n / 2] = text[n - 1] = '\n';
	const char *path = in_dir("long");
	write_file(path, text, n);
	check_file(path, text, n, 64 << 10);
	free(text);
}

TEST(packed_text_is_the_same)
{
	size_t n = 5 << 20;
	char *text = malloc(n);
	REQUIRE(text != NULL);
	static const char *const names[] = {"a.gz", "a.zst"};
	for (int k = 0; k < 2; k++) {
		n = random_text(text, 5 << 20, 300);
		write_packed(in_dir(names[k]), text, n, "w");
		check_file(in_dir(names[k]), text, n, 100000);
		/* As a second member or frame of the same file. */
		size_t part = n / 3;
		write_packed(in_dir(names[k]), text, part, "w");
		write_packed(in_dir(names[k]), text + part, n - part, "a");
		check_file(in_dir(names[k]), text, n, 1 << 20);
		write_packed(in_dir(names[k]), text, 0, "w");
		check_file(in_dir(names[k]), text, 0, 100);
	}
	free(text);
}

TEST(zeros_behind_gzip_are_padding)
{
	char zeros[1000] = {0};
	write_packed(in_dir("z.gz"), "one\ntwo\n", 8, "w");
	FILE *f = fopen(in_dir("z.gz"), "a");
	REQUIRE(f && fwrite(zeros, 1, sizeof zeros, f) == sizeof zeros && fclose(f) == 0);
	check_file(in_dir("z.gz"), "one\ntwo\n", 8, 100);
}

static char *slurp(const char *path, size_t *n)
{
	struct stat st;
	REQUIRE(stat(path, &st) == 0);
	*n = (size_t)st.st_size;
	char *at = malloc(*n + 1);
	FILE *f = fopen(path, "r");
	REQUIRE(at && f && fread(at, 1, *n, f) == *n && fclose(f) == 0);
	return at;
}

/* What is read of a damaged file is a beginning of the text. */
static void check_damaged(const char *path, const char *text, size_t n, const char *damage)
{
	size_t got_n;
	struct text_input *in = open_input(path, 10000);
	char *got = read_all(in, &got_n, 0);
	CHECK(got_n <= n && (got_n == 0 || memcmp(got, text, got_n) == 0));
	const char *said = text_input_damage(in);
	CHECK_STR(said ? said : "nothing", damage);
	free(got);
	text_input_close(in);
}

TEST(damaged_packed_files_give_what_stood_before)
{
	static char text[300000];
	size_t n = random_text(text, sizeof text, 80), packed_n;
	static const struct {
		const char *name, *early, *tail;
	} cases[] = {{"d.gz", "the gzip stream ends early", "bytes that are no gzip member follow the last one"},
	             {"d.zst", "the zstd stream ends early", "the zstd stream is damaged"}};
	for (int k = 0; k < 2; k++) {
		const char *path = in_dir(cases[k].name);
		write_packed(path, text, n, "w");
		char *packed = slurp(path, &packed_n);
		for (int i = 1; i < 8; i++) {
			write_file(path, packed, packed_n * (size_t)i / 8);
			check_damaged(path, text, n, cases[k].early);
		}
		write_file(path, packed, packed_n);
		FILE *f = fopen(path, "a");
		REQUIRE(f && fputs("garbage", f) >= 0 && fclose(f) == 0);
		check_damaged(path, text, n, cases[k].tail);
		free(packed);
	}
}

TEST(a_flipped_bit_is_seen_by_the_checksum)
{
	static char text[100000];
	size_t n = random_text(text, sizeof text, 80), packed_n;
	static const char *const names[] = {"f.gz", "f.zst"};
	for (int k = 0; k < 2; k++) {
		const char *path = in_dir(names[k]);
		write_packed(path, text, n, "w");
		char *packed = slurp(path, &packed_n);
		for (int i = 0; i < 40; i++) {
			size_t at = 12 + test_random() % (packed_n - 16);
			packed[at] ^= 1;
			write_file(path, packed, packed_n);
			size_t got_n;
			struct text_input *in = open_input(path, 10000);
			char *got = read_all(in, &got_n, 0);
			CHECK(text_input_damage(in) != NULL);
			free(got);
			text_input_close(in);
			packed[at] ^= 1;
		}
		free(packed);
	}
}

TEST(lines_come_before_blocks)
{
	static const char text[] = "first\nsecond\n\nfourth\nfifth";
	static const char *const names[] = {"l", "l.gz", "l.zst"};
	for (int k = 0; k < 3; k++) {
		const char *path = in_dir(names[k]);
		if (k)
			write_packed(path, text, sizeof text - 1, "w");
		else
			write_file(path, text, sizeof text - 1);
		struct text_input *in = open_input(path, 4);
		struct weft_err err = {0};
		struct weft_str line;
		CHECK_I64(text_input_line(in, &line, &err), 1);
		CHECK(weft_str_eq(line, "first"));
		CHECK_I64(text_input_line(in, &line, &err), 1);
		CHECK(weft_str_eq(line, "second"));
		text_input_unread(in);
		CHECK_U64(text_input_offset(in), 6);
		size_t n;
		char *rest = read_all(in, &n, 6);
		CHECK_STR(rest, "second\n\nfourth\nfifth");
		free(rest);
		CHECK(text_input_packed(in) == (k > 0));
		CHECK(text_input_bytes_read(in) <= text_input_bytes(in));
		text_input_close(in);

		in = open_input(path, 4);
		unsigned lines = 0;
		int rc;
		while ((rc = text_input_line(in, &line, &err)) > 0)
			lines++;
		CHECK_I64(rc, 0);
		CHECK_U64(lines, 5);
		CHECK_U64(text_input_offset(in), sizeof text - 1);
		rest = read_all(in, &n, sizeof text - 1);
		CHECK_U64(n, 0);
		free(rest);
		text_input_close(in);
	}
}

struct parallel {
	struct text_input *in;
	struct text_block block[64];
	char *part[512];
	size_t n[512];
};

static int take_block(void *arg, size_t i, unsigned worker)
{
	struct parallel *p = arg;
	struct weft_err err = {0};
	int rc = text_input_block(p->in, i, &p->block[worker], &err);
	if (rc <= 0)
		return rc;
	p->n[i] = p->block[worker].n;
	p->part[i] = malloc(p->n[i] + 1);
	if (p->part[i])
		memcpy(p->part[i], p->block[worker].at, p->n[i]);
	return 0;
}

TEST(several_threads_take_blocks)
{
	size_t n = 1 << 20;
	char *text = malloc(n);
	REQUIRE(text != NULL);
	n = random_text(text, n, 200);
	static const char *const names[] = {"p", "p.gz", "p.zst"};
	for (int k = 0; k < 3; k++) {
		struct parallel p = {0};
		if (k)
			write_packed(in_dir(names[k]), text, n, "w");
		else
			write_file(in_dir(names[k]), text, n);
		p.in = open_input(in_dir(names[k]), 4096);
		CHECK_I64(weft_parallel(4, 512, take_block, &p), 0);
		size_t at = 0;
		for (size_t i = 0; i < 512; i++) {
			if (p.part[i] && at + p.n[i] <= n)
				CHECK(memcmp(text + at, p.part[i], p.n[i]) == 0);
			at += p.n[i];
			free(p.part[i]);
		}
		CHECK_U64(at, n);
		for (int i = 0; i < 64; i++)
			text_block_fini(&p.block[i]);
		text_input_close(p.in);
	}
	free(text);
}

struct feed {
	const char *path;
	int to;
};

static void *feed_pipe(void *arg)
{
	const struct feed *f = arg;
	char part[3000];
	FILE *from = fopen(f->path, "r");
	for (size_t n; from && (n = fread(part, 1, 1 + test_random() % sizeof part, from)) > 0;)
		if (write(f->to, part, n) != (ssize_t)n)
			break;
	if (from)
		fclose(from);
	close(f->to);
	return NULL;
}

/* The file's bytes through a pipe, of which `n_first` were read before. */
static void check_pipe(const char *path, size_t n_first, const char *text, size_t n)
{
	int end[2];
	pthread_t feeder;
	struct text_input *in;
	struct weft_err err = {0};
	REQUIRE(pipe(end) == 0);
	struct feed f = {path, end[1]};
	struct text_stream s = {.fd = end[0]};
	REQUIRE(pthread_create(&feeder, NULL, feed_pipe, &f) == 0);
	for (ssize_t got = 1; s.n_first < n_first && got > 0; s.n_first += (size_t)got)
		got = read(s.fd, s.first + s.n_first, n_first - s.n_first);
	REQUIRE(text_input_open_stream(&in, &s, "pipe", 1000, &err) == 0);
	CHECK_I64(s.fd, -1);
	size_t all;
	char *got = read_all(in, &all, 0);
	CHECK_U64(all, n);
	CHECK(n == 0 || memcmp(got, text, n) == 0);
	CHECK(text_input_is_cut(in) == (n > 0 && text[n - 1] != '\n'));
	free(got);
	text_input_close(in);
	REQUIRE(pthread_join(feeder, NULL) == 0);
}

TEST(pipes_packed_or_not)
{
	static char text[200000];
	static const char *const names[] = {"p", "p.gz", "p.zst"};
	for (unsigned k = 0; k < 3; k++) {
		size_t n = random_text(text, sizeof text, 300);
		if (k)
			write_packed(in_dir(names[k]), text, n, "w");
		else
			write_file(in_dir(names[k]), text, n);
		check_pipe(in_dir(names[k]), 4, text, n);
		check_pipe(in_dir(names[k]), 4096, text, n);
	}
	write_file(in_dir("e"), "", 0);
	check_pipe(in_dir("e"), 4, "", 0);
}

TEST(whether_the_last_line_has_an_end)
{
	static const char *const names[] = {"c", "c.gz", "c.zst"};
	for (unsigned k = 0; k < 6; k++) {
		const char *text = k < 3 ? "one\ntwo\n" : "one\ntwo", *path = in_dir(names[k % 3]);
		if (k % 3)
			write_packed(path, text, strlen(text), "w");
		else
			write_file(path, text, strlen(text));
		struct text_input *in = open_input(path, 100);
		size_t n;
		free(read_all(in, &n, 0));
		CHECK(text_input_is_cut(in) == (k >= 3));
		text_input_close(in);
	}
}

TEST(what_packed_bytes_begin_with)
{
	static char text[100000], to[1000];
	static uint8_t packed[4096];
	static const char *const names[] = {"b.gz", "b.zst"};
	size_t n = random_text(text, sizeof text, 300);
	for (unsigned k = 0; k < 2; k++) {
		write_packed(in_dir(names[k]), text, n, "w");
		FILE *f = fopen(in_dir(names[k]), "r");
		REQUIRE(f != NULL);
		size_t got = fread(packed, 1, sizeof packed, f);
		fclose(f);
		size_t plain = text_unpack_peek(packed, got, to, sizeof to);
		CHECK(plain > 0 || k == 1); /* a frame of zstd may be larger than what we look at */
		CHECK(memcmp(to, text, plain) == 0);
	}
}

TEST(what_cannot_be_opened)
{
	struct text_input *in;
	struct weft_err err = {0};
	CHECK_I64(text_input_open(&in, in_dir("none"), 100, &err), -ENOENT);
	CHECK(in == NULL);
	CHECK(strstr(err.text, "cannot open") != NULL);
	err = (struct weft_err){0};
	CHECK_I64(text_input_open(&in, test_dir(), 100, &err), -EISDIR);
	CHECK(strstr(err.text, "is a directory") != NULL);
}

/* A line without end is an error, not all the memory there is: in the head, in a block, plain and packed. */
TEST(lines_are_bounded)
{
	int status;
	free(test_shell(
		&status,
		"cd '%s' && printf 'head\\nx\\n' >plain && head -c 50M /dev/zero | tr '\\0' 1 >>plain && gzip -1 <plain >packed",
		test_dir()));
	REQUIRE(status == 0);
	static const char *const names[] = {"plain", "packed"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct text_input *in;
		struct text_block b = {0};
		struct weft_str line;
		struct weft_err err = {0};
		REQUIRE(text_input_open(&in, in_dir(names[i]), 1 << 20, NULL) == 0);
		REQUIRE(text_input_line(in, &line, NULL) == 1);
		int rc = 1;
		for (uint64_t k = 0; k < 2 && rc > 0; k++)
			rc = text_input_block(in, k, &b, &err);
		CHECK_I64(rc, WEFT_E_SYNTAX);
		CHECK(strstr(err.text, "has no end within 8 MiB") != NULL);
		CHECK(b.cap < 5 * (size_t)TEXT_LINE_MOST);
		text_block_fini(&b);
		text_input_close(in);

		err = (struct weft_err){0};
		REQUIRE(text_input_open(&in, in_dir(names[i]), 1 << 20, NULL) == 0);
		CHECK_I64(text_input_line(in, &line, NULL), 1);
		CHECK_I64(text_input_line(in, &line, NULL), 1);
		CHECK_I64(text_input_line(in, &line, &err), WEFT_E_SYNTAX);
		CHECK(strstr(err.text, "has no end within 32 MiB") != NULL);
		text_input_close(in);
	}
}

TEST(without_memory)
{
	static const char *const names[] = {"m", "m.gz", "m.zst"};
	write_file(in_dir(names[0]), "a\nb\n", 4);
	write_packed(in_dir(names[1]), "a\nb\n", 4, "w");
	write_packed(in_dir(names[2]), "a\nb\n", 4, "w");
	for (int k = 0; k < 3; k++) {
		char *path = strdup(in_dir(names[k]));
		TEST_EACH_ALLOCATION_FAILS {
			struct text_input *in;
			struct text_block b = {0};
			struct weft_str line;
			struct weft_err err = {0};
			int rc = text_input_open(&in, path, 100, &err);
			if (rc == 0)
				rc = text_input_line(in, &line, &err);
			if (rc == 1)
				rc = text_input_block(in, 0, &b, &err);
			if (test_alloc_failed() && rc != 1)
				CHECK_I64(rc, -ENOMEM);
			else
				CHECK_I64(rc, 1);
			text_block_fini(&b);
			text_input_close(in);
		}
		free(path);
	}
}
