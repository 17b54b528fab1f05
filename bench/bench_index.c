/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading our own traces: how fast streams become an index on one core and on all, against reading and checksumming the same
 * bytes (the floor of any reader that trusts nothing); opening the index; walking over all events in their columns; the bytes
 * an event costs in the stream, in the index, and packed.
 */
#include "trace/open.h"
#include "bench.h"

#include "format/crc.h"
#include "base/fs.h"
#include "base/str.h"
#include "trace/store/cursor.h"
#include "trace/weft/pack.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PAGES 32768u /* 128 MiB */
#define THREADS 4u

static char *dir, *trace, *packed, *stream, *packed_stream;
static uint64_t n_events;

/* ---- the trace ---- */

struct lane {
	struct weft_page page;
	struct weft_page_writer w;
	uint64_t ticks, random, n;
	uint32_t seq;
};

static uint64_t next_random(struct lane *l)
{
	l->random = l->random * 6364136223846793005u + 1442695040888963407u;
	return l->random >> 33;
}

/* An iteration of a program: two regions, one in the other, a point and a counter; now and then a message to itself. */
static struct weft_record next_record(struct lane *l, uint64_t *words)
{
	static const uint8_t kind[] = {WEFT_EV_ENTER, WEFT_EV_POINT,   WEFT_EV_ENTER,
	                               WEFT_EV_LEAVE, WEFT_EV_COUNTER, WEFT_EV_LEAVE};
	static const uint8_t id[] = {1, 1, 2, 2, 1, 1};
	unsigned step = (unsigned)(l->n % 6);
	struct weft_record r = {.ticks = l->ticks, .kind = kind[step], .id = id[step], .payload = words};
	l->n++;
	l->ticks += 40 + next_random(l) % (step == 5 ? 20000 : 400);
	if (l->n % 240 == 0) {
		words[0] = 0;
		words[1] = next_random(l) % 65536;
		r.kind = l->n % 480 ? WEFT_EV_SEND : WEFT_EV_RECV;
		r.id = 1;
		r.n = 2;
	} else if (r.kind == WEFT_EV_POINT || r.kind == WEFT_EV_COUNTER) {
		words[0] = r.kind == WEFT_EV_POINT ? l->n / 6 : l->ticks * 3;
		r.n = 1;
	}
	return r;
}

static bool write_page(struct lane *l, uint32_t thread, FILE *to)
{
	uint64_t words[2];
	struct lane before;
	weft_page_write_begin(&l->w, &l->page, WEFT_PAGE_EVENTS, thread, l->seq++, l->ticks);
	for (;;) {
		before.n = l->n;
		before.ticks = l->ticks;
		before.random = l->random;
		struct weft_record r = next_record(l, words);
		if (weft_page_write(&l->w, &r))
			break;
		n_events++;
	}
	l->n = before.n;
	l->ticks = before.ticks;
	l->random = before.random;
	weft_page_write_end(&l->w);
	return fwrite(&l->page, sizeof l->page, 1, to) == 1;
}

static void put_meta(struct weft_page_writer *w, unsigned kind, unsigned id, unsigned n, const uint64_t *words, const char *name)
{
	uint64_t payload[16] = {0};
	if (n)
		memcpy(payload, words, n * sizeof *words);
	if (name) {
		payload[n] = strlen(name);
		memcpy(&payload[n + 1], name, strlen(name));
		n += 1 + (unsigned)(strlen(name) + 7) / 8;
	}
	if (weft_page_write(w, &(struct weft_record){0, kind, id, n, payload}))
		abort();
}

static bool write_meta(FILE *to)
{
	struct weft_page page;
	struct weft_page_writer w;
	weft_page_write_begin(&w, &page, WEFT_PAGE_META, 0, 0, 0);
	put_meta(&w, WEFT_EV_PROCESS, 1, 3, (uint64_t[]){1, 0, 0}, "bench");
	put_meta(&w, WEFT_EV_CLOCK, 0, 3, (uint64_t[]){0, 0, 1000000000}, NULL);
	put_meta(&w, WEFT_EV_CLOCK, 0, 3, (uint64_t[]){46000000000, 20000000000, 21000000000}, NULL);
	put_meta(&w, WEFT_EV_DEF_REGION, 1, 2, (uint64_t[]){0, 0}, "solve");
	put_meta(&w, WEFT_EV_DEF_REGION, 2, 2, (uint64_t[]){0, 0}, "halo");
	put_meta(&w, WEFT_EV_DEF_TYPE, 1, 2, (uint64_t[]){0, 0}, "step");
	put_meta(&w, WEFT_EV_DEF_COUNTER, 1, 2, (uint64_t[]){0, 0}, "cycles");
	put_meta(&w, WEFT_EV_DEF_COMM, 1, 2, (uint64_t[]){0, 1}, "world");
	weft_page_write_end(&w);
	return fwrite(&page, sizeof page, 1, to) == 1;
}

