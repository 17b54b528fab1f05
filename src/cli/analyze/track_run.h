/* SPDX-License-Identifier: Apache-2.0 */
/* Several clusterings and what follows from them; cmd_track.c says what is asked. */
#ifndef WEFT_CLI_TRACK_RUN_H
#define WEFT_CLI_TRACK_RUN_H

#include "analyze/track/track.h"
#include "cluster_run.h"

struct track_runs { /* owned */
	uint32_t n;
	struct cluster_run *run;
	struct cluster_how *how; /* by run */
	struct weft_tracks tracks;
};
/* Of an object in a run: sums over its clusters. */
struct track_cell {
	uint64_t bursts;
	double total_ns, share;
	unsigned clusters;
};
struct track_cell track_cell_of(const struct track_runs *t, uint32_t run, uint32_t object);
/* Mean of a metric (or extra one) over an object's bursts in a run; NAN: it has none. */
double track_mean(const struct track_runs *t, uint32_t run, uint32_t object, unsigned value);
const char *track_run_name(const struct track_runs *t, uint32_t run);

/* Moving circles, one for each object, over the first two metrics: an .svg that moves, a still of the ways in other forms. */
int track_write_picture(const struct track_runs *t, const char *path);
int track_write_sequences(const struct track_runs *t, const char *path);
/* PREFIX.N.prv (of a .prv) or PREFIX.N.weft: each run with the objects of its bursts. */
int track_write_traces(const struct track_runs *t, const char *prefix, bool force);

#endif
