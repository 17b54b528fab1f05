/* SPDX-License-Identifier: Apache-2.0 */
#include "text_lines.h"
#include "base/fs.h"
#include "trace/text/text_input.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BLOCK = 1 << 20 };

struct text_lines {
	struct text_input *input; /* NULL: the text is in memory */
	struct text_block block;
	uint64_t next_block, number;
	struct weft_str rest; /* what is left of the block */
	char *name;
};

static int new_lines(struct text_lines **out, const char *name, struct weft_err *err)
{
	*out = calloc(1, sizeof **out);
	if (*out)
		(*out)->name = strdup(name);
	if (*out && (*out)->name)
		return 0;
	free(*out);
	*out = NULL;
	return weft_err_set(err, -ENOMEM, "out of memory");
}

/* What can be read once only goes by its descriptor; a file by its name. */
static int open_input(struct text_input **out, const char *path, struct weft_err *err)
{
	struct text_stream stream = {.fd = -1};
	struct stat st;
	if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return text_input_open(out, path, BLOCK, err);
	stream.fd = weft_open_input(path, &st, err);
	if (stream.fd < 0)
		return stream.fd;
	ssize_t got;
	while (stream.n_first < sizeof stream.first &&
	       ((got = read(stream.fd, stream.first + stream.n_first, sizeof stream.first - stream.n_first)) > 0 ||
	        (got < 0 && errno == EINTR)))
		stream.n_first += got > 0 ? (size_t)got : 0;
	return text_input_open_stream(out, &stream, path, BLOCK, err);
}

int text_lines_open(struct text_lines **out, const char *path, struct weft_err *err)
{
	struct text_lines *t;
	int rc = new_lines(&t, path, err);
	*out = NULL;
	if (rc)
		return rc;
	rc = open_input(&t->input, strcmp(path, "-") ? path : "/dev/stdin", err);
	if (rc) {
		t->input = NULL;
		text_lines_close(t);
		return rc;
	}
	*out = t;
	return 0;
}

int text_lines_open_memory(struct text_lines **out, const char *at, size_t n, const char *name, struct weft_err *err)
{
	int rc = new_lines(out, name, err);
	if (!rc)
		(*out)->rest = weft_str_n(at, n);
	return rc;
}

void text_lines_close(struct text_lines *t)
{
	if (!t)
		return;
	text_input_close(t->input);
	text_block_fini(&t->block);
	free(t->name);
	free(t);
}

/* What is damaged in a packed file is known at its end. */
static int at_end(struct text_lines *t, struct weft_err *err)
{
	const char *damage = text_input_damage(t->input);
	return damage ? weft_err_set(err, WEFT_E_DAMAGED, "%s: %s", t->name, damage) : 0;
}

int text_lines_next(struct text_lines *t, struct weft_str *line, struct weft_err *err)
{
	while (!t->rest.n) {
		int rc = t->input ? text_input_block(t->input, t->next_block, &t->block, err) : 0;
		if (rc <= 0)
			return rc || !t->input ? rc : at_end(t, err);
		t->next_block++;
		t->rest = weft_str_n(t->block.at, t->block.n);
	}
	const char *end = memchr(t->rest.at, '\n', t->rest.n);
	size_t n = end ? (size_t)(end - t->rest.at) : t->rest.n;
	*line = weft_str_n(t->rest.at, n && t->rest.at[n - 1] == '\r' ? n - 1 : n);
	t->rest = weft_str_n(t->rest.at + n + (end != NULL), t->rest.n - n - (end != NULL));
	t->number++;
	return 1;
}

uint64_t text_lines_number(const struct text_lines *t)
{
	return t->number;
}

const char *text_lines_name(const struct text_lines *t)
{
	return t->name;
}

int text_lines_wrong(const struct text_lines *t, struct weft_err *err, const char *fmt, ...)
{
	char text[300];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return weft_err_set(err, WEFT_E_SYNTAX, "%s:%llu: %s", t->name, (unsigned long long)t->number, text);
}
