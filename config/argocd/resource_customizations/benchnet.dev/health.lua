-- The health of all kinds; obj.kind selects what is particular to one. A network is healthy when load may be applied to it: what its runs found is
-- their own health. A run is healthy when it has a result that may be used, so not with the verdict Invalid. An experiment is healthy when it has
-- its result and no gate failed or is undecided.

-- asTable returns an empty table instead of a value that is not a table.
local function asTable(value)
  return type(value) == "table" and value or {}
end

-- asText returns an empty string instead of a value that is not a string.
local function asText(value)
  return type(value) == "string" and value or ""
end

local health = { status = "Progressing", message = "the operator has not observed it yet" }
local status = asTable(obj.status)
local display = asTable(status.display)
if status.observedGeneration ~= obj.metadata.generation then
  return health
end
local reason = ""
for _, entry in ipairs(asTable(status.conditions)) do
  local condition = asTable(entry)
  if (condition.type == "Stalled" and condition.status == "True") or (condition.type == "GatesPassed" and condition.status == "False") then
    return { status = "Degraded", message = asText(condition.message) }
  end
  if condition.type == "Ready" then
    reason = condition.reason
    health.message = asText(condition.message)
    if condition.status == "True" then
      health.status = "Healthy"
    elseif reason == "Paused" then
      -- Another run resumes a network that is paused since it has finished.
      health.status = asTable(obj.spec).pause == "WhenFinished" and "Healthy" or "Suspended"
    end
  end
end

if obj.kind == "BenchmarkNetwork" and health.status == "Healthy" then
  if asTable(obj.spec).pauseRuns == true then
    return { status = "Suspended", message = "spec.pauseRuns is true: no further run starts" }
  end
  local run = asTable(status.lastRun)
  if run.name ~= nil then
    local verdict = asText(run.verdict)
    health.message = health.message .. "; last run " .. asText(run.name) .. ": " .. (verdict ~= "" and verdict or "no result")
  end
elseif obj.kind == "BenchmarkRun" then
  if reason == "Measuring" and health.status == "Progressing" and asText(display.throughput) ~= "" then
    health.message = health.message .. ", " .. asText(display.throughput) .. " so far"
  end
  if status.verdict == "Invalid" then
    health.status = "Degraded"
    for _, entry in ipairs(asTable(status.reasons)) do
      local found = asTable(entry)
      if found.severity == "Invalid" then
        health.message = health.message .. "; " .. asText(found.reason) .. ": " .. asText(found.message)
      end
    end
  end
elseif obj.kind == "BenchmarkExperiment" and health.status == "Progressing" and asText(display.runs) ~= "" then
  health.message = asText(display.runs) .. " runs; " .. health.message
  if asText(display.timeLeft) ~= "" then
    health.message = health.message .. "; left: " .. asText(display.timeLeft)
  end
end
return health
