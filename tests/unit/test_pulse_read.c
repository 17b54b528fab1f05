/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as a tree: values, members, escapes; what is no JSON, or too deep. */
#include "harness.h"
#include "pulse/pulse_read.h"
#include <string.h>

static const struct pulse_value *tree(const char *text, struct weft_arena *arena)
{
	struct weft_err err = {0};
	struct pulse_value *v = NULL;
	return pulse_read(text, strlen(text), arena, &v, &err) ? NULL : v;
}

TEST(values)
{
	struct weft_arena a = {0};
	const struct pulse_value *v =
		tree(" {\"n\": -1.5e3, \"t\": true, \"f\": false, \"z\": null, \"s\": \"\\u0041\\n\\\"\\u00e9\", "
	             "\"a\": [1, [2], {\"k\": 3}], \"e\": {}, \"empty\": []} ",
	             &a);
	REQUIRE(v && v->kind == PULSE_OBJECT);
	CHECK(pulse_number(v, "n", 0) == -1500);
	CHECK(pulse_get(v, "t")->kind == PULSE_BOOL && pulse_get(v, "t")->truth);
	CHECK(pulse_get(v, "f")->kind == PULSE_BOOL && !pulse_get(v, "f")->truth);
	CHECK(pulse_get(v, "z")->kind == PULSE_NULL);
	CHECK_STR(pulse_text(v, "s", ""), "A\n\"?");
	const struct pulse_value *list = pulse_get(v, "a");
	CHECK(list->first->number == 1 && list->first->next->first->number == 2);
	CHECK(pulse_number(list->first->next->next, "k", 0) == 3 && !list->first->next->next->next);
	CHECK(pulse_get(v, "e")->kind == PULSE_OBJECT && !pulse_get(v, "e")->first);
	CHECK(pulse_get(v, "empty")->kind == PULSE_ARRAY && !pulse_get(v, "empty")->first);
	CHECK(!pulse_get(v, "none") && pulse_number(v, "s", 7) == 7 && pulse_number(NULL, "s", 7) == 7);
	CHECK_STR(pulse_text(v, "n", "otherwise"), "otherwise");
	weft_arena_fini(&a);
}

TEST(what_is_no_json)
{
	static const char *const wrong[] = {"",   "{",   "{\"a\"}",    "[1,]",        "tru",
	                                    "\"", "1 2", "{\"a\":1,}", "[\"\\u12\"]", "\"\\\""};
	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
		struct weft_arena a = {0};
		CHECK(!tree(wrong[i], &a));
		weft_arena_fini(&a);
	}
}

TEST(depth_is_bounded)
{
	char text[1024];
	for (int depth = 1; depth < 400; depth += 7) {
		struct weft_arena a = {0};
		memset(text, '[', (size_t)depth);
		memset(text + depth, ']', (size_t)depth);
		text[2 * depth] = '\0';
		CHECK_I64(tree(text, &a) != NULL, depth <= 16);
		weft_arena_fini(&a);
	}
}
