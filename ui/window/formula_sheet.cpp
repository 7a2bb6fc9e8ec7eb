// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/formula_sheet.h"

#include "workspace/actions.h"

#include <QDialogButtonBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace tilewright::ui {

namespace {

struct Formula
{
    QString what, formula, rule;
};
struct Chapter
{
    QString title;
    std::vector<Formula> formulas;
};

std::vector<Chapter> chapters()
{
    const auto t = [](const char* text) { return FormulaSheet::tr(text); };
    return {{t("Tiles and steps"),
             {{t("Grid of a subgraph"),
               t("rows = ⌈H / h⌉, columns = ⌈W / w⌉; the largest grid of its outputs counts"),
               QStringLiteral("R5.1")},
              {t("Steps of a tile"), t("⌈K / k⌉ of the MatMul that computes the output; 1 if there is none"),
               QStringLiteral("R5.4, R5.5")},
              {t("Limits"), t("w ≤ native width, h ≤ native height, k ≤ native depth and k ≤ K"),
               QStringLiteral("R4.1–R4.3")},
              {t("Pointwise before a MatMul"), t("left operand: w ≥ K; right operand: h ≥ K"),
               QStringLiteral("R4.7")}}},
            {t("What a step moves"),
             {{t("Loads"), t("every slice that the step reads and the previous step did not have"),
               QStringLiteral("R7.1, R7.2")},
              {t("Not loaded"), t("tensors that the previous subgraph retained, and interior tensors"),
               QStringLiteral("R7.3, R6.5")},
              {t("Stores"), t("each output tile in its last step, unless the output is retained"),
               QStringLiteral("R7.4")},
              {t("Memory time"), t("(loaded + stored elements) / bandwidth"), QStringLiteral("R7.5")}}},
            {t("What a step computes"),
             {{t("MatMul"),
               t("base cost × length of the k range / K, independent of the tile's width and height"),
               QStringLiteral("R8")},
              {t("Pointwise"), t("base cost, once per tile"), QStringLiteral("R8")},
              {t("Extent from a k range"), t("× extent / native size"), QStringLiteral("R8")},
              {t("Repeated work"), t("a run that is identical to one of an earlier step costs no compute"),
               QStringLiteral("R8.1")}}},
            {t("What it costs"),
             {{t("Step"), t("max(compute time, memory time)"), QStringLiteral("R10.1")},
              {t("Subgraph, schedule"), t("sum of the steps of the subgraph; sum of all subgraphs"),
               QStringLiteral("R10.1")}}},
            {t("What must fit"),
             {{t("Working set of a step"),
               t("resident and retained tensors in full + slices in use + output tiles + accumulators behind "
                 "a pointwise output ≤ capacity"),
               QStringLiteral("R9.1")},
              {t("Interior tensors"), t("need no memory"), QStringLiteral("R9.2")}}}};
}

} // namespace

FormulaSheet::FormulaSheet(const Actions& keys, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Formula sheet"));
    QString html;
    for (const Chapter& chapter : chapters()) {
        html += QStringLiteral("<h3>%1</h3><table width='100%' cellpadding='4'>").arg(chapter.title);
        for (const Formula& f : chapter.formulas)
            html +=
                QStringLiteral("<tr><td width='26%'><b>%1</b></td><td>%2</td><td width='16%'>%3</td></tr>")
                    .arg(f.what, f.formula, f.rule);
        html += QStringLiteral("</table>");
    }
    html += keys.withKeys(
        tr("<p>These are the default rules. The Rules view ({view.dock.rules|Alt+Shift+0}) changes "
           "single ones. Numbers such as R7.2 refer to docs/rules/schedule.md.</p>"));
    auto* text = new QTextBrowser(this);
    text->setAccessibleName(windowTitle());
    text->setHtml(html);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(text, 1);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 40);
}

} // namespace tilewright::ui
