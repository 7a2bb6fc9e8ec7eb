// SPDX-License-Identifier: GPL-3.0-or-later
// Files of values beside the figures of the open workload (docs/rules/validation.md 5).
#pragma once

#include "overlay/overlay.h"
#include "verbs/overlay.h"
#include "workspace/latest_job.h"
#include "workspace/op_colours.h"
#include "workspace/workspace.h"

#include <QJsonObject>
#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace tilewright::ui {

/// A file of values that the user opened.
struct OverlayFile
{
    QString path;
    bool isOn = true;
    overlay::NamedValues values;              ///< empty if there is an error
    QString error;                            ///< why the file or its column cannot be used
    std::optional<overlay::Overlay> compared; ///< with the figures of the present state
};

/// The overlays of a workspace, one object for each workspace. They are no document: nothing of them is an
/// undo step. They belong to the open workload: opening another one closes them, and its session brings them
/// back. The figures of ours are those of the Schedule lens for the schedule as it stands, or of
/// another lens; they follow every edit.
class Overlays : public QObject
{
    Q_OBJECT
public:
    /// The overlays of the workspace, which owns them.
    [[nodiscard]] static Overlays& of(Workspace& workspace);

    /// Opens a file, or reads it again. The Error says why it cannot be read; then nothing is opened.
    [[nodiscard]] Status open(const QString& path);
    void close(std::size_t at);
    void setOn(std::size_t at, bool on);
    [[nodiscard]] const std::vector<OverlayFile>& files() const { return m_files; }

    void setLens(verbs::SummaryKind lens);
    void setFigure(std::optional<overlay::Figure> figure); ///< nullopt: by the unit of the values
    /// The form in which the graph and the chart show the values.
    void setShown(overlay::Shown shown);
    [[nodiscard]] verbs::SummaryKind lens() const { return m_lens; }
    [[nodiscard]] std::optional<overlay::Figure> figure() const { return m_figure; }
    [[nodiscard]] overlay::Shown shown() const { return m_shown; }

    /// The first file that is on and has a row; null: there is none.
    [[nodiscard]] const OverlayFile* first() const;
    /// The value shown for each op of the open problem in first(); empty without an overlay.
    [[nodiscard]] std::vector<std::optional<double>> valuesOfOps() const;
    [[nodiscard]] OpValuesPtr opColours() const; ///< valuesOfOps() as colours of the graph
    /// The ops of a row.
    [[nodiscard]] std::vector<OpId> opsOf(const overlay::Overlay& of, std::size_t row) const;
    /// The present state, from which the lens states its figures; its model is null without one.
    [[nodiscard]] verbs::SummarySubject subject() const;
    /// Why the lens states nothing; empty if it does.
    [[nodiscard]] const QString& refusal() const { return m_refusal; }
    [[nodiscard]] bool isBusy() const { return m_job.isBusy(); }
    void settle() { m_job.waitIdle(); } ///< waits for the figures of the lens

    [[nodiscard]] QJsonObject settings() const;
    void restore(const QJsonObject& settings);

Q_SIGNALS:
    void changed(); ///< files(), what they are compared with, or what is shown has changed

private:
    struct Figures
    {
        lower::ModelOnMachinePtr model;
        std::vector<overlay::OurFigures> ours;
        QString refusal;
    };
    explicit Overlays(Workspace& workspace);

    void request(); ///< the figures of the present state
    void take(Figures figures);
    void compare();

    Workspace& m_workspace;
    QString m_problemPath; ///< path of the workload that the files belong to
    std::vector<OverlayFile> m_files;
    verbs::SummaryKind m_lens = verbs::SummaryKind::Schedule;
    std::optional<overlay::Figure> m_figure;
    overlay::Shown m_shown = overlay::Shown::Ratio;
    Figures m_figures;
    QString m_refusal;
    LatestJob<Figures> m_job;
};

/// Text of a value: "× 0.42", "−12.5".
[[nodiscard]] QString shownText(double value, overlay::Shown shown);
/// Heading of what is shown: "Measured", "Ours less measured", "Ours ÷ measured".
[[nodiscard]] QString shownTitle(overlay::Shown shown);

} // namespace tilewright::ui
