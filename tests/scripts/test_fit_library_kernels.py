"""The table of library kernels is fitted to launches whose amounts are known."""

from __future__ import annotations

import tomllib

import fit_library_kernels as script


def row(kernel, items, grid, block=256, **amounts):
    zero = dict.fromkeys(
        (
            "int_op",
            "sp_flop",
            "dp_flop",
            "dram_read_bytes",
            "global_ld_sectors",
            "global_st_sectors",
        ),
        0,
    )
    facts = {
        "program": "calls_float",
        "args": f"all {items}",
        "kernel": kernel,
        "grid_x": grid,
        "grid_y": 1,
        "block_x": block,
        "block_y": 1,
        **zero,
        **amounts,
    }
    return {key: str(value) for key, value in facts.items()}


FILL = "void for_each::static_kernel<for_each::policy_500_t, long, __fill::functor<float>>(T2, T3)"
INIT = "void scan::DeviceScanInitKernel<cub::ScanTileState<float, 1>>(T1, int)"
SCAN = (
    "void scan::DeviceScanKernel<scan::policy_hub<float>::Policy1000, float *, cub::NullType>(T2)"
)


def test_amounts_grids_and_residuals():
    # fill: 4 operations an item and 3 sectors a block, in blocks of 512; scan: tiles of 3,072, prepared by one word each
    rows = [
        row(FILL, 1_000, 2, int_op=4_000, global_st_sectors=6),
        row(FILL, 20_100, 40, int_op=80_400, global_st_sectors=120),
        row(INIT, 20_000, 1, 128, int_op=70),
        row(SCAN, 20_000, 7, 128, sp_flop=40_000, dram_read_bytes=82_000),
        row(INIT, 10**6, 3, 128, int_op=3_260),
        row(SCAN, 10**6, 326, 128, sp_flop=2 * 10**6, dram_read_bytes=4_002_000),
        row(SCAN, 5_000, 2, 128, sp_flop=10_000, dram_read_bytes=22_000),
        row("void own(float *)", 10**6, 3),
    ]
    text, errors = script.table_text(script.read_groups(rows), "a test")
    found = {(entry["name"], entry["variant"]): entry for entry in tomllib.loads(text)["kernel"]}
    assert len(found) == 3
    fill = found["for_each::static_kernel", "fill"]["float"]
    assert (fill["tile"], fill["block"]) == (512, [256, 1])
    assert fill["int_op"] == [4, 0, 0]
    assert fill["sectors"] == [0, 3, 0]
    assert fill["write_bytes"] == 4
    scan = found["scan::DeviceScanKernel", "inclusive"]["float"]
    assert scan["tile"] == 3_072
    assert scan["read_bytes"] == [4, 0, 2_000]
    # its items are the tiles of the launch behind it: 7 and 326
    assert found["scan::DeviceScanInitKernel", ""]["any"]["int_op"] == [10, 0, 0]
    assert max(error for error, _ in errors) < 1e-6


def test_blocks_that_the_card_bounds():
    # 40,000 items take 20 blocks of 2,048; 10,000,000 would take 4,883, of which the 132 SMs get two each
    points = ((40_000, 20), (10**7, 264))
    group = script.Group(
        script.RULES[0], "float", [(items, row("", items, grid)) for items, grid in points]
    )
    assert script.grid_of(group) == {"tile": 2_048, "blocks_per_sm": 2}
