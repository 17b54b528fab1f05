/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules. A deed is a change that was allowed; it is held for its tunlet until that one has
 * evaluated some iterations with it: a model that has decided something must see the effect. While
 * a deed is held, another tunlet may not change its target, nor move its resource the other way.
 * Decisions of one moment are ordered by priority. Tunlets under the common objective are not
 * weighed against each other by these rules of resources: their models say what each combination
 * costs, and the cheapest is taken.
 *
 * When a target changes hands its hold doubles (to 64 times at most), so that two tunlets that
 * disagree for ever come to rest.
 *
 * Costs: deeds × decisions for a call, and 2^tunlets evaluations of models under an objective; both
 * are small.
 */
#include "arbiter.h"
#include "base/vec.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOLD_ITERATIONS = 2, HOLD_DOUBLINGS = 6, UNKNOWN = 2 };
#define HOLD_NS 30000000000ull

struct party {
	char *name; /* owned */
	int priority;
	unsigned hold;
	double weight;
	uint64_t evaluated;
};

struct what {
	char *target, *resource; /* owned; resource may be NULL */
	int sense;
	unsigned tunlet;
};

struct deed {
	uint32_t id;
	unsigned tunlet, point, hold;
	int64_t process;
	bool is_text, pending, had;
	double number, before; /* before: if `had` */
	char text[64];
	int direction; /* of its resource: -1, 0, 1, UNKNOWN */
	uint64_t time_ns, evaluated;
};

struct weft_arbiter {
	struct weft_arbiter_how how;
	WEFT_VEC(struct party) party;
	WEFT_VEC(struct what) what;
	WEFT_VEC(struct deed) deed; /* the oldest first */
	uint32_t ids;
	bool weighs; /* models can say what is, so that they decide instead of the rule of resources */
	uint64_t now_ns;
};

int weft_arbiter_new(struct weft_arbiter **out, const struct weft_arbiter_how *how)
{
	struct weft_arbiter *a = calloc(1, sizeof *a);
	*out = a;
	if (!a)
		return -ENOMEM;
	a->how = *how;
	a->how.hold_ns = how->hold_ns ? how->hold_ns : HOLD_NS;
	return 0;
}

void weft_arbiter_free(struct weft_arbiter *a)
{
	if (!a)
		return;
	for (size_t k = 0; k < a->party.n; k++)
		free(a->party.at[k].name);
	for (size_t k = 0; k < a->what.n; k++) {
		free(a->what.at[k].target);
		free(a->what.at[k].resource);
	}
	free(a->party.at);
	free(a->what.at);
	free(a->deed.at);
	free(a);
}

int weft_arbiter_tunlet(struct weft_arbiter *a, const struct weft_arbiter_party *party)
{
	struct party w = {.name = strdup(party->name), .priority = party->priority, .weight = party->weight};
	w.hold = party->hold ? party->hold : HOLD_ITERATIONS;
	if (!w.name || weft_vec_push(&a->party, w)) {
		free(w.name);
		return -ENOMEM;
	}
	return (int)a->party.n - 1;
}

int weft_arbiter_point(struct weft_arbiter *a, unsigned tunlet, const struct weft_arbiter_what *what)
{
	struct what w = {.sense = what->sense, .tunlet = tunlet};
	w.target = strdup(what->target);
	w.resource = what->resource ? strdup(what->resource) : NULL;
	if (!w.target || (what->resource && !w.resource) || weft_vec_push(&a->what, w)) {
		free(w.target);
		free(w.resource);
		return -ENOMEM;
	}
	return (int)a->what.n - 1;
}

void weft_arbiter_evaluated(struct weft_arbiter *a, unsigned tunlet)
{
	if (tunlet < a->party.n)
		a->party.at[tunlet].evaluated++;
}

/* ---- what stands in whose way ---- */

static bool same_processes(int64_t a, int64_t b)
{
	return a == b || a == WEFT_ARBITER_ALL || b == WEFT_ARBITER_ALL;
}

