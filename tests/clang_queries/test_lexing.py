"""Lexical facts."""

from clang_queries.lexing import (
    LexemeKind,
    Lines,
    Skipped,
    balanced,
    directive_text,
    lexemes,
    macro_of,
    split_list,
)


def _launches(text):
    return [item.begin for item in lexemes(text) if item.kind is LexemeKind.LAUNCH]


def test_launch_tokens_outside_comments_strings_and_macros():
    text = b'k<<<1>>>(); // k<<<2\n/* <<< */ "<<<" \'"\' R"x(<<<)x"\n#define K k<<<1\n#define L \\\n  k<<<2\nk<<<3>>>()'
    assert _launches(text) == [1, text.rindex(b"<<<")]


def test_unfinished_comments_and_strings_end_the_scan_quietly():
    assert _launches(b'"abc\n<<< /* <<<') == [5]
    assert _launches(b"'a <<<\n<<<") == [7]
    assert _launches(b"1'000'000 <<< 2") == [10]


def test_directives_join_lines_and_drop_comments():
    [directive] = list(lexemes(b"  # pragma omp \\\n target /* x */ map(a) // y\n"))
    raw = b"  # pragma omp \\\n target /* x */ map(a) // y\n"[directive.begin : directive.end]
    assert directive_text(raw).split() == ["#", "pragma", "omp", "target", "map(a)"]


def test_comments_over_lines_do_not_end_directives():
    text = b"#pragma omp target /* a\n b */ teams // c\n x;\n#define N 1 /* d\n*/ + 1\nint i;"
    found = [directive_text(text[item.begin : item.end]) for item in lexemes(text)]
    assert [" ".join(item.split()) for item in found] == [
        "#pragma omp target teams",
        "#define N 1 + 1",
    ]


def test_macros():
    assert macro_of("#define N 4").body == "4"
    assert macro_of("# define F(a, b) a + b").parameters == ("a", "b")
    assert macro_of("#define E").body == ""
    assert macro_of("#undef N") is None


def test_lines_and_skipped_ranges():
    lines = Lines(b"ab\ncd\n")
    assert [lines.place(offset) for offset in (0, 2, 3, 6)] == [(1, 1), (1, 3), (2, 1), (3, 1)]
    skipped = Skipped([(5, 9), (1, 3)])
    assert [skipped.covers(offset) for offset in (0, 1, 2, 3, 8, 9)] == [
        False,
        True,
        True,
        False,
        True,
        False,
    ]


def test_balanced_and_split():
    assert balanced("f(a(b)c)d", 1) == 8
    assert balanced("f(a", 1) == 3
    assert split_list("a[0:n], f(x, y) , b") == ["a[0:n]", "f(x, y)", "b"]


def test_attributes_of_openmp_and_digraphs():
    text = b"[[omp::directive(target)]] a[[0]];\n  %:pragma omp target\n"
    assert [(item.kind, item.begin) for item in lexemes(text)] == [
        (LexemeKind.ATTRIBUTE, 0),
        (LexemeKind.DIRECTIVE, text.index(b"  %:")),
    ]
