/* SPDX-License-Identifier: Apache-2.0 */
/* Open MPI and MPICH: handles, statuses, constants. Which of them it is, the library's own symbols say. */
#include "mpi_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct mpi_shape mpi;
struct mpi_own mpi_own;

static uint64_t open_mpi_bytes(const void *status)
{
	uint64_t n;
	memcpy(&n, (const char *)status + 16, sizeof n);
	return n;
}

/* 63 bits, of which the upper ones share a word with a flag. */
static uint64_t mpich_bytes(const void *status)
{
	uint32_t w[2];
	memcpy(w, status, sizeof w);
	return w[0] | (uint64_t)(w[1] >> 1) << 32;
}

int mpi_status_int(const void *status, size_t offset)
{
	int v;
	memcpy(&v, (const char *)status + offset, sizeof v);
	return v;
}

/* A program that is linked with the library may have copies of its objects, which count then. */
static void *find_object(const struct link_calls *with, const char *name)
{
	void *at = dlsym(RTLD_DEFAULT, name);
	return at ? at : with->find(name);
}

static int open_mpi(const struct link_calls *with)
{
	const struct {
		const char *name;
		mpi_word *to;
	} wanted[] = {{"ompi_mpi_comm_world", &mpi.world},
	              {"ompi_mpi_comm_self", &mpi.self},
	              {"ompi_mpi_comm_null", &mpi.comm_null},
	              {"ompi_request_null", &mpi.request_null},
	              {"ompi_mpi_byte", &mpi.byte}};
	mpi = (struct mpi_shape){.library = "Open MPI",
	                         .handle = 8,
	                         .status = 24,
	                         .source = 0,
	                         .tag = 4,
	                         .status_ignore = 0,
	                         .statuses_ignore = 0,
	                         .in_place = 1,
	                         .proc_null = -2,
	                         .any_source = -1,
	                         .root = -4,
	                         .bytes = open_mpi_bytes};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
		if (!(*wanted[i].to = (mpi_word)find_object(with, wanted[i].name)))
			return -ENOENT;
	return 0;
}

static int mpich(void)
{
	mpi = (struct mpi_shape){.library = "MPICH",
	                         .handle = 4,
	                         .status = 20,
	                         .source = 8,
	                         .tag = 12,
	                         .status_ignore = 1,
	                         .statuses_ignore = 1,
	                         .in_place = -1,
	                         .proc_null = -1,
	                         .any_source = -2,
	                         .root = -3,
	                         .bytes = mpich_bytes,
	                         .world = 0x44000000,
	                         .self = 0x44000001,
	                         .comm_null = 0x04000000,
	                         .request_null = 0x2c000000,
	                         .byte = 0x4c00010d};
	return 0;
}

int mpi_shape_find(const struct link_calls *with)
{
	const struct {
		const char *name;
		void *to;
	} wanted[] = {{"PMPI_Comm_size", &mpi_own.Comm_size},
	              {"PMPI_Comm_rank", &mpi_own.Comm_rank},
	              {"PMPI_Comm_group", &mpi_own.Comm_group},
	              {"PMPI_Comm_remote_group", &mpi_own.Comm_remote_group},
	              {"PMPI_Comm_remote_size", &mpi_own.Comm_remote_size},
	              {"PMPI_Comm_test_inter", &mpi_own.Comm_test_inter},
	              {"PMPI_Group_size", &mpi_own.Group_size},
	              {"PMPI_Group_free", &mpi_own.Group_free},
	              {"PMPI_Group_translate_ranks", &mpi_own.Group_translate_ranks},
	              {"PMPI_Type_size", &mpi_own.Type_size},
	              {"PMPI_Bcast", &mpi_own.Bcast},
	              {"PMPI_Test_cancelled", &mpi_own.Test_cancelled}};
	for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
		void *at = with->find(wanted[i].name);
		if (!at)
			return -ENOENT;
		memcpy(wanted[i].to, &at, sizeof at);
	}
	if (with->find("ompi_mpi_comm_world"))
		return open_mpi(with);
	return with->find("MPIR_C_MPI_UNWEIGHTED") ? mpich() : -ENOTSUP;
}
