"""Launch tokens against launches found."""

_KERNEL = "__global__ void k(int *p) { p[0] = 1; }\n"


def test_all_launches_found(lower):
    unit = lower(
        f"{_KERNEL}#define RUN(x) x\nvoid f(int *p) {{ k<<<1, 2>>>(p); RUN((k<<<3, 4>>>(p))); }}\n"
        "#if 0\nvoid g(int *p) { k<<<1, 2>>>(p); }\n#endif\n// k<<<1, 1>>>(p)\n"
    )
    assert [item.line for item in unit.launch_tokens] == [3, 3]
    assert unit.lost_launches == ()


def test_an_error_in_the_configuration_loses_the_launch(lower):
    unit = lower(f"{_KERNEL}void f(int *p) {{\n k<<<undeclared, 2>>>(p);\n k<<<1, 2>>>(p); }}\n")
    assert [item.line for item in unit.lost_launches] == [3]
    assert [(item.line, item.column) for item in unit.launch_tokens] == [(3, 3), (4, 3)]


def test_launch_in_a_template_counts_where_it_is_instantiated(lower):
    template = f"{_KERNEL}template <class T> void f(T *p) {{ k<<<1, 2>>>(p); }}\n"
    assert len(lower(template).lost_launches) == 1
    assert lower(template + "void g(int *p) { f(p); }").lost_launches == ()
