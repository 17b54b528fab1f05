/* SPDX-License-Identifier: Apache-2.0 */
/* Building a linear program, and writing it as text. */
#include "lp.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool has_room(struct lp *l, void **array, unsigned n, unsigned *cap, size_t size)
{
	if (n < *cap)
		return true;
	unsigned more = *cap ? 2 * *cap : 64;
	void *grown = l->failed ? NULL : realloc(*array, more * size);
	if (!grown) {
		l->failed = true;
		return false;
	}
	*array = grown;
	*cap = more;
	return true;
}

unsigned lp_col(struct lp *l, struct lp_col col)
{
	void *array = l->col;
	bool room = has_room(l, &array, l->n_cols, &l->cap_cols, sizeof *l->col);
	l->col = array;
	if (!room)
		return 0;
	l->col[l->n_cols] = col;
	return l->n_cols++;
}

void lp_row(struct lp *l, struct lp_row row)
{
	void *array = l->row;
	bool room = has_room(l, &array, l->n_rows, &l->cap_rows, sizeof *l->row);
	l->row = array;
	if (!room)
		return;
	row.first = l->n_entries;
	l->row[l->n_rows++] = row;
}

void lp_add(struct lp *l, unsigned col, double value)
{
	/* Solvers want a column once in a row. */
	for (unsigned e = l->n_rows ? l->row[l->n_rows - 1].first : 0; e < l->n_entries; e++)
		if (l->entry[e].col == col) {
			l->entry[e].value += value;
			return;
		}
	void *array = l->entry;
	bool room = has_room(l, &array, l->n_entries, &l->cap_entries, sizeof *l->entry);
	l->entry = array;
	if (room)
		l->entry[l->n_entries++] = (struct lp_entry){col, value};
}

void lp_free(struct lp *l)
{
	free(l->col);
	free(l->row);
	free(l->entry);
	*l = (struct lp){0};
}

static unsigned end_of(const struct lp *l, unsigned row)
{
	return row + 1 < l->n_rows ? l->row[row + 1].first : l->n_entries;
}

void lp_write(const struct lp *l, FILE *to)
{
	static const char *const senses[] = {">=", "<=", "="};
	fprintf(to, "min:");
	for (unsigned c = 0; c < l->n_cols; c++)
		if (l->col[c].cost != 0)
			fprintf(to, " %+.12g %s", l->col[c].cost, l->col[c].name);
	fprintf(to, ";\n\n");
	for (unsigned r = 0; r < l->n_rows; r++) {
		fprintf(to, "%s:", l->row[r].name);
		for (unsigned e = l->row[r].first; e < end_of(l, r); e++)
			fprintf(to, " %+.12g %s", l->entry[e].value, l->col[l->entry[e].col].name);
		fprintf(to, " %s %.12g;\n", senses[l->row[r].sense], l->row[r].right);
	}
	fprintf(to, "\n");
	for (unsigned c = 0; c < l->n_cols; c++)
		if (isfinite(l->col[c].most))
			fprintf(to, "%s <= %.12g;\n", l->col[c].name, l->col[c].most);
	const char *between = "\nint ";
	for (unsigned c = 0; c < l->n_cols; c++)
		if (l->col[c].whole) {
			fprintf(to, "%s%s", between, l->col[c].name);
			between = ",\n    ";
		}
	if (*between == ',')
		fprintf(to, ";\n");
}

/* The entries of each column: MPS goes by columns. */
struct by_column {
	unsigned *first, *row;
	double *value;
};

static bool turn(const struct lp *l, struct by_column *t)
{
	t->first = calloc(l->n_cols + 2, sizeof *t->first);
	t->row = malloc((l->n_entries + 1) * sizeof *t->row);
	t->value = malloc((l->n_entries + 1) * sizeof *t->value);
	if (!t->first || !t->row || !t->value)
		return false;
	for (unsigned e = 0; e < l->n_entries; e++)
		t->first[l->entry[e].col + 2]++;
	for (unsigned c = 0; c < l->n_cols; c++)
		t->first[c + 2] += t->first[c + 1];
	for (unsigned r = 0; r < l->n_rows; r++)
		for (unsigned e = l->row[r].first; e < end_of(l, r); e++) {
			unsigned at = t->first[l->entry[e].col + 1]++;
			t->row[at] = r;
			t->value[at] = l->entry[e].value;
		}
	return true;
}

static void write_columns(const struct lp *l, const struct by_column *t, bool whole, FILE *to)
{
	for (unsigned c = 0; c < l->n_cols; c++) {
		if (l->col[c].whole != whole)
			continue;
		if (l->col[c].cost != 0)
			fprintf(to, "    %-8s  %-8s  %12.9g\n", l->col[c].name, "COST", l->col[c].cost);
		for (unsigned i = t->first[c]; i < t->first[c + 1]; i++)
			fprintf(to, "    %-8s  %-8s  %12.9g\n", l->col[c].name, l->row[t->row[i]].name, t->value[i]);
	}
}

void lp_write_mps(const struct lp *l, FILE *to)
{
	static const char senses[] = {'G', 'L', 'E'};
	struct by_column t = {0};
	bool done = turn(l, &t);
	fprintf(to, "NAME          BOUND\nROWS\n N  COST\n");
	for (unsigned r = 0; r < l->n_rows; r++)
		fprintf(to, " %c  %s\n", senses[l->row[r].sense], l->row[r].name);
	fprintf(to, "COLUMNS\n");
	if (done) {
		write_columns(l, &t, false, to);
		fprintf(to, "    MARKER    'MARKER'                 'INTORG'\n");
		write_columns(l, &t, true, to);
		fprintf(to, "    MARKER    'MARKER'                 'INTEND'\n");
	}
	fprintf(to, "RHS\n");
	for (unsigned r = 0; r < l->n_rows; r++)
		if (l->row[r].right != 0)
			fprintf(to, "    RHS       %-8s  %12.9g\n", l->row[r].name, l->row[r].right);
	fprintf(to, "BOUNDS\n");
	for (unsigned c = 0; c < l->n_cols; c++)
		if (isfinite(l->col[c].most))
			fprintf(to, " UP BND       %-8s  %12.9g\n", l->col[c].name, l->col[c].most);
	fprintf(to, "ENDATA\n");
	free(t.first);
	free(t.row);
	free(t.value);
}
