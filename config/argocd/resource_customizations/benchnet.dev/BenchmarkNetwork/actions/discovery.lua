local suspended = type(obj.spec) == "table" and obj.spec.suspend == true
return {
  reset = { disabled = false },
  suspend = { disabled = suspended },
  resume = { disabled = not suspended },
}
