/* SPDX-License-Identifier: Apache-2.0 */
/* Dimemas' configurations and machines' files: any bytes are read or refused with one line; a machine that was read holds its own rules. */
#include "fuzz.h"

#include "replay/dimemas/dim_cfg.h"
#include "replay/machine/replay_settings.h"

#include <string.h>

static void read_settings(const char *at, size_t n)
{
	struct weft_replay_settings s;
	struct weft_err err = {0};
	weft_replay_settings_init(&s);
	int rc = weft_replay_settings_parse(&s, at, n, "fuzz", &err);
	FUZZ_REQUIRE(rc <= 0 && (rc == 0 || (err.code == rc && !strchr(err.text, '\n'))));
}

int LLVMFuzzerTestOneInput(const uint8_t *at, size_t n)
{
	struct weft_replay_machine m;
	struct weft_err err = {0};
	uint32_t node[8];
	/* A configuration may name files, which are none of the fuzzer's: such are left out. */
	if (memmem(at, n, "configuration files", 19))
		return 0;
	read_settings((const char *)at, n);
	int rc = weft_replay_cfg_parse(&m, (const char *)at, n, "fuzz", NULL, &err);
	if (rc) {
		FUZZ_REQUIRE(rc < 0 && err.code == rc && err.text[0] && !strchr(err.text, '\n'));
		return 0;
	}
	FUZZ_REQUIRE(weft_replay_machine_check(&m, NULL) == 0);
	if (weft_replay_map_ranks(&m, 8, node, &err) == 0)
		for (unsigned i = 0; i < 8; i++)
			FUZZ_REQUIRE(node[i] < m.n_nodes);
	err = (struct weft_err){0};
	rc = weft_replay_collectives_parse(&m, (const char *)at, n, "fuzz", &err);
	FUZZ_REQUIRE(rc <= 0 && (rc == 0 || err.code == rc));
	weft_replay_machine_fini(&m);
	return 0;
}
