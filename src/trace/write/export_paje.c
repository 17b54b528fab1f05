/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The Paje format, as pajeng and ViTE read it: a header that defines event lines, then types, then the run in order of time.
 *
 *   trace ── application ── [node] ── process ── thread     containers, created when a thread begins, destroyed when it ends
 *                                                  │  region, state     pushed and popped
 *                                                  │  counter…          variables
 *                                                  │  point…, mark…     events
 *   message, each kind of flow: links from thread to thread
 *
 * Names are made for both readers: neither knows an escape within quotes, and Debian's pj_dump aborts on empty quotes. Names of
 * types and values are unique, because pj_dump finds them by name too. Aliases are a letter and an id.
 */
#include "export_paje.h"
#include <errno.h>
#include <stdlib.h>

enum {
	DEF_CONTAINER,
	DEF_STATE,
	DEF_EVENT,
	DEF_VARIABLE,
	DEF_LINK,
	DEF_VALUE,
	CREATE,
	DESTROY,
	PUSH,
	POP,
	EVENT,
	SET,
	START,
	STARTED_WITH, /* a message: with what it carries */
	END_LINK,
};

static const struct {
	const char *event;
	const char *fields; /* "Name type" each, separated by commas */
} lines[] = {
	[DEF_CONTAINER] = {"PajeDefineContainerType", "Alias string,Type string,Name string"},
	[DEF_STATE] = {"PajeDefineStateType", "Alias string,Type string,Name string"},
	[DEF_EVENT] = {"PajeDefineEventType", "Alias string,Type string,Name string"},
	[DEF_VARIABLE] = {"PajeDefineVariableType", "Alias string,Type string,Name string,Color color"},
	[DEF_LINK] = {"PajeDefineLinkType",
                      "Alias string,Type string,StartContainerType string,EndContainerType string,Name string"},
	[DEF_VALUE] = {"PajeDefineEntityValue", "Alias string,Type string,Name string,Color color"},
	[CREATE] = {"PajeCreateContainer", "Time date,Alias string,Type string,Container string,Name string"},
	[DESTROY] = {"PajeDestroyContainer", "Time date,Name string,Type string"},
	[PUSH] = {"PajePushState", "Time date,Type string,Container string,Value string"},
	[POP] = {"PajePopState", "Time date,Type string,Container string"},
	[EVENT] = {"PajeNewEvent", "Time date,Type string,Container string,Value string"},
	[SET] = {"PajeSetVariable", "Time date,Type string,Container string,Value double"},
	[START] = {"PajeStartLink", "Time date,Type string,Container string,Value string,StartContainer string,Key string"},
	[STARTED_WITH] = {"PajeStartLink", "Time date,Type string,Container string,Value string,StartContainer string,Key string,"
                                           "Size int,Tag int"},
	[END_LINK] = {"PajeEndLink", "Time date,Type string,Container string,Value string,EndContainer string,Key string"},
};

struct paje {
	struct export_sink sink; /* first: callbacks get it */
	bool nodes;              /* there is a level of nodes */
	uint32_t *threads_left;  /* of each process, that have not ended; owned */
	bool *created;           /* processes; owned */
};

static void paje_header(struct export_out *o)
{
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
		export_text(o, "%EventDef ");
		export_text(o, lines[i].event);
		export_char(o, ' ');
		export_u64(o, i);
		struct weft_str rest = weft_str(lines[i].fields), field;
		while (weft_str_cut(&rest, ',', &field)) {
			export_text(o, "\n%\t");
			export_bytes(o, field.at, field.n);
		}
		export_text(o, "\n%EndEventDef\n");
	}
}

/* ---- pieces of a line ---- */

static void put_code(struct export_out *o, unsigned code)
{
	export_u64(o, code);
}

static void put_time(struct export_out *o, uint64_t time)
{
	export_char(o, ' ');
	export_fixed(o, time, 9);
}

static void put_word(struct export_out *o, const char *word)
{
	export_char(o, ' ');
	export_text(o, word);
}

static void put_alias(struct export_out *o, char letter, uint64_t id)
{
	char *at = export_room(o, 24);
	at[0] = ' ';
	at[1] = letter;
	o->n += 2 + weft_fmt_u64(at + 2, id);
}

