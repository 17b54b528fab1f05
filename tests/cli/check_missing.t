## SPDX-License-Identifier: Apache-2.0
## tags: builds=release,debug
## needs: gcc
## (Pages that nobody has written yet are zero; the page in the middle is the first written one.)
## What is missing of a closed stream, or of a run, is said: whole pages, a whole stream, a page that stands elsewhere, another run.
$ cat >part.c <<'END'
> #include <weft/record.h>
> WEFT_REGION(work, "work", WEFT_STATE_RUNNING);
> int main(void) { for (int i = 0; i < 60000; i++) { weft_enter(work); weft_leave(work); } return 0; }
> END
$ cc part.c -I"$WEFT_SOURCE/include" -L"$WEFT_BUILD" -lweft -Wl,-rpath,"$WEFT_BUILD" -o part 2>&1 | head -3
$ weft record -q -o whole.weft -- sh -c './part & ./part & wait'; weft check -q whole.weft
$ again() { rm -rf cut.weft; cp -r whole.weft cut.weft; set -- cut.weft/*-0.stream; stream=$1; middle=$(($(stat -c %s "$stream") / 8192)); while cmp -s -n 4096 -i $((middle * 4096)):0 "$stream" /dev/zero; do middle=$((middle + 1)); done; }; said() { weft check cut.weft | grep -o '\[stream-[a-z]*\]' | sort -u; weft check -q cut.weft >/dev/null; echo $?; }
$ again; truncate -s 4096 $stream; said; weft info cut.weft 2>&1 >/dev/null | grep -c 'the rest was cut off'
[stream-length]
1
1
$ again; truncate -s -8192 $stream; said
[stream-length]
1
$ again; dd if=/dev/zero of=$stream bs=4096 seek=$middle count=1 conv=notrunc status=none; said
[stream-checksum]
1
$ again; rm $stream; said
[stream-missing]
1
$ again; weft pack -q cut.weft; weft check -q cut.weft; weft pack -q --unpack cut.weft; weft check -q cut.weft; weft convert -q cut.weft -o copy.weft; weft check -q copy.weft
$ weft record -q -o second.weft -- ./part; again; cp second.weft/*-0.stream cut.weft/other.stream; said
[stream-foreign]
1
$ again; dd if=$stream of=page bs=4096 skip=$middle count=1 status=none; dd if=page of=$stream bs=4096 seek=$((middle + 1)) count=1 conv=notrunc status=none; weft check cut.weft | grep -c checksum
1