static bool same_target(const struct weft_arbiter *a, unsigned p, int64_t p_process, unsigned q, int64_t q_process)
{
	return !strcmp(a->what.at[p].target, a->what.at[q].target) && same_processes(p_process, q_process);
}

static bool same_resource(const struct weft_arbiter *a, unsigned p, unsigned q)
{
	const char *x = a->what.at[p].resource, *y = a->what.at[q].resource;
	return x && y && !strcmp(x, y);
}

/* The last deed that was about this target, or NULL. */
static struct deed *last_deed(struct weft_arbiter *a, const struct weft_decision *d)
{
	for (size_t k = a->deed.n; k-- > 0;)
		if (same_target(a, a->deed.at[k].point, a->deed.at[k].process, d->point, d->process))
			return &a->deed.at[k];
	return NULL;
}

static bool value_now(struct weft_arbiter *a, const struct weft_decision *d, double *now)
{
	const struct deed *last = last_deed(a, d);
	*now = d->has_now ? d->now : last ? last->number : 0;
	return d->has_now || (last && !last->is_text);
}

static int arbiter_direction(struct weft_arbiter *a, const struct weft_decision *d)
{
	double now;
	int sense = a->what.at[d->point].sense;
	if (sense == 0 || d->is_text || !value_now(a, d, &now) || isnan(d->number))
		return UNKNOWN;
	return d->number > now ? sense : d->number < now ? -sense : 0;
}

static bool arbiter_opposed(int x, int y)
{
	return x != 0 && y != 0 && (x != y || x == UNKNOWN);
}

static bool same_value(const struct deed *e, const struct weft_decision *d)
{
	return e->is_text == d->is_text && (d->is_text ? !strcmp(e->text, d->text) : e->number == d->number);
}

static bool arbiter_held(const struct weft_arbiter *a, const struct deed *e)
{
	if (e->pending)
		return true;
	return a->party.at[e->tunlet].evaluated - e->evaluated < e->hold && a->now_ns - e->time_ns < a->how.hold_ns;
}

static bool arbiter_together(const struct weft_arbiter *a, unsigned p, unsigned q)
{
	return a->weighs && a->party.at[p].weight != 0 && a->party.at[q].weight != 0;
}

/* ---- saying why ---- */

static const char *value_text(char *out, size_t room, bool is_text, double number, const char *text)
{
	if (is_text)
		snprintf(out, room, "'%.40s'", text);
	else
		snprintf(out, room, "%g", number);
	return out;
}

static void arbiter_refuse(struct weft_decision *d, unsigned against)
{
	d->allowed = false;
	d->against = against;
}

static void refuse_for_deed(const struct weft_arbiter *a, struct weft_decision *d, const struct deed *e)
{
	char to[64], from[64] = "";
	const struct party *holder = &a->party.at[e->tunlet];
	bool target = same_target(a, e->point, e->process, d->point, d->process);
	if (e->had)
		snprintf(from, sizeof from, " (it was %g)", e->before);
	arbiter_refuse(d, e->tunlet);
	snprintf(d->why, sizeof d->why, "%s'%.40s' has just set '%.40s' to %s%s, and has seen %llu of %u iterations since",
	         target ? "" : "another way with the same resource: ", holder->name, a->what.at[e->point].target,
	         value_text(to, sizeof to, e->is_text, e->number, e->text), from,
	         (unsigned long long)(e->pending ? 0 : holder->evaluated - e->evaluated), e->hold);
}

static void refuse_for_other(const struct weft_arbiter *a, struct weft_decision *d, const struct weft_decision *other)
{
	char to[64];
	const struct party *w = &a->party.at[other->tunlet];
	arbiter_refuse(d, other->tunlet);
	snprintf(d->why, sizeof d->why, "'%.40s' (priority %d against %d) sets '%.40s' to %s", w->name, w->priority,
	         a->party.at[d->tunlet].priority, a->what.at[other->point].target,
	         value_text(to, sizeof to, other->is_text, other->number, other->text));
}

/* ---- a package: what one tunlet wants ---- */

