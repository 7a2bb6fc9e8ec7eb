// SPDX-License-Identifier: GPL-3.0-or-later
// The map of a search: its points as data, and the plot that shows them.
#pragma once

#include "chart/plot_model.h"
#include "workspace/mapping_document.h"

#include <QString>

#include <array>
#include <optional>
#include <vector>

namespace tilewright::ui {

/// A point of the map. A point of a running search has no mapping yet and cannot be loaded.
struct MapPoint
{
    QString name;
    double energy = 0;
    double cycles = 0;
    std::optional<AnyMapping> mapping;

    [[nodiscard]] double edp() const { return energy * cycles; }
    [[nodiscard]] double x() const; ///< log10 of the cycles
    [[nodiscard]] double y() const; ///< log10 of the energy
};

struct SearchMapModel
{
    DensityPtr density; ///< density of all evaluated points; may be null
    std::vector<MapPoint> front;
    std::array<std::optional<MapPoint>, mapping::kObjectives> optima;
    /// Name of each objective's point: "minimum energy", or "least energy found" if an architecture with
    /// levels has no proof.
    std::array<QString, mapping::kObjectives> names;
    /// The current method; nullopt if its factors do not multiply to the layer's size.
    std::optional<MapPoint> current;
    bool currentValid = true;
    std::optional<MapPoint> baseline;
    /// log10 ranges that contain all points.
    double x0 = 0, x1 = 1, y0 = 0, y1 = 1;
    QString title;
    QString headline; ///< "Proven: no method is better"
    std::vector<std::pair<QString, QString>> facts;
    /// Progress of the search: settled share of the space, or used share of the search time.
    double settled = 0;
    QString progress; ///< the progress in words: "42 %", "at most 12 s left"
    bool running = false;
    bool proven = false;
};

[[nodiscard]] SearchMapModel buildSearchMap(const MappingDocument& state, const MappingSearch& search);

/// Returns the optima, the current method and the front as tab-separated rows.
[[nodiscard]] QString searchMapAsText(const SearchMapModel& model);

struct SearchMapPlaces
{
    QRectF map;   ///< area of the plot
    QRectF panel; ///< area of facts and optima; in a narrow view it is below the plot
    QRectF progress;
    QRectF facts;
    /// Rows of the three optima and of the current method; a click on a row loads its method.
    std::array<QRectF, mapping::kObjectives + 1> rows;
};

[[nodiscard]] SearchMapPlaces searchMapPlaces(const QRectF& area, const SearchMapModel& model);

// Ids of the marks: the optima have the number of their objective, then come the baseline and the points of
// the front.
inline constexpr int kBaselineMark = static_cast<int>(mapping::kObjectives);
inline constexpr int kFirstOfFront = kBaselineMark + 1;
[[nodiscard]] PlotModel searchMapPlot(const SearchMapModel& model, const Theme& theme);
[[nodiscard]] const MapPoint* mapPointOf(const SearchMapModel& model, const PlotMark& mark);

void paintSearchPanel(QPainter& painter, const SearchMapModel& model, const SearchMapPlaces& places,
                      const std::optional<MapPoint>& marked, const Theme& theme);

} // namespace tilewright::ui
