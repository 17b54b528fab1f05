/* SPDX-License-Identifier: Apache-2.0 */
/* Sums by thread and stretch, of a trace whose every interval is known. Thread 1.1.1 is useful 0..400 and 600..1000, in MPI 400..600. */
#include "analyze/factor/usage.h"
#include "metric_maker.h"

static const char prv[] = "#Paraver (01/01/2024 at 10:00):1000_ns:1(2):1:2(1:1,1:1)\n"
			  "1:1:1:1:1:0:400:1\n1:1:1:1:1:400:600:3\n1:1:1:1:1:600:1000:1\n"
			  "1:2:1:2:1:0:100:1\n1:2:1:2:1:100:1000:13\n"
			  "2:1:1:1:1:400:50000001:1\n2:1:1:1:1:600:50000001:0\n"
			  "2:2:1:2:1:100:50000002:8\n2:2:1:2:1:1000:50000002:0\n"
			  "2:1:1:1:1:0:42000050:0\n2:1:1:1:1:400:42000050:800:42000059:400\n2:1:1:1:1:600:42000050:5\n"
			  "2:1:1:1:1:1000:42000050:600:42000059:300\n";
static const char pcf[] =
	"EVENT_TYPE\n9 50000001 MPI Point-to-point\nVALUES\n0 Outside MPI\n1 MPI_Send\n\nEVENT_TYPE\n9 50000002 MPI "
	"Collective Comm\nVALUES\n0 Outside MPI\n8 MPI_Barrier\n\nEVENT_TYPE\n7 42000050 PAPI_TOT_INS\n7 42000059 PAPI_TOT_CYC\n";

TEST(the_whole_run_is_summed)
{
	struct made m;
	struct weft_usage u;
	struct weft_err err = {0};
	make_trace(&m, prv, pcf, NULL);
	REQUIRE(weft_usage_measure(&u, &m.s, (const double[]){0, 1000}, 1, 1, &err) == 0);
	CHECK_U64(u.n_threads, 2);
	CHECK_U64(u.n_processes, 2);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_USEFUL, 0, 0), 800, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_USEFUL, 1, 0), 100, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_MPI, 0, 0), 200, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_MPI, 1, 0), 900, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_P2P, 0, 0), 200, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_P2P, 1, 0), 0, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_COLLECTIVE, 1, 0), 900, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_INSTRUCTIONS, 0, 0), 1400, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_CYCLES, 0, 0), 700, 1e-9);
	CHECK(!u.sum[WEFT_USAGE_PARALLEL]);
	CHECK(weft_usage_is_first(&u, 0) && weft_usage_is_first(&u, 1));
	weft_usage_fini(&u);
	unmake_trace(&m);
}

TEST(stretches_share_what_crosses_them)
{
	struct made m;
	struct weft_usage u;
	struct weft_err err = {0};
	make_trace(&m, prv, pcf, NULL);
	REQUIRE(weft_usage_measure(&u, &m.s, (const double[]){0, 300, 700, 1000}, 3, 2, &err) == 0);
	const double useful[] = {300, 200, 300}, instructions[] = {600, 200 + 150, 450};
	for (uint32_t b = 0; b < 3; b++) {
		CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_USEFUL, 0, b), useful[b], 1e-9);
		CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_INSTRUCTIONS, 0, b), instructions[b], 1e-9);
	}
	CHECK_NEAR(weft_usage_length(&u, 1), 400, 1e-9);
	weft_usage_fini(&u);
	unmake_trace(&m);
}

/* Processes 1 and 2 are on a node of two cpus, 3 on another one. */
TEST(messages_inside_and_between_nodes)
{
	static const char three[] = "#Paraver (01/01/2024 at 10:00):1000_ns:2(2,1):1:3(1:1,1:1,1:2)\n"
				    "3:1:1:1:1:5:5:2:1:2:1:10:10:10:1\n3:1:1:1:1:50:50:3:1:3:1:60:60:20:1\n"
				    "3:2:1:2:1:499:499:1:1:1:1:600:600:30:1\n3:1:1:1:1:500:500:3:1:3:1:700:700:40:1\n";
	struct made m;
	struct weft_usage u;
	struct weft_err err = {0};
	make_trace(&m, three, pcf, NULL);
	REQUIRE(weft_usage_measure(&u, &m.s, (const double[]){0, 500, 1000}, 2, 1, &err) == 0);
	CHECK_U64(u.messages[0][0], 2);
	CHECK_U64(u.bytes[0][0], 40);
	CHECK_U64(u.messages[1][0], 1);
	CHECK_U64(u.bytes[1][0], 20);
	CHECK_U64(u.messages[0][1], 0);
	CHECK_U64(u.bytes[1][1], 40);
	weft_usage_fini(&u);
	unmake_trace(&m);
}

/* The second thread of the process is a stream of a device: it computes 100..400, copies 400..450. */
TEST(streams_of_devices_are_no_threads)
{
	static const char gpu[] =
		"#Paraver (01/01/2024 at 10:00):1000_ns:1(1):1:1(2:1)\n1:1:1:1:1:0:1000:1\n1:1:1:1:2:100:400:1\n"
		"1:1:1:1:2:400:450:17\n2:1:1:1:1:500:63000000:4\n2:1:1:1:1:700:63000000:0\n";
	static const char names[] = "STATES\n1 Running\n17 Memory transfer\n\nEVENT_TYPE\n0 63000000 CUDA library call\n";
	struct made m;
	struct weft_usage u;
	struct weft_err err = {0};
	make_trace(&m, gpu, names, "LEVEL THREAD SIZE 2\nTHREAD 1.1.1\nCUDA-D1.S1-host\n");
	REQUIRE(weft_usage_measure(&u, &m.s, (const double[]){0, 1000}, 1, 1, &err) == 0);
	CHECK_U64(u.n_threads, 1);
	CHECK_U64(u.n_devices, 1);
	CHECK_NEAR(u.kernel[0], 300, 1e-9);
	CHECK_NEAR(u.copy[0], 50, 1e-9);
	CHECK_NEAR(weft_usage_at(&u, WEFT_USAGE_OFFLOAD, 0, 0), 200, 1e-9);
	weft_usage_fini(&u);
	unmake_trace(&m);
}
