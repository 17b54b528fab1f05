/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collectors against none: random tunlets and random events go through trees of several shapes, and what is evaluated and decided
 * must be the same to the last bit.
 */
#include "tune/derive/derive.h"
#include "harness.h"
#include "tune/collect/collect_fold.h"
#include "tune/eval/eval.h"
#include "base/fs.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 9, NODES = 4, MASTER = 1, FIRST = 10 };

/* -- a random specification -- */

static unsigned any(unsigned n)
{
	return (unsigned)(test_random() % n);
}

static const char head[] =
	"TUNLET\nid: random\nunit: ms\ninclude: math.h\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable\nid: iteration\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n"
	"variable\nid: nw\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n"
	"variable\nid: wid\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n"
	"variable\nid: iterationW\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\n"
	"variable\nid: x\nsource: asVarValue\ntype: double\nactorId: w\nendvariable\n"
	"variable\nid: k\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\n"
	"variable\nid: knob\nsource: asVarValue\ntype: double\nactorId: m\nendvariable\n"
	"EVENTS\n"
	"event\nid: B\nactorId: m\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nATTRS\nid: iteration\nid: nw\nendevent\n"
	"event\nid: E\nactorId: m\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nATTRS\nid: iteration\nendevent\n"
	"event\nid: M\nactorId: m\ncontroliter: no\nutility: always\nmethod: s\nplace: entry\nATTRS\nid: iteration\nid: wid\nid: "
	"nw\nendevent\n"
	"event\nid: S\nactorId: w\ncontroliter: no\nutility: always\nmethod: w\nplace: entry\nATTRS\nid: iterationW\nid: x\nid: "
	"k\nendevent\n"
	"event\nid: F\nactorId: w\ncontroliter: eval\nutility: always\nmethod: w\nplace: exit\nATTRS\nid: iterationW\nid: x\nendevent\n"
	"ACTORS\nactor\nid: m\nmin: 1\nmax: 1\ncompletion: /# comp == 1 #/\nexe: m\nATTRS\n"
	"id: comp\ntype: int\ninic: /# comp = 0; #/\nvalue: /# m[0].comp = 1; #/\ndependency: E\nendactor\n"
	"actor\nid: w\nmin: 1\nmax: 30\n";

static void put_attr(struct weft_buf *b, const char *name, const char *type, const char *inic, const char *on, const char *value)
{
	weft_buf_printf(b, "id: %s\ntype: %s\ninic: /# %s = %s; #/\nvalue: /# %s #/\ndependency: %s\n", name, type, name, inic,
	                value, on);
}

static const char *const summand[] = {
	"w[i].s",
	"w[i].s * iter.nw",
	"w[i].c",
	"w[i].q * w[i].s / (iter.nw + 0.5)",
	"pow(w[i].s, 2) - pow(p0, 2)",
	"2.5 * w[i].s - w[i].q + iter.nw",
	"-w[i].mx * p0",
	"pow(w[i].s - p0, 2)",        /* both levels in a function: not split */
	"w[i].s * w[i].sent",         /* of the analyzer: not split */
	"(double)(w[i].c * iter.nw)", /* both levels under a cast */
	"sqrt(fabs(w[i].s)) * (w[i].c + 1)",
	"1 / (w[i].s - 3) * 0.25",
};
static const char *const guard[] = {"", "", "", "if (w[i].c > 1) ", "if (w[i].s > p0) ", "if (w[i].s < 100) "};
static const char *const other[] = {
	"p%u = -1e9; for (int i = 0; i < %s; i++) if (w[i].s > p%u) p%u = w[i].s;",
	"p%u = 1e9; for (int i = 0; i < %s; i++) p%u = fmin(p%u, w[i].s + w[i].c);",
	"p%u = 1; for (int i = 0; i < %s; i++) p%u *= w[i].c + 1; p%u = p%u + 1;",
	"p%u = 0; for (int i = 0; i < %s; i++) if (w[i].c >= 2) p%u++;",
	"p%u = 0; for (int i = 0; i < %s; i++) if (w[i].s > 50) p%u += 1;",
	"int n = 0; for (int i = 0; i < %s; i++) n += w[i].c; p%u = n;", /* into a local: not split */
	"p%u = w[0].s - w[%s - 1].s;",
};

