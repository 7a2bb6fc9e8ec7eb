// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/sweep.h"

#include <memory>
#include <optional>
#include <string>

namespace tilewright::sweep {

/// The text of a point's file (docs/rules/sweep.md 2.2).
[[nodiscard]] std::string writeResult(const Plan& plan, std::size_t index, const PointResult& result,
                                      const std::string& scheduleFile);
/// The Error says what is wrong with the file; the schedule's text stays in its own file.
[[nodiscard]] Result<PointResult> readResult(const Plan& plan, std::string_view text,
                                             const std::string& file);

/// A results folder (docs/rules/sweep.md 2): `plan.json`, one file a point, each written whole or not at all.
/// May be used by several threads, programs and machines at once.
class ResultsFolder
{
public:
    /// One that is there, for looking at it.
    [[nodiscard]] static Result<ResultsFolder> open(const std::string& path);
    /// Makes it, or goes on with one of the same plan, inputs and program. The Error says in what it differs.
    [[nodiscard]] static Result<ResultsFolder> prepare(const std::string& path, const Manifest& manifest);

    [[nodiscard]] const std::string& path() const noexcept { return m_path; }
    [[nodiscard]] const Manifest& manifest() const noexcept { return *m_manifest; }
    [[nodiscard]] std::size_t pointCount() const noexcept { return m_manifest->plan.pointCount(); }

    [[nodiscard]] bool has(std::size_t index) const;
    [[nodiscard]] Status put(std::size_t index, const PointResult& result) const;
    /// Nothing when the point has not been computed yet.
    [[nodiscard]] Result<std::optional<PointResult>> get(std::size_t index) const;
    /// Where the schedule of a point stands, when it was kept.
    [[nodiscard]] std::string scheduleFile(std::size_t index) const;
    /// Adds a line to the log of this program, which is no part of the results.
    void log(const std::string& line) const;

private:
    ResultsFolder(std::string path, Manifest manifest);
    [[nodiscard]] std::string resultFile(std::size_t index) const;
    [[nodiscard]] std::string temporaries() const { return m_path + "/temporary"; }

    std::string m_path;
    std::shared_ptr<const Manifest> m_manifest; // the names refer to it
    PointNames m_names;
};

/// FOLDER-2, FOLDER-3 ...: the first that is not there, for `--fresh`.
[[nodiscard]] std::string folderBeside(const std::string& path);

} // namespace tilewright::sweep
