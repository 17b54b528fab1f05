/* SPDX-License-Identifier: Apache-2.0 */
/* The tracepoints of bench_record.c for LTTng-UST: the same payloads as ours, without (pair) and with (one) a word. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER weft_bench
#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench_record_lttng.h"

#if !defined WEFT_BENCH_RECORD_LTTNG_H || defined LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ
#define WEFT_BENCH_RECORD_LTTNG_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(weft_bench, enter, LTTNG_UST_TP_ARGS(unsigned, id),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned, id, id)))
LTTNG_UST_TRACEPOINT_EVENT(weft_bench, leave, LTTNG_UST_TP_ARGS(unsigned, id),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned, id, id)))
LTTNG_UST_TRACEPOINT_EVENT(weft_bench, one, LTTNG_UST_TP_ARGS(unsigned, id, long, value),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned, id, id)
                                                       lttng_ust_field_integer(long, value, value)))
LTTNG_UST_TRACEPOINT_EVENT(weft_bench, never, LTTNG_UST_TP_ARGS(unsigned, id),
                           LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(unsigned, id, id)))

#endif
#include <lttng/tracepoint-event.h>
