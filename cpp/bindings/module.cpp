#include <nanobind/stl/string.h>

#include "base/cpu.hpp"
#include "base/threads.hpp"
#include "bindings/checks.hpp"

namespace {

PyObject* asked_too = nullptr;  // a function of Python, which raises where the work of this thread is to end

// Whether the user pressed Ctrl-C, or nobody waits for the answer any more; the error that Python raised, such as
// KeyboardInterrupt, is then set on this thread.
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
  // What a cache of the user still holds when the interpreter ends is no leak worth a screenful of warnings.
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
  }, nanobind::arg("check"), "Call a function every 50 ms within long calls, on their thread; they end by what it raises.");
  module.def("cpu_paths", [] {
    std::vector<std::string> names;
    for (const base::Path path : base::available_paths()) names.emplace_back(base::name_of(path));
    return names;
  }, "Names of the code paths this CPU can run, slowest first.");
  module.def("cpu_path", [] { return std::string(base::name_of(base::path())); }, "Name of the code path in use.");
  module.def("use_cpu_path", [](const std::string& name) {
    if (!base::use_path(name)) throw nanobind::value_error("this CPU has no such code path");
  }, nanobind::arg("name"), "Switch to another code path; the answers stay the same.");
}