static void put_parameter(struct weft_buf *b, unsigned n)
{
	char value[400];
	const char *bound = any(3) ? "count(w)" : "iter.nw", *type = any(3) ? "double" : "int";
	unsigned which = any(3);
	if (any(3)) {
		char inner[300];
		const char *g = guard[any(6)], *s = summand[any(12)];
		/* What comes before p0 has no p0. */
		g = n == 0 && strstr(g, "p0") ? "" : g;
		s = n == 0 && strstr(s, "p0") ? "w[i].s" : s;
		if (which == 1)
			snprintf(inner, sizeof inner, "%sp%u = p%u + %s;", g, n, n, s);
		else
			snprintf(inner, sizeof inner, "%sp%u %s %s;", g, n, which ? "-=" : "+=", s);
		snprintf(value, sizeof value, "p%u = %s; for (int i = 0; i < %s; i++) { %s }", n, any(2) ? "0" : "iter.nw", bound,
		         inner);
	} else {
		const char *f = other[any(7)], *at = f;
		size_t used = 0;
		/* %u is the parameter, %s the bound, wherever they stand. */
		for (; *at && used + 20 < sizeof value; at++)
			if (at[0] == '%' && at[1] == 'u')
				used += (size_t)snprintf(value + used, sizeof value - used, "%u", n), at++;
			else if (at[0] == '%')
				used += (size_t)snprintf(value + used, sizeof value - used, "%s", bound), at++;
			else
				value[used++] = *at;
		value[used] = '\0';
	}
	weft_buf_printf(b, "id: p%u\ntype: %s\ninic: /# p%u = 0; #/\nvalue: /# %s #/\ndependency: %s\n", n, type, n, value,
	                strstr(value, "p0") && n ? "p0" : "none");
}

/* A sum of the iteration, event by event; a parameter may look at it, or another value on the way: then its events travel. */
static void put_sum(struct weft_buf *b)
{
	static const char *const step[] = {"iter.sum += S.k;",
	                                   "iter.sum = iter.sum - S.k * 3;",
	                                   "if (S.k > 1) iter.sum++;",
	                                   "iter.sum += S.x;",
	                                   "iter.sum = S.x / 3 + iter.sum;",
	                                   "if (S.x > 1) { iter.sum -= S.x; }"};
	unsigned k = any(6);
	put_attr(b, "sum", k >= 3 || any(2) ? "double" : "int", any(2) ? "0" : "7", "S", step[k]);
	if (any(4) == 0)
		put_attr(b, "seen", "double", "0", "F", "if (iter.sum > F.x) iter.seen = iter.sum;");
}

static char *random_spec(void)
{
	struct weft_buf b = {0};
	weft_buf_puts(&b, head);
	bool mixed = any(3) == 0, mentions = mixed || any(2);
	weft_buf_printf(&b, "completion: /# comp %s%s #/\nexe: w\nATTRS\n", any(2) ? "== 1" : ">= 1",
	                mixed ? " && sent >= 0" : "");
	put_attr(&b, "comp", "int", "0", "F", any(2) ? "w[F.id].comp = 1;" : "w[F.id].comp = w[F.id].comp + 1;");
	put_attr(&b, "s", "double", any(2) ? "0" : "0.1", "S", "w[S.id].s += S.x;");
	put_attr(&b, "c", "int", "0", "S", any(2) ? "w[S.id].c++;" : "w[S.id].c = w[S.id].c + S.k;");
	put_attr(&b, "mx", "double", "0", "S", "if (S.x > w[S.id].mx) w[S.id].mx = S.x;");
	put_attr(&b, "q", any(2) ? "double" : "float", "0", "F", "w[F.id].q = w[F.id].s * F.x / 3;");
	put_attr(&b, "sent", "int", "1", "M",
	         mentions ? "w[M.wid].sent = M.nw;" : "m[0].comp = m[0].comp; w[M.id - M.id].sent = 1;");
	weft_buf_puts(&b, "endactor\nITERATION INFORMATION\n");
	put_attr(&b, "nw", "int", "1", "B", "iter.nw = B.nw;");
	if (any(2))
		put_attr(&b, "last", "double", "0", "F", "if (F.timestamp > iter.last) iter.last = F.timestamp;");
	if (any(2))
		put_sum(&b);
	weft_buf_puts(&b, "MODEL PARAMETERS\n");
	for (unsigned n = 0; n < 4; n++)
		put_parameter(&b, n);
	weft_buf_puts(
		&b,
		"PERFORMANCE FUNCTIONS\nTUNING POINTS\npoint\nid: knob\nkind: SetVariableValue\nvalue: /# p1 + p2 #/\ncond: /# p3 > 2 "
		"#/\nendpoint\nENDTUNLET\n");
	return b.at;
}

