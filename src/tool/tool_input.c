/* SPDX-License-Identifier: Apache-2.0 */
/* A trace's lines, one after the other, from blocks of a file that may be packed. Memory is that of a block. */
#include "tool_priv.h"
#include <errno.h>
#include <stdlib.h>

enum { INPUT_BLOCK = 1 << 20 };

/* Where c is in the header line from `from` on; its length when it is not there. */
static size_t find(const struct tool_input *in, size_t from, char c)
{
	const char *at = memchr(in->line.at + from, c, in->line.n - from);
	return at ? (size_t)(at - in->line.at) : in->line.n;
}

/* "#Paraver (date):end:…": where its parts are. The date has anything but a parenthesis, also a zero byte. */
static void find_parts(struct tool_input *in)
{
	size_t open = find(in, 0, '('), colon;
	in->date = open < in->line.n ? open + 1 : open;
	in->date_end = find(in, in->date, ')');
	colon = find(in, in->date_end, ':');
	in->end_at = colon < in->line.n ? colon + 1 : colon;
	in->end_rest = find(in, in->end_at, ':');
}

static int read_comms(struct tool_input *in, struct weft_err *err)
{
	struct weft_str line;
	for (uint32_t i = 0; i < in->head.n_comms; i++) {
		int rc = text_input_line(in->text, &line, err);
		if (rc <= 0)
			return rc;
		if (!line.n || !memchr("cCiI", line.at[0], 4)) {
			text_input_unread(in->text);
			return 0;
		}
		weft_buf_add(&in->comms, line.at, line.n);
		weft_buf_putc(&in->comms, '\n');
		in->lines++;
	}
	return in->comms.failed ? weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", in->path) : 0;
}

static int read_head(struct tool_input *in, struct weft_err *err)
{
	struct weft_str line;
	int rc = text_input_line(in->text, &line, err);
	line = rc > 0 ? weft_str_behind_mark(line) : line;
	if (rc > 0 && weft_str_eq(weft_str_trim(line), "new format")) {
		in->lines++;
		rc = text_input_line(in->text, &line, err);
	}
	if (rc < 0)
		return rc;
	if (!rc || line.n < 8 || memcmp(line.at, "#Paraver", 8) != 0)
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s' is no Paraver trace: its first line does not begin with '#Paraver'",
		                    in->path);
	line = weft_str_trim(line);
	weft_buf_add(&in->line, line.at, line.n);
	if (in->line.failed)
		return weft_err_set(err, -ENOMEM, "cannot read '%s': no memory", in->path);
	in->lines++;
	rc = prv_header_parse(&in->head, weft_str_n(in->line.at, in->line.n), err);
	if (rc) {
		weft_err_prefix(err, "%s", in->path);
		return rc;
	}
	find_parts(in);
	return read_comms(in, err);
}

int tool_input_open(struct tool_input *in, const char *path, struct weft_err *err)
{
	*in = (struct tool_input){.path = path};
	int rc = text_input_open(&in->text, path, INPUT_BLOCK, err);
	if (!rc)
		rc = read_head(in, err);
	if (rc)
		tool_input_close(in);
	return rc;
}

void tool_input_close(struct tool_input *in)
{
	text_input_close(in->text);
	prv_header_fini(&in->head);
	weft_buf_fini(&in->line);
	weft_buf_fini(&in->comms);
	text_block_fini(&in->block);
	*in = (struct tool_input){0};
}

int tool_input_line(struct tool_input *in, struct weft_str *line, struct weft_err *err)
{
	while (in->at >= in->block.n) {
		int rc = text_input_block(in->text, in->next_block, &in->block, err);
		if (rc <= 0)
			return rc;
		in->next_block++;
		in->at = 0;
	}
	const char *at = in->block.at + in->at;
	size_t left = in->block.n - in->at;
	const char *end = memchr(at, '\n', left);
	size_t n = end ? (size_t)(end - at) : left;
	in->at += n + 1;
	in->lines++;
	*line = (struct weft_str){at, n};
	return 1;
}

int tool_input_damage(const struct tool_input *in, struct weft_err *err)
{
	const char *what = text_input_damage(in->text);
	return what ? weft_err_set(err, WEFT_E_DAMAGED, "'%s' is damaged: %s", in->path, what) : 0;
}
