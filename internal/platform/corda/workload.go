package corda

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// SupportsPoisson reports whether the driver draws Poisson arrivals: a user's JMeter plan has its own schedule.
func (Corda) SupportsPoisson(w *v1alpha1.Workload) bool { return w.Type != v1alpha1.WorkloadJMeter }

// FinalityOf returns operations, because a flow ends when its transactions are notarised and recorded. Whether the samples of a
// user's JMeter plan do is unknown.
func (Corda) FinalityOf(w *v1alpha1.Workload) measurement.FinalityOf {
	if w.Type == v1alpha1.WorkloadJMeter {
		return ""
	}
	return measurement.FinalityOfOperation
}

// ValidateWorkload rejects a workload that the network cannot serve.
func (Corda) ValidateWorkload(spec *v1alpha1.BenchmarkNetworkSpec, w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	errs := loadgen.ValidateLoad(w, path)
	if db := spec.DatabaseOrDefault(); w.Reset == v1alpha1.ResetState && db.HasUserSchemas() {
		errs = append(errs, field.Invalid(path.Child("reset"), w.Reset, fmt.Sprintf(
			"must be Keep with database.engine %s: the schemas are yours, and the operator has no account that could empty them", db.Engine)))
	}
	if w.Corda == nil {
		if w.JMeter == nil {
			errs = append(errs, field.Required(path.Child("corda"), "a workload on a Corda network needs corda or jmeter"))
		}
		return errs
	}
	path = path.Child("corda")
	errs = append(errs, validateMembers(spec, w.Corda, path)...)
	switch {
	case (w.Corda.Finance == nil) == (w.Corda.Flow == nil):
		return append(errs, field.Required(path, "needs exactly one of finance and flow"))
	case w.Corda.Finance != nil:
		return append(errs, validateFinance(spec, w.Corda, path)...)
	}
	return append(errs, validateFlow(spec, w.Corda.Flow, path.Child("flow"))...)
}

// financeOperation returns the operation of the finance CorDapp that the workload performs, or "".
func financeOperation(c *v1alpha1.CordaWorkload) v1alpha1.FinanceOperation {
	if c == nil || c.Finance == nil {
		return ""
	}
	return c.Finance.Operation
}

// validateMembers rejects initiators and a counterparty that are no members of the network.
func validateMembers(spec *v1alpha1.BenchmarkNetworkSpec, c *v1alpha1.CordaWorkload, path *field.Path) field.ErrorList {
	names := platform.NewMemberNames(Corda{}, spec)
	errs := names.ValidateList(c.Initiators, path.Child("initiators"))
	if c.Counterparty != "" {
		errs = append(errs, names.Validate(c.Counterparty, path.Child("counterparty"))...)
	}
	return errs
}

// validateFinance rejects operations of the finance CorDapp if the network lacks a notary or a member to pay.
func validateFinance(spec *v1alpha1.BenchmarkNetworkSpec, c *v1alpha1.CordaWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	operation := path.Child("finance", "operation")
	if !hasNotary(spec) {
		errs = append(errs, field.Invalid(operation, c.Finance.Operation,
			"needs a notary: every cash state names one, so platform.corda.notary.type must not be None"))
	}
	if c.Finance.Operation == v1alpha1.FinanceIssue {
		return append(errs, validateIssue(c, path)...)
	}
	if spec.Members.Count < 2 {
		errs = append(errs, field.Invalid(operation, c.Finance.Operation, "needs a payee: members.count must be at least 2"))
	}
	names := platform.NewMemberNames(Corda{}, spec)
	if payee, ok := names.Ordinal(c.Counterparty); ok && slices.Contains(names.Ordinals(initiatorNames(c)), payee) {
		errs = append(errs, field.Invalid(path.Child("counterparty"), c.Counterparty,
			"must not be among the initiators: a member that pays itself sends nothing over the network"))
	}
	return errs
}

func validateIssue(c *v1alpha1.CordaWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if c.Counterparty != "" {
		errs = append(errs, field.Forbidden(path.Child("counterparty"), "must not be set for Issue: a member issues to itself"))
	}
	if c.Finance.Identities == v1alpha1.CordaAnonymous {
		errs = append(errs, field.Forbidden(path.Child("finance", "identities"), "Issue is never anonymous: a member issues to itself"))
	}
	return errs
}

