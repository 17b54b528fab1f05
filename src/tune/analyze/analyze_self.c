/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The analyzer and its collectors as processes: of a tunlet whose actors have the executables
 * `weft-analyzer` and `weft-collector` (collectors.tsl). To the rest of the analyzer they are
 * processes of one more controller, which is here. Of each interval there are the events `begins`
 * and `ends` of the analyzer and `load` of each collector. Two variables of the analyzer are to be
 * set: `collectors`, how many there are to be, and `between`, how many are to stand between the
 * first one and those of other hosts.
 */
#include "analyze_priv.h"
#include "base/clock.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INTERVAL_NS UINT64_C(250000000)
#define SELF_PROCESS (UINT64_C(0xffffffff) << 32)
enum { COLLECTORS_MOST = 4096 }; /* a message that claims more collectors is ignored */
static const char analyzer_exe[] = "weft-analyzer", collector_exe[] = "weft-collector";

struct sample {
	double iteration, rate, busy, queued, processes, collectors, hosts, passing, processors, top, below, between, middle,
		host, head;
};

static const struct {
	const char *name;
	size_t at;
} attributes[] = {
	{"iteration", offsetof(struct sample, iteration)},
	{"iterationC", offsetof(struct sample, iteration)},
	{"rate", offsetof(struct sample, rate)},
	{"busy", offsetof(struct sample, busy)},
	{"queued", offsetof(struct sample, queued)},
	{"tasks", offsetof(struct sample, processes)},
	{"collectors", offsetof(struct sample, collectors)},
	{"hosts", offsetof(struct sample, hosts)},
	{"passing", offsetof(struct sample, passing)},
	{"processors", offsetof(struct sample, processors)},
	{"top", offsetof(struct sample, top)},
	{"below", offsetof(struct sample, below)},
	{"between", offsetof(struct sample, between)},
	{"middle", offsetof(struct sample, middle)},
	{"host", offsetof(struct sample, host)},
	{"head", offsetof(struct sample, head)},
};

bool self_may_be(const struct spec_actor *c, unsigned controller, const char *exe, bool *may)
{
	const char *wanted = c->exe.z ? c->exe.z : "";
	bool ours = strcmp(wanted, analyzer_exe) == 0 || strcmp(wanted, collector_exe) == 0;
	*may = controller == ANALYZE_SELF && strcmp(wanted, exe) == 0;
	return ours || controller == ANALYZE_SELF;
}

/* ---- processes ---- */

static void begin_process(struct analyze *a, uint64_t process, uint32_t number, const char *host, const char *exe)
{
	struct message_process m =
		{.process = process, .time = analyze_now(a), .pid = number, .rank = number, .host = host, .exe = exe};
	process_begins(a, ANALYZE_SELF, &m);
}

double self_share(struct analyze_used from, struct analyze_used to, double ns)
{
	double cpu = to.cpu_ns > from.cpu_ns ? (double)(to.cpu_ns - from.cpu_ns) : 0;
	double delay = to.delay_ns > from.delay_ns ? (double)(to.delay_ns - from.delay_ns) : 0;
	return cpu > 0 ? cpu / fmax(cpu, ns - delay) : 0;
}

static struct analyze_used self_used(void)
{
	return (struct analyze_used){weft_process_cpu_ns(), weft_process_delay_ns(0)};
}

static struct analyze_collector *find_in(struct analyze_collector *at, size_t n, uint32_t number)
{
	for (size_t i = 0; i < n; i++)
		if (at[i].number == number)
			return &at[i];
	return NULL;
}

static struct analyze_collector *self_find(struct analyze *a, uint32_t number)
{
	return find_in(a->self.collector.at, a->self.collector.n, number);
}

static void self_forget(struct analyze *a, struct analyze_collector *c)
{
	uint64_t process = c->process;
	*c = a->self.collector.at[--a->self.collector.n];
	process_gone(a, &(struct message_gone){process, analyze_now(a), ""});
}

static void note_cost(struct analyze *a, uint64_t process, uint64_t cpu_ns)
{
	struct analyze_process *t = process_find(a, process);
	if (t)
		t->cost.cpu_ns = cpu_ns;
}

/*
 * Collectors between the first one and the others are not processes of the tunlet: no decision
 * chooses among them.
 */
static void heard_middle(struct analyze *a, const struct message_load *m)
{
	struct analyze_collector new = {.number = m->collector, .of = m->of, .now = *m, .before = *m};
	struct analyze_collector *c = find_in(a->self.middle.at, a->self.middle.n, m->collector);
	if (m->gone && c)
		*c = a->self.middle.at[--a->self.middle.n];
	else if (!m->gone && c)
		c->now = *m;
	else if (!m->gone && a->self.middle.n < COLLECTORS_MOST && weft_vec_push(&a->self.middle, new))
		analyze_fail(a, -ENOMEM, NULL);
}

