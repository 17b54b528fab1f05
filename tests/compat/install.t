## SPDX-License-Identifier: Apache-2.0
## tags: full timeout=120
## make install and uninstall: what is there before stays as it is, what is left out is not written, what was put is taken away.
$ export DESTDIR="$PWD/tree" PREFIX=$(cat "$WEFT_BUILD/.prefix" 2>/dev/null || echo /usr/local); at="$DESTDIR$PREFIX"; count() { (cd "$at" && ls -d $* 2>/dev/null | wc -l); }
$ install() { WITHOUT="${1:-}" "$WEFT_SOURCE/dev/install"; }; foreign='bin/TG bin/MATE bin/paramedir bin/fxt_print'; starpu='include/starpu.h lib/libstarpu-1.4.so lib/pkgconfig/starpu-1.4.pc bin/starpu_config share/starpu lib/starpu'; old='lib/libstarpu-1.3.so lib/pkgconfig/libstarpu.pc lib/pkgconfig/starpu-1.[0123].pc'

## Everything; the folders that were there keep their modes.
$ mkdir -p "$at/lib/pkgconfig" "$at/bin" && chmod 2775 "$at/lib" && echo mine >"$at/bin/mine" && install && count $foreign; count $starpu; count $old; stat -c %a "$at/lib"; "$at/bin/weft" --version
4
6
6
2775
weft 0.1.0
$ cd "$at" && find . ! -type d ! -name mine | sed 's,^\./,,' | sort | diff - <(sort share/weft/installed); cd - >/dev/null

## Each shell finds its completion.
$ cd "$at/share"; ls bash-completion/completions/weft zsh/site-functions/_weft fish/vendor_completions.d/weft.fish; cmp zsh/site-functions/_weft <(weft completion zsh); cd - >/dev/null
bash-completion/completions/weft
fish/vendor_completions.d/weft.fish
zsh/site-functions/_weft

## Another install leaves none of what it leaves out.
$ install 'old names'; count $foreign; count $starpu; count $old
0
6
0
$ install 'starpu'; count $foreign; count $starpu; count $old; find "$at" -iname '*starpu*'
4
0
0
$ install 'starpu names' && "$WEFT_SOURCE/dev/install" --uninstall && (cd "$DESTDIR" && find . ! -type d | sed "s|.$PREFIX|PREFIX|")
PREFIX/bin/mine
$ "$WEFT_SOURCE/dev/install" --uninstall 2>&1 | sed "s,$DESTDIR,TREE,"
make uninstall: nothing of Weft is installed in 'TREE/usr/local'

## What an installed StarPU has is not touched.
$ mkdir -p "$at/lib/pkgconfig"; echo theirs >"$at/lib/pkgconfig/libstarpu.pc"; echo theirs >"$at/bin/paramedir"; install 'starpu names'; "$WEFT_SOURCE/dev/install" --uninstall; cat "$at/lib/pkgconfig/libstarpu.pc" "$at/bin/paramedir" "$at/bin/mine"
theirs
theirs
mine
$ install 'starpu tools'; find "$at" -name weft
make install: WITHOUT has no 'tools' (it can be: starpu, old, names)
