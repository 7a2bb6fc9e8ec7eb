// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/durable_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright {

namespace {

/// Owns a file descriptor and closes it.
struct Descriptor
{
    int value = -1;
    explicit Descriptor(int v) : value(v) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor()
    {
        if (value >= 0)
            ::close(value);
    }
};

bool writeAll(int file, std::string_view content)
{
    while (!content.empty()) {
        const ssize_t n = ::write(file, content.data(), content.size());
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        content.remove_prefix(static_cast<std::size_t>(n));
    }
    return true;
}

/// fsync() of a file or folder. EINVAL is success: the file system does not support fsync.
bool syncToDisk(int file)
{
    return ::fsync(file) == 0 || errno == EINVAL;
}

/// Moves the temporary file to its final path. Returns 0 or errno. Sets `existed` if the file existed and is
/// kept.
int moveIntoPlace(const std::string& temporary, const std::string& path, IfThere ifThere, bool& existed)
{
    if (ifThere == IfThere::Replace)
        return std::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
    const int linked = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
    existed = linked == EEXIST;
    if (linked == EPERM || linked == ENOTSUP || linked == ENOSYS) { // the file system has no hard links
        existed = ::access(path.c_str(), F_OK) == 0;
        return existed || std::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
    }
    return existed ? 0 : linked;
}

} // namespace

Result<bool> writeFileDurably(const std::string& path, std::string_view content,
                              const std::string& temporaries, IfThere ifThere)
{
    const auto failed = [&](int reason) {
        return Error{
            ErrorCode::Io, std::string("cannot be written (") + std::strerror(reason) + ")", {}, path};
    };
    std::string temporary = temporaries + "/part-XXXXXX";
    {
        const Descriptor file(::mkstemp(temporary.data()));
        if (file.value < 0)
            return failed(errno);
        constexpr mode_t kReadable = 0644;
        if (::fchmod(file.value, kReadable) != 0 || !writeAll(file.value, content) ||
            !syncToDisk(file.value)) {
            const int reason = errno;
            ::unlink(temporary.c_str());
            return failed(reason);
        }
    }
    bool existed = false;
    const int moved = moveIntoPlace(temporary, path, ifThere, existed);
    if (moved != 0 || ifThere == IfThere::Keep)
        ::unlink(temporary.c_str());
    if (moved != 0)
        return failed(moved);
    const Descriptor folder(
        ::open(std::filesystem::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY));
    if (folder.value < 0 || !syncToDisk(folder.value))
        return failed(errno);
    return !existed;
}

} // namespace tilewright
