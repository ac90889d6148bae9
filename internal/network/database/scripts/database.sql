-- Makes the database :database unless it exists. Only a database that this role owns is closed to PUBLIC:
-- one that somebody else made keeps its privileges.
SELECT NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') AS absent \gset
\if :absent
  CREATE DATABASE :"database" TEMPLATE template0 ENCODING 'UTF8';
\endif
SELECT format('REVOKE ALL ON DATABASE %I FROM PUBLIC', datname)
FROM pg_database JOIN pg_roles ON pg_roles.oid = datdba
WHERE datname = :'database' AND rolname = current_user \gexec
