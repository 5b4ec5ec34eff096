"""The numbers of libclang 18's enumerations that the front end distinguishes; everything else is 'unknown'."""

from __future__ import annotations

from enum import IntEnum


class Kind(IntEnum):
    """Cursor kinds (``CXCursorKind``)."""

    UNEXPOSED_DECL = 1
    STRUCT = 2
    UNION = 3
    CLASS = 4
    ENUM = 5
    FIELD = 6
    ENUM_CONSTANT = 7
    FUNCTION = 8
    VAR = 9
    PARM = 10
    TYPEDEF = 20
    METHOD = 21
    NAMESPACE = 22
    LINKAGE_SPEC = 23
    CONSTRUCTOR = 24
    DESTRUCTOR = 25
    CONVERSION_FUNCTION = 26
    TYPE_PARAMETER = 27
    NON_TYPE_PARAMETER = 28
    TEMPLATE_TEMPLATE_PARAMETER = 29
    FUNCTION_TEMPLATE = 30
    CLASS_TEMPLATE = 31
    CLASS_TEMPLATE_PARTIAL = 32
    NAMESPACE_ALIAS = 33
    USING_DIRECTIVE = 34
    USING_DECLARATION = 35
    TYPE_ALIAS = 36
    TYPE_REF = 43
    BASE_SPECIFIER = 44
    TEMPLATE_REF = 45
    NAMESPACE_REF = 46
    MEMBER_REF = 47
    LABEL_REF = 48
    OVERLOADED_DECL_REF = 49
    VARIABLE_REF = 50
    INVALID_FILE = 70
    UNEXPOSED_EXPR = 100
    DECL_REF_EXPR = 101
    MEMBER_REF_EXPR = 102
    CALL_EXPR = 103
    INTEGER_LITERAL = 106
    FLOATING_LITERAL = 107
    IMAGINARY_LITERAL = 108
    STRING_LITERAL = 109
    CHARACTER_LITERAL = 110
    PAREN_EXPR = 111
    UNARY_OPERATOR = 112
    ARRAY_SUBSCRIPT_EXPR = 113
    BINARY_OPERATOR = 114
    COMPOUND_ASSIGNMENT_OPERATOR = 115
    CONDITIONAL_OPERATOR = 116
    CSTYLE_CAST_EXPR = 117
    COMPOUND_LITERAL_EXPR = 118
    INIT_LIST_EXPR = 119
    STATEMENT_EXPR = 121
    GENERIC_SELECTION_EXPR = 122
    GNU_NULL_EXPR = 123
    STATIC_CAST_EXPR = 124
    DYNAMIC_CAST_EXPR = 125
    REINTERPRET_CAST_EXPR = 126
    CONST_CAST_EXPR = 127
    FUNCTIONAL_CAST_EXPR = 128
    TYPEID_EXPR = 129
    BOOL_LITERAL_EXPR = 130
    NULLPTR_LITERAL_EXPR = 131
    THIS_EXPR = 132
    THROW_EXPR = 133
    NEW_EXPR = 134
    DELETE_EXPR = 135
    UNARY_EXPR = 136
    PACK_EXPANSION_EXPR = 142
    SIZE_OF_PACK_EXPR = 143
    LAMBDA_EXPR = 144
    UNEXPOSED_STMT = 200
    LABEL_STMT = 201
    COMPOUND_STMT = 202
    CASE_STMT = 203
    DEFAULT_STMT = 204
    IF_STMT = 205
    SWITCH_STMT = 206
    WHILE_STMT = 207
    DO_STMT = 208
    FOR_STMT = 209
    GOTO_STMT = 210
    INDIRECT_GOTO_STMT = 211
    CONTINUE_STMT = 212
    BREAK_STMT = 213
    RETURN_STMT = 214
    ASM_STMT = 215
    CATCH_STMT = 223
    TRY_STMT = 224
    FOR_RANGE_STMT = 225
    NULL_STMT = 230
    DECL_STMT = 231
    BUILTIN_BIT_CAST_EXPR = 280
    TRANSLATION_UNIT = 350
    UNEXPOSED_ATTR = 400
    ANNOTATE_ATTR = 406
    CUDA_CONSTANT_ATTR = 412
    CUDA_DEVICE_ATTR = 413
    CUDA_GLOBAL_ATTR = 414
    CUDA_HOST_ATTR = 415
    CUDA_SHARED_ATTR = 416
    FIRST_PREPROCESSING = 500
    MACRO_DEFINITION = 501
    LAST_PREPROCESSING = 503
    TYPE_ALIAS_TEMPLATE = 601
    STATIC_ASSERT = 602


