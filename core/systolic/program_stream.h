// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/program.h"

#include <memory>
#include <optional>
#include <vector>

namespace tilewright::systolic {

/// Commands of a program, written in parts. A part is an output tile, a pass over k, or a pair of a tile of A
/// and one of B. A reader that drops commands it no longer needs holds only a few parts, however long the
/// program is.
///
/// Promise to readers: the slot of a command is read only by commands of its own part and of the next part,
/// unless the command is `kept`. The slot of a kept command may be read until a part lists the command in
/// released(), at the latest the part after that of the last reader.
class ProgramStream
{
public:
    using Ref = std::uint32_t; ///< number of a command in the program

    virtual ~ProgramStream() = default;
    ProgramStream& operator=(const ProgramStream&) = delete;

    /// A copy that continues at the same part and holds the same commands.
    [[nodiscard]] virtual std::unique_ptr<ProgramStream> clone() const = 0;
    /// Writes the next part after the held commands. Returns false if there is no further part.
    bool next()
    {
        m_released.clear();
        m_part = end();
        return writePart();
    }
    /// The program without its commands.
    [[nodiscard]] const Program& plan() const noexcept { return *m_plan; }
    /// The held commands; the first one has the number first().
    [[nodiscard]] const std::vector<Command>& commands() const noexcept { return m_commands; }
    [[nodiscard]] Ref first() const noexcept { return m_first; }
    /// Number of commands written so far.
    [[nodiscard]] Ref end() const noexcept { return m_first + static_cast<Ref>(m_commands.size()); }
    /// Number of the first command of the latest part.
    [[nodiscard]] Ref part() const noexcept { return m_part; }
    /// Kept commands whose last readers have been written, as listed by the latest part.
    [[nodiscard]] const std::vector<Ref>& released() const noexcept { return m_released; }
    /// Drops the commands before `ref` that the stream itself no longer needs.
    void forget(Ref ref);
    /// Takes out all held commands. Afterwards the stream writes no further parts.
    [[nodiscard]] std::vector<Command> take() { return std::move(m_commands); }

protected:
    explicit ProgramStream(Program plan) : m_plan(std::make_shared<const Program>(std::move(plan))) {}
    ProgramStream(const ProgramStream&) = default;

    virtual bool writePart() = 0;
    /// The oldest command of earlier parts from which later parts copy fields.
    [[nodiscard]] virtual std::optional<Ref> oldestNeeded() const = 0;

    Ref append(Command command)
    {
        m_commands.push_back(std::move(command));
        return end() - 1;
    }
    [[nodiscard]] Command& at(Ref ref) { return m_commands[ref - m_first]; }
    void keep(Ref ref) { at(ref).kept = true; }
    void release(Ref ref) { m_released.push_back(ref); }

private:
    std::shared_ptr<const Program> m_plan;
    std::vector<Command> m_commands;
    Ref m_first = 0;
    Ref m_part = 0;
    std::vector<Ref> m_released;
};

/// Creates the stream of a planned program.
[[nodiscard]] std::unique_ptr<ProgramStream> streamOf(Program plan);

} // namespace tilewright::systolic
