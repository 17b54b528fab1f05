/* SPDX-License-Identifier: Apache-2.0 */
/* A need as a filter: a test for each kind, "or" between them; types by their number in Paraver's format, or by name. */
#include "need.h"
#include "trace/store/store.h"
#include <errno.h>
#include <inttypes.h>
#include <string.h>

static void put_or(struct weft_buf *out, size_t begin)
{
	if (out->n > begin)
		weft_buf_puts(out, " or ");
}

/* A name as the grammar reads it back, whatever is in it. */
static void put_quoted(struct weft_buf *out, const char *name)
{
	weft_buf_putc(out, '"');
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			weft_buf_putc(out, '\\');
		weft_buf_putc(out, *name);
	}
	weft_buf_putc(out, '"');
}

static void put_types(const struct weft_need *n, const struct weft_trace *t, struct weft_buf *out)
{
	const struct weft_def_table *types = &t->def[WEFT_CLASS_TYPE];
	bool some = false;
	for (size_t i = 0; i < n->n_types; i++) {
		if (n->type[i] == 0 || n->type[i] >= types->n)
			continue;
		weft_buf_puts(out, some ? "," : "type=");
		some = true;
		if (types->at[n->type[i]].code > 0)
			weft_buf_i64(out, types->at[n->type[i]].code);
		else
			put_quoted(out, types->at[n->type[i]].name);
	}
}

int weft_need_filter(const struct weft_need *n, const struct weft_trace *t, struct weft_buf *out)
{
	const struct {
		const char *test;
		bool wanted, lasts;
	} row[] = {
		{"kind=state", n->states, true}, {"kind=region,attr", n->regions, true}, {"kind=message", n->messages, false},
		{"kind=flow", n->flows, false},  {"kind=counter", n->counters, false},   {"kind=point", n->points, false},
		{"kind=cpu", n->cpus, false},
	};
	size_t begin = out->n;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		if (!row[i].wanted)
			continue;
		put_or(out, begin);
		if (row[i].lasts && n->least_ns)
			weft_buf_printf(out, "(%s and duration>=%" PRIu64 "ns)", row[i].test, n->least_ns);
		else
			weft_buf_puts(out, row[i].test);
	}
	if (n->n_types && !n->points) {
		put_or(out, begin);
		put_types(n, t, out);
	}
	if (out->n == begin)
		weft_buf_puts(out, "kind=*");
	return out->failed ? -ENOMEM : 0;
}

/* The path without what says its format. */
static size_t stem(const char *path)
{
	static const char *const ends[] = {".gz", ".zst", ".prv", ".weft", ".paje", ".trace"};
	size_t n = strlen(path);
	while (n > 1 && path[n - 1] == '/')
		n--;
	for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
		size_t m = strlen(ends[i]);
		if (n > m && memcmp(path + n - m, ends[i], m) == 0)
			n -= m;
	}
	return n;
}

int weft_need_command(const struct weft_need *n, const struct weft_trace *t, struct weft_buf *out)
{
	struct weft_buf filter = {0}, name = {0};
	int rc = weft_need_filter(n, t, &filter);
	weft_buf_add(&name, t->path, stem(t->path));
	weft_buf_puts(&name, ".filtered.weft");
	if (!rc && !name.failed) {
		weft_buf_puts(out, "weft filter ");
		weft_buf_shell(out, weft_str(t->path));
		weft_buf_puts(out, " -o ");
		weft_buf_shell(out, weft_str_n(name.at, name.n));
		weft_buf_puts(out, " -f ");
		weft_buf_shell(out, weft_str_n(filter.at, filter.n));
	}
	rc = rc || name.failed || out->failed ? -ENOMEM : 0;
	weft_buf_fini(&filter);
	weft_buf_fini(&name);
	return rc;
}

bool weft_trace_is_large(const struct weft_trace *t, uint64_t memory, uint64_t *bytes)
{
	*bytes = t->store->columns.n + t->store->tables_bytes;
	return memory && *bytes > memory;
}
