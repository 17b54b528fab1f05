/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that says by libweft what it does, for tests of `weft tune`: regions, attributes, points. Compiled without debug information.
 * tune_emits STEPS [MICROSECONDS [chunk]]: with `chunk` it makes more steps until that was changed, however late a busy machine lets that be.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/record.h>

enum { STEPS_MOST = 10000 };

volatile int chunk = 1;

int main(int argc, char **argv)
{
	int steps = argc > 1 ? atoi(argv[1]) : 10, us = argc > 2 ? atoi(argv[2]) : 5000;
	weft_region step = weft_define_region("step", WEFT_STATE_RUNNING, 0);
	weft_flow asked = weft_define_flow("asked", 0);
	weft_attr number = weft_define_attr("number", "", 0), weight = weft_define_attr("weight", "", 0);
	weft_type progress = weft_define_type("progress", "", 0);
	int waits = argc > 3 && strcmp(argv[3], "chunk") == 0;
	for (int i = 0; i < steps || (waits && chunk == 1 && i < STEPS_MOST); i++) {
		weft_flow_out(asked, (uint64_t)i);
		weft_enter_flow(step, asked, (uint64_t)i);
		weft_attr_int(number, i);
		weft_attr_double(weight, 0.5 * i);
		nanosleep(&(struct timespec){0, us * 1000l}, NULL);
		weft_point(progress, 100 * (i + 1) / steps);
		weft_leave(step);
	}
	printf("chunk %d\n", chunk);
	return 0;
}
