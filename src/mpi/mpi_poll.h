/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls that only ask. A program may do so millions of times a second, and nearly always in vain: those take the shortest way that there is,
 * with the numbers of their arguments known to the compiler. What they share with other calls is in mpi_wrap.c and mpi_wait.c.
 */
#ifndef WEFT_MPI_POLL_H
#define WEFT_MPI_POLL_H

#include "mpi_priv.h"

/* What is asked for: calls in vain are told with the next success of their kind. */
enum mpi_poll_kind { MPI_POLL_IPROBE, MPI_POLL_IMPROBE, MPI_POLL_STATUS, MPI_POLL_TEST, MPI_POLL_KINDS };

/*
 * The call, how many arguments it has, its kind, and by number the argument that says whether there was something. Of those that
 * complete requests also: the arguments that say how many (-1: one) and which, where their statuses go, and what says that none are
 * wanted.
 */
#define MPI_POLLS(P, Q) \
	P(Iprobe, 5, IPROBE, 3) \
	P(Improbe, 6, IMPROBE, 3) \
	P(Request_get_status, 3, STATUS, 1) \
	Q(Test, 3, TEST, 1, -1, 0, 2, status_ignore) \
	Q(Testall, 4, TEST, 2, 0, 1, 3, statuses_ignore) \
	Q(Testany, 5, TEST, 3, 0, 1, 4, status_ignore) \
	Q(Testsome, 5, TEST, 2, 0, 1, 4, statuses_ignore)

#define MPI_POLL(name, arguments, kind, flag, ...) MPI_POLL_FLAG_##name = (flag),
enum { MPI_POLLS(MPI_POLL, MPI_POLL) MPI_POLL_FLAGS };
#undef MPI_POLL

struct mpi_poll {
	signed char kind, flag, n, requests, status; /* flag 0: another call; status 0: no requests */
	unsigned short ignore;                       /* where in struct mpi_shape */
};

/* What mpi_before_wait() does for them where one thread at a time calls MPI. False: it is to be called. */
static inline __attribute__((always_inline)) bool mpi_poll_note(struct mpi_call *c, const struct mpi_poll *p)
{
	struct mpi_waited *w = mpi_waited_here;
	const void *handles = (const void *)c->a[p->requests];
	int n = p->n < 0 ? 1 : (int)c->a[p->n];
	if (WEFT_UNLIKELY(!w || !handles || n <= 0 || (unsigned)n > w->room))
		return false;
	if (p->n < 0 && mpi.handle == sizeof(mpi_word))
		memcpy(w->noted, handles, sizeof(mpi_word));
	else
		memcpy(w->noted, handles, (size_t)n * mpi.handle);
	mpi_word ignore = *(const mpi_word *)((const char *)&mpi + p->ignore), *status = &c->a[p->status];
	*status = *status == ignore ? (mpi_word)w->own : *status;
	w->n = (unsigned)n;
	w->later = true;
	w->status = (const unsigned char *)*status;
	c->waited = w;
	return true;
}

#endif
