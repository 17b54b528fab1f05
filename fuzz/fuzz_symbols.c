/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as an executable: it is refused with one line, or addresses in it have frames. */
#include "fuzz.h"

#include "symbols/symbols_priv.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void ask(struct symbols_file *f, uint64_t addr)
{
	struct symbols_spot spot[SYMBOLS_DEPTH];
	uint64_t start;
	int n = symbols_file_find(f, addr, spot, &start);
	FUZZ_REQUIRE(n >= 0 && n <= SYMBOLS_DEPTH);
	for (int i = 0; i < n; i++) {
		FUZZ_REQUIRE(!spot[i].name || strlen(spot[i].name) < SIZE_MAX);
		FUZZ_REQUIRE(!spot[i].file || strlen(spot[i].file) < SIZE_MAX);
	}
	FUZZ_REQUIRE(n == 0 || !spot[n - 1].inlined);
	FUZZ_REQUIRE(start == UINT64_MAX || start <= addr);
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct symbols_file *f;
	struct weft_err err = {0};
	char path[64];
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	FUZZ_REQUIRE(fd >= 0 && write(fd, at, n) == (ssize_t)n);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int rc = symbols_file_open(&f, path, "", "/nonexistent", &err);
	FUZZ_REQUIRE((rc == 0) == (err.text[0] == 0));
	FUZZ_REQUIRE(!strchr(err.text, '\n'));
	for (uint64_t addr = 0; !rc && addr < 0x6000; addr += 61)
		ask(f, symbols_file_address(f, 0, addr));
	if (!rc)
		symbols_file_close(f);
	close(fd);
	return 0;
}
