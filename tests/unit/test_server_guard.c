/* SPDX-License-Identifier: Apache-2.0 */
/* Who may ask the server what: tokens, names of the server, origins, methods; what browsers send in headers. */
#include "server/core/server_guard.h"
#include "harness.h"
#include <string.h>

#define TOKEN "0123456789abcdef0123456789abcdef"
static const struct server_guard here = {.token = TOKEN, .address = "127.0.0.1", .port = 4000};

static const struct {
	const char *method, *path, *host, *origin, *site;
	int want;
} asked[] = {
	{"GET", "/" TOKEN "/", "127.0.0.1:4000", NULL, NULL, 0},
	{"GET", "/" TOKEN "/", "localhost:4000", NULL, "cross-site", 0}, /* a link from elsewhere */
	{"GET", "/" TOKEN "/api/time/rows", "127.0.0.1:4000", "http://127.0.0.1:4000", "same-origin", 0},
	{"HEAD", "/" TOKEN "/web/app.js", "[::1]:4000", NULL, "none", 0},
	{"POST", "/" TOKEN "/api/live/set", "127.0.0.1:4000", "http://localhost:4000", NULL, 0},
	/* who has no token, or half of one */
	{"GET", "/", "127.0.0.1:4000", NULL, NULL, 403},
	{"GET", "", "127.0.0.1:4000", NULL, NULL, 403},
	{"GET", "/0123456789abcdef0123456789abcdee/", "127.0.0.1:4000", NULL, NULL, 403},
	{"GET", "/0123456789abcdef", "127.0.0.1:4000", NULL, NULL, 403},
	{"GET", "/" TOKEN, "127.0.0.1:4000", NULL, NULL, 403},
	{"GET", "/" TOKEN "x/", "127.0.0.1:4000", NULL, NULL, 403},
	{"GET", "/0123456789ABCDEF0123456789ABCDEF/", "127.0.0.1:4000", NULL, NULL, 403},
	/* a name of somebody else's that points here */
	{"GET", "/" TOKEN "/", "evil.example:4000", NULL, NULL, 403},
	{"GET", "/" TOKEN "/", "127.0.0.1.evil.example:4000", NULL, NULL, 403},
	{"GET", "/" TOKEN "/", "127.0.0.1", NULL, NULL, 403},
	{"GET", "/" TOKEN "/", "127.0.0.1:4001", NULL, NULL, 403},
	{"GET", "/" TOKEN "/", NULL, NULL, NULL, 403},
	{"GET", "/" TOKEN "/", "", NULL, NULL, 403},
	{"GET", "/" TOKEN "/", "127.0.0.1:4000:4000", NULL, NULL, 403},
	{"GET", "/" TOKEN "/", "127.0.0.1:0x0fa0", NULL, NULL, 403},
	/* a page of somebody else's, in the same browser */
	{"POST", "/" TOKEN "/api/live/set", "127.0.0.1:4000", "http://evil.example", NULL, 403},
	{"GET", "/" TOKEN "/api/time/rows", "127.0.0.1:4000", "null", NULL, 403},
	{"GET", "/" TOKEN "/api/time/rows", "127.0.0.1:4000", "https://127.0.0.1:4000", NULL, 403},
	{"GET", "/" TOKEN "/api/time/rows", "127.0.0.1:4000", NULL, "cross-site", 403},
	{"GET", "/" TOKEN "/web/app.js", "127.0.0.1:4000", NULL, "same-site", 403},
	/* what there is not */
	{"GET", "/" TOKEN "/etc/passwd", "127.0.0.1:4000", NULL, NULL, 404},
	{"PUT", "/" TOKEN "/", "127.0.0.1:4000", NULL, NULL, 405},
	{"POST", "/" TOKEN "/", "127.0.0.1:4000", NULL, NULL, 405},
	{"get", "/" TOKEN "/", "127.0.0.1:4000", NULL, NULL, 405},
};

TEST(who_may_ask)
{
	for (size_t i = 0; i < sizeof asked / sizeof *asked; i++) {
		const struct server_asked a = {asked[i].method, asked[i].path, asked[i].host, asked[i].origin, asked[i].site};
		struct server_admitted out;
		const char *why;
		const int got = server_guard_check(&here, &a, &out, &why);
		if (got != asked[i].want)
			printf("# %s %s of '%s'\n", asked[i].method, asked[i].path, asked[i].host ? asked[i].host : "nobody");
		CHECK_I64(got, asked[i].want);
	}
}

TEST(what_is_asked_for)
{
	const struct server_asked page = {"GET", "/" TOKEN "/", "127.0.0.1:4000", NULL, NULL},
				  file = {"GET", "/" TOKEN "/web/lib/dom.js", "127.0.0.1:4000", NULL, NULL},
				  data = {"POST", "/" TOKEN "/api/live/set", "127.0.0.1:4000", NULL, NULL};
	struct server_admitted out;
	const char *why;
	REQUIRE(server_guard_check(&here, &page, &out, &why) == 0);
	CHECK(out.part == SERVER_PAGE && !out.post);
	REQUIRE(server_guard_check(&here, &file, &out, &why) == 0);
	CHECK_I64(out.part, SERVER_FILE);
	CHECK_STR(out.rest, "lib/dom.js");
	REQUIRE(server_guard_check(&here, &data, &out, &why) == 0);
	CHECK(out.part == SERVER_API && out.post);
	CHECK_STR(out.rest, "live/set");
}

TEST(listening_for_all)
{
	struct server_guard all = here;
	all.any = true;
	CHECK(server_guard_host(&all, "10.1.2.3:4000") && server_guard_host(&all, "[fe80::1]:4000"));
	CHECK(!server_guard_host(&all, "host.example:4000") && !server_guard_host(&here, "10.1.2.3:4000"));
	struct server_guard tls = here;
	tls.tls = true;
	tls.port = 443;
	CHECK(server_guard_host(&tls, "127.0.0.1"));
}

TEST(codings_and_tags)
{
	CHECK(server_accepts("gzip, deflate, br, zstd", "zstd") && !server_accepts("gzip", "zstd") &&
	      !server_accepts(NULL, "gzip"));
	CHECK(!server_accepts("gzip;q=0", "gzip") && server_accepts("gzip;q=0.5", "gzip") && server_accepts("*", "zstd"));
	CHECK(!server_accepts("zstd;q=0, *", "zstd") && !server_accepts("gzip;q=wrong", "gzip") &&
	      !server_accepts(",,;,", "gzip"));
	CHECK(server_tag_matches("\"a\", W/\"b\"", "\"b\"") && server_tag_matches("*", "\"x\"") &&
	      !server_tag_matches("\"ab\"", "\"a\""));
	CHECK(!server_tag_matches(NULL, "\"a\"") && !server_tag_matches("", "\"a\""));
}

TEST(tokens_differ)
{
	char a[33], b[33];
	REQUIRE(server_token_make(a) == 0 && server_token_make(b) == 0);
	CHECK(strlen(a) == 32 && strspn(a, "0123456789abcdef") == 32 && strcmp(a, b) != 0);
}
