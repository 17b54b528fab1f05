/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections: the one file that knows how the library calls. One thread of the library holds all of them; what takes time is done by
 * the workers, while the connection is suspended (server_priv.h has the picture).
 */
#include "base/map.h"
#include "base/pool.h"
#include "server_priv.h"
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

/* A request, from its headers to the end of its response. */
struct exchange {
	struct server_job job;
	struct server_http *http;
	struct MHD_Connection *connection;
	const struct server_route *route;
	struct server_arg arg[SERVER_ARGS_MOST]; /* owned copies */
	unsigned n_args;
	struct weft_buf body;
	const char *accept; /* of the connection */
	char tag[40];       /* "" : none */
	char file[64];      /* of a request for a file */
	int fd;
	bool refused, made;
	struct server_reply reply;
};

static void free_exchange(struct exchange *x)
{
	for (unsigned i = 0; i < x->n_args; i++) {
		free((char *)(uintptr_t)x->arg[i].name);
		free((char *)(uintptr_t)x->arg[i].value);
	}
	if (x->reply.response)
		MHD_destroy_response(x->reply.response);
	weft_buf_fini(&x->body);
	free(x);
}

static const char *header(struct MHD_Connection *c, const char *name)
{
	return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

static enum MHD_Result send_reply(struct MHD_Connection *c, struct server_reply reply)
{
	if (!reply.response)
		return MHD_NO; /* closes the connection */
	enum MHD_Result queued = MHD_queue_response(c, reply.status, reply.response);
	MHD_destroy_response(reply.response);
	return queued;
}

/* ---- a worker's side ---- */

static bool client_is_gone(const struct server_request *r)
{
	const struct exchange *x = r->priv;
	struct pollfd p = {.fd = x->fd, .events = POLLRDHUP};
	return weft_load_bool(&x->http->session->ending) || (poll(&p, 1, 0) > 0 && (p.revents & (POLLRDHUP | POLLHUP | POLLERR)));
}

static struct server_reply answer_route(struct exchange *x, const struct server_request *r)
{
	struct server_answer a = {.status = 200};
	int rc = server_route_answer(x->route, r, &a);
	if (rc)
		server_answer_error(&a, rc, r->err);
	return server_reply_make(&a, x->accept, x->tag[0] ? x->tag : NULL);
}

static struct server_reply begin_stream(struct exchange *x, const struct server_request *r)
{
	void *state = NULL;
	int rc = x->route->stream->begin(r, &state);
	if (!rc)
		return server_stream_reply(&x->http->clock, x->connection, x->fd, x->route->stream, state);
	struct server_answer a = {0};
	server_answer_error(&a, rc, r->err);
	return server_reply_make(&a, x->accept, NULL);
}

static void answer(struct server_job *j)
{
	struct exchange *x = (struct exchange *)j; /* its first member */
	struct weft_err err = {0};
	struct server_request r = {.session = x->http->session,
	                           .arg = x->arg,
	                           .n_args = x->n_args,
	                           .body = x->body.n ? x->body.at : "",
	                           .n_body = x->body.n,
	                           .err = &err,
	                           .gone = client_is_gone,
	                           .priv = x};
	if (client_is_gone(&r)) {
		x->reply = server_reply_text(503, "nobody waits for it");
	} else {
		weft_add_u32(&r.session->running, 1);
		x->reply = x->route->stream ? begin_stream(x, &r) : answer_route(x, &r);
		weft_add_u32(&r.session->running, UINT32_MAX);
	}
	x->made = true;
	MHD_resume_connection(x->connection);
}

/* ---- the library's side ---- */

static enum MHD_Result take_arg(void *arg, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct exchange *x = arg;
	(void)kind;
	if (x->n_args == SERVER_ARGS_MOST)
		return MHD_NO;
	char *n = strdup(name), *v = strdup(value ? value : "");
	if (!n || !v) {
		free(n);
		free(v);
		x->refused = true;
		return MHD_NO;
	}
	x->arg[x->n_args++] = (struct server_arg){n, v};
	return MHD_YES;
}

/* The address, with its arguments, is all that a fixed answer depends on. */
static void make_tag(struct exchange *x)
{
	uint64_t h = weft_hash(x->route->path, strlen(x->route->path));
	for (unsigned i = 0; i < x->n_args; i++) {
		h = weft_hash_u64(h ^ weft_hash(x->arg[i].name, strlen(x->arg[i].name)));
		h = weft_hash_u64(h + weft_hash(x->arg[i].value, strlen(x->arg[i].value)));
	}
	snprintf(x->tag, sizeof x->tag, "\"%s%016llx\"", x->http->session->nonce, (unsigned long long)h);
}

/* What a request asks for, before its body has come. A refusal is sent at once. */
static enum MHD_Result begin(struct exchange *x, const char *url, const char *method)
{
	struct server_admitted in;
	const char *why;
	struct MHD_Connection *c = x->connection;
	struct server_asked asked = {.method = method,
	                             .path = url,
	                             .host = header(c, MHD_HTTP_HEADER_HOST),
	                             .origin = header(c, "Origin"),
	                             .site = header(c, "Sec-Fetch-Site")};
	int status = server_guard_check(&x->http->guard, &asked, &in, &why);
	if (status)
		return send_reply(c, server_reply_text((unsigned)status, why));
	x->accept = header(c, MHD_HTTP_HEADER_ACCEPT_ENCODING);
	if (in.part != SERVER_API) {
		snprintf(x->file, sizeof x->file, "%s", in.part == SERVER_PAGE ? "index.html" : in.rest);
		return MHD_YES;
	}
	x->route = server_route_find(in.rest);
	if (!x->route)
		return send_reply(c, server_reply_text(404, "there is nothing of that name"));
	bool changes = x->route->flags & SERVER_CHANGES;
	if (changes != in.post)
		return send_reply(c, server_reply_text(405, changes ? "this is asked for by POST" : "this is asked for by GET"));
	if (changes && !x->http->guard.control)
		return send_reply(
			c,
			server_reply_text(403, "this server only shows: start it with 'weft open --control' to change things"));
	if (MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, NULL, NULL) > SERVER_ARGS_MOST)
		return send_reply(c, server_reply_text(400, "too many arguments"));
	MHD_get_connection_values(c, MHD_GET_ARGUMENT_KIND, take_arg, x);
	if (x->refused)
		return send_reply(c, server_reply_text(503, "out of memory"));
	if (x->route->flags & SERVER_FIXED)
		make_tag(x);
	return MHD_YES;
}

