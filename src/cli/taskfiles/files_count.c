/* SPDX-License-Identifier: Apache-2.0 */
/* `weft files count`, starpu_fxt_stats: how many lines of each kind a Paje trace has, by event and type, or records trace.rec has by event and name. */
#include "files_cli.h"
#include "taskfiles/rec_file.h"
#include "trace/paje/paje_line.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct counts {
	struct weft_intern word; /* "event\ttype" */
	WEFT_VEC(uint64_t) n;
};

static int count(struct counts *c, const char *event, struct weft_str type)
{
	struct weft_buf key = {0};
	uint32_t id;
	weft_buf_puts(&key, event);
	weft_buf_putc(&key, '\t');
	weft_buf_add(&key, type.n ? type.at : "", type.n);
	int rc = key.failed ? -ENOMEM : weft_intern_add(&c->word, weft_str_n(key.at, key.n), &id);
	weft_buf_fini(&key);
	if (!rc && id == c->n.n)
		rc = weft_vec_push(&c->n, 0);
	if (!rc)
		c->n.at[id]++;
	return rc;
}

static int count_line(struct counts *c, struct paje_defs *d, struct paje_line *l, struct weft_str text, const char **why)
{
	if (!text.n || *text.at == '#')
		return 0;
	if (*text.at == '%')
		return paje_defs_line(d, text, why);
	int rc = paje_split(d, text, l, why);
	return rc ? rc : count(c, paje_event_name(l->def->event), l->slot[PAJE_TYPE]);
}

static int count_paje(struct counts *c, struct text_lines *from, struct weft_err *err)
{
	struct paje_defs d = {.open = false};
	struct paje_line *l = calloc(1, sizeof *l);
	struct weft_str text;
	const char *why = "";
	int rc = l ? 0 : -ENOMEM, more = 0;
	while (!rc && (more = text_lines_next(from, &text, err)) > 0)
		rc = count_line(c, &d, l, weft_str_trim(text), &why);
	if (rc > 0)
		rc = text_lines_wrong(from, err, "%s", why);
	if (!rc && !more && !d.at.n)
		rc = weft_err_set(err, WEFT_E_SYNTAX, "%s: no Paje trace: it has no %%EventDef", text_lines_name(from));
	paje_defs_fini(&d);
	free(l);
	return rc ? rc : more;
}

static int count_rec(struct counts *c, struct text_lines *from, struct weft_err *err)
{
	struct record r = {.line = 0};
	struct weft_str event;
	int rc;
	while ((rc = record_next(&r, from, err)) > 0) {
		char name[64];
		rc = record_text(&r, from, "E", &event, err);
		snprintf(name, sizeof name, "%.*s", (int)(event.n < 60 ? event.n : 60), rc ? "" : event.at);
		rc = rc ? rc : count(c, name, record_get(&r, "N"));
		if (rc)
			break;
	}
	record_fini(&r);
	return rc;
}

static int print(const struct files_args *a, const struct counts *c)
{
	static const struct weft_column columns[] = {{"event", "event", WEFT_CELL_TEXT},
	                                             {"type", "type", WEFT_CELL_TEXT},
	                                             {"n", "n", WEFT_CELL_U64}};
	struct weft_table t;
	int rc = 0;
	weft_table_init(&t, columns, 3);
	for (size_t i = 0; i < c->n.n && !rc; i++) {
		struct weft_str rest = weft_str(c->word.name[i]), event;
		char name[64];
		weft_str_cut(&rest, '\t', &event);
		snprintf(name, sizeof name, "%.*s", (int)event.n, event.at);
		rc = weft_table_row(&t, (struct weft_cell[]){{WEFT_CELL_TEXT, {.text = name}},
		                                             {WEFT_CELL_TEXT, {.text = rest.at}},
		                                             {WEFT_CELL_U64, {.u64 = c->n.at[i]}}});
	}
	if (!rc)
		return cli_table(&t, &a->common);
	weft_table_fini(&t);
	return cli_fail_code(rc);
}

int files_count(const struct files_args *a, char **operand, int n)
{
	struct counts c = {.word = {.n = 0}};
	struct text_lines *from;
	struct weft_err err = {0};
	(void)n;
	int status = files_open(&from, operand[0]);
	if (status)
		return status;
	int rc = files_is_rec(operand[0]) ? count_rec(&c, from, &err) : count_paje(&c, from, &err);
	text_lines_close(from);
	status = !rc ? print(a, &c) : err.code ? cli_fail(&err) : cli_fail_code(rc);
	weft_intern_fini(&c.word);
	free(c.n.at);
	return status;
}
