// SPDX-License-Identifier: Apache-2.0
// An error handler that throws, through the MPI library and whoever stands in front of it; then a call as any other.
#include <cstdio>
#include <mpi.h>
#include <stdexcept>

static void throws(MPI_Comm *, int *, ...)
{
	throw std::runtime_error("thrown");
}

int main(int argc, char **argv)
{
	int out = 1, in = 0, caught = 0;
	MPI_Errhandler h;
	MPI_Init(&argc, &argv);
	MPI_Comm_create_errhandler(throws, &h);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, h);
	for (int i = 0; i < 3; i++)
		try {
			MPI_Send(&out, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
		} catch (const std::runtime_error &e) {
			caught++;
		}
	MPI_Sendrecv(&out, 1, MPI_INT, 0, 5, &in, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	std::printf("caught %d, got %d\n", caught, in);
	MPI_Finalize();
}
