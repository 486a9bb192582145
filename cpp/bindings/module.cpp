#include <nanobind/stl/string.h>

#include "base/cpu.hpp"
#include "base/threads.hpp"
#include "bindings/checks.hpp"

namespace {

PyObject* asked_too = nullptr;  // a Python function that raises if the work of this thread should end

// Returns whether the work of this thread should end: the user pressed Ctrl-C, or the Python function raised. The
// exception, such as KeyboardInterrupt, is then set on this thread.
bool interrupted() {
  nanobind::gil_scoped_acquire hold;
  if (PyErr_CheckSignals() != 0) return true;
  if (asked_too == nullptr) return false;
  PyObject* const answer = PyObject_CallNoArgs(asked_too);
  Py_XDECREF(answer);
  return answer == nullptr;
}

}  // namespace

NB_MODULE(_core, module) {
  // Objects that are still alive when the interpreter exits, such as those in a cache, are not leaks to warn about.
  nanobind::set_leak_warnings(false);
  module.doc() =
      "The compiled core of priorcase: exact search over mixed columns, counts, moments and sums over trees.";

  priorcase::base::set_interrupt_check(interrupted);
  nanobind::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const priorcase::base::Interrupted&) {
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });

  namespace bindings = priorcase::bindings;
  bindings::bind_search(module);
  bindings::bind_bayes(module);
  bindings::bind_concepts(module);
  bindings::bind_reduction(module);
  bindings::bind_votes(module);
  bindings::bind_local(module);
  bindings::bind_relevance(module);
  bindings::bind_cases(module);

  namespace base = priorcase::base;
  module.def("set_interrupt_check", [](nanobind::object check) {
    PyObject* const before = asked_too;
    asked_too = check.release().ptr();
    Py_XDECREF(before);
  }, nanobind::arg("check"),
     "Set a function that long calls run every 50 ms on the calling thread; an exception it raises ends the call.");
  module.def("cpu_paths", [] {
    std::vector<std::string> names;
    for (const base::Path path : base::available_paths()) names.emplace_back(base::name_of(path));
    return names;
  }, "Names of the code paths this CPU can run, slowest first.");
  module.def("cpu_path", [] { return std::string(base::name_of(base::path())); }, "Name of the code path in use.");
  module.def("use_cpu_path", [](const std::string& name) {
    if (!base::use_path(name)) throw nanobind::value_error("this CPU has no such code path");
  }, nanobind::arg("name"), "Switch to another code path; all paths give the same results.");
}
