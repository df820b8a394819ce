// dump_runner launches a capture on an AMD GPU, saves the memory afterwards and
// times the kernel. For people who have such a GPU: the project that ships it
// has none, compiles this and runs it against a stand-in for the HIP runtime
// only. See docs/validation.md.
//
//   c++ -std=c++17 -O2 -o dump_runner dump_runner.cpp -ldl        (Linux)
//   clang++ -std=c++17 -O2 -o dump_runner.exe dump_runner.cpp     (Windows)
//   dump_runner OBJECT CAPTURE OUT [LAUNCHES=20]
//
// It needs no HIP headers: the runtime is loaded when it starts, from the
// library that HIP_LIBRARY names or the usual places. Allocations get new
// addresses and the parameters are changed to match, so keys differ from those
// of the capture. OUT becomes a capture with the memory after the first launch.
//
// Environment: PREP_GRID (blocks of the prep kernel instead of the object's),
// PREP_ONCE=1 (timed launches leave the prep kernel out), GRID_X, GRID_Y.
// Exit codes: 1 the runtime refused something, 2 usage or files, 3 the capture
// uses textures or surfaces, whose contents it does not hold.
#include <algorithm>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#ifdef _WIN32
#include <direct.h>
#include <windows.h>
#else
#include <dlfcn.h>
#include <sys/stat.h>
#endif

namespace {

[[noreturn]] void fail(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  std::fprintf(stderr, "error: ");
  std::vfprintf(stderr, format, args);
  std::fprintf(stderr, "\n");
  va_end(args);
  std::exit(code);
}

// ---- the HIP runtime, by the names and types of its public C interface
using Module = struct ModuleData *;
using Function = struct FunctionData *;
using Event = struct EventData *;
enum CopyKind { kHostToDevice = 1, kDeviceToHost = 2 };

struct Hip {
  int (*init)(unsigned) = nullptr;
  const char *(*errorName)(int) = nullptr;
  int (*allocate)(void **, size_t) = nullptr;
  int (*copy)(void *, const void *, size_t, int) = nullptr;
  int (*loadModule)(Module *, const void *) = nullptr;
  int (*getFunction)(Function *, Module, const char *) = nullptr;
  int (*getGlobal)(void **, size_t *, Module, const char *) = nullptr;
  int (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **) = nullptr;
  int (*synchronize)() = nullptr;
  int (*createEvent)(Event *) = nullptr;
  int (*recordEvent)(Event, void *) = nullptr;
  int (*waitEvent)(Event) = nullptr;
  int (*elapsed)(float *, Event, Event) = nullptr;

