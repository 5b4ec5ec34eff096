"""Random kernels made of loops, guards and jumps: the same program as CUDA text and as a count over all threads.

Every statement that does something is a marker with a number: a float multiplication, a load or a store. `Nest.cuda` is
the kernel; `Nest.count` runs the same statements in Python, thread by thread, with C's integer arithmetic, and returns
how often each marker was reached.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hypothesis import strategies as st

WORK, LOAD, STORE = "work", "load", "store"
_NAMES = {WORK: "x", LOAD: "in", STORE: "out"}


@dataclass(frozen=True, slots=True)
class Term:
    """An integer or boolean expression in both languages."""

    c: str
    python: str


def _same(text: str) -> Term:
    return Term(text, text)


@dataclass(slots=True)
class _Writer:
    """Emits both programs."""

    c: list[str] = field(default_factory=list)
    python: list[str] = field(default_factory=list)
    markers: list[str] = field(default_factory=list)
    steps: list[list[str]] = field(default_factory=list)
    """What `continue` has to do first in Python, innermost loop last."""
    indent: int = 1

    def both(self, c: str, *python: str) -> None:
        self.c.append("  " * self.indent + c)
        self.python.extend("    " * self.indent + line for line in python)

    def only_c(self, text: str) -> None:
        self.c.append("  " * self.indent + text)


@dataclass(frozen=True, slots=True)
class Marker:
    """A statement whose executions are counted."""

    kind: str
    index: Term

    def write(self, out: _Writer) -> None:
        number = len(out.markers)
        out.markers.append(self.kind)
        text = {
            WORK: f"acc *= x{number};",
            LOAD: f"acc = fmaxf(acc, in{number}[{self.index.c}]);",
            STORE: f"out{number}[{self.index.c}] = acc;",
        }[self.kind]
        out.both(text, f"c[{number}] += 1")


@dataclass(frozen=True, slots=True)
class Change:
    """``name op= amount``."""

    name: str
    op: str
    amount: Term

    def write(self, out: _Writer) -> None:
        out.both(
            f"{self.name} {self.op}= {self.amount.c};",
            f"{self.name} {self.op}= {self.amount.python}",
        )


@dataclass(frozen=True, slots=True)
class Branch:
    """``if``."""

    condition: Term
    then: tuple[Any, ...]
    otherwise: tuple[Any, ...] = ()

    def write(self, out: _Writer) -> None:
        out.both(f"if ({self.condition.c}) {{", f"if {self.condition.python}:")
        _body(self.then, out)
        if self.otherwise:
            out.both("} else {", "else:")
            _body(self.otherwise, out)
        out.only_c("}")


@dataclass(frozen=True, slots=True)
class Jump:
    """``break``, ``continue`` or ``return``."""

    word: str

    def write(self, out: _Writer) -> None:
        before = out.steps[-1] if self.word == "continue" else []
        out.both(f"{self.word};", *before, self.word)


@dataclass(frozen=True, slots=True)
class Loop:
    """``for``, ``while`` or ``do``."""

    form: str
    name: str
    start: Term
    condition: Term
    step: Term
    body: tuple[Any, ...]

    def write(self, out: _Writer) -> None:
        step = [self.step.python]
        guard = ["tick()"]
        if self.form == "for":
            head = f"for (int {self.name} = {self.start.c}; {self.condition.c}; {self.step.c}) {{"
            out.both(head, f"{self.name} = {self.start.python}", f"while {self.condition.python}:")
        elif self.form == "while":
            out.both(f"int {self.name} = {self.start.c};", f"{self.name} = {self.start.python}")
            out.both(f"while ({self.condition.c}) {{", f"while {self.condition.python}:")
        else:
            out.both(f"int {self.name} = {self.start.c};", f"{self.name} = {self.start.python}")
            out.both("do {", "while True:")
        out.indent += 1
        for line in guard:
            out.python.append("    " * out.indent + line)
        if self.form == "for":
            out.steps.append(step)
        else:
            out.both(
                f"{self.step.c};", self.step.python
            )  # first, so that `continue` cannot skip it
            out.steps.append(
                [] if self.form == "while" else [f"if not ({self.condition.python}): break"]
            )
        for item in self.body:
            item.write(out)
        out.steps.pop()
        if self.form == "for":
            out.python.append("    " * out.indent + self.step.python)
        elif self.form == "do":
            out.python.append("    " * out.indent + f"if not ({self.condition.python}): break")
        out.indent -= 1
        out.only_c("}" if self.form != "do" else f"}} while ({self.condition.c});")


def _body(items: tuple[Any, ...], out: _Writer) -> None:
    out.indent += 1
    for item in items:
        item.write(out)
    if not items or not isinstance(items[-1], Marker | Change | Jump):
        out.python.append("    " * out.indent + "pass")
    out.indent -= 1


class TooLongError(Exception):
    """The count in Python would take too long."""


@dataclass(frozen=True, slots=True)
class Nest:
    """A kernel and its launch."""

    statements: tuple[Any, ...]
    grid: int
    block: int
    n: int
    m: int

    def _written(self) -> _Writer:
        out = _Writer()
        for item in self.statements:
            item.write(out)
        return out

    @property
    def markers(self) -> list[str]:
        """Kind of each marker."""
        return self._written().markers

    def cuda(self, name: str = "k") -> str:
        """The kernel."""
        out = self._written()
        declarations = {WORK: "float x", LOAD: "const float *in", STORE: "float *out"}
        parameters = "".join(
            f", {declarations[kind]}{number}" for number, kind in enumerate(out.markers)
        )
        head = [
            f"__global__ void {name}(int n, int m{parameters}, float *result) {{",
            "  int tx = threadIdx.x;",
            "  int t = blockIdx.x * blockDim.x + tx;",
            "  int v = 0;",
            "  float acc = 0.0f;",
        ]
        return "\n".join([*head, *out.c, "  result[t] = acc;", "}", ""])

    @property
    def arguments(self) -> dict[str, float | None]:
        """Arguments of the kernel; sizes of the arrays do not matter here."""
        values: dict[str, float | None] = {"n": self.n, "m": self.m, "result": None}
        for number, kind in enumerate(self.markers):
            values[f"{_NAMES[kind]}{number}"] = 1.5 if kind == WORK else None
        return values

    def count(self, limit: int) -> list[int]:
        """How often each marker is reached by all threads together.

        Raises:
            TooLongError: more than `limit` loop iterations are needed.
        """
        out = self._written()
        head = ["def thread(c, tx, t, n, m, tick):", "    v = 0"]
        names: dict[str, Any] = {"quotient": _quotient, "rest": _rest}
        exec("\n".join([*head, *out.python, ""]), names)  # noqa: S102 - own generated text
        thread: Callable[..., None] = names["thread"]
        counts = [0] * len(out.markers)
        iterations = 0

        def tick() -> None:
            nonlocal iterations
            iterations += 1
            if iterations > limit:
                raise TooLongError

        for block in range(self.grid):
            for tx in range(self.block):
                thread(counts, tx, block * self.block + tx, self.n, self.m, tick)
        return counts


def _quotient(a: int, b: int) -> int:
    return abs(a) // b if a >= 0 else -(abs(a) // b)


def _rest(a: int, b: int) -> int:
    return a - _quotient(a, b) * b


# Strategies


@st.composite
def terms(draw: st.DrawFn, names: list[str], largest: int, depth: int = 2) -> Term:
    """Integer expressions over the names in scope."""
    if depth == 0 or draw(st.booleans()):
        if names and draw(st.integers(0, 2)):
            return _same(draw(st.sampled_from(names)))
        return _same(str(draw(st.integers(1, largest))))
    left = draw(terms(names, largest, depth - 1))
    kind = draw(st.sampled_from(["+", "-", "*", "/", "%"]))
    if kind in ("+", "-"):
        right = draw(terms(names, largest, depth - 1))
        return Term(f"({left.c} {kind} {right.c})", f"({left.python} {kind} {right.python})")
    number = draw(st.integers(2, 4))
    if kind == "*":
        return Term(f"({left.c} * {number})", f"({left.python} * {number})")
    function = "quotient" if kind == "/" else "rest"
    return Term(f"({left.c} {kind} {number})", f"{function}({left.python}, {number})")


@st.composite
def conditions(draw: st.DrawFn, names: list[str], largest: int) -> Term:
    """Comparisons, residues and pairs of them."""
    left = draw(terms(names, largest))
    kind = draw(st.integers(0, 5))
    if kind == 0:
        modulus = draw(st.integers(2, 5))
        residue = draw(st.integers(0, modulus - 1))
        return Term(
            f"{left.c} % {modulus} == {residue}", f"rest({left.python}, {modulus}) == {residue}"
        )
    if kind == 1:
        a, b = draw(conditions(names, largest)), draw(conditions(names, largest))
        word = draw(st.sampled_from([("&&", "and"), ("||", "or")]))
        return Term(f"({a.c}) {word[0]} ({b.c})", f"({a.python}) {word[1]} ({b.python})")
    op = draw(st.sampled_from(["<", "<=", ">", ">=", "==", "!="]))
    right = draw(terms(names, largest, 1))
    return Term(f"{left.c} {op} {right.c}", f"{left.python} {op} {right.python}")


@st.composite
def loops(draw: st.DrawFn, names: list[str], largest: int, depth: int, name: str) -> Loop:
    """A loop that ends, whatever its body does."""
    form = draw(st.sampled_from(["for", "for", "for", "while", "do"]))
    shape = draw(st.sampled_from(["up", "up", "up", "down", "double", "halve"]))
    bound = draw(terms([item for item in names if item != "v"], largest, 1))
    start = draw(terms(names, 2, 1)) if draw(st.integers(0, 2)) == 2 else _same("0")
    if shape == "up":
        step = draw(st.sampled_from([1, 1, 2, 3]))
        op = draw(st.sampled_from(["<", "<="]))
        condition = Term(f"{name} {op} {bound.c}", f"{name} {op} {bound.python}")
        change = _same(f"{name} += {step}")
    elif shape == "down":
        step = draw(st.sampled_from([1, 2]))
        condition = Term(f"{name} > {start.c}", f"{name} > {start.python}")
        start, change = bound, _same(f"{name} -= {step}")
    elif shape == "double":
        start = _same(str(draw(st.integers(1, 3))))
        condition = Term(f"{name} < {bound.c}", f"{name} < {bound.python}")
        change = _same(f"{name} *= 2")
    else:
        start = bound
        condition = _same(f"{name} > 0")
        change = Term(f"{name} >>= 1", f"{name} >>= 1")
    body = draw(bodies([*names, name], largest, depth - 1, in_loop=True))
    return Loop(form, name, start, condition, change, body)


@st.composite
def bodies(draw: st.DrawFn, names: list[str], largest: int, depth: int, *, in_loop: bool) -> Any:
    """A few statements; loops only while `depth` lasts."""
    found: list[Any] = []
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.integers(0, 9))
        if (kind <= 3 and depth > 0) or (not found and depth > 1):
            name = f"i{depth}"
            inner = draw(loops([item for item in names if item != name], largest, depth, name))
            found.append(Branch(_same("n > 0"), (inner,)) if inner.form != "for" else inner)
        elif kind == 4:
            then = draw(guarded(names, largest, depth, in_loop=in_loop))
            found.append(then)
        elif kind == 5:
            amount = draw(terms([item for item in names if item != "v"], 3, 1))
            found.append(Change("v", "+", amount))
        else:
            what = draw(st.sampled_from([WORK, WORK, LOAD, STORE]))
            found.append(Marker(what, draw(terms(names, largest, 1))))
    return tuple(found)


@st.composite
def guarded(
    draw: st.DrawFn, names: list[str], largest: int, depth: int, *, in_loop: bool
) -> Branch:
    """A branch around markers or a jump."""
    condition = draw(conditions(names, largest))
    words = ["break", "continue", "return"] if in_loop else ["return"]
    if draw(st.integers(0, 2)) == 0:
        return Branch(condition, (Jump(draw(st.sampled_from(words))),))
    then = draw(bodies(names, largest, min(depth, 1), in_loop=in_loop))
    if draw(st.booleans()):
        return Branch(condition, then)
    return Branch(condition, then, draw(bodies(names, largest, min(depth, 1), in_loop=in_loop)))


@st.composite
def nests(
    draw: st.DrawFn,
    *,
    blocks: st.SearchStrategy[int],
    threads: st.SearchStrategy[int],
    largest: int,
    depth: int,
) -> Nest:
    """Kernels with launches."""
    names = ["n", "m", "t", "tx", "v"]
    statements = draw(bodies(names, largest, depth, in_loop=False))
    return Nest(
        (*statements, Marker(WORK, _same("0"))),
        draw(blocks),
        draw(threads),
        draw(st.integers(1, largest)),
        draw(st.integers(0, largest)),
    )
