/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stands before the body of a .prv, and beside it: the header's objects with their names from the .row, definitions from
 * the .pcf, communicators. Texts of those files that our tables have no place for become notes.
 */
#include "base/fs.h"
#include "prv_load.h"
#include "prv_names.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int prv_load_fail(const struct prv_load *l, int rc)
{
	return weft_err_set(l->err, rc, "cannot read '%s': %s", l->path, weft_err_name(rc));
}

int prv_load_problem(struct prv_load *l, const char *file, uint64_t line, uint64_t offset, uint64_t bytes, const char *text)
{
	struct weft_problem p = {.file = file, .line = line, .offset = offset, .lost_bytes = bytes, .text = text};
	return weft_build_problem(l->b, &p);
}

int prv_load_note(struct prv_load *l, const char *key, struct weft_str text)
{
	char *z = malloc(text.n + 1);
	if (!z)
		return -ENOMEM;
	memcpy(z, text.at, text.n);
	z[text.n] = 0;
	int rc = weft_build_note(l->b, key, z);
	free(z);
	return rc;
}

/* -- header -- */

static int next_line(struct prv_load *l, struct weft_str *line)
{
	int rc = text_input_line(l->in, line, l->err);
	l->n_lines += rc > 0;
	return rc;
}

static int note_header(struct prv_load *l)
{
	const struct prv_header *h = &l->header;
	uint64_t realtime;
	if (prv_date_parse(weft_str(h->date), &realtime))
		weft_build_realtime(l->b, realtime);
	int rc = weft_build_note(l->b, PRV_NOTE_DATE, h->date);
	if (!rc)
		rc = weft_build_note(l->b, PRV_NOTE_UNIT, prv_unit_suffix[h->unit]);
	if (!rc && !h->has_resources)
		rc = weft_build_note(l->b, PRV_NOTE_RESOURCES, "no");
	if (!rc && h->rest)
		rc = prv_load_problem(l, l->path, l->n_lines, 0, strlen(h->rest),
		                      "the header goes on behind its last field; ignored");
	return rc;
}

int prv_load_header(struct prv_load *l)
{
	struct weft_str line;
	int rc = next_line(l, &line);
	line = rc > 0 ? weft_str_behind_mark(line) : line;
	if (rc > 0 && weft_str_eq(weft_str_trim(line), "new format"))
		rc = next_line(l, &line);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return weft_err_set(l->err, WEFT_E_SYNTAX, "%s: expected a line '#Paraver (…', found an empty file", l->path);
	rc = prv_header_parse(&l->header, line, l->err);
	if (rc)
		return weft_err_prefix(l->err, "%s:%llu", l->path, (unsigned long long)l->n_lines);
	rc = note_header(l);
	if (!rc)
		rc = prv_model_init(&l->model, &l->header);
	return rc ? prv_load_fail(l, rc) : 0;
}

/* -- .pcf and .row -- */

/* Reads the file beside the .prv, if there is one. 1, 0 or negative. */
static int read_beside(struct prv_load *l, const char *suffix, char **path, char **text, size_t *n)
{
	struct stat st;
	*text = NULL;
	*path = prv_beside(l->path, suffix);
	if (!*path)
		return prv_load_fail(l, -ENOMEM);
	if (stat(*path, &st))
		return 0;
	struct weft_err why = {0};
	int rc = weft_read_file(*path, text, n, &why);
	if (rc == -ENOMEM)
		return prv_load_fail(l, rc);
	if (rc == 0)
		return 1;
	rc = prv_load_problem(l, *path, 0, 0, 0, why.text);
	return rc ? prv_load_fail(l, rc) : 0;
}

static int load_pcf(struct prv_load *l)
{
	char *path, *text;
	size_t n;
	int rc = read_beside(l, ".pcf", &path, &text, &n);
	if (rc > 0) {
		rc = pcf_parse(&l->pcf, text, n);
		for (size_t i = 0; !rc && i < l->pcf.problem.n; i++) {
			const struct pcf_problem *p = &l->pcf.problem.at[i];
			rc = prv_load_problem(l, path, p->line, p->offset, p->bytes, p->text);
		}
		if (rc)
			prv_load_fail(l, rc);
	}
	free(path);
	free(text);
	return rc;
}

