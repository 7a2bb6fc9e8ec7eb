// SPDX-License-Identifier: GPL-3.0-or-later
// Overlays: files of values beside the figures of the open workload (docs/rules/validation.md 5).
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

/// An overlay: a file of values that the user has opened.
struct OverlayFile
{
    QString path;
    bool isOn = true;
    overlay::NamedValues values;              ///< values of the file; empty if there is an error
    QString error;                            ///< reason why the file or its column cannot be used
    std::optional<overlay::Overlay> compared; ///< values beside the figures of the current state
};

/// The overlays of a workspace. They are not a document and have no undo steps. They belong to the open
/// workload: opening another workload closes them, and its session opens them again. The values are compared
/// with the figures of the Schedule lens for the current schedule, or with those of another lens. The figures
/// follow every edit.
class Overlays : public QObject
{
    Q_OBJECT
public:
    /// Returns the overlays of a workspace, which owns them.
    [[nodiscard]] static Overlays& of(Workspace& workspace);

    /// Opens a file, or reads it again. If it cannot be read, nothing is opened and the Error has the reason.
    [[nodiscard]] Status open(const QString& path);
    void close(std::size_t at);
    void setOn(std::size_t at, bool on);
    [[nodiscard]] const std::vector<OverlayFile>& files() const { return m_files; }

    void setLens(verbs::SummaryKind lens);
    /// nullopt: the figure follows from the unit of the values
    void setFigure(std::optional<overlay::Figure> figure);
    /// Sets the form in which graph and chart show the values.
    void setShown(overlay::Shown shown);
    [[nodiscard]] verbs::SummaryKind lens() const { return m_lens; }
    [[nodiscard]] std::optional<overlay::Figure> figure() const { return m_figure; }
    [[nodiscard]] overlay::Shown shown() const { return m_shown; }

    /// The first file that is switched on and has a row; null if there is none.
    [[nodiscard]] const OverlayFile* first() const;
    /// The value from first() that is shown for each op of the open problem; empty without an overlay.
    [[nodiscard]] std::vector<std::optional<double>> valuesOfOps() const;
    [[nodiscard]] OpValuesPtr opColours() const; ///< valuesOfOps() in the form that colours the graph
    /// Returns the ops of a row.
    [[nodiscard]] std::vector<OpId> opsOf(const overlay::Overlay& of, std::size_t row) const;
    /// The current state, for which the lens computes its figures. Its model is null if there is no model.
    [[nodiscard]] verbs::SummarySubject subject() const;
    /// Reason why the lens has no figures; empty if it has.
    [[nodiscard]] const QString& refusal() const { return m_refusal; }
    [[nodiscard]] bool isBusy() const { return m_job.isBusy(); }
    void settle() { m_job.waitIdle(); } ///< waits for the figures of the lens

    [[nodiscard]] QJsonObject settings() const;
    void restore(const QJsonObject& settings);

Q_SIGNALS:
    void changed(); ///< emitted when files(), the figures or the way of showing them has changed

private:
    struct Figures
    {
        lower::ModelOnMachinePtr model;
        std::vector<overlay::OurFigures> ours;
        QString refusal;
    };
    explicit Overlays(Workspace& workspace);

    void request(); ///< requests the figures of the current state
    void take(Figures figures);
    void compare();

    Workspace& m_workspace;
    QString m_problemPath; ///< path of the workload to which the files belong
    std::vector<OverlayFile> m_files;
    verbs::SummaryKind m_lens = verbs::SummaryKind::Schedule;
    std::optional<overlay::Figure> m_figure;
    overlay::Shown m_shown = overlay::Shown::Ratio;
    Figures m_figures;
    QString m_refusal;
    LatestJob<Figures> m_job;
};

/// Text of a value in the form that is shown: "× 0.42", "−12.5".
[[nodiscard]] QString shownText(double value, overlay::Shown shown);
/// Heading of the form that is shown: "Measured", "Ours less measured", "Ours ÷ measured".
[[nodiscard]] QString shownTitle(overlay::Shown shown);

} // namespace tilewright::ui
