! SPDX-License-Identifier: Apache-2.0
! An MPI program in Fortran that counts what it does, in one of three ways of having MPI: -DWAY=1 mpif.h, 2 use mpi, 3 use mpi_f08.
! Each rank writes truth.RANK: "calls MPI_X n", "sent TO n", "bytes n" (of all messages), "vain n".
#if WAY == 3
#define COMM type(MPI_Comm)
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status)
#define STATUSES(n) type(MPI_Status), dimension(n)
#define SOURCE(s) s%MPI_SOURCE
#define TAG(s) s%MPI_TAG
#else
#define COMM integer
#define REQUEST integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#define STATUSES(n) integer, dimension(MPI_STATUS_SIZE, n)
#define SOURCE(s) s(MPI_SOURCE)
#define TAG(s) s(MPI_TAG)
#endif
#if WAY == 1
#define INCLUDE_MPI include 'mpif.h'
#else
#define INCLUDE_MPI
#endif

module counting
  implicit none
  integer, parameter :: most = 64
  character(len=32) :: name(most)
  integer :: times(most) = 0, n_names = 0, sent(0:15) = 0, vain = 0, bytes = 0
contains
  subroutine tick(what)
    character(len=*), intent(in) :: what
    integer :: i
    do i = 1, n_names
      if (name(i) == what) exit
    end do
    if (i > n_names) then
      n_names = i
      name(i) = what
    end if
    times(i) = times(i) + 1
  end subroutine
  subroutine gives(to, n)
    integer, intent(in) :: to, n
    sent(to) = sent(to) + 1
    bytes = bytes + n
  end subroutine
  subroutine expect(holds, line)
    logical, intent(in) :: holds
    integer, intent(in) :: line
    if (.not. holds) then
      print *, 'mpi_fortran: line', line
      stop 1
    end if
  end subroutine
end module

program fortran
#if WAY == 2
  use mpi
#elif WAY == 3
  use mpi_f08
