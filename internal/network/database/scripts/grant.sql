-- Grants the role :role the use of this role's tables that begin with :prefix.
SELECT format('GRANT USAGE ON SCHEMA %I TO %I', current_user, :'role') \gexec
SELECT format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO %I', tablename, :'role')
FROM pg_tables WHERE schemaname = current_user AND starts_with(tablename, :'prefix') \gexec
