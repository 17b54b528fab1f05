## SPDX-License-Identifier: Apache-2.0
## weft doctor: what it finds differs between machines; that it answers, in every form and for each check, does not.
$ weft doctor | head -n 1
area       check              what for                         there  detail
$ weft doctor --json | jq -r '.[] | .check' | sort | tr '\n' ' '
cgroups clock-source compiler cuda disk energy fallocate gnuplot graphviz hardware huge-pages hwloc memory memory-access monotonic mpi network-namespace opencl pj_dump ptrace rseq software time-namespace tsc tsc-skew uprobes vite wipe-on-fork zstd 
\ no newline
$ weft doctor --json | jq -r '.[] | select(.answer != "yes" and .answer != "no" and .answer != "partly" or .detail == "") | .check'
$ weft doctor --csv | head -n 1
area,check,what,answer,detail
$ weft doctor memory --csv | cut -d, -f1-3
area,check,what
memory,memory,reading large traces
$ weft doctor monotonic 'zst*' --json | jq -c '[.[].check]'
["monotonic","zstd"]
$ weft doctor pinchrome
weft doctor: error: unknown check 'pinchrome'
Try 'weft doctor --help'.
? 2
$ weft doctor cudda
weft doctor: error: unknown check 'cudda' (did you mean 'cuda'?)
Try 'weft doctor --help'.
? 2
$ PATH=$WEFT_BUILD weft doctor pj_dump mpi
area      check    what for                       there  detail
programs  mpi      programs of several processes  no     mpirun is not in PATH (Debian: openmpi-bin)
programs  pj_dump  read Paje traces as text       no     pj_dump is not in PATH (Debian: pajeng)
? 1

## A check that fails makes the status 1 only when it was asked for.
$ weft doctor >/dev/null
$ PATH=$WEFT_BUILD weft doctor >/dev/null
