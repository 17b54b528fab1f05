## SPDX-License-Identifier: Apache-2.0
## tags: timeout=120
## dev/mutate in a tree of its own: where it plants what, who notices, and that it changes nothing there.
$ mkdir -p dev src/base tests/cli
$ for name in mutate run-tests run-transcript build list-files; do cp "$WEFT_SOURCE/dev/$name" dev/; done; echo '# none' >dev/packages
$ cat >meson.build <<'END'
> project('weft', 'c', default_options: ['warning_level=2'])
> subdir('src/base')
> library = static_library('base', base_src)
> executable('weft', 'main.c', link_with: library)
> subdir('tests')
> END
$ printf "base_src = files('top.c')\nbase_tests = {'top': ''}\n" >src/base/meson.build
$ cat >tests/meson.build <<'END'
> built = executable('test_top', 'test_top.c', link_with: library)
> test('test_top', built, suite: ['unit'], timeout: 60)
> alias_target('tests', built, executable('prv_validate', 'test_top.c', link_with: library))
> END
$ cat >src/base/top.c <<'END'
> #define LIMIT(x) ((x) < 3)
> static const int limits[] = {7, 8};
> int top_seen(void);
> static int seen; /* 1 == 2, seen += 1; */
> 
> static void top_see(void)
> {
> 	seen += 5;
> }
> 
> int top_of(int a, int b)
> {
> 	const char *text = "a == 1; top_see();";
> 	if (a > b && text)
> 		return a;
> 	top_see();
> 	return b;
> }
> 
> int top_seen(void)
> {
> #define NEVER (1 == 2)
> 	_Static_assert(sizeof(int) == 4, "an int has 4 bytes");
> 	return seen + limits[0];
> }
> END
$ cat >tests/test_top.c <<'END'
> #include <stdio.h>
> int top_of(int a, int b);
> int top_seen(void);
> int main(void)
> {
> 	int good = top_of(3, 2) == 3 && top_of(2, 3) == 3 && top_of(2, 2) == 2 && top_seen() == 17;
> 	printf("1..1\n%sok 1 - top\n", good ? "" : "not ");
> 	return !good;
> }
> END
$ printf 'int top_of(int a, int b);\nint main(int argc, char **argv)\n{\n\treturn argv ? top_of(argc, 0) - 1 : 0;\n}\n' >main.c
$ mutate() { TMPDIR=$PWD/temp dev/mutate --build release --jobs 1 "$@"; }
$ mkdir temp; sums() { find dev src tests -type f -exec md5sum {} + | sort; }; sums >before

## Every place, whatever the seed: none in a comment, a text, a directive, an assertion or a table.
$ mutate 100 >lines
$ grep '^src' lines | sed 's/+= [46]/+= N/; s/if (a [<>]=/if (a ?/' | sort -t: -k2,2n -k3
src/base/top.c:8: seen += 5; -> return; seen += 5;: noticed by test_top
src/base/top.c:8: seen += 5; -> seen += N;: noticed by test_top
src/base/top.c:8: seen += 5; -> seen -= 5;: noticed by test_top
src/base/top.c:8: seen += 5; -> { }: noticed by test_top
src/base/top.c:13: const char *text = "a == 1; top_see();"; -> return 0; const char *text = "a == 1; top_see();";: noticed by test_top
src/base/top.c:14: if (a > b && text) -> if (a ? b && text): noticed by test_top
src/base/top.c:16: top_see(); -> return 0; top_see();: noticed by test_top
src/base/top.c:16: top_see(); -> { }: noticed by test_top
src/base/top.c:24: return seen + limits[0]; -> return seen + limits[1];: noticed by test_top
$ head -n 1 lines | tr -d 0-9; tail -n +2 lines | grep -v '^src'
seed 
9 mutants, 9 noticed (100 %)

## As many as are asked for, the same for the same seed; the tree is as it was, and the copy is gone.
$ mutate --seed 5 3 >some; mutate --seed 5 3 | diff some -; tail -n 1 some
3 mutants, 3 noticed (100 %)
$ sums | diff before -; ls temp

## What nobody looks at survives; a test that fails anyhow notices nothing; what hangs does.
$ sed -i 's/top_seen() == 17/top_seen() != 0/' tests/test_top.c; printf '$ false\n' >tests/cli/false.t
$ mutate --seed 5 100 >lines
dev/mutate: cli/false fails without a mutant, and is left out
? 1
$ grep 'SURVIVED' lines | grep -c 'seen'; tail -n 1 lines
5
9 mutants, 2 noticed (22 %)
$ rm tests/cli/false.t; sed -i 's/"a == 1.*;/""; for (volatile long i = 0; i < 3; i++) text = "";/' src/base/top.c
$ mutate --seconds 2 100 >lines; grep 'i--' lines
src/base/top.c:13: const char *text = ""; for (volatile long i = 0; i < 3; i++) text = ""; -> const char *text = ""; for (volatile long i = 0; i < 3; i--) text = "";: noticed by test_top

## What cannot be done.
$ mutate 0
dev/mutate: cannot plant 0 mutants in 'src'
? 2
$ mutate --under src/none 5
dev/mutate: cannot plant 5 mutants in 'src/none'
? 2
