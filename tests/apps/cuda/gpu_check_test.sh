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
for step in links train train.tf32 train.bf16 capture; do
  expect "$step is ok" grep -qE "^$step +ok " "$work/all/summary.txt"
done
# A machine that does other things gives no verdict.
for step in crosscheck.two_branches.3 crosscheck.mmt.3; do
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

# A machine may be taken away: what was found until then stays.
printf '#!/bin/sh\ncase "$*" in links*) echo a,b ;; *) echo begun; sleep 60 ;; esac\n' >"$work/slow"
chmod +x "$work/slow"
"$check" --dry-run "$work/slow" "$work/stopped" >"$work/out" 2>&1 &
for ((i = 0; i < 100; i++)); do grep -q '^train' "$work/out" && break; sleep 0.1; done
sleep 0.3
kill "$!"
wait "$!"
expect "a check that is stopped says so" test $? -eq 1
expect "and ends at once" grep -qE "^interrupted +failed" "$work/stopped/summary.txt"
expect "with what it has" grep -qE "^links +ok" "$work/stopped/summary.txt"
expect "and the log of the step that ran" grep -q begun <(tar xOf "$work/stopped/details.tar.gz" details/train.log)

CHECK_SECONDS=0 "$check" --dry-run "$program" "$work/late" >"$work/out" 2>&1
expect "what has no time left is not well" test $? -eq 1
expect "and said to be skipped" grep -qE "^links +skipped +0  no time left" "$work/late/summary.txt"
exit $((failures > 0))
