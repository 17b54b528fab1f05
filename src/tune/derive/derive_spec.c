/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A specification from its text to its diagnoses: the steps in their order, and the one place that
 * out of memory leads to.
 */
#include "derive.h"
#include "base/fs.h"
#include "tune/lang/spec_model.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void read_all(struct weft_spec *s)
{
	spec_parse(s);
	spec_resolve(s);
	expr_parse_all(s);
	expr_bind_all(s);
	derive_order(s);
	expr_check_rules(s);
	derive_sums(s);
	derive_reduce(s);
	derive_check(s);
	spec_check_style(s);
	spec_sort_diags(s);
}

int weft_spec_new(struct weft_spec **out, const char *name, const char *text, size_t n, struct weft_err *err)
{
	*out = NULL;
	if (n > SPEC_BYTES_MAX)
		return weft_err_set(err, WEFT_E_LIMIT, "'%s' is longer than 1 MiB", name);
	struct weft_spec *volatile s = calloc(1, sizeof *s);
	if (!s)
		return weft_err_set(err, -ENOMEM, "cannot read '%s': out of memory", name);
	if (setjmp(s->oom)) {
		weft_spec_free(s);
		return weft_err_set(err, -ENOMEM, "cannot read '%s': out of memory", name);
	}
	s->objective = SPEC_NONE;
	s->file = spec_printf(s, "%s", name);
	s->text = spec_alloc(s, n + 4); /* scanners look a few bytes ahead */
	if (n)
		memcpy(s->text, text, n);
	/* A zero byte would end searches; it is no part of any specification. */
	for (size_t i = 0; i < n; i++)
		if (s->text[i] == '\0')
			s->text[i] = '?';
	s->n = (uint32_t)n;
	spec_find_lines(s);
	read_all(s);
	*out = s;
	return 0;
}

int weft_spec_open(struct weft_spec **out, const char *path, struct weft_err *err)
{
	char *text;
	size_t n;
	*out = NULL;
	int rc = weft_read_input(path, &text, &n, err);
	if (rc)
		return rc;
	rc = weft_spec_new(out, path, text, n, err);
	free(text);
	return rc;
}
