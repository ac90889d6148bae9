package promql

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/prometheus/client_golang/api"
	prometheus "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"

	"github.com/benchnet/benchnet/internal/httpclient"
	"github.com/benchnet/benchnet/internal/kube/limits"
)

const (
	// requestTimeout bounds the evaluation by Prometheus and the request.
	requestTimeout   = 5 * time.Second
	maxResponseBytes = 1 << 20
	// maxExcerptBytes bounds what a message quotes of a response.
	maxExcerptBytes = 200
)

// newAPI returns a client of the Prometheus at the URL. It follows no redirects.
func newAPI(address string) (prometheus.API, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("must be a URL such as http://prometheus.monitoring:9090, without user, query and fragment")
	}
	client, err := api.NewClient(api.Config{Address: address, Client: &http.Client{
		Transport:     limitedTransport{http.DefaultTransport},
		CheckRedirect: httpclient.RefuseRedirects,
	}})
	if err != nil {
		return nil, err
	}
	return prometheus.NewAPI(client), nil
}

// limitedTransport fails the reading of a response after maxResponseBytes.
type limitedTransport struct{ http.RoundTripper }

// RoundTrip implements http.RoundTripper.
func (t limitedTransport) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := t.RoundTripper.RoundTrip(request)
	if err == nil {
		response.Body = http.MaxBytesReader(nil, response.Body, maxResponseBytes)
	}
	return response, err
}

// queryProblem is why an expression has no value.
type queryProblem struct {
	message string
	// transient says that a later query may have a value.
	transient bool
	// cause is for the operator's log only.
	cause error
}

func queryValue(ctx context.Context, from prometheus.API, expression string, at time.Time) (float64, *queryProblem) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	value, warnings, err := from.Query(ctx, expression, at, prometheus.WithTimeout(requestTimeout))
	switch {
	case err != nil:
		return 0, describeQueryError(err)
	case len(warnings) > 0:
		return 0, &queryProblem{message: "Prometheus warned that the value may be wrong: " + cleanExcerpt(warnings[0])}
	}
	return singleValue(value)
}

// singleValue returns the value of a scalar or of a vector's only sample.
func singleValue(value model.Value) (float64, *queryProblem) {
	var number float64
	switch v := value.(type) {
	case *model.Scalar:
		number = float64(v.Value)
	case model.Vector:
		switch {
		case len(v) == 0:
			return 0, &queryProblem{message: "there is no sample: check the metric, the labels, and whether Prometheus scrapes the namespace", transient: true}
		case len(v) > 1:
			return 0, &queryProblem{message: fmt.Sprintf("there are %d samples: aggregate them to one, for example by sum or max", len(v))}
		case v[0].Histogram != nil:
			return 0, &queryProblem{message: "the sample is a histogram: use histogram_quantile or another function of it"}
		}
		number = float64(v[0].Value)
	default:
		return 0, &queryProblem{message: "the answer is neither a scalar nor a vector: check --prometheus-url"}
	}
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return 0, &queryProblem{message: fmt.Sprintf("the value is %v: check for a division by zero, and for quantiles without samples", number)}
	}
	return number, nil
}

// describeQueryError describes why a query failed, without the address of Prometheus, which tenants need not know.
func describeQueryError(err error) *queryProblem {
	var tooLarge *http.MaxBytesError
	var answer *prometheus.Error
	switch {
	case errors.As(err, &tooLarge):
		return &queryProblem{message: "the response is above 1 MiB: aggregate the samples to one, for example by sum or max"}
	case errors.Is(err, context.DeadlineExceeded):
		return &queryProblem{fmt.Sprintf("Prometheus did not answer within %s: simplify the expression, or relieve Prometheus", requestTimeout), true, err}
	case errors.As(err, &answer) && answer.Type == prometheus.ErrServer:
		return &queryProblem{"Prometheus failed or ran out of time (" + cleanExcerpt(answer.Msg) + "): simplify the expression, or relieve Prometheus", true, err}
	case errors.As(err, &answer):
		return &queryProblem{message: "Prometheus refused the query: " + cleanExcerpt(answer.Error()) + ": correct the expression or --prometheus-url"}
	}
	return &queryProblem{"Prometheus is unreachable: its administrator should check --prometheus-url, whose failure the operator's log has", true, err}
}

// cleanExcerpt returns the beginning of a foreign text on one line of printable characters.
func cleanExcerpt(text string) string {
	printable := strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, limits.Truncate(text, maxExcerptBytes))
	return strings.Join(strings.Fields(printable), " ")
}
