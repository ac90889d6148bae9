-- An experiment is healthy when it has its result and no gate failed. A gate that failed, or is undecided, makes it degraded.

-- asTable returns an empty table instead of a value that is not a table.
local function asTable(value)
  return type(value) == "table" and value or {}
end

-- asText returns an empty string instead of a value that is not a string.
local function asText(value)
  return type(value) == "string" and value or ""
end

local health = { status = "Progressing", message = "the operator has not looked at it yet" }
local status = asTable(obj.status)
if status.observedGeneration ~= obj.metadata.generation then
  return health
end
for _, entry in ipairs(asTable(status.conditions)) do
  local condition = asTable(entry)
  if condition.type == "Stalled" and condition.status == "True" then
    return { status = "Degraded", message = asText(condition.message) }
  end
  if condition.type == "GatesPassed" and condition.status == "False" then
    return { status = "Degraded", message = asText(condition.message) }
  end
  if condition.type == "Ready" then
    health.message = asText(condition.message)
    if condition.status == "True" then
      health.status = "Healthy"
    elseif condition.reason == "Suspended" then
      health.status = "Suspended"
    end
  end
end
if health.status == "Progressing" and asText(asTable(status.display).runs) ~= "" then
  health.message = asText(asTable(status.display).runs) .. " runs; " .. health.message
  if asText(asTable(status.display).timeLeft) ~= "" then
    health.message = health.message .. "; left: " .. asText(asTable(status.display).timeLeft)
  end
end
return health
