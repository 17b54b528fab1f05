/* SPDX-License-Identifier: Apache-2.0 */
/* The trace with what each burst belongs to, as events of the type 90000001 at its begin, and 0 at its end. */
#include "annotate.h"
#include "cluster_run.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CLUSTER_TYPE = 90000001, CLUSTER_GRADIENT = 9 };
static const char *const fates[] = {"End", "Missing Data", "Duration Filtered", "Range Filtered", "Threshold Filtered", "Noise"};

/* Texts "Cluster N" in the arena-like block behind the labels. */
static struct weft_tool_new_label *make_labels(uint32_t n_clusters, size_t *n)
{
	enum { TEXT = 24 };
	*n = 6 + (size_t)n_clusters;
	struct weft_tool_new_label *label = malloc(*n * (sizeof *label + TEXT));
	char *text = (char *)(label + *n);
	for (size_t i = 0; label && i < *n; i++, text += TEXT) {
		snprintf(text, TEXT, "Cluster %zu", i - 5);
		label[i] = (struct weft_tool_new_label){(int64_t)i, i < 6 ? fates[i] : text};
	}
	return label;
}

static int make_notes(const struct cluster_run *r, const struct cluster_lines *l, const int64_t *id, bool filtered,
                      struct cli_notes *notes)
{
	const struct weft_bursts *b = &r->bursts;
	int rc = 0;
	for (unsigned end = 2; end-- > 0;) /* of one time, ends come before begins */
		for (size_t i = 0; i < b->n && !rc; i++) {
			if (!filtered && id[i] < WEFT_BURST_NOISE)
				continue;
			uint64_t time = end ? b->end[i] : b->begin[i];
			rc = weft_vec_push(&notes->note, ((struct cli_note){time, end ? 0 : id[i], b->thread[i], l->cpu[i], 0}));
		}
	return rc ? rc : cli_notes_sort(notes);
}

int cluster_write_trace(const struct cluster_run *r, const struct cluster_lines *l, const char *output, bool alone, bool filtered,
                        bool force)
{
	struct weft_tool_new_type type = {.number = CLUSTER_TYPE, .gradient = CLUSTER_GRADIENT, .text = "Cluster ID"};
	struct cli_notes notes = {.type = &type, .n_types = 1, .alone = alone};
	int64_t *id = cluster_ids(r);
	struct weft_tool_new_label *label = make_labels(r->n_clusters, &type.n_labels);
	type.label = label;
	int rc = id && label ? make_notes(r, l, id, filtered, &notes) : -ENOMEM;
	int status = rc ? cli_fail_code(rc) : cli_notes_write(r->common, r->trace, r->how->path, output, &notes, force);
	free(id);
	free(label);
	free(notes.note.at);
	return status;
}
