"""What Alembic runs: the migrations, on the connection of the store."""

from alembic import context

from sniffai_server.matches.tables import METADATA

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=METADATA,
    version_table="sniffai_matches_version",
    transactional_ddl=True,
)
with context.begin_transaction():
    context.run_migrations()
