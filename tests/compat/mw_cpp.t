## SPDX-License-Identifier: Apache-2.0
## needs: mpicxx mpirun
## weft/mw.hpp: what a method throws ends the run in all processes, and comes out where it was thrown.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 LD_LIBRARY_PATH=$WEFT_BUILD
$ printf '%s\n' '#include <weft/frame_mpi.h>' '#include <weft/mw.hpp>' '#include <cstdio>' '#include <cstring>' '#include <stdexcept>' \
>   'static const char *where = "";' \
>   'static void maybe(const char *here) { if (std::strcmp(where, here) == 0) throw std::runtime_error(here); }' \
>   'struct _MyMaster : weft::master<int, long> {' \
>   '  long sum = 0;' \
>   '  void Initialize(int, int) override { maybe("begin"); }' \
>   '  bool Partition(int i, std::vector<int> &t, std::string &shared) override' \
>   '  { maybe("partition"); shared = "abc"; for (int k = 0; k < 10; k++) t.push_back(k * i); return i <= 3; }' \
>   '  void Collect(const weft_mw_work &w, const long *r) override { maybe("collect"); for (size_t k = 0; k < w.n; k++) sum += r[k]; }' \
>   '  void Finalize() override { std::printf("sum %ld\n", sum); }' \
>   '};' \
>   'struct _MyWorker : weft::worker<int, long> {' \
>   '  void Computing(const weft_mw_place &at, const int &in, long &out) override' \
>   '  { if (in == 4) maybe("compute"); out = in + static_cast<long>(at.shared_bytes); }' \
>   '};' \
>   'int main(int argc, char **argv) {' \
>   '  MPI_Init(&argc, &argv); where = argc > 1 ? argv[1] : "";' \
>   '  weft_frame_mpi mpi; weft_frame_mpi_begin(&mpi, MPI_COMM_WORLD);' \
>   '  _MyMaster m; _MyWorker w;' \
>   '  try { weft::run(m, w, &mpi.link); }' \
>   '  catch (const std::system_error &e) { std::printf("%s: code %d\n", mpi.link.rank ? "worker" : "master", e.code().value()); }' \
>   '  catch (const std::exception &e) { std::printf("%s: %s\n", mpi.link.rank ? "worker" : "master", e.what()); }' \
>   '  weft_frame_mpi_end(&mpi); MPI_Finalize(); return 0; }' >t.cpp
$ mpicxx -std=c++17 -Wall -Wextra -Werror -I"$WEFT_SOURCE/include" t.cpp -L"$WEFT_BUILD" -lweft-frame -o t
$ mpirun -np 1 ./t
sum 360
$ mpirun -np 3 ./t
sum 360

$ for where in begin partition compute collect; do echo "-- $where"; mpirun -np 2 ./t $where | sort; done
-- begin
master: begin
sum 0
worker: code 125
-- partition
master: partition
sum 0
worker: code 125
-- compute
master: code 125
sum 0
worker: compute
-- collect
master: collect
sum 0
worker: code 125
