// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"

#include "base/output_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tilewright {

namespace fs = std::filesystem;

namespace {

/// Closes a file descriptor.
class OpenFile
{
public:
    explicit OpenFile(const std::string& path) : m_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile()
    {
        if (m_file >= 0)
            ::close(m_file);
    }
    [[nodiscard]] int get() const noexcept { return m_file; }

private:
    int m_file;
};

/// Appends up to `size` bytes, less only at the end of the file; false where it cannot be read.
bool readMore(int file, std::string& text, std::size_t size)
{
    const std::size_t wanted = text.size() + size;
    while (text.size() < wanted) {
        const std::size_t before = text.size();
        text.resize(wanted);
        const ssize_t n = ::read(file, text.data() + before, wanted - before);
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(0, n)));
        if (n < 0 && errno != EINTR)
            return false;
        if (n == 0)
            return true;
    }
    return true;
}

/// A regular file as memory; null where it cannot be mapped.
std::shared_ptr<const void> mapFile(int file, std::size_t& size)
{
    struct stat info = {};
    if (::fstat(file, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= 0)
        return nullptr;
    size = static_cast<std::size_t>(info.st_size);
    void* const data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (data == MAP_FAILED)
        return nullptr;
    return {data, [size](const void* map) { ::munmap(const_cast<void*>(map), size); }};
}

} // namespace

Result<FileContent> readContent(const std::string& path, bool (*isMapped)(std::string_view))
{
    constexpr std::size_t kHead = 256, kBlock = std::size_t{1} << 20;
    std::error_code ec;
    if (fs::is_directory(path, ec))
        return Error{ErrorCode::Io, "is a folder, not a file", {}, path};
    const OpenFile file(path);
    if (file.get() < 0)
        return Error{ErrorCode::Io, std::string("cannot be opened (") + std::strerror(errno) + ")", {}, path};
    std::string text;
    bool ok = readMore(file.get(), text, kHead);
    std::size_t size = 0;
    if (ok && isMapped(text))
        if (auto map = mapFile(file.get(), size))
            return FileContent(std::move(map), size);
    for (std::size_t before = 0; ok && text.size() > before;) {
        before = text.size();
        ok = readMore(file.get(), text, kBlock);
        if (text.size() > kMaxFileBytes)
            return Error{ErrorCode::Io, "is larger than 64 MiB, the limit for any input", {}, path};
    }
    if (!ok)
        return Error{ErrorCode::Io, "cannot be read to its end", {}, path};
    return FileContent(std::move(text));
}

Result<std::string> readFile(const std::string& path)
{
    auto file = readContent(path, [](std::string_view) { return false; });
    if (!file)
        return file.error();
    return std::move(*file).takeText();
}

Status writeFileAtomically(const std::string& path, std::string_view content)
{
    OutputFile out(path);
    out.write(content);
    const auto written = out.commit();
    return written ? Status(Unit{}) : Status(written.error());
}

} // namespace tilewright
