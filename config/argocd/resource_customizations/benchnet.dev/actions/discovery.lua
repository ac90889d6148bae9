-- The actions of all kinds that have any; obj.kind selects those that only one has.
local paused = type(obj.spec) == "table" and obj.spec.pauseRuns == true
local actions = {
  pause = { disabled = paused },
  resume = { disabled = not paused },
}
if obj.kind == "BenchmarkNetwork" then
  actions.reset = { disabled = false }
end
return actions