static void put_name(struct export_out *o, const char *z)
{
	size_t left = strlen(z);
	export_text(o, left ? " \"" : " \" ");
	while (left) {
		unsigned n = weft_utf8_len(z, left);
		unsigned char c = (unsigned char)*z;
		if (n > 1)
			export_bytes(o, z, n);
		else
			export_char(o, n == 0 ? '?' : c == '"' ? '\'' : c == '\\' ? '/' : c < 0x20 || c == 0x7f ? ' ' : *z);
		z += n ? n : 1;
		left -= n ? n : 1;
	}
	export_char(o, '"');
}

static void put_color(struct export_out *o, struct paje_color c)
{
	export_text(o, " \"");
	export_fixed(o, c.red, 3);
	export_char(o, ' ');
	export_fixed(o, c.green, 3);
	export_char(o, ' ');
	export_fixed(o, c.blue, 3);
	export_char(o, '"');
}

static void put_end(struct export_out *o)
{
	export_char(o, '\n');
}

/* ---- types ---- */

static void paje_define(struct paje *p, unsigned line, char letter, uint32_t id, const char *parent, const char *name,
                        const struct paje_color *color)
{
	struct export_out *o = p->sink.out;
	put_code(o, line);
	put_alias(o, letter, id);
	put_word(o, parent);
	put_name(o, name);
	if (color)
		put_color(o, *color);
	put_end(o);
}

static void define_containers(struct paje *p)
{
	paje_define(p, DEF_CONTAINER, 'C', 0, "0", "Trace", NULL);
	paje_define(p, DEF_CONTAINER, 'C', 1, "C0", "Application", NULL);
	if (p->nodes)
		paje_define(p, DEF_CONTAINER, 'C', 2, "C1", "Node", NULL);
	paje_define(p, DEF_CONTAINER, 'C', 3, p->nodes ? "C2" : "C1", "Process", NULL);
	paje_define(p, DEF_CONTAINER, 'C', 4, "C3", "Thread", NULL);
}

/* What a class of definitions becomes, and the letter of its aliases. */
static const struct {
	enum weft_class of;
	unsigned line;
	char letter;
	const char *parent;
	bool colored;
} defined[] = {
	{WEFT_CLASS_REGION, DEF_VALUE, 'r', "R", true},      {WEFT_CLASS_STATE, DEF_VALUE, 's', "S", true},
	{WEFT_CLASS_COUNTER, DEF_VARIABLE, 'v', "C4", true}, {WEFT_CLASS_TYPE, DEF_EVENT, 'e', "C4", false},
	{WEFT_CLASS_ATTR, DEF_EVENT, 'a', "C4", false},      {WEFT_CLASS_DATA, DEF_EVENT, 'd', "C4", false},
};

/* Kinds whose events can come as such; the others are states and variables. */
static bool is_event_kind(unsigned kind)
{
	enum weft_class of = weft_kind_info[kind].of;
	return weft_kind_info[kind].name && of != WEFT_CLASS_REGION && of != WEFT_CLASS_STATE && of != WEFT_CLASS_COUNTER &&
	       of != WEFT_CLASS_SET && kind != WEFT_EV_CPU && kind != WEFT_EV_TIME && kind != WEFT_EV_ENTER_FLOW &&
	       kind != WEFT_EV_BUNDLE;
}

static void define_link(struct paje *p, const char *alias, const char *name)
{
	struct export_out *o = p->sink.out;
	put_code(o, DEF_LINK);
	put_word(o, alias);
	put_word(o, "C0 C4 C4");
	put_name(o, name);
	put_end(o);
}

static int define_types(struct paje *p, struct paje_names *names)
{
	const struct weft_trace *t = p->sink.t;
	struct export_out *o = p->sink.out;
	struct paje_color grey = {600, 600, 600};
	export_text(o, "1 R C4 \"Region\"\n1 S C4 \"State\"\n");
	static const char *const taken[] = {"Trace", "Application", "Node", "Process", "Thread", "Region", "State"};
	for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
		paje_name(names, taken[i], "");
	paje_define(p, DEF_VARIABLE, 'v', 0, "C4", paje_name(names, "cpu", ""), &grey);
	for (unsigned k = 1; k < 64; k++) /* what has no definition is an event of its kind */
		if (is_event_kind(k))
			paje_define(p, DEF_EVENT, 'k', k, "C4", paje_name(names, weft_kind_info[k].name, ""), NULL);
	define_link(p, "M", paje_name(names, "message", ""));
	for (size_t r = 0; r < sizeof defined / sizeof *defined; r++) {
		const struct weft_def_table *d = &t->def[defined[r].of];
		struct paje_color *color = paje_colors(d);
		if (!color)
			return -ENOMEM;
		for (uint32_t i = 1; i < d->n; i++)
			paje_define(p, defined[r].line, defined[r].letter, i, defined[r].parent,
			            paje_name(names, d->at[i].name,
			                      d->at[i].category ? export_def_name(t, WEFT_CLASS_CATEGORY, d->at[i].category)
			                                        : weft_class_name[defined[r].of]),
			            defined[r].colored ? &color[i] : NULL);
		free(color);
	}
	for (uint32_t i = 1; i < t->def[WEFT_CLASS_FLOW].n; i++) {
		char alias[24] = "F";
		alias[1 + weft_fmt_u64(alias + 1, i)] = 0;
		define_link(p, alias, paje_name(names, t->def[WEFT_CLASS_FLOW].at[i].name, "flow"));
	}
	return names->failed ? -ENOMEM : 0;
}

