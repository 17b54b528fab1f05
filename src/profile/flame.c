/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flame graph: a picture that is one file, and needs nothing but a browser. Each way of calls is a bar on the one that it was called
 * from, as wide as its share; wider ones stand on the left. A click on a bar makes it as wide as the picture; the search marks names.
 *
 *     ┌──────┐
 *     │ norm │
 *     ├──────┴──────┬──────────┐
 *     │ solve       │ MPI_Send │        bars keep begin and width as shares (data-x, data-w), from which the script
 *     ├─────────────┴──────────┤        places them anew
 *     │ all                    │
 *     └────────────────────────┘
 */
#include "profile_priv.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1200, ROW = 18, SIDE = 10, TOP = 58, BOTTOM = 34, LEVELS = 1000, LETTER = 7 };
static const double least = 1e-4; /* of the whole: narrower bars are left out, even zoomed they would say little */

static const char style[] =
	"text{font-family:'DejaVu Sans Mono','Liberation Mono',Consolas,monospace;font-size:12px;fill:#1c1c1c}\n"
	"text.t{font:600 17px 'DejaVu Sans','Segoe UI',sans-serif}\n"
	"text.s{font:12px 'DejaVu Sans','Segoe UI',sans-serif;fill:#666}\n"
	"text.b{cursor:pointer;fill:#2458b3}\n"
	"g.f{cursor:pointer}\ng.f:hover rect{stroke:#1c1c1c;stroke-width:1}\n"
	"g.f text{pointer-events:none}\ng.m rect{fill:#c54bd6}\ng.d{opacity:.55}\n";

/* Names are cut to what fits, with two dots; the outer bars of a zoom are dimmed. */
static const char script[] =
	"(function(){\n"
	"var root=document.documentElement,all=[].slice.call(root.querySelectorAll('g.f')),W=%d,S=%d,L=%d;\n"
	"var info=document.getElementById('info'),back=document.getElementById('back'),found=document.getElementById('found');\n"
	"var x=all.map(function(g){return +g.dataset.x}),w=all.map(function(g){return +g.dataset.w}),\n"
	"d=all.map(function(g){return +g.dataset.d}),name=all.map(function(g){return g.dataset.n});\n"
	"function place(k){var x0=x[k],w0=w[k],d0=d[k],eps=1e-9;\n"
	" all.forEach(function(g,i){var outer=d[i]<d0&&x[i]<=x0+eps&&x[i]+w[i]>=x0+w0-eps,\n"
	"  inside=x[i]>=x0-eps&&x[i]+w[i]<=x0+w0+eps&&d[i]>=d0;\n"
	"  g.style.display=outer||inside?'':'none';g.classList.toggle('d',outer);if(!outer&&!inside)return;\n"
	"  var a=outer?0:(x[i]-x0)/w0,b=outer?1:w[i]/w0,px=S+a*W,pw=Math.max(b*W-.6,.4),n=Math.floor((pw-6)/L),t=g.lastElementChild,\n"
	"  r=g.querySelector('rect');r.setAttribute('x',px);r.setAttribute('width',pw);t.setAttribute('x',px+4);\n"
	"  t.textContent=n<3?'':name[i].length<=n?name[i]:name[i].slice(0,n-2)+'..'});\n"
	" back.style.display=k?'':'none'}\n"
	"all.forEach(function(g,i){g.addEventListener('click',function(){place(i)});\n"
	" g.addEventListener('mouseover',function(){info.textContent=g.querySelector('title').textContent});\n"
	" g.addEventListener('mouseout',function(){info.textContent=''})});\n"
	"back.addEventListener('click',function(){place(0)});\n"
	"function mark(q){var sum=0,end={};var re=null;try{re=q?new RegExp(q,'i'):null}catch(e){found.textContent='not a pattern';return}\n"
	" all.forEach(function(g,i){var m=re&&i>0&&re.test(name[i]);g.classList.toggle('m',!!m);if(!m)return;\n"
	"  for(var k in end)if(+k<d[i]&&end[k]>=x[i]+w[i]-1e-9)return;end[d[i]]=x[i]+w[i];sum+=w[i]});\n"
	" found.textContent=re?(100*sum).toFixed(1)+' %% in what matches':''}\n"
	"document.getElementById('search').addEventListener('click',function(){var q=prompt('Function (a regular expression; nothing ends it):','');\n"
	" if(q!==null)mark(q)});\n"
	"})();\n";

