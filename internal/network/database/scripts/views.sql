-- Replaces this role's own tables that begin with :prefix by views of those of :owner. Such views can be written to.
SELECT format('DROP TABLE %I', tablename)
FROM pg_tables WHERE schemaname = current_user AND starts_with(tablename, :'prefix') \gexec
SELECT format('CREATE VIEW %I AS SELECT * FROM %I.%I', tablename, schemaname, tablename)
FROM pg_tables WHERE schemaname = :'owner' AND starts_with(tablename, :'prefix')
  AND NOT EXISTS (SELECT FROM pg_views WHERE pg_views.schemaname = current_user AND viewname = tablename) \gexec
