/* SPDX-License-Identifier: Apache-2.0 */
/* The file of a saved page: see server_export.h. Its policy lets just its own script and style run, by their hashes; data are base64. */
#include "server_export_priv.h"
#include "server/core/server_pack.h"
#include <errno.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { TRACKS_MOST = SERVER_EXPORT_TRACKS + 1, STEPS_MOST = 60, ARGS_MOST = 32, JSON_PER_BYTE = 6 /* of what is packed */ };

bool export_gone(const struct server_export_how *how)
{
	return how->request && how->request->gone && how->request->gone(how->request);
}

void export_tell(const struct server_export_how *how, const char *what, uint64_t done)
{
	if (!how->seen)
		return;
	weft_store_u64(&how->seen->total, 1000);
	weft_store_u64(&how->seen->done, done);
	weft_store_ptr(&how->seen->what, (void *)(uintptr_t)what);
}

int export_ask(const struct server_export_how *how, const char *path, const char *const *args, struct server_answer *a,
               struct weft_err *err)
{
	char trace[16];
	struct server_arg arg[ARGS_MOST] = {{"trace", trace}};
	struct server_request r = {.session = how->session, .arg = arg, .n_args = 1, .body = "", .err = err};
	if (how->request) {
		r.gone = how->request->gone;
		r.priv = how->request->priv;
	}
	snprintf(trace, sizeof trace, "%u", (unsigned)how->trace);
	for (; args[0] && r.n_args < ARGS_MOST; args += 2)
		arg[r.n_args++] = (struct server_arg){args[0], args[1]};
	*a = (struct server_answer){.status = 200, .type = "application/json"};
	const struct server_route *route = server_route_find(path);
	return route && route->answer ? server_route_answer(route, &r, a) : weft_err_set(err, -ENOENT, "no route '%s'", path);
}

/* ---- packing ---- */

/* "length of JSON, JSON, arrows and tasks, intervals" by gzip. */
struct packing {
	z_stream z;
	struct weft_buf *out;
	bool failed;
};

static void pack(struct packing *p, const void *at, size_t n, int flush)
{
	unsigned char room[65536];
	p->z.next_in = (unsigned char *)(uintptr_t)at;
	while (!p->failed) {
		p->z.avail_in = n < 1 << 30 ? (uInt)n : 1 << 30;
		n -= p->z.avail_in;
		do {
			p->z.next_out = room;
			p->z.avail_out = sizeof room;
			int rc = deflate(&p->z, n ? Z_NO_FLUSH : flush);
			p->failed |= rc == Z_STREAM_ERROR;
			weft_buf_add(p->out, (char *)room, sizeof room - p->z.avail_out);
		} while (!p->z.avail_out && !p->failed);
		if (!n)
			break;
	}
}

