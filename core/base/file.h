// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>

namespace tilewright {

/// Size limit of input files, in bytes.
inline constexpr std::size_t kMaxFileBytes = std::size_t{64} << 20;

/// The bytes of a file. The file is opened once and either read completely, or mapped into memory, so that
/// only the parts in use are read.
class FileContent
{
public:
    FileContent() = default;
    explicit FileContent(std::string text) : m_text(std::move(text)) {}
    FileContent(std::shared_ptr<const void> map, std::size_t size) : m_map(std::move(map)), m_size(size) {}

    [[nodiscard]] std::string_view view() const noexcept
    {
        return m_map ? std::string_view(static_cast<const char*>(m_map.get()), m_size) : m_text;
    }
    [[nodiscard]] std::string takeText() && { return std::move(m_text); }

private:
    std::string m_text;
    std::shared_ptr<const void> m_map;
    std::size_t m_size = 0;
};

/// Opens a file. If `isMapped` returns true for its first 256 bytes, a regular file of any size is mapped.
/// Other files are read and may have at most kMaxFileBytes. The Error names the file.
[[nodiscard]] Result<FileContent> readContent(const std::string& path,
                                              bool (*isMapped)(std::string_view head));

/// Reads a whole file. The Error names the file if it cannot be read or is larger than kMaxFileBytes.
[[nodiscard]] Result<std::string> readFile(const std::string& path);

/// Writes a whole file as an OutputFile (base/output_file.h).
[[nodiscard]] Status writeFileAtomically(const std::string& path, std::string_view content);

} // namespace tilewright
