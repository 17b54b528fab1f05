/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See collect_fold.h.
 *
 *     iteration 17 --+-- group of actor 1     id[] first[] data[]     its own instances, found by a map
 *                    +-- below                the latest fold of each collector below
 *
 * An event costs two look-ups and the codes of its attributes. Completeness and partial results are
 * computed when a fold is made.
 */
#include "tune/derive/derive.h"
#include "collect_fold_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

/* -- the host of the codes: all that may happen is a fault -- */

/* One context a thread: codes have no argument for it. */
static _Thread_local struct {
	jmp_buf jump;
	enum tune_fault fault;
	struct tune_globals *globals;
	uint32_t code; /* the code that runs */
} running;

static void host_fault(int kind)
{
	running.fault = (enum tune_fault)kind;
	longjmp(running.jump, 1);
}

/* The only instance that there is for a code: the event's own. */
static void *host_self(int actor, long long id, int make)
{
	(void)actor, (void)id, (void)make;
	if (!running.globals->self)
		host_fault(FAULT_PROCESS);
	return running.globals->self;
}

static const char *host_keep(const char *text)
{
	return text;
}

static const struct tune_host host = {.by_id = host_self, .fault = host_fault, .keep = host_keep};

/* Before anything of this tunlet runs. */
static void folder_use(struct folder *f)
{
	running.globals = f->globals;
	f->globals->host = &host;
}

/* -- telling -- */

int folder_tell(struct folder *f, const struct fold *fold)
{
	f->bytes.n = 0;
	int rc = fold_encode(fold, &f->bytes);
	if (!rc)
		f->how.up(f->how.ctx, f->bytes.at, f->bytes.n);
	return rc;
}

int folder_tell_open(struct folder *f, struct open_iteration *it)
{
	it->told = true;
	return folder_tell(f, &(struct fold){.kind = FOLD_OPEN, .iteration = it->number, .ended = it->ended});
}

static void close_iteration(struct folder *f, struct open_iteration *it)
{
	f->closed[f->n_closed++ % CLOSED_MAX] = it->number;
	groups_spare(&f->spare, it->group, f->s->actor.n);
	for (size_t i = 0; i < it->below.n; i++)
		fold_fini(&it->below.at[i].fold);
	free(it->below.at);
	*it = (struct open_iteration){0};
}

int folder_say_gone(struct folder *f, struct open_iteration *it, const char *why, bool lost)
{
	struct fold gone = {.kind = FOLD_GONE, .iteration = it->number, .bad = lost};
	snprintf(gone.why, sizeof gone.why, "%s", why);
	close_iteration(f, it);
	return folder_tell(f, &gone);
}

int folder_give_up(struct folder *f, struct open_iteration *it, const char *why)
{
	return folder_say_gone(f, it, why, false);
}

/* Unless the specification says that estimates will do. */
static int folder_lose(struct folder *f, struct open_iteration *it)
{
	char why[80];
	snprintf(why, sizeof why, "%llu events were lost", (unsigned long long)f->lost);
	return f->s->estimates ? 0 : folder_say_gone(f, it, why, true);
}

bool folder_was_closed(const struct folder *f, int64_t number)
{
	for (unsigned i = 0; i < f->n_closed && i < CLOSED_MAX; i++)
		if (f->closed[i] == number)
			return true;
	return false;
}

/* -- iterations -- */

struct open_iteration *folder_find(struct folder *f, int64_t number)
{
	/* Mostly where it is looked for first: folder_find_or_open. */
	for (unsigned i = 0; i < EVAL_OPEN_MAX; i++) {
		struct open_iteration *it = &f->open[((uint64_t)number + i) % EVAL_OPEN_MAX];
		if (it->open && it->number == number)
			return it;
	}
	return NULL;
}

