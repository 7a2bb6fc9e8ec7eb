// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/drawing.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::layered {

namespace {

constexpr double kStraighten =
    30; // steps of an outline that are smaller than this are removed if there is room

/// The extent of a group in one layer with padding, and the limits up to which it may grow.
struct Band
{
    int layer = 0;
    double left = std::numeric_limits<double>::max();
    double right = std::numeric_limits<double>::lowest();
    double leftLimit = std::numeric_limits<double>::lowest();
    double rightLimit = std::numeric_limits<double>::max();
    double top = 0;
    double bottom = 0;
};

void straighten(std::vector<Band>& bands)
{
    for (int pass = 0; pass < 3; ++pass)
        for (std::size_t i = 0; i + 1 < bands.size(); ++i) {
            Band &a = bands[i], &b = bands[i + 1];
            if (std::abs(a.right - b.right) < kStraighten) {
                const double right = std::max(a.right, b.right);
                a.right = std::max(a.right, std::min(right, a.rightLimit));
                b.right = std::max(b.right, std::min(right, b.rightLimit));
            }
            if (std::abs(a.left - b.left) < kStraighten) {
                const double left = std::min(a.left, b.left);
                a.left = std::min(a.left, std::max(left, a.leftLimit));
                b.left = std::min(b.left, std::max(left, b.leftLimit));
            }
        }
}

std::vector<LayoutPoint> polygon(const std::vector<Band>& bands)
{
    std::vector<LayoutPoint> points;
    const auto add = [&](double x, double y) {
        if (points.size() >= 2) { // no corner within a straight side
            const LayoutPoint &a = points[points.size() - 2], &b = points.back();
            if (std::abs((b.x - a.x) * (y - a.y) - (x - a.x) * (b.y - a.y)) < 1e-6)
                points.pop_back();
        }
        points.push_back({x, y});
    };
    for (const Band& band : bands) {
        add(band.right, band.top);
        add(band.right, band.bottom);
    }
    for (auto it = bands.rbegin(); it != bands.rend(); ++it) {
        add(it->left, it->bottom);
        add(it->left, it->top);
    }
    return points;
}

} // namespace

std::vector<LayoutGroup> drawOutlines(const LayerGraph& g, const Order& order, const Coordinates& at,
                                      const Columns& columns, const LayoutOptions& options)
{
    const double padding = options.groupPadding;
    std::vector<std::vector<Band>> bands(static_cast<std::size_t>(g.groupCount));
    for (int l = 0; l < static_cast<int>(order.size()); ++l) {
        const double middle = (at.layerTop[l] + at.layerBottom[l]) / 2;
        const auto half = [&](int v) { return g.isNode(v) ? g.width[v] / 2 : 0; };
        const auto edge = [&](int v) { return half(v) + (g.group[v] >= 0 ? padding : 0) + 1; };
        for (std::size_t i = 0; i < order[l].size(); ++i) {
            const int v = order[l][i];
            if (g.group[v] < 0)
                continue;
            auto& list = bands[g.group[v]];
            if (list.empty() || list.back().layer != l) {
                list.emplace_back();
                list.back().layer = l;
                list.back().top = middle;
                list.back().bottom = middle;
                if (i > 0)
                    list.back().leftLimit = at.x[order[l][i - 1]] + edge(order[l][i - 1]);
            }
            Band& band = list.back();
            band.left = std::min(band.left, at.x[v] - half(v) - padding);
            band.right = std::max(band.right, at.x[v] + half(v) + padding);
            band.top = std::min(band.top, middle - g.height[v] / 2);
            band.bottom = std::max(band.bottom, middle + g.height[v] / 2);
            if (i + 1 < order[l].size())
                band.rightLimit = at.x[order[l][i + 1]] - edge(order[l][i + 1]);
            else
                band.rightLimit = std::numeric_limits<double>::max();
        }
    }
    std::vector<LayoutGroup> out(bands.size());
    for (std::size_t group = 0; group < bands.size(); ++group) {
        std::vector<Band> piece;
        const auto close = [&] {
            if (piece.empty())
                return;
            for (std::size_t i = 1; i < piece.size();
                 ++i) // between its first and last layer an outline has the full height of the layer
                piece[i].top = at.layerTop[piece[i].layer];
            for (std::size_t i = 0; i + 1 < piece.size(); ++i)
                piece[i].bottom = at.layerBottom[piece[i].layer];
            piece.front().top -= padding;
            piece.back().bottom += padding;
            straighten(piece);
            out[group].outlines.push_back(polygon(piece));
            piece.clear();
        };
        for (const Band& band : bands[group]) {
            if (!piece.empty() && columns.ofLayer[piece.back().layer] != columns.ofLayer[band.layer])
                close();
            piece.push_back(band);
        }
        close();
    }
    return out;
}

} // namespace tilewright::layered