static void put_escaped(FILE *to, const char *z)
{
	for (size_t left = strlen(z); left;) {
		unsigned n = weft_utf8_len(z, left);
		const char *as = *z == '&' ? "&amp;" : *z == '<' ? "&lt;" : *z == '>' ? "&gt;" : *z == '"' ? "&quot;" : NULL;
		if (as)
			fputs(as, to);
		else if (!n || (unsigned char)*z < ' ' || *z == 0x7f)
			fputc('?', to);
		else
			fwrite(z, 1, n, to);
		n = n ? n : 1;
		z += n;
		left -= n;
	}
}

/* Colours of fire for what ran, cooler ones for regions of runtimes; the same name is the same everywhere. */
static void put_color(const struct weft_profile *p, uint32_t node, FILE *to)
{
	const char *name = weft_profile_name(p, node),
		   *module = node ? weft_symbols_function(p->symbols, p->node[node].function)->module : "";
	uint64_t h = weft_hash(name, strlen(name));
	unsigned a = (unsigned)(h & 63), b = (unsigned)(h >> 8 & 63), c = (unsigned)(h >> 16 & 31);
	bool runtime = *module && *module != '/' && *module != '[' && strcmp(module, "user") != 0;
	if (!node)
		fputs("#d8d8d8", to);
	else if (runtime)
		fprintf(to, "#%02x%02x%02x", 110 + b / 2, 170 + a / 2, 205 + c);
	else
		fprintf(to, "#%02x%02x%02x", 215 + c, 120 + a + b / 4, 60 + b / 2);
}

static void put_weight(const struct weft_profile *p, uint64_t weight, FILE *to)
{
	char z[32];
	if (p->of == WEFT_PROFILE_REGIONS)
		fputs(weft_human_ns(z, weight), to);
	else
		fprintf(to, "%" PRIu64 " sample%s", weight, weight == 1 ? "" : "s");
}

struct bar {
	uint32_t node;
	unsigned depth;
	uint64_t begin; /* weight on its left */
};
struct flame {
	const struct weft_profile *p;
	WEFT_VEC(struct bar) bar; /* in the order of drawing */
	unsigned depth;           /* of the deepest */
	uint64_t left_out;
};

static bool is_wide(const struct flame *f, uint32_t node)
{
	return f->p->node[node].total > 0 && (double)f->p->node[node].total >= least * (double)f->p->node[0].total;
}

/* Breadth first: the children of a bar stand on it, the widest on the left, and its own weight on their right. */
static int lay_out(struct flame *f)
{
	int rc = weft_vec_push(&f->bar, (struct bar){0, 0, 0});
	for (size_t i = 0; i < f->bar.n && !rc; i++) {
		const struct bar b = f->bar.at[i];
		uint64_t at = b.begin;
		f->depth = b.depth > f->depth ? b.depth : f->depth;
		for (uint32_t k = f->p->node[b.node].child; k != WEFT_NONE && !rc; k = f->p->node[k].next) {
			if (b.depth + 1 < LEVELS && is_wide(f, k))
				rc = weft_vec_push(&f->bar, (struct bar){k, b.depth + 1, at});
			else
				f->left_out += f->p->node[k].total > 0;
			at += f->p->node[k].total;
		}
	}
	return rc;
}

static void put_title(const struct flame *f, const struct bar *b, FILE *to)
{
	const struct weft_profile_node *n = &f->p->node[b->node];
	fputs("<title>", to);
	put_escaped(to, weft_profile_name(f->p, b->node));
	if (n->line)
		fprintf(to, ":%u", n->line);
	fputs(" (", to);
	put_weight(f->p, n->total, to);
	fprintf(to, ", %.2f %%", 100 * (double)n->total / (double)f->p->node[0].total);
	if (n->self && n->self != n->total) {
		fputs("; itself ", to);
		put_weight(f->p, n->self, to);
	}
	const char *module = b->node ? weft_symbols_function(f->p->symbols, n->function)->module : "";
	fputs(*module ? ") " : ")", to);
	put_escaped(to, module);
	fputs("</title>", to);
}

