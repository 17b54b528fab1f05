/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `weft record --probe`: functions of programs that know nothing of Weft, watched by libweft-agent in every process of the
 * command. A thread of its own takes the processes as they appear, puts the probes in before their main, and writes what they see
 * into a stream for each process.
 */
#ifndef WEFT_CLI_RECORD_PROBE_H
#define WEFT_CLI_RECORD_PROBE_H

#include "base/opt.h"
#include "base/str.h"

struct record_prober;

struct record_prober_how {
	const struct weft_opt_list *probes; /* as texts (probe_watch.h); borrowed */
	const char *dir, *host, *boot_id;   /* borrowed */
	const uint8_t *run_id;
};

struct record_probed {
	uint32_t processes, threads;
	uint64_t events, lost;
};

/*
 * Reads the probes, listens, and sets the environment that brings the agent into the command's processes: before the command's
 * process is made. Then it must be started.
 */
int record_prober_new(struct record_prober **out, const struct record_prober_how *how, struct weft_err *err) WEFT_MUST_CHECK;
int record_prober_start(struct record_prober *p) WEFT_MUST_CHECK;
/*
 * Takes the last events; processes that still run are left without probes. `remarks`: lines about probes that could not be put anywhere. Frees; p
 * may be NULL.
 */
void record_prober_finish(struct record_prober *p, struct record_probed *totals, struct weft_buf *remarks);

#endif
