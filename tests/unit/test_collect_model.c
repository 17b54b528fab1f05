/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Folding under any timing, against a simple model. Collectors, the evaluation and the ways between them; every way is a queue of its
 * own, and which queue moves next is random, so that iterations overlap, answers cross questions, and a collector below comes late. Events
 * are lost; a leaf dies, and the one above has its processes; the collector in the middle dies, and those below it turn to the evaluation.
 *
 * The model knows of each iteration the sum of its values, and whether a fault may have touched it. An iteration is told of once. If
 * it is evaluated its sum is the model's, whatever happened; if no fault touched it, it is evaluated.
 */
#include "tune/derive/derive.h"
#include "harness.h"
#include "tune/collect/collect_fold.h"
#include "tune/eval/eval.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORKERS = 6,
	ITERATIONS = 40,
	UNDER_WAY = 5,
	MASTER = 1,
	FIRST = 10,
	NODES = 4,
	TOP = 0,
	LATE = 3,
	LEAF = 2,
	EVAL = -1,
	QUEUE = 512
};

static const char text[] =
	"TUNLET\nid: model\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable\nid: iteration\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n"
	"variable\nid: iterationW\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\n"
	"variable\nid: x\nsource: asVarValue\ntype: double\nactorId: w\nendvariable\nEVENTS\n"
	"event\nid: B\nactorId: m\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nATTRS\nid: iteration\nendevent\n"
	"event\nid: E\nactorId: m\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nATTRS\nid: iteration\nendevent\n"
	"event\nid: S\nactorId: w\ncontroliter: no\nutility: always\nmethod: w\nplace: entry\nATTRS\nid: iterationW\nid: x\nendevent\n"
	"event\nid: F\nactorId: w\ncontroliter: eval\nutility: always\nmethod: w\nplace: exit\nATTRS\nid: iterationW\nendevent\n"
	"ACTORS\nactor\nid: m\nmin: 1\nmax: 1\ncompletion: /# comp == 1 #/\nexe: m\nATTRS\n"
	"id: comp\ntype: int\ninic: /# comp = 0; #/\nvalue: /# m[0].comp = 1; #/\ndependency: E\nendactor\n"
	"actor\nid: w\nmin: 6\nmax: 30\ncompletion: /# comp == 1 #/\nexe: w\nATTRS\n"
	"id: comp\ntype: int\ninic: /# comp = 0; #/\nvalue: /# w[F.id].comp = 1; #/\ndependency: F\n"
	"id: s\ntype: double\ninic: /# s = 0; #/\nvalue: /# w[S.id].s += S.x; #/\ndependency: S\nendactor\n"
	"ITERATION INFORMATION\nMODEL PARAMETERS\n"
	"id: sum\ntype: double\ninic: /# sum = 0; #/\nvalue: /# sum = 0; for (int i = 0; i < count(w); i++) { sum += w[i].s; } #/\n"
	"dependency: none\nPERFORMANCE FUNCTIONS\nTUNING POINTS\nENDTUNLET\n";

enum letter_kind { A_FOLD, AN_EVENT, A_LOSS, A_QUESTION, A_CLOSING, ALL_CLOSED };
struct letter {
	enum letter_kind kind;
	struct weft_buf bytes; /* A_FOLD */
	struct weft_eval_record event;
	struct tune_value value[2];
	int64_t iteration;
	bool full;
	double until;
};
struct queue {
	struct letter *at[QUEUE];
	unsigned n;
};

struct iteration_model {
	double sum;
	unsigned next; /* step of its script */
	bool touched, evaluated, incomplete;
};

struct world {
	struct weft_spec *s;
	struct weft_eval *e;
	struct node {
		struct world *world;
		int self, parent;
		bool there;
		struct folder *f;
		struct queue up, down;
	} node[NODES];             /* 0 is between the evaluation and 1, 2, 3 */
	int home[WORKERS + 1];     /* of each process, the master last */
	int64_t seen[WORKERS + 1]; /* its last iteration that has begun */
	int64_t gone[WORKERS + 1]; /* and up to which events are dropped: what came before is lost with a leaf (control_way.c) */
	struct iteration_model it[ITERATIONS + 1];
	double time;
	bool loses;
	unsigned told;
};

static unsigned any(unsigned n)
{
	return (unsigned)(test_random() % n);
}

static struct letter *post(struct queue *q, enum letter_kind kind)
{
	struct letter *l = calloc(1, sizeof *l);
	REQUIRE(l && q->n < QUEUE);
	l->kind = kind;
	q->at[q->n++] = l;
	return l;
}