struct open_iteration *folder_find_or_open(struct folder *f, int64_t number)
{
	struct open_iteration *it = folder_find(f, number), *oldest = NULL;
	if (it)
		return it;
	for (unsigned i = EVAL_OPEN_MAX; i-- > 0;) {
		struct open_iteration *o = &f->open[((uint64_t)number + i) % EVAL_OPEN_MAX];
		if (!o->open)
			it = o;
		else if (!oldest || o->number < oldest->number)
			oldest = o;
	}
	if (!it) {
		it = oldest;
		if (folder_give_up(f, it, "later iterations have begun, and it was still not complete"))
			return NULL;
	}
	*it = (struct open_iteration){.number = number, .open = true, .opened = NAN};
	it->group = f->spare ? f->spare : calloc(f->s->actor.n + 1, sizeof *it->group);
	f->spare = NULL;
	if (!it->group || folder_tell_open(f, it)) {
		close_iteration(f, it);
		return NULL;
	}
	return it;
}

/* -- instances -- */

static int folder_grow(struct folder *f, uint32_t actor, struct group *g)
{
	uint32_t room = g->room ? 2 * g->room : 8, size = f->sizes[2 + actor];
	void *id = realloc(g->id, room * sizeof *g->id);
	g->id = id ? id : g->id;
	void *first = realloc(g->first, room * sizeof *g->first);
	g->first = first ? first : g->first;
	void *data = realloc(g->data, (size_t)room * size);
	g->data = data ? data : g->data;
	if (!id || !first || !data)
		return -ENOMEM;
	g->room = room;
	return 0;
}

static void run_code(struct folder *f, uint32_t code)
{
	running.code = code;
	f->codes[code]();
}

static void run_inics(struct folder *f, uint32_t actor)
{
	for (size_t i = 0; i < f->s->attr.n; i++) {
		const struct spec_attr *a = &f->s->attr.at[i];
		if (a->scope == SCOPE_ACTOR && a->actor == actor && f->s->plan[i].at_collector && a->inic != SPEC_NONE &&
		    f->codes[a->inic])
			run_code(f, a->inic);
	}
}

/* The index of an instance, which is made where there is none. -ENOMEM, -ENOSPC. */
static int64_t folder_instance(struct folder *f, struct open_iteration *it, uint32_t actor, const struct folder_event *e)
{
	struct group *g = &it->group[actor];
	uint64_t at;
	if (weft_map_get(&g->by_id, (uint64_t)e->id, &at))
		return (int64_t)at;
	if (g->n >= f->s->actor.at[actor].most)
		return -ENOSPC;
	if ((g->n == g->room && folder_grow(f, actor, g)) || weft_map_put(&g->by_id, (uint64_t)e->id, g->n))
		return -ENOMEM;
	g->id[g->n] = e->id;
	g->first[g->n] = e->time;
	f->globals->self = g->data + (size_t)g->n * f->sizes[2 + actor];
	memset(f->globals->self, 0, f->sizes[2 + actor]);
	g->n++;
	if (setjmp(running.jump))
		return -EFAULT;
	run_inics(f, actor);
	return g->n - 1;
}

static const struct tune_value *fill_values(const struct spec_event *v, const struct folder_event *e)
{
	static _Thread_local struct tune_value value[FIELD_FIRST + EVAL_VALUES_MAX];
	value[FIELD_TIMESTAMP] = (struct tune_value){.d = e->time, .i = (long long)e->time};
	value[FIELD_ID] = value[FIELD_TASK] = (struct tune_value){.d = (double)e->id, .i = e->id};
	for (uint32_t i = 0; i < EVAL_VALUES_MAX && i < v->ref.n; i++)
		value[FIELD_FIRST + i] = i < e->n ? e->value[i] : (struct tune_value){.s = ""};
	return value;
}

static bool run_event(struct folder *f, const struct folder_event *e)
{
	const struct order *o = &f->order[e->event];
	f->globals->v = fill_values(&f->s->event.at[e->event], e);
	if (setjmp(running.jump))
		return false;
	for (uint32_t i = 0; i < o->n; i++)
		run_code(f, f->s->attr.at[o->attr[i]].value);
	return true;
}

