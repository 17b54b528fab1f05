/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A PDF is objects and a table of where each begins:
 *
 *     1 catalogue ── 2 pages ── 3 page ── 4 the drawing, a stream
 *                                      └─ 5, 6 fonts            7 length of 4      8 title
 *
 * An EPS is a program; its head gives the drawing's operators their meaning. Neither holds a date: the same data give the same bytes.
 */
#include "page.h"
#include <math.h>
#include <string.h>

/* Widths of Helvetica from the blank to '~', in thousandths of its size. */
static const uint16_t widths[95] = {
	278, 278, 355, 556, 556, 889, 667, 191, 333,  333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556, 556, 556, 556, 556,
	556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667,  667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556,
	556, 222, 222, 500, 222, 833, 556, 556, 556,  556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
};
enum { OTHER_WIDTH = 556 };
#define BOLDER 1.06 /* bold letters are wider, about so much */

static const char eps_head[] =
	"/m {moveto} bind def /l {lineto} bind def /S {stroke} bind def /f {fill} bind def\n"
	"/rg {setrgbcolor} bind def /RG {setrgbcolor} bind def /w {setlinewidth} bind def /h {closepath} bind def\n"
	"/c {curveto} bind def\n"
	"/re {4 2 roll moveto exch dup 0 rlineto exch 0 exch rlineto neg 0 rlineto closepath} bind def\n"
	"/latin {findfont dup length dict begin {1 index /FID ne {def} {pop pop} ifelse} forall\n"
	" /Encoding ISOLatin1Encoding def currentdict end definefont pop} bind def\n"
	"/F1 /Helvetica latin /F2 /Helvetica-Bold latin\n"
	"/T {moveto exch findfont exch scalefont setfont show} bind def\n" /* (text) /font size x y T: see page_text */
	"1 setlinejoin 1 setlinecap\n";

/* With two decimals at most, whatever the locale. */
static void number(struct weft_buf *b, double v)
{
	long hundredths = isfinite(v) ? lround(v * 100) : 0;
	unsigned long size = (unsigned long)(hundredths < 0 ? -hundredths : hundredths);
	weft_buf_printf(b, "%s%lu", hundredths < 0 ? "-" : "", size / 100);
	if (size % 100)
		weft_buf_printf(b, size % 10 ? ".%02lu" : ".%lu", size % 10 ? size % 100 : size % 100 / 10);
	weft_buf_putc(b, ' ');
}

static void point(struct page *p, double x, double y, const char *operator)
{
	number(p->out, x);
	number(p->out, p->height - y);
	weft_buf_puts(p->out, operator);
}

static void color(struct page *p, uint32_t rgb, const char *operator)
{
	for (int shift = 16; shift >= 0; shift -= 8)
		number(p->out, (double)(rgb >> shift & 255) / 255);
	weft_buf_puts(p->out, operator);
}

/* ---- texts ---- */

/* The next character in Latin 1; '?' where that has none. */
static unsigned next_character(const char **at, size_t *left)
{
	const unsigned char *u = (const unsigned char *)*at;
	unsigned len = weft_utf8_len(*at, *left), c = '?';
	if (len == 1)
		c = u[0];
	else if (len == 2 && u[0] < 0xc4)
		c = (u[0] & 3u) << 6 | (u[1] & 63u);
	len = len ? len : 1;
	*at += len;
	*left -= len;
	return c < 32 || (c >= 127 && c < 160) ? '?' : c;
}

