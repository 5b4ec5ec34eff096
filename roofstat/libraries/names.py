"""Host calls that run kernels of a library, by name."""

from __future__ import annotations

import re

from clang_queries.quick_pattern import pattern

__all__ = ["library_of"]

_THRUST = pattern(
    r"(?:(?:stable_)?sort(?:_by_key)?|reduce(?:_by_key)?|transform(?:_if|_reduce|_(?:in|ex)clusive_scan)?"
    r"|(?:in|ex)clusive_scan(?:_by_key)?|for_each(?:_n)?|copy(?:_if|_n)?|unique(?:_by_key)?(?:_copy)?"
    r"|remove(?:_copy)?(?:_if)?|count(?:_if)?|fill(?:_n)?|sequence|tabulate|generate(?:_n)?|gather(?:_if)?"
    r"|scatter(?:_if)?|merge(?:_by_key)?|(?:min|max|minmax)_element|inner_product|partition(?:_copy)?"
    r"|stable_partition(?:_copy)?|adjacent_difference|(?:lower|upper)_bound|binary_search|set_\w+|replace(?:_if)?"
    r"|find(?:_if)?|any_of|all_of|none_of|equal|mismatch|reverse(?:_copy)?|swap_ranges)"
)
_C_LIBRARIES = (
    (pattern(r"cublas(?:Xt)?\w*(?:[gs]e[mrv]\w*|axpy|dot\w*|scal|copy|swap|am(?:ax|in)|nrm2|asum|tr[sm]m\w*|syrk\w*)\w*|cublasLtMatmul", re.IGNORECASE), "cuBLAS"),
    (pattern(r"cufftExec\w*|cufftXtExec\w*"), "cuFFT"),
    (pattern(r"cusparse\w*(?:SpMV|SpMM|SpGEMM\w*|SpSV_solve|csr\w+|bsr\w+)"), "cuSPARSE"),
    (pattern(r"cusolver\w+(?:trf|trs|evd\w*|gesvd\w*|syevd\w*|csrlsv\w*)"), "cuSOLVER"),
    (pattern(r"cudnn\w*(?:Forward|Backward)\w*|cudnnAddTensor"), "cuDNN"),
    (pattern(r"curandGenerate(?!Seeds)\w+"), "cuRAND"),
)  # fmt: skip


def library_of(name: str) -> str | None:
    """Return the library whose kernels a host call runs, by the call's name.

    >>> library_of("thrust::sort"), library_of("cublasSgemm_v2"), library_of("cublasDotEx"), library_of("cudaMalloc")
    ('Thrust', 'cuBLAS', 'cuBLAS', None)
    """
    parts = name.split("::")
    if parts[0] == "thrust" and _THRUST.fullmatch(parts[-1]):
        return "Thrust"
    if parts[0] == "cub" and any(part.startswith("Device") for part in parts[1:-1]):
        return "CUB"
    if len(parts) == 1:
        return next((library for form, library in _C_LIBRARIES if form.fullmatch(name)), None)
    return None
