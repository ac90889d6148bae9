-- Makes the login role :role with a schema of the same name, in one transaction. A role of that name which is not
-- marked as :owner's is never touched: CREATE ROLE then fails with "role already exists".
BEGIN;
-- The password must not reach the server's log, whatever it logs. Only a superuser may set this.
SELECT set_config('log_statement', 'none', true), set_config('log_min_error_statement', 'panic', true),
  set_config('log_min_duration_statement', '-1', true)
FROM pg_roles WHERE rolname = current_user AND rolsuper \g /dev/null
SELECT format('CREATE ROLE %I LOGIN', :'role')
WHERE NOT EXISTS (
  SELECT FROM pg_roles WHERE rolname = :'role' AND shobj_description(oid, 'pg_authid') = :'owner') \gexec
COMMENT ON ROLE :"role" IS :'owner';
ALTER ROLE :"role" PASSWORD :'password';
ALTER ROLE :"role" IN DATABASE :"database" SET search_path = :"role";
GRANT CONNECT, TEMPORARY ON DATABASE :"database" TO :"role";
-- Whoever is no superuser must be a member of a role to give it a schema.
SELECT format('GRANT %I TO CURRENT_USER', :'role')
FROM pg_roles WHERE rolname = current_user AND NOT rolsuper \gexec
SELECT format('CREATE SCHEMA %I AUTHORIZATION %I', :'role', :'role')
WHERE NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = :'role') \gexec
COMMIT;
