#!/usr/bin/env bash
# Builds resources/wasm/libopus.wasm from Debian's source package of libopus (voice.md §1, recipes-server-audio.md §1).
# Needs: apt, clang, lld, llvm, wasi-libc, libclang-rt-14-dev-wasm32, make. Run as any user that apt-get lets download.
#   scripts/build-libopus.sh            builds, writes the wasm, its licence and the hashes
#   scripts/build-libopus.sh --check    builds, and fails unless the result is byte for byte the checked-in one
set -euo pipefail
cd "$(dirname "$0")/.."

suite=trixie
version=1.5.2
tarball="opus_$version.orig.tar.gz"
tarball_sha256=65c1d2f78b9f2fb20082c38cbe47c951ad5839345876e46941612ee87f9a7ce1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Source packages are not enabled on most machines: a list of our own, with the mirror that this machine already uses.
fetch() {
  local mirror keyring
  mirror=$(apt-get indextargets --format '$(REPO_URI)|$(LABEL)' 'Created-By: Packages' | sed -n 's/|Debian$//p' | sort -u | head -1)
  [ -n "$mirror" ] || { echo "build-libopus: apt knows no Debian mirror here; run apt-get update" >&2; exit 1; }
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p "$work/apt/parts" "$work/apt/lists/partial" "$work/apt/cache/archives/partial"
  printf 'Types: deb-src\nURIs: %s\nSuites: %s\nComponents: main\nSigned-By: %s\n' "$mirror" "$suite" "$keyring" \
    > "$work/apt/parts/source.sources"
  local options=(-qq -o Dir::Etc::sourcelist=/dev/null -o "Dir::Etc::sourceparts=$work/apt/parts"
    -o "Dir::State::lists=$work/apt/lists" -o "Dir::Cache=$work/apt/cache" -o APT::Sandbox::User=root)
  apt-get "${options[@]}" update >&2
  (cd "$work" && apt-get "${options[@]}" source --download-only --tar-only opus >&2)
  echo "$tarball_sha256  $work/$tarball" | sha256sum --check --quiet
}

compile() {
  local source="$work/opus-$version" flags units unit
  tar -xzf "$work/$tarball" -C "$work"
  # The lists are makefiles of the package itself.
  printf 'include opus_sources.mk\ninclude celt_sources.mk\ninclude silk_sources.mk\nlist:\n\t@echo $(OPUS_SOURCES) $(OPUS_SOURCES_FLOAT) $(CELT_SOURCES) $(SILK_SOURCES) $(SILK_SOURCES_FLOAT)\n' \
    > "$source/list.mk"
  units=$(make -s -C "$source" -f list.mk list)
  cat > "$source/shim.c" <<'C'
/* The control functions of libopus are variadic; callers outside C need plain ones. */
#include "opus.h"
int enc_set(OpusEncoder *st, int request, opus_int32 value) { return opus_encoder_ctl(st, request, value); }
int enc_get(OpusEncoder *st, int request, opus_int32 *value) { return opus_encoder_ctl(st, request, value); }
int dec_set(OpusDecoder *st, int request, opus_int32 value) { return opus_decoder_ctl(st, request, value); }
int dec_get(OpusDecoder *st, int request, opus_int32 *value) { return opus_decoder_ctl(st, request, value); }
C
  echo "#define PACKAGE_VERSION \"$version\"" > "$source/version.h"
  # wasm has 64-bit multiplication, which this header only believes of 64-bit systems; SILK gains 8 % by it.
  sed -i 's/^#define OPUS_FAST_INT64 0/#define OPUS_FAST_INT64 1/' "$source/celt/arch.h"
  flags=(--target=wasm32-wasi -O3 -msimd128 -mbulk-memory -fno-math-errno -DOPUS_BUILD -DUSE_ALLOCA -DHAVE_LRINT
    -DHAVE_LRINTF -DHAVE_STDINT_H -DNDEBUG -DENABLE_HARDENING -DFLOAT_APPROX -include version.h
    -I. -Iinclude -Icelt -Isilk -Isilk/float -Isrc -Idnn)
  for unit in $units shim.c; do
    echo "clang ${flags[*]} -c $unit -o ${unit//\//_}.o"
  done | (cd "$source" && xargs -P "$(nproc)" -I{} sh -c '{}')
  (cd "$source" && link)
}

link() {
  local exports=(malloc free opus_encoder_create opus_encode opus_encoder_destroy opus_decoder_create opus_decode
    opus_decoder_destroy opus_packet_get_nb_samples opus_packet_get_nb_channels opus_get_version_string
    enc_set enc_get dec_set dec_get)
  clang --target=wasm32-wasi -O3 -mexec-model=reactor ./*.o -o libopus.wasm -Wl,--strip-all \
    -Wl,-z,stack-size=262144 -Wl,--stack-first -Wl,--max-memory=67108864 "${exports[@]/#/-Wl,--export-if-defined=}"
}

fetch
compile
built="$work/opus-$version/libopus.wasm"
if [ "${1:-}" = --check ]; then
  cmp "$built" resources/wasm/libopus.wasm
  echo "libopus.wasm: the checked-in file is what this machine builds"
  exit
fi
mkdir -p resources/wasm resources/licenses
cp "$built" resources/wasm/libopus.wasm
cp "$work/opus-$version/COPYING" resources/licenses/libopus.txt
{
  echo "$tarball_sha256  $tarball"
  (cd resources/wasm && sha256sum libopus.wasm)
} > resources/wasm/SHA256SUMS
ls -l resources/wasm/libopus.wasm >&2
