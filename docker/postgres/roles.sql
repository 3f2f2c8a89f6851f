-- The two roles of docs/operating.md, with passwords that are for trying out alone.
create role coffer_owner login password 'owner';
create role coffer_app login password 'app';
create database coffer owner coffer_owner;
revoke temporary on database coffer from public;
\connect coffer
revoke create on schema public from public;
grant all on schema public to coffer_owner;
grant usage on schema public to coffer_app;
