// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright {

enum class IfThere : bool { Replace, Keep };

/// Writes a file; all files of the program are written by this class. After an error, an interruption or a
/// power failure, the file is either complete or unchanged: the content is written to a temporary file with
/// an unguessable name in the same folder. commit() renames it to the file, after an fsync of both. Several
/// programs on several machines may write the same file at the same time.
///
/// A symbolic link is kept, and so are the permissions and, if it may be set, the owner. A file with several
/// hard links is overwritten in place with the content of the complete temporary file. Pipes and devices
/// (/dev/stdout) are written directly.
class OutputFile
{
public:
    /// `temporaries`: another folder for the temporary file, on the same file system.
    explicit OutputFile(std::string path, const std::string& temporaries = {});
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    /// Without commit() the file does not change.
    ~OutputFile();

    void write(std::string_view text);
    /// Puts the written content in place of the file. The Error is the first one since the beginning. Returns
    /// false if the file exists and `ifThere` is Keep.
    [[nodiscard]] Result<bool> commit(IfThere ifThere = IfThere::Replace);
    /// True after the first error: the remaining content need not be produced.
    [[nodiscard]] bool failed() const noexcept { return m_error != 0; }

private:
    void begin(const std::string& temporaries);
    [[nodiscard]] int moveIntoPlace(IfThere ifThere, bool& existed);
    [[nodiscard]] int copyIntoPlace();
    bool check(bool ok); ///< checks the result of a system call; keeps its errno

    std::string m_path;      ///< path as the caller names it
    std::string m_target;    ///< path to which the symbolic links of m_path lead
    std::string m_temporary; ///< empty: the file is written directly
    std::string m_kept;      ///< temporary file that is the only complete one
    int m_file = -1;
    int m_error = 0;
    bool m_inPlace = false;
};

/// Returns an Error if a file certainly cannot be written. Call it before a long computation, not after it.
[[nodiscard]] Status checkOutput(const std::string& path);

} // namespace tilewright
