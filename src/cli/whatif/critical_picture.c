/* SPDX-License-Identifier: Apache-2.0 */
/* The picture of `weft timeline`, with the path instead of the messages. */
#include "critical_picture.h"
#include "base/fs.h"
#include "render/region_view.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH_LEAST = 400, WIDTH_MOST = 16384 };

static bool ends_in(const char *text, const char *ending)
{
	const size_t n = strlen(text), m = strlen(ending);
	return n > m && !strcmp(text + n - m, ending);
}

bool critical_picture_check(const struct weft_command *c, const struct critical_picture *how)
{
	if (!ends_in(how->output, ".svg") && !ends_in(how->output, ".png"))
		cli_usage(c, "option '-o': the name of a picture ends in .svg or .png, not '%s'", how->output);
	else if (how->width < WIDTH_LEAST || how->width > WIDTH_MOST)
		cli_usage(c, "option '--width': expected %d to %d, found '%" PRIu64 "'", WIDTH_LEAST, WIDTH_MOST, how->width);
	else if (!how->rows)
		cli_usage(c, "option '--rows': expected at least 1");
	else
		return true;
	return false;
}

/* Neighbouring steps of one thread are one stretch. */
static struct weft_region_stretch *stretches(const struct weft_causal *c, const struct weft_causal_critical *p, size_t *n)
{
	struct weft_region_stretch *out = calloc(p->step.n + 1, sizeof *out);
	*n = 0;
	for (size_t i = 0; out && i < p->step.n; i++) {
		const struct weft_causal_step *s = &p->step.at[i];
		const uint32_t thread = c->thread[s->thread].thread;
		if (*n && out[*n - 1].thread == thread && out[*n - 1].end == s->begin)
			out[*n - 1].end = s->end;
		else
			out[(*n)++] = (struct weft_region_stretch){s->begin, s->end, thread};
	}
	return out;
}

static int write_file(const char *path, const struct weft_buf *text)
{
	struct weft_err err = {0};
	struct weft_out out;
	if (weft_out_open(&out, path, &err))
		return cli_fail(&err);
	fwrite(text->at, 1, text->n, out.to);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}

int critical_picture_write(const struct critical_picture *how, const struct weft_causal *c, const struct weft_causal_critical *p)
{
	struct weft_buf picture = {0};
	struct weft_space space;
	char title[300], name[80], length[32];
	struct weft_region_view_how view = {.title = title,
	                                    .path_name = name,
	                                    .to = WEFT_NEVER,
	                                    .width = (unsigned)how->width,
	                                    .most_rows = how->rows < UINT32_MAX ? (unsigned)how->rows : UINT32_MAX,
	                                    .threads = how->common->threads < 4096 ? (unsigned)how->common->threads : 4096};
	struct weft_region_stretch *path = stretches(c, p, &view.n_path);
	if (!path)
		return cli_fail_code(-ENOMEM);
	view.path = path;
	const char *slash = strrchr(c->trace->path, '/');
	snprintf(title, sizeof title, "%.200s: critical path", slash && slash[1] ? slash + 1 : c->trace->path);
	snprintf(name, sizeof name, "critical path, %s",
	         weft_human_ns(length, p->step.n ? p->step.at[p->step.n - 1].end - p->step.at[0].begin : 0));
	int rc = weft_space_init(&space, c->trace);
	if (!rc)
		rc = weft_region_view_draw(&picture, ends_in(how->output, ".png") ? WEFT_PICTURE_PNG : WEFT_PICTURE_SVG, &space,
		                           &view);
	int status = rc || picture.failed ? cli_fail_code(rc ? rc : -ENOMEM) : write_file(how->output, &picture);
	weft_buf_fini(&picture);
	weft_space_fini(&space);
	free(path);
	return status;
}
