// SPDX-License-Identifier: GPL-3.0-or-later
// Findings that are known and not yet mended: a file of globs, one a line. A test that meets one goes on; the
// file is emptied as they are mended.
#pragma once

#include <fnmatch.h>
#include <fstream>
#include <string>
#include <vector>

namespace tilewright::test {

class KnownFindings
{
public:
    explicit KnownFindings(const std::string& file)
    {
        std::ifstream in(file);
        for (std::string line; std::getline(in, line);)
            if (!line.empty() && line.front() != '#')
                m_globs.push_back(line);
    }
    [[nodiscard]] bool has(const std::string& finding) const
    {
        for (const std::string& glob : m_globs)
            if (::fnmatch(glob.c_str(), finding.c_str(), 0) == 0)
                return true;
        return false;
    }

private:
    std::vector<std::string> m_globs;
};

} // namespace tilewright::test
