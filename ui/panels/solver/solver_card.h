// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/solver/solver_lists.h"

class QBoxLayout;
class QLabel;
class QPushButton;
class QTabWidget;

namespace tilewright::ui {

class ControlBar;
class SolverLimits;

/// The result of a run: figures, actions, changes, alternatives and limiting resources.
class SolverCard : public QWidget
{
    Q_OBJECT
public:
    enum class State { Offered, Kept, Applied };

    SolverCard(const ViewContext& context, QWidget* parent);
    void setOutcome(SolverOutcomePtr outcome); ///< null: shows nothing
    void setState(State state);
    void settle();

    [[nodiscard]] const SolverOutcomePtr& outcome() const { return m_outcome; }
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] QPushButton* applyButton() const { return m_apply; }
    [[nodiscard]] QTabWidget* tabs() const { return m_tabs; }
    [[nodiscard]] SolverChanges* changes() const { return m_changes; }
    [[nodiscard]] SolverAlternatives* alternatives() const { return m_alternatives; }
    [[nodiscard]] SolverLimits* limits() const { return m_limits; }
    [[nodiscard]] const QList<QLabel*>& facts() const { return m_facts; }
    [[nodiscard]] QLabel* note() const { return m_note; }

Q_SIGNALS:
    void applyClicked();
    void keepClicked();
    void compareClicked();
    void discardClicked();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    enum Fact { Before, After, Change, Gap, Time, Evaluations, FactCount };
    void refresh();
    void setFact(Fact fact, const QString& caption, const QString& value, const QString& tip,
                 const QColor& colour);

    ViewContext m_context;
    SolverOutcomePtr m_outcome;
    State m_state = State::Offered;
    QBoxLayout* m_halves;
    ControlBar* m_figures;
    QList<QLabel*> m_facts;
    QLabel* m_note;
    ControlBar* m_buttons;
    QPushButton* m_apply;
    QPushButton* m_keep;
    QPushButton* m_compare;
    QPushButton* m_discard;
    QTabWidget* m_tabs;
    SolverChanges* m_changes;
    SolverAlternatives* m_alternatives;
    SolverLimits* m_limits;
};

} // namespace tilewright::ui
