/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of multiple regressions: memory, text, files. */
#include "model_rows.h"
#include "base/fs.h"
#include "base/str.h"
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- memory -- */

int weft_model_rows_init(struct weft_model_rows *r, uint32_t n_parameters, const char *const *names)
{
	char own[16];
	*r = (struct weft_model_rows){0};
	if (n_parameters > WEFT_MODEL_PARAMETERS)
		return -EINVAL;
	for (uint32_t i = 0; i < n_parameters; i++) {
		snprintf(own, sizeof own, "P%u", i + 1);
		r->name[i] = strdup(names && names[i] ? names[i] : own);
		if (!r->name[i]) {
			weft_model_rows_fini(r);
			return -ENOMEM;
		}
		r->n_parameters = i + 1;
	}
	return 0;
}

void weft_model_rows_fini(struct weft_model_rows *r)
{
	for (uint32_t i = 0; i < r->n_parameters; i++)
		free(r->name[i]);
	for (size_t i = 0; i < r->places.n; i++)
		free(r->places.at[i]);
	free(r->cell.at);
	free(r->place.at);
	free(r->places.at);
	*r = (struct weft_model_rows){0};
}

uint32_t weft_model_rows_place(const struct weft_model_rows *r, const char *place)
{
	for (size_t i = 0; i < r->places.n; i++)
		if (!strcmp(r->places.at[i], place))
			return (uint32_t)i + 1;
	return 0;
}

/* The number of a place, which is noted when it is new. Negative: no memory. */
static int64_t note_place(struct weft_model_rows *r, const char *place)
{
	if (!place || !strcmp(place, "?"))
		return 0;
	uint32_t known = weft_model_rows_place(r, place);
	if (known)
		return known;
	char *copy = strdup(place);
	if (!copy || weft_vec_push(&r->places, copy)) {
		free(copy);
		return -ENOMEM;
	}
	return (int64_t)r->places.n;
}

int weft_model_rows_add(struct weft_model_rows *r, double duration, const double *parameter, const char *place)
{
	int64_t number = note_place(r, place);
	size_t wide = 1 + (size_t)r->n_parameters;
	if (number < 0 || weft_vec_reserve(&r->cell, r->cell.n + wide) || weft_vec_push(&r->place, (uint32_t)number))
		return -ENOMEM;
	r->cell.at[r->cell.n] = duration;
	if (r->n_parameters)
		memcpy(r->cell.at + r->cell.n + 1, parameter, r->n_parameters * sizeof *parameter);
	r->cell.n += wide;
	r->n++;
	return 0;
}

/* -- reading -- */

static int expected(struct weft_err *err, const char *name, unsigned line, const char *what)
{
	return weft_err_set(err, WEFT_E_SYNTAX, "%s:%u: expected %s", name, line, what);
}

static int parse_head(struct weft_model_rows *r, struct weft_str line, const char *name, struct weft_err *err)
{
	char text[WEFT_MODEL_PARAMETERS][64];
	const char *names[WEFT_MODEL_PARAMETERS];
	struct weft_str part;
	uint32_t n = 0;
	if (!weft_str_cut(&line, ',', &part) || !weft_str_eq(weft_str_trim(part), "Duration"))
		return expected(err, name, 1, "'Duration', then the names of parameters");
	while (weft_str_cut(&line, ',', &part)) {
		part = weft_str_trim(part);
		if (n == WEFT_MODEL_PARAMETERS || !part.n || part.n >= sizeof text[0] || memchr(part.at, 0, part.n))
			return expected(err, name, 1, "at most 64 names of parameters");
		snprintf(text[n], sizeof text[n], "%.*s", (int)part.n, part.at);
		weft_one_line(text[n]);
		names[n] = text[n];
		n++;
	}
	int rc = weft_model_rows_init(r, n, names);
	return rc ? weft_err_set(err, rc, "%s: cannot read: %s", name, weft_err_name(rc)) : 0;
}

