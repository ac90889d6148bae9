-- Removes the role :role and all it owns in this database, if it is marked as :owner's. Its sessions are ended first.
SELECT EXISTS (
  SELECT FROM pg_roles WHERE rolname = :'role' AND shobj_description(oid, 'pg_authid') = :'owner') AS ours \gset
\if :ours
  ALTER ROLE :"role" NOLOGIN;
  SELECT format('SELECT pg_terminate_backend(%s)', pid) FROM pg_stat_activity WHERE usename = :'role' \gexec
  DROP OWNED BY :"role" CASCADE;
  DROP ROLE :"role";
\endif
