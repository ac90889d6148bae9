-- Health of BenchmarkNetwork, BenchmarkRun and BenchmarkExperiment for Argo CD; see getting-started.md.
hs = { status = "Progressing", message = "the operator has not looked at it yet" }
local status = obj.status
if status == nil or status.conditions == nil or status.observedGeneration ~= obj.metadata.generation then
  return hs
end
for _, condition in ipairs(status.conditions) do
  if condition.type == "Stalled" and condition.status == "True" then
    return { status = "Degraded", message = condition.message }
  end
  if condition.type == "Ready" then
    hs.message = condition.message
    if condition.status == "True" then hs.status = "Healthy" end
  end
end
return hs
