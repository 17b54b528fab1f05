/* SPDX-License-Identifier: Apache-2.0 */
/* Constructs that only later compilers have, with results that are known. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { TEN = 10, TWENTY = 20 };
static int done, after, total;

static void with_tasks(void)
{
	long big[200] = {[199] = 3};
	int sum = 0;
	for (int i = 0; i < 5; i++) {
		omp_event_handle_t event;
#pragma omp task detach(event) firstprivate(big) depend(out : done)
		{
#pragma omp atomic
			done += (int)big[199];
			omp_fulfill_event(event);
		}
	}
	omp_event_handle_t last;
#pragma omp task detach(last) if (0) depend(out : done)
	{
		done++;
		omp_fulfill_event(last);
	}
#pragma omp task depend(in : done)
	after = done;
#pragma omp taskwait depend(in : done)
#pragma omp taskgroup task_reduction(+ : done)
	{
#pragma omp task in_reduction(+ : done)
		done += 1;
	}
#pragma omp taskloop reduction(+ : sum) grainsize(3)
	for (int i = 0; i < TWENTY; i++)
		sum += i;
	printf("sum %d\n", sum);
}

static void elsewhere(void)
{
#pragma omp teams num_teams(2) reduction(+ : total)
#pragma omp parallel num_threads(2) reduction(+ : total)
	total++;
#pragma omp target map(tofrom : total)
	total++;
}

int main(void)
{
#pragma omp parallel num_threads(3)
#pragma omp single
	with_tasks();
#pragma omp parallel num_threads(3) reduction(task, + : total)
	{
#pragma omp task in_reduction(+ : total)
		total++;
	}
	elsewhere();
#pragma omp parallel num_threads(2)
	{
#pragma omp for schedule(nonmonotonic : dynamic, 3) reduction(task, + : total)
		for (int i = 0; i < TEN; i++) {
#pragma omp task in_reduction(+ : total)
			total++;
		}
#pragma omp for schedule(monotonic : static, 2) lastprivate(conditional : after)
		for (int i = 0; i < TEN; i++)
			if (i < 7)
				after = i;
	}
	printf("%d %d %d\n", done, after, total);
	return 0;
}
