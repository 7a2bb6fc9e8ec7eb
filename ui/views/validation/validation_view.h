// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "chart/plot_canvas.h"
#include "verbs/fit.h"
#include "workspace/latest_job.h"

#include <QThreadPool>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QProgressBar;
class QTableView;

namespace tilewright::ui {

class NumberBox;

/// Compares measured operators with the predictions of a lens, on the machine of the window or on a preset
/// (docs/rules/validation.md). The view has a plot of all rows on two logarithmic axes, the figures of the
/// agreement, and a table of the rows.
class ValidationView : public PlotCanvas
{
    Q_OBJECT
public:
    explicit ValidationView(const ViewContext& context, QWidget* parent = nullptr);
    ~ValidationView() override;

    [[nodiscard]] QSize exportSize() const override { return {1000, 620}; }
    void settle() override { m_job->waitIdle(); }
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QJsonObject settings() const override;
    void restoreSettings(const QJsonObject& settings) override;

    /// Opens another file of measurements; call predict() to compare it.
    void openMeasurements(const QString& path);
    /// Predicts all rows in the background, by the same calculation as the verb `validate`.
    void predict();
    /// Fits the usual values of the machine to the rows in the background, by the same calculation as the
    /// verb `fit`.
    void fitMachine();
    /// Makes the fitted machine the machine of the window, as one undo step, and selects it in this view.
    /// Then predicts again.
    void useFitted();
    /// The last fit for the rows that are shown; null if there is none.
    [[nodiscard]] const verbs::FitAnswer* fitted() const { return m_fitted ? &*m_fitted : nullptr; }
    [[nodiscard]] bool isRunning() const { return m_job->isBusy(); }
    /// The comparison that is shown; null before the first prediction.
    [[nodiscard]] const validation::Comparison* comparison() const
    {
        return m_comparison ? &*m_comparison : nullptr;
    }
    /// Position of the point of a row in the plot, in widget coordinates.
    [[nodiscard]] QPointF pointOf(std::size_t row) const;

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override;
    [[nodiscard]] std::vector<QRectF> plotAreas(const QRectF& area) const override;
    void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;
    [[nodiscard]] std::optional<int> hoveredMark() const override;
    void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers) override;
    void contentResized() override;

private:
    struct Outcome
    {
        std::optional<validation::Comparison> comparison;
        std::optional<verbs::FitAnswer> fitted;
        QString error;
    };
    /// Runs a validation call in the background: either predictions, or a fit of the machine.
    void start(verbs::FitCall call, bool fit);

    void addControls();
    void choose();
    /// To be called when the choices have changed, so that the comparison does not belong to them any more.
    void changed();
    void take(Outcome outcome);
    void refresh();
    void showProgress(double fraction, const QString& row);
    [[nodiscard]] Machine machine() const;
    [[nodiscard]] verbs::FitCall call() const; ///< the call that the controls describe
    /// Names and texts of the figures beside the plot: those of the agreement and of the fit.
    [[nodiscard]] std::vector<std::pair<QString, QString>> figures() const;
    [[nodiscard]] QRectF sideArea(const QRectF& area) const;
    [[nodiscard]] double figuresHeight() const;
    [[nodiscard]] std::optional<std::size_t> chosenRow() const;

    QThreadPool m_pool; ///< a pool of its own, because a set of measurements may take minutes
    std::unique_ptr<LatestJob<Outcome>> m_job;
    std::optional<validation::Comparison> m_comparison;
    std::optional<verbs::FitAnswer> m_fitted;
    Machine m_predicted; ///< machine of the comparison, or of the job in the background
    QString m_error, m_file;
    QAction* m_start = nullptr;
    QAction* m_fit = nullptr;
    QAction* m_use = nullptr;
    QComboBox* m_machine = nullptr;
    QComboBox* m_lens = nullptr;
    QLineEdit* m_measured = nullptr;
    QLineEdit* m_where = nullptr;
    QComboBox* m_operator = nullptr;
    NumberBox* m_bits = nullptr;
    NumberBox* m_cores = nullptr;
    QCheckBox* m_launch = nullptr;
    QCheckBox* m_tiles = nullptr;
    QProgressBar* m_progress = nullptr;
    TableModel* m_rows = nullptr;
    SortedRows* m_sorted = nullptr; ///< the rows of m_rows in the shown order
    QTableView* m_table = nullptr;
};

} // namespace tilewright::ui
