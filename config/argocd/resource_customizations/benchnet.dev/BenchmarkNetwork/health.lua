-- A network is healthy when load may be applied to it. What its runs found is their own health.

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
    end
  end
end
if health.status == "Healthy" and asTable(obj.spec).suspend == true then
  return { status = "Suspended", message = "spec.suspend is true: no further run starts" }
end
if health.status == "Healthy" and asTable(status.lastRun).name ~= nil then
  local verdict = asText(status.lastRun.verdict)
  health.message = health.message .. "; last run " .. asText(status.lastRun.name) .. ": " .. (verdict ~= "" and verdict or "no result")
end
return health
