// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "workspace/systolic_document.h"

class QTabWidget;

namespace tilewright::ui {

class SettingsPanel;
class Canvas;

/// The Systolic lens: settings beside the panes (wavefront, pipeline, tile search, memories).
class SystolicView : public View
{
    Q_OBJECT
public:
    explicit SystolicView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override;
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    [[nodiscard]] std::vector<PicturePart> partsIn(const QSize& size) override;
    [[nodiscard]] QString copyText() const override;

    [[nodiscard]] SystolicDocument& state() const { return *m_state; }
    [[nodiscard]] Canvas* pane(const QString& name) const;
    void showPane(const QString& name);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] Canvas* current() const;

    SystolicDocument* m_state;
    SettingsPanel* m_settings = nullptr;
    QTabWidget* m_tabs = nullptr;
};

} // namespace tilewright::ui