static struct letter *take(struct queue *q)
{
	struct letter *l = q->at[0];
	memmove(q->at, q->at + 1, --q->n * sizeof q->at[0]);
	return l;
}

static void drop(struct letter *l)
{
	weft_buf_fini(&l->bytes);
	free(l);
}

static void drop_all(struct queue *q)
{
	while (q->n)
		drop(take(q));
}

static void fold_up(void *ctx, const void *at, size_t n)
{
	struct node *x = ctx;
	weft_buf_add(&post(&x->up, A_FOLD)->bytes, at, n);
}

/* Down to all that are below this one (EVAL: the evaluation). */
static void post_down(struct world *w, int parent, const struct letter *like)
{
	for (int k = 0; k < NODES; k++)
		if (w->node[k].there && w->node[k].parent == parent) {
			struct letter *l = post(&w->node[k].down, like->kind);
			l->iteration = like->iteration;
			l->full = like->full;
			l->until = like->until;
		}
}

static void heard(void *ctx, const struct weft_eval_result *r)
{
	struct world *w = ctx;
	if (r->kind == WEFT_RESULT_CLOSE || r->kind == WEFT_RESULT_CLOSED) {
		bool closed = r->kind == WEFT_RESULT_CLOSED;
		post_down(w, EVAL,
		          &(struct letter){.kind = !closed  ? A_QUESTION
		                                   : r->add ? ALL_CLOSED
		                                            : A_CLOSING,
		                           .iteration = r->iteration,
		                           .full = r->add});
		return;
	}
	if (r->kind != WEFT_RESULT_EVALUATED && r->kind != WEFT_RESULT_INCOMPLETE)
		return;
	REQUIRE(r->iteration >= 1 && r->iteration <= ITERATIONS);
	struct iteration_model *it = &w->it[r->iteration];
	CHECK(!it->evaluated && !it->incomplete);
	it->evaluated = r->kind == WEFT_RESULT_EVALUATED;
	it->incomplete = !it->evaluated;
	w->told++;
	if (it->evaluated && !CHECK_NEAR(r->value[0], it->sum, 0))
		printf("# iteration %lld\n", (long long)r->iteration);
	if (it->incomplete && !CHECK(it->touched))
		printf("# iteration %lld: %s\n", (long long)r->iteration, r->text);
}

/* -- one step of each kind -- */

static void touch(struct world *w)
{
	for (int i = 1; i <= ITERATIONS; i++)
		w->it[i].touched |= w->it[i].next > 0 && !w->it[i].evaluated;
}

/* Of an iteration that others have told of, nobody here knows when it began: it counts as touched, too. */
static void tell_lost(struct node *x, double until)
{
	touch(x->world);
	CHECK_I64(folder_lost(x->f, 1, until), 0);
	post(&x->up, A_LOSS)->until = until;
}

/* An event of a process, at its collector. */
static void happen(struct world *w, int process, uint32_t event, int64_t iteration, double x)
{
	struct node *home = &w->node[w->home[process]];
	struct tune_value value[2] = {{.d = (double)iteration, .i = iteration}, {.d = x, .i = (long long)x}};
	struct folder_event e = {.event = event,
	                         .id = process == WORKERS ? MASTER : FIRST + process,
	                         .time = ++w->time,
	                         .value = value,
	                         .n = event == 2 ? 2 : 1};
	if (iteration <= w->gone[process]) {
		w->it[iteration].touched = true;
		return;
	}
	w->seen[process] = iteration > w->seen[process] ? iteration : w->seen[process];
	if (w->loses && any(600) == 0) {
		w->it[iteration].touched = true;
		tell_lost(home, w->time);
		return;
	}
	int rc = process == WORKERS ? FOLDER_PASSES : folder_event(home->f, &e);
	REQUIRE(rc >= 0);
	if (rc == FOLDER_FOLDED)
		return;
	struct letter *l = post(&home->up, AN_EVENT);
	memcpy(l->value, value, sizeof value);
	l->event = (struct weft_eval_record){.event = event, .n = e.n, .id = e.id, .time = e.time};
	l->event.folded = rc == FOLDER_FOLDED_AND_PASSES;
}

