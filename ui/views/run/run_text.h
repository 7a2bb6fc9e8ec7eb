// SPDX-License-Identifier: GPL-3.0-or-later
// Words and signs of a run: units, waits, commands.
#pragma once

#include "chart/lane.h"
#include "workspace/live_run.h"

#include <QString>

namespace tilewright::ui {

[[nodiscard]] QString unitName(RunUnit unit); ///< "load", "array", "vector", "store"
[[nodiscard]] QColor unitColour(RunUnit unit, const Theme& theme);
/// The reason for a wait in a word or two: "loads", "the channel"; "nothing left".
[[nodiscard]] QString waitName(RunWait wait);
/// "waits for loads"; "nothing left".
[[nodiscard]] QString waitsFor(RunWait wait);
/// Explanation of a wait, for tooltips.
[[nodiscard]] QString waitExplanation(RunWait wait);
/// Colour and pattern of a wait: grey, with the pattern in the colour of what is waited for.
[[nodiscard]] MarkStyle waitStyle(RunWait wait, const Theme& theme);

/// Name of a kind of content of fast memory: "inputs".
[[nodiscard]] QString roomName(RunRoom::Kind kind);
[[nodiscard]] const QColor& roomColour(RunRoom::Kind kind, const Theme& theme);

/// A run with what its texts need beside it.
struct RunNames
{
    LiveRunPtr result;
    QString prefix; ///< commonPrefix() of the problem, left out of short names

    [[nodiscard]] QString op(OpId op) const;
    [[nodiscard]] QString tensor(TensorId tensor) const;
    /// Name of the op or the tensor of a command.
    [[nodiscard]] QString nameOf(const RunCommand& command) const;
    [[nodiscard]] QString step(std::size_t step) const; ///< "subgraph 2, step 17"
    /// Label of a command's mark: the last parts of the name of its op or tensor.
    [[nodiscard]] QString label(const RunCommand& command) const;
    /// "load X[0:64, 0:128] · subgraph 2, step 17 · 8 192 elements".
    [[nodiscard]] QString facts(const RunCommand& command) const;
    [[nodiscard]] QString tooltip(const RunCommand& command) const; ///< rich text
    /// "waits for the load of X".
    [[nodiscard]] QString reason(const RunStall& stall) const;
    /// Command or wait of a unit, with its times.
    [[nodiscard]] QString facts(RunUnit unit, const RunPiece& piece) const;
    /// Describes in full what the unit does at an instant.
    [[nodiscard]] QString now(RunUnit unit, double time, std::size_t core = 0) const;
    /// Describes it in a few words: "load down.weight", "array waits for loads".
    [[nodiscard]] QString briefly(RunUnit unit, double time, std::size_t core = 0) const;
};

/// "120 – 240 (120)".
[[nodiscard]] QString spanText(double begin, double end);
} // namespace tilewright::ui
