-- A run is healthy when it has a result that may be used. Without one, or with the verdict Invalid, it is degraded.
local health = { status = "Progressing", message = "the operator has not looked at it yet" }
local status = obj.status
if status == nil or status.conditions == nil or status.observedGeneration ~= obj.metadata.generation then
  return health
end
for _, condition in ipairs(status.conditions) do
  if condition.type == "Stalled" and condition.status == "True" then
    return { status = "Degraded", message = condition.message }
  end
  if condition.type == "Ready" then
    health.message = condition.message
    if condition.status == "True" then
      health.status = "Healthy"
    elseif condition.reason == "Suspended" then
      health.status = "Suspended"
    elseif condition.reason == "Measuring" and status.throughput ~= nil then
      health.message = health.message .. ", " .. status.throughput .. " a second so far"
    end
  end
end
if status.verdict == "Invalid" then
  health.status = "Degraded"
  for _, reason in ipairs(status.reasons or {}) do
    if reason.severity == "Invalid" then
      health.message = health.message .. "; " .. reason.reason .. ": " .. reason.message
    end
  end
end
return health