static int give_up_faulty(struct folder *f, struct open_iteration *it)
{
	char why[160];
	uint32_t line, col;
	const char *file = strrchr(f->s->file, '/');
	spec_place(f->s, f->s->code.at[running.code].where.at, &line, &col);
	snprintf(why, sizeof why, "a fault in one of its values: %s (%.60s:%u:%u)", weft_fault_name[running.fault],
	         file ? file + 1 : f->s->file, line, col);
	return folder_give_up(f, it, why);
}

/* Into an iteration that is open. */
static int fold_event(struct folder *f, struct open_iteration *it, const struct folder_event *e)
{
	const struct spec_event *v = &f->s->event.at[e->event];
	int64_t i = folder_instance(f, it, v->actor_id, e);
	if (i == -ENOMEM)
		return -ENOMEM;
	if (i == -ENOSPC) {
		char why[160];
		snprintf(why, sizeof why, "more than %u of actor %s, its max", f->s->actor.at[v->actor_id].most,
		         f->s->actor.at[v->actor_id].id.z);
		return folder_give_up(f, it, why);
	}
	it->dirty = true;
	if (i >= 0)
		f->globals->self = it->group[v->actor_id].data + (size_t)i * f->sizes[2 + v->actor_id];
	bool ok = i >= 0 && run_event(f, e);
	f->globals->self = NULL;
	if (!ok)
		return give_up_faulty(f, it);
	if (v->iter != ITER_END || it->ended)
		return 0;
	it->ended = true;
	return v->passes ? 0 : folder_tell_open(f, it);
}

int folder_event(struct folder *f, const struct folder_event *e)
{
	const struct spec_event *v = &f->s->event.at[e->event];
	folder_use(f);
	if (!v->folds || v->iteration_ref >= e->n)
		return FOLDER_PASSES;
	int64_t number = e->value[v->iteration_ref].i;
	struct open_iteration *it = folder_find(f, number);
	int rc = 0;
	if (!it && folder_was_closed(f, number)) {
		if (!v->passes)
			rc = folder_tell(f, &(struct fold){.kind = FOLD_LATE, .iteration = number, .event = e->event});
	} else {
		bool begins = !it;
		it = it ? it : folder_find_or_open(f, number);
		if (it && begins)
			it->opened = e->time;
		rc = !it ? -ENOMEM : begins && e->time <= f->lost_until ? folder_lose(f, it) : 0;
		rc = rc || !it->open ? rc : fold_event(f, it, e);
	}
	return rc ? rc : v->passes ? FOLDER_FOLDED_AND_PASSES : FOLDER_FOLDED;
}

/* -- folds -- */

static bool is_complete(struct folder *f, uint32_t actor)
{
	uint32_t code = f->s->actor.at[actor].complete;
	if (code == SPEC_NONE || !f->s->actor.at[actor].complete_there || !f->codes[code])
		return true;
	if (setjmp(running.jump))
		return false;
	f->codes[code]();
	return f->globals->result.d != 0;
}

/* 1, 0: it does not count, -1: a fault */
static int run_part(struct folder *f, uint32_t part)
{
	if (setjmp(running.jump))
		return -1;
	return f->parts[part]();
}

static void add_parts(struct folder *f, struct fold *out, uint32_t actor)
{
	for (uint32_t k = 0; k < out->n_parts; k++) {
		uint32_t own;
		const struct spec_plan *p = fold_plan(f->s, k, &own);
		int counts = p->over == actor ? run_part(f, k) : 0;
		out->bad |= counts < 0 || (counts > 0 && !fold_number_add(&out->part[k], p, own, f->globals->result));
	}
}

static void pack_values(struct folder *f, const struct fold *out, uint32_t actor, uint64_t *word)
{
	for (size_t k = 0; k < f->s->attr.n; k++) {
		const struct spec_attr *a = &f->s->attr.at[k];
		if (a->scope != SCOPE_ACTOR || a->actor != actor || !f->s->plan[k].at_collector ||
		    !(out->full || f->s->plan[k].travels))
			continue;
		fold_pack(a, (const char *)f->globals->self + f->offsets[k], word);
		word += a->len ? a->len : 1;
	}
}

