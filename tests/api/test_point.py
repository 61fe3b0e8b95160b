"""Points, and the bounds that every door keeps."""

import dataclasses
import math

import pytest

from dwell import Point, UsageError, values


def test_point_makes_floats_of_whole_numbers() -> None:
    point = Point(1, 2)
    assert (point.x, point.y, point.z) == (1.0, 2.0, 0.0)
    assert all(isinstance(each, float) for each in dataclasses.astuple(point))


def test_points_are_equal_by_coordinates_and_can_be_members_of_sets() -> None:
    assert Point(1.0, 2.0, 3.0) == Point(1, 2, 3)
    assert len({Point(1, 2), Point(1, 2), Point(2, 1)}) == 2


@pytest.mark.parametrize("coordinate", [math.inf, -math.inf, math.nan])
def test_point_refuses_what_is_not_finite(coordinate: float) -> None:
    with pytest.raises(UsageError) as caught:
        Point(0.0, coordinate)
    assert str(caught.value) == f"coordinate y of a point must be finite: {coordinate}"


def test_point_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Point(1, 2).x = 3  # type: ignore[misc]


def test_integers_have_64_bits() -> None:
    assert (values.INTEGER_MIN, values.INTEGER_MAX) == (-(2**63), 2**63 - 1)
