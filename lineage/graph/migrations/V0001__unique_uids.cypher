// One label a kind, one uid a node; the constraint's index is the one that every read uses.
CREATE CONSTRAINT agent_uid IF NOT EXISTS FOR (node:Agent) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT component_uid IF NOT EXISTS FOR (node:Component) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT run_uid IF NOT EXISTS FOR (node:Run) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT case_uid IF NOT EXISTS FOR (node:Case) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT source_uid IF NOT EXISTS FOR (node:Source) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT source_version_uid IF NOT EXISTS FOR (node:SourceVersion) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT acquisition_uid IF NOT EXISTS FOR (node:Acquisition) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT document_uid IF NOT EXISTS FOR (node:Document) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT part_uid IF NOT EXISTS FOR (node:Part) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT chunk_uid IF NOT EXISTS FOR (node:Chunk) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT fact_uid IF NOT EXISTS FOR (node:Fact) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT embedding_uid IF NOT EXISTS FOR (node:Embedding) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT index_snapshot_uid IF NOT EXISTS FOR (node:IndexSnapshot) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT retrieval_uid IF NOT EXISTS FOR (node:Retrieval) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT context_uid IF NOT EXISTS FOR (node:Context) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT answer_uid IF NOT EXISTS FOR (node:Answer) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT claim_uid IF NOT EXISTS FOR (node:Claim) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT citation_uid IF NOT EXISTS FOR (node:Citation) REQUIRE node.uid IS UNIQUE;
// Whose turn it is in a workspace, and the words of the vocabulary.
CREATE CONSTRAINT projection_uid IF NOT EXISTS FOR (node:Projection) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT term_uid IF NOT EXISTS FOR (node:Term) REQUIRE node.uid IS UNIQUE;
CREATE CONSTRAINT schema_migration_version IF NOT EXISTS FOR (node:SchemaMigration) REQUIRE node.version IS UNIQUE;
