// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of comma-separated values (topologies, buffers) and lines of YAML.
#include "mutation.h"

#include <algorithm>

namespace tilewright::fuzz {

namespace {

using Row = std::vector<std::string>;

std::vector<std::string> split(const std::string& text, char by)
{
    std::vector<std::string> out{""};
    for (const char c : text)
        if (c == by)
            out.emplace_back();
        else
            out.back() += c;
    return out;
}

std::string joined(const std::vector<std::string>& parts, const std::string& by)
{
    std::string out;
    for (std::size_t i = 0; i < parts.size(); ++i)
        out += (i > 0 ? by : "") + parts[i];
    return out;
}

std::string trimmed(std::string text)
{
    text.erase(0, text.find_first_not_of(' '));
    text.erase(text.find_last_not_of(' ') + 1);
    return text;
}

bool isNumber(const std::string& text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

class TableMutator : public Mutator
{
public:
    explicit TableMutator(const std::string& input) : m_input(input)
    {
        for (const std::string& line : split(input, '\n'))
            if (!line.empty())
                m_rows.push_back(split(line, ','));
        m_columns = m_rows.front().size() - (trimmed(m_rows.front().back()).empty() ? 1 : 0);
    }

    [[nodiscard]] Mutation mutate(Random& random) const override
    {
        if (random.oneIn(16))
            return damaged(m_input, random);
        std::vector<Row> rows = m_rows;
        const std::size_t column = random.below(m_columns);
        Row& row = rows[1 + random.below(rows.size() - 1)];
        std::string& head = rows.front()[column];
        std::string& cell = row[column];
        Mutation out{{}, {}, trimmed(head), trimmed(head), Owes::Nothing, false};
        std::string by = ",", end = "\n";
        switch (random.below(24)) {
        case 0: {
            out.kind = "misspelt-column";
            out.owes = Owes::Name;
            out.word = misspelt(trimmed(head), random);
            head = out.word;
            break;
        }
        case 1: {
            static const char* const kColumns[] = {"Batch", "Sparsity", "Weird", "Stride Width", "Padding"};
            out.kind = "unknown-column";
            out.owes = Owes::Name;
            out.word = random.any(kColumns);
            const auto at = static_cast<std::ptrdiff_t>(random.oneIn(2) ? m_columns : column);
            for (std::size_t i = 0; i < rows.size(); ++i)
                rows[i].insert(rows[i].begin() + std::min<std::ptrdiff_t>(at, std::ssize(rows[i])),
                               i == 0 ? out.word : std::to_string(1 + random.below(9)));
            break;
        }
        case 2: {
            out.kind = "moved-column"; // with its name
            out.owes = Owes::SameAnswer;
            const std::size_t other = random.below(m_columns);
            for (Row& r : rows)
                if (std::max(column, other) < r.size())
                    std::swap(r[column], r[other]);
            break;
        }
        case 3:
            out.kind = "doubled-column";
            out.owes = Owes::Name;
            for (Row& r : rows)
                if (column < r.size())
                    r.insert(r.begin() + static_cast<std::ptrdiff_t>(column), r[column]);
            break;
        case 4: {
            static const char* const kBy[] = {";", "\t", " ", ", ", " ,"};
            out.kind = "separator";
            by = random.any(kBy);
            if (trimmed(by) == ",")
                out.owes = Owes::SameAnswer;
            break;
        }
        case 5:
            out.kind = "line-ends";
            out.owes = Owes::SameAnswer;
            end = "\r\n";
            break;
        case 6: {
            static const char* const kCells[] = {"12x", "1e3", "1,5",    "\"3\"",  "3.0", "0x10", "",
                                                 " ",   "NaN", "\u00bd", "\uff13", "1 2", "+3"};
            out.kind = "odd-cell";
            if (isNumber(trimmed(cell)))
                out.owes = Owes::Name;
            cell = random.any(kCells);
            out.word = trimmed(cell).empty() ? trimmed(head) : trimmed(cell);
            break;
        }
        case 7:
            out.kind = "extreme-cell";
            cell = extremeNumber(random);
            break;
        case 8:
            out.kind = "foreign-cell";
            (random.oneIn(4) ? head : row[0]) = foreignText(random);
            break;
        case 9:
            out.kind = "further-cells";
            out.owes = Owes::Name;
            out.word = "4711";
            row.emplace_back("4711");
            row.emplace_back("4711");
            break;
        case 10:
            out.kind = "missing-cells";
            row.resize(1 + random.below(row.size()));
            break;
        case 11:
            out.kind = "doubled-row";
            rows.push_back(row);
            break;
        case 12:
            out.kind = "dropped-head";
            rows.erase(rows.begin());
            break;
        case 13:
            out.kind = "spaces";
            out.owes = Owes::SameAnswer;
            cell = "  " + trimmed(cell) + " ";
            break;
        default: {
            const std::string old = trimmed(cell);
            out.kind = "value";
            out.owes = Owes::Effect;
            if (isNumber(old)) {
                const long v = std::strtol(old.c_str(), nullptr, 10);
                const long others[] = {v + 1, std::max(1L, v - 1), v * 2, std::max(1L, v / 2)};
                cell = ' ' + std::to_string(random.any(others));
            } else {
                cell = "other" + std::to_string(random.below(10));
            }
            if (trimmed(cell) == old)
                out.owes = Owes::Nothing;
        }
        }
        for (const Row& r : rows)
            out.input += joined(r, by) + end;
        return out;
    }

private:
    std::string m_input;
    std::vector<Row> m_rows;
    std::size_t m_columns = 0;
};

class LineMutator : public Mutator
{
public:
    LineMutator(const std::string& input, bool isYaml)
        : m_input(input), m_lines(split(input, '\n')), m_isYaml(isYaml)
    {
    }

    [[nodiscard]] Mutation mutate(Random& random) const override
    {
        if (random.oneIn(12))
            return damaged(m_input, random);
        std::vector<std::string> lines = m_lines;
        const std::size_t i = random.below(lines.size());
        const auto there = lines.begin() + static_cast<std::ptrdiff_t>(i);
        std::string& line = lines[i];
        const std::size_t colon = line.find(':');
        const std::size_t begin = line.find_first_not_of(" -");
        const std::string key =
            colon != std::string::npos && begin < colon ? trimmed(line.substr(begin, colon - begin)) : "";
        Mutation out{{}, {}, key, key, Owes::Nothing, false};
        switch (random.below(14)) {
        case 0:
            out.kind = "misspelt-key";
            if (!key.empty()) {
                out.owes = Owes::Name;
                out.word = misspelt(key, random);
                line.replace(begin, key.size(), out.word);
            }
            break;
        case 1:
            out.kind = "duplicate-key";
            if (!key.empty() && line.find_first_not_of(" -") == line.find_first_not_of(' '))
                out.owes = Owes::Name;
            lines.insert(there, std::string(line));
            break;
        case 2: {
            out.kind = "unknown-key";
            if (!key.empty()) {
                out.owes = Owes::Name;
                out.word = "unheard_of";
                lines.insert(there + 1, std::string(begin, ' ') + "unheard_of: 1");
            }
            break;
        }
        case 3:
            out.kind = "second-document";
            out.owes = Owes::Name;
            out.word = "document";
            lines.emplace_back("---");
            lines.insert(lines.end(), m_lines.begin(), m_lines.end());
            break;
        case 4:
            out.kind = "indentation";
            line.insert(0, random.oneIn(3) ? "\t" : " ");
            break;
        case 5:
            out.kind = "dropped-line";
            lines.erase(there);
            break;
        case 6:
            out.kind = "foreign-text";
            line += foreignText(random);
            break;
        case 7: {
            out.kind = "aliases"; // each ten times the one before
            std::string bomb = "a0: &a0 [1,1,1,1,1,1,1,1,1,1]\n";
            for (int n = 1; n < 9; ++n) {
                const std::string before = "*a" + std::to_string(n - 1);
                bomb += "a" + std::to_string(n) + ": &a" + std::to_string(n) + " [" + before;
                for (int copies = 1; copies < 10; ++copies)
                    bomb += "," + before;
                bomb += "]\n";
            }
            lines.insert(lines.begin(), bomb);
            break;
        }
        case 8: {
            const std::size_t depth = random.oneIn(20) ? 50'000 : 300;
            out.kind = "deep";
            line += " " + std::string(depth, '[') + std::string(depth, ']');
            break;
        }
        default: {
            const std::size_t digit = line.find_first_of("0123456789");
            out.kind = digit == std::string::npos ? "letter" : "value";
            if (digit != std::string::npos) {
                std::vector<std::size_t> digits;
                for (std::size_t at = 0; at < line.size(); ++at)
                    if (std::isdigit(static_cast<unsigned char>(line[at])) != 0)
                        digits.push_back(at);
                const std::size_t at = random.any(digits);
                if (random.oneIn(6))
                    line.replace(at, 1, extremeNumber(random));
                else
                    line[at] = static_cast<char>('1' + random.below(9));
                out.owes = line == m_lines[i] || key.empty() ? Owes::Nothing : Owes::Effect;
            } else if (!line.empty()) {
                line[random.below(line.size())] = static_cast<char>('A' + random.below(58));
            }
        }
        }
        if (!m_isYaml)
            out.owes = Owes::Nothing; // printed text, without keys
        out.input = joined(lines, "\n");
        return out;
    }

private:
    std::string m_input;
    std::vector<std::string> m_lines;
    bool m_isYaml;
};

} // namespace

std::unique_ptr<Mutator> makeTableMutator(const std::string& input)
{
    return std::make_unique<TableMutator>(input);
}

std::unique_ptr<Mutator> makeLineMutator(const std::string& input, bool isYaml)
{
    return std::make_unique<LineMutator>(input, isYaml);
}

} // namespace tilewright::fuzz
