## SPDX-License-Identifier: Apache-2.0
## What `weft` says about itself: the overview, each command's help, and answers to typing errors.
$ weft --version
weft 0.1.0
$ weft
usage: weft COMMAND [options] [operands]

weft records, explains and tunes parallel programs.

Record
  record      run a command and record it into a trace
  ctl         switch a recording that runs on or off
  simulate    run a program of tasks as on another machine, in simulated time

Look
  open        look at traces in a browser
  info        what a trace is: when, where, how long, how much
  stat        where the time went: per region, thread or process
  calls       who called whom, and what it took: profiles and flame graphs
  timeline    draw a trace along time, as SVG or PNG
  dump        print the events of a trace as text
  check       is a trace sound; what is damaged, what was recovered
  top         look at a program while it runs, and turn its knobs
  files       StarPU's paje.trace, *.rec and *.data: sort, sums, pictures

Tasks
  tasks       the tasks of a program: any field, filtered, sorted, grouped
  graph       the graph of a program's tasks: critical path, DOT, drawings, a page
  efficiency  how well cores were used, as factors: what was lost, and to what
  gantt       draw the workers of a program of tasks, with curves, as StarPU's handbook
  panels      draw a run of tasks in panels over one axis of time, as StarVZ does
  data        memory and data of a program of tasks: nodes, handles, copies, returns
  products    StarPU's files from a trace: paje.trace, dag.dot, tasks.rec, ...

Explain
  critical    the critical path: what made the run as long as it was
  waits       what threads waited for, and which work was to blame
  what-if     what a change of the program or the machine would bring
  scale       runs of several sizes: speed-up, serial part, what will hurt at more processes
  regress     is it slower than it was: several runs before and after, region by region

Compute
  table       a view's table of a trace: profiles, histograms, who talks to whom
  diff        what changed from one trace to another, by the same views
  view        views: what there are, what one says, converting
  paramedir   Paraver's views and trace tools, as paramedir
  bound       the schedule that a solver found for a bound, as a Paje trace

Predict
  replay      what a message-passing program would take on another machine
  Dimemas     predict a .dim program on a machine, as Dimemas does
  prv2dim     turn a trace of Paraver into a program for Dimemas

Structure
  cluster     which computations are of one kind
  fold        what happens within one instance of a region
  phases      iterations of a program, found without a hint
  track       kinds of computation, followed from run to run

Change
  cut         keep a range of time of a trace
  filter      keep what a filter matches of a trace
  merge       put several traces into one
  convert     write a trace in another format, or read one
  export      a trace as one page, to mail and to attach
  shift       move threads or processes in time
  counters    make a small trace: events become counters
  split       a trace for each iteration, by an event
  translate   number events as another trace does

Tune
  tune        run a command under tunlets, which measure and tune it
  tunlet      check, explain and translate tunlet specifications
  model       performance models of codelets: list, show, plot, check, fit

Keep
  index       build the index of a trace
  pack        compress a trace in place, or decompress it

This machine
  doctor      what this build and this machine can do, and why not
  machine     workers of this machine, and the ways between its memories
  bus         how fast data goes between memories, measured
  sched       the scheduling policies that STARPU_SCHED may name
  bench       run a benchmark of the task runtime, or list them
  completion  print the completion script of a shell

Options:
  -h, --help          print this, or with a command its help
      --version       print the version
      --list-options  print every option of every command: COMMAND LETTER NAME
                      ARGUMENT

'weft help COMMAND' explains a command. A first try:
    weft record -- ./program
    weft stat program.weft
