// SPDX-License-Identifier: GPL-3.0-or-later
#include "chart/playback.h"

#include "canvas/animation_clock.h"
#include "theme/icon.h"

#include <QAction>
#include <QComboBox>
#include <QSignalBlocker>
#include <QSlider>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

Playback::Playback(AnimationClock& clock, Steps steps, QObject* parent)
    : QObject(parent), m_clock(clock), m_steps(std::move(steps))
{
    connect(&clock, &AnimationClock::tick, this, &Playback::tick);
}

void Playback::setPlaying(bool playing)
{
    if (playing == m_playing || (playing && m_steps.count() <= 0))
        return;
    if (playing && m_steps.at() >= m_steps.count() - 1)
        m_steps.show(0);
    m_playing = playing;
    m_at = static_cast<double>(m_steps.at());
    playing ? m_clock.start(this) : m_clock.stop(this);
    Q_EMIT playingChanged(playing);
}

void Playback::goTo(std::int64_t step)
{
    setPlaying(false);
    if (const std::int64_t count = m_steps.count(); count > 0)
        m_steps.show(std::clamp<std::int64_t>(step, 0, count - 1));
}

void Playback::moveBy(std::int64_t steps)
{
    goTo(m_steps.at() + steps);
}

void Playback::tick(double seconds)
{
    if (!m_playing)
        return;
    const std::int64_t count = m_steps.count();
    if (count <= 0)
        return; // no states while the content is being recomputed
    const std::int64_t at = m_steps.at();
    if (static_cast<std::int64_t>(std::floor(m_at)) != at) // other code has changed the position
        m_at = static_cast<double>(at);
    m_at = std::min(static_cast<double>(count - 1),
                    m_at + seconds * (m_speed > 0 ? m_speed : static_cast<double>(count) / 10));
    if (const auto next = static_cast<std::int64_t>(std::floor(m_at)); next != at)
        m_steps.show(next);
    if (m_at >= static_cast<double>(count - 1))
        setPlaying(false);
}

namespace {

constexpr double kSpeeds[] = {2, 8, 30, 120, 0}; // steps per second; 0: all steps in ten seconds
constexpr std::int64_t kSliderSteps = 100'000'000;

/// Steps per slider position: more than 1 if the run is too long for the int range of QSlider.
std::int64_t sliderScale(std::int64_t count)
{
    return std::max<std::int64_t>(1, (count + kSliderSteps - 1) / kSliderSteps);
}

} // namespace

Scrubber::Scrubber(ToolCanvas& view, Playback& playback, ScrubberWords words)
    : QObject(&view), m_view(view), m_playback(playback), m_words(std::move(words))
{
    const auto add = [&](const char* id, const QString& text, const char* iconName,
                         const QList<QKeySequence>& keys, const QString& tip,
                         const std::function<void()>& run) {
        return view.addBarCommand(m_words.ids + QLatin1String(id), text.arg(m_words.unit),
                                  QLatin1String(iconName), keys, tip.arg(m_words.unit), run);
    };
    add("first", tr("First %1"), "first", {}, tr("Go to the first %1."), [this] { m_playback.toFirst(); });
    add("previous", tr("Previous %1"), "step-back", {QKeySequence(Qt::Key_Comma)},
        m_words.far > 0 ? tr("Go back by one %1; with Shift by %2.")
                              .arg(QStringLiteral("%1"), QString::number(m_words.far))
                        : tr("Go back by one %1."),
        [this] { m_playback.moveBy(-1); });
    QAction* play = view.addBarCommand(m_words.ids + QLatin1String("play"), m_words.play,
                                       QStringLiteral("play"), {QKeySequence(Qt::Key_Space)}, m_words.playTip,
                                       [this] { m_playback.setPlaying(!m_playback.isPlaying()); });
    add("next", tr("Next %1"), "step-forward", {QKeySequence(Qt::Key_Period)}, tr("Go one %1 forward."),
        [this] { m_playback.moveBy(1); });
    add("last", tr("Last %1"), "last", {}, tr("Go to the last %1."), [this] { m_playback.toLast(); });
    connect(&playback, &Playback::playingChanged, play, [this, play](bool playing) {
        play->setIcon(icon(playing ? QStringLiteral("pause") : QStringLiteral("play")));
        play->setText(playing ? m_words.pause : m_words.play);
    });
    m_slider = new QSlider(Qt::Horizontal);
    m_slider->setMinimumWidth(90);
    view.bar().add(m_slider, m_words.slider, m_words.sliderTip, true);
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int value) { m_playback.goTo(value * sliderScale(m_playback.steps().count())); });
}

void Scrubber::addSpeeds()
{
    QStringList choices;
    for (const double speed : kSpeeds)
        choices << (speed > 0 ? QStringLiteral("%1 %2/s").arg(speed).arg(m_words.units) : tr("all in 10 s"));
    QComboBox* box = m_view.bar().addChoice(tr("Speed"), choices, tr("Speed of the playback."));
    connect(box, &QComboBox::currentIndexChanged, this, [this](int i) { m_playback.setSpeed(kSpeeds[i]); });
    box->setCurrentIndex(1);
}

void Scrubber::refresh()
{
    const QSignalBlocker quiet(m_slider);
    const std::int64_t count = m_playback.steps().count();
    const std::int64_t scale = sliderScale(count);
    m_slider->setEnabled(count > 0);
    m_slider->setMaximum(static_cast<int>(std::max<std::int64_t>(0, count - 1) / scale));
    m_slider->setPageStep(std::max(1, m_slider->maximum() / 20));
    m_slider->setValue(static_cast<int>(m_playback.steps().at() / scale));
}

} // namespace tilewright::ui
