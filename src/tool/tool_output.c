/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The way out: text is collected and written in large pieces, packed on the way where the name says so, into a file that
 * appears when it is complete.
 */
#include "tool_priv.h"
#include "trace/write/prv_out.h"
#include <errno.h>
#include <stdlib.h>

bool tool_text_grow(struct tool_text *t, size_t more)
{
	if (t->failed)
		return false;
	t->failed = weft_vec_grow(&t->at, &t->cap, t->n + more, 1) != 0;
	return !t->failed;
}

void tool_text_fields(struct tool_text *t, const int64_t *v, unsigned n, char end)
{
	if (!tool_text_room(t, (size_t)n * 21))
		return;
	char *at = t->at + t->n;
	for (unsigned i = 0; i < n; i++) {
		at += weft_fmt_i64(at, v[i]);
		*at++ = i + 1 < n ? ':' : end;
	}
	t->n = (size_t)(at - t->at);
}

int tool_output_open(struct tool_output *o, const char *path, struct weft_err *err)
{
	*o = (struct tool_output){.path = path};
	int rc = weft_out_open(&o->file, path, err);
	if (rc)
		return rc;
	rc = prv_pack_open(&o->packed, o->file.to, path);
	if (rc) {
		weft_out_abandon(&o->file);
		return weft_err_set(err, rc, "cannot write '%s': %s", path, weft_err_name(rc));
	}
	return 0;
}

void tool_output_write(struct tool_output *o, const char *at, size_t n)
{
	errno = 0;
	if (n && !o->failed && fwrite(at, 1, n, o->packed ? o->packed : o->file.to) != n)
		o->failed = errno ? -errno : -EIO;
}

void tool_output_flush(struct tool_output *o)
{
	tool_output_write(o, o->text.at, o->text.n);
	if (o->text.failed && !o->failed)
		o->failed = -ENOMEM;
	o->text.n = 0;
}

int tool_output_close(struct tool_output *o, int rc, struct weft_err *err)
{
	if (!rc)
		tool_output_flush(o);
	if (o->packed && fclose(o->packed) && !o->failed)
		o->failed = errno ? -errno : -EIO;
	free(o->text.at);
	if (!rc && o->failed)
		rc = weft_err_set(err, o->failed, "cannot write '%s': %s", o->path, weft_err_name(o->failed));
	if (!rc)
		return weft_out_commit(&o->file, err);
	weft_out_abandon(&o->file);
	return rc;
}

int tool_output_whole(const char *path, const struct weft_buf *text, struct weft_err *err)
{
	struct weft_out file;
	int rc = weft_out_open(&file, path, err);
	if (rc)
		return rc;
	if (text->n && fwrite(text->at, 1, text->n, file.to) != text->n) {
		rc = weft_err_sys(err, errno, "cannot write '%s'", path);
		weft_out_abandon(&file);
		return rc;
	}
	return weft_out_commit(&file, err);
}
