/* SPDX-License-Identifier: Apache-2.0 */
/* Prometheus' text format over HTTP: one request a connection, whatever it asks for; who is slow to ask is not waited for. */
#include "top.h"
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ASK_MS = 500 };

int top_export_open(const char *where, struct weft_err *err)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char address[64], *end;
	const char *colon = strrchr(where, ':'), *port = colon ? colon + 1 : where;
	unsigned long number = strtoul(port, &end, 10);
	snprintf(address, sizeof address, "%.*s", colon ? (int)(colon - where) : 0, where);
	if (end == port || *end || number > 65535 || (colon && inet_pton(AF_INET, address, &at.sin_addr) != 1))
		return weft_err_set(err, -EINVAL, "--export wants PORT or ADDRESS:PORT, not '%s'", where);
	at.sin_port = htons((uint16_t)number);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	socklen_t n = sizeof at;
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 8) ||
	    getsockname(fd, (struct sockaddr *)&at, &n)) {
		int rc = weft_err_sys(err, errno, "cannot listen at '%s'", where);
		if (fd >= 0)
			close(fd);
		return rc;
	}
	fprintf(stderr, "weft top: http://%s:%u/metrics\n", inet_ntop(AF_INET, &at.sin_addr, address, sizeof address),
	        ntohs(at.sin_port));
	return fd;
}

/* The request's end, or what came of it in time. */
static void read_request(int fd)
{
	char request[4096];
	size_t n = 0;
	struct pollfd p = {.fd = fd, .events = POLLIN};
	while (n < sizeof request - 1 && poll(&p, 1, ASK_MS) > 0) {
		ssize_t more = recv(fd, request + n, sizeof request - 1 - n, 0);
		if (more <= 0)
			return;
		n += (size_t)more;
		request[n] = '\0';
		if (strstr(request, "\r\n\r\n") || strstr(request, "\n\n"))
			return;
	}
}

static void send_whole(int fd, const char *text, size_t n)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};
	while (n && poll(&p, 1, ASK_MS) > 0) {
		ssize_t done = send(fd, text, n, MSG_NOSIGNAL);
		if (done <= 0)
			return;
		text += done;
		n -= (size_t)done;
	}
}

void top_export_answer(int listener, const struct pulse_value *sample)
{
	int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (fd < 0)
		return;
	char *body = NULL, head[160];
	size_t n = 0;
	FILE *to = open_memstream(&body, &n);
	if (to && sample)
		top_flat_prometheus(sample, to);
	if (to)
		fclose(to);
	read_request(fd);
	int length = snprintf(
		head, sizeof head,
		"HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\nContent-Length: %zu\r\nConnection: close\r\n\r\n",
		n);
	send_whole(fd, head, (size_t)length);
	send_whole(fd, body ? body : "", n);
	free(body);
	close(fd);
}
