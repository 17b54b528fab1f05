/* SPDX-License-Identifier: Apache-2.0 */
/* json.c: what the writer writes passes the checker; what RFC 8259 does not allow does not. */
#include "harness.h"
#include "base/json.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- writing -- */

static struct {
	struct weft_json j;
	char *text;
	size_t n;
	FILE *to;
} doc;

static struct weft_json *begin(bool pretty)
{
	doc.text = NULL;
	doc.to = open_memstream(&doc.text, &doc.n);
	REQUIRE(doc.to);
	weft_json_init(&doc.j, doc.to, pretty);
	return &doc.j;
}

static void end_is(const char *want)
{
	fclose(doc.to);
	CHECK_STR(doc.text, want);
	CHECK_I64(weft_json_check(doc.text, doc.n, NULL), 0);
	free(doc.text);
}

static void write_sample(struct weft_json *j)
{
	weft_json_object(j);
	weft_json_key(j, "name");
	weft_json_string(j, "a \"b\"");
	weft_json_key(j, "rows");
	weft_json_array(j);
	weft_json_u64(j, UINT64_MAX);
	weft_json_i64(j, INT64_MIN);
	weft_json_object(j);
	weft_json_end(j);
	weft_json_array(j);
	weft_json_end(j);
	weft_json_end(j);
	weft_json_key(j, "ok");
	weft_json_bool(j, true);
	weft_json_key(j, "bad");
	weft_json_bool(j, false);
	weft_json_key(j, "none");
	weft_json_null(j);
	weft_json_end(j);
}

TEST(json_compact)
{
	write_sample(begin(false));
	end_is("{\"name\":\"a \\\"b\\\"\",\"rows\":[18446744073709551615,-9223372036854775808,{},[]],"
	       "\"ok\":true,\"bad\":false,\"none\":null}\n");
}

TEST(json_pretty)
{
	write_sample(begin(true));
	end_is("{\n"
	       "  \"name\": \"a \\\"b\\\"\",\n"
	       "  \"rows\": [\n"
	       "    18446744073709551615,\n"
	       "    -9223372036854775808,\n"
	       "    {},\n"
	       "    []\n"
	       "  ],\n"
	       "  \"ok\": true,\n"
	       "  \"bad\": false,\n"
	       "  \"none\": null\n"
	       "}\n");
}

TEST(json_single_values)
{
	weft_json_null(begin(true));
	end_is("null\n");
	weft_json_string(begin(false), "");
	end_is("\"\"\n");
	weft_json_string(begin(false), NULL);
	end_is("null\n");
	weft_json_array(begin(true));
	weft_json_end(&doc.j);
	end_is("[]\n");
}

TEST(json_doubles)
{
	struct weft_json *j = begin(false);
	static const double values[] = {0, -0.0, 1, 0.1, 1e300, 1 / 3.0, 123456789.5, NAN, INFINITY, -INFINITY};
	weft_json_array(j);
	for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
		weft_json_double(j, values[i]);
	weft_json_end(j);
	end_is("[0,-0,1,0.1,1e+300,0.3333333333333333,123456789.5,null,null,null]\n");
}

