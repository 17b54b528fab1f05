/* SPDX-License-Identifier: Apache-2.0 */
/* Linear programs as text: both formats, to the letter. That solvers read them: tests/compat/starpu_bounds.sh. */
#include "harness.h"
#include "lp/lp.h"
#include <math.h>
#include <stdlib.h>

/* min 3 x + y; x + y ≥ 2; x - 2 y ≤ 1; x = 0.5; y whole, at most 4. */
static void make(struct lp *l)
{
	*l = (struct lp){0};
	unsigned x = lp_col(l, (struct lp_col){.name = "x", .cost = 3, .most = INFINITY});
	unsigned y = lp_col(l, (struct lp_col){.name = "y", .cost = 1, .most = 4, .whole = true});
	lp_row(l, (struct lp_row){.name = "r0", .sense = LP_LEAST, .right = 2});
	lp_add(l, x, 1);
	lp_add(l, y, 1);
	lp_row(l, (struct lp_row){.name = "r1", .sense = LP_MOST, .right = 1});
	lp_add(l, x, 0.25);
	lp_add(l, y, -2);
	lp_add(l, x, 0.75); /* the same once more */
	lp_row(l, (struct lp_row){.name = "r2", .sense = LP_EXACT, .right = 0.5});
	lp_add(l, x, 1);
}

static char *text_of(void (*write)(const struct lp *, FILE *), const struct lp *l)
{
	char *text = NULL;
	size_t n;
	FILE *f = open_memstream(&text, &n);
	REQUIRE(f);
	write(l, f);
	fclose(f);
	return text;
}

TEST(formats)
{
	struct lp l;
	make(&l);
	char *lp = text_of(lp_write, &l), *mps = text_of(lp_write_mps, &l);
	CHECK_STR(lp, "min: +3 x +1 y;\n\nr0: +1 x +1 y >= 2;\nr1: +1 x -2 y <= 1;\nr2: +1 x = 0.5;\n\ny <= 4;\n\nint y;\n");
	CHECK_STR(
		mps,
		"NAME          BOUND\nROWS\n N  COST\n G  r0\n L  r1\n E  r2\nCOLUMNS\n"
		"    x         COST                 3\n    x         r0                   1\n"
		"    x         r1                   1\n    x         r2                   1\n"
		"    MARKER    'MARKER'                 'INTORG'\n"
		"    y         COST                 1\n    y         r0                   1\n    y         r1                  -2\n"
		"    MARKER    'MARKER'                 'INTEND'\n"
		"RHS\n    RHS       r0                   2\n    RHS       r1                   1\n"
		"    RHS       r2                 0.5\nBOUNDS\n UP BND       y                    4\nENDATA\n");
	double x[2], least;
	CHECK_I64(lp_solve_relaxed(&l, x, &least), 0);
	CHECK_NEAR(least, 3, 1e-9);
	CHECK_NEAR(x[0], 0.5, 1e-9);
	CHECK_NEAR(x[1], 1.5, 1e-9);
	free(lp);
	free(mps);
	lp_free(&l);
}
