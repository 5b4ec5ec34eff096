"""What a linked program knows of its types."""

import pytest

from clang_queries.ir.types import RecordType, Scalar
from clang_queries.unit import lower_unit
from roofstat.program.link import Leaf, link

TYPES = """
struct Inner { char tag; double value; };
struct Empty {};
struct Nested { Inner parts[3]; int last; };
struct Late { Empty nothing; float *pointer; int rest[2]; };
struct None { int flexible[0]; };
union Either { int whole; Nested parts; };
struct Packed { __half2 pair; };
struct Large { short many[100000]; Nested end; };
__global__ void k(Nested a, Late b, Either c, Packed d, Large *e, Empty f, None *g) {
  a.last = b.rest[0] + c.whole + e->many[0];
}
"""


@pytest.mark.parametrize(
    "name", ["Inner", "Empty", "Nested", "Late", "None", "Either", "Packed", "Large"]
)
def test_first_leaf_is_the_first_of_all(name: str) -> None:
    program = link([lower_unit("k.cu", text=TYPES)])
    (key,) = (key for key in program.records if key.endswith(f"@{name}"))
    type_ = RecordType(key, name, 0)
    assert program.first_leaf(type_) == next(iter(program.leaves(type_)), None)


def test_arrays_in_records_are_not_spelled_out_for_the_first_leaf() -> None:
    program = link([lower_unit("k.cu", text=TYPES.replace("100000", "100000000000"))])
    (key,) = (key for key in program.records if key.endswith("@Large"))
    assert program.first_leaf(RecordType(key, "Large", 0)) == Leaf(0, Scalar.I16)
