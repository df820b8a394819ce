package emittest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/zeebo/blake3"

	"kmx/internal/diag"
	"kmx/internal/durable"
)

// The vectors of a corpus are two files in its folder: an index for people and
// diffs, and the bytes one after another.
const (
	indexName = "vectors.json"
	bytesName = "vectors.bin"
)

const vectorsFormat = "kmx.ptxvectors/1"

// Machine is what the vectors come from.
type Machine struct {
	GPU    string `json:"gpu"`
	Driver string `json:"driver"`
	CUDA   string `json:"cuda"`
	PTXAS  string `json:"ptxas,omitempty"`
}

// Vectors is the index. Digests are BLAKE3.
type Vectors struct {
	Format  string   `json:"format"`
	Machine Machine  `json:"machine"`
	Cases   []Vector `json:"cases"`
}

// Vector is what one case left in its outputs, in the order of its parameters.
type Vector struct {
	Name    string   `json:"name"`
	Kernel  string   `json:"kernel"` // digest of launch, parameters and statements
	Inputs  string   `json:"inputs"` // digest of what all parameters held before
	Outputs []Output `json:"outputs"`
}

// Output is where in the bytes a parameter's contents lie.
type Output struct {
	Param  string `json:"param"`
	Offset int    `json:"offset"`
	Size   int    `json:"size"`
	Digest string `json:"digest"`
}

func digest(b []byte) string {
	d := blake3.Sum256(b)
	return hex.EncodeToString(d[:])
}

// identity are the digests by which a vector knows its case.
func (c Case) identity() (kernel, inputs string) {
	var all bytes.Buffer
	for i, p := range c.Params {
		if p.Kind == Value {
			fmt.Fprintf(&all, "%x,", p.Bits)
			continue
		}
		all.Write(c.Start(i))
	}
	return digest([]byte(c.machine())), digest(all.Bytes())
}

// Cases reads the corpus with its vectors, ordered by name. A case without a
// vector, or with one of an earlier kernel or other inputs, is an error, as is
// a vector without a case.
func Cases(dir string) ([]Case, error) {
	cases, err := Read(dir)
	if err != nil {
		return nil, err
	}
	return withVectors(dir, cases)
}

// withVectors sets what the cases want.
func withVectors(dir string, cases []Case) ([]Case, error) {
	index, data, err := readVectors(dir)
	if err != nil {
		return nil, err
	}
	var list diag.List
	fail := func(format string, args ...any) {
		list = append(list, diag.Message{
			Summary: fmt.Sprintf(format, args...),
			Where:   diag.Range{File: filepath.ToSlash(filepath.Join(dir, indexName))},
			Hint:    "vectors are made on a machine with an NVIDIA GPU: mage validate:nvidia",
		})
	}
	left := map[string]Vector{}
	for _, v := range index.Cases {
		left[v.Name] = v
	}
	for i := range cases {
		c := &cases[i]
		v, ok := left[c.Name]
		delete(left, c.Name)
		if !ok {
			fail("no vector of %s", c.Name)
			continue
		}
		if c.Want, err = v.want(c, data); err != nil {
			fail("%s: %v", c.Name, err)
		}
	}
	for name := range left {
		fail("a vector of %s, of which there is no kernel", name)
	}
	return cases, list.Err()
}

func readVectors(dir string) (v Vectors, data []byte, err error) {
	text, err := os.ReadFile(filepath.Join(dir, indexName))
	if err != nil {
		return v, nil, err
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return v, nil, fmt.Errorf("%s: %w", filepath.Join(dir, indexName), err)
	}
	if v.Format != vectorsFormat {
		return v, nil, fmt.Errorf("%s: its format is %q, not %q", filepath.Join(dir, indexName), v.Format, vectorsFormat)
	}
	data, err = os.ReadFile(filepath.Join(dir, bytesName))
	return v, data, err
}

// want cuts a case's outputs out of the bytes.
func (v Vector) want(c *Case, data []byte) ([][]byte, error) {
	kernel, inputs := c.identity()
	if kernel != v.Kernel {
		return nil, errors.New("its vector is of another version of the kernel")
	}
	if inputs != v.Inputs {
		return nil, errors.New("its vector is of other inputs")
	}
	want := make([][]byte, len(c.Params))
	rest := v.Outputs
	for i, p := range c.Params {
		if !p.Out {
			continue
		}
		if len(rest) == 0 || rest[0].Param != p.Name || rest[0].Size != p.Size() {
			return nil, fmt.Errorf("its vector has no %d bytes of %s", p.Size(), p.Name)
		}
		o := rest[0]
		rest = rest[1:]
		if o.Offset < 0 || o.Offset > len(data)-o.Size || digest(data[o.Offset:o.Offset+o.Size]) != o.Digest {
			return nil, fmt.Errorf("%s is damaged: %s is not as it was stored", bytesName, o.Param)
		}
		want[i] = data[o.Offset : o.Offset+o.Size]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("its vector has an output too many, %s", rest[0].Param)
	}
	return want, nil
}

// WriteVectors stores what the cases' Want hold, in their order.
func WriteVectors(dir string, m Machine, cases []Case) error {
	v := Vectors{Format: vectorsFormat, Machine: m, Cases: []Vector{}}
	var data []byte
	for _, c := range cases {
		kernel, inputs := c.identity()
		one := Vector{Name: c.Name, Kernel: kernel, Inputs: inputs}
		for i, p := range c.Params {
			if !p.Out {
				continue
			}
			if i >= len(c.Want) || len(c.Want[i]) != p.Size() {
				return fmt.Errorf("%s has nothing for %s", c.Name, p.Name)
			}
			one.Outputs = append(one.Outputs, Output{Param: p.Name, Offset: len(data), Size: p.Size(), Digest: digest(c.Want[i])})
			data = append(data, c.Want[i]...)
		}
		v.Cases = append(v.Cases, one)
	}
	text, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(dir, bytesName), data, 0o644); err != nil {
		return err
	}
	return durable.WriteFile(filepath.Join(dir, indexName), append(text, '\n'), 0o644)
}