void self_heard(struct analyze *a, unsigned controller, const struct message_load *m)
{
	struct analyze_collector *c = self_find(a, m->collector);
	if (m->of == m->collector && m->of < 64)
		a->self.heads |= UINT64_C(1) << m->of;
	if (!a->how.adapts || a->ended)
		return;
	if (m->is_between) {
		heard_middle(a, m);
		return;
	}
	if (m->gone) {
		if (c)
			self_forget(a, c);
		return;
	}
	if (!c && a->self.collector.n >= COLLECTORS_MOST)
		return;
	if (!c) {
		struct analyze_collector new = {.controller = controller,
		                                .process = SELF_PROCESS | m->collector,
		                                .number = m->collector,
		                                .of = m->of,
		                                .wanted = 1};
		new.now = new.before = *m;
		if (weft_vec_push(&a->self.collector, new)) {
			analyze_fail(a, -ENOMEM, NULL);
			return;
		}
		begin_process(a, new.process, m->collector, m->host, collector_exe);
		c = &a->self.collector.at[a->self.collector.n - 1];
	}
	/* The first one alone has any between it and others. */
	if (m->of == m->collector && (!a->self.first || m->collector < a->self.first))
		a->self.first = m->collector;
	if (m->collector == a->self.first)
		a->self.between = m->between;
	c->now = *m;
	c->now.host = "";
	note_cost(a, c->process, m->cpu_ns);
}

void self_lose(struct analyze *a, unsigned controller)
{
	for (size_t i = a->self.collector.n; i > 0; i--)
		if (a->self.collector.at[i - 1].controller == controller)
			self_forget(a, &a->self.collector.at[i - 1]);
	if (!self_find(a, a->self.first))
		a->self.middle.n = 0;
}

unsigned self_heads(const struct analyze *a)
{
	return (unsigned)__builtin_popcountll(a->self.heads);
}

/* ---- events ---- */

static double number_of(const struct sample *s, const char *name)
{
	double v = NAN;
	for (size_t i = 0; i < sizeof attributes / sizeof attributes[0]; i++)
		if (strcmp(attributes[i].name, name) == 0)
			memcpy(&v, (const char *)s + attributes[i].at, sizeof v);
	return v;
}

static void fill_event(struct message *m, const struct spec_event *e, const struct sample *s)
{
	m->event.n = e->ref.n < MESSAGE_VALUES ? (uint32_t)e->ref.n : MESSAGE_VALUES;
	for (uint32_t i = 0; i < m->event.n; i++) {
		double v = number_of(s, e->ref.at[i].id.z);
		m->event.value[i] = (struct message_value){.kind = MESSAGE_REAL, .d = v, .i = isnan(v) ? 0 : (int64_t)v, .s = ""};
		m->event.incomplete |= isnan(v);
	}
}

/* To each tunlet that has an actor for the process and an event of that name. */
static void self_emit(struct analyze *a, uint64_t process, const char *name, const struct sample *s)
{
	const struct analyze_process *t = process_find(a, process);
	struct message *m = calloc(1, sizeof *m);
	for (unsigned k = 0; t && m && k < a->how.n_tunlets; k++) {
		const struct weft_spec *spec = a->tunlet[k].s;
		for (uint32_t e = 0; e < spec->event.n; e++) {
			const struct spec_event *v = &spec->event.at[e];
			if (t->binding[k].actor != (int)v->actor_id || !a->tunlet[k].asked[e] || !v->method.z ||
			    strcmp(v->method.z, name) != 0)
				continue;
			*m = (struct message){.kind = MESSAGE_EVENT};
			m->event.process = process;
			m->event.time = analyze_now(a);
			m->event.event = k << 16 | e;
			fill_event(m, v, s);
			if (order_put(a, ANALYZE_SELF, m))
				analyze_fail(a, -ENOMEM, NULL);
		}
	}
	if (!m)
		analyze_fail(a, -ENOMEM, NULL);
	free(m);
}

/* A collector that has sent no load since keeps its last busy share. */
static void self_sample(struct analyze_collector *c)
{
	double ns = (double)(int64_t)(c->now.time - c->before.time);
	if (ns <= 0)
		return;
	c->sampled = true;
	c->rate = (double)(c->now.events - c->before.events) * 1e9 / ns;
	c->busy = self_share((struct analyze_used){c->before.cpu_ns, c->before.delay_ns},
	                     (struct analyze_used){c->now.cpu_ns, c->now.delay_ns}, ns);
	c->before = c->now;
}

static struct sample sample_of(const struct analyze_collector *c, int64_t interval)
{
	return (struct sample){.iteration = (double)interval,
	                       .queued = c->now.queued,
	                       .processes = c->now.processes,
	                       .rate = c->rate,
	                       .busy = c->busy,
	                       .host = c->of,
	                       .head = c->of == c->number};
}

/* How busy those between are, together; below 0: that is not known yet. */
static double sample_middle(struct analyze_self *f)
{
	double sum = 0;
	bool all = f->middle.n == f->between;
	for (size_t i = 0; i < f->middle.n; i++) {
		self_sample(&f->middle.at[i]);
		sum += f->middle.at[i].busy;
		all &= f->middle.at[i].sampled;
	}
	return all ? sum : -1;
}

