// SPDX-License-Identifier: GPL-3.0-or-later
// The Systolic lens, and the base class of its panes.
#pragma once

#include "canvas/control_bar.h"
#include "canvas/view.h"
#include "workspace/systolic_document.h"

#include <QComboBox>

class QSplitter;
class QTabWidget;
class QToolButton;

namespace tilewright::ui {

/// Base class of the panes of the Systolic lens. All panes share the document. A pane rebuilds its model only
/// while it is visible or exported. `Base`: class that paints.
template <typename Base> class SystolicPaneOf : public Base
{
public:
    template <typename... More>
    SystolicPaneOf(const ViewContext& context, QString name, QString title, More&&... more)
        : Base(context, std::move(name), std::move(title), std::forward<More>(more)...),
          m_state(&context.workspace.systolic())
    {
        QObject::connect(m_state, &SystolicDocument::changed, this, [this] { outdated(); });
    }

    void settle() override
    {
        m_outdated = true;
        ensureFresh();
        m_state->waitIdle();
        m_outdated = true;
        ensureFresh();
        Base::settle();
    }
    [[nodiscard]] SystolicDocument& state() const { return *m_state; }

protected:
    /// Requests results from the document, and rebuilds the model from the results that are available.
    virtual void rebuild() = 0;
    /// Marks the model as outdated, and rebuilds it at once if the pane is visible.
    void outdated()
    {
        m_outdated = true;
        if (this->isVisible())
            ensureFresh();
    }
    /// Rebuilds the model if it is outdated.
    void ensureFresh()
    {
        if (!std::exchange(m_outdated, false))
            return;
        rebuild();
        for (const auto& [box, shown] : m_settings)
            box->setCurrentIndex(shown(m_state->settings()));
        this->update();
    }
    void showEvent(QShowEvent* event) override
    {
        Base::showEvent(event);
        ensureFresh();
    }
    /// Adds a command of the pane with a button in its bar.
    QAction* addCommand(const char* id, const QString& text, const QString& iconName,
                        const QList<QKeySequence>& keys, const QString& tip, const std::function<void()>& run)
    {
        return this->addBarCommand(QStringLiteral("systolic.") + QLatin1String(id), text, iconName, keys, tip,
                                   run);
    }

    /// Adds a combo box to the bar for a setting of the lens.
    void addSetting(const QString& label, const QStringList& choices, const QString& tip,
                    int (*shown)(const SystolicSettings&), void (*chosen)(SystolicSettings&, int))
    {
        QComboBox* box = this->bar().addChoice(label, choices, tip);
        QObject::connect(box, &QComboBox::activated, this, [this, chosen](int i) {
            SystolicSettings next = m_state->settings();
            chosen(next, i);
            m_state->set(next);
        });
        m_settings.emplace_back(box, shown);
    }

private:
    SystolicDocument* m_state;
    std::vector<std::pair<QComboBox*, int (*)(const SystolicSettings&)>> m_settings;
    bool m_outdated = true;
};

using SystolicPane = SystolicPaneOf<ToolCanvas>;

class SettingsPanel;

/// The Systolic lens: settings beside the panes (wavefront, pipeline, listing, tile search, memories,
/// network).
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
    [[nodiscard]] QString tableText() const override;

    /// The part of the selected product that the lens follows.
    [[nodiscard]] QJsonObject settings() const override;
    void restoreSettings(const QJsonObject& settings) override;

    [[nodiscard]] SystolicDocument& state() const { return *m_state; }
    [[nodiscard]] View* pane(const QString& name) const;
    void showPane(const QString& name);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] View* current() const;
    void showSettings();

    SystolicDocument* m_state;
    QSplitter* m_splitter = nullptr;
    SettingsPanel* m_settings = nullptr;
    QTabWidget* m_tabs = nullptr;
    QToolButton* m_toggle = nullptr; ///< button that shows or hides the settings
    /// whether the user wants to see the settings; if not set, the width decides
    std::optional<bool> m_wantsSettings;
};

} // namespace tilewright::ui
