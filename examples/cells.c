/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MPI and OpenMP: particles in a row of cells, most of them in the middle. Each rank has a part of the row, its threads share the part's
 * cells out as OMP_SCHEDULE says. The program knows nothing of Weft and is built without it.
 *
 *     mpicc -O2 -fopenmp cells.c -lm -o cells
 *     weft record -o cells.weft -- mpirun -np 2 ./cells && weft stat cells.weft
 *     OMP_SCHEDULE=dynamic,4 weft record -o dynamic.weft -- mpirun -np 2 ./cells && weft stat dynamic.weft
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

#define CELLS 512
#define STEPS 60

static double energy[CELLS + 2]; /* with the neighbours' next cells at both ends */

/* Many where the row is dense. */
static int particles_in(int cell)
{
	double from_middle = (cell - CELLS / 2.0) / (CELLS / 6.0);
	return 20 + (int)(400 * exp(-from_middle * from_middle));
}

static double move_particles(int cell, double left, double right)
{
	double sum = 0;
	for (int i = 0; i < particles_in(cell); i++)
		sum += sin(i * 0.01 + left) * cos(i * 0.02 - right);
	return sum / particles_in(cell);
}

static void exchange_ends(int rank, int ranks, int n)
{
	MPI_Request request[4];
	int left = rank > 0 ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < ranks ? rank + 1 : MPI_PROC_NULL;
	MPI_Irecv(&energy[0], 1, MPI_DOUBLE, left, 0, MPI_COMM_WORLD, &request[0]);
	MPI_Irecv(&energy[n + 1], 1, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &request[1]);
	MPI_Isend(&energy[1], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &request[2]);
	MPI_Isend(&energy[n], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, &request[3]);
	MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
}

static double step(int first, int n)
{
	static double next[CELLS + 2];
	double sum = 0, all;
#pragma omp parallel for schedule(runtime)
	for (int i = 1; i <= n; i++)
		next[i] = move_particles(first + i - 1, energy[i - 1], energy[i + 1]);
	for (int i = 1; i <= n; i++) {
		energy[i] = next[i];
		sum += next[i];
	}
	MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

int main(int argc, char **argv)
{
	int rank, ranks, level;
	double all = 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	int first = CELLS * rank / ranks, n = CELLS * (rank + 1) / ranks - first;
	for (int i = 0; i <= n + 1; i++)
		energy[i] = 1.0 / (first + i + 1);
	for (int i = 0; i < STEPS; i++) {
		exchange_ends(rank, ranks, n);
		all = step(first, n);
	}
	if (rank == 0)
		printf("energy after %d steps: %.6f\n", STEPS, all);
	MPI_Finalize();
	return 0;
}
