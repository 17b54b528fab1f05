/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An MPI program of two processes that goes wrong in one way, and prints what it sees of it. Run with and without a recorder, output and
 * status must be the same.
 *
 *     PROGRAM jump|throw|errors|memory|abort|exit|_exit|kill|fork|exec|cancel|threads
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int me, other, in[4096], out[4096];

/* ---- an error handler that does not come back ---- */

static jmp_buf back;
static int handled;

static void handler_jumps(MPI_Comm *comm, int *code, ...)
{
	int class;
	MPI_Error_class(*code, &class);
	printf("rank %d: handler, class %s, comm %s\n", me,
	       class == MPI_ERR_RANK       ? "rank"
	       : class == MPI_ERR_TRUNCATE ? "truncate"
	                                   : "?",
	       *comm == MPI_COMM_WORLD ? "world" : "?");
	handled++;
	longjmp(back, 1);
}

static void handler_returns(MPI_Comm *comm, int *code, ...)
{
	(void)comm, (void)code;
	handled++;
}

static void use_handler(MPI_Comm_errhandler_function *f)
{
	MPI_Errhandler h;
	MPI_Comm_create_errhandler(f, &h);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
	MPI_Errhandler_free(&h);
}

/* Deeper in the stack than where the jump went. */
static __attribute__((noinline)) void exchange(int n)
{
	char deep[2000];
	memset(deep, n, sizeof deep);
	for (int i = 0; i < n; i++)
		MPI_Sendrecv(out, 1, MPI_INT, other, 5, in, 1, MPI_INT, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	__asm__ volatile("" : : "r"(deep) : "memory");
}

static void jump(void)
{
	MPI_Request r[2];
	use_handler(handler_jumps);
	if (!setjmp(back))
		MPI_Send(out, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
	exchange(10);
	/* With requests of the call in hand: the one that is complete, and the one that fails. */
	MPI_Irecv(in, 1, MPI_INT, other, 6, MPI_COMM_WORLD, &r[0]);
	MPI_Isend(out, 100, MPI_INT, other, 6, MPI_COMM_WORLD, &r[1]);
	if (!setjmp(back))
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	use_handler(handler_returns);
	MPI_Wait(&r[1], MPI_STATUS_IGNORE);
	int rc = MPI_Send(out, 1, MPI_INT, 78, 0, MPI_COMM_WORLD);
	exchange(10);
	printf("rank %d: handled %d, then %s\n", me, handled, rc ? "failed" : "succeeded");
}

/* ---- statuses and codes ---- */

static void say(const char *what, int rc, const MPI_Status *s)
{
	int class = -1, n = -1;
	char status[100] = "";
	MPI_Error_class(rc, &class);
	if (s)
		MPI_Get_count(s, MPI_INT, &n);
	if (s)
		snprintf(status, sizeof status, " from %d tag %d count %d", s->MPI_SOURCE, s->MPI_TAG, n);
	/* In one piece: the launcher mixes what ranks write. */
	printf("rank %d: %s %d%s\n", me, what, class, status);
}

static void errors(void)
{
	MPI_Request r[3];
	MPI_Status s[3];
	int class[2], rc;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	say("send", MPI_Send(out, 1, MPI_INT, 77, 0, MPI_COMM_WORLD), NULL);
	say("isend", MPI_Isend(out, 1, MPI_INT, 77, 0, MPI_COMM_WORLD, &r[0]), NULL);
	say("count", MPI_Send(out, -1, MPI_INT, other, 0, MPI_COMM_WORLD), NULL);
	say("comm", MPI_Barrier(MPI_COMM_NULL), NULL);
	MPI_Isend(out, 100, MPI_INT, other, 1, MPI_COMM_WORLD, &r[0]);
	rc = MPI_Recv(in, 10, MPI_INT, other, 1, MPI_COMM_WORLD, &s[0]);
	say("truncated", rc, NULL);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Irecv(in, 10, MPI_INT, other, 2, MPI_COMM_WORLD, &r[0]);
	MPI_Irecv(in + 100, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &r[1]);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Send(out, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
	MPI_Isend(out, 100, MPI_INT, other, 2, MPI_COMM_WORLD, &r[2]);
	MPI_Barrier(MPI_COMM_WORLD);
	rc = MPI_Waitall(2, r, s);
	MPI_Error_class(rc, &class[0]);
	MPI_Error_class(s[0].MPI_ERROR, &class[1]);
	if (r[1] != MPI_REQUEST_NULL) /* may be left pending */
		MPI_Wait(&r[1], &s[1]);
	printf("rank %d: waitall %d %d, tag %d\n", me, class[0] == MPI_ERR_IN_STATUS, class[1] == MPI_ERR_TRUNCATE, s[1].MPI_TAG);
	MPI_Wait(&r[2], MPI_STATUS_IGNORE);
	exchange(10);
}

/* ---- no memory for the recorder ---- */

static volatile int deny;

/* The C library's, but for who is to have none. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t);
static int denied(void *caller)
{
	Dl_info from;
	return deny && dladdr(caller, &from) && from.dli_fname && strstr(from.dli_fname, "libweft-mpi");
}
void *malloc(size_t n)
{
	return denied(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}
void *calloc(size_t n, size_t size)
{
	return denied(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

static void memory(void)
{
	enum { MANY = 300 };
	MPI_Request r[2 * MANY];
	for (int i = 0; i < MANY; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &r[i]);
	for (int i = 0; i < MANY; i++)
		MPI_Isend(&out[i], 1, MPI_INT, other, i, MPI_COMM_WORLD, &r[MANY + i]);
	deny = 1;
	int rc = MPI_Waitall(2 * MANY, r, MPI_STATUSES_IGNORE);
	deny = 0;
	printf("rank %d: waited %d\n", me, rc);
	exchange(10);
}

/* ---- ends ---- */

static void child(void)
{
	pid_t pid = fork();
	int status;
	if (pid == 0) {
		if (me)
			execl("/bin/true", "true", (char *)NULL);
		_exit(3);
	}
	waitpid(pid, &status, 0);
	printf("rank %d: child %d\n", me, WEXITSTATUS(status));
	exchange(10);
}

static void *waits(void *arg)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &(int){0});
	MPI_Recv(in, 1, MPI_INT, 0, 99, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	return arg;
}

/* What MPI is like afterwards, nobody knows. */
static void cancel(void)
{
	pthread_t t;
	void *result;
	pthread_create(&t, NULL, waits, NULL);
	usleep(100000);
	pthread_cancel(t);
	pthread_join(t, &result);
	printf("rank %d: %s\n", me, result == PTHREAD_CANCELED ? "cancelled" : "returned");
	fflush(stdout);
	_exit(0);
}

enum { THREADS = 4, EACH = 500 };

static void *exchanges(void *arg)
{
	int tag = (int)(intptr_t)arg, got, give;
	for (int i = 0; i < EACH; i++) {
		MPI_Request r[2];
		give = i * THREADS + tag;
		MPI_Irecv(&got, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(&give, 1, MPI_INT, other, tag, MPI_COMM_WORLD, &r[1]);
		if (i % 2)
			MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		else
			for (int k, done = 0; done < 2; done++)
				MPI_Waitany(2, r, &k, MPI_STATUS_IGNORE);
		if (got != give)
			return "wrong";
	}
	return NULL;
}

static void threads(void)
{
	pthread_t t[THREADS];
	void *result, *worst = NULL;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, exchanges, (void *)(intptr_t)i);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], &result);
		worst = result ? result : worst;
	}
	printf("rank %d: %s\n", me, worst ? (char *)worst : "right");
}

