/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any bytes as a stream that `weft record --representative` follows, decides on, and writes anew: it ends, in little memory; and of a stream that was sound
 * what comes out is sound, with the same threads, messages and arrows.
 */
#include "fuzz.h"

#include "cli/record/record_follow.h"
#include "cli/record/record_represent.h"
#include "trace/weft/stream.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STRETCHES = 64, LEAST_NS = 1000 };

static char path[64];

static void write_file(const uint8_t *at, size_t n)
{
	if (!path[0]) {
		char dir[] = "/tmp/weft-fuzz-XXXXXX";
		FUZZ_REQUIRE(mkdtemp(dir));
		snprintf(path, sizeof path, "%s/0.stream", dir);
	}
	FILE *f = fopen(path, "w");
	FUZZ_REQUIRE(f && fwrite(at, 1, n, f) == n && fclose(f) == 0);
}

/* NULL: it is none. */
static struct weft_trace *load(const void *at, size_t n)
{
	struct weft_builder *b;
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	const struct weft_open_how how = {.threads = 1, .no_index = true, .memory = 64 << 20};
	FUZZ_REQUIRE(weft_builder_new(&b, "fuzz", "weft", &how, &err) == 0);
	if (stream_load_bytes(b, at, n, &err))
		weft_builder_free(b);
	else if (weft_build_finish(b, NULL, &t, &err))
		t = NULL;
	return t;
}

static struct weft_trace *load_file(void)
{
	struct stat st;
	FILE *f = fopen(path, "r");
	void *at = NULL;
	FUZZ_REQUIRE(f && fstat(fileno(f), &st) == 0 && posix_memalign(&at, 64, (size_t)st.st_size + 1) == 0);
	FUZZ_REQUIRE(fread(at, 1, (size_t)st.st_size, f) == (size_t)st.st_size);
	fclose(f);
	struct weft_trace *t = load(at, (size_t)st.st_size);
	free(at);
	return t;
}

/* As when it has ended: some looks, then what is left is decided. */
static void follow(struct record_kinds *k)
{
	struct weft_stream_head head;
	struct record_follow *f = record_follow_open(path);
	if (!f)
		return;
	FUZZ_REQUIRE(record_read_head(path, &head));
	k->origin_ns = head.start_monotonic;
	const uint64_t end = record_follow_ns(&head, head.end_ticks);
	k->stretch_ns = end > k->origin_ns ? (end - k->origin_ns) / STRETCHES : 0;
	k->stretch_ns = k->stretch_ns > LEAST_NS ? k->stretch_ns : LEAST_NS;
	const uint64_t most = k->origin_ns + STRETCHES * k->stretch_ns;
	for (unsigned i = 0; i < 3; i++) {
		const uint64_t until = record_follow_look(f, k, most);
		FUZZ_REQUIRE(until <= most);
		record_follow_reach(f, k, until);
		record_kinds_decide(k, until);
	}
	FUZZ_REQUIRE(k->failed || k->decided.n <= STRETCHES);
	record_follow_close(f);
}

static void compare(const struct weft_trace *was, const struct weft_trace *is)
{
	FUZZ_REQUIRE(is != NULL);
	FUZZ_REQUIRE(is->n_problems == 0);
	FUZZ_REQUIRE(is->n_threads == was->n_threads);
	FUZZ_REQUIRE(is->message.n == was->message.n);
	FUZZ_REQUIRE(is->flow.n == was->flow.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct record_kinds k = {.stretch_ns = LEAST_NS, .tolerance = 0.5};
	write_file(at, n);
	struct weft_trace *was = load_file();
	follow(&k);
	const int rc = record_leave_out(path, &k);
	FUZZ_REQUIRE(rc <= 1 && rc != -ENOMEM);
	if (rc == 0 && was && !was->n_problems) {
		struct weft_trace *is = load_file();
		compare(was, is);
		weft_trace_close(is);
	}
	weft_trace_close(was);
	record_kinds_fini(&k);
	return 0;
}