static int parse_row(struct weft_model_rows *r, struct weft_str line, const char *name, unsigned number, struct weft_err *err)
{
	double cell[WEFT_MODEL_PARAMETERS + 1];
	struct weft_str part;
	uint32_t n = 0;
	while (weft_str_cut(&line, ',', &part)) {
		if (n > r->n_parameters || weft_parse_double(weft_str_trim(part), &cell[n]) || !isfinite(cell[n]))
			return expected(err, name, number, "a duration and a number for each parameter");
		n++;
	}
	if (n != r->n_parameters + 1)
		return expected(err, name, number, "a duration and a number for each parameter");
	int rc = weft_model_rows_add(r, cell[0], cell + 1, NULL);
	return rc ? weft_err_set(err, rc, "%s: cannot read: %s", name, weft_err_name(rc)) : 0;
}

int weft_model_rows_parse(struct weft_model_rows *r, const char *at, size_t n, const char *name, struct weft_err *err)
{
	struct weft_str rest = weft_str_n(at, n), line;
	unsigned number = 1;
	*r = (struct weft_model_rows){0};
	if (!n || !weft_str_cut(&rest, '\n', &line))
		return expected(err, name, 1, "'Duration', then the names of parameters");
	int rc = parse_head(r, line, name, err);
	while (!rc && weft_str_cut(&rest, '\n', &line)) {
		number++;
		if (weft_str_trim(line).n)
			rc = parse_row(r, line, name, number, err);
	}
	if (!rc && at[n - 1] != '\n')
		rc = expected(err, name, number, "the end of a line: the file is cut off");
	if (rc)
		weft_model_rows_fini(r);
	return rc;
}

/* SYMBOL.places beside SYMBOL.out (or any other name, with .places behind it). */
static bool path_of_places(const char *path, char *at, size_t n)
{
	size_t length = strlen(path);
	if (length > 4 && !strcmp(path + length - 4, ".out"))
		length -= 4;
	return (size_t)snprintf(at, n, "%.*s.places", (int)length, path) < n;
}

/* Nothing of this is needed: what is not there, or does not fit, is not known. */
static void read_places(struct weft_model_rows *r, const char *path)
{
	char other[PATH_MAX], *at = NULL, text[256];
	size_t n = 0;
	uint32_t i = 0, lines = 0;
	if (!path_of_places(path, other, sizeof other) || weft_read_file(other, &at, &n, NULL))
		return;
	for (size_t k = 0; k < n; k++)
		lines += at[k] == '\n';
	struct weft_str rest = weft_str_n(at, n), line;
	while (lines == r->n && i < r->n && weft_str_cut(&rest, '\n', &line)) {
		snprintf(text, sizeof text, "%.*s", (int)(line.n < sizeof text ? line.n : sizeof text - 1), line.at);
		int64_t number = note_place(r, text);
		r->place.at[i++] = number > 0 ? (uint32_t)number : 0;
	}
	free(at);
}

int weft_model_rows_read(struct weft_model_rows *r, const char *path, struct weft_err *err)
{
	char *at = NULL;
	size_t n = 0;
	*r = (struct weft_model_rows){0};
	int rc = weft_read_file(path, &at, &n, err);
	if (rc)
		return rc;
	rc = weft_model_rows_parse(r, at ? at : "", n, path, err);
	free(at);
	if (!rc)
		read_places(r, path);
	return rc;
}

/* -- writing -- */

void weft_model_rows_print(const struct weft_model_rows *r, FILE *to)
{
	char text[WEFT_FMT_DOUBLE];
	fprintf(to, "Duration");
	for (uint32_t i = 0; i < r->n_parameters; i++)
		fprintf(to, ", %s", r->name[i]);
	fputc('\n', to);
	for (size_t i = 0; i < r->cell.n; i++) {
		weft_fmt_double(text, r->cell.at[i]);
		fprintf(to, "%s%s", text, (i + 1) % (1 + (size_t)r->n_parameters) ? ", " : "\n");
	}
}

int weft_model_rows_write(const struct weft_model_rows *r, const char *path, struct weft_err *err)
{
	char other[PATH_MAX];
	struct weft_out out;
	int rc = weft_out_open(&out, path, err);
	if (rc)
		return rc;
	weft_model_rows_print(r, out.to);
	rc = weft_out_commit(&out, err);
	if (rc || !path_of_places(path, other, sizeof other))
		return rc;
	rc = weft_out_open(&out, other, err);
	if (rc)
		return rc;
	for (uint32_t i = 0; i < r->n; i++)
		fprintf(out.to, "%s\n", r->place.at[i] ? r->places.at[r->place.at[i] - 1] : "?");
	return weft_out_commit(&out, err);
}
