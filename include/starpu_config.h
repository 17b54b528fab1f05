/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this build has and how much of it there can be. Programs test these macros with #ifdef.
 */
#ifndef __STARPU_CONFIG_H__
#define __STARPU_CONFIG_H__

#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What 1.3 and its programs look for. */
#define STARPU_HAVE_HWLOC 1
#define STARPU_HAVE_POSIX_MEMALIGN 1
#define STARPU_HAVE_MEMALIGN 1
#define STARPU_HAVE_MALLOC_H 1
#define STARPU_HAVE_SYNC_BOOL_COMPARE_AND_SWAP 1
#define STARPU_HAVE_SYNC_VAL_COMPARE_AND_SWAP 1
#define STARPU_HAVE_SYNC_FETCH_AND_ADD 1
#define STARPU_HAVE_SYNC_FETCH_AND_OR 1
#define STARPU_HAVE_SYNC_LOCK_TEST_AND_SET 1
#define STARPU_HAVE_SYNC_SYNCHRONIZE 1
#define STARPU_HAVE_ATOMIC_EXCHANGE_N 1
#define STARPU_HAVE_SETENV 1
#define STARPU_HAVE_UNSETENV 1
#define STARPU_HAVE_UNISTD_H 1
#define STARPU_QUICK_CHECK 1
#define STARPU_HAVE_NEARBYINTF 1
#define STARPU_HAVE_RINTF 1
#define STARPU_HAVE_PTHREAD_SPIN_LOCK 1
#define STARPU_HAVE_PTHREAD_BARRIER 1
#define STARPU_HAVE_PTHREAD_SETNAME_NP 1
#define STARPU_HAVE_STRUCT_TIMESPEC 1
#define STARPU_HAVE_STRERROR_R 1
#define STARPU_HAVE_STATEMENT_EXPRESSIONS 1
#define STARPU_HAVE_CXX11 1
#define STARPU_CLUSTER 1
#define STARPU_MAXMICDEVS 0
#define STARPU_MAXMPKERNELS 10

/* OpenCL programs need its headers; without them this is a StarPU without OpenCL. */
#if defined(__has_include)
#if __has_include(<CL/cl.h>)
#define STARPU_USE_OPENCL 1
#endif
#endif

#define __starpu_func__ __func__
#ifdef __cplusplus
#define __starpu_inline inline
#else
#define __starpu_inline __inline__
#endif

#define STARPU_FXT_MAX_FILES 64
#define STARPU_LINUX_SYS 1
#define STARPU_MAJOR_VERSION 1
#define STARPU_MAXCPUS 128
#define STARPU_MAXCUDADEVS 4
#define STARPU_MAXHIPDEVS 8
#define STARPU_MAXIMPLEMENTATIONS 4
#define STARPU_MAXMAXFPGADEVS 12
#define STARPU_MAXNODES 16
#define STARPU_MAXNUMANODES 8
#define STARPU_MAXOPENCLDEVS 8
#define STARPU_MAXSYCLDEVS 8
#define STARPU_MINOR_VERSION 4
#define STARPU_NMAXBUFS 8
#define STARPU_NMAXWORKERS 144
#define STARPU_NMAX_SCHED_CTXS 10
#define STARPU_NON_BLOCKING_DRIVERS 1
#define STARPU_OPENMP 1
#define STARPU_PARALLEL_WORKER 1
#define STARPU_PTHREAD_COND_INITIALIZER_ZERO 1
#define STARPU_PTHREAD_MUTEX_INITIALIZER_ZERO 1
#define STARPU_PTHREAD_RWLOCK_INITIALIZER_ZERO 1
#define STARPU_RELEASE_VERSION 99
#define STARPU_USE_CPU 1
#define STARPU_USE_DRAND48 1
#define STARPU_USE_ERAND48_R 1

typedef ssize_t starpu_ssize_t;

#ifdef __cplusplus
}
#endif
#endif