struct bench {
	struct weft_arbiter *a;
	struct weft_decision *d;
	unsigned n;
};

/* Refuses what stands against deeds that are held. */
static void judge_deeds(struct bench *b, struct weft_decision *d)
{
	struct weft_arbiter *a = b->a;
	for (size_t k = 0; k < a->deed.n && d->allowed; k++) {
		const struct deed *e = &a->deed.at[k];
		if (e->tunlet == d->tunlet || !arbiter_held(a, e))
			continue;
		if (same_target(a, e->point, e->process, d->point, d->process)) {
			if (!same_value(e, d))
				refuse_for_deed(a, d, e);
		} else if (same_resource(a, e->point, d->point) && !arbiter_together(a, e->tunlet, d->tunlet) &&
		           arbiter_opposed(e->direction, arbiter_direction(a, d))) {
			refuse_for_deed(a, d, e);
		}
	}
}

static bool decisions_clash(struct bench *b, const struct weft_decision *x, const struct weft_decision *y)
{
	struct weft_arbiter *a = b->a;
	if (same_target(a, x->point, x->process, y->point, y->process))
		return x->is_text != y->is_text || (x->is_text ? strcmp(x->text, y->text) != 0 : x->number != y->number);
	return same_resource(a, x->point, y->point) && !arbiter_together(a, x->tunlet, y->tunlet) &&
	       arbiter_opposed(arbiter_direction(a, x), arbiter_direction(a, y));
}

/* One refused: the rest of what its tunlet wants goes with it. */
static void drag_along(struct bench *b, unsigned tunlet)
{
	const struct weft_decision *first = NULL;
	for (unsigned k = 0; k < b->n && !first; k++)
		if (b->d[k].tunlet == tunlet && !b->d[k].allowed)
			first = &b->d[k];
	for (unsigned k = 0; first && k < b->n; k++) {
		struct weft_decision *d = &b->d[k];
		if (d->tunlet != tunlet || !d->allowed)
			continue;
		arbiter_refuse(d, first->against);
		snprintf(d->why, sizeof d->why, "it belongs to a decision about '%.60s', which is refused",
		         b->a->what.at[first->point].target);
	}
}

/* By priority; a tunlet's own number among equals, so that the order of arrival does not matter. */
static bool goes_before(const struct weft_arbiter *a, unsigned x, unsigned y)
{
	int px = a->party.at[x].priority, py = a->party.at[y].priority;
	return px != py ? px > py : x < y;
}

/*
 * Between decisions of one moment: one of lower priority must not clash with one of higher
 * priority.
 */
static void judge_each_other(struct bench *b)
{
	for (unsigned round = 0; round < b->a->party.n; round++) {
		/* The tunlet of that rank. */
		unsigned tunlet = 0;
		for (unsigned t = 0; t < b->a->party.n; t++) {
			unsigned before = 0;
			for (unsigned u = 0; u < b->a->party.n; u++)
				before += u != t && goes_before(b->a, u, t);
			tunlet = before == round ? t : tunlet;
		}
		for (unsigned k = 0; k < b->n; k++)
			for (unsigned i = 0; i < b->n; i++) {
				struct weft_decision *d = &b->d[k], *other = &b->d[i];
				if (d->tunlet == tunlet && other->tunlet != tunlet && d->allowed && other->allowed &&
				    goes_before(b->a, other->tunlet, tunlet) && decisions_clash(b, d, other))
					refuse_for_other(b->a, d, other);
			}
		drag_along(b, tunlet);
	}
}

/* ---- the objective ---- */

struct choice {
	unsigned tunlet[WEFT_ARBITER_TOGETHER_MAX], n; /* tunlets with a decision */
	struct weft_assumed *assumed;                  /* owned; room for all deeds and decisions */
};

static bool has_part(const struct bench *b, const struct choice *c, unsigned set, const struct weft_decision *d)
{
	if (!d->allowed || b->a->party.at[d->tunlet].weight == 0)
		return false;
	for (unsigned k = 0; k < c->n; k++)
		if (c->tunlet[k] == d->tunlet)
			return set >> k & 1;
	return false;
}