// initiatorNames returns the names of the initiators. Default: the first member.
func initiatorNames(c *v1alpha1.CordaWorkload) []string {
	if len(c.Initiators) > 0 {
		return c.Initiators
	}
	return []string{platform.MemberName(0)}
}

// validateFlow rejects flows by class name that no CorDapp of the network has, and arguments that do not match their type.
func validateFlow(spec *v1alpha1.BenchmarkNetworkSpec, f *v1alpha1.CordaFlow, path *field.Path) field.ErrorList {
	errs := validateCall(spec, &f.CordaCall, f.Data, path)
	errs = append(errs, validatePlaceholderSources(f, path)...)
	if f.SetUp != nil {
		errs = append(errs, validateCall(spec, f.SetUp, f.Data, path.Child("setUp"))...)
	}
	return errs
}

func validateCall(spec *v1alpha1.BenchmarkNetworkSpec, c *v1alpha1.CordaCall, data *v1alpha1.CordaData, path *field.Path) field.ErrorList {
	errs := validateArguments(c.Arguments, data, path)
	if !bringsCorDapps(spec) && !slices.Contains(financeFlows, c.Class) { // The flows of the user's CorDapps are unknown here.
		errs = append(errs, field.NotSupported(path.Child("class"), c.Class, financeFlows))
	}
	return errs
}

// validatePlaceholderSources rejects data and a seed that no argument uses.
func validatePlaceholderSources(f *v1alpha1.CordaFlow, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	random, csv := usesPlaceholders(f)
	if f.Data != nil && !csv {
		errs = append(errs, field.Forbidden(path.Child("data"), "is not used: no argument has a placeholder ${csv:COLUMN}"))
	}
	if f.Seed != nil && !random {
		errs = append(errs, field.Forbidden(path.Child("seed"), "is not used: no argument has a placeholder ${random:FROM:TO}"))
	}
	return errs
}

func validateArguments(arguments []v1alpha1.FlowArgument, data *v1alpha1.CordaData, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i, a := range arguments {
		if problem := templateProblem(a, data); problem != "" {
			errs = append(errs, field.Invalid(path.Child("arguments").Index(i).Child("value"), a.Value, problem))
		}
	}
	return errs
}

// templateProblem returns an error message if a placeholder of an argument is wrong, or gives a value that does not match
// its type, or "". The driver checks what depends on the data.
func templateProblem(a v1alpha1.FlowArgument, data *v1alpha1.CordaData) string {
	t, err := parseTemplate(string(a.Value))
	switch {
	case err != nil:
		return err.Error()
	case t.CSV && data == nil:
		return string(a.Value) + " needs corda.flow.data, the ConfigMap with the CSV file"
	case t.CSV:
		return ""
	}
	for _, value := range []string{t.Low, t.High} {
		if problem := argumentProblem(a.Type, value); problem != "" && value != string(a.Value) {
			return fmt.Sprintf("with the placeholders replaced, %q %s", value, problem)
		} else if problem != "" {
			return problem
		}
	}
	return ""
}

var amountPattern = regexp.MustCompile(`^\d+(\.\d+)? [A-Z]{3}$`)

// argumentProblem returns an error message if a value does not match its type, or "". The driver checks the
// types that cannot be checked here.
func argumentProblem(kind, value string) string {
	var err error
	switch kind {
	case "Int":
		_, err = strconv.ParseInt(value, 10, 32)
	case "Long":
		_, err = strconv.ParseInt(value, 10, 64)
	case "Double", "Decimal":
		_, err = strconv.ParseFloat(value, 64)
	case "Boolean":
		if value != "true" && value != "false" {
			return "must be true or false"
		}
	case "Party":
		if slices.Contains([]string{"self", "counterparty", "notary"}, value) {
			return ""
		}
		_, err = parseLegalName(value)
	case "Amount":
		if !amountPattern.MatchString(value) {
			return "must be a number and a currency, such as 100.50 USD"
		}
	}
	if err != nil {
		return fmt.Sprintf("is not of type %s: %v", kind, err)
	}
	return ""
}
