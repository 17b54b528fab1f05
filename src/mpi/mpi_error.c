/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error handlers of the program. MPI calls them from inside the call that failed, and they need not come back: they throw, or jump. So
 * what is given to MPI is a function of ours, one for each of the first handlers, that ends the call before it goes on to the program's.
 * What the handler calls of MPI is recorded as the program's own, which it is.
 */
#include "mpi_priv.h"

/* MPI says "...": Open MPI gives a text and nothing behind it, MPICH nothing. */
typedef void handler_function(void *object, int *code, void *more, void *last);

enum { HANDLERS = 32 };
static handler_function *handler[HANDLERS];

static void handler_run(unsigned k, void *object, int *code, void *more, void *last)
{
	struct mpi_call *c = mpi_call_raised(*code);
	handler[k](object, code, more, last);
	mpi_call_resumed(c);
}

#define HANDLER(k) \
	static void handler_##k(void *object, int *code, void *more, void *last) \
	{ \
		handler_run(k, object, code, more, last); \
	}
/* clang-format off */
#define EACH_HANDLER(X) \
	X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
	X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)
/* clang-format on */
EACH_HANDLER(HANDLER)
#define ADDRESS(k) handler_##k,
static handler_function *const ours[HANDLERS] = {EACH_HANDLER(ADDRESS)};

/* The program's function is the first argument. The thirty-third handler goes to MPI as it is. */
void mpi_before_handler(struct mpi_call *c)
{
	handler_function *wanted = (handler_function *)c->a[0];
	for (unsigned k = 0; wanted && k < HANDLERS; k++) {
		handler_function *none = NULL;
		if (__atomic_compare_exchange_n(&handler[k], &none, wanted, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    none == wanted) {
			c->a[0] = (mpi_word)ours[k];
			return;
		}
	}
}
