"""Whole units: what is lowered, instances, sides, hints, robustness."""

import pickle

import pytest
from hypothesis import HealthCheck, example, given, settings, strategies as hs

from clang_queries.command_line import Language, ParseOptions
from clang_queries.deep_stack import with_deep_stack
from clang_queries.errors import ParseError
from clang_queries.ir.statements import Side, Storage, Unit
from clang_queries.unit import lower_unit


def _names(unit):
    return sorted(item.name for item in unit.functions.values())


def test_kernels_in_source_order_and_main(lower):
    unit = lower(
        "__global__ void b(int *p) { *p = 1; }\n__global__ void a(int *p) { *p = 2; }\n__global__ void c(int *p);\n"
        "int main() { return 0; }"
    )
    assert [unit.functions[key].name for key in unit.kernels] == ["b", "a"]
    assert unit.functions[unit.main].name == "main"


def test_everything_reachable_with_a_body_is_lowered(lower):
    unit = lower("""
    #include <algorithm>
    struct F { __device__ int operator()(int x) const { return x; } };
    template <class T> __device__ T deep(T x) { return x; }
    template <class G> __global__ void k(float4 *p, G g) { p[0] = make_float4(deep(1.0f), 2, 3, g(4)); }
    int main() { k<<<1, 1>>>((float4 *)nullptr, F()); return std::min(1, 2); }
    """)
    assert {"deep", "k", "F::operator()", "make_float4", "main", "std::min"} <= set(_names(unit))
    assert unit.diagnostics == ()


def test_sides(lower):
    unit = lower(
        "__device__ void d() {} __host__ __device__ void b() {} void h() {} __global__ void k() { d(); b(); }"
    )
    assert {item.name: item.side for item in unit.functions.values()} == {
        "d": Side.DEVICE,
        "b": Side.BOTH,
        "h": Side.HOST,
        "k": Side.KERNEL,
    }


def test_instances_through_launches_in_templates(lower):
    unit = lower("""
    template <class T, int N> __global__ void k(T *p) { p[0] = N; }
    template <class T> void run(T *p) { k<T, 2><<<1, 1>>>(p); k<T, 4><<<1, 1>>>(p); }
    void f(float *a, double *b) { run(a); run(b); }
    """)
    found = {(unit.functions[key].template_arguments) for key in unit.kernels}
    assert found == {("float", "2"), ("float", "4"), ("double", "2"), ("double", "4")}
    assert unit.uninstantiated == ()


def test_explicit_instantiations_are_found_in_place(lower):
    unit = lower(
        "namespace n { template <class T, int N> __global__ void k(T *p) { p[0] = N; } }\n"
        "template __global__ void n::k<float, 3>(float *);\n"
        "namespace n { template __global__ void __launch_bounds__(64) k<int, 5>(int *p); }\n"
        "template <class T> __global__ void never(T *p) { p[0] = 1; }\n"
    )
    assert sorted(unit.functions[key].signature for key in unit.kernels) == [
        "void n::k<float, (int)3>(T1 *)",
        "void n::k<int, (int)5>(T1 *)",
    ]
    assert [(item.name, item.position.line) for item in unit.uninstantiated] == [("never", 4)]
    assert all("explicit_instance" not in item.name for item in unit.globals.values())


def test_explicit_specialisation_and_member_kernels(lower):
    unit = lower(
        "template <class T> __global__ void k(T *p) { p[0] = 1; }\n"
        "template <> __global__ void k<int>(int *p) { p[0] = 2; }\n"
        "struct S { static __global__ void m(int *p) { p[0] = 3; } };\n"
    )
    assert sorted(unit.functions[key].signature for key in unit.kernels) == [
        "S::m(int *)",
        "void k<int>(T1 *)",
    ]


def test_launch_bounds_and_inline_attributes(lower):
    unit = lower("""
    const int W = 32;
    template <int N> __global__ __launch_bounds__(N * 64, 2) void k(int *p) { *p = 1; }
    __global__ void __launch_bounds__(128) b(int *p) { *p = 1; }
    __device__ __noinline__ int n(int x) { return x; }
    __device__ __forceinline__ int i(int x) { return n(x); }
    void f(int *p) { k<4><<<1, 1>>>(p); i(2); }
    """)
    found = {item.name: item for item in unit.functions.values()}
    assert (found["k"].max_threads_per_block, found["k"].min_blocks_per_sm) == (256, 2)
    assert (found["b"].max_threads_per_block, found["b"].min_blocks_per_sm) == (128, None)
    assert (found["n"].is_noinline, found["i"].is_inline_hint) == (True, True)


