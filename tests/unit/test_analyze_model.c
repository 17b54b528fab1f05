/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analyzer against a model, in a time of the test's own: controllers say what happens in random programs, each late by up to half
 * the window, so that the order of arrival is not that of time. Processes come, end, execute other programs in the middle of
 * iterations; some may be either of two actors until an event decides, and what came before waits for that; events are lost.
 *
 * The model takes everything in the order of time, at once. It knows of each iteration whether it is evaluated, with which values, or
 * why not; how many events came too late; which events are wanted of each process; and on whom each decision was carried out.
 */
#include "harness.h"
#include "tune/analyze/analyze_priv.h"
#include "tune/derive/derive.h"
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define US UINT64_C(1000)
#define MS (1000 * US)
#define BEGIN_NS (UINT64_C(1000000) * MS)
enum { CONTROLLERS = 3, PROCESSES = 400, ITERATIONS = 300, PARTICIPANTS = 12, STEPS = 5, WAITING = 16, IN_FLIGHT = 2 };
#define WINDOW_NS (5 * MS)
#define LATE_MOST_NS (WINDOW_NS / 2)
#define MARGIN_NS (20 * MS)  /* within this time the analyzer has worked on what happened */
#define SETTLE_NS (100 * MS) /* so much later ends are told to evaluations */
enum { LAZY_PASSES = 60, KEPT_RANK = 7777 };

static const char text[] =
	"TUNLET\nid: model\nunit: ms\nMEASURE POINTS\nVARIABLES AND VALUES\n"
	"variable\nid: iteration\nsource: asVarValue\ntype: int\nactorId: m\nendvariable\n"
	"variable\nid: iterationW\nsource: asVarValue\ntype: int\nactorId: w\nendvariable\n"
	"variable\nid: v\nsource: asVarValue\ntype: double\nactorId: w\nendvariable\n"
	"variable\nid: iterationX\nsource: asVarValue\ntype: int\nactorId: x\nendvariable\n"
	"variable\nid: y\nsource: asVarValue\ntype: double\nactorId: x\nendvariable\n"
	"variable\nid: knob\nsource: asVarValue\ntype: double\nactorId: w\nendvariable\nEVENTS\n"
	"event\nid: B\nactorId: m\ncontroliter: begin\nutility: always\nmethod: b\nplace: entry\nATTRS\nid: iteration\nendevent\n"
	"event\nid: E\nactorId: m\ncontroliter: end\nutility: always\nmethod: b\nplace: exit\nATTRS\nid: iteration\nendevent\n"
	"event\nid: S\nactorId: w\ncontroliter: no\nutility: always\nmethod: s\nplace: entry\nATTRS\nid: iterationW\nid: v\nendevent\n"
	"event\nid: U\nactorId: w\ncontroliter: no\nutility: always\nmethod: both\nplace: entry\nATTRS\nid: iterationW\nid: v\nendevent\n"
	"event\nid: F\nactorId: w\ncontroliter: eval\nutility: always\nmethod: f\nplace: exit\nATTRS\nid: iterationW\nendevent\n"
	"event\nid: T\nactorId: x\ncontroliter: no\nutility: always\nmethod: t\nplace: entry\nATTRS\nid: iterationX\nid: y\nendevent\n"
	"event\nid: V\nactorId: x\ncontroliter: no\nutility: always\nmethod: both\nplace: entry\nATTRS\nid: iterationX\nid: y\nendevent\n"
	"event\nid: G\nactorId: x\ncontroliter: eval\nutility: always\nmethod: g\nplace: exit\nATTRS\nid: iterationX\nendevent\n"
	"ACTORS\nactor\nid: m\nmin: 1\nmax: 1\ncompletion: /# comp == 1 #/\nexe: master\nhost: none\nATTRS\n"
	"id: comp\ntype: int\ninic: /# comp = 0; #/\nvalue: /# m[E.id].comp = 1; #/\ndependency: E\nendactor\n"
	"actor\nid: w\nmin: 1\nmax: 30\ncompletion: /# comp == 1 #/\nexe: *w\nATTRS\n"
	"id: comp\ntype: int\ninic: /# comp = 0; #/\nvalue: /# w[F.id].comp = 1; #/\ndependency: F\n"
	"id: s\ntype: double\ninic: /# s = 0; #/\nvalue: /# w[S.id].s += S.v; #/\ndependency: S\n"
	"id: u\ntype: double\ninic: /# u = 0; #/\nvalue: /# w[U.id].u += U.v; #/\ndependency: U\nendactor\n"
	"actor\nid: x\nmin: 1\nmax: 30\ncompletion: /# comp == 1 #/\nexe: x*\nATTRS\n"
	"id: comp\ntype: int\ninic: /# comp = 0; #/\nvalue: /# x[G.id].comp = 1; #/\ndependency: G\n"
	"id: s\ntype: double\ninic: /# s = 0; #/\nvalue: /# x[T.id].s += T.y; #/\ndependency: T\n"
	"id: u\ntype: double\ninic: /# u = 0; #/\nvalue: /# x[V.id].u += V.y; #/\ndependency: V\nendactor\n"
	"ITERATION INFORMATION\nMODEL PARAMETERS\n"
	"id: ws\ntype: double\ninic: /# ws = 0; #/\n"
	"value: /# ws = 0; for (int i = 0; i < count(w); i++) { ws += w[i].s + 3 * w[i].u; } #/\ndependency: none\n"
	"id: xs\ntype: double\ninic: /# xs = 0; #/\n"
	"value: /# xs = 0; for (int i = 0; i < count(x); i++) { xs += x[i].s + 3 * x[i].u; } #/\ndependency: none\n"
	"id: n\ntype: int\ninic: /# n = 0; #/\nvalue: /# n = 100 * count(w) + count(x); #/\ndependency: none\n"
	"PERFORMANCE FUNCTIONS\nTUNING POINTS\n"
	"point\nid: knob\nkind: SetVariableValue\nactorId: w\nvalue: /# ws #/\ncond: /# ws > xs #/\nendpoint\nENDTUNLET\n";

