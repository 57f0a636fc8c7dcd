// The text of `--misbehave`: how the transport of emulated devices behaves badly.
#pragma once

#include <string>

#include "exec/emulated/misbehaving_transport.h"

namespace pipegraph {

inline constexpr const char* k_misbehaviour_help =
    "emulated: let the transport behave badly, as a list of eager=SIZE (smaller messages do not "
    "wait for their receiver), lanes=one, delay=TIME (up to 1e6 s), seed=N, wrong_size=ID, "
    "drop=ID, kill=ID "
    "(instructions); clocks=apart: ranks of one host correct their clocks as those of several do";

/// "eager=4 KiB,lanes=one,delay=1 ms,seed=3,drop=12". Errors: ConfigError.
Misbehaviour parse_misbehaviour(const std::string& text);

}  // namespace pipegraph
