/* SPDX-License-Identifier: Apache-2.0 */
/* glob.c: matching, the patterns that make naive matchers explode, and suggestions. */
#include "harness.h"
#include "base/clock.h"
#include "base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

TEST(glob_matches)
{
	static const struct {
		const char *pattern, *text;
		bool match;
	} cases[] = {
		{"", "", true},
		{"", "a", false},
		{"a", "", false},
		{"*", "", true},
		{"*", "anything", true},
		{"**", "x", true},
		{"?", "", false},
		{"?", "x", true},
		{"?", "xy", false},
		{"??*", "x", false},
		{"??*", "xy", true},
		{"abc", "abc", true},
		{"abc", "ab", false},
		{"abc", "abcd", false},
		{"a*c", "ac", true},
		{"a*c", "abbbc", true},
		{"a*c", "abcb", false},
		{"*.prv", "a.b.prv", true},
		{"*.prv", "prv", false},
		{"MPI_*send", "MPI_Isend", true},
		{"MPI_*send", "MPI_Isendrecv", false},
		{"*a*b*c*", "xxaxxbxxcxx", true},
		{"*a*b*c*", "xxaxxcxxbxx", false},
		{"*ab", "aab", true},
		{"*aab", "aaaab", true},
		{"a*b?d", "abxbcd", true},
		{"[a]", "a", false},
		{"[a]", "[a]", true},
		{"\\*", "\\anything", true},
		{"A", "a", false},
		/* ? takes a character of UTF-8, and * stops only between them. */
		{"?", "\xc3\xa9", true},
		{"??", "\xc3\xa9", false},
		{"a?b",
	         "a\xe2\x82\xac"
	         "b",
	         true},
		{"*?", "\xc3\xa9", true},
		{"*??", "\xc3\xa9", false},
		{"\xc3\xa9*", "\xc3\xa9t\xc3\xa9", true},
		{"?", "\xff", true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (!CHECK(weft_glob(cases[i].pattern, cases[i].text) == cases[i].match))
			printf("# pattern '%s', text '%s'\n", cases[i].pattern, cases[i].text);
}

/* The definition, directly: exponential, but obviously right. */
static bool glob_by_definition(const char *p, const char *t)
{
	if (*p == '*')
		return glob_by_definition(p + 1, t) || (*t && glob_by_definition(p, t + 1));
	if (!*p || !*t)
		return !*p && !*t;
	return (*p == '?' || *p == *t) && glob_by_definition(p + 1, t + 1);
}

TEST(glob_agrees_with_the_definition)
{
	for (int round = 0; round < 20000; round++) {
		char p[9] = {0}, t[11] = {0};
		for (uint64_t i = 0, n = test_random() % 9; i < n; i++)
			p[i] = "ab*?"[test_random() % 4];
		for (uint64_t i = 0, n = test_random() % 11; i < n; i++)
			t[i] = "ab"[test_random() % 2];
		if (!CHECK(weft_glob(p, t) == glob_by_definition(p, t)))
			printf("# pattern '%s', text '%s'\n", p, t);
	}
}

TEST(glob_never_explodes)
{
	enum { TEXT = 20000, STARS = 100 };
	char *text = malloc(TEXT + 1), pattern[2 * STARS + 2];
	REQUIRE(text);
	memset(text, 'a', TEXT);
	text[TEXT] = '\0';
	for (int i = 0; i < STARS; i++)
		memcpy(pattern + 2 * i, "*a", 2);
	memcpy(pattern + 2 * STARS, "b", 2);
	uint64_t from = weft_process_cpu_ns();
	CHECK(!weft_glob(pattern, text));
	CHECK(!weft_glob("*aaaaaaaaaaaaaaaaaaaaaaaaaaaaab", text));
	CHECK(weft_process_cpu_ns() - from < 1000000000);
	free(text);
}

TEST(nearest_finds_what_was_meant)
{
	static const char *const known[] = {"json", "output", "csv", "only", "verbose", "memory-limit"};
	static const struct {
		const char *name, *want;
	} cases[] = {
		{"jsn", "json"},      {"jsno", "json"},
		{"ouptut", "output"}, {"outputs", "output"},
		{"cvs", "csv"},       {"verbsoe", "verbose"},
		{"x", NULL},          {"", NULL},
		{"completely", NULL}, {"memorylimit", "memory-limit"},
		{"json", "json"},     {"JSON", "json"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		CHECK_STR(weft_nearest(cases[i].name, known, 6), cases[i].want);
	CHECK_STR(weft_nearest("json", NULL, 0), NULL);
}

TEST(nearest_prefers_fewer_edits_then_the_first)
{
	static const char *const known[] = {"abcdeX", "abcdef", "abcdeY"};
	CHECK_STR(weft_nearest("abcdeg", known, 3), "abcdeX");
	CHECK_STR(weft_nearest("abcdef", known, 3), "abcdef");
}

TEST(closest_is_found_however_far)
{
	static const char *const known[] = {"table", "timeline", "view"};
	CHECK_STR(weft_closest("vow", known, 3), "view");
	CHECK_STR(weft_closest("xyz", known, 3), "view");
	CHECK_STR(weft_closest("", known, 3), "view");
	CHECK_STR(weft_closest("vow", known, 0), NULL);
}

TEST(nearest_refuses_long_names)
{
	char name[200];
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = '\0';
	const char *known[] = {name};
	CHECK_STR(weft_nearest(name, known, 1), NULL);
	name[64] = '\0';
	CHECK_STR(weft_nearest(name, known, 1), name);
}