/* ---- containers ---- */

static uint64_t node_alias(const struct weft_trace *t, const struct weft_process *p)
{
	return (uint64_t)p->app * (t->n_nodes + 1u) + (p->node == WEFT_NONE ? t->n_nodes : p->node);
}

static void paje_create(struct paje *p, uint64_t time, char letter, uint64_t id, const char *type, char parent_letter,
                        uint64_t parent, const char *name)
{
	struct export_out *o = p->sink.out;
	put_code(o, CREATE);
	put_time(o, time);
	put_alias(o, letter, id);
	put_word(o, type);
	if (parent_letter)
		put_alias(o, parent_letter, parent);
	else
		put_word(o, "0");
	put_name(o, name);
	put_end(o);
}

static void paje_destroy(struct paje *p, uint64_t time, char letter, uint64_t id, const char *type)
{
	struct export_out *o = p->sink.out;
	put_code(o, DESTROY);
	put_time(o, time);
	put_alias(o, letter, id);
	put_word(o, type);
	put_end(o);
}

static void create_process(struct paje *p, uint64_t time, uint32_t process)
{
	const struct weft_trace *t = p->sink.t;
	const struct weft_process *row = &t->process[process];
	struct weft_buf name = {0};
	export_process_name(t, process, &name);
	if (name.failed)
		export_fail(p->sink.out, -ENOMEM);
	else
		paje_create(p, time, 'p', process, "C3", p->nodes ? 'n' : 'a', p->nodes ? node_alias(t, row) : row->app, name.at);
	weft_buf_fini(&name);
	p->created[process] = true;
}

static void create_level(struct paje *p, char letter, uint64_t id, const char *type, char parent_letter, uint64_t parent,
                         uint32_t number, const char *name)
{
	struct weft_buf b = {0};
	weft_buf_printf(&b, *name ? "%u %s" : "%u", number, name);
	if (b.failed)
		export_fail(p->sink.out, -ENOMEM);
	else
		paje_create(p, 0, letter, id, type, parent_letter, parent, b.at);
	weft_buf_fini(&b);
}

/* The levels above processes live as long as the trace. */
static int create_upper(struct paje *p)
{
	const struct weft_trace *t = p->sink.t;
	struct weft_map known = {0};
	int rc = 0;
	paje_create(p, 0, 't', 0, "C0", 0, 0, "trace");
	for (uint32_t i = 0; i < t->n_apps; i++)
		create_level(p, 'a', i, "C1", 't', 0, i + 1, t->app[i].name ? t->app[i].name : "");
	for (uint32_t i = 0; p->nodes && i < t->n_processes && rc == 0; i++) {
		const struct weft_process *row = &t->process[i];
		uint64_t alias = node_alias(t, row), ignored;
		if (weft_map_get(&known, alias, &ignored))
			continue;
		rc = weft_map_put(&known, alias, 1);
		create_level(p, 'n', alias, "C2", 'a', row->app, row->app + 1,
		             row->node == WEFT_NONE ? "unknown node" : t->node[row->node].name);
	}
	weft_map_fini(&known);
	return rc;
}

