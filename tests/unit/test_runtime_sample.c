/* SPDX-License-Identifier: Apache-2.0 */
/* Values of a sample by their names: of one, of all, of what is not there. */
#include "harness.h"
#include "tune/control/runtime_sample.h"
#include <stdio.h>
#include <string.h>

static const char sample[] = "{\"sample\":3,\"tasks\":{\"submitted\":7,\"ready\":2,\"executed\":50},"
			     "\"workers\":[{\"id\":0,\"name\":\"CPU 0\",\"tasks\":30,\"executing_s\":1.5},"
			     "{\"id\":1,\"name\":\"CPU 1\",\"tasks\":20,\"executing_s\":0.5}],"
			     "\"nodes\":[{\"id\":0,\"used_bytes\":100},{\"id\":1,\"used_bytes\":11}],"
			     "\"links\":[{\"from\":0,\"to\":1,\"bytes\":64,\"transfers\":4,\"time_s\":0.25},"
			     "{\"from\":1,\"to\":0,\"bytes\":16,\"transfers\":1,\"time_s\":0.5}],"
			     "\"counters\":[{\"name\":\"starpu.task.g_total_submitted\",\"scope\":\"global\",\"value\":57},"
			     "{\"name\":\"starpu.task.w_total_executed\",\"scope\":\"per_worker\",\"values\":[30,20]},"
			     "{\"name\":\"starpu.task.c_total_executed\",\"scope\":\"per_codelet\","
			     "\"codelets\":[{\"name\":\"a b\",\"value\":41},{\"name\":\"c\",\"value\":9}]}],"
			     "\"knobs\":[{\"name\":\"starpu.worker.w_enable_worker_knob\",\"values\":[1,0]},"
			     "{\"name\":\"starpu.dmda.s_beta_knob\",\"policy\":\"dmda\",\"value\":2.5}]}";

static const struct {
	const char *path;
	int worker;
	bool known;
	double value;
} rows[] = {
	{"submitted", -1, true, 7},
	{"ready", -1, true, 2},
	{"workers", -1, true, 2},
	{"enabled_workers", -1, true, 1},
	{"tasks", -1, true, 50},
	{"tasks", 1, true, 20},
	{"tasks@0", 1, true, 30},
	{"tasks@2", -1, false, 0},
	{"executing_s", 0, true, 1.5},
	{"sleeping_s", -1, true, 0},
	{"worker", 1, true, 1},
	{"worker", -1, false, 0},
	{"used_bytes", -1, true, 111},
	{"used_bytes@1", -1, true, 11},
	{"transferred_bytes", -1, true, 80},
	{"transferred_bytes@1-0", -1, true, 16},
	{"transfers@0-1", -1, true, 4},
	{"transfer_s@0-2", -1, true, 0}, /* nothing has gone there */
	{"starpu.task.g_total_submitted", 1, true, 57},
	{"starpu.task.w_total_executed", -1, true, 50},
	{"starpu.task.w_total_executed", 0, true, 30},
	{"starpu.task.w_total_executed@1", 0, true, 20},
	{"starpu.task.w_total_executed@5", -1, false, 0},
	{"starpu.task.c_total_executed", -1, true, 50},
	{"starpu.task.c_total_executed@a b", -1, true, 41},
	{"starpu.task.c_total_executed@never", -1, true, 0},
	{"starpu.task.g_peak_ready", -1, false, 0}, /* nobody has asked for it */
	{"starpu.worker.w_enable_worker_knob@0", -1, true, 1},
	{"starpu.worker.w_enable_worker_knob", 1, true, 0},
	{"starpu.dmda.s_beta_knob", -1, true, 2.5},
	{"starpu.dmda.s_beta_knob@dmda", -1, true, 2.5},
	{"starpu.dmda.s_beta_knob@dmdar", -1, false, 2.5},
	{"starpu.dmda.s_alpha_knob", -1, false, 0},
	{"nothing", -1, false, 0},
};

TEST(each_name_has_its_value)
{
	struct weft_arena arena = {0};
	struct weft_err err = {0};
	struct pulse_value *v;
	REQUIRE(pulse_read(sample, strlen(sample), &arena, &v, &err) == 0);
	CHECK_I64(runtime_workers(v), 2);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		double value;
		bool known = runtime_value(v, rows[i].path, rows[i].worker, &value);
		if (known != rows[i].known || value != rows[i].value)
			printf("# %s of %d: %d, %g\n", rows[i].path, rows[i].worker, known, value);
		CHECK(known == rows[i].known);
		CHECK(value == rows[i].value);
	}
	weft_arena_fini(&arena);
}

TEST(a_sample_of_something_else_has_nothing)
{
	struct weft_arena arena = {0};
	struct weft_err err = {0};
	struct pulse_value *v;
	static const char odd[] = "{\"sample\":0,\"workers\":3,\"knobs\":[5,{}],\"links\":{}}";
	REQUIRE(pulse_read(odd, strlen(odd), &arena, &v, &err) == 0);
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		double value;
		CHECK(!runtime_value(v, rows[i].path, RUNTIME_NO_WORKER, &value) || value == 0);
	}
	CHECK_I64(runtime_workers(v), 0);
	weft_arena_fini(&arena);
}
