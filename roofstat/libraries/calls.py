"""The calls whose kernels are known: what a call asks for, and where its arguments say of how many items."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clang_queries.quick_dataclass import dataclass
from clang_queries.quick_pattern import pattern

__all__ = ["CallForm", "form_of"]


@dataclass(frozen=True, slots=True)
class CallForm:
    """How to read a call.

    Attributes:
        operation: What it asks for, as `operations` knows it; `copy` runs no kernel of a library.
        items: Argument that is the number of items; None where the first two arguments are a range.
        key: Template argument that says the type of the elements (itself, or an iterator over them).
        value: Template argument that says the type of what travels with them; None where nothing does.
        element: The type of the elements, where the name of the call says it.
        data_type: Argument that says the type of the elements, as a `cudaDataType`; None where none does.
        first_bit: Argument that is the first bit to sort by; the end of them comes next. None where all bits count.
        has_user_code: Whether a function of the user's runs for each item, whose work nobody counts.
    """

    operation: str
    items: int | None = None
    key: int = 0
    value: int | None = None
    element: str = ""
    data_type: int | None = None
    first_bit: int | None = None
    has_user_code: bool = False


_THRUST: Mapping[str, CallForm] = {
    "reduce": CallForm("thrust-reduce"),
    "transform_reduce": CallForm("transform-reduce", has_user_code=True),
    "count": CallForm("count"),
    "count_if": CallForm("count", has_user_code=True),
    "inner_product": CallForm("inner-product"),
    "inclusive_scan": CallForm("thrust-scan"),
    "exclusive_scan": CallForm("thrust-scan"),
    "fill": CallForm("fill"),
    "fill_n": CallForm("fill", items=1),
    "sequence": CallForm("sequence"),
    "tabulate": CallForm("sequence", has_user_code=True),
    "for_each": CallForm("for-each", has_user_code=True),
    "for_each_n": CallForm("for-each", items=1, has_user_code=True),
    "gather": CallForm("gather", key=1),
    "copy_if": CallForm("thrust-copy-if", has_user_code=True),
    "remove": CallForm("thrust-remove"),
    "remove_if": CallForm("thrust-remove", has_user_code=True),
    "remove_copy": CallForm("thrust-remove"),
    "remove_copy_if": CallForm("thrust-remove", has_user_code=True),
    "unique": CallForm("thrust-unique"),
    "unique_copy": CallForm("thrust-unique"),
    "max_element": CallForm("extremum"),
    "min_element": CallForm("extremum"),
    "reduce_by_key": CallForm("thrust-reduce-by-key", key=1),
}
_CUB: Mapping[str, CallForm] = {
    "DeviceReduce::Sum": CallForm("sum", items=4),
    "DeviceReduce::Min": CallForm("max", items=4),
    "DeviceReduce::Max": CallForm("max", items=4),
    "DeviceReduce::ArgMin": CallForm("argmin", items=4),
    "DeviceReduce::ArgMax": CallForm("argmin", items=4),
    "DeviceReduce::Reduce": CallForm("sum", items=4, has_user_code=True),
    "DeviceReduce::ReduceByKey": CallForm("reduce-by-key", items=8, key=2),
    "DeviceScan::ExclusiveSum": CallForm("exclusive-scan", items=4),
    "DeviceScan::InclusiveSum": CallForm("inclusive-scan", items=4),
    "DeviceScan::ExclusiveScan": CallForm("exclusive-scan", items=6, has_user_code=True),
    "DeviceScan::InclusiveScan": CallForm("inclusive-scan", items=5, has_user_code=True),
    "DeviceSelect::If": CallForm("select-if", items=5, has_user_code=True),
    "DeviceSelect::Flagged": CallForm("select-if", items=6),
    "DeviceSelect::Unique": CallForm("select-unique", items=5),
    "DeviceHistogram::HistogramEven": CallForm("histogram", items=7),
    "DeviceRunLengthEncode::Encode": CallForm("runs", items=6),
    "DeviceMergeSort::SortKeys": CallForm("merge-sort", items=3, has_user_code=True),
    "DeviceMergeSort::StableSortKeys": CallForm("merge-sort", items=3, has_user_code=True),
}
_RADIX = pattern(r"DeviceRadixSort::Sort(Keys|Pairs)(?:Descending)?")
_WITH_BUFFERS = {"Keys": 8, "Pairs": 9}
"""Arguments of the calls that take double buffers; the others take two or four pointers."""
_CUBLAS = pattern(r"cublas(?:I([sd])(amax|amin)|([SD])(dot|axpy|scal|copy|swap|asum))(?:_v2)?")
_CUBLAS_EX: Mapping[str, CallForm] = {
    "cublasDotEx": CallForm("dot", items=1, data_type=3),
    "cublasAxpyEx": CallForm("axpy", items=1, data_type=5),
    "cublasScalEx": CallForm("scal", items=1, data_type=5),
}
_BLAS_OPERATIONS = {"amin": "amax", "copy": "copy-vector"}
_ORDER = pattern(r"\b(?:less|greater)(?:_equal)?<")


def form_of(name: str, types: Sequence[str], arguments: int) -> CallForm | None:
    """Return how to read a call.

    Args:
        name: Of the function, with its scope.
        types: Its template arguments, without an execution policy.
        arguments: How many arguments it has, those with default values included.

    Returns:
        None for calls whose kernels were not measured.
    """
    scope, _, bare = name.partition("::")
    if scope == "thrust":
        return _thrust_form(name.rsplit("::", 1)[-1], types)
    if scope == "cub":
        radix = _RADIX.fullmatch(bare)
        if radix is None:
            return _CUB.get(bare)
        kind = radix[1]
        if arguments == _WITH_BUFFERS[kind]:
            items = 3 if kind == "Keys" else 4
        else:
            items = 4 if kind == "Keys" else 6
        value = 1 if kind == "Pairs" else None
        return CallForm(f"sort-{kind.lower()}", items, value=value, first_bit=items + 1)
    blas = _CUBLAS.fullmatch(name)
    if blas is None:
        return _CUBLAS_EX.get(name)
    letter, bare = blas[1] or blas[3], blas[2] or blas[4]
    element = "float" if letter in "sS" else "double"
    return CallForm(_BLAS_OPERATIONS.get(bare, bare), items=1, element=element)


def _thrust_form(bare: str, types: Sequence[str]) -> CallForm | None:
    if bare in ("sort", "stable_sort", "sort_by_key", "stable_sort_by_key"):
        is_pairs = bare.endswith("by_key")
        orders = types[2 if is_pairs else 1 :]
        value = 1 if is_pairs else None
        if orders and not _ORDER.search(orders[0]):
            # the merge sort of pairs was not measured
            return None if is_pairs else CallForm("merge-sort", has_user_code=True)
        return CallForm("thrust-sort-pairs" if is_pairs else "thrust-sort-keys", value=value)
    if bare == "transform":
        is_binary = len(types) > 3
        return CallForm("transform-binary" if is_binary else "transform-unary", has_user_code=True)
    if bare in ("copy", "copy_n", "uninitialized_copy"):
        return CallForm("copy")
    return _THRUST.get(bare)
