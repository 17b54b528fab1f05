/* SPDX-License-Identifier: Apache-2.0 */
/* Doctor: programs that Weft runs, or that users run on what it writes. */
#include "base/fs.h"
#include "doctor.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first of several names that is there. */
static bool find_any(const char *const *names, char *path, size_t size)
{
	for (unsigned i = 0; names[i]; i++)
		if (doctor_find_program(names[i], path, size))
			return true;
	return false;
}

static void say_program(struct doctor_report *r, const char *const *names, const char *package)
{
	char path[300];
	if (find_any(names, path, sizeof path))
		doctor_say(r, DOCTOR_YES, "%s", path);
	else
		doctor_say(r, DOCTOR_NO, "%s is not in PATH (Debian: %s)", names[0], package);
}

static void check_mpi(struct doctor_report *r)
{
	static const char *const names[] = {"mpirun", "mpiexec", "srun", NULL};
	char path[300], line[160], compiler[300];
	if (!find_any(names, path, sizeof path)) {
		doctor_say(r, DOCTOR_NO, "mpirun is not in PATH (Debian: openmpi-bin)");
		return;
	}
	int status = doctor_first_line((const char *const[]){path, "--version", NULL}, line, sizeof line);
	if (status != 0)
		doctor_say(r, DOCTOR_PARTLY, "%s is there, but '--version' fails: %.120s", path, line);
	else if (!doctor_find_program("mpicc", compiler, sizeof compiler))
		doctor_say(r, DOCTOR_PARTLY, "%.100s; but no mpicc (Debian: libopenmpi-dev)", line);
	else
		doctor_say(r, DOCTOR_YES, "%.120s", line);
}

/* Whether it makes a shared object, as a tunlet becomes one. */
static void check_compiler(struct doctor_report *r)
{
	static const char *const names[] = {"cc", "gcc", "clang", NULL};
	char path[300], line[200], folder[] = "/tmp/weft-doctor-XXXXXX", source[64], object[64];
	struct weft_err err = {0};
	if (!find_any(names, path, sizeof path)) {
		doctor_say(r, DOCTOR_NO, "cc is not in PATH (Debian: gcc)");
		return;
	}
	if (!mkdtemp(folder)) {
		doctor_say(r, DOCTOR_PARTLY, "%s is there, but /tmp is not writable", path);
		return;
	}
	snprintf(source, sizeof source, "%s/t.c", folder);
	snprintf(object, sizeof object, "%s/t.so", folder);
	FILE *f = fopen(source, "we");
	if (f) {
		fputs("#include <math.h>\ndouble weft(double x) { return sqrt(x); }\n", f);
		fclose(f);
	}
	int status = doctor_first_line((const char *const[]){path, "-shared", "-fPIC", "-O2", "-o", object, source, "-lm", NULL},
	                               line, sizeof line);
	bool made = access(object, R_OK) == 0;
	if (weft_remove_tree(folder, &err))
		made = false;
	if (status == 0 && made)
		doctor_say(r, DOCTOR_YES, "%s", path);
	else
		doctor_say(r, DOCTOR_NO, "%s makes no shared object: %.150s", path, line);
}

static void check_vite(struct doctor_report *r)
{
	say_program(r, (const char *const[]){"vite", "ViTE", NULL}, "vite");
}

static void check_pj_dump(struct doctor_report *r)
{
	say_program(r, (const char *const[]){"pj_dump", NULL}, "pajeng");
}

static void check_graphviz(struct doctor_report *r)
{
	say_program(r, (const char *const[]){"dot", NULL}, "graphviz");
}

static void check_gnuplot(struct doctor_report *r)
{
	say_program(r, (const char *const[]){"gnuplot", NULL}, "gnuplot-nox");
}

const struct doctor_check doctor_program_checks[] = {
	{"mpi", "programs of several processes", check_mpi},
	{"compiler", "tunlets", check_compiler},
	{"vite", "look at Paje traces", check_vite},
	{"pj_dump", "read Paje traces as text", check_pj_dump},
	{"graphviz", "draw graphs", check_graphviz},
	{"gnuplot", "draw curves", check_gnuplot},
	{0},
};
