"""Containers of nodes: maps, sets and lists, as far as their keys are known."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from clang_queries.ir.types import Scalar
from clang_queries.quick_dataclass import dataclass
from roofstat.execution.host.random_numbers import is_sampled
from roofstat.execution.host.records import scalar_named, size_named, template_arguments
from roofstat.execution.host.registry import HostCall, initializer_list, models
from roofstat.execution.host.string_methods import compare_texts
from roofstat.program.code import Space

if TYPE_CHECKING:
    from roofstat.execution.numbers.values import Value
    from roofstat.execution.stored.address_space import MemoryObject

_MAPS = ("map", "unordered_map", "multimap", "unordered_multimap")
_SETS = ("set", "unordered_set", "multiset", "unordered_multiset")
_LISTS = ("list", "forward_list")
_ALL = (*_MAPS, *_SETS, *_LISTS)
_END = 8
"""What the iterator behind the last element holds."""
_MAX_NODES = 4096

Key = str | int | float


@dataclass(slots=True, eq=False)
class Nodes:
    """One container."""

    nodes: dict[Key, MemoryObject] = field(default_factory=dict)
    is_lost: bool = False
    """Whether there are elements that nobody knows."""
    unknown: MemoryObject | None = None
    """Stands for the elements whose keys are unknown."""

    def after(self, address: int) -> int:
        """The node that follows one."""
        bases = [node.base for node in self.nodes.values()]
        if address not in bases:
            return _END
        index = bases.index(address) + 1
        return bases[index] if index < len(bases) else _END


@dataclass(slots=True, eq=False)
class Containers:
    """Containers by the address of their objects, and by their nodes."""

    known: dict[int, Nodes] = field(default_factory=dict)
    of_node: dict[int, Nodes] = field(default_factory=dict)


def _names(kinds: tuple[str, ...], *methods: str) -> tuple[str, ...]:
    return tuple(f"{kind}::{method}" for kind in kinds for method in methods)


def _container(call: HostCall) -> Nodes:
    known = call.state(Containers).known
    return known.setdefault(call.integer(0) or 0, Nodes())


def _is_map(call: HostCall) -> bool:
    return call.name.split("::")[0] in _MAPS


def _key(call: HostCall, index: int) -> Key | None:
    """The key that a reference names."""
    return _key_at(call, call.integer(index))


def _key_at(call: HostCall, address: int | None) -> Key | None:
    """The key at an address."""
    arguments = template_arguments(call.detail.object_type)
    name = arguments[0] if arguments else ""
    if "string" in name:
        return None if address is None else call.run.text_at(address)
    scalar = scalar_named(name)
    if scalar is None:
        return None
    value = call.load(address, scalar)
    return value if isinstance(value, int | float) else None


def _layout(call: HostCall) -> tuple[int, int]:
    """(size of a node's element, offset of the mapped value in it)."""
    arguments = template_arguments(call.detail.object_type)
    key = size_named(call.run.program, arguments[0]) if arguments else None
    key = key or 8
    if not _is_map(call):
        return key, 0
    value = (size_named(call.run.program, arguments[1]) if len(arguments) > 1 else None) or 8
    align = min(8, value & -value)
    offset = -(-key // align) * align
    return offset + value, offset


def _node(call: HostCall, container: Nodes, key: Key | None) -> MemoryObject:
    """The node of a key, made where there is none; one for all unknown keys."""
    if key is None or is_sampled(call) or len(container.nodes) >= _MAX_NODES:
        found = container.nodes.get(key) if key is not None else None
        if found is not None:
            return found
        container.is_lost = True
        if container.unknown is None:
            lost = call.unknown("an element of a container")
            container.unknown = _new_node(call, container, lost)
        return container.unknown
    found = container.nodes.get(key)
    if found is None:
        # Where elements are not known, it may be one of them.
        first = call.unknown("an element of a container") if container.is_lost else 0
        found = _new_node(call, container, first)
        container.nodes[key] = found
    return found


def _new_node(call: HostCall, container: Nodes, initial: Value) -> MemoryObject:
    size, _ = _layout(call)
    found = call.machine.memory.allocate(size, Space.HOST, "element", initial=initial)
    call.state(Containers).of_node[found.base] = container
    return found


def _copy_in(call: HostCall, node: MemoryObject, index: int, at: int, size: int) -> None:
    source = call.object(index)
    if source is not None:
        node.contents.copy_range(source[0].contents, source[1], size, at)


# Construction and sizes


@models(*(f"{kind}::{kind}" for kind in _ALL))
def _construct(call: HostCall) -> Value:
    known = call.state(Containers).known
    address = call.integer(0)
    if address is None:
        return 0
    other = known.get(call.integer(1) or -1)
    fresh = Nodes()
    if other is not None:
        fresh = Nodes(dict(other.nodes), other.is_lost, other.unknown)
    known[address] = fresh
    if other is None and len(call.arguments) > 1:
        listed = initializer_list(call, call.integer(1))
        if listed is None:
            fresh.is_lost = True
        else:
            _add_listed(call, fresh, *listed)
    return 0


def _add_listed(call: HostCall, container: Nodes, first: int, count: int) -> None:
    """Put the elements of an initializer list into a new container."""
    size, value = _layout(call)
    align = max(min(8, part & -part) for part in (value or size, size - value))
    stride = -(-size // align) * align
    is_list = call.name.split("::")[0] in _LISTS
    for number in range(count):
        address = first + number * stride
        key = number if is_list else _key_at(call, address)
        node, source = _node(call, container, key), call.place(address)
        if source is not None:
            node.contents.copy_range(source[0].contents, source[1], size, 0)


@models(*_names(_ALL, "operator="))
def _assign(call: HostCall) -> Value:
    _construct(call)
    return call.arguments[0]


@models(*_names(_ALL, "size"), pure=True)
def _size(call: HostCall) -> Value:
    container = _container(call)
    if container.is_lost:
        return call.unknown("number of elements of a container")
    return len(container.nodes)


@models(*_names(_ALL, "empty"), pure=True)
def _empty(call: HostCall) -> Value:
    container = _container(call)
    return not container.nodes and not container.is_lost


@models(*_names(_ALL, "clear"))
def _clear(call: HostCall) -> Value:
    container = _container(call)
    container.nodes.clear()
    container.is_lost = False
    return 0


# Elements


@models(*_names(_MAPS, "operator[]", "at"))
def _index(call: HostCall) -> Value:
    container, key = _container(call), _key(call, 1)
    if call.name.endswith("::at") and key not in container.nodes:
        key = None  # it throws, so some element must be missing here
    node = _node(call, container, key)
    size, offset = _layout(call)
    if 0 not in node.contents.cells:
        _copy_in(call, node, 1, 0, offset)
    return node.base + (offset if size > offset else 0)


@models(*_names((*_MAPS, *_SETS), "count", "contains"), pure=True)
def _count(call: HostCall) -> Value:
    container, key = _container(call), _key(call, 1)
    if key is not None and key in container.nodes:
        return 1
    if key is None or container.is_lost:
        return call.unknown("whether a container holds an element", low=0, high=1)
    return 0


@models(*_names((*_MAPS, *_SETS), "find", "lower_bound", "upper_bound"), pure=True)
def _find(call: HostCall) -> Value:
    own = call.inputs()
    container, key = _container(own), _key(own, 1)
    node = container.nodes.get(key) if key is not None else None
    if node is None and container.is_lost:
        node = container.unknown
    return call.iterator(node.base if node is not None else _END)


@models(*_names((*_MAPS, *_SETS), "insert", "emplace", "try_emplace", "insert_or_assign"))
def _insert(call: HostCall) -> Value:
    own = call.inputs()
    container = _container(own)
    is_pair = len(own.arguments) == 2
    node = _node(own, container, _key(own, 1))
    size, offset = _layout(own)
    if is_pair:
        _copy_in(own, node, 1, 0, size)
    elif _is_map(own) and len(own.arguments) > 2:
        _copy_in(own, node, 1, 0, offset)
        _copy_in(own, node, 2, offset, size - offset)
    return call.iterator(node.base)


@models(*_names(_ALL, "erase", "remove", "pop_front", "pop_back"))
def _erase(call: HostCall) -> Value:
    own = call.inputs()
    container = _container(own)
    method = call.name.split("::")[-1]
    if method.startswith("pop") and container.nodes:
        keys = list(container.nodes)
        container.nodes.pop(keys[0 if method.endswith("front") else -1])
    else:
        key = _key(own, 1)
        if key is not None:
            container.nodes.pop(key, None)
    return call.arguments[0]


@models(*_names(_LISTS, "push_back", "push_front", "emplace_back", "emplace_front"))
def _push(call: HostCall) -> Value:
    container = _container(call)
    node = _node(call, container, len(container.nodes))
    size, _ = _layout(call)
    _copy_in(call, node, 1, 0, size)
    return node.base


@models(*_names(_LISTS, "front", "back"), pure=True)
def _end_element(call: HostCall) -> Value:
    container = _container(call)
    nodes = list(container.nodes.values())
    if not nodes:
        return _node(call, container, None).base
    return nodes[0 if call.name.endswith("front") else -1].base


# Iterators


@models(*_names(_ALL, "begin", "cbegin"), pure=True)
def _begin(call: HostCall) -> Value:
    container = _container(call.inputs())
    first = next(iter(container.nodes.values()), None)
    return call.iterator(first.base if first is not None else _END)


@models(*_names(_ALL, "end", "cend"), pure=True)
def _end(call: HostCall) -> Value:
    return call.iterator(_END)


@models("cq_node_iterator::operator*", "cq_node_iterator::operator->", pure=True)
def _dereference(call: HostCall) -> Value:
    address = call.load_integer(call.integer(0))
    return address if address is not None else call.unknown("an element of a container")


@models("cq_node_iterator::operator++", "cq_node_iterator::operator--")
def _advance(call: HostCall) -> Value:
    own = call.inputs()
    address = call.load_integer(own.integer(0))
    container = call.state(Containers).of_node.get(address) if address is not None else None
    following = container.after(address) if container is not None and address is not None else _END
    own.store(0, Scalar.U64, following)
    if call.result_address() is not None:
        return call.iterator(address or _END)
    return call.arguments[0]


@models(
    "cq_node_iterator::operator==",
    "cq_node_iterator::operator!=",
    "std::operator==",
    "std::operator!=",
    pure=True,
)
def _compare(call: HostCall) -> Value:
    if "cq_node_iterator" not in call.detail.object_type:
        return compare_texts(call)
    a, b = call.load_integer(call.integer(0)), call.load_integer(call.integer(1))
    if a is None or b is None:
        return call.unknown("the end of a container")
    return (a == b) == call.name.endswith("==")
