/* SPDX-License-Identifier: Apache-2.0 */
/* A linear program, min c x with x ≥ 0: built row by row, written for solvers, solved (the integers' restriction left out) by a dense simplex. */
#ifndef WEFT_LP_H
#define WEFT_LP_H

#include <stdbool.h>
#include <stdio.h>

enum lp_sense { LP_LEAST, LP_MOST, LP_EXACT }; /* row ≥, ≤, = right side */

struct lp_col {
	char name[24];
	double cost, most; /* most: INFINITY, or an upper limit */
	bool whole;
};
struct lp_row {
	char name[24];
	enum lp_sense sense;
	double right;
	unsigned first; /* of its entries */
};
struct lp_entry {
	unsigned col;
	double value;
};
struct lp {
	struct lp_col *col;
	struct lp_row *row;
	struct lp_entry *entry;
	unsigned n_cols, n_rows, n_entries, cap_cols, cap_rows, cap_entries;
	bool failed; /* no memory: what comes then is left out */
};

unsigned lp_col(struct lp *l, struct lp_col col);
void lp_row(struct lp *l, struct lp_row row); /* what is added from now on is its */
void lp_add(struct lp *l, unsigned col, double value);
void lp_free(struct lp *l);

void lp_write(const struct lp *l, FILE *to);     /* lp_solve's own format */
void lp_write_mps(const struct lp *l, FILE *to); /* fields in columns */

/* Without regard to whole and most. x has n_cols; may be NULL. 0; -ENOMEM; -EDOM: there is no solution; -ERANGE: none was found in time. */
int lp_solve_relaxed(const struct lp *l, double *x, double *least) __attribute__((warn_unused_result));

#endif
