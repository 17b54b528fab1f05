/* SPDX-License-Identifier: Apache-2.0 */
/* The panels as a page: the picture, and below it its numbers. One file without a script and without anything from elsewhere. */
#include "panels_draw.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 200 };

static const char style[] =
	"body{font:13px/1.45 Inter,'Segoe UI',Roboto,'Helvetica Neue','DejaVu Sans',sans-serif;color:#24292f;margin:1rem}\n"
	"svg{display:block;max-width:100%;height:auto}\nh2{font-size:14px;margin:1.2rem 0 .3rem}\n"
	"table{border-collapse:collapse;font-variant-numeric:tabular-nums}\nth{text-align:left;color:#656d76;font-weight:600}\n"
	"td,th{padding:.1rem .9rem .1rem 0;vertical-align:top}\n.n{text-align:right}\np{color:#656d76;margin:.2rem 0}\n";

static void put_cell(struct weft_buf *out, const struct weft_cell *c)
{
	char text[64] = "\xe2\x80\x93";
	switch (c->kind) {
	case WEFT_CELL_TEXT:
		weft_buf_puts(out, "<td>");
		svg_escaped(out, c->text, 0);
		weft_buf_puts(out, "</td>");
		return;
	case WEFT_CELL_NS:
		weft_human_ns(text, c->u64);
		break;
	case WEFT_CELL_BYTES:
		weft_human_bytes(text, c->u64);
		break;
	case WEFT_CELL_U64:
		snprintf(text, sizeof text, "%" PRIu64, c->u64);
		break;
	case WEFT_CELL_I64:
		snprintf(text, sizeof text, "%" PRId64, c->i64);
		break;
	case WEFT_CELL_PERCENT:
		snprintf(text, sizeof text, "%.1f %%", c->f64);
		break;
	case WEFT_CELL_DOUBLE:
		snprintf(text, sizeof text, "%.4g", c->f64);
		break;
	case WEFT_CELL_NONE:
		break;
	}
	weft_buf_printf(out, "<td class=\"n\">%s</td>", text);
}

static int put_table(const struct panels *p, unsigned table, struct weft_buf *out)
{
	struct weft_table t;
	int rc = panels_table(p, table, &t);
	size_t rows = weft_table_rows(&t);
	if (!rc && rows) {
		weft_buf_printf(out, "<h2>%s</h2>\n<table>\n<tr>", panels_tables[table]);
		for (unsigned c = 0; c < t.n_columns; c++)
			weft_buf_printf(out, "<th%s>%s</th>", t.column[c].kind == WEFT_CELL_TEXT ? "" : " class=\"n\"",
			                t.column[c].title);
		weft_buf_puts(out, "</tr>\n");
		for (size_t r = 0; r < rows && r < ROWS_MOST; r++) {
			weft_buf_puts(out, "<tr>");
			for (unsigned c = 0; c < t.n_columns; c++)
				put_cell(out, &t.cell.at[r * t.n_columns + c]);
			weft_buf_puts(out, "</tr>\n");
		}
		weft_buf_puts(out, "</table>\n");
		if (rows > ROWS_MOST)
			weft_buf_printf(out, "<p>and %zu more: <code>weft panels --table %s</code></p>\n", rows - ROWS_MOST,
			                panels_tables[table]);
	}
	weft_table_fini(&t);
	return rc;
}

int panels_page(const struct panels *p, const struct panels_look *look, struct weft_buf *out)
{
	weft_buf_puts(out,
	              "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	              "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	              "base-uri 'none'; form-action 'none'\">\n"
	              "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
	svg_escaped(out, gantt_title(&p->g, look->title), 0);
	weft_buf_printf(out, "</title>\n<style>\n%s</style>\n</head>\n<body>\n", style);
	int rc = panels_draw(p, look, out, false);
	for (unsigned k = 0; k < n_panels_tables && !rc; k++)
		if (strcmp(panels_tables[k], "curves") != 0)
			rc = put_table(p, k, out);
	weft_buf_puts(out, "</body>\n</html>\n");
	return rc ? rc : out->failed ? -ENOMEM : 0;
}