enum { B, E, S, U, F, T, V, G, EVENTS };
enum { ACTOR_M, ACTOR_W, ACTOR_X, UNKNOWN, UNDECIDED };
static const unsigned actor_of[EVENTS] = {ACTOR_M, ACTOR_M, ACTOR_W, ACTOR_W, ACTOR_W, ACTOR_X, ACTOR_X, ACTOR_X};

/* ---- the world: processes, and what controllers have on their way ---- */

struct waiting {
	unsigned event;
	int iteration;
	double value;
};
struct process {
	uint64_t number, bound_at, ended_at; /* bound_at: when its actor was decided; 0: not yet */
	uint32_t pid;
	unsigned controller, is, bound, lazy; /* is: what it is; bound: what is known of that */
	bool open, ready, ended, detached;    /* open: it may be either actor */
	bool keeps_rank;                      /* it has a rank that another one had before */
	uint32_t wanted;                      /* events, as the analyzer has said */
	unsigned acts;
	struct waiting waiting[WAITING];
	unsigned n_waiting;
};
struct letter {
	struct letter *next;
	struct message *m;
	uint64_t arrives;
};
enum fate { OPEN, EVALUATED, GIVEN_UP, DOOMED }; /* DOOMED: it will be given up, later */
struct instance {
	struct process *p;
	bool complete;
	double sum;
};
struct iteration {
	enum fate fate;
	bool begun, ended;
	struct instance at[PARTICIPANTS + 2];
	unsigned n;
	double value[3];
	uint64_t time; /* when it was evaluated, or it was clear that it will not be */
};
struct flight { /* an iteration that is under way */
	int number;
	struct process *who[PARTICIPANTS];
	unsigned step[PARTICIPANTS], n;
	bool ended;
};
static struct world {
	struct analyze *a;
	struct weft_spec *spec;
	struct channel below[CONTROLLERS];
	struct letter *first[CONTROLLERS], *last[CONTROLLERS];
	uint64_t now;
	struct process process[PROCESSES];
	unsigned n_processes, late_least, late_most, events;
	struct iteration iteration[ITERATIONS + 1];
	struct flight flight[IN_FLIGHT];
	int begun;
	unsigned passes, said_by; /* since there was work last; the controller of the last event */
	struct process *ranked;   /* has KEPT_RANK, or had it last */
} w;
static struct message in;

