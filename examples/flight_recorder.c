/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A flight recorder: the program runs for long, only the last events are kept, and when something odd happens what led to it is
 * saved. Here a "server" answers requests, one of which takes much too long: it saves the trace at that moment.
 *
 *     cc flight_recorder.c $(pkg-config --cflags --libs weft) -o flight_recorder
 *     weft record --ring 256K -o run.weft -- ./flight_recorder slow.weft
 *     weft stat slow.weft
 *
 * From outside: weft record --ring 64M --save-on USR1 -- ./server, and then kill -USR1 to it or to `weft record`.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <weft/record.h>

#define REQUESTS 200000
#define ODD_ONE 150000
#define SLOW_NS 150000000u

WEFT_REGION(region_request, "request", WEFT_STATE_RUNNING);
WEFT_REGION(region_parse, "parse", WEFT_STATE_RUNNING);
WEFT_REGION(region_answer, "answer", WEFT_STATE_IO);

static uint64_t now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void answer(int number)
{
	WEFT_SCOPE(region_answer);
	if (number == ODD_ONE)
		nanosleep(&(struct timespec){.tv_nsec = 2 * SLOW_NS}, NULL);
}

static uint64_t handle(int number, weft_attr attr_number)
{
	uint64_t began = now_ns();
	weft_enter(region_request);
	weft_attr_int(attr_number, number);
	weft_enter(region_parse);
	weft_leave(region_parse);
	answer(number);
	weft_leave(region_request);
	return now_ns() - began;
}

int main(int argc, char **argv)
{
	weft_attr attr_number = weft_define_attr("number", "", 0);
	int saved = 0;
	for (int i = 1; i <= REQUESTS; i++) {
		uint64_t took = handle(i, attr_number);
		if (took < SLOW_NS || saved)
			continue;
		int rc = weft_save(argc > 1 ? argv[1] : NULL);
		if (rc) {
			fprintf(stderr, "flight_recorder: cannot save: %s\n", strerror(-rc));
			return 1;
		}
		printf("request %d was slow: saved\n", i);
		saved = 1;
	}
	return saved ? 0 : 1;
}
