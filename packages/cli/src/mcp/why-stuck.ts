/** Why a run does not continue, in sentences, from what `millrace show --json` prints. */
import type { JsonObject } from "./own-command.js";

interface ShownRun {
  readonly run_id: string;
  readonly status: string;
  readonly wake_at: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly attempts: readonly ShownAttempt[] | null;
  readonly prompts: readonly { readonly prompt_id: string; readonly event: unknown }[];
}

interface ShownAttempt {
  readonly step: string;
  readonly attempt: number;
  readonly status: string;
  readonly retry_at: string | null;
  readonly error: { readonly code: string; readonly message: string } | null;
}

export interface Reasons {
  readonly status: string;
  readonly reasons: readonly string[];
  /** Codes whose pages say what to do. */
  readonly codes: readonly string[];
}

export function whyStuck(shown: JsonObject): Reasons {
  const run = shown as unknown as ShownRun;
  const attempts = run.attempts ?? [];
  const reasons = [...endReasons(run), ...promptReasons(run), ...attempts.flatMap(attemptReasons), ...timeReasons(run)];
  const codes = [run.error?.code, ...attempts.map(({ error }) => error?.code)].filter((code) => code !== undefined);
  const none = `It is ${run.status}: nothing in the store says that it waits. If no process executes it, \`millrace resume ${run.run_id}\` does.`;
  return { status: run.status, reasons: reasons.length === 0 ? [none] : reasons, codes: [...new Set(codes)] };
}

function endReasons({ run_id, status, error }: ShownRun): string[] {
  if (status === "completed") return ["It is not stuck: it has completed."];
  if (status === "failed" || status === "timedOut")
    return [
      `It has ended with ${error?.code}: ${error?.message} \`millrace retry ${run_id}\` runs the failed work again.`,
    ];
  if (status === "cancelled") return [`It was cancelled. \`millrace resume ${run_id}\` continues it.`];
  return [];
}

function promptReasons({ run_id, prompts }: ShownRun): string[] {
  return prompts.map(
    ({ prompt_id, event }) =>
      `It waits for an answer to the prompt ${prompt_id}, ${JSON.stringify(event)}: \`millrace answer ${run_id} ${prompt_id} --input '{…}'\`.`,
  );
}

function attemptReasons({ step, attempt, status, retry_at, error }: ShownAttempt): string[] {
  if (retry_at !== null)
    return [
      `Step "${step}" has failed ${attempt} times and is retried at ${retry_at}. ${error?.code}: ${error?.message}`,
    ];
  return status === "running" ? [`Step "${step}" is running, attempt ${attempt}.`] : [];
}

function timeReasons({ wake_at }: ShownRun): string[] {
  return wake_at === null ? [] : [`Its next timer is due at ${wake_at}.`];
}