/* Of an iteration: its begin; then each worker's values and its finish; its end. False: it is over. */
static bool advance(struct world *w, int64_t i)
{
	struct iteration_model *it = &w->it[i];
	unsigned step = it->next++, worker = (step - 1) / 3;
	if (step == 0) {
		happen(w, WORKERS, 0, i, 0);
	} else if (worker < WORKERS && (step - 1) % 3 < 2) {
		double x = (double)any(1000) / 8;
		it->sum += x;
		happen(w, (int)worker, 2, i, x);
	} else if (worker < WORKERS) {
		happen(w, (int)worker, 3, i, 0);
	} else if (worker == WORKERS) {
		happen(w, WORKERS, 1, i, 0);
	}
	return step < 1 + 3 * WORKERS;
}

static void go_up(struct world *w, struct node *x)
{
	struct letter *l = take(&x->up);
	struct node *to = x->parent < 0 ? NULL : &w->node[x->parent];
	if (l->kind == A_FOLD && to) {
		CHECK_I64(folder_below(to->f, (uint32_t)x->self, l->bytes.at, l->bytes.n), 0);
	} else if (l->kind == A_FOLD) {
		CHECK_I64(weft_eval_fold(w->e, (uint32_t)x->self, l->bytes.at, l->bytes.n, NULL), 0);
	} else if (l->kind == A_LOSS && to) {
		tell_lost(to, l->until);
	} else if (l->kind == A_LOSS) {
		touch(w);
		CHECK_I64(weft_eval_lost(w->e, MASTER, 1, l->until, NULL), 0);
		for (int k = 0; k < NODES; k++)
			if (w->node[k].there && w->node[k].parent == EVAL && k != x->self)
				post(&w->node[k].down, A_LOSS)->until = l->until;
	} else if (to) {
		to->up.at[to->up.n++] = l;
		REQUIRE(to->up.n < QUEUE);
		return;
	} else {
		l->event.value = l->value;
		l->event.child = (uint32_t)x->self;
		CHECK_I64(weft_eval_events(w->e, &l->event, 1, NULL), 0);
	}
	drop(l);
}

static void go_down(struct world *w, struct node *x)
{
	struct letter *l = take(&x->down);
	switch (l->kind) {
	case A_QUESTION:
		CHECK_I64(folder_close(x->f, l->iteration, l->full), 0);
		break;
	case A_CLOSING:
		folder_closed(x->f, l->iteration);
		break;
	case A_LOSS:
		touch(w);
		CHECK_I64(folder_lost(x->f, 1, l->until), 0);
		break;
	default:
		folder_anew(x->f);
	}
	post_down(w, x->self, l);
	drop(l);
}

/* One below another (EVAL: the evaluation) begins: it is asked what those beside it were (route_can_fold). */
static void attach(struct world *w, struct node *x, int parent)
{
	x->parent = parent;
	x->there = true;
	if (parent == EVAL) {
		CHECK_I64(weft_eval_child(w->e, (uint32_t)x->self, true, NULL), 0);
		return;
	}
	struct letter like = {.kind = A_QUESTION};
	CHECK_I64(folder_child(w->node[parent].f, (uint32_t)x->self, true), 0);
	for (unsigned i = 0; folder_asked(w->node[parent].f, &i, &like.iteration, &like.full);) {
		struct letter *l = post(&x->down, A_QUESTION);
		l->iteration = like.iteration;
		l->full = like.full;
	}
}

/* The one in the middle: what was on its way by it is gone; those below it give up what is open, and turn to the evaluation. */
static void kill_top(struct world *w)
{
	struct node *top = &w->node[TOP];
	touch(w);
	top->there = false;
	drop_all(&top->up);
	drop_all(&top->down);
	CHECK_I64(weft_eval_lost(w->e, MASTER, 1, w->time, NULL), 0);
	CHECK_I64(weft_eval_child(w->e, TOP, false, NULL), 0);
	for (int k = 1; k < NODES; k++) {
		struct node *x = &w->node[k];
		if (!x->there)
			continue;
		drop_all(&x->up);
		drop_all(&x->down);
		attach(w, x, EVAL);
		CHECK_I64(folder_lost(x->f, 1, w->time), 0);
	}
}

/* A leaf: what it had is gone; its processes are those of the one above it from now on, in the middle of their iterations. */
static void kill_leaf(struct world *w)
{
	struct node *leaf = &w->node[LEAF], *top = &w->node[leaf->parent];
	touch(w);
	leaf->there = false;
	drop_all(&leaf->up);
	drop_all(&leaf->down);
	tell_lost(top, w->time);
	CHECK_I64(folder_child(top->f, LEAF, false), 0);
	for (int i = 0; i <= WORKERS; i++) {
		if (w->home[i] != LEAF)
			continue;
		w->home[i] = leaf->parent;
		w->gone[i] = w->seen[i];
	}
}

/* -- a run -- */

