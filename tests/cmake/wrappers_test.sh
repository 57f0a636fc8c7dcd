#!/usr/bin/env bash
# Tests ./pipegraph and ./run-tests in a planted tree with stand-ins for cmake, apt-get and others:  wrappers_test.sh ROOT
# The stand-in cmake "builds" a program that prints its arguments and current directory.
# shellcheck disable=SC2016  # the stand-ins expand their text themselves
set -u
source_root="$1"
scratch=$(mktemp -d)  # a place that other users can enter too
trap 'rm -rf "$scratch"' EXIT
failures=0

expect() {  # expect WHAT ACTUAL PATTERN
  # shellcheck disable=SC2053  # the right side is a pattern
  [[ $2 == $3 ]] && return
  printf '%s: got\n%s\nexpected %s\n' "$1" "$2" "$3"
  failures=$((failures + 1))
}

# stand_in NAME: the rest comes from standard input. It logs each call to $scratch/calls.
stand_in() {
  { printf '#!/bin/bash\necho "%s $*" >>"%s/calls"\n' "$1" "$scratch" && cat; } >"$scratch/bin/$1"
  chmod +x "$scratch/bin/$1"
}

plant_tree() {
  rm -rf "${scratch:?}"/*
  chmod 755 "$scratch"
  mkdir -p "$scratch"/{bin,elsewhere,tree/cmake,tree/core/base}
  cp "$source_root/pipegraph" "$scratch/tree/"
  sed "s|/usr/bin/python3|$scratch/distribution/python3|" "$source_root/cmake/setup.sh" >"$scratch/tree/cmake/setup.sh"
  echo 'build | absent-package | header:absent/header.h | an absent library' >"$scratch/tree/cmake/packages.txt"
  touch "$scratch/calls" "$scratch/tree/core/base/a.cpp"
  for tool in bash cat chmod cut dirname env find flock grep head mkdir mv paste readlink rm sed tail touch tr; do
    ln -s "$(command -v "$tool")" "$scratch/bin/"
  done
  stand_in cmake <<'END'
if [[ $1 == --build ]]; then
  mkdir -p build/release/apps
  printf '#!/bin/bash\necho "program in $PWD:" "$@"\nexit 7\n' >build/release/apps/pipegraph
  chmod +x build/release/apps/pipegraph
else
  mkdir -p build/release
  printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "PIPEGRAPH_PYTHON:FILEPATH=python3" >build/release/CMakeCache.txt
  touch build/release/build.ninja
fi
END
}

# File times have the resolution of the kernel's clock tick.
change_source() { sleep 0.05 && touch "$scratch/tree/core/base/a.cpp"; }

with_apt() {
  stand_in apt-get <<<'[[ $1 == update ]] || touch "$(dirname "$0")/../installed"'
  stand_in dpkg-query <<<'[[ -e $(dirname "$0")/../installed ]] && printf "installed:absent-package "; true'
}

# python_with FILE MODULE...: a stand-in interpreter that can import these modules and what apt-get has brought for it.
python_with() {
  mkdir -p "${1%/*}"
  cat >"$1" <<END
#!/bin/bash
wanted=\${2#import }
for module in \${wanted//,/ }; do
  [[ " ${*:2} " == *" \$module "* || -e $1-\$module ]] || exit 1
done
END
  chmod +x "$1"
}

# Packages whose modules stand-in interpreters may have; apt-get brings them to the distribution's.
with_python_packages() {
  printf 'build | python3-%s | python:%s | plots\n' one one two two three three >"$scratch/tree/cmake/packages.txt"
  stand_in apt-get <<END
for package; do [[ \$package == python3-* ]] && touch "$scratch/distribution/python3-\${package#python3-}"; done
END
  stand_in dpkg-query <<<''
}

# Runs the wrapper with only the stand-ins in PATH; sets output, errors and status.
call() {
  output=$(cd "$scratch/elsewhere" && PATH="$scratch/bin" "${user[@]}" "${wrapper:-$scratch/tree/pipegraph}" "$@" 2>"$scratch/errors" </dev/null)
  status=$?
  errors=$(<"$scratch/errors")
  calls=$(<"$scratch/calls")
  : >"$scratch/calls"
}
user=()

test_first_call_installs_builds_and_runs_in_the_callers_directory() {
  ((EUID == 0)) || return 0
  plant_tree && with_apt
  call simulate "a b"
  expect "output" "$output" "program in $scratch/elsewhere: simulate a b"
  expect "status" "$status" 7
  expect "calls" "$calls" "dpkg-query *apt-get update *apt-get install *absent-package*cmake --fresh --preset release*cmake --build --preset release --target pipegraph_cli"
}

test_later_calls_go_straight_to_the_program() {
  plant_tree && with_apt && touch "$scratch/installed"
  call x
  call y
  expect "calls" "$calls" ""
  expect "errors" "$errors" ""
  expect "output" "$output" "program in *: y"
}

test_a_newer_or_removed_source_builds_again_without_configuring() {
  plant_tree && with_apt && touch "$scratch/installed"
  call x
  change_source
  call x
  expect "calls after a change" "$calls" "dpkg-query *cmake --build *"
  call x
  expect "calls once built" "$calls" ""
  sleep 0.05
  rm "$scratch/tree/core/base/a.cpp"
  call x
  expect "calls after a removal" "$calls" "dpkg-query *cmake --build *"
}

test_a_moved_tree_is_configured_again() {
  plant_tree && with_apt && touch "$scratch/installed"
  call x
  cp -a "$scratch/tree" "$scratch/moved"
  wrapper="$scratch/moved/pipegraph" call x
  expect "calls" "$calls" "*cmake --fresh *cmake --build *"
}

test_works_through_a_link() {
  plant_tree && with_apt && touch "$scratch/installed"
  ln -s ../tree/pipegraph "$scratch/elsewhere/link"
  wrapper=./link call x
  expect "output" "$output" "program in $scratch/elsewhere: x"
}

test_without_apt_names_packages_and_what_was_looked_for() {
  plant_tree
  call x
  expect "status" "$status" 3
  expect "errors" "$errors" "*absent-package *an absent library (looked for header absent/header.h)*"
  expect "output" "$output" ""
  expect "calls" "$calls" ""
}

test_without_root_prints_the_command_to_run() {
  plant_tree && with_apt
  if ((EUID == 0)); then
    user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
    ln -s "$(command -v setpriv)" "$scratch/bin/"
    chmod -R a+rwX "$scratch"
  fi
  call x
  user=()
  expect "status" "$status" 3
  expect "errors" "$errors" "*run: apt-get update && apt-get install * absent-package"
  expect "calls" "$calls" "dpkg-query *"
}

test_a_failed_build_shows_why_and_is_tried_again() {
  plant_tree && with_apt && touch "$scratch/installed"
  call x
  mv "$scratch/bin/cmake" "$scratch/good_cmake"
  stand_in cmake <<<'echo "a.cpp:1: error"; exit 1'
  change_source
  call x
  expect "status" "$status" 3
  expect "errors" "$errors" "*a.cpp:1: error*building release failed*"
  mv "$scratch/good_cmake" "$scratch/bin/cmake"
  call x
  expect "calls" "$calls" "*cmake --build *"
}

test_calls_at_the_same_time_build_once() {
  plant_tree && with_apt && touch "$scratch/installed"
  for i in 1 2 3; do
    (cd "$scratch" && PATH="$scratch/bin" tree/pipegraph "$i" >"$scratch/output$i" 2>/dev/null) &
  done
  wait
  expect "builds" "$(grep -c 'cmake --build' "$scratch/calls")" 1
  for i in 1 2 3; do
    expect "output $i" "$(<"$scratch/output$i")" "program in $scratch: $i"
  done
}

test_python_modules_are_completed_in_one_interpreter() {
  ((EUID == 0)) || return 0
  plant_tree && with_python_packages
  python_with "$scratch/distribution/python3" one
  python_with "$scratch/bin/python3" two
  call x
  expect "calls" "$calls" "*apt-get install *python3-two python3-three"$'\n'"cmake *"
}

test_python_modules_that_one_interpreter_has_are_not_installed() {
  plant_tree && with_python_packages
  python_with "$scratch/distribution/python3" one
  python_with "$scratch/bin/python3" one two three
  call x
  expect "errors" "$errors" "pipegraph: building *"
  expect "calls" "$calls" "dpkg-query *cmake --fresh *"
}

test_python_modules_are_asked_of_the_path_where_there_is_no_distribution() {
  plant_tree && with_python_packages
  rm "$scratch/bin/apt-get" "$scratch/bin/dpkg-query"
  python_with "$scratch/bin/python3" one two
  call x
  expect "status" "$status" 3
  expect "errors" "$errors" "*python3-three *"
  [[ $errors == *python3-two* ]] && expect "errors" "$errors" "only what is missing"
}

test_a_folder_configured_without_a_python_is_configured_again() {
  plant_tree && with_apt && touch "$scratch/installed"
  call x
  sed -i '/PYTHON/d' "$scratch/tree/build/release/CMakeCache.txt"
  change_source
  call x
  expect "calls" "$calls" "dpkg-query *cmake --preset release*cmake --build *"
}

test_a_folder_configured_before_packages_came_is_configured_again() {
  ((EUID == 0)) || return 0
  plant_tree && with_apt && touch "$scratch/installed"
  call x
  rm "$scratch/installed"
  change_source
  call x
  expect "calls" "$calls" "*apt-get install *cmake --preset release*cmake --build *"
}

test_thread_sanitizer_gets_only_the_tests_that_start_threads() {
  plant_tree && with_apt && touch "$scratch/installed"
  cp "$source_root/run-tests" "$scratch/tree/"
  stand_in ctest <<<''
  wrapper="$scratch/tree/run-tests" call --sanitizers -R x
  expect "status" "$status" 0
  expect "calls" "$calls" "*cmake --build --preset asan
ctest --preset asan *cmake --build --preset tsan --target threaded_tests
ctest --preset tsan * -L threads * -R x"
  wrapper="$scratch/tree/run-tests" call
  [[ $calls == *san* ]] && expect "calls" "$calls" "release only"
}

test_the_night_runs_only_its_own_tests() {
  plant_tree && with_apt && touch "$scratch/installed"
  cp "$source_root/run-tests" "$scratch/tree/"
  stand_in ctest <<<''
  wrapper="$scratch/tree/run-tests" call --nightly -R x
  expect "status" "$status" 0
  expect "calls" "$calls" "*ctest --preset release * -C nightly -L nightly -R x"
}

for name in $(compgen -A function test_); do
  before=$failures
  "$name"
  ((failures > before)) && echo "FAILED: $name"
done
((failures == 0))
