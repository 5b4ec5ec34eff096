"""OpenMP directives: found, read and bound."""

import pytest
from ir_text import dump_statement, text as printed

from clang_queries.command_line import Language
from clang_queries.directive_syntax import parse_directive
from clang_queries.ir.expressions import Constant
from clang_queries.ir.statements import (
    Compound,
    DiagnosticKind,
    Directive,
    Evaluate,
    Loop,
    OpaqueStmt,
)


@pytest.fixture
def directives(function, nodes):
    """The directives of a function `f`."""

    def run(text, **options):
        return nodes(function(text, language=Language.OPENMP, **options), Directive)

    return run


def test_directive_words_and_clauses():
    name, clauses = parse_directive(
        " target teams distribute parallel for simd map(to: a[0:n], b) collapse(2), nowait if (target: n > 3)"
    )
    assert name == "target teams distribute parallel for simd"
    assert clauses == (
        ("map", "to: a[0:n], b"),
        ("collapse", "2"),
        ("nowait", ""),
        ("if", "target: n > 3"),
    )
    assert parse_directive(" target update from(a)")[0] == "target update"
    assert parse_directive(" critical (lock)") == ("critical", (("", "lock"),))
    assert parse_directive(" atomic update") == ("atomic", (("update", ""),))


def test_binds_to_the_next_statement_and_nests(directives):
    found = directives("""
    void f(float *a, int n) {
      #pragma omp target data map(tofrom: a[0:n])
      {
        #pragma omp target teams distribute \\
                parallel for // all
        for (int i = 0; i < n; i++) a[i] = 0;
        a[0] = 1;
      }
      #pragma omp target
      #pragma omp parallel
      a[1] = 2;
    }
    """)
    assert [(item.name, type(item.body)) for item in found] == [
        ("target data", Compound),
        ("target teams distribute parallel for", Loop),
        ("target", Directive),
        ("parallel", Evaluate),
    ]
    assert [item.position.line for item in found] == [3, 5, 10, 11]


def test_standalone_directives_stand_before_and_behind_statements(function):
    found = function(
        """
        void f(int *a, int n) {
          #pragma omp target enter data map(to: a[0:n])
          if (n)
            #pragma omp barrier
            a[0] = 1;
          #pragma omp target exit data map(from: a[0:n])
        }
        """,
        language=Language.OPENMP,
    )
    assert [type(item).__name__ for item in found.body.body] == ["Directive", "If", "Directive"]
    assert [item.body for item in (found.body.body[0], found.body.body[2])] == [None, None]
    assert dump_statement(found.body.body[1].then).split() == [
        "{",
        "#omp",
        "barrier",
        "a#1[0]",
        "=",
        "1;",
        "}",
    ]


def test_skipped_and_declarative_directives_are_left_out(directives):
    found = directives("""
    #pragma omp declare target
    int g(int x) { return x; }
    #pragma omp end declare target
    void f(int *a) {
    #if 0
      #pragma omp target
    #endif
      /* #pragma omp target */
      #pragma omp parallel
      a[0] = g(1);
    }
    """)
    assert [item.name for item in found] == ["parallel"]


def test_clause_expressions_know_macros_parameters_members_and_flags(lower, nodes):
    unit = lower(
        """
        #define TEAMS (4 * WIDE)
        #define WIDE 8
        enum { E = 5 };
        struct P { int n; };
        template <int N> void g(int *a, P p, int n) {
          #pragma omp target teams num_teams(TEAMS) thread_limit(N + E + D) map(to: a[0:p.n], n) \\
            reduction(+: n) schedule(static, n / 2) if(n > 3 && !a) device(-n << 1)
          a[0] = n;
        }
        void f(int *a, P p) { g<3>(a, p, 2); }
        """,
        language=Language.OPENMP,
        defines=("D=9",),
    )
    g = next(item for item in unit.functions.values() if item.name == "g")
    [found] = nodes(g, Directive)
    values = {
        clause.name: [printed(item) for item in clause.expressions] for clause in found.clauses
    }
    assert values == {
        "num_teams": ["4 * 8"],
        "thread_limit": ["(3 + 5) + 9"],
        "map": ["opaque[array section](a#1, 0, p#2.n@0)", "n#3"],
        "reduction": ["n#3"],
        "schedule": ["n#3 / 2"],
        "if": ["(n#3 > 3) && (!((bool)a#1))"],
        "device": ["(-n#3) << 1"],
    }
    assert unit.opaque_count == 0


