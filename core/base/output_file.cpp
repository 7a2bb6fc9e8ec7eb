// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/output_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <utility>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tilewright {

namespace {

namespace fs = std::filesystem;

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

/// fsync() of a file or folder. EINVAL counts as success: it means that the file system does not support
/// fsync.
bool syncToDisk(int file)
{
    return ::fsync(file) == 0 || errno == EINVAL;
}

/// Follows the symbolic links of a path and returns the target, which need not exist; empty if the links form
/// a loop.
std::string behindLinks(std::string path)
{
    constexpr int kMostLinks = 40; // equals the limit of the Linux kernel
    for (int i = 0; i < kMostLinks; ++i) {
        std::error_code noLink;
        const fs::path next = fs::read_symlink(path, noLink);
        if (noLink)
            return path;
        path = (fs::path(path).parent_path() / next).string();
    }
    return {};
}

std::string folderOf(const std::string& file)
{
    const fs::path folder = fs::path(file).parent_path();
    return folder.empty() ? "." : folder.string();
}

/// True for names such as /dev/stdout, which stand for a file that the process has already opened.
bool isDeviceName(const std::string& path)
{
    return path.starts_with("/dev/") || path.starts_with("/proc/");
}

std::string randomName()
{
    std::array<std::uint8_t, 8> bytes{};
    (void)!::getrandom(bytes.data(), bytes.size(), 0);
    std::string out = "/.tilewright-";
    for (const std::uint8_t byte : bytes)
        for (const int digit : {byte >> 4, byte & 15})
            out += "0123456789abcdef"[digit];
    return out;
}

/// Gives the file the owner, group and permissions of another one. If the group cannot be set, the file's
/// group gets only the permissions of all others.
bool takeOwnerAndMode(int file, const struct stat& of)
{
    mode_t mode = of.st_mode & 07777U;
    if (::fchown(file, of.st_uid, of.st_gid) != 0 && ::fchown(file, static_cast<uid_t>(-1), of.st_gid) != 0)
        mode = (mode & ~070U) | (mode & 07U) << 3U;
    return ::fchmod(file, mode) == 0;
}

} // namespace

OutputFile::OutputFile(std::string path, const std::string& temporaries)
    : m_path(std::move(path)), m_target(m_path)
{
    begin(temporaries);
}

OutputFile::~OutputFile()
{
    if (m_file >= 0)
        ::close(m_file);
    if (!m_temporary.empty())
        ::unlink(m_temporary.c_str());
}

bool OutputFile::check(bool ok)
{
    if (!ok && m_error == 0)
        m_error = errno != 0 ? errno : EIO;
    return ok;
}

void OutputFile::begin(const std::string& temporaries)
{
    struct stat there = {};
    const bool exists = ::stat(m_path.c_str(), &there) == 0;
    // The file is opened by its descriptor, because it may be impossible to open it a second time.
    if (exists && isDeviceName(m_path))
        for (const int own : {STDOUT_FILENO, STDERR_FILENO})
            if (struct stat mine = {};
                ::fstat(own, &mine) == 0 && mine.st_dev == there.st_dev && mine.st_ino == there.st_ino) {
                std::cout.flush();
                check((m_file = ::fcntl(own, F_DUPFD_CLOEXEC, 3)) >= 0);
                return;
            }
    if (exists && !S_ISREG(there.st_mode)) {
        check((m_file = ::open(m_path.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY)) >= 0);
        return;
    }
    if (exists && !check(::access(m_path.c_str(), W_OK) == 0))
        return;
    m_target = behindLinks(m_path);
    if (errno = ELOOP; !check(!m_target.empty()))
        return;
    m_inPlace = exists && there.st_nlink > 1;
    const std::string folder = temporaries.empty() ? folderOf(m_target) : temporaries;
    do {
        m_temporary = folder + randomName();
        m_file = ::open(m_temporary.c_str(), O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        exists ? 0600 : 0666);
    } while (m_file < 0 && errno == EEXIST);
    if (!check(m_file >= 0))
        m_temporary.clear();
    else if (exists)
        check(takeOwnerAndMode(m_file, there));
}

