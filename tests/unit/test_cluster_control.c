/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/cluster/cluster_control.h"
#include "structure_maker.h"

static const char good[] =
	"<clustering_definition use_duration=\"yes\" apply_log=\"yes\" normalize_data=\"no\" duration_filter=\"20.5\" threshold_filter=\"3\">\n"
	" <clustering_algorithm name=\"DBSCAN\"><epsilon>0.03</epsilon><min_points>10</min_points></clustering_algorithm>\n"
	" <clustering_parameters>\n"
	"  <single_event apply_log=\"yes\" name=\"INS\"><event_type>42000050</event_type><range_min>5</range_min><factor>2</factor></single_event>\n"
	"  <mixed_events name=\"IPC\" operation=\"/\"><event_type_a>42000050</event_type_a><event_type_b>duration</event_type_b></mixed_events>\n"
	" </clustering_parameters>\n"
	" <extrapolation_parameters all_counters=\"yes\"><single_event name=\"L1\"><event_type>PAPI_L1_DCM</event_type></single_event>"
	"</extrapolation_parameters>\n"
	" <output_plots all_plots=\"no\"><plot_definition raw_metrics=\"yes\"><x_metric title=\"X\" min=\"0\">IPC</x_metric>"
	"<y_metric>INS</y_metric></plot_definition></output_plots>\n"
	"</clustering_definition>\n";

TEST(reads_all_of_it)
{
	struct weft_control c;
	struct weft_err err = {0};
	REQUIRE(weft_control_parse(&c, "c.xml", good, strlen(good), &err) == 0);
	CHECK_U64(c.least_ns, 20500);
	CHECK(!c.normalise && c.has_dbscan && c.all_counters && !c.all_plots);
	CHECK_NEAR(c.eps, 0.03, 0);
	CHECK_U64(c.min_points, 10);
	CHECK_U64(c.n_metrics, 3);
	CHECK_STR(c.metric[0].name, "Duration");
	CHECK(c.metric[0].a == WEFT_METRIC_DURATION && c.metric[0].log);
	CHECK_STR(c.metric[1].name, "INS");
	CHECK_NEAR(c.metric[1].least, 5, 0);
	CHECK_NEAR(c.metric[1].factor, 2, 0);
	CHECK(c.metric[2].operation == '/' && c.metric[2].a == 0 && c.metric[2].b == WEFT_METRIC_DURATION && !c.metric[2].log);
	CHECK_U64(c.n_counters, 2);
	CHECK_STR(c.counter[0], "42000050");
	CHECK_STR(c.counter[1], "PAPI_L1_DCM");
	CHECK_U64(c.n_extra, 1);
	CHECK_U64(c.n_plots, 1);
	CHECK_STR(c.plot[0].axis[0].title, "X");
	CHECK_NEAR(c.plot[0].axis[0].least, 0, 0);
	CHECK(isnan(c.plot[0].axis[0].most) && !c.plot[0].axis[2].metric);
	weft_control_fini(&c);
}

TEST(says_what_is_wrong)
{
#define IN(x) "<clustering_definition>" x "</clustering_definition>"
#define PARAMETERS(x) IN("<clustering_parameters>" x "</clustering_parameters>")
	static const struct {
		const char *text, *error;
	} rows[] = {
		{"<a/>", "c.xml:1: <a>: expected clustering_definition, found 'a'"},
		{IN(""), "c.xml:1: <clustering_definition>: there is nothing to cluster by in 'clustering_parameters'"},
		{"<clustering_definition use_duration=\"maybe\"/>",
	         "c.xml:1: <clustering_definition>: expected yes or no, found 'maybe'"},
		{"<clustering_definition duration_filter=\"-1\"/>",
	         "c.xml:1: <clustering_definition>: duration_filter is no time in microseconds: '-1'"},
		{PARAMETERS("<single_event/>"), "c.xml:1: <single_event>: there is no attribute 'name'"},
		{PARAMETERS("<single_event name='a'/>"), "c.xml:1: <single_event>: expected a child 'event_type'"},
		{PARAMETERS("<x name='a'/>"), "c.xml:1: <x>: expected single_event or mixed_events, found 'x'"},
		{PARAMETERS("<mixed_events name='a' operation='%'><event_type_a>1</event_type_a></mixed_events>"),
	         "c.xml:1: <mixed_events>: expected the operation + - * or /, found '%'"},
		{PARAMETERS("<single_event name='a'><event_type>1</event_type><factor>x</factor></single_event>"),
	         "c.xml:1: <factor>: expected a number, found 'x'"},
		{IN("<clustering_algorithm name='KMEANS'/>"),
	         "c.xml:1: <clustering_algorithm>: the algorithm can only be DBSCAN, not 'KMEANS'"},
		{IN("<clustering_algorithm name='DBSCAN'><epsilon>0</epsilon><min_points>1</min_points></clustering_algorithm>"),
	         "c.xml:1: <clustering_algorithm>: epsilon must be positive, not '0'"},
		{IN("<clustering_algorithm name='DBSCAN'><epsilon>1</epsilon><min_points>1.5</min_points></clustering_algorithm>"),
	         "c.xml:1: <clustering_algorithm>: min_points must be a whole number from 1 on, not '1.5'"},
		{IN("<output_plots><plot_definition><x_metric>a</x_metric></plot_definition></output_plots>"),
	         "c.xml:1: <plot_definition>: a plot needs an x_metric and a 'y_metric'"},
	};
	for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weft_control c;
		struct weft_err err = {0};
		CHECK(weft_control_parse(&c, "c.xml", rows[i].text, strlen(rows[i].text), &err) == WEFT_E_SYNTAX);
		CHECK_STR(err.text, rows[i].error);
		weft_control_fini(&c);
	}
}

TEST(without_memory)
{
	TEST_EACH_ALLOCATION_FAILS {
		struct weft_control c;
		struct weft_err err = {0};
		int rc = weft_control_parse(&c, "c.xml", good, strlen(good), &err);
		CHECK(test_alloc_failed() ? rc < 0 : rc == 0);
		weft_control_fini(&c);
	}
}
