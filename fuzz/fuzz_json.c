/* SPDX-License-Identifier: Apache-2.0 */
/* JSON: the check takes any bytes and keeps to its codes; what the writer makes of any string passes the check. */
#include "fuzz.h"

#include "base/json.h"

#include <string.h>

static void check_bytes(const char *at, size_t n)
{
	struct weft_err err = {0};
	int rc = weft_json_check(at, n, &err);
	FUZZ_REQUIRE(rc == 0 || rc == WEFT_E_SYNTAX);
	FUZZ_REQUIRE(err.code == rc);
	FUZZ_REQUIRE((rc == 0) == (err.text[0] == 0));
	FUZZ_REQUIRE(memchr(err.text, 0, sizeof err.text) && !strchr(err.text, '\n'));
	FUZZ_REQUIRE(weft_json_check(at, n, NULL) == rc);
}

static void write_and_check(const char *at, size_t n)
{
	char *text = NULL;
	size_t length = 0;
	FILE *to = open_memstream(&text, &length);
	FUZZ_REQUIRE(to != NULL);
	struct weft_json json;
	weft_json_init(&json, to, n & 1);
	weft_json_object(&json);
	weft_json_key(&json, "string");
	weft_json_string_n(&json, at, n);
	weft_json_key(&json, "list");
	weft_json_array(&json);
	weft_json_u64(&json, n);
	weft_json_null(&json);
	weft_json_end(&json);
	weft_json_end(&json);
	FUZZ_REQUIRE(fclose(to) == 0);
	FUZZ_REQUIRE(weft_json_check(text, length, NULL) == 0);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	check_bytes((const char *)at, n);
	write_and_check((const char *)at, n);
	return 0;
}
