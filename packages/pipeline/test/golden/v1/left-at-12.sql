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
    waiting TEXT,
    outcome TEXT
  ) STRICT;
INSERT INTO "runs" (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, ended_at, wake_at, posted_at, owner, lease_until, waiting, outcome) VALUES (1, '', 'order', 'orders', 'running', 1, 12, 1, 1795343028437, 1795343028478, NULL, 1795343028437, NULL, 'a41bc104-09b9-4c13-91be-737295a0b089', 1795343058437, NULL, NULL);
CREATE UNIQUE INDEX runs_key ON runs (tenant, run_id);
CREATE INDEX runs_status ON runs (tenant, status, created_at, id, ended_at, workflow);
CREATE INDEX runs_workflow ON runs (tenant, workflow, created_at);
CREATE INDEX runs_held ON runs (owner, lease_until) WHERE owner IS NOT NULL;
CREATE INDEX runs_due ON runs (wake_at) WHERE owner IS NULL AND ended_at IS NULL AND wake_at IS NOT NULL;
CREATE INDEX runs_posted ON runs (posted_at) WHERE owner IS NULL AND ended_at IS NULL AND posted_at IS NOT NULL;
CREATE INDEX runs_held_posted ON runs (owner) WHERE owner IS NOT NULL AND posted_at IS NOT NULL;
CREATE TABLE starts (
    run INTEGER PRIMARY KEY,
    code TEXT NOT NULL,
    start_at INTEGER NOT NULL,
    forked_run_id TEXT,
    forked_tick INTEGER,
    input TEXT NOT NULL
  ) STRICT;
