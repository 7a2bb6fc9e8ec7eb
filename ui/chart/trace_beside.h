// SPDX-License-Identifier: GPL-3.0-or-later
// A trace of another program beside the run that a chart shows (docs/rules/validation.md 6).
#pragma once

#include "canvas/table_model.h"
#include "chart/lane.h"
#include "overlay/trace.h"
#include "workspace/latest_job.h"

#include <QJsonObject>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

class QTableView;

namespace tilewright::ui {

class ControlBar;
class DecimalBox;
class WrappedLabel;

/// The run that a chart shows, as the trace that the command line writes of it.
struct OurTrace
{
    std::shared_ptr<const void> of;    ///< the run; null if there is none
    std::function<std::string()> text; ///< called in the background
};

/// A file of trace events below the lanes of a chart: reads and matches it in the background, makes its
/// lanes, and shows where it is on the axis and what differs most. The figures are those of the verb traces.
class TraceBeside : public QWidget
{
    Q_OBJECT
public:
    /// `name`: of the view, in front of the names of the fields.
    TraceBeside(const QString& name, QWidget* parent);

    /// Opens a file in place of the present one, fitted. It is read in the background.
    void open(const QString& path);
    void remove();
    [[nodiscard]] bool isOpen() const { return !m_path.isEmpty(); }
    /// Compares with this run, unless that is done already.
    void follow(OurTrace ours);
    void settle() { m_job.waitIdle(); }

    /// Null while there is none.
    [[nodiscard]] const overlay::TraceComparison* comparison() const
    {
        return m_shown ? &m_shown->comparison : nullptr;
    }
    /// Adds the lanes of the file to those of a chart.
    void addTo(LaneModel& lanes) const;
    /// Moves the lanes while they are dragged: by so much from where they are.
    void setShift(double shift);
    [[nodiscard]] double shift() const { return m_shown ? m_shown->shift : 0; }
    /// Puts the file where it was dragged.
    void takeShift();
    /// Selects the pair of a slice of the file in the list.
    void choose(std::size_t slice);
    /// The slice of a hit in the lanes of the file, of which the heading has the index `first`.
    [[nodiscard]] std::optional<std::size_t> sliceOf(const LaneModel& lanes, std::size_t first,
                                                     const LaneHit& hit) const;

    [[nodiscard]] QJsonObject settings() const;
    void restore(const QJsonObject& settings);

Q_SIGNALS:
    void changed();                          ///< there are other lanes, or none
    void wantsRange(double from, double to); ///< a pair was chosen in the list
    void refused(const QString& why);        ///< the file was not read: names file, event and field

private:
    /// What the lanes show.
    struct Shown
    {
        overlay::TraceComparison comparison;
        std::vector<overlay::TrackRows> tracks;     ///< tracks of the file
        std::vector<overlay::SlicePartner> partner; ///< partner of each slice of the file
        double shift = 0;

        [[nodiscard]] double start(std::size_t slice) const { return comparison.startOf(slice) + shift; }
        [[nodiscard]] double end(std::size_t slice) const
        {
            return start(slice) + comparison.lengthOf(slice);
        }
    };
    using ShownPtr = std::shared_ptr<Shown>;
    using TracePtr = std::shared_ptr<const overlay::Trace>;
    struct Outcome
    {
        TracePtr file; ///< null: it could not be read
        ShownPtr shown;
        QString error;
    };

    void addFields(const QString& name);
    void request();
    void take(Outcome outcome);
    void put(double scale, std::optional<double> offset);
    void showTexts();
    void takeRow();
    [[nodiscard]] static QString factsOf(const Shown& shown, std::size_t slice);
    [[nodiscard]] static MarkRow rowOf(const ShownPtr& shown, std::size_t track, std::size_t row);

    QString m_path;  ///< empty if no file is open
    TracePtr m_file; ///< null until it is read
    OurTrace m_ours;
    double m_scale = 1;
    std::optional<double> m_offset; ///< nullopt: fitted
    ShownPtr m_shown;
    LatestJob<Outcome> m_job;
    ControlBar* m_bar = nullptr;
    DecimalBox* m_scaleBox = nullptr;
    DecimalBox* m_offsetBox = nullptr;
    WrappedLabel* m_text = nullptr;
    TableModel* m_pairs = nullptr;
    SortedRows* m_sortedPairs = nullptr;
    QTableView* m_pairTable = nullptr;
    TableModel* m_tracks = nullptr;
    SortedRows* m_sortedTracks = nullptr;
    QTableView* m_trackTable = nullptr;
    bool m_updating = false;
};

} // namespace tilewright::ui
