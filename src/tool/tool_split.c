/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event-driven cut: a task's records go to the next part from each event of the chosen type on; its line ends the one part and
 * begins the other. Comments, and records of threads and cpus that the header does not have, are in none. Tasks move
 * on their own, so many parts may be growing at a time, more than files may be open: each has a buffer, and its file is open
 * only while that is written. Parts get their names when all are complete.
 */
#include "tool_priv.h"
#include "base/fs.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { PART_FLUSH = 256 << 10, ALL_FLUSH = 64 << 20, MOST_PARTS = 1000000 };

struct part {
	char *name; /* owned */
	struct weft_replace file;
	uint64_t written;
	struct tool_text text;
};
struct split {
	struct tool_input in;
	const char *out;
	uint32_t type;
	struct tool_text head;
	uint32_t *part; /* of each task. Owned */
	WEFT_VEC(struct part) parts;
	size_t buffered;
	struct weft_tool_report *report;
	struct weft_err *err;
};

static int no_memory(const struct split *s)
{
	return weft_err_set(s->err, -ENOMEM, "cannot split '%s': no memory", s->in.path);
}

/* -- parts -- */

static int part_flush(struct split *s, struct part *p)
{
	if (p->text.failed)
		return no_memory(s);
	int rc = p->file.fd ? 0 : weft_replace_resume(&p->file, p->name);
	if (!rc)
		rc = weft_write_all(p->file.fd, p->text.at, p->text.n, p->written);
	if (rc)
		return weft_err_sys(s->err, -rc, "cannot write '%s'", p->name);
	weft_replace_pause(&p->file);
	p->written += p->text.n;
	s->buffered -= p->text.n;
	free(p->text.at);
	p->text = (struct tool_text){0};
	return 0;
}

static int flush_all(struct split *s)
{
	int rc = 0;
	for (size_t i = 0; i < s->parts.n && !rc; i++)
		if (s->parts.at[i].text.n)
			rc = part_flush(s, &s->parts.at[i]);
	return rc;
}

static int part_add(struct split *s)
{
	struct part p = {.name = weft_tool_part_name(s->out, s->parts.n + 1)};
	if (s->parts.n == MOST_PARTS) {
		free(p.name);
		return weft_err_set(s->err, -E2BIG, "'%s' would be split into more than %d parts by type %u", s->in.path,
		                    MOST_PARTS, s->type);
	}
	if (!p.name)
		return no_memory(s);
	int rc = weft_replace_open(&p.file, p.name, 0666);
	if (rc)
		weft_err_sys(s->err, -rc, "cannot write '%s'", p.name);
	else if ((rc = weft_vec_push(&s->parts, p)))
		no_memory(s);
	if (rc) {
		weft_replace_abandon(&p.file);
		free(p.name);
		return rc;
	}
	struct part *kept = &s->parts.at[s->parts.n - 1];
	tool_text_add(&kept->text, s->head.at, s->head.n);
	s->buffered += s->head.n;
	return part_flush(s, kept); /* so that its file is there, and a folder that cannot be written is known */
}

static int part_line(struct split *s, uint32_t part, struct weft_str line)
{
	struct part *p = &s->parts.at[part];
	tool_text_add(&p->text, line.at, line.n);
	tool_text_char(&p->text, '\n');
	s->buffered += line.n + 1;
	if (p->text.n >= PART_FLUSH || p->text.failed)
		return part_flush(s, p);
	return s->buffered >= ALL_FLUSH ? flush_all(s) : 0;
}

/* -- records -- */

static bool has_type(const struct split *s, const char *at, const char *end)
{
	int64_t type, value;
	while (at < end) {
		at = tool_number(at, end, &type);
		if (at < end && (uint64_t)type == s->type)
			return true;
		at = tool_number(at, end, &value);
	}
	return false;
}

static int split_record(struct split *s, struct weft_str line)
{
	const char *at = line.at + 2, *end = line.at + line.n;
	int64_t v[TOOL_EVENT_FIELDS];
	uint32_t row;
	if (tool_numbers(&at, end, v, TOOL_EVENT_FIELDS) < TOOL_EVENT_FIELDS ||
	    !tool_head_thread(&s->in.head, (uint64_t)v[TOOL_APP], (uint64_t)v[TOOL_TASK], (uint64_t)v[TOOL_THREAD], &row) ||
	    !tool_head_cpu(&s->in.head, (uint64_t)v[TOOL_CPU])) {
		if (!s->report->odd_lines++)
			s->report->first_odd = s->in.lines;
		return 0;
	}
	uint32_t *part = &s->part[s->in.head.app[v[TOOL_APP] - 1].first_task + (uint64_t)v[TOOL_TASK] - 1];
	int rc = part_line(s, *part, line);
	if (rc || line.at[0] != '2' || !has_type(s, at, end))
		return rc;
	if (++*part == s->parts.n)
		rc = part_add(s);
	return rc ? rc : part_line(s, *part, line);
}

static int split_lines(struct split *s)
{
	struct weft_str line;
	int rc = part_add(s), got;
	while (!rc && (got = tool_input_line(&s->in, &line, s->err)) != 0) {
		if (got < 0)
			return got;
		if (line.n > 1 && line.at[1] == ':' && line.at[0] >= '1' && line.at[0] <= '3')
			rc = split_record(s, line);
	}
	if (!rc)
		rc = tool_input_damage(&s->in, s->err);
	return rc ? rc : flush_all(s);
}

static int parts_appear(struct split *s)
{
	for (size_t i = 0; i < s->parts.n; i++) {
		struct part *p = &s->parts.at[i];
		int rc = weft_replace_resume(&p->file, p->name);
		if (!rc)
			rc = weft_replace_commit(&p->file, WEFT_REPLACE_PLAIN);
		if (rc)
			return weft_err_sys(s->err, -rc, "cannot write '%s'", p->name);
		rc = tool_copy_beside(s->in.path, p->name, true, s->err);
		if (rc)
			return rc;
	}
	return 0;
}

static void part_drop(struct part *p)
{
	if (!p->file.fd && p->file.temp[0] && weft_replace_resume(&p->file, p->name))
		weft_replace_pause(&p->file); /* then it cannot be removed either */
	weft_replace_abandon(&p->file);
	free(p->name);
	free(p->text.at);
}

int weft_tool_split(const char *in, const char *out, uint32_t type, struct weft_tool_report *report, struct weft_err *err)
{
	struct weft_tool_report unasked = {0};
	struct split s = {.out = out, .type = type, .report = report ? report : &unasked, .err = err};
	int rc = tool_input_open(&s.in, in, err);
	if (rc)
		return rc;
	s.part = calloc(s.in.head.n_tasks + 1, sizeof *s.part);
	tool_head_write(&s.in, s.in.head.end, true, &s.head);
	rc = s.part && !s.head.failed ? split_lines(&s) : no_memory(&s);
	if (!rc)
		rc = parts_appear(&s);
	s.report->parts = s.parts.n;
	for (size_t i = 0; i < s.parts.n; i++)
		part_drop(&s.parts.at[i]);
	free(s.parts.at);
	free(s.part);
	free(s.head.at);
	tool_input_close(&s.in);
	return rc;
}
