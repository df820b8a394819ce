//go:build linux

package main

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

// library is the driver's, as the loader knows it. It comes with the driver, not
// with a CUDA toolkit.
const library = "libcuda.so.1"

// driver is the part of the CUDA driver API that is used here, with the names and
// types of cuda.h; a CUdeviceptr, a CUarray and every other handle is 8 bytes.
type driver struct {
	Init               func(flags uint32) result
	DriverGetVersion   func(version *int32) result
	DeviceGetCount     func(n *int32) result
	DeviceGet          func(device *int32, ordinal int32) result
	DeviceGetName      func(name *byte, size, device int32) result
	DeviceGetAttribute func(value *int32, attribute, device int32) result
	CtxRetain          func(context *uint64, device int32) result
	CtxReset           func(device int32) result
	CtxSetCurrent      func(context uint64) result
	CtxSynchronize     func() result
	GetErrorName       func(code result, name **byte) result
	ModuleLoadDataEx   func(module *uint64, image *byte, n uint32, options *int32, values *uintptr) result
	ModuleGetFunction  func(function *uint64, module uint64, name string) result
	ModuleUnload       func(module uint64) result
	LinkCreate         func(n uint32, options *int32, values *uintptr, state *uint64) result
	LinkAddData        func(state uint64, kind int32, data *byte, size uintptr, name string, n uint32, options *int32, values *uintptr) result
	LinkComplete       func(state uint64, image **byte, size *uintptr) result
	LinkDestroy        func(state uint64) result
	MemAlloc           func(p *uint64, size uintptr) result
	MemFree            func(p uint64) result
	MemcpyHtoD         func(to uint64, from *byte, size uintptr) result
	MemcpyDtoH         func(to *byte, from uint64, size uintptr) result
	Memcpy2D           func(*memcpy2D) result
	Array3DCreate      func(array *uint64, d *arrayDescriptor) result
	ArrayDestroy       func(array uint64) result
	TexObjectCreate    func(object *uint64, r *resourceDescriptor, t *textureDescriptor, view *byte) result
	TexObjectDestroy   func(object uint64) result
	SurfObjectCreate   func(object *uint64, r *resourceDescriptor) result
	SurfObjectDestroy  func(object uint64) result
	LaunchKernel       func(function uint64, gx, gy, gz, bx, by, bz, shared uint32, stream uint64, params *unsafe.Pointer, extra *byte) result
}

// result is a CUresult.
type result int32

// open loads the driver's library.
func open() (*driver, error) {
	lib, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, err
	}
	d := &driver{}
	for name, to := range map[string]any{
		"cuInit": &d.Init, "cuDriverGetVersion": &d.DriverGetVersion,
		"cuDeviceGetCount": &d.DeviceGetCount, "cuDeviceGet": &d.DeviceGet, "cuDeviceGetName": &d.DeviceGetName, "cuDeviceGetAttribute": &d.DeviceGetAttribute,
		"cuDevicePrimaryCtxRetain": &d.CtxRetain, "cuDevicePrimaryCtxReset_v2": &d.CtxReset, "cuCtxSetCurrent": &d.CtxSetCurrent, "cuCtxSynchronize": &d.CtxSynchronize,
		"cuGetErrorName":     &d.GetErrorName,
		"cuModuleLoadDataEx": &d.ModuleLoadDataEx, "cuModuleGetFunction": &d.ModuleGetFunction, "cuModuleUnload": &d.ModuleUnload,
		"cuLinkCreate_v2": &d.LinkCreate, "cuLinkAddData_v2": &d.LinkAddData, "cuLinkComplete": &d.LinkComplete, "cuLinkDestroy": &d.LinkDestroy,
		"cuMemAlloc_v2": &d.MemAlloc, "cuMemFree_v2": &d.MemFree, "cuMemcpyHtoD_v2": &d.MemcpyHtoD, "cuMemcpyDtoH_v2": &d.MemcpyDtoH, "cuMemcpy2D_v2": &d.Memcpy2D,
		"cuArray3DCreate_v2": &d.Array3DCreate, "cuArrayDestroy": &d.ArrayDestroy,
		"cuTexObjectCreate": &d.TexObjectCreate, "cuTexObjectDestroy": &d.TexObjectDestroy,
		"cuSurfObjectCreate": &d.SurfObjectCreate, "cuSurfObjectDestroy": &d.SurfObjectDestroy,
		"cuLaunchKernel": &d.LaunchKernel,
	} {
		at, err := purego.Dlsym(lib, name)
		if err != nil {
			return nil, fmt.Errorf("%s has no %s: %w", library, name, err)
		}
		purego.RegisterFunc(to, at)
	}
	return d, nil
}