void OutputFile::write(std::string_view text)
{
    if (m_error == 0)
        check(writeAll(m_file, text));
}

/// Moves the temporary file to its final name. Returns 0 or errno. Sets `existed` if the file existed and was
/// kept.
int OutputFile::moveIntoPlace(IfThere ifThere, bool& existed)
{
    const auto moved = [this] {
        if (std::rename(m_temporary.c_str(), m_target.c_str()) != 0)
            return errno;
        m_temporary.clear();
        return 0;
    };
    if (ifThere == IfThere::Replace) {
        const int error = m_inPlace ? EBUSY : moved();
        // Rename() returns EBUSY if the file itself is a mount.
        return error == EBUSY ? copyIntoPlace() : error;
    }
    const int linked = ::link(m_temporary.c_str(), m_target.c_str()) == 0 ? 0 : errno;
    existed = linked == EEXIST;
    if (linked == EPERM || linked == ENOTSUP || linked == ENOSYS) { // the file system has no hard links
        existed = ::access(m_target.c_str(), F_OK) == 0;
        return existed ? 0 : moved();
    }
    return existed ? 0 : linked;
}

/// Overwrites the file with the content of the temporary one. Disk space is reserved first. If the copy fails
/// after that, the temporary file is kept. Returns 0 or errno.
int OutputFile::copyIntoPlace()
{
    const int to = ::open(m_target.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    struct stat before = {}, content = {};
    bool ok = to >= 0 && ::fstat(to, &before) == 0 && ::fstat(m_file, &content) == 0;
    if (ok && content.st_size > before.st_size)
        if (const int full = ::posix_fallocate(to, before.st_size, content.st_size - before.st_size);
            full != 0) {
            (void)!::ftruncate(to, before.st_size);
            ok = false;
            errno = full;
        }
    if (ok) {
        std::array<char, 1 << 16> block{};
        ssize_t n = 0;
        for (off_t at = 0; ok && (n = ::pread(m_file, block.data(), block.size(), at)) > 0; at += n)
            ok = writeAll(to, {block.data(), static_cast<std::size_t>(n)});
        ok = ok && n == 0 && ::ftruncate(to, content.st_size) == 0 && syncToDisk(to);
        if (!ok)
            m_kept = std::exchange(m_temporary, {});
    }
    const int error = ok ? 0 : errno;
    if (to >= 0)
        ::close(to);
    return error;
}

Result<bool> OutputFile::commit(IfThere ifThere)
{
    bool existed = false;
    const bool isTemporary = !m_temporary.empty();
    if (m_error == 0 && isTemporary && check(syncToDisk(m_file)))
        m_error = moveIntoPlace(ifThere, existed);
    if (m_file >= 0 && m_error == 0)
        check(::close(std::exchange(m_file, -1)) == 0);
    if (m_error == 0 && isTemporary)
        if (const int folder = ::open(folderOf(m_target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            folder >= 0) {
            check(syncToDisk(folder));
            ::close(folder);
        }
    if (m_error != 0)
        return Error{ErrorCode::Io,
                     std::string("cannot be written (") + std::strerror(m_error) + ")" +
                         (m_kept.empty() ? "" : "; the new content is in " + m_kept),
                     {},
                     m_path};
    return !existed;
}

Status checkOutput(const std::string& path)
{
    struct stat there = {};
    const bool exists = ::stat(path.c_str(), &there) == 0;
    const auto failed = [&](const std::string& why) { return Error{ErrorCode::Io, why, {}, path}; };
    if (!exists && errno == ENAMETOOLONG)
        return failed(std::string("cannot be written (") + std::strerror(errno) + ")");
    if (exists && S_ISDIR(there.st_mode))
        return failed("is a folder, not a file");
    if (exists && !isDeviceName(path) && ::access(path.c_str(), W_OK) != 0)
        return failed(std::string("cannot be written (") + std::strerror(errno) + ")");
    if ((!exists || S_ISREG(there.st_mode)) && !isDeviceName(path) &&
        ::access(folderOf(behindLinks(path)).c_str(), W_OK) != 0)
        return failed("its folder cannot be written");
    return Unit{};
}

} // namespace tilewright