TEST(json_escapes)
{
	static const struct {
		const char *at;
		size_t n;
		const char *want;
	} cases[] = {
		{"\"\\/", 3, "\"\\\"\\\\/\"\n"},
		{"\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\"\n"},
		{"\0\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\\u007f\"\n"},
		{"\xc2\x9b|\xe2\x80\xae", 6, "\"\\u009b|\\u202e\"\n"},
		{"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9, "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\n"},
		/* invalid: one U+FFFD for each byte that begins nothing */
		{"a\xff"
	         "b",
	         3,
	         "\"a\xef\xbf\xbd"
	         "b\"\n"},
		{"\xc3", 1, "\"\xef\xbf\xbd\"\n"},
		{"\xc3\"", 2, "\"\xef\xbf\xbd\\\"\"\n"},
		{"\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"\n"},
		{"\xc0\x80", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\"\n"},
		{"", 0, "\"\"\n"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		weft_json_string_n(begin(false), cases[i].at, cases[i].n);
		end_is(cases[i].want);
	}
}

TEST(json_keys_are_escaped_too)
{
	struct weft_json *j = begin(false);
	weft_json_object(j);
	weft_json_key(j, "a\"\n");
	weft_json_u64(j, 1);
	weft_json_end(j);
	end_is("{\"a\\\"\\n\":1}\n");
}

TEST(json_of_random_bytes_is_json)
{
	for (int round = 0; round < 2000; round++) {
		char bytes[40];
		size_t n = test_random() % sizeof bytes;
		for (size_t i = 0; i < n; i++)
			bytes[i] = (char)(test_random() >> 30 & (round % 2 ? 0xff : 0x8f));
		weft_json_string_n(begin(false), bytes, n);
		fclose(doc.to);
		CHECK_I64(weft_json_check(doc.text, doc.n, NULL), 0);
		free(doc.text);
	}
}

TEST(json_depth_64)
{
	struct weft_json *j = begin(false);
	char want[130];
	for (int i = 0; i < 64; i++)
		weft_json_array(j);
	for (int i = 0; i < 64; i++)
		weft_json_end(j);
	memset(want, '[', 64);
	memset(want + 64, ']', 64);
	strcpy(want + 128, "\n");
	end_is(want);
}

static int status_of(void (*fault)(struct weft_json *))
{
	fflush(stdout);
	pid_t child = fork();
	REQUIRE(child >= 0);
	if (child == 0) {
		struct weft_json j;
		FILE *null = fopen("/dev/null", "w");
		close(STDERR_FILENO);
		weft_json_init(&j, null, false);
		fault(&j);
		_exit(0);
	}
	int status = 0;
	REQUIRE(waitpid(child, &status, 0) == child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void too_deep(struct weft_json *j)
{
	for (int i = 0; i < 65; i++)
		weft_json_array(j);
}

static void too_many_ends(struct weft_json *j)
{
	weft_json_array(j);
	weft_json_end(j);
	weft_json_end(j);
}

TEST(json_misuse_is_a_bug)
{
	CHECK_I64(status_of(too_deep), 70);
	CHECK_I64(status_of(too_many_ends), 70);
}

/* -- checking -- */

TEST(json_check_accepts)
{
	static const char *const cases[] = {
		"0",
		"-0",
		"10",
		"1.5",
		"-1.5e+10",
		"1E5",
		"1e-5",
		"true",
		"false",
		"null",
		"\"\"",
		" \t\r\n 1 \n",
		"[]",
		"{}",
		"[ ]",
		"{ }",
		"[1,2,[3,{\"a\":[]}]]",
		"{\"a\":1,\"a\":2}",
		"{\"\":{}}",
		"[[],[[]],{}]",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00aF\"",
		"\"\\ud800\"",
		"\"\x7f\"",
		"\"\xc3\xa9\xf4\x8f\xbf\xbf\"",
		"[1 , 2]",
		"[{\"a\":1},[1,2],{\"a\":[]}]",
		"{\"a\" : 1 , \"b\" : 2}",
		"123456789012345678901234567890",
		"1e99999",
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weft_err err = {0};
		CHECK_I64(weft_json_check(cases[i], strlen(cases[i]), &err), 0);
		CHECK_STR(err.text, "");
	}
}

TEST(json_check_refuses)
{
	static const char *const cases[][2] = {
		{"", "byte 0: expected a value, found the end"},
		{"  ", "byte 2: expected a value, found the end"},
		{"tru", "byte 0: expected a value, found 't'"},
		{"True", "byte 0: expected a value, found 'T'"},
		{"nullx", "byte 4: expected the end, found 'x'"},
		{"1 2", "byte 2: expected the end, found '2'"},
		{"01", "byte 1: expected the end, found '1'"},
		{"-01", "byte 2: expected the end, found '1'"},
		{"-", "byte 1: expected a digit, found the end"},
		{"+1", "byte 0: expected a value, found '+'"},
		{".5", "byte 0: expected a value, found '.'"},
		{"1.", "byte 2: expected a digit, found the end"},
		{"1.e5", "byte 2: expected a digit, found 'e'"},
		{"1e", "byte 2: expected a digit, found the end"},
		{"1e+-1", "byte 3: expected a digit, found '-'"},
		{"0x1", "byte 1: expected the end, found 'x'"},
		{"NaN", "byte 0: expected a value, found 'N'"},
		{"[", "byte 1: expected a value, found the end"},
		{"[1", "byte 2: expected ',' or ']', found the end"},
		{"[1,", "byte 3: expected a value, found the end"},
		{"[1,]", "byte 3: expected a value, found ']'"},
		{"[,1]", "byte 1: expected a value, found ','"},
		{"[1 2]", "byte 3: expected ',' or ']', found '2'"},
		{"[1}", "byte 2: expected ',' or ']', found '}'"},
		{"]", "byte 0: expected a value, found ']'"},
		{"[]]", "byte 2: expected the end, found ']'"},
		{"{", "byte 1: expected a string, found the end"},
		{"{1:2}", "byte 1: expected a string, found '1'"},
		{"{a:2}", "byte 1: expected a string, found 'a'"},
		{"{\"a\"}", "byte 4: expected ':', found '}'"},
		{"{\"a\":}", "byte 5: expected a value, found '}'"},
		{"{\"a\":1,}", "byte 7: expected a string, found '}'"},
		{"{\"a\":1]", "byte 6: expected ',' or '}', found ']'"},
		{"{,}", "byte 1: expected a string, found ','"},
		{"\"", "byte 1: expected the rest of a string, found the end"},
		{"\"\\", "byte 2: expected an escape, found the end"},
		{"\"\\x\"", "byte 2: expected an escape, found 'x'"},
		{"\"\\u12g4\"", "byte 5: expected a hexadecimal digit, found 'g'"},
		{"\"\\u12", "byte 5: expected a hexadecimal digit, found the end"},
		{"\"\n\"", "byte 1: expected the rest of a string, found byte 0x0a"},
		{"\"\xff\"", "byte 1: expected the rest of a string, found byte 0xff"},
		{"\"\xc3\"", "byte 1: expected the rest of a string, found byte 0xc3"},
		{"'a'", "byte 0: expected a value, found '''"},
		{"\xef\xbb\xbf"
	         "1",
	         "byte 0: expected a value, found byte 0xef"},
		{"\f1", "byte 0: expected a value, found byte 0x0c"},
		{"//x\n1", "byte 0: expected a value, found '/'"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weft_err err = {0};
		/* A copy of the exact size, so that a sanitizer sees a read behind the end. */
		size_t n = strlen(cases[i][0]);
		char *exact = malloc(n ? n : 1);
		REQUIRE(exact);
		memcpy(exact, cases[i][0], n);
		CHECK_I64(weft_json_check(exact, n, &err), WEFT_E_SYNTAX);
		CHECK_STR(err.text, cases[i][1]);
		free(exact);
	}
}

TEST(json_check_sees_nul_bytes)
{
	CHECK_I64(weft_json_check("1\0", 2, NULL), WEFT_E_SYNTAX);
	CHECK_I64(weft_json_check("\"\0\"", 3, NULL), WEFT_E_SYNTAX);
	CHECK_I64(weft_json_check("\"\\\0\"", 4, NULL), WEFT_E_SYNTAX);
	CHECK_I64(weft_json_check("[\0]", 3, NULL), WEFT_E_SYNTAX);
}

TEST(json_check_depth)
{
	enum { DEPTH = 512, HOSTILE = 1 << 20 };
	char *text = malloc(HOSTILE);
	struct weft_err err = {0};
	REQUIRE(text);
	for (int i = 0; i < DEPTH; i++)
		text[i] = '[';
	memset(text + DEPTH, ']', DEPTH);
	CHECK_I64(weft_json_check(text, 2 * DEPTH, NULL), 0);
	memset(text, '[', HOSTILE);
	CHECK_I64(weft_json_check(text, HOSTILE, &err), WEFT_E_SYNTAX);
	CHECK_STR(err.text, "byte 512: nested deeper than 512");
	free(text);
}

/* Kinds of nesting must be kept apart at every level, also where the bits move to the next word. */
TEST(json_check_closes_what_was_opened)
{
	enum { DEPTH = 200 };
	char text[DEPTH * 6];
	for (int wrong = -1; wrong < DEPTH; wrong++) {
		size_t n = 0;
		char close[DEPTH];
		for (int i = 0; i < DEPTH; i++) {
			bool object = test_random() & 1;
			n += (size_t)sprintf(text + n, "%s", object ? "{\"\":" : "[");
			close[i] = object ? '}' : ']';
		}
		text[n++] = '0';
		for (int i = DEPTH - 1; i >= 0; i--)
			text[n++] = i != wrong ? close[i] : close[i] == '}' ? ']' : '}';
		CHECK_I64(weft_json_check(text, n, NULL), wrong < 0 ? 0 : WEFT_E_SYNTAX);
	}
}
