// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "chart/plot_canvas.h"
#include "workspace/overlays.h"

#include <QThreadPool>

class QComboBox;
class QListWidget;
class QTableView;

namespace tilewright::ui {

/// Compares values in files with the figures of the open workload (docs/rules/validation.md 5). The view has
/// the list of files; a plot of all rows on two logarithmic axes, whose points select the ops; the figures of
/// the agreement; the rows of a file as a table; and the names without a partner.
class OverlayView : public PlotCanvas
{
    Q_OBJECT
public:
    explicit OverlayView(const ViewContext& context, QWidget* parent = nullptr);
    ~OverlayView() override;

    [[nodiscard]] QSize exportSize() const override { return {1000, 620}; }
    void settle() override
    {
        m_overlays.settle();
        m_job->waitIdle();
    }
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QJsonObject settings() const override { return m_overlays.settings(); }
    void restoreSettings(const QJsonObject& settings) override { m_overlays.restore(settings); }

    /// Fits values of the machine to the times in the chosen file, in the background. It is the same
    /// calculation as in Python and in the tests. Nothing changes before useFitted() or saveFitted().
    void fitMachine();
    /// Makes the fitted machine the machine of the window, as one undo step.
    void useFitted();
    /// Writes the fitted machine to a file. Its fitted values name the overlay file as their origin.
    void saveFitted(const QString& path);
    /// The last fit for the data that is shown; null if there is none.
    [[nodiscard]] const verbs::FitAnswer* fitted() const { return m_fitted ? &*m_fitted : nullptr; }

    /// Position of the point of a row in the plot, in widget coordinates.
    [[nodiscard]] QPointF pointOf(std::size_t file, std::size_t row) const;

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override;
    [[nodiscard]] std::vector<QRectF> plotAreas(const QRectF& area) const override;
    void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;
    void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers) override;
    void contentResized() override;
    void bringUpToDate() override { refresh(); }

private:
    /// A row of a file, identified by the indices of file and row.
    struct Place
    {
        std::size_t file = 0, row = 0;
    };

    struct Outcome
    {
        std::optional<verbs::FitAnswer> fitted;
        QString error;
    };

    void addControls();
    void takeFit(Outcome outcome);
    void dropFit(); ///< discards the fit, because it belongs to another state
    void chooseMachineFile();
    [[nodiscard]] std::vector<std::pair<QString, QString>> figures() const;
    void choose();
    void closeFile();
    void refresh();
    void refreshList();
    void refreshTables();
    void takeTableRow();
    [[nodiscard]] Place placeOf(int id) const;
    [[nodiscard]] int idOf(const Place& place) const;
    /// The file whose rows the table shows; null if there is none.
    [[nodiscard]] const OverlayFile* shownFile() const;
    [[nodiscard]] const overlay::Overlay* shownOverlay() const;
    [[nodiscard]] bool isSelected(const overlay::Overlay& of, std::size_t row) const;
    [[nodiscard]] QRectF sideArea(const QRectF& area) const;
    [[nodiscard]] double listHeight() const;
    [[nodiscard]] double figuresHeight() const;

    Overlays& m_overlays;
    QThreadPool m_pool; ///< a pool of its own, because a fit may take minutes
    std::unique_ptr<LatestJob<Outcome>> m_job;
    std::optional<verbs::FitAnswer> m_fitted;
    QAction* m_close = nullptr;
    QAction* m_fit = nullptr;
    QAction* m_use = nullptr;
    QAction* m_save = nullptr;
    QComboBox* m_lens = nullptr;
    QComboBox* m_figure = nullptr;
    QComboBox* m_shown = nullptr;
    QListWidget* m_list = nullptr;
    TableModel* m_rows = nullptr;
    SortedRows* m_sorted = nullptr;
    QTableView* m_table = nullptr;
    TableModel* m_strangers = nullptr;
    SortedRows* m_sortedStrangers = nullptr;
    QTableView* m_strangerTable = nullptr;
    bool m_updating = false;
};

} // namespace tilewright::ui
