import { WorkflowError } from "millrace";
import type { RecordEdit, RuntimeRecords } from "millrace/runtime";
import { type RunSessionEnd, saveSession } from "./run-session.js";
import { SESSION_KIND, type SessionRecord } from "./session-record.js";

/** What a run leaves that has no last step. Once: a session that knows the run has all of it. */
export async function saveFromOutside(records: RuntimeRecords, end: RunSessionEnd, runId: string): Promise<void> {
  for (;;) {
    const known = await records.read(SESSION_KIND, end.session.sessionId);
    if ((known?.value as SessionRecord | undefined)?.runs.some((run) => run.runId === runId)) return;
    const edits: RecordEdit[] = [];
    await saveSession({ read: (kind, id) => records.read(kind, id), write: (edit) => void edits.push(edit) }, end);
    try {
      return await records.write(edits);
    } catch (error) {
      if (!WorkflowError.is(error, "RECORD_CONFLICT")) throw error; // somebody else was faster: on what is stored now
    }
  }
}