/* Calls for each character that is shown; their count. */
static unsigned latin(const char *text, unsigned most, struct weft_buf *out, double *width)
{
	const char *at = text;
	size_t left = strlen(text);
	unsigned all = 0, shown = 0;
	while (left) {
		next_character(&at, &left);
		all++;
	}
	unsigned end = most && all > most ? (most > 1 ? most - 1 : most) : all;
	at = text;
	left = strlen(text);
	for (; shown < end; shown++) {
		unsigned c = next_character(&at, &left);
		*width += c < 127 ? widths[c - 32] : OTHER_WIDTH;
		if (!out)
			continue;
		if (c == '(' || c == ')' || c == '\\')
			weft_buf_putc(out, '\\');
		if (c < 127)
			weft_buf_putc(out, (char)c);
		else
			weft_buf_printf(out, "\\%03o", c);
	}
	if (end < all) {
		*width += 3 * widths['.' - 32];
		if (out)
			weft_buf_puts(out, "...");
	}
	return shown;
}

double page_text_width(const struct page_face *face, const char *text, unsigned most)
{
	double width = 0;
	latin(text, most, NULL, &width);
	return width * face->size / 1000 * (face->bold ? BOLDER : 1);
}

void page_text(struct page *p, double x, double y, double shift, const struct page_face *face, const char *text, unsigned most)
{
	double width = 0;
	struct weft_buf *b = p->out;
	x -= shift * page_text_width(face, text, most);
	color(p, face->color, "rg ");
	if (p->pdf) {
		weft_buf_printf(b, "BT /F%d ", face->bold ? 2 : 1);
		number(b, face->size);
		weft_buf_puts(b, "Tf ");
		point(p, x, y, "Td (");
		latin(text, most, b, &width);
		weft_buf_puts(b, ") Tj ET\n");
		return;
	}
	weft_buf_putc(b, '(');
	latin(text, most, b, &width);
	weft_buf_printf(b, ") /F%d ", face->bold ? 2 : 1);
	number(b, face->size);
	point(p, x, y, "T\n");
}

/* ---- shapes ---- */

void page_rect(struct page *p, double x, double y, double w, double h, uint32_t rgb)
{
	if (!(w > 0) || !(h > 0))
		return;
	color(p, rgb, "rg ");
	point(p, x, y + h, "");
	number(p->out, w);
	number(p->out, h);
	weft_buf_puts(p->out, "re f\n");
}

void page_line(struct page *p, const double *xy, unsigned n, double width, uint32_t rgb)
{
	if (n < 2)
		return;
	color(p, rgb, "RG ");
	number(p->out, width);
	weft_buf_puts(p->out, "w ");
	for (unsigned i = 0; i < n; i++)
		point(p, xy[2 * i], xy[2 * i + 1], !i ? "m " : i % 8 ? "l " : "l\n");
	weft_buf_puts(p->out, "S\n");
}

void page_arrow_head(struct page *p, double x1, double y1, double x2, double y2, uint32_t rgb)
{
	double dx = x2 - x1, dy = y2 - y1, length = hypot(dx, dy);
	if (!(length > 0))
		return;
	dx *= 6 / length;
	dy *= 6 / length;
	color(p, rgb, "rg ");
	point(p, x2, y2, "m ");
	point(p, x2 - dx - dy * 0.4, y2 - dy + dx * 0.4, "l ");
	point(p, x2 - dx + dy * 0.4, y2 - dy - dx * 0.4, "l h f\n");
}

