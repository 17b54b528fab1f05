/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server with real connections: sixty-four clients at once that ask for everything, read slowly, go away in the middle, send half a request, ten
 * megabytes of headers, or nonsense; streams that are left. At the end it still answers, has no request at work, and ends in order.
 */
#include "harness.h"
#include "metric/library/library.h"
#include "server/core/server.h"
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CLIENTS = 64, TURNS = 12, ANSWER_MOST = 1 << 20, HEADERS = 10 << 20 };

static const struct server_library library = {weft_views_each, weft_view_text_named};
static struct server_session *session;
static struct server_http *http;

static void begin(bool control)
{
	struct weft_err err = {0};
	int status;
	free(test_shell(&status, "cp -r \"$WEFT_SOURCE/tests/golden/traces/heat.weft\" %s/", test_dir()));
	REQUIRE(status == 0);
	session = calloc(1, sizeof *session);
	REQUIRE(session && server_session_init(session) == 0);
	session->version = "0";
	session->library = &library;
	session->threads = 2;
	session->control = control;
	REQUIRE(server_session_add(session, test_path("heat.weft"), &err) == 0);
	REQUIRE(server_http_open(&http, &(struct server_http_how){.session = session}, &err) == 0);
	REQUIRE(server_session_begin(session, &err) == 0);
	WAIT_FOR(weft_load_u32(&session->trace[0].state) >= SERVER_READY);
	REQUIRE(weft_load_u32(&session->trace[0].state) == SERVER_READY);
}

static void end(void)
{
	server_http_close(http);
	CHECK_U64(weft_load_u32(&session->running), 0);
	server_session_fini(session);
	free(session);
}

/* ---- a client ---- */

static int reach(void)
{
	struct sockaddr_in to = {.sin_family = AF_INET,
	                         .sin_port = htons(server_http_port(http)),
	                         .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to)) {
		close(fd);
		return -1;
	}
	struct timeval most = {60, 0};
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &most, sizeof most);
	return fd;
}

static void put(int fd, const char *text)
{
	size_t n = strlen(text);
	for (ssize_t k; n && (k = send(fd, text, n, MSG_NOSIGNAL)) > 0; n -= (size_t)k)
		text += k;
}

static void ask(int fd, const char *method, const char *path, const char *more)
{
	char text[1000];
	snprintf(text, sizeof text, "%s /%s/%s HTTP/1.1\r\nHost: 127.0.0.1:%u\r\nAccept-Encoding: gzip\r\n%s\r\n", method,
	         server_http_token(http), path, server_http_port(http), more);
	put(fd, text);
}

/* The status of the answer that comes; 0: none. It closes the connection. */
static int answer(int fd)
{
	char at[4096] = "";
	int status = 0;
	ssize_t n = recv(fd, at, sizeof at - 1, 0);
	if (n > 0)
		sscanf(at, "HTTP/1.1 %d", &status);
	close(fd);
	return status;
}

static int get(const char *path)
{
	int fd = reach();
	if (fd < 0)
		return -1;
	ask(fd, "GET", path, "Connection: close\r\n");
	return answer(fd);
}

static const char *const paths[] = {
	"",
	"web/pages.js",
	"web/nothing.js",
	"api/session/info",
	"api/session/views",
	"api/time/rows",
	"api/time/rows?view=useful",
	"api/time/cells?width=300",
	"api/time/cells?view=useful&draw=average&width=100",
	"api/time/cells?width=bad",
	"api/time/nest?width=200&depth=4",
	"api/time/exact?nested=1",
	"api/time/depths",
	"api/time/at?row=1&at=70000000",
	"api/time/find?filter=region%3DMPI_Recv&from=0",
	"api/time/messages",
	"api/time/flows",
	"api/time/counters",
	"api/time/legend",
	"api/time/curve?view=useful&width=50",
	"api/table/profile?by=region",
	"api/nothing/at/all",
	"api/time/cells?view=%00",
	"api/time/cells?rows=0%2C0%2C0~2",
	"api/session/changed",
};
enum { PATHS = sizeof paths / sizeof *paths };

