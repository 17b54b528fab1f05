/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of requests, each checked, and JSON of answers. */
#include "server_session.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *server_arg(const struct server_request *r, const char *name)
{
	for (unsigned i = 0; i < r->n_args; i++)
		if (!strcmp(r->arg[i].name, name))
			return r->arg[i].value;
	return NULL;
}

int server_arg_u64(const struct server_request *r, const char *name, uint64_t least, uint64_t most, uint64_t fallback,
                   uint64_t *out)
{
	const char *text = server_arg(r, name);
	*out = fallback;
	if (!text)
		return 0;
	if (weft_parse_u64(weft_str(text), out) || *out < least || *out > most) {
		*out = fallback;
		return weft_err_set(r->err, -EINVAL, "'%s': expected a number from %llu to %llu, found '%.40s'", name,
		                    (unsigned long long)least, (unsigned long long)most, text);
	}
	return 0;
}

int server_arg_double(const struct server_request *r, const char *name, double fallback, double *out)
{
	const char *text = server_arg(r, name);
	*out = fallback;
	if (text && (weft_parse_double(weft_str(text), out) || !isfinite(*out))) {
		*out = fallback;
		return weft_err_set(r->err, -EINVAL, "'%s': expected a number, found '%.40s'", name, text);
	}
	return 0;
}

int server_arg_choice(const struct server_request *r, const char *name, const char *const *known, unsigned n, unsigned fallback,
                      unsigned *out)
{
	const char *text = server_arg(r, name);
	*out = fallback;
	if (!text)
		return 0;
	for (unsigned i = 0; i < n; i++)
		if (known[i] && !strcmp(known[i], text)) {
			*out = i;
			return 0;
		}
	const char *near = weft_nearest(text, known, n);
	return weft_err_set(r->err, -EINVAL, "'%s': unknown '%.40s'%s%s%s", name, text, near ? ", did you mean '" : "",
	                    near ? near : "", near ? "'?" : "");
}

int server_arg_trace(const struct server_request *r, struct server_trace **out)
{
	uint64_t i;
	*out = NULL;
	uint32_t n = r->session->n_traces;
	int rc = server_arg_u64(r, "trace", 0, n ? n - 1 : 0, 0, &i);
	if (rc)
		return rc;
	if (!n)
		return weft_err_set(r->err, -ENOENT, "no trace is open");
	struct server_trace *t = &r->session->trace[i];
	uint32_t state = weft_load_u32(&t->state);
	if (state == SERVER_FAILED)
		return weft_err_set(r->err, -EINVAL, "%s", t->err.text);
	if (state != SERVER_READY)
		return weft_err_set(r->err, -EAGAIN, "'%s' is still being read", t->name);
	*out = t;
	return 0;
}

int server_arg_range(const struct server_request *r, const struct server_trace *t, uint64_t *from, uint64_t *to)
{
	uint64_t end = server_trace_end_ns(t);
	int rc = server_arg_u64(r, "from", 0, UINT64_C(1) << 62, 0, from);
	if (!rc)
		rc = server_arg_u64(r, "to", 0, UINT64_C(1) << 62, end > *from ? end : *from + 1, to);
	if (!rc && *to <= *from)
		rc = weft_err_set(r->err, -EINVAL, "'to': expected a time after 'from'");
	return rc;
}

/* "12" or "3-40". */
static bool read_span(struct weft_str part, uint32_t limit, uint64_t *first, uint64_t *last)
{
	struct weft_str left;
	weft_str_cut(&part, '-', &left);
	if (weft_parse_u64(left, first))
		return false;
	*last = *first;
	if (part.at && weft_parse_u64(part, last))
		return false;
	return *first <= *last && *last < limit;
}

