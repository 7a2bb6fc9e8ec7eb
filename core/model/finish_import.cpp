// SPDX-License-Identifier: GPL-3.0-or-later
#include "model/finish_import.h"

#include "base/utf8.h"

#include <map>

namespace tilewright::model {

std::string freshName(NameUses& names, const std::string& name)
{
    std::size_t& used = names[name];
    for (; used > 0; ++used)
        if (std::string numbered = name + "#" + std::to_string(used); names.emplace(numbered, 1).second)
            return numbered;
    used = 1;
    return name;
}

void chooseElementBytes(Model& m)
{
    std::map<int, std::int64_t> elements;
    for (const Tensor& t : m.tensors)
        if (t.elementBytes > 0)
            elements[t.elementBytes] = saturatingAdd(elements[t.elementBytes], t.elements());
    m.dtypeBytes = 4;
    std::int64_t most = 0;
    for (const auto& [bytes, count] : elements)
        if (count > most) {
            most = count;
            m.dtypeBytes = bytes;
        }
    for (Tensor& t : m.tensors)
        if (t.elementBytes == m.dtypeBytes)
            t.elementBytes = 0;
}

std::string nameOfModel(const std::string& name, const std::string& file)
{
    const bool says = !name.empty() && name != "main_graph" && name != "main" && name != "graph" &&
                      !name.starts_with("torch");
    if (says || file.empty())
        return name;
    const std::string stem = printable(file.substr(file.find_last_of('/') + 1));
    return stem.substr(0, stem.rfind('.'));
}

} // namespace tilewright::model
