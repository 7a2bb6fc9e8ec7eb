// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of core/ and of the command line include; only for the speed of a build.
#pragma once

#include "precompiled_core.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <fstream>
