# Turns a pg_dump of schema `template` into one of schema `schema` (a variable). Rows of COPY pass unchanged.
# The schema exists already, so CREATE SCHEMA is dropped.
function renamed(line,    out) {
  out = ""
  while (match(line, /template\./)) {
    out = out substr(line, 1, RSTART - 1)
    # "template." is the schema unless it ends a longer or a qualified name.
    out = out (out ~ /[A-Za-z0-9_$."]$/ ? "template." : "\"" schema "\".")
    line = substr(line, RSTART + RLENGTH)
  }
  return out line
}
copying { print; if ($0 == "\\.") copying = 0; next }
/^CREATE SCHEMA template;$/ { next }
/^COPY template\..* FROM stdin;$/ { copying = 1 }
{ print renamed($0) }
