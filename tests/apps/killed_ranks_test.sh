#!/usr/bin/env bash
# Kills or stops ranks of `mpirun pipegraph run` at random moments:  killed_ranks_test.sh PROGRAM MPIRUN TIMES [SEED]
# Every job has to end by itself, and what training had saved has to be readable.
set -u
# shellcheck source=tests/apps/ranks_support.sh
source "$(dirname "$0")/ranks_support.sh"
times="$3"
RANDOM="${4:-1}"
# Seconds after which a job that still runs hangs. The bar is 10; a loaded machine needs more to start anything at all.
patience=60
trap 'kill "${job:-}" 2>/dev/null; rm -rf "$scratch"' EXIT
small_scenario 3 "{planner: uniform}"

# start RANKS ARGUMENT...: a job in the background.
start() {
  "$mpirun" --oversubscribe --bind-to none -n "$1" "$program" run "$scratch/small.yaml" --no-report "${@:2}" \
    >"$scratch/out" 2>"$scratch/err" &
  job=$!
}

# wait_until WHAT COMMAND...: for the command to succeed while the job runs.
wait_until() {
  local what="$1" tries
  shift
  for ((tries = 0; tries < patience * 20; tries++)); do
    "$@" && return 0
    kill -0 "$job" 2>/dev/null || break
    sleep 0.05
  done
  fail "the job ended, or never came to: $what" "$(<"$scratch/err")"
  return 1
}

has_checkpoint() { compgen -G "$scratch/results/training/checkpoints/*.json" >/dev/null; }
has_ranks() { mapfile -t ranks < <(pgrep -P "$job" -f "$program"); ((${#ranks[@]} == $1)); }

# hit SIGNAL: one of the ranks, after a random part of a second.
hit() {
  sleep "0.$((RANDOM % 1000 + 1000))"
  kill "-$1" "${ranks[RANDOM % ${#ranks[@]}]}" 2>/dev/null
}

# ends: whether the job ends by itself; sets status and seconds.
ends() {
  local began=$SECONDS
  # With it ends its sleep, which would keep whoever reads this test's output waiting.
  (
    sleep "$patience" &
    trap 'kill $!' TERM
    wait $! && kill -9 "$job" && touch "$scratch/hung"
  ) >/dev/null 2>&1 &
  local watch=$!
  wait "$job"
  status=$?
  { kill "$watch" && wait "$watch"; } 2>/dev/null
  seconds=$((SECONDS - began))
  [[ ! -e $scratch/hung ]] && return 0
  fail "a job hung"
  exit 1
}

for ((turn = 1; turn <= times; turn++)); do
  rm -rf "$scratch/results"
  start 3 --backend cpu --steps 1000000 --checkpoint-every 1 -o "$scratch/results"
  if wait_until "a checkpoint" has_checkpoint && wait_until "three ranks" has_ranks 3; then
    hit KILL
    ends
    ((status != 0)) || fail "killing a rank ended in success"
    echo "training, killed: ended after $seconds s with $status"
    "$program" run "$scratch/small.yaml" --backend cpu --steps 1 --resume --no-report -o "$scratch/results" \
      >"$scratch/out" 2>"$scratch/err" || fail "the last checkpoint cannot be resumed" "$(<"$scratch/err")"
  fi
  rm -rf "$scratch/results"
  start 3 --backend emulated --real-time --steps 1000000 -o "$scratch/results"
  if wait_until "three ranks" has_ranks 3; then
    hit KILL
    ends
    ((status != 0)) || fail "killing a rank ended in success"
    [[ ! -e $scratch/results ]] || fail "a killed job left results"
    echo "emulated, killed: ended after $seconds s with $status"
  fi
done

start 3 --backend cpu --steps 1000000 --deadline '4 s' --checkpoint-every 1 -o "$scratch/results"
if wait_until "a checkpoint" has_checkpoint && wait_until "three ranks" has_ranks 3; then
  hit STOP
  ends
  ((status == 3)) || fail "a stopped rank ended in $status, expected 3" "$(<"$scratch/err")"
  ! grep -q '^deadlock:' "$scratch/err" || fail "a stopped rank was taken for a deadlock" "$(<"$scratch/err")"
  grep -q 'has not been heard of' "$scratch/err" || fail "the stopped rank is not named" "$(<"$scratch/err")"
  echo "training, stopped: ended after $seconds s with $status"
fi

((failures == 0))
