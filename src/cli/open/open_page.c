/* SPDX-License-Identifier: Apache-2.0 */
/* See open_page.h. */
#include "open_page.h"
#include "base/fs.h"
#include "base/str.h"
#include "cli/common/cli.h"
#include "pulse/pulse_read.h"
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* In the order in which the tutorials come. */
static const char *const tutorials[] = {"first", "imbalance", "balanced", "late-sender", "too-fine", "coarse", "tuned"};

void open_page_fini(struct open_page *p)
{
	for (size_t i = 0; i < p->trace.n; i++)
		free(p->trace.at[i]);
	free(p->trace.at);
	free(p->text);
	*p = (struct open_page){.text = NULL};
}

static int add_trace(struct open_page *p, const char *folder, size_t n_folder, const char *name)
{
	struct weft_buf path = {0};
	if (*name != '/')
		weft_buf_add(&path, folder, n_folder);
	weft_buf_puts(&path, name);
	char *kept = path.failed ? NULL : strdup(path.at);
	weft_buf_fini(&path);
	if (kept && !weft_vec_push(&p->trace, kept))
		return 0;
	free(kept);
	return -ENOMEM;
}

static int take_traces(struct open_page *p, const struct pulse_value *file, const char *path, struct weft_err *err)
{
	const struct pulse_value *traces = pulse_get(file, "traces");
	const char *slash = strrchr(path, '/'), *what = pulse_text(file, "weft", "");
	size_t folder = slash ? (size_t)(slash - path) + 1 : 0;
	int rc = 0;
	if (strcmp(what, "page") != 0 && strcmp(what, "session") != 0)
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s' is JSON, but no view that a page has saved", path);
	for (const struct pulse_value *t = traces ? traces->first : NULL; t && !rc; t = t->next)
		if (t->kind == PULSE_TEXT)
			rc = add_trace(p, path, folder, t->text);
	return rc;
}

int open_page_read(struct open_page *p, const char *path, struct weft_err *err)
{
	struct weft_arena arena = {0};
	struct pulse_value *file = NULL;
	char *text;
	size_t n;
	*p = (struct open_page){.text = NULL};
	int rc = weft_read_file(path, &text, &n, err);
	if (rc)
		return rc;
	size_t begin = strspn(text, " \t\r\n");
	if (text[begin] != '{') {
		free(text);
		return 0;
	}
	struct weft_err why = {0};
	rc = pulse_read(text, n, &arena, &file, &why);
	if (rc)
		weft_err_set(err, rc, "'%.200s': %.280s", path, why.text);
	else
		rc = take_traces(p, file, path, err);
	weft_arena_fini(&arena);
	if (rc)
		free(text);
	else
		p->text = text;
	return rc;
}

int open_page_learn(struct open_page *p, struct weft_err *err)
{
	char folder[PATH_MAX];
	*p = (struct open_page){.text = NULL};
	if (cli_find_own((const char *const[]){"../share/weft/learn", "../../share/weft/learn"}, 2, folder, sizeof folder))
		return weft_err_set(err, -ENOENT, "cannot find the traces of the tutorials (share/weft/learn)");
	size_t n = strlen(folder);
	int rc = 0;
	for (unsigned i = 0; i < sizeof tutorials / sizeof *tutorials && !rc; i++) {
		char name[64];
		snprintf(name, sizeof name, "/%s.weft", tutorials[i]);
		struct weft_buf path = {0};
		weft_buf_add(&path, folder, n);
		weft_buf_puts(&path, name);
		rc = path.failed ? -ENOMEM : add_trace(p, "", 0, path.at);
		weft_buf_fini(&path);
	}
	return rc;
}
