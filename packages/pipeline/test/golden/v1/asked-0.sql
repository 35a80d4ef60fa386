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
INSERT INTO "runs" (id, tenant, run_id, workflow, status, epoch, ticks, last_event, created_at, updated_at, ended_at, wake_at, posted_at, owner, lease_until, queue, queue_key, priority, queued_at, place, rate_counted, waiting, outcome) VALUES (1, '', 'reviewed', 'reviewed', 'waiting', 1, 5, 3, 1795933160493, 1795933160545, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, '[{"runId":"reviewed","step":"confirmed: ask","askedAtMs":1795933160544,"dueAtMs":null,"answerType":"pipeline.answer","shown":{"type":"stream.written","atMs":0,"item":null,"attempt":0,"event":{"type":"pipeline.question","data":{"requirement":{"kind":"confirmation","stepId":"1","stepName":"confirmed","stepIndex":[1],"stepType":"Step","message":"Execute step ''confirmed''?","fields":[],"choices":[],"output":null,"tools":[],"error":null,"allowMultipleSelections":false,"retryCount":0,"maxRetries":3,"onReject":"skip","askedAtMs":1795933160538,"timeoutAtMs":null,"onTimeout":"cancel"},"problems":[]}},"origin":null,"promptId":"reviewed:4"}}]', NULL);
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
INSERT INTO "starts" (run, code, start_at, forked_run_id, forked_tick, input) VALUES (1, '557cb3bd5402a1c8045ddeca0d4248c6cfddcfa8f46eeb7e13405c1d869610a9', 1795933160493, NULL, NULL, '{"type":"run.started","atMs":0,"event":{"type":"pipeline.start","data":{"request":{"input":{"topic":"rivers"},"additionalData":{"order":{"id":17}},"media":{"images":[{"kind":"image","id":"picture","url":"https://example.com/a.png"}],"videos":[],"audio":[],"files":[]},"sessionId":"s","userId":"ada","dependencies":{"database":{"name":"main"}},"metadata":{"source":"test"},"showsSteps":false,"showsExecutors":true,"nesting":null,"given":{"given":true}}}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"session":"s","user":"ada"},"store":{"json":{}}}');
CREATE TABLE labels (
    run INTEGER NOT NULL,
    name TEXT NOT NULL,
    value TEXT NOT NULL,
    tenant TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (run, name)
  ) STRICT, WITHOUT ROWID;
