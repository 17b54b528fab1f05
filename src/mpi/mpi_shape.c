/* SPDX-License-Identifier: Apache-2.0 */
/* Open MPI and MPICH: handles, statuses, constants. Which of them it is, the library's own symbols say. */
#include "mpi_priv.h"
#include <dlfcn.h>
#include <errno.h>
#include <string.h>

struct mpi_shape mpi;
struct mpi_own mpi_own;

/* Open MPI: two ints behind the public three, then the bytes. MPICH: 63 bits, of which the upper ones share a word with the flag. */
uint64_t mpi_status_bytes(const void *status)
{
	if (mpi.handle == 8) {
		uint64_t n;
		memcpy(&n, (const char *)status + 16, sizeof n);
		return n;
	}
	return (uint32_t)mpi_status_int(status, 0) | (uint64_t)((uint32_t)mpi_status_int(status, 4) >> 1) << 32;
}

bool mpi_status_cancelled(const void *status)
{
	return mpi.handle == 8 ? mpi_status_int(status, 12) != 0 : (mpi_status_int(status, 4) & 1) != 0;
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
	} wanted[] = {{"ompi_mpi_comm_world", &mpi.world},    {"ompi_mpi_comm_self", &mpi.self},
	              {"ompi_mpi_comm_null", &mpi.comm_null}, {"ompi_request_null", &mpi.request_null},
	              {"ompi_mpi_byte", &mpi.byte},           {"ompi_mpi_info_null", &mpi.info_null}};
	mpi = (struct mpi_shape){.library = "Open MPI",
	                         .handle = 8,
	                         .status = 24,
	                         .source = 0,
	                         .tag = 4,
	                         .error = 8,
	                         .status_ignore = 0,
	                         .statuses_ignore = 0,
	                         .in_place = 1,
	                         .proc_null = -2,
	                         .any_source = -1,
	                         .root = -4,
	                         .in_status = 18,
	                         .class_bits = -1,
	                         .cart = 1,
	                         .graph = 2,
	                         .dist_graph = 3};
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
	                         .error = 16,
	                         .status_ignore = 1,
	                         .statuses_ignore = 1,
	                         .in_place = -1,
	                         .proc_null = -1,
	                         .any_source = -2,
	                         .root = -3,
	                         .in_status = 17,
	                         .class_bits = 0x7f, /* the others say where */
	                         .graph = 1,
	                         .cart = 2,
	                         .dist_graph = 3,
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
	              {"PMPI_Gather", &mpi_own.Gather},
	              {"PMPI_Scatter", &mpi_own.Scatter},
	              {"PMPI_Send", &mpi_own.Send},
	              {"PMPI_Recv", &mpi_own.Recv},
	              {"PMPI_Comm_dup", &mpi_own.Comm_dup},
	              {"PMPI_Comm_free", &mpi_own.Comm_free},
	              {"PMPI_Topo_test", &mpi_own.Topo_test},
	              {"PMPI_Cartdim_get", &mpi_own.Cartdim_get},
	              {"PMPI_Graph_neighbors_count", &mpi_own.Graph_neighbors_count},
	              {"PMPI_Dist_graph_neighbors_count", &mpi_own.Dist_graph_neighbors_count},
	              {"PMPI_Win_get_group", &mpi_own.Win_get_group},
	              {"PMPI_Comm_get_parent", &mpi_own.Comm_get_parent},
	              {"PMPI_Info_create", &mpi_own.Info_create},
	              {"PMPI_Info_dup", &mpi_own.Info_dup},
	              {"PMPI_Info_free", &mpi_own.Info_free},
	              {"PMPI_Info_set", &mpi_own.Info_set},
	              {"PMPI_Info_get", &mpi_own.Info_get}};
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
