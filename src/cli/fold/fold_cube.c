/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A .cube of the third form, which is plain XML: metrics; a tree of the region, its group, its phases and who was called in them; one thread. Values are
 * each node's own, without what lies in it, as readers of that form expect.
 */
#include "fold_run.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct node {
	int parent;
	double from, to;
	char name[160];
	unsigned line;
	char file[256];
};
struct tree {
	WEFT_VEC(struct node) node;
};

static void print_escaped(FILE *to, const char *z)
{
	struct weft_str s = weft_str(z);
	for (size_t i = 0; i < s.n;) {
		unsigned n = weft_utf8_len(z + i, s.n - i);
		if (z[i] == '<' || z[i] == '>' || z[i] == '&' || z[i] == '"')
			fprintf(to, "&#%d;", z[i]);
		else if (n == 0 || (unsigned char)z[i] < 0x20)
			fputc('?', to);
		else
			fwrite(z + i, 1, n, to);
		i += n ? n : 1;
	}
}

static int add(struct tree *t, int parent, double from, double to, const char *name)
{
	struct node x = {.parent = parent, .from = from, .to = to};
	snprintf(x.name, sizeof x.name, "%.150s", name);
	return weft_vec_push(&t->node, x);
}

/* The calls that lie in a phase, cut to it; each below the last one of the depth before. */
static int add_calls(struct tree *t, const struct fold_run *r, int phase, double from, double to)
{
	int last[256];
	for (size_t i = 0; i < r->n_calls; i++) {
		const struct weft_fold_call *c = &r->call[i];
		double a = fmax(from, c->from), b = fmin(to, c->to);
		if (b <= a || c->depth >= 256)
			continue;
		int parent = c->depth ? -1 : phase;
		for (unsigned d = c->depth; d-- > 0 && parent < 0;)
			parent = last[d];
		if (add(t, parent < 0 ? phase : parent, a, b, fold_function_name(r, c->function)))
			return -12;
		struct node *x = &t->node.at[t->node.n - 1];
		x->line = fold_line_place(r, c->line, x->file, sizeof x->file);
		for (unsigned d = c->depth; d < 256; d++)
			last[d] = d == c->depth ? (int)t->node.n - 1 : -1;
	}
	return 0;
}

static int make_tree(struct tree *t, const struct fold_run *r)
{
	int rc = add(t, -1, 0, 1, r->region);
	rc = rc ? rc : add(t, 0, 0, 1, "Group 1");
	double from = 0;
	for (unsigned k = 0; k <= r->n_knees && !rc; k++) {
		char name[32];
		double to = k < r->n_knees ? r->knee[k] : 1;
		snprintf(name, sizeof name, "Phase %u", k + 1);
		rc = add(t, 1, from, to, name);
		rc = rc ? rc : add_calls(t, r, (int)t->node.n - 1, from, to);
		from = to;
	}
	return rc;
}

static void print_nodes(const struct tree *t, int parent, unsigned depth, FILE *to)
{
	for (size_t i = 0; i < t->node.n; i++) {
		const struct node *x = &t->node.at[i];
		if (x->parent != parent)
			continue;
		fprintf(to, "%*s<cnode id=\"%zu\" line=\"%u\" mod=\"", 4 + 2 * (int)depth, "", i, x->line);
		print_escaped(to, x->file);
		fprintf(to, "\" calleeId=\"%zu\">\n", i);
		print_nodes(t, (int)i, depth + 1, to);
		fprintf(to, "%*s</cnode>\n", 4 + 2 * (int)depth, "");
	}
}

static void print_metric(FILE *to, unsigned id, const char *name, const char *type, const char *unit, const char *text)
{
	fprintf(to, "    <metric id=\"%u\">\n      <disp_name>", id);
	print_escaped(to, name);
	fputs("</disp_name>\n      <uniq_name>", to);
	print_escaped(to, name);
	fprintf(to,
	        "</uniq_name>\n      <dtype>%s</dtype>\n      <uom>%s</uom>\n      <url></url>\n      <descr>%s</descr>\n    </metric>\n",
	        type, unit, text);
}

/* Rates of a node: of its stretch, not sums; so each is told at its node, and counts for no other. */
static double rate_of(const struct fold_run *r, unsigned counter, const struct node *x)
{
	return fold_rate_between(r, counter, x->from, x->to) * 1000;
}

