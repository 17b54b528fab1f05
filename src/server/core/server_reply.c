/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Responses. What is sent is packed by zstd or gzip, at their quickest, where the client takes it and it pays: between the machine and
 * the browser there may be an ssh connection.
 */
#include "server_priv.h"
#include "server_pack.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct {
	const char *name, *value;
} headers[] = {
	{"Content-Security-Policy",
         "default-src 'self'; img-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'none'; "
         "frame-ancestors 'none'"},
	{"X-Content-Type-Options", "nosniff"},
	{"X-Frame-Options", "DENY"},
	{"Referrer-Policy", "no-referrer"},
	{"Cross-Origin-Resource-Policy", "same-origin"},
	{"Cross-Origin-Opener-Policy", "same-origin"},
};

void server_reply_headers(struct MHD_Response *r)
{
	for (unsigned i = 0; i < sizeof headers / sizeof *headers; i++)
		MHD_add_response_header(r, headers[i].name, headers[i].value);
}

/* Takes the bytes, which free() frees. */
static struct MHD_Response *of_bytes(void *at, size_t n, const char *type)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(n, at ? at : (void *)"",
	                                                         at ? MHD_RESPMEM_MUST_FREE : MHD_RESPMEM_PERSISTENT);
	if (!r) {
		free(at);
		return NULL;
	}
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE, type);
	server_reply_headers(r);
	return r;
}

static void keep(struct MHD_Response *r, const char *tag)
{
	if (tag)
		MHD_add_response_header(r, MHD_HTTP_HEADER_ETAG, tag);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, tag ? "private, max-age=600" : "no-store");
	MHD_add_response_header(r, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
}

struct server_reply server_reply_make(struct server_answer *a, const char *accept, const char *tag)
{
	struct server_reply reply = {.status = a->status ? (unsigned)a->status : 200};
	const char *coding = NULL;
	if (a->body.failed) {
		weft_buf_fini(&a->body);
		return server_reply_text(503, "out of memory");
	}
	coding = server_pack(&a->body, accept);
	reply.response = of_bytes(a->body.at, a->body.n, a->type ? a->type : "application/json");
	a->body = (struct weft_buf){0};
	if (!reply.response)
		return reply;
	if (coding)
		MHD_add_response_header(reply.response, MHD_HTTP_HEADER_CONTENT_ENCODING, coding);
	if (a->file) {
		char how[200];
		snprintf(how, sizeof how, "attachment; filename=\"%.150s\"", a->file);
		MHD_add_response_header(reply.response, MHD_HTTP_HEADER_CONTENT_DISPOSITION, how);
	}
	keep(reply.response, reply.status == 200 ? tag : NULL);
	return reply;
}

struct server_reply server_reply_text(unsigned status, const char *words)
{
	struct server_answer a = {.status = (int)status};
	struct server_json j;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_string(w, "error", words);
	weft_json_end(w);
	if (server_json_end(&j, &a))
		weft_buf_fini(&a.body); /* an empty body with the right status */
	a.body.failed = false;
	return server_reply_make(&a, NULL, NULL);
}

struct server_reply server_reply_same(const char *tag)
{
	struct server_reply reply = {.status = 304, .response = of_bytes(NULL, 0, "application/json")};
	if (reply.response)
		keep(reply.response, tag);
	return reply;
}

static const struct server_file *find(const char *name)
{
	for (const struct server_file *f = server_files; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

char *server_file_text(const char *name)
{
	const struct server_file *f = find(name);
	if (!f)
		WEFT_BUG("there is no file '%s' of the pages", name);
	char *text = malloc((size_t)f->n_whole + 1), *made = server_unpack(f->at, f->n, f->n_whole);
	if (text && made) {
		memcpy(text, made, f->n_whole);
		text[f->n_whole] = 0;
	}
	free(made);
	return made ? text : (free(text), NULL);
}

struct server_reply server_reply_file(const char *name, const char *accept, const char *tags)
{
	const struct server_file *f = find(name);
	if (!f)
		return server_reply_text(404, "there is nothing of that name");
	struct server_reply reply = {.status = server_tag_matches(tags, f->tag) ? 304 : 200};
	if (reply.status == 304) {
		reply.response = of_bytes(NULL, 0, f->type);
	} else if (server_accepts(accept, "gzip")) {
		reply.response = MHD_create_response_from_buffer(f->n, (void *)(uintptr_t)f->at, MHD_RESPMEM_PERSISTENT);
		if (reply.response) {
			MHD_add_response_header(reply.response, MHD_HTTP_HEADER_CONTENT_TYPE, f->type);
			MHD_add_response_header(reply.response, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
			server_reply_headers(reply.response);
		}
	} else {
		void *whole = server_unpack(f->at, f->n, f->n_whole);
		reply.response = whole ? of_bytes(whole, f->n_whole, f->type) : NULL;
	}
	if (reply.response) {
		MHD_add_response_header(reply.response, MHD_HTTP_HEADER_ETAG, f->tag);
		MHD_add_response_header(reply.response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-cache");
		MHD_add_response_header(reply.response, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
	}
	return reply;
}
