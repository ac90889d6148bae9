package promql

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	prometheus "github.com/prometheus/client_golang/api/prometheus/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/objectives"
)

const (
	// maxConcurrentQueries bounds the queries of all runs that are in flight. A run has at most one.
	maxConcurrentQueries = 4
	// settlingPeriod is how long after an instant Prometheus has its samples: two scrapes at the default interval.
	settlingPeriod = 10 * time.Second
	// retryPeriod is how long to wait before a query without a sample, or an unreachable Prometheus, is tried again.
	retryPeriod = 5 * time.Second
	// maxRetries bounds the retries of all queries of a run.
	maxRetries = 6
	// evaluationTimeout bounds the evaluation of all queries of a run.
	evaluationTimeout = 2 * time.Minute
	// answerLifetime is how long answers are kept for the reconciler that stores them.
	answerLifetime = 5 * time.Minute
)

// Evaluator evaluates the query objectives of runs in the background, so that no reconcile waits for Prometheus. It keeps nothing across
// restarts: a run without a stored result is evaluated again, at the same instant.
type Evaluator struct {
	api         prometheus.API
	retryPeriod time.Duration
	slots       chan struct{}
	done        chan event.GenericEvent

	mutex sync.Mutex
	// answers are those of each run by its UID; nil while it is evaluated.
	answers map[types.UID][]objectives.QueryAnswer
}

// NewEvaluator returns an evaluator that queries the Prometheus at the URL. It fails if the URL is invalid.
func NewEvaluator(address string) (*Evaluator, error) {
	client, err := newAPI(address)
	if err != nil {
		return nil, err
	}
	return &Evaluator{api: client, retryPeriod: retryPeriod, slots: make(chan struct{}, maxConcurrentQueries),
		done: make(chan event.GenericEvent), answers: map[types.UID][]objectives.QueryAnswer{}}, nil
}

// Done receives an event for each run whose queries are evaluated. It must be read.
func (e *Evaluator) Done() <-chan event.GenericEvent { return e.done }

// Evaluate returns the answers to the query objectives of a run at the end of its window, in order, or false while they are evaluated. A
// nil evaluator, of an operator that was restarted without a Prometheus, has no values.
func (e *Evaluator) Evaluate(ctx context.Context, run *v1alpha1.BenchmarkRun, windowSeconds int, end, now time.Time) ([]objectives.QueryAnswer, bool) {
	if e == nil {
		unknown := []objectives.QueryAnswer{{Problem: "the operator has no Prometheus: set --prometheus-url"}}
		return slices.Repeat(unknown, len(run.Spec.Workload.QueryObjectives())), true
	}
	e.mutex.Lock()
	defer e.mutex.Unlock()
	if answers, begun := e.answers[run.UID]; begun {
		return answers, answers != nil
	}
	e.answers[run.UID] = nil
	ctx, run = context.WithoutCancel(ctx), run.DeepCopy()
	go func() {
		ctx, cancel := context.WithTimeout(ctx, evaluationTimeout)
		defer cancel()
		waitFor(ctx, end.Add(settlingPeriod).Sub(now))
		e.storeAnswers(run, e.evaluateQueries(ctx, run, windowSeconds, end))
	}()
	return nil, false
}

// storeAnswers keeps the answers for answerLifetime and requests a reconcile of the run.
func (e *Evaluator) storeAnswers(run *v1alpha1.BenchmarkRun, answers []objectives.QueryAnswer) {
	e.mutex.Lock()
	e.answers[run.UID] = answers
	e.mutex.Unlock()
	time.AfterFunc(answerLifetime, func() {
		e.mutex.Lock()
		defer e.mutex.Unlock()
		delete(e.answers, run.UID)
	})
	e.done <- event.GenericEvent{Object: run}
}

func (e *Evaluator) evaluateQueries(ctx context.Context, run *v1alpha1.BenchmarkRun, windowSeconds int, end time.Time) []objectives.QueryAnswer {
	queries := run.Spec.Workload.QueryObjectives()
	answers, retries := make([]objectives.QueryAnswer, len(queries)), maxRetries
	for i := range queries {
		filled := newPlaceholderReplacer(run.Spec.NetworkName, run.Name, windowSeconds).Replace(queries[i].Expression)
		expression, err := RestrictExpression(filled, run.Namespace)
		if err != nil {
			answers[i].Problem = err.Error()
			continue
		}
		answers[i] = e.evaluateQuery(ctx, expression, end, &retries)
	}
	return answers
}

// evaluateQuery evaluates an expression, again after retryPeriod while retries are left and it may still get a value.
func (e *Evaluator) evaluateQuery(ctx context.Context, expression string, end time.Time, retries *int) objectives.QueryAnswer {
	answer := objectives.QueryAnswer{Expression: expression}
	for {
		select {
		case e.slots <- struct{}{}:
		case <-ctx.Done():
			if answer.Problem == "" {
				answer.Problem = fmt.Sprintf("the queries of the run took more than %s: use fewer or simpler ones", evaluationTimeout)
			}
			return answer
		}
		value, problem := queryValue(ctx, e.api, expression, end)
		<-e.slots
		if problem == nil {
			return objectives.QueryAnswer{Expression: expression, Value: value}
		}
		answer.Problem = problem.message
		log.FromContext(ctx).Info("query without a value", "expression", expression, "reason", problem.message, "cause", problem.cause)
		if !problem.transient || *retries == 0 {
			return answer
		}
		*retries--
		waitFor(ctx, e.retryPeriod)
	}
}

// waitFor returns after the duration or when the context ends.
func waitFor(ctx context.Context, d time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, d)
	defer cancel()
	<-ctx.Done()
}