def test_clause_names_are_looked_up_in_namespaces_and_classes(lower, nodes):
    unit = lower(
        """
        namespace conf {
        constexpr int WIDE = 64; const int DEEP = 4; enum { LANES = 32 };
        struct P { static constexpr int K = 16; };
        namespace inner { constexpr int WIDE = 8; }
        }
        using conf::WIDE;
        using namespace conf;
        namespace own {
        constexpr int WIDE = 2;
        void f(int *a) {
          #pragma omp target teams num_teams(WIDE) thread_limit(conf::WIDE) device(conf::inner::WIDE)
          a[0] = 1;
        }
        }
        void f(int *a) {
          #pragma omp target teams num_teams(WIDE * DEEP) thread_limit(LANES) device(P::K)
          a[0] = 1;
        }
        template <class T> struct S {
          static constexpr int TEAM = 128, HALF = TEAM / 2;
          void f(T *a) {
            #pragma omp target teams num_teams(TEAM) thread_limit(HALF)
            a[0] = 1;
          }
        };
        void g(int *a) { S<int>{}.f(a); }
        """,
        language=Language.OPENMP,
        extra_flags=("-std=c++17",),
    )
    found = {
        function.name: [
            printed(item)
            for directive in nodes(function, Directive)
            for clause in directive.clauses
            for item in clause.expressions
        ]
        for function in unit.functions.values()
    }
    values = {item.name: item.initializer for item in unit.globals.values()}
    assert found.pop("S::f") == ["128", "64"]
    assert found.pop("own::f") == ["own::WIDE", "conf::WIDE", "conf::inner::WIDE"]
    assert found.pop("f") == ["conf::WIDE * conf::DEEP", "32", "conf::P::K"]
    assert printed(values["conf::WIDE"]) == "64"
    assert unit.opaque_count == 0


def test_sections_of_the_object_and_of_captured_arrays_are_read(lower, nodes):
    unit = lower(
        """
        struct S {
          float *p; int n;
          void go() {
            #pragma omp target enter data map(to: this[0:1], this[:1], this->p[0:n])
          }
        };
        void f(S *s, float *a, int m) {
          s->go();
          auto part = [&] {
            #pragma omp target map(to: a[0:m])
            a[m - 1] = 0;
          };
          part();
        }
        """,
        language=Language.OPENMP,
    )
    assert unit.diagnostics == ()
    assert unit.opaque_count == 0
    found = [x for function in unit.functions.values() for x in nodes(function, Directive)]
    assert sorted(len(item.clauses[0].expressions) for item in found) == [1, 3]


@pytest.mark.parametrize(
    ("directive", "said"),
    [
        ("taget teams", "'taget' is no directive of OpenMP that is known here: left out"),
        (
            "parallel for schedule(wild)",
            "'wild' in schedule(wild) is no kind of schedule: read without it",
        ),
        ("target loop", "'loop' is no clause of '#pragma omp target': read without it"),
        (
            "tile sizes(4)",
            "the loops under '#pragma omp tile' are read as if it did not stand there",
        ),
    ],
)
def test_what_has_no_effect_is_said(lower, directive, said):
    text = f"void f(int *a) {{\n#pragma omp {directive}\nfor (int i = 9; i > 0; i--) a[i] = 0;\n}}"
    [found] = lower(text, language=Language.OPENMP).diagnostics
    assert (found.text, found.position.line) == (said, 2)


def test_unreadable_clause_is_counted_and_kept_as_text(lower, nodes):
    unit = lower(
        "void f(int *a) {\n#pragma omp parallel num_threads(a @ 1)\n a[0] = 1; }",
        language=Language.OPENMP,
    )
    [found] = nodes(next(iter(unit.functions.values())), Directive)
    assert found.clauses[0].text == "a @ 1"
    assert unit.opaque_count == 1
    assert [item.text for item in unit.diagnostics] == ["'a @ 1' in a clause could not be read"]


def test_a_metadirective_is_read_as_its_target_variant(lower, nodes):
    unit = lower(
        "void f(int *a, int n) {\n#pragma omp metadirective when(user={condition(n > 9)}: parallel for) "
        "when(device={kind(gpu)}: target teams loop num_teams(n)) otherwise(single)\n"
        "for (int i = 0; i < n; i++) a[i] = 1; }",
        language=Language.OPENMP,
    )
    [found] = nodes(next(iter(unit.functions.values())), Directive)
    assert (found.name, found.clauses[0].text) == ("target teams loop", "n")
    assert [item.kind for item in unit.diagnostics] == [DiagnosticKind.READING]
    assert "read as '#pragma omp target teams loop" in unit.diagnostics[0].text


def test_words_that_are_no_clauses_are_said(lower, nodes):
    unit = lower(
        "void f(int *a, int n) {\n#pragma omp target teams distrbute nowait\n"
        "for (int i = 0; i < n; i++) a[i] = 1; }",
        language=Language.OPENMP,
    )
    [found] = nodes(next(iter(unit.functions.values())), Directive)
    assert found.name == "target teams"
    assert [(item.text, item.position.line) for item in unit.diagnostics] == [
        ("'distrbute' is no clause of '#pragma omp target teams': read without it", 2)
    ]


