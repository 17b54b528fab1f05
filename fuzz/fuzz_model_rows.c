/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of multiple regressions: any bytes are read or refused with one line, and what was read is written and read back the same. */
#include "fuzz.h"

#include "models/model_rows.h"

#include <string.h>

static char *print(const struct weft_model_rows *r, size_t *n)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, n);
	FUZZ_REQUIRE(to != NULL);
	weft_model_rows_print(r, to);
	FUZZ_REQUIRE(fclose(to) == 0);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_err err = {0};
	struct weft_model_rows r, again;
	int rc = weft_model_rows_parse(&r, (const char *)at, n, "fuzz", &err);
	FUZZ_REQUIRE(rc == err.code && !strchr(err.text, '\n'));
	if (rc) {
		FUZZ_REQUIRE(!r.n && !r.n_parameters && err.text[0]);
		return 0;
	}
	size_t first_n, second_n;
	char *first = print(&r, &first_n);
	FUZZ_REQUIRE(weft_model_rows_parse(&again, first, first_n, "again", &err) == 0);
	FUZZ_REQUIRE(again.n == r.n && again.n_parameters == r.n_parameters);
	char *second = print(&again, &second_n);
	FUZZ_REQUIRE(first_n == second_n && !memcmp(first, second, first_n));
	free(first);
	free(second);
	weft_model_rows_fini(&r);
	weft_model_rows_fini(&again);
	return 0;
}
