## SPDX-License-Identifier: Apache-2.0
## weft doctor: what it finds differs between machines; that it answers, in every form and for each check, does not.
$ weft doctor | head -n 1 | tr -s " "
area check what for there detail
$ weft doctor --json | jq -r '.[] | .check' | sort | tr '\n' ' '
cgroups clock-source compiler counters cuda disk energy fallocate gnuplot graphviz hardware huge-pages hwloc memory memory-access monotonic mpi mpi-calls network-namespace opencl openmp-calls pj_dump preload ptrace rseq samples sodium software time-namespace tsc tsc-skew uprobes vite wipe-on-fork zstd 
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
weft doctor: error: unknown check 'pinchrome' (it can be: clock-source, monotonic, [..], gnuplot)
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

## Drivers' libraries, played by ones of our own: what is found, what fails, hangs or crashes.
$ fake() { printf '#include <string.h>\n#include <unistd.h>\n%s\n' "$2" | cc -shared -fPIC -w -x c - -o "$1"; }
$ fake libcuda.so.1 'int cuInit(unsigned f) { return 0; } int cuDriverGetVersion(int *v) { *v = 12040; return 0; } int cuDeviceGetCount(int *n) { *n = 2; return 0; } int cuDeviceGet(int *d, int i) { *d = i; return 0; } int cuDeviceGetName(char *z, int n, int d) { strcpy(z, d ? "Second" : "First"); return 0; }'
$ LD_LIBRARY_PATH=. weft doctor cuda --csv
area,check,what,answer,detail
libraries,cuda,tasks on NVIDIA's devices,yes,"2 devices, CUDA 12.4: First, Second"
$ fake libcuda.so.1 'int cuInit(unsigned f) { return 100; } int cuDriverGetVersion(int *v); int cuDeviceGetCount(int *n) { return 3; } int cuDeviceGet() { return 3; } int cuDeviceGetName() { return 3; } int cuDriverGetVersion(int *v) { return 3; }'
$ LD_LIBRARY_PATH=. weft doctor cuda --csv
area,check,what,answer,detail
libraries,cuda,tasks on NVIDIA's devices,no,"the driver's library is there, but cuInit fails with 100 (no device, or its kernel module is not loaded)"
? 1
$ fake libcuda.so.1 'int cuInit(unsigned f) { return 0; }'
$ LD_LIBRARY_PATH=. weft doctor cuda --csv
area,check,what,answer,detail
libraries,cuda,tasks on NVIDIA's devices,no,libcuda.so.1 has no function cuDriverGetVersion
? 1
$ fake libOpenCL.so.1 'int clGetPlatformIDs(unsigned n, void **p, unsigned *m) { p[0] = p[1] = (void *)1; *m = 2; return 0; } int clGetPlatformInfo(void *p, unsigned w, unsigned long n, void *z, unsigned long *m) { strcpy(z, "Portable"); return 0; } int clGetDeviceIDs(void *p, unsigned long t, unsigned n, void **d, unsigned *m) { *m = 1; return 0; }'
$ LD_LIBRARY_PATH=. weft doctor opencl --csv
area,check,what,answer,detail
libraries,opencl,tasks on OpenCL devices,yes,"Portable (1 device), Portable (1 device)"
$ fake libOpenCL.so.1 'int clGetPlatformIDs() { _exit(3); } int clGetPlatformInfo() { return 0; } int clGetDeviceIDs() { return 0; }'
$ LD_LIBRARY_PATH=. weft doctor opencl --csv
area,check,what,answer,detail
libraries,opencl,tasks on OpenCL devices,no,the check died (no report)
? 1
$ fake libOpenCL.so.1 'int clGetPlatformIDs() { for (;;) pause(); } int clGetPlatformInfo() { return 0; } int clGetDeviceIDs() { return 0; }'
$ LD_LIBRARY_PATH=. weft doctor opencl --csv
area,check,what,answer,detail
libraries,opencl,tasks on OpenCL devices,no,the check did not end within 5 s
? 1