/* -- a tree of collectors, one step after the other -- */

struct shape {
	const char *name;
	int n;             /* collectors */
	int parent[NODES]; /* -1: the analyzer */
};
static const struct shape shapes[] = {
	{"none", 0, {0}},
	{"one", 1, {-1}},
	{"three", 3, {-1, -1, -1}},
	{"two levels", 4, {-1, 0, 0, -1}},
};

struct mail {
	int from;
	struct weft_buf bytes;
};

struct tree {
	const struct shape *shape;
	struct weft_spec *s;
	struct weft_eval *e;
	struct folder *folder[NODES];
	struct who {
		struct tree *t;
		int node;
	} who[NODES];
	struct mail mail[256];
	unsigned n_mail;
	struct down {
		int64_t iteration;
		bool close, full;
	} down[256];
	unsigned n_down;
	struct weft_buf said;
	unsigned evaluated, full, folds;
};

static void take_up(void *ctx, const void *at, size_t n)
{
	struct who *w = ctx;
	REQUIRE(w->t->n_mail < 256);
	struct mail *m = &w->t->mail[w->t->n_mail++];
	*m = (struct mail){.from = w->node};
	weft_buf_add(&m->bytes, at, n);
	w->t->folds++;
}

static void hear(void *ctx, const struct weft_eval_result *w)
{
	struct tree *t = ctx;
	if (w->kind == WEFT_RESULT_CLOSE || w->kind == WEFT_RESULT_CLOSED) {
		REQUIRE(t->n_down < 256);
		t->down[t->n_down++] = (struct down){w->iteration, w->kind == WEFT_RESULT_CLOSE, w->add};
		t->full += w->kind == WEFT_RESULT_CLOSE && w->add;
		return;
	}
	/* Which code a fault was in, and where it was noticed, depends on the tree; that and when the iteration ended does not. */
	if (w->kind == WEFT_RESULT_FAULT)
		return;
	weft_buf_printf(&t->said, "%d %lld", (int)w->kind, (long long)w->iteration);
	if (w->kind == WEFT_RESULT_TUNE)
		weft_buf_printf(&t->said, " %a", w->number);
	for (uint32_t i = 0; w->kind == WEFT_RESULT_EVALUATED && i < w->n; i++)
		weft_buf_printf(&t->said, " %a", w->value[i]);
	t->evaluated += w->kind == WEFT_RESULT_EVALUATED;
	weft_buf_putc(&t->said, '\n');
}

static void tree_begin(struct tree *t, const struct shape *shape, struct weft_spec *s, const char *library)
{
	struct weft_err err = {0};
	struct weft_eval_how how = {.result = hear, .ctx = t, .limit_ns = 20000000000};
	memset(t, 0, sizeof *t);
	t->shape = shape;
	t->s = s;
	REQUIRE(weft_eval_new(&t->e, s, &how, &err) == 0);
	for (int i = 0; i < shape->n; i++) {
		t->who[i] = (struct who){t, i};
		struct folder_how fh = {.up = take_up, .ctx = &t->who[i], .library = library};
		REQUIRE(folder_new(&t->folder[i], s, &fh, &err) == 0);
	}
	CHECK(weft_eval_process(t->e, 0, MASTER, NULL, true, NULL) == 0);
	for (int64_t id = FIRST; id < FIRST + WORKERS; id++)
		CHECK(weft_eval_process(t->e, 1, id, NULL, true, NULL) == 0);
	for (int i = 0; i < shape->n; i++)
		if (shape->parent[i] < 0)
			CHECK(weft_eval_child(t->e, (uint32_t)i, true, NULL) == 0);
		else
			CHECK(folder_child(t->folder[shape->parent[i]], (uint32_t)i, true) == 0);
}

static void tree_end(struct tree *t)
{
	for (int i = 0; i < t->shape->n; i++)
		folder_free(t->folder[i]);
	weft_eval_free(t->e);
	weft_buf_fini(&t->said);
}