/* A node's own time: without what lies in it. */
static double own_ms(const struct fold_run *r, const struct tree *t, size_t i)
{
	double own = t->node.at[i].to - t->node.at[i].from;
	for (size_t k = 0; k < t->node.n; k++)
		if (t->node.at[k].parent == (int)i)
			own -= t->node.at[k].to - t->node.at[k].from;
	return fmax(0, own) * r->fold.stats.used_middle / 1e6;
}

static void print_matrix_begin(FILE *to, unsigned id)
{
	fprintf(to, "    <matrix metricId=\"%u\">\n", id);
}

static void print_value(FILE *to, size_t node, double v)
{
	fprintf(to, "      <row cnodeId=\"%zu\">\n%.9g\n      </row>\n", node, v);
}

static void print_values(const struct fold_run *r, const struct tree *t, FILE *to)
{
	unsigned id = 0;
	print_matrix_begin(to, id++);
	print_value(to, 0, (double)r->fold.stats.used);
	fputs("    </matrix>\n", to);
	print_matrix_begin(to, id++);
	for (size_t i = 0; i < t->node.n; i++)
		print_value(to, i, own_ms(r, t, i));
	fputs("    </matrix>\n", to);
	if (r->instructions >= 0) {
		print_matrix_begin(to, id++);
		for (size_t i = 0; i < t->node.n; i++)
			print_value(to, i, rate_of(r, (unsigned)r->instructions, &t->node.at[i]) / 1000);
		fputs("    </matrix>\n", to);
	}
	for (unsigned c = 0; c < r->fold.n_counters; c++) {
		if (r->curve[c].none)
			continue;
		print_matrix_begin(to, id++);
		for (size_t i = 0; i < t->node.n; i++)
			print_value(to, i, rate_of(r, c, &t->node.at[i]));
		fputs("    </matrix>\n", to);
	}
}

static void print_metrics(const struct fold_run *r, FILE *to)
{
	unsigned id = 0;
	print_metric(to, id++, "# Occurrences", "INTEGER", "occ", "instances that were folded");
	print_metric(to, id++, "Duration", "FLOAT", "ms", "of one instance");
	if (r->instructions >= 0)
		print_metric(to, id++, "MIPS", "FLOAT", "MIPS", "instructions per microsecond");
	for (unsigned c = 0; c < r->fold.n_counters; c++) {
		char name[80];
		snprintf(name, sizeof name, "%s/ms", r->curve[c].name);
		if (!r->curve[c].none)
			print_metric(to, id++, name, "FLOAT", "1/ms", "counts per millisecond");
	}
}

int fold_write_cube(const struct fold_run *r, const char *path)
{
	struct tree t = {{0}};
	struct weft_out out;
	struct weft_err err = {0};
	if (make_tree(&t, r)) {
		free(t.node.at);
		return cli_fail_code(-12);
	}
	if (weft_out_open(&out, path, &err)) {
		free(t.node.at);
		return cli_fail(&err);
	}
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"3.0\">\n  <attr key=\"Creator\" value=\"weft fold\"/>\n  <doc></doc>\n"
	      "  <metrics>\n",
	      out.to);
	print_metrics(r, out.to);
	fputs("  </metrics>\n  <program>\n", out.to);
	for (size_t i = 0; i < t.node.n; i++) {
		fprintf(out.to, "    <region id=\"%zu\" mod=\"", i);
		print_escaped(out.to, t.node.at[i].file);
		fputs("\" begin=\"-1\" end=\"-1\">\n      <name>", out.to);
		print_escaped(out.to, t.node.at[i].name);
		fputs("</name>\n      <url></url>\n      <descr></descr>\n    </region>\n", out.to);
	}
	print_nodes(&t, -1, 0, out.to);
	fputs("  </program>\n  <system>\n    <machine Id=\"0\">\n      <name>folded</name>\n      <node Id=\"0\">\n        <name>folded</name>\n"
	      "        <process Id=\"0\">\n          <name>Process</name>\n          <rank>0</rank>\n          <thread Id=\"0\">\n"
	      "            <name>Thread</name>\n            <rank>0</rank>\n          </thread>\n        </process>\n      </node>\n"
	      "    </machine>\n  </system>\n  <severity>\n",
	      out.to);
	print_values(r, &t, out.to);
	fputs("  </severity>\n</cube>\n", out.to);
	free(t.node.at);
	return weft_out_commit(&out, &err) ? cli_fail(&err) : CLI_OK;
}
