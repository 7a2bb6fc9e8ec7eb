// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/view_kind.h"

#include "base/integer.h"

namespace tilewright {

ViewReading viewReading(const Problem& problem, TensorId view)
{
    const Tensor& t = problem.tensor(view);
    const auto bases = problem.bases(view);
    ViewReading out;
    out.elements = t.elements();
    for (const TensorId base : bases)
        out.baseElements = saturatingAdd(out.baseElements, problem.tensor(base).elements());
    if (bases.size() > 1) {
        out.kind = out.elements == out.baseElements ? ViewKind::Concatenation : ViewKind::Gather;
        return out;
    }
    const Tensor& base = problem.tensor(bases.front());
    const bool transposed = t.height == base.width && t.width == base.height && t.height != t.width;
    out.kind = out.elements < out.baseElements   ? ViewKind::Slice
               : out.elements > out.baseElements ? ViewKind::Patches
               : transposed                      ? ViewKind::Transposition
                                                 : ViewKind::Rearrangement;
    return out;
}

} // namespace tilewright
