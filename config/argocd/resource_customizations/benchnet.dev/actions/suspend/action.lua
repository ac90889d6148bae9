if type(obj.spec) ~= "table" then
  obj.spec = {}
end
obj.spec.suspend = true
return obj
