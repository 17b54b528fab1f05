/* SPDX-License-Identifier: Apache-2.0 */
/* Who may ask: see guard.h. Every text here comes from whoever connects. */
#include "server_guard.h"
#include <arpa/inet.h>
#include <errno.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>

enum { TOKEN_DIGITS = 32, HOST_MOST = 80 };

int server_token_make(char out[33])
{
	static const char digits[] = "0123456789abcdef";
	uint8_t raw[TOKEN_DIGITS / 2];
	out[0] = 0;
	if (getrandom(raw, sizeof raw, 0) != (ssize_t)sizeof raw)
		return -EIO;
	for (unsigned i = 0; i < sizeof raw; i++) {
		out[2 * i] = digits[raw[i] >> 4];
		out[2 * i + 1] = digits[raw[i] & 15];
	}
	out[TOKEN_DIGITS] = 0;
	return 0;
}

/* All digits are looked at, wherever the first wrong one is: the time tells nothing. */
static bool token_is(const char *token, const char *at)
{
	unsigned differ = 0;
	if (strlen(at) < TOKEN_DIGITS)
		return false;
	for (unsigned i = 0; i < TOKEN_DIGITS; i++)
		differ |= (unsigned)((unsigned char)token[i] ^ (unsigned char)at[i]);
	return !differ;
}

/* Takes ":PORT" off the end. False: there is none, or not ours. 80 and 443 are left out by browsers. */
static bool port_is_ours(const struct server_guard *g, char *host)
{
	char *colon = strrchr(host, ':');
	uint64_t port = g->tls ? 443 : 80;
	if (colon && !strchr(colon, ']')) {
		if (weft_parse_u64(weft_str(colon + 1), &port))
			return false;
		*colon = 0;
	}
	return port == g->port;
}

static bool is_number(const char *host)
{
	struct in6_addr six;
	struct in_addr four;
	return inet_pton(AF_INET, host, &four) == 1 || inet_pton(AF_INET6, host, &six) == 1;
}

bool server_guard_host(const struct server_guard *g, const char *host)
{
	char name[HOST_MOST];
	size_t n = host ? strlen(host) : 0;
	if (!n || n >= sizeof name)
		return false;
	memcpy(name, host, n + 1);
	if (!port_is_ours(g, name))
		return false;
	n = strlen(name);
	char *bare = name;
	if (n > 2 && name[0] == '[' && name[n - 1] == ']') {
		name[n - 1] = 0;
		bare++;
	}
	if (!strcasecmp(bare, "localhost") || !strcmp(bare, "127.0.0.1") || !strcmp(bare, "::1"))
		return true;
	return g->any ? is_number(bare) : !strcasecmp(bare, g->address);
}

static bool origin_is_ours(const struct server_guard *g, const char *origin)
{
	const char *scheme = g->tls ? "https://" : "http://";
	size_t n = strlen(scheme);
	return !strncmp(origin, scheme, n) && server_guard_host(g, origin + n);
}

/* What a path asks for; false: nothing that there is. */
static bool split(const char *rest, struct server_admitted *out)
{
	static const struct {
		const char *prefix;
		enum server_part part;
	} parts[] = {{"web/", SERVER_FILE}, {"api/", SERVER_API}};
	out->rest = rest;
	out->part = SERVER_PAGE;
	if (!*rest)
		return true;
	for (unsigned i = 0; i < sizeof parts / sizeof *parts; i++) {
		size_t n = strlen(parts[i].prefix);
		if (!strncmp(rest, parts[i].prefix, n)) {
			out->part = parts[i].part;
			out->rest = rest + n;
			return true;
		}
	}
	return false;
}

int server_guard_check(const struct server_guard *g, const struct server_asked *a, struct server_admitted *out, const char **why)
{
	*why = "not allowed";
	*out = (struct server_admitted){0};
	if (!server_guard_host(g, a->host) || a->path[0] != '/' || !token_is(g->token, a->path + 1))
		return 403;
	if (a->origin && !origin_is_ours(g, a->origin))
		return 403;
	/* A link to the page may stand anywhere; what another site's page fetches is refused. */
	const char *rest = a->path + 1 + TOKEN_DIGITS;
	if (*rest != '/')
		return 403;
	bool page = !rest[1];
	if (a->site && !page && strcmp(a->site, "same-origin") != 0 && strcmp(a->site, "none") != 0)
		return 403;
	*why = "there is nothing of that name";
	if (!split(rest + 1, out))
		return 404;
	out->post = !strcmp(a->method, "POST");
	*why = "only GET, HEAD and POST are known here";
	if (!out->post && strcmp(a->method, "GET") != 0 && strcmp(a->method, "HEAD") != 0)
		return 405;
	if (out->post && out->part != SERVER_API)
		return 405;
	/* A form of another site sends no Origin in old browsers only; what changes something wants one, or a program that is none. */
	return 0;
}

/* ---- headers ---- */

static struct weft_str next_item(const char **at)
{
	const char *end = *at + strcspn(*at, ",");
	struct weft_str item = weft_str_trim(weft_str_n(*at, (size_t)(end - *at)));
	*at = *end ? end + 1 : end;
	return item;
}

/* "gzip;q=0.5": its name is left in *item. */
static bool item_allows(struct weft_str *item)
{
	const char *semi = memchr(item->at, ';', item->n);
	double q = 1;
	if (semi) {
		struct weft_str rest = weft_str_trim(weft_str_n(semi + 1, item->n - (size_t)(semi + 1 - item->at)));
		item->n = (size_t)(semi - item->at);
		*item = weft_str_trim(*item);
		if (rest.n > 2 && (rest.at[0] == 'q' || rest.at[0] == 'Q') && rest.at[1] == '=' &&
		    weft_parse_double(weft_str_n(rest.at + 2, rest.n - 2), &q))
			return false;
	}
	return q > 0;
}

bool server_accepts(const char *header, const char *coding)
{
	bool any = false;
	for (const char *at = header ? header : ""; *at;) {
		struct weft_str item = next_item(&at);
		if (!item.n)
			continue;
		bool allows = item_allows(&item);
		if (item.n == strlen(coding) && !strncasecmp(item.at, coding, item.n))
			return allows;
		if (item.n == 1 && item.at[0] == '*')
			any = allows;
	}
	return any;
}

bool server_tag_matches(const char *header, const char *tag)
{
	for (const char *at = header ? header : ""; *at;) {
		struct weft_str item = next_item(&at);
		if (item.n > 2 && item.at[0] == 'W' && item.at[1] == '/')
			item = weft_str_n(item.at + 2, item.n - 2);
		if (weft_str_eq(item, tag) || weft_str_eq(item, "*"))
			return true;
	}
	return false;
}
