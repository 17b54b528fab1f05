/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft efficiency` of a trace of 576 MB (11.5 million lines, see prv_text.h) from its index: without and with the replay on an ideal
 * network; against reading the text's bytes. WEFT_BENCH_BYTES makes the trace smaller or larger.
 */
#include "bench.h"

#include "prv_text.h"

#include <stdlib.h>
#include <unistd.h>

static char dir[64] = "/tmp/weft-bench-efficiency-XXXXXX";
static const char *weft;

static double efficiency(void *options)
{
	return bench_command("cd %s && '%s' efficiency -q %s t.prv >out.txt && test -s out.txt", dir, weft,
	                     (const char *)options);
}

static double floor_of_text(void *unused)
{
	(void)unused;
	return bench_command("cat %s/t.prv", dir);
}

static const struct bench_variant whole[] = {{"plain", efficiency, "--no-ideal"},
                                             {"ideal", efficiency, ""},
                                             {"windows", efficiency, "--window 10ms"},
                                             {"cat", floor_of_text, NULL},
                                             {0}};
static const struct bench benches[] = {{"efficiency", "s", 3, whole}, {0}};

static bool set_up(void)
{
	const char *bytes = getenv("WEFT_BENCH_BYTES"), *build = getenv("WEFT_BUILD");
	static char path[4096];
	static struct prv_text text;
	snprintf(path, sizeof path, "%s/weft", build ? build : "build");
	weft = realpath(path, NULL);
	if (!weft || !mkdtemp(dir))
		return false;
	prv_text_make(&text, bytes ? strtoull(bytes, NULL, 10) : 576000000);
	snprintf(path, sizeof path, "%s/t.prv", dir);
	FILE *f = text.out.failed ? NULL : fopen(path, "w");
	bool good = f && fwrite(text.out.at, 1, text.out.n, f) == text.out.n;
	good = f && fclose(f) == 0 && good;
	weft_buf_fini(&text.out);
	return good && bench_command("cd %s && '%s' index -q t.prv", dir, weft) >= 0;
}

int main(int argc, char **argv)
{
	if (!set_up()) {
		fprintf(stderr, "cannot make the trace in '%s', or there is no weft in $WEFT_BUILD\n", dir);
		return 1;
	}
	int status = bench_main(argc, argv, benches);
	bench_command("rm -rf %s", dir);
	return status;
}
