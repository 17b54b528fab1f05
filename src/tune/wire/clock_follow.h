/* SPDX-License-Identifier: Apache-2.0 */
/*
 * This host's clock against another's: offset and drift, from exchanges of four times (asked,
 * received, answered, back). Of each second the exchange that took least counts; through those
 * of the last minute goes a line. A change is slewed over a second, so that corrected time
 * never goes back. It only computes: the caller makes the exchanges and passes the times.
 */
#ifndef WEFT_TUNE_CLOCK_FOLLOW_H
#define WEFT_TUNE_CLOCK_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

enum { FOLLOW_KEPT = 64 };

struct follow_sample {
	uint64_t at; /* our time, in the middle of the exchange */
	int64_t offset_ns;
	uint64_t round_ns;
};

struct follow {
	struct follow_sample kept[FOLLOW_KEPT]; /* the best of each second, a ring */
	unsigned n, next;
	bool known;
	uint64_t base;    /* our time at which the offset is: */
	double offset_ns; /* the offset that is added to our time there, */
	double drift;     /* and more of it for each ns later */
	double jump_ns;   /* the rest of the offset that is still being slewed, since: */
	uint64_t jump_at;
	uint64_t round_ns; /* of the best exchange that counts: half of it bounds the error */
};

/*
 * An exchange: asked and back in our time, received and answered in the other's. Impossible ones
 * are ignored.
 */
void follow_exchange(struct follow *f, uint64_t asked, uint64_t heard, uint64_t answered, uint64_t back);
/* Our time as the other's; unchanged while nothing is known. */
uint64_t follow_time(const struct follow *f, uint64_t ours);

/*
 * A clock with a fault, for tests: so much ahead, and gaining so many parts per million since
 * `from`.
 */
struct follow_fault {
	int64_t ahead_ns;
	double ppm;
	uint64_t from;
};
uint64_t follow_faulty(const struct follow_fault *f, uint64_t time);

#endif
