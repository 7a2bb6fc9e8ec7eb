// SPDX-License-Identifier: GPL-3.0-or-later
// Words and signs of a run: units, waits, commands.
#pragma once

#include "chart/lane.h"
#include "workspace/live_run.h"

#include <QString>

namespace tilewright::ui {

[[nodiscard]] QString unitName(RunUnit unit); ///< "load", "array", "vector", "store"
[[nodiscard]] QColor unitColour(RunUnit unit, const Theme& theme);
/// Reason of a wait in a word or two: "loads", "the channel"; for RunWait::Nothing "nothing left".
[[nodiscard]] QString waitName(RunWait wait);
/// Reason of a wait as a phrase: "waits for loads"; for RunWait::Nothing "nothing left".
[[nodiscard]] QString waitsFor(RunWait wait);
/// Explanation of a kind of wait, for tooltips.
[[nodiscard]] QString waitExplanation(RunWait wait);
/// Colour and pattern of a wait: grey, with a pattern in the colour of the resource that is waited for.
[[nodiscard]] MarkStyle waitStyle(RunWait wait, const Theme& theme);

/// Name of a kind of content of fast memory: "inputs".
[[nodiscard]] QString roomName(RunRoom::Kind kind);
[[nodiscard]] const QColor& roomColour(RunRoom::Kind kind, const Theme& theme);

/// A run with the data that its texts need: problem and names.
struct RunNames
{
    LiveRunPtr result;
    QString prefix; ///< the commonPrefix() of all names, which short names omit

    [[nodiscard]] QString op(OpId op) const;
    [[nodiscard]] QString tensor(TensorId tensor) const;
    /// Name of the op or tensor of a command.
    [[nodiscard]] QString nameOf(const RunCommand& command) const;
    [[nodiscard]] QString step(std::size_t step) const; ///< "subgraph 2, step 17"
    /// Label of a command's mark: the last parts of the name of its op or tensor.
    [[nodiscard]] QString label(const RunCommand& command) const;
    /// Facts on a command: "load X[0:64, 0:128] · subgraph 2, step 17 · 8 192 elements".
    [[nodiscard]] QString facts(const RunCommand& command) const;
    [[nodiscard]] QString tooltip(const RunCommand& command) const; ///< facts on a command as rich text
    /// Text on the reason of a stall: "waits for the load of X".
    [[nodiscard]] QString reason(const RunStall& stall) const;
    /// Describes a command or wait of a unit, with its start and end.
    [[nodiscard]] QString facts(RunUnit unit, const RunPiece& piece) const;
    /// Describes in full what a unit does at a time.
    [[nodiscard]] QString now(RunUnit unit, double time, std::size_t core = 0) const;
    /// Describes in a few words what a unit does at a time: "load down.weight", "array waits for loads".
    [[nodiscard]] QString briefly(RunUnit unit, double time, std::size_t core = 0) const;
};

/// Text of a span of time, with its length: "120 – 240 (120)".
[[nodiscard]] QString spanText(double begin, double end);
} // namespace tilewright::ui
