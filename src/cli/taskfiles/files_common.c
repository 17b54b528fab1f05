/* SPDX-License-Identifier: Apache-2.0 */
#include "files_cli.h"
#include "base/log.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int files_open(struct text_lines **out, const char *path)
{
	struct weft_err err = {0};
	return text_lines_open(out, path, &err) ? cli_fail(&err) : CLI_OK;
}

int files_begin(const struct files_args *a, const char *path, struct weft_out *out)
{
	struct weft_err err = {0};
	if (!a->force && strcmp(path, "-") != 0 && access(path, F_OK) == 0) {
		weft_log(WEFT_LOG_ERROR, "'%s' is there already (--force replaces it)", path);
		return CLI_USAGE;
	}
	return weft_out_open(out, path, &err) ? cli_fail(&err) : CLI_OK;
}

int files_end(struct weft_out *out, int status)
{
	struct weft_err err = {0};
	if (status) {
		weft_out_abandon(out);
		return status;
	}
	return weft_out_commit(out, &err) ? cli_fail(&err) : CLI_OK;
}

int files_write(const struct files_args *a, const char *path, const struct weft_buf *text)
{
	struct weft_out out;
	if (text->failed)
		return cli_fail_code(-ENOMEM);
	int status = files_begin(a, path, &out);
	if (status)
		return status;
	fwrite(text->at, 1, text->n, out.to);
	return files_end(&out, CLI_OK);
}

bool files_is_rec(const char *path)
{
	static const char *const endings[] = {".rec", ".rec.gz", ".rec.zst"};
	size_t n = strlen(path);
	for (size_t i = 0; i < sizeof endings / sizeof *endings; i++)
		if (n > strlen(endings[i]) && !strcmp(path + n - strlen(endings[i]), endings[i]))
			return true;
	return false;
}

const char *files_stem(const char *path, char *to, size_t room)
{
	const char *slash = strrchr(path, '/');
	snprintf(to, room, "%s", slash ? slash + 1 : path);
	char *dot = strrchr(to, '.');
	if (dot && dot != to)
		*dot = '\0';
	return to;
}

char *files_name(const char *before, struct weft_str name, const char *behind)
{
	struct weft_buf b = {0};
	weft_buf_puts(&b, before);
	for (size_t i = 0; i < name.n; i++) {
		char c = name.at[i];
		weft_buf_putc(&b, c == '/' || (unsigned char)c < 0x20 || c == 0x7f ? '_' : c);
	}
	weft_buf_puts(&b, behind);
	return b.failed ? (weft_buf_fini(&b), NULL) : b.at;
}

int files_range(const struct files_args *a, double *from, double *to)
{
	struct weft_str rest = weft_str(a->range), part;
	*from = -1e300;
	*to = -INFINITY;
	if (!a->range)
		return CLI_OK;
	bool ok = weft_str_cut(&rest, ':', &part) && !weft_parse_double(part, from) && rest.at && !weft_parse_double(rest, to);
	if (ok && *from < 0)
		*from = -1e300;
	if (ok && (*to < 0 || *to > *from)) {
		*to = *to < 0 ? -INFINITY : *to;
		return CLI_OK;
	}
	weft_log(WEFT_LOG_ERROR, "option '--range': expected FROM:TO, as in 100:300 (-1: no end), found '%s'", a->range);
	return CLI_USAGE;
}

int files_form(const char *path, enum weft_picture_form *form)
{
	static const struct {
		const char *ending;
		enum weft_picture_form form;
	} forms[] = {{".svg", WEFT_PICTURE_SVG},
	             {".png", WEFT_PICTURE_PNG},
	             {".eps", WEFT_PICTURE_EPS},
	             {".pdf", WEFT_PICTURE_PDF}};
	const char *dot = strrchr(path, '.');
	for (size_t i = 0; dot && i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(dot, forms[i].ending)) {
			*form = forms[i].form;
			return CLI_OK;
		}
	weft_log(WEFT_LOG_ERROR, "'%s' is no name of a picture: it ends with .svg, .png, .eps or .pdf", path);
	return CLI_USAGE;
}

int files_picture(const struct files_args *a, const char *path, files_draw *draw, void *arg)
{
	enum weft_picture_form form;
	struct weft_buf out = {0};
	int status = files_form(path, &form);
	if (!status) {
		int rc = draw(arg, form, &out);
		status = rc ? cli_fail_code(rc) : files_write(a, path, &out);
	}
	weft_buf_fini(&out);
	return status;
}

int files_compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}
