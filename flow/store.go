package flow

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"kmx/cache"
	"kmx/internal/diag"
	"kmx/release"
)

// CacheGC are the choices of cache:gc.
type CacheGC struct {
	Size, Age string // as people write them; "": KMX_CACHE_SIZE and 30 days
	DryRun    bool
}

// CacheGC removes what was not used for long, and the least recently used of
// what is too much.
func (p *Project) CacheGC(ctx context.Context, v CacheGC) error {
	lim, err := readLimits(os.Getenv)
	if err != nil {
		return err
	}
	o := cache.Collection{Size: lim.size, Age: cache.DefaultAge, Look: v.DryRun}
	if v.Size != "" {
		if o.Size, err = cache.ParseSize(v.Size); err != nil {
			return diag.Failf(diag.Usage, "", "-size: %v", err)
		}
	}
	if v.Age != "" {
		if o.Age, err = cache.ParseAge(v.Age); err != nil {
			return diag.Failf(diag.Usage, "", "-age: %v", err)
		}
		// Nothing is that young: what was used within a day stays anyway.
		o.Age = max(o.Age, time.Hour)
	}
	store, err := p.Cache()
	if err != nil {
		return err
	}
	done, err := store.Collect(ctx, o)
	if err != nil {
		return gcFailure(err)
	}
	text := done.String()
	if v.DryRun {
		text = "nothing is removed; without -dryRun: " + text
	}
	fmt.Fprintln(p.Out, text)
	if done.Pinned > 0 {
		p.Say("%s would go too, but releases in use are made of it (cache:stats lists the pins)", cache.Size(done.Pinned))
	}
	if done.Recent > 0 {
		p.Say("%s would go too, but was used within the last day", cache.Size(done.Recent))
	}
	if done.Failed > 0 {
		return diag.Failf(diag.IO, elsewhere, "%s could not be removed", count(done.Failed, "file"))
	}
	return nil
}

func gcFailure(err error) error {
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, cache.ErrCollecting):
		return diag.Failf(diag.IO, "wait for it to end", "%v", err)
	}
	return diag.Failf(diag.IO, "mage cache:verify sets damaged pins aside", "%v", err)
}

// tidy collects after a build what is above the high-water mark, at most once
// a day.
func (p *Project) tidy(ctx context.Context) {
	if p.limits == nil || p.limits.size < 0 || p.store == nil || ctx.Err() != nil || !p.store.CollectionDue() {
		return
	}
	done, err := p.store.Collect(ctx, cache.Collection{Size: p.limits.size})
	switch {
	case errors.Is(err, cache.ErrCollecting) || ctx.Err() != nil:
	case err != nil:
		p.Warn(err.Error())
	case done.Blobs+done.Records > 0:
		p.Say("cache: was above %s (KMX_CACHE_SIZE): %s", cache.Size(p.limits.size), done)
	}
}

// pin keeps what a release was made of as long as its folder exists.
func (p *Project) pin(dir string, m *made) {
	pin := cache.Pin{Dir: dir}
	for _, r := range m.results {
		if r.Record == nil {
			continue
		}
		pin.Keys = append(pin.Keys, r.Key)
		for _, o := range r.Record.Outputs {
			pin.Blobs = append(pin.Blobs, o.Digest)
		}
	}
	if err := p.store.Pin(pin); err != nil {
		p.Warn(err.Error() + "; a collection may take what it was made of")
	}
}

// CachePin keeps what the release in a folder was made of until the pin is
// taken away, also when the folder is gone.
func (p *Project) CachePin(dir string, remove bool) error {
	store, err := p.Cache()
	if err != nil {
		return err
	}
	if remove {
		was, err := store.Unpin(dir)
		if err != nil {
			return diag.Failf(diag.IO, elsewhere, "%v", err)
		}
		if !was {
			return diag.Failf(diag.Usage, "see the pins with: mage cache:stats", "%s is not pinned", dir)
		}
		p.Say("%s is no longer pinned", dir)
		return nil
	}
	pin, objects, err := pinOf(dir)
	if err != nil {
		return err
	}
	missing := 0
	for _, key := range pin.Keys {
		if _, err := store.Find(key); err != nil {
			missing++
		}
	}
	// What a build wrote down includes what the manifests do not tell of.
	pins, _ := store.Pins()
	for _, old := range pins {
		if old.Dir == pin.Dir {
			pin.Keys, pin.Blobs = append(pin.Keys, old.Keys...), append(pin.Blobs, old.Blobs...)
		}
	}
	if err := store.Pin(pin); err != nil {
		return diag.Failf(diag.IO, elsewhere, "%v", err)
	}
	p.Say("%s is pinned: %s", dir, count(objects, "object"))
	if missing > 0 {
		p.Say("%d of them are not in this cache; what builds them again is kept", missing)
	}
	return nil
}

// pinOf reads what a release was made of from its manifests.
func pinOf(dir string) (pin cache.Pin, objects int, err error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return pin, 0, err
	}
	pin = cache.Pin{Dir: abs, Held: true}
	r, err := release.ReadRelease(abs)
	if err != nil {
		return pin, 0, diag.Failf(diag.Usage, "give the folder of a release, such as dist/NAME-VERSION", "%s is no release: %v", dir, err)
	}
	for _, ref := range r.Sets {
		set, err := release.ReadSet(filepath.Join(abs, filepath.FromSlash(ref.Path)))
		if err != nil {
			return pin, 0, diag.Failf(diag.Verify, "", "%s: %v", dir, err)
		}
		for _, o := range set.Objects {
			objects++
			pin.Keys, pin.Blobs = append(pin.Keys, o.Action), append(pin.Blobs, o.BLAKE3)
		}
	}
	return pin, objects, nil
}
