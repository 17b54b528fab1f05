## SPDX-License-Identifier: Apache-2.0
## needs: gcc mpicc.openmpi mpirun.openmpi mpicc.mpich mpiexec.mpich jq
## tags: builds=release,debug timeout=180
## Jobs of which some ranks only are recorded: they end as they would, and what is recorded is whole.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cp "$WEFT_SOURCE"/tests/tools/mpi_counts.c .
$ mpicc.openmpi -O1 mpi_counts.c -o counts.openmpi && mpicc.mpich -w -O1 mpi_counts.c -o counts.mpich; echo $?
0
$ timeout 60 mpirun.openmpi -np 2 ./counts.openmpi : -np 1 weft record -q -o openmpi.weft ./counts.openmpi >openmpi.txt; echo $?
0
$ timeout 60 mpiexec.mpich -n 2 ./counts.mpich : -n 1 weft record -q -o mpich.weft ./counts.mpich >mpich.txt; echo $?
0
$ for m in openmpi mpich; do weft info --json $m.weft | jq -c '[.dropped, .problems]'; weft dump -f kind=send $m.weft | wc -l; sed -n 's/^sent 2 [0-9]* \([0-9]*\).*/\1/p' $m.txt | awk '{n += $1} END {print n}'; done | uniq | wc -l
4

## Scripts that preload one of Extrae's names: all ranks record into one trace, whoever began it.
$ ln -s "$WEFT_BUILD"/libweft-preload.so.0 libmpitrace.so; printf '#!/bin/sh\nexport EXTRAE_ON=1 EXTRAE_PROGRAM_NAME=$NAME LD_PRELOAD=./libmpitrace.so\n"$@"\n' >trace.sh; chmod +x trace.sh
$ NAME=theirs.openmpi timeout 60 mpirun.openmpi -np 3 ./trace.sh ./counts.openmpi >openmpi.txt 2>/dev/null; NAME=theirs.mpich timeout 60 mpiexec.mpich -n 3 ./trace.sh ./counts.mpich >mpich.txt 2>/dev/null; echo $?
0
$ for m in openmpi mpich; do weft info --json theirs.$m.weft | jq -c .messages; sed -n 's/^sent .* //p' $m.txt | awk '{n += $1} END {print n}'; done | uniq | wc -l
1
