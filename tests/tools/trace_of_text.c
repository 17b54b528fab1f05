/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes a trace of the text on stdin: trace_of_text OUT.weft. Times are in ns, addresses in hexadecimal, what is last on a line may have
 * blanks. Threads are numbered from 0; what follows `thread` or `on` is of that thread, what follows `category` of that category.
 *
 *     process RANK NAME          thread NAME              on THREAD               module FIRST END BUILD-ID|- PATH
 *     category NAME              enter TIME STATE NAME    leave TIME NAME         label VALUE NAME=TEXT
 *     attr TIME VALUE NAME       text TIME NAME=TEXT      point TIME VALUE NAME   counter TIME VALUE NAME
 *     sample TIME ADDRESS...     stack TIME ADDRESS...    comm SIZE NAME          collective TIME OPERATION ROOT SENT RECEIVED
 *     more TIME PERIODS ADDRESS...
 *     message FROM TO BYTES TAG SEND-BEGAN SEND-DONE RECV-BEGAN RECV-DONE         flow TIME out|in KEY NAME
 *     depend TIME FROM TO NAME
 */
#include "base/str.h"
#include "trace/store/builder.h"
#include "trace/store/cursor.h"
#include "trace/write/write.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct maker {
	struct weft_builder *b;
	uint32_t process, thread, category, comm;
};

_Noreturn static void fail(const char *what, const char *line)
{
	fprintf(stderr, "trace_of_text: %s: %s\n", what, line);
	exit(2);
}

static uint32_t known(int64_t id)
{
	if (id < 0)
		fail("cannot build", weft_err_name((int)id));
	return (uint32_t)id;
}

static void done(int rc)
{
	known(rc);
}

static uint64_t number(char **rest)
{
	char *end;
	uint64_t v = strtoull(*rest, &end, 0);
	if (end == *rest)
		fail("no number", *rest);
	*rest = end + strspn(end, " ");
	return v;
}

static uint32_t def(struct maker *m, enum weft_class c, const char *name, uint32_t state)
{
	return known(weft_build_def(m->b, c, &(struct weft_def_row){.name = name, .category = m->category, .state = state}));
}

static void append(struct maker *m, uint64_t time, unsigned kind, uint32_t id, uint64_t value)
{
	done(weft_append(weft_builder_appender(m->b, m->thread), time, weft_what(kind, id), value));
}

/* ---- a line each ---- */

static void make_process(struct maker *m, char *rest)
{
	int rank = (int)number(&rest);
	struct weft_process p =
		{.node = 0, .pid = 1000 + rank, .rank = rank, .name = rest, .begin = WEFT_NEVER, .end = WEFT_NEVER, .status = -1};
	m->process = known(weft_build_process(m->b, &p));
}

static void make_thread(struct maker *m, char *rest)
{
	m->thread = known(weft_build_thread(m->b, &(struct weft_thread_row){.process = m->process,
	                                                                    .name = rest,
	                                                                    .begin = WEFT_NEVER,
	                                                                    .end = WEFT_NEVER}));
	m->b->thread.at[m->thread].tid = 1000 + m->thread;
}

static void make_on(struct maker *m, char *rest)
{
	m->thread = (uint32_t)number(&rest);
}

static void make_module(struct maker *m, char *rest)
{
	struct weft_module o = {.process = m->process, .build_id = ""};
	o.first = number(&rest);
	o.end = number(&rest);
	o.build_id = rest;
	rest += strcspn(rest, " ");
	*rest++ = '\0';
	o.build_id = strcmp(o.build_id, "-") != 0 ? o.build_id : "";
	o.path = rest;
	done(weft_build_module(m->b, &o));
}

static void make_category(struct maker *m, char *rest)
{
	m->category = 0;
	m->category = def(m, WEFT_CLASS_CATEGORY, rest, 0);
}

static void make_enter(struct maker *m, char *rest)
{
	uint64_t time = number(&rest);
	uint32_t state = (uint32_t)number(&rest);
	append(m, time, WEFT_EV_ENTER, def(m, WEFT_CLASS_REGION, rest, state), 0);
}

static void make_leave(struct maker *m, char *rest)
{
	uint64_t time = number(&rest);
	append(m, time, WEFT_EV_LEAVE, def(m, WEFT_CLASS_REGION, rest, 0), 0);
}

static void make_valued(struct maker *m, char *rest, unsigned kind, enum weft_class c)
{
	uint64_t time = number(&rest), value = number(&rest);
	append(m, time, kind, def(m, c, rest, 0), value);
}
static void make_attr(struct maker *m, char *rest)
{
	make_valued(m, rest, WEFT_EV_ATTR, WEFT_CLASS_ATTR);
}
static void make_point(struct maker *m, char *rest)
{
	make_valued(m, rest, WEFT_EV_POINT, WEFT_CLASS_TYPE);
}
static void make_counter(struct maker *m, char *rest)
{
	make_valued(m, rest, WEFT_EV_COUNTER, WEFT_CLASS_COUNTER);
}

static char *cut_at_equals(char *rest)
{
	char *text = strchr(rest, '=');
	if (!text)
		fail("no =", rest);
	*text = '\0';
	return text + 1;
}

static void make_text(struct maker *m, char *rest)
{
	uint64_t time = number(&rest);
	char *text = cut_at_equals(rest);
	uint32_t string = known(weft_build_string(m->b, text, strlen(text)));
	append(m, time, WEFT_EV_ATTR_S, def(m, WEFT_CLASS_ATTR, rest, 0), string);
}