// check makes an error of a CUresult.
func (d *driver) check(what string, r result) error {
	if r == 0 {
		return nil
	}
	name := fmt.Sprint(int32(r))
	var p *byte
	if d.GetErrorName(r, &p) == 0 && p != nil {
		name = cString(p)
	}
	return fmt.Errorf("%s: %s", what, name)
}

func cString(p *byte) string {
	n := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(p), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(p, n))
}

// Options of the just-in-time compiler and the linker: where its complaints go.
const (
	jitErrorLog     = 5
	jitErrorLogSize = 6
	inputPTX        = 1
)

// log takes what the just-in-time compiler says.
type log struct {
	buffer  []byte
	options []int32
	values  []uintptr
}

func newLog() *log {
	l := &log{buffer: make([]byte, 1<<14), options: []int32{jitErrorLog, jitErrorLogSize}}
	l.values = []uintptr{uintptr(unsafe.Pointer(&l.buffer[0])), uintptr(len(l.buffer))}
	return l
}

func (l *log) text() string {
	text, _, _ := bytes.Cut(l.buffer, []byte{0})
	return strings.TrimSpace(string(text))
}

// wrap adds what the compiler said.
func (l *log) wrap(err error) error {
	if err != nil && l.text() != "" {
		err = fmt.Errorf("%w\n%s", err, l.text())
	}
	return err
}

// load compiles a module; image is PTX text or machine code.
func (d *driver) load(image []byte) (module uint64, err error) {
	l := newLog()
	text := append(bytes.Clone(image), 0)
	err = d.check("cuModuleLoadDataEx", d.ModuleLoadDataEx(&module, &text[0], uint32(len(l.options)), &l.options[0], &l.values[0]))
	err = l.wrap(err)
	runtime.KeepAlive(l)
	return module, err
}

// link compiles and links PTX modules, so that one has what another declares.
func (d *driver) link(modules ...[]byte) (module uint64, err error) {
	l := newLog()
	var state uint64
	if err := d.check("cuLinkCreate", d.LinkCreate(uint32(len(l.options)), &l.options[0], &l.values[0], &state)); err != nil {
		return 0, err
	}
	defer d.LinkDestroy(state)
	for i, m := range modules {
		text := append(bytes.Clone(m), 0)
		err := d.check("cuLinkAddData", d.LinkAddData(state, inputPTX, &text[0], uintptr(len(text)), fmt.Sprint("module ", i), 0, nil, nil))
		if err != nil {
			return 0, l.wrap(err)
		}
	}
	var image *byte
	var size uintptr
	if err := d.check("cuLinkComplete", d.LinkComplete(state, &image, &size)); err != nil {
		return 0, l.wrap(err)
	}
	err = l.wrap(d.check("cuModuleLoadDataEx", d.ModuleLoadDataEx(&module, image, uint32(len(l.options)), &l.options[0], &l.values[0])))
	runtime.KeepAlive(l)
	return module, err
}

// launch runs one kernel and waits for it.
func (d *driver) launch(module uint64, name string, grid, block [3]int, arguments [][]byte) error {
	var f uint64
	if err := d.check("cuModuleGetFunction "+name, d.ModuleGetFunction(&f, module, name)); err != nil {
		return err
	}
	params := make([]unsafe.Pointer, len(arguments)+1)
	for i, a := range arguments {
		params[i] = unsafe.Pointer(&a[0])
	}
	g, b := sizes(grid), sizes(block)
	err := d.check("cuLaunchKernel "+name, d.LaunchKernel(f, g[0], g[1], g[2], b[0], b[1], b[2], 0, 0, &params[0], nil))
	runtime.KeepAlive(arguments)
	if err != nil {
		return err
	}
	return d.check(name, d.CtxSynchronize())
}

func sizes(n [3]int) [3]uint32 { return [3]uint32{uint32(n[0]), uint32(n[1]), uint32(n[2])} }
