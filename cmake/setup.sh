# shellcheck shell=bash disable=SC2154
# Shell functions shared by ./pipegraph and ./run-tests, which source this file with `root` set to the project's folder:
# find what is missing, install it where apt can, configure and build. Every message goes to standard error.

program="${0##*/}"
packages_file="$root/cmake/packages.txt"

say() { printf '%s: %s\n' "$program" "$*" >&2; }
fail() { say "$@"; exit 3; }

# Prints the lines of packages.txt that belong to the groups named, as group|package|probe|purpose.
packages_of() {
  local group package probe purpose
  while IFS='|' read -r group package probe purpose; do
    read -r group <<<"$group"
    [[ -z $group || $group == \#* || " $* " != *" $group "* ]] && continue
    read -r package <<<"$package"
    read -r probe <<<"$probe"
    read -r purpose <<<"$purpose"
    printf '%s|%s|%s|%s\n' "$group" "$package" "$probe" "$purpose"
  done <"$packages_file"
}

# Whether command:NAME, header:FILE or python:MODULE is on this machine, whoever installed it.
probe_finds() {
  local what="${1#*:}" search="${CPATH:-}" folder
  case "$1" in
    command:*) command -v "$what" >/dev/null ;;
    header:*)
      for folder in /usr/include /usr/include/*-linux-gnu /usr/local/include ${search//:/ }; do
        [[ -e $folder/$what ]] && return 0
      done
      return 1
      ;;
    python:*) "$(python_of_modules)" -c "import $what" 2>/dev/null ;;
  esac
}

# Prints the interpreter that python:MODULE asks, since one must have every module: the first that has them all, else the
# one that apt's packages are for. cmake/detect_python.cmake looks in the same order.
python_of_modules() {
  local modules candidate distribution=/usr/bin/python3
  modules=$(sed -n 's/.*|[[:space:]]*python:\([[:alnum:]_]*\).*/\1/p' "$packages_file" | paste -sd,)
  for candidate in "$distribution" python3; do
    command -v "$candidate" >/dev/null && "$candidate" -c "import $modules" 2>/dev/null && echo "$candidate" && return
  done
  if [[ -x $distribution ]] || command -v apt-get >/dev/null; then echo "$distribution"; else echo python3; fi
}

# Prints those lines of its input whose package is not installed and whose probe finds nothing.
missing_of() {
  local line package installed=" "
  if command -v dpkg-query >/dev/null; then
    installed=" $(dpkg-query -W -f='${db:Status-Status}:${Package} ' 2>/dev/null) "
  fi
  while IFS= read -r line; do
    IFS='|' read -r _ package probe _ <<<"$line"
    [[ $installed == *" installed:$package "* ]] || probe_finds "$probe" || printf '%s\n' "$line"
  done
}

# The package names on the given lines, separated by blanks.
names_of() { cut -s -d'|' -f2 <<<"$1" | paste -sd' '; }

describe_missing() {
  local package probe purpose
  while IFS='|' read -r _ package probe purpose; do
    printf '  %-30s %s (looked for %s)\n' "$package" "$purpose" "${probe/:/ }" >&2
  done <<<"$1"
}

# The words that put a command in front of root, or fails if this user cannot become root.
become_root() {
  if ((EUID == 0)); then
    return 0
  elif ! command -v sudo >/dev/null; then
    return 1
  elif sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]; then
    echo "sudo"
  else
    return 1
  fi
}

# apt_install LOG PREFIX PACKAGE...: PREFIX is "" or sudo.
apt_install() {
  local log="$1" prefix="$2"
  shift 2
  $prefix env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
    -o DPkg::Lock::Timeout=600 -o Dpkg::Use-Pty=0 "$@" >>"$log" 2>&1 </dev/null
}

