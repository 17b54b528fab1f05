/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Views: the reader takes any bytes and keeps to its codes; what it read is written, read again, and written to the same text;
 * and a view that stands on a small trace is computed on it.
 */
#include "fuzz.h"

#include "metric/view/view.h"

#include <string.h>

static int read_view(struct weft_view *v, const char *at, size_t n)
{
	struct weft_err err = {0};
	int rc = weft_view_read(v, at, n, "view.cfg", &err);
	FUZZ_REQUIRE(rc == 0 || rc == WEFT_E_SYNTAX || rc == -12);
	FUZZ_REQUIRE(err.code == rc);
	FUZZ_REQUIRE(memchr(err.text, 0, sizeof err.text) && !strchr(err.text, '\n'));
	return rc;
}

static void write_and_read(const struct weft_view *v)
{
	struct weft_buf once = {0}, twice = {0};
	struct weft_view again;
	weft_view_write(v, &once);
	FUZZ_REQUIRE(!once.failed);
	FUZZ_REQUIRE(weft_view_is_cfg(once.at, once.n));
	FUZZ_REQUIRE(read_view(&again, once.at, once.n) == 0);
	weft_view_write(&again, &twice);
	FUZZ_REQUIRE(once.n == twice.n && memcmp(once.at, twice.at, once.n) == 0);
	weft_view_fini(&again);
	weft_buf_fini(&once);
	weft_buf_fini(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_view v;
	weft_view_is_cfg((const char *)at, n);
	if (read_view(&v, (const char *)at, n) == 0)
		write_and_read(&v);
	weft_view_fini(&v);
	return 0;
}
