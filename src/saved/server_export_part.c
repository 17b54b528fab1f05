/* SPDX-License-Identifier: Apache-2.0 */
/* Tables and summaries of a saved page: what the panels ask for, of a range and of its parts. */
#include "base/vec.h"
#include "metric/runs/run_tables.h"
#include "server_export_priv.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LEVELS_MOST = 7, ARGS = 10 };

/* Arguments in the order of their names, as the page's keys have them (web/export/source.js). */
struct asked {
	const char *path, *arg[2 * ARGS];
};
static const struct asked asked[] = {
	{"table/profile", {"by", "region"}},
	{"table/profile", {"by", "thread"}},
	{"table/profile", {"by", "process"}},
	{"table/groups", {0}},
	{"table/efficiency", {0}},
	{"table/runs", {0}},
	{"table/calls", {0}},
	{"table/calls", {"callers", "1"}},
	{"table/messages", {0}},
	{"table/view", {"view", "regions"}},
	{"table/view", {"view", "states"}},
	{"table/view", {"view", "mpi-matrix"}},
	{"table/view", {"view", "useful"}},
};
enum { ASKED = sizeof asked / sizeof *asked };

struct part {
	uint64_t from, to;
	int64_t up;
	char *json; /* "key": answer, …: as the inside of an object; owned */
	size_t n;
};

static bool has_messages(const struct server_export_how *how)
{
	return export_trace(how)->trace->message.n;
}

static bool is_wanted(const struct server_export_how *how, const struct asked *q)
{
	if (!strcmp(q->path, "table/messages") || (q->arg[1] && !strcmp(q->arg[1], "mpi-matrix")))
		return has_messages(how);
	return true;
}

static void put_key(FILE *to, const struct asked *q, bool *first)
{
	struct weft_json j;
	struct weft_buf key = {0};
	weft_buf_puts(&key, q->path);
	for (unsigned i = 0; i < 2 * ARGS && q->arg[i]; i += 2)
		weft_buf_printf(&key, "%c%s=%s", i ? '&' : '?', q->arg[i], q->arg[i + 1]);
	weft_buf_putc(&key, 0);
	if (!*first)
		fputc(',', to);
	*first = false;
	weft_json_init(&j, to, false);
	weft_json_string(&j, key.failed ? "" : key.at);
	fputc(':', to);
	weft_buf_fini(&key);
}

/* What a route has no answer for (a view that the trace cannot feed) is left out: the page says so then. */
static int ask_one(const struct server_export_how *how, FILE *to, const struct part *p, const struct asked *q, bool *first)
{
	char from[24], until[24];
	const char *args[2 * ARGS + 5] = {0};
	unsigned n = 0;
	struct server_answer a = {0};
	struct weft_err none = {0};
	while (n < 2 * ARGS && q->arg[n]) {
		args[n] = q->arg[n];
		n++;
	}
	snprintf(from, sizeof from, "%" PRIu64, p->from);
	snprintf(until, sizeof until, "%" PRIu64, p->to);
	args[n++] = "from";
	args[n++] = from;
	args[n++] = "to";
	args[n++] = until;
	int rc = export_ask(how, q->path, args, &a, &none);
	if (!rc && a.body.n) {
		put_key(to, q, first);
		fwrite(a.body.at, 1, a.body.n, to);
	}
	weft_buf_fini(&a.body);
	return rc == -ENOMEM || rc == -ECANCELED ? rc : 0;
}

/* What the table shows, with its own choices. */
static int ask_table(const struct server_export_how *how, FILE *to, const struct part *p, bool *first)
{
	struct asked q = {"table/view", {0}};
	if (!how->n_table || how->n_table > ARGS)
		return 0;
	for (unsigned i = 0; i < how->n_table; i++) {
		q.arg[2 * i] = how->table[i].name;
		q.arg[2 * i + 1] = how->table[i].value;
	}
	for (unsigned k = 0; k < ASKED && how->n_table == 1; k++)
		if (!strcmp(asked[k].path, q.path) && !strcmp(asked[k].arg[1], q.arg[1]))
			return 0; /* asked for anyway */
	for (unsigned i = 0; i < how->n_views && how->n_table == 1; i++)
		if (!strcmp(how->view[i], q.arg[1]))
			return 0;
	return ask_one(how, to, p, &q, first);
}

