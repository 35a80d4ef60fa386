PRAGMA application_id = 1835823715;
PRAGMA user_version = 1;
CREATE TABLE runs (
    id INTEGER PRIMARY KEY,
    tenant TEXT NOT NULL,
    run_id TEXT NOT NULL,
    workflow TEXT NOT NULL,
    status TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    ticks INTEGER NOT NULL,
    last_event INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ended_at INTEGER,
    wake_at INTEGER,
    posted_at INTEGER, -- of the oldest open post
    owner TEXT,
    lease_until INTEGER,
    queue TEXT,
    queue_key TEXT,
    priority INTEGER,
    queued_at INTEGER, -- when it is to begin
    place INTEGER, -- 0: it waits in line; 1: it has one; null: it wants none yet
    rate_counted INTEGER, -- 1: it counts no more against a rate
    waiting TEXT,
    outcome TEXT
  ) STRICT;
INSERT INTO "runs" (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, ended_at, wake_at, posted_at, owner, lease_until, queue, queue_key, priority, queued_at, place, rate_counted, waiting, outcome) VALUES (1, '', 'left', 'kept', 'running', 1, 1, -1, 1893456000000, 1893456000000, NULL, 1893456000000, NULL, '0a798a10-ba37-4e41-89dc-9b6f2609a47d', 1893456030000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE UNIQUE INDEX runs_key ON runs (tenant, run_id);
CREATE INDEX runs_status ON runs (tenant, status, created_at, id, ended_at, workflow);
CREATE INDEX runs_workflow ON runs (tenant, workflow, created_at);
CREATE INDEX runs_held ON runs (owner, lease_until) WHERE owner IS NOT NULL;
CREATE INDEX runs_due ON runs (wake_at)
    WHERE queue IS NULL AND owner IS NULL AND ended_at IS NULL AND wake_at IS NOT NULL;
CREATE INDEX runs_posted ON runs (posted_at)
    WHERE queue IS NULL AND owner IS NULL AND ended_at IS NULL AND posted_at IS NOT NULL;
CREATE INDEX runs_held_posted ON runs (owner) WHERE owner IS NOT NULL AND posted_at IS NOT NULL;
CREATE INDEX runs_queue ON runs (tenant, queue, created_at) WHERE queue IS NOT NULL;
CREATE INDEX runs_place ON runs (queue, queue_key) WHERE place = 1 AND ended_at IS NULL;
CREATE INDEX runs_line ON runs (queue, queue_key, priority DESC, queued_at, id, workflow) WHERE place = 0;
CREATE INDEX runs_line_again ON runs (queue, queue_key, priority DESC, queued_at, id, workflow)
    WHERE place = 0 AND rate_counted = 1;
CREATE INDEX runs_queue_due ON runs (queue, wake_at)
    WHERE queue IS NOT NULL AND owner IS NULL AND ended_at IS NULL AND place IS NULL AND wake_at IS NOT NULL;
CREATE INDEX runs_queue_posted ON runs (queue, posted_at)
    WHERE queue IS NOT NULL AND owner IS NULL AND ended_at IS NULL AND place IS NULL AND posted_at IS NOT NULL;
CREATE TABLE starts (
    run INTEGER PRIMARY KEY,
    code TEXT NOT NULL,
    start_at INTEGER NOT NULL,
    forked_run_id TEXT,
    forked_tick INTEGER,
    input TEXT NOT NULL
  ) STRICT;
INSERT INTO "starts" (run, code, start_at, forked_run_id, forked_tick, input) VALUES (1, '2e5b4277f820c351346ed1763d87d8aa3196f4d084987ba373968da06fbb4a4e', 1893456000000, NULL, NULL, '{"type":"run.started","atMs":0,"event":{"type":"StartEvent","data":{}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"at":"1"},"store":{"json":{"parts":[],"tags":[],"since":"1970-01-01T00:00:00.000Z","list":[],"children":0},"meta":{"parts":["map"],"tags":["set"],"since":["Date"]}}}');
CREATE TABLE labels (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    tenant TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "labels" (run, name, value, tenant, created_at) VALUES (1, 'at', '1', '', 1893456000000);
CREATE INDEX labels_value ON labels (tenant, name, value, created_at, run);
CREATE TABLE ticks (
    run INTEGER NOT NULL,
    last INTEGER NOT NULL,
    first INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, last)
  ) STRICT;
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 1, 1, 1893456000000, '[{"type":"run.started","atMs":1893456000000,"event":{"type":"StartEvent","data":{}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"at":"1"},"store":{"json":{"parts":[],"tags":[],"since":"1970-01-01T00:00:00.000Z","list":[],"children":0},"meta":{"parts":["map"],"tags":["set"],"since":["Date"]}}}]');
CREATE TABLE events (
    run INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  ) STRICT;