FUNCTION_KINDS = frozenset(
    {
        Kind.FUNCTION,
        Kind.METHOD,
        Kind.CONSTRUCTOR,
        Kind.DESTRUCTOR,
        Kind.CONVERSION_FUNCTION,
    }
)
METHOD_KINDS = FUNCTION_KINDS - {Kind.FUNCTION}
RECORD_KINDS = frozenset({Kind.STRUCT, Kind.CLASS, Kind.UNION})
LOOP_KINDS = frozenset({Kind.FOR_STMT, Kind.WHILE_STMT, Kind.DO_STMT, Kind.FOR_RANGE_STMT})
REFERENCE_KINDS = frozenset(
    {
        Kind.TYPE_REF,
        Kind.TEMPLATE_REF,
        Kind.NAMESPACE_REF,
        Kind.MEMBER_REF,
        Kind.OVERLOADED_DECL_REF,
    }
)
"""Children that only spell a name; they carry no value."""


class TypeKind(IntEnum):
    """Type kinds (``CXTypeKind``)."""

    INVALID = 0
    UNEXPOSED = 1
    VOID = 2
    BOOL = 3
    CHAR_U = 4
    UCHAR = 5
    CHAR16 = 6
    CHAR32 = 7
    USHORT = 8
    UINT = 9
    ULONG = 10
    ULONGLONG = 11
    UINT128 = 12
    CHAR_S = 13
    SCHAR = 14
    WCHAR = 15
    SHORT = 16
    INT = 17
    LONG = 18
    LONGLONG = 19
    INT128 = 20
    FLOAT = 21
    DOUBLE = 22
    LONGDOUBLE = 23
    NULLPTR = 24
    DEPENDENT = 26
    FLOAT128 = 30
    HALF = 31
    FLOAT16 = 32
    BFLOAT16 = 39
    COMPLEX = 100
    POINTER = 101
    LVALUE_REFERENCE = 103
    RVALUE_REFERENCE = 104
    RECORD = 105
    ENUM = 106
    FUNCTION_NO_PROTO = 110
    FUNCTION_PROTO = 111
    CONSTANT_ARRAY = 112
    VECTOR = 113
    INCOMPLETE_ARRAY = 114
    VARIABLE_ARRAY = 115
    DEPENDENT_ARRAY = 116
    MEMBER_POINTER = 117
    AUTO = 118
    ELABORATED = 119
    EXT_VECTOR = 176
    ATOMIC = 177


REFERENCE_TYPES = frozenset({TypeKind.LVALUE_REFERENCE, TypeKind.RVALUE_REFERENCE})


class BinaryKind(IntEnum):
    """Binary operators (``CXBinaryOperatorKind``)."""

    INVALID = 0
    POINTER_TO_MEMBER_DIRECT = 1
    POINTER_TO_MEMBER_INDIRECT = 2
    MUL = 3
    DIV = 4
    REM = 5
    ADD = 6
    SUB = 7
    SHL = 8
    SHR = 9
    COMPARE = 10
    LT = 11
    GT = 12
    LE = 13
    GE = 14
    EQ = 15
    NE = 16
    AND = 17
    XOR = 18
    OR = 19
    LOGICAL_AND = 20
    LOGICAL_OR = 21
    ASSIGN = 22
    MUL_ASSIGN = 23
    DIV_ASSIGN = 24
    REM_ASSIGN = 25
    ADD_ASSIGN = 26
    SUB_ASSIGN = 27
    SHL_ASSIGN = 28
    SHR_ASSIGN = 29
    AND_ASSIGN = 30
    XOR_ASSIGN = 31
    OR_ASSIGN = 32
    COMMA = 33


class UnaryKind(IntEnum):
    """Unary operators (``CXUnaryOperatorKind``)."""

    INVALID = 0
    POST_INC = 1
    POST_DEC = 2
    PRE_INC = 3
    PRE_DEC = 4
    ADDRESS_OF = 5
    DEREF = 6
    PLUS = 7
    MINUS = 8
    BIT_NOT = 9
    NOT = 10
    REAL = 11
    IMAG = 12
    EXTENSION = 13


class EvaluationKind(IntEnum):
    """What ``clang_Cursor_Evaluate`` found (``CXEvalResultKind``)."""

    INT = 1
    FLOAT = 2
    OBJC_STRING = 3
    STRING = 4
    CF_STRING = 5
    OTHER = 6


class StorageClass(IntEnum):
    """Storage classes (``CX_StorageClass``)."""

    NONE = 1
    EXTERN = 2
    STATIC = 3
