package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"caselsp/agent"
	"caselsp/agent/count"
	"caselsp/agent/record"
)

//go:embed metricspage.html
var metricsHTML string

var metricsTemplate = template.Must(template.New("metrics").Parse(metricsHTML))

const (
	// plotWidth and plotHeight are the size of a plot over months, in units of its picture, without the names
	// below it.
	plotWidth  = 520
	plotHeight = 160

	// plotLeft is the space of the scale's figures, plotBelow that of the months' names.
	plotLeft  = 38
	plotBelow = 24

	// plotMonths is how many months a plot shows, the newest: two years stay readable.
	plotMonths = 24

	// widestColumn bounds a column where there are few months.
	widestColumn = 56
)

// metricsPage are the parts of the page. Every figure is a text or a number of ours; html/template escapes what
// models and projects have written.
type metricsPage struct {
	Name, Made string
	PlotWidth  int
	Tiles      []pageTile
	Columns    []plot
	Bars       []barPlot
	Tables     []pageTable
}

type pageTile struct{ Name, Value string }

// plotKey is the name of a colour.
type plotKey struct {
	Key  int
	Text string
}

// plot is a plot over months: stacked columns.
type plot struct {
	Title         string
	Width, Height int
	Keys          []plotKey
	Lines         []plotLabel
	Boxes         []plotBox
	Names         []plotLabel
}

// plotLabel is a text in a plot: of the scale, at whose line it stands, or of a column.
type plotLabel struct {
	X, Y, TextY float64
	Text        string
}

// plotBox is a part of a column.
type plotBox struct {
	Key        int
	X, Y, W, H float64
	Title      string
}

// barPlot are stacked barPlot with a name and a text each.
type barPlot struct {
	Title string
	Keys  []plotKey
	Rows  []barRow
}

type barRow struct {
	Name, Value string
	Parts       []barPart
}

type barPart struct {
	Key     int
	Percent float64
	Title   string
}

type pageTable struct {
	Title string
	Head  []string
	Rows  [][]string
}

// writeMetricsPage writes the metrics of a workspace as one HTML page that needs nothing else.
func writeMetricsPage(out io.Writer, name string, m agent.Metrics, now time.Time) error {
	p := metricsPage{Name: name, Made: now.Format("2006-01-02 15:04"), PlotWidth: plotWidth, Tiles: metricsTiles(m.Total)}
	p.Columns = []plot{
		monthly("Outcomes by month", m.ByMonth, outcomeKeys, outcomesOf),
		monthly("Tokens by month", m.ByMonth, []plotKey{{4, "in, cached"}, {3, "in, not cached"}, {1, "out"}}, func(f *agent.TaskFigures) []float64 {
			var cached, in, out int
			for _, r := range f.Roles {
				cached, in, out = cached+r.Cached, in+r.Prompt-r.Cached, out+r.Completion
			}
			return []float64{float64(cached), float64(in), float64(out)}
		}),
		monthly("Cost by month, in US dollars", m.ByMonth, []plotKey{{0, "cost"}}, func(f *agent.TaskFigures) []float64 { return []float64{costOf(f)} }),
		monthly("Rounds a task, by month", m.ByMonth, []plotKey{{3, "rounds"}}, func(f *agent.TaskFigures) []float64 {
			return []float64{float64(f.Rounds) / float64(max(f.Count, 1))}
		}),
	}
	p.Bars = []barPlot{
		{"Outcomes by type of task", outcomeKeys, outcomeRows(m.ByType)},
		{"Outcomes by language", outcomeKeys, outcomeRows(m.ByLanguage)},
		{"Cost by role", nil, costRows(m.Total.Roles)},
		{"Cost by model", nil, costRows(m.ByModel)},
		{"Hunks by the layer that placed them", []plotKey{{0, "stayed"}, {1, "taken back"}, {2, "rejected"}}, layerRows(m.Layers)},
		{"Commands by who decided", []plotKey{{0, "allowed"}, {2, "denied"}}, decisionRows(m.Decisions)},
		{"What the memory found", []plotKey{{0, "found"}, {4, "nothing similar"}}, memoryRows(m.Total.Memory)},
	}
	p.Tables = metricsTables(m)
	return metricsTemplate.Execute(out, p)
}

var outcomeKeys = []plotKey{{0, "success"}, {3, "answered"}, {1, "partial"}, {2, "failed"}, {5, "rejected"}, {4, "not over"}}

// outcomesOf are the tasks by outcome, in the order of outcomeKeys.
func outcomesOf(f *agent.TaskFigures) []float64 {
	list := []float64{float64(f.Ended[record.OutcomeSuccess]), float64(f.Ended[record.OutcomeAnswered]), float64(f.Ended[record.OutcomePartial]), float64(f.Ended[record.OutcomeFailed]), float64(f.Ended[string(record.Rejected)])}
	rest := float64(f.Count)
	for _, n := range list {
		rest -= n
	}
	return append(list, max(rest, 0))
}

