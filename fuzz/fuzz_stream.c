/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as a stream file: it opens or fails with one line; what opened can be read to its end, and is in order. */
#include "fuzz.h"

#include "trace/store/cursor.h"
#include "trace/weft/stream.h"

#include <errno.h>
#include <string.h>

static void read_thread(const struct weft_trace *t, uint32_t thread)
{
	struct weft_cursor c;
	struct weft_block b;
	uint64_t last = 0, n = 0;
	FUZZ_REQUIRE(weft_cursor_begin(&c, t, thread, 0, WEFT_NEVER) == 0);
	while (weft_cursor_next(&c, &b) > 0) {
		for (uint32_t i = 0; i < b.n; i++) {
			unsigned kind = weft_what_kind(b.what[i]), id = weft_what_id(b.what[i]);
			FUZZ_REQUIRE(kind < 64 && weft_kind_info[kind].name);
			FUZZ_REQUIRE(weft_kind_info[kind].of == WEFT_CLASS_NONE || id < t->def[weft_kind_info[kind].of].n);
			FUZZ_REQUIRE(b.time[i] >= last && b.time[i] <= t->end);
			last = b.time[i];
			uint32_t words;
			if (col_value_of(kind) == COL_EXTRA)
				FUZZ_REQUIRE(weft_extra(t, thread, b.value[i], &words) != NULL);
			if (col_value_of(kind) == COL_HALF)
				FUZZ_REQUIRE((kind == WEFT_EV_SEND ? t->message.send_thread
				                                   : t->message.recv_thread)[b.value[i]] == thread);
			if (col_value_of(kind) == COL_FLOW)
				FUZZ_REQUIRE((kind == WEFT_EV_FLOW_OUT ? t->flow.from_thread : t->flow.to_thread)[b.value[i]] ==
				             thread);
		}
		n += b.n;
	}
	weft_cursor_end(&c);
	FUZZ_REQUIRE(n == t->thread[thread].n_events);
}

static void read_trace(const struct weft_trace *t)
{
	char label[40];
	for (uint32_t i = 0; i < t->n_threads; i++) {
		read_thread(t, i);
		FUZZ_REQUIRE(weft_thread_label(t, i, label)[0]);
	}
	for (uint64_t i = 0; i < t->n_problems && i < 1000; i++)
		FUZZ_REQUIRE(t->problem[i].text[0] && !strchr(t->problem[i].text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_builder *b;
	struct weft_trace *t;
	struct weft_err err = {0};
	struct weft_open_how how = {.threads = 1, .no_index = true, .memory = 64 << 20};
	/* Pages in memory are used where they lie, as they would be in a buffer of the reader: aligned. */
	void *copy = NULL;
	FUZZ_REQUIRE(posix_memalign(&copy, 64, n + 1) == 0);
	memcpy(copy, at, n);
	int rc = -EAGAIN;
	for (int skim = 1; rc == -EAGAIN && skim >= 0; skim--) {
		err = (struct weft_err){0};
		FUZZ_REQUIRE(weft_builder_new(&b, "fuzz", "weft", &how, &err) == 0);
		b->skim = skim;
		rc = stream_load_bytes(b, copy, n, &err);
		if (rc)
			weft_builder_free(b);
		else
			rc = weft_build_finish(b, NULL, &t, &err);
	}
	FUZZ_REQUIRE(rc != -EAGAIN);
	free(copy);
	FUZZ_REQUIRE((rc == 0) == (err.text[0] == 0));
	FUZZ_REQUIRE(!strchr(err.text, '\n'));
	if (rc)
		return 0;
	read_trace(t);
	weft_trace_close(t);
	return 0;
}
