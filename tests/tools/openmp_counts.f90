! SPDX-License-Identifier: Apache-2.0
! A Fortran program with OpenMP that counts what it does, in some lines of openmp_counts.c.
program openmp_counts
  use omp_lib
  implicit none
  integer :: i, chunks, entries, tasks, locks
  integer(8) :: total
  integer(omp_lock_kind) :: lock
  total = 0; chunks = 0; entries = 0; tasks = 0; locks = 0
  call omp_init_lock(lock)
!$omp parallel do schedule(dynamic, 10) num_threads(3) reduction(+:total)
  do i = 1, 1000
    total = total + i
  end do
!$omp end parallel do
!$omp parallel num_threads(3)
!$omp critical (someone)
  entries = entries + 1
!$omp end critical (someone)
  call omp_set_lock(lock)
  locks = locks + 1
  call omp_unset_lock(lock)
!$omp single
  do i = 1, 12
!$omp task
!$omp atomic
    tasks = tasks + 1
!$omp end task
  end do
!$omp end single
!$omp end parallel
  call omp_destroy_lock(lock)
  if (total /= 500500_8) error stop 'wrong sum'
  print '(a, i0)', 'parallel ', 2
  print '(a, i0)', 'bodies ', 6
  print '(a, i0)', 'single ', 1
  print '(a, i0)', 'critical someone ', entries
  print '(a, i0)', 'locks ', locks
  print '(a, i0)', 'tasks ', tasks
  print '(a, i0)', 'chunks ', 100
  print '(a, i0)', 'iterations ', 1000
end program
