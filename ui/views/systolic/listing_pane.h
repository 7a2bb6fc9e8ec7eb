// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "systolic/program_replay.h"
#include "views/systolic/systolic_view.h"

#include <memory>

class QComboBox;
class QLabel;
class QPushButton;
class QScrollBar;
class QTableView;

namespace tilewright::ui {

/// A stretch of a program that was run by parts, with the commands at the cursor.
struct ListedStretch
{
    std::shared_ptr<const PipelineResult> of;
    systolic::ProgramStyle style = systolic::ProgramStyle::Pipelined;
    std::vector<systolic::TimedCommand> commands;
    std::optional<std::vector<std::uint32_t>> running; ///< if it was looked for
};

/// The instruction listing of a program: a row for each command with its times, those at the cursor of the
/// pipeline in bold. It scrolls with that cursor, and can be saved as a file. Of a program that was run by
/// parts the table holds a stretch, which is run again in the background; the scroll bar spans the program.
class ListingPane : public SystolicPaneOf<View>
{
    Q_OBJECT
public:
    explicit ListingPane(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QString tableText() const override; ///< the commands at the cursor

    [[nodiscard]] QTableView* table() const { return m_view; }
    /// The scroll bar of a program that was run by parts: its value is the first shown command.
    [[nodiscard]] QScrollBar* scroll() const { return m_scroll; }
    /// Number in the program of the command in a row of table().
    [[nodiscard]] std::uint32_t numberOf(int row) const;
    void settle() override;
    /// The commands at the cursor, in the order of the program.
    [[nodiscard]] const std::vector<std::uint32_t>& running() const { return m_running; }
    /// Writes the whole listing, as `systolic --listing` prints it. An Error if there is no program.
    [[nodiscard]] Status saveListing(const QString& path) const;

protected:
    void rebuild() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] systolic::ProgramStyle style() const;
    [[nodiscard]] const systolic::Program* program() const; ///< null if there is none
    void followCursor();
    void showRunning(); ///< scrolls to the commands at the cursor, if a row has one
    void scrolled(int value);
    /// Asks for the stretch around a command, or around those that run at a time.
    void request(std::optional<std::int64_t> command, std::optional<std::int64_t> time);
    void take(std::shared_ptr<const ListedStretch> stretch);
    void widenColumns();
    [[nodiscard]] bool isLong() const; ///< the program was run by parts
    [[nodiscard]] systolic::TimedCommand commandIn(int row) const;
    [[nodiscard]] int rowOf(std::uint32_t number) const; ///< -1: not in the table
    void save();

    std::shared_ptr<const PipelineResult> m_result; ///< owns the program and its run
    std::shared_ptr<const ListedStretch> m_stretch; ///< null unless isLong()
    std::vector<std::uint32_t> m_running;
    std::unique_ptr<LatestJob<std::shared_ptr<const ListedStretch>>> m_job;
    TableModel* m_model = nullptr;
    QTableView* m_view = nullptr;
    QScrollBar* m_scroll = nullptr;
    QComboBox* m_style = nullptr;
    QPushButton* m_save = nullptr;
    QLabel* m_title = nullptr;
    systolic::ProgramStyle m_shown = systolic::ProgramStyle::Pipelined; ///< the program in m_model
};

} // namespace tilewright::ui
