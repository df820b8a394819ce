package cache

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kmx/internal/durable"
)

// child runs this test binary again, in the role that TestMain finds in the
// environment, on the given cache.
func child(t *testing.T, role, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "KMX_TEST_ROLE="+role, "KMX_TEST_CACHE="+dir)
	cmd.Stderr = os.Stderr
	return cmd
}

func TestMain(m *testing.M) {
	role := os.Getenv("KMX_TEST_ROLE")
	if role == "" {
		os.Exit(m.Run())
	}
	c, err := Open(os.Getenv("KMX_TEST_CACHE"), func(msg string) { fmt.Fprintln(os.Stderr, msg); os.Exit(3) })
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	switch role {
	case "store": // the same things as everybody else, until killed
		for i := 0; ; i++ {
			if err := storeSame(c, i%10); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(4)
			}
		}
	case "collect": // everything that is not in use, until killed
		for {
			if _, err := c.Collect(context.Background(), Collection{Size: 0}); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(4)
			}
		}
	case "lock": // hold a lock until stdin ends
		unlock, err := c.Lock(context.Background(), Sum(nil), nil)
		if err != nil {
			os.Exit(4)
		}
		os.MkdirAll(filepath.Join(c.SandboxRoot(), "box"), 0o755)
		fmt.Println(os.Getpid())
		bufio.NewReader(os.Stdin).ReadByte()
		unlock()
		c.Close()
	}
}

func storeSame(c *Cache, i int) error {
	b := noise(1000 + 50000*i)
	d, err := c.PutBytes(b)
	if err != nil {
		return err
	}
	key := Sum([]byte{byte(i)})
	if err := c.Store(&Record{Key: key, Outputs: []Output{{"o", d, int64(len(b))}}}); err != nil {
		return err
	}
	if _, err := c.Lookup(key); err != nil {
		return err
	}
	_, err = c.Blob(d)
	return err
}

