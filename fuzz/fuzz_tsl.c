/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tunlet specifications: any text becomes a specification with diagnoses in the order of the text, each with a place in it, a rule
 * and a line of text; what has no error can be explained and printed.
 */
#include "tune/derive/derive.h"
#include "fuzz.h"

#include "tune/gen/gen.h"
#include "tune/lang/spec.h"

#include <errno.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	static FILE *nowhere; /* made once, kept until the end */
	struct weft_spec *s;
	struct weft_err err = {0};
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	FUZZ_REQUIRE(nowhere != NULL);
	int rc = weft_spec_new(&s, "input", (const char *)at, n, &err);
	FUZZ_REQUIRE(rc == 0 || rc == WEFT_E_LIMIT);
	if (rc)
		return 0;
	unsigned count[WEFT_SEVERITIES] = {0};
	uint32_t before = 0;
	for (unsigned i = 0; weft_spec_diag(s, i); i++) {
		const struct weft_diag *d = weft_spec_diag(s, i);
		FUZZ_REQUIRE(d->at >= before && d->at <= n && d->at + (size_t)d->n <= n + 1);
		FUZZ_REQUIRE(d->line > 0 && d->col > 0 && d->rule && d->rule[0] && d->text && d->text[0] &&
		             !strchr(d->text, '\n'));
		before = d->at;
		count[d->severity]++;
	}
	for (int k = 0; k < WEFT_SEVERITIES; k++)
		FUZZ_REQUIRE(count[k] == weft_spec_count(s, (enum weft_severity)k));
	weft_spec_report(s, WEFT_NOTE, nowhere);
	weft_spec_report_json(s, WEFT_WARNING, nowhere);
	weft_spec_explain(s, nowhere);
	weft_spec_explain_json(s, nowhere);
	struct tune_source c;
	struct weft_buf xml = {0};
	rc = tune_translate(s, TUNE_WHOLE, &c);
	FUZZ_REQUIRE(rc == (count[WEFT_ERROR] ? -EINVAL : 0));
	for (unsigned i = 0; rc == 0 && i < 3; i++)
		FUZZ_REQUIRE(tune_origin_of(&c, 10 * i, i) <= n);
	FUZZ_REQUIRE(weft_spec_xml(s, &xml) == 0);
	weft_buf_fini(&xml);
	if (rc == 0)
		tune_source_fini(&c);
	weft_spec_free(s);
	return 0;
}
