## SPDX-License-Identifier: Apache-2.0
## needs: gfortran mpif90.openmpi mpirun.openmpi mpif90.mpich mpirun.mpich jq
## tags: builds=release,debug timeout=240
## Fortran's three ways of having MPI, with both MPIs: the program counts what it does itself, and the trace must say the same.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cp "$WEFT_SOURCE"/tests/tools/mpi_fortran.F90 .
$ for m in openmpi mpich; do for w in 1 2 3; do mpif90.$m -w -O1 -DWAY=$w mpi_fortran.F90 -o $m.$w || echo $m $w cannot be built; done; done
$ for m in openmpi mpich; do for w in 1 2 3; do weft record -q -o $m.$w.weft -- mpirun.$m -np 3 ./$m.$w; cat truth.? >$m.$w.truth; rm truth.?; done; done

## Each call once, but for polls in vain, which are counted.
$ for m in openmpi mpich; do for w in 1 2 3; do weft stat --by region --csv $m.$w.weft | awk -F, '/^MPI_/ {print $1, $4}' | sort >calls; awk '$1 == "calls" {n[$2] += $3} END {for (c in n) print c, n[c]}' $m.$w.truth | sort | diff - calls && wc -l <calls; done; done
25
25
25
25
25
25
$ for m in openmpi mpich; do for w in 1 2 3; do weft dump -f 'name="MPI polls in vain"' $m.$w.weft | awk '{n += $NF} END {print n + 0}' >vain; awk '$1 == "vain" {n += $2} END {print n}' $m.$w.truth | diff - vain && echo same; done; done | uniq -c | sed 's/^ *//'
6 same

## Each message once, with both ends, between the right ranks, with its bytes.
$ for m in openmpi mpich; do for w in 1 2 3; do weft dump -f kind=send $m.$w.weft | sed -nE 's/.* 1\.([0-9])\.1 +.* to 1\.([0-9])\.1.*/\1 \2/p' | sort | uniq -c | awk '{print $2 - 1, $3 - 1, $1}' >sent; sed -n 's/^sent //p' $m.$w.truth | sort | diff - sent && echo same; done; done | uniq -c | sed 's/^ *//'
6 same
$ for m in openmpi mpich; do for w in 1 2 3; do for k in send recv; do weft dump -f kind=$k $m.$w.weft | sed -n 's/.* size \([0-9]*\).*/\1/p' | awk '{n += $1} END {print n}'; done; awk '$1 == "bytes" {n += $2} END {print n}' $m.$w.truth; done; done | uniq -c | sed 's/^ *//'
18 2916
$ for m in openmpi mpich; do for w in 1 2 3; do weft info --json $m.$w.weft | jq -c '[.messages, .dropped, .problems]'; done; done | uniq -c | sed 's/^ *//'
6 [426,0,0]
