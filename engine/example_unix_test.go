//go:build unix

package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"kmx/cache"
	"kmx/engine"
)

// Two actions, of which the second needs what the first makes. Run again, they come from the cache.
func Example() {
	root, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(root)
	store, err := cache.Open(filepath.Join(root, "cache"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	source := []byte("hello\n")
	if err := os.WriteFile(filepath.Join(root, "hello.txt"), source, 0o666); err != nil {
		fmt.Println(err)
		return
	}
	graph := &engine.Graph{Nodes: []*engine.Node{
		{
			Label: "shout",
			Action: engine.Action{
				Kind: "example", Tool: "base:sh", Args: []string{"-c", "tr a-z A-Z < hello.txt > loud.txt"},
				Inputs:  []engine.Input{{Path: "hello.txt", Digest: cache.Sum(source)}},
				Outputs: []string{"loud.txt"},
			},
		},
		{
			Label: "twice",
			Action: engine.Action{
				Kind: "example", Tool: "base:sh", Args: []string{"-c", "cat in.txt in.txt > out.txt"},
				Outputs: []string{"out.txt"},
			},
			Needs: []engine.Need{{Node: 0, Output: "loud.txt", Path: "in.txt"}},
		},
	}}
	for range 2 {
		results, err := engine.Run(context.Background(), graph, engine.Options{
			Cache: store, Root: root, Tools: map[string]engine.Tool{"base:sh": {Path: "/bin/sh"}},
		})
		for _, r := range results {
			fmt.Println(r.Node.Label, r.State, "cached:", r.Cached)
		}
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// shout done cached: false
	// twice done cached: false
	// shout done cached: true
	// twice done cached: true
}
