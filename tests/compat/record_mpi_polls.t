## SPDX-License-Identifier: Apache-2.0
## needs: gcc mpicc.openmpi mpirun.openmpi mpicc.mpich mpiexec.mpich
## tags: builds=release,debug timeout=120
## Calls that only ask, for more requests than there is room for at first: begun for one thread at a time, which has a short way, and for several.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ for m in openmpi mpich; do mpicc.$m -w -O1 "$WEFT_SOURCE"/tests/tools/mpi_polls.c -o polls.$m && for level in '' multiple; do weft record -q --off io,threads,samples -o $m$level.weft -- mpirun.$m -np 2 ./polls.$m $level >$m$level.txt; echo $?; done; done | uniq -c | sed 's/^ *//'
4 0

## Each receive once, with its tag and bytes, and as many calls in vain as the program counts.
$ for t in openmpi openmpimultiple mpich mpichmultiple; do sed -n 's/^received //p' $t.txt | sort >truth; weft dump -f kind=recv $t.weft | sed -n 's/.* 1\.1\.1 .* from 1\.2\.1 tag \([0-9]*\) size \([0-9]*\) .*/\1 \2/p' | sort | diff - truth && wc -l <truth; weft dump -f 'name="MPI polls in vain"' $t.weft | awk '{n += $NF} END {print "vain", n + 0}' | diff - <(grep vain $t.txt) && echo same; done
192
same
192
same
192
same
192
same
$ for t in openmpi openmpimultiple mpich mpichmultiple; do weft dump $t.weft | grep 'operations lost' | wc -l; done
0
0
0
0
