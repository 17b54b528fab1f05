/* SPDX-License-Identifier: Apache-2.0 */
/* Functions to be watched, as people write them; and events whose words make no sense. */
#include "harness.h"
#include "probe/probe_watch.h"
#include <errno.h>
#include <string.h>

TEST(a_watch_is_read)
{
	struct probe_watch w;
	REQUIRE(probe_watch_parse(" Solver::step( x , p->count[2]:int, return;Solver::limit,$2:double ) ", &w, NULL) == 0);
	CHECK_STR(w.function, "Solver::step");
	REQUIRE(w.n == 5);
	CHECK_STR(w.attribute[0].name, "x");
	CHECK_STR(w.attribute[1].name, "p->count[2]");
	CHECK_STR(w.attribute[1].declared, "int");
	CHECK(w.attribute[1].when == LINK_ENTRY && !w.attribute[1].result);
	CHECK(w.attribute[2].when == LINK_EXIT && w.attribute[2].result);
	CHECK_STR(w.attribute[3].name, "Solver::limit");
	CHECK_STR(w.attribute[3].declared, "");
	CHECK(w.attribute[3].when == LINK_EXIT);
	CHECK_STR(w.attribute[4].name, "$2");
	CHECK_STR(w.attribute[4].declared, "double");
	REQUIRE(probe_watch_parse("work", &w, NULL) == 0);
	CHECK_U64(w.n, 0);
	REQUIRE(probe_watch_parse("work()", &w, NULL) == 0);
	CHECK_U64(w.n, 0);
	REQUIRE(probe_watch_parse("work(;return)", &w, NULL) == 0);
	CHECK_U64(w.n, 1);
}

TEST(a_watch_that_cannot_be_read)
{
	static const struct {
		const char *text, *why;
	} rows[] = {
		{"", "'': expected the name of a function"},
		{"(x)", "'(x)': expected the name of a function"},
		{"work(x", "'work(x': expected ')' at the end"},
		{"work(x) y", "'work(x) y': expected ')' at the end"},
		{"work(x,,y)", "'work(x,,y)': expected the name of a parameter or variable, found ''"},
		{"work(x:integer)", "'work(x:integer)': no type is called 'integer'"},
		{"work(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q)",
	         "'work(a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q)': 16 attributes are the most"},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct probe_watch w;
		struct weft_err err = {0};
		CHECK(probe_watch_parse(rows[k].text, &w, &err) < 0);
		CHECK_STR(err.text, rows[k].why);
	}
}
