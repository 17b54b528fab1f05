/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed of a model: StarPU's table and XML, one parameter, one kind of device, one size. */
#include "harness.h"
#include "models/model_show.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct weft_model_entry entries[] = {
	{.footprint = 0xa3d3725e,
         .n = 100,
         .size = 4096,
         .flops = 1e6,
         .mean = 4.7632,
         .deviation = 0.7650928,
         .sum = 476.32,
         .sum2 = 2327},
	{.footprint = 0x0870a30a, .n = 90, .size = 8192, .mean = 1.82797, .deviation = 0.2037181, .sum = 164.5, .sum2 = 304.5},
};
static struct weft_model_device cpu[] = {{0, 0, 1}}, three[] = {{0, 0, 3}}, cuda[] = {{1, 2, 1}}, both[] = {{0, 0, 1}, {2, 1, 1}};
static double coeff[] = {3, 0.5};
static struct weft_model_impl
	history = {.fit = {.alpha = NAN, .beta = NAN, .a = NAN, .b = NAN, .c = NAN}, .entry = entries, .n_entries = 2},
	power = {.fit = {.n = 190, .min_x = 4096, .max_x = 8192, .alpha = 0.5, .beta = 1.5, .a = NAN, .b = NAN, .c = NAN}},
	offset = {.fit = {.n = 190, .alpha = 0.5, .beta = 1.5, .a = 0.1, .b = 1.6, .c = 2}, .entry = entries, .n_entries = 1},
	products = {.fit = {.alpha = NAN, .beta = NAN, .a = NAN, .b = NAN, .c = NAN, .coeff = coeff, .n_coeff = 2}};
static struct weft_model_comb combs[] = {{cpu, 1, &history, 1, 0},
                                         {three, 1, &power, 1, 1},
                                         {cuda, 1, &offset, 1, 5},
                                         {both, 2, &products, 1, 7}};
static const struct weft_model model = {combs, 4};

static char *shown(const struct weft_model_show *how)
{
	char *text = NULL;
	size_t n;
	FILE *to = open_memstream(&text, &n);
	REQUIRE(to != NULL);
	if (how)
		weft_model_show(&model, how, to);
	else
		weft_model_xml(&model, "a--b\n", NULL, to);
	fclose(to);
	return text;
}

TEST(model_show_table)
{
	char *text = shown(&(struct weft_model_show){.arch = "cpu"});
	CHECK_STR(text,
	          "# performance model for cpu0_impl0 (Comb0)\n# hash\t\tsize\t\tflops\t\tmean (us or J)\tstddev (us or J)\t\tn\n"
	          "a3d3725e\t4096           \t1.000000e+06   \t4.763200e+00   \t7.650928e-01   \t100\n"
	          "0870a30a\t8192           \t0.000000e+00   \t1.827970e+00   \t2.037181e-01   \t90\n");
	free(text);
	text = shown(&(struct weft_model_show){.arch = "cuda"});
	CHECK(strstr(text,
	             "# performance model for cuda2_impl0 (Comb5)\n\tRegression : #sample = 190\n\tLinear: y = alpha size ^ beta\n"
	             "\t\talpha = 5.000000e-01\n\t\tbeta = 1.500000e+00\n\tNon-Linear: y = a size ^b + c\n\t\ta = 1.000000e-01\n"
	             "\t\tb = 1.600000e+00\n\t\tc = 2.000000e+00\n# hash"));
	free(text);
}

TEST(model_show_one_thing)
{
	static const uint32_t second = 0x0870a30a;
	static const struct {
		struct weft_model_show how;
		const char *want;
	} rows[] = {
		{{.arch = "cpu", .parameter = "mean"},
	         "# performance model for cpu0_impl0 (Comb0)\n4.763200e+00   \n1.827970e+00   \n"},
		{{.arch = "cpu", .parameter = "stddev", .footprint = &second},
	         "# performance model for cpu0_impl0 (Comb0)\n2.037181e-01   \n"},
		{{.arch = "cpu:3", .parameter = "beta"}, "# performance model for cpu0_impl0 (Comb1)\n1.500000e+00\n"},
		{{.arch = "cuda_2", .parameter = "c"}, "# performance model for cuda2_impl0 (Comb5)\n2.000000e+00\n"},
		{{.arch = "cuda2", .parameter = "path-file-debug", .debug = "/d/s.h"},
	         "# performance model for cuda2_impl0 (Comb5)\n\t/d/s.h.cuda2_impl0 (Comb5).debug\n"},
		{{.arch = "cuda1", .parameter = "c"}, ""},
		{{.arch = "opencl1", .parameter = "c"}, ""},
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		char *text = shown(&rows[i].how);
		CHECK_STR(text, rows[i].want);
		free(text);
	}
}

TEST(model_show_names)
{
	static const char *const good[] = {"cpu", "cpu:3", "cuda", "cuda0", "cuda_12", "opencl1", "hip0", "sycl", "mpi_sc"};
	static const char *const bad[] = {"", "cp", "cpu:", "cpu:x", "cuda0x", "gpu", "cuda12345678901"};
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		CHECK(weft_model_is_arch(good[i]));
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		CHECK(!weft_model_is_arch(bad[i]));
	CHECK(weft_model_has_parameter("alpha") && weft_model_has_parameter("path-file-debug") && !weft_model_has_parameter("n"));
}

TEST(model_show_xml)
{
	char *text = shown(NULL);
	static const char *const parts[] = {
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE StarPUPerfmodel SYSTEM \"starpu-perfmodel.dtd\">\n<!-- symbol a-?b? -->\n"
		"<!-- All times in us -->\n<perfmodel version=\"45\">\n  <combination>\n    <device type=\"CPU\" id=\"0\" ncores=\"1\"/>\n"
		"    <implementation id=\"0\">\n      <!-- cpu0_impl0 (Comb0) -->\n      <entry footprint=\"a3d3725e\" size=\"4096\" "
		"flops=\"1.000000e+06\" mean=\"4.763200e+00\" deviation=\"7.650928e-01\" sum=\"4.763200e+02\" sum2=\"2.327000e+03\" nsample=\"100\"/>\n",
		"<l_regression sumlnx=\"0.000000e+00\"",
		"minx=\"4096\" maxx=\"8192\"/>",
		"<device type=\"CUDA\" id=\"2\"/>",
		"<nl_regression a=\"1.000000e-01\" b=\"1.600000e+00\" c=\"2.000000e+00\"/>",
		"    <device type=\"CPU\" id=\"0\" ncores=\"1\"/>\n    <device type=\"OpenCL\" id=\"1\"/>\n",
		"<ml_regression constant=\"3.000000e+00\">\n        <monomial name=\"c1\" coef=\"5.000000e-01\"/>\n      </ml_regression>",
	};
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
		CHECK(strstr(text, parts[i]) != NULL);
	free(text);
}
