-- The actions of all kinds that have any; obj.kind selects those that only one has.
local suspended = type(obj.spec) == "table" and obj.spec.suspend == true
local actions = {
  suspend = { disabled = suspended },
  resume = { disabled = not suspended },
}
if obj.kind == "BenchmarkNetwork" then
  actions.reset = { disabled = false }
end
return actions
