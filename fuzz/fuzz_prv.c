/* SPDX-License-Identifier: Apache-2.0 */
/*
 * .prv: any text is refused with its column, or loaded. All kernels give the same lanes, which are sorted; a whole load by one
 * worker and by two gives the same trace; what was loaded can be written, and reads back with as many events and no problem.
 */
#include "fuzz_load.h"

#include "base/fs.h"
#include "base/str.h"
#include "trace/write/export.h"
#include "trace/paraver/prv_chunk.h"
#include "trace/text/text_input.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_THREADS = 256, MOST_CPUS = 4096, MOST_TO_WRITE = 4096 };

/* -- kernels -- */

static uint64_t hash_lane(const struct prv_lane *l)
{
	uint64_t h = weft_hash(l->time, l->n * sizeof *l->time);
	for (uint32_t i = 0; i < l->n; i++) {
		FUZZ_REQUIRE(i == 0 || l->time[i] >= l->time[i - 1]);
		h = weft_hash_u64(h ^ l->value[i]) ^ l->what[i];
	}
	for (uint32_t i = l->first_end; i < l->first_end + l->n_ends; i++) {
		FUZZ_REQUIRE(i == l->first_end || l->end[i].time >= l->end[i - 1].time);
		h = weft_hash_u64(h ^ l->end[i].time) ^ l->end[i].what ^ l->end[i].cpu;
	}
	return h;
}

static uint64_t hash_chunk(const struct prv_chunk *c)
{
	char text[PRV_ISSUE_TEXT];
	uint64_t h = weft_hash_u64(c->n_lines ^ c->n_records << 32) ^ c->n_issues ^ c->last_time;
	for (uint32_t i = 0; i < c->model->header->n_threads; i++)
		h = weft_hash_u64(h ^ hash_lane(&c->lane[i]));
	for (size_t i = 0; i < c->message.n; i++)
		h = weft_hash_u64(h ^ c->message.at[i].size ^ c->message.at[i].recv_done) ^ c->message.at[i].send_done;
	for (size_t i = 0; i < c->issue.n; i++) {
		FUZZ_REQUIRE(strlen(prv_issue_text(&c->issue.at[i], text)) < sizeof text);
		h = weft_hash_u64(h ^ weft_hash(text, strlen(text)) ^ c->issue.at[i].offset);
	}
	return h;
}

static void check_kernels(const struct prv_header *h, const char *at, size_t n)
{
	struct prv_model m;
	struct prv_chunk c;
	uint64_t first = 0;
	char *padded = malloc(n + 2 * TEXT_PAD);
	FUZZ_REQUIRE(padded != NULL);
	memset(padded, '\n', n + 2 * TEXT_PAD);
	memcpy(padded + TEXT_PAD, at, n);
	FUZZ_REQUIRE(prv_model_init(&m, h) == 0);
	for (const struct prv_kernel *k = prv_kernels; k->name; k++) {
		if (!k->here())
			continue;
		FUZZ_REQUIRE(prv_chunk_init(&c, &m) == 0);
		FUZZ_REQUIRE(prv_chunk_parse_with(k, &c, padded + TEXT_PAD, n, 0) == 0);
		uint64_t hash = hash_chunk(&c);
		FUZZ_REQUIRE(!first || hash == first);
		first = hash;
		prv_chunk_fini(&c);
	}
	prv_model_fini(&m);
	free(padded);
}

/* -- the whole -- */

static struct weft_trace *load(const char *path, unsigned threads)
{
	return fuzz_load(&weft_prv_reader, "prv", path, threads);
}

static uint64_t hash_trace(const struct weft_trace *t, uint64_t *n_events)
{
	uint64_t h = t->end ^ t->n_problems << 40;
	*n_events = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		FUZZ_REQUIRE(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER) == 0);
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n; k++) {
				*n_events += weft_what_kind(b.what[k]) != WEFT_EV_CPU;
				h = weft_hash_u64(h ^ b.time[k]) ^ b.what[k] ^ b.value[k];
			}
		weft_cursor_end(&c);
	}
	for (uint64_t i = 0; i < t->message.n; i++)
		h = weft_hash_u64(h ^ t->message.size[i] ^ t->message.recv_began[i]);
	return h;
}

static char folder[64];

static void remove_folder(void)
{
	if (*folder)
		(void)!weft_remove_tree(folder, NULL);
}

static void check_written(const struct weft_trace *t, uint64_t n_events)
{
	struct weft_err err = {0};
	char path[96];
	uint64_t again_events;
	if (!*folder) {
		strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/fuzz-prv-XXXXXX" : "/tmp/fuzz-prv-XXXXXX");
		FUZZ_REQUIRE(mkdtemp(folder) != NULL);
		atexit(remove_folder);
	}
	snprintf(path, sizeof path, "%s/t.prv", folder);
	FUZZ_REQUIRE(weft_export_prv(t, path, &(struct weft_export_how){0}, &err) == 0);
	struct weft_trace *again = load(path, 1);
	FUZZ_REQUIRE(again != NULL);
	hash_trace(again, &again_events);
	FUZZ_REQUIRE(again_events == n_events && again->message.n == t->message.n && again->end == t->end);
	weft_trace_close(again);
}

static void check_load(const uint8_t *at, size_t n)
{
	char path[64];
	uint64_t one_events, two_events;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_REQUIRE(fd >= 0 && write(fd, at, n) == (ssize_t)n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	struct weft_trace *one = load(path, 1), *two = load(path, 2);
	FUZZ_REQUIRE(!one == !two);
	if (one) {
		FUZZ_REQUIRE(hash_trace(one, &one_events) == hash_trace(two, &two_events));
		FUZZ_REQUIRE(one_events == two_events);
		if (n <= MOST_TO_WRITE)
			check_written(one, one_events);
	}
	weft_trace_close(one);
	weft_trace_close(two);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct prv_header h;
	struct weft_err err = {0};
	struct weft_str rest = weft_str_n((const char *)at, n), line;
	FUZZ_REQUIRE(weft_str_cut(&rest, '\n', &line) || n == 0);
	int rc = n ? prv_header_parse(&h, line, &err) : WEFT_E_SYNTAX;
	FUZZ_REQUIRE(rc == 0 || rc == WEFT_E_SYNTAX);
	bool small = n == 0 || (h.n_threads <= MOST_THREADS && h.n_cpus <= MOST_CPUS && h.n_nodes <= MOST_CPUS);
	if (rc == 0 && small && rest.at)
		check_kernels(&h, rest.at, rest.n);
	if (n)
		prv_header_fini(&h);
	/*
	 * Whole loads are slow, so one in eight inputs has them: which, its bytes say, so that a corpus repeats. Packed inputs and
	 * those that say "new format" have their header elsewhere.
	 */
	bool elsewhere = n && (at[0] == 0x1f || at[0] == 0x28 || at[0] == 'n');
	if (small && (elsewhere || (rc == 0 && weft_hash(at, n) % 8 == 0)))
		check_load(at, n);
	return 0;
}