static int ask_runs(const struct server_export_how *how, FILE *to, const struct part *p, bool *first)
{
	int rc = 0;
	for (unsigned i = 0; weft_run_table_at(i) && !rc; i++)
		if (weft_run_table_has(export_trace(how)->trace, weft_run_table_at(i)))
			rc = ask_one(how, to, p, &(struct asked){"table/runs", {"name", weft_run_table_at(i)}}, first);
	return rc;
}

static int part_make(const struct server_export_how *how, struct part *p)
{
	bool first = true;
	FILE *to = open_memstream(&p->json, &p->n);
	int rc = to ? 0 : -ENOMEM;
	for (unsigned i = 0; i < ASKED && !rc; i++)
		if (is_wanted(how, &asked[i]))
			rc = ask_one(how, to, p, &asked[i], &first);
	for (unsigned i = 0; i < how->n_views && !rc; i++) {
		bool known = !*how->view[i];
		for (unsigned k = 0; k < i; k++)
			known |= !strcmp(how->view[k], how->view[i]);
		for (unsigned k = 0; k < ASKED; k++)
			known |= asked[k].arg[1] && !strcmp(asked[k].arg[1], how->view[i]);
		if (!known)
			rc = ask_one(how, to, p, &(struct asked){"table/view", {"view", how->view[i]}}, &first);
	}
	if (!rc)
		rc = ask_table(how, to, p, &first);
	if (!rc)
		rc = ask_runs(how, to, p, &first);
	if (to && (ferror(to) | fclose(to)))
		rc = rc ? rc : -ENOMEM;
	return rc;
}

int export_parts_put(struct weft_json *j, FILE *to, const struct server_export_how *how, uint64_t room, unsigned *n)
{
	WEFT_VEC(struct part) all = {0};
	uint64_t bytes = 0;
	int rc = 0;
	*n = 0;
	for (unsigned level = 0; level < LEVELS_MOST && !rc; level++) {
		uint64_t parts = UINT64_C(1) << level, span = how->to - how->from, level_bytes = 0;
		if (span < 2 * parts)
			break;
		for (uint64_t i = 0; i < parts && !rc; i++) {
			struct part p = {how->from + (uint64_t)((unsigned __int128)span * i / parts),
			                 how->from + (uint64_t)((unsigned __int128)span * (i + 1) / parts),
			                 level ? (int64_t)((parts / 2 - 1) + i / 2) : -1, NULL, 0};
			rc = export_gone(how) ? -ECANCELED : part_make(how, &p);
			if (rc || weft_vec_push(&all, p)) {
				free(p.json);
				rc = rc ? rc : -ENOMEM;
				break;
			}
			level_bytes += p.n;
			export_tell(how, "tables", 100 + 500 * all.n / ((1 << LEVELS_MOST) - 1));
		}
		bytes += level_bytes;
		if (bytes + 2 * level_bytes > room)
			break;
	}
	weft_json_key(j, "parts");
	weft_json_array(j);
	for (size_t i = 0; i < all.n; i++) {
		weft_json_object(j);
		server_put_u64(j, "from", all.at[i].from);
		server_put_u64(j, "to", all.at[i].to);
		weft_json_key(j, "up");
		weft_json_i64(j, all.at[i].up);
		weft_json_key(j, "answers");
		fputc('{', to);
		fwrite(all.at[i].json, 1, all.at[i].n, to);
		weft_json_text(j, "}", 1);
		weft_json_end(j);
		free(all.at[i].json);
	}
	weft_json_end(j);
	*n = (unsigned)all.n;
	free(all.at);
	return rc;
}