static int destroy_upper(struct paje *p)
{
	const struct weft_trace *t = p->sink.t;
	struct weft_map known = {0};
	int rc = 0;
	for (uint32_t i = 0; p->nodes && i < t->n_processes && rc == 0; i++) {
		uint64_t alias = node_alias(t, &t->process[i]), ignored;
		if (weft_map_get(&known, alias, &ignored))
			continue;
		rc = weft_map_put(&known, alias, 1);
		paje_destroy(p, t->end, 'n', alias, "C2");
	}
	for (uint32_t i = 0; i < t->n_apps; i++)
		paje_destroy(p, t->end, 'a', i, "C1");
	paje_destroy(p, t->end, 't', 0, "C0");
	weft_map_fini(&known);
	return rc;
}

static void paje_begin(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct paje *p = (struct paje *)s;
	uint32_t process = s->t->thread[l->thread].process;
	struct weft_buf name = {0};
	if (!p->created[process])
		create_process(p, time, process);
	export_thread_name(s->t, l->thread, &name);
	if (name.failed)
		export_fail(s->out, -ENOMEM);
	else
		paje_create(p, time, 't', l->thread + 1u, "C4", 'p', process, name.at);
	weft_buf_fini(&name);
}

static void paje_end(struct export_sink *s, struct export_lane *l, uint64_t time)
{
	struct paje *p = (struct paje *)s;
	uint32_t process = s->t->thread[l->thread].process;
	paje_destroy(p, time, 't', l->thread + 1u, "C4");
	if (--p->threads_left[process] == 0)
		paje_destroy(p, time, 'p', process, "C3");
}

/* ---- the run ---- */

/* " TIME TYPE tTHREAD", for lines that begin so. */
static void put_where(struct export_out *o, unsigned line, uint64_t time, const struct export_lane *l, const char *type)
{
	put_code(o, line);
	put_time(o, time);
	put_word(o, type);
	put_alias(o, 't', l->thread + 1u);
}

static void paje_push(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region)
{
	bool known = region && region < s->t->def[WEFT_CLASS_REGION].n;
	put_where(s->out, PUSH, time, l, "R");
	if (known)
		put_alias(s->out, 'r', region);
	else
		put_name(s->out, "?");
	put_end(s->out);
}

static void paje_pop(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t region, const struct export_attr *attr,
                     size_t n_attrs)
{
	(void)region, (void)attr, (void)n_attrs;
	put_where(s->out, POP, time, l, "R");
	put_end(s->out);
}

static void paje_state(struct export_sink *s, struct export_lane *l, uint64_t time, uint32_t state, bool begins)
{
	put_where(s->out, begins ? PUSH : POP, time, l, "S");
	if (begins && state && state < s->t->def[WEFT_CLASS_STATE].n)
		put_alias(s->out, 's', state);
	else if (begins)
		put_name(s->out, "?");
	put_end(s->out);
}

static void paje_variable(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	struct export_out *o = s->out;
	struct export_detail d;
	if (e->kind != WEFT_EV_CPU && (e->id == 0 || e->id >= s->t->def[WEFT_CLASS_COUNTER].n))
		return;
	export_describe(s, e, &d);
	if (d.arg[0].kind == EXPORT_DOUBLE && d.arg[0].d - d.arg[0].d != 0)
		return; /* the readers know no nan and no infinity */
	put_code(o, SET);
	put_time(o, e->time);
	put_alias(o, 'v', e->kind == WEFT_EV_CPU ? 0 : e->id);
	put_alias(o, 't', l->thread + 1u);
	export_char(o, ' ');
	export_number(o, &d.arg[0], "nan");
	put_end(o);
}

/* An event's value: its label, its text, its number, or all its arguments as "key=value, …". */
static void put_values(struct export_out *o, const struct export_detail *d)
{
	if (d->n == 0) {
		put_name(o, "");
		return;
	}
	const struct export_arg *last = &d->arg[d->n - 1];
	if (last->kind == EXPORT_TEXT) {
		put_name(o, last->text);
		return;
	}
	export_text(o, " \"");
	for (unsigned i = 0; i < d->n; i++) {
		if (d->n > 1) {
			export_text(o, i ? ", " : "");
			export_text(o, d->arg[i].key);
			export_char(o, '=');
		}
		export_number(o, &d->arg[i], "nan");
	}
	export_char(o, '"');
}

/* Of the alias of an event's type: of its definition, else of its kind. */
static char event_letter(enum weft_class of)
{
	for (size_t r = 0; r < sizeof defined / sizeof *defined; r++)
		if (defined[r].of == of && defined[r].line == DEF_EVENT)
			return defined[r].letter;
	return 'k';
}

