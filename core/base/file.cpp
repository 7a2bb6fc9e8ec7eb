// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace tilewright {

namespace fs = std::filesystem;

Result<std::string> readFile(const std::string& path)
{
    std::error_code ec;
    if (fs::is_directory(path, ec))
        return Error{ErrorCode::Io, "is a folder, not a file", {}, path};
    std::ifstream in(path, std::ios::binary);
    if (!in)
        return Error{ErrorCode::Io, std::string("cannot be opened (") + std::strerror(errno) + ")", {}, path};
    std::string text;
    char buffer[1 << 16];
    while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(in.gcount()));
        if (text.size() > kMaxFileBytes)
            return Error{ErrorCode::Io, "is larger than 64 MiB, the limit for any input", {}, path};
    }
    if (in.bad())
        return Error{ErrorCode::Io, "cannot be read to its end", {}, path};
    return text;
}

Status writeFileAtomically(const std::string& path, std::string_view content)
{
    const auto failed = [&](const std::string& reason) {
        return Error{ErrorCode::Io, "cannot be written (" + reason + ")", {}, path};
    };
    std::error_code ec;
    if (fs::exists(path, ec) && !fs::is_regular_file(path, ec)) {
        // Pipes and devices such as /dev/stdout cannot be replaced by rename().
        std::ofstream out(path, std::ios::binary);
        out.write(content.data(), static_cast<std::streamsize>(content.size()));
        out.flush();
        return out ? Status(Unit{}) : Status(failed(std::strerror(errno)));
    }
    const std::string temporary = path + ".part" + std::to_string(::getpid());
    {
        std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
        out.write(content.data(), static_cast<std::streamsize>(content.size()));
        out.flush();
        if (!out) {
            const std::string reason = std::strerror(errno);
            fs::remove(temporary, ec);
            return failed(reason);
        }
    }
    fs::rename(temporary, path, ec);
    if (ec) {
        const std::string reason = ec.message();
        fs::remove(temporary, ec);
        return failed(reason);
    }
    return Unit{};
}

} // namespace tilewright
