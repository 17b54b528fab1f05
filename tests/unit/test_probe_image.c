/* SPDX-License-Identifier: Apache-2.0 */
/* Symbols of executables that the compiler makes here: PIE or not, stripped, with the debug information in another file. */
#include "harness.h"
#include "probe/image/probe_image.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char source[] = "int counter = 3; struct { int a; } both;\n"
			     "__attribute__((noinline)) int work(int x) { return x * 3 + counter; }\n"
			     "__attribute__((noinline)) int local_only(int x) { return x ^ counter; }\n"
			     "int main(int c, char **v) { (void)v; return local_only(work(c)); }\n";

/* Compiles and runs what follows; the folder that it is in. */
static const char *compiled(const char *flags, const char *then)
{
	const char *dir = test_dir();
	char path[4200];
	int status;
	snprintf(path, sizeof path, "%s/p.c", dir);
	FILE *f = fopen(path, "w");
	REQUIRE(f && fputs(source, f) >= 0);
	fclose(f);
	free(test_shell(&status, "cd %s && gcc %s -o p p.c && { %s; } 2>&1", dir, flags, then));
	REQUIRE(status == 0);
	return dir;
}

static struct probe_image *opened(const char *dir, const char *name)
{
	char path[4200];
	struct weft_err err = {0};
	struct probe_image *i;
	snprintf(path, sizeof path, "%s/%s", dir, name);
	if (probe_image_open(path, dir, &i, &err))
		printf("# %s\n", err.text);
	REQUIRE(i);
	return i;
}

static uint64_t address(struct probe_image *i, const char *name, bool data)
{
	struct probe_symbols found = {0};
	CHECK_I64(probe_image_find(i, name, data, &found), 0);
	uint64_t addr = found.n == 1 ? found.at[0].addr : 0;
	free(found.at);
	return addr;
}

static void check_found(struct probe_image *i)
{
	uint64_t addr = address(i, "work", false), end;
	CHECK(addr != 0);
	CHECK(probe_image_executes(i, addr, &end) && end > addr);
	struct probe_symbol s;
	REQUIRE(probe_image_symbol_at(i, addr + 2, &s));
	CHECK_STR(s.name, "work");
	int value = 0;
	CHECK_I64(probe_image_read(i, address(i, "counter", true), &value, sizeof value), 0);
	CHECK_I64(value, 3);
	CHECK_U64(address(i, "counter", false), 0);
	CHECK_U64(address(i, "nothing", false), 0);
	CHECK_STR(probe_image_resembling(i, "wrok", false), "work");
	CHECK(probe_image_read(i, 1, &value, SIZE_MAX) < 0);
}

TEST(probe_image_finds_symbols)
{
	static const char *const flags[] = {"-O2 -pie -fPIE -g", "-O2 -no-pie -g", "-O0 -pie"};
	for (int k = 0; k < 3; k++) {
		struct probe_image *i = opened(compiled(flags[k], "true"), "p");
		check_found(i);
		CHECK(probe_image_moves(i) == (k != 1));
		struct weft_err err = {0};
		CHECK((probe_image_dwarf(i, &err) != NULL) == (k != 2));
		CHECK((err.code != 0) == (k == 2));
		probe_image_close(i);
	}
}

TEST(probe_image_of_a_stripped_file_knows_what_is_exported)
{
	struct probe_image *i = opened(compiled("-O2 -g -rdynamic", "strip p"), "p");
	check_found(i);
	probe_image_close(i);
	i = opened(compiled("-O2 -g", "strip p"), "p");
	CHECK_U64(address(i, "work", false), 0);
	probe_image_close(i);
}

