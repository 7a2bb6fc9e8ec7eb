// SPDX-License-Identifier: GPL-3.0-or-later
// tilewright._core: what python/tilewright is made of. No arithmetic of a lens: it calls core/ and hands on.
#include "values.h"

#include "base/version.h"

PYBIND11_MODULE(_core, m)
{
    using namespace tilewright::python;
    m.doc() = "The engines of Tilewright; use the package tilewright, which wraps them.";
    auto error = py::register_exception<BadInput>(m, "Error", PyExc_ValueError);
    error.attr("__module__") = "tilewright";
    error.doc() =
        "Bad input: one sentence that names file, field and reason, the same as on the command line.";
    m.attr("__version__") = std::string(tilewright::programVersion());
    addValues(m);
    addEvaluation(m);
    addResults(m);
    addVerbs(m);
}