int server_arg_list(const struct server_request *r, const char *name, uint32_t limit, uint32_t most, uint32_t **out, uint32_t *n)
{
	struct weft_str rest = weft_str(server_arg(r, name)), part;
	WEFT_VEC(uint32_t) list = {0};
	*out = NULL;
	*n = 0;
	if (!rest.at)
		return 0;
	while (weft_str_cut(&rest, ',', &part)) {
		uint64_t first, last;
		int rc = 0;
		if (!read_span(part, limit, &first, &last))
			rc = weft_err_set(r->err, -EINVAL, "'%s': expected numbers below %u, like 0-7,12, found '%.*s'", name,
			                  limit, (int)(part.n < 40 ? part.n : 40), part.at);
		else if (last - first >= most - list.n)
			rc = weft_err_set(r->err, -EINVAL, "'%s': expected at most %u numbers", name, most);
		for (uint64_t i = rc ? 1 : first; i <= (rc ? 0 : last) && !rc; i++)
			rc = weft_vec_push(&list, (uint32_t)i);
		if (rc) {
			free(list.at);
			return rc;
		}
	}
	*out = list.at;
	*n = (uint32_t)list.n;
	return 0;
}

/* ---- errors ---- */

static const struct {
	int code, status;
} statuses[] = {{-ENOMEM, 503}, {-EAGAIN, 503}, {-ENOENT, 404}, {-EACCES, 403}, {-EIO, 500}, {WEFT_E_DAMAGED, 500}};

void server_answer_error(struct server_answer *a, int code, const struct weft_err *err)
{
	struct server_json j;
	weft_buf_fini(&a->body);
	*a = (struct server_answer){.status = 400};
	for (unsigned i = 0; i < sizeof statuses / sizeof *statuses; i++)
		if (statuses[i].code == code)
			a->status = statuses[i].status;
	struct weft_json *w = server_json_begin(&j);
	weft_json_object(w);
	server_put_string(w, "error", err->code ? err->text : weft_err_name(code));
	weft_json_end(w);
	if (server_json_end(&j, a))
		a->body.failed = true;
}

/* ---- JSON ---- */

struct weft_json *server_json_begin(struct server_json *j)
{
	*j = (struct server_json){0};
	j->to = open_memstream(&j->at, &j->n);
	if (!j->to)
		j->to = fopen("/dev/null", "w"); /* what is written is lost; the end says so */
	if (!j->to)
		WEFT_BUG("cannot open a stream in memory");
	weft_json_init(&j->json, j->to, false);
	return &j->json;
}

int server_json_end(struct server_json *j, struct server_answer *a)
{
	bool bad = ferror(j->to);
	bad |= fclose(j->to) != 0;
	if (bad || !j->at) {
		free(j->at);
		return -ENOMEM;
	}
	weft_buf_fini(&a->body);
	a->body = (struct weft_buf){.at = j->at, .n = j->n, .cap = j->n + 1};
	return 0;
}

void server_event(struct weft_buf *out, const char *name, const char *json, size_t n)
{
	while (n && json[n - 1] == '\n')
		n--;
	weft_buf_printf(out, "event: %s\ndata: ", name);
	weft_buf_add(out, json, n);
	weft_buf_puts(out, "\n\n");
}

int server_json_event(struct server_json *j, struct weft_buf *out, const char *name)
{
	struct server_answer a = {0};
	int rc = server_json_end(j, &a);
	if (!rc)
		server_event(out, name, a.body.at, a.body.n);
	weft_buf_fini(&a.body);
	return rc;
}

void server_put_u64(struct weft_json *j, const char *key, uint64_t v)
{
	weft_json_key(j, key);
	weft_json_u64(j, v);
}

void server_put_double(struct weft_json *j, const char *key, double v)
{
	weft_json_key(j, key);
	weft_json_double(j, v);
}

void server_put_string(struct weft_json *j, const char *key, const char *z)
{
	weft_json_key(j, key);
	weft_json_string(j, z);
}

void server_put_colour(struct weft_json *j, const char *key, uint32_t colour)
{
	char text[16];
	snprintf(text, sizeof text, "#%06x", (unsigned)colour);
	server_put_string(j, key, text);
}

void server_put_bool(struct weft_json *j, const char *key, bool v)
{
	weft_json_key(j, key);
	weft_json_bool(j, v);
}