static int load_row(struct prv_load *l)
{
	char *path, *text;
	size_t n;
	int rc = read_beside(l, ".row", &path, &text, &n);
	if (rc > 0) {
		rc = row_parse(&l->row, text, n);
		for (size_t i = 0; !rc && i < l->row.problem.n; i++) {
			const struct row_problem *p = &l->row.problem.at[i];
			rc = prv_load_problem(l, path, p->line, p->offset, 0, p->text);
		}
		const struct prv_header *h = &l->header;
		const uint32_t objects[ROW_LEVELS] = {1, h->n_apps, h->n_tasks, h->n_threads, 1, h->n_nodes, h->n_cpus};
		for (int i = 0; !rc && i < ROW_LEVELS; i++) {
			char z[120];
			if (!l->row.level[i].there || l->row.level[i].size == objects[i])
				continue;
			snprintf(z, sizeof z, "%llu names of level %s, but the trace has %u",
			         (unsigned long long)l->row.level[i].size, row_level_name[i], objects[i]);
			rc = prv_load_problem(l, path, 0, 0, 0, z);
		}
		if (rc)
			prv_load_fail(l, rc);
	}
	free(path);
	free(text);
	return rc;
}

int prv_load_names(struct prv_load *l)
{
	int rc = load_pcf(l);
	return rc ? rc : load_row(l);
}

/* -- objects -- */

static const char *row_name(const struct prv_load *l, enum row_level level, uint32_t i)
{
	const struct row_names *names = &l->row.level[level];
	return i < names->name.n ? names->name.at[i] : "";
}

static int note_rows(struct prv_load *l)
{
	static const bool outside[ROW_LEVELS] = {[ROW_WORKLOAD] = true, [ROW_SYSTEM] = true};
	int rc = 0;
	for (int i = 0; i < ROW_LEVELS && !rc; i++) {
		char key[PRV_NAME];
		if (!l->row.level[i].there)
			continue;
		rc = weft_build_note(l->b, PRV_NOTE_ROW, row_level_name[i]);
		snprintf(key, sizeof key, PRV_NOTE_ROW_NAME "%s", row_level_name[i]);
		for (size_t k = 0; outside[i] && k < l->row.level[i].name.n && !rc; k++)
			rc = weft_build_note(l->b, key, l->row.level[i].name.at[k]);
	}
	return rc;
}

static int make_nodes(struct prv_load *l)
{
	uint32_t cpu = 0;
	for (uint32_t i = 0; i < l->header.n_nodes; i++) {
		char z[PRV_NAME];
		const char *name = row_name(l, ROW_NODE, i);
		snprintf(z, sizeof z, "node %u", i + 1);
		int64_t node = weft_build_node(l->b, *name ? name : z);
		if (node < 0)
			return (int)node;
		for (uint32_t k = 0; k < l->header.node_cpus[i]; k++, cpu++) {
			struct weft_cpu row = {.node = i, .os = k, .core = k, .name = row_name(l, ROW_CPU, cpu)};
			int64_t made = weft_build_cpu(l->b, &row);
			if (made < 0)
				return (int)made;
		}
	}
	return 0;
}

static int make_threads(struct prv_load *l, uint32_t process, const struct prv_task *task)
{
	for (uint32_t i = 0; i < task->n_threads; i++) {
		struct weft_thread_row row = {.process = process,
		                              .number = i + 1,
		                              .name = row_name(l, ROW_THREAD, task->first_thread + i),
		                              .end = WEFT_NEVER};
		int64_t made = weft_build_thread(l->b, &row);
		if (made < 0)
			return (int)made;
	}
	return 0;
}

