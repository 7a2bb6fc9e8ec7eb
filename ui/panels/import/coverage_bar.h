// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"
#include "lower/lowered.h"

namespace tilewright::ui {

/// Coverage of a model: mapped, approximated and dropped shares of its multiply-accumulates.
class CoverageBar : public QWidget
{
    Q_OBJECT
public:
    explicit CoverageBar(const ThemeSource& themes, QWidget* parent = nullptr);

    void setCoverage(const lower::Coverage& coverage, std::int64_t macs);
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return {80, sizeHint().height()}; }

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Part
    {
        QString name;
        double share = 0;
        QColor colour;
        bool hatched = false;
    };
    [[nodiscard]] std::array<Part, 3> parts() const;

    const ThemeSource& m_themes;
    lower::Coverage m_coverage;
    std::int64_t m_macs = 0;
};

} // namespace tilewright::ui
