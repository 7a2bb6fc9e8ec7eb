// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "lower/floor.h"

#include <array>
#include <optional>
#include <vector>

class QToolButton;

namespace tilewright::ui {

class StatusText;

/// The headline of the window. Its fields: name of the workload; total latency with unit, machine and
/// seconds; rate and share of the peak; multiple of the floor; total on the array; makespan on the NPU;
/// energy; change of the last edit; lower bound and gap; peak working set; validity; rule set.
class StatusStrip : public QWidget
{
    Q_OBJECT
public:
    explicit StatusStrip(const ViewContext& context, QWidget* parent = nullptr);

    /// Small, so that the window can be narrow. Fields that do not fit are shortened or moved to a menu, the
    /// least important ones first.
    [[nodiscard]] QSize minimumSizeHint() const override { return {120, sizeHint().height()}; }
    [[nodiscard]] QSize sizeHint() const override;

    /// Label with the duration of the last evaluation, which is placed elsewhere in the window.
    [[nodiscard]] QWidget* evaluationTime() const;

Q_SIGNALS:
    void gapClicked();
    void floorClicked();
    void rulesClicked();
    void validityClicked();

protected:
    bool event(QEvent* event) override;

private:
    void refresh();
    void refreshUnit();
    void refreshFloor(const Snapshot* shown, bool valid);
    void refreshNpu();
    void refreshArray(const Snapshot* shown, bool valid);
    void fitRow();
    void fillMenu();
    [[nodiscard]] std::array<QWidget*, 15> row() const; ///< all fields from left to right

    /// The long and the short text of a field that is shortened if the row is narrow.
    struct Wording
    {
        QString whole, brief;
    };

    ViewContext m_context;
    StatusText* m_name;
    StatusText* m_total;
    StatusText* m_unit;
    StatusText* m_seconds;
    StatusText* m_rate;
    QToolButton* m_floor;
    lower::ModelOnMachinePtr m_floorModel;  ///< the model to which m_floorOf belongs
    lower::ModelOnMachinePtr m_launchModel; ///< the model to which m_launches belongs
    double m_launches = 0;                  ///< time for launching the operators of m_launchModel, in seconds
    std::optional<lower::Floor> m_floorOf;  ///< floor of m_floorModel on one core (R19)
    StatusText* m_array;
    StatusText* m_npu;
    StatusText* m_energy;
    StatusText* m_change;
    StatusText* m_against;
    QToolButton* m_gap;
    StatusText* m_peak;
    QToolButton* m_validity;
    std::optional<bool> m_showsValid; ///< the validity that the icon of m_validity shows
    QToolButton* m_rules;
    QToolButton* m_more;            ///< button whose menu has the fields that do not fit
    std::vector<QWidget*> m_inMenu; ///< fields that the row does not show, or shows shortened
    Wording m_gapText, m_peakText;
    StatusText* m_time;
};

} // namespace tilewright::ui
