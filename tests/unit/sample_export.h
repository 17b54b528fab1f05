/* SPDX-License-Identifier: Apache-2.0 */
/* For the tests of exporters: a trace written and read back as bytes, and what there is to count in it. */
#ifndef WEFT_TESTS_SAMPLE_EXPORT_H
#define WEFT_TESTS_SAMPLE_EXPORT_H

#include "sample_trace.h"
#include "base/fs.h"
#include "trace/write/export.h"
#include <stdio.h>

static inline const char *exported_path(const char *format)
{
	static char path[4096];
	snprintf(path, sizeof path, "%s/out.%s", test_dir(), format);
	return path;
}

/* The file's bytes, malloc'd and terminated. It stays at exported_path. filter: bound, or NULL. */
static inline char *exported(const struct weft_trace *t, const char *format, struct weft_filter *filter, size_t *n)
{
	struct weft_export_how how = {.filter = filter};
	struct weft_err err = {0};
	char *at = NULL;
	int rc = weft_exporter_find(format, NULL)->write(t, exported_path(format), &how, &err);
	CHECK_STR(err.text, "");
	REQUIRE(rc == 0);
	MUST(weft_read_file(exported_path(format), &at, n, &err));
	return at;
}

static inline struct weft_filter *bound_filter(const struct weft_trace *t, const char *text)
{
	struct weft_filter *f;
	struct weft_err err = {0};
	MUST(weft_filter_new(&f, text, &err));
	MUST(weft_filter_bind(f, t, &err));
	return f;
}

static inline uint64_t count_of(const char *text, const char *what)
{
	uint64_t n = 0;
	for (; (text = strstr(text, what)); text += strlen(what))
		n++;
	return n;
}

struct sample_counts {
	uint64_t kind[64]; /* events of each kind */
	uint64_t spans, span_ns, span_depths;
	uint64_t messages, flows; /* whole ones */
	uint64_t half_messages;
	uint64_t counter_values; /* with those of sets, and cpus */
};

static inline int sample_count_span(void *arg, const struct weft_span *s)
{
	struct sample_counts *c = arg;
	c->spans++;
	c->span_ns += s->end - s->begin;
	c->span_depths += s->depth;
	return 0;
}

static inline struct sample_counts sample_count(const struct weft_trace *t)
{
	struct sample_counts n = {0};
	for (uint32_t i = 0; i < t->n_threads; i++) {
		struct weft_cursor c;
		struct weft_block b;
		MUST(weft_cursor_begin(&c, t, i, 0, WEFT_NEVER));
		while (weft_cursor_next(&c, &b) > 0)
			for (uint32_t k = 0; k < b.n; k++)
				n.kind[weft_what_kind(b.what[k])]++;
		weft_cursor_end(&c);
		MUST(weft_spans(t, i, 0, WEFT_NEVER, NULL, sample_count_span, &n));
	}
	for (uint64_t m = 0; m < t->message.n; m++)
		if (t->message.send_thread[m] == WEFT_NONE || t->message.recv_thread[m] == WEFT_NONE)
			n.half_messages++;
		else
			n.messages++;
	for (uint64_t f = 0; f < t->flow.n; f++)
		n.flows += t->flow.from_thread[f] != WEFT_NONE && t->flow.to_thread[f] != WEFT_NONE;
	n.counter_values = n.kind[WEFT_EV_COUNTER] + n.kind[WEFT_EV_COUNTER_F] + n.kind[WEFT_EV_CPU] +
	                   2 * n.kind[WEFT_EV_COUNTER_SET];
	return n;
}

#endif
