-- A run is healthy when it has a result that may be used. Without one, or with the verdict Invalid, it is degraded.

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
  if condition.type == "Ready" then
    health.message = asText(condition.message)
    if condition.status == "True" then
      health.status = "Healthy"
    elseif condition.reason == "Suspended" then
      health.status = "Suspended"
    elseif condition.reason == "Measuring" and asText(asTable(status.display).throughput) ~= "" then
      health.message = health.message .. ", " .. asText(asTable(status.display).throughput) .. " so far"
    end
  end
end
if status.verdict == "Invalid" then
  health.status = "Degraded"
  for _, entry in ipairs(asTable(status.reasons)) do
    local reason = asTable(entry)
    if reason.severity == "Invalid" then
      health.message = health.message .. "; " .. asText(reason.reason) .. ": " .. asText(reason.message)
    end
  end
end
return health
