// SPDX-License-Identifier: GPL-3.0-or-later
#include "output_folder.h"

#include "base/file.h"

#include <filesystem>

namespace tilewright::cli {

Status writeInFolder(const std::string& folder, const std::string& name, std::string_view text)
{
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    if (failed)
        return Error{ErrorCode::Io, "cannot be made: " + failed.message(), {}, folder};
    return writeFileAtomically((std::filesystem::path(folder) / name).string(), text);
}

} // namespace tilewright::cli
