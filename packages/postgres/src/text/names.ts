/** What PostgreSQL cannot keep, refused before it can spoil the commits of other runs. */
import { WorkflowError } from "millrace";
import type { RecordKey, RunCommit } from "millrace/runtime";

/** @throws {WorkflowError} `OPTION_INVALID` naming all that cannot be stored. */
export function checkNames(names: { readonly [what: string]: string | null | undefined }): void {
  const problems = Object.entries(names).flatMap(([what, text]) => nameProblem(what, text));
  if (problems.length > 0) throw refused(problems);
}

export function checkRecord({ tenant, kind, id }: RecordKey): void {
  checkNames({ tenant, kind, id });
}

/** @throws {WorkflowError} `OPTION_INVALID` */
export function checkText(what: string, text: string | null | undefined): void {
  if (text?.includes("\0")) throw refused([`\`${what}\` has U+0000`]);
}

/** @throws {WorkflowError} `OPTION_INVALID` */
export function checkCommit(commit: RunCommit): void {
  const { key, create, ticks, snapshot, summary } = commit;
  checkNames({ tenant: key.tenant, runId: key.runId });
  if (create !== undefined) {
    const labels = Object.entries(create.labels).flatMap(([name, value], index) => [
      [`name of label ${index + 1}`, name] as const,
      [`labels.${name}`, value] as const,
    ]);
    const indexed = Object.entries(create.index ?? {}).flatMap(([name, values]) => [name, ...values]);
    for (const text of indexed) checkNames({ index: text });
    const { name: queue, key: queueKey } = create.queue ?? {};
    checkNames({
      workflow: create.workflow,
      version: create.version,
      owner: create.lease?.owner,
      queue,
      queueKey,
      ...Object.fromEntries(labels),
    });
    checkText("input", create.input);
    checkText("code", create.code);
    checkText("forkedFrom", create.forkedFrom?.runId);
  }
  checkNames({ version: commit.version });
  checkText("ticks", ticks?.text);
  checkText("snapshot", snapshot?.text);
  checkText("outcome", summary?.outcome);
  checkText("waiting", summary?.waiting);
  for (const { text } of commit.events ?? []) checkText("event", text);
  for (const { receipt } of commit.receipts ?? []) checkText("receipt", receipt);
  for (const { idempotencyKey, receipt } of commit.received ?? []) {
    checkNames({ idempotencyKey });
    checkText("receipt", receipt);
  }
  for (const { idempotencyKey, text } of commit.posts ?? []) {
    checkNames({ idempotencyKey });
    checkText("text", text);
  }
  for (const { workflow, step, version } of commit.measures ?? []) checkNames({ workflow, step, version });
  for (const { text } of commit.blobs ?? []) checkText("blob", text);
  for (const record of commit.records ?? []) {
    checkRecord(record);
    checkText("text", record.text);
  }
}

function nameProblem(what: string, text: string | null | undefined): string[] {
  if (typeof text !== "string") return [];
  if (text.includes("\0")) return [`\`${what}\` has U+0000`];
  // Another name would come back.
  return /[\uD800-\uDFFF]/u.test(text) ? [`\`${what}\` has half of a surrogate pair`] : [];
}

function refused(problems: readonly string[]): WorkflowError {
  return new WorkflowError({
    code: "OPTION_INVALID",
    message: `PostgreSQL cannot keep that: ${problems.join("; ")}.`,
    hint: "Validate input from outside before you pass it on.",
    details: { problems },
  });
}
