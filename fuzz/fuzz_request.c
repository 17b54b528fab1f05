/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server of pages reads of a request itself: the path, Host, Origin, codings, tags; rows of a timeline and lists of numbers. The first
 * byte says which; texts are apart by newlines.
 */
#include "fuzz.h"

#include "server/core/server_guard.h"
#include "server/core/server_look.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN "0123456789abcdef0123456789abcdef"
enum { PARTS = 5, LIMIT = 1000 };

static void check_guard(char *part[PARTS])
{
	const struct server_guard g = {.token = TOKEN, .address = "127.0.0.1", .port = 4711};
	struct server_admitted in;
	const char *why = NULL;
	const struct server_asked asked = {.method = part[0],
	                                   .path = part[1],
	                                   .host = part[2],
	                                   .origin = *part[3] ? part[3] : NULL,
	                                   .site = *part[4] ? part[4] : NULL};
	int status = server_guard_check(&g, &asked, &in, &why);
	FUZZ_REQUIRE(status == 0 || status == 403 || status == 404 || status == 405);
	FUZZ_REQUIRE(why != NULL);
	if (status == 0) { /* nothing passes without the token and a name of ours */
		FUZZ_REQUIRE(!strncmp(asked.path, "/" TOKEN "/", 34));
		FUZZ_REQUIRE(server_guard_host(&g, asked.host));
		FUZZ_REQUIRE(in.rest >= asked.path && in.rest <= asked.path + strlen(asked.path));
	}
}

static void check_headers(char *part[PARTS])
{
	bool all = server_accepts(part[0], part[1]);
	(void)all;
	FUZZ_REQUIRE(!server_accepts("", part[1]));
	bool same = server_tag_matches(part[2], part[3]);
	FUZZ_REQUIRE(*part[2] || !same);
}

static void check_lines(char *part[PARTS])
{
	struct server_lines l;
	struct weft_err err = {0};
	int rc = server_lines_read(&l, weft_str(part[0]), LIMIT, &err);
	FUZZ_REQUIRE((rc == 0) == (err.code == 0));
	if (!rc) {
		FUZZ_REQUIRE(l.n >= 1 && l.n <= SERVER_LINES_MOST && l.first[0] == 0 && l.first[l.n] == l.n_rows);
		for (uint32_t i = 0; i < l.n; i++)
			FUZZ_REQUIRE(l.first[i] < l.first[i + 1]);
		for (uint32_t i = 0; i < l.n_rows; i++)
			FUZZ_REQUIRE(l.row[i] < LIMIT);
	}
	server_lines_fini(&l);
}

static void check_args(char *part[PARTS])
{
	struct weft_err err = {0};
	const struct server_arg arg[] = {{"n", part[0]}, {"d", part[1]}, {"list", part[2]}, {"which", part[3]}};
	const struct server_request r = {.arg = arg, .n_args = 4, .body = "", .err = &err};
	static const char *const known[] = {"one", "two", "three"};
	uint64_t n;
	double d;
	unsigned which;
	uint32_t *list, n_list;
	if (!server_arg_u64(&r, "n", 3, 99, 5, &n))
		FUZZ_REQUIRE(n >= 3 && n <= 99);
	if (!server_arg_double(&r, "d", 1, &d))
		FUZZ_REQUIRE(d == d && d - d == 0);
	if (!server_arg_choice(&r, "which", known, 3, 3, &which))
		FUZZ_REQUIRE(which < 3);
	if (!server_arg_list(&r, "list", LIMIT, 500, &list, &n_list)) {
		FUZZ_REQUIRE(n_list <= 500);
		for (uint32_t i = 0; i < n_list; i++)
			FUZZ_REQUIRE(list[i] < LIMIT);
		free(list);
	}
	FUZZ_REQUIRE(memchr(err.text, 0, sizeof err.text) && !strchr(err.text, '\n'));
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	static void (*const checks[])(char *part[PARTS]) = {check_guard, check_headers, check_lines, check_args};
	char *part[PARTS], *text = malloc(n + PARTS + 1);
	if (!n || !text) {
		free(text);
		return 0;
	}
	memcpy(text, at + 1, n - 1);
	memset(text + n - 1, 0, PARTS + 1);
	char *rest = text;
	for (unsigned i = 0; i < PARTS; i++) {
		part[i] = rest;
		char *end = strchr(rest, '\n');
		rest = end ? end + 1 : rest + strlen(rest);
		if (end)
			*end = 0;
	}
	checks[at[0] % 4](part);
	free(text);
	return 0;
}
