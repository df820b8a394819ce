package page

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"
)

// The chart library, as scripts/chartlib.sh fetched it, and the page's own parts.
var (
	//go:embed assets/uplot/uPlot.iife.min.js
	chartScript string
	//go:embed assets/uplot/uPlot.min.css
	chartStyle string
	//go:embed assets/uplot/LICENSE
	chartLicence string
	//go:embed assets/page.css
	pageStyle string
	//go:embed assets/format.js
	formatScript string
	//go:embed assets/table.js
	tableScript string
	//go:embed assets/timeline.js
	timelineScript string
	//go:embed assets/plots.js
	plotScript string
	//go:embed assets/page.js
	pageScript string
	//go:embed assets/page.html
	pageHTML string
)

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// Write writes the page. It holds all that it needs; a browser that opens it asks
// nobody for anything.
func (d *Data) Write(w io.Writer) error {
	style := chartStyle + pageStyle
	script := strings.Join([]string{chartScript, formatScript, tableScript, timelineScript, plotScript, pageScript}, "\n")
	data, err := json.Marshal(d) // escapes <, > and &, so that nothing in it ends the element
	if err != nil {
		return err
	}
	var head strings.Builder
	err = pageTemplate.Execute(&head, map[string]any{
		"D": d, "Verdict": d.verdict(), "Wall": spoken(time.Duration(d.Build.Wall) * time.Microsecond),
		"Style": template.CSS(style), "StyleHash": hashOf(style), "ScriptHash": hashOf(script),
	})
	if err != nil {
		return err
	}
	for _, part := range []string{
		head.String(),
		"<script type=\"application/json\" id=\"data\">", string(data), "</script>\n",
		"<!--\nCharts: uPlot, under this licence:\n\n", strings.ReplaceAll(chartLicence, "--", "- -"), "-->\n",
		"<script>", script, "</script>\n</body>\n</html>\n",
	} {
		if _, err := io.WriteString(w, part); err != nil {
			return err
		}
	}
	return nil
}

// hashOf is a source of a Content-Security-Policy: the text and no other.
func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// verdict is the outcome in a word: "complete", "failed", "stopped" or "killed".
func (d *Data) verdict() string {
	switch {
	case !d.Build.Finished:
		return "killed"
	case d.Build.Failed > 0:
		return "failed"
	case d.Build.Error != "":
		return "stopped"
	}
	return "complete"
}

// spoken is a time for people: 1.24 s, 2 min 5 s.
func spoken(t time.Duration) string {
	if t < time.Minute {
		return fmt.Sprintf("%.2f s", t.Seconds())
	}
	t = t.Round(time.Second)
	if t < time.Hour {
		return fmt.Sprintf("%d min %d s", t/time.Minute, t%time.Minute/time.Second)
	}
	return fmt.Sprintf("%d h %d min", t/time.Hour, t%time.Hour/time.Minute)
}
