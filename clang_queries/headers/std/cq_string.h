#ifndef CQ_STD_STRING_H
#define CQ_STD_STRING_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <string>
#else
#include <cq_functional.h>
#include <cq_memory.h>
#include <iosfwd>
#include <wchar.h>
#if __cplusplus >= 202002L
#include <compare>
#endif
namespace std {
CQ_BEGIN_CXX
template <class CqC> struct char_traits {
  typedef CqC char_type;
  typedef int int_type;
  typedef streamoff off_type;
  typedef streamoff pos_type;
  typedef mbstate_t state_type;
  static CQ_CONSTEXPR14 void assign(CqC &to, const CqC &from) noexcept { to = from; }
  static CqC *assign(CqC *data, size_t count, CqC value);
  static constexpr bool eq(CqC a, CqC b) noexcept { return a == b; }
  static constexpr bool lt(CqC a, CqC b) noexcept { return a < b; }
  static int compare(const CqC *a, const CqC *b, size_t count);
  static CQ_CONSTEXPR14 size_t length(const CqC *text) { size_t n = 0; while (text[n] != CqC()) ++n; return n; }
  static const CqC *find(const CqC *text, size_t count, const CqC &value);
  static CqC *move(CqC *to, const CqC *from, size_t count);
  static CqC *copy(CqC *to, const CqC *from, size_t count);
  static constexpr CqC to_char_type(int c) noexcept { return static_cast<CqC>(c); }
  static constexpr int to_int_type(CqC c) noexcept { return static_cast<int>(c); }
  static constexpr bool eq_int_type(int a, int b) noexcept { return a == b; }
  static constexpr int eof() noexcept { return -1; }
  static constexpr int not_eof(int c) noexcept { return c == -1 ? 0 : c; }
};
#if __cplusplus >= 201703L
template <class CqC, class CqTraits = char_traits<CqC>> class basic_string_view;
#endif
template <class CqC, class CqTraits, class CqA> class basic_string {
  CqC *cq_data;
  size_t cq_size;
  size_t cq_small[2];
public:
  typedef CqTraits traits_type;
  typedef CqC value_type;
  typedef CqA allocator_type;
  typedef size_t size_type;
  typedef ptrdiff_t difference_type;
  typedef CqC &reference;
  typedef const CqC &const_reference;
  typedef CqC *pointer;
  typedef const CqC *const_pointer;
  typedef CqC *iterator;
  typedef const CqC *const_iterator;
  typedef std::reverse_iterator<iterator> reverse_iterator;
  typedef std::reverse_iterator<const_iterator> const_reverse_iterator;
  static const size_t npos = static_cast<size_t>(-1);
  basic_string() noexcept;
  explicit basic_string(const CqA &allocator) noexcept;
  basic_string(const basic_string &other);
  basic_string(basic_string &&other) noexcept;
  basic_string(const basic_string &other, size_t position, size_t count = npos);
  basic_string(const CqC *text, size_t count, const CqA &allocator = CqA());
  basic_string(const CqC *text, const CqA &allocator = CqA());
  basic_string(size_t count, CqC c, const CqA &allocator = CqA());
  template <class CqI, class = cq_is_iterator<CqI>> basic_string(CqI first, CqI last, const CqA &allocator = CqA());
  basic_string(initializer_list<CqC> list, const CqA &allocator = CqA());
#if __cplusplus >= 201703L
  explicit basic_string(basic_string_view<CqC, CqTraits> view, const CqA &allocator = CqA());
  basic_string &operator=(basic_string_view<CqC, CqTraits> view);
  operator basic_string_view<CqC, CqTraits>() const noexcept;
#endif
  ~basic_string();
  basic_string &operator=(const basic_string &other);
  basic_string &operator=(basic_string &&other) noexcept;
  basic_string &operator=(const CqC *text);
  basic_string &operator=(CqC c);
  basic_string &operator=(initializer_list<CqC> list);
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
  void resize(size_t count, CqC c);
  size_t capacity() const noexcept;
  void reserve(size_t count = 0);
  void shrink_to_fit();
  void clear() noexcept;
  bool empty() const noexcept;
  CqC &operator[](size_t i);
  const CqC &operator[](size_t i) const;
  CqC &at(size_t i);
  const CqC &at(size_t i) const;
  CqC &front();
  const CqC &front() const;
  CqC &back();
  const CqC &back() const;
  basic_string &operator+=(const basic_string &other);
  basic_string &operator+=(const CqC *text);
  basic_string &operator+=(CqC c);
  basic_string &operator+=(initializer_list<CqC> list);
  basic_string &append(const basic_string &other);
  basic_string &append(const basic_string &other, size_t position, size_t count = npos);
  basic_string &append(const CqC *text);
  basic_string &append(const CqC *text, size_t count);
  basic_string &append(size_t count, CqC c);
  template <class CqI, class = cq_is_iterator<CqI>> basic_string &append(CqI first, CqI last);
  void push_back(CqC c);
  void pop_back();
  basic_string &assign(const basic_string &other);
  basic_string &assign(const basic_string &other, size_t position, size_t count = npos);
  basic_string &assign(const CqC *text);
  basic_string &assign(const CqC *text, size_t count);
  basic_string &assign(size_t count, CqC c);
  template <class CqI, class = cq_is_iterator<CqI>> basic_string &assign(CqI first, CqI last);
  basic_string &insert(size_t position, const basic_string &other);
  basic_string &insert(size_t position, const CqC *text);
  basic_string &insert(size_t position, const CqC *text, size_t count);
  basic_string &insert(size_t position, size_t count, CqC c);
  template <class CqP, class = typename enable_if<__is_pointer(CqP)>::type> iterator insert(CqP position, CqC c);
  template <class CqP, class = typename enable_if<__is_pointer(CqP)>::type> iterator insert(CqP position, size_t count, CqC c);
  template <class CqP, class CqI, class = typename enable_if<__is_pointer(CqP)>::type, class = cq_is_iterator<CqI>> iterator insert(CqP position, CqI first, CqI last);
  basic_string &erase(size_t position = 0, size_t count = npos);
  template <class CqP, class = typename enable_if<__is_pointer(CqP)>::type> iterator erase(CqP position);
  template <class CqP, class = typename enable_if<__is_pointer(CqP)>::type> iterator erase(CqP first, CqP last);
  basic_string &replace(size_t position, size_t count, const basic_string &other);
  basic_string &replace(size_t position, size_t count, const CqC *text);
  basic_string &replace(size_t position, size_t count, const CqC *text, size_t size);
  basic_string &replace(size_t position, size_t count, size_t times, CqC c);
  template <class CqP, class = typename enable_if<__is_pointer(CqP)>::type> basic_string &replace(CqP first, CqP last, const basic_string &other);
  template <class CqP, class = typename enable_if<__is_pointer(CqP)>::type> basic_string &replace(CqP first, CqP last, const CqC *text);
  size_t copy(CqC *to, size_t count, size_t position = 0) const;
  void swap(basic_string &other) noexcept;
  const CqC *c_str() const noexcept;
  const CqC *data() const noexcept;
  CqC *data() noexcept;
  CqA get_allocator() const noexcept;
  size_t find(const basic_string &part, size_t position = 0) const noexcept;
  size_t find(const CqC *part, size_t position = 0) const;
  size_t find(const CqC *part, size_t position, size_t count) const;
  size_t find(CqC c, size_t position = 0) const noexcept;
  size_t rfind(const basic_string &part, size_t position = npos) const noexcept;
  size_t rfind(const CqC *part, size_t position = npos) const;
  size_t rfind(CqC c, size_t position = npos) const noexcept;
  size_t find_first_of(const basic_string &set, size_t position = 0) const noexcept;
  size_t find_first_of(const CqC *set, size_t position = 0) const;
  size_t find_first_of(CqC c, size_t position = 0) const noexcept;
  size_t find_last_of(const basic_string &set, size_t position = npos) const noexcept;
  size_t find_last_of(const CqC *set, size_t position = npos) const;
  size_t find_last_of(CqC c, size_t position = npos) const noexcept;
  size_t find_first_not_of(const basic_string &set, size_t position = 0) const noexcept;
  size_t find_first_not_of(const CqC *set, size_t position = 0) const;
  size_t find_first_not_of(CqC c, size_t position = 0) const noexcept;
  size_t find_last_not_of(const basic_string &set, size_t position = npos) const noexcept;
  size_t find_last_not_of(const CqC *set, size_t position = npos) const;
  size_t find_last_not_of(CqC c, size_t position = npos) const noexcept;
  basic_string substr(size_t position = 0, size_t count = npos) const;
  int compare(const basic_string &other) const noexcept;
  int compare(size_t position, size_t count, const basic_string &other) const;
  int compare(size_t position, size_t count, const basic_string &other, size_t other_position, size_t other_count = npos) const;
  int compare(const CqC *text) const;
  int compare(size_t position, size_t count, const CqC *text) const;
  int compare(size_t position, size_t count, const CqC *text, size_t size) const;
  bool starts_with(const basic_string &part) const noexcept;
  bool starts_with(const CqC *part) const;
  bool starts_with(CqC c) const noexcept;
  bool ends_with(const basic_string &part) const noexcept;
  bool ends_with(const CqC *part) const;
  bool ends_with(CqC c) const noexcept;
  bool contains(const basic_string &part) const noexcept;
  bool contains(const CqC *part) const;
};
template <class CqC, class CqT, class CqA> basic_string<CqC, CqT, CqA> operator+(const basic_string<CqC, CqT, CqA> &a, const basic_string<CqC, CqT, CqA> &b);
template <class CqC, class CqT, class CqA> basic_string<CqC, CqT, CqA> operator+(const basic_string<CqC, CqT, CqA> &a, const CqC *b);
template <class CqC, class CqT, class CqA> basic_string<CqC, CqT, CqA> operator+(const CqC *a, const basic_string<CqC, CqT, CqA> &b);
template <class CqC, class CqT, class CqA> basic_string<CqC, CqT, CqA> operator+(const basic_string<CqC, CqT, CqA> &a, CqC b);
template <class CqC, class CqT, class CqA> basic_string<CqC, CqT, CqA> operator+(CqC a, const basic_string<CqC, CqT, CqA> &b);
template <class CqC, class CqT, class CqA> bool operator==(const basic_string<CqC, CqT, CqA> &a, const basic_string<CqC, CqT, CqA> &b) noexcept;
template <class CqC, class CqT, class CqA> bool operator==(const basic_string<CqC, CqT, CqA> &a, const CqC *b);
template <class CqC, class CqT, class CqA> bool operator==(const CqC *a, const basic_string<CqC, CqT, CqA> &b);
template <class CqC, class CqT, class CqA> bool operator!=(const basic_string<CqC, CqT, CqA> &a, const basic_string<CqC, CqT, CqA> &b) noexcept;
template <class CqC, class CqT, class CqA> bool operator!=(const basic_string<CqC, CqT, CqA> &a, const CqC *b);
template <class CqC, class CqT, class CqA> bool operator!=(const CqC *a, const basic_string<CqC, CqT, CqA> &b);
template <class CqC, class CqT, class CqA> bool operator<(const basic_string<CqC, CqT, CqA> &a, const basic_string<CqC, CqT, CqA> &b) noexcept;
template <class CqC, class CqT, class CqA> bool operator<(const basic_string<CqC, CqT, CqA> &a, const CqC *b);
template <class CqC, class CqT, class CqA> bool operator<(const CqC *a, const basic_string<CqC, CqT, CqA> &b);
template <class CqC, class CqT, class CqA> bool operator>(const basic_string<CqC, CqT, CqA> &a, const basic_string<CqC, CqT, CqA> &b) noexcept;
template <class CqC, class CqT, class CqA> bool operator>(const basic_string<CqC, CqT, CqA> &a, const CqC *b);
template <class CqC, class CqT, class CqA> bool operator<=(const basic_string<CqC, CqT, CqA> &a, const basic_string<CqC, CqT, CqA> &b) noexcept;
template <class CqC, class CqT, class CqA> bool operator>=(const basic_string<CqC, CqT, CqA> &a, const basic_string<CqC, CqT, CqA> &b) noexcept;
template <class CqC, class CqT, class CqA> void swap(basic_string<CqC, CqT, CqA> &a, basic_string<CqC, CqT, CqA> &b) noexcept;
template <class CqC, class CqT, class CqA> basic_ostream<CqC, CqT> &operator<<(basic_ostream<CqC, CqT> &stream, const basic_string<CqC, CqT, CqA> &text);
template <class CqC, class CqT, class CqA> basic_istream<CqC, CqT> &operator>>(basic_istream<CqC, CqT> &stream, basic_string<CqC, CqT, CqA> &text);
template <class CqC, class CqT, class CqA> basic_istream<CqC, CqT> &getline(basic_istream<CqC, CqT> &stream, basic_string<CqC, CqT, CqA> &text, CqC delimiter);
template <class CqC, class CqT, class CqA> basic_istream<CqC, CqT> &getline(basic_istream<CqC, CqT> &stream, basic_string<CqC, CqT, CqA> &text);
template <class CqC, class CqT, class CqA> basic_istream<CqC, CqT> &getline(basic_istream<CqC, CqT> &&stream, basic_string<CqC, CqT, CqA> &text);
template <class CqC, class CqT, class CqA> basic_istream<CqC, CqT> &getline(basic_istream<CqC, CqT> &&stream, basic_string<CqC, CqT, CqA> &text, CqC delimiter);
typedef basic_string<char16_t> u16string;
typedef basic_string<char32_t> u32string;
template <class CqC, class CqT, class CqA> struct hash<basic_string<CqC, CqT, CqA>> { size_t operator()(const basic_string<CqC, CqT, CqA> &text) const noexcept; };
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
#endif