static void begin(struct world *w, struct weft_spec *s, const char *library, bool loses)
{
	struct weft_err err = {0};
	struct weft_eval_how how = {.result = heard, .ctx = w, .limit_ns = 20000000000};
	*w = (struct world){.s = s, .loses = loses};
	REQUIRE(weft_eval_new(&w->e, s, &how, &err) == 0);
	for (int k = 0; k < NODES; k++) {
		struct node *x = &w->node[k];
		struct folder_how fh = {.up = fold_up, .ctx = x, .library = library};
		x->world = w;
		x->self = k;
		REQUIRE(folder_new(&x->f, s, &fh, &err) == 0);
		if (k != LATE)
			attach(w, x, k == TOP ? EVAL : TOP);
	}
	CHECK_I64(weft_eval_process(w->e, 0, MASTER, NULL, true, NULL), 0);
	for (int i = 0; i < WORKERS; i++)
		CHECK_I64(weft_eval_process(w->e, 1, FIRST + i, NULL, true, NULL), 0);
	for (int i = 0; i <= WORKERS; i++)
		w->home[i] = 1 + i % 2;
}

static void finish(struct world *w)
{
	for (int k = 0; k < NODES; k++) {
		drop_all(&w->node[k].up);
		drop_all(&w->node[k].down);
		folder_free(w->node[k].f);
	}
	weft_eval_free(w->e);
}

/* Something that waits moves on; false: nothing waits, and nobody has anything to say. */
static bool move_one(struct world *w)
{
	unsigned n = 0, which;
	for (int k = 0; k < NODES; k++)
		n += w->node[k].there ? (w->node[k].up.n > 0) + (w->node[k].down.n > 0) : 0;
	if (n == 0)
		return false;
	which = any(n);
	for (int k = 0; k < NODES; k++) {
		struct node *x = &w->node[k];
		if (x->there && x->up.n && which-- == 0) {
			go_up(w, x);
			return true;
		}
		if (x->there && x->down.n && which-- == 0) {
			go_down(w, x);
			return true;
		}
	}
	return true;
}

static void settle(struct world *w)
{
	do {
		while (move_one(w))
			;
		for (int k = 0; k < NODES; k++)
			if (w->node[k].there)
				CHECK_I64(folder_flush(w->node[k].f), 0);
	} while (move_one(w));
}

/* The late one takes over workers between their iterations: here, when none is under way. */
static void come_late(struct world *w)
{
	settle(w);
	attach(w, &w->node[LATE], w->node[TOP].there ? TOP : EVAL);
	for (int i = 0; i < WORKERS; i += 2)
		w->home[i] = LATE;
}

static bool is_under_way(const struct world *w, const bool *over)
{
	for (int i = 1; i <= ITERATIONS; i++)
		if (w->it[i].next > 0 && !over[i])
			return true;
	return false;
}

static void run(struct world *w, bool dies, bool leaf_dies)
{
	int64_t first = 1, late = 5 + any(10), death = dies ? 12 + any(20) : ITERATIONS + 1;
	bool over[ITERATIONS + 2] = {false};
	while (first <= ITERATIONS) {
		unsigned what = any(10);
		int64_t i = first + any(UNDER_WAY);
		bool waits = first >= late && !w->node[LATE].there; /* no further iteration begins then */
		if (waits && !is_under_way(w, over))
			come_late(w);
		if (i > ITERATIONS || over[i] || (waits && w->it[i].next == 0))
			what = 5 + any(5);
		if (first >= death && w->node[TOP].there && any(20) == 0)
			kill_top(w);
		if (leaf_dies && first >= 12 && w->node[LEAF].there && w->node[TOP].there && any(20) == 0)
			kill_leaf(w);
		if (what < 5)
			over[i] = !advance(w, i);
		else if (what < 9)
			(void)move_one(w);
		else
			for (int k = 0; k < NODES; k++)
				if (w->node[k].there && any(2))
					CHECK_I64(folder_flush(w->node[k].f), 0);
		while (first <= ITERATIONS && over[first])
			first++;
	}
	settle(w);
}

static void check_run(struct weft_spec *s, const char *library, bool loses, bool dies, bool leaf_dies)
{
	static struct world w;
	unsigned evaluated = 0, touched = 0;
	begin(&w, s, library, loses);
	run(&w, dies, leaf_dies);
	for (int i = 1; i <= ITERATIONS; i++) {
		evaluated += w.it[i].evaluated;
		touched += w.it[i].touched;
		if (!CHECK(w.it[i].evaluated || w.it[i].touched))
			printf("# iteration %d: %s\n", i, w.it[i].incomplete ? "incomplete" : "nothing was said of it");
	}
	if (!loses && !dies && !leaf_dies)
		CHECK_U64(evaluated, ITERATIONS);
	CHECK(w.node[LATE].there);
	CHECK(dies != w.node[TOP].there);
	printf("# %u evaluated, %u touched\n", evaluated, touched);
	finish(&w);
}