uint64_t export_packed(const void *at, size_t n)
{
	struct weft_buf out = {0};
	struct packing p = {.out = &out};
	if (deflateInit2(&p.z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return UINT64_MAX;
	pack(&p, at, n, Z_FINISH);
	deflateEnd(&p.z);
	uint64_t bytes = p.failed || out.failed ? UINT64_MAX : out.n / 3 * 4 + 4;
	weft_buf_fini(&out);
	return bytes;
}

static int pack_all(struct weft_buf *out, const char *json, size_t n, const struct weft_buf *fixed,
                    const struct export_track *track, unsigned n_tracks)
{
	struct packing p = {.out = out};
	const unsigned char length[4] = {(unsigned char)n, (unsigned char)(n >> 8), (unsigned char)(n >> 16),
	                                 (unsigned char)(n >> 24)};
	out->n = 0;
	if (deflateInit2(&p.z, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK)
		return -ENOMEM;
	pack(&p, length, sizeof length, Z_NO_FLUSH);
	pack(&p, json, n, Z_NO_FLUSH);
	pack(&p, fixed->at, fixed->n, Z_NO_FLUSH);
	for (unsigned i = 0; i < n_tracks; i++)
		pack(&p, track[i].bytes.at, track[i].bytes.n, Z_NO_FLUSH);
	pack(&p, "", 0, Z_FINISH);
	deflateEnd(&p.z);
	return p.failed || out->failed ? -ENOMEM : 0;
}

/* ---- what the page knows ---- */

struct exporting {
	const struct server_export_how *how;
	struct server_export_result *result;
	struct weft_err *err;
	struct export_track track[TRACKS_MOST];
	unsigned n_tracks, first_counter; /* tracks from there on nobody asked for */
	struct export_counter counter[EXPORT_COUNTERS];
	char *parts; /* JSON of what does not change with the step: the inside of an object; owned */
	size_t n_parts;
	struct weft_buf fixed; /* arrows, tasks */
	struct weft_buf packed;
	char *script, *style; /* owned */
};

/* Behind a member of an object that begins at `i`, with the comma behind it. In a text a quote has a backslash before it. */
static size_t behind_member(const struct weft_buf *b, size_t i, size_t key)
{
	bool text = b->at[i + key] == '"';
	i += key + text;
	while (i < b->n && b->at[i] != (text ? '"' : ',') && b->at[i] != '}')
		i += b->at[i] == '\\' ? 2 : 1;
	i += text;
	return i < b->n && b->at[i] == ',' ? i + 1 : i;
}

/* Where the trace lies is nobody's business, and how long it took to open is another number each time. */
static void put_info(struct weft_json *j, const struct weft_buf *info)
{
	static const char *const gone[] = {"\"path\":", "\"opened_ns\":"};
	struct weft_buf out = {0};
	for (size_t i = 0; i < info->n;) {
		size_t next = i;
		for (unsigned k = 0; k < 2 && next == i; k++) {
			size_t n = strlen(gone[k]);
			if (info->n - i > n + 1 && !memcmp(info->at + i, gone[k], n))
				next = behind_member(info, i, n);
		}
		if (next == i)
			weft_buf_putc(&out, info->at[next++]);
		i = next;
	}
	while (out.n && out.at[out.n - 1] == '\n')
		out.n--;
	weft_json_text(j, out.failed ? "null" : out.at, out.failed ? 4 : out.n);
	weft_buf_fini(&out);
}

static void put_answer(struct weft_json *j, const char *key, const struct weft_buf *body)
{
	size_t n = body->n;
	while (n && body->at[n - 1] == '\n')
		n--;
	weft_json_key(j, key);
	weft_json_text(j, body->at, n);
}

/* Rows of a track: "time/rows?…", as the page asks for what the track was asked for by. */
static int put_rows_of(struct exporting *e, struct weft_json *j, const struct export_track *t)
{
	const char *const name[] = {"level", "view", "window"}, *const value[] = {t->level, t->view, t->window};
	const char *args[7] = {0};
	struct server_answer a;
	struct weft_buf key = {0};
	unsigned n = 0;
	weft_buf_puts(&key, "time/rows");
	for (unsigned i = 0; i < 3; i++) {
		if (!*value[i])
			continue;
		weft_buf_printf(&key, "%c%s=%s", n ? '&' : '?', name[i], value[i]);
		args[n++] = name[i];
		args[n++] = value[i];
	}
	weft_buf_putc(&key, 0);
	int rc = export_ask(e->how, "time/rows", args, &a, e->err);
	if (!rc && key.failed)
		rc = -ENOMEM;
	if (!rc)
		put_answer(j, key.at, &a.body);
	weft_buf_fini(&key);
	weft_buf_fini(&a.body);
	return rc;
}

static int put_rows(struct exporting *e, struct weft_json *j)
{
	int rc = 0;
	for (unsigned i = 0; i < e->n_tracks && !rc; i++)
		rc = put_rows_of(e, j, &e->track[i]);
	return rc;
}

static void put_views(struct exporting *e, struct weft_json *j)
{
	static const char *const keys[] = {"table/views", "table/hints"}, *const lists[] = {"views", "hints"};
	for (unsigned k = 0; k < 2; k++) {
		weft_json_key(j, keys[k]);
		weft_json_object(j);
		weft_json_key(j, lists[k]);
		weft_json_array(j);
		for (unsigned i = 0; i < e->n_tracks; i++) {
			const struct export_track *t = &e->track[i];
			bool again = !*t->view || i >= e->first_counter;
			for (unsigned b = 0; b < i; b++)
				again |= !strcmp(e->track[b].view, t->view);
			if (again)
				continue;
			weft_json_object(j);
			server_put_string(j, "name", t->view);
			server_put_string(j, "title", server_view_title(e->how->session, t->view));
			server_put_string(j, "from", "library");
			server_put_string(j, "about", t->look.view->view.description ? t->look.view->view.description : "");
			server_put_string(j, "why", "");
			server_put_string(j, "lack", "");
			weft_json_key(j, "tables");
			weft_json_array(j);
			for (uint32_t h = 0; h < t->look.view->view.n_hists; h++)
				weft_json_string(j, t->look.view->view.hist[h].name);
			weft_json_end(j);
			weft_json_key(j, "windows");
			weft_json_array(j);
			weft_json_end(j);
			weft_json_end(j);
		}
		weft_json_end(j);
		weft_json_end(j);
	}
}

/* The page without what it is of. */
static size_t own_bytes(const struct exporting *e)
{
	return strlen(e->script) + strlen(e->style) + 2048;
}

/* All but the tracks' rows, which depend on the step. */
static int make_parts(struct exporting *e)
{
	char number[16];
	const char *const only[] = {"only", number, NULL};
	struct weft_json j;
	struct server_answer info = {0};
	const uint64_t own = own_bytes(e), room = e->how->limit > own ? e->how->limit - own : 0;
	snprintf(number, sizeof number, "%u", (unsigned)e->how->trace);
	FILE *to = open_memstream(&e->parts, &e->n_parts);
	if (!to)
		return -ENOMEM;
	weft_json_init(&j, to, false);
	weft_json_object(&j);
	int rc = export_ask(e->how, "session/info", only, &info, e->err);
	if (!rc) {
		weft_json_key(&j, "info");
		put_info(&j, &info.body);
		weft_json_key(&j, "state");
		weft_json_text(&j, e->how->state ? e->how->state : "{}", e->how->state ? strlen(e->how->state) : 2);
		server_put_u64(&j, "from", e->how->from);
		server_put_u64(&j, "to", e->how->to);
		weft_json_key(&j, "answers");
		weft_json_object(&j);
		rc = put_rows(e, &j);
		put_views(e, &j);
		if (!rc)
			rc = export_counters_put(&j, e->how, e->track, e->n_tracks);
		weft_json_end(&j);
	}
	if (!rc)
		rc = export_arrows_put(&j, e->how, room / 8, &e->fixed);
	if (!rc)
		rc = export_tasks_put(&j, e->how, room / 5 * 2, &e->fixed);
	if (!rc)
		rc = export_parts_put(&j, to, e->how, e->how->limit / 4 * JSON_PER_BYTE, &e->result->parts);
	weft_buf_fini(&info.body);
	if (ferror(to) | fclose(to))
		rc = rc ? rc : -ENOMEM;
	return rc;
}

static int pack_step(struct exporting *e, uint64_t step)
{
	char *json = NULL;
	size_t n = 0;
	uint64_t at = e->fixed.n;
	struct weft_json j;
	int rc = 0;
	e->result->intervals = 0;
	for (unsigned i = 0; i < e->n_tracks && !rc; i++)
		rc = export_track_pack(&e->track[i], e->how, step);
	FILE *to = rc ? NULL : open_memstream(&json, &n);
	if (!to)
		return rc ? rc : -ENOMEM;
	fwrite(e->parts, 1, e->n_parts, to);
	fprintf(to, ",\"step\":%llu,\"tracks\":", (unsigned long long)step);
	weft_json_init(&j, to, false);
	weft_json_array(&j);
	for (unsigned i = 0; i < e->n_tracks; i++) {
		export_track_put(&j, &e->track[i], at);
		at += e->track[i].bytes.n;
		e->result->intervals += e->track[i].intervals;
	}
	weft_json_end(&j);
	fputc('}', to);
	rc = ferror(to) | fclose(to) ? -ENOMEM : pack_all(&e->packed, json, n, &e->fixed, e->track, e->n_tracks);
	e->result->step_ns = step;
	free(json);
	return rc;
}

/* ---- the page ---- */

static size_t page_bytes(const struct exporting *e)
{
	return own_bytes(e) + e->packed.n / 3 * 4;
}

/* Traces with more intervals than could fit begin with a step that makes them as many. */
static uint64_t first_step(const struct exporting *e)
{
	const struct weft_trace *t = export_trace(e->how)->trace;
	uint64_t fits = e->how->limit / 2, span = e->how->to - e->how->from, rows = t->n_threads ? t->n_threads : 1;
	if (t->n_events / 2 <= 2 * fits)
		return 1;
	uint64_t step = (uint64_t)((double)span * (double)rows / (double)fits);
	return step ? step : 1;
}

static int find_step(struct exporting *e)
{
	uint64_t step = first_step(e);
	int rc = 0;
	for (unsigned i = 0; i < STEPS_MOST; i++) {
		if (export_gone(e->how))
			return -ECANCELED;
		export_tell(e->how, "timeline", 1000 - 400 / (i + 1));
		rc = pack_step(e, step);
		if (rc || page_bytes(e) <= e->how->limit)
			return rc;
		if (step > e->how->to - e->how->from)
			break;
		size_t fixed = own_bytes(e);
		double over = (double)(page_bytes(e) - fixed) / (double)(e->how->limit > fixed ? e->how->limit - fixed : 1);
		uint64_t next = (uint64_t)((double)step * (over > 8 ? 8 : over * 1.1));
		step = step == 1 ? 64 : next > step ? next : step * 2;
	}
	return weft_err_set(
		e->err, WEFT_E_LIMIT,
		"the page does not fit into %llu bytes: names and tables alone are larger; say a larger limit or a part of time",
		(unsigned long long)e->how->limit);
}

static void put_hash(struct weft_buf *out, const char *text)
{
	unsigned char hash[crypto_hash_sha256_BYTES];
	char base64[sodium_base64_ENCODED_LEN(sizeof hash, sodium_base64_VARIANT_ORIGINAL)];
	crypto_hash_sha256(hash, (const unsigned char *)text, strlen(text));
	sodium_bin2base64(base64, sizeof base64, hash, sizeof hash, sodium_base64_VARIANT_ORIGINAL);
	weft_buf_printf(out, "'sha256-%s'", base64);
}

static void put_escaped(struct weft_buf *out, const char *z)
{
	for (; *z; z++) {
		const char *as = *z == '&' ? "&amp;" : *z == '<' ? "&lt;" : *z == '>' ? "&gt;" : *z == '"' ? "&quot;" : NULL;
		if (as)
			weft_buf_puts(out, as);
		else
			weft_buf_putc(out, (unsigned char)*z < ' ' ? '?' : *z);
	}
}

static int put_page(struct weft_buf *out, const struct exporting *e)
{
	size_t n = sodium_base64_encoded_len(e->packed.n, sodium_base64_VARIANT_ORIGINAL);
	char *base64 = malloc(n);
	if (!base64)
		return -ENOMEM;
	sodium_bin2base64(base64, n, (const unsigned char *)e->packed.at, e->packed.n, sodium_base64_VARIANT_ORIGINAL);
	weft_buf_puts(
		out,
		"<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"light\">\n<head>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src ");
	put_hash(out, e->script);
	weft_buf_puts(out, "; style-src ");
	put_hash(out, e->style);
	weft_buf_puts(
		out,
		"; img-src data: blob:; base-uri 'none'; form-action 'none'\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		"<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	put_escaped(out, e->how->title);
	weft_buf_puts(out, "</title>\n<style>");
	weft_buf_puts(out, e->style);
	weft_buf_puts(
		out,
		"</style>\n</head>\n<body>\n<noscript>This page needs JavaScript: it draws traces.</noscript>\n<script type=\"text/plain\" id=\"weft-data\">");
	weft_buf_puts(out, base64);
	weft_buf_puts(out, "</script>\n<script>");
	weft_buf_puts(out, e->script);
	weft_buf_puts(out, "</script>\n</body>\n</html>\n");
	free(base64);
	return out->failed ? -ENOMEM : 0;
}

static bool has_track(const struct exporting *e, const char *view)
{
	for (unsigned i = 0; i < e->n_tracks; i++)
		if (!strcmp(e->track[i].view, view))
			return true;
	return false;
}

/* Regions, what was asked for, counters. */
static int make_tracks(struct exporting *e)
{
	const struct server_export_how *how = e->how;
	unsigned n = 0;
	int rc = 0;
	for (unsigned i = 0; i <= how->n_views && i < TRACKS_MOST && !rc; i++) {
		bool own = i && how->window, at = i && how->level;
		export_tell(how, "values", 100 * i / (how->n_views + 1));
		rc = export_track_init(&e->track[i], how, i ? how->view[i - 1] : "", own ? how->window[i - 1] : "",
		                       at ? how->level[i - 1] : "", e->err);
		e->n_tracks = i + 1;
	}
	e->first_counter = e->n_tracks;
	if (!rc)
		rc = export_counters_choose(how, e->counter, &n);
	for (unsigned i = 0; i < n && e->n_tracks < TRACKS_MOST && !rc; i++)
		if (!has_track(e, e->counter[i].view))
			rc = export_track_init(&e->track[e->n_tracks++], how, e->counter[i].view, "", "", e->err);
	return rc;
}

int server_export_page(struct weft_buf *out, const struct server_export_how *how, struct server_export_result *result,
                       struct weft_err *err)
{
	struct exporting *e = calloc(1, sizeof *e);
	if (!e)
		return weft_err_set(err, -ENOMEM, "%s", weft_err_name(-ENOMEM));
	*result = (struct server_export_result){0};
	e->how = how;
	e->result = result;
	e->err = err;
	e->script = server_file_text("pages.js");
	e->style = server_file_text("pages.css");
	int rc = e->script && e->style ? 0 : -ENOMEM;
	if (!rc)
		rc = make_tracks(e);
	if (!rc)
		rc = make_parts(e);
	if (!rc)
		rc = find_step(e);
	if (!rc)
		rc = put_page(out, e);
	for (unsigned i = 0; i < e->n_tracks; i++)
		export_track_fini(&e->track[i]);
	free(e->parts);
	free(e->script);
	free(e->style);
	weft_buf_fini(&e->packed);
	weft_buf_fini(&e->fixed);
	free(e);
	return rc ? weft_err_set(err, rc, "cannot make the page: %s", weft_err_name(rc)) : 0;
}
