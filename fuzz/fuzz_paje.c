/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paje: any text is refused with a reason, or loaded. Two loads of it say the same; regions are left as often as they are entered,
 * in each thread by the right names; what was loaded can be written as Paje, and reads back without a problem.
 */
#include "fuzz_load.h"

#include "base/fs.h"
#include "base/str.h"
#include "trace/store/cursor.h"
#include "trace/write/export.h"
#include "trace/filter/spans.h"

#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct weft_trace *load(const char *path)
{
	return fuzz_load(&weft_paje_reader, "paje", path, 1);
}

static uint64_t hash_trace(const struct weft_trace *t, uint64_t *n_regions)
{
	uint64_t h = t->end ^ t->n_problems << 40;
	*n_regions = 0;
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		struct weft_span_walk w;
		weft_span_begin(&w, t, i, NULL, NULL);
		FUZZ_REQUIRE(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER) == 0);
		while (weft_cursor_next(&c, &b) > 0) {
			FUZZ_REQUIRE(weft_span_feed(&w, &b) == 0);
			for (uint32_t k = 0; k < b.n; k++)
				h = weft_hash_u64(h ^ b.time[k]) ^ b.what[k] ^ b.value[k];
		}
		weft_cursor_end(&c);
		FUZZ_REQUIRE(w.open.n == 0);
		FUZZ_REQUIRE(weft_span_end(&w, t->end) == 0);
		FUZZ_REQUIRE(w.unmatched_leaves == 0 && w.closed_early == 0);
		*n_regions += w.sequence;
	}
	for (uint64_t i = 0; i < t->message.n; i++)
		h = weft_hash_u64(h ^ t->message.size[i] ^ t->message.recv_done[i]);
	return h ^ t->flow.n;
}

static void check_written(const struct weft_trace *t, uint64_t n_regions)
{
	char path[64];
	struct weft_err err = {0};
	uint64_t again_regions;
	snprintf(path, sizeof path, "%s/fuzz-paje-%d.trace", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (int)getpid());
	FUZZ_REQUIRE(weft_export_paje(t, path, &(struct weft_export_how){0}, &err) == 0);
	struct weft_trace *again = load(path);
	FUZZ_REQUIRE(again != NULL);
	hash_trace(again, &again_regions);
	FUZZ_REQUIRE(again->n_problems == 0 && again_regions == n_regions && again->n_threads == t->n_threads);
	weft_trace_close(again);
	unlink(path);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	char path[64];
	uint64_t one_regions, two_regions;
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_REQUIRE(fd >= 0 && write(fd, at, n) == (ssize_t)n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	FUZZ_REQUIRE(weft_paje_reader.claims("x.paje", (const char *)at, n));
	weft_paje_reader.claims("x.trace", (const char *)at, n);
	struct weft_trace *one = load(path), *two = load(path);
	FUZZ_REQUIRE(!one == !two);
	if (one) {
		FUZZ_REQUIRE(hash_trace(one, &one_regions) == hash_trace(two, &two_regions) && one_regions == two_regions);
		check_written(one, one_regions);
	}
	weft_trace_close(one);
	weft_trace_close(two);
	close(fd);
	return 0;
}