/* The begin of the name that has room. */
static void put_name(const char *name, double width, FILE *to)
{
	char cut[256];
	size_t most = width > 6 ? (size_t)((width - 6) / LETTER) : 0, n = 0, left = strlen(name), letters = 0;
	if (most < 3)
		return;
	bool whole = left <= most;
	while (n < left && n < sizeof cut - 8 && letters < (whole ? most : most - 2)) {
		unsigned one = weft_utf8_len(name + n, left - n);
		n += one ? one : 1;
		letters++;
	}
	snprintf(cut, sizeof cut, "%.*s%s", (int)n, name, n < left ? ".." : "");
	put_escaped(to, cut);
}

static void put_bar(const struct flame *f, const struct bar *b, FILE *to)
{
	const struct weft_profile_node *n = &f->p->node[b->node];
	double all = (double)f->p->node[0].total, inner = WIDTH - 2 * SIDE;
	double x = (double)b->begin / all, w = (double)n->total / all, px = SIDE + x * inner, pw = w * inner - .6;
	unsigned y = TOP + (f->depth - b->depth) * ROW;
	pw = pw < .4 ? .4 : pw;
	fprintf(to, "<g class=\"f\" data-x=\"%.9g\" data-w=\"%.9g\" data-d=\"%u\" data-n=\"", x, w, b->depth);
	put_escaped(to, weft_profile_name(f->p, b->node));
	fputs("\">", to);
	put_title(f, b, to);
	fprintf(to, "<rect x=\"%.2f\" y=\"%u\" width=\"%.2f\" height=\"%d\" rx=\"2\" fill=\"", px, y, pw, ROW - 1);
	put_color(f->p, b->node, to);
	fprintf(to, "\"/><text x=\"%.2f\" y=\"%u\">", px + 4, y + 13);
	put_name(weft_profile_name(f->p, b->node), pw, to);
	fputs("</text></g>\n", to);
}

static void put_head(const struct flame *f, const char *title, unsigned height, FILE *to)
{
	fprintf(to,
	        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" "
	        "viewBox=\"0 0 %d %u\">\n<style>\n%s</style>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n<text class=\"t\" "
	        "x=\"%d\" y=\"26\">",
	        WIDTH, height, WIDTH, height, style, SIDE);
	put_escaped(to, title);
	fprintf(to, "</text>\n<text class=\"s\" x=\"%d\" y=\"46\">", SIDE);
	put_weight(f->p, f->p->node[0].total, to);
	if (f->p->of == WEFT_PROFILE_SAMPLES && f->p->period_ns) {
		char z[32];
		fprintf(to, ", one each %s of CPU time", weft_human_ns(z, f->p->period_ns));
	}
	if (f->left_out)
		fprintf(to, "; %" PRIu64 " narrower bars are left out", f->left_out);
	fprintf(to,
	        "</text>\n<text class=\"s b\" id=\"search\" x=\"%d\" y=\"26\" text-anchor=\"end\">search</text>\n<text class=\"s b\" id=\"back\" "
	        "x=\"%d\" y=\"26\" text-anchor=\"end\" style=\"display:none\">show all</text>\n<text class=\"s\" id=\"found\" x=\"%d\" "
	        "y=\"46\" text-anchor=\"end\"></text>\n<text class=\"s\" id=\"info\" x=\"%d\" y=\"%u\"></text>\n",
	        WIDTH - SIDE, WIDTH - SIDE - 60, WIDTH - SIDE, SIDE, height - 12);
}

int profile_write_flame(const struct weft_profile *p, const char *title, FILE *to)
{
	struct flame f = {.p = p};
	int rc = lay_out(&f);
	if (!rc && !p->node[0].total)
		f.bar.n = 0;
	if (!rc) {
		put_head(&f, title, TOP + (f.depth + 1) * ROW + BOTTOM, to);
		for (size_t i = 0; i < f.bar.n; i++)
			put_bar(&f, &f.bar.at[i], to);
		if (!f.bar.n)
			fprintf(to, "<text class=\"s\" x=\"%d\" y=\"%d\">nothing was recorded here</text>\n", SIDE, TOP + 12);
		fputs("<script><![CDATA[\n", to);
		fprintf(to, script, WIDTH - 2 * SIDE, SIDE, LETTER);
		fputs("]]></script>\n</svg>\n", to);
	}
	free(f.bar.at);
	return rc;
}
