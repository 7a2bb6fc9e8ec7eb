// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/constraints.h"
#include "mapping/report.h"
#include "verbs/workload.h"

#include <functional>
#include <variant>

namespace tilewright::verbs {

/// The options of `map`, as text.
struct MapCall
{
    WorkloadCall workload;
    std::optional<mapping::Architecture> architecture; ///< empty: the architecture of the machine
    /// An architecture with levels, used instead of `architecture`. Its cost model is that of
    /// docs/rules/hierarchy.md.
    std::optional<hierarchy::Architecture> hierarchy;
    /// "hierarchy": the machine's architecture with levels is used instead of the one with four levels
    /// (docs/rules/hierarchy.md 9).
    std::string costModel = "four-levels";
    std::vector<std::string> levelNotes; ///< assumptions made for `hierarchy`, if it is that of the machine
    std::string architectureFile;        ///< file of an architecture of either kind, for readFiles()
    std::string layer;                   ///< name of one layer of a model, as for productNamed()
    std::string method;                  ///< file of a method or mapping that is evaluated; empty: a search
    std::string objective = "edp";
    std::vector<std::string> factors; ///< constraints such as "SPATIAL.M=16"
    std::vector<std::string> bypass;  ///< operands such as "I"; with levels "buffer.W"
    // Only with levels: the innermost loops of a level ("buffer=K,X"), and the loops of an axis
    // ("buffer.rows=X,K").
    std::vector<std::string> orders, axes;
    /// `hierarchy` before `bypass` and `axes` are applied; set by readFiles().
    std::optional<hierarchy::Architecture> freeHierarchy;
    bool constraintCosts = false;  ///< only with levels: computes what each constraint costs
    std::string constraintsFile;   ///< file of Timeloop constraints for the search
    std::string constraints;       ///< text of `constraintsFile`, read by readFiles()
    mapping::ModelOptions options; ///< in addition to the options of the architecture
    double seconds = 0;            ///< time limit in seconds; 0: 60 for a layer, 600 for a model
    int threads = 0;
    bool quick = false;
    /// True if the caller writes files of a layer, for which the workload must be a single layer.
    bool exports = false;

    /// Returns a given option that applies only to a single layer, such as "--method"; empty if none is
    /// given.
    [[nodiscard]] std::string oneLayerFor() const;
    /// True if `hierarchy` is the one of the machine.
    [[nodiscard]] bool levelsOfMachine() const;
    /// True if `hierarchy` is the one of a mapping document, which may have constraints of its own.
    [[nodiscard]] bool keepsLevelsOfDocument() const;
    /// True if the workload is searched layer by layer. The workload must have been read.
    [[nodiscard]] bool ofModel() const;
};
/// Message about a document whose architecture is replaced.
inline constexpr const char* kOtherArchitecture =
    "the architecture in this file is not used: another one was given";
void bindOptions(OptionList& o, MapCall& call);
[[nodiscard]] Status readFiles(MapCall& call);
[[nodiscard]] mapping::Objective objectiveOf(const std::string& name);

/// Adds the constraints in a file of Timeloop to the factors and the architecture of a search. Returns notes
/// on parts of the file that have no effect. The Error names the first constraint that the lens does not
/// know.
[[nodiscard]] Result<std::vector<std::string>> addConstraints(std::string_view text, const std::string& file,
                                                              const mapping::LoopNest& nest,
                                                              mapping::Architecture& architecture,
                                                              std::vector<std::string>& factors);

/// A layer to search, with its loop nest and the architecture, which has no meaning if MapCall::hierarchy is
/// set.
struct MapSubject
{
    mapping::Layer layer;
    mapping::LoopNest nest;
    mapping::Architecture architecture;
    std::vector<std::string> factors = {};   ///< MapCall::factors, and the factors in the constraints file
    hierarchy::Constraints constraints = {}; ///< constraints of a search with an architecture with levels
};
/// A whole model, which is searched layer by layer.
struct MapModel
{
    mapping::Model layers;
    mapping::Architecture architecture;
    std::vector<std::string> notes = {}; ///< what the lens does not model of the workload and of the machine
};
/// Converts the options to the layer or model to search. The Error names options that exclude each other.
[[nodiscard]] Result<std::variant<MapSubject, MapModel>> readMapCall(const MapCall& call);

/// The method in a file (in the format of this program or of Timeloop), and its cost.
struct MethodAnswer
{
    mapping::Method method;
    mapping::MappingCost cost;
    double seconds = 0;             ///< duration of the evaluation
    std::vector<std::string> notes; ///< differences between the cost and the values in the file
};
[[nodiscard]] Result<MethodAnswer> evaluateMethod(const MapSubject& subject, const std::string& file);

/// Default time limits for a layer and for a model. The searches of all samples end much earlier; the limits
/// end the searches of very large layers.
inline constexpr double kLayerSeconds = 60, kModelSeconds = 600;

/// Settings of the search for a method of one layer, for the command line and the window.
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

/// The result of the search of a layer.
struct MapAnswer
{
    mapping::SearchResult result;
    mapping::SearchNotes notes;
};
[[nodiscard]] Result<MapAnswer> mapLayer(const MapSubject& subject, const MapCall& call,
                                         const std::stop_token& stop, const MapStatus& status = {});
/// Calls `onLayer` before the search of each layer, and `onFound` with its result.
[[nodiscard]] Result<mapping::ModelResult>
mapModel(const MapModel& model, const MapCall& call, const std::stop_token& stop,
         const MapStatus& status = {}, const std::function<void(std::size_t)>& onLayer = {},
         const std::function<void(const mapping::LayerResult&)>& onFound = {});

} // namespace tilewright::verbs
