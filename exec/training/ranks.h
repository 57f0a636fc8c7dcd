// The ranks of a job: see exec/transport/ranks.h.
#pragma once

#include "exec/transport/ranks.h"