static unsigned below(unsigned n)
{
	return (unsigned)(test_random() % n);
}

static void say(unsigned controller, const struct message *m)
{
	struct letter *l = calloc(1, sizeof *l);
	REQUIRE(l && (l->m = message_copy(m)));
	l->arrives = w.now + below(LATE_MOST_NS);
	if (w.first[controller]) {
		if (l->arrives < w.last[controller]->arrives)
			l->arrives = w.last[controller]->arrives;
		w.last[controller]->next = l;
	} else {
		w.first[controller] = l;
	}
	w.last[controller] = l;
}

static struct process *find(uint64_t number)
{
	for (unsigned i = 0; i < w.n_processes; i++)
		if (w.process[i].number == number)
			return &w.process[i];
	return NULL;
}

/* What a controller does when it is told something. */
static void obey(const struct message *m)
{
	struct process *p = find(message_process_of(m));
	struct message out = {.kind = MESSAGE_COST};
	if (!p)
		return;
	switch (m->kind) {
	case MESSAGE_WANT:
		p->wanted |= m->want.event < EVENTS ? 1u << m->want.event : 0;
		break;
	case MESSAGE_UNWANT:
		p->wanted &= ~(1u << m->unwant.event);
		break;
	case MESSAGE_DETACH:
		p->detached = true;
		break;
	case MESSAGE_READY:
		if (p->ready && !p->ended) {
			out.cost = (struct message_cost){.process = p->number, .time = w.now, .alive = true};
			say(p->controller, &out);
		}
		p->ready = true;
		break;
	case MESSAGE_ACT:
		p->acts++;
		out.kind = MESSAGE_ACTED;
		out.acted = (struct message_acted){.process = p->number, .time = w.now, .action = m->act.action, .text = ""};
		say(p->controller, &out);
		break;
	default:
		break;
	}
}

/* Lets time go on; what arrives meanwhile is heard, and perhaps worked on. */
static void pass(uint64_t ns)
{
	w.now += ns;
	w.a->virtual_now = w.now;
	for (unsigned c = 0; c < CONTROLLERS; c++)
		while (w.first[c] && w.first[c]->arrives <= w.now) {
			struct letter *l = w.first[c];
			w.first[c] = l->next;
			analyze_heard(w.a, c, l->m);
			free(l->m);
			free(l);
		}
	if (++w.passes >= LAZY_PASSES || below(30) == 0) {
		w.passes = 0;
		analyze_work(w.a, false);
	}
	for (unsigned c = 0; c < CONTROLLERS; c++) {
		REQUIRE(channel_flush(&w.a->controller[c]) == 0 && channel_fill(&w.below[c]) == 0);
		while (channel_next(&w.below[c], &in) > 0)
			obey(&in);
	}
}

/* ---- the model ---- */

static void model_complete(struct iteration *it)
{
	unsigned n[3] = {0};
	double sum[3] = {0};
	for (unsigned i = 0; i < it->n; i++) {
		n[it->at[i].p->bound]++;
		sum[it->at[i].p->bound] += it->at[i].sum;
		if (!it->at[i].complete)
			return;
	}
	if (!it->ended || it->fate != OPEN || !n[ACTOR_M] || !n[ACTOR_W] || !n[ACTOR_X])
		return;
	it->fate = EVALUATED;
	it->time = w.now;
	it->value[0] = sum[ACTOR_W];
	it->value[1] = sum[ACTOR_X];
	it->value[2] = 100 * n[ACTOR_W] + n[ACTOR_X];
}

static void model_take(struct process *p, unsigned event, int iteration, double value)
{
	struct iteration *it = &w.iteration[iteration];
	w.events++;
	if (it->fate != OPEN) {
		w.late_least += it->fate != DOOMED;
		w.late_most++;
		return;
	}
	it->begun = true;
	struct instance *x = it->at;
	while (x < it->at + it->n && x->p != p)
		x++;
	if (x == it->at + it->n)
		it->at[it->n++] = (struct instance){.p = p};
	x->sum += event == S || event == T ? value : event == U || event == V ? 3 * value : 0;
	x->complete |= event == F || event == G || event == E;
	it->ended |= event == E;
	model_complete(it);
}

