/* SPDX-License-Identifier: Apache-2.0 */
/* Where derived traces stay: INDEX/NAME/index/. Whatever goes wrong there is as if nothing had been kept. */
#include "trace/open.h"
#include "derived.h"
#include "trace/store/index_files.h"
#include "pyramid_priv.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DERIVED_LEAST (4u << 20) /* what smaller traces become is made faster than anyone would miss it */

/* INDEX/NAME of a trace whose index stays; NULL: it has none, or it is not worth keeping anything. */
static char *folder_of(const struct weft_trace *t, const char *name, uint64_t bytes)
{
	char *index = bytes < DERIVED_LEAST ? NULL : index_dir_of(t->path), *folder = NULL;
	if (index && pyramid_has_index(t, index) && asprintf(&folder, "%s/%s", index, name) < 0)
		folder = NULL;
	free(index);
	return folder;
}

/* The stamps that t was opened with. */
static int stamps_of(const struct weft_trace *t, struct index_stamps *to)
{
	const struct weft_store *s = t->store;
	*to = (struct index_stamps){0};
	for (uint32_t i = 0; i < s->n_stamps; i++) {
		const struct store_stamp *was = &s->stamp[i];
		struct index_stamp row = {.bytes = was->bytes, .mtime_ns = was->mtime_ns};
		row.name = was->name < s->strings_bytes ? strdup(s->strings + was->name) : NULL;
		if (!row.name || weft_vec_push(&to->at, row)) {
			free(row.name);
			index_stamps_fini(to);
			return -ENOMEM;
		}
		to->bytes += row.bytes;
	}
	return 0;
}

int weft_derived_open(struct weft_trace **out, const struct weft_trace *t, const char *name)
{
	struct index_stamps stamps;
	*out = NULL;
	int rc = stamps_of(t, &stamps);
	if (rc)
		return rc;
	char *folder = folder_of(t, name, stamps.bytes);
	rc = folder ? index_open(out, folder, &stamps, weft_open_memory(NULL), NULL) : -ENOENT;
	free(folder);
	index_stamps_fini(&stamps);
	return rc;
}

/* The folder and the index in it; false when they cannot be there. */
static bool make_folders(const char *folder, char **index)
{
	*index = NULL;
	if (mkdir(folder, 0777) && errno != EEXIST)
		return false;
	*index = index_dir_of(folder);
	return *index && index_dir_make(*index) == 0;
}

int weft_derived_build(struct weft_trace **out, const struct weft_trace *t, const char *name, const char *path,
                       struct weft_err *err)
{
	struct index_stamps stamps;
	struct text_stream none = {.fd = -1};
	char *index = NULL;
	*out = NULL;
	int rc = stamps_of(t, &stamps);
	if (rc)
		return rc;
	char *folder = folder_of(t, name, stamps.bytes);
	rc = -EROFS;
	if (folder && make_folders(folder, &index))
		rc = open_build(out, &weft_prv_reader, folder, path, index, &stamps, &none, NULL, NULL);
	if (rc)
		rc = weft_trace_open(out, path, &(struct weft_open_how){.no_index = true}, err);
	free(index);
	free(folder);
	index_stamps_fini(&stamps);
	return rc;
}