  void load();
  void check(int error, const char *what) const {
    if (error) fail(1, "%s: %s (HIP error %d)", what, errorName(error), error);
  }
};

void *open_library() {
  std::vector<std::string> names;
  if (const char *name = std::getenv("HIP_LIBRARY")) names.push_back(name);
#ifdef _WIN32
  else names = {"amdhip64_7.dll", "amdhip64_6.dll", "amdhip64.dll"};
  for (const std::string &n : names)
    if (HMODULE m = LoadLibraryA(n.c_str())) return reinterpret_cast<void *>(m);
#else
  else names = {"libamdhip64.so", "libamdhip64.so.7", "libamdhip64.so.6", "/opt/rocm/lib/libamdhip64.so"};
  for (const std::string &n : names)
    if (void *m = dlopen(n.c_str(), RTLD_NOW)) return m;
#endif
  std::string tried;
  for (const std::string &n : names) tried += " " + n;
  fail(2, "there is no HIP runtime (tried%s): install ROCm, or name the library with HIP_LIBRARY", tried.c_str());
}

template <class F>
void symbol(void *library, const char *name, F &f) {
#ifdef _WIN32
  f = reinterpret_cast<F>(reinterpret_cast<void *>(GetProcAddress(reinterpret_cast<HMODULE>(library), name)));
#else
  f = reinterpret_cast<F>(dlsym(library, name));
#endif
  if (!f) fail(2, "the HIP runtime has no %s", name);
}

void Hip::load() {
  void *l = open_library();
  symbol(l, "hipInit", init);
  symbol(l, "hipGetErrorName", errorName);
  symbol(l, "hipMalloc", allocate);
  symbol(l, "hipMemcpy", copy);
  symbol(l, "hipModuleLoadData", loadModule);
  symbol(l, "hipModuleGetFunction", getFunction);
  symbol(l, "hipModuleGetGlobal", getGlobal);
  symbol(l, "hipModuleLaunchKernel", launch);
  symbol(l, "hipDeviceSynchronize", synchronize);
  symbol(l, "hipEventCreate", createEvent);
  symbol(l, "hipEventRecord", recordEvent);
  symbol(l, "hipEventSynchronize", waitEvent);
  symbol(l, "hipEventElapsedTime", elapsed);
  check(init(0), "starting the HIP runtime");
}

// ---- files
using Bytes = std::vector<char>;

Bytes read_file(const std::string &path) {
  std::ifstream f(path, std::ios::binary);
  if (!f) fail(2, "%s cannot be read", path.c_str());
  Bytes b((std::istreambuf_iterator<char>(f)), {});
  return b;
}

void write_file(const std::string &path, const Bytes &b) {
  std::ofstream f(path, std::ios::binary);
  f.write(b.data(), static_cast<std::streamsize>(b.size()));
  if (!f.flush()) fail(2, "%s cannot be written", path.c_str());
}

struct Allocation {
  Bytes data;
  void *device = nullptr;
};
struct Pointer {
  uint64_t offset, number, delta;
};
struct Capture {
  std::string kernel;
  unsigned grid[3] = {}, block[3] = {}, shared = 0;
  Bytes manifest, args;
  std::map<uint64_t, Allocation> allocations;
  std::vector<Pointer> pointers;
};

uint64_t number(std::istringstream &words, const std::string &line) {
  std::string word;
  words >> word;
  char *end = nullptr;
  const uint64_t n = std::strtoull(word.c_str(), &end, 0);
  if (word.empty() || *end) fail(2, "manifest.txt: \"%s\" has a word that is no number", line.c_str());
  return n;
}

Capture read_capture(const std::string &dir) {
  Capture c;
  c.manifest = read_file(dir + "/manifest.txt");
  c.args = read_file(dir + "/args.bin");
  std::istringstream lines(std::string(c.manifest.begin(), c.manifest.end()));
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string what;
    words >> what;
    if (what == "kernel") words >> c.kernel;
    if (what == "launch") {
      for (unsigned &n : c.grid) n = static_cast<unsigned>(number(words, line));
      for (unsigned &n : c.block) n = static_cast<unsigned>(number(words, line));
      c.shared = static_cast<unsigned>(number(words, line));
    }
    if (what == "texture" || what == "surface")
      fail(3, "%s uses a %s: a capture holds the handle but not what it stands for", c.kernel.c_str(), what.c_str());
    if (what == "alloc") {
      const uint64_t n = number(words, line);
      number(words, line);  // where it was
      const uint64_t size = number(words, line);
      Allocation a;
      a.data = read_file(dir + "/alloc-" + std::to_string(n) + ".bin");
      if (a.data.size() != size) fail(2, "alloc-%llu.bin does not have the %llu bytes that the manifest says", (unsigned long long)n, (unsigned long long)size);
      c.allocations[n] = std::move(a);
    }
    if (what == "pointer") {
      const uint64_t offset = number(words, line), n = number(words, line), delta = number(words, line);
      c.pointers.push_back({offset, n, delta});
    }
  }
  if (c.kernel.empty() || !c.grid[0] || !c.block[0]) fail(2, "%s: manifest.txt has no kernel or no launch", dir.c_str());
  for (const Pointer &p : c.pointers) {
    if (p.offset + 8 > c.args.size()) fail(2, "a pointer at offset %llu lies beyond the parameters", (unsigned long long)p.offset);
    if (!c.allocations.count(p.number)) fail(2, "the copy of allocation %llu is missing: capturing it failed", (unsigned long long)p.number);
  }
  return c;
}

unsigned environment(const char *name, unsigned otherwise) {
  const char *v = std::getenv(name);
  return v && *v ? static_cast<unsigned>(std::strtoul(v, nullptr, 0)) : otherwise;
}

// ---- one object on one device
struct Kernel {
  const Hip &hip;
  Module module = nullptr;
  Function main = nullptr, prep = nullptr;
  unsigned prepBlocks = 0, grid[3], block[3], shared;
  Bytes args;