func TestProcessesStoreTheSame(t *testing.T) {
	c, warnings := open(t)
	var others []*exec.Cmd
	for range 2 {
		cmd := child(t, "store", c.Dir())
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		others = append(others, cmd)
	}
	for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end); {
		for i := range 10 {
			if err := storeSame(c, i); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, cmd := range others { // in the middle of something
		cmd.Process.Kill()
		if err := cmd.Wait(); cmd.ProcessState.Exited() {
			t.Errorf("a writer failed: %v", err)
		}
	}
	for i := range 10 {
		r, err := c.Lookup(Sum([]byte{byte(i)}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Blob(r.Outputs[0].Digest); err != nil {
			t.Fatal(err)
		}
	}
	if s, err := c.Stats(); err != nil || s.Blobs != 10 || s.Records != 10 || s.Quarantined != 0 || len(*warnings) != 0 {
		t.Errorf("%+v, %v, %s", s, err, *warnings)
	}
}

// holdLock starts a process that holds the lock of Sum(nil).
func holdLock(t *testing.T, c *Cache) (cmd *exec.Cmd, release func()) {
	t.Helper()
	cmd = child(t, "lock", c.Dir())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || strings.TrimSpace(line) != fmt.Sprint(cmd.Process.Pid) {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd, func() { in.Close() }
}

func TestLockBetweenProcesses(t *testing.T) {
	for _, end := range []string{"released", "killed"} {
		t.Run(end, func(t *testing.T) {
			c, _ := open(t)
			cmd, release := holdLock(t, c)
			told := 0
			ctx, cancel := context.WithCancel(context.Background())
			_, err := c.Lock(ctx, Sum(nil), func(holder string) {
				told++
				if !strings.Contains(holder, fmt.Sprintf("pid %d (", cmd.Process.Pid)) {
					t.Errorf("holder %q", holder)
				}
				cancel()
			})
			if !errors.Is(err, context.Canceled) || told != 1 {
				t.Fatalf("%v, told %d times", err, told)
			}
			if unlock, err := c.Lock(context.Background(), Sum([]byte("other")), nil); err != nil {
				t.Error(err)
			} else {
				unlock()
			}
			reopen(t, c) // sweeps, but nothing of the living
			if boxes, _ := filepath.Glob(c.path("tmp", "p*", "box")); len(boxes) != 1 {
				t.Errorf("sandboxes of a live process: %s", boxes)
			}
			unlock, err := c.Lock(context.Background(), Sum(nil), func(string) {
				if end == "killed" {
					cmd.Process.Kill()
				} else {
					release()
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			unlock()
			cmd.Wait()
			reopen(t, c)
			for _, dir := range []string{"lock", "tmp"} {
				if left, _ := os.ReadDir(c.path(dir)); len(left) != 0 {
					t.Errorf("left in %s: %v", dir, left)
				}
			}
		})
	}
}

func TestLockFromManyGoroutines(t *testing.T) {
	c, _ := open(t)
	var inside atomic.Int32
	done := make(chan error)
	for range 8 {
		go func() {
			for range 20 {
				unlock, err := c.Lock(context.Background(), Sum(nil), nil)
				if err != nil {
					done <- err
					return
				}
				if inside.Add(1) != 1 {
					err = errors.New("two holders")
				}
				inside.Add(-1)
				unlock()
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range 8 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if left, _ := os.ReadDir(c.path("lock")); len(left) != 0 {
		t.Errorf("lock files pile up: %v", left)
	}
}

func TestImportsStayLight(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the go command")
	}
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Skip("no go command: ", err)
	}
	for dep := range strings.Lines(string(out)) {
		dep = strings.TrimSpace(dep)
		outside := strings.Contains(strings.Split(dep, "/")[0], ".") && !strings.HasPrefix(dep, "vendor/")
		known := strings.HasPrefix(dep, "github.com/zeebo/blake3") || strings.HasPrefix(dep, "github.com/klauspost/cpuid/") || strings.HasPrefix(dep, "golang.org/x/sys/")
		if outside && !known || dep == "net" || dep == "net/http" || dep == "regexp" || dep == "text/template" {
			t.Errorf("the shortcut of every run would load %s", dep)
		}
	}
}

// holdCollector keeps others from collecting.
func holdCollector(t *testing.T, c *Cache) (release func()) {
	t.Helper()
	l, err := durable.TryAcquire(c.collector(), "a test")
	if err != nil || l == nil {
		t.Fatal(l, err)
	}
	return func() { l.Release() }
}

// A builder meets old blobs all the time while another process collects them:
// what a lookup, or a store, has promised to be there is there.
func TestCollectBesideBuild(t *testing.T) {
	c, warnings := open(t)
	cmd := child(t, "collect", c.Dir())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := sync.OnceFunc(func() { // in the middle of something
		cmd.Process.Kill()
		if err := cmd.Wait(); cmd.ProcessState.Exited() {
			t.Errorf("the collector failed: %v", err)
		}
	})
	defer kill()
	old := time.Now().Add(-100 * time.Hour)
	hits, misses := 0, 0
	for end := time.Now().Add(time.Second); time.Now().Before(end); {
		for i := range 10 {
			b := noise(1000 + 5000*i)
			d, err := c.PutBytes(b)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Blob(d); err != nil {
				t.Fatalf("just put: %v", err)
			}
			key := Sum([]byte{byte(i)})
			r, err := c.Lookup(key)
			if err != nil {
				misses++
				if err := c.Store(&Record{Key: key, Outputs: []Output{{"o", d, int64(len(b))}}}); err != nil {
					t.Fatal(err)
				}
			} else {
				hits++
				if _, err := c.Blob(r.Outputs[0].Digest); err != nil {
					t.Fatalf("just looked up: %v", err)
				}
			}
			os.Chtimes(c.file("cas", d), old, old)
			os.Chtimes(c.file("act", key), old, old)
		}
	}
	kill()
	if k, err := c.Check(t.Context()); err != nil || len(k.Damaged) != 0 {
		t.Errorf("after the collector was killed: %+v, %v", k, err)
	}
	fill(t, c, 2, 1000) // something to collect
	mustCollect(t, c, Collection{Size: 0})
	if _, err := os.Lstat(c.path("tmp", "collected")); err == nil {
		t.Error("what the killed collector left is still there")
	}
	if hits == 0 || misses == 0 || len(*warnings) != 0 {
		t.Errorf("%d hits, %d misses, %s", hits, misses, *warnings)
	}
	t.Logf("%d hits, %d misses", hits, misses)
}
