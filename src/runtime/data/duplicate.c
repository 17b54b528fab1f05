/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Read-only duplicates: each value of a handle has one at most, shared and reference-counted; a
 * duplicate of a duplicate is the same. After a write to the original is submitted, the next query
 * gets a new one. A value is identified by its last writer in the order, so that submitting and
 * running tasks has no cost for this.
 */
#include "data.h"
#include "runtime/task/complain.h"
#include "replica.h"

/* With rt_data.lock. */
static void unlink_duplicate(starpu_data_handle_t original)
{
	if (original->duplicate)
		original->duplicate->duplicate_of = NULL;
	original->duplicate = NULL;
}

/*
 * The existing duplicate: the handle itself when it is one, or its duplicate when that has its
 * value. NULL: there is none.
 */
static starpu_data_handle_t find(starpu_data_handle_t src, rt_ref version, bool known)
{
	rt_replica_lock();
	starpu_data_handle_t dup = src->n_duplicates ? src : src->duplicate;
	if (dup != src && !(known && src->duplicated == version))
		dup = NULL;
	if (dup)
		dup->n_duplicates++;
	rt_replica_unlock();
	return dup;
}

int starpu_data_dup_ro(starpu_data_handle_t *dst_handle, starpu_data_handle_t src_handle)
{
	rt_ref version;
	bool known = rt_handle_version(&src_handle->order, &version);
	starpu_data_handle_t dup = find(src_handle, version, known);
	int rc = 0;
	if (!dup) {
		starpu_data_register_same(&dup, src_handle);
		rc = starpu_data_cpy(dup, src_handle, 1, NULL, NULL);
		/*
		 * Contributions and writes in any order end where they are copied: from then on
		 * there is a version.
		 */
		known = known || rt_handle_version(&src_handle->order, &version);
		rt_replica_lock();
		dup->n_duplicates = 1;
		unlink_duplicate(src_handle);
		if (!rc && known) {
			src_handle->duplicate = dup;
			src_handle->duplicated = version;
			dup->duplicate_of = src_handle;
		}
		rt_replica_unlock();
	}
	*dst_handle = dup;
	return rc;
}

starpu_data_handle_t starpu_data_dup_ro_get(starpu_data_handle_t handle)
{
	starpu_data_handle_t dup;
	return starpu_data_dup_ro(&dup, handle) ? NULL : dup;
}

bool rt_duplicate_is_shared(starpu_data_handle_t h)
{
	rt_replica_lock();
	bool shared = h->n_duplicates > 1;
	h->n_duplicates -= h->n_duplicates > 0;
	if (!shared) {
		unlink_duplicate(h);
		if (h->duplicate_of)
			unlink_duplicate(h->duplicate_of);
	}
	rt_replica_unlock();
	return shared;
}