static void model_event(struct process *p, unsigned event, int iteration, double value)
{
	if (p->bound == UNDECIDED && (event == U || event == V)) {
		REQUIRE(p->n_waiting < WAITING);
		p->waiting[p->n_waiting++] = (struct waiting){event, iteration, value};
		return;
	}
	if (p->bound == UNDECIDED) {
		p->bound = actor_of[event];
		p->bound_at = w.now;
		for (unsigned i = 0; i < p->n_waiting; i++)
			if (actor_of[p->waiting[i].event] == p->bound)
				model_take(p, p->waiting[i].event, p->waiting[i].iteration, p->waiting[i].value);
	}
	if (p->bound == actor_of[event])
		model_take(p, event, iteration, value);
}

static void model_end(struct process *p)
{
	p->ended = true;
	p->ended_at = w.now;
	for (struct iteration *it = w.iteration; it <= w.iteration + ITERATIONS; it++)
		for (unsigned k = 0; k < it->n; k++)
			if (it->fate == OPEN && it->at[k].p == p && !it->at[k].complete) {
				it->fate = DOOMED;
				it->time = w.now;
			}
}

static void model_loss(void)
{
	for (struct iteration *it = w.iteration; it <= w.iteration + ITERATIONS; it++)
		if (it->begun && (it->fate == OPEN || it->fate == DOOMED)) {
			it->time = it->fate == OPEN ? w.now : it->time;
			it->fate = GIVEN_UP;
		}
}

/* ---- what happens ---- */

static void happens(struct process *p, unsigned event, int iteration, double value)
{
	struct message m = {.kind = MESSAGE_EVENT};
	/* What one controller says may have one time. */
	if (w.said_by != p->controller || below(4))
		pass(1 + below(30 * US));
	w.said_by = p->controller;
	m.event.process = p->number;
	m.event.time = w.now;
	m.event.event = event;
	m.event.n = event == B || event == E || event == F || event == G ? 1 : 2;
	m.event.value[0] = (struct message_value){.kind = MESSAGE_INT, .i = iteration, .s = ""};
	m.event.value[1] = (struct message_value){.kind = MESSAGE_REAL, .d = value, .s = ""};
	say(p->controller, &m);
	model_event(p, event, iteration, value);
}

/* former: the process that executes another program; NULL: a new one. */
static struct process *appears(unsigned is, bool open, const struct process *former)
{
	static const char *const exe[] =
		{[ACTOR_M] = "/bin/master", [ACTOR_W] = "/bin/vw", [ACTOR_X] = "/bin/xz", [UNKNOWN] = "/bin/sh"};
	REQUIRE(w.n_processes < PROCESSES);
	w.said_by = CONTROLLERS;
	pass(1 + below(30 * US));
	struct process *p = &w.process[w.n_processes++];
	unsigned controller = former ? former->controller : below(CONTROLLERS);
	*p = (struct process){.number = (uint64_t)(controller + 1) << 32 | w.n_processes,
	                      .pid = former ? former->pid : 1000 + w.n_processes,
	                      .controller = controller,
	                      .is = is,
	                      .open = open,
	                      .bound = open ? UNDECIDED : is,
	                      .bound_at = open ? 0 : w.now};
	p->keeps_rank = is != UNKNOWN && w.n_processes > 3 &&
	                (!w.ranked || (w.ranked->ended && w.ranked->ended_at + MARGIN_NS < w.now));
	w.ranked = p->keeps_rank ? p : w.ranked;
	struct message m = {.kind = MESSAGE_PROCESS};
	m.process = (struct message_process){.process = p->number,
	                                     .time = w.now,
	                                     .pid = p->pid,
	                                     .rank = p->keeps_rank ? KEPT_RANK : -1,
	                                     .host = "here",
	                                     .exe = open ? "/bin/xw" : exe[is]};
	say(controller, &m);
	return p;
}