static enum MHD_Result dispatch(struct exchange *x)
{
	struct MHD_Connection *c = x->connection;
	const char *tags = header(c, MHD_HTTP_HEADER_IF_NONE_MATCH);
	if (!x->route)
		return send_reply(c, server_reply_file(x->file, x->accept, tags));
	if (x->tag[0] && server_tag_matches(tags, x->tag))
		return send_reply(c, server_reply_same(x->tag));
	if (x->body.failed || x->body.n > SERVER_BODY_MOST)
		return send_reply(c, server_reply_text(413, "the body is too long"));
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	x->fd = info ? info->connect_fd : -1;
	x->job.run = answer;
	MHD_suspend_connection(c);
	if (!server_queue_put(&x->http->queue, &x->job)) {
		x->reply = server_reply_text(503, "too many requests wait: try again");
		x->made = true;
		MHD_resume_connection(c);
	}
	return MHD_YES;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *c, const char *url, const char *method, const char *version,
                              const char *data, size_t *n_data, void **state)
{
	struct exchange *x = *state;
	(void)version;
	if (!x) {
		x = calloc(1, sizeof *x);
		if (!x)
			return MHD_NO;
		*state = x;
		x->http = arg;
		x->connection = c;
		return begin(x, url, method);
	}
	if (*n_data) {
		if (x->body.n <= SERVER_BODY_MOST)
			weft_buf_add(&x->body, data, *n_data);
		*n_data = 0;
		return MHD_YES;
	}
	if (!x->made)
		return dispatch(x);
	struct server_reply reply = x->reply;
	x->reply.response = NULL;
	return send_reply(c, reply);
}

static void completed(void *arg, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode how)
{
	(void)arg;
	(void)c;
	(void)how;
	if (*state)
		free_exchange(*state);
	*state = NULL;
}

/* ---- begin and end ---- */

