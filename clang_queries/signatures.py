"""Names as a profiler prints them, from mangled symbols (the Itanium C++ ABI's name mangling).

The profiler's forms: template parameters stand as ``T1``, ``T2`` in the parameter list, values as ``(int)16``, lambdas as
``[lambda(int) (instance 1)]``, and instances of templates with their result type in front.
"""

from __future__ import annotations

from functools import lru_cache

from clang_queries._mangling import (
    BUILTIN,
    BUILTIN_D,
    OPERATORS,
    STANDARD,
    UNARY_OPERATORS,
    UNNAMED_NAMESPACE,
    NameText,
    TypeText,
)


class _UnreadableError(Exception):
    """The symbol has a part that this reader does not know."""


@lru_cache(maxsize=4096)
def demangle(symbol: str) -> str:
    """The profiler's form of a symbol; the symbol itself where it is not mangled or not readable.

    Example:
        >>> demangle("_Z5saxpyIfLi4EEvPT_PKS0_")
        'void saxpy<float, (int)4>(T1 *, const T1 *)'
    """
    if not symbol.startswith("_Z"):
        return symbol
    try:
        return _Reader(symbol, 2).encoding()
    except (_UnreadableError, IndexError, ValueError, RecursionError):
        return symbol


@lru_cache(maxsize=4096)
def template_arguments(symbol: str) -> tuple[str, ...] | None:
    """The template arguments of a function's symbol, spelled as in source; None where the symbol is not readable."""
    if not symbol.startswith("_Z"):
        return None
    try:
        reader = _Reader(symbol, 2)
        return tuple(_as_source(argument) for argument in reader.name().arguments)
    except (_UnreadableError, IndexError, ValueError, RecursionError):
        return None


def _as_source(argument: str) -> str:
    """``(int)4`` as ``4``, ``(bool)1`` as ``true``."""
    if argument.startswith("(bool)"):
        return "true" if argument.endswith("1") else "false"
    if argument.startswith("(") and ")" in argument:
        type_name, _, value = argument[1:].partition(")")
        if value.lstrip("-").isdigit() and type_name in BUILTIN.values():
            return value
    return argument


