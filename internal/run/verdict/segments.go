package verdict

// SegmentSubject returns the subject of findings about a segment.
func SegmentSubject(name string) string { return "segment " + name }

// judgeSegments judges in each segment whether the workers offered its load and the network kept up with it, and, in segments of a constant
// rate that are long enough, whether throughput and latency were steady. Segments in which a declared fault had begun are left out; those
// before it are judged by their errors too.
func (j *verdictBuilder) judgeSegments(c RunObservations) {
	firstFault, faulty := j.measurement.FirstFaultSeconds()
	for _, s := range j.measurement.Segments {
		if faulty && s.FromSeconds+s.Seconds > firstFault {
			continue
		}
		own := verdictBuilder{measurement: s.Measurement, tolerances: j.tolerances}
		c.OfferedPerSecond = s.OfferedPerSecond
		own.judgeOfferedLoad(c)
		own.judgeUnscheduledLoad(c)
		own.judgePlanned(c)
		if faulty {
			own.judgeErrors()
		}
		if s.Constant && s.Seconds >= stabilitySeconds {
			own.judgeChanges()
		}
		j.reasons = append(j.reasons, attributeToSegment(own.reasons, s.Name)...)
		j.notes = append(j.notes, attributeToSegment(own.notes, s.Name)...)
	}
}

// attributeToSegment says in each finding which segment it is about.
func attributeToSegment(findings []Reason, name string) []Reason {
	for i := range findings {
		findings[i].Subject = SegmentSubject(name)
		findings[i].Message = findings[i].Subject + ": " + findings[i].Message
	}
	return findings
}
