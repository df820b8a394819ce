package emit

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
)

// The library are functions in LLVM IR that do what a PTX instruction means
// where that takes more than a line. library/*.ll holds them, each after a line
// that begins with ";@" and says for what it is made:
//
//	;@                   once
//	;@ N=16,32,64        for each width; $N is the width, $M one less, $D its double
//	;@ wave=64           for waves of that size
//	;@ T=f32,v2f16       for each type; $T is its name in names, $L its type in LLVM,
//	                     and what else is in libraryTypes
//
// A function whose lines hold a word in the form {a|b|c} takes the word that
// belongs to the value of T or N.
//
//go:embed library/*.ll
var libraryFiles embed.FS

// snippet is one function of the library.
type snippet struct {
	name string
	wave int // 0: both
	text string
	uses []string // functions of the library it calls
}

var (
	libraryName = regexp.MustCompile(`define internal [^@]*@(ptx\.[\w.]+)\(`)
	libraryCall = regexp.MustCompile(`@(ptx\.[\w.]+)\(`)
	libraryWord = regexp.MustCompile(`\{[^{}\n]*\|[^{}\n]*\}`)
)

// libraryTypes are the number types of LLVM by their names in names.
var libraryTypes = map[string]string{"f16": "half", "f32": "float", "f64": "double", "v2f16": "<2 x half>"}

// libraryOf reads the library, once.
var libraryOf = sync.OnceValues(func() (map[string][]snippet, error) {
	all := map[string][]snippet{}
	files, err := fs.Glob(libraryFiles, "library/*.ll")
	if err != nil {
		return nil, err
	}
	for _, name := range files {
		data, err := libraryFiles.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for _, part := range strings.Split("\n"+string(data), "\n;@")[1:] {
			head, body, _ := strings.Cut(part, "\n")
			list, err := instances(head, body)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			for _, s := range list {
				all[s.name] = append(all[s.name], s)
			}
		}
	}
	return all, nil
})

// instances makes the functions of one part of a library file.
func instances(head, body string) ([]snippet, error) {
	wave, letter, values := 0, "", []string{""}
	for _, word := range strings.Fields(head) {
		key, list, _ := strings.Cut(word, "=")
		switch key {
		case "wave":
			n, err := strconv.Atoi(list)
			if err != nil {
				return nil, err
			}
			wave = n
		case "N", "T":
			letter, values = key, strings.Split(list, ",")
		default:
			return nil, fmt.Errorf("unknown word %q", word)
		}
	}
	var made []snippet
	for i, v := range values {
		text := libraryWord.ReplaceAllStringFunc(body, func(s string) string {
			choices := strings.Split(s[1:len(s)-1], "|")
			return choices[min(i, len(choices)-1)]
		})
		if letter == "N" {
			n, err := strconv.Atoi(v)
			if err != nil {
				return nil, err
			}
			text = strings.NewReplacer("$N", v, "$M", fmt.Sprint(n-1), "$D", fmt.Sprint(2*n)).Replace(text)
		}
		if letter == "T" {
			text = strings.NewReplacer("$T", v, "$L", libraryTypes[v]).Replace(text)
		}
		m := libraryName.FindStringSubmatch(text)
		if m == nil {
			return nil, fmt.Errorf("no function in %q", body)
		}
		s := snippet{name: m[1], wave: wave, text: strings.TrimSpace(text) + "\n"}
		for _, c := range libraryCall.FindAllStringSubmatch(text, -1) {
			if c[1] != s.name && !slices.Contains(s.uses, c[1]) {
				s.uses = append(s.uses, c[1])
			}
		}
		made = append(made, s)
	}
	return made, nil
}

// use notes that a function is called.
func (l *lowering) use(name string) {
	if strings.HasPrefix(name, "ptx.") {
		l.library[name] = true
	}
}

// writeLibrary writes the functions of the library that are used, and those they
// use, by name.
func (l *lowering) writeLibrary(b *strings.Builder) error {
	all, err := libraryOf()
	if err != nil {
		return err
	}
	wave := 32
	if l.options.Wave64 {
		wave = 64
	}
	texts := map[string]string{}
	var need func(name string) error
	need = func(name string) error {
		if texts[name] != "" {
			return nil
		}
		for _, s := range all[name] {
			if s.wave != 0 && s.wave != wave {
				continue
			}
			texts[name] = s.text
			for _, u := range s.uses {
				if err := need(u); err != nil {
					return err
				}
			}
			return nil
		}
		return fmt.Errorf("emit: the library has no function %s for wave%d", name, wave)
	}
	for name := range l.library {
		if err := need(name); err != nil {
			return err
		}
	}
	names := make([]string, 0, len(texts))
	for n := range texts {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		b.WriteString("\n" + strings.Replace(texts[n], ") {\n", ") #1000 {\n", 1))
	}
	return nil
}
