"""Offsets that host loops sum up, element by element: numbers by Python beside those of the abstract machine."""

from itertools import accumulate

import pytest

ROWS = 20_000
HASH = 2_654_435_761


def built(host, loop, *, rows=ROWS):
    """(the last offset, the length of the row in the middle, that of a later one) as the loop leaves them."""
    text = f"""
    #include <vector>
    __global__ void touch(int n) {{ }}
    struct Row {{ int first; float weight; int length; }};
    int main(int argc, char **argv) {{
      int n = atoi(argv[1]);
      int *off = (int *)malloc((n + 1) * sizeof(int));
      off[0] = 0;
      {loop}
      int a = n / 2, b = n * 5 / 7;
      touch<<<dim3(off[n], off[a + 1] - off[a], off[b + 1] - off[b]), 32>>>(n);
    }}"""
    return host(text, argv=[str(rows)]).only().grid


def expected(length, rows=ROWS):
    """The same of rows of known lengths."""
    offsets = [0, *accumulate(length(i) for i in range(rows))]
    middle, later = rows // 2, rows * 5 // 7
    return (
        offsets[rows],
        offsets[middle + 1] - offsets[middle],
        offsets[later + 1] - offsets[later],
    )


LENGTHS = {
    "1 + i % 32": lambda i: 1 + i % 32,
    "1 + (i & 127)": lambda i: 1 + (i & 127),
    "32 + (i * 7) % 1000": lambda i: 32 + i * 7 % 1000,
    "1 + i / 1000": lambda i: 1 + i // 1000,
    "(i < n / 2 ? 4 : 60)": lambda i: 4 if i < ROWS // 2 else 60,
    "((i % 16 == 0) ? 4096 : 64)": lambda i: 64 if i % 16 else 4096,
    "1 + (int)(((unsigned)i * 2654435761u) >> 24)": lambda i: 1 + (i * HASH % 2**32 >> 24),
}


@pytest.mark.parametrize("length", LENGTHS)
def test_offsets_follow_the_ones_before(host, length):
    loop = f"for (int i = 0; i < n; i++) off[i + 1] = off[i] + {length};"
    assert built(host, loop) == expected(LENGTHS[length])


FORMS = {
    "the element before": "for (int i = 1; i <= n; i++) off[i] = off[i - 1] + 1 + (i - 1) * 7 % 50;",
    "a variable": "int sum = 0; for (int i = 0; i < n; i++) { off[i] = sum; sum += 1 + i * 7 % 50; } off[n] = sum;",
    "a pointer": "int *p = off; for (int i = 0; i < n; i++, p++) p[1] = *p + 1 + i * 7 % 50;",
    "sums in place": """
      for (int i = 0; i < n; i++) off[i + 1] = 1 + i * 7 % 50;
      for (int i = 0; i < n; i++) off[i + 1] += off[i];""",
    "sums of lengths": """
      std::vector<int> length(n);
      for (int i = 0; i < n; i++) length[i] = 1 + i * 7 % 50;
      for (int i = 0; i < n; i++) off[i + 1] = off[i] + length[i];""",
    "elements of a vector": """
      std::vector<int> v(n + 1);
      for (int i = 0; i < n; i++) v[i + 1] = v[i] + 1 + i * 7 % 50;
      off = v.data();""",
    "appended ones": """
      std::vector<int> v; int sum = 0; v.push_back(0);
      for (int i = 0; i < n; i++) { sum += 1 + i * 7 % 50; v.push_back(sum); }
      off = v.data();""",
    "members": """
      std::vector<Row> r(n);
      int sum = 0;
      for (int i = 0; i < n; i++) { r[i].first = sum; r[i].length = 1 + i * 7 % 50; sum += r[i].length; }
      for (int i = 0; i < n; i++) off[i] = r[i].first;
      off[n] = r[n - 1].first + r[n - 1].length;""",
    "a branch": """
      for (int i = 0; i < n; i++) {
        int m = i * 7 % 50, k = 1;
        if (m > 9) k += m; else if (m) k = m + 1;
        off[i + 1] = off[i] + k;
      }""",
    "what is left out": """
      for (int i = 0; i < n; i++) {
        off[i + 1] = off[i] + 1;
        if (i * 7 % 50 == 0) continue;
        off[i + 1] += i * 7 % 50;
      }""",
    "counted columns": """
      std::vector<int> col;
      for (int i = 0; i < n; i++) {
        for (int k = 0; k <= i * 7 % 50; k++) col.push_back((i + k * 31) % n);
        off[i + 1] = col.size();
      }""",
}


@pytest.mark.parametrize("form", FORMS)
def test_offsets_of_the_same_rows_in_other_words(host, form):
    assert built(host, FORMS[form]) == expected(lambda i: 1 + i * 7 % 50)


def test_rows_of_rows(host):
    # 200 rows of n / 200 elements each, one table of offsets
    loop = """
      int w = n / 200;
      for (int y = 0; y < 200; y++)
        for (int x = 0; x < w; x++) off[y * w + x + 1] = off[y * w + x] + 1 + (x ^ y) % 10;"""
    width = ROWS // 200
    assert built(host, loop) == expected(lambda i: 1 + (i % width ^ i // width) % 10)


def test_columns_of_a_graph_with_hubs(host):
    # What the columns are is drawn, how many there are is not.
    loop = """
      std::vector<int> col; unsigned long long s = 11;
      for (int i = 0; i < n; i++) {
        int d = i % 997 == 0 ? 72 : 1 + (i * 5) % 11;
        for (int k = 0; k < d; k++) {
          s = s * 2862933555777941757ull + 3037000493ull;
          col.push_back((k & 1) ? (int)((i + 1 + (s >> 40) % 200) % n) : (int)((s >> 32) % n));
        }
        off[i + 1] = (int)col.size();
      }"""
    lengths = expected(lambda i: 1 + i * 5 % 11 if i % 997 else 72, 9_000)
    assert built(host, loop, rows=9_000) == pytest.approx(lengths, rel=0.03)


def test_a_generator_decides_nothing_for_sure(host):
    # The lengths are drawn: the sum is their expectation, 4.5 n.
    total, _, _ = built(host, "for (int i = 0; i < n; i++) off[i + 1] = off[i] + rand() % 10;")
    assert total == pytest.approx(4.5 * ROWS, rel=0.05)


def test_long_words_beyond_the_signed_ones(host):
    # The first elements are known one by one, as numbers above 2^63, before the loop stands for all.
    text = """
    __global__ void touch(int n) { }
    int main(int argc, char **argv) {
      int n = atoi(argv[1]);
      unsigned long *word = new unsigned long[n];
      for (int i = 0; i < n; i++) word[i] = i * 7 % 50 - 25;
      touch<<<dim3(word[5] + 26, word[n / 2] + 26, word[n - 1] + 26), 32>>>(n);
    }"""
    places = (5, ROWS // 2, ROWS - 1)
    grid = tuple(i * 7 % 50 + 1 for i in places)
    assert host(text, argv=[str(ROWS)]).only().grid == grid


def test_too_many_iterations_are_sampled(host):
    loop = "for (int i = 0; i < n; i++) off[i + 1] = off[i] + 1 + i % 2;"
    rows = 100_000_000
    assert built(host, loop, rows=rows)[0] == pytest.approx(1.5 * rows, rel=0.01)
