/* SPDX-License-Identifier: Apache-2.0 */
/* Model files: any bytes are read or refused with one line, and what was read is written and read back the same. */
#include "fuzz.h"

#include "models/model.h"

#include <string.h>

static char *print(const struct weft_model *m, size_t *n)
{
	char *text = NULL;
	FILE *to = open_memstream(&text, n);
	FUZZ_REQUIRE(to != NULL);
	weft_model_print(m, NULL, to);
	FUZZ_REQUIRE(fclose(to) == 0);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_err err = {0};
	struct weft_model m, again;
	int rc = weft_model_parse(&m, (const char *)at, n, "fuzz", &err);
	FUZZ_REQUIRE(rc == err.code && !strchr(err.text, '\n'));
	if (rc) {
		FUZZ_REQUIRE(!m.comb && !m.n_combs && err.text[0]);
		return 0;
	}
	size_t first_n, second_n;
	char *first = print(&m, &first_n);
	FUZZ_REQUIRE(weft_model_parse(&again, first, first_n, "again", &err) == 0);
	char *second = print(&again, &second_n);
	FUZZ_REQUIRE(first_n == second_n && !memcmp(first, second, first_n));
	free(first);
	free(second);
	weft_model_fini(&m);
	weft_model_fini(&again);
	return 0;
}
