#ifndef CQ_STD_STRING_H
#define CQ_STD_STRING_H
#include <cq_functional.h>
#include <cq_memory.h>
#include <iosfwd>
#include <wchar.h>
#if __cplusplus >= 202002L
#include <compare>
#endif
namespace std {
CQ_BEGIN_CXX
template <class C> struct char_traits {
  typedef C char_type;
  typedef int int_type;
  typedef streamoff off_type;
  typedef streamoff pos_type;
  typedef mbstate_t state_type;
  static CQ_CONSTEXPR14 void assign(C &to, const C &from) noexcept { to = from; }
  static C *assign(C *data, size_t count, C value);
  static constexpr bool eq(C a, C b) noexcept { return a == b; }
  static constexpr bool lt(C a, C b) noexcept { return a < b; }
  static int compare(const C *a, const C *b, size_t count);
  static CQ_CONSTEXPR14 size_t length(const C *text) { size_t n = 0; while (text[n] != C()) ++n; return n; }
  static const C *find(const C *text, size_t count, const C &value);
  static C *move(C *to, const C *from, size_t count);
  static C *copy(C *to, const C *from, size_t count);
  static constexpr C to_char_type(int c) noexcept { return static_cast<C>(c); }
  static constexpr int to_int_type(C c) noexcept { return static_cast<int>(c); }
  static constexpr bool eq_int_type(int a, int b) noexcept { return a == b; }
  static constexpr int eof() noexcept { return -1; }
  static constexpr int not_eof(int c) noexcept { return c == -1 ? 0 : c; }
};
#if __cplusplus >= 201703L
template <class C, class Traits = char_traits<C>> class basic_string_view;
#endif
template <class C, class Traits, class A> class basic_string {
  C *cq_data;
  size_t cq_size;
  size_t cq_small[2];
public:
  typedef Traits traits_type;
  typedef C value_type;
  typedef A allocator_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef C &reference;
  typedef const C &const_reference;
  typedef C *pointer;
  typedef const C *const_pointer;
  typedef C *iterator;
  typedef const C *const_iterator;
  typedef std::reverse_iterator<iterator> reverse_iterator;
  typedef std::reverse_iterator<const_iterator> const_reverse_iterator;
  static const size_t npos = static_cast<size_t>(-1);
  basic_string() noexcept;
  explicit basic_string(const A &allocator) noexcept;
  basic_string(const basic_string &other);
  basic_string(basic_string &&other) noexcept;
  basic_string(const basic_string &other, size_t position, size_t count = npos);
  basic_string(const C *text, size_t count, const A &allocator = A());
  basic_string(const C *text, const A &allocator = A());
  basic_string(size_t count, C c, const A &allocator = A());
  template <class I, class = cq_is_iterator<I>> basic_string(I first, I last, const A &allocator = A());
  basic_string(initializer_list<C> list, const A &allocator = A());
#if __cplusplus >= 201703L
  explicit basic_string(basic_string_view<C, Traits> view, const A &allocator = A());
  basic_string &operator=(basic_string_view<C, Traits> view);
  operator basic_string_view<C, Traits>() const noexcept;
#endif
  ~basic_string();
  basic_string &operator=(const basic_string &other);
  basic_string &operator=(basic_string &&other) noexcept;
  basic_string &operator=(const C *text);
  basic_string &operator=(C c);
  basic_string &operator=(initializer_list<C> list);
  iterator begin() noexcept;
  const_iterator begin() const noexcept;
  iterator end() noexcept;
  const_iterator end() const noexcept;
  reverse_iterator rbegin() noexcept;
  const_reverse_iterator rbegin() const noexcept;
  reverse_iterator rend() noexcept;
  const_reverse_iterator rend() const noexcept;
  const_iterator cbegin() const noexcept;
  const_iterator cend() const noexcept;
  const_reverse_iterator crbegin() const noexcept;
  const_reverse_iterator crend() const noexcept;
  size_t size() const noexcept;
  size_t length() const noexcept;
  size_t max_size() const noexcept;
  void resize(size_t count);
  void resize(size_t count, C c);
  size_t capacity() const noexcept;
  void reserve(size_t count = 0);
  void shrink_to_fit();
  void clear() noexcept;
  bool empty() const noexcept;
  C &operator[](size_t i);
  const C &operator[](size_t i) const;
  C &at(size_t i);
  const C &at(size_t i) const;
  C &front();
  const C &front() const;
  C &back();
  const C &back() const;
  basic_string &operator+=(const basic_string &other);
  basic_string &operator+=(const C *text);
  basic_string &operator+=(C c);
  basic_string &operator+=(initializer_list<C> list);
  basic_string &append(const basic_string &other);
  basic_string &append(const basic_string &other, size_t position, size_t count = npos);
  basic_string &append(const C *text);
  basic_string &append(const C *text, size_t count);
  basic_string &append(size_t count, C c);
  template <class I, class = cq_is_iterator<I>> basic_string &append(I first, I last);
  void push_back(C c);
  void pop_back();
  basic_string &assign(const basic_string &other);
  basic_string &assign(const basic_string &other, size_t position, size_t count = npos);
  basic_string &assign(const C *text);
  basic_string &assign(const C *text, size_t count);
  basic_string &assign(size_t count, C c);
  template <class I, class = cq_is_iterator<I>> basic_string &assign(I first, I last);
  basic_string &insert(size_t position, const basic_string &other);
  basic_string &insert(size_t position, const C *text);
  basic_string &insert(size_t position, const C *text, size_t count);
  basic_string &insert(size_t position, size_t count, C c);
  iterator insert(const_iterator position, C c);
  iterator insert(const_iterator position, size_t count, C c);
  template <class I, class = cq_is_iterator<I>> iterator insert(const_iterator position, I first, I last);
  basic_string &erase(size_t position = 0, size_t count = npos);
  iterator erase(const_iterator position);
  iterator erase(const_iterator first, const_iterator last);
  basic_string &replace(size_t position, size_t count, const basic_string &other);
  basic_string &replace(size_t position, size_t count, const C *text);
  basic_string &replace(size_t position, size_t count, const C *text, size_t size);
  basic_string &replace(size_t position, size_t count, size_t times, C c);
  basic_string &replace(const_iterator first, const_iterator last, const basic_string &other);
  basic_string &replace(const_iterator first, const_iterator last, const C *text);
  size_t copy(C *to, size_t count, size_t position = 0) const;
  void swap(basic_string &other) noexcept;
  const C *c_str() const noexcept;
  const C *data() const noexcept;
  C *data() noexcept;
  A get_allocator() const noexcept;
  size_t find(const basic_string &part, size_t position = 0) const noexcept;
  size_t find(const C *part, size_t position = 0) const;
  size_t find(const C *part, size_t position, size_t count) const;
  size_t find(C c, size_t position = 0) const noexcept;
  size_t rfind(const basic_string &part, size_t position = npos) const noexcept;
  size_t rfind(const C *part, size_t position = npos) const;
  size_t rfind(C c, size_t position = npos) const noexcept;
  size_t find_first_of(const basic_string &set, size_t position = 0) const noexcept;
  size_t find_first_of(const C *set, size_t position = 0) const;
  size_t find_first_of(C c, size_t position = 0) const noexcept;
  size_t find_last_of(const basic_string &set, size_t position = npos) const noexcept;
  size_t find_last_of(const C *set, size_t position = npos) const;
  size_t find_last_of(C c, size_t position = npos) const noexcept;
  size_t find_first_not_of(const basic_string &set, size_t position = 0) const noexcept;
  size_t find_first_not_of(const C *set, size_t position = 0) const;
  size_t find_first_not_of(C c, size_t position = 0) const noexcept;
  size_t find_last_not_of(const basic_string &set, size_t position = npos) const noexcept;
  size_t find_last_not_of(const C *set, size_t position = npos) const;
  size_t find_last_not_of(C c, size_t position = npos) const noexcept;
  basic_string substr(size_t position = 0, size_t count = npos) const;
  int compare(const basic_string &other) const noexcept;
  int compare(size_t position, size_t count, const basic_string &other) const;
  int compare(size_t position, size_t count, const basic_string &other, size_t other_position, size_t other_count = npos) const;
  int compare(const C *text) const;
  int compare(size_t position, size_t count, const C *text) const;
  int compare(size_t position, size_t count, const C *text, size_t size) const;
  bool starts_with(const basic_string &part) const noexcept;
  bool starts_with(const C *part) const;
  bool starts_with(C c) const noexcept;
  bool ends_with(const basic_string &part) const noexcept;
  bool ends_with(const C *part) const;
  bool ends_with(C c) const noexcept;
  bool contains(const basic_string &part) const noexcept;
  bool contains(const C *part) const;
};
template <class C, class T, class A> basic_string<C, T, A> operator+(const basic_string<C, T, A> &a, const basic_string<C, T, A> &b);
template <class C, class T, class A> basic_string<C, T, A> operator+(const basic_string<C, T, A> &a, const C *b);
template <class C, class T, class A> basic_string<C, T, A> operator+(const C *a, const basic_string<C, T, A> &b);
template <class C, class T, class A> basic_string<C, T, A> operator+(const basic_string<C, T, A> &a, C b);
template <class C, class T, class A> basic_string<C, T, A> operator+(C a, const basic_string<C, T, A> &b);
template <class C, class T, class A> bool operator==(const basic_string<C, T, A> &a, const basic_string<C, T, A> &b) noexcept;
template <class C, class T, class A> bool operator==(const basic_string<C, T, A> &a, const C *b);
template <class C, class T, class A> bool operator==(const C *a, const basic_string<C, T, A> &b);
template <class C, class T, class A> bool operator!=(const basic_string<C, T, A> &a, const basic_string<C, T, A> &b) noexcept;
template <class C, class T, class A> bool operator!=(const basic_string<C, T, A> &a, const C *b);
template <class C, class T, class A> bool operator!=(const C *a, const basic_string<C, T, A> &b);
template <class C, class T, class A> bool operator<(const basic_string<C, T, A> &a, const basic_string<C, T, A> &b) noexcept;
template <class C, class T, class A> bool operator<(const basic_string<C, T, A> &a, const C *b);
template <class C, class T, class A> bool operator<(const C *a, const basic_string<C, T, A> &b);
template <class C, class T, class A> bool operator>(const basic_string<C, T, A> &a, const basic_string<C, T, A> &b) noexcept;
template <class C, class T, class A> bool operator>(const basic_string<C, T, A> &a, const C *b);
template <class C, class T, class A> bool operator<=(const basic_string<C, T, A> &a, const basic_string<C, T, A> &b) noexcept;
template <class C, class T, class A> bool operator>=(const basic_string<C, T, A> &a, const basic_string<C, T, A> &b) noexcept;
template <class C, class T, class A> void swap(basic_string<C, T, A> &a, basic_string<C, T, A> &b) noexcept;
template <class C, class T, class A> basic_ostream<C, T> &operator<<(basic_ostream<C, T> &stream, const basic_string<C, T, A> &text);
template <class C, class T, class A> basic_istream<C, T> &operator>>(basic_istream<C, T> &stream, basic_string<C, T, A> &text);
template <class C, class T, class A> basic_istream<C, T> &getline(basic_istream<C, T> &stream, basic_string<C, T, A> &text, C delimiter);
template <class C, class T, class A> basic_istream<C, T> &getline(basic_istream<C, T> &stream, basic_string<C, T, A> &text);
template <class C, class T, class A> basic_istream<C, T> &getline(basic_istream<C, T> &&stream, basic_string<C, T, A> &text);
template <class C, class T, class A> basic_istream<C, T> &getline(basic_istream<C, T> &&stream, basic_string<C, T, A> &text, C delimiter);
typedef basic_string<char16_t> u16string;
typedef basic_string<char32_t> u32string;
template <class C, class T, class A> struct hash<basic_string<C, T, A>> { size_t operator()(const basic_string<C, T, A> &text) const noexcept; };
int stoi(const string &text, size_t *end = nullptr, int base = 10);
long stol(const string &text, size_t *end = nullptr, int base = 10);
unsigned long stoul(const string &text, size_t *end = nullptr, int base = 10);
long long stoll(const string &text, size_t *end = nullptr, int base = 10);
unsigned long long stoull(const string &text, size_t *end = nullptr, int base = 10);
float stof(const string &text, size_t *end = nullptr);
double stod(const string &text, size_t *end = nullptr);
long double stold(const string &text, size_t *end = nullptr);
string to_string(int value);
string to_string(unsigned value);
string to_string(long value);
string to_string(unsigned long value);
string to_string(long long value);
string to_string(unsigned long long value);
string to_string(float value);
string to_string(double value);
string to_string(long double value);
wstring to_wstring(int value);
#if __cplusplus >= 201402L
inline namespace literals { inline namespace string_literals {
string operator""s(const char *text, size_t size);
} }
#endif
CQ_END_CXX
}
#endif