static bool write_stream(const char *path)
{
	union {
		struct weft_stream_head h;
		char page[WEFT_PAGE_BYTES];
	} head = {.h = {.major = WEFT_FORMAT_MAJOR,
	                .page_bytes = WEFT_PAGE_BYTES,
	                .pid = 1,
	                .clock = 1,
	                .ticks_per_ns = 2.3,
	                .state = WEFT_STREAM_CLOSED}};
	memcpy(head.h.magic, WEFT_STREAM_MAGIC, 8);
	head.h.crc = weft_crc32c(0, &head.h, offsetof(struct weft_stream_head, crc));
	struct lane *lane = calloc(THREADS, sizeof *lane);
	FILE *to = fopen(path, "we");
	if (to)
		setvbuf(to, NULL, _IOFBF, 64 * WEFT_PAGE_BYTES); /* as libweft writes finished pages: many at once */
	bool good = lane && to && fwrite(&head, sizeof head, 1, to) == 1 && write_meta(to);
	for (uint32_t i = 0; good && i < PAGES; i++)
		good = write_page(&lane[i / 64 % THREADS], 1 + i / 64 % THREADS, to);
	if (to)
		good = fclose(to) == 0 && good;
	free(lane);
	return good;
}

static bool prepare(void)
{
	const char *temp = getenv("TMPDIR");
	if (asprintf(&dir, "%s/weft-bench-index-%d", temp ? temp : "/var/tmp", (int)getpid()) < 0 ||
	    asprintf(&trace, "%s/a.weft", dir) < 0 || asprintf(&packed, "%s/b.weft", dir) < 0 ||
	    asprintf(&stream, "%s/a.stream", trace) < 0 || asprintf(&packed_stream, "%s/a.stream", packed) < 0)
		return false;
	if (weft_make_dirs(trace, NULL) || weft_make_dirs(packed, NULL) || !write_stream(stream))
		return false;
	n_events = 0;
	return write_stream(packed_stream) && weft_stream_pack(packed_stream, 3, NULL) == 0;
}

/* ---- rounds ---- */

static double open_with(const char *path, unsigned threads, bool rebuild)
{
	struct weft_trace *t;
	struct weft_open_how how = {.threads = threads, .rebuild = rebuild};
	uint64_t from = bench_now_ns();
	if (weft_trace_open(&t, path, &how, NULL))
		return -1;
	double ns = (double)(bench_now_ns() - from);
	bool whole = t->n_events == n_events && t->n_problems == 0;
	weft_trace_close(t);
	return whole ? ns : -1;
}

static double index_round(void *threads)
{
	double ns = open_with(trace, *(unsigned *)threads, true);
	return ns < 0 ? ns : (double)PAGES * WEFT_PAGE_BYTES / ns;
}

static double index_packed(void *threads)
{
	double ns = open_with(packed, *(unsigned *)threads, true);
	return ns < 0 ? ns : (double)PAGES * WEFT_PAGE_BYTES / ns;
}

static double read_and_checksum(void *unused)
{
	enum { PIECE = 1 << 18 };
	char *piece = malloc(PIECE);
	int fd = open(stream, O_RDONLY | O_CLOEXEC);
	uint64_t from = bench_now_ns();
	uint32_t crc = 0;
	ssize_t n;
	(void)unused;
	while (piece && fd >= 0 && (n = read(fd, piece, PIECE)) > 0)
		for (ssize_t i = 0; i < n; i += WEFT_PAGE_BYTES)
			crc ^= weft_crc32c(0, piece + i, WEFT_PAGE_BYTES);
	double ns = (double)(bench_now_ns() - from);
	bench_keep(crc);
	if (fd >= 0)
		close(fd);
	free(piece);
	return (double)PAGES * WEFT_PAGE_BYTES / ns;
}