static void check_runs(bool loses, bool dies, bool leaf_dies, int runs)
{
	char library[300];
	struct weft_spec *s;
	struct weft_err err = {0};
	REQUIRE(weft_spec_new(&s, "model.tsl", text, sizeof text - 1, NULL) == 0);
	if (weft_spec_count(s, WEFT_ERROR))
		weft_spec_report(s, WEFT_ERROR, stdout);
	REQUIRE(weft_spec_count(s, WEFT_ERROR) == 0);
	snprintf(library, sizeof library, "%s/model.so", test_dir());
	if (tune_compile(s, TUNE_FOLDS, library, &err))
		printf("# %s\n", err.text);
	REQUIRE(err.code == 0);
	for (int i = 0; i < runs; i++)
		check_run(s, library, loses, dies, leaf_dies);
	weft_spec_free(s);
}

TEST(any_timing_gives_the_sums)
{
	check_runs(false, false, false, 10);
}

TEST(lost_events_make_no_wrong_sum)
{
	check_runs(true, false, false, 10);
}

TEST(a_collector_that_dies_makes_no_wrong_sum)
{
	check_runs(false, true, false, 10);
}

TEST(a_leaf_that_dies_makes_no_wrong_sum)
{
	check_runs(false, false, true, 10);
}

TEST(faults_together_make_no_wrong_sum)
{
	check_runs(true, true, false, 10);
}

/* -- the same, step by step: a begin that comes after the loss, or never -- */

static void keep_kind(void *ctx, const struct weft_eval_result *r)
{
	if (r->kind == WEFT_RESULT_EVALUATED || r->kind == WEFT_RESULT_INCOMPLETE)
		*(enum weft_eval_result_kind *)ctx = r->kind;
}

/* begin: when the iteration began, which is told second; 0: never. The loss was at 10. */
static enum weft_eval_result_kind kind_of(struct weft_spec *s, double begin, bool lost)
{
	enum weft_eval_result_kind kind = WEFT_RESULT_LATE;
	struct weft_eval *e;
	struct weft_eval_how how = {.result = keep_kind, .ctx = &kind, .limit_ns = 20000000000};
	struct tune_value value[2] = {{.d = 1, .i = 1}, {.d = 2, .i = 2}};
	REQUIRE(weft_eval_new(&e, s, &how, NULL) == 0);
	if (lost)
		CHECK_I64(weft_eval_lost(e, MASTER, 1, 10, NULL), 0);
	for (int i = 0; i < WORKERS; i++) {
		struct weft_eval_record r = {.event = 2, .id = FIRST + i, .time = 11 + i, .value = value, .n = 2};
		CHECK_I64(weft_eval_event(e, &r, NULL), 0);
		struct weft_eval_record b = {.event = 0, .id = MASTER, .time = begin, .value = value, .n = 1};
		if (i == 0 && begin > 0)
			CHECK_I64(weft_eval_event(e, &b, NULL), 0);
		r = (struct weft_eval_record){.event = 3, .id = FIRST + i, .time = 20 + i, .value = value, .n = 1};
		CHECK_I64(weft_eval_event(e, &r, NULL), 0);
	}
	struct weft_eval_record end = {.event = 1, .id = MASTER, .time = 30, .value = value, .n = 1};
	CHECK_I64(weft_eval_event(e, &end, NULL), 0);
	weft_eval_free(e);
	return kind;
}

TEST(what_had_begun_when_events_were_lost_is_not_evaluated)
{
	struct weft_spec *s;
	REQUIRE(weft_spec_new(&s, "model.tsl", text, sizeof text - 1, NULL) == 0);
	CHECK_I64(kind_of(s, 10.5, true), WEFT_RESULT_EVALUATED);
	CHECK_I64(kind_of(s, 9, true), WEFT_RESULT_INCOMPLETE);
	CHECK_I64(kind_of(s, 0, true), WEFT_RESULT_INCOMPLETE);
	CHECK_I64(kind_of(s, 9, false), WEFT_RESULT_EVALUATED);
	CHECK_I64(kind_of(s, 0, false), WEFT_RESULT_EVALUATED);
	weft_spec_free(s);
}
