// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/change_button.h"

#include "panels/inspector/wrap_button.h"
#include "theme/icon.h"
#include "theme/number.h"
#include "theme/words.h"

#include <QCoreApplication>

namespace tilewright::ui {

QPushButton* changeButton(const ViewContext& context, const Snapshot& snapshot, SubgraphId subgraph,
                          const Suggestion& change, bool best, bool named, QWidget* parent)
{
    const auto tr = [](const char* text) { return QCoreApplication::translate("ChangeButton", text); };
    const QString text = sentence(change.text);
    const QString about = tr("Subgraph %1: %2").arg(subgraph.index()).arg(text);
    // Where it repairs, the gain compares with a state that cannot run: the total is what it leads to.
    const QString effect = change.fixes == 0 ? signedNumber(-change.gain)
                           : change.fixes == snapshot.evaluation.issues.size()
                               ? tr("fixes it, total %1").arg(number(change.total))
                               : tr("fixes a problem");
    auto* button = new WrapButton(icon(best ? QStringLiteral("ok") : QStringLiteral("step-forward")), effect,
                                  named ? about : text, parent);
    button->setToolTip(rich(tr("<p><b>%1</b>: %2</p><p>The new total is %3. Applies as one undo step.</p>")
                                .arg(effect, text.toHtmlEscaped(), number(change.total))));
    QObject::connect(button, &QPushButton::clicked, &context.document,
                     [&document = context.document, schedule = change.schedule, about] {
                         document.apply(schedule, about);
                     });
    return button;
}

} // namespace tilewright::ui
