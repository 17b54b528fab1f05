/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Links to a line of a file, in the form that each editor has registered with the desktop. Names of files come from a trace: in a link every byte
 * but letters, digits and a few marks is written as %XX, and the scheme is one of this table, so that no name can make another kind of link.
 */
#include "graph_view.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct editor {
	const char *name, *before, *between; /* before the path; between path and line, NULL: no line */
	const char *commands;                /* of $VISUAL, with blanks around each */
} editors[] = {
	{"vscode", "vscode://file", ":", " code code-insiders "},
	{"vscodium", "vscodium://file", ":", " codium vscodium "},
	{"cursor", "cursor://file", ":", " cursor "},
	{"zed", "zed://file", ":", " zed zeditor "},
	{"idea", "idea://open?file=", "&line=", " idea clion "},
	{"sublime", "subl://open?url=file://", "&line=", " subl "},
	{"file", "file://", NULL, ""},
};
enum { EDITORS = sizeof editors / sizeof *editors };
const char *const graph_editors[] = {"vscode", "vscodium", "cursor", "zed", "idea", "sublime", "file", "path", NULL};

const char *graph_editor_of(const char *command)
{
	char word[64];
	struct weft_str rest = weft_str(command ? command : ""), first = weft_str_word(&rest);
	for (size_t k = first.n; k-- > 0;)
		if (first.at[k] == '/') {
			first = weft_str_n(first.at + k + 1, first.n - k - 1);
			break;
		}
	if (!first.n || first.n > sizeof word - 3)
		return "path";
	snprintf(word, sizeof word, " %.*s ", (int)first.n, first.at);
	for (unsigned i = 0; i < EDITORS; i++)
		if (strstr(editors[i].commands, word))
			return editors[i].name;
	return "path";
}

void graph_path(struct weft_buf *out, const struct graph_how *how, const char *file)
{
	char joined[PATH_MAX], real[PATH_MAX];
	bool absolute = *file == '/';
	int n = snprintf(joined, sizeof joined, "%s%s%s", absolute ? "" : how->source, absolute ? "" : "/", file);
	bool found = n > 0 && n < (int)sizeof joined && realpath(joined, real);
	weft_buf_puts(out, found ? real : file);
}

static bool is_plain(unsigned char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c && strchr("/-_.~+", c));
}

void graph_link(struct weft_buf *out, const struct graph_how *how, const char *file, uint32_t line)
{
	struct weft_buf path = {0};
	const struct editor *e = NULL;
	for (unsigned i = 0; i < EDITORS; i++)
		if (strcmp(editors[i].name, how->editor) == 0)
			e = &editors[i];
	if (!e || !*file)
		return;
	graph_path(&path, how, file);
	if (!path.failed && path.at[0] == '/') {
		weft_buf_puts(out, e->before);
		for (size_t k = 0; k < path.n; k++)
			if (is_plain((unsigned char)path.at[k]))
				weft_buf_putc(out, path.at[k]);
			else
				weft_buf_printf(out, "%%%02X", (unsigned char)path.at[k]);
		if (e->between && line)
			weft_buf_printf(out, "%s%u", e->between, line);
	}
	weft_buf_fini(&path);
}