static void whole(unsigned seed)
{
	int status = get(paths[seed % PATHS]);
	CHECK(status == 200 || status == 400 || status == 404 || status == 503);
}
static void many_in_a_row(unsigned seed)
{
	int fd = reach();
	for (unsigned i = 0; i < 6 && fd >= 0; i++)
		ask(fd, "GET", paths[(seed + i) % PATHS], i == 5 ? "Connection: close\r\n" : "");
	CHECK(fd >= 0 && answer(fd) > 0);
}
static void goes_away(unsigned seed)
{
	int fd = reach();
	struct linger at_once = {1, 0};
	if (fd < 0)
		return;
	ask(fd, "GET", paths[seed % PATHS], "");
	if (seed & 1)
		setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	close(fd);
}
static void half(unsigned seed)
{
	static const char *const parts[] = {"GET", "GET / HT", "POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nabc",
	                                    "\r\n\r\n\r\n", "GET / HTTP/1.1\r\nHost"};
	int fd = reach();
	if (fd < 0)
		return;
	put(fd, parts[seed % 5]);
	usleep(1000 * (seed % 7));
	close(fd);
}
static void nonsense(unsigned seed)
{
	char at[600];
	int fd = reach();
	if (fd < 0)
		return;
	for (unsigned i = 0; i < sizeof at - 1; i++)
		at[i] = (char)((seed = seed * 1103515245 + 12345) >> 16 | 1);
	at[sizeof at - 1] = 0;
	put(fd, at);
	put(fd, "\r\n\r\n");
	shutdown(fd, SHUT_WR); /* else the server may wait for the rest of what it takes for a request */
	answer(fd);
}
static void huge_headers(unsigned seed)
{
	int fd = reach();
	char line[1024];
	(void)seed;
	if (fd < 0)
		return;
	memset(line, 'a', sizeof line);
	memcpy(line, "X-A: ", 5);
	memcpy(line + sizeof line - 3, "\r\n", 3);
	ask(fd, "GET", "", "X-B: 1");
	for (unsigned i = 0; i < HEADERS / sizeof line; i++)
		if (send(fd, line, sizeof line - 1, MSG_NOSIGNAL) <= 0)
			break;
	int status = answer(fd);
	CHECK(status == 0 || status >= 400);
}
static void slowly(unsigned seed)
{
	int fd = reach(), small = 2048;
	char at[64];
	if (fd < 0)
		return;
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
	ask(fd, "GET", "api/time/cells?width=2000&rows=0-2", "Connection: close\r\n");
	for (unsigned i = 0; i < 5 + seed % 10 && recv(fd, at, sizeof at, 0) > 0; i++)
		usleep(1000);
	close(fd);
}
static void stream(unsigned seed)
{
	int fd = reach();
	char at[512];
	if (fd < 0)
		return;
	ask(fd, "GET", "api/session/progress", "");
	if (seed % 3)
		CHECK(recv(fd, at, sizeof at, 0) > 0);
	close(fd);
}
static void posts(unsigned seed)
{
	int fd = reach();
	(void)seed;
	if (fd < 0)
		return;
	ask(fd, "POST", "api/time/rows", "Content-Length: 3\r\nConnection: close\r\n");
	put(fd, "abc");
	CHECK_I64(answer(fd), 405);
}
static void without_token(unsigned seed)
{
	int fd = reach();
	if (fd < 0)
		return;
	put(fd, seed & 1 ? "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
	                 : "GET /00000000000000000000000000000000/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	CHECK_I64(answer(fd), 403);
}

static void (*const habits[])(unsigned seed) = {whole,  many_in_a_row, goes_away, half,          nonsense,
                                                slowly, stream,        posts,     without_token, whole};

static void *client(void *arg)
{
	unsigned seed = (unsigned)(uintptr_t)arg * 2654435761u;
	for (unsigned i = 0; i < TURNS; i++) {
		seed = seed * 1103515245 + 12345;
		habits[(seed >> 16) % (sizeof habits / sizeof *habits)](seed >> 8);
	}
	return NULL;
}

TEST(sixty_four_clients)
{
	pthread_t thread[CLIENTS];
	begin(false);
	for (uintptr_t i = 0; i < CLIENTS; i++)
		REQUIRE(pthread_create(&thread[i], NULL, client, (void *)(i + 1)) == 0);
	for (unsigned i = 0; i < CLIENTS; i++)
		pthread_join(thread[i], NULL);
	CHECK_I64(get("api/session/info"), 200);
	WAIT_FOR(weft_load_u32(&session->running) == 0);
	end();
}

TEST(ten_megabytes_of_headers)
{
	begin(false);
	huge_headers(1);
	CHECK_I64(get(""), 200);
	end();
}

/* Tabs that are left open, with a stream each, are no reason not to end. */
TEST(it_ends_under_open_connections)
{
	enum { TABS = 100 };
	int fd[TABS];
	begin(true);
	for (unsigned i = 0; i < TABS; i++) {
		fd[i] = reach();
		REQUIRE(fd[i] >= 0);
		ask(fd[i], "GET", i % 3 ? "api/session/progress" : "api/time/rows", "");
	}
	end();
	for (unsigned i = 0; i < TABS; i++)
		close(fd[i]);
}

TEST(one_answer_is_whole_and_the_same)
{
	char *first = NULL;
	size_t n_first = 0;
	begin(false);
	for (unsigned turn = 0; turn < 20; turn++) {
		int fd = reach();
		char *at = malloc(ANSWER_MOST);
		size_t n = 0;
		REQUIRE(fd >= 0 && at);
		ask(fd, "GET", "api/time/cells?width=500&rows=0-2", "Connection: close\r\n");
		for (ssize_t k; n < ANSWER_MOST && (k = recv(fd, at + n, ANSWER_MOST - n, 0)) > 0;)
			n += (size_t)k;
		close(fd);
		char *body = memmem(at, n, "\r\n\r\n", 4);
		REQUIRE(body != NULL);
		size_t n_body = n - (size_t)(body - at);
		if (first)
			CHECK(n_body == n_first && !memcmp(first, body, n_body));
		else if ((first = malloc(n_body)))
			memcpy(first, body, n_first = n_body);
		free(at);
	}
	free(first);
	end();
}
