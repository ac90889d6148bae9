local suspended = type(obj.spec) == "table" and obj.spec.suspend == true
return {
  suspend = { disabled = suspended },
  resume = { disabled = not suspended },
}