def test_parameters_arrays_decay_and_restrict_is_kept(lower):
    unit = lower(
        "__global__ void k(const float *__restrict__ a, int b[4], const int n) { b[0] = n; }"
    )
    a, b, n = unit.functions[unit.kernels[0]].parameters
    assert (a.type.is_restrict, a.type.is_const) == (True, True)
    assert b.type.pointee.size_bytes == 4
    assert n.is_const


def test_diagnostics_name_the_function(lower):
    unit = lower("__global__ void k(int *p) {\n p[0] = missing;\n}\nint x = absent;\n")
    assert [(item.position.line, item.function) for item in unit.diagnostics] == [
        (2, unit.kernels[0]),
        (4, None),
    ]


def test_broken_kernel_keeps_the_rest(lower):
    unit = lower(
        "__global__ void k(int *p) { p[0] = 1; ; @@ p[1] = 2; }\n__global__ void g(int *p) { p[0] = 3; }"
    )
    assert [unit.functions[key].name for key in unit.kernels] == ["k", "g"]


def test_units_can_be_pickled(lower):
    unit = lower("__global__ void k(float *p) { for (int i = 0; i < 3; i++) p[i] = sinf(p[i]); }")
    assert pickle.loads(pickle.dumps(unit)) == unit  # noqa: S301 - our own bytes


def test_deep_expressions(lower):
    # far beyond Python's default recursion limit
    terms = " + ".join(["p[0]"] * 1500)
    unit = lower(f"__global__ void k(int *p) {{ p[1] = {terms}; }}")
    assert len(unit.kernels) == 1
    assert unit.opaque_count == 0


@pytest.mark.parametrize(("terms", "is_read"), [(5000, True), (12_000, False)])
def test_long_chains_of_operators_are_read_or_said_to_be_lost(lower, terms, is_read):
    """What is left of a chain of 10,000 operators is one part that is not understood."""
    chain = " + ".join(["p[0]"] * terms)
    unit = with_deep_stack(lambda: lower(f"__global__ void k(int *p) {{ p[1] = {chain}; }}"))
    assert unit.opaque_count == (0 if is_read else 1)
    assert [item.text for item in unit.diagnostics] == (
        [] if is_read else ["expression nested too deeply"]
    )


def test_hip_sources(lower):
    unit = lower(
        "#include <hip/hip_runtime.h>\n__global__ void k(float *p) { p[threadIdx.x] = 1; }\n"
        "int main() { hipLaunchKernelGGL(k, dim3(1), dim3(64), 0, 0, nullptr); }",
        language=Language.HIP,
    )
    assert unit.language == "hip"
    assert len(unit.kernels) == 1


def test_missing_file_says_what_to_do(tmp_path):
    with pytest.raises(ParseError) as raised:
        lower_unit(str(tmp_path / "none.cu"))
    assert "cannot be read" in raised.value.problem
    assert raised.value.remedy
    with pytest.raises(ParseError):
        lower_unit(str(tmp_path))


def test_text_replaces_the_file(tmp_path):
    path = tmp_path / "k.cu"
    path.write_text("__global__ void old(int *p) { *p = 1; }")
    unit = lower_unit(str(path), text="__global__ void fresh(int *p) { *p = 1; }")
    assert _names(unit) == ["fresh"]


def test_include_loops_end(tmp_path):
    (tmp_path / "a.h").write_text('#include "b.h"\n#include "b.h"\n')
    (tmp_path / "b.h").write_text('#include "a.h"\n#include "a.h"\n')
    (tmp_path / "k.cu").write_text('#include "a.h"\n__global__ void k(int *p) { *p = 1; }\n')
    assert lower_unit(str(tmp_path / "k.cu")).diagnostics


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0\0\0",
        b"\xff\xfe__global__ void k() {}",
        b"// caf\xe9\n__global__ void k(int *p) { *p = 1; /* \xe9 */ }",
        b"{" * 300,
        b"((((" * 200,
        b"template <",
        b"#include <\n#define",
        b"k<<<",
        b'"unfinished',
    ],
)
@pytest.mark.parametrize("language", list(Language))
def test_any_bytes_give_a_unit_or_a_parse_error(content, language):
    try:
        unit = lower_unit("x.cu", ParseOptions(language=language), content)
    except ParseError:
        return
    assert isinstance(unit, Unit)


