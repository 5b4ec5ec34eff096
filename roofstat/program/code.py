"""Structured three-address code: what the abstract machine runs and what the instruction model reads.

Control flow stays structured (like WebAssembly): `Leave` ends an enclosing `Scope`; `break`, `continue`, `return` from
an inlined function and forward `goto` are all `Leave`. Registers are integers. A register is either a temporary
(written by one instruction, once an execution) or a variable (`Code.variables`; written by `MOV`s). Constants are
registers too (`Code.constants`). Pointers are registers of type U64.

Memory that could not be promoted to registers (arrays, escaping locals, shared memory) is a `Slot`.
"""

from __future__ import annotations

from dataclasses import field
from enum import Enum
from functools import lru_cache
from typing import TYPE_CHECKING

from clang_queries.quick_dataclass import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clang_queries.ir.expressions import Position
    from clang_queries.ir.types import Scalar
    from roofstat.program.nests import NestShape
    from roofstat.program.tables import Table


class Op(Enum):
    """Operation codes. `Instruction.scalar` is the operand type unless said otherwise."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    MOV = "mov"  # variable <- a
    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    REM = "rem"
    SHL = "shl"  # scalar: type of the left operand
    SHR = "shr"
    AND = "and"
    OR = "or"
    XOR = "xor"
    NEG = "neg"
    BIT_NOT = "not"
    NOT = "lnot"  # truth value
    LT = "lt"  # comparisons: scalar is the type compared, the result is bool
    LE = "le"
    GT = "gt"
    GE = "ge"
    EQ = "eq"
    NE = "ne"
    CAST = "cast"  # scalar: target; detail: source Scalar
    BITCAST = "bitcast"  # same bits, scalar: target; detail: source Scalar
    SELECT = "select"  # condition, if true, if false
    PTR_ADD = "ptr_add"  # base, index; detail: scale in bytes; scalar: type of the index
    PTR_DIFF = "ptr_diff"  # a, b; detail: element size in bytes
    SLOT = "slot"  # address of a slot; detail: index into Code.slots
    GLOBAL = "global"  # address of a global variable; detail: its key
    PARAM = "param"  # kernel or function argument; detail: ParameterPiece
    SPECIAL = "special"  # detail: SpecialRegister
    LOAD = "load"  # address; detail: MemoryAccess
    STORE = "store"  # address, value; detail: MemoryAccess
    COPY = "copy"  # destination address, source address; detail: size in bytes (record copies that stay in memory);
    # scalar: the unit that it is moved in
    ZERO = "zero"  # address; detail: size in bytes; scalar: the unit
    TEXTURE = (
        "texture"  # texture or surface (object or address of a reference), coordinates..., value for writes; detail:
        # TextureAccess; scalar: type of the coordinates
    )
    ATOMIC = "atomic"  # address, operands...; detail: AtomicAccess; scalar: type of the datum
    MATH = (
        "math"  # operands; detail: name (``sqrt``, ``exp``, ``fma``, ``min``, ...), see cost tables
    )
    SHUFFLE = "shuffle"  # value, lane operand; detail: name (``up``, ``down``, ``xor``, ``idx``)
    VOTE = "vote"  # predicate; detail: name (``any``, ``all``, ``ballot``, ``activemask``, ``reduce_add`` ...)
    BARRIER = "barrier"  # detail: name (``block``, ``warp``, ``grid``, ``fence``)
    TENSOR = "tensor"  # operands; detail: TensorOperation
    ASM = "asm"  # operands; detail: the PTX mnemonic; one instruction for each PTX statement
    CALL = "call"  # arguments; detail: function key (not inlined: recursion, host functions)
    ARGUMENT = "argument"  # what a called device function gets; detail: its number, -1 for a flag that is never set
    RETURN = "return"  # the end of a called device function; its result, if any
    CALL_POINTER = "call_pointer"  # function pointer, arguments
    FUNCTION = "function"  # address of a function; detail: its key
    STRING = "string"  # address of a string literal; detail: the text
    LIBRARY = "library"  # arguments; detail: LibraryCall (no body is visible)
    LAUNCH = (
        "launch"  # kernel, grid x y z, block x y z, shared bytes, arguments...; detail: LaunchSite
    )
    UNKNOWN = "unknown"  # operands; detail: the reason; a value nobody can know


class SpecialRegister(Enum):
    """Values that the hardware gives a thread."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    TID_X = "threadIdx.x"
    TID_Y = "threadIdx.y"
    TID_Z = "threadIdx.z"
    CTAID_X = "blockIdx.x"
    CTAID_Y = "blockIdx.y"
    CTAID_Z = "blockIdx.z"
    NTID_X = "blockDim.x"
    NTID_Y = "blockDim.y"
    NTID_Z = "blockDim.z"
    NCTAID_X = "gridDim.x"
    NCTAID_Y = "gridDim.y"
    NCTAID_Z = "gridDim.z"
    WARP_SIZE = "warpSize"
    LANE_ID = "laneid"
    CLOCK = "clock"


