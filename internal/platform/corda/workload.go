package corda

import (
	"cmp"
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
	return append(errs, validateOperations(spec, w.Corda, path)...)
}

// mixOf returns the mix of a workload. A single operation is a mix of one, and that of a JMeter plan is unknown.
func mixOf(c *v1alpha1.CordaWorkload) []v1alpha1.CordaMixEntry {
	c = cmp.Or(c, &v1alpha1.CordaWorkload{})
	if len(c.Mix) > 0 {
		return c.Mix
	}
	return []v1alpha1.CordaMixEntry{{MixShare: v1alpha1.MixShare{Weight: 1}, CordaOperation: c.CordaOperation}}
}

// validateOperations rejects operations that the network cannot perform. The path is that of the Corda workload.
func validateOperations(spec *v1alpha1.BenchmarkNetworkSpec, c *v1alpha1.CordaWorkload, path *field.Path) field.ErrorList {
	const choice = "needs exactly one of finance, flow and mix"
	if len(c.Mix) == 0 {
		return validateOperation(spec, &c.CordaOperation, path, choice)
	}
	if c.Finance != nil || c.Flow != nil {
		return field.ErrorList{field.Required(path, choice)}
	}
	errs := validateMixData(c, path.Child("mix"))
	for i := range c.Mix {
		errs = append(errs, validateOperation(spec, &c.Mix[i].CordaOperation, path.Child("mix").Index(i), "needs exactly one of finance and flow")...)
	}
	return errs
}

func validateOperation(spec *v1alpha1.BenchmarkNetworkSpec, o *v1alpha1.CordaOperation, path *field.Path, choice string) field.ErrorList {
	switch {
	case (o.Finance == nil) == (o.Flow == nil):
		return field.ErrorList{field.Required(path, choice)}
	case o.Finance != nil:
		return validateFinance(spec, o.Finance, path.Child("finance"))
	}
	return validateFlow(spec, o.Flow, path.Child("flow"))
}

// validateMixData rejects a second data file: workers mount one, and the result records its hash.
func validateMixData(c *v1alpha1.CordaWorkload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	first := dataOf(c)
	for i := range c.Mix {
		if f := c.Mix[i].Flow; f != nil && f.Data != nil && *f.Data != *first {
			errs = append(errs, field.Invalid(path.Index(i).Child("flow", "data"), f.Data.ConfigMapName+"/"+f.Data.Key, fmt.Sprintf(
				"must be %s/%s, the data of the first flow with data: the flows of a mix share one file, which may have columns for each",
				first.ConfigMapName, first.Key)))
		}
	}
	return errs
}

// dataOf returns the data file of the workload's flows, or nil.
func dataOf(c *v1alpha1.CordaWorkload) *v1alpha1.CordaData {
	for _, e := range mixOf(c) {
		if e.Flow != nil && e.Flow.Data != nil {
			return e.Flow.Data
		}
	}
	return nil
}

// validateMembers rejects initiators and a counterparty that are no members of the network, or not usable.
func validateMembers(spec *v1alpha1.BenchmarkNetworkSpec, c *v1alpha1.CordaWorkload, path *field.Path) field.ErrorList {
	names := platform.NewMemberNames(Corda{}, spec)
	errs := names.ValidateList(c.Initiators, path.Child("initiators"))
	if c.Counterparty != "" {
		errs = append(errs, names.Validate(c.Counterparty, path.Child("counterparty"))...)
	}
	return append(errs, validateCounterparty(spec, c, path.Child("counterparty"))...)
}

// validateFinance rejects an operation of the finance CorDapp if the network lacks a notary or a member to pay.
func validateFinance(spec *v1alpha1.BenchmarkNetworkSpec, f *v1alpha1.CordaFinance, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	operation := path.Child("operation")
	if !hasNotary(spec) {
		errs = append(errs, field.Invalid(operation, f.Operation,
			"needs a notary: every cash state names one, so platform.corda.notary.type must not be None"))
	}
	if f.Operation != v1alpha1.FinanceIssue && spec.Members.Count < 2 {
		errs = append(errs, field.Invalid(operation, f.Operation, "needs a payee: members.count must be at least 2"))
	}
	if f.Operation == v1alpha1.FinanceIssue && f.Identities == v1alpha1.CordaAnonymous {
		errs = append(errs, field.Forbidden(path.Child("identities"), "Issue is never anonymous: a member issues to itself"))
	}
	return errs
}

// validateCounterparty rejects a counterparty that only issues would have, and one that would pay itself.
func validateCounterparty(spec *v1alpha1.BenchmarkNetworkSpec, c *v1alpha1.CordaWorkload, path *field.Path) field.ErrorList {
	names := platform.NewMemberNames(Corda{}, spec)
	payee, ok := names.Ordinal(c.Counterparty)
	issues, payments := 0, 0
	for _, e := range mixOf(c) {
		switch financeOperation(&e.CordaOperation) {
		case v1alpha1.FinanceIssue:
			issues++
		case v1alpha1.FinancePay, v1alpha1.FinanceIssueAndPay:
			payments++
		}
	}
	switch {
	case c.Counterparty != "" && issues == len(mixOf(c)):
		return field.ErrorList{field.Forbidden(path, "must not be set for Issue: a member issues to itself")}
	case ok && payments > 0 && slices.Contains(names.Ordinals(initiatorNames(c)), payee):
		return field.ErrorList{field.Invalid(path, c.Counterparty,
			"must not be among the initiators: a member that pays itself sends nothing over the network")}
	}
	return nil
}

// financeOperation returns the operation of the finance CorDapp, or "" for a flow.
func financeOperation(o *v1alpha1.CordaOperation) v1alpha1.FinanceOperation {
	if o.Finance == nil {
		return ""
	}
	return o.Finance.Operation
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
		return string(a.Value) + " needs flow.data, the ConfigMap with the CSV file"
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