static void say_gone(struct process *p)
{
	struct message m = {.kind = MESSAGE_GONE, .gone = {p->number, w.now, ""}};
	say(p->controller, &m);
}

static void ends(struct process *p)
{
	w.said_by = CONTROLLERS;
	pass(1 + below(30 * US));
	model_end(p);
	say_gone(p);
}

/* Its end is told after the beginning of what it has executed. */
static void executes(struct process *p)
{
	unsigned is = below(2) ? ACTOR_W : ACTOR_X;
	model_end(p);
	(void)appears(is, below(2), p);
	say_gone(p);
}

static void loses(struct process *p)
{
	struct message m = {.kind = MESSAGE_LOST};
	w.said_by = CONTROLLERS;
	pass(1 + below(30 * US));
	m.lost = (struct message_lost){.process = p->number, .time = w.now, .since = w.now, .count = 1 + below(9)};
	say(p->controller, &m);
	model_loss();
}

/* ---- programs: iterations, two of which may be under way ---- */

static void begin_iteration(struct flight *f)
{
	*f = (struct flight){.number = ++w.begun};
	for (unsigned i = 1; i < w.n_processes && f->n < PARTICIPANTS; i++)
		if (w.process[i].ready && !w.process[i].ended && !w.process[i].detached)
			f->who[f->n++] = &w.process[i];
	happens(&w.process[0], B, f->number, 0);
}

/* The next step of a process in an iteration: what it calls, as the events that are wanted there. */
static void step(struct flight *f, unsigned i)
{
	struct process *p = f->who[i];
	double value = below(1000) / 8.0;
	bool is_w = p->is == ACTOR_W, calls_both = f->step[i] < 2 && below(2), ends_now = f->step[i]++ == STEPS - 1;
	if (calls_both) {
		if (is_w || p->open)
			happens(p, U, f->number, value);
		if (!is_w || p->open)
			happens(p, V, f->number, value);
	} else if (p->bound == UNDECIDED && f->step[i] == 3 && p->lazy < 3 && below(3) == 0) {
		p->lazy++; /* it leaves the iteration without a word of its own */
		f->step[i] = STEPS;
	} else if (f->step[i] > 2) {
		happens(p, ends_now ? (is_w ? F : G) : is_w ? S : T, f->number, value);
	}
}

/* Of those that have something left to do here, and nothing before. */
static bool step_any(unsigned which)
{
	struct flight *f = &w.flight[which];
	unsigned can[PARTICIPANTS], n = 0;
	for (unsigned i = 0; i < f->n; i++) {
		bool is_busy = false;
		for (unsigned k = 0; k < which; k++)
			for (unsigned j = 0; j < w.flight[k].n; j++)
				is_busy |= w.flight[k].who[j] == f->who[i] && w.flight[k].step[j] < STEPS;
		if (!f->who[i]->ended && f->step[i] < STEPS && !is_busy)
			can[n++] = i;
	}
	if (n)
		step(f, can[below(n)]);
	return n;
}

static bool is_over(const struct flight *f)
{
	for (unsigned i = 0; i < f->n; i++)
		if (!f->who[i]->ended && f->step[i] < STEPS)
			return false;
	return true;
}

/* Something that is not an iteration's: the first three processes stay. */
static void disturb(void)
{
	unsigned alive = 0;
	for (unsigned i = 0; i < w.n_processes; i++)
		alive += !w.process[i].ended && !w.process[i].detached;
	struct process *p = &w.process[below(w.n_processes)];
	unsigned what = below(8);
	if (what == 7 && w.ranked && !w.ranked->ended)
		p = w.ranked;
	if (what < 3 && alive < PARTICIPANTS - 2)
		(void)appears(below(2) ? ACTOR_W : ACTOR_X, below(2), NULL);
	else if (what == 3)
		(void)appears(UNKNOWN, false, NULL);
	else if (p->ended || !p->ready || p->detached)
		return;
	else if (what == 4 && p->bound != UNDECIDED)
		loses(p);
	else if (what == 5 && p >= w.process + 3)
		executes(p);
	else if (p >= w.process + 3)
		ends(p);
}

