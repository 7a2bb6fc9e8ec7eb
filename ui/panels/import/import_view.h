// SPDX-License-Identifier: GPL-3.0-or-later
// The Import panel: coverage, operators by type, all operators.
#pragma once

#include "base/table.h"
#include "canvas/table_model.h"
#include "canvas/view.h"
#include "lower/lowered.h"

#include <QStringList>

class QComboBox;
class QLabel;
class QLineEdit;
class QSpinBox;
class QTabWidget;
class QTableView;

namespace tilewright::ui {

/// Coverage of a model: mapped, approximated and dropped shares of its multiply-accumulates.
class CoverageBar : public QWidget
{
    Q_OBJECT
public:
    explicit CoverageBar(const ThemeSource& themes, QWidget* parent = nullptr);

    void setCoverage(const lower::Coverage& coverage, std::int64_t macs);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Part
    {
        QString name;
        double share = 0; ///< share of the bar
        QString figure;   ///< share as text, or a text that says that it is not known
        QColor colour;
        bool hatched = false;
    };
    [[nodiscard]] std::array<Part, 3> parts() const;

    const ThemeSource& m_themes;
    lower::Coverage m_coverage;
    std::int64_t m_macs = 0;
};

/// Returns the name of a status: "mapped", "approximated" and so on.
[[nodiscard]] QString statusText(lower::NodeStatus status);

/// One row per operator of a model, with its status.
struct OperatorTable : Table
{
    enum Column { Name, Type, Status, Macs, Bytes, Note };
    explicit OperatorTable(const std::vector<lower::NodeReport>& nodes);
};

/// One row per type of operator.
struct TypeTable : Table
{
    enum Column { Type, Nodes, Macs, Share, Bytes, Became };
    /// `macs`: multiply-accumulates of the whole model.
    TypeTable(const std::vector<lower::TypeReport>& types, std::int64_t macs);
};

class LanguageForm;

/// Shows how the open model was lowered: its coverage, a table by operator type and a table by operator.
/// Selecting a row selects its ops in every lens, and selecting ops selects their row.
class ImportView : public View
{
    Q_OBJECT
public:
    explicit ImportView(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QTableView* operators() const { return m_operators; }
    [[nodiscard]] QTableView* types() const { return m_types; }
    [[nodiscard]] QLineEdit* search() const { return m_search; }
    [[nodiscard]] QComboBox* filter() const { return m_filter; }
    QSize exportSize() const override;
    QString copyText() const override;

protected:
    void bringUpToDate() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;

private:
    void refresh();
    /// Shows the notes. In a low pane they take one line and have a tooltip, so that the table gets the
    /// space.
    void showNotes();
    void filterRows();
    void selectRow(int row); ///< selects a row of the operator table
    void showSelected();
    void showType(const QString& type);

    void fillForm();
    void takeForm();
    void tell(const QString& why); ///< shows why a change was refused; an empty text hides the message
    /// Returns the operator of the model that row `row` shows.
    [[nodiscard]] std::optional<OperatorId> operatorOf(std::size_t row) const;

    lower::ModelOnMachinePtr m_shown;
    QWidget* m_form; ///< fields for the free dimensions of the model
    std::vector<std::pair<std::string, QSpinBox*>> m_sizes;
    LanguageForm* m_language;
    QLabel* m_refused;
    QLabel* m_summary;
    CoverageBar* m_coverage;
    QComboBox* m_filter;
    QLineEdit* m_search;
    QTabWidget* m_tabs;
    QTableView *m_operators, *m_types;
    TableModel *m_table, *m_typeTable;
    SortedRows* m_rows; ///< the visible rows of m_table
    std::vector<lower::NodeReport> m_nodes;
    QLabel* m_notes;
    QStringList m_noteTexts;
    QString m_lensNote; ///< text on the coverage by every lens
    /// true while the view selects the row because the selection in the window changed
    bool m_following = false;
};

} // namespace tilewright::ui
