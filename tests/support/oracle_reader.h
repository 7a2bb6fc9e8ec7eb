// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the oracle files as they are, without the checks of the product's readers, so that the evaluator is
// tested on its own.
#pragma once

#include "eval/evaluation.h"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tilewright::oracle {

using nlohmann::json;

json load(const std::string& path);

/// Where the oracles of the schedule lens are, with '/' at the end.
std::string folder();

ProblemPtr problem(const json& j);

/// Throws when a list is too short or an entry has the wrong type (raw files that the reader refuses).
Schedule schedule(const json& j);

/// Of the worked examples: "ex3", "ex3A".
ProblemPtr exampleProblem(const std::string& name);
Schedule exampleSchedule(const std::string& name);

/// A file of one case a line, below folder().
std::vector<json> lines(const std::string& file);

struct Case
{
    ProblemPtr problem;
    Schedule schedule;
};
/// The random and the focused cases, without those whose schedule cannot be held in memory.
std::vector<Case> cases();

} // namespace tilewright::oracle
