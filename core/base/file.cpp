// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"

#include "base/hash.h"
#include "base/output_file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tilewright {

namespace fs = std::filesystem;

namespace {

std::atomic<bool> g_readsNoPipes = false;

/// Owns a file descriptor and closes it.
class OpenFile
{
public:
    explicit OpenFile(const std::string& path)
        : m_file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | (g_readsNoPipes ? O_NONBLOCK : 0)))
    {
    }
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

/// Appends `size` bytes, or fewer at the end of the file. Returns false if the file cannot be read.
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

/// A regular file, read a block at a time.
class FileSource final : public ByteSource
{
public:
    FileSource(std::shared_ptr<const OpenFile> file, std::size_t size) : m_file(std::move(file)), m_size(size)
    {
    }
    [[nodiscard]] std::size_t size() const override { return m_size; }
    [[nodiscard]] std::string_view at(std::size_t position) override
    {
        if (position < m_start || position >= m_start + m_block.size()) {
            m_block.resize(kBlock);
            ssize_t n = -1;
            do
                n = ::pread(m_file->get(), m_block.data(), kBlock, static_cast<off_t>(position));
            while (n < 0 && errno == EINTR);
            m_block.resize(static_cast<std::size_t>(std::max<ssize_t>(0, n)));
            m_start = position;
        }
        return std::string_view(m_block).substr(std::min(position - m_start, m_block.size()));
    }

private:
    static constexpr std::size_t kBlock = std::size_t{16} << 10;
    std::shared_ptr<const OpenFile> m_file;
    std::size_t m_size = 0, m_start = 0;
    std::string m_block;
};

struct Signature
{
    std::size_t offset;
    std::string_view bytes, what, advice;
};

using namespace std::string_view_literals;
constexpr std::string_view kExport = ": export the model to ONNX", kUnpack = ": unpack it first";
constexpr Signature kSignatures[] = {
    {4, "TFL3"sv, "a TensorFlow Lite model", kExport},
    {0, "\x89HDF\r\n"sv, "an HDF5 file (Keras)", kExport},
    {0, "PK\x03\x04"sv, "a zip archive (PyTorch, Keras, NumPy)", kExport},
    {0, "\x80\x02"sv, "a Python pickle (PyTorch)", kExport},
    {0, "\x80\x03"sv, "a Python pickle (PyTorch)", kExport},
    {0, "\x80\x04\x95"sv, "a Python pickle", kExport},
    {0, "\x80\x05\x95"sv, "a Python pickle", kExport},
    {0, "GGUF"sv, "a GGUF model", kExport},
    {0, "\x93NUMPY"sv, "a NumPy array", {}},
    {0, "\x1f\x8b"sv, "a gzip file", kUnpack},
    {4, "1AY&SY"sv, "a bzip2 file", kUnpack},
    {1, "7zXZ\0"sv, "an xz file", kUnpack},
    {0, "\x28\xb5\x2f\xfd"sv, "a zstd file", kUnpack},
    {0, "%PDF-"sv, "a PDF document", {}},
    {0, "\x89PNG\r\n"sv, "a PNG picture", {}},
    {1, "ELF\x02"sv, "a program", {}},
};

/// True for a file in the format safetensors, which begins with the length of its JSON header in 8 bytes.
bool isSafetensors(std::string_view head)
{
    return head.size() > 10 && head.substr(4, 4) == "\0\0\0\0"sv && head[8] == '{' &&
           (head[9] == '"' || head[9] == ' ');
}

} // namespace

std::string foreignFormat(std::string_view head)
{
    const auto sentence = [](std::string_view what, std::string_view advice) {
        return std::string("is ").append(what).append(", which is not read").append(advice);
    };
    if (isSafetensors(head))
        return sentence("a safetensors file (weights without a model)", kExport);
    for (const Signature& s : kSignatures)
        if (head.size() >= s.offset && head.substr(s.offset).starts_with(s.bytes))
            return sentence(s.what, s.advice);
    return {};
}

std::string FileContent::sha256() const
{
    if (!m_whole)
        return tilewright::sha256(m_text);
    Sha256 hash;
    for (std::size_t at = 0; at < m_whole->size();) {
        const std::string_view block = m_whole->at(at);
        if (block.empty())
            break; // the file has become shorter: the hash is that of the remaining bytes
        hash.add(block);
        at += block.size();
    }
    return hash.hex();
}

void readNoPipes()
{
    g_readsNoPipes = true;
}

Result<FileContent> readContent(const std::string& path, const PartFormat& format)
{
    constexpr std::size_t kHead = 256, kBlock = std::size_t{1} << 20;
    const auto failed = [&](std::string why) { return Error{ErrorCode::Io, std::move(why), {}, path}; };
    const auto file = std::make_shared<const OpenFile>(path);
    struct stat info = {};
    if (file->get() < 0 || ::fstat(file->get(), &info) != 0)
        return failed(std::string("cannot be opened (") + std::strerror(errno) + ")");
    if (S_ISDIR(info.st_mode))
        return failed("is a folder, not a file");
    if (g_readsNoPipes && !S_ISREG(info.st_mode))
        return failed("is a pipe or a device; the window reads regular files only");
    std::string text;
    bool ok = readMore(file->get(), text, kHead);
    if (const std::string foreign = foreignFormat(text); !foreign.empty())
        return failed(foreign);
    if (ok && S_ISREG(info.st_mode) && format.isFormat(text)) {
        auto whole = std::make_shared<FileSource>(file, static_cast<std::size_t>(info.st_size));
        auto part = format.part(*whole);
        if (part)
            return FileContent(std::move(*part), std::move(whole));
        Error error = part.error();
        error.file = path;
        return error;
    }
    for (std::size_t before = 0; ok && text.size() > before;) {
        before = text.size();
        ok = readMore(file->get(), text, kBlock);
        if (text.size() > kMaxFileBytes)
            return failed("is larger than 64 MiB, the limit for any input");
    }
    if (!ok)
        return failed("cannot be read to its end");
    return FileContent(std::move(text));
}

Result<std::string> readFile(const std::string& path)
{
    auto file = readContent(path, {[](std::string_view) { return false; }, nullptr});
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
