/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TinyCC's library as the compiler of translations: it is in this process, takes milliseconds, and
 * needs nothing that is installed. Headers that specifications usually name are replaced by
 * prototypes of our own, in front of the translation, whose `#include` lines become empty; others
 * are looked for on the system.
 *
 * What of a function that is left to the compiler would trap with the system's compiler (an index
 * out of bounds, a number that does not fit) is not found here; so that one goes first where there
 * are such functions (tune_compile).
 */
#include "gen_priv.h"
#include <errno.h>
#include <libtcc.h>
#include <stdlib.h>
#include <string.h>

/* A line each: lines are counted to find what an error is about. */
static const char prefix[] =
	"typedef unsigned long size_t; typedef long ptrdiff_t;\n"
	/*
	 * Functions of the compiler's own helper library, which conversions of unsigned to floating
	 * numbers need.
	 */
	"double __floatundidf(unsigned long long x)"
	" { return (long long)x >= 0 ? (double)(long long)x : 2.0 * (double)(long long)(x >> 1 | (x & 1)); }\n"
	"float __floatundisf(unsigned long long x)"
	" { return (long long)x >= 0 ? (float)(long long)x : 2.0f * (float)(long long)(x >> 1 | (x & 1)); }\n"
	"unsigned long long __fixunsdfdi(double x)"
	" { return x < 9223372036854775808.0 ? (long long)x : (long long)(x - 9223372036854775808.0) ^ (long long)(1ull << 63); }\n"
	"unsigned long long __fixunssfdi(float x) { return __fixunsdfdi(x); }\n";

static const struct {
	const char *header, *text;
} headers[] = {
	{"math.h",
         "double expm1(double), log1p(double), copysign(double, double), fdim(double, double), remainder(double, double),"
         " nearbyint(double), rint(double), exp2(double), tgamma(double), lgamma(double), erf(double), erfc(double), asinh(double),"
         " acosh(double), atanh(double), ldexp(double, int), frexp(double, int *), modf(double, double *); long lround(double), "
         "lrint(double); float sqrtf(float), powf(float, float), fabsf(float), expf(float), logf(float), sinf(float), cosf(float), "
         "floorf(float), ceilf(float), fminf(float, float), fmaxf(float, float);\n"
         "#define M_PI 3.14159265358979323846\n#define M_E 2.7182818284590452354\n#define M_SQRT2 1.41421356237309504880\n"
         "#define INFINITY (1e300 * 1e300)\n#define HUGE_VAL INFINITY\n#define NAN (INFINITY - INFINITY)\n"
         "#define isnan(x) ((x) != (x))\n#define isinf(x) (!isnan(x) && isnan((x) - (x)))\n#define isfinite(x) (!isnan((x) - (x)))\n"
         "#define signbit(x) (copysign(1.0, x) < 0)\n"},
	{"stdlib.h",
         "void *malloc(size_t), *calloc(size_t, size_t), *realloc(void *, size_t), free(void *); int abs(int), rand(void), "
         "atoi(const char *); void srand(unsigned), qsort(void *, size_t, size_t, int (*)(const void *, const void *)); long "
         "labs(long), strtol(const char *, char **, int); double atof(const char *), strtod(const char *, char **);\n"
         "#define NULL ((void *)0)\n#define RAND_MAX 2147483647\n"},
	{"string.h",
         "size_t strlen(const char *); int strcmp(const char *, const char *), strncmp(const char *, const char *, size_t), "
         "memcmp(const void *, const void *, size_t); void *memcpy(void *, const void *, size_t), *memset(void *, int, size_t), "
         "*memmove(void *, const void *, size_t); char *strstr(const char *, const char *), *strchr(const char *, int);\n"},
	{"stdint.h",
         "typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long int64_t; typedef unsigned char "
         "uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t; typedef unsigned long uint64_t;\n"},
	{"stdbool.h", "#define bool _Bool\n#define true 1\n#define false 0\n"},
	{"stddef.h", "\n"},
	{"limits.h", "#define INT_MAX 2147483647\n#define INT_MIN (-INT_MAX - 1)\n#define UINT_MAX 4294967295u\n#define LONG_MAX "
                     "9223372036854775807l\n#define LONG_MIN (-LONG_MAX - 1)\n"},
	{"float.h",
         "#define DBL_MAX 1.7976931348623157e308\n#define DBL_MIN 2.2250738585072014e-308\n#define DBL_EPSILON 2.2204460492503131e-16\n"
         "#define FLT_MAX 3.40282347e38f\n#define FLT_EPSILON 1.19209290e-7f\n"},
};
enum { HEADERS = sizeof headers / sizeof *headers };

