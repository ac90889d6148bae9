if type(obj.spec) ~= "table" then
  obj.spec = {}
end
obj.spec.pauseRuns = false
return obj