func costOf(f *agent.TaskFigures) (cost float64) {
	for _, r := range f.Roles {
		cost += r.Cost
	}
	return cost
}

func metricsTiles(f agent.TaskFigures) []pageTile {
	var in, cached, out int
	for _, r := range f.Roles {
		in, cached, out = in+r.Prompt, cached+r.Cached, out+r.Completion
	}
	over := 0
	for _, n := range f.Ended {
		over += n
	}
	return []pageTile{
		{count.Noun(f.Count, "task"), strconv.Itoa(f.Count)},
		{"of those that are over, ended well", percent(f.Ended[record.OutcomeSuccess]+f.Ended[record.OutcomeAnswered], over)},
		{"tokens in", short(float64(in))},
		{"of them cached by the provider", percent(cached, in)},
		{"tokens out", short(float64(out))},
		{"US dollars, by your prices", fmt.Sprintf("%.2f", costOf(&f))},
		{"of work", duration(f.Seconds)},
		{count.Noun(f.Objections, "safety violation") + " found in what models wrote", strconv.Itoa(f.Objections)},
	}
}

// duration is a time of work for people.
func duration(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Minute {
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%d h %02d min", d/time.Hour, d%time.Hour/time.Minute)
}

// percent is a share for people.
func percent(part, of int) string {
	if of == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(of))
}

// short is a number for people: 1234567 is 1.2M.
func short(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", n/1e6)
	case n >= 1e4:
		return fmt.Sprintf("%.0fk", n/1e3)
	case n == float64(int(n)):
		return strconv.Itoa(int(n))
	}
	return fmt.Sprintf("%.2f", n)
}

// monthly plots the figures of each month, also of those in between without a task.
func monthly(title string, by map[string]*agent.TaskFigures, keys []plotKey, parts func(*agent.TaskFigures) []float64) plot {
	c := plot{Title: title, Width: plotWidth, Height: plotHeight + plotBelow, Keys: keys}
	months := monthsOf(by)
	values, top, whole := make([][]float64, len(months)), 0.0, true
	for i, month := range months {
		values[i] = parts(cmp.Or(by[month], &agent.TaskFigures{}))
		sum := 0.0
		for _, v := range values[i] {
			sum += v
			whole = whole && v == math.Trunc(v)
		}
		top = max(top, sum)
	}
	top = roundTop(top, whole)
	const high = plotHeight - 14 // below the topmost figure
	for _, share := range []float64{0, 0.5, 1} {
		y := plotHeight - share*high
		c.Lines = append(c.Lines, plotLabel{Y: y, TextY: y + 4, Text: short(top * share)})
	}
	wide := float64(plotWidth-plotLeft) / float64(max(len(months), 1))
	for i, month := range months {
		w := min(wide*0.7, widestColumn)
		x, y := plotLeft+wide*float64(i)+(wide-w)/2, float64(plotHeight)
		for k, v := range values[i] {
			h := v / top * high
			y -= h
			if v > 0 {
				c.Boxes = append(c.Boxes, plotBox{keys[k].Key, x, y, w, h, fmt.Sprintf("%s: %s %s", month, short(v), keys[k].Text)})
			}
		}
		if every := (len(months) + 7) / 8; i%every == 0 {
			c.Names = append(c.Names, plotLabel{X: x + w/2, Y: plotHeight + 16, Text: month})
		}
	}
	return c
}

// roundTop is the figure at the top of a plot's scale: at least what is plotted, and such that it and its half are
// short. Of whole things there is no half one.
func roundTop(most float64, whole bool) float64 {
	least := 0.02 // figures have two decimals
	if whole {
		least = 2
	}
	most = max(most, least)
	unit := math.Pow10(int(math.Floor(math.Log10(most))))
	for _, n := range []float64{1, 2, 4, 6, 8} {
		if top := n * unit; top >= most*(1-1e-9) { // 0.06 is not exactly 6 times 0.01
			return top
		}
	}
	return 10 * unit
}

// monthsOf are the months from the first to the last with a task, at most the newest plotMonths.
func monthsOf(by map[string]*agent.TaskFigures) (list []string) {
	known := slices.Sorted(maps.Keys(by))
	if len(known) == 0 {
		return nil
	}
	month, err := time.Parse("2006-01", known[len(known)-1])
	for ; err == nil && len(list) < plotMonths; month = month.AddDate(0, -1, 0) {
		name := month.Format("2006-01")
		if list = append(list, name); name <= known[0] {
			break
		}
	}
	slices.Reverse(list)
	return list
}
