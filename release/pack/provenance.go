package pack

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"kmx/release"
)

// ProvenanceSuffix ends the name of a provenance statement.
const ProvenanceSuffix = ".provenance.json"

// What the statement is of. docs/releasing.md describes every field.
const (
	statementType  = "https://in-toto.io/Statement/v1"
	predicateType  = "https://slsa.dev/provenance/v1"
	buildType      = "urn:kmx:release:1"
	DefaultBuilder = "urn:kmx:builder:unnamed"
)

// An in-toto statement with a predicate of SLSA provenance, version 1
// (https://slsa.dev/spec/v1.0/provenance).
type (
	statement struct {
		Type          string     `json:"_type"`
		Subject       []resource `json:"subject"`
		PredicateType string     `json:"predicateType"`
		Predicate     predicate  `json:"predicate"`
	}
	predicate struct {
		BuildDefinition buildDefinition `json:"buildDefinition"`
		RunDetails      runDetails      `json:"runDetails"`
	}
	buildDefinition struct {
		BuildType            string             `json:"buildType"`
		ExternalParameters   externalParameters `json:"externalParameters"`
		InternalParameters   internalParameters `json:"internalParameters"`
		ResolvedDependencies []resource         `json:"resolvedDependencies"`
	}
	externalParameters struct {
		Project   string            `json:"project"`
		Version   string            `json:"version"`
		Archive   Archive           `json:"archive"`
		Variables map[string]string `json:"variables"`
	}
	internalParameters struct {
		Time    string            `json:"time"`
		Stamped bool              `json:"stamped"`
		LeftOut []release.LeftOut `json:"leftOut"`
	}
	runDetails struct {
		Builder    builder    `json:"builder"`
		Metadata   metadata   `json:"metadata"`
		Byproducts []resource `json:"byproducts"`
	}
	builder struct {
		ID string `json:"id"`
	}
	metadata struct {
		InvocationID string `json:"invocationId"`
	}
	resource struct {
		Name        string            `json:"name"`
		Digest      map[string]string `json:"digest"`
		Annotations map[string]string `json:"annotations,omitempty"`
	}
)

// provenance says what the archive files of one block were made of and by what.
// Nothing in it is of the machine or of the clock.
func provenance(a *Archive, whole *release.Release, archives []made, bill resource, builderID string, at time.Time) ([]byte, error) {
	s := statement{Type: statementType, PredicateType: predicateType}
	var subjects strings.Builder
	for _, m := range archives {
		s.Subject = append(s.Subject, digested(m.name, m.data))
		subjects.WriteString(blake3Of(m.data))
	}
	d := &s.Predicate.BuildDefinition
	d.BuildType = buildType
	d.ExternalParameters = externalParameters{Project: whole.Project, Version: whole.Version, Archive: *a, Variables: map[string]string{}}
	for _, v := range whole.Variables {
		d.ExternalParameters.Variables[v.Name] = v.Value
	}
	d.InternalParameters = internalParameters{Time: stampOf(at), Stamped: whole.Stamped, LeftOut: append([]release.LeftOut{}, archives[0].tree.Release.LeftOut...)}
	d.ResolvedDependencies = []resource{
		{Name: "matrix", Digest: map[string]string{"blake3": whole.Matrix.String()}},
		{Name: "sources", Digest: map[string]string{"blake3": whole.Sources.String()}},
	}
	for _, t := range whole.Toolchains {
		d.ResolvedDependencies = append(d.ResolvedDependencies, resource{"toolchain " + t.Name, map[string]string{"blake3": t.Closure.String()},
			map[string]string{"kind": t.Kind, "version": t.Version, "lock": t.Lock}})
	}
	for _, l := range archives[0].tree.Release.Libraries {
		for _, f := range l.Stamped {
			d.ResolvedDependencies = append(d.ResolvedDependencies, resource{"library " + l.Name + ": " + f.Name,
				map[string]string{"sha256": f.SHA256, "blake3": f.BLAKE3.String()}, nil})
		}
	}
	s.Predicate.RunDetails = runDetails{
		Builder:    builder{cmp.Or(builderID, DefaultBuilder)},
		Metadata:   metadata{"urn:uuid:" + uuid("provenance", subjects.String())},
		Byproducts: []resource{bill},
	}
	return encodeJSON(s)
}

// digested is a file as a resource.
func digested(name string, data []byte) resource {
	return resource{Name: name, Digest: map[string]string{"sha256": sha256Of(data), "blake3": blake3Of(data)}}
}

// find is the resource of that name.
func find(all []resource, name string) (resource, bool) {
	i := slices.IndexFunc(all, func(r resource) bool { return r.Name == name })
	if i < 0 {
		return resource{}, false
	}
	return all[i], true
}