INSERT INTO "labels" (run, name, value, tenant, created_at) VALUES (1, 'session', 's', '', 1795933160493);
INSERT INTO "labels" (run, name, value, tenant, created_at) VALUES (1, 'user', 'ada', '', 1795933160493);
CREATE INDEX labels_value ON labels (tenant, name, value, created_at, run);
CREATE TABLE ticks (
    run INTEGER NOT NULL,
    last INTEGER NOT NULL,
    first INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, last)
  ) STRICT;
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 1, 1, 1795933160493, '[{"type":"run.started","atMs":1795933160493,"event":{"type":"pipeline.start","data":{"request":{"input":{"topic":"rivers"},"additionalData":{"order":{"id":17}},"media":{"images":[{"kind":"image","id":"picture","url":"https://example.com/a.png"}],"videos":[],"audio":[],"files":[]},"sessionId":"s","userId":"ada","dependencies":{"database":{"name":"main"}},"metadata":{"source":"test"},"showsSteps":false,"showsExecutors":true,"nesting":null,"given":{"given":true}}}},"timeoutMs":null,"deadlineMs":null,"lineage":null,"labels":{"session":"s","user":"ada"},"store":{"json":{}}}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 2, 2, 1795933160520, '[{"type":"step.completed","atMs":1795933160520,"item":1,"output":{"type":"pipeline.enter 0 begin","data":{"frame":"0","at":0,"visit":1}},"change":{"whole":true,"next":{"json":{"request":{"input":{"topic":"rivers"},"additionalData":{"order":{"id":17}},"media":{"images":[{"kind":"image","id":"picture","url":"https://example.com/a.png"}],"videos":[],"audio":[],"files":[]},"sessionId":"s","userId":"ada","dependencies":{"database":{"name":"main"}},"metadata":{"source":"test"},"showsSteps":false,"showsExecutors":true,"nesting":null},"startedAtMs":1795933160503,"history":[],"session":{"given":true},"sessionAtStart":{},"lists":{},"query":null,"agentRun":null,"failure":null,"frames":{"0":{"node":null,"parent":null,"at":0,"queue":[0,1,2,3,4,5,6,7,8,9],"names":["begin","confirmed","fields","route","looked at","loop","if","bad","Inner","told"],"branch":null,"outputs":[[]],"starts":[[0]]}},"reviews":{},"answered":[],"discarded":[],"events":[],"executorRuns":[],"visits":1,"counted":{},"nested":{}}}},"shown":[{"type":"pipeline.shown","data":{"name":"WorkflowStarted","data":{"createdAtMs":1795933160509}}}],"elapsedMs":19}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 3, 3, 1795933160542, '[{"type":"step.completed","atMs":1795933160542,"item":2,"output":{"type":"pipeline.ask 1 confirmed","data":{"frame":"0","at":1,"visit":2}},"change":[[["visits"],2],[["session","begun"],["before the first question"],"add"],[["reviews","0:1"],{"question":{"kind":"confirmation","stepId":"1","stepName":"confirmed","stepIndex":[1],"stepType":"Step","message":"Execute step ''confirmed''?","fields":[],"choices":[],"output":null,"tools":[],"error":null,"allowMultipleSelections":false,"retryCount":0,"maxRetries":3,"onReject":"skip","askedAtMs":1795933160538,"timeoutAtMs":null,"onTimeout":"cancel"},"isConfirmed":false,"userInput":null,"selected":null,"usesElseBranch":false,"output":null,"paused":null,"feedback":null,"retryCount":0},"add"],[["frames","0","outputs",0,0],{"function":"begin","stepId":"0","content":"begun","endedAtMs":1795933160537,"files":[{"kind":"file","id":"made"}],"duration":0.001},"add"]],"shown":[{"type":"pipeline.shown","data":{"afterMs":2},"same":{"output":3}},{"type":"pipeline.shown","data":{"name":"StepPaused","data":{"stepId":"1","stepName":"confirmed","stepIndex":[1],"requirement":{"kind":"confirmation","stepId":"1","stepName":"confirmed","stepIndex":[1],"stepType":"Step","message":"Execute step ''confirmed''?","fields":[],"choices":[],"output":null,"tools":[],"error":null,"allowMultipleSelections":false,"retryCount":0,"maxRetries":3,"onReject":"skip","askedAtMs":1795933160538,"timeoutAtMs":null,"onTimeout":"cancel"},"createdAtMs":1795933160540}}}],"elapsedMs":20}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 4, 4, 1795933160544, '[{"type":"wait.opened","atMs":1795933160544,"item":3,"attempt":1,"call":"wait=ask 0","accepts":["pipeline.answer"],"where":null,"prompt":{"type":"pipeline.question","data":{"requirement":{"kind":"confirmation","stepId":"1","stepName":"confirmed","stepIndex":[1],"stepType":"Step","message":"Execute step ''confirmed''?","fields":[],"choices":[],"output":null,"tools":[],"error":null,"allowMultipleSelections":false,"retryCount":0,"maxRetries":3,"onReject":"skip","askedAtMs":1795933160538,"timeoutAtMs":null,"onTimeout":"cancel"},"problems":[]}},"dueAtMs":null}]');
INSERT INTO "ticks" (run, last, first, at_ms, text) VALUES (1, 5, 5, 1795933160545, '[{"type":"run.idled","atMs":1795933160545}]');
CREATE TABLE events (
    run INTEGER NOT NULL,
    sequence INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (run, sequence)
  ) STRICT;
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 0, 1795933160520, '{"event":{"type":"pipeline.shown","data":{"name":"WorkflowStarted","data":{"createdAtMs":1795933160509}}},"writer":"1"}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 1, 1795933160542, '{"event":{"type":"pipeline.shown","data":{"output":{"function":"begin","stepId":"0","content":"begun","endedAtMs":1795933160537,"files":[{"kind":"file","id":"made"}],"duration":0.001},"afterMs":2}},"writer":"2"}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 2, 1795933160542, '{"event":{"type":"pipeline.shown","data":{"name":"StepPaused","data":{"stepId":"1","stepName":"confirmed","stepIndex":[1],"requirement":{"kind":"confirmation","stepId":"1","stepName":"confirmed","stepIndex":[1],"stepType":"Step","message":"Execute step ''confirmed''?","fields":[],"choices":[],"output":null,"tools":[],"error":null,"allowMultipleSelections":false,"retryCount":0,"maxRetries":3,"onReject":"skip","askedAtMs":1795933160538,"timeoutAtMs":null,"onTimeout":"cancel"},"createdAtMs":1795933160540}}},"writer":"2"}');
INSERT INTO "events" (run, sequence, at_ms, text) VALUES (1, 3, 1795933160544, '{"event":{"type":"pipeline.question","data":{"requirement":{"kind":"confirmation","stepId":"1","stepName":"confirmed","stepIndex":[1],"stepType":"Step","message":"Execute step ''confirmed''?","fields":[],"choices":[],"output":null,"tools":[],"error":null,"allowMultipleSelections":false,"retryCount":0,"maxRetries":3,"onReject":"skip","askedAtMs":1795933160538,"timeoutAtMs":null,"onTimeout":"cancel"},"problems":[]}},"promptId":"reviewed:4"}');
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
INSERT INTO "blobs" (id, hash, text) VALUES (1, '557cb3bd5402a1c8045ddeca0d4248c6cfddcfa8f46eeb7e13405c1d869610a9', '{"workflows":[{"definition":{"workflow":"reviewed","steps":[{"name":"begin","trigger":{"kind":"event","accepts":["pipeline.start"]},"workers":4,"emits":["pipeline.enter 0 begin"],"fanOut":null,"waits":[],"streams":["pipeline.shown","pipeline.question"]},{"name":"begin (0)","trigger":{"kind":"event","accepts":["pipeline.enter 0 begin"]},"workers":1000,"emits":["pipeline.ask 1 confirmed","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"confirmed","trigger":{"kind":"event","accepts":["pipeline.enter 1 confirmed"]},"workers":1000,"emits":["pipeline.ask 1 confirmed","pipeline.ask 2 fields","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"confirmed: ask","trigger":{"kind":"event","accepts":["pipeline.ask 1 confirmed"]},"workers":1000,"emits":["pipeline.enter 1 confirmed","pipeline.ask 1 confirmed","pipeline.ask 2 fields","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"fields","trigger":{"kind":"event","accepts":["pipeline.enter 2 fields"]},"workers":1000,"emits":["pipeline.ask 2 fields","pipeline.ask 3 route","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"fields: ask","trigger":{"kind":"event","accepts":["pipeline.ask 2 fields"]},"workers":1000,"emits":["pipeline.enter 2 fields","pipeline.ask 2 fields","pipeline.ask 3 route","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"route","trigger":{"kind":"event","accepts":["pipeline.enter 3 route"]},"workers":1000,"emits":["pipeline.enter 3.0 x","pipeline.enter 3.1 y","pipeline.ask 3 route","pipeline.enter 4 looked at","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"route: ask","trigger":{"kind":"event","accepts":["pipeline.ask 3 route"]},"workers":1000,"emits":["pipeline.enter 3 route","pipeline.ask 3 route","pipeline.enter 4 looked at","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"x","trigger":{"kind":"event","accepts":["pipeline.enter 3.0 x"]},"workers":1000,"emits":["pipeline.enter 3.0 x","pipeline.enter 3.1 y","pipeline.enter 4 looked at","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"y","trigger":{"kind":"event","accepts":["pipeline.enter 3.1 y"]},"workers":1000,"emits":["pipeline.enter 3.0 x","pipeline.enter 3.1 y","pipeline.enter 4 looked at","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"looked at","trigger":{"kind":"event","accepts":["pipeline.enter 4 looked at"]},"workers":1000,"emits":["pipeline.ask 4 looked at","pipeline.enter 5 loop","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"looked at: ask","trigger":{"kind":"event","accepts":["pipeline.ask 4 looked at"]},"workers":1000,"emits":["pipeline.enter 4 looked at","pipeline.ask 4 looked at","pipeline.enter 5 loop","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"loop","trigger":{"kind":"event","accepts":["pipeline.enter 5 loop"]},"workers":1000,"emits":["pipeline.enter 5.0 both","pipeline.ask 5 loop","pipeline.ask 6 if","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"loop: ask","trigger":{"kind":"event","accepts":["pipeline.ask 5 loop"]},"workers":1000,"emits":["pipeline.enter 5 loop","pipeline.enter 5.0 both","pipeline.ask 5 loop","pipeline.ask 6 if","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"loop: again","trigger":{"kind":"event","accepts":["pipeline.again 5 loop"]},"workers":1000,"emits":["pipeline.enter 5.0 both","pipeline.ask 5 loop","pipeline.ask 6 if","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"both","trigger":{"kind":"event","accepts":["pipeline.enter 5.0 both"]},"workers":1000,"emits":["pipeline.ask 5.0.0 group","pipeline.enter 5.0.1 agent","pipeline.gather 5.0 both","pipeline.again 5 loop"],"fanOut":{"elements":["pipeline.ask 5.0.0 group","pipeline.enter 5.0.1 agent","pipeline.gather 5.0 both"],"alone":["pipeline.again 5 loop"],"collects":["both: gather"],"joins":[]},"waits":[],"streams":["pipeline.shown"]},{"name":"both: gather","trigger":{"kind":"collect","accepts":["pipeline.gather 5.0 both"],"of":"both","take":null,"rest":"finish","order":"emitted","settle":false},"workers":1000,"emits":["pipeline.again 5 loop"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"group","trigger":{"kind":"event","accepts":["pipeline.enter 5.0.0 group"]},"workers":1000,"emits":["pipeline.enter 5.0.0.0 p","pipeline.ask 5.0.0 group","pipeline.gather 5.0 both"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"group: ask","trigger":{"kind":"event","accepts":["pipeline.ask 5.0.0 group"]},"workers":1000,"emits":["pipeline.enter 5.0.0 group","pipeline.ask 5.0.0 group","pipeline.gather 5.0 both","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"p","trigger":{"kind":"event","accepts":["pipeline.enter 5.0.0.0 p"]},"workers":1000,"emits":["pipeline.gather 5.0 both"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"agent","trigger":{"kind":"event","accepts":["pipeline.enter 5.0.1 agent"]},"workers":1000,"emits":["pipeline.gather 5.0 both"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"if","trigger":{"kind":"event","accepts":["pipeline.enter 6 if"]},"workers":1000,"emits":["pipeline.enter 6.0 yes","pipeline.enter 6.1 no","pipeline.ask 6 if","pipeline.enter 7 bad","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"if: ask","trigger":{"kind":"event","accepts":["pipeline.ask 6 if"]},"workers":1000,"emits":["pipeline.enter 6 if","pipeline.ask 6 if","pipeline.enter 7 bad","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"yes","trigger":{"kind":"event","accepts":["pipeline.enter 6.0 yes"]},"workers":1000,"emits":["pipeline.enter 7 bad","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"no","trigger":{"kind":"event","accepts":["pipeline.enter 6.1 no"]},"workers":1000,"emits":["pipeline.enter 7 bad","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"bad","trigger":{"kind":"event","accepts":["pipeline.enter 7 bad"]},"workers":1000,"emits":["pipeline.ask 7 bad","pipeline.enter 8 Inner","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"bad: ask","trigger":{"kind":"event","accepts":["pipeline.ask 7 bad"]},"workers":1000,"emits":["pipeline.enter 7 bad","pipeline.ask 7 bad","pipeline.enter 8 Inner","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"Inner","trigger":{"kind":"event","accepts":["pipeline.enter 8 Inner"]},"workers":1000,"emits":["pipeline.finish","pipeline.enter 9 told"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"told","trigger":{"kind":"event","accepts":["pipeline.enter 9 told"]},"workers":1000,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"finish","trigger":{"kind":"event","accepts":["pipeline.finish"]},"workers":4,"emits":["StopEvent","pipeline.finish","pipeline.enter 0 begin","pipeline.enter 1 confirmed","pipeline.ask 1 confirmed","pipeline.enter 2 fields","pipeline.ask 2 fields","pipeline.enter 3 route","pipeline.ask 3 route","pipeline.enter 3.0 x","pipeline.enter 3.1 y","pipeline.enter 4 looked at","pipeline.ask 4 looked at","pipeline.enter 5 loop","pipeline.ask 5 loop","pipeline.again 5 loop","pipeline.enter 5.0 both","pipeline.enter 5.0.0 group","pipeline.ask 5.0.0 group","pipeline.enter 5.0.0.0 p","pipeline.enter 5.0.1 agent","pipeline.enter 6 if","pipeline.ask 6 if","pipeline.enter 6.0 yes","pipeline.enter 6.1 no","pipeline.enter 7 bad","pipeline.ask 7 bad","pipeline.enter 8 Inner","pipeline.enter 9 told"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"cancel","trigger":{"kind":"event","accepts":["pipeline.cancel"]},"workers":4,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"caught","trigger":{"kind":"failure","steps":null,"maxRecoveries":1000000},"workers":1,"emits":["pipeline.ask 1 confirmed","pipeline.finish","pipeline.enter 0 begin","pipeline.ask 2 fields","pipeline.enter 1 confirmed","pipeline.ask 3 route","pipeline.enter 2 fields","pipeline.enter 4 looked at","pipeline.enter 3 route","pipeline.enter 3.0 x","pipeline.enter 3.1 y","pipeline.ask 4 looked at","pipeline.enter 5 loop","pipeline.ask 5 loop","pipeline.ask 6 if","pipeline.again 5 loop","pipeline.enter 5.0 both","pipeline.ask 5.0.0 group","pipeline.gather 5.0 both","pipeline.enter 5.0.0 group","pipeline.enter 5.0.0.0 p","pipeline.enter 5.0.1 agent","pipeline.enter 7 bad","pipeline.enter 6 if","pipeline.enter 6.0 yes","pipeline.enter 6.1 no","pipeline.ask 7 bad","pipeline.enter 8 Inner","pipeline.enter 9 told","pipeline.answer"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]}],"roles":{"pipeline.start":"start","pipeline.enter 0 begin":"event","pipeline.shown":"event","pipeline.question":"inputRequired","pipeline.ask 1 confirmed":"event","pipeline.finish":"event","pipeline.enter 1 confirmed":"event","pipeline.ask 2 fields":"event","pipeline.answer":"humanResponse","pipeline.enter 2 fields":"event","pipeline.ask 3 route":"event","pipeline.enter 3 route":"event","pipeline.enter 3.0 x":"event","pipeline.enter 3.1 y":"event","pipeline.enter 4 looked at":"event","pipeline.ask 4 looked at":"event","pipeline.enter 5 loop":"event","pipeline.enter 5.0 both":"event","pipeline.ask 5 loop":"event","pipeline.ask 6 if":"event","pipeline.again 5 loop":"event","pipeline.ask 5.0.0 group":"event","pipeline.enter 5.0.1 agent":"event","pipeline.gather 5.0 both":"event","pipeline.enter 5.0.0 group":"event","pipeline.enter 5.0.0.0 p":"event","pipeline.enter 6 if":"event","pipeline.enter 6.0 yes":"event","pipeline.enter 6.1 no":"event","pipeline.enter 7 bad":"event","pipeline.ask 7 bad":"event","pipeline.enter 8 Inner":"event","pipeline.enter 9 told":"event","StopEvent":"stop","pipeline.cancel":"external"},"inboxSize":1000},"stateVersion":1,"children":{"8":1}},{"definition":{"workflow":"inner","steps":[{"name":"begin","trigger":{"kind":"event","accepts":["pipeline.start"]},"workers":4,"emits":["pipeline.ask 0 inner"],"fanOut":null,"waits":[],"streams":["pipeline.shown","pipeline.question"]},{"name":"inner","trigger":{"kind":"event","accepts":["pipeline.enter 0 inner"]},"workers":1000,"emits":["pipeline.ask 0 inner","pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"inner: ask","trigger":{"kind":"event","accepts":["pipeline.ask 0 inner"]},"workers":1000,"emits":["pipeline.enter 0 inner","pipeline.ask 0 inner","pipeline.finish"],"fanOut":null,"waits":["pipeline.answer"],"streams":["pipeline.shown","pipeline.question"]},{"name":"finish","trigger":{"kind":"event","accepts":["pipeline.finish"]},"workers":4,"emits":["StopEvent","pipeline.finish","pipeline.enter 0 inner","pipeline.ask 0 inner"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"cancel","trigger":{"kind":"event","accepts":["pipeline.cancel"]},"workers":4,"emits":["pipeline.finish"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]},{"name":"caught","trigger":{"kind":"failure","steps":null,"maxRecoveries":1000000},"workers":1,"emits":["pipeline.ask 0 inner","pipeline.finish","pipeline.enter 0 inner","pipeline.answer"],"fanOut":null,"waits":[],"streams":["pipeline.shown"]}],"roles":{"pipeline.start":"start","pipeline.ask 0 inner":"event","pipeline.shown":"event","pipeline.question":"inputRequired","pipeline.enter 0 inner":"event","pipeline.finish":"event","pipeline.answer":"humanResponse","StopEvent":"stop","pipeline.cancel":"external"},"inboxSize":1000},"stateVersion":1,"children":{}}]}');
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
INSERT INTO "records" (tenant, kind, id, version, text) VALUES ('', 'session', 's', 1, '{"json":{"name":null,"metadata":{},"sessionId":"s","userId":"ada","pipelineId":"reviewed","pipelineName":"Reviewed","state":{},"metrics":null,"runs":[{"runId":"reviewed","pipelineId":"reviewed","status":"RUNNING","createdAtMs":1795933160503}],"createdAtMs":1795933160503,"updatedAtMs":1795933160503}}');
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
