/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of views: the reader takes any bytes and keeps to its codes; what it read is printed, read again, and printed to the
 * same text; and as a .cfg it comes back as a view that prints the same. An input that is a .cfg is printed, and read as text.
 */
#include "fuzz.h"

#include "metric/text/text_view.h"

#include <stdlib.h>
#include <string.h>

static int parse(struct weft_view *v, const char *at, size_t n)
{
	struct weft_err err = {0};
	int rc = weft_view_parse(v, at, n, "fuzz.view", &err);
	FUZZ_REQUIRE(rc == 0 || rc == WEFT_E_SYNTAX || rc == -12);
	FUZZ_REQUIRE(err.code == rc);
	FUZZ_REQUIRE(memchr(err.text, 0, sizeof err.text) && !strchr(err.text, '\n'));
	return rc;
}

static void print(const struct weft_view *v, struct weft_buf *out)
{
	weft_view_print(v, &(struct weft_print_how){.plain = false}, out);
	FUZZ_REQUIRE(!out->failed);
}

static void check_same(const struct weft_buf *a, const struct weft_buf *b)
{
	FUZZ_REQUIRE(a->n == b->n && memcmp(a->at, b->at, a->n) == 0);
}

/* What a .cfg says, the text can say. */
static void check_cfg(const char *at, size_t n)
{
	struct weft_view v, again;
	struct weft_err err = {0};
	if (weft_view_read(&v, at, n, "fuzz.cfg", &err) == 0) {
		struct weft_buf once = {0}, twice = {0};
		print(&v, &once);
		FUZZ_REQUIRE(parse(&again, once.at, once.n) == 0);
		print(&again, &twice);
		check_same(&once, &twice);
		weft_view_fini(&again);
		weft_buf_fini(&once);
		weft_buf_fini(&twice);
	}
	weft_view_fini(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_view v, again;
	if (weft_view_is_cfg((const char *)at, n)) {
		check_cfg((const char *)at, n);
		return 0;
	}
	if (parse(&v, (const char *)at, n) == 0) {
		struct weft_buf once = {0}, twice = {0}, cfg = {0};
		struct weft_err err = {0};
		print(&v, &once);
		FUZZ_REQUIRE(parse(&again, once.at, once.n) == 0);
		print(&again, &twice);
		check_same(&once, &twice);
		weft_view_fini(&again);
		weft_view_write(&v, &cfg);
		FUZZ_REQUIRE(weft_view_is_cfg(cfg.at, cfg.n));
		FUZZ_REQUIRE(weft_view_read(&again, cfg.at, cfg.n, "fuzz.cfg", &err) == 0);
		twice.n = 0;
		print(&again, &twice);
		check_same(&once, &twice);
		weft_view_fini(&again);
		weft_buf_fini(&once);
		weft_buf_fini(&twice);
		weft_buf_fini(&cfg);
	}
	weft_view_fini(&v);
	return 0;
}