/* Until nobody has anything to say. */
static void settle(struct tree *t, bool flush)
{
	for (bool more = true; more;) {
		for (int i = 0; i < t->shape->n && flush; i++)
			CHECK(folder_flush(t->folder[i]) == 0);
		more = t->n_mail || t->n_down;
		if (t->n_down) {
			struct down d = t->down[0];
			memmove(t->down, t->down + 1, --t->n_down * sizeof d);
			for (int i = 0; i < t->shape->n; i++)
				if (d.close)
					CHECK(folder_close(t->folder[i], d.iteration, d.full) == 0);
				else
					folder_closed(t->folder[i], d.iteration);
		} else if (t->n_mail) {
			struct mail m = t->mail[0];
			memmove(t->mail, t->mail + 1, --t->n_mail * sizeof m);
			int to = t->shape->parent[m.from];
			if (to < 0)
				CHECK(weft_eval_fold(t->e, (uint32_t)m.from, m.bytes.at, m.bytes.n, NULL) == 0);
			else
				CHECK(folder_below(t->folder[to], (uint32_t)m.from, m.bytes.at, m.bytes.n) == 0);
			weft_buf_fini(&m.bytes);
		}
	}
}

/* Workers are below collectors that have none below them; the master too, which is folded nowhere. */
static int home_of(const struct tree *t, int64_t id)
{
	return t->shape->n == 4 ? 1 + (int)(id % 3) : t->shape->n ? (int)(id % t->shape->n) : -1;
}

static void tree_event(struct tree *t, const struct folder_event *e)
{
	int home = home_of(t, e->id);
	int pass = home < 0 ? FOLDER_PASSES : folder_event(t->folder[home], e);
	CHECK(pass >= 0);
	struct weft_eval_record r = {.event = e->event,
	                             .n = e->n,
	                             .id = e->id,
	                             .time = e->time,
	                             .value = e->value,
	                             .folded = pass == FOLDER_FOLDED_AND_PASSES,
	                             .child = home >= 0 && t->shape->parent[home] >= 0 ? (uint32_t)t->shape->parent[home]
	                                                                               : (uint32_t)home};
	/* What a collector says at once comes before; what it makes of its state, behind. */
	settle(t, false);
	if (pass != FOLDER_FOLDED)
		CHECK(weft_eval_events(t->e, &r, 1, NULL) == 0);
	settle(t, true);
}

/* -- random events -- */

struct random_event {
	enum { AN_EVENT, A_LOSS, AN_END } kind;
	struct folder_event e;
	struct tune_value value[3];
};

static void put_value(struct random_event *r, int i, double d)
{
	r->value[i] = (struct tune_value){.d = d, .i = (long long)d};
	r->e.n = (uint32_t)i + 1;
}

static unsigned make_iteration(struct random_event *out, int64_t number, double *time, bool whole_numbers)
{
	unsigned n = 0, workers = 1 + any(WORKERS);
	out[n++] = (struct random_event){.e = {.event = 0, .id = MASTER}};
	put_value(&out[0], 0, (double)number);
	put_value(&out[0], 1, any(4) ? workers : 1 + any(WORKERS));
	for (unsigned w = 0; w < workers; w++) {
		int64_t id = FIRST + w;
		if (any(2)) {
			out[n] = (struct random_event){.e = {.event = 2, .id = MASTER}};
			put_value(&out[n], 0, (double)number);
			put_value(&out[n], 1, (double)id);
			put_value(&out[n++], 2, 1 + any(5));
		}
		for (unsigned k = 1 + any(3); k > 0; k--) {
			out[n] = (struct random_event){.e = {.event = 3, .id = id}};
			put_value(&out[n], 0, (double)number);
			put_value(&out[n], 1, whole_numbers ? any(7) : (double)test_random() / 1e17 - 20);
			put_value(&out[n++], 2, any(4));
		}
		if (any(60) == 0)
			out[n++] = (struct random_event){.kind = any(2) ? A_LOSS : AN_END, .e = {.id = id}};
		out[n] = (struct random_event){.e = {.event = 4, .id = id}};
		put_value(&out[n], 0, (double)number);
		put_value(&out[n++], 1, any(5));
	}
	/* Not in the order in which they were made, but the begin comes first, and the end not too early. */
	for (unsigned i = n - 1; i > 1; i--) {
		unsigned k = i > 6 ? i - any(6) : 1 + any(i);
		struct random_event swap = out[i];
		out[i] = out[k];
		out[k] = swap;
	}
	unsigned end = n - any(n < 4 ? 1 : 4);
	memmove(out + end + 1, out + end, (n - end) * sizeof *out);
	out[end] = (struct random_event){.e = {.event = 1, .id = MASTER}};
	put_value(&out[end], 0, (double)number);
	for (unsigned i = 0; i <= n; i++)
		out[i].e.time = *time += 0.5 + any(3);
	return n + 1;
}

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The lines from here on, sorted: when several iterations are given up at once, which is first is nobody's business. */
static void sort_said(struct weft_buf *said, size_t from)
{
	char *line[64], *text = said->n > from ? strdup(said->at + from) : NULL, *rest = text;
	unsigned n = 0;
	for (char *l; n < 64 && (l = strsep(&rest, "\n")) && *l;)
		line[n++] = l;
	qsort(line, n, sizeof *line, compare_lines);
	said->n = from;
	for (unsigned i = 0; i < n; i++)
		weft_buf_printf(said, "%s\n", line[i]);
	free(text);
}