class Space(Enum):
    """Address spaces."""

    __hash__ = object.__hash__  # members are looked up in every step: skip the hash of the name

    GLOBAL = "global"
    SHARED = "shared"
    LOCAL = "local"
    CONSTANT = "constant"
    TEXTURE = "texture"
    HOST = "host"
    GENERIC = "generic"
    """Not known before the code runs."""


SHARED_WINDOW = 1 << 36
"""Where generic addresses of shared memory begin; the 32-bit ones of PTX count from there."""

MEMORY_ACCESSES = frozenset({Op.LOAD, Op.STORE, Op.ATOMIC})
"""Operations whose first operand is the address of what they read or write."""
BINARY_ARITHMETIC = frozenset(
    {
        Op.ADD,
        Op.SUB,
        Op.MUL,
        Op.DIV,
        Op.REM,
        Op.SHL,
        Op.SHR,
        Op.AND,
        Op.OR,
        Op.XOR,
    }
)
"""Operations on two numbers that give a number of their type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryAccess:
    """How a LOAD or STORE touches memory.

    A vector access (a `float4` load) is several LOADs with the same `group`: the first carries
    `access_bytes` of the whole, the others carry 0 and belong to it.
    """

    offset_bytes: int
    access_bytes: int
    array: str = ""
    """Name of the base expression in the source, for reports."""
    group: int | None = None
    is_volatile: bool = False
    is_read_only: bool = False
    """`__ldg`, or through a const __restrict__ pointer."""
    is_in_assembly: bool = False
    """Whether nvcc's headers write it as assembly, as `__ldg` and its kin, so that its pointer is an operand."""
    bit_offset: int = 0
    bit_width: int | None = None
    access_offset_bytes: int = 0
    """Where a vector access begins, from the datum that carries it; at most 0 for the first member."""
    record: str = ""
    """Key of the record that the datum is a member of, where the expression says so; "" for plain data."""
    record_offset_bytes: int = 0
    """Offset of the datum from the start of an object of known alignment."""
    record_align_bytes: int = 0
    """Alignment of that object; 0 where only the datum's own is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AtomicAccess:
    """An atomic read-modify-write."""

    name: str
    """``add``, ``sub``, ``exch``, ``min``, ``max``, ``inc``, ``dec``, ``cas``, ``and``, ``or``, ``xor``."""
    access_bytes: int
    array: str = ""
    result_used: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorOperation:
    """A matrix instruction: D[M,N] = A[M,K] B[K,N] + C, executed by a warp together."""

    m: int
    n: int
    k: int
    input_type: str
    kind: str
    """``mma``, ``load``, ``store`` or ``fill``."""
    tile: TensorTile | None = None
    """What ``load`` and ``store`` move; operands are then the address and the elements from line to line."""
    fragments: int = 0
    """The last operands are the addresses of this many fragments; all kinds but ``store`` write the first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TensorTile:
    """A matrix in memory: `lines` stretches of `line_bytes` each."""

    lines: int
    line_bytes: int
    element_bytes: int
    lane_bytes: int
    """What a lane moves in one request."""
    is_crossed: bool
    """Four lanes stand for four lines and eight for neighbours within a line; otherwise eight lines, four neighbours."""
    array: str = ""

    @property
    def shape(self) -> tuple[int, int]:
        """Lines, and neighbours within a line, of one request."""
        return (4, 8) if self.is_crossed else (8, 4)

    @property
    def steps(self) -> tuple[int, int]:
        """Requests over the lines, and along them."""
        lines, neighbours = self.shape
        return -(-self.lines // lines), max(self.line_bytes // (neighbours * self.lane_bytes), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class TextureAccess:
    """A texture fetch, or a read or write of a surface."""

    name: str
    dimensions: int
    """1, 2 or 3 coordinates; a layer or face counts as the last one."""
    access_bytes: int
    """0 for the further components of a fetch."""
    is_store: bool = False
    is_byte_indexed: bool = False
    """Whether the first coordinate counts bytes (surfaces)."""
    component_offset_bytes: int = 0
    array: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterPiece:
    """A scalar part of an argument: parameter number and offset within it."""

    index: int
    offset_bytes: int
    name: str
    is_restrict: bool = False
    points_to_const: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryCall:
    """A call of a function without a visible body."""

    name: str
    template_arguments: tuple[str, ...] = ()
    result_size_bytes: int = 0
    """Size of a record result; the first argument then is the address that the result goes to."""
    result_pointee_bytes: int = 0
    """Size of what a pointer result points to."""
    object_type: str = ""
    """Type of the object, for methods and constructors: ``std::vector<float>``."""


ABORTING_CALLS = frozenset({"__assert_fail", "__assertfail", "__trap", "trap", "abort"})
"""Functions of device code that no correct program reaches."""
STATED_VALUE = "stated value"
"""Name of the call that stands for a host variable to which the user gives a value, should it be unknown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LaunchSite:
    """A kernel launch in host code."""

    kernel: str | None
    """Key of the kernel; None where it comes from operand 0 (a function pointer)."""
    is_target_region: bool = False
    """An OpenMP target region: 0 in a size means that the run time chooses, and the operands before the arguments are the
    trip count of the region's loop nest and whether its clauses let it be launched."""
    host_reason: str = ""
    """Why a target region is run on the host here instead; empty for a launch."""


@dataclass(slots=True, eq=False)
class Instruction:
    """One operation; `site` is unique within its `Code` and keeps its meaning in traces."""

    op: Op
    dest: int
    """Register written, -1 for none."""
    args: tuple[int, ...]
    scalar: Scalar
    site: int
    position: Position
    detail: object = None


@dataclass(slots=True, eq=False)
class Block:
    """A straight run of instructions; `number` is unique within its `Code`."""

    number: int
    instructions: list[Instruction] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class If:
    """Two-way branch; `kind` says where it comes from."""

    condition: int
    then: list[Region]
    otherwise: list[Region]
    position: Position
    kind: str = "if"
    """``if``, ``conditional`` (?:), ``logical`` (&&, ||)."""
    number: int = 0
    nest: NestShape | None = None
    """Where the branch leaves out what lies outside of a loop nest."""
    is_inlined: bool = False
    """Whether it stands in a function that was inlined."""


@dataclass(slots=True, eq=False)
class Loop:
    """``condition`` regions compute `condition_register` (None: endless); then body; then step; and again."""

    number: int
    condition: list[Region]
    condition_register: int | None
    body: list[Region]
    step: list[Region]
    position: Position
    tests_before: bool = True
    unroll: int | None = None
    is_grid_stride: bool = False
    """An implicit OpenMP loop that distributes iterations over the grid."""
    leaves_backwards: bool = False
    """Whether LLVM lays what follows it anywhere but right behind its body (see `loop_layout`)."""


@dataclass(slots=True, eq=False)
class Scope:
    """Target of `Leave`; `function` is set for the body of an inlined function."""

    label: int
    body: list[Region]
    function: str | None = None


@dataclass(slots=True, eq=False)
class Leave:
    """Jump to the end of the enclosing `Scope` with this label."""

    label: int


@dataclass(slots=True, eq=False)
class Switch:
    """Runs the cases in order; a thread enters at its case and falls through until it leaves."""

    selector: int
    scalar: Scalar
    cases: list[SwitchCase]
    position: Position
    number: int = 0


@dataclass(slots=True, eq=False)
class SwitchCase:
    """Values as inclusive ranges."""

    values: tuple[tuple[int, int], ...]
    is_default: bool
    body: list[Region]


Region = Block | If | Loop | Scope | Leave | Switch


@dataclass(slots=True, eq=False)
class Slot:
    """Memory of a local, shared or static variable that is not in registers."""

    name: str
    size_bytes: int
    space: Space
    position: Position
    element: Scalar | None = None
    key: str = ""
    """Key of the variable declaration (statics and shared variables keep their identity by it)."""
    is_dynamic_shared: bool = False
    length_register: int | None = None
    """Register with the element count of a variable-length array."""
    element_bytes: int = 0
    initial_constants: int = 0
    """Elements that the declaration gives, where all of them are constants."""


@dataclass(slots=True, eq=False)
class Parameter:
    """A parameter of the code; records by value have their size."""

    name: str
    size_bytes: int
    scalar: Scalar | None
    """None for records."""
    is_pointer: bool = False
    pointee_bytes: int = 0
    slot: int | None = None
    """Slot that holds it, where it could not be promoted."""


@dataclass(slots=True, eq=False)
class Assumption:
    """Something that lowering could not do exactly."""

    kind: str
    text: str
    position: Position


@dataclass(slots=True, eq=False)
class CalledFunction:
    """A device function that is called rather than inlined; its regions are part of the code that calls it."""

    key: str
    name: str
    body: list[Region]
    result: int | None
    """Register with the result; records go to the address that is the first argument."""


@dataclass(slots=True, eq=False)
class Code:
    """One kernel, or one host function, ready to run."""

    key: str
    name: str
    body: list[Region]
    register_types: list[Scalar]
    constants: dict[int, int | float | bool]
    variables: set[int]
    slots: list[Slot]
    parameters: list[Parameter]
    result: int | None
    """Register with the result (address of the caller's slot for records: the extra first argument)."""
    assumptions: list[Assumption]
    site_count: int = 0
    block_count: int = 0
    loop_count: int = 0
    functions: dict[str, CalledFunction] = field(default_factory=dict)
    """Called device functions by their keys."""
    tables: dict[str, Table] = field(default_factory=dict)
    """Constant global arrays that it reads, by the keys of their declarations."""
    own_registers: frozenset[SpecialRegister] = frozenset()
    """Special registers that the user's code reads, within bundled headers not counted."""
    max_threads_per_block: int | None = None
    min_blocks_per_sm: int | None = None

    def instructions(self) -> Iterator[tuple[Block, Instruction]]:
        """All instructions with their blocks, in program order."""
        for block in blocks(self.body):
            for instruction in block.instructions:
                yield block, instruction


def children(region: Region) -> tuple[list[Region], ...]:
    """The region lists directly inside a region, in program order."""
    match region:
        case If():
            return (region.then, region.otherwise)
        case Loop():
            if region.tests_before:
                return (region.condition, region.body, region.step)
            return (region.body, region.step, region.condition)
        case Scope():
            return (region.body,)
        case Switch():
            return tuple(case.body for case in region.cases)
        case _:
            return ()


def writers(regions: list[Region]) -> dict[int, list[Instruction]]:
    """The instructions that write each register, in program order."""
    found: dict[int, list[Instruction]] = {}
    for item in instructions_of(regions):
        if item.dest >= 0:
            found.setdefault(item.dest, []).append(item)
    return found


@lru_cache(maxsize=16)
def writers_of(code: Code) -> dict[int, list[Instruction]]:
    """The instructions that write each register of a finished code, kept for its next launches."""
    return writers(code.body)


def blocks(regions: list[Region]) -> Iterator[Block]:
    """All blocks below, in program order."""
    for region in regions:
        if isinstance(region, Block):
            yield region
        else:
            for inner in children(region):
                yield from blocks(inner)


def instructions_of(regions: list[Region]) -> Iterator[Instruction]:
    """All instructions below, in program order."""
    for block in blocks(regions):
        yield from block.instructions


def every_region(regions: list[Region]) -> Iterator[Region]:
    """The regions and all below, in program order."""
    stack = regions[::-1]
    while stack:
        region = stack.pop()
        yield region
        stack.extend(item for part in reversed(children(region)) for item in reversed(part))


def leaves_to(regions: list[Region], label: int) -> bool:
    """Whether anything below leaves to a label."""
    return any(
        isinstance(region, Leave) and region.label == label for region in every_region(regions)
    )


def loops(regions: list[Region]) -> Iterator[tuple[Loop, int]]:
    """All loops below with their depth (outermost 0), in program order."""
    stack = [(region, 0) for region in reversed(regions)]
    while stack:
        region, depth = stack.pop()
        inner_depth = depth
        if isinstance(region, Loop):
            yield region, depth
            inner_depth = depth + 1
        inner = [item for part in children(region) for item in part]
        stack.extend((item, inner_depth) for item in reversed(inner))
