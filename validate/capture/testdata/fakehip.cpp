// A stand-in for the HIP runtime: device memory is host memory, an object is the
// text "object", and its kernels are two functions. What is asked for is
// recorded in the file that FAKEHIP_LOG names.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>

extern "C" {

struct Named { const char *name; };
static Named main_kernel = {"add"}, prep_kernel = {"add_prep"};
static unsigned prep_blocks = 3, block_z = 2, prepared = 0;

static void record(const char *format, unsigned long a = 0, unsigned long b = 0, unsigned long c = 0, unsigned long d = 0, unsigned long e = 0, unsigned long f = 0) {
  if (FILE *log = std::fopen(std::getenv("FAKEHIP_LOG"), "a")) {
    std::fprintf(log, format, a, b, c, d, e, f);
    std::fclose(log);
  }
}

int hipInit(unsigned) { return 0; }
const char *hipGetErrorName(int) { return "hipErrorNotFound"; }
int hipMalloc(void **at, size_t size) { return (*at = std::malloc(size)) ? 0 : 2; }
int hipMemcpy(void *to, const void *from, size_t size, int) { std::memcpy(to, from, size); return 0; }
int hipModuleLoadData(void **module, const void *data) {
  *module = nullptr;
  return std::memcmp(data, "object", 6) ? 200 : 0;
}
int hipModuleGetFunction(void **f, void *, const char *name) {
  for (Named *k : {&main_kernel, &prep_kernel})
    if (!std::strcmp(name, k->name)) return *f = k, 0;
  return 500;
}
int hipModuleGetGlobal(void **at, size_t *size, void *, const char *name) {
  *size = 4;
  if (!std::strcmp(name, "d4r_prep_blocks")) return *at = &prep_blocks, 0;
  if (!std::strcmp(name, "d4r_block_z")) return *at = &block_z, 0;
  return 500;
}
// The kernel adds 1 to 40 bytes, the number of preps to the first one more.
int hipModuleLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned, void *, void **, void **extra) {
  record(f == &prep_kernel ? "prep %lu %lu %lu %lu %lu %lu\n" : "main %lu %lu %lu %lu %lu %lu\n", gx, gy, gz, bx, by, bz);
  if (f == &prep_kernel) return prepared++, 0;
  struct { const unsigned char *in; unsigned char *out; char handle[8]; } p;
  if (*static_cast<size_t *>(extra[3]) != sizeof p) return 1;
  std::memcpy(&p, extra[1], sizeof p);
  for (int i = 0; i < 40; i++) p.out[i] = p.in[i] + 1 + (i == 0) * prepared;
  return 0;
}
int hipDeviceSynchronize() { return 0; }
int hipEventCreate(void **) { return 0; }
int hipEventRecord(void *, void *) { return 0; }
int hipEventSynchronize(void *) { return 0; }
int hipEventElapsedTime(float *ms, void *, void *) { return *ms = 0.25f, 0; }
}
