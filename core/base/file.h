// SPDX-License-Identifier: GPL-3.0-or-later
// Files: reading within limits, and writing so that a failure leaves the old or the new content.
#pragma once

#include "base/result.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

namespace tilewright {

/// Size limit of input files, in bytes.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

/// Bytes that can be read at any position, a block at a time.
class ByteSource
{
public:
    virtual ~ByteSource() = default;
    [[nodiscard]] virtual std::size_t size() const = 0;
    /// Returns the bytes from a position on, as many as are available at once; they stay valid until the next
    /// call. Empty at the end of the source, and if it cannot be read.
    [[nodiscard]] virtual std::string_view at(std::size_t position) = 0;
};

/// Bytes in memory.
class TextSource final : public ByteSource
{
public:
    explicit TextSource(std::string_view text) : m_text(text) {}
    [[nodiscard]] std::size_t size() const override { return m_text.size(); }
    [[nodiscard]] std::string_view at(std::size_t position) override
    {
        return m_text.substr(std::min(position, m_text.size()));
    }

private:
    std::string_view m_text;
};

/// A file format of which only a part is needed, however large the file is.
struct PartFormat
{
    bool (*isFormat)(std::string_view head); ///< recognises the format by the first 256 bytes
    Result<std::string> (*part)(ByteSource& file);
};

/// The text of a file that was opened once: the whole content, or the part that its format needs.
class FileContent
{
public:
    FileContent() = default;
    explicit FileContent(std::string text) : m_text(std::move(text)) {}
    FileContent(std::string part, std::shared_ptr<ByteSource> whole)
        : m_text(std::move(part)), m_whole(std::move(whole))
    {
    }

    [[nodiscard]] std::string_view view() const noexcept { return m_text; }
    [[nodiscard]] std::string takeText() && { return std::move(m_text); }
    /// SHA-256 of the whole file, in hexadecimal digits.
    [[nodiscard]] std::string sha256() const;

private:
    std::string m_text;
    std::shared_ptr<ByteSource> m_whole; ///< null if m_text is the whole content
};

/// Restricts reading to regular files from now on. The window calls this, because it would freeze while it
/// waits for somebody to write to a pipe.
void readNoPipes();

/// Opens a file, and reads it only once. A regular file of the format may have any size; other files may have
/// at most kMaxFileBytes. Nothing is mapped into memory, because a file that becomes shorter would crash the
/// program. Known formats that the program does not read are refused by name. The Error names the file.
[[nodiscard]] Result<FileContent> readContent(const std::string& path, const PartFormat& format);

/// Recognises formats of other programs by the first bytes of a file. Returns a text: "is a zip archive ...,
/// which is not read: ..."; empty for any other content.
[[nodiscard]] std::string foreignFormat(std::string_view head);

/// Reads a whole file. The Error names the file if it cannot be read or is larger than kMaxFileBytes.
[[nodiscard]] Result<std::string> readFile(const std::string& path);

/// Writes a whole file by an OutputFile (base/output_file.h), so that it is never incomplete.
[[nodiscard]] Status writeFileAtomically(const std::string& path, std::string_view content);

} // namespace tilewright