INSERT INTO "starts" (run, code, start_at, forked_run_id, forked_tick, input) VALUES (1, '5ff09dfffdb715fb9992f3a7bc0d421bbaf1e74eda4ba6913271d0eca79ede06', 1795343028437, NULL, NULL, '{"type":"run.started","atMs":0,"event":{"type":"pipeline.start","data":{"request":{"input":"an order","additionalData":{},"media":{"images":[],"videos":[],"audio":[],"files":[]},"sessionId":"shop","userId":null,"dependencies":{},"metadata":{},"showsSteps":false,"showsExecutors":true,"nesting":null,"given":null}}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"session":"shop"},"store":{"json":{}}}');
CREATE TABLE labels (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    tenant TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "labels" (run, name, value, tenant, created_at) VALUES (1, 'session', 'shop', '', 1795343028437);
CREATE INDEX labels_value ON labels (tenant, name, value, created_at, run);
CREATE TABLE ticks (
    run INTEGER NOT NULL,
    last INTEGER NOT NULL,
    first INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, last)
  ) STRICT;
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 1, 1, 1795343028437, '[{"type":"run.started","atMs":1795343028437,"event":{"type":"pipeline.start","data":{"request":{"input":"an order","additionalData":{},"media":{"images":[],"videos":[],"audio":[],"files":[]},"sessionId":"shop","userId":null,"dependencies":{},"metadata":{},"showsSteps":false,"showsExecutors":true,"nesting":null,"given":null}}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"session":"shop"},"store":{"json":{}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 3, 2, 1795343028456, '[{"type":"stream.written","atMs":1795343028455,"item":1,"attempt":1,"event":{"type":"pipeline.shown","data":{"name":"WorkflowStarted","data":{"event":"WorkflowStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"createdAt":1795343028,"createdAtMs":1795343028455,"eventIndex":27}}},"origin":null,"promptId":null},{"type":"state.edited","atMs":1795343028456,"item":1,"attempt":1,"call":"edit=move","change":{"whole":true,"next":{"json":{"request":{"input":"an order","additionalData":{},"media":{"images":[],"videos":[],"audio":[],"files":[]},"sessionId":"shop","userId":null,"dependencies":{},"metadata":{},"showsSteps":false,"showsExecutors":true,"nesting":null},"history":[],"session":{"edits":0,"done":{},"rounds":[]},"sessionAtStart":{"edits":0,"done":{},"rounds":[]},"startedAtMs":1795343028455,"query":null,"agentRun":null,"failure":null,"frames":{"0":{"node":null,"parent":null,"at":0,"queue":[0,1,2,3],"names":["rounds","counted","way","send"],"branch":null,"outputs":[],"starts":[0]}},"talks":{},"answered":[],"spent":[],"events":[{"event":"WorkflowStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"createdAt":1795343028,"createdAtMs":1795343028455,"eventIndex":27}],"executorRuns":[],"visits":1,"moved":{"0":[{"to":"enter","node":"0","frame":"0","at":0,"visit":1,"from":0}]},"counted":{},"nested":{}}}},"value":{"json":null,"meta":["undefined"]}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 4, 4, 1795343028457, '[{"type":"step.completed","atMs":1795343028457,"item":1,"attempt":1,"output":{"type":"pipeline.enter 0 rounds","data":{"frame":"0","at":0,"visit":1,"from":0}},"sends":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 5, 5, 1795343028459, '[{"type":"state.edited","atMs":1795343028459,"item":2,"attempt":1,"call":"edit=move","change":{"patches":{"json":[{"op":"add","path":["frames","0/0@1"],"value":{"node":"0","parent":"0","at":0,"queue":[0,1,2],"names":["open","parts","close"],"branch":null,"outputs":[],"starts":[0]}},{"op":"add","path":["events",1],"value":{"event":"LoopExecutionStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0","stepName":"rounds","stepIndex":[0],"maxIterations":7,"createdAt":1795343028,"createdAtMs":1795343028458,"eventIndex":28}},{"op":"add","path":["events",2],"value":{"event":"LoopIterationStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0","stepName":"rounds","stepIndex":[0],"iteration":1,"maxIterations":7,"createdAt":1795343028,"createdAtMs":1795343028458,"eventIndex":29}},{"op":"replace","path":["visits"],"value":2},{"op":"replace","path":["moved"],"value":{"1":[{"to":"enter","node":"0.0","frame":"0/0@1","at":0,"visit":2,"from":1}]}}]}},"value":{"json":null,"meta":["undefined"]}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 6, 6, 1795343028459, '[{"type":"step.completed","atMs":1795343028459,"item":2,"attempt":1,"output":{"type":"pipeline.enter 0.0 open","data":{"frame":"0/0@1","at":0,"visit":2,"from":1}},"sends":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 7, 7, 1795343028464, '[{"type":"state.edited","atMs":1795343028464,"item":3,"attempt":1,"call":"edit:#0","change":{"patches":{"json":[{"op":"replace","path":["session","edits"],"value":1},{"op":"add","path":["counted","[\"edits\"]"],"value":true}]}},"value":{"json":null,"meta":["undefined"]}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 8, 8, 1795343028465, '[{"type":"stream.written","atMs":1795343028465,"item":3,"attempt":1,"event":{"type":"pipeline.shown","data":{"name":"StepOutput","data":{"event":"StepOutput","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.0","stepName":"open","stepIndex":[0,0],"parentStepId":"0","content":"open 1 after 9 characters","success":true,"error":null,"stop":false,"stepOutput":{"stepName":"open","stepId":"0.0","stepType":"Step","executorType":"function","executorName":"open","content":"open 1 after 9 characters","stepRunId":null,"metrics":{"inputTokens":0,"outputTokens":0,"totalTokens":0,"duration":0.005},"success":true,"endedAtMs":1795343028465,"error":null,"stop":false,"breakLoop":false,"skipped":false,"images":[],"videos":[],"audio":[],"files":[],"steps":[],"iterations":null},"createdAt":1795343028,"createdAtMs":1795343028465,"eventIndex":31}}},"origin":null,"promptId":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 9, 9, 1795343028475, '[{"type":"state.edited","atMs":1795343028475,"item":3,"attempt":1,"call":"edit=move","change":{"patches":{"json":[{"op":"add","path":["session","done","open 1"],"value":true},{"op":"add","path":["session","rounds",0],"value":1},{"op":"add","path":["frames","0/0@1","outputs",0],"value":{"stepName":"open","stepId":"0.0","stepType":"Step","executorType":"function","executorName":"open","content":"open 1 after 9 characters","stepRunId":null,"metrics":{"inputTokens":0,"outputTokens":0,"totalTokens":0,"duration":0.005},"success":true,"endedAtMs":1795343028465,"error":null,"stop":false,"breakLoop":false,"skipped":false,"images":[],"videos":[],"audio":[],"files":[],"steps":[],"iterations":null}},{"op":"add","path":["events",3],"value":{"event":"StepStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.0","stepName":"open","stepIndex":[0,0],"parentStepId":"0","createdAt":1795343028,"createdAtMs":1795343028460,"eventIndex":30}},{"op":"add","path":["events",4],"value":{"event":"StepOutput","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.0","stepName":"open","stepIndex":[0,0],"parentStepId":"0","content":"open 1 after 9 characters","success":true,"error":null,"stop":false,"createdAt":1795343028,"createdAtMs":1795343028465,"eventIndex":31}},{"op":"add","path":["events",5],"value":{"event":"StepCompleted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.0","stepName":"open","stepIndex":[0,0],"parentStepId":"0","content":"open 1 after 9 characters","success":true,"createdAt":1795343028,"createdAtMs":1795343028465,"eventIndex":32}},{"op":"replace","path":["visits"],"value":3},{"op":"replace","path":["moved"],"value":{"2":[{"to":"enter","node":"0.1","frame":"0/0@1","at":1,"visit":3,"from":2}]}}]}},"value":{"json":null,"meta":["undefined"]}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 10, 10, 1795343028477, '[{"type":"step.completed","atMs":1795343028477,"item":3,"attempt":1,"output":{"type":"pipeline.enter 0.1 parts","data":{"frame":"0/0@1","at":1,"visit":3,"from":2}},"sends":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 11, 11, 1795343028477, '[{"type":"state.edited","atMs":1795343028477,"item":4,"attempt":1,"call":"edit=move","change":{"patches":{"json":[{"op":"add","path":["frames","0/0@1/1@3"],"value":{"node":"0.1","parent":"0/0@1","at":1,"queue":[0,1],"names":["bread","drinks"],"branch":null,"outputs":[null,null],"starts":[0]}},{"op":"add","path":["events",6],"value":{"event":"ParallelExecutionStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.1","stepName":"parts","stepIndex":[0,1],"parentStepId":"0","parallelStepCount":2,"createdAt":1795343028,"createdAtMs":1795343028477,"eventIndex":33}},{"op":"replace","path":["visits"],"value":5},{"op":"replace","path":["moved"],"value":{"3":[{"to":"enter","node":"0.1.0","frame":"0/0@1/1@3","at":0,"visit":4,"from":3},{"to":"enter","node":"0.1.1","frame":"0/0@1/1@3","at":1,"visit":5,"from":3}]}}]}},"value":{"json":null,"meta":["undefined"]}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 12, 12, 1795343028478, '[{"type":"step.completed","atMs":1795343028478,"item":4,"attempt":1,"output":[{"type":"pipeline.enter 0.1.0 bread","data":{"frame":"0/0@1/1@3","at":0,"visit":4,"from":3}},{"type":"pipeline.enter 0.1.1 drinks","data":{"frame":"0/0@1/1@3","at":1,"visit":5,"from":3}}],"sends":null}]');
CREATE TABLE events (
    run INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  ) STRICT;
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 0, 1795343028456, '{"type":"stream.written","atMs":0,"item":null,"attempt":0,"event":{"type":"pipeline.shown","data":{"name":"WorkflowStarted","data":{"event":"WorkflowStarted","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"createdAt":1795343028,"createdAtMs":1795343028455,"eventIndex":27}}},"origin":null,"promptId":null}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 1, 1795343028465, '{"type":"stream.written","atMs":0,"item":null,"attempt":0,"event":{"type":"pipeline.shown","data":{"name":"StepOutput","data":{"event":"StepOutput","runId":"order","pipelineRunId":"order","pipelineId":"orders","pipelineName":"orders","sessionId":"shop","nestedDepth":0,"stepId":"0.0","stepName":"open","stepIndex":[0,0],"parentStepId":"0","content":"open 1 after 9 characters","success":true,"error":null,"stop":false,"stepOutput":{"stepName":"open","stepId":"0.0","stepType":"Step","executorType":"function","executorName":"open","content":"open 1 after 9 characters","stepRunId":null,"metrics":{"inputTokens":0,"outputTokens":0,"totalTokens":0,"duration":0.005},"success":true,"endedAtMs":1795343028465,"error":null,"stop":false,"breakLoop":false,"skipped":false,"images":[],"videos":[],"audio":[],"files":[],"steps":[],"iterations":null},"createdAt":1795343028,"createdAtMs":1795343028465,"eventIndex":31}}},"origin":null,"promptId":null}');
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
INSERT INTO "blobs" (id, hash, text) VALUES (1, '5ff09dfffdb715fb9992f3a7bc0d421bbaf1e74eda4ba6913271d0eca79ede06', '{"workflows":[{"definition":{"workflow":"orders","steps":[{"name":"begin","trigger":{"kind":"event","accepts":["pipeline.start"]},"workers":4,"emits":["pipeline.enter 0 rounds"],"fanOut":null,"waits":[],"streams":["pipeline.shown","pipeline.question"]},{"name":"rounds","trigger":{"kind":"event","accepts":["pipeline.enter 0 rounds"]},"workers":1000,"emits":["pipeline.enter 0.0 open","pipeline.enter 0.1 parts","pipeline.enter 0.2 close","pipeline.enter 1 counted","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"rounds: again","trigger":{"kind":"event","accepts":["pipeline.again 0 rounds"]},"workers":1000,"emits":["pipeline.enter 0.0 open","pipeline.enter 1 counted","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"open","trigger":{"kind":"event","accepts":["pipeline.enter 0.0 open"]},"workers":1000,"emits":["pipeline.enter 0.1 parts","pipeline.again 0 rounds"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"parts","trigger":{"kind":"event","accepts":["pipeline.enter 0.1 parts"]},"workers":1000,"emits":["pipeline.enter 0.1.0 bread","pipeline.enter 0.1.1 drinks","pipeline.gather 0.1 parts","pipeline.enter 0.2 close","pipeline.again 0 rounds"],"fanOut":{"elements":["pipeline.enter 0.1.0 bread","pipeline.enter 0.1.1 drinks","pipeline.gather 0.1 parts"],"alone":["pipeline.enter 0.2 close","pipeline.again 0 rounds"],"collects":["parts: gather"],"joins":[]},"waits":[],"streams":["pipeline.shown"]},{"name":"parts: gather","trigger":{"kind":"collect","accepts":["pipeline.gather 0.1 parts"],"of":"parts","take":null,"rest":"finish","order":"emitted","settle":false},"workers":1000,"emits":["pipeline.enter 0.2 close","pipeline.again 0 rounds"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"bread","trigger":{"kind":"event","accepts":["pipeline.enter 0.1.0 bread"]},"workers":1000,"emits":["pipeline.gather 0.1 parts"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"drinks","trigger":{"kind":"event","accepts":["pipeline.enter 0.1.1 drinks"]},"workers":1000,"emits":["pipeline.finish","pipeline.gather 0.1 parts"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"close","trigger":{"kind":"event","accepts":["pipeline.enter 0.2 close"]},"workers":1000,"emits":["pipeline.again 0 rounds"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"counted","trigger":{"kind":"event","accepts":["pipeline.enter 1 counted"]},"workers":1000,"emits":["pipeline.enter 1.0 complete","pipeline.enter 1.1 incomplete","pipeline.enter 2 way","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"complete","trigger":{"kind":"event","accepts":["pipeline.enter 1.0 complete"]},"workers":1000,"emits":["pipeline.enter 1.1 incomplete","pipeline.enter 2 way","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"incomplete","trigger":{"kind":"event","accepts":["pipeline.enter 1.1 incomplete"]},"workers":1000,"emits":["pipeline.enter 2 way","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"way","trigger":{"kind":"event","accepts":["pipeline.enter 2 way"]},"workers":1000,"emits":["pipeline.enter 2.0 express","pipeline.enter 2.1 standard","pipeline.enter 3 send","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"express","trigger":{"kind":"event","accepts":["pipeline.enter 2.0 express"]},"workers":1000,"emits":["pipeline.enter 2.0 express","pipeline.enter 2.1 standard","pipeline.enter 3 send","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"standard","trigger":{"kind":"event","accepts":["pipeline.enter 2.1 standard"]},"workers":1000,"emits":["pipeline.enter 2.0 express","pipeline.enter 2.1 standard","pipeline.enter 3 send","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"send","trigger":{"kind":"event","accepts":["pipeline.enter 3 send"]},"workers":1000,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"finish","trigger":{"kind":"event","accepts":["pipeline.finish"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"cancel","trigger":{"kind":"event","accepts":["pipeline.cancel"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"caught","trigger":{"kind":"failure","steps":null,"maxRecoveries":1000000},"workers":1,"emits":["pipeline.enter 1 counted","pipeline.finish","pipeline.enter 0.1 parts","pipeline.again 0 rounds","pipeline.enter 0.2 close","pipeline.gather 0.1 parts","pipeline.enter 2 way","pipeline.enter 1.1 incomplete","pipeline.enter 3 send","pipeline.enter 2.0 express","pipeline.enter 2.1 standard"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]}],"roles":{"pipeline.start":"start","pipeline.enter 0 rounds":"event","pipeline.shown":"event","pipeline.question":"inputRequired","pipeline.enter 0.0 open":"event","pipeline.enter 0.1 parts":"event","pipeline.enter 0.2 close":"event","pipeline.enter 1 counted":"event","pipeline.finish":"event","pipeline.again 0 rounds":"event","pipeline.enter 0.1.0 bread":"event","pipeline.enter 0.1.1 drinks":"event","pipeline.gather 0.1 parts":"event","pipeline.enter 1.0 complete":"event","pipeline.enter 1.1 incomplete":"event","pipeline.enter 2 way":"event","pipeline.enter 2.0 express":"event","pipeline.enter 2.1 standard":"event","pipeline.enter 3 send":"event","StopEvent":"stop","pipeline.cancel":"external"},"inboxSize":1000},"stateVersion":1,"children":{"0.1.1":1}},{"definition":{"workflow":"drinks","steps":[{"name":"begin","trigger":{"kind":"event","accepts":["pipeline.start"]},"workers":4,"emits":["pipeline.enter 0 milk"],"fanOut":null,"waits":[],"streams":["pipeline.shown","pipeline.question"]},{"name":"milk","trigger":{"kind":"event","accepts":["pipeline.enter 0 milk"]},"workers":1000,"emits":["pipeline.enter 1 hot drinks","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"hot drinks","trigger":{"kind":"event","accepts":["pipeline.enter 1 hot drinks"]},"workers":1000,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"finish","trigger":{"kind":"event","accepts":["pipeline.finish"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"cancel","trigger":{"kind":"event","accepts":["pipeline.cancel"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"caught","trigger":{"kind":"failure","steps":null,"maxRecoveries":1000000},"workers":1,"emits":["pipeline.enter 1 hot drinks","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]}],"roles":{"pipeline.start":"start","pipeline.enter 0 milk":"event","pipeline.shown":"event","pipeline.question":"inputRequired","pipeline.enter 1 hot drinks":"event","pipeline.finish":"event","StopEvent":"stop","pipeline.cancel":"external"},"inboxSize":1000},"stateVersion":1,"children":{"1":2}},{"definition":{"workflow":"hot","steps":[{"name":"begin","trigger":{"kind":"event","accepts":["pipeline.start"]},"workers":4,"emits":["pipeline.enter 0 tea"],"fanOut":null,"waits":[],"streams":["pipeline.shown","pipeline.question"]},{"name":"tea","trigger":{"kind":"event","accepts":["pipeline.enter 0 tea"]},"workers":1000,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"finish","trigger":{"kind":"event","accepts":["pipeline.finish"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"cancel","trigger":{"kind":"event","accepts":["pipeline.cancel"]},"workers":4,"emits":["StopEvent"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"caught","trigger":{"kind":"failure","steps":null,"maxRecoveries":1000000},"workers":1,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]}],"roles":{"pipeline.start":"start","pipeline.enter 0 tea":"event","pipeline.shown":"event","pipeline.question":"inputRequired","pipeline.finish":"event","StopEvent":"stop","pipeline.cancel":"external"},"inboxSize":1000},"stateVersion":1,"children":{}}]}');
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
INSERT INTO "records" (tenant, kind, id, version, text) VALUES ('', 'session', 'shop', 1, '{"json":{"name":null,"metadata":{},"sessionId":"shop","userId":null,"pipelineId":"orders","pipelineName":"orders","state":{"edits":0,"done":{},"rounds":[]},"metrics":null,"runs":[{"runId":"order","pipelineId":"orders","status":"RUNNING","createdAtMs":1795343028455}],"createdAtMs":1795343028457,"updatedAtMs":1795343028457}}');
CREATE TABLE owners (
    owner TEXT PRIMARY KEY,
    machine TEXT NOT NULL,
    pid INTEGER NOT NULL,
    started TEXT
  ) STRICT, WITHOUT ROWID;
