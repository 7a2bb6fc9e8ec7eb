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

/// A stretch of a program that was run in parts, and the commands that run at the cursor.
struct ListedStretch
{
    std::shared_ptr<const PipelineResult> of;
    systolic::ProgramStyle style = systolic::ProgramStyle::Pipelined;
    std::vector<systolic::TimedCommand> commands;
    /// Commands at the cursor; nullopt if these were not requested.
    std::optional<std::vector<std::uint32_t>> running;
};

/// The instruction listing of a program, with one row per command and its times. The commands at the cursor
/// of the pipeline are bold; the listing scrolls with the cursor and can be saved as a file. For a program
/// that was run in parts the table holds a stretch, which is run again in the background, and the scroll bar
/// spans the whole program.
class ListingPane : public SystolicPaneOf<View>
{
    Q_OBJECT
public:
    explicit ListingPane(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QString tableText() const override; ///< text of the commands at the cursor

    [[nodiscard]] QTableView* table() const { return m_view; }
    /// The scroll bar for a program that was run in parts. Its value is the number of the first shown
    /// command.
    [[nodiscard]] QScrollBar* scroll() const { return m_scroll; }
    /// Returns the number in the program of the command in a row of table().
    [[nodiscard]] std::uint32_t numberOf(int row) const;
    void settle() override;
    /// The numbers of the commands at the cursor, in the order of the program.
    [[nodiscard]] const std::vector<std::uint32_t>& running() const { return m_running; }
    /// Writes the whole listing in the format of `systolic --listing`. Returns an Error if there is no
    /// program.
    [[nodiscard]] Status saveListing(const QString& path) const;

protected:
    void rebuild() override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    [[nodiscard]] systolic::ProgramStyle style() const;
    /// The program that is shown; null if there is none.
    [[nodiscard]] const systolic::Program* program() const;
    void followCursor();
    void showRunning(); ///< scrolls to the commands at the cursor if the table has them
    void scrolled(int value);
    /// Requests the stretch around a command, or around the commands that run at a time.
    void request(std::optional<std::int64_t> command, std::optional<std::int64_t> time);
    void take(std::shared_ptr<const ListedStretch> stretch);
    void widenColumns();
    [[nodiscard]] bool isLong() const; ///< true if the program was run in parts
    [[nodiscard]] systolic::TimedCommand commandIn(int row) const;
    [[nodiscard]] int rowOf(std::uint32_t number) const; ///< row of a command; -1 if it is not in the table
    void save();

    std::shared_ptr<const PipelineResult> m_result; ///< the result that owns the shown program and its run
    std::shared_ptr<const ListedStretch> m_stretch; ///< null unless isLong()
    std::vector<std::uint32_t> m_running;
    std::unique_ptr<LatestJob<std::shared_ptr<const ListedStretch>>> m_job;
    TableModel* m_model = nullptr;
    QTableView* m_view = nullptr;
    QScrollBar* m_scroll = nullptr;
    QComboBox* m_style = nullptr;
    QPushButton* m_save = nullptr;
    QLabel* m_title = nullptr;
    /// Style of the program that is in m_model.
    systolic::ProgramStyle m_shown = systolic::ProgramStyle::Pipelined;
};

} // namespace tilewright::ui