static void make_label(struct maker *m, char *rest)
{
	int64_t value = (int64_t)number(&rest);
	char *text = cut_at_equals(rest);
	done(weft_build_label(m->b, def(m, WEFT_CLASS_TYPE, rest, 0), value, text));
}

static void make_addresses(struct maker *m, char *rest, unsigned kind)
{
	uint64_t time = number(&rest), address[256];
	uint32_t n = 0;
	while (*rest && n < 256)
		address[n++] = number(&rest);
	done(weft_append_extra(weft_builder_appender(m->b, m->thread), time, weft_what(kind, 0), address, n));
}
/* A sample that stands for so many periods more. */
static void make_more(struct maker *m, char *rest)
{
	uint64_t time = number(&rest), more = number(&rest), address[256];
	uint32_t n = 0;
	while (*rest && n < 256)
		address[n++] = number(&rest);
	done(weft_append_extra(weft_builder_appender(m->b, m->thread), time, weft_what(WEFT_EV_SAMPLE, (unsigned)more << 4),
	                       address, n));
}
static void make_sample(struct maker *m, char *rest)
{
	make_addresses(m, rest, WEFT_EV_SAMPLE);
}
static void make_stack(struct maker *m, char *rest)
{
	make_addresses(m, rest, WEFT_EV_CALLSTACK);
}

static void make_comm(struct maker *m, char *rest)
{
	int64_t size = (int64_t)number(&rest);
	m->comm = known(weft_build_def(m->b, WEFT_CLASS_COMM, &(struct weft_def_row){.name = rest, .code = size, .key = 77}));
}

static void make_collective(struct maker *m, char *rest)
{
	uint64_t time = number(&rest), operation = number(&rest), root = number(&rest), sent = number(&rest),
		 received = number(&rest);
	uint64_t word[3] = {(uint32_t)operation | root << 32, sent, received};
	done(weft_append_extra(weft_builder_appender(m->b, m->thread), time, weft_what(WEFT_EV_COLLECTIVE, m->comm), word, 3));
}

static void make_message(struct maker *m, char *rest)
{
	struct weft_message_row r = {.comm = m->comm};
	r.send_thread = (uint32_t)number(&rest);
	r.recv_thread = (uint32_t)number(&rest);
	r.size = number(&rest);
	r.tag = (int32_t)number(&rest);
	r.send_began = number(&rest);
	r.send_done = number(&rest);
	r.recv_began = number(&rest);
	r.recv_done = number(&rest);
	done(weft_build_message(m->b, &r));
}

static void make_flow(struct maker *m, char *rest)
{
	uint64_t time = number(&rest);
	bool out = !strncmp(rest, "out ", 4);
	rest += strcspn(rest, " ") + 1;
	uint64_t key = number(&rest);
	done(weft_append_flow(weft_builder_appender(m->b, m->thread), time, def(m, WEFT_CLASS_FLOW, rest, 0), key, out));
}

static void make_depend(struct maker *m, char *rest)
{
	uint64_t time = number(&rest), word[2];
	word[0] = number(&rest);
	word[1] = number(&rest);
	uint32_t what = weft_what(WEFT_EV_DEPENDENCY, def(m, WEFT_CLASS_FLOW, rest, 0));
	done(weft_append_extra(weft_builder_appender(m->b, m->thread), time, what, word, 2));
}

static const struct {
	const char *word;
	void (*make)(struct maker *m, char *rest);
} lines[] = {
	{"process", make_process}, {"thread", make_thread},     {"on", make_on},
	{"module", make_module},   {"category", make_category}, {"enter", make_enter},
	{"leave", make_leave},     {"attr", make_attr},         {"text", make_text},
	{"point", make_point},     {"counter", make_counter},   {"sample", make_sample},
	{"stack", make_stack},     {"comm", make_comm},         {"collective", make_collective},
	{"message", make_message}, {"more", make_more},         {"label", make_label},
	{"flow", make_flow},       {"depend", make_depend},
};

static void make(struct maker *m, char *line)
{
	size_t n = strcspn(line, " ");
	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (strlen(lines[i].word) == n && !strncmp(line, lines[i].word, n)) {
			lines[i].make(m, line + n + (line[n] != 0));
			return;
		}
	fail("unknown line", line);
}

int main(int argc, char **argv)
{
	struct weft_err err = {0};
	struct maker m = {0};
	struct weft_trace *t;
	char line[4096];
	struct weft_open_how how = {.no_index = true};
	if (argc != 2)
		fail("usage", "trace_of_text OUT.weft <TEXT");
	if (weft_builder_new(&m.b, "text", "weft", &how, &err))
		fail("cannot build", err.text);
	known(weft_build_node(m.b, "host"));
	known(weft_build_app(m.b, "program"));
	while (fgets(line, sizeof line, stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line && *line != '#')
			make(&m, line);
	}
	weft_build_keep_zero(m.b, 0);
	if (weft_build_finish(m.b, NULL, &t, &err))
		fail("cannot build", err.text);
	const struct weft_trace *one = t;
	struct weft_write_how write = {.to = WEFT_NEVER, .keep_times = true};
	if (weft_trace_write(&one, 1, argv[1], &write, false, true, &err))
		fail("cannot write", err.text);
	weft_trace_close(t);
	return 0;
}
