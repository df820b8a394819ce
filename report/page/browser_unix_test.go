//go:build unix

package page

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// browsers are programs that this test can drive, the smallest first.
var browsers = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// A browser speaks the DevTools protocol over two pipes: one JSON message, then a
// zero byte.
type browser struct {
	t       *testing.T
	out     io.Writer
	in      *bufio.Reader
	session string
	id      atomic.Int64
	events  []string // methods and texts of what the page reported
	asked   []string // addresses that the page asked for
}

// startBrowser starts a headless browser without network, or skips the test.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	if testing.Short() {
		t.Skip("starts a browser; left out by -short")
	}
	program := ""
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			program = path
			break
		}
	}
	if program == "" {
		t.Skip("no Chromium here; Debian's package chromium-headless-shell is enough")
	}
	fromUs, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
		"--disable-background-networking", "--proxy-server=127.0.0.1:1", "--user-data-dir="+t.TempDir(), "--remote-debugging-pipe", "about:blank")
	cmd.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		toBrowser.Close()
		fromBrowser.Close()
	})
	stuck := time.AfterFunc(5*time.Minute, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	t.Cleanup(func() { stuck.Stop() })
	b := &browser{t: t, out: toBrowser, in: bufio.NewReader(fromBrowser)}
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// call sends a command and waits for its answer.
func (b *browser) call(method string, params map[string]any, into any) {
	b.t.Helper()
	id := b.id.Add(1)
	msg := map[string]any{"id": id, "method": method, "params": params}
	if params == nil {
		msg["params"] = map[string]any{}
	}
	if b.session != "" {
		msg["sessionId"] = b.session
	}
	text, err := json.Marshal(msg)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.out.Write(append(text, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		line, err := b.in.ReadBytes(0)
		if err != nil {
			b.t.Fatalf("%s: the browser has gone: %v", method, err)
		}
		var answer struct {
			ID     int64
			Method string
			Params json.RawMessage
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if err := json.Unmarshal(line[:len(line)-1], &answer); err != nil {
			b.t.Fatal(err)
		}
		if answer.ID != id {
			b.note(answer.Method, answer.Params)
			continue
		}
		if answer.Error != nil {
			b.t.Fatalf("%s: %s", method, answer.Error.Message)
		}
		if into != nil {
			if err := json.Unmarshal(answer.Result, into); err != nil {
				b.t.Fatal(err)
			}
		}
		return
	}
}

// note keeps what the page complained of and asked for.
func (b *browser) note(method string, params json.RawMessage) {
	switch method {
	case "Runtime.exceptionThrown", "Log.entryAdded", "Runtime.consoleAPICalled":
		b.events = append(b.events, method+" "+string(params))
	case "Network.requestWillBeSent":
		var p struct{ Request struct{ URL string } }
		if json.Unmarshal(params, &p) == nil {
			b.asked = append(b.asked, p.Request.URL)
		}
	}
}

// eval is the value of an expression in the page.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s %s", expression, r.ExceptionDetails.Text, r.ExceptionDetails.Exception.Description)
	}
	if into != nil {
		if err := json.Unmarshal(r.Result.Value, into); err != nil {
			b.t.Fatalf("%s: %v", expression, err)
		}
	}
}

// open shows a file and waits until its script has ended. It gives the
// milliseconds from the begin of the navigation to then.
func (b *browser) open(path, scheme string) int {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Page.navigate", map[string]any{"url": "file://" + path}, nil)
	for range 600 {
		var ready string
		b.eval("document.documentElement?.dataset.ready || ''", &ready)
		if ready != "" {
			var ms int
			if _, err := fmt.Sscan(ready, &ms); err != nil {
				b.t.Fatal(err)
			}
			b.t.Logf("%s: ready after %d ms", filepath.Base(filepath.Dir(path)), ms)
			return ms
		}
		if len(b.events) > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	b.t.Fatalf("the page is not ready: %v", b.events)
	return 0
}

// key presses a key.
func (b *browser) key(key string) {
	b.t.Helper()
	for _, kind := range []string{"keyDown", "keyUp"} {
		p := map[string]any{"type": kind, "key": key, "code": key}
		switch key {
		case "Enter":
			p["text"], p["windowsVirtualKeyCode"] = "\r", 13
		case "Tab":
			p["windowsVirtualKeyCode"] = 9
		case "PageDown":
			p["windowsVirtualKeyCode"] = 34
		case "End":
			p["windowsVirtualKeyCode"] = 35
		}
		b.call("Input.dispatchKeyEvent", p, nil)
	}
}

// picture writes a screenshot of the whole page into KMX_SCREENSHOTS, where that
// is set.
func (b *browser) picture(name string) {
	b.t.Helper()
	dir := os.Getenv("KMX_SCREENSHOTS")
	if dir == "" {
		return
	}
	var size struct{ W, H float64 }
	b.eval("({W: document.documentElement.scrollWidth, H: document.documentElement.scrollHeight})", &size)
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "captureBeyondViewport": true,
		"clip": map[string]any{"x": 0, "y": 0, "width": size.W, "height": min(size.H, 12000), "scale": 1}}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
