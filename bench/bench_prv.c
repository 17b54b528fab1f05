/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .prv: 400 MB of an MPI program's trace (prv_text.h), in a file that is in the page cache.
 *
 *   prv_parse    from the file into sorted events, which are then dropped: our kernels, beside a parser that calls strtoull for
 *                each field and makes nothing of it, and memchr that only looks for the ends of lines
 *   prv_records  the same in records a second
 *   prv_load     from the file to a trace that is open: one worker, two; of packed files too
 *   prv_write    from an open trace to a .prv
 *
 * All figures but prv_records are GB of (unpacked) text a second.
 */
#include "trace/open.h"
#include "bench.h"
#include "prv_text.h"

#include "trace/store/build.h"
#include "trace/write/export.h"
#include "trace/paraver/prv_chunk.h"
#include "trace/write/prv_out.h"
#include "trace/text/text_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 400 << 20, BLOCK = 128 << 10 };

static struct {
	char folder[64], path[80], gz[80], zst[80], out[80];
	uint64_t bytes, records;
	struct prv_header header;
	struct prv_model model;
	struct weft_trace *trace;
} given;

/* -- parsing -- */

struct parser {
	const char *name;
	bool records; /* figure: records a second, in millions */
	bool (*block)(const struct parser *p, const struct text_block *b, struct prv_chunk *c);
	unsigned kernel; /* in prv_kernels */
};

static bool block_ours(const struct parser *p, const struct text_block *b, struct prv_chunk *c)
{
	prv_chunk_reset(c);
	return prv_chunk_parse_with(&prv_kernels[p->kernel], c, b->at, b->n, b->offset) == 0;
}

static bool block_best(const struct parser *p, const struct text_block *b, struct prv_chunk *c)
{
	(void)p;
	prv_chunk_reset(c);
	return prv_chunk_parse(c, b->at, b->n, b->offset) == 0;
}

static bool block_strtoull(const struct parser *p, const struct text_block *b, struct prv_chunk *c)
{
	uint64_t sum = 0;
	(void)p;
	(void)c;
	for (char *at = b->at, *end = b->at + b->n; at < end; at++)
		sum += strtoull(at, &at, 10);
	bench_keep(sum);
	return true;
}

static bool block_memchr(const struct parser *p, const struct text_block *b, struct prv_chunk *c)
{
	uint64_t lines = 0;
	(void)p;
	(void)c;
	for (const char *at = b->at, *end = at + b->n; at < end; lines++)
		at = (const char *)memchr(at, '\n', (size_t)(end - at)) + 1;
	bench_keep(lines);
	return true;
}

static double parse_round(void *arg)
{
	const struct parser *p = arg;
	struct text_input *in;
	struct text_block b = {0};
	struct prv_chunk c;
	struct weft_str line;
	bool ok = true;
	if (p->block == block_ours && !prv_kernels[p->kernel].here())
		return bench_skip("this machine cannot run it");
	if (prv_chunk_init(&c, &given.model))
		return bench_skip("no memory");
	uint64_t from = bench_now_ns();
	if (text_input_open(&in, given.path, BLOCK, NULL) || text_input_line(in, &line, NULL) != 1)
		return bench_skip("cannot read the trace");
	for (uint64_t i = 0; ok && text_input_block(in, i, &b, NULL) > 0; i++)
		ok = p->block(p, &b, &c);
	double ns = (double)(bench_now_ns() - from);
	text_input_close(in);
	text_block_fini(&b);
	prv_chunk_fini(&c);
	if (!ok)
		return bench_skip("no memory");
	return p->records ? (double)given.records * 1e3 / ns : (double)given.bytes / ns;
}

/* -- loading -- */

struct loader {
	const char *path;
	unsigned threads;
};

static double load_round(void *arg)
{
	const struct loader *l = arg;
	struct weft_open_how how = {.threads = l->threads, .no_index = true};
	struct weft_trace *t;
	uint64_t from = bench_now_ns();
	if (weft_trace_open(&t, l->path, &how, NULL))
		return bench_skip("cannot load the trace");
	double ns = (double)(bench_now_ns() - from);
	weft_trace_close(t);
	return (double)given.bytes / ns;
}

/* -- writing -- */

