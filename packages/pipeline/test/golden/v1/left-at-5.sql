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
INSERT INTO "runs" (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, ended_at, wake_at, posted_at, owner, lease_until, queue, queue_key, priority, queued_at, place, rate_counted, waiting, outcome) VALUES (1, '', 'order', 'orders', 'running', 1, 5, 0, 1795933161879, 1795933161902, NULL, 1795933161879, NULL, '21507702-4e8f-4993-954f-1b5a27dbe87b', 1795933191887, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
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
INSERT INTO "starts" (run, code, start_at, forked_run_id, forked_tick, input) VALUES (1, '643bcba4fd46ddcff39efc130d45045d440c440998bc5dbaedfa667ae3d247a2', 1795933161879, NULL, NULL, '{"type":"run.started","atMs":0,"event":{"type":"pipeline.start","data":{"request":{"input":"an order","additionalData":{},"media":{"images":[],"videos":[],"audio":[],"files":[]},"sessionId":"shop","userId":null,"dependencies":{},"metadata":{},"showsSteps":false,"showsExecutors":true,"nesting":null,"given":null}}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"session":"shop"},"store":{"json":{}}}');
CREATE TABLE labels (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    tenant TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "labels" (run, name, value, tenant, created_at) VALUES (1, 'session', 'shop', '', 1795933161879);
CREATE INDEX labels_value ON labels (tenant, name, value, created_at, run);
CREATE TABLE ticks (
    run INTEGER NOT NULL,
    last INTEGER NOT NULL,
    first INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, last)
  ) STRICT;
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 1, 1, 1795933161879, '[{"type":"run.started","atMs":1795933161879,"event":{"type":"pipeline.start","data":{"request":{"input":"an order","additionalData":{},"media":{"images":[],"videos":[],"audio":[],"files":[]},"sessionId":"shop","userId":null,"dependencies":{},"metadata":{},"showsSteps":false,"showsExecutors":true,"nesting":null,"given":null}}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"session":"shop"},"store":{"json":{}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 2, 2, 1795933161891, '[{"type":"step.completed","atMs":1795933161891,"item":1,"output":{"type":"pipeline.enter 0 rounds","data":{"frame":"0","at":0,"visit":1}},"change":{"whole":true,"next":{"json":{"request":{"input":"an order","additionalData":{},"media":{"images":[],"videos":[],"audio":[],"files":[]},"sessionId":"shop","userId":null,"dependencies":{},"metadata":{},"showsSteps":false,"showsExecutors":true,"nesting":null},"startedAtMs":1795933161890,"history":[],"session":{"edits":0,"done":{},"rounds":[]},"sessionAtStart":{"edits":0,"done":{},"rounds":[]},"lists":{},"query":null,"agentRun":null,"failure":null,"frames":{"0":{"node":null,"parent":null,"at":0,"queue":[0,1,2,3],"names":["rounds","counted","way","send"],"branch":null,"outputs":[[]],"starts":[[0]]}},"reviews":{},"answered":[],"discarded":[],"events":[{"event":"WorkflowStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"createdAt":1795933161,"createdAtMs":1795933161890,"eventIndex":1}],"executorRuns":[],"visits":1,"counted":{},"nested":{}}}},"shown":[{"type":"pipeline.shown","data":{"name":"WorkflowStarted","data":{"createdAtMs":1795933161890}}}],"elapsedMs":1}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 3, 3, 1795933161893, '[{"type":"step.completed","atMs":1795933161893,"item":2,"output":{"type":"pipeline.enter 0.0 open","data":{"frame":"0/0@1","at":0,"visit":2}},"change":[[["visits"],2],[["frames","0/0@1"],{"node":"0","parent":"0","at":0,"queue":[0,1,2],"names":["open","parts","close"],"branch":null,"outputs":[[]],"starts":[[0]]},"add"],[["events",1],{"event":"LoopExecutionStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0","stepName":"rounds","stepIndex":[0],"maxIterations":7,"createdAt":1795933161,"createdAtMs":1795933161892,"eventIndex":2},"add"],[["events",2],{"event":"LoopIterationStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0","stepName":"rounds","stepIndex":[0],"iteration":1,"maxIterations":7,"createdAt":1795933161,"createdAtMs":1795933161892,"eventIndex":3},"add"]],"elapsedMs":1}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 4, 4, 1795933161899, '[{"type":"state.edited","atMs":1795933161899,"item":3,"attempt":1,"call":"edit:#0","change":[[["counted","[\"edits\"]"],true,"add"],[["session","edits"],1]],"value":{"json":null,"meta":["undefined"]}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 5, 5, 1795933161902, '[{"type":"step.completed","atMs":1795933161902,"item":3,"output":{"type":"pipeline.enter 0.1 parts","data":{"frame":"0/0@1","at":1,"visit":3}},"change":[[["visits"],3],[["session","rounds",0],1,"add"],[["session","done","open 1"],true,"add"],[["frames","0/0@1","outputs",0,0],{"function":"open","stepId":"0.0","content":"open 1 after 9 characters","endedAtMs":1795933161901,"duration":0.008},"add"],[["events",3],{"event":"StepStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.0","stepName":"open","stepIndex":[0,0],"parentStepId":"0","createdAt":1795933161,"createdAtMs":1795933161893,"eventIndex":4},"add"],[["events",4],{"event":"StepOutput","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.0","stepName":"open","stepIndex":[0,0],"parentStepId":"0","content":"open 1 after 9 characters","success":true,"error":null,"stop":false,"createdAt":1795933161,"createdAtMs":1795933161902,"eventIndex":5},"add"],[["events",5],{"event":"StepCompleted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.0","stepName":"open","stepIndex":[0,0],"parentStepId":"0","content":"open 1 after 9 characters","success":true,"createdAt":1795933161,"createdAtMs":1795933161902,"eventIndex":6},"add"]],"shown":[{"type":"pipeline.shown","data":{"afterMs":1},"same":{"output":3}}]}]');
CREATE TABLE events (
    run INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  ) STRICT;
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 0, 1795933161891, '{"event":{"type":"pipeline.shown","data":{"name":"WorkflowStarted","data":{"createdAtMs":1795933161890}}},"writer":"1"}');
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
INSERT INTO "blobs" (id, hash, text) VALUES (1, '643bcba4fd46ddcff39efc130d45045d440c440998bc5dbaedfa667ae3d247a2', '{"workflows":[{"definition":{"workflow":"orders","steps":[{"name":"begin","trigger":{"kind":"event","accepts":["pipeline.start"]},"workers":4,"emits":["pipeline.enter 0 rounds"],"fanOut":null,"waits":[],"streams":["pipeline.shown","pipeline.question"]},{"name":"rounds","trigger":{"kind":"event","accepts":["pipeline.enter 0 rounds"]},"workers":1000,"emits":["pipeline.enter 0.0 open","pipeline.enter 1 counted","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"rounds: again","trigger":{"kind":"event","accepts":["pipeline.again 0 rounds"]},"workers":1000,"emits":["pipeline.enter 0.0 open","pipeline.enter 1 counted","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"open","trigger":{"kind":"event","accepts":["pipeline.enter 0.0 open"]},"workers":1000,"emits":["pipeline.enter 0.1 parts","pipeline.again 0 rounds"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"parts","trigger":{"kind":"event","accepts":["pipeline.enter 0.1 parts"]},"workers":1000,"emits":["pipeline.enter 0.1.0 bread","pipeline.enter 0.1.1 drinks","pipeline.gather 0.1 parts","pipeline.enter 0.2 close","pipeline.again 0 rounds"],"fanOut":{"elements":["pipeline.enter 0.1.0 bread","pipeline.enter 0.1.1 drinks","pipeline.gather 0.1 parts"],"alone":["pipeline.enter 0.2 close","pipeline.again 0 rounds"],"collects":["parts: gather"],"joins":[]},"waits":[],"streams":["pipeline.shown"]},{"name":"parts: gather","trigger":{"kind":"collect","accepts":["pipeline.gather 0.1 parts"],"of":"parts","take":null,"rest":"finish","order":"emitted","settle":false},"workers":1000,"emits":["pipeline.enter 0.2 close","pipeline.again 0 rounds"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"bread","trigger":{"kind":"event","accepts":["pipeline.enter 0.1.0 bread"]},"workers":1000,"emits":["pipeline.gather 0.1 parts"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"drinks","trigger":{"kind":"event","accepts":["pipeline.enter 0.1.1 drinks"]},"workers":1000,"emits":["pipeline.finish","pipeline.gather 0.1 parts"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"close","trigger":{"kind":"event","accepts":["pipeline.enter 0.2 close"]},"workers":1000,"emits":["pipeline.again 0 rounds"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"counted","trigger":{"kind":"event","accepts":["pipeline.enter 1 counted"]},"workers":1000,"emits":["pipeline.enter 1.0 complete","pipeline.enter 1.1 incomplete","pipeline.enter 2 way","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"complete","trigger":{"kind":"event","accepts":["pipeline.enter 1.0 complete"]},"workers":1000,"emits":["pipeline.enter 2 way","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"incomplete","trigger":{"kind":"event","accepts":["pipeline.enter 1.1 incomplete"]},"workers":1000,"emits":["pipeline.enter 2 way","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"way","trigger":{"kind":"event","accepts":["pipeline.enter 2 way"]},"workers":1000,"emits":["pipeline.enter 2.0 express","pipeline.enter 2.1 standard","pipeline.enter 3 send","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"express","trigger":{"kind":"event","accepts":["pipeline.enter 2.0 express"]},"workers":1000,"emits":["pipeline.enter 2.0 express","pipeline.enter 2.1 standard","pipeline.enter 3 send","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"standard","trigger":{"kind":"event","accepts":["pipeline.enter 2.1 standard"]},"workers":1000,"emits":["pipeline.enter 2.0 express","pipeline.enter 2.1 standard","pipeline.enter 3 send","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"send","trigger":{"kind":"event","accepts":["pipeline.enter 3 send"]},"workers":1000,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"finish","trigger":{"kind":"event","accepts":["pipeline.finish"]},"workers":4,"emits":["StopEvent","pipeline.finish","pipeline.enter 0 rounds","pipeline.again 0 rounds","pipeline.enter 0.0 open","pipeline.enter 0.1 parts","pipeline.enter 0.1.0 bread","pipeline.enter 0.1.1 drinks","pipeline.enter 0.2 close","pipeline.enter 1 counted","pipeline.enter 1.0 complete","pipeline.enter 1.1 incomplete","pipeline.enter 2 way","pipeline.enter 2.0 express","pipeline.enter 2.1 standard","pipeline.enter 3 send"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"cancel","trigger":{"kind":"event","accepts":["pipeline.cancel"]},"workers":4,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"caught","trigger":{"kind":"failure","steps":null,"maxRecoveries":1000000},"workers":1,"emits":["pipeline.enter 1 counted","pipeline.finish","pipeline.enter 0 rounds","pipeline.again 0 rounds","pipeline.enter 0.1 parts","pipeline.enter 0.0 open","pipeline.enter 0.2 close","pipeline.gather 0.1 parts","pipeline.enter 0.1.0 bread","pipeline.enter 0.1.1 drinks","pipeline.enter 2 way","pipeline.enter 1.0 complete","pipeline.enter 1.1 incomplete","pipeline.enter 3 send","pipeline.enter 2.0 express","pipeline.enter 2.1 standard"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]}],"roles":{"pipeline.start":"start","pipeline.enter 0 rounds":"event","pipeline.shown":"event","pipeline.question":"inputRequired","pipeline.enter 0.0 open":"event","pipeline.enter 1 counted":"event","pipeline.finish":"event","pipeline.again 0 rounds":"event","pipeline.enter 0.1 parts":"event","pipeline.enter 0.1.0 bread":"event","pipeline.enter 0.1.1 drinks":"event","pipeline.gather 0.1 parts":"event","pipeline.enter 0.2 close":"event","pipeline.enter 1.0 complete":"event","pipeline.enter 1.1 incomplete":"event","pipeline.enter 2 way":"event","pipeline.enter 2.0 express":"event","pipeline.enter 2.1 standard":"event","pipeline.enter 3 send":"event","StopEvent":"stop","pipeline.cancel":"external"},"inboxSize":1000},"stateVersion":1,"children":{"0.1.1":1}},{"definition":{"workflow":"drinks","steps":[{"name":"begin","trigger":{"kind":"event","accepts":["pipeline.start"]},"workers":4,"emits":["pipeline.enter 0 milk"],"fanOut":null,"waits":[],"streams":["pipeline.shown","pipeline.question"]},{"name":"milk","trigger":{"kind":"event","accepts":["pipeline.enter 0 milk"]},"workers":1000,"emits":["pipeline.enter 1 hot drinks","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"hot drinks","trigger":{"kind":"event","accepts":["pipeline.enter 1 hot drinks"]},"workers":1000,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"finish","trigger":{"kind":"event","accepts":["pipeline.finish"]},"workers":4,"emits":["StopEvent","pipeline.finish","pipeline.enter 0 milk","pipeline.enter 1 hot drinks"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"cancel","trigger":{"kind":"event","accepts":["pipeline.cancel"]},"workers":4,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"caught","trigger":{"kind":"failure","steps":null,"maxRecoveries":1000000},"workers":1,"emits":["pipeline.enter 1 hot drinks","pipeline.finish","pipeline.enter 0 milk"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]}],"roles":{"pipeline.start":"start","pipeline.enter 0 milk":"event","pipeline.shown":"event","pipeline.question":"inputRequired","pipeline.enter 1 hot drinks":"event","pipeline.finish":"event","StopEvent":"stop","pipeline.cancel":"external"},"inboxSize":1000},"stateVersion":1,"children":{"1":2}},{"definition":{"workflow":"hot","steps":[{"name":"begin","trigger":{"kind":"event","accepts":["pipeline.start"]},"workers":4,"emits":["pipeline.enter 0 tea"],"fanOut":null,"waits":[],"streams":["pipeline.shown","pipeline.question"]},{"name":"tea","trigger":{"kind":"event","accepts":["pipeline.enter 0 tea"]},"workers":1000,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"finish","trigger":{"kind":"event","accepts":["pipeline.finish"]},"workers":4,"emits":["StopEvent","pipeline.finish","pipeline.enter 0 tea"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"cancel","trigger":{"kind":"event","accepts":["pipeline.cancel"]},"workers":4,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"caught","trigger":{"kind":"failure","steps":null,"maxRecoveries":1000000},"workers":1,"emits":["pipeline.finish","pipeline.enter 0 tea"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]}],"roles":{"pipeline.start":"start","pipeline.enter 0 tea":"event","pipeline.shown":"event","pipeline.question":"inputRequired","pipeline.finish":"event","StopEvent":"stop","pipeline.cancel":"external"},"inboxSize":1000},"stateVersion":1,"children":{}}]}');
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
INSERT INTO "records" (tenant, kind, id, version, text) VALUES ('', 'session', 'shop', 1, '{"json":{"name":null,"metadata":{},"sessionId":"shop","userId":null,"pipelineId":"orders","pipelineName":"orders","state":{"edits":0,"done":{},"rounds":[]},"metrics":null,"runs":[{"runId":"order","pipelineId":"orders","status":"RUNNING","createdAtMs":1795933161890}],"createdAtMs":1795933161890,"updatedAtMs":1795933161890}}');
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