# Installs the packages on the lines of $1. Optional ones may fail to install; others end the program.
install_missing() {
  local lines="$1" prefix log="$root/build/apt.log" names needed
  names=$(names_of "$lines")
  needed=$(names_of "$(grep -v '^optional|' <<<"$lines")")
  if ! prefix=$(become_root); then
    if [[ -z $needed ]]; then
      say "going on without the optional packages $names"
      return 0
    fi
    say "these packages are missing, and installing them needs root or sudo:"
    describe_missing "$lines"
    fail "as root, run: apt-get update && apt-get install --no-install-recommends $names"
  fi
  say "installing $names (log: build/apt.log)"
  touch "$root/build/.packages_changed"
  : >"$log"
  if ! $prefix apt-get update -q -o DPkg::Lock::Timeout=600 >>"$log" 2>&1 </dev/null; then
    say "apt-get update failed; trying with the package lists at hand"
  fi
  # shellcheck disable=SC2086  # the names are words
  apt_install "$log" "$prefix" $names && return 0
  # shellcheck disable=SC2086
  if [[ -z $needed ]] || { [[ $needed != "$names" ]] && apt_install "$log" "$prefix" $needed; }; then
    say "some optional packages could not be installed; going on without them"
    return 0
  fi
  tail -n 15 "$log" >&2
  fail "apt-get could not install what is missing; the whole log is build/apt.log"
}

# ensure_packages GROUP...: afterwards everything of these groups is there, except perhaps optional packages.
ensure_packages() {
  local missing needed
  missing=$(packages_of "$@" | missing_of)
  [[ -z $missing ]] && return 0
  if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
    install_missing "$missing"
    return 0
  fi
  needed=$(grep -v '^optional|' <<<"$missing")
  [[ -z $needed ]] && return 0
  say "this system has no apt; please install what these Debian packages contain, then call again:"
  describe_missing "$missing"
  exit 3
}

# logged LOG COMMAND...: keeps the output in a file, and shows its end if the command fails.
logged() {
  local log="$1"
  shift
  "$@" >"$log" 2>&1 && return 0
  tail -n 40 "$log" >&2
  say "the whole log is ${log#"$root/"}"
  return 1
}

# Whether FOLDER was configured for this very project: a copied tree brings the folders of its origin.
belongs_here() { grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$1/CMakeCache.txt" 2>/dev/null; }

# Whether FOLDER is configured, since the last package came, with a Python for the reports.
is_configured() {
  [[ -f $1/build.ninja && ! $root/build/.packages_changed -nt $1/build.ninja ]] && belongs_here "$1" &&
    grep -q '^PIPEGRAPH_PYTHON:.*=.' "$1/CMakeCache.txt"
}

# configure PRESET: does nothing if build/PRESET is configured already. After that CMake itself configures again when a
# CMake file changes.
configure() {
  local preset="$1" folder="$root/build/$1" fresh=(--fresh)
  is_configured "$folder" && return 0
  # A folder of this project keeps what was chosen in it by hand.
  [[ -f $folder/build.ninja ]] && belongs_here "$folder" && fresh=()
  mkdir -p "$folder"
  (cd "$root" && logged "$folder/configure.log" cmake "${fresh[@]}" --preset "$preset") ||
    fail "configuring $preset failed"
}

# build PRESET [target...]: progress is shown on a terminal, else kept in a log.
build() {
  local preset="$1" command=(cmake --build --preset "$1")
  shift
  (($# > 0)) && command+=(--target "$@")
  if [[ -t 2 ]]; then
    (cd "$root" && "${command[@]}" >&2)
  else
    (cd "$root" && logged "$root/build/$preset/build.log" "${command[@]}")
  fi || fail "building $preset failed"
}

# Waits until no other call from this folder installs or builds. The lock ends with `unlock` or with this process.
lock() {
  mkdir -p "$root/build" || fail "cannot create $root/build"
  exec {lock_fd}>"$root/build/.lock"
  command -v flock >/dev/null || return 0
  if ! flock -n "$lock_fd"; then
    say "waiting for another call that builds"
    flock "$lock_fd"
  fi
}
unlock() { exec {lock_fd}>&-; }