static double open_round(void *unused)
{
	(void)unused;
	return open_with(trace, 0, false) / 1000;
}

static struct weft_trace *opened(void)
{
	static struct weft_trace *t;
	if (!t && weft_trace_open(&t, trace, NULL, NULL))
		t = NULL;
	return t;
}

static double cursor_round(void *unused)
{
	const struct weft_trace *t = opened();
	uint64_t from = bench_now_ns(), sum = 0;
	(void)unused;
	for (uint32_t i = 0; t && i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		int more = weft_cursor_begin(&c, t, i, 0, WEFT_NEVER);
		while (!more && weft_cursor_next(&c, &b) > 0)
			sum += b.time[b.n - 1] + b.what[0] + b.value[b.n / 2];
		weft_cursor_end(&c);
	}
	bench_keep(sum);
	return t ? (double)n_events * 1000 / (double)(bench_now_ns() - from) : -1;
}

static double merge_round(void *unused)
{
	const struct weft_trace *t = opened();
	struct weft_merge *m;
	struct weft_event e;
	uint64_t from = bench_now_ns(), sum = 0;
	(void)unused;
	if (!t || weft_merge_new(&m, t, NULL, 0, WEFT_NEVER))
		return -1;
	while (weft_merge_next(m, &e) > 0)
		sum += e.value;
	weft_merge_free(m);
	bench_keep(sum);
	return (double)n_events * 1000 / (double)(bench_now_ns() - from);
}

/* As much memory written as decoding writes: a time, a what and a value an event. */
static double fill_round(void *unused)
{
	enum { BLOCK = WEFT_BLOCK_EVENTS * 20 };
	char *block = malloc(BLOCK);
	uint64_t from = bench_now_ns();
	(void)unused;
	for (uint64_t i = 0; block && i < n_events; i += WEFT_BLOCK_EVENTS) {
		memset(block, (int)i, BLOCK);
		bench_keep((uintptr_t)block);
	}
	free(block);
	return (double)n_events * 1000 / (double)(bench_now_ns() - from);
}

static double bytes_of(void *path)
{
	return (double)weft_dir_bytes(*(char **)path) / (double)n_events;
}

static double index_bytes(void *unused)
{
	char *path;
	(void)unused;
	if (open_with(trace, 0, false) < 0 || asprintf(&path, "%s/index", trace) < 0)
		return -1;
	double bytes = bytes_of(&path);
	free(path);
	return bytes;
}

static double stream_bytes(void *unused)
{
	(void)unused;
	return (double)PAGES * WEFT_PAGE_BYTES / (double)n_events;
}

static double packed_bytes(void *unused)
{
	char *at;
	size_t n;
	(void)unused;
	if (weft_read_file(packed_stream, &at, &n, NULL))
		return -1;
	free(at);
	return (double)n / (double)n_events;
}

int main(int argc, char **argv)
{
	static unsigned one = 1, two = 2;
	static const struct bench_variant index_rates[] = {{"one-core", index_round, &one},
	                                                   {"two-cores", index_round, &two},
	                                                   {"packed-two-cores", index_packed, &two},
	                                                   {"read-and-checksum", read_and_checksum, NULL},
	                                                   {0}};
	static const struct bench_variant opens[] = {{"ours", open_round, NULL}, {0}};
	static const struct bench_variant walks[] = {{"cursor", cursor_round, NULL},
	                                             {"merge", merge_round, NULL},
	                                             {"fill", fill_round, NULL},
	                                             {0}};
	static const struct bench_variant sizes[] = {{"index", index_bytes, NULL},
	                                             {"stream", stream_bytes, NULL},
	                                             {"packed", packed_bytes, NULL},
	                                             {0}};
	static const struct bench benches[] = {{"index", "GB/s", 7, index_rates},
	                                       {"index-open", "us", 0, opens},
	                                       {"events", "M/s", 0, walks},
	                                       {"bytes-per-event", "B", 1, sizes},
	                                       {0}};
	int status = 1;
	if (prepare())
		status = bench_main(argc, argv, benches);
	else
		fprintf(stderr, "cannot make the trace in '%s'\n", dir ? dir : "?");
	if (opened())
		weft_trace_close(opened());
	if (dir && weft_remove_tree(dir, NULL))
		fprintf(stderr, "cannot remove '%s'\n", dir);
	return status;
}
