## SPDX-License-Identifier: Apache-2.0
## needs: gcc jq xz gzip tar python3 sqlite3 make setpriv
## tags: builds=release,debug timeout=300
## Programs of Debian under weft record, by default and with all that can be asked for: the same output, bit for bit, and the same status.
$ head -c 3000000 "$WEFT_BUILD"/weft >in.bin; mkdir files; cp in.bin files/one; seq 100000 >files/two
$ cat >both <<'END'
> # Runs a command alone and recorded, and says when anything differs.
> sh -c "$1" >plain.out 2>plain.err; plain=$?
> for on in '' '--on threads,io' '--on threads,locks,io,stdio,memory,process'; do
> weft record -q --force $on -o both.weft -- sh -c "$1" >recorded.out 2>recorded.err; recorded=$?
> [ $plain = $recorded ] && cmp plain.out recorded.out && diff plain.err recorded.err || echo "differs: $1 $on"
> weft info --json both.weft | jq -c 'select(.dropped + .problems > 0) | [.dropped, .problems]'
> done
> END
$ sh both 'xz -1 -T2 --block-size=300000 -kc in.bin'
$ sh both 'gzip -1 -nkc in.bin | gzip -dc'
$ sh both 'tar --sort=name --mtime=@0 -cf - files'
$ sh both 'sqlite3 :memory: "create table a(x); with recursive t(n) as (select 1 union all select n+1 from t where n<20000) insert into a select n from t; select sum(x) from a;"'
$ sh both 'ls no-such-file; false; exit 23'
$ cat >all.py <<'END'
> import subprocess, sys, threading
> lock, total = threading.Lock(), [0]
> def add():
>     for i in range(2000):
>         with lock:
>             total[0] += i
> threads = [threading.Thread(target=add) for _ in range(4)]
> [t.start() for t in threads]
> [t.join() for t in threads]
> print(total[0], subprocess.run(["sh", "-c", "echo from; exit 3"], capture_output=True))
> sys.exit(11)
> END
$ sh both 'python3 all.py'
$ printf 'all: a b c\n%%: %%.c\n\t@cc -O1 -c $< -o $@ && cksum $@\n' >Makefile; for i in a b c; do echo "int $i(void) { return 1; }" >$i.c; done
$ sh both 'rm -f a b c; make -j2 | sort'

## What lives for a moment and makes no thread has no stream, nor have a shell's children; what makes one has.
$ weft record -q -o shell.weft -- sh -c '/bin/true; (/bin/true); x=$(/bin/true); : | cat'; ls shell.weft | grep -c stream
1
$ cp "$WEFT_SOURCE"/tests/tools/calls_counts.c . && gcc -O1 -w -pthread calls_counts.c -o counts && weft record -q -o many.weft -- ./counts many 100; ls many.weft | grep -c stream
2
$ weft record -q --off threads,io -o off.weft -- ./counts many 100; ls off.weft | grep -c stream
1

## A process that is worth it by what it computes is recorded from then on.
$ weft record -q -o old.weft -- sh -c 'i=0; while [ $i -lt 2000000 ]; do i=$((i + 1)); done; : <in.bin; echo done'; weft stat --by region --csv old.weft | grep -c '^open'
done
1

## Programs with sanitizers run on as they are, and what they find they find.
$ for s in address thread; do gcc -O1 -g -w -pthread -fsanitize=$s calls_counts.c -o counts.$s && for w in 'many 100' process; do ./counts.$s $w >plain.out 2>&1; a=$?; weft record -q --force --on threads,io,memory -o s.weft -- ./counts.$s $w >recorded.out 2>&1; echo $s $a $?; done; done
address 0 0
address 6 6
thread 0 0
thread 6 6
$ printf '#include <pthread.h>\nint n; void *f(void *a) { n++; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); n++; pthread_join(t, 0); }\n' >race.c; gcc -g -pthread -fsanitize=thread race.c -o race; weft record -q --on threads,io -o race.weft -- ./race 2>&1 | grep -c 'WARNING: ThreadSanitizer: data race'
1

## Static programs, and such as run as another user: as without us.
$ gcc -O1 -w -static -pthread calls_counts.c -o counts.static && weft record -q --on threads,io -o static.weft -- ./counts.static process
? 6
$ cp "$(command -v sleep)" mine && chown 1 mine && chmod 4755 mine && weft record -q -o setuid.weft -- setpriv --reuid=2 --clear-groups ./mine 0; ls setuid.weft | grep -c stream
1
