"""Arrays of numbers: those of numpy, of the module array, and memoryviews, as values and as what decoding makes."""

import array

import numpy as np
import pytest
import sdp
from schemas.lists import lists

FORMS = [(lists.Numbers, "u4", "I"), (lists.Numbers1, "u2", "H"), (lists.Numbers2, "i8", "q"), (lists.Floats, "f4", "f")]


@pytest.mark.parametrize(("cls", "dtype", "code"), FORMS)
def test_arrays_are_written_as_lists_are(cls, dtype, code):
    numbers = [1, 2, 255]
    expected = cls(v=numbers).encode()
    made = array.array(code, numbers)
    for value in (made, memoryview(made), np.array(numbers, dtype), np.array(numbers, ">" + dtype), np.array(numbers * 2, dtype)[:3]):
        assert cls(v=value).encode() == expected
    spread = np.array([1, 0, 2, 0, 255, 0], dtype)[::2]
    assert cls(v=spread).encode() == expected
    kind = sdp._value.type_of(cls)
    if kind.native is not None:
        assert kind.native.encode(cls(v=np.array(numbers, dtype))) == expected
        assert kind.native.encode(cls(v=spread)) is None


@pytest.mark.parametrize(("cls", "dtype", "code"), FORMS)
def test_numbers_become_arrays_that_share_the_bytes(cls, dtype, code):
    data = cls(v=[1, 2, 3]).encode()
    found = cls.decode(data, arrays="numpy")
    assert found.v.dtype == np.dtype(dtype)
    assert found.v.tolist() == [1, 2, 3]
    assert np.shares_memory(found.v, np.frombuffer(data, np.uint8))
    assert not found.v.flags.writeable
    assert found.encode() == data
    assert found == cls.decode(data, arrays="numpy")
    assert found != cls.decode(cls(v=[1, 2, 4]).encode(), arrays="numpy")
    view = cls.decode(data, arrays="memoryview")
    assert view.v.tolist() == [1, 2, 3]
    assert view.encode() == data
    assert cls.decode(bytearray(data), arrays="numpy").v.tolist() == [1, 2, 3]


def test_other_arrays_are_refused():
    for value in (
        np.array([1.5]),
        np.array([[1, 2]], "u4"),
        np.array([1 << 40]),
        array.array("f", [1]),
        b"abcd",
        bytearray(4),
        np.array(["x"]),
    ):
        with pytest.raises(sdp.EncodeError) as refused:
            lists.Numbers(v=value).encode()
        assert refused.value.path.startswith("v")
    with pytest.raises(sdp.EncodeError, match="limit_max"):
        lists.NumbersMax(v=np.zeros(3, "u2")).encode()
    assert lists.Numbers(v=np.array([1, 2], "i8")).encode() == lists.Numbers(v=[1, 2]).encode()
    with pytest.raises(ValueError, match="expected arrays to be one of memoryview, numpy, got 'list'"):
        lists.Numbers.decode(b"\0\0\0\0", arrays="list")


def test_arrays_within_lists_and_of_a_fixed_count():
    grid = lists.Grid(v=[np.array([1, 2], "u2"), np.array([], "u2")])
    assert grid.encode() == lists.Grid(v=[[1, 2], []]).encode()
    assert grid == lists.Grid.decode(grid.encode(), arrays="numpy")
    pairs = lists.Pairs(v=[np.array([1, 2], "u2")])
    assert pairs.encode() == lists.Pairs(v=[[1, 2]]).encode()
    with pytest.raises(sdp.EncodeError):
        lists.Pairs(v=[np.array([1, 2, 3], "u2")]).encode()


class Own(array.array):
    pass


class Exporter:
    """A sequence that lends memory by code of Python, from Python 3.12 on."""

    def __init__(self):
        self.calls = 0

    def __buffer__(self, flags):
        self.calls += 1
        return memoryview(array.array("I", [1, 2]))

    def __len__(self):
        return 2

    def __getitem__(self, index):
        return (1, 2)[index]


def test_an_exporter_of_the_program_runs_outside_of_the_engine():
    exporter = Exporter()
    kind = sdp._value.type_of(lists.Numbers)
    if kind.native is not None:
        assert kind.native.encode(lists.Numbers(v=exporter)) is None
        assert exporter.calls == 0
        assert kind.native.encode(lists.Numbers(v=Own("I", [1, 2]))) is None
    assert lists.Numbers(v=Own("I", [1, 2])).encode() == lists.Numbers(v=[1, 2]).encode()
    assert lists.Numbers(v=exporter).encode() == lists.Numbers(v=[1, 2]).encode()
