// SPDX-License-Identifier: GPL-3.0-or-later
// tilewright._core, the native part of python/tilewright. It calls core/ and converts values; it has no
// arithmetic of a lens.
#include "values.h"

#include "base/notice.h"
#include "base/version.h"

PYBIND11_MODULE(_core, m)
{
    using namespace tilewright::python;
    m.doc() = "The engines of Tilewright; use the package tilewright, which wraps them.";
    static py::exception<BadInput>& error = *new py::exception<BadInput>(m, "Error", PyExc_ValueError);
    py::register_exception_translator([](std::exception_ptr thrown) {
        try {
            std::rethrow_exception(std::move(thrown));
        } catch (const BadInput& e) { // the message may quote a file name that is not valid text
            const std::string_view text = e.what();
            const auto sentence = py::reinterpret_steal<py::object>(
                PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), "backslashreplace"));
            PyErr_SetObject(error.ptr(), sentence.ptr());
        } catch (const py::cast_error&) {
            PyErr_SetString(PyExc_TypeError, "a value has the wrong type");
        }
    });
    error.attr("__module__") = "tilewright";
    error.doc() =
        "Bad input: one sentence that names file, field and reason, the same as on the command line.";
    m.attr("__version__") = std::string(tilewright::programVersion());
    tilewright::setNoticeHandler([](const tilewright::Error& what) {
        if (Py_IsInitialized() == 0)
            return;
        const py::gil_scoped_acquire gil;
        if (PyErr_WarnEx(PyExc_UserWarning, what.text().c_str(), 1) < 0)
            // The user turned warnings into errors, but a file reader cannot raise one.
            PyErr_WriteUnraisable(nullptr);
    });
    watchForTheEnd();
    addValues(m);
    addEvaluation(m);
    addResults(m);
    addVerbs(m);
}
