// SPDX-License-Identifier: GPL-3.0-or-later
// Values of files beside the figures of a model on a machine (docs/rules/validation.md 5).
#pragma once

#include "overlay/overlay.h"
#include "verbs/fit.h"
#include "verbs/summary.h"

namespace tilewright::verbs {

/// The rows of the Summary that have figures of single operators.
[[nodiscard]] std::vector<SummaryKind> overlayLenses();

/// The options of `overlay`. Of the options of a summary it has the model, one or several machines, the
/// schedule, the rules and the cores.
struct OverlayCall : SummaryCall
{
    std::vector<std::string> files; ///< files with values to compare
    std::string lens = "schedule";  ///< toString() of one of overlayLenses()
    std::string figure;             ///< one of overlay::kFigures; empty: overlay::figureFor()
    std::string column, names, unit;
    std::vector<std::string> where;
    std::string repeated = "refuse";

    std::vector<std::string> texts; ///< texts of the files; readFiles() fills it

    /// Options for reading the files.
    [[nodiscard]] overlay::ReadOptions readOptions() const;
};
void bindOptions(OptionList& o, OverlayCall& call);
[[nodiscard]] Status readFiles(OverlayCall& call);

/// The figures of single operators in a row of the Summary, or of a schedule. The Error says why there are
/// none.
[[nodiscard]] Result<std::vector<overlay::OurFigures>>
operatorFigures(const SummarySubject& subject, SummaryKind kind, const Progress& progress = {});

/// Returns the figures of the operators as a row of the Summary states them, if it has been run. `model`: the
/// model of the row.
[[nodiscard]] std::vector<overlay::OurFigures> operatorFigures(const lower::ModelOnMachine& model,
                                                               const SummaryRow& row);

/// Compares every file of the call with the figures. The Error names the file, or what the lens cannot
/// compute.
[[nodiscard]] Result<std::vector<overlay::Overlay>> overlaysOf(const OverlayCall& call,
                                                               const Progress& progress = {});

/// Fits values of the machine to named times (docs/rules/validation.md 4): the rates of the arrays and of the
/// external memory and, for ms, the launch of products. The subject is lowered again for every machine that
/// is tried, with the same schedule. The Error says why the values are not times, or why no row has a
/// prediction.
[[nodiscard]] Result<FitAnswer> fitOverlay(const overlay::NamedValues& values, const SummarySubject& subject,
                                           SummaryKind kind, const Progress& progress = {});

} // namespace tilewright::verbs
