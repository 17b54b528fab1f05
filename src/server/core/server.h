/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server of pages, for who starts it.
 *
 *     server_session_init, server_session_add…, server_session_begin
 *     server_http_open(&http, &how, &err)       from here on it answers
 *     … until somebody wants it to end
 *     server_http_close(http), server_session_fini
 */
#ifndef WEFT_SERVER_SERVER_H
#define WEFT_SERVER_SERVER_H

#include "server_session.h"
#include <netinet/in.h>

struct server_http;
struct server_http_how {
	struct server_session *session; /* borrowed, until it is closed */
	const char *address;            /* NULL: 127.0.0.1 */
	uint16_t port;                  /* 0: any that is free */
	unsigned workers;               /* 0: as many as CPUs, at least 2 */
	const char *token;              /* NULL: a new one of 128 random bits. In hexadecimal */
	const char *cert, *key;         /* PEM texts of TLS; NULL: none */
};
int server_http_open(struct server_http **out, const struct server_http_how *how, struct weft_err *err) WEFT_MUST_CHECK;
void server_http_close(struct server_http *h);
uint16_t server_http_port(const struct server_http *h);
const char *server_http_token(const struct server_http *h);

#endif