CREATE TABLE snapshots (
    run INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, tick)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE posts (
    position INTEGER PRIMARY KEY AUTOINCREMENT, -- a deleted position is never given again
    run INTEGER NOT NULL,
    idempotency_key TEXT,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    receipt TEXT
  ) STRICT;
CREATE INDEX posts_run ON posts (run);
CREATE UNIQUE INDEX posts_key ON posts (run, idempotency_key) WHERE idempotency_key IS NOT NULL;
CREATE INDEX posts_open ON posts (run, position) WHERE receipt IS NULL;
CREATE TABLE blobs (
    id INTEGER PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    text TEXT NOT NULL
  ) STRICT;
INSERT INTO "blobs" (id, hash, text) VALUES (1, '2e5b4277f820c351346ed1763d87d8aa3196f4d084987ba373968da06fbb4a4e', '{"workflows":[{"definition":{"workflow":"kept","steps":[{"name":"split","trigger":{"kind":"event","accepts":["StartEvent"]},"workers":4,"emits":["Part"],"fanOut":{"elements":["Part"],"alone":[],"collects":["gather"],"joins":[]},"waits":[],"streams":[]},{"name":"work","trigger":{"kind":"event","accepts":["Part"]},"workers":4,"emits":["Done"],"fanOut":null,"waits":[],"streams":["Shown"]},{"name":"gather","trigger":{"kind":"collect","accepts":["Done"],"of":null,"take":null,"rest":"finish","order":"emitted","settle":false},"workers":4,"emits":["Gathered"],"fanOut":null,"waits":[],"streams":[]},{"name":"end","trigger":{"kind":"event","accepts":["Gathered"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":["Said"],"streams":["Ask"]}],"roles":{"StartEvent":"start","Part":"event","Done":"event","Shown":"event","Gathered":"event","StopEvent":"stop","Said":"humanResponse","Ask":"inputRequired"},"inboxSize":1000},"stateVersion":1,"children":{"leaf":1,"asking":2}},{"definition":{"workflow":"leaf","steps":[{"name":"work","trigger":{"kind":"event","accepts":["StartEvent"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":[],"streams":[]}],"roles":{"StartEvent":"start","StopEvent":"stop"},"inboxSize":1000},"stateVersion":1,"children":{}},{"definition":{"workflow":"asking","steps":[{"name":"ask","trigger":{"kind":"event","accepts":["StartEvent"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":["Said"],"streams":["Ask"]}],"roles":{"StartEvent":"start","StopEvent":"stop","Said":"humanResponse","Ask":"inputRequired"},"inboxSize":1000},"stateVersion":1,"children":{}}]}');
CREATE TABLE blob_refs (
    run INTEGER NOT NULL,
    blob INTEGER NOT NULL,
    by_run INTEGER NOT NULL, -- 1: by what stays as long as the run
    by_tick INTEGER NOT NULL, -- the last tick of the latest batch that names it; -1: none does
    by_snapshot INTEGER NOT NULL, -- the tick of the latest snapshot that names it; -1: none does
    PRIMARY KEY (run, blob)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "blob_refs" (run, blob, by_run, by_tick, by_snapshot) VALUES (1, 1, 1, -1, -1);
CREATE INDEX blob_refs_blob ON blob_refs (blob);
CREATE TABLE records (
    tenant TEXT NOT NULL,
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    version INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tenant, kind, id)
  ) STRICT, WITHOUT ROWID;
CREATE TABLE owners (
    owner TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT
  ) STRICT, WITHOUT ROWID;
CREATE TABLE queue_keys (
    queue TEXT NOT NULL,
    queue_key TEXT NOT NULL,
    turn INTEGER NOT NULL, -- the lowest is served next
    PRIMARY KEY (queue, queue_key)
  ) STRICT, WITHOUT ROWID;
CREATE INDEX queue_keys_turn ON queue_keys (queue, turn);
CREATE TABLE queue_starts (
    queue TEXT NOT NULL,
    at_ms INTEGER NOT NULL
  ) STRICT;
CREATE INDEX queue_starts_at ON queue_starts (queue, at_ms);
CREATE TABLE queue_windows (
    queue TEXT PRIMARY KEY,
    longest_ms INTEGER NOT NULL -- of all rates that processes had: younger starts are kept
  ) STRICT, WITHOUT ROWID;
