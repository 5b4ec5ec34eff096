"""Warp operations, barriers, atomics, clocks and the device random number generators."""

from __future__ import annotations

import re
from collections.abc import Iterator

from cost_cases import C_TYPES, FLOATS, INTEGERS, WORDS, Case

_WARP = "0xffffffffu"


def warp_operations() -> Iterator[Case]:
    """Shuffles, votes, reductions, barriers and clocks; one lane is active in the emulation."""
    for kind in (*INTEGERS, *FLOATS):
        for name, argument in (
            ("__shfl_sync", "1"),
            ("__shfl_up_sync", "1"),
            ("__shfl_down_sync", "1"),
            ("__shfl_xor_sync", "1"),
        ):
            yield _plain(name, kind, (kind,), kind, f"r = {name}({_WARP}, a, {argument});")
    votes = {
        "__ballot_sync": "uint32",
        "__any_sync": "int32",
        "__all_sync": "int32",
        "__match_any_sync": "uint32",
    }
    for name, result in votes.items():
        yield _plain(name, "int32", ("int32",), result, f"r = {name}({_WARP}, a);")
    for kind in WORDS:
        for name in ("add", "max"):
            body = f"r = __reduce_{name}_sync({_WARP}, a);"
            yield _plain(f"__reduce_{name}_sync", kind, (kind,), kind, body)
    yield _plain("__activemask", "uint32", (), "uint32", "r = __activemask();")
    for name in ("__syncthreads", "__syncwarp", "__threadfence", "__threadfence_block"):
        yield _plain(name, "void", (), None, f"{name}();")
    for name in ("__syncthreads_count", "__syncthreads_or"):
        yield _plain(name, "int32", ("int32",), "int32", f"r = {name}(a);")
    yield _plain("clock", "int64", (), "int64", "r = clock();")
    yield _plain("clock64", "int64", (), "int64", "r = clock64();")


def atomics() -> Iterator[Case]:
    """Atomics on an address of the thread's own, in global and in shared memory.

    The baseline stores to the same address, so what is left is the work around the access.
    """
    places = {"global": "((T*)g + threadIdx.x)", "shared": "((T*)(p + 48))"}
    for place, address in places.items():
        for kind in ("int32", "uint32", "uint64", "float", "double"):
            yield _atomic("atomicAdd", place, kind, address, "a", returns=False)
            yield _atomic("atomicExch", place, kind, address, "a", returns=True)
        for name in ("atomicSub", "atomicMax", "atomicMin", "atomicAnd", "atomicOr", "atomicXor"):
            yield _atomic(name, place, "int32", address, "a", returns=False)
            if name in ("atomicSub", "atomicMax"):
                yield _atomic(name, place, "uint32", address, "a", returns=False)
        for kind in ("int32", "uint32", "uint64"):
            yield _atomic("atomicCAS", place, kind, address, "a, b", returns=True)
        for name in ("atomicInc", "atomicDec"):
            yield _atomic(name, place, "uint32", address, "a", returns=False)
    for kind in ("int32", "uint32", "float"):
        address = "((T*)g)"
        yield _atomic("atomicAdd", "global_same", kind, address, "a", returns=False)
        yield _atomic("atomicAdd", "global_same_returning", kind, address, "a", returns=True)
    yield _atomic("atomicAdd", "global_same_constant", "int32", "((T*)g)", "1", returns=False)


def random_generators() -> Iterator[Case]:
    """Device generators of cuRAND; state in local variables, initialised from shared memory."""
    draws = {
        "curand": "uint32",
        "curand_uniform": "float",
        "curand_normal": "float",
        "curand_log_normal": "float",
        "curand_uniform_double": "double",
        "curand_normal_double": "double",
    }
    for generator in ("xorwow", "philox"):
        state = {"xorwow": "curandStateXORWOW_t", "philox": "curandStatePhilox4_32_10_t"}
        load = _state_load(generator)
        store = _state_store(generator)
        for name, result in draws.items():
            argument = "&s, 0.0f, 1.0f" if "log" in name else "&s"
            # Box-Muller makes two numbers at a time: every second call only hands one out.
            flags = (0, 2) if "log" in name else (0, 1)
            yield Case(
                function=name,
                scalar=generator,
                operands=("uint32", "uint32", "uint32"),
                result=result,
                body=f"{state[generator]} s; {load} r = {name}({argument}); {store}",
                subtract=f"{state[generator]} s; {load} r = ({C_TYPES[result]})0; {store}",
                samples=tuple((0, flag, word) for flag in flags for word in range(4)),
                device_state=True,
            )
        yield Case(
            function="curand_init",
            scalar=generator,
            operands=("uint64", "uint64"),
            result=None,
            body=f"{state[generator]} s; curand_init(a, b, 0ULL, &s); {store}",
            subtract=re.sub(r"s\.[\w.\[\]]+;", "(unsigned)a;", store),
            samples=((1234, 0), (1234, 5), (1234, 77), (1234, 1000)),
            device_state=True,
        )


def _state_load(generator: str) -> str:
    if generator == "xorwow":
        return (
            "for (int i = 0; i < 5; ++i) s.v[i] = V(p + 128 + 4 * i); s.d = V(p + 160); "
            "s.boxmuller_flag = b; s.boxmuller_flag_double = b; "
            "s.boxmuller_extra = __int_as_float(V(p + 172)); "
            "s.boxmuller_extra_double = 0;"
        )
    return (
        "s.ctr.x = V(p + 128); s.ctr.y = V(p + 132); s.ctr.z = V(p + 136); s.ctr.w = V(p + 140); "
        "s.key.x = V(p + 144); s.key.y = V(p + 148); s.output.x = V(p + 152); "
        "s.output.y = V(p + 156); s.output.z = V(p + 160); s.output.w = V(p + 164); "
        "s.STATE = c; s.boxmuller_flag = b; s.boxmuller_flag_double = b; "
        "s.boxmuller_extra = __int_as_float(V(p + 176)); s.boxmuller_extra_double = 0;"
    )


def _state_store(generator: str) -> str:
    if generator == "xorwow":
        return "for (int i = 0; i < 5; ++i) V(p + 192 + 4 * i) = s.v[i]; V(p + 212) = s.d;"
    return (
        "V(p + 192) = s.ctr.x; V(p + 196) = s.ctr.y; V(p + 200) = s.ctr.z; V(p + 204) = s.ctr.w; "
        "V(p + 208) = s.output.x; V(p + 212) = s.output.y; V(p + 216) = s.output.z; "
        "V(p + 220) = s.output.w; V(p + 224) = s.STATE;"
    )


def _plain(name: str, kind: str, operands: tuple[str, ...], result: str | None, body: str) -> Case:
    return Case(
        function=name,
        scalar=kind,
        operands=operands,
        result=result,
        body=body,
        samples=((3,) * len(operands),),
    )


def _atomic(
    name: str, place: str, kind: str, address: str, arguments: str, *, returns: bool
) -> Case:
    where = address.replace("(T*)", f"({C_TYPES[kind]}*)")
    operands = (kind,) * (2 if "b" in arguments else 1)
    call = f"{name}({where}, {arguments});"
    base = f"*(volatile {C_TYPES[kind]}*){where} = a;"
    return Case(
        function=f"{name}_{place}",
        scalar=kind,
        operands=operands,
        result=kind if returns else None,
        body=f"r = {call}" if returns else call,
        subtract=base + (" r = a;" if returns else ""),
        samples=((3,) * len(operands),),
    )
