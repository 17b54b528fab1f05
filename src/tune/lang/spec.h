/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tunlet specifications that were read (tune/derive/derive.h), for other modules: what they have
 * and how they are diagnosed. The language is in weft-tunlet-language(7).
 *
 * Reading never fails because of what the text says: what is wrong becomes diagnoses, in three
 * severities, in the order of the text. A specification with errors can be printed and explained,
 * but not translated.
 */
#ifndef WEFT_TUNE_SPEC_H
#define WEFT_TUNE_SPEC_H

#include "base/err.h"
#include "base/str.h"
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A note is a variant of the language that is accepted silently; a warning is accepted too, but
 * perhaps not what was meant.
 */
enum weft_severity { WEFT_NOTE, WEFT_WARNING, WEFT_ERROR, WEFT_SEVERITIES };

struct weft_diag {
	enum weft_severity severity;
	uint32_t at, n;     /* bytes of the text that it is about */
	uint32_t line, col; /* of `at`, from 1; a column is a byte */
	const char *rule;   /* "undeclared" */
	const char *text;   /* one line */
	const char *fix;    /* the text to write instead, or NULL */
};

struct weft_spec;

void weft_spec_free(struct weft_spec *s);

bool weft_spec_has_metrics(const struct weft_spec *s); /* a parameter is one of the analysis engine: it wants all events */
const char *weft_spec_name(const struct weft_spec *s); /* of the tunlet; "" when it has none */
unsigned weft_spec_count(const struct weft_spec *s, enum weft_severity severity);
/* Diagnosis i, in the order of the text; NULL behind the last. Borrows from s. */
const struct weft_diag *weft_spec_diag(const struct weft_spec *s, unsigned i);

const char *weft_spec_actor(const struct weft_spec *s, unsigned i); /* name of actor i, or NULL behind the last */
bool weft_spec_emits(const struct weft_spec *s);                    /* events of it are what programs say by libweft */
/* Ranks of an actor in words: "0", "1-", "!= 0", "2-4, > 8". */
bool weft_spec_rank_valid(const char *z);
bool weft_spec_rank_in(const char *z, int64_t rank); /* no rank (-1) is in none */

/*
 * All diagnoses from `least` up, as a compiler prints them (source line, caret, correction), or as
 * JSON.
 */
void weft_spec_report(const struct weft_spec *s, enum weft_severity least, FILE *to);
void weft_spec_report_json(const struct weft_spec *s, enum weft_severity least, FILE *to);

#endif