$ weft help | diff - <(weft) && weft --help | diff - <(weft) && weft -h | diff - <(weft)
$ weft dmp run.weft
weft: error: unknown command 'dmp' (did you mean 'dump'?)
Try 'weft help'.
? 2
$ weft xyzzy
weft: error: unknown command 'xyzzy'
Try 'weft help'.
? 2
$ for n in abc 0 -1 1.5; do WEFT_THREADS=$n weft stat none.weft 2>&1 | head -n 1; done; WEFT_THREADS=abc weft stat none.weft 2>/dev/null
weft stat: error: WEFT_THREADS: expected a number of threads, found 'abc'
weft stat: error: WEFT_THREADS: expected a number of threads, found '0'
weft stat: error: WEFT_THREADS: expected a number of threads, found '-1'
weft stat: error: WEFT_THREADS: expected a number of threads, found '1.5'
? 2
$ for n in abc -1 7x 99999999999; do WEFT_MW_WORKERS=$n $WEFT_BUILD/examples/mw_primes 2>&1 | grep ignored; done; WEFT_MW_WORKERS= WEFT_MW_CHUNK=0 $WEFT_BUILD/examples/mw_primes 2>&1 | grep -c ignored
weft: WEFT_MW_WORKERS is ignored: expected a number from 0 to 1073741824, found 'abc'
weft: WEFT_MW_WORKERS is ignored: expected a number from 0 to 1073741824, found '-1'
weft: WEFT_MW_WORKERS is ignored: expected a number from 0 to 1073741824, found '7x'
weft: WEFT_MW_WORKERS is ignored: expected a number from 0 to 1073741824, found '99999999999'
0
? 1
$ WEFT_THREADS=abc weft view list | head -n 1
view                     shows
$ weft --jsn
weft: error: unknown option '--jsn'
Try 'weft help'.
? 2
$ weft help sta
weft: error: unknown command 'sta' (did you mean 'stat'?)
Try 'weft help'.
? 2
$ weft help stat | diff - <(weft stat --help) && weft stat -h | diff - <(weft stat --help)
$ weft info --help
usage: weft info [options] TRACE

Prints what TRACE is: when and where it was recorded, of what, how long it is
and how much there is in it, what was dropped and what is damaged. With --list,
its processes, threads or definitions as a table.

Examples:
    weft info run.weft
    weft info run.weft --list threads
    weft info run.weft --list regions --json

