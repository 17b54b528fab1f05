/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft files states`, starpu_paje_state_stats: how often and how long each state was there, in one trace or in several beside each other, as
 * of a real run and a simulated one. Reads paje.trace and trace.rec.
 */
#include "files_cli.h"
#include "files_traces.h"
#include "base/log.h"
#include "taskfiles/paje_states.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- traces ---- */

static int read_one(struct state_sums *s, const char *path)
{
	struct weft_err err = {0};
	struct text_lines *t;
	int status = files_open(&t, path);
	if (status)
		return status;
	int rc = files_is_rec(path) ? state_sums_read_rec(s, t, &err) : state_sums_read_paje(s, t, &err);
	text_lines_close(t);
	return rc ? cli_fail(&err) : CLI_OK;
}

int files_traces_read(struct files_traces *t, const struct files_args *a, char **path, int n, bool keep_lengths)
{
	double from, to;
	int status = files_range(a, &from, &to);
	*t = (struct files_traces){.path = path};
	if (status)
		return status;
	t->at = calloc((size_t)n, sizeof *t->at);
	if (!t->at)
		return cli_fail_code(-ENOMEM);
	for (t->n = 0; t->n < (unsigned)n && !status; t->n++) {
		t->at[t->n] = (struct state_sums){.from = from, .to = to, .only = a->names, .keep_lengths = keep_lengths};
		status = read_one(&t->at[t->n], path[t->n]);
	}
	int rc = 0;
	for (unsigned i = 0; i < t->n; i++)
		for (size_t k = 0; k < t->at[i].at.n && !rc; k++) {
			const struct state_sum *s = &t->at[i].at.at[k];
			if (keep_lengths && s->n > s->length.n)
				weft_log(WEFT_LOG_WARN, "'%s': of '%s' only the first %d are in the histogram", path[i], s->name,
				         LENGTHS_MOST);
			if (s->n)
				rc = weft_intern_add(&t->names, weft_str(s->name), &(uint32_t){0});
		}
	return status ? status : rc ? cli_fail_code(rc) : CLI_OK;
}

void files_traces_fini(struct files_traces *t)
{
	for (unsigned i = 0; i < t->n; i++)
		state_sums_fini(&t->at[i]);
	free(t->at);
	weft_intern_fini(&t->names);
	*t = (struct files_traces){.n = 0};
}

struct state_sum files_traces_sum(const struct files_traces *t, unsigned trace, const char *name)
{
	const struct state_sum *s = state_sums_find(&t->at[trace], name);
	return s ? *s : (struct state_sum){.name = name, .category = ""};
}

struct by_length {
	const char *name;
	int64_t total;
};

static int shorter(const void *a, const void *b)
{
	const struct by_length *x = a, *y = b;
	return x->total != y->total ? (x->total > y->total) - (x->total < y->total) : strcmp(x->name, y->name);
}

const char **files_traces_order(const struct files_traces *t)
{
	struct by_length *all = calloc(t->names.n + 1, sizeof *all);
	const char **name = calloc(t->names.n + 1, sizeof *name);
	if (!all || !name) {
		free(all);
		free(name);
		return NULL;
	}
	for (size_t i = 0; i < t->names.n; i++)
		all[i] = (struct by_length){t->names.name[i], files_traces_sum(t, 0, t->names.name[i]).total};
	qsort(all, t->names.n, sizeof *all, shorter);
	for (size_t i = 0; i < t->names.n; i++)
		name[i] = all[i].name;
	free(all);
	return name;
}

/* ---- the table of `weft files states` ---- */

enum { EACH = 3, TRACES_MOST = 16 };

struct columns_of {
	struct weft_column at[2 + EACH * TRACES_MOST];
	char title[EACH * TRACES_MOST][80], key[EACH * TRACES_MOST][80];
	unsigned n;
};

/* With more than one trace each has its columns; two are compared. */
static void make_columns(struct columns_of *c, const struct files_traces *t)
{
	static const struct weft_column one[] = {{"n", "n", WEFT_CELL_U64},
	                                         {"total_ms", "total ms", WEFT_CELL_DOUBLE},
	                                         {"mean_ms", "mean ms", WEFT_CELL_DOUBLE}};
	char stem[64];
	c->at[0] = (struct weft_column){"state", "state", WEFT_CELL_TEXT};
	for (unsigned i = 0; i < t->n * EACH; i++) {
		files_stem(t->path[i / EACH], stem, sizeof stem);
		snprintf(c->title[i], sizeof c->title[i], "%s %.10s", stem, one[i % EACH].title);
		snprintf(c->key[i], sizeof c->key[i], "%.10s_%u", one[i % EACH].key, i / EACH + 1);
		c->at[1 + i] = t->n > 1 ? (struct weft_column){c->key[i], c->title[i], one[i % EACH].kind} : one[i % EACH];
	}
	c->n = 1 + EACH * t->n;
	if (t->n == 2)
		c->at[c->n++] = (struct weft_column){"ratio", "second/first", WEFT_CELL_DOUBLE};
}

static int add_state(struct weft_table *table, const struct files_traces *t, const char *name)
{
	struct weft_cell cell[2 + EACH * TRACES_MOST] = {{WEFT_CELL_TEXT, {.text = name}}};
	double total[TRACES_MOST];
	for (unsigned i = 0; i < t->n; i++) {
		struct state_sum s = files_traces_sum(t, i, name);
		total[i] = (double)s.total / STATE_UNIT;
		cell[1 + EACH * i] = (struct weft_cell){WEFT_CELL_U64, {.u64 = s.n}};
		cell[2 + EACH * i] = (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = total[i]}};
		cell[3 + EACH * i] = (struct weft_cell){WEFT_CELL_DOUBLE, {.f64 = s.n ? total[i] / (double)s.n : NAN}};
	}
	cell[1 + EACH * t->n] = (struct weft_cell){WEFT_CELL_DOUBLE,
	                                           {.f64 = total[0] > 0 && t->n == 2 ? total[1] / total[0] : NAN}};
	return weft_table_row(table, cell);
}

static int print_table(const struct files_args *a, const struct files_traces *t, const char **name)
{
	struct columns_of columns;
	struct weft_table table;
	int rc = 0;
	make_columns(&columns, t);
	weft_table_init(&table, columns.at, columns.n);
	for (size_t k = t->names.n; k-- > 0 && !rc;)
		rc = add_state(&table, t, name[k]);
	if (!rc)
		return cli_table(&table, &a->common);
	weft_table_fini(&table);
	return cli_fail_code(rc);
}

int files_states(const struct files_args *a, char **operand, int n)
{
	struct files_traces t;
	if (n > TRACES_MOST)
		return cli_usage(&weft_command_files, "'states' takes at most %d traces", TRACES_MOST);
	int status = files_traces_read(&t, a, operand, n, false);
	const char **name = status ? NULL : files_traces_order(&t);
	if (!status)
		status = name ? print_table(a, &t, name) : cli_fail_code(-ENOMEM);
	free(name);
	files_traces_fini(&t);
	return status;
}

/* ---- as StarPU prints it ---- */

static void print_row(FILE *to, const struct files_traces *t, const char *name, bool csv)
{
	char text[32];
	int width = csv ? 0 : (int)strlen(name) < 30 ? 30 - (int)strlen(name) : 1;
	fprintf(to, "\"%s\"%*s", name, width, "");
	for (unsigned i = 0; i < t->n; i++) {
		struct state_sum s = files_traces_sum(t, i, name);
		if (csv)
			fprintf(to, ",%llu,%s", (unsigned long long)s.n, paje_time_text(text, s.total));
		else
			fprintf(to, " %-19llu %-20s", (unsigned long long)s.n, paje_time_text(text, s.total));
	}
	putc('\n', to);
}

static void print_starpu(FILE *to, const struct files_traces *t, const char **name, bool csv)
{
	char stem[64], word[90];
	fprintf(to, csv ? "\"Value\"" : "%-32s", "\"Value\"");
	for (unsigned i = 0; i < t->n; i++)
		for (int k = 0; k < 2; k++) {
			snprintf(word, sizeof word, "\"%s_%s.csv\"", k ? "Duration" : "Events",
			         files_stem(t->path[i], stem, sizeof stem));
			fprintf(to, csv ? ",%s" : " %-19s", word);
		}
	putc('\n', to);
	for (size_t i = 0; i < t->names.n; i++)
		print_row(to, t, name[i], csv);
}

int files_states_starpu(const struct files_args *a, char **operand, int n)
{
	struct files_traces t;
	struct weft_out out;
	int status = files_traces_read(&t, a, operand, n, false);
	const char **name = status ? NULL : files_traces_order(&t);
	if (!status && !name)
		status = cli_fail_code(-ENOMEM);
	if (!status && a->print)
		print_starpu(stdout, &t, name, false);
	else if (!status) {
		status = files_begin(a, "statistics.csv", &out);
		if (!status) {
			print_starpu(out.to, &t, name, true);
			status = files_end(&out, CLI_OK);
		}
	}
	free(name);
	files_traces_fini(&t);
	return status;
}