void page_dot(struct page *p, double x, double y, double r, uint32_t rgb)
{
	static const double way[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
	const double k = 0.5523 * r; /* of a quarter of a circle as a curve */
	color(p, rgb, "rg ");
	point(p, x + r, y, "m ");
	for (unsigned i = 0; i < 4; i++) {
		const double *a = way[i], *b = way[(i + 1) % 4];
		point(p, x + a[0] * r + b[0] * k, y + a[1] * r + b[1] * k, "");
		point(p, x + b[0] * r + a[0] * k, y + b[1] * r + a[1] * k, "");
		point(p, x + b[0] * r, y + b[1] * r, "c ");
	}
	weft_buf_puts(p->out, "f\n");
}

void page_image(struct page *p, unsigned x, unsigned y, const uint8_t *rgb, unsigned w, unsigned h)
{
	struct weft_buf *b = p->out;
	if (p->pdf)
		weft_buf_printf(b, "q %u 0 0 %u %u %d cm BI /W %u /H %u /CS /RGB /BPC 8 /F /AHx ID\n", w, h, x,
		                (int)p->height - (int)(y + h), w, h);
	else
		weft_buf_printf(b,
		                "gsave %u %d translate %u %u scale\n/row %u string def %u %u 8 [%u 0 0 -%u 0 %u]\n"
		                "{currentfile row readhexstring pop} false 3 colorimage\n",
		                x, (int)p->height - (int)(y + h), w, h, 3 * w, w, h, w, h, h);
	for (size_t i = 0; i < (size_t)w * h * 3; i++)
		weft_buf_printf(b, i % 36 == 35 ? "%02x\n" : "%02x", rgb[i]);
	weft_buf_puts(b, p->pdf ? ">\nEI Q\n" : "\ngrestore\n");
}

/* ---- the file ---- */

static void object(struct page *p, unsigned number_of_it)
{
	p->object[number_of_it] = p->out->n - p->from;
	weft_buf_printf(p->out, "%u 0 obj\n", number_of_it);
}

void page_begin(struct page *p, struct weft_buf *out, bool pdf, unsigned width, unsigned height, const char *title)
{
	double unused = 0;
	*p = (struct page){.out = out, .pdf = pdf, .width = width, .height = height, .from = out->n};
	if (pdf) {
		weft_buf_puts(out, "%PDF-1.4\n");
		object(p, 8);
		weft_buf_puts(out, "<< /Creator (Weft) /Title (");
		latin(title, 0, out, &unused);
		weft_buf_puts(out, ") >>\nendobj\n");
		object(p, 4);
		weft_buf_puts(out, "<< /Length 7 0 R >>\nstream\n");
		p->stream = out->n;
		weft_buf_puts(out, "1 j 1 J\n");
		return;
	}
	weft_buf_printf(out, "%%!PS-Adobe-3.0 EPSF-3.0\n%%%%BoundingBox: 0 0 %u %u\n%%%%Title: (", width, height);
	latin(title, 80, out, &unused);
	weft_buf_puts(out, ")\n%%Creator: Weft\n%%LanguageLevel: 2\n%%Pages: 1\n%%EndComments\n%%Page: 1 1\n"
	                   "20 dict begin gsave\n");
	weft_buf_puts(out, eps_head);
}

static void end_pdf(struct page *p)
{
	struct weft_buf *b = p->out;
	size_t length = b->n - p->stream;
	weft_buf_puts(b, "\nendstream\nendobj\n");
	object(p, 7);
	weft_buf_printf(b, "%zu\nendobj\n", length);
	object(p, 1);
	weft_buf_puts(b, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
	object(p, 2);
	weft_buf_puts(b, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
	object(p, 3);
	weft_buf_printf(b,
	                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %u %u] /Contents 4 0 R\n"
	                "/Resources << /Font << /F1 5 0 R /F2 6 0 R >> >> >>\nendobj\n",
	                p->width, p->height);
	for (unsigned i = 0; i < 2; i++) {
		object(p, 5 + i);
		weft_buf_printf(b,
		                "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica%s /Encoding /WinAnsiEncoding >>\nendobj\n",
		                i ? "-Bold" : "");
	}
	size_t table = b->n - p->from;
	weft_buf_printf(b, "xref\n0 %d\n0000000000 65535 f \n", PAGE_OBJECTS + 1);
	for (unsigned i = 1; i <= PAGE_OBJECTS; i++)
		weft_buf_printf(b, "%010zu 00000 n \n", p->object[i]);
	weft_buf_printf(b, "trailer\n<< /Size %d /Root 1 0 R /Info 8 0 R >>\nstartxref\n%zu\n%%%%EOF\n", PAGE_OBJECTS + 1, table);
}

void page_end(struct page *p)
{
	if (p->pdf)
		end_pdf(p);
	else
		weft_buf_puts(p->out, "grestore end\nshowpage\n%%EOF\n");
}
