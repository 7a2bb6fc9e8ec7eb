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

/// A descriptor that is closed with the scope.
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

/// File systems that cannot say so say EINVAL.
bool flushed(int file)
{
    return ::fsync(file) == 0 || errno == EINVAL;
}

/// 0, or the errno; `there` is set when the name was taken and is to be kept.
int bringInPlace(const std::string& temporary, const std::string& path, IfThere ifThere, bool& there)
{
    if (ifThere == IfThere::Replace)
        return std::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
    const int linked = ::link(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
    there = linked == EEXIST;
    if (linked == EPERM || linked == ENOTSUP || linked == ENOSYS) { // no hard links here
        there = ::access(path.c_str(), F_OK) == 0;
        return there || std::rename(temporary.c_str(), path.c_str()) == 0 ? 0 : errno;
    }
    return there ? 0 : linked;
}

} // namespace

Result<bool> writeFileDurably(const std::string& path, std::string_view content,
                              const std::string& temporaries, IfThere ifThere)
{
    const auto failed = [&](int why) {
        return Error{ErrorCode::Io, std::string("cannot be written (") + std::strerror(why) + ")", {}, path};
    };
    std::string temporary = temporaries + "/part-XXXXXX";
    {
        const Descriptor file(::mkstemp(temporary.data()));
        if (file.value < 0)
            return failed(errno);
        constexpr mode_t kReadable = 0644;
        if (::fchmod(file.value, kReadable) != 0 || !writeAll(file.value, content) || !flushed(file.value)) {
            const int why = errno;
            ::unlink(temporary.c_str());
            return failed(why);
        }
    }
    bool there = false;
    const int moved = bringInPlace(temporary, path, ifThere, there);
    if (moved != 0 || ifThere == IfThere::Keep)
        ::unlink(temporary.c_str());
    if (moved != 0)
        return failed(moved);
    const Descriptor folder(
        ::open(std::filesystem::path(path).parent_path().c_str(), O_RDONLY | O_DIRECTORY));
    if (folder.value < 0 || !flushed(folder.value))
        return failed(errno);
    return !there;
}

} // namespace tilewright
