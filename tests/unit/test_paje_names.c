/* SPDX-License-Identifier: Apache-2.0 */
/* Colours that belong to names, and names that are each used once. */
#include "harness.h"
#include "trace/write/export_paje.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static char text[200][8];
static struct weft_def_row rows[201];

static struct weft_def_table table_of(unsigned n)
{
	for (unsigned i = 1; i <= n; i++) {
		snprintf(text[i - 1], sizeof text[0], "f%u", i);
		rows[i].name = text[i - 1];
	}
	return (struct weft_def_table){rows, n + 1};
}

static unsigned apart(struct paje_color a, struct paje_color b)
{
	return (unsigned)(abs(a.red - b.red) + abs(a.green - b.green) + abs(a.blue - b.blue));
}

TEST(seventy_two_names_have_colors_that_can_be_told_apart)
{
	struct weft_def_table t = table_of(72);
	struct paje_color *c = paje_colors(&t);
	REQUIRE(c != NULL);
	for (unsigned i = 1; i <= 72; i++) {
		CHECK(c[i].red <= 1000 && c[i].green <= 1000 && c[i].blue <= 1000);
		for (unsigned k = 1; k < i; k++)
			CHECK(apart(c[i], c[k]) >= 40);
	}
	free(c);
}

TEST(more_names_than_colors_is_no_fault)
{
	struct weft_def_table t = table_of(200);
	struct paje_color *c = paje_colors(&t);
	REQUIRE(c != NULL);
	for (unsigned i = 1; i <= 200; i++)
		CHECK(c[i].red + c[i].green + c[i].blue > 0);
	free(c);
}

TEST(a_name_has_its_color_in_every_trace)
{
	struct weft_def_table t = table_of(8);
	struct paje_color *all = paje_colors(&t);
	REQUIRE(all != NULL);
	unsigned same = 0;
	for (unsigned i = 1; i <= 8; i++) {
		struct weft_def_row alone[2] = {{0}, rows[i]};
		struct paje_color *one = paje_colors(&(struct weft_def_table){alone, 2});
		REQUIRE(one != NULL);
		same += apart(one[1], all[i]) == 0;
		free(one);
	}
	CHECK(same >= 6); /* two of few that meet on one colour are the exception */
	struct weft_def_row turned[9] = {{0}};
	for (unsigned i = 1; i <= 8; i++)
		turned[i] = rows[9 - i];
	struct paje_color *other = paje_colors(&(struct weft_def_table){turned, 9});
	REQUIRE(other != NULL);
	for (unsigned i = 1; i <= 8; i++)
		CHECK_U64(apart(other[i], all[9 - i]), 0); /* in whatever order they were defined */
	free(other);
	free(all);
}

TEST(names_are_used_once)
{
	struct paje_names n = {0};
	CHECK_STR(paje_name(&n, "solve", "user"), "solve");
	CHECK_STR(paje_name(&n, "Solve", "user"), "Solve");
	CHECK_STR(paje_name(&n, "solve", "mpi"), "solve (mpi)");
	CHECK_STR(paje_name(&n, "solve", "mpi"), "solve (mpi) 2");
	CHECK_STR(paje_name(&n, "solve (mpi)", "mpi"), "solve (mpi) (mpi)");
	CHECK_STR(paje_name(&n, "", "mpi"), "?");
	CHECK_STR(paje_name(&n, "", "mpi"), " (mpi)");
	CHECK(!n.failed);
	paje_names_fini(&n);
}

TEST(no_memory_is_said)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct paje_names n = {0};
		struct weft_def_table t = table_of(3);
		struct paje_color *c = paje_colors(&t);
		CHECK(paje_name(&n, "a", "b") != NULL);
		CHECK(paje_name(&n, "a", "b") != NULL);
		CHECK((c == NULL || n.failed) == test_alloc_failed());
		free(c);
		paje_names_fini(&n);
	}
}
