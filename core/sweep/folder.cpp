// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/folder.h"

#include "base/file.h"
#include "base/output_file.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <unistd.h>

namespace tilewright::sweep {

namespace {

namespace fs = std::filesystem;

constexpr const char* kPlanFile = "/plan.json";
/// Temporary files older than this were left by a program that was killed.
constexpr std::chrono::hours kStaleAge{24};

Status makeFolder(const std::string& path)
{
    std::error_code ec;
    fs::create_directories(path, ec);
    if (ec)
        return Error{ErrorCode::Io, "the folder cannot be made (" + ec.message() + ")", {}, path};
    if (::access(path.c_str(), W_OK) != 0)
        return Error{ErrorCode::Io, "the folder cannot be written", {}, path};
    return Unit{};
}

void removeLeftOvers(const std::string& temporaries)
{
    std::error_code ec;
    const auto now = fs::file_time_type::clock::now();
    for (const auto& entry : fs::directory_iterator(temporaries, ec)) {
        const auto written = fs::last_write_time(entry.path(), ec);
        if (!ec && now - written > kStaleAge)
            fs::remove(entry.path(), ec);
    }
}

std::string hostAndProcess()
{
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) != 0)
        host[0] = '\0';
    return std::string(host.data()) + "-" + std::to_string(::getpid());
}

Result<bool> write(const std::string& path, std::string_view content, const std::string& temporaries,
                   IfThere ifThere = IfThere::Replace)
{
    OutputFile out(path, temporaries);
    out.write(content);
    return out.commit(ifThere);
}

Error differs(const std::string& path, const std::string& difference)
{
    return {ErrorCode::Refused,
            "holds the results of another sweep: " + difference + "; --fresh begins a new folder beside it",
            {},
            path};
}

} // namespace

ResultsFolder::ResultsFolder(std::string path, Manifest manifest)
    : m_path(std::move(path)), m_manifest(std::make_shared<const Manifest>(std::move(manifest))),
      m_names(*m_manifest)
{
}

Result<ResultsFolder> ResultsFolder::open(const std::string& path)
{
    std::error_code ec;
    if (!fs::is_directory(path, ec))
        return Error{ErrorCode::Io, "there is no such folder", {}, path};
    if (!fs::exists(path + kPlanFile, ec))
        return Error{ErrorCode::Io, "is not a results folder: it has no plan.json", {}, path};
    const auto text = readFile(path + kPlanFile);
    if (!text)
        return text.error();
    auto manifest = readManifest(*text, path + kPlanFile);
    if (!manifest)
        return manifest.error();
    return ResultsFolder(path, std::move(*manifest));
}

Result<ResultsFolder> ResultsFolder::prepare(const std::string& path, const Manifest& manifest)
{
    std::error_code ec;
    if (fs::exists(path, ec) && !fs::is_directory(path, ec))
        return Error{ErrorCode::Io, "is a file, not a folder", {}, path};
    const bool isNew = !fs::exists(path + kPlanFile, ec);
    if (isNew && fs::is_directory(path, ec))
        for (const auto& entry : fs::directory_iterator(path, ec)) {
            // Another run may create these before its plan; they are accepted.
            const std::string name = entry.path().filename().string();
            if (name != "temporary" && name != "results" && name != "log")
                return Error{
                    ErrorCode::Refused, "is not a results folder and not empty: it has " + name, {}, path};
        }
    for (const char* folder : {"", "/temporary", "/results", "/log"})
        if (const Status made = makeFolder(path + folder); !made)
            return made.error();
    if (manifest.keepSchedules)
        if (const Status made = makeFolder(path + "/schedules"); !made)
            return made.error();
    ResultsFolder out(path, manifest);
    removeLeftOvers(out.temporaries());
    const auto written = write(path + kPlanFile, writeManifest(manifest), out.temporaries(), IfThere::Keep);
    if (!written)
        return written.error();
    if (!*written) {
        const auto there = open(path);
        if (!there)
            return there.error();
        if (const std::string difference = differenceOf(there->manifest(), manifest); !difference.empty())
            return differs(path, difference);
    }
    return out;
}

std::string ResultsFolder::resultFile(std::size_t index) const
{
    return m_path + "/results/" + m_names.of(index) + ".json";
}

std::string ResultsFolder::scheduleFile(std::size_t index) const
{
    return m_path + "/schedules/" + m_names.of(index) + ".json";
}

bool ResultsFolder::has(std::size_t index) const
{
    return ::access(resultFile(index).c_str(), F_OK) == 0;
}

Status ResultsFolder::put(std::size_t index, const PointResult& result) const
{
    std::string schedule;
    if (!result.schedule.empty()) { // written first, so that no result refers to a missing schedule
        schedule = "schedules/" + m_names.of(index) + ".json";
        const auto written = write(m_path + "/" + schedule, result.schedule, temporaries());
        if (!written)
            return written.error();
    }
    const auto written =
        write(resultFile(index), writeResult(m_manifest->plan, index, result, schedule), temporaries());
    return written ? Status(Unit{}) : Status(written.error());
}

Result<std::optional<PointResult>> ResultsFolder::get(std::size_t index) const
{
    const std::string file = resultFile(index);
    if (::access(file.c_str(), F_OK) != 0)
        return std::optional<PointResult>();
    const auto text = readFile(file);
    auto result = text ? readResult(m_manifest->plan, *text, file) : Result<PointResult>(text.error());
    if (!result) {
        Error error = result.error();
        error.message += "; delete the file, and the next sweep into the folder computes the point again";
        return error;
    }
    return std::optional(std::move(*result));
}

void ResultsFolder::log(const std::string& line) const
{
    std::ofstream out(m_path + "/log/" + hostAndProcess() + ".txt", std::ios::app);
    out << line << '\n';
}

std::string folderBeside(const std::string& path)
{
    std::string base = path;
    while (base.size() > 1 && base.back() == '/')
        base.pop_back();
    std::error_code ec;
    for (int i = 2;; ++i) {
        std::string out = base + "-" + std::to_string(i);
        if (!fs::exists(out, ec))
            return out;
    }
}

} // namespace tilewright::sweep
