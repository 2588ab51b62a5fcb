"""Pictures: layouts, hands, scores on paper and whole positions as SVG, and as PNG where resvg is installed."""

from sniffai.draw.geometry import Plan, plan_growing_layout, plan_layout
from sniffai.draw.pictures import hand_svg, layout_svg, position_svg, tally_svg
from sniffai.draw.png import png

__all__ = ["Plan", "hand_svg", "layout_svg", "plan_growing_layout", "plan_layout", "png", "position_svg", "tally_svg"]
