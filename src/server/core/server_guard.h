/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may ask: pure functions of what a request says, so that they can be tested and fuzzed without a connection.
 *
 *     /TOKEN/                the page             /TOKEN/web/FILE      its modules           /TOKEN/api/AREA/NAME    data
 *
 * A page of somebody else's that the same browser shows can send requests here; so the token is in the path, the name that it called us
 * (Host) must be ours, as a name of its own may point at 127.0.0.1, and its Origin too where there is one.
 */
#ifndef WEFT_SERVER_GUARD_H
#define WEFT_SERVER_GUARD_H

#include "server_route.h"

enum server_part { SERVER_PAGE, SERVER_FILE, SERVER_API };
struct server_guard {
	char token[33];   /* 32 hexadecimal digits */
	char address[64]; /* that the server listens at, as text: "127.0.0.1", "::1", "10.0.0.7" */
	bool any;         /* it listens at all addresses: then any number of an address will do as Host, but no name */
	bool tls;
	uint16_t port;
	bool control;
};
struct server_asked {
	const char *method, *path;        /* path: decoded by the server library, without the query */
	const char *host, *origin, *site; /* headers Host, Origin, Sec-Fetch-Site; NULL: not sent */
};
struct server_admitted {
	enum server_part part;
	const char *rest; /* "app.js", "time/cells": points into asked->path */
	bool post;
};
/* 0, or the status with which it is refused (403, 404, 405), and in *why a line that tells nothing to who has no token. */
int server_guard_check(const struct server_guard *g, const struct server_asked *asked, struct server_admitted *out,
                       const char **why);
/* "NAME:PORT" is one by which pages of this server are asked for. */
bool server_guard_host(const struct server_guard *g, const char *host);
/* Does an Accept-Encoding allow this coding? Qualities of 0 forbid it; "*" allows what is not named. */
bool server_accepts(const char *header, const char *coding);
/* Is the tag one of an If-None-Match? */
bool server_tag_matches(const char *header, const char *tag);
/* 128 random bits in hexadecimal; 0 or negative. */
int server_token_make(char out[33]) WEFT_MUST_CHECK;

#endif