/*
 * Values as they are, as they were set (what was set just now is not what was measured: models must
 * know of it), and as they are wanted. Of one that is there more than once, the last counts.
 */
static unsigned arbiter_assume(struct bench *b, const struct choice *c, unsigned set)
{
	struct weft_arbiter *a = b->a;
	unsigned n = 0;
	for (unsigned k = 0; k < b->n; k++) {
		const struct weft_decision *d = &b->d[k];
		if (d->has_now)
			c->assumed[n++] = (struct weft_assumed){a->what.at[d->point].target, d->process, false, d->now, ""};
	}
	for (size_t k = 0; k < a->deed.n; k++) {
		const struct deed *e = &a->deed.at[k];
		c->assumed[n++] = (struct weft_assumed){a->what.at[e->point].target, e->process, e->is_text, e->number, e->text};
	}
	for (unsigned k = 0; k < b->n; k++) {
		const struct weft_decision *d = &b->d[k];
		if (has_part(b, c, set, d))
			c->assumed[n++] = (struct weft_assumed){a->what.at[d->point].target, d->process, d->is_text, d->number,
			                                        d->text};
	}
	return n;
}

static bool set_clashes(struct bench *b, const struct choice *c, unsigned set)
{
	for (unsigned k = 0; k < b->n; k++)
		for (unsigned i = 0; i < k; i++)
			if (b->d[k].tunlet != b->d[i].tunlet && has_part(b, c, set, &b->d[k]) && has_part(b, c, set, &b->d[i]) &&
			    decisions_clash(b, &b->d[k], &b->d[i]))
				return true;
	return false;
}

/* All models of the objective, weighed; NaN: one cannot say. */
static double cost_of(struct bench *b, const struct choice *c, unsigned set)
{
	double sum = 0;
	unsigned n = arbiter_assume(b, c, set);
	for (unsigned t = 0; t < b->a->party.n; t++) {
		double cost = 0;
		if (b->a->party.at[t].weight == 0)
			continue;
		if (b->a->how.model(b->a->how.ctx, t, c->assumed, n, &cost) < 0 || !isfinite(cost))
			return NAN;
		sum += b->a->party.at[t].weight * cost;
	}
	return sum;
}

static void arbiter_collect(const struct bench *b, struct choice *c)
{
	for (unsigned k = 0; k < b->n; k++) {
		unsigned i = 0;
		if (!b->d[k].allowed || b->a->party.at[b->d[k].tunlet].weight == 0)
			continue;
		while (i < c->n && c->tunlet[i] != b->d[k].tunlet)
			i++;
		if (i == c->n && c->n < WEFT_ARBITER_TOGETHER_MAX)
			c->tunlet[c->n++] = b->d[k].tunlet;
	}
}

/*
 * The cheapest combination that does not contradict itself; of equal ones the one that changes
 * least.
 */
static void judge_objective(struct bench *b, struct choice *c)
{
	if (!b->a->weighs)
		return;
	arbiter_collect(b, c);
	double least = cost_of(b, c, 0);
	unsigned best = 0;
	if (c->n == 0 || isnan(least))
		return;
	for (unsigned set = 1; set < 1u << c->n; set++) {
		double cost = set_clashes(b, c, set) ? NAN : cost_of(b, c, set);
		if (cost < least || (cost == least && __builtin_popcount(set) < __builtin_popcount(best))) {
			least = cost;
			best = set;
		}
	}
	for (unsigned k = 0; k < b->n; k++) {
		struct weft_decision *d = &b->d[k];
		if (!d->allowed || b->a->party.at[d->tunlet].weight == 0 || has_part(b, c, best, d))
			continue;
		unsigned mine = 0;
		while (mine < c->n && c->tunlet[mine] != d->tunlet)
			mine++;
		double with = mine < c->n && !set_clashes(b, c, best | 1u << mine) ? cost_of(b, c, best | 1u << mine) : NAN;
		arbiter_refuse(d, d->tunlet);
		if (isnan(with))
			snprintf(d->why, sizeof d->why, "under the common objective another combination is better: it costs %g",
			         least);
		else
			snprintf(d->why, sizeof d->why, "under the common objective it costs %g with it, %g without", with,
			         least);
	}
}