static int add_own(struct folder *f, const struct open_iteration *it, uint32_t actor, struct fold *out)
{
	const struct group *g = &it->group[actor];
	struct fold_group *to = &out->group[actor];
	for (uint32_t i = 0; i < g->n; i++) {
		f->globals->self = g->data + (size_t)i * f->sizes[2 + actor];
		bool complete = is_complete(f, actor);
		to->n++;
		to->incomplete += !complete;
		if (f->s->actor.at[actor].ids || out->full) {
			int64_t k = fold_add(to, g->id[i], g->first[i], complete);
			if (k < 0)
				return (int)k;
			pack_values(f, out, actor, to->word + (size_t)k * to->width);
		}
		add_parts(f, out, actor);
	}
	return 0;
}

struct below *folder_below_of(const struct open_iteration *it, uint32_t child)
{
	for (size_t i = 0; i < it->below.n; i++)
		if (it->below.at[i].child == child)
			return &it->below.at[i];
	return NULL;
}

static bool all_answered(struct folder *f, struct open_iteration *it)
{
	for (size_t i = 0; i < f->child.n; i++) {
		const struct below *b = folder_below_of(it, f->child.at[i]);
		if (!b || !b->answered)
			return false;
	}
	return true;
}

int folder_tell_state(struct folder *f, struct open_iteration *it)
{
	struct fold out;
	folder_use(f);
	int rc = fold_init(&out, f->s, it->number, it->full);
	if (rc)
		return rc;
	out.ended = it->ended;
	out.reply = it->asked && all_answered(f, it);
	for (uint32_t a = 0; !rc && a < f->s->actor.n; a++)
		if (f->s->actor.at[a].folds)
			rc = add_own(f, it, a, &out);
	f->globals->self = NULL;
	for (size_t i = 0; !rc && i < it->below.n; i++)
		rc = fold_join(f->s, &out, &it->below.at[i].fold);
	rc = rc ? rc : folder_tell(f, &out);
	it->dirty = false;
	fold_fini(&out);
	return rc;
}

int folder_flush(struct folder *f)
{
	int rc = 0;
	for (unsigned i = 0; i < EVAL_OPEN_MAX && !rc; i++) {
		struct open_iteration *it = &f->open[i];
		if (it->open && it->asked && it->dirty && all_answered(f, it))
			rc = folder_tell_state(f, it);
	}
	return rc;
}

int folder_close(struct folder *f, int64_t iteration, bool full)
{
	if (!folder_find(f, iteration) && folder_was_closed(f, iteration)) {
		/*
		 * The iteration was given up here; the analyzer has that message, or will have it.
		 */
		return 0;
	}
	struct open_iteration *it = folder_find_or_open(f, iteration);
	if (!it)
		return -ENOMEM;
	it->asked = it->dirty = true;
	it->full |= full;
	for (size_t i = 0; i < it->below.n; i++)
		it->below.at[i].answered &= !full;
	return 0;
}

void folder_closed(struct folder *f, int64_t iteration)
{
	struct open_iteration *it = folder_find(f, iteration);
	if (it)
		close_iteration(f, it);
	else if (!folder_was_closed(f, iteration))
		f->closed[f->n_closed++ % CLOSED_MAX] = iteration;
}

void folder_anew(struct folder *f)
{
	for (unsigned i = 0; i < EVAL_OPEN_MAX; i++)
		if (f->open[i].open)
			close_iteration(f, &f->open[i]);
	f->n_closed = 0;
}

/* -- processes -- */

int folder_ended(struct folder *f, uint32_t actor, int64_t id)
{
	uint64_t at;
	int rc = 0;
	folder_use(f);
	for (unsigned i = 0; i < EVAL_OPEN_MAX && !rc; i++) {
		struct open_iteration *it = &f->open[i];
		if (!it->open || actor >= f->s->actor.n || !weft_map_get(&it->group[actor].by_id, (uint64_t)id, &at))
			continue;
		f->globals->self = it->group[actor].data + (size_t)at * f->sizes[2 + actor];
		bool complete = is_complete(f, actor);
		f->globals->self = NULL;
		char why[160];
		snprintf(why, sizeof why, "%s %lld vanished before it was complete", f->s->actor.at[actor].id.z, (long long)id);
		/*
		 * The analyzer will ask whether the process was complete: the answer is sent
		 * before.
		 */
		rc = complete ? folder_tell_state(f, it) : folder_give_up(f, it, why);
	}
	return rc;
}

