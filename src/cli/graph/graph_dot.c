/* SPDX-License-Identifier: Apache-2.0 */
/* The graph in the DOT language, for Graphviz and whatever else reads it. Boxes have names of ours, so that only labels need quoting. */
#include "graph_page.h"
#include <inttypes.h>
#include <stdlib.h>

/* In double quotes: a backslash would begin an escape of DOT's, and a line break ends nothing but is none either. */
static void put_quoted(struct weft_buf *out, const char *text)
{
	weft_buf_putc(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			weft_buf_putc(out, '\\');
		weft_buf_putc(out, (unsigned char)*text < 0x20 ? ' ' : *text);
	}
	weft_buf_putc(out, '"');
}

static void put_box(struct weft_buf *out, const struct graph_view *v, const struct graph_how *how, uint32_t box)
{
	char first[96], second[96], both[200], line[32];
	const struct weft_fold_group *g = &v->fold.group[box];
	const struct weft_tasks_task *task = &v->tasks->tasks.task[v->task[v->fold.member[g->first]]];
	const char *file = weft_tasks_text(&v->tasks->tasks, task->file);
	struct weft_buf link = {0};
	graph_label(v, box, first, second);
	snprintf(both, sizeof both, "%s\n%s", first, second);
	weft_buf_printf(out, "\tt%u [label=", box);
	char *split = both;
	while (*split != '\n')
		split++;
	*split = '\0';
	put_quoted(out, both);
	out->n--; /* goes on behind DOT's line break */
	weft_buf_puts(out, "\\n");
	for (const char *z = split + 1; *z; z++)
		weft_buf_putc(out, *z == '"' || *z == '\\' ? '\'' : *z);
	weft_buf_printf(out, "\", fillcolor=\"#%06x\"", v->colour[g->kind]);
	if (g->critical)
		weft_buf_puts(out, ", color=\"#cf222e\", penwidth=3");
	if (*file) {
		snprintf(line, sizeof line, ":%u", task->line);
		graph_link(&link, how, file, task->line);
		weft_buf_puts(&link, "");
		if (link.n) {
			weft_buf_puts(out, ", URL=");
			put_quoted(out, link.at);
		}
		link.n = 0;
		weft_buf_puts(&link, file);
		weft_buf_puts(&link, line);
		weft_buf_puts(out, ", tooltip=");
		put_quoted(out, link.failed ? "" : link.at);
	}
	weft_buf_puts(out, "];\n");
	weft_buf_fini(&link);
}

int graph_dot(struct weft_buf *out, const struct graph_view *v, const struct graph_how *how)
{
	char title[600];
	bool *critical = graph_critical_edges(v);
	if (!critical)
		return -12;
	graph_title(v, how, title, sizeof title);
	weft_buf_puts(out, "digraph tasks {\n\tgraph [rankdir=TB, label=");
	put_quoted(out, title);
	weft_buf_puts(out, "];\n\tnode [shape=box, style=filled, fontcolor=white, fontname=\"sans-serif\", fontsize=11];\n"
	                   "\tedge [color=\"#8c959f\"];\n");
	for (uint32_t k = 0; k < v->fold.n; k++)
		put_box(out, v, how, k);
	for (uint32_t e = 0; e < v->fold.n_edges; e++) {
		const struct weft_fold_edge *x = &v->fold.edge[e];
		weft_buf_printf(out, "\tt%u -> t%u", x->from, x->to);
		if (critical[e])
			weft_buf_puts(out, " [color=\"#cf222e\", penwidth=2]");
		weft_buf_puts(out, ";\n");
	}
	weft_buf_puts(out, "}\n");
	free(critical);
	return out->failed ? -12 : 0;
}
