"""The vocabulary of the Itanium C++ ABI's name mangling, and the texts that symbols are read into."""

from __future__ import annotations

from clang_queries.quick_dataclass import dataclass

BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short",
    "t": "unsigned short", "i": "int", "j": "unsigned int", "l": "long", "m": "unsigned long", "x": "long long",
    "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128", "f": "float", "d": "double",
    "e": "long double", "g": "__float128", "z": "...",
}  # fmt: skip
BUILTIN_D = {
    "Dh": "__fp16", "Dn": "std::nullptr_t", "Di": "char32_t", "Ds": "char16_t", "Du": "char8_t", "Da": "auto",
    "Dc": "decltype(auto)",
}  # fmt: skip
STANDARD = {
    "St": "std", "Sa": "std::allocator", "Sb": "std::basic_string", "Ss": "std::string", "Si": "std::istream",
    "So": "std::ostream", "Sd": "std::iostream",
}  # fmt: skip
OPERATORS = {
    "nw": "new", "na": "new[]", "dl": "delete", "da": "delete[]", "ps": "+", "ng": "-", "ad": "&", "de": "*",
    "co": "~", "pl": "+", "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=",
    "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=", "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<",
    "rs": ">>", "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=",
    "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",", "pm": "->*", "pt": "->",
    "cl": "()", "ix": "[]", "qu": "?",
}  # fmt: skip
UNNAMED_NAMESPACE = "_GLOBAL__N_1"
UNARY_OPERATORS = frozenset({"ps", "ng", "ad", "de", "co", "nt"})


@dataclass(frozen=True, slots=True)
class TypeText:
    """A type in two parts, around the place of a declarator: ``double (`` and ``)[4]``."""

    before: str
    after: str = ""

    @property
    def text(self) -> str:
        """The type without a declarator."""
        return self.before + self.after

    def pointer(self, mark: str) -> TypeText:
        """A pointer or reference to the type."""
        if self.after.startswith(("[", "(")):
            return TypeText(f"{self.before} ({mark}", f"){self.after}")
        if self.before.endswith(("*", "&")):
            return TypeText(self.before + mark, self.after)
        return TypeText(f"{self.before} {mark}", self.after)

    def qualified(self, word: str) -> TypeText:
        """The type with ``const`` or ``volatile``."""
        if self.before.endswith(("*", "&")):
            return TypeText(self.before + word, self.after)
        return TypeText(f"{word} {self.before}", self.after)


@dataclass(frozen=True, slots=True)
class NameText:
    """A name, and whether an instance of a template is what it names last."""

    text: str
    is_instance: bool = False
    arguments: tuple[str, ...] = ()
    has_result: bool = True
