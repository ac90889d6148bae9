// Package database turns a network's wish for a database (engine, topology, provider) into the objects of its
// PostgreSQL instances and into what each member needs to connect: Build is pure and holds no client, no clock and
// no randomness.
//
// An instance is one PostgreSQL server. With provider Chart it is rendered from a Helm chart, the project's own or
// the user's, by Helm's engine alone: there is no release state, the objects are applied and owned like all others.
// With provider External there is one instance, which is only named.
//
// A setup Job per instance makes the database, and for each member a login role and a schema of the same name; it then
// fills empty schemas from a template that the platform's containers put into /template (Template). Everything it
// does is idempotent. Passwords lie in Secrets that exist before; they are mounted and never put on a command line.
//
// # Contract of a user's chart
//
// It is rendered with the instance's name as release name, with fullnameOverride set to that name unless the values
// say otherwise, and has to make a Service of the instance's name that serves port 5432. The superuser is `postgres`
// and its password lies under key `password` of the Secret given as Input.Superuser (<network>-db-superuser), which
// the values have to name. RenderChart rebuilds its objects from the kinds and fields that are allowed and refuses all others.
package database