int folder_lost(struct folder *f, uint64_t count, double until)
{
	int rc = 0;
	f->lost = count;
	f->lost_until = until > f->lost_until ? until : f->lost_until;
	for (unsigned i = 0; i < EVAL_OPEN_MAX && !rc; i++)
		if (f->open[i].open && !(f->open[i].opened > until && isfinite(until)))
			rc = folder_lose(f, &f->open[i]);
	return rc;
}

/* -- life -- */

/*
 * There is no fence here, and no need of one: what is loaded are expressions that were translated
 * from trees, have no loops, and call nothing but math.h (TUNE_FOLDS). Functions that were left to
 * the compiler, and what a specification includes, are not among them.
 */
static int folder_load(struct folder *f, struct weft_err *err)
{
	if (f->how.like) {
		f->library = f->how.like->library;
		f->shared = true;
	} else if (f->how.library) {
		f->library = dlopen(f->how.library, RTLD_NOW | RTLD_LOCAL);
	} else {
		int rc = tune_library_make(&f->made, f->s, TUNE_FOLDS, err);
		if (rc)
			return rc;
		f->library = dlopen(f->made.path, RTLD_NOW | RTLD_LOCAL);
	}
	f->globals = f->library ? dlsym(f->library, "w_g") : NULL;
	f->codes = f->library ? dlsym(f->library, "w_codes") : NULL;
	f->parts = f->library ? dlsym(f->library, "w_parts") : NULL;
	f->sizes = f->library ? dlsym(f->library, "w_sizes") : NULL;
	f->offsets = f->library ? dlsym(f->library, "w_offsets") : NULL;
	if (!f->globals || !f->codes || !f->parts || !f->sizes || !f->offsets)
		return weft_err_set(err, -EIO, "cannot load the tunlet '%s'", weft_spec_name(f->s));
	return 0;
}

/* The attributes of each event that are computed here, in order. */
static int make_orders(struct folder *f)
{
	if (setjmp(f->s->oom))
		return -ENOMEM;
	f->order = spec_alloc(f->s, (f->s->event.n + 1) * sizeof *f->order);
	for (uint32_t e = 0; e < f->s->event.n; e++) {
		uint32_t n_first, *all, n = derive_event_order(f->s, e, &all, &n_first);
		f->order[e].attr = all;
		for (uint32_t i = 0; i < n; i++)
			if (f->s->plan[all[i]].at_collector)
				all[f->order[e].n++] = all[i];
	}
	return 0;
}

int folder_new(struct folder **out, struct weft_spec *s, const struct folder_how *how, struct weft_err *err)
{
	*out = NULL;
	struct folder *f = calloc(1, sizeof *f);
	if (!f)
		return weft_err_set(err, -ENOMEM, "out of memory");
	f->s = s;
	f->how = *how;
	f->lost_until = -INFINITY;
	f->made.fd = -1;
	int rc = weft_spec_count(s, WEFT_ERROR) ? weft_err_set(err, -EINVAL, "the specification has errors")
	                                        : folder_load(f, err);
	if (!rc && make_orders(f))
		rc = weft_err_set(err, -ENOMEM, "out of memory");
	if (rc) {
		folder_free(f);
		return rc;
	}
	*out = f;
	return 0;
}

void folder_free(struct folder *f)
{
	if (!f)
		return;
	for (unsigned i = 0; i < EVAL_OPEN_MAX; i++)
		if (f->open[i].open)
			close_iteration(f, &f->open[i]);
	groups_free(f->spare, f->s->actor.n);
	if (f->library && !f->shared)
		dlclose(f->library);
	tune_library_close(&f->made);
	free(f->child.at);
	weft_buf_fini(&f->bytes);
	free(f);
}
