/* SPDX-License-Identifier: Apache-2.0 */
/* What targets of trace readers share: a file is a trace, or it is refused with one message. */
#ifndef WEFT_FUZZ_LOAD_H
#define WEFT_FUZZ_LOAD_H

#include "fuzz.h"
#include "trace/store/build.h"

static inline struct weft_trace *fuzz_load(const struct weft_reader *reader, const char *name, const char *path, unsigned threads)
{
	struct weft_builder *b;
	struct weft_trace *t = NULL;
	struct weft_err err = {0};
	struct weft_open_how how = {.threads = threads, .memory = 1 << 20, .no_index = true};
	FUZZ_REQUIRE(weft_builder_new(&b, path, name, &how, &err) == 0);
	int rc = reader->load(b, path, &how, &err);
	FUZZ_REQUIRE(rc == 0 || rc == WEFT_E_SYNTAX);
	FUZZ_REQUIRE((rc == 0) == (err.text[0] == 0));
	if (rc)
		weft_builder_free(b);
	else
		FUZZ_REQUIRE(weft_build_finish(b, NULL, &t, &err) == 0);
	return t;
}

#endif
