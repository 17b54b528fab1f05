/* SPDX-License-Identifier: Apache-2.0 */
/* Where model files are written and looked for, by the environment. */
#include "harness.h"
#include "base/fs.h"
#include "models/model_path.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put(const char *folder, const char *name)
{
	char path[4200];
	struct weft_err err = {0};
	snprintf(path, sizeof path, "%s/codelets/45", folder);
	REQUIRE(weft_make_dirs(path, &err) == 0);
	snprintf(path, sizeof path, "%s/codelets/45/%s", folder, name);
	FILE *f = fopen(path, "w");
	REQUIRE(f != NULL);
	fclose(f);
}

static void clear(void)
{
	static const char *const names[] = {"STARPU_PERF_MODEL_DIR", "STARPU_PERF_MODEL_PATH", "STARPU_HOME", "STARPU_HOSTNAME"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		unsetenv(names[i]);
}

TEST(model_path_of_home)
{
	char at[WEFT_MODEL_PATH], want[WEFT_MODEL_PATH];
	clear();
	setenv("HOME", "/h", 1);
	CHECK(weft_model_folder(0, at, sizeof at));
	CHECK_STR(at, "/h/.starpu/sampling");
	CHECK(!weft_model_folder(1, at, sizeof at));
	setenv("STARPU_HOME", "/s", 1);
	setenv("STARPU_HOSTNAME", "some.where", 1);
	CHECK(weft_model_path(at, sizeof at, "x", NULL));
	CHECK_STR(at, "/s/.starpu/sampling/codelets/45/x.some.where");
	CHECK(weft_model_path(at, sizeof at, "x", "other"));
	CHECK_STR(at, "/s/.starpu/sampling/codelets/45/x.other");
	weft_model_folder_of(at, sizeof at, "codelets/tmp");
	CHECK_STR(at, "/s/.starpu/sampling/codelets/tmp");
	unsetenv("STARPU_HOSTNAME");
	weft_model_host(want, sizeof want);
	CHECK(*want && !strchr(want, '.'));
}

/* First the folder that is asked for, then home, then the path; each once, empty parts not at all. */
TEST(model_path_in_order)
{
	char at[WEFT_MODEL_PATH];
	static const char *const want[] = {"/d", "/s/.starpu/sampling", "/p1", "/p2"};
	clear();
	setenv("STARPU_PERF_MODEL_DIR", "/d", 1);
	setenv("STARPU_HOME", "/s", 1);
	setenv("STARPU_PERF_MODEL_PATH", ":/p1:/d::/p2:/p1", 1);
	for (unsigned i = 0; i < 4; i++) {
		CHECK(weft_model_folder(i, at, sizeof at));
		CHECK_STR(at, want[i]);
	}
	CHECK(!weft_model_folder(4, at, sizeof at));
	CHECK_STR(at, "");
}

TEST(model_path_of_the_first_that_has_it)
{
	char a[1000], b[1000], at[WEFT_MODEL_PATH], want[WEFT_MODEL_PATH];
	snprintf(a, sizeof a, "%s/a", test_dir());
	snprintf(b, sizeof b, "%s/b", test_dir());
	clear();
	setenv("STARPU_HOSTNAME", "h", 1);
	setenv("STARPU_PERF_MODEL_DIR", a, 1);
	setenv("STARPU_HOME", "/nowhere", 1);
	setenv("STARPU_PERF_MODEL_PATH", b, 1);
	put(b, "m.h");
	CHECK(weft_model_find(at, sizeof at, "m", NULL));
	snprintf(want, sizeof want, "%s/codelets/45/m.h", b);
	CHECK_STR(at, want);
	CHECK(weft_model_find(at, sizeof at, "m.h", NULL)); /* as files are called */
	CHECK_STR(at, want);
	put(a, "m.h");
	CHECK(weft_model_find(at, sizeof at, "m", NULL));
	snprintf(want, sizeof want, "%s/codelets/45/m.h", a);
	CHECK_STR(at, want);
	CHECK(!weft_model_find(at, sizeof at, "m", "other"));
	snprintf(want, sizeof want, "%s/codelets/45/m.other", a);
	CHECK_STR(at, want);
	CHECK(!weft_model_find(at, 20, "m", NULL)); /* too long */
}

TEST(model_path_names)
{
	CHECK(weft_model_is_name("chol_model_gemm.suite"));
	CHECK(weft_model_is_name("x.damaged.h"));
	CHECK(!weft_model_is_name("x.h.damaged"));
	CHECK(!weft_model_is_name(".weft-123.tmp"));
}
