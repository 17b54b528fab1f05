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

/* Of two groups the first is the name's; one alone, when it can be nothing else. */
TEST(a_watch_of_a_full_name_is_read)
{
	static const struct {
		const char *text, *function;
		unsigned n;
	} rows[] = {
		{"work()", "work()", 0},
		{"over(int)", "over(int)", 0},
		{"over(n)", "over", 1},
		{"over(int)(n)", "over(int)", 1},
		{"over(Vec)()", "over(Vec)", 0},
		{"over(Vec)(v; return)", "over(Vec)", 2},
		{"over(Vec const&, unsigned long)", "over(Vec const&, unsigned long)", 0},
		{"over(Vec*)", "over(Vec*)", 0},
		{"over(*v)", "over", 1},
		{"over(n:int)", "over", 1},
		{"over($1:unsigned int)", "over", 1},
		{"over(Vec::limit)", "over", 1},
		{"over(std::string)", "over(std::string)", 0},
		{"get() const", "get() const", 0},
		{"get() const(this->x)", "get() const", 1},
		{"Vec::operator()", "Vec::operator()", 0},
		{"Vec::operator()(n)", "Vec::operator()", 1},
		{"Vec::operator()(int)(n)", "Vec::operator()(int)", 1},
		{"operator<<(std::ostream&, Vec)", "operator<<(std::ostream&, Vec)", 0},
		{"shop::(anonymous namespace)::hidden(n)", "shop::(anonymous namespace)::hidden", 1},
		{"twice<int (*)(int)>(v)", "twice<int (*)(int)>", 1},
		{"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()(int) const", 0},
		{"a.c:work(n)", "a.c:work", 1},
		{"shop::*(return)", "shop::*", 1},
		{"run(void (*)(int), int)", "run(void (*)(int), int)", 0},
	};
	for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
		struct probe_watch w;
		struct weft_err err = {0};
		CHECK_I64(probe_watch_parse(rows[k].text, &w, &err), 0);
		CHECK_STR(w.function, rows[k].function);
		CHECK_U64(w.n, rows[k].n);
	}
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
