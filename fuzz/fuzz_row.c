/* SPDX-License-Identifier: Apache-2.0 */
/* .row: any bytes are read; a level never has more names than its SIZE; what was read can be written and reads back the same. */
#include "fuzz.h"

#include "base/str.h"
#include "trace/paraver/row.h"

#include <string.h>

static void say(const struct row *r, struct weft_buf *out)
{
	for (int i = 0; i < ROW_LEVELS; i++) {
		const struct row_names *names = &r->level[i];
		FUZZ_REQUIRE(names->name.n <= names->size);
		FUZZ_REQUIRE(names->there || !names->name.n);
		if (!names->there)
			continue;
		weft_buf_printf(out, "LEVEL %s SIZE %zu\n", row_level_name[i], names->name.n);
		for (size_t k = 0; k < names->name.n; k++)
			weft_buf_printf(out, "%s\n", names->name.at[k]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct row r, again;
	struct weft_buf text = {0}, second = {0};
	FUZZ_REQUIRE(row_parse(&r, (const char *)at, n) == 0);
	FUZZ_REQUIRE(r.problem.n <= ROW_MOST_PROBLEMS && r.problem.n <= r.n_problems);
	say(&r, &text);
	FUZZ_REQUIRE(row_parse(&again, text.at, text.n) == 0);
	say(&again, &second);
	FUZZ_REQUIRE(text.n == second.n && (text.n == 0 || !memcmp(text.at, second.at, text.n)));
	weft_buf_fini(&text);
	weft_buf_fini(&second);
	row_fini(&r);
	row_fini(&again);
	return 0;
}