static void feed(struct tree *t, struct random_event *r, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		size_t from = t->said.n;
		r[i].e.value = r[i].value;
		if (r[i].kind == AN_EVENT) {
			tree_event(t, &r[i].e);
		} else if (r[i].kind == A_LOSS) {
			for (int k = 0; k < t->shape->n; k++)
				CHECK(folder_lost(t->folder[k], 3, -INFINITY) == 0);
			settle(t, true);
			CHECK(weft_eval_lost(t->e, r[i].e.id, 3, -INFINITY, NULL) == 0);
		} else {
			int home = home_of(t, r[i].e.id);
			if (home >= 0)
				CHECK(folder_ended(t->folder[home], 1, r[i].e.id) == 0);
			settle(t, true);
			CHECK(weft_eval_process(t->e, 1, r[i].e.id, NULL, false, NULL) == 0);
			/* Another takes its number. */
			settle(t, true);
			CHECK(weft_eval_process(t->e, 1, r[i].e.id, NULL, true, NULL) == 0);
		}
		settle(t, true);
		if (r[i].kind != AN_EVENT)
			sort_said(&t->said, from);
	}
}

/* How much of all of it really was split. */
static unsigned in_all, in_full, with_parts;

static void check_one(void)
{
	char *text = random_spec(), library[300];
	struct weft_spec *s;
	struct weft_err err = {0};
	REQUIRE(weft_spec_new(&s, "random.tsl", text, strlen(text), NULL) == 0);
	if (weft_spec_count(s, WEFT_ERROR))
		weft_spec_report(s, WEFT_ERROR, stdout);
	REQUIRE(weft_spec_count(s, WEFT_ERROR) == 0);
	snprintf(library, sizeof library, "%s/%llx.so", test_dir(), (unsigned long long)test_random());
	REQUIRE(tune_compile(s, TUNE_FOLDS, library, &err) == 0);
	static struct random_event all[20][200];
	unsigned n[20];
	double time = 0;
	bool whole_numbers = any(2);
	for (int i = 0; i < 20; i++)
		n[i] = make_iteration(all[i], i + 1, &time, whole_numbers);
	char *want = NULL;
	for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
		struct tree t;
		tree_begin(&t, &shapes[k], s, library);
		for (int i = 0; i < 20; i++)
			feed(&t, all[i], n[i]);
		if (k == 0) {
			want = strdup(t.said.at ? t.said.at : "");
			CHECK(t.evaluated > 0 || strstr(want, "5 "));
		} else if (!CHECK(strcmp(want, t.said.at ? t.said.at : "") == 0)) {
			printf("# with %s:\n%s# without:\n%s# of:\n%s\n", t.shape->name, t.said.at, want, text);
		}
		in_all += t.evaluated;
		in_full += k ? t.full : 0;
		tree_end(&t);
	}
	with_parts += s->n_parts > 0;
	free(want);
	weft_spec_free(s);
	free(text);
}

TEST(trees_of_collectors_decide_as_none)
{
	in_all = in_full = with_parts = 0;
	for (int i = 0; i < 5; i++)
		check_one();
	printf("# %u evaluations; all values were asked for %u times\n", in_all, in_full);
	CHECK(in_all > 50);
	CHECK(with_parts > 0);
}

