-- Each new value of the annotation resets the network once. kubectl benchnet reset writes the same format.
local os = require("os")
if type(obj.metadata.annotations) ~= "table" then
  obj.metadata.annotations = {}
end
obj.metadata.annotations["benchnet.dev/reset"] = os.date("!%Y%m%dT%H%M%SZ")
return obj
