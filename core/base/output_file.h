// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright {

enum class IfThere : bool { Replace, Keep };

/// The one writer of files. After an error, an interruption or a power failure the file is either complete or
/// as it was: the content goes to a temporary file of an unguessable name in the same folder, which takes the
/// name of the file in commit(), after an fsync of both. Several programs on several machines may write the
/// same file at the same time.
///
/// A symbolic link stays, and so do permissions and, where it may be set, owner. A file with several hard
/// links is overwritten in place, from the complete temporary file. Pipes and devices (/dev/stdout) are
/// written at once.
class OutputFile
{
public:
    /// `temporaries`: another folder of the temporary file, on the same file system.
    explicit OutputFile(std::string path, const std::string& temporaries = {});
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    /// Without commit() the file stays as it was.
    ~OutputFile();

    void write(std::string_view text);
    /// The Error is the first one since the beginning. False if there is a file, and `ifThere` is Keep.
    [[nodiscard]] Result<bool> commit(IfThere ifThere = IfThere::Replace);
    /// True after the first error: the rest need not be made.
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

/// Errors where a file can certainly not be written. For before long work, not after it.
[[nodiscard]] Status checkOutput(const std::string& path);

} // namespace tilewright
