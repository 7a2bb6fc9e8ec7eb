// SPDX-License-Identifier: GPL-3.0-or-later
#include "rescue.h"

#include "base/file.h"
#include "base/output_file.h"
#include "manual/standard_output.h"

#include <filesystem>
#include <iostream>

namespace tilewright::cli {

namespace {

namespace fs = std::filesystem;

void rescue(const fs::path& path, std::string_view text)
{
    constexpr int kMostNames = 100;
    std::error_code failed;
    const std::string ending = path.extension().empty() ? ".json" : path.extension().string();
    for (const fs::path& folder : {fs::current_path(failed), fs::temp_directory_path(failed)})
        for (int i = 1; i <= kMostNames; ++i) {
            const fs::path file = folder / (path.stem().string() + ".rescued" +
                                            (i > 1 ? "-" + std::to_string(i) : std::string()) + ending);
            OutputFile out(file.string());
            out.write(text);
            const auto written = out.commit(IfThere::Keep);
            if (written && !*written) // a file of this name exists already
                continue;
            if (!written)
                break;
            std::cerr << "tilewright-cli: what was found is in " << file.string() << '\n';
            return;
        }
}

} // namespace

Status writeFound(const std::string& path, std::string_view text)
{
    Status status = writeFileAtomically(path, text);
    if (!status)
        rescue(path, text);
    return status;
}

void rescueOutput(const std::string& input, const std::function<std::string()>& text)
{
    auto* out = dynamic_cast<manual::StandardOutput*>(std::cout.rdbuf());
    if (out && out->isLost())
        rescue(fs::path(input).stem().string() + ".json", text());
}

} // namespace tilewright::cli
