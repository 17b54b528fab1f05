/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may ask the server of pages: a request's method, path and headers, each a line of the input, whatever they are. Who is let in named the token, this
 * server and no other origin.
 */
#include "fuzz.h"

#include "server/core/server_guard.h"

#include <stdlib.h>
#include <string.h>

#define TOKEN "0123456789abcdef0123456789abcdef"
enum { LINES = 6 }; /* method, path, Host, Origin, Sec-Fetch-Site, a list of a header */

static const struct server_guard guards[] = {
	{.token = TOKEN, .address = "127.0.0.1", .port = 4000},
	{.token = TOKEN, .address = "::1", .port = 443, .tls = true},
	{.token = TOKEN, .address = "0.0.0.0", .any = true, .port = 80, .control = true},
};

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	char *text = malloc(n + 1), *line[LINES] = {NULL};
	FUZZ_REQUIRE(text != NULL);
	memcpy(text, at, n);
	text[n] = '\0';
	char *rest = text;
	for (unsigned i = 0; i < LINES && rest; i++)
		line[i] = strsep(&rest, "\n");
	for (unsigned g = 0; line[0] && line[1] && g < sizeof guards / sizeof *guards; g++) {
		const struct server_asked a = {line[0], line[1], line[2], line[3], line[4]};
		struct server_admitted out;
		const char *why = NULL;
		const int status = server_guard_check(&guards[g], &a, &out, &why);
		FUZZ_REQUIRE(status == 0 || (why && (status == 403 || status == 404 || status == 405)));
		if (status)
			continue;
		FUZZ_REQUIRE(strncmp(line[1], "/" TOKEN "/", 34) == 0 && server_guard_host(&guards[g], line[2]));
		FUZZ_REQUIRE(out.rest >= line[1] && out.rest <= line[1] + strlen(line[1]));
		FUZZ_REQUIRE(!out.post || out.part == SERVER_API);
	}
	if (line[5]) {
		(void)server_accepts(line[5], "zstd");
		(void)server_tag_matches(line[5], "\"a\"");
	}
	free(text);
	return 0;
}
