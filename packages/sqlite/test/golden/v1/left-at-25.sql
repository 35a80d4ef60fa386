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
INSERT INTO "runs" (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, ended_at, wake_at, posted_at, owner, lease_until, queue, queue_key, priority, queued_at, place, rate_counted, waiting, outcome) VALUES (1, '', 'left', 'kept', 'running', 1, 34, 5, 1893456000000, 1893459600000, NULL, 1893457800000, NULL, '8dfc9315-e253-410f-8ccc-3cb9f4e6313e', 1893459630000, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
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
INSERT INTO "starts" (run, code, start_at, forked_run_id, forked_tick, input) VALUES (1, '2e5b4277f820c351346ed1763d87d8aa3196f4d084987ba373968da06fbb4a4e', 1893456000000, NULL, NULL, '{"type":"run.started","atMs":0,"event":{"type":"StartEvent","data":{}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"at":"25"},"store":{"json":{"parts":[],"tags":[],"since":"1970-01-01T00:00:00.000Z","list":[],"children":0},"meta":{"parts":["map"],"tags":["set"],"since":["Date"]}}}');
CREATE TABLE labels (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    tenant TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "labels" (run, name, value, tenant, created_at) VALUES (1, 'at', '25', '', 1893456000000);
CREATE INDEX labels_value ON labels (tenant, name, value, created_at, run);
CREATE TABLE ticks (
    run INTEGER NOT NULL,
    last INTEGER NOT NULL,
    first INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, last)
  ) STRICT;
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 1, 1, 1893456000000, '[{"type":"run.started","atMs":1893456000000,"event":{"type":"StartEvent","data":{}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"at":"25"},"store":{"json":{"parts":[],"tags":[],"since":"1970-01-01T00:00:00.000Z","list":[],"children":0},"meta":{"parts":["map"],"tags":["set"],"since":["Date"]}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 2, 2, 1893456000000, '[{"type":"state.edited","atMs":1893456000000,"item":1,"attempt":1,"call":"edit:#0","change":{"patches":{"json":[{"op":"replace","path":["since"],"value":"1970-01-02T00:00:00.000Z"},{"op":"add","path":["tags",0],"value":"split"}],"meta":{"0.value":["Date"]}}},"value":{"json":null,"meta":["undefined"]}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 3, 3, 1893456000000, 'B[{"type":"step.yielded","atMs":1893456000000,"item":1,"attempt":1,"call":"yield:#0","digest":"a828c923b12615dd44c2267e695d6952","event":{"type":"Part","data":{"n":0,"text":{"$blob":"617b79a0f2e96a880189023114a00b570b1e2cda8488e486966903bd9df15cce"}}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 4, 4, 1893456000000, '[{"type":"stream.written","atMs":1893456000000,"item":3,"attempt":1,"event":{"type":"Shown","data":{"n":0}},"origin":null,"promptId":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 6, 5, 1893456000000, '[{"type":"state.edited","atMs":1893456000000,"item":3,"attempt":1,"call":"edit:#0","change":{"patches":{"json":[{"op":"add","path":["parts","part 0"],"value":"72000"}],"meta":{"0.value":[["custom","@bigint"]]}}},"value":{"json":null,"meta":["undefined"]}},{"type":"step.yielded","atMs":1893456000000,"item":1,"attempt":1,"call":"yield:#1","digest":"938c776e407176206e3a81f462b2b9a6","event":{"type":"Part","data":{"n":1,"text":"part 1"}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 7, 7, 1893456000000, '[{"type":"stream.written","atMs":1893456000000,"item":4,"attempt":1,"event":{"type":"Shown","data":{"n":1}},"origin":null,"promptId":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 10, 8, 1893456000000, '[{"type":"state.edited","atMs":1893456000000,"item":4,"attempt":1,"call":"edit:#0","change":{"patches":{"json":[{"op":"add","path":["parts","part 1"],"value":"6"}],"meta":{"0.value":[["custom","@bigint"]]}}},"value":{"json":null,"meta":["undefined"]}},{"type":"effect.recorded","atMs":1893456000000,"item":3,"attempt":1,"call":"run=pay","value":{"json":0}},{"type":"step.yielded","atMs":1893456000000,"item":1,"attempt":1,"call":"yield:#2","digest":"0190ce725e8c59f4bb31678c9470b79c","event":{"type":"Part","data":{"n":2,"text":"part 2"}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 11, 11, 1893456000000, '[{"type":"stream.written","atMs":1893456000000,"item":5,"attempt":1,"event":{"type":"Shown","data":{"n":2}},"origin":null,"promptId":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 15, 12, 1893456000000, '[{"type":"state.edited","atMs":1893456000000,"item":5,"attempt":1,"call":"edit:#0","change":{"patches":{"json":[{"op":"add","path":["parts","part 2"],"value":"6"}],"meta":{"0.value":[["custom","@bigint"]]}}},"value":{"json":null,"meta":["undefined"]}},{"type":"effect.recorded","atMs":1893456000000,"item":4,"attempt":1,"call":"run=pay","value":{"json":2}},{"type":"step.yielded","atMs":1893456000000,"item":1,"attempt":1,"call":"yield:#3","digest":"8005139c9322e0d82b93f97e9a20e745","event":{"type":"Part","data":{"n":3,"text":"part 3"}}},{"type":"step.completed","atMs":1893456000000,"item":3,"output":{"type":"Done","data":{"n":0}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 16, 16, 1893456000000, '[{"type":"stream.written","atMs":1893456000000,"item":6,"attempt":1,"event":{"type":"Shown","data":{"n":3}},"origin":null,"promptId":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 20, 17, 1893456000000, '[{"type":"state.edited","atMs":1893456000000,"item":6,"attempt":1,"call":"edit:#0","change":{"patches":{"json":[{"op":"add","path":["parts","part 3"],"value":"6"}],"meta":{"0.value":[["custom","@bigint"]]}}},"value":{"json":null,"meta":["undefined"]}},{"type":"effect.recorded","atMs":1893456000000,"item":5,"attempt":1,"call":"run=pay","value":{"json":4}},{"type":"step.completed","atMs":1893456000000,"item":1,"output":null},{"type":"step.failed","atMs":1893456000000,"item":4,"attempt":1,"error":{"name":"Error","message":"The price of 1 is not known yet.","stack":"Error: The price of 1 is not known yet."},"retryAtMs":1893457800000}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 22, 21, 1893456000000, '[{"type":"child.opened","atMs":1893456000000,"item":5,"attempt":1,"call":"child:leaf#0","name":"leaf","start":{"type":"StartEvent","data":{"n":4}},"sharesStore":true},{"type":"effect.recorded","atMs":1893456000000,"item":6,"attempt":1,"call":"run=pay","value":{"json":6}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 24, 23, 1893456000000, '[{"run":"left/8","path":["leaf"],"tick":{"type":"run.started","atMs":1893456000000,"event":{"type":"StartEvent","data":{"n":4}},"timeoutMs":null,"deadlineMs":null,"lineage":{"parent":"left","forkedFrom":null},"labels":null}},{"type":"sleep.opened","atMs":1893456000000,"item":6,"attempt":1,"call":"sleep:#0","dueAtMs":1893463200000}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 25, 25, 1893456000000, '[{"run":"left/8","path":["leaf"],"tick":{"type":"state.edited","atMs":1893456000000,"item":1,"attempt":1,"call":"edit:#0","change":[[["children"],1]],"value":{"json":null,"meta":["undefined"]}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 26, 26, 1893456000000, '[{"run":"left/8","path":["leaf"],"tick":{"type":"sleep.opened","atMs":1893456000000,"item":1,"attempt":1,"call":"sleep:#0","dueAtMs":1893459600000}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 27, 27, 1893456000000, '[{"run":"left/8","path":["leaf"],"tick":{"type":"run.idled","atMs":1893456000000}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 28, 28, 1893456000000, '[{"type":"run.idled","atMs":1893456000000}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 29, 29, 1893457800000, '[{"type":"time.passed","atMs":1893457800000}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 30, 30, 1893457800000, '[{"type":"stream.written","atMs":1893457800000,"item":4,"attempt":2,"event":{"type":"Shown","data":{"n":1}},"origin":null,"promptId":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 31, 31, 1893457800000, '[{"type":"step.completed","atMs":1893457800000,"item":4,"attempt":2,"output":{"type":"Done","data":{"n":2}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 32, 32, 1893457800000, '[{"type":"run.idled","atMs":1893457800000}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 33, 33, 1893459600000, '[{"run":"left/8","path":["leaf"],"tick":{"type":"time.passed","atMs":1893459600000}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 34, 34, 1893459600000, '[{"run":"left/8","path":["leaf"],"tick":{"type":"step.completed","atMs":1893459600000,"item":1,"output":{"type":"StopEvent","data":{"result":4}}}}]');
CREATE TABLE events (
    run INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  ) STRICT;
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 0, 1893456000000, '{"event":{"type":"Shown","data":{"n":0}},"writer":"3"}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 1, 1893456000000, '{"event":{"type":"Shown","data":{"n":1}},"writer":"4"}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 2, 1893456000000, '{"event":{"type":"Shown","data":{"n":2}},"writer":"5"}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 3, 1893456000000, '{"event":{"type":"Shown","data":{"n":3}},"writer":"6"}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 4, 1893457800000, '{"event":{"type":"StepRestartedEvent","data":{"step":"work","item":4,"attempt":2}},"writer":"4"}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 5, 1893457800000, '{"event":{"type":"Shown","data":{"n":1}},"writer":"4"}');
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
INSERT INTO "blobs" (id, hash, text) VALUES (2, '617b79a0f2e96a880189023114a00b570b1e2cda8488e486966903bd9df15cce', '"@large@"');
CREATE TABLE blob_refs (
    run INTEGER NOT NULL,
    blob INTEGER NOT NULL,
    by_run INTEGER NOT NULL, -- 1: by what stays as long as the run
    by_tick INTEGER NOT NULL, -- the last tick of the latest batch that names it; -1: none does
    by_snapshot INTEGER NOT NULL, -- the tick of the latest snapshot that names it; -1: none does
    PRIMARY KEY (run, blob)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "blob_refs" (run, blob, by_run, by_tick, by_snapshot) VALUES (1, 1, 1, -1, -1);
INSERT INTO "blob_refs" (run, blob, by_run, by_tick, by_snapshot) VALUES (1, 2, 0, 3, -1);
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
