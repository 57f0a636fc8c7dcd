#!/usr/bin/env bash
# exec/gpu_check.sh without a GPU: gpu_check_test.sh CHECK PROGRAM, a program whose CUDA backend is on the stand-in.
set -u
check="$1"
program="$2"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# expect WHAT COMMAND...: the command must succeed.
expect() {
  local what="$1"
  shift
  "$@" >/dev/null || { echo "FAILED: $what"; failures=$((failures + 1)); }
}

"$check" --dry-run "$program" "$work/all" >"$work/out" 2>&1
expect "all steps end well" test $? -eq 0
for step in links train capture; do
  expect "$step is ok" grep -qE "^$step +ok " "$work/all/summary.txt"
done
# A machine that does other things gives no verdict.
for step in crosscheck.two_branches.2 crosscheck.mmt.3; do
  expect "$step has run" grep -qE "^$step +(ok|no verdict) " "$work/all/summary.txt"
done
expect "what was printed is the summary" grep -qF "all well" "$work/out"
for file in machine.txt links.csv this_machine.yaml predictions.txt details.tar.gz; do
  expect "there is $file" test -s "$work/all/$file"
done
expect "the links can be used" "$program" show topology "$(dirname "$check")/../scenarios/gpu_mmt.yaml" \
  --set "cluster={file: $work/all/this_machine.yaml}"
((failures)) && cat "$work/out"

printf '#!/bin/sh\necho it broke\nexit 3\n' >"$work/broken"
chmod +x "$work/broken"
"$check" --dry-run "$work/broken" "$work/broken_results" >"$work/out" 2>&1
expect "a step that fails fails the check" test $? -eq 1
expect "and stops no other" grep -qE "^crosscheck.mmt.3 +failed:3 +[0-9]+  it broke" "$work/broken_results/summary.txt"

CHECK_SECONDS=0 "$check" --dry-run "$program" "$work/late" >"$work/out" 2>&1
expect "what has no time left is not well" test $? -eq 1
expect "and said to be skipped" grep -qE "^links +skipped +0  no time left" "$work/late/summary.txt"
exit $((failures > 0))
