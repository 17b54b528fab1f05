## SPDX-License-Identifier: Apache-2.0
## needs: otf2-print
## tags: builds=release,debug timeout=120
## weft convert to OTF2, as otf2-print reads it (builds with OTF2's library only): a program of known shape.
$ "$WEFT_BUILD/tests/trace_of_text" ring.weft <"$WEFT_SOURCE/tests/golden/extrae/ring.txt"
$ weft convert ring.weft -o ring.otf2; ls ring.otf2
traces
traces.def
traces.otf2
$ otf2-print ring.otf2/traces.otf2 | grep -E '^[A-Z]' | tr -s ' '
Event Location Timestamp Attributes
ENTER 0 1000 Region: "MPI_Init" <0>
ENTER 2 1000 Region: "MPI_Init" <0>
LEAVE 0 2000 Region: "MPI_Init" <0>
LEAVE 2 2000 Region: "MPI_Init" <0>
ENTER 0 2500 Region: "solve" <1>
ENTER 0 3000 Region: "MPI_Send" <2>
ENTER 2 3200 Region: "MPI_Recv" <3>
MPI_SEND 0 3490 Receiver: 1 ("1.2.1 main" <2>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7, Length: 1000
LEAVE 0 3500 Region: "MPI_Send" <2>
ENTER 0 4000 Region: "MPI_Recv" <3>
MPI_RECV 2 4190 Sender: 0 ("1.1.1 main" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7, Length: 1000
LEAVE 2 4200 Region: "MPI_Recv" <3>
ENTER 2 5000 Region: "MPI_Send" <2>
MPI_SEND 2 5790 Receiver: 0 ("1.1.1 main" <0>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7, Length: 1000
LEAVE 2 5800 Region: "MPI_Send" <2>
MPI_RECV 0 5990 Sender: 1 ("1.2.1 main" <2>), Communicator: "MPI_COMM_WORLD" <0>, Tag: 7, Length: 1000
LEAVE 0 6000 Region: "MPI_Recv" <3>
ENTER 0 7000 Region: "omp parallel in solve" <4>
ENTER 0 7100 Region: "solve [omp parallel]" <5>
ENTER 1 7150 Region: "solve [omp parallel]" <5>
ENTER 0 7200 Region: "omp for" <6>
ENTER 1 7250 Region: "omp critical wait" <11>
LEAVE 1 7350 Region: "omp critical wait" <11>
ENTER 1 7350 Region: "omp critical" <12>
THREAD_ACQUIRE_LOCK 1 7350 Model: OPENMP, Lock: 0, Acquisition Order: 1
LEAVE 1 7450 Region: "omp critical" <12>
THREAD_RELEASE_LOCK 1 7450 Model: OPENMP, Lock: 0, Acquisition Order: 1
LEAVE 0 7600 Region: "omp for" <6>
ENTER 0 7600 Region: "omp barrier" <7>
ENTER 1 7700 Region: "omp barrier" <7>
LEAVE 0 7900 Region: "omp barrier" <7>
LEAVE 1 7900 Region: "omp barrier" <7>
LEAVE 0 7950 Region: "solve [omp parallel]" <5>
LEAVE 1 7960 Region: "solve [omp parallel]" <5>
ENTER 1 7960 Region: "omp idle" <13>
LEAVE 0 8000 Region: "omp parallel in solve" <4>
ENTER 2 8500 Region: "MPI_Allreduce" <8>
ENTER 0 9000 Region: "MPI_Allreduce" <8>
MPI_COLLECTIVE_BEGIN 0 9900 
MPI_COLLECTIVE_END 0 9900 Operation: ALLREDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 8, Received: 8
MPI_COLLECTIVE_BEGIN 2 9900 
MPI_COLLECTIVE_END 2 9900 Operation: ALLREDUCE, Communicator: "MPI_COMM_WORLD" <0>, Root: NONE, Sent: 8, Received: 8
LEAVE 0 10000 Region: "MPI_Allreduce" <8>
LEAVE 2 10000 Region: "MPI_Allreduce" <8>
ENTER 0 10500 Region: "write" <9>
PARAMETER_INT64 0 10500 Parameter: "descriptor" <0>, Value: 1
PARAMETER_INT64 0 10600 Parameter: "bytes" <1>, Value: 512
LEAVE 0 10600 Region: "write" <9>
METRIC 0 10700 Metric: 0, 1 Value: ("malloc" <0>; INT64; 4096)
METRIC 0 10800 Metric: 1, 1 Value: ("free" <1>; INT64; 4096)
LEAVE 0 11000 Region: "solve" <1>
ENTER 0 12000 Region: "MPI_Finalize" <10>
ENTER 2 12000 Region: "MPI_Finalize" <10>
LEAVE 0 13000 Region: "MPI_Finalize" <10>
LEAVE 1 13000 Region: "omp idle" <13>
LEAVE 2 13000 Region: "MPI_Finalize" <10>
$ otf2-print -G ring.otf2/traces.otf2 | grep -E '^(CLOCK|SYSTEM|LOCATION|REGION|METRIC|PARAM|GROUP|COMM)' | tr -s ' '
CLOCK_PROPERTIES Ticks per Seconds: 1000000000, Global Offset: 0, Length: 13001, Date: UNDEFINED
SYSTEM_TREE_NODE 0 Name: "machine" <1>, Class: "machine" <1>, Parent: UNDEFINED
SYSTEM_TREE_NODE 1 Name: "host" <2>, Class: "node" <0>, Parent: "machine::machine" <0>
LOCATION_GROUP 0 Name: "1.1 ring [pid 1000]" <3>, Type: PROCESS, Parent: "node::host" <1>, Creator: UNDEFINED
LOCATION_GROUP 1 Name: "1.2 ring [pid 1001]" <4>, Type: PROCESS, Parent: "node::host" <1>, Creator: UNDEFINED
LOCATION 0 Name: "1.1.1 main" <5>, Type: CPU_THREAD, # Events: 30, Group: "1.1 ring [pid 1000]" <0>
LOCATION 1 Name: "1.1.2 omp worker 1" <6>, Type: CPU_THREAD, # Events: 12, Group: "1.1 ring [pid 1000]" <0>
LOCATION 2 Name: "1.2.1 main" <7>, Type: CPU_THREAD, # Events: 14, Group: "1.2 ring [pid 1001]" <1>
REGION 0 Name: "MPI_Init" <9> (Aka. "MPI_Init" <9>), Descr.: "" <8>, Role: FUNCTION, Paradigm: MPI, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 1 Name: "solve" <10> (Aka. "solve" <10>), Descr.: "" <8>, Role: FUNCTION, Paradigm: USER, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 2 Name: "MPI_Send" <11> (Aka. "MPI_Send" <11>), Descr.: "" <8>, Role: FUNCTION, Paradigm: MPI, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 3 Name: "MPI_Recv" <12> (Aka. "MPI_Recv" <12>), Descr.: "" <8>, Role: FUNCTION, Paradigm: MPI, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 4 Name: "omp parallel in solve" <13> (Aka. "omp parallel in solve" <13>), Descr.: "" <8>, Role: PARALLEL, Paradigm: OPENMP, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 5 Name: "solve [omp parallel]" <14> (Aka. "solve [omp parallel]" <14>), Descr.: "" <8>, Role: FUNCTION, Paradigm: OPENMP, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 6 Name: "omp for" <15> (Aka. "omp for" <15>), Descr.: "" <8>, Role: LOOP, Paradigm: OPENMP, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 7 Name: "omp barrier" <16> (Aka. "omp barrier" <16>), Descr.: "" <8>, Role: BARRIER, Paradigm: OPENMP, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 8 Name: "MPI_Allreduce" <17> (Aka. "MPI_Allreduce" <17>), Descr.: "" <8>, Role: FUNCTION, Paradigm: MPI, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 9 Name: "write" <18> (Aka. "write" <18>), Descr.: "" <8>, Role: FILE_IO, Paradigm: COMPILER, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 10 Name: "MPI_Finalize" <19> (Aka. "MPI_Finalize" <19>), Descr.: "" <8>, Role: FUNCTION, Paradigm: MPI, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 11 Name: "omp critical wait" <20> (Aka. "omp critical wait" <20>), Descr.: "" <8>, Role: CRITICAL, Paradigm: OPENMP, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 12 Name: "omp critical" <21> (Aka. "omp critical" <21>), Descr.: "" <8>, Role: CRITICAL, Paradigm: OPENMP, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
REGION 13 Name: "omp idle" <22> (Aka. "omp idle" <22>), Descr.: "" <8>, Role: FUNCTION, Paradigm: OPENMP, Flags: NONE, File: UNDEFINED, Begin: 0, End: 0
METRIC_MEMBER 0 Name: "malloc" <23>, Descr.: "" <8>, Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: INT64, Base: DECIMAL, Exponent: 0, Unit: "" <8>
METRIC_CLASS 0 Occurrence: ASYNCHRONOUS, Kind: CPU, 1 Member: "malloc" <0>
METRIC_MEMBER 1 Name: "free" <24>, Descr.: "" <8>, Type: OTHER, Mode: ABSOLUTE_POINT, Value Type: INT64, Base: DECIMAL, Exponent: 0, Unit: "" <8>
METRIC_CLASS 1 Occurrence: ASYNCHRONOUS, Kind: CPU, 1 Member: "free" <1>
PARAMETER 0 Name: "descriptor" <25>, Type: INT64
PARAMETER 1 Name: "bytes" <26>, Type: INT64
PARAMETER 2 Name: "descriptor" <25>, Type: STRING
PARAMETER 3 Name: "bytes" <26>, Type: STRING
PARAMETER 4 Name: "malloc" <23>, Type: STRING
PARAMETER 5 Name: "free" <24>, Type: STRING
GROUP 0 Name: "ranks" <27>, Type: COMM_LOCATIONS, Paradigm: MPI, Flags: NONE, 2 Members: "1.1.1 main" <0>, "1.2.1 main" <2>
GROUP 1 Name: "MPI_COMM_WORLD" <28>, Type: COMM_GROUP, Paradigm: MPI, Flags: NONE, 2 Members: 0 ("1.1.1 main" <0>), 1 ("1.2.1 main" <2>)
COMM 0 Name: "MPI_COMM_WORLD" <28>, Group: "MPI_COMM_WORLD" <1>, Parent: UNDEFINED, Flags: NONE

## It is made beside its place, and replaces only what it is told to.
$ weft convert ring.weft -o ring.otf2
weft convert: error: 'ring.otf2' is there already (--force replaces it)
? 2
$ weft convert ring.weft -o ring.otf2/ --force; ls -d ring.otf2*
ring.otf2

## A recorded program: each call, message and collective operation of MPI is there.
$ cat >r.c <<'END'
> #include <mpi.h>
> int main(int argc, char **argv)
> {
> 	int rank, size, x = 1, y;
> 	MPI_Init(&argc, &argv);
> 	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
> 	MPI_Comm_size(MPI_COMM_WORLD, &size);
> 	for (int i = 0; i < 20; i++) {
> 		MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 3, &y, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
> 		MPI_Reduce(&x, &y, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
> 	}
> 	return MPI_Finalize();
> }
> END
$ mpicc.mpich r.c -o r && weft record -q --off samples --off io --off threads --counters page-faults@mpi -o r.weft -- mpirun.mpich -np 3 ./r && weft convert r.weft -o r.otf2 && otf2-print r.otf2/traces.otf2 | awk '/^[A-Z_]+ /{n[$1]++} /REDUCE/ {root[$0 ~ /Root: 1 /]++} END {print n["ENTER"] == n["LEAVE"], n["MPI_SEND"], n["MPI_RECV"], n["MPI_COLLECTIVE_END"], root[1], (n["METRIC"] > 20)}'
1 60 60 60 60 1

## Samples are calling contexts, teams, tasks and locks events of threads: as many as the program and the trace have.
$ cat >o.c <<'END'
> #include <omp.h>
> #define FAR __attribute__((noinline))
> static omp_lock_t a, b; static volatile double x;
> FAR double work(int n) { double s = 0; for (int i = 0; i < n; i++) s += i * 0.5; return x = s; }
> FAR void rounds(void)
> {
> #pragma omp parallel num_threads(3)
> 	{
> 		work(3000000);
> #pragma omp single
> 		for (int i = 0; i < 4; i++)
> #pragma omp task
> 			work(1000);
> #pragma omp critical
> 		work(1000);
> 		omp_set_lock(&a); omp_set_lock(&b); omp_unset_lock(&a); omp_unset_lock(&b);
> 	}
> }
> int main(void) { omp_init_lock(&a); omp_init_lock(&b); for (int i = 0; i < 20; i++) rounds(); return 0; }
> END
$ cat >read <<'END'
> # Events of a kind each; that locks are released by who took them, by number; where work() was sampled, and under which clock.
> otf2-print $1.otf2/traces.otf2 | awk '/^[A-Z_]+ /{n[$1]++} /^THREAD_ACQUIRE/{held[$2, $7, $NF]++; seen[$7, $NF]++} /^THREAD_RELEASE/{held[$2, $7, $NF]--}
> /^THREAD_FORK/{asked += $NF} END {for (i in held) bad += held[i] != 0; for (i in seen) bad += seen[i] != 1; print n["THREAD_FORK"], n["THREAD_JOIN"], asked, n["THREAD_TEAM_BEGIN"],
> n["THREAD_TEAM_END"], n["THREAD_TASK_CREATE"], n["THREAD_TASK_SWITCH"], n["THREAD_TASK_COMPLETE"], n["THREAD_ACQUIRE_LOCK"], n["THREAD_RELEASE_LOCK"], bad + 0, n["ENTER"] + 0}'
> otf2-print $1.otf2/traces.otf2 | grep -c ^CALLING_CONTEXT_SAMPLE >print; weft dump $1.weft | awk '$3 == "sample" {n++} END {print n}' | cmp print -
> otf2-print $1.otf2/traces.otf2 | awk '/^CALLING_CONTEXT_SAMPLE/ && /"work@o.c:4"/ && /"CPU time"/ {n++} END {print (n > 5)}'
> otf2-print -G $1.otf2/traces.otf2 | tr -s ' ' | sed -n 's/^CALLING_CONTEXT [0-9]* Region: "work" .*Parent: "\(rounds .omp parallel.\)".*/work in \1/p; s/^SOURCE.*\(o.c\)" <[0-9]*>, Line Number: 4$/\1:4/p; s/^INTERRUPT_GENERATOR 0 \(.*\)/\1/p' | sed 's/ <[0-9]*>//' | sort -u
> END
$ for cc in gcc clang; do $cc -g -O1 -w -fopenmp o.c -o o-$cc && weft record -q --sample 500 -o $cc.weft -- ./o-$cc && weft convert -q $cc.weft -o $cc.otf2 && sh read $cc; done
20 20 60 60 60 80 160 80 180 180 0 0
1
Name: "CPU time", Mode: TIME, Base: DECIMAL, Exponent: -9, Period: 2000000
o.c:4
work in rounds [omp parallel]
20 20 60 60 60 80 160 80 180 180 0 0
1
Name: "CPU time", Mode: TIME, Base: DECIMAL, Exponent: -9, Period: 2000000
o.c:4
work in rounds [omp parallel]

## Threads of pthreads: who makes and who waits for whom; taken and released locks.
$ cat >p.c <<'END'
> #include <pthread.h>
> static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; static int n;
> static void *run(void *arg) { for (int i = 0; i < 10; i++) { pthread_mutex_lock(&lock); n++; pthread_mutex_unlock(&lock); } return arg; }
> int main(void) { pthread_t t[4]; for (int i = 0; i < 4; i++) pthread_create(&t[i], 0, run, 0); for (int i = 0; i < 4; i++) pthread_join(t[i], 0); return n != 40; }
> END
$ gcc -w -pthread p.c -o p && weft record -q --off samples --on threads,locks -o p.weft -- ./p && weft convert -q p.weft -o p.otf2 && otf2-print p.otf2/traces.otf2 | awk '/^THREAD_/{n[$1]++} /Sequence Count/{s[$1, $NF]++} /^THREAD_ACQUIRE/{last[$7] = $NF > last[$7] ? $NF : last[$7]} END {for (i in s) bad += s[i] != 1; for (i in last) most = last[i]; print n["THREAD_CREATE"], n["THREAD_BEGIN"], n["THREAD_END"], n["THREAD_WAIT"], bad + 0, n["THREAD_ACQUIRE_LOCK"], n["THREAD_RELEASE_LOCK"], most}'
4 4 4 4 0 40 40 40