_FRAGMENTS = hs.sampled_from(
    [
        "template",
        "<class",
        "T>",
        "typename",
        "struct",
        "S",
        "{",
        "}",
        ";",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "<<<",
        ">>>",
        "__global__",
        "void",
        "int",
        "float",
        "*",
        "&",
        "&&",
        "=",
        "==",
        "+",
        "-",
        "++",
        ",",
        ".",
        "->",
        "for",
        "while",
        "if",
        "else",
        "switch",
        "case",
        "default",
        ":",
        "break",
        "return",
        "goto",
        "L:",
        "x",
        "y",
        "k",
        "main",
        "auto",
        "const",
        "static",
        "extern",
        "__shared__",
        "1",
        "2.5f",
        "'c'",
        '"s"',
        "lambda",
        "[=]",
        "[&]",
        "{",
        "return",
        "}",
        "...",
        "sizeof",
        "new",
        "delete",
        "operator",
        "this",
        "namespace",
        "n",
        "using",
        "#pragma",
        "unroll",
        "4",
        "#pragma",
        "omp",
        "target",
        "constexpr",
        "try",
        "catch",
        "throw",
        "asm",
        '("mov.u32',
        '%0;"',
        ":",
        '"=r"(x))',
        "class",
        "public:",
        "virtual",
        "~",
        "decltype",
        "concept",
        "requires",
    ]
)


@pytest.mark.property
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(hs.lists(_FRAGMENTS, max_size=40).map(" ".join), hs.sampled_from(list(Language)))
@example("void k ( int x ) { for ( ; ; ) switch ( x ) { case 1 : } }", Language.CUDA)
def test_garbage_raises_nothing_but_parse_errors(text, language):
    try:
        unit = lower_unit(
            "x.cu", ParseOptions(language=language), f"void f(int x, float *y) {{ {text}\n}}"
        )
    except ParseError:
        return
    assert not [item for item in unit.diagnostics if "front end failed" in item.text]


def test_explicitly_instantiated_host_templates_launch(lower):
    unit = lower(
        "template <class T> __global__ void k(T *p) { p[0] = 1; }\n"
        "namespace n { template <class T> int run(T *p) { k<<<1, 1>>>(p); return 0; } }\n"
        "template int n::run<double>(double *);\n"
    )
    assert [unit.functions[key].signature for key in unit.kernels] == ["void k<double>(T1 *)"]
    assert unit.lost_launches == ()


def test_out_of_line_members_of_templates_are_lowered_as_instances_only(lower):
    unit = lower(
        "template <class T> struct C { T v; C(); T get(); };\n"
        "template <class T> C<T>::C() : v(3) {}\n"
        "template <class T> T C<T>::get() { return v; }\n"
        "float f() { C<float> c; return c.get(); }\n"
    )
    assert _names(unit) == ["C::C", "C::get", "f"]
    assert unit.opaque_count == 0


@pytest.mark.parametrize("name", ["main.cpp", "main.c"])
@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(float *a) { a[threadIdx.x] = 1; } int main() { k<<<1, 32>>>(0); }",
        '#include "kernel.h"\nint main() { k<<<1, 32>>>(0); }',
        '#include "kernel.h"\nvoid (*pointer)(float *) = k;',
    ],
)
def test_cuda_in_files_of_other_names(tmp_path, name, text):
    # Built with `nvcc -x cu`; nothing but the content says so.
    (tmp_path / "kernel.h").write_text("__global__ void k(float *a) { a[threadIdx.x] = 1; }")
    (tmp_path / name).write_text(text)
    unit = lower_unit(str(tmp_path / name))
    assert (unit.language, len(unit.kernels)) == ("cuda", 1)
    assert (unit.diagnostics, unit.lost_launches) == ((), ())


def test_plain_programs_stay_what_their_name_says(tmp_path):
    path = tmp_path / "main.cpp"
    path.write_text("int main() { return missing + (1 << 3); }")
    assert lower_unit(str(path)).language == "openmp"


@pytest.mark.parametrize(
    "text",
    [
        "std::vector<int> v(3); __global__ void k(int *p) { *p = 1; } int main() { k<<<v.size(), 1>>>(0); }",
        "__global__ void k(int *p) { *p = 1; } int main() { auto t = std::chrono::steady_clock::now(); k<<<1, 1>>>(0); }",
        '__global__ void k(float *p) { *p = FLT_MAX; } int main() { k<<<1, 1>>>(0); fprintf(stderr, "%f", DBL_MAX); }',
        "__global__ void k(uint32_t *p) { *p = 1; } int main() { int *a = (int *)malloc(4); memset(a, 0, 4); k<<<*a, 1>>>(0); }",
    ],
)
def test_headers_that_others_would_have_included(lower, text):
    unit = lower(text)
    assert (unit.diagnostics, unit.lost_launches) == ((), ())
    assert len(unit.kernels) == 1


