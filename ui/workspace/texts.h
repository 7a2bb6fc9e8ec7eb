// SPDX-License-Identifier: GPL-3.0-or-later
// Texts that several views show: names of ops, subgraphs as a table, values of a machine.
#pragma once

#include "base/typed_number.h"
#include "lower/on_machine.h"
#include "model/machine.h"
#include "snapshot/snapshot.h"
#include "workload/problem.h"

#include <QString>

#include <span>

namespace tilewright::ui {

/// Shortened names of some ops. Parts of a name end at '.' or '/'.
struct OpNames
{
    QString names; ///< names without the common part: "value, context"
    QString where; ///< common part of the names: "head0"; may be empty
};

/// Leading parts that the names of all ops of a problem have in common ("layer0.").
[[nodiscard]] QString commonPrefix(const Problem& problem);
/// A list of names, "layer0.q, layer0.k | layer0.v", without a prefix that each of them may have.
[[nodiscard]] QString namesWithoutPrefix(QString names, const QString& prefix);
/// Short names of ops. `dropped`: commonPrefix(problem).
[[nodiscard]] OpNames shortOpNames(const Problem& problem, std::span<const OpId> ops, const QString& dropped);
/// Full names of at most `most` ops, with the number of further ones.
[[nodiscard]] QString fullOpNames(const Problem& problem, std::span<const OpId> ops, std::size_t most = 12);

/// Schedule as tab-separated text with one row per subgraph, with full precision.
[[nodiscard]] QString subgraphsAsText(const Snapshot& snapshot);

/// R1.8: an index map in a few letters: "3×3 /2", "transposed".
[[nodiscard]] QString mapLabel(const IndexMap& map);
/// R1.8: the kind and the fields of an index map in words.
[[nodiscard]] QString mapText(const IndexMap& map);
/// R1.9: a size in units as elements that capacity and bandwidth count.
[[nodiscard]] QString elementsText(const Problem& problem, std::int64_t units);
/// R1.9: "elements", with their width if the tensors differ in it: "elements of 16 bits".
[[nodiscard]] QString elementWord(const Problem& problem);
/// "12 544 elements (24.5 KiB)": elements of a tensor, with their bytes if the problem states widths.
[[nodiscard]] QString volumeText(const Problem& problem, TensorId tensor, std::int64_t elements);

/// "cycles", "× 4 cycles" or "units of time": what a time of the Schedule lens counts. Null: a plain problem.
[[nodiscard]] QString timeUnitText(const lower::ModelOnMachinePtr& model);
/// Same as timeUnitText(), for use behind the unit of another factor: "× cycles".
[[nodiscard]] QString timesUnitText(const lower::ModelOnMachinePtr& model);

/// Value of a field with its unit: "256 KiB", "64 GB/s".
[[nodiscard]] QString machineValueText(const MachineField& field);
/// The separators of the user's locale.
[[nodiscard]] NumberStyle localNumberStyle();
/// Reads a typed value of a field as a plain number: "256 KiB" gives "262144", "500 MHz" in a field of GHz
/// gives "0.5". The Error says why a text is not clear. A word is returned as it is.
[[nodiscard]] Result<QString> typedMachineValue(const QString& text, MachineUnit unit,
                                                const NumberStyle& style = localNumberStyle());

} // namespace tilewright::ui
