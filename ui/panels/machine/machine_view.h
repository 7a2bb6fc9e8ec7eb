// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/texts.h"

class QComboBox;
class QLabel;
class QScrollArea;
class QTreeWidget;
class QTreeWidgetItem;

namespace tilewright::ui {

/// The machine of all lenses: presets, every value with its unit and origin, and the differences from the
/// preset. A change is one undo step. It recomputes all lenses and keeps the schedule.
class MachineView : public View
{
    Q_OBJECT
public:
    explicit MachineView(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QTreeWidget* list() const { return m_list; }
    [[nodiscard]] QComboBox* presets() const { return m_presets; }
    [[nodiscard]] QString message() const;
    QSize exportSize() const override { return {560, 900}; }
    QString copyText() const override;
    /// Sets the origin of a value, as one undo step.
    void setSource(const std::string& path, const Provenance& source);

Q_SIGNALS:
    void problemsWanted(); ///< requests that the window shows the problems of the schedule on this machine

protected:
    void bringUpToDate() override { refresh(); }
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] const Machine* machine() const;
    /// The preset that has the machine's name, for comparison; empty if there is none.
    [[nodiscard]] std::optional<Machine> base() const;
    void refresh();
    void fillList(const Machine& machine, const std::optional<Machine>& base);
    void fitColumns();
    void nameGroup(QTreeWidgetItem& group, const Machine& machine) const;
    void showState(const Machine& machine, const std::optional<Machine>& base);
    void choosePreset(const QString& name);
    void setField(QTreeWidgetItem* item);
    void resetField(QTreeWidgetItem* item);
    void editSource(QTreeWidgetItem* item);
    void take(const Result<Machine>& machine, const QString& text, const QString& mergeKey = {});
    void openMachine();
    void saveMachine();

    QComboBox* m_presets;
    QLabel* m_state;
    QLabel* m_error;
    QTreeWidget* m_list;
    QLabel* m_problems;
    QLabel* m_notes;
    QScrollArea* m_footer;
    bool m_filling = false;
    std::vector<MachineField> m_shown;
};

} // namespace tilewright::ui
