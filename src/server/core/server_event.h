/* SPDX-License-Identifier: Apache-2.0 */
/* Events of a trace in words, as JSON. */
#ifndef WEFT_SERVER_EVENT_H
#define WEFT_SERVER_EVENT_H

#include "server_session.h"
#include "trace/store/cursor.h"

/* {"time", "kind", "name", "value", …}: what it is, of what, with which value; of messages and flows also where the other end is. */
void server_put_event(struct weft_json *w, const struct server_trace *t, const struct weft_event *e);
/* {"sent", "received", "from", "to", "size", "tag", "comm"}: rows and times, null where they are not known. */
void server_put_message(struct weft_json *w, const struct server_trace *t, uint64_t i);

#endif