TEST_IN(TIER_FULL, many_trees_of_collectors_decide_as_none)
{
	in_all = in_full = with_parts = 0;
	for (int i = 0; i < 40; i++)
		check_one();
	CHECK(in_all > 500 && in_full > 10 && with_parts > 20);
}

/* -- sums of the iteration -- */

/* A master that begins and ends iterations, and workers that say k; their attributes follow. */
#define MASTER_AND_WORKERS \
	"unit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n" \
	"variable\nid: iteration\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n" \
	"variable\nid: iterationW\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\n" \
	"variable\nid: k\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\nEVENTS\n" \
	"event\nid: B\nactorId: m\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nATTRS\nid: iteration\nendevent\n" \
	"event\nid: E\nactorId: m\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nATTRS\nid: iteration\nendevent\n" \
	"event\nid: S\nactorId: w\ncontroliter: no\nutility: always\nmethod: w\nplace: entry\nATTRS\nid: iterationW\nid: k\nendevent\n" \
	"ACTORS\nactor\nid: m\nmin: 1\nmax: 1\ncompletion: /# 1 #/\nexe: m\nendactor\n" \
	"actor\nid: w\nmin: 1\nmax: 300\ncompletion: /# 1 #/\nexe: w\n"

static const char summed[] =
	"TUNLET\nid: summed\n" MASTER_AND_WORKERS "endactor\nITERATION INFORMATION\n"
	"id: n\ntype: %s\ninic: /# n = 100; #/\nvalue: /# %s #/\ndependency: S\n%s"
	"MODEL PARAMETERS\nid: p\ntype: double\ninic: /# p = 0; #/\nvalue: /# p = iter.n * 2; #/\ndependency: none\n"
	"PERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n";
static const char seen[] = "id: seen\ntype: int\ninic: /# seen = 0; #/\nvalue: /# iter.seen = iter.n + S.k; #/\ndependency: S\n";

static void keep_p(void *ctx, const struct weft_eval_result *w)
{
	if (w->kind == WEFT_RESULT_EVALUATED)
		*(double *)ctx = w->value[0];
}

static double p_of(struct weft_spec *s)
{
	double p = -1;
	struct weft_eval *e;
	struct weft_eval_how how = {.result = keep_p, .ctx = &p, .limit_ns = 20000000000};
	struct tune_value value[2] = {{.d = 1, .i = 1}};
	REQUIRE(weft_eval_new(&e, s, &how, NULL) == 0);
	CHECK_I64(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1, .value = value, .n = 1}, NULL),
	          0);
	for (int i = 1; i <= 4; i++) {
		value[1] = (struct tune_value){.d = i, .i = i};
		CHECK_I64(weft_eval_event(e,
		                          &(struct weft_eval_record){.event = 2,
		                                                     .id = 10 + i % 2,
		                                                     .time = 1 + i,
		                                                     .value = value,
		                                                     .n = 2},
		                          NULL),
		          0);
	}
	CHECK_I64(weft_eval_event(e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 20, .value = value, .n = 1}, NULL),
	          0);
	weft_eval_free(e);
	return p;
}

TEST(sums_of_the_iteration_are_made_at_collectors)
{
	static const struct {
		const char *type, *value, *also;
		bool passes;
		double p;
	} rows[] = {
		{"int", "iter.n += S.k;", "", false, 220},
		{"double", "iter.n = iter.n - S.k / 2.0;", "", false, 190},
		{"int", "if (S.k > 2) { iter.n++; }", "", false, 204},
		{"float", "iter.n = sqrt(S.k * S.k) + iter.n;", "", false, 220},
		{"int", "iter.n += S.k / 2.0;", "", true, 208}, /* each step rounds */
		{"int", "iter.n = S.k - iter.n;", "", true, 204},
		{"int", "iter.n += S.k * iter.n;", "", true, 24000},
		{"int", "iter.n = S.k;", "", true, 8},
		{"int", "iter.n += S.k;", seen, true, 220}, /* somebody looks on the way */
	};
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		char text[4096];
		struct weft_spec *s;
		int n = snprintf(text, sizeof text, summed, rows[i].type, rows[i].value, rows[i].also);
		REQUIRE(weft_spec_new(&s, "summed.tsl", text, (size_t)n, NULL) == 0);
		CHECK_I64(weft_spec_count(s, WEFT_ERROR), 0);
		if (!CHECK(s->event.at[2].folds && s->event.at[2].passes == rows[i].passes))
			printf("# %s %s\n", rows[i].type, rows[i].value);
		if (!CHECK_NEAR(p_of(s), rows[i].p, 1e-9))
			printf("# %s %s\n", rows[i].type, rows[i].value);
		weft_spec_free(s);
	}
}