  unsigned value(const char *name) const {
    void *at = nullptr;
    size_t size = 0;
    unsigned v = 0;
    if (hip.getGlobal(&at, &size, module, name) || size != 4) return 0;
    hip.check(hip.copy(&v, at, 4, kDeviceToHost), name);
    return v;
  }
  void start(Function f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned lds) {
    size_t size = args.size();
    void *extra[] = {reinterpret_cast<void *>(1), args.data(), reinterpret_cast<void *>(2), &size, reinterpret_cast<void *>(3)};
    hip.check(hip.launch(f, gx, gy, gz, bx, by, bz, lds, nullptr, nullptr, extra), "launching the kernel");
  }
  void run(bool withPrep) {
    if (withPrep && prep) start(prep, prepBlocks, 1, 1, 128, 1, 1, 0);
    start(main, grid[0], grid[1], grid[2], block[0], block[1], block[2], shared);
  }
};

Kernel prepare(const Hip &hip, const Bytes &object, Capture &c) {
  Kernel k{hip, nullptr, nullptr, nullptr, 0, {c.grid[0], c.grid[1], c.grid[2]}, {c.block[0], c.block[1], c.block[2]}, c.shared, c.args};
  hip.check(hip.loadModule(&k.module, object.data()), "loading the object");
  hip.check(hip.getFunction(&k.main, k.module, c.kernel.c_str()), c.kernel.c_str());
  if (hip.getFunction(&k.prep, k.module, (c.kernel + "_prep").c_str())) k.prep = nullptr;
  k.prepBlocks = environment("PREP_GRID", k.value("d4r_prep_blocks"));
  if (k.prep && !k.prepBlocks) fail(2, "%s_prep has no d4r_prep_blocks: say how many with PREP_GRID", c.kernel.c_str());
  if (const unsigned z = k.value("d4r_block_z")) k.block[2] = z;
  if (const unsigned x = k.value("d4r_grid_x")) k.grid[0] = x, k.grid[1] = k.grid[2] = 1;
  k.grid[0] = environment("GRID_X", k.grid[0]);
  k.grid[1] = environment("GRID_Y", k.grid[1]);
  for (auto &[n, a] : c.allocations) {
    hip.check(hip.allocate(&a.device, std::max<size_t>(1, a.data.size())), "allocating");
    hip.check(hip.copy(a.device, a.data.data(), a.data.size(), kHostToDevice), "copying to the device");
  }
  for (const Pointer &p : c.pointers) {
    const uint64_t at = reinterpret_cast<uint64_t>(c.allocations[p.number].device) + p.delta;
    std::memcpy(k.args.data() + p.offset, &at, 8);
  }
  return k;
}

void save(const Hip &hip, Capture &c, const std::string &dir) {
#ifdef _WIN32
  _mkdir(dir.c_str());
#else
  mkdir(dir.c_str(), 0777);
#endif
  for (auto &[n, a] : c.allocations) {
    hip.check(hip.copy(a.data.data(), a.device, a.data.size(), kDeviceToHost), "copying from the device");
    write_file(dir + "/alloc-" + std::to_string(n) + ".bin", a.data);
  }
  write_file(dir + "/args.bin", c.args);
  write_file(dir + "/manifest.txt", c.manifest);
}

void measure(const Hip &hip, Kernel &k, const std::string &name, unsigned launches) {
  const bool withPrep = !environment("PREP_ONCE", 0);
  Event begin, end;
  hip.check(hip.createEvent(&begin), "making an event");
  hip.check(hip.createEvent(&end), "making an event");
  std::vector<float> ms(launches);
  for (float &t : ms) {
    hip.check(hip.recordEvent(begin, nullptr), "recording an event");
    k.run(withPrep);
    hip.check(hip.recordEvent(end, nullptr), "recording an event");
    hip.check(hip.waitEvent(end), "waiting for the kernel");
    hip.check(hip.elapsed(&t, begin, end), "reading the time");
  }
  std::sort(ms.begin(), ms.end());
  std::printf("%s: median %.4f ms, min %.4f ms over %u launches%s\n", name.c_str(), ms[ms.size() / 2], ms[0], launches,
              k.prep && withPrep ? ", prep included" : "");
}

}  // namespace

int main(int argc, char **argv) {
  if (argc < 4 || argc > 5) fail(2, "usage: dump_runner OBJECT CAPTURE OUT [LAUNCHES=20]");
  const unsigned launches = argc == 5 ? static_cast<unsigned>(std::strtoul(argv[4], nullptr, 10)) : 20;
  Capture c = read_capture(argv[2]);
  const Bytes object = read_file(argv[1]);
  Hip hip;
  hip.load();
  Kernel k = prepare(hip, object, c);
  k.run(true);
  hip.check(hip.synchronize(), "running the kernel");
  save(hip, c, argv[3]);
  if (launches > 0) measure(hip, k, c.kernel, launches);
}
