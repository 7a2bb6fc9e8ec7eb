// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/report.h"
#include "verbs/workload.h"

#include <functional>
#include <variant>

namespace tilewright::verbs {

/// The options of `map` in their textual form.
struct MapCall
{
    WorkloadCall workload;
    std::optional<mapping::Architecture> architecture; ///< empty: the architecture of the machine
    std::string architectureFile;                      ///< file from which readFiles() reads the architecture
    std::string method;                                ///< file of a method to evaluate instead of searching
    std::string objective = "edp";
    std::vector<std::string> factors; ///< "SPATIAL.M=16"
    std::vector<std::string> bypass;  ///< "I"
    mapping::ModelOptions options;    ///< in addition to the options of the architecture
    double seconds = 0;               ///< 0: 60 for a layer, 600 for a model
    int threads = 0;
    bool quick = false;
    bool exports = false; ///< true if the caller writes files of a layer, which requires a single layer

    /// The option, if any, that only one layer has: "--method".
    [[nodiscard]] std::string oneLayerFor() const;
    /// The workload, which has been read, is searched layer by layer.
    [[nodiscard]] bool ofModel() const;
};
void bindOptions(OptionList& o, MapCall& call);
[[nodiscard]] Status readFiles(MapCall& call);
[[nodiscard]] mapping::Objective objectiveOf(const std::string& name);

/// A layer with what every step needs of it.
struct MapSubject
{
    mapping::Layer layer;
    mapping::LoopNest nest;
    mapping::Architecture architecture;
};
/// A whole model, which is searched layer by layer.
struct MapModel
{
    mapping::Model layers;
    mapping::Architecture architecture;
};
/// What the call means: one layer, or a model. The Error names what does not go together.
[[nodiscard]] Result<std::variant<MapSubject, MapModel>> readMapCall(const MapCall& call);

/// A method of the layer as a file has it, ours or Timeloop's, and what it costs.
struct MethodAnswer
{
    mapping::Method method;
    mapping::MappingCost cost;
    double seconds = 0;             ///< that the evaluation took
    std::vector<std::string> notes; ///< on what the file says otherwise
};
[[nodiscard]] Result<MethodAnswer> evaluateMethod(const MapSubject& subject, const std::string& file);

/// How long a layer and a model are searched by default: long enough for every sample many times over, short
/// enough that a monster comes back.
inline constexpr double kLayerSeconds = 60, kModelSeconds = 600;

/// Settings of the search of a layer, for the command line and the window.
struct LayerSearch
{
    bool quick = false;
    double seconds = kLayerSeconds;
    int threads = 0;
    mapping::Reductions reductions;
};
using MapStatus = std::function<void(const mapping::SearchStatus&)>;
[[nodiscard]] mapping::SearchResult searchLayer(const mapping::LoopNest& nest,
                                                const mapping::Architecture& architecture,
                                                const LayerSearch& search, const std::stop_token& stop,
                                                const MapStatus& status = {});

/// A layer, searched.
struct MapAnswer
{
    mapping::SearchResult result;
    mapping::SearchNotes notes;
};
[[nodiscard]] Result<MapAnswer> mapLayer(const MapSubject& subject, const MapCall& call,
                                         const std::stop_token& stop, const MapStatus& status = {});
/// `onLayer` is told which layer comes next, `onFound` what was found of one.
[[nodiscard]] Result<mapping::ModelResult>
mapModel(const MapModel& model, const MapCall& call, const std::stop_token& stop,
         const MapStatus& status = {}, const std::function<void(std::size_t)>& onLayer = {},
         const std::function<void(const mapping::LayerResult&)>& onFound = {});

} // namespace tilewright::verbs