def test_host_units_that_a_build_reads_as_cuda_know_its_types(tmp_path):
    path = tmp_path / "main.cpp"
    path.write_text("""#include <cuda.h>
    void run(double2 *u, int n);
    int main() { double2 *u = new double2[8]; cudaFree(u); run(u, sizeof(float3)); }""")
    unit = lower_unit(str(path))
    assert (unit.diagnostics, unit.opaque_count) == ((), 0)


def test_names_that_no_header_declares_stay_errors(lower):
    unit = lower("__global__ void k(int *p) { *p = missing(); *p = std::nothing(); }")
    assert len(unit.diagnostics) == 2


def test_instances_of_variable_templates_are_variables_of_their_own(lower):
    unit = lower("""
    template <class T> __constant__ T mask[9];
    template <class T> constexpr T half = T(1) / 2;
    template <class T> __global__ void k(T *p, int i) { p[i] = mask<T>[i] * half<T>; }
    void run() { k<<<1, 1>>>((float *)0, 1); k<<<1, 1>>>((double *)0, 1); }""")
    assert unit.opaque_count == 0
    masks = [item.type for item in unit.globals.values() if item.storage is Storage.CONSTANT]
    assert sorted(type_.size_bytes for type_ in masks) == [9 * 4, 9 * 8]


LIKELY = {
    "class K, int RADIX_BITS": "int, 8",
    "int KERNEL_SIZE, int STRIDE, int RADIUS": "3, 1, 3",
    "int BLOCK_M, int kBlockN, int HEAD_DIM": "64, 64, 64",
    "typename T": "float",
    "class scalar_t": "float",
    "typename double_type": "double",
    "typename index_t": "int",
    "typename T, typename U = double": "float, double",
    "int BLOCK_SIZE": "256",
    "unsigned int TILE_DIM": "16",
    "int N": "32",
    "bool CAUSAL, int VEC": "false, 4",
    "int BM, int TM": "16, 4",
    "typename T, typename... Rest": "float",
    "E mode": "",
    "template <class> class C": "",
}


@pytest.mark.parametrize("parameters", LIKELY)
def test_likely_instances_follow_the_names_of_their_parameters(lower, parameters):
    text = f"enum class E {{ A }}; template <{parameters}> __global__ void k(float *p) {{ p[threadIdx.x] = 1; }}\n"
    assert lower(text).kernels == ()
    unit = lower(text, likely_instances=True)
    expected = LIKELY[parameters]
    assert [template.instance for template in unit.likely] == [f"k<{expected}>"] * bool(expected)
    assert len(unit.kernels) == bool(expected)
    assert unit.diagnostics == ()
    assert all("explicit_instance" not in item.name for item in unit.globals.values())


def test_a_block_with_rows_is_a_tile(lower):
    unit = lower(
        "template <int BLOCK> __global__ void k(float *p) { p[threadIdx.y * BLOCK + threadIdx.x] = 1; }",
        likely_instances=True,
    )
    assert [template.instance for template in unit.likely] == ["k<16>"]


ELEMENTS = {"float c[WM][WN] = {}": "c[0][0]", "float c[WM * WN]": "c[0]"}


@pytest.mark.parametrize("elements", ELEMENTS)
def test_a_tile_is_as_large_as_its_threads_with_their_elements(lower, elements):
    """64 by 64 elements for 256 threads with 4 by 4 each: 16 would be less than a thread has of 32."""
    unit = lower(
        "template <int BM, int BN, int WM, int WN> __global__ void k(float *p) {\n"
        "  __shared__ float a[BM][BN];\n"
        f"  {elements};\n"
        f"  a[threadIdx.x / BN][threadIdx.x % (BN / WN)] = p[0] = {ELEMENTS[elements]};\n"
        "}",
        likely_instances=True,
    )
    assert [template.instance for template in unit.likely] == ["k<64, 64, 4, 4>"]


def test_templates_whose_bodies_do_not_take_the_likely_instance_are_left(lower):
    unit = lower(
        "template <class F> __global__ void calls(float *p, F f) { p[0] = f.value(p[0]); }\n"
        "template <class T> __global__ void adds(T *p) { p[0] += 1; }\n",
        likely_instances=True,
    )
    assert [template.name for template in unit.likely] == ["adds"]
    assert [template.name for template in unit.uninstantiated] == ["calls"]
    assert unit.diagnostics == ()


@pytest.mark.parametrize("use", ["f(p[0])", "f(p[0], p[1])", "F()(p[0])", "F{}(p[0], 1)"])
def test_what_a_template_calls_is_a_functor(lower, use):
    text = f"template <class T, class F> __global__ void k(T *p, const F &f) {{ p[0] = {use}; }}"
    unit = lower(text, likely_instances=True)
    assert [template.instance for template in unit.likely] == ["k<float, likely_functor>"]
    assert unit.diagnostics == ()
