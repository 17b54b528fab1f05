// SPDX-License-Identifier: Apache-2.0
/*
 * Master and workers in C++: how many primes there are in each of many ranges, which take longer the further they are.
 *
 *     mpicxx mw_primes.cpp $(pkg-config --cflags --libs weft-frame) -o mw_primes
 *     mpirun -np 4 ./mw_primes
 */
#include <weft/frame_mpi.h>
#include <weft/mw.hpp>
#include <cstdio>

struct range {
	unsigned from, to;
};

class _MyMaster : public weft::master<range, unsigned>
{
	unsigned limit = 1000;

	bool Partition(int iteration, std::vector<range> &tuples, std::string &) override
	{
		limit = 1000u * static_cast<unsigned>(iteration);
		for (unsigned i = 0; i < limit; i += 50)
			tuples.push_back({i, i + 50});
		return iteration <= 20;
	}
	void Collect(const weft_mw_work &work, const unsigned *results) override
	{
		unsigned sum = 0;
		for (size_t i = 0; i < work.n; i++)
			sum += results[i];
		if (work.iteration % 5 == 0)
			std::printf("%u primes below %u\n", sum, limit);
	}
};

class _MyWorker : public weft::worker<range, unsigned>
{
	static bool prime(unsigned n)
	{
		for (unsigned d = 2; d < n; d++)
			if (n % d == 0)
				return false;
		return n > 1;
	}
	void Computing(const weft_mw_place &, const range &tuple, unsigned &result) override
	{
		result = 0;
		for (unsigned n = tuple.from; n < tuple.to; n++)
			result += prime(n);
	}
};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	struct weft_frame_mpi mpi;
	int rc = weft_frame_mpi_begin(&mpi, MPI_COMM_WORLD);
	if (rc == 0) {
		_MyMaster master;
		_MyWorker worker;
		try {
			weft::run(master, worker, &mpi.link);
		} catch (const std::exception &e) {
			std::fprintf(stderr, "mw_primes: %s\n", e.what());
			rc = 1;
		}
		weft_frame_mpi_end(&mpi);
	}
	MPI_Finalize();
	return rc != 0;
}
