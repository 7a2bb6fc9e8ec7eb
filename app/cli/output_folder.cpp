// SPDX-License-Identifier: GPL-3.0-or-later
#include "output_folder.h"

#include "base/file.h"

#include <filesystem>

#include <unistd.h>

namespace tilewright::cli {

Status writeInFolder(const std::string& folder, const std::string& name, std::string_view text)
{
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return Error{ErrorCode::Io, "cannot be made: " + failed.message(), {}, folder};
    return writeFileAtomically((std::filesystem::path(folder) / name).string(), text);
}

Status checkFolderOf(const std::string& file)
{
    if (!file.empty() && ::access(std::filesystem::absolute(file).parent_path().c_str(), W_OK) != 0)
        return Error{ErrorCode::Io, "its folder cannot be written", {}, file};
    return Unit{};
}

} // namespace tilewright::cli