static int make_processes(struct prv_load *l, uint32_t app)
{
	const struct prv_app *a = &l->header.app[app];
	bool ranks = a->n_tasks > 1 || l->header.n_comms;
	for (uint32_t i = 0; i < a->n_tasks; i++) {
		uint32_t number = a->first_task + i;
		const struct prv_task *task = &l->header.task[number];
		char host[PRV_NAME];
		snprintf(host, sizeof host, "node %u", task->node);
		const char *node = task->node ? row_name(l, ROW_NODE, task->node - 1) : "";
		struct weft_process row = {
			.app = app,
			.node = task->node ? task->node - 1 : WEFT_NONE,
			.rank = ranks ? (int32_t)i : -1,
			.name = row_name(l, ROW_TASK, number),
			.command = "",
			.host = *node        ? node
		                : task->node ? host
		                             : "",
			.end = WEFT_NEVER,
			.status = -1,
		};
		int64_t process = weft_build_process(l->b, &row);
		int rc = process < 0 ? (int)process : make_threads(l, (uint32_t)process, task);
		if (rc)
			return rc;
	}
	return 0;
}

int prv_load_objects(struct prv_load *l)
{
	int rc = note_rows(l);
	if (!rc)
		rc = make_nodes(l);
	for (uint32_t i = 0; i < l->header.n_apps && !rc; i++) {
		int64_t app = weft_build_app(l->b, row_name(l, ROW_APPL, i));
		rc = app < 0 ? (int)app : make_processes(l, i);
	}
	return rc ? prv_load_fail(l, rc) : 0;
}

/* -- definitions -- */

static int make_def(struct prv_load *l, enum weft_class class, uint32_t number, const char *name, uint32_t precision,
                    uint32_t *id)
{
	char unnamed[PRV_NAME], unit[PRV_NAME];
	if (!*name)
		name = class == WEFT_CLASS_TYPE ? prv_unnamed_type(number, unnamed) : prv_unnamed_state(number, unnamed);
	struct weft_def_row row = {.name = name, .code = number};
	if (precision)
		row.unit = prv_precision_unit(precision, unit);
	int64_t made = weft_build_def(l->b, class, &row);
	if (made < 0)
		return (int)made;
	if (made >= PRV_NEW_ID)
		return -E2BIG;
	*id = (uint32_t)made;
	return prv_ids_put(class == WEFT_CLASS_TYPE ? &l->model.type : &l->model.state, number, *id);
}

int prv_load_number(struct prv_load *l, const struct prv_number *n, uint32_t *id)
{
	bool state = n->kind == WEFT_EV_STATE;
	*id = prv_ids_get(state ? &l->model.state : &l->model.type, n->number);
	return *id ? 0 : make_def(l, state ? WEFT_CLASS_STATE : WEFT_CLASS_TYPE, n->number, "", 0, id);
}

/* Where a number comes twice, its last label holds. */
static int make_states(struct prv_load *l)
{
	struct prv_ids last = {0};
	int rc = 0;
	for (size_t i = 0; i < l->pcf.state.n && !rc; i++)
		rc = prv_ids_put(&last, (uint32_t)l->pcf.state.at[i].value, (uint32_t)i + 1);
	for (size_t i = 0; i < l->pcf.state.n && !rc; i++) {
		uint32_t id, number = (uint32_t)l->pcf.state.at[i].value;
		if (!prv_ids_get(&l->model.state, number))
			rc = make_def(l, WEFT_CLASS_STATE, number, l->pcf.state.at[prv_ids_get(&last, number) - 1].text, 0, &id);
	}
	free(last.slot);
	return rc;
}

static int make_types(struct prv_load *l)
{
	struct prv_ids last = {0};
	int rc = 0;
	for (size_t i = 0; i < l->pcf.type.n && !rc; i++)
		rc = prv_ids_put(&last, l->pcf.type.at[i].number, (uint32_t)i + 1);
	for (size_t i = 0; i < l->pcf.type.n && !rc; i++) {
		const struct pcf_type *type = &l->pcf.type.at[i];
		const struct pcf_type *final = &l->pcf.type.at[prv_ids_get(&last, type->number) - 1];
		uint32_t id = prv_ids_get(&l->model.type, type->number);
		if (!id)
			rc = make_def(l, WEFT_CLASS_TYPE, type->number, final->label, l->pcf.group.at[final->group].precision,
			              &id);
		if (!rc && type == final && type->gradient) {
			char z[PRV_NAME];
			snprintf(z, sizeof z, "%u %u", type->number, type->gradient);
			rc = weft_build_note(l->b, PRV_NOTE_GRADIENT, z);
		}
	}
	free(last.slot);
	return rc ? rc : prv_load_labels(l, &l->model.type);
}

