// Package database computes the objects of a network's PostgreSQL instances from the engine, topology and
// provider in its spec, and the connection of each member. Build is pure: it uses no client, no clock and no
// randomness.
//
// An instance is one PostgreSQL server. With provider Chart, it is rendered from a Helm chart, the project's or
// the user's. Only Helm's template engine is used: there is no release state, and the objects are applied and
// owned like all others. With provider External, there is one instance without objects of its own.
//
// A setup Job per instance creates the database, and for each member a login role and a schema of the same
// name. It then fills empty schemas from a template that the platform's containers put into /template
// (DatabaseRequirements.Template). All its steps are idempotent. Passwords come from existing Secrets; they are mounted and
// never put on a command line.
//
// # Contract of a user's chart
//
// The release name is the instance's name, and fullnameOverride is set to it unless the values set another one.
// The chart must create a Service of the instance's name on port 5432. The superuser is `postgres`. Its
// password is in key `password` of Secret <network>-db-superuser, which the
// values must name. RenderChart rebuilds the objects from the allowed kinds and fields and rejects all others.
package database
