/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/fold/counter_model.h"
#include "structure_maker.h"

static const char good[] =
	"<model name=\"cpi\" title-name=\"CPI stack\" y1=\"CPI\" y1-stacked=\"yes\">\n"
	"<component name=\"mem\" title-name=\"Memory\" where=\"y1\" color=\"red\">\n"
	" <operation type=\"/\"><operation type=\"*\"><value>L2</value><value>10</value></operation><value>INS</value></operation>\n"
	"</component>\n"
	"<component name=\"rest\" hidden=\"yes\"><operation type=\"-\"><value>CYC</value><value>L2</value><value>1.5</value></operation></component>\n"
	"</model>";

static double value(void *arg, const char *counter)
{
	(void)arg;
	return !strcmp(counter, "L2") ? 4 : !strcmp(counter, "INS") ? 20 : !strcmp(counter, "CYC") ? 30 : NAN;
}

TEST(computes)
{
	struct weft_counter_model m;
	struct weft_err err = {0};
	REQUIRE(weft_counter_model_parse(&m, "m.xml", good, strlen(good), &err) == 0);
	CHECK_U64(m.n_components, 2);
	CHECK(m.stacked && m.component[1].hidden && !m.component[0].hidden);
	CHECK_STR(m.title, "CPI stack");
	CHECK_STR(m.component[1].title, "rest");
	CHECK_NEAR(weft_counter_model_value(m.component[0].value, value, NULL), 2, 1e-12);
	CHECK_NEAR(weft_counter_model_value(m.component[1].value, value, NULL), 24.5, 1e-12);
	weft_counter_model_fini(&m);
}

TEST(says_what_is_wrong)
{
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"<a/>", "m.xml:1: <a>: expected model, found 'a'"},
		{"<model name='x'/>", "m.xml:1: <model>: a model has a name and components: 'x'"},
		{"<model name='x'><component name='c'/></model>",
	         "m.xml:1: <component>: a component has a name, and a value or an operation: 'c'"},
		{"<model name='x'><component name='c'><value/></component></model>",
	         "m.xml:1: <value>: expected a counter or a number, found ''"},
		{"<model name='x'><component name='c'><operation type='^'/></component></model>",
	         "m.xml:1: <operation>: expected the type + - * or /, found '^'"},
		{"<model name='x'><component name='c'><operation type='+'><value>1</value></operation></component></model>",
	         "m.xml:1: <operation>: an operation wants two operands at least: '+'"},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weft_counter_model m;
		struct weft_err err = {0};
		CHECK(weft_counter_model_parse(&m, "m.xml", rows[i].text, strlen(rows[i].text), &err) == WEFT_E_SYNTAX);
		CHECK_STR(err.text, rows[i].error);
		weft_counter_model_fini(&m);
	}
}

TEST(without_memory)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_counter_model m;
		struct weft_err err = {0};
		int rc = weft_counter_model_parse(&m, "m.xml", good, strlen(good), &err);
		CHECK(test_alloc_failed() ? rc < 0 : rc == 0);
		weft_counter_model_fini(&m);
	}
}