Options:
  -l, --list=WHAT    print a table: processes, threads, nodes, cpus, regions,
                     types, labels, counters, attributes, categories,
                     communicators, flows, sets, data, states, modules, notes
      --json         print JSON
      --csv          print CSV
      --memory=SIZE  use at most SIZE of memory (default: a quarter of the
                     machine's)
      --threads=N    use N threads (default: all CPUs)
  -q, --quiet        no progress, no warnings
  -v, --verbose      say what is being done
  -h, --help         print this help
$ weft stat --help
usage: weft stat [options] TRACE

Prints for each region (or what --by says) how often it was entered, its time
in all (total) and without the regions inside (self), the least, mean, median
(p50), 99th percentile and greatest time of a call, and self as a share of the
time of all threads. balance is average over greatest self time of the threads
that have the region: 100 % when all have the same. Percentiles are right to
0.8 %. Of a trace without regions and states it prints the processes: their
threads, how long they lasted, their exit status. --by function is of samples: the
functions that ran, with the bounds of their shares at 95 % confidence (Wilson).
--by counter is of counters: what they counted in each region.

Examples:
    weft stat run.weft
    weft stat run.weft --by thread
    weft stat run.weft --by function --top 10
    weft stat run.weft --by region,process --sort max --top 5
    weft stat run.weft --time 25%..75% -f 'region=solve*' --csv

Options:
  -b, --by=GROUPS      what a row is: region, thread, process, state (of
                       Paraver), all; or two, like region,thread; or function
                       (of samples), or counter
  -s, --sort=COLUMN    order by this column, greatest first (default: self)
  -n, --top=N          print the first N rows only
  -t, --time=A..B      from A up to B only; regions are cut there
  -f, --filter=FILTER  only what FILTER matches (see weft-filter-grammar(7))
      --json           print JSON
      --csv            print CSV
      --own-threads    also show the threads that Weft itself has in the program
      --memory=SIZE    use at most SIZE of memory (default: a quarter of the
                       machine's)
      --threads=N      use N threads (default: all CPUs)
  -q, --quiet          no progress, no warnings
  -v, --verbose        say what is being done
  -h, --help           print this help
$ weft dump --help
usage: weft dump [options] TRACE

Prints the events of all threads of TRACE in order of time, one a line: the
time in nanoseconds from the begin of the trace, the thread as
application.process.thread, the kind of event, and what it says. With --json
each line is a JSON object.

Examples:
    weft dump run.weft
    weft dump run.weft -f 'region=solve* and duration>1ms'
    weft dump run.weft -f 'kind=message size>=1K' --json
    weft dump run.prv -n 20

Options:
  -f, --filter=FILTER  only what FILTER matches (see weft-filter-grammar(7))
  -o, --output=FILE    write to FILE instead of stdout
  -n, --count=N        stop after N events
      --delta          times since the line before
      --json           print a JSON object a line
      --memory=SIZE    use at most SIZE of memory (default: a quarter of the
                       machine's)
      --threads=N      use N threads (default: all CPUs)
  -q, --quiet          no progress, no warnings
  -v, --verbose        say what is being done
  -h, --help           print this help
$ weft check --help
usage: weft check [options] TRACE...

Reads every page of every stream of each TRACE and holds it against the format:
checksums, order, definitions, the balance of regions, the matching of messages
and flows, clocks, and the index. Says what is damaged and what is lost of it.
Changes nothing. The exit status is 1 when something is damaged. A process that
was killed leaves no damage.

Examples:
    weft check run.weft
    weft check --json run.weft
    weft check -q run.weft && echo sound

Options:
      --strict       warnings, too, make the exit status 1
      --json         print JSON
      --csv          print CSV
      --threads=N    use N threads (default: all CPUs)
      --memory=SIZE  use at most SIZE of memory (default: a quarter of the
                     machine's)
  -q, --quiet        print nothing; the exit status tells
  -v, --verbose      print notes, too
  -h, --help         print this help
$ weft cut --help
usage: weft cut [options] TRACE

Writes what happens in TRACE from A up to (and without) B as a new trace.
Regions that are open at A begin there, and those that are open at B end there.
Times are from the begin of TRACE, with a unit (ns, us, ms, s, min, h), or
percentages of its length. With -f only what the filter matches is kept: some
threads, some kinds of event. An OUT.prv is made line by line, as Paraver's cutter
does: what is kept is not changed, and the earliest kept time becomes 0.
The new trace knows where it comes from: with --like, times that were seen in
it (or in a filtered trace) cut the original.

Examples:
    weft cut run.weft -o middle.weft --time 25%..75%
    weft cut run.weft -o start.weft --time ..10ms -f 'thread=1.1.*'
    weft cut run.prv -o middle.prv --time 25%..75% --tasks 1,3
    weft cut run.weft -o part.weft --like seen.weft --range 40ms..60ms

Options:
  -o, --output=OUT           the new trace, a folder OUT.weft, or OUT.prv
      --force                replace OUT if it is there
  -t, --time=A..B            from A up to B: like 10ms..1.5s, 25%..50%, 2s.. or
                             ..90%
      --like=SEEN            the times of --range are those of SEEN, which was
                             filtered or cut from TRACE
      --range=A..B           with --like: from A up to B, as seen there
      --keep-times           keep the times of TRACE; else A becomes 0
  -f, --filter=FILTER        only what FILTER matches (see
                             weft-filter-grammar(7))
      --memory=SIZE          use at most SIZE of memory (default: a quarter of
                             the machine's)
      --threads=N            use N threads (default: all CPUs)
  -q, --quiet                no progress, no warnings
  -v, --verbose              say what is being done

For Paraver's traces (any of these, or an OUT.prv: it is cut line by line)
      --xml=FILE             cut as <cutter> of Paraver's XML file says
      --tasks=LIST           only these tasks, like 1,3-5
      --whole-states         states over A and B stay whole; else they are
                             clipped
      --remove-first-states  remove states that are open at A
      --remove-last-states   remove states that are open at B
      --keep-events          keep events before A in threads with a state over A
      --max-size=SIZE        stop when OUT has SIZE
  -h, --help                 print this help
$ weft filter --help
usage: weft filter [options] TRACE

Writes what FILTER matches of TRACE as a new trace, at the same times. An enter
and its leave are kept together. Filters are the same for all commands, and
weft-filter-grammar(7) explains them. An OUT.prv is made line by line, as
Paraver's filter does: what is kept is not changed.

Examples:
    weft filter run.weft -o long.weft -f 'duration>1ms or kind=message'
    weft filter run.weft -o solve.weft -f 'region=solve*,exchange and thread=1.1.*'
    weft filter run.prv -o mpi.prv --keep-types 50000001-50000003 --min-bytes 1K

Options:
  -o, --output=OUT           the new trace, a folder OUT.weft, or OUT.prv
      --force                replace OUT if it is there
  -f, --filter=FILTER        only what FILTER matches (see
                             weft-filter-grammar(7))
      --memory=SIZE          use at most SIZE of memory (default: a quarter of
                             the machine's)
      --threads=N            use N threads (default: all CPUs)
  -q, --quiet                no progress, no warnings
  -v, --verbose              say what is being done

For Paraver's traces (any of these, or an OUT.prv: it is filtered line by line)
      --xml=FILE             filter as <filter> of Paraver's XML file says
      --keep-types=TYPES     keep these event types, like
                             '50000001-50000003;7:1,2'
      --drop-types=TYPES     keep all event types but these
      --states=NAMES         keep states with these names, like 'Running,I/O'
      --min-state-time=TIME  keep states of at least TIME
      --min-bytes=SIZE       keep messages of at least SIZE
      --discard=KINDS        drop all states, events or messages (comma between)
  -h, --help                 print this help
$ weft merge --help
usage: weft merge [options] TRACE...

Writes all TRACEs as one, their processes side by side. With --align
they are shifted by the time of day at which each began; else all begin at 0, as
one wants to compare runs. The processes of one run need no merge: they are one
trace.

Examples:
    weft merge run.weft again.weft -o both.weft
    weft merge --align run.weft again.weft -o day.weft

Options:
  -o, --output=OUT   the new trace, a folder OUT.weft
      --force        replace OUT if it is there
      --align        align by the time of day; else every trace begins at 0
      --memory=SIZE  use at most SIZE of memory (default: a quarter of the
                     machine's)
      --threads=N    use N threads (default: all CPUs)
  -q, --quiet        no progress, no warnings
  -v, --verbose      say what is being done
  -h, --help         print this help
$ weft convert --help
usage: weft convert [options] TRACE

Writes TRACE in the format that the name of OUT ends with, or that --to says:
Paraver, Paje, Chrome and Perfetto, CSV, or our own. TRACE may be a .weft trace,
a Paraver .prv or a Paje file (both also packed by gzip or zstd). What the other
format cannot hold is left out. OUT appears when it is complete, and not
at all when something fails.

Examples:
    weft convert run.weft -o run.prv
    weft convert run.weft -o run.json -f 'time=0%..50% and not kind=counter'
    weft convert run.weft -o - --to csv
    weft convert run.prv -o again.weft
    weft convert --like extrae run.weft like.prv
    weft convert --list-formats

Options:
  -o, --output=OUT     write OUT; '-' is stdout, for formats that are one text
      --to=FORMAT      the format of OUT (default: by its name)
      --like=TOOL      as TOOL would have recorded it: extrae, in its types,
                       values and states (.prv)
      --openmp=WORDS   with --like extrae: classic (default) or new, in these
                       event types; dependencies, of tasks, as communications;
                       with commas between
      --symbols=DIR    look for executables and libraries below DIR first, for
                       names in stacks
      --list-formats   print the formats, and do nothing
      --json           print that list as JSON
      --force          replace OUT if it is there
  -f, --filter=FILTER  only what FILTER matches (see weft-filter-grammar(7))
      --memory=SIZE    use at most SIZE of memory (default: a quarter of the
                       machine's)
      --threads=N      use N threads (default: all CPUs)
  -q, --quiet          no progress, no warnings
  -v, --verbose        say what is being done
  -h, --help           print this help
$ weft index --help
usage: weft index [options] TRACE...

Builds the index that makes opening a trace immediate: columns of events sorted
by time, in the folder 'index' of the trace. Every command does so by itself
when it opens a trace that has none or that has changed since.

Examples:
    weft index run.weft
    weft index --rebuild run.weft

Options:
      --rebuild      make it anew, also when it is there
      --memory=SIZE  use at most SIZE of memory (default: a quarter of the
                     machine's)
      --threads=N    use N threads (default: all CPUs)
  -q, --quiet        no progress, no warnings
  -v, --verbose      say what is being done
  -h, --help         print this help
$ weft pack --help
usage: weft pack [options] TRACE...

Compresses the streams of each TRACE with zstd, in place. Every command reads
packed traces as they are. A stream is replaced when its packed form is
complete and on disk; one that is still being recorded is refused.

Examples:
    weft pack run.weft
    weft pack --level 19 run.weft
    weft pack --unpack run.weft

Options:
      --unpack     decompress
      --level=N    of zstd, 1 (fast) to 19 (small); default 3
      --json       print JSON
      --csv        print CSV
      --threads=N  use N threads (default: all CPUs)
  -q, --quiet      print nothing but errors
  -h, --help       print this help
$ weft doctor --help
usage: weft doctor [options] [CHECK...]

Checks what Weft can make use of on this machine: clocks, counters, access to
other processes, memory, libraries and programs; and says of each that is
missing why, and what would help. Needs no privileges, changes nothing, and
waits 5 s at most for each check. With CHECKs (globs) only those are done, and
the exit status is 1 when one is not there.

Examples:
    weft doctor
    weft doctor --json
    weft doctor 'tsc*' ptrace

Options:
      --json  print JSON
      --csv   print CSV
  -h, --help  print this help
$ weft completion --help
usage: weft completion [options] bash | zsh | fish

Prints a script that makes the shell complete commands, options and their values, names
of views and tunlets. 'make install' puts it where each shell looks for such.

Examples:
    source <(weft completion bash)
    weft completion zsh >_weft
    weft completion fish >weft.fish

Options:
  -h, --help  print this help

## Every command takes --help, and lists it among its options.
$ for c in $(weft --list-options | cut -d' ' -f1 | grep -v '^-' | sort -u); do weft $c --help | grep -q -e '--help  *print this help' || echo $c; done
$ weft --list-options | grep -E '^(-|dump) '
- h help -
- - version -
- - list-options -
dump f filter FILTER
dump o output FILE
dump n count N
dump - delta -
dump - json -
dump - memory SIZE
dump - threads N
dump q quiet -
dump v verbose -
dump h help -

## Bad usage: one line, a hint, status 2; nothing on stdout.
$ weft info
weft info: error: expected TRACE
Try 'weft info --help'.
? 2
$ weft info a b
weft info: error: unexpected 'b'
Try 'weft info --help'.
? 2
$ weft info --jsn a
weft info: error: unknown option '--jsn' (did you mean '--json'?)
Try 'weft info --help'.
? 2
$ weft dump -n x a
weft dump: error: option '-n': expected a whole number, found 'x'
Try 'weft dump --help'.
? 2
$ weft stat --memory 10parsec a
weft stat: error: option '--memory': expected a size like 64M, found '10parsec'
Try 'weft stat --help'.
? 2
$ weft info 2>/dev/null
? 2

## Help goes to stdout even when other arguments are wrong, and is cut off quietly.
$ weft stat --nonsense --help | head -n 1
usage: weft stat [options] TRACE
$ weft help | head -n 1
usage: weft COMMAND [options] [operands]
