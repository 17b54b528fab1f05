/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a specification to what is said to a controller: an event becomes a WANT, a decision about a
 * tuning point an ACT.
 */
#ifndef WEFT_TUNE_ASK_H
#define WEFT_TUNE_ASK_H

#include "tune/wire/message.h"
#include "tune/lang/spec_model.h"

enum { ASK_OBJECT_BYTES = 32 };

/* "", "0" and "none" are how specifications say that there is none. */
bool ask_is_set(const char *z);
/* All but the process and the number. `classes` holds what the message borrows. */
void ask_want(const struct weft_spec *s, uint32_t event, struct message_want *out, struct weft_buf *classes);
/*
 * All but the process, the number, and arguments that are not the value:
 * docs/man/weft-tunlet-language.7 says what id and value mean for each kind. text: of a value that
 * is one, else NULL. The message borrows from the specification, text and object.
 */
void ask_act(const struct weft_spec *s, uint32_t point, const char *text, double number, struct message_act *out,
             char object[ASK_OBJECT_BYTES]);
/* Whether what a point sets is no whole number. */
bool ask_is_real(const struct weft_spec *s, const struct spec_point *p);
struct message_value ask_value(double number, bool real);

#endif
