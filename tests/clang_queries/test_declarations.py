"""Where declarations stand."""

from __future__ import annotations

from clang_queries.declarations import DeclarationKind, declared_source


def found(text: str) -> dict[tuple[str, ...], tuple[DeclarationKind, int, int]]:
    source = declared_source("k.cu", text=text)
    return {item.names: (item.kind, item.line, item.end_line) for item in source.declarations}


def test_every_kind_of_declaration_has_its_lines():
    text = """#include <cuda_runtime.h>
#define N \\
  4
enum Mode { FAST,
            SLOW };
template <class T> using Ptr = T *;
extern "C" {
__constant__ float weights[N] = {1,
  2};
}
namespace a { namespace b {
template <typename T>
__device__ T twice(T v) {
  return v + v;
}
} }
struct Pair { int x; int y; };
"""
    assert found(text) == {
        ("N",): (DeclarationKind.MACRO, 2, 3),
        ("Mode", "FAST", "SLOW"): (DeclarationKind.TYPE, 4, 5),
        ("Ptr",): (DeclarationKind.TYPE, 6, 6),
        ("weights",): (DeclarationKind.VARIABLE, 8, 9),
        ("twice",): (DeclarationKind.FUNCTION, 12, 15),
        ("Pair",): (DeclarationKind.TYPE, 17, 17),
    }


def test_headers_of_the_program_count_and_bundled_ones_do_not(tmp_path):
    (tmp_path / "own.h").write_text("#define WIDTH 8\nint helper(int);\n")
    main = tmp_path / "main.cu"
    main.write_text('#include <cstdlib>\n#include "own.h"\nint last;\n')
    source = declared_source(str(main))
    assert [item.names for item in source.declarations] == [("WIDTH",), ("helper",), ("last",)]
    assert sorted(source.texts) == [str(main), str(tmp_path / "own.h")]
