"""Headers that a program gets through others: real ones include more of each other than the bundled ones do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clang_queries.quick_pattern import pattern

if TYPE_CHECKING:
    from collections.abc import Iterable

_NAMES: dict[str, str] = {
    "algorithm": "sort stable_sort min max swap fill fill_n copy find reverse count lower_bound transform for_each"
    " max_element min_element",
    "array": "array",
    "chrono": "chrono",
    "cmath": "sqrt pow abs fabs floor ceil exp log sin cos isnan isinf round",
    "complex": "complex",
    "deque": "deque",
    "fstream": "ifstream ofstream fstream",
    "functional": "function bind plus multiplies less greater",
    "iomanip": "setw setprecision setfill",
    "iostream": "cout cerr clog cin endl",
    "limits": "numeric_limits",
    "list": "list",
    "map": "map multimap",
    "memory": "unique_ptr shared_ptr make_unique make_shared",
    "mutex": "mutex lock_guard unique_lock",
    "numeric": "accumulate iota",
    "queue": "queue priority_queue",
    "random": "mt19937 mt19937_64 default_random_engine random_device uniform_real_distribution"
    " uniform_int_distribution normal_distribution",
    "set": "set multiset",
    "sstream": "stringstream ostringstream istringstream",
    "stack": "stack",
    "stdexcept": "runtime_error invalid_argument logic_error",
    "string": "string to_string stoi stof stod getline",
    "thread": "thread",
    "tuple": "tuple tie make_tuple",
    "unordered_map": "unordered_map",
    "unordered_set": "unordered_set",
    "utility": "pair make_pair move forward",
    "vector": "vector",
    "assert.h": "assert",
    "float.h": "FLT_MAX FLT_MIN FLT_EPSILON DBL_MAX DBL_MIN DBL_EPSILON",
    "limits.h": "INT_MAX INT_MIN UINT_MAX LONG_MAX ULONG_MAX CHAR_BIT",
    "math.h": "M_PI sqrtf powf fabsf",
    "stdint.h": "uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t uintptr_t",
    "stdio.h": "printf fprintf stderr stdout stdin FILE fopen fclose sprintf puts",
    "stdlib.h": "malloc calloc free exit abort atoi atof rand srand qsort RAND_MAX EXIT_FAILURE EXIT_SUCCESS",
    "string.h": "memcpy memset strcmp strlen strcpy strncmp",
    "cuda_runtime.h": " ".join(
        f"{scalar}{width}"
        for scalar in (
            "char",
            "uchar",
            "short",
            "ushort",
            "int",
            "uint",
            "long",
            "ulong",
            "float",
            "double",
        )
        for width in (1, 2, 3, 4)
    )
    + " dim3 cudaError_t cudaStream_t cudaEvent_t cudaMalloc cudaMallocHost cudaMallocManaged cudaFree cudaMemcpy"
    " cudaMemset cudaDeviceSynchronize __device__ __host__ __global__",
    "thrust/host_vector.h": "host_vector",
    "thrust/device_vector.h": "device_vector",
    "thrust/sort.h": "sort_by_key",
    "thrust/reduce.h": "reduce",
}
_HEADERS = {name: header for header, names in _NAMES.items() for name in names.split()}
_IN_NAMESPACE = pattern(r"^no (?:member|template|type) named '(\w+)' in namespace '(std|thrust)'")
_UNDECLARED = pattern(
    r"^(?:use of undeclared identifier|unknown type name|no template named) '(\w+)'"
)


def implied_headers(messages: Iterable[str]) -> tuple[str, ...]:
    """Headers that declare what a unit uses without having included it, by what the parser says of it."""
    found: dict[str, None] = {}
    for text in messages:
        match = _IN_NAMESPACE.match(text) or _UNDECLARED.match(text)
        header = None if match is None else _HEADERS.get(match[1])
        if header is not None:
            found[header] = None
    return tuple(found)
