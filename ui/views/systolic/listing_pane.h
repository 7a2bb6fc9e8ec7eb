// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "views/systolic/systolic_view.h"

#include <memory>

class QComboBox;
class QLabel;
class QPushButton;
class QTableView;

namespace tilewright::ui {

/// The instruction listing of a program: a row for each command with its times, those at the cursor of the
/// pipeline in bold. It scrolls with that cursor, and can be saved as a file.
class ListingPane : public SystolicPaneOf<View>
{
    Q_OBJECT
public:
    explicit ListingPane(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QString tableText() const override; ///< the commands at the cursor

    [[nodiscard]] QTableView* table() const { return m_view; }
    /// The commands at the cursor, in the order of the program.
    [[nodiscard]] const std::vector<std::uint32_t>& running() const { return m_running; }
    /// Writes the whole listing, as `systolic --listing` prints it. An Error if there is no program.
    [[nodiscard]] Status saveListing(const QString& path) const;

protected:
    void rebuild() override;

private:
    [[nodiscard]] systolic::ProgramStyle style() const;
    [[nodiscard]] const systolic::Program* program() const; ///< null if there is none
    void followCursor();
    void save();

    std::shared_ptr<const PipelineResult> m_result; ///< owns the program and its run
    std::vector<std::uint32_t> m_running;
    TableModel* m_model = nullptr;
    QTableView* m_view = nullptr;
    QComboBox* m_style = nullptr;
    QPushButton* m_save = nullptr;
    QLabel* m_title = nullptr;
    systolic::ProgramStyle m_shown = systolic::ProgramStyle::Pipelined; ///< the program in m_model
};

} // namespace tilewright::ui