#endif
  use counting
  implicit none
  INCLUDE_MPI
  integer, parameter :: rounds = 20
  integer :: me, ranks, ierr, next, last, i, k, done, rank, total, sum_of, level
  integer :: out(8), in(8), all(16), at(2)
  logical :: flag
  STATUS :: s
  STATUSES(2) :: ss
  REQUEST :: r(2)
  COMM :: turned, copy
  character(len=16) :: file

  call tick('MPI_Init_thread'); call MPI_Init_thread(MPI_THREAD_SINGLE, level, ierr)
  call tick('MPI_Comm_rank'); call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call tick('MPI_Comm_size'); call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  next = mod(me + 1, ranks)
  last = mod(me + ranks - 1, ranks)
  out = me

  do i = 1, rounds
    call gives(next, 16)
    if (me == 0) then
      call tick('MPI_Send'); call MPI_Send(out, 4, MPI_INTEGER, next, i, MPI_COMM_WORLD, ierr)
    end if
    call tick('MPI_Recv')
    if (mod(i, 2) == 0) then
      call MPI_Recv(in, 8, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, s, ierr)
      call expect(SOURCE(s) == last .and. TAG(s) == i, __LINE__)
    else
      call MPI_Recv(in, 8, MPI_INTEGER, last, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    end if
    call expect(in(1) == last, __LINE__)
    if (me /= 0) then
      call tick('MPI_Ssend'); call MPI_Ssend(out, 4, MPI_INTEGER, next, i, MPI_COMM_WORLD, ierr)
    end if
  end do

  call gives(next, 8)
  call tick('MPI_Sendrecv')
  call MPI_Sendrecv(out, 2, MPI_INTEGER, next, 7, in, 8, MPI_INTEGER, last, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  call tick('MPI_Send'); call MPI_Send(out, 2, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD, ierr)

  do i = 1, rounds
    call post(1)
    call tick('MPI_Waitall')
    if (mod(i, 2) == 0) then
      call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
    else
      call MPI_Waitall(2, r, ss, ierr)
    end if
    call expect(in(1) == last, __LINE__)
    call post(2)
    call tick('MPI_Wait'); call MPI_Wait(r(1), s, ierr)
    call expect(SOURCE(s) == last .and. TAG(s) == 2, __LINE__)
    call tick('MPI_Wait'); call MPI_Wait(r(2), MPI_STATUS_IGNORE, ierr)
    call post(3)
    done = 0
    do while (done < 2)
      call tick('MPI_Waitany'); call MPI_Waitany(2, r, k, MPI_STATUS_IGNORE, ierr)
      call expect(k >= 0 .and. k <= 2, __LINE__) ! MPICH 4.0 counts from 0 in mpi_f08
      done = done + 1
    end do
    call post(4)
    done = 0
    do while (done < 2)
      call tick('MPI_Waitsome'); call MPI_Waitsome(2, r, k, at, MPI_STATUSES_IGNORE, ierr)
      done = done + k
    end do
    call post(5)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, r, flag, MPI_STATUSES_IGNORE, ierr)
      if (flag) then
        call tick('MPI_Testall')
      else
        vain = vain + 1
      end if
    end do
    call expect(in(1) == last, __LINE__)
  end do

  call tick('MPI_Send_init'); call MPI_Send_init(out, 3, MPI_INTEGER, next, 9, MPI_COMM_WORLD, r(1), ierr)
  call tick('MPI_Recv_init'); call MPI_Recv_init(in, 3, MPI_INTEGER, last, 9, MPI_COMM_WORLD, r(2), ierr)
  do i = 1, rounds
    call gives(next, 12)
    call tick('MPI_Startall'); call MPI_Startall(2, r, ierr)
    call tick('MPI_Waitall'); call MPI_Waitall(2, r, MPI_STATUSES_IGNORE, ierr)
  end do
  call tick('MPI_Request_free'); call MPI_Request_free(r(1), ierr)
  call tick('MPI_Request_free'); call MPI_Request_free(r(2), ierr)

  call tick('MPI_Comm_split'); call MPI_Comm_split(MPI_COMM_WORLD, 0, -me, turned, ierr)
  call tick('MPI_Comm_dup'); call MPI_Comm_dup(turned, copy, ierr)
  call tick('MPI_Comm_rank'); call MPI_Comm_rank(copy, rank, ierr)
  call expect(rank == ranks - 1 - me, __LINE__)
  k = mod(rank + 1, ranks)
  call gives(ranks - 1 - k, 4)
  call tick('MPI_Sendrecv')
  call MPI_Sendrecv(out, 1, MPI_INTEGER, k, 5, in, 1, MPI_INTEGER, mod(rank + ranks - 1, ranks), 5, copy, s, ierr)
  call expect(in(1) == mod(me + 1, ranks), __LINE__)
  call tick('MPI_Comm_free'); call MPI_Comm_free(copy, ierr)
  call tick('MPI_Comm_free'); call MPI_Comm_free(turned, ierr)

  do i = 1, rounds
    total = me
    call tick('MPI_Allreduce'); call MPI_Allreduce(MPI_IN_PLACE, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call tick('MPI_Gather'); call MPI_Gather(me, 1, MPI_INTEGER, all, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
    sum_of = sum([(k, k=0, ranks - 1)])
    call expect(total == sum_of, __LINE__)
  end do
  call tick('MPI_Barrier'); call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call tick('MPI_Finalize'); call MPI_Finalize(ierr)

  write (file, '(a,i0)') 'truth.', me
  open (10, file=file)
  do i = 1, n_names
    write (10, '(a,1x,a,1x,i0)') 'calls', trim(name(i)), times(i)
  end do
  do i = 0, ranks - 1
    if (sent(i) > 0) write (10, '(a,1x,i0,1x,i0,1x,i0)') 'sent', me, i, sent(i)
  end do
  write (10, '(a,1x,i0)') 'bytes', bytes
  write (10, '(a,1x,i0)') 'vain', vain
contains
  subroutine post(the_tag)
    integer, intent(in) :: the_tag
    call tick('MPI_Irecv'); call MPI_Irecv(in, 1, MPI_INTEGER, MPI_ANY_SOURCE, the_tag, MPI_COMM_WORLD, r(1), ierr)
    call gives(next, 4)
    call tick('MPI_Isend'); call MPI_Isend(out, 1, MPI_INTEGER, next, the_tag, MPI_COMM_WORLD, r(2), ierr)
  end subroutine
end program
