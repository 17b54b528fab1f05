/* SPDX-License-Identifier: Apache-2.0 */
/* A session with traces, and routes called without a connection: "compare/table?a=0&b=1" gives the answer's body as a tree. */
#ifndef WEFT_TESTS_SERVER_STAGE_H
#define WEFT_TESTS_SERVER_STAGE_H

#include "harness.h"
#include "metric/library/library.h"
#include "pulse/pulse_read.h"
#include "server/core/server_session.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct stage {
	struct server_session *session;
	struct weft_arena arena;
	struct server_answer answer; /* the last */
	struct weft_err err;
	int rc;
	bool (*gone)(const struct server_request *r); /* has the client left? NULL: never */
};

static int stage_text(const char *name, char **text, size_t *n, struct weft_err *err)
{
	return weft_view_text_named(name, text, n, err);
}
static const struct server_library stage_library = {weft_views_each, stage_text};

static inline void stage_begin(struct stage *s)
{
	*s = (struct stage){.session = calloc(1, sizeof *s->session)};
	REQUIRE(s->session && server_session_init(s->session) == 0);
	s->session->version = "0";
	s->session->library = &stage_library;
	s->session->threads = 2;
}

/* path: below the source folder, a copy of which is opened, as reading puts an index beside a trace. */
static inline void stage_add(struct stage *s, const char *path)
{
	struct weft_err err = {0};
	int status;
	free(test_shell(&status, "cp -r \"$WEFT_SOURCE/%s\" %s/", path, test_dir()));
	REQUIRE(status == 0);
	REQUIRE(server_session_add(s->session, test_path(strrchr(path, '/') + 1), &err) == 0);
}

static inline void stage_read(struct stage *s)
{
	struct weft_err err = {0};
	REQUIRE(server_session_begin(s->session, &err) == 0);
	for (uint32_t i = 0; i < s->session->n_traces; i++)
		while (weft_load_u32(&s->session->trace[i].state) < SERVER_READY)
			usleep(1000);
	for (uint32_t i = 0; i < s->session->n_traces; i++)
		REQUIRE(weft_load_u32(&s->session->trace[i].state) == SERVER_READY);
}

static inline void stage_end(struct stage *s)
{
	weft_buf_fini(&s->answer.body);
	weft_arena_fini(&s->arena);
	server_session_fini(s->session);
	free(s->session);
}

enum { STAGE_ARGS = 24 };

/* Calls the route; body: of a POST, or NULL. What it says is in s->rc, s->err, s->answer. */
static inline void stage_ask(struct stage *s, const char *address, const char *body)
{
	char *text = strdup(address), *query = strchr(text, '?'), *rest = NULL;
	struct server_arg arg[STAGE_ARGS];
	unsigned n = 0;
	if (query)
		*query++ = '\0';
	for (char *part = query ? strtok_r(query, "&", &rest) : NULL; part && n < STAGE_ARGS; part = strtok_r(NULL, "&", &rest)) {
		char *equals = strchr(part, '=');
		REQUIRE(equals);
		*equals = '\0';
		arg[n++] = (struct server_arg){part, equals + 1};
	}
	weft_buf_fini(&s->answer.body);
	s->answer = (struct server_answer){.status = 200, .type = "application/json"};
	s->err = (struct weft_err){0};
	struct server_request r = {.session = s->session,
	                           .arg = arg,
	                           .n_args = n,
	                           .body = body ? body : "",
	                           .n_body = body ? strlen(body) : 0,
	                           .err = &s->err,
	                           .gone = s->gone};
	const struct server_route *route = server_route_find(text);
	REQUIRE(route && route->answer);
	s->rc = server_route_answer(route, &r, &s->answer);
	free(text);
}

static inline const struct pulse_value *stage_json(struct stage *s, const char *address)
{
	struct pulse_value *v = NULL;
	struct weft_err err = {0};
	stage_ask(s, address, NULL);
	if (!CHECK(s->rc == 0))
		return NULL;
	CHECK(pulse_read(s->answer.body.at, s->answer.body.n, &s->arena, &v, &err) == 0);
	return v;
}

static inline const struct pulse_value *stage_item(const struct pulse_value *list, unsigned i)
{
	const struct pulse_value *v = list ? list->first : NULL;
	while (v && i--)
		v = v->next;
	return v;
}

static inline unsigned stage_count(const struct pulse_value *list)
{
	unsigned n = 0;
	for (const struct pulse_value *v = list ? list->first : NULL; v; v = v->next)
		n++;
	return n;
}

#endif
