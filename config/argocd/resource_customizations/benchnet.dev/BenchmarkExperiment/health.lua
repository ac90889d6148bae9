-- An experiment is healthy when it has its result and no gate failed. A gate that failed, or is undecided, makes it degraded.
local health = { status = "Progressing", message = "the operator has not looked at it yet" }
local status = obj.status
if status == nil or status.conditions == nil or status.observedGeneration ~= obj.metadata.generation then
  return health
end
for _, condition in ipairs(status.conditions) do
  if condition.type == "Stalled" and condition.status == "True" then
    return { status = "Degraded", message = condition.message }
  end
  if condition.type == "GatesPassed" and condition.status == "False" then
    return { status = "Degraded", message = condition.message }
  end
  if condition.type == "Ready" then
    health.message = condition.message
    if condition.status == "True" then
      health.status = "Healthy"
    elseif condition.reason == "Suspended" then
      health.status = "Suspended"
    end
  end
end
if health.status == "Progressing" and status.progress ~= nil then
  health.message = status.progress .. " runs; " .. health.message
  if status.timeLeft ~= nil then
    health.message = health.message .. "; left: " .. status.timeLeft
  end
end
return health