/* ---- deeds ---- */

static int arbiter_remember(struct weft_arbiter *a, struct weft_decision *d)
{
	const struct deed *last = last_deed(a, d);
	unsigned own = a->party.at[d->tunlet].hold, most = own << HOLD_DOUBLINGS;
	struct deed e = {.id = ++a->ids, .tunlet = d->tunlet, .point = d->point, .hold = own, .process = d->process};
	if (last && last->tunlet != d->tunlet && !same_value(last, d))
		e.hold = 2 * last->hold < own ? own : 2 * last->hold > most ? most : 2 * last->hold;
	else if (last && last->tunlet == d->tunlet)
		e.hold = last->hold;
	e.is_text = d->is_text;
	e.number = d->number;
	snprintf(e.text, sizeof e.text, "%s", d->is_text ? d->text : "");
	e.had = value_now(a, d, &e.before) && !d->is_text;
	e.direction = arbiter_direction(a, d);
	e.pending = true;
	e.time_ns = a->now_ns;
	e.evaluated = a->party.at[d->tunlet].evaluated;
	d->id = e.id;
	return weft_vec_push(&a->deed, e);
}

int weft_arbiter_judge(struct weft_arbiter *a, uint64_t now_ns, struct weft_decision *d, unsigned n)
{
	struct bench b = {a, d, n};
	struct choice c = {0};
	a->now_ns = now_ns;
	for (unsigned k = 0; k < n; k++) {
		if (d[k].tunlet >= a->party.n || d[k].point >= a->what.n || a->what.at[d[k].point].tunlet != d[k].tunlet)
			return -EINVAL;
		d[k].allowed = true;
		d[k].id = 0;
		d[k].why[0] = '\0';
	}
	c.assumed = calloc(a->deed.n + 2 * n + 1, sizeof *c.assumed);
	if (!c.assumed || weft_vec_reserve(&a->deed, a->deed.n + n)) {
		free(c.assumed);
		return -ENOMEM;
	}
	arbiter_collect(&b, &c);
	a->weighs = a->how.model && c.n && !isnan(cost_of(&b, &c, 0));
	c.n = 0;
	for (unsigned k = 0; k < n; k++)
		judge_deeds(&b, &d[k]);
	for (unsigned t = 0; t < a->party.n; t++)
		drag_along(&b, t);
	judge_objective(&b, &c);
	judge_each_other(&b);
	free(c.assumed);
	int allowed = 0;
	for (unsigned k = 0; k < n; k++)
		if (d[k].allowed && arbiter_remember(a, &d[k]) == 0)
			allowed++;
	return allowed;
}

/* Deeds that a later one has replaced, in the same processes. */
static void forget_replaced(struct weft_arbiter *a, struct deed by)
{
	size_t kept = 0;
	for (size_t k = 0; k < a->deed.n; k++) {
		const struct deed *e = &a->deed.at[k];
		bool replaced = e->id != by.id && !e->pending && e->id < by.id &&
		                (by.process == WEFT_ARBITER_ALL || e->process == by.process) &&
		                same_target(a, e->point, e->process, by.point, by.process);
		if (!replaced)
			a->deed.at[kept++] = *e;
	}
	a->deed.n = kept;
}

void weft_arbiter_done(struct weft_arbiter *a, uint32_t id, uint64_t now_ns, bool ok)
{
	for (size_t k = 0; k < a->deed.n; k++) {
		struct deed *e = &a->deed.at[k];
		if (e->id != id)
			continue;
		if (ok) {
			e->pending = false;
			e->time_ns = now_ns;
			e->evaluated = a->party.at[e->tunlet].evaluated;
			forget_replaced(a, *e);
		} else {
			memmove(e, e + 1, (a->deed.n - k - 1) * sizeof *e);
			a->deed.n--;
		}
		return;
	}
}