class _Reader:
    """Reads one symbol; a recursive descent along the grammar of the ABI."""

    def __init__(self, symbol: str, position: int) -> None:
        self.symbol = symbol
        self.position = position
        self.substitutions: list[TypeText] = []

    def _peek(self, length: int = 1) -> str:
        return self.symbol[self.position : self.position + length]

    def _take(self, text: str) -> bool:
        if self.symbol.startswith(text, self.position):
            self.position += len(text)
            return True
        return False

    def _expect(self, text: str) -> None:
        if not self._take(text):
            raise _UnreadableError(self.symbol[self.position :])

    def _number(self) -> int:
        start = self.position
        while self._peek().isdigit():
            self.position += 1
        if start == self.position:
            raise _UnreadableError(self.symbol[start:])
        return int(self.symbol[start : self.position])

    def encoding(self) -> str:
        """A function with its parameters, or a variable."""
        name = self.name()
        if self.position >= len(self.symbol) or self._peek() in "E.":
            return name.text
        result = ""
        if name.is_instance and name.has_result:
            result = self.type().text + " "
        parameters: list[str] = []
        # Q begins the constraints of a trailing requires clause, which are no part of a spelled signature.
        while self.position < len(self.symbol) and self._peek() not in "E.Q":
            parameters.append(self.type().text)
        if parameters == ["void"]:
            parameters = []
        return f"{result}{name.text}({', '.join(part for part in parameters if part)})"

    def name(self) -> NameText:
        """A nested, local or plain name."""
        if self._peek() == "N":
            return self._nested()
        if self._peek() == "Z":
            return self._local()
        if self._peek() == "S" and self._peek(2) != "St":
            base = self._substitution()
            return self._with_arguments(base.text)
        prefix = "std::" if self._take("St") else ""
        text = prefix + self._unqualified("")
        if self._peek() == "I":
            self.substitutions.append(TypeText(text))
            return self._with_arguments(text)
        return NameText(text)

    def _with_arguments(self, text: str) -> NameText:
        arguments = self._arguments()
        return NameText(
            f"{text}<{', '.join(arguments)}>", is_instance=True, arguments=tuple(arguments)
        )

    def _nested(self) -> NameText:
        self._expect("N")
        while self._peek() in ("r", "V", "K", "R", "O"):
            self.position += 1
        text = ""
        last = ""
        arguments: tuple[str, ...] = ()
        is_instance = False
        has_result = True
        while not self._take("E"):
            is_instance = False
            if self._peek() == "I":
                found = self._arguments()
                text = f"{text}<{', '.join(found)}>"
                arguments, is_instance = tuple(found), True
                self.substitutions.append(TypeText(text))
                continue
            if self._peek(2) == "St":
                self.position += 2
                text = "std"
                continue
            if self._peek() == "S":
                text = self._substitution().text
                continue
            if self._peek() == "T" and self._peek(2) not in ("Tn", "Ty", "Tt"):
                text = self._template_parameter().text
                self.substitutions.append(TypeText(text))
                continue
            if self._peek(2) in ("Dt", "DT"):
                text = self._decltype().text
                self.substitutions.append(TypeText(text))
                continue
            if self._peek(2) in ("C1", "C2", "C3", "D0", "D1", "D2"):
                part = ("~" if self._peek() == "D" else "") + last.partition("<")[0]
                self.position += 2
                has_result = False
            else:
                part = self._unqualified(last)
            last = part
            text = f"{text}::{part}" if text else part
            self.substitutions.append(TypeText(text))
        if self.substitutions and self.substitutions[-1].text == text:
            self.substitutions.pop()  # the whole name is no candidate; as a type it is added again
        return NameText(text, is_instance, arguments if is_instance else (), has_result)

    def _local(self) -> NameText:
        self._expect("Z")
        function = self.encoding()
        self._expect("E")
        if self._take("s"):
            self._discriminator()
            return NameText(f"{function}::string literal")
        if self._take("d"):
            if self._peek().isdigit():
                self._number()
            self._expect("_")
        inner = self.name()
        self._discriminator()
        return NameText(
            f"{function}::{inner.text}", inner.is_instance, inner.arguments, inner.has_result
        )

    def _discriminator(self) -> None:
        if self._take("__"):
            self._number()
            self._expect("_")
        elif self._peek() == "_" and self.symbol[self.position + 1 : self.position + 2].isdigit():
            self.position += 2

    def _unqualified(self, _enclosing: str) -> str:
        self._take("L")
        if self._peek().isdigit():
            length = self._number()
            text = self._peek(length)
            if len(text) < length:
                raise _UnreadableError(text)
            self.position += length
            text = "<unnamed>" if text.startswith(UNNAMED_NAMESPACE) else text
        elif self._take("Ul"):
            text = self._lambda()
        elif self._take("Ut"):
            number = self._number() + 2 if self._peek() != "_" else 1
            self._expect("_")
            text = f"[unnamed type (instance {number})]"
        elif self._take("cv"):
            text = f"operator {self.type().text}"
        elif self._peek(2) in OPERATORS:
            text = f"operator{OPERATORS[self._peek(2)]}"
            self.position += 2
        else:
            raise _UnreadableError(self.symbol[self.position :])
        while self._take("B"):
            self.position += self._number()
        return text

    def _lambda(self) -> str:
        while self._peek(2) in ("Ty", "Tn", "Tt"):
            self.position += 2
        parameters = []
        while not self._take("E"):
            parameters.append(self.type().text)
        if parameters == ["void"]:
            parameters = []
        number = self._number() + 2 if self._peek() != "_" else 1
        self._expect("_")
        return f"[lambda({', '.join(parameters)}) (instance {number})]"

    def _arguments(self) -> list[str]:
        self._expect("I")
        found: list[str] = []
        while not self._take("E"):
            if self._take("Q"):
                self._expression()
                continue
            found.extend(self._argument())
        return found

    def _argument(self) -> list[str]:
        if self._take("J"):
            found: list[str] = []
            while not self._take("E"):
                found.extend(self._argument())
            return found
        if self._take("X"):
            text = self._expression()
            self._expect("E")
            return [text]
        if self._peek() == "L":
            return [self._literal()]
        if self._take("Tn"):
            self.type()
            return self._argument()
        if self._take("Ty"):
            return self._argument()
        if self._take("Tk"):  # a parameter that a concept constrains
            self.name()
            return self._argument()
        return [self.type().text]

    def _literal(self) -> str:
        self._expect("L")
        if self._take("_Z"):
            inner = self.encoding()
            self._expect("E")
            return f"&{inner}"
        type_ = self.type().text
        end = self.symbol.index("E", self.position)
        value = self.symbol[self.position : end]
        self.position = end + 1
        return f"({type_}){'-' + value[1:] if value.startswith('n') else value}"

    def _substitution(self) -> TypeText:
        pair = self._peek(2)
        if pair in STANDARD:
            self.position += 2
            return TypeText(STANDARD[pair])
        self._expect("S")
        index = self._sequence_number()
        if index >= len(self.substitutions):
            raise _UnreadableError(self.symbol)
        return self.substitutions[index]

    def _sequence_number(self) -> int:
        start = self.position
        while self._peek() not in ("_", ""):
            self.position += 1
        digits = self.symbol[start : self.position]
        self._expect("_")
        try:
            return int(digits, 36) + 1 if digits else 0
        except ValueError as error:
            raise _UnreadableError(digits) from error

    def _template_parameter(self) -> TypeText:
        self._expect("T")
        if self._take("_"):
            return TypeText("T1")
        number = self._number()
        self._expect("_")
        return TypeText(f"T{number + 2}")

    def type(self) -> TypeText:
        """A type; compound types become candidates for substitution."""
        character = self._peek()
        if character in BUILTIN:
            self.position += 1
            return TypeText(BUILTIN[character])
        if character == "S" and self._peek(2) != "St":
            return self._substituted_type()
        found = self._compound_type(character)
        if found is None:
            return self._special_type()
        self.substitutions.append(found)
        return found

    def _substituted_type(self) -> TypeText:
        found = self._substitution()
        if self._peek() == "I":
            found = TypeText(self._with_arguments(found.text).text)
            self.substitutions.append(found)
        return found

    def _compound_type(self, character: str) -> TypeText | None:
        if character in "PRO":
            self.position += 1
            return self.type().pointer({"P": "*", "R": "&", "O": "&&"}[character])
        if character in "KVr":
            words = []
            while self._peek() in ("r", "V", "K"):
                words.append({"r": "__restrict__", "V": "volatile", "K": "const"}[self._peek()])
                self.position += 1
            inner = self.type()
            for word in words:
                inner = inner.qualified(word)
            return inner
        if character == "A":
            self.position += 1
            extent = "" if self._peek() == "_" else self._extent()
            self._expect("_")
            element = self.type()
            return TypeText(element.before, f"[{extent}]{element.after}")
        if character == "F":
            return self._function_type()
        if character == "T":
            parameter = self._template_parameter()
            if self._peek() == "I":
                self.substitutions.append(parameter)
                return TypeText(self._with_arguments(parameter.text).text)
            return parameter
        if character == "M":
            self.position += 1
            owner = self.type().text
            member = self.type()
            return TypeText(
                f"{member.before} {owner}::*"
                if not member.after
                else f"{member.before} ({owner}::*",
                member.after and f"){member.after}",
            )
        if character.isdigit() or character in "NZ" or self._peek(2) == "St":
            return TypeText(self.name().text)
        return None

    def _extent(self) -> str:
        if self._peek().isdigit():
            return str(self._number())
        return self._expression()

    def _function_type(self) -> TypeText:
        self._expect("F")
        self._take("Y")
        result = self.type()
        parameters = []
        while not self._take("E"):
            parameters.append(self.type().text)
        if parameters == ["void"]:
            parameters = []
        return TypeText(result.before, f"({', '.join(parameters)}){result.after}")

    def _special_type(self) -> TypeText:
        pair = self._peek(2)
        if pair in BUILTIN_D:
            self.position += 2
            return TypeText(BUILTIN_D[pair])
        if self._take("DF16_"):
            return TypeText("_Float16")
        if self._take("DF16b"):
            return TypeText("__bf16")
        if self._take("Dp"):
            return self.type()
        if pair in ("Dt", "DT"):
            found = self._decltype()
            self.substitutions.append(found)
            return found
        if self._take("Dv"):
            size = self._number()
            self._expect("_")
            found = TypeText(f"{self.type().text} __vector({size})")
            self.substitutions.append(found)
            return found
        if self._take("u"):
            length = self._number()
            text = self._peek(length)
            self.position += length
            return TypeText(text)
        raise _UnreadableError(self.symbol[self.position :])

    def _decltype(self) -> TypeText:
        self.position += 2
        inner = self._expression()
        self._expect("E")
        return TypeText(f"decltype({inner})")

    def _expression(self) -> str:
        """Expressions over template parameters, as far as they occur in signatures."""
        if self._peek() == "L":
            return self._literal()
        if self._peek() == "T":
            return self._template_parameter().text
        if self._take("sr"):
            return self._scoped_name()
        if self._take("fp"):
            while self._peek() in ("r", "V", "K"):
                self.position += 1
            number = 0 if self._peek() == "_" else self._number() + 1
            self._expect("_")
            return f"{{parm#{number + 1}}}"
        if self._take("sZ"):
            return f"sizeof...({self._template_parameter().text})"
        if self._take("st"):
            return f"sizeof({self.type().text})"
        if self._take("cv"):
            target = self.type().text
            return f"({target}){self._expression()}"
        pair = self._peek(2)
        if pair in OPERATORS:
            self.position += 2
            if pair in UNARY_OPERATORS:
                return f"{OPERATORS[pair]}({self._expression()})"
            if pair == "cl":
                parts = []
                while not self._take("E"):
                    parts.append(self._expression())
                return f"{parts[0]}({', '.join(parts[1:])})"
            if pair == "qu":
                first, second, third = self._expression(), self._expression(), self._expression()
                return f"({first})?({second}):({third})"
            left = self._expression()
            return f"({left}){OPERATORS[pair]}({self._expression()})"
        if self._peek().isdigit():
            name = self._unqualified("")
            if self._peek() == "I":
                return f"{name}<{', '.join(self._arguments())}>"
            return name
        raise _UnreadableError(self.symbol[self.position :])

    def _scoped_name(self) -> str:
        """A member of a dependent scope, behind ``sr``."""
        if self._peek().isdigit():
            levels = []
            while not self._take("E"):
                levels.append(self._simple_name())
            owner = "::".join(levels)
        elif self._take("N"):
            levels = [self.type().text]
            while not self._take("E"):
                levels.append(self._simple_name())
            owner = "::".join(levels)
        else:
            owner = self.type().text
        return f"{owner}::{self._simple_name()}"

    def _simple_name(self) -> str:
        name = self._unqualified("")
        if self._peek() == "I":
            return f"{name}<{', '.join(self._arguments())}>"
        return name