static void aborts(void)
{
	exchange(10);
	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 1)
		MPI_Abort(MPI_COMM_WORLD, 7);
	MPI_Recv(in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void exits(void)
{
	exchange(10);
	MPI_Barrier(MPI_COMM_WORLD);
	exit(3);
}

static void exits_at_once(void)
{
	exchange(10);
	MPI_Barrier(MPI_COMM_WORLD);
	_exit(4);
}

static void killed(void)
{
	exchange(10);
	MPI_Barrier(MPI_COMM_WORLD);
	if (me == 1)
		kill(getpid(), SIGKILL);
	MPI_Recv(in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static const struct {
	const char *name;
	void (*run)(void);
} ways[] = {{"jump", jump},     {"errors", errors},   {"memory", memory},       {"abort", aborts},
            {"exit", exits},    {"fork", child},      {"_exit", exits_at_once}, {"kill", killed},
            {"cancel", cancel}, {"threads", threads}, {"exec", exits}};

int main(int argc, char **argv)
{
	int level;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 2 && strcmp(argv[1], "exec") == 0)
		execl(argv[0], argv[0], "exec", "again", (char *)NULL);
	bool many = argc > 1 && (strcmp(argv[1], "threads") == 0 || strcmp(argv[1], "cancel") == 0);
	MPI_Init_thread(&argc, &argv, many ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	other = 1 - me;
	for (unsigned i = 0; argc > 1 && i < sizeof ways / sizeof *ways; i++)
		if (strcmp(ways[i].name, argv[1]) == 0)
			ways[i].run();
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
