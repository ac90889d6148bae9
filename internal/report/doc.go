// Package report writes reports: one self-contained HTML page for a run or an experiment, its charts as SVG and
// PNG, and its numbers as CSV. A page loads no script, font or image from elsewhere.
//
// Only the command line uses it. The operator must not link it, because the plotting library is large.
package report