static void tell_interval(struct analyze *a, uint64_t now)
{
	struct analyze_self *f = &a->self;
	double ns = (double)(now - f->time);
	struct sample s = {.iteration = (double)++f->interval,
	                   .collectors = (double)f->collector.n,
	                   .hosts = (double)self_heads(a),
	                   .queued = (double)a->queue.n};
	struct analyze_used now_used = self_used();
	s.busy = self_share(f->used, now_used, ns);
	s.passing = (double)(a->events - f->events) * 1e9 / ns;
	s.processors = (double)sysconf(_SC_NPROCESSORS_ONLN);
	s.below = s.hosts - 1;
	s.between = f->between;
	s.middle = sample_middle(f);
	for (size_t i = 0; i < f->collector.n; i++) {
		self_sample(&f->collector.at[i]);
		s.rate += f->collector.at[i].rate;
		if (f->collector.at[i].number == f->first)
			s.top = f->collector.at[i].busy;
	}
	self_emit(a, SELF_PROCESS, "begins", &s);
	for (size_t i = 0; i < f->collector.n; i++) {
		struct sample one = sample_of(&f->collector.at[i], f->interval);
		self_emit(a, f->collector.at[i].process, "load", &one);
	}
	self_emit(a, SELF_PROCESS, "ends", &s);
	note_cost(a, SELF_PROCESS, now_used.cpu_ns);
	f->time = now;
	f->used = now_used;
	f->events = a->events;
}

void self_look(struct analyze *a)
{
	uint64_t now = weft_monotonic_ns();
	if (!a->how.adapts || a->ended)
		return;
	if (!a->self.begun) {
		a->self.begun = true;
		a->self.time = now;
		a->self.used = self_used();
		begin_process(a, SELF_PROCESS, 0, "", analyzer_exe);
	}
	/* Answers may bring new questions. */
	while (a->self.acted.n) {
		struct message_acted x = a->self.acted.at[--a->self.acted.n];
		decide_acted(a, &x);
	}
	if (a->self.collector.n && now - a->self.time >= INTERVAL_NS)
		tell_interval(a, now);
}

/* ---- tuning ---- */

/* Each host has one; of the others it gets its share by the events that it has now. */
static void self_grow(struct analyze *a, uint32_t n)
{
	double all = 0;
	uint32_t heads = 0;
	for (size_t i = 0; i < a->self.collector.n; i++) {
		all += a->self.collector.at[i].rate;
		heads += a->self.collector.at[i].of == a->self.collector.at[i].number;
	}
	for (size_t i = 0; i < a->self.collector.n; i++) {
		struct analyze_collector *c = &a->self.collector.at[i];
		double its = 0;
		for (size_t k = 0; k < a->self.collector.n; k++)
			its += a->self.collector.at[k].of == c->number ? a->self.collector.at[k].rate : 0;
		if (c->of != c->number)
			continue;
		c->wanted = 1 + (all > 0 && n > heads ? (uint32_t)lround((n - heads) * its / all) : 0);
		struct message m = {.kind = MESSAGE_GROW, .grow = {c->number, c->wanted}};
		analyze_send(a, c->controller, &m);
	}
}

static void self_level(struct analyze *a, uint32_t n)
{
	struct message m = {.kind = MESSAGE_LEVEL, .level = {n}};
	const struct analyze_collector *first = self_find(a, a->self.first);
	if (first)
		analyze_send(a, first->controller, &m);
}

static double how_many(const struct analyze *a)
{
	return (double)a->self.collector.n;
}

static double how_many_between(const struct analyze *a)
{
	return a->self.between;
}

/* The variables that an action can set. */
static const struct {
	const char *name;
	double least, most;
	double (*now)(const struct analyze *a);
	void (*set)(struct analyze *a, uint32_t n);
} knobs[] = {{"collectors", 1, 1000, how_many, self_grow}, {"between", 0, 1000, how_many_between, self_level}};

void self_told(struct analyze *a, const struct message *m)
{
	if (m->kind != MESSAGE_ACT)
		return;
	double n = m->act.n ? m->act.argument[0].d : NAN;
	struct message_acted x = {.process = m->act.process,
	                          .action = m->act.action,
	                          .time = analyze_now(a),
	                          .rc = -EINVAL,
	                          .old = {.kind = MESSAGE_INT, .s = ""},
	                          .text = "all that can be set here is `collectors` and `between`"};
	for (size_t i = 0; i < sizeof knobs / sizeof knobs[0] && m->act.process == SELF_PROCESS; i++) {
		if (strcmp(m->act.subject, knobs[i].name) != 0)
			continue;
		x.old.i = (int64_t)knobs[i].now(a);
		x.text = "a number of collectors is expected";
		if (!(n >= knobs[i].least && n <= knobs[i].most))
			continue;
		x.rc = 0;
		x.text = "";
		knobs[i].set(a, (uint32_t)n);
	}
	if (weft_vec_push(&a->self.acted, x))
		analyze_fail(a, -ENOMEM, NULL);
}

void self_fini(struct analyze *a)
{
	free(a->self.collector.at);
	free(a->self.middle.at);
	free(a->self.acted.at);
}
