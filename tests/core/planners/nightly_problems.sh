#!/usr/bin/env bash
# nightly_problems.sh PROGRAM FILTER: the tests of PROGRAM that FILTER names, on 2 000 random problems that no night before
# took. To repeat a night, set PIPEGRAPH_FIRST_SEED to the seed that it printed.
set -eu
if ! "$1" --gtest_list_tests --gtest_filter="$2" | grep -q '^  '; then
  echo "no test is called $2" >&2
  exit 1
fi
export PIPEGRAPH_PROBLEMS="${PIPEGRAPH_PROBLEMS:-2000}"
export PIPEGRAPH_FIRST_SEED="${PIPEGRAPH_FIRST_SEED:-$(($(date +%s) / 86400 * 1000000))}"
echo "PIPEGRAPH_FIRST_SEED=$PIPEGRAPH_FIRST_SEED"
exec "$1" --gtest_filter="$2"