static void run_programs(void)
{
	while (w.begun < ITERATIONS || w.flight[0].number) {
		struct flight *first = &w.flight[0], *second = &w.flight[1];
		if (!first->number && w.begun < ITERATIONS)
			begin_iteration(first);
		else if (!second->number && w.begun < ITERATIONS && below(20) == 0)
			begin_iteration(second);
		if (below(40) == 0)
			disturb();
		if (!step_any(second->number && below(2)))
			(void)step_any(0);
		if (!first->ended && (is_over(first) || below(100) == 0)) {
			first->ended = true;
			happens(&w.process[0], E, first->number, 0);
		}
		if (first->ended && is_over(first)) {
			*first = *second;
			*second = (struct flight){0};
		}
		pass(below(100 * US));
	}
}

/* ---- what came of it ---- */

static void check_iterations(void)
{
	const struct analyze_iteration *of[ITERATIONS + 1] = {NULL};
	unsigned evaluated = 0, incomplete = 0;
	for (size_t i = 0; i < w.a->iteration.n; i++) {
		const struct analyze_iteration *it = &w.a->iteration.at[i];
		REQUIRE(it->number >= 1 && it->number <= ITERATIONS && CHECK(!of[it->number]));
		of[it->number] = it;
	}
	for (int i = 1; i <= ITERATIONS; i++) {
		const struct iteration *m = &w.iteration[i];
		if (!CHECK((of[i] != NULL) == (m->fate != OPEN)) || !of[i])
			continue;
		if (!CHECK(!of[i]->why == (m->fate == EVALUATED)))
			printf("# iteration %d, fate %d: %s\n", i, m->fate, of[i]->why ? of[i]->why : "evaluated");
		for (unsigned k = 0; m->fate == EVALUATED && k < 3 && k < of[i]->n; k++)
			CHECK_NEAR(of[i]->value[k], m->value[k], 0);
		/* Of what a process's end has spoilt the end is told later. */
		CHECK(of[i]->time >= m->time && of[i]->time < m->time + (m->fate == EVALUATED ? 0 : SETTLE_NS) + MARGIN_NS);
		evaluated += m->fate == EVALUATED;
		incomplete += m->fate != EVALUATED;
	}
	CHECK_U64(w.a->tunlet[0].evaluated, evaluated);
	CHECK_U64(w.a->tunlet[0].incomplete, incomplete);
	CHECK(evaluated > ITERATIONS / 3 && incomplete > 2);
	CHECK_U64(w.a->events, w.events);
	CHECK(w.a->tunlet[0].late >= w.late_least && w.a->tunlet[0].late <= w.late_most && w.late_least);
}

static void check_processes(void)
{
	static const uint32_t of_actor[] = {
		[ACTOR_M] = 1 << B | 1 << E,
		[ACTOR_W] = 1 << S | 1 << U | 1 << F,
		[ACTOR_X] = 1 << T | 1 << V | 1 << G,
		[UNKNOWN] = 0,
		[UNDECIDED] = 1 << S | 1 << U | 1 << F | 1 << T | 1 << V | 1 << G,
	};
	unsigned ranked = 0;
	for (unsigned i = 0; i < w.n_processes; i++) {
		const struct process *p = &w.process[i];
		CHECK(p->detached == (p->is == UNKNOWN) && p->ready == (p->is != UNKNOWN));
		CHECK_U64(p->wanted, of_actor[p->bound]);
		if (p->is != UNKNOWN)
			CHECK_I64(process_find(w.a, p->number)->id, p->keeps_rank ? KEPT_RANK : (int64_t)p->pid);
		ranked += p->keeps_rank;
	}
	CHECK(ranked > 2);
}

