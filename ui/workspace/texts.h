// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that several views show: names of ops, the table of subgraphs, values of a machine.
#pragma once

#include "base/typed_number.h"
#include "lower/on_machine.h"
#include "model/machine.h"
#include "snapshot/snapshot.h"
#include "workload/problem.h"

#include <QString>

#include <span>

namespace tilewright::ui {

/// Shortened names of several ops. Parts of a name end at '.' or '/'.
struct OpNames
{
    QString names; ///< names without the common part: "value, context"
    QString where; ///< common part of the names: "head0"; may be empty
};

/// Returns the leading parts that the names of all ops of a problem have in common ("layer0.").
[[nodiscard]] QString commonPrefix(const Problem& problem);
/// Returns a list of names such as "layer0.q, layer0.k | layer0.v" with the prefix removed from each of them.
[[nodiscard]] QString namesWithoutPrefix(QString names, const QString& prefix);
/// Returns short names of ops. `dropped`: the prefix to omit, usually commonPrefix(problem).
[[nodiscard]] OpNames shortOpNames(const Problem& problem, std::span<const OpId> ops, const QString& dropped);
/// Returns the full names of at most `most` ops, and the number of further ones.
[[nodiscard]] QString fullOpNames(const Problem& problem, std::span<const OpId> ops, std::size_t most = 12);

/// Returns the schedule as tab-separated text, with one row per subgraph and full precision.
[[nodiscard]] QString subgraphsAsText(const Snapshot& snapshot);

/// Short text of an index map (R1.8): "3×3 /2", "transposed".
[[nodiscard]] QString mapLabel(const IndexMap& map);
/// Text on the kind and the fields of an index map (R1.8).
[[nodiscard]] QString mapText(const IndexMap& map);
/// Text of a size in units (R1.9), converted to the elements that capacity and bandwidth count.
[[nodiscard]] QString elementsText(const Problem& problem, std::int64_t units);
/// The word "elements"; if the tensors differ in their width, with the width: "elements of 16 bits" (R1.9).
[[nodiscard]] QString elementWord(const Problem& problem);
/// Text of the size of a tensor, with bytes if the problem states widths: "12 544 elements (24.5 KiB)".
[[nodiscard]] QString volumeText(const Problem& problem, TensorId tensor, std::int64_t elements);

/// Text of the time unit of the Schedule lens: "cycles", "× 4 cycles" or "units of time". Null: a plain
/// problem.
[[nodiscard]] QString timeUnitText(const lower::ModelOnMachinePtr& model);
/// Text of the time unit for use after another factor with a unit: "× cycles".
[[nodiscard]] QString timesUnitText(const lower::ModelOnMachinePtr& model);

/// Value of a field of a machine with its unit: "256 KiB", "64 GB/s".
[[nodiscard]] QString machineValueText(const MachineField& field);
/// The digit separators of the user's locale.
[[nodiscard]] NumberStyle localNumberStyle();
/// Reads a typed value of a machine field and returns it as a plain number: "256 KiB" becomes "262144"; "500
/// MHz" in a field of GHz becomes "0.5". The Error says why a text is not clear. A word is returned
/// unchanged.
[[nodiscard]] Result<QString> typedMachineValue(const QString& text, MachineUnit unit,
                                                const NumberStyle& style = localNumberStyle());

} // namespace tilewright::ui