/* Which of ours a line includes; -1: none. */
static int header_of(struct weft_str line)
{
	static const char begin[] = "#include <";
	if (line.n < sizeof begin || memcmp(line.at, begin, sizeof begin - 1))
		return -1;
	for (int k = 0; k < (int)HEADERS; k++) {
		size_t n = strlen(headers[k].header);
		if (line.n == sizeof begin + n && !memcmp(line.at + sizeof begin - 1, headers[k].header, n))
			return k;
	}
	return -1;
}

/* The whole text; *lines: how many stand before the translation. */
static int make_text(const struct tune_source *t, struct weft_buf *out, unsigned *lines)
{
	struct weft_str rest = weft_str_n(t->text.at, t->text.n), line;
	bool in[HEADERS] = {false};
	weft_buf_puts(out, prefix);
	for (struct weft_str look = rest; weft_str_cut(&look, '\n', &line);) {
		int k = header_of(line);
		if (k >= 0 && !in[k])
			weft_buf_puts(out, headers[k].text);
		if (k >= 0)
			in[k] = true;
	}
	*lines = 0;
	for (size_t k = 0; k < out->n; k++)
		*lines += out->at[k] == '\n';
	while (weft_str_cut(&rest, '\n', &line)) {
		if (header_of(line) < 0)
			weft_buf_add(out, line.at, line.n);
		weft_buf_puts(out, "\n");
	}
	return out->failed ? -ENOMEM : 0;
}

struct complaint {
	char text[300];
};

static void complain(void *to, const char *text)
{
	struct complaint *c = to;
	if (!c->text[0]) /* the first one: others follow from it */
		snprintf(c->text, sizeof c->text, "%s", text);
}

/* "<string>:12: error: text", as an error with the place in the specification. */
static int explain(struct weft_spec *s, const struct tune_source *t, struct complaint *c, unsigned lines, struct weft_err *err)
{
	unsigned line = 0;
	char *colon = strchr(c->text, ':'), *found = strstr(c->text, "error: ");
	uint32_t spec_line, spec_col;
	weft_one_line(c->text);
	if (!found || !colon || sscanf(colon, ":%u:", &line) != 1 || line <= lines)
		return weft_err_set(err, WEFT_E_SYNTAX, "'%s': the compiler failed: %s", s->file, c->text);
	spec_place(s, tune_origin_of(t, line - lines, 1), &spec_line, &spec_col);
	return weft_err_set(err, WEFT_E_SYNTAX, "%s:%u:%u: %s", s->file, spec_line, spec_col, found + strlen("error: "));
}

int tune_tcc(struct weft_spec *s, const struct tune_source *t, const char *path, struct weft_err *err)
{
	struct weft_buf text = {0};
	struct complaint first = {""};
	unsigned lines = 0;
	TCCState *tcc = tcc_new();
	int rc = tcc && make_text(t, &text, &lines) == 0 ? 0 : weft_err_set(err, -ENOMEM, "out of memory");
	if (rc)
		goto out;
	tcc_set_error_func(tcc, &first, complain);
	tcc_set_options(tcc, "-nostdlib -w");
	if (tcc_set_output_type(tcc, TCC_OUTPUT_DLL) || tcc_compile_string(tcc, text.at) || tcc_output_file(tcc, path))
		rc = explain(s, t, &first, lines, err);
out:
	if (tcc)
		tcc_delete(tcc);
	weft_buf_fini(&text);
	return rc;
}