def test_pragma_operator_and_macros(directives):
    found = directives("""
    #define PARALLEL _Pragma("omp parallel for")
    #define OMP(x) _Pragma(#x)
    void f(int *a, int n) {
      PARALLEL
      for (int i = 0; i < n; i++) a[i] = 0;
      OMP(omp target teams num_teams(n))
      for (int i = 0; i < n; i++) a[i] = 0;
      _Pragma("omp single")
      a[0] = 1;
    }
    """)
    assert [(item.name, type(item.body).__name__) for item in found] == [
        ("parallel for", "Loop"),
        ("target teams", "Loop"),
        ("single", "Evaluate"),
    ]


def test_every_way_to_write_a_directive(directives):
    found = directives(r"""
    #define P _Pragma
    #define DO(x) P(#x)
    #define ALIAS DO
    #define BOTH \
      _Pragma("omp target num_teams(9) \
              thread_limit(9)")
    void f(int *a) {
      P("omp target num_teams(1)") a[0] = 1;
      DO(omp target \
         num_teams(2)) a[0] = 1;
      ALIAS(omp target num_teams(3)) a[0] = 1;
      _Pragma("omp target \
               num_teams(4)") a[0] = 1;
      _Pragma(L"omp target num_teams(5)") a[0] = 1;
      _Pragma(R"x(omp target num_teams(6))x") a[0] = 1;
      [[omp::directive(target num_teams(7))]] a[0] = 1;
      [[using omp: sequence(directive(target), directive(parallel num_threads(8)))]] a[0] = 1;
      BOTH a[0] = 1;
      %:pragma omp target num_teams(10)
      a[0] = 1;
      a[a[0]] = 1;
    }
    """)
    assert [
        (item.name, [clause.text for clause in item.clauses], type(item.body).__name__)
        for item in found
    ] == [
        *(("target", [str(number)], "Evaluate") for number in range(1, 8)),
        ("target", [], "Directive"),
        ("parallel", ["8"], "Evaluate"),
        ("target", ["9", "9"], "Evaluate"),
        ("target", ["10"], "Evaluate"),
    ]


@pytest.mark.parametrize(
    ("text", "line", "kind"),
    [
        (
            "void f(int *a) { a[0] = 1;\n#pragma omp target\n // no more\n}",
            2,
            DiagnosticKind.INVALID,
        ),
        (
            "void f(int *a) { a[0] = 1; }\n#pragma omp target\n#define N\n",
            2,
            DiagnosticKind.INVALID,
        ),
    ],
)
def test_directives_without_a_statement_are_said_and_left_out(lower, nodes, text, line, kind):
    unit = lower(text, language=Language.OPENMP)
    assert not nodes(next(iter(unit.functions.values())), Directive)
    assert [
        (item.position.line, item.kind)
        for item in unit.diagnostics
        if item.kind is not DiagnosticKind.PARSE
    ] == [(line, kind)]


LOST = """
void f(int *a, int n) {
  #pragma omp target teams
  #pragma omp distribute
  for (int i = 0; i < n; i++) a[i] = missing;  // error
  #if 0
  a[0] = 1;
  #endif
  #pragma omp target
  for (int i = 0; i < n; i++) a[i] = 1;
  #pragma omp target update to(a[0:n])
  #pragma omp target
  a[0] = missing[1];
}
"""


def test_a_lost_statement_is_not_the_next_one(lower, nodes):
    unit = lower(LOST, language=Language.OPENMP)
    [function] = unit.functions.values()
    first, second, sound, update, last = nodes(function, Directive)
    assert first.body is second
    assert isinstance(sound.body, Loop)
    assert update.body is None
    for directive, line in ((second, 5), (last, 13)):
        [lost] = directive.body.body
        assert (lost.is_lost, lost.position.line) == (True, line)
        assert "missing" in lost.reason
    said = [item.position.line for item in unit.diagnostics if item.kind is DiagnosticKind.READING]
    assert said == [4, 12]


@pytest.mark.parametrize(
    ("statement", "is_lost"),
    [
        ("{ a[0] = ; }", True),
        ("{ a[0] = missing; }", True),
        ("for (int k = 0; k < missing; k++) a[k] = 1;", True),
        ("{ unknown_t x = a[0]; a[1] = 2; }", True),
        ("a[0] = missing(a[1]);", False),  # the call stands in the tree
        ("a[0] = 1", False),  # the parser knows what is missing
        ("a[0] = 1;", False),
    ],
)
def test_what_the_parser_loses_is_told_from_what_it_mends(lower, nodes, statement, is_lost):
    unit = lower(f"__global__ void f(int *a) {{ if (a[2]) {statement} }}")
    assert (
        any(item.is_lost for item in nodes(next(iter(unit.functions.values())), OpaqueStmt))
        == is_lost
    )


