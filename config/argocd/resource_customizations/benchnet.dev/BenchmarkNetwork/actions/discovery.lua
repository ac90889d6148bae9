local suspended = obj.spec.suspend == true
return {
  reset = { disabled = false },
  suspend = { disabled = suspended },
  resume = { disabled = not suspended },
}