struct address {
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	};
	bool is_six;
};

static int read_address(struct address *a, const char *text, uint16_t port, struct weft_err *err)
{
	*a = (struct address){0};
	if (inet_pton(AF_INET, text, &a->four.sin_addr) == 1) {
		a->four.sin_family = AF_INET;
		a->four.sin_port = htons(port);
		return 0;
	}
	if (inet_pton(AF_INET6, text, &a->six.sin6_addr) == 1) {
		a->is_six = true;
		a->six.sin6_family = AF_INET6;
		a->six.sin6_port = htons(port);
		return 0;
	}
	return weft_err_set(err, -EINVAL, "expected an address in numbers, like 127.0.0.1 or ::1, found '%s'", text);
}

static int listen_at(struct server_http *h, const struct server_http_how *how, struct weft_err *err)
{
	struct address a;
	int rc = read_address(&a, h->guard.address, how->port, err);
	if (rc)
		return rc;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | (a.is_six ? MHD_USE_IPv6 : 0) |
	                 (how->cert ? MHD_USE_TLS : 0);
	struct MHD_OptionItem tls[] = {{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)how->cert},
	                               {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)how->key},
	                               {MHD_OPTION_END, 0, NULL}};
	errno = 0;
	h->daemon = MHD_start_daemon(flags, how->port, NULL, NULL, handle, h, MHD_OPTION_SOCK_ADDR, &a.any,
	                             MHD_OPTION_CONNECTION_LIMIT, (unsigned)SERVER_CONNECTIONS_MOST,
	                             MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)SERVER_HEADERS_MOST,
	                             MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)SERVER_IDLE_SECONDS, MHD_OPTION_NOTIFY_COMPLETED,
	                             completed, NULL, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_ARRAY,
	                             how->cert ? tls : tls + 2, MHD_OPTION_END);
	if (!h->daemon)
		return weft_err_sys(err, errno ? errno : EIO, "cannot listen at %s port %u", h->guard.address, how->port);
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
	h->guard.port = info ? info->port : how->port;
	return 0;
}

int server_http_open(struct server_http **out, const struct server_http_how *how, struct weft_err *err)
{
	unsigned workers = how->workers ? how->workers : weft_pool_width();
	struct server_http *h = calloc(1, sizeof *h);
	*out = NULL;
	if (!h)
		return weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	h->session = how->session;
	h->guard.control = how->session->control;
	h->guard.tls = how->cert;
	snprintf(h->guard.address, sizeof h->guard.address, "%s", how->address ? how->address : "127.0.0.1");
	h->guard.any = !strcmp(h->guard.address, "0.0.0.0") || !strcmp(h->guard.address, "::");
	int rc = 0;
	if (how->token)
		snprintf(h->guard.token, sizeof h->guard.token, "%s", how->token);
	else
		rc = server_token_make(h->guard.token);
	if (!rc && strlen(h->guard.token) != sizeof h->guard.token - 1)
		rc = -EINVAL;
	if (!rc) {
		rc = server_queue_init(&h->queue, workers < 2 ? 2 : workers);
		h->has_queue = !rc;
	}
	if (!rc) {
		rc = server_clock_init(&h->clock, &h->queue);
		h->has_clock = !rc;
	}
	if (rc)
		weft_err_set(err, rc, "cannot begin to serve: %s", weft_err_name(rc));
	else
		rc = listen_at(h, how, err);
	if (rc) {
		server_http_close(h);
		return rc;
	}
	*out = h;
	return 0;
}

/*
 * Streams end, workers finish what they have (and find that nobody waits); then nothing is suspended any more, as the library wants it
 * before it ends.
 */
void server_http_close(struct server_http *h)
{
	if (!h)
		return;
	weft_store_bool(&h->session->ending, true);
	if (h->daemon)
		MHD_quiesce_daemon(h->daemon);
	if (h->has_clock)
		server_clock_end(&h->clock);
	if (h->has_queue)
		server_queue_fini(&h->queue);
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	if (h->has_clock)
		server_clock_fini(&h->clock);
	free(h);
}

uint16_t server_http_port(const struct server_http *h)
{
	return h->guard.port;
}

const char *server_http_token(const struct server_http *h)
{
	return h->guard.token;
}
