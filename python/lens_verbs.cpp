// SPDX-License-Identifier: GPL-3.0-or-later
#include "interruptible.h"

#include "base/file.h"
#include "mapping/files.h"
#include "verbs/map.h"
#include "verbs/npu.h"
#include "verbs/systolic.h"
#include "verbs/tile.h"

namespace tilewright::python {

namespace {

/// The option as the call has it; one that is not given keeps the call's default.
template <typename T> void take(py::dict& options, const char* name, T& value)
{
    if (!options.contains(name))
        return;
    const py::object given = options[name];
    PyDict_DelItemString(options.ptr(), name);
    if (given.is_none())
        return;
    try {
        value = given.cast<T>();
    } catch (const py::cast_error&) {
        throw py::type_error(std::string(name) + ": has a value of the wrong type, " +
                             py::repr(given).cast<std::string>());
    }
}

/// A file that an option names; empty without.
std::string fileOf(py::dict& options, const char* name)
{
    py::object path = py::none();
    take(options, name, path);
    return path.is_none() ? std::string() : pathOf(path);
}

std::optional<systolic::Hierarchy> hierarchyOf(py::dict& options)
{
    const std::string file = fileOf(options, "hierarchy");
    return file.empty() ? std::optional<systolic::Hierarchy>() : valueOf(systolic::readHierarchy(file));
}

Answer systolicVerb(const py::object& workload, const py::object& machine, const Dimensions& dimensions,
                    py::dict options, const py::object& stop)
{
    verbs::SystolicCall call;
    call.workload = callOf(workload, machine, dimensions);
    call.hierarchy = hierarchyOf(options);
    take(options, "gemm", call.gemm);
    take(options, "layer", call.layer);
    take(options, "array", call.array);
    take(options, "dataflow", call.dataflow);
    take(options, "readout", call.readout);
    take(options, "tile", call.tile);
    take(options, "pipeline", call.pipeline);
    take(options, "bandwidth", call.bandwidth);
    take(options, "schedule", call.schedule);
    take(options, "bank_layout", call.bankLayout);
    take(options, "passes", call.passes);
    take(options, "depth", call.depth);
    take(options, "dram_gb_per_s", call.dramGbPerSecond);
    take(options, "weight_buffers", call.weightBuffers);
    take(options, "seed", call.seed);
    take(options, "fifo_depth", call.supply.depth);
    take(options, "west_rate", call.supply.westPerCycle);
    take(options, "north_rate", call.supply.northPerCycle);
    take(options, "simulate", call.simulate);
    take(options, "compare", call.compare);
    Session session(stop);
    auto json = session.run([&]() -> Result<std::string> {
        if (call.ofNetwork()) {
            const auto answer = verbs::systolicNetwork(call);
            return answer ? Result<std::string>(verbs::systolicJson(*answer)) : answer.error();
        }
        const auto answer = verbs::systolicProduct(call, {session.token(), {}});
        return answer ? Result<std::string>(verbs::systolicJson(*answer)) : answer.error();
    });
    return {valueOf(std::move(json)), session.interrupted()};
}

Answer tileVerb(const py::object& workload, const py::object& machine, const Dimensions& dimensions,
                py::dict options, const py::object& stop)
{
    verbs::TileCall call;
    call.workload = callOf(workload, machine, dimensions);
    call.hierarchy = hierarchyOf(options);
    take(options, "gemm", call.gemm);
    take(options, "layer", call.layer);
    take(options, "array", call.array);
    take(options, "capacity", call.capacity);
    take(options, "element_bytes", call.elementBytes);
    take(options, "footprint", call.footprint);
    take(options, "method", call.method);
    take(options, "level", call.level);
    take(options, "tile", call.tile);
    take(options, "level_buffers", call.levelBuffers);
    take(options, "level_buffering", call.levelBuffering);
    take(options, "buffering", call.buffering);
    Session session(stop);
    auto json = session.run([&]() -> Result<std::string> {
        if (call.ofNetwork()) {
            const auto tiles = verbs::tilesOfNetwork(call);
            return tiles ? Result<std::string>(verbs::tileJson(*tiles)) : tiles.error();
        }
        auto answer = verbs::tileOfProduct(call);
        if (!answer)
            return answer.error();
        verbs::addAdaptive(*answer, {session.token(), {}});
        return verbs::tileJson(*answer);
    });
    return {valueOf(std::move(json)), session.interrupted()};
}

Answer npuVerb(const py::object& workload, const py::object& machine, const Dimensions& dimensions,
               py::dict options, const py::object& stop)
{
    verbs::NpuCall call;
    call.workload = callOf(workload, machine, dimensions);
    if (const std::string hardware = fileOf(options, "hardware"); !hardware.empty())
        call.hardware = valueOf(npu::loadHardware(hardware));
    take(options, "cores", call.cores);
    take(options, "scheduler", call.scheduler);
    take(options, "assignment", call.assignment);
    take(options, "tiles", call.tiles);
    take(options, "weights", call.weights);
    take(options, "scaling", call.scaling);
    take(options, "memory_bound_first", call.memoryBoundFirst);
    Session session(stop);
    const Progress progress{session.token(), {}};
    auto json = session.run([&]() -> Result<std::string> {
        const auto answer = verbs::runNpu(call, progress, progress);
        return answer ? Result<std::string>(verbs::npuJson(*answer)) : answer.error();
    });
    if (!json && session.interrupted())
        Session::raiseInterrupt();
    return {valueOf(std::move(json)), session.interrupted()};
}

Result<std::string> mapJson(const verbs::MapCall& call, const std::string& method,
                            const std::stop_token& stop)
{
    const auto subject = verbs::readMapCall(call);
    if (!subject)
        return subject.error();
    const mapping::Objective objective = verbs::objectiveOf(call.objective);
    if (const auto* model = std::get_if<verbs::MapModel>(&*subject)) {
        const auto result = verbs::mapModel(*model, call, stop);
        return result ? Result<std::string>(mapping::modelReport(*result, objective)) : result.error();
    }
    const auto& layer = std::get<verbs::MapSubject>(*subject);
    if (!method.empty()) {
        const auto answer = verbs::evaluateMethod(layer, method);
        if (!answer)
            return answer.error();
        return mapping::evaluationReport(layer.nest, answer->method, answer->cost, objective,
                                         answer->seconds);
    }
    const auto answer = verbs::mapLayer(layer, call, stop);
    if (!answer)
        return answer.error();
    return mapping::searchReport(layer.nest, layer.architecture, answer->result, objective, answer->notes);
}

Answer mapVerb(const py::object& workload, const py::object& machine, const Dimensions& dimensions,
               py::dict options, const py::object& stop)
{
    verbs::MapCall call;
    call.workload = callOf(workload, machine, dimensions);
    const std::string architecture = fileOf(options, "architecture"), method = fileOf(options, "method");
    if (!architecture.empty())
        call.architecture = valueOf(mapping::readArchitecture(valueOf(readFile(architecture)), architecture));
    take(options, "objective", call.objective);
    if (call.objective != "edp" && call.objective != "energy" && call.objective != "cycles")
        throw BadInput("--objective: expected edp, energy or cycles, got \"" + call.objective + "\"");
    take(options, "factor", call.factors);
    take(options, "bypass", call.bypass);
    take(options, "seconds", call.seconds);
    take(options, "threads", call.threads);
    take(options, "quick", call.quick);
    take(options, "imperfect", call.options.imperfect);
    take(options, "reduction_tree", call.options.reductionTree);
    take(options, "overlapped", call.options.overlapped);
    call.oneLayerFor = !method.empty() ? "--method" : !call.factors.empty() ? "--factor" : "";
    Session session(stop);
    auto json = session.run([&] { return mapJson(call, method, session.token()); });
    return {valueOf(std::move(json)), session.interrupted()};
}

} // namespace

void addLensVerbs(py::module_& m)
{
    for (const auto& [name, verb] :
         {std::pair{"systolic", &systolicVerb}, {"tile", &tileVerb}, {"npu", &npuVerb}, {"map", &mapVerb}})
        m.def(name, verb, py::arg("workload"), py::arg("machine"), py::arg("dim"), py::arg("options"),
              py::arg("stop"));
}

} // namespace tilewright::python
