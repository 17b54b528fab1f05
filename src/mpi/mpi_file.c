/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI-IO: the region of a call that moves data has the file's name and the bytes as attributes; of a call that only begins it, the bytes
 * that it asks for. A file is in the table of requests while it is open, by its handle, which is an address, made odd.
 */
#include "mpi_priv.h"

static weft_attr file = WEFT_OFF, bytes = WEFT_OFF;

static mpi_word key_of(mpi_word handle)
{
	return handle | 1;
}

/* Of a call that reads or writes: how it ends. */
static const struct {
	unsigned call;
	signed char count, type, status; /* -1: none */
} moves[] = {
#define HERE(name) \
	{ \
		LINK_MPI_File_##name, 2, 3, 4 \
	}
#define AT(name) \
	{LINK_MPI_File_##name##_at, 3, 4, 5}, \
	{ \
		LINK_MPI_File_##name##_at_all, 3, 4, 5 \
	}
#define BEGUN(name) \
	{ \
		LINK_MPI_File_##name, 2, 3, -1 \
	}
#define BEGUN_AT(name) \
	{ \
		LINK_MPI_File_##name, 3, 4, -1 \
	}
#define SPLIT(name) BEGUN(name##_all_begin), BEGUN(name##_ordered_begin), BEGUN_AT(name##_at_all_begin)
#define EACH(name) \
	HERE(name), HERE(name##_all), HERE(name##_shared), HERE(name##_ordered), AT(name), SPLIT(name), BEGUN(i##name), \
		BEGUN(i##name##_all), BEGUN(i##name##_shared), BEGUN_AT(i##name##_at), BEGUN_AT(i##name##_at_all)
	EACH(read),
	EACH(write),
};

static unsigned move_of(unsigned call)
{
	unsigned i = 0;
	while (i < sizeof moves / sizeof *moves && moves[i].call != call)
		i++;
	return i;
}

static void tell_file(mpi_word handle)
{
	struct mpi_request r;
	if (!mpi_request_copy(key_of(handle), &r))
		return;
	mpi_attr_define(&file, "file", "");
	weft_attr_string(file, (uint32_t)r.bytes);
}

void mpi_after_file_open(struct mpi_call *c, int rc)
{
	if (rc)
		return;
	mpi_word handle = *(const mpi_word *)c->a[4];
	mpi_request_put(&(struct mpi_request){.handle = key_of(handle),
	                                      .kind = MPI_REQ_FILE,
	                                      .bytes = weft_define_string((const char *)c->a[1])});
	tell_file(handle);
}

void mpi_before_file_close(struct mpi_call *c)
{
	if (!c->a[0])
		return;
	tell_file(*(const mpi_word *)c->a[0]);
	mpi_request_forget(key_of(*(const mpi_word *)c->a[0]));
}

void mpi_before_file(struct mpi_call *c)
{
	unsigned i = move_of(c->id);
	if (i < sizeof moves / sizeof *moves && moves[i].status >= 0)
		mpi_own_status(c, (unsigned)moves[i].status);
}

void mpi_after_file(struct mpi_call *c, int rc)
{
	unsigned i = move_of(c->id);
	if (rc || i == sizeof moves / sizeof *moves)
		return;
	uint64_t n = moves[i].status >= 0 ? mpi_status_bytes((const void *)c->a[(int)moves[i].status])
	                                  : mpi_bytes(c, (unsigned)moves[i].count, (unsigned)moves[i].type);
	tell_file(c->a[0]);
	mpi_attr_define(&bytes, "bytes", "B");
	weft_attr_int(bytes, (int64_t)n);
}