def test_directives_in_discarded_branches_are_dropped(lower, nodes):
    text = """
    template <bool B> void f(int *a) {
      if constexpr (B) {
        #pragma omp target
        a[0] = 1;
      } else {
        #pragma omp target teams
        a[1] = 2;
      }
    }
    template void f<true>(int *);
    template void f<false>(int *);
    """
    unit = lower(text, language=Language.OPENMP, extra_flags=("-std=c++17",))
    assert unit.diagnostics == ()
    found = {
        function.template_arguments: [item.name for item in nodes(function, Directive)]
        for function in unit.functions.values()
    }
    assert sorted(found.values()) == [["target"], ["target teams"]]


def test_macros_stand_for_words_and_clauses_of_directives(directives):
    found = directives("""
    #define DIR target teams distribute
    #define TEAMS 7
    #define SIZE(n) num_teams(n) thread_limit(64)
    #define NOTHING
    void f(int *a, int n) {
      #pragma omp DIR parallel for SIZE(TEAMS) NOTHING
      for (int i = 0; i < n; i++) a[i] = 0;
    }
    """)
    assert [(item.name, [(x.name, x.text) for x in item.clauses]) for item in found] == [
        ("target teams distribute parallel for", [("num_teams", "7"), ("thread_limit", "64")])
    ]


def test_directives_in_nested_macros(directives):
    found = directives("""
    #define QUOTE(x) #x
    #define OMP(x) _Pragma(QUOTE(omp x))
    #define TEAMS 40
    #define SPREAD(n) OMP(target teams distribute parallel for num_teams(n))
    void f(int *a, int n) {
      SPREAD(TEAMS)
      for (int i = 0; i < n; i++) a[i] = 0;
    }
    """)
    assert [(item.name, item.clauses[0].text, type(item.body).__name__) for item in found] == [
        ("target teams distribute parallel for", "40", "Loop")
    ]


def test_directives_and_loops_from_the_same_macro(lower, nodes):
    unit = lower(
        """
        #define LOOP(i, n) for (int i = 0; i < n; i++)
        #define KERNEL(name) void name(int *a, int n) { \\
            _Pragma("omp target") LOOP(i, n) a[i] = 0; }
        #define TWICE(a, n) do { _Pragma("omp single") LOOP(i, n) a[i] = 1; \\
            _Pragma("omp master") LOOP(i, n) { for (int k = 0; k < 3; k++) a[i] += k; } } while (0)
        #define ON(n, ...) _Pragma("omp critical") for (int i = 0; i < n; i++) __VA_ARGS__
        #define WITH(text, statement) _Pragma(text) statement
        KERNEL(first)
        void f(int *a, int n) {
          TWICE(a, n);
          ON(n, { for (int k = 0; k < 3; k++) a[i] += k; })
          ON(n + 1, a[i]--;)
          WITH("omp parallel for", for (int i = 0; i < n; i++) a[i] = 0;)
        }
        """,
        language=Language.OPENMP,
    )
    found = {
        function.name: [
            (item.name, type(item.body).__name__, len(nodes(item, Directive)))
            for item in nodes(function, Directive)
        ]
        for function in unit.functions.values()
    }
    assert found == {
        "first": [("target", "Loop", 0)],
        "f": [
            ("single", "Loop", 0),
            ("master", "Loop", 0),
            ("critical", "Loop", 0),
            ("critical", "Loop", 0),
            ("parallel for", "Loop", 0),
        ],
    }


def test_directives_in_a_lambda_stay_there(lower, nodes):
    unit = lower(
        """
        void f(int *a, int n) {
          auto run = [=]() {
            #pragma omp parallel
            a[0] = n;
          };
          a[1] = 2;
          run();
        }
        """,
        language=Language.OPENMP,
    )
    counts = {
        item.name.rpartition("::")[2]: len(nodes(item, Directive))
        for item in unit.functions.values()
    }
    assert counts == {"f": 0, "operator()": 1}


def test_directives_of_a_file_included_in_a_body(tmp_path, directives):
    (tmp_path / "part.h").write_text("#pragma omp parallel\na[0] = 1;\n")
    source = 'void f(int *a) {\n#include "part.h"\n}\n'
    [found] = directives(source, path=str(tmp_path / "main.cpp"))
    assert (found.position.line, found.position.file.endswith("part.h")) == (1, True)


def test_bound_of_a_constant_is_known(directives):
    [found] = directives("void f(int *a) {\n#pragma omp parallel num_threads(0x10)\n a[0] = 1; }")
    [value] = found.clauses[0].expressions
    assert isinstance(value, Constant)
    assert value.value == 16