/* -- faults -- */

static const char faulty[] =
	"TUNLET\nid: faulty\n" MASTER_AND_WORKERS "ATTRS\n"
	"id: s\ntype: int\ninic: /# s = 0; #/\nvalue: /# w[S.id].s += 12 / S.k; #/\ndependency: S\nendactor\n"
	"ITERATION INFORMATION\nMODEL PARAMETERS\n"
	"id: p\ntype: double\ninic: /# p = 0; #/\nvalue: /# p = 0; for (int i = 0; i < count(w); i++) p += w[i].s; #/\ndependency: none\n"
	"PERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n";

struct heard {
	struct weft_spec *s;
	char why[200];
};

static void hear_gone(void *ctx, const void *at, size_t n)
{
	struct heard *h = ctx;
	struct fold f;
	REQUIRE(fold_decode(h->s, at, n, &f) == 0);
	if (f.kind == FOLD_GONE)
		snprintf(h->why, sizeof h->why, "%s", f.why);
	fold_fini(&f);
}

static unsigned line_of(const char *text)
{
	unsigned line = 1;
	for (const char *z = faulty, *at = strstr(faulty, text); z < at; z++)
		line += *z == '\n';
	return line;
}

TEST(a_fault_at_a_collector_says_where)
{
	struct heard h = {0};
	struct folder *f;
	char place[60];
	struct folder_how how = {.up = hear_gone, .ctx = &h};
	struct tune_value value[2] = {{.d = 1, .i = 1}, {.d = 3, .i = 3}};
	REQUIRE(weft_spec_new(&h.s, "some/where/faulty.tsl", faulty, sizeof faulty - 1, NULL) == 0);
	REQUIRE(folder_new(&f, h.s, &how, NULL) == 0);
	struct folder_event e = {.event = 2, .id = 7, .time = 1, .value = value, .n = 2};
	CHECK_I64(folder_event(f, &e), FOLDER_FOLDED);
	CHECK_STR(h.why, "");
	value[1] = (struct tune_value){.d = 0, .i = 0};
	CHECK_I64(folder_event(f, &e), FOLDER_FOLDED);
	snprintf(place, sizeof place, "(faulty.tsl:%u:", line_of("value: /# w[S.id].s"));
	if (!CHECK(strstr(h.why, place) != NULL))
		printf("# %s, not %s\n", h.why, place);
	folder_free(f);
	weft_spec_free(h.s);
}

static void count_said(void *ctx, const struct weft_eval_result *w)
{
	unsigned *n = ctx;
	n[w->kind]++;
}

/* Those that came in another order than they happened are sorted, in the child: the C library asks the system for something then. */
TEST(many_instances_in_disorder_are_evaluated)
{
	enum { MANY = 250 };
	struct weft_spec *s;
	struct weft_eval *e;
	unsigned said[64] = {0};
	struct weft_eval_how how = {.result = count_said, .ctx = said, .limit_ns = 20000000000};
	struct tune_value value[2] = {{.d = 1, .i = 1}, {.d = 3, .i = 3}};
	REQUIRE(weft_spec_new(&s, "faulty.tsl", faulty, sizeof faulty - 1, NULL) == 0 && weft_eval_new(&e, s, &how, NULL) == 0);
	CHECK_I64(weft_eval_event(e, &(struct weft_eval_record){.event = 0, .id = 1, .time = 1, .value = value, .n = 1}, NULL),
	          0);
	for (int i = 0; i < MANY; i++)
		CHECK_I64(weft_eval_event(e,
		                          &(struct weft_eval_record){.event = 2,
		                                                     .id = 10 + i,
		                                                     .time = 1000 - i,
		                                                     .value = value,
		                                                     .n = 2},
		                          NULL),
		          0);
	CHECK_I64(weft_eval_event(e, &(struct weft_eval_record){.event = 1, .id = 1, .time = 2000, .value = value, .n = 1}, NULL),
	          0);
	CHECK_I64(said[WEFT_RESULT_EVALUATED], 1);
	CHECK_I64(said[WEFT_RESULT_RESTARTED], 0);
	weft_eval_free(e);
	weft_spec_free(s);
}
