/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A master that has PVM spawn two workers, for tests of `weft tune`: tune_pvm ITSELF MOST. Each computes in steps, as tune_steps does, until its
 * chunk was changed, and MOST steps at most; the master prints the sum of the chunks, and which tasks they are.
 */
#include <pvm3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define FUNCTION __attribute__((noinline, noclone))

enum { WORKERS = 2, STEPS = 20, TAG = 7 };

int iteration, chunk = 1;
double load = 1.5;

FUNCTION void step_begin(int i)
{
	iteration = i;
	__asm__ volatile("" ::: "memory");
}

FUNCTION int step_end(int i, double took)
{
	__asm__ volatile("" ::"r"(i), "x"(took) : "memory");
	return i * 2;
}

static int master(char *self, char *most)
{
	int tid[WORKERS], sum = 0, theirs = 0;
	int n = pvm_spawn(self, (char *[]){most, NULL}, PvmTaskDefault, "", WORKERS, tid);
	for (int k = 0; k < n; k++) {
		pvm_recv(-1, TAG);
		pvm_upkint(&theirs, 1, 1);
		sum += theirs;
	}
	printf("%d workers, chunks %d\n", n, sum);
	for (int k = 0; k < n; k++)
		fprintf(stderr, "task %d\n", tid[k]);
	return n == WORKERS ? 0 : 1;
}

static int worker(int parent, int most)
{
	for (int i = 0; i < STEPS || (i < most && chunk == 1); i++) {
		step_begin(i);
		nanosleep(&(struct timespec){0, 5000000}, NULL);
		step_end(i, 5);
	}
	pvm_initsend(PvmDataDefault);
	pvm_pkint(&chunk, 1, 1);
	return pvm_send(parent, TAG);
}

int main(int argc, char **argv)
{
	int parent = pvm_mytid() < 0 ? -1 : pvm_parent();
	int status = parent == PvmNoParent && argc > 2 ? master(argv[1], argv[2]) : worker(parent, atoi(argv[argc - 1]));
	pvm_exit();
	return status;
}