static void check_actions(void)
{
	static unsigned done[PROCESSES], times[ITERATIONS + 1][PROCESSES];
	memset(done, 0, sizeof done);
	memset(times, 0, sizeof times);
	for (size_t i = 0; i < w.a->action.n; i++) {
		const struct analyze_action *x = &w.a->action.at[i];
		const struct process *p = find(w.a->process.at[x->process]->process);
		const struct iteration *it = &w.iteration[x->iteration];
		CHECK(p && p->bound == ACTOR_W && it->fate == EVALUATED && it->value[0] > it->value[1]);
		CHECK_NEAR(x->value.d, it->value[0], 0);
		CHECK(x->answered && !x->rc && x->decided >= it->time && x->decided < it->time + MARGIN_NS);
		done[p - w.process]++;
		times[x->iteration][p - w.process]++;
	}
	for (unsigned i = 0; i < w.n_processes; i++) {
		const struct process *p = &w.process[i];
		CHECK_U64(p->acts, done[i]);
		for (int k = 1; k <= ITERATIONS; k++) {
			const struct iteration *it = &w.iteration[k];
			bool applies = it->fate == EVALUATED && it->value[0] > it->value[1] && p->bound == ACTOR_W;
			bool is_there = applies && p->bound_at + MARGIN_NS < it->time && it->time + MARGIN_NS < p->ended_at;
			bool is_gone = p->ended_at + MARGIN_NS < it->time;
			CHECK(times[k][i] <= (applies && !is_gone) && times[k][i] >= is_there);
		}
	}
}

static void begin(void)
{
	static struct analyze_how how;
	static int at[CONTROLLERS];
	struct weft_err err = {0};
	memset(&w, 0, sizeof w);
	for (unsigned c = 0; c < CONTROLLERS; c++) {
		int pair[2];
		REQUIRE(channel_pair(pair, NULL) == 0);
		at[c] = pair[0];
		channel_init(&w.below[c], pair[1], CHANNEL_ALL);
		REQUIRE(fcntl(pair[1], F_SETFL, O_NONBLOCK) == 0);
	}
	REQUIRE(weft_spec_new(&w.spec, "model.tsl", text, sizeof text - 1, &err) == 0);
	for (unsigned k = 0; weft_spec_diag(w.spec, k); k++)
		if (weft_spec_diag(w.spec, k)->severity == WEFT_ERROR)
			printf("# %u: %s\n", weft_spec_diag(w.spec, k)->line, weft_spec_diag(w.spec, k)->text);
	REQUIRE(weft_spec_count(w.spec, WEFT_ERROR) == 0);
	how = (struct analyze_how){.n_tunlets = 1,
	                           .tunlet = {{.spec = w.spec}},
	                           .controller = at,
	                           .n_controllers = CONTROLLERS,
	                           .quiet = true,
	                           .command = "model",
	                           .window_ns = WINDOW_NS,
	                           .limit_ns = 20000 * MS};
	REQUIRE((w.a = calloc(1, sizeof *w.a)));
	w.a->how = how;
	REQUIRE(analyze_begin(w.a, &err) == 0);
	w.now = w.a->began = w.a->virtual_now = BEGIN_NS;
	for (unsigned c = 0; c < CONTROLLERS; c++) {
		struct message m = {.kind = MESSAGE_HELLO};
		m.hello = (struct message_hello){.version = MESSAGE_VERSION, .controller = c + 1, .host = "here"};
		analyze_heard(w.a, c, &m);
	}
}

static void end(void)
{
	for (unsigned i = w.n_processes; i-- > 0;)
		if (!w.process[i].ended && !w.process[i].detached)
			ends(&w.process[i]);
	for (unsigned i = 0; i < 3000; i++)
		pass(100 * US);
	analyze_work(w.a, true);
	process_settle(w.a, true);
	decide_all(w.a);
	pass(1);
	CHECK_I64(w.a->err.code, 0);
}

static void run_once(void)
{
	begin();
	struct process *stay[3] = {appears(ACTOR_M, false, NULL), appears(ACTOR_W, false, NULL), appears(ACTOR_X, false, NULL)};
	while (!stay[0]->ready || !stay[1]->ready || !stay[2]->ready)
		pass(100 * US);
	run_programs();
	end();
	check_iterations();
	check_processes();
	check_actions();
	analyze_fini(w.a);
	for (unsigned c = 0; c < CONTROLLERS; c++)
		channel_fini(&w.below[c]);
	free(w.a);
	weft_spec_free(w.spec);
}

TEST(what_is_evaluated_and_done_is_what_the_model_says)
{
	for (unsigned i = 0; i < 4; i++)
		run_once();
}
