#ifndef CQ_STD_IOS_H
#define CQ_STD_IOS_H
#include <cq_declare.h>
#if CQ_SYSTEM_LIBRARY
#include <ios>
#else
#include <cq_string.h>
#include <pthread.h>
#include <system_error>
namespace std {
CQ_BEGIN_HOST
class locale;
class ios_base {
public:
  enum fmtflags { boolalpha = 1, dec = 2, fixed = 4, hex = 8, internal = 16, left = 32, oct = 64, right = 128, scientific = 256, showbase = 512, showpoint = 1024, showpos = 2048, skipws = 4096, unitbuf = 8192, uppercase = 16384, adjustfield = 176, basefield = 74, floatfield = 260 };
  enum iostate { goodbit = 0, badbit = 1, eofbit = 2, failbit = 4 };
  enum openmode { app = 1, ate = 2, binary = 4, in = 8, out = 16, trunc = 32 };
  enum seekdir { beg, cur, end };
  class failure : public system_error { public: explicit failure(const string &text); explicit failure(const char *text); };
  class Init { public: Init(); ~Init(); };
  virtual ~ios_base();
  fmtflags flags() const;
  fmtflags flags(fmtflags flags);
  fmtflags setf(fmtflags flags);
  fmtflags setf(fmtflags flags, fmtflags mask);
  void unsetf(fmtflags mask);
  streamsize precision() const;
  streamsize precision(streamsize digits);
  streamsize width() const;
  streamsize width(streamsize columns);
  locale imbue(const locale &l);
  locale getloc() const;
  static int xalloc();
  long &iword(int index);
  void *&pword(int index);
  static bool sync_with_stdio(bool sync = true);
protected:
  ios_base();
};
constexpr ios_base::fmtflags operator|(ios_base::fmtflags a, ios_base::fmtflags b) { return static_cast<ios_base::fmtflags>(static_cast<int>(a) | static_cast<int>(b)); }
constexpr ios_base::fmtflags operator&(ios_base::fmtflags a, ios_base::fmtflags b) { return static_cast<ios_base::fmtflags>(static_cast<int>(a) & static_cast<int>(b)); }
constexpr ios_base::fmtflags operator~(ios_base::fmtflags a) { return static_cast<ios_base::fmtflags>(~static_cast<int>(a)); }
inline ios_base::fmtflags &operator|=(ios_base::fmtflags &a, ios_base::fmtflags b) { return a = a | b; }
inline ios_base::fmtflags &operator&=(ios_base::fmtflags &a, ios_base::fmtflags b) { return a = a & b; }
constexpr ios_base::openmode operator|(ios_base::openmode a, ios_base::openmode b) { return static_cast<ios_base::openmode>(static_cast<int>(a) | static_cast<int>(b)); }
constexpr ios_base::openmode operator&(ios_base::openmode a, ios_base::openmode b) { return static_cast<ios_base::openmode>(static_cast<int>(a) & static_cast<int>(b)); }
inline ios_base::openmode &operator|=(ios_base::openmode &a, ios_base::openmode b) { return a = a | b; }
constexpr ios_base::iostate operator|(ios_base::iostate a, ios_base::iostate b) { return static_cast<ios_base::iostate>(static_cast<int>(a) | static_cast<int>(b)); }
constexpr ios_base::iostate operator&(ios_base::iostate a, ios_base::iostate b) { return static_cast<ios_base::iostate>(static_cast<int>(a) & static_cast<int>(b)); }
constexpr ios_base::iostate operator~(ios_base::iostate a) { return static_cast<ios_base::iostate>(~static_cast<int>(a)); }
inline ios_base::iostate &operator|=(ios_base::iostate &a, ios_base::iostate b) { return a = a | b; }
ios_base &boolalpha(ios_base &s);
ios_base &noboolalpha(ios_base &s);
ios_base &showbase(ios_base &s);
ios_base &noshowbase(ios_base &s);
ios_base &showpoint(ios_base &s);
ios_base &noshowpoint(ios_base &s);
ios_base &showpos(ios_base &s);
ios_base &noshowpos(ios_base &s);
ios_base &skipws(ios_base &s);
ios_base &noskipws(ios_base &s);
ios_base &uppercase(ios_base &s);
ios_base &nouppercase(ios_base &s);
ios_base &unitbuf(ios_base &s);
ios_base &internal(ios_base &s);
ios_base &left(ios_base &s);
ios_base &right(ios_base &s);
ios_base &dec(ios_base &s);
ios_base &hex(ios_base &s);
ios_base &oct(ios_base &s);
ios_base &fixed(ios_base &s);
ios_base &scientific(ios_base &s);
ios_base &hexfloat(ios_base &s);
ios_base &defaultfloat(ios_base &s);
template <class CqState> struct fpos { streamoff cq_offset; fpos(streamoff offset = 0); operator streamoff() const; };
typedef fpos<mbstate_t> streampos;
template <class CqC, class CqTraits> class basic_streambuf {
public:
  typedef CqC char_type;
  typedef CqTraits traits_type;
  typedef int int_type;
  typedef streampos pos_type;
  typedef streamoff off_type;
  virtual ~basic_streambuf();
  int sgetc();
  int sbumpc();
  int snextc();
  int sputc(CqC c);
  int sungetc();
  streamsize sgetn(CqC *text, streamsize count);
  streamsize sputn(const CqC *text, streamsize count);
  streamsize in_avail();
  pos_type pubseekoff(off_type offset, ios_base::seekdir direction, ios_base::openmode mode = ios_base::in | ios_base::out);
  pos_type pubseekpos(pos_type position, ios_base::openmode mode = ios_base::in | ios_base::out);
  basic_streambuf *pubsetbuf(CqC *buffer, streamsize size);
  int pubsync();
  locale pubimbue(const locale &l);
protected:
  basic_streambuf();
  CqC *eback() const;
  CqC *gptr() const;
  CqC *egptr() const;
  CqC *pbase() const;
  CqC *pptr() const;
  CqC *epptr() const;
  void gbump(int count);
  void pbump(int count);
  void setg(CqC *begin, CqC *next, CqC *end);
  void setp(CqC *begin, CqC *end);
  virtual streamsize showmanyc();
  virtual streamsize xsgetn(CqC *text, streamsize count);
  virtual streamsize xsputn(const CqC *text, streamsize count);
  virtual int underflow();
  virtual int uflow();
  virtual int overflow(int c = -1);
  virtual int pbackfail(int c = -1);
  virtual int sync();
  virtual pos_type seekoff(off_type offset, ios_base::seekdir direction, ios_base::openmode mode);
  virtual pos_type seekpos(pos_type position, ios_base::openmode mode);
  virtual basic_streambuf *setbuf(CqC *buffer, streamsize size);
};
template <class CqC, class CqTraits> class basic_ios : public ios_base {
public:
  typedef CqC char_type;
  typedef CqTraits traits_type;
  typedef int int_type;
  typedef streampos pos_type;
  typedef streamoff off_type;
  explicit basic_ios(basic_streambuf<CqC, CqTraits> *buffer);
  explicit operator bool() const;
  bool operator!() const;
  iostate rdstate() const;
  void clear(iostate state = goodbit);
  void setstate(iostate state);
  bool good() const;
  bool eof() const;
  bool fail() const;
  bool bad() const;
  iostate exceptions() const;
  void exceptions(iostate mask);
  basic_ostream<CqC, CqTraits> *tie() const;
  basic_ostream<CqC, CqTraits> *tie(basic_ostream<CqC, CqTraits> *stream);
  basic_streambuf<CqC, CqTraits> *rdbuf() const;
  basic_streambuf<CqC, CqTraits> *rdbuf(basic_streambuf<CqC, CqTraits> *buffer);
  basic_ios &copyfmt(const basic_ios &other);
  CqC fill() const;
  CqC fill(CqC c);
  locale imbue(const locale &l);
  CqC widen(char c) const;
  char narrow(CqC c, char other) const;
protected:
  basic_ios();
  void init(basic_streambuf<CqC, CqTraits> *buffer);
};
CQ_END_HOST
}
#endif
#endif