static int note_options(struct prv_load *l)
{
	int rc = 0;
	for (size_t i = 0; i < l->pcf.option.n && !rc; i++) {
		const struct pcf_option *o = &l->pcf.option.at[i];
		struct weft_buf z = {0};
		weft_buf_printf(&z, "%s %s", o->key, o->value);
		rc = z.failed ? -ENOMEM : weft_build_note(l->b, o->semantic ? PRV_NOTE_SEMANTIC : PRV_NOTE_OPTION, z.at);
		weft_buf_fini(&z);
	}
	for (size_t i = 0; i < l->pcf.color.n && !rc; i++) {
		const struct pcf_color *c = &l->pcf.color.at[i];
		char z[PRV_NAME];
		snprintf(z, sizeof z, "%u {%u,%u,%u}", c->index, c->red, c->green, c->blue);
		rc = weft_build_note(l->b, PRV_NOTE_COLOR, z);
	}
	return rc;
}

int prv_load_defs(struct prv_load *l)
{
	int rc = note_options(l);
	if (!rc)
		rc = make_states(l);
	if (!rc)
		rc = make_types(l);
	return rc ? prv_load_fail(l, rc) : 0;
}

/* -- communicators -- */

/* "c:1:3:2:1:4": application, number, how many tasks, the tasks. 0, negative, or 1: something else. */
static int make_communicator(struct prv_load *l, struct weft_str line)
{
	struct weft_str rest = line, part;
	uint64_t head[3], task;
	if (!weft_str_cut(&rest, ':', &part) || !weft_str_eq(part, "c"))
		return 1;
	for (int i = 0; i < 3; i++)
		if (!weft_str_cut(&rest, ':', &part) || weft_parse_u64(part, &head[i]) || head[i] > UINT32_MAX)
			return 1;
	if (head[0] < 1 || head[0] > l->header.n_apps || head[2] > line.n)
		return 1;
	uint64_t *member = calloc(head[2] + 1, sizeof *member);
	if (!member)
		return -ENOMEM;
	int64_t made = 0;
	int rc = 0;
	for (uint64_t i = 0; i < head[2] && !rc; i++) {
		bool good = weft_str_cut(&rest, ':', &part) && !weft_parse_u64(part, &task) && task >= 1;
		member[i] = good ? task - 1 : 0;
		rc = !good;
	}
	if (!rc && rest.at)
		rc = 1; /* there is more than it says */
	if (!rc) {
		char name[PRV_NAME];
		snprintf(name, sizeof name, PRV_COMM_NAME "%u.%u", (unsigned)head[0], (unsigned)head[1]);
		struct weft_def_row row = {.name = name,
		                           .code = (int64_t)head[2],
		                           .key = head[0] << 32 | head[1],
		                           .member = member,
		                           .n_members = (uint32_t)head[2]};
		made = weft_build_def(l->b, WEFT_CLASS_COMM, &row);
	}
	free(member);
	return made < 0 ? (int)made : rc;
}

int prv_load_communicators(struct prv_load *l)
{
	for (uint32_t n = 0; n < l->header.n_comms;) {
		struct weft_str raw;
		int rc = next_line(l, &raw);
		if (rc <= 0)
			return rc;
		struct weft_str line = weft_str_trim(raw);
		char kind = line.n ? *line.at : ' ';
		if (kind == '#') {
			rc = prv_load_note(l, PRV_NOTE_COMMENT, line);
		} else if (memchr("cCiI", kind, 4)) {
			n++;
			rc = make_communicator(l, line);
			if (rc > 0)
				rc = prv_load_note(l, PRV_NOTE_COMMUNICATOR, line);
		} else {
			text_input_unread(l->in);
			l->n_lines--;
			rc = prv_load_problem(l, l->path, l->n_lines + 1, text_input_offset(l->in), 0,
			                      "expected the line of a communicator");
			return rc ? prv_load_fail(l, rc) : 0;
		}
		if (rc)
			return prv_load_fail(l, rc);
	}
	return 0;
}
