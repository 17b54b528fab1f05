/* SPDX-License-Identifier: Apache-2.0 */
/* env.c: lists in variables of the environment. */
#include "harness.h"
#include "base/env.h"
#include <errno.h>
#include <stdlib.h>

#define LIST "WEFT_TEST_LIST"

TEST(a_list_has_its_parts_in_order)
{
	CHECK_I64(weft_set_list(LIST, "a", "b"), 0);
	CHECK_STR(getenv(LIST), "a:b");
	CHECK_I64(weft_set_list(LIST, "first", getenv(LIST)), 0);
	CHECK_STR(getenv(LIST), "first:a:b");
	CHECK_I64(weft_set_list(LIST, getenv(LIST), "last"), 0);
	CHECK_STR(getenv(LIST), "first:a:b:last");
}

TEST(nothing_adds_no_colon)
{
	CHECK_I64(weft_set_list(LIST, "a", NULL), 0);
	CHECK_STR(getenv(LIST), "a");
	CHECK_I64(weft_set_list(LIST, "", "b"), 0);
	CHECK_STR(getenv(LIST), "b");
	CHECK_I64(weft_set_list(LIST, NULL, ""), 0);
	CHECK_STR(getenv(LIST), "");
}

TEST(a_variable_that_cannot_be_is_an_error)
{
	CHECK_I64(weft_set_list("A=B", "a", "b"), -EINVAL);
}
