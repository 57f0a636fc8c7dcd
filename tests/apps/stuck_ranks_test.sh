#!/usr/bin/env bash
# Ranks that wait for each other for ever are named long before the deadline, those that only wait long are not, and
# clocks taken to be apart are corrected within the bound that is told.   stuck_ranks_test.sh PROGRAM MPIRUN
set -u
# shellcheck source=tests/apps/ranks_support.sh
source "$(dirname "$0")/ranks_support.sh"
small_scenario 4 "{planner: uniform}"

# Device 0 receives before it sends what device 3 waits for; devices 1 and 2 are through at once.
cat >deadlock.txt <<'END'
devices 4
stage 0 s
0 d0 from d3: recv F0[0,1)<d3 bytes 8
1 d0 to d3: send F0[0,1)>d3 bytes 8 after 0
2 d3 from d0: recv F0[0,1)<d0 bytes 8
3 d3 to d0: send F0[0,1)>d0 bytes 8 after 2
4 d1 compute: F0[0,1) time 1 us
5 d2 compute: F0[0,1) time 1 us
END

# job RANKS ARGUMENT...: its exit code; the deadline is far away.
job() {
  timeout 120 "$mpirun" --oversubscribe --bind-to none -n "$1" "$program" run small.yaml --backend emulated --no-report \
    --deadline '100 s' "${@:2}" >log 2>err
}

for ranks in 2 4; do
  job "$ranks" --program deadlock.txt --no-validate
  code=$?
  ((code == 3)) || fail "a deadlock on $ranks ranks gave $code instead of 3" "$(<err)"
  grep -q 'all devices of all ranks wait for each other' err || fail "the deadlock on $ranks ranks was not found" "$(<err)"
  grep -q 'deadlock: #0 recv F0\[0,1)<d3 on d0 waits for #3 send F0\[0,1)>d0 on d3 waits for #2' err ||
    fail "the deadlock on $ranks ranks is not named" "$(<err)"
done

"$program" show program small.yaml >program.txt
crossing=$(sed -n 's/^\([0-9]*\) d0 to d[1-3]: send.*/\1/p' program.txt | head -n 1)
job 4 --misbehave "drop=$crossing"
code=$?
((code == 3)) || fail "a lost message gave $code instead of 3" "$(<err)"
grep -q 'no message is on its way' err || fail "the lost message was not noticed" "$(<err)"

job 2 --misbehave 'delay=800 ms,seed=2' --warm-up 0 --steps 1 || fail "messages that are late were taken for lost" "$(<err)"

job 2 --real-time --trace --misbehave clocks=apart --steps 2 -o apart || fail "clocks taken to be apart failed" "$(<err)"
grep -q 'times in the timeline may be wrong by' err || fail "the clocks' bound is not told" "$(<err)"
grep -q '"clock_bound_s": [0-9]' apart/summary.json || fail "the clocks' bound is not in the summary"
job 2 --real-time --trace --steps 2 -o one || fail "a run in real time failed" "$(<err)"
grep -q '"clock_bound_s": null' one/summary.json || fail "clocks of one host are taken to be apart"
exit $((failures > 0))
