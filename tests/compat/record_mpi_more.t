## SPDX-License-Identifier: Apache-2.0
## needs: gcc mpicc.openmpi mpirun.openmpi mpicc.mpich mpirun.mpich jq
## tags: builds=release,debug timeout=180
## Files at each kind of position, windows of each kind and epoch, each mode of sending, neighbours, begun collectives: as the program writes down.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ cp "$WEFT_SOURCE"/tests/tools/mpi_more.c .
$ for m in openmpi mpich; do mpicc.$m -w -O1 mpi_more.c -o more.$m || echo $m cannot be built; done
$ for m in openmpi mpich; do rm -f more; weft record -q -o $m.weft -- mpirun.$m -np 3 ./more.$m; for r in 0 1 2; do sed "s/^/$r /" truth.$r; done >$m.truth; weft info --json $m.weft | jq -c '[.dropped, .problems]'; done
[0,0]
[0,0]

## Collectives: operation, root, bytes and communicator.
$ for m in openmpi mpich; do weft dump -f kind=collective $m.weft | sed -nE 's/^ *[0-9]+ +1\.([0-9])\.1 +collective +(.*) ([0-9]+):(-?[0-9]+) ([0-9]+) ([0-9]+)$/\1 \3 \4 \5 \6 \2/p' | awk '{$1--; print}' | sort >got; sed -n 's/ collective / /p' $m.truth | sort | diff - got && wc -l <got; done
102
102

## One-sided calls: target and bytes.
$ for m in openmpi mpich; do weft dump $m.weft | sed 's/ B$//' | awk '$3 == "enter" {name[$2] = $4; t[$2] = ""} $3 == "attr" && $4 ~ /^(target|bytes)$/ && name[$2] ~ /^MPI_(Win_|R?put|Put|R?get|Get|R?acc|Acc)/ {t[$2] = t[$2] " " $NF} $3 == "leave" && t[$2] != "" {split($2, p, "."); print p[2] - 1, name[$2] t[$2]; t[$2] = ""}' | sort >got; sed -n 's/ window / /p' $m.truth | sort | diff - got && wc -l <got; done
45
45

## Files: name and bytes.
$ for m in openmpi mpich; do weft dump $m.weft | sed 's/ B$//' | awk '$3 == "enter" {name[$2] = $4; t[$2] = ""} $3 ~ /^attr/ && $4 ~ /^(file|bytes)$/ && name[$2] ~ /^MPI_File/ {t[$2] = t[$2] " " $NF} $3 == "leave" && t[$2] != "" {split($2, p, "."); print p[2] - 1, name[$2] t[$2]; t[$2] = ""}' | tr -d '"' | sort >got; sed -n 's/ file / /p' $m.truth | sort | diff - got && wc -l <got; done
57
57

## Messages; both ends of each.
$ for m in openmpi mpich; do weft dump -f kind=send $m.weft | sed -nE 's/.* 1\.([0-9])\.1 +.* to 1\.([0-9])\.1 .*size ([0-9]+).*/\1 \2 \3/p' | awk '{print $1 - 1, $2 - 1, $3}' | sort >got; sed -n 's/.* sent //p' $m.truth | sort | diff - got && wc -l <got; weft dump -f kind=recv $m.weft | wc -l; done
54
54
54
54