static double write_round(void *arg)
{
	struct weft_open_how how = {.threads = 0, .no_index = true};
	(void)arg;
	if (!given.trace && weft_trace_open(&given.trace, given.path, &how, NULL))
		return bench_skip("cannot load the trace");
	uint64_t from = bench_now_ns();
	if (weft_export_prv(given.trace, given.out, &(struct weft_export_how){0}, NULL))
		return bench_skip("cannot write the trace");
	return (double)given.bytes / (double)(bench_now_ns() - from);
}

/* -- what is measured -- */

static struct parser best = {.block = block_best}, swar = {.block = block_ours, .kernel = 1},
		     by_strtoull = {.block = block_strtoull}, by_memchr = {.block = block_memchr},
		     best_records = {.block = block_best, .records = true},
		     swar_records = {.block = block_ours, .kernel = 1, .records = true};
static struct loader one = {given.path, 1}, two = {given.path, 2}, packed_gz = {given.gz, 2}, packed_zst = {given.zst, 2};

static const struct bench_variant parsing[] = {
	{"ours", parse_round, &best},
	{"portable", parse_round, &swar},
	{"strtoull", parse_round, &by_strtoull},
	{"memchr", parse_round, &by_memchr},
	{0},
};
static const struct bench_variant records[] = {{"ours", parse_round, &best_records},
                                               {"portable", parse_round, &swar_records},
                                               {0}};
static const struct bench_variant loading[] = {
	{"two", load_round, &two},      {"one", load_round, &one},        {"memchr", parse_round, &by_memchr},
	{"gz", load_round, &packed_gz}, {"zst", load_round, &packed_zst}, {0},
};
static const struct bench_variant writing[] = {{"ours", write_round, NULL}, {0}};
static const struct bench benches[] = {
	{"prv_parse", "GB/s", 5, parsing},
	{"prv_records", "M/s", 5, records},
	{"prv_load", "GB/s", 5, loading},
	{"prv_write", "GB/s", 5, writing},
	{0},
};

/* -- what is given -- */

static int write_file(const char *path, const char *at, size_t n)
{
	FILE *f = fopen(path, "w"), *packed = NULL;
	int rc = f ? prv_pack_open(&packed, f, path) : -1;
	if (!rc)
		rc = fwrite(at, 1, n, packed ? packed : f) == n ? 0 : -1;
	if (packed && fclose(packed))
		rc = -1;
	if (f && fclose(f))
		rc = -1;
	return rc;
}

static int make_given(void)
{
	struct prv_text text;
	const char *tmp = getenv("TMPDIR");
	snprintf(given.folder, sizeof given.folder, "%s/bench-prv-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	if (!mkdtemp(given.folder))
		return -1;
	snprintf(given.path, sizeof given.path, "%s/t.prv", given.folder);
	snprintf(given.gz, sizeof given.gz, "%s/t.prv.gz", given.folder);
	snprintf(given.zst, sizeof given.zst, "%s/t.prv.zst", given.folder);
	snprintf(given.out, sizeof given.out, "%s/out.prv", given.folder);
	prv_text_make(&text, TEXT_BYTES);
	given.bytes = text.out.n;
	given.records = text.records;
	int rc = text.out.failed;
	const char *end = rc ? NULL : memchr(text.out.at, '\n', text.out.n);
	if (!rc)
		rc = prv_header_parse(&given.header, weft_str_n(text.out.at, (size_t)(end - text.out.at)), NULL);
	if (!rc)
		rc = prv_model_init(&given.model, &given.header);
	if (!rc)
		rc = write_file(given.path, text.out.at, text.out.n) || write_file(given.gz, text.out.at, text.out.n) ||
		     write_file(given.zst, text.out.at, text.out.n);
	weft_buf_fini(&text.out);
	return rc;
}

static void remove_given(void)
{
	if (*given.folder)
		(void)!weft_remove_tree(given.folder, NULL);
	weft_trace_close(given.trace);
	prv_model_fini(&given.model);
	prv_header_fini(&given.header);
}

int main(int argc, char **argv)
{
	bool list = argc > 1 && !strcmp(argv[1], "--list");
	if (!list && make_given()) {
		fputs("bench_prv: cannot make the trace\n", stderr);
		remove_given();
		return 2;
	}
	int status = bench_main(argc, argv, benches);
	remove_given();
	return status;
}
