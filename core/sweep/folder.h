// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/sweep.h"

#include <memory>
#include <optional>
#include <string>

namespace tilewright::sweep {

/// Text of the result file of a point (docs/rules/sweep.md 2.2).
[[nodiscard]] std::string writeResult(const Plan& plan, std::size_t index, const PointResult& result,
                                      const std::string& scheduleFile);
/// Reads a result file. The schedule stays in a file of its own. The Error describes the fault in the file.
[[nodiscard]] Result<PointResult> readResult(const Plan& plan, std::string_view text,
                                             const std::string& file);

/// A results folder (docs/rules/sweep.md 2): `plan.json` and one file per point. Each file is written
/// atomically. Several threads, programs and machines can use the folder at once.
class ResultsFolder
{
public:
    /// Opens an existing folder for reading.
    [[nodiscard]] static Result<ResultsFolder> open(const std::string& path);
    /// Creates the folder, or continues one with the same plan, inputs and program version. The Error names
    /// the difference.
    [[nodiscard]] static Result<ResultsFolder> prepare(const std::string& path, const Manifest& manifest);

    [[nodiscard]] const std::string& path() const noexcept { return m_path; }
    [[nodiscard]] const Manifest& manifest() const noexcept { return *m_manifest; }
    [[nodiscard]] std::size_t pointCount() const noexcept { return m_manifest->plan.pointCount(); }

    [[nodiscard]] bool has(std::size_t index) const;
    [[nodiscard]] Status put(std::size_t index, const PointResult& result) const;
    /// Reads the result of a point; nullopt if it has not been computed.
    [[nodiscard]] Result<std::optional<PointResult>> get(std::size_t index) const;
    /// Path of the schedule of a point, if schedules are kept.
    [[nodiscard]] std::string scheduleFile(std::size_t index) const;
    /// Appends a line to the log of this program. The log is not part of the results.
    void log(const std::string& line) const;

private:
    ResultsFolder(std::string path, Manifest manifest);
    [[nodiscard]] std::string resultFile(std::size_t index) const;
    [[nodiscard]] std::string temporaries() const { return m_path + "/temporary"; }

    std::string m_path;
    std::shared_ptr<const Manifest> m_manifest; // stable address, because m_names refers to it
    PointNames m_names;
};

/// The first name of FOLDER-2, FOLDER-3, ... that does not exist, for `--fresh`.
[[nodiscard]] std::string folderBeside(const std::string& path);

} // namespace tilewright::sweep
