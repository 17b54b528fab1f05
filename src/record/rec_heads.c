/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The heads that <weft/record.h> writes are those of the table of kinds: that header is installed, and cannot include it. Nothing is
 * compiled here.
 */
#include "format/format.h"
#include <weft/record.h>

enum {
#define WEFT_EVENT(code, name, label, of, words, args, text) WORDS_##name = (words),
#include "format/events.def"
#undef WEFT_EVENT
};

/* `n` words are what the table says of the kind: so many, or (negative) at least so many. */
#define AGREES(head, name, n) \
	_Static_assert((head) == (WEFT_EV_##name | (n) << 8), #name " has another head than in events.def"); \
	_Static_assert(WORDS_##name < 0 ? (n) >= -WORDS_##name - 1 : (n) == WORDS_##name, \
	               #name " has other words than in events.def")

AGREES(WEFT_HEAD_ENTER, ENTER, 0);
AGREES(WEFT_HEAD_LEAVE, LEAVE, 0);
AGREES(WEFT_HEAD_POINT, POINT, 1);
AGREES(WEFT_HEAD_POINT_F, POINT_F, 1);
AGREES(WEFT_HEAD_POINT_S, POINT_S, 1);
AGREES(WEFT_HEAD_COUNTER, COUNTER, 1);
AGREES(WEFT_HEAD_COUNTER_F, COUNTER_F, 1);
AGREES(WEFT_HEAD_SEND, SEND, 2);
AGREES(WEFT_HEAD_RECV, RECV, 2);
AGREES(WEFT_HEAD_SEND_AGO, SEND, 3);
AGREES(WEFT_HEAD_SEND_KEY, SEND, 4);
AGREES(WEFT_HEAD_RECV_KEY, RECV, 4);
AGREES(WEFT_HEAD_RECV_AGO, RECV, 3);
AGREES(WEFT_HEAD_FLOW_OUT, FLOW_OUT, 1);
AGREES(WEFT_HEAD_FLOW_IN, FLOW_IN, 1);
AGREES(WEFT_HEAD_ATTR, ATTR, 1);
AGREES(WEFT_HEAD_ATTR_F, ATTR_F, 1);
AGREES(WEFT_HEAD_ATTR_S, ATTR_S, 1);
AGREES(WEFT_HEAD_COLLECTIVE, COLLECTIVE, 3);
AGREES(WEFT_HEAD_COUNTER_SET, COUNTER_SET, 0); /* the caller adds the number of words */
AGREES(WEFT_HEAD_SAMPLE, SAMPLE, 0);
AGREES(WEFT_HEAD_CALLSTACK, CALLSTACK, 0);
AGREES(WEFT_HEAD_DEPENDENCY, DEPENDENCY, 2);
AGREES(WEFT_HEAD_ENTER_FLOW, ENTER_FLOW, 1);
_Static_assert((int)WEFT_HEAD_BUNDLE == (int)WEFT_EV_BUNDLE, "BUNDLE has another head than in events.def");