TEST(probe_image_takes_symbols_from_a_debug_file)
{
	static const char *const ways[] = {
		"objcopy --only-keep-debug p p.debug && strip p && objcopy --add-gnu-debuglink=p.debug p",
		"id=$(readelf -n p | sed -n 's/.*Build ID: //p'); mkdir -p .build-id/${id%%${id#??}} && "
		"objcopy --only-keep-debug p .build-id/${id%%${id#??}}/${id#??}.debug && strip p",
	};
	for (int k = 0; k < 2; k++) {
		struct probe_image *i = opened(compiled("-O2 -g -Wl,--build-id", ways[k]), "p");
		check_found(i);
		CHECK(probe_image_dwarf(i, NULL) != NULL);
		probe_image_close(i);
	}
	/* Not the debug file of this build. */
	struct probe_image *i = opened(compiled("-O2 -g -Wl,--build-id",
	                                        "objcopy --only-keep-debug p p.debug; gcc -O1 -Wl,--build-id -o p p.c; strip p; "
	                                        "objcopy --add-gnu-debuglink=p.debug p"),
	                               "p");
	CHECK_U64(address(i, "work", false), 0);
	probe_image_close(i);
}

/* Then the checksum says whose it is: the functions of another build are elsewhere. */
TEST(probe_image_takes_no_foreign_debug_file_without_build_ids)
{
	static const char *const ways[] = {
		"objcopy --only-keep-debug p p.debug && strip p && objcopy --add-gnu-debuglink=p.debug p",
		"objcopy --only-keep-debug p p.debug && strip p && objcopy --add-gnu-debuglink=p.debug p && "
		"gcc -g -O0 -Wl,--build-id=none -o q p.c && objcopy --only-keep-debug q p.debug",
	};
	for (int k = 0; k < 2; k++) {
		struct probe_image *i = opened(compiled("-O2 -g -Wl,--build-id=none", ways[k]), "p");
		CHECK((address(i, "work", false) != 0) == (k == 0));
		CHECK(probe_image_stripped(i) == (k == 1));
		probe_image_close(i);
	}
}

/* What the index of an image finds is what a search through all of its symbols finds, in the same order. */
static void check_same(struct probe_image *indexed, const char *path, const char *name)
{
	struct probe_image *fresh;
	for (int data = 0; data < 2; data++) {
		struct probe_symbols a = {0}, b = {0};
		REQUIRE(probe_image_open(path, NULL, &fresh, NULL) == 0);
		CHECK(probe_image_find(indexed, name, data, &a) == 0 && probe_image_find(fresh, name, data, &b) == 0);
		CHECK_U64(a.n, b.n);
		for (size_t k = 0; k < a.n && k < b.n; k++)
			CHECK(a.at[k].addr == b.at[k].addr && a.at[k].match == b.at[k].match && a.at[k].clone == b.at[k].clone &&
			      !strcmp(a.at[k].name, b.at[k].name));
		free(a.at);
		free(b.at);
		probe_image_close(fresh);
	}
}

TEST(probe_image_has_an_index_that_finds_what_a_search_finds)
{
	int status;
	struct probe_image *image;
	char *path = test_shell(&status, "readlink -f $(gcc -print-file-name=libstdc++.so.6)"), qualified[512];
	path[strcspn(path, "\n")] = '\0';
	REQUIRE(probe_image_open(path, NULL, &image, NULL) == 0);
	char command[4200];
	snprintf(command, sizeof command, "nm -D --defined-only %s | awk 'NR %% 61 == 0 { print $3 }' | head -100", path);
	char *list = test_shell(&status, command), *rest;
	unsigned parts = 0;
	for (char *name = strtok_r(list, "\n", &rest); name; name = strtok_r(NULL, "\n", &rest)) {
		check_same(image, path, name);
		name[strcspn(name, "@")] = '\0';
		check_same(image, path, name);
		if (!probe_name_qualified(name, strlen(name), qualified, sizeof qualified))
			continue;
		check_same(image, path, qualified);
		for (const char *part = qualified; (part = strstr(part, "::")); parts++)
			check_same(image, path, part += 2);
	}
	CHECK(parts > 20);
	probe_image_close(image);
	free(list);
	free(path);
}

TEST(probe_image_refuses_what_is_no_program)
{
	struct weft_err err = {0};
	struct probe_image *i;
	CHECK(probe_image_open("/dev/null", NULL, &i, &err) < 0);
	CHECK_STR(err.text, "'/dev/null' is no 64-bit ELF file");
	err = (struct weft_err){0};
	CHECK(probe_image_open("/nowhere", NULL, &i, &err) < 0);
	CHECK(!i);
}