static void paje_point(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	struct export_detail d;
	enum weft_class of = weft_kind_info[e->kind].of;
	char letter = event_letter(of);
	export_describe(s, e, &d);
	if (e->id == 0 || e->id >= s->t->def[of].n)
		letter = 'k';
	put_code(s->out, EVENT);
	put_time(s->out, e->time);
	put_alias(s->out, letter, letter == 'k' ? e->kind : e->id);
	put_alias(s->out, 't', l->thread + 1u);
	put_values(s->out, &d);
	put_end(s->out);
}

/* One end of an arrow; the key tells arrows of a type apart. */
static void put_link(struct export_sink *s, struct export_lane *l, const struct weft_event *e, bool starts)
{
	struct export_out *o = s->out;
	const struct weft_messages *m = &s->t->message;
	bool message = e->kind == WEFT_EV_SEND || e->kind == WEFT_EV_RECV;
	put_code(o, !starts ? END_LINK : message ? STARTED_WITH : START);
	put_time(o, e->time);
	if (message)
		put_word(o, "M");
	else
		put_alias(o, 'F', e->id);
	put_word(o, "t0");
	put_name(o, message ? export_def_name(s->t, WEFT_CLASS_COMM, m->comm[e->value])
	                    : export_def_name(s->t, WEFT_CLASS_FLOW, e->id));
	put_alias(o, 't', l->thread + 1u);
	put_alias(o, message ? 'm' : 'f', e->value + 1);
	if (starts && message) {
		export_char(o, ' ');
		export_u64(o, m->size[e->value]);
		export_char(o, ' ');
		export_i64(o, m->tag[e->value]);
	}
	put_end(o);
}

static void paje_event(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	const struct weft_messages *m = &s->t->message;
	const struct weft_flows *f = &s->t->flow;
	bool whole = false;
	switch (e->kind) {
	case WEFT_EV_COUNTER:
	case WEFT_EV_COUNTER_F:
	case WEFT_EV_CPU:
		paje_variable(s, l, e);
		return;
	case WEFT_EV_SEND:
	case WEFT_EV_RECV:
		whole = m->send_thread[e->value] != WEFT_NONE && m->recv_thread[e->value] != WEFT_NONE;
		break;
	case WEFT_EV_FLOW_OUT:
	case WEFT_EV_FLOW_IN:
		whole = e->id && f->from_thread[e->value] != WEFT_NONE && f->to_thread[e->value] != WEFT_NONE;
		break;
	default:
		break;
	}
	if (!whole)
		paje_point(s, l, e);
	else if (e->kind != WEFT_EV_SEND) /* which was begun by paje_sent */
		put_link(s, l, e, e->kind == WEFT_EV_FLOW_OUT);
}

static void paje_sent(struct export_sink *s, struct export_lane *l, const struct weft_event *e)
{
	put_link(s, l, e, true);
}

/* ---- the file ---- */

static int paje_prepare(struct paje *p)
{
	const struct weft_trace *t = p->sink.t;
	p->nodes = t->n_nodes > 1;
	p->threads_left = calloc(t->n_processes + 1u, sizeof *p->threads_left);
	p->created = calloc(t->n_processes + 1u, sizeof *p->created);
	if (!p->threads_left || !p->created)
		return -ENOMEM;
	for (uint32_t i = 0; i < t->n_threads; i++)
		p->threads_left[t->thread[i].process] += pick_thread(p->sink.how->filter, i);
	return 0;
}

int weft_export_paje(const struct weft_trace *t, const char *path, const struct weft_export_how *how, struct weft_err *err)
{
	struct export_out out;
	struct paje p = {.sink = {.t = t,
	                          .how = how,
	                          .out = &out,
	                          .begin = paje_begin,
	                          .end = paje_end,
	                          .push = paje_push,
	                          .pop = paje_pop,
	                          .state = paje_state,
	                          .event = paje_event,
	                          .sent = paje_sent}};
	struct paje_names names = {0};
	int rc = export_open(&out, path, err);
	if (rc)
		return rc;
	rc = paje_prepare(&p);
	if (rc == 0) {
		paje_header(&out);
		define_containers(&p);
		rc = define_types(&p, &names);
	}
	if (rc == 0)
		rc = create_upper(&p);
	if (rc == 0)
		rc = export_merged(&p.sink);
	if (rc == 0)
		rc = destroy_upper(&p);
	paje_names_fini(&names);
	free(p.threads_left);
	free(p.created);
	return export_close(&out, rc, err);
}
