-- A network is healthy when load may be applied to it. What its runs found is their own health.
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
    end
  end
end
if health.status == "Healthy" and obj.spec.suspend then
  return { status = "Suspended", message = "spec.suspend is true: no further run starts" }
end
if health.status == "Healthy" and status.lastRun ~= nil then
  local last = status.lastRun
  health.message = health.message .. "; last run " .. last.name .. ": " .. (last.verdict or "no result")
end
return health
