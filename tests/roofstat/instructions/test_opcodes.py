"""Opcode classes against the definition of the counted quantities."""

import pytest

from roofstat.instructions.tables.opcodes import OpcodeClass, classify


@pytest.mark.parametrize(
    ("opcode", "kind", "amount"),
    [
        ("FADD.FTZ", OpcodeClass.FP32, 1),
        ("FMUL", OpcodeClass.FP32, 1),
        ("FFMA.RM", OpcodeClass.FP32, 2),
        # Packed pair: two fused multiply-adds of 2 FLOP.
        ("FFMA2", OpcodeClass.FP32, 2 * 2),
        ("DADD", OpcodeClass.FP64, 1),
        ("DFMA", OpcodeClass.FP64, 2),
        ("HADD2.F32", OpcodeClass.FP16, 1),
        ("HMUL2.BF16_V2", OpcodeClass.FP16, 1),
        ("HFMA2", OpcodeClass.FP16, 2),
        ("MUFU.RCP64H", OpcodeClass.SPECIAL, 1),
        ("I2F.F64.U32", OpcodeClass.CONVERSION, 1),
        ("F2FP.BF16.F32.PACK_AB", OpcodeClass.CONVERSION, 1),
        ("BRA.DIV", OpcodeClass.BRANCH, 1),
        ("CALL.REL.NOINC", OpcodeClass.BRANCH, 1),
        ("HMMA.16816.F32", OpcodeClass.TENSOR, 1),
        ("LDG.E.128", OpcodeClass.MEMORY, 1),
    ],
)
def test_class_and_weight(opcode, kind, amount):
    counted = classify(opcode)
    assert (counted.kind, counted.amount) == (kind, amount)


@pytest.mark.parametrize(
    "opcode",
    [
        *("IADD3", "IADD3.X", "VIADD", "IMAD", "IMAD.WIDE.U32", "IMAD.MOV.U32", "IMAD.SHL.U32"),
        *("LEA.HI.X", "LOP3.LUT", "SHF.R.U64", "ISETP.GE.U32.AND.EX", "POPC", "IABS", "IMNMX"),
        *("VIMNMX.U32", "FLO.U32.SH", "IDP.4A.U8.U8"),
    ],
)
def test_integer_opcodes(opcode):
    counted = classify(opcode)
    assert (counted.kind, counted.amount) == (OpcodeClass.INTEGER, 1)


@pytest.mark.parametrize(
    "opcode",
    [
        *("MOV", "SEL", "FSEL", "PRMT", "S2R", "SHFL.BFLY", "VOTE.ANY", "FSETP.GT.AND", "FMNMX"),
        *("UIADD3", "UIMAD", "ULEA", "UISETP.NE.AND", "ULDC.64", "UMOV", "PLOP3.LUT", "FCHK"),
        *("BREV", "VABSDIFF4.U8.ACC", "BSSY", "DSETP.MAX.AND", "NOP"),
    ],
)
def test_uncounted_opcodes(opcode):
    assert classify(opcode).kind is OpcodeClass.OTHER


def test_half_multiply_add_of_zeros_is_a_constant_load():
    load = classify("HFMA2.MMA", ("R5", "-RZ", "RZ", "1.875", "0"))
    arithmetic = classify("HFMA2.MMA", ("R5", "R3", "R4", "RZ"))
    assert load.kind is OpcodeClass.OTHER
    assert arithmetic.kind is OpcodeClass.FP16
