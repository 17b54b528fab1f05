## SPDX-License-Identifier: Apache-2.0
## needs: mpirun
## Pipeline, divide and conquer over MPI: what comes out is what one process computes, with any replicas, batches and depths.
$ export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
$ images() { mpirun -np "$1" "$WEFT_BUILD/examples/images" --images 150; }
$ for n in 1 3 6; do images $n; done
150 images: checksum 2f1b6934ea733e3a
150 images: checksum 2f1b6934ea733e3a
150 images: checksum 2f1b6934ea733e3a
$ for batch in 5 1000; do WEFT_PIPE_WINDOW=20 WEFT_PIPE_BATCH=$batch images 5; done
150 images: checksum 2f1b6934ea733e3a
150 images: checksum 2f1b6934ea733e3a

$ sorting() { WEFT_DIVIDE_DEPTH=$2 mpirun -np "$1" "$WEFT_BUILD/examples/sorting" --numbers 3000 --arrays 3; }
$ sorting 1 0
3 arrays of 3000: checksum 6e0b468f88e0841d
$ sorting 2 0
3 arrays of 3000: checksum 6e0b468f88e0841d
$ sorting 5 3
3 arrays of 3000: checksum 6e0b468f88e0841d
$ sorting 4 9
3 arrays of 3000: checksum 6e0b468f88e0841d

## Wrong arguments are said, and everybody ends.
$ mpirun -np 2 "$WEFT_BUILD/examples/sorting" --depth 3 2>&1 | grep usage | sort -u
usage: sorting [--numbers N] [--arrays N] [--cost NS] [--verbose]
