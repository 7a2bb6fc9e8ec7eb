// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/change_button.h"

#include "panels/inspector/wrap_button.h"
#include "theme/icon.h"
#include "theme/number.h"
#include "theme/words.h"
#include "workspace/op_names.h"

#include <QCoreApplication>
#include <QEvent>

namespace tilewright::ui {

namespace {

/// Highlights the subgraph of a button in all views while the mouse or the focus is on the button.
class Pointer : public QObject
{
public:
    Pointer(Selection& selection, SubgraphId subgraph, QObject* parent)
        : QObject(parent), m_selection(selection), m_subgraph(subgraph)
    {
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Enter || event->type() == QEvent::FocusIn)
            m_selection.setHover({.op = {}, .tensor = {}, .subgraph = m_subgraph});
        else if (event->type() == QEvent::Leave || event->type() == QEvent::FocusOut ||
                 event->type() == QEvent::Hide)
            m_selection.setHover({});
        return QObject::eventFilter(watched, event);
    }

private:
    Selection& m_selection;
    SubgraphId m_subgraph;
};

} // namespace

QPushButton* changeButton(const ViewContext& context, const Snapshot& snapshot, SubgraphId subgraph,
                          const Suggestion& change, bool best, bool named, QWidget* parent)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("ChangeButton", text); };
    const QString text = sentence(change.text);
    const QString about = tr("Subgraph %1: %2").arg(subgraph.index()).arg(text);
    // A repair shows the total that it leads to: the present state is invalid and has no total to compare
    // with.
    const QString gain = signedNumber(-change.gain);
    const QString effect = change.fixes == 0
                               ? snapshot.evaluation.valid() ? gain : tr("%1 in valid subgraphs").arg(gain)
                           : change.fixes == snapshot.evaluation.issues.size()
                               ? tr("fixes it, total %1").arg(number(change.total))
                               : tr("fixes a problem");
    auto* button = new WrapButton(icon(best ? QStringLiteral("ok") : QStringLiteral("step-forward")), effect,
                                  named ? about : text, parent);
    // The tooltip has the names of the ops: numbers of subgraphs change with every edit, names do not.
    const QString names = fullOpNames(*snapshot.problem, snapshot.schedule[subgraph].ops);
    button->setToolTip(rich(
        tr("<p>Subgraph %1: <b>%2</b></p><p>The new total is %3. A click applies it as one undo step.</p>")
            .arg(QString::number(subgraph.index()), names.toHtmlEscaped(), number(change.total))));
    button->installEventFilter(new Pointer(context.selection, subgraph, button));
    QObject::connect(button, &QPushButton::clicked, &context.document,
                     [&document = context.document, schedule = change.schedule, about] {
                         document.apply(schedule, about);
                     });
    return button;
}

} // namespace tilewright::ui
