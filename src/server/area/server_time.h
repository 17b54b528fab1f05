/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of area time, each beside what it needs. */
#ifndef WEFT_SERVER_TIME_H
#define WEFT_SERVER_TIME_H

#include "server/core/server_session.h"

int server_time_rows(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_legend(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_counters(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_curve(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_exact(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_nest(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_depths(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_at(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_find(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_messages(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;
int server_time_flows(const struct server_request *r, struct server_answer *a) WEFT_MUST_CHECK;

/* What the trace has numbers of, with the views of their values and rates, which become the session's. */
struct server_counter {
	const struct weft_def_row *def;
	char view[16], rate[16];
};
int server_counters_each(const struct server_request *r, const struct server_trace *t,
                         int (*use)(void *arg, const struct server_counter *c), void *arg) WEFT_MUST_CHECK;

#endif
