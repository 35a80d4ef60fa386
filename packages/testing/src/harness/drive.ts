/**
 * Plays the world of a run until it has ended or crashed: answers, sends events, and lets time pass.
 *
 * Time moves only when nothing else can happen.
 *
 * @module
 */
import { type RunOutcome, WorkflowError } from "millrace";
import { waitTurn } from "./host-turn.js";
import type { Responder, Waiting } from "./responder.js";
import type { RunSegment } from "./run-segment.js";

export type Ended = Exclude<RunOutcome, Waiting>;

/** Host turns, of a millisecond or more each, in which a step may work without a sign. */
export const TIMEOUT_TURNS = 2_000;
/** The same limit for what precedes a step: getting a place in a limit, and making resources. */
const PREPARING_TURNS = 100;
/** Number of sleeps after which a run counts as endless. */
const MAX_JUMPS = 10_000;

/** @returns `null` when the run has crashed. */
export async function drive(segment: RunSegment, responder: Responder, timeoutTurns: number): Promise<Ended | null> {
  for (let jumps = 0; jumps < MAX_JUMPS; ) {
    const moment = await nextMoment(segment, timeoutTurns);
    if (moment === "crashed") return null;
    if (moment === "quiet") {
      if (!segment.clock.jumpToNext()) throw hangs(segment, timeoutTurns);
      jumps++;
      continue;
    }
    if (moment.status !== "waiting") return moment;
    const acted = await Promise.race([responder.act(segment.handler, moment), segment.recording.crashed]);
    if (acted !== false) continue;
    if (moment.wakeAtMs === null || !segment.clock.jumpToNext()) throw stuck(segment, responder, moment);
    jumps++;
  }
  throw endless(segment);
}

/** Waits until the run is idle, or shows no activity for too long. */
async function nextMoment(segment: RunSegment, timeoutTurns: number): Promise<RunOutcome | "quiet" | "crashed"> {
  const { handler, recording, attempts } = segment;
  let idle: { readonly outcome: RunOutcome } | { readonly error: unknown } | null = null;
  handler.idle().then(
    (outcome) => (idle = { outcome }),
    (error: unknown) => (idle = { error }),
  );
  const found = (): typeof idle => idle;
  let seen = -1;
  for (let turn = 0; ; turn++) {
    await waitTurn(turn);
    if (recording.lost !== null) return "crashed";
    const now = found();
    if (now !== null) {
      if ("error" in now) throw now.error;
      return now.outcome;
    }
    const changes = recording.ticks.length + attempts.changes;
    if (seen !== changes || segment.isHolding()) [seen, turn] = [changes, 0];
    else if (segment.isCalling?.()) turn = Math.min(turn, timeoutTurns - 1, PREPARING_TURNS - 1);
    const isWorking = [...attempts.all].some(({ open }) => open === 0);
    if (turn > (isWorking ? timeoutTurns : PREPARING_TURNS)) return "quiet";
  }
}

/** Waits until the work under way at the crash has stopped, because a test cannot kill it as a process can. */
export async function standStill({ attempts, stop }: RunSegment): Promise<void> {
  stop();
  let seen = -1;
  for (let turn = 0, quiet = 0; quiet < 3 && turn < PREPARING_TURNS; turn++) {
    await waitTurn(turn);
    if (seen !== attempts.changes) [seen, turn, quiet] = [attempts.changes, 0, 0];
    else if (attempts.atWork.every(({ storing }) => storing > 0)) quiet++;
  }
}

function hangs({ workflow, attempts }: RunSegment, turns: number): WorkflowError {
  const steps = [...attempts.all].filter(({ open }) => open === 0).map(({ step }) => step);
  return new WorkflowError({
    code: "RUN_STUCK",
    message: `The run of "${workflow}" makes no progress: ${steps.length > 0 ? `${steps.map((step) => `"${step}"`).join(", ")} worked` : "nothing happened"} for ${turns} turns of the event loop.`,
    hint: "Await something that settles, set a `timeout` of the step, or raise `timeoutTurns` when it only takes long.",
    details: { workflow, steps, turns },
  });
}

function stuck({ workflow, attempts }: RunSegment, responder: Responder, { prompts }: Waiting): WorkflowError {
  const asked = prompts.map(({ event }) => event.type);
  const awaited = [...attempts.all].flatMap(({ step, awaited: types }) => types.map((type) => ({ step, type })));
  const waits = awaited.map(({ step, type }) => `"${step}" waits for ${type}`);
  const what = [
    ...(asked.length > 0 ? [`it asks ${asked.join(", ")}`] : []),
    ...waits,
    ...(responder.next === null ? [] : [`it does not take ${responder.next.type}, the next of \`events\``]),
  ];
  return new WorkflowError({
    code: "RUN_STUCK",
    message: `The run of "${workflow}" waits for an event that is never sent: ${what.join("; ") || "an event from outside"}.`,
    hint: asked.length > 0 ? `Pass \`answers: { ${asked[0]}: { … } }\`.` : "Pass the events in `events`.",
    details: { workflow, prompts: asked, waits: awaited },
  });
}

function endless({ workflow, clock }: RunSegment): WorkflowError {
  return new WorkflowError({
    code: "RUN_STUCK",
    message: `The run of "${workflow}" does not end: time has moved on ${MAX_JUMPS} times, to ${new Date(clock.now()).toISOString()}.`,
    hint: "End the loop of waits, at least under test.",
    details: { workflow, jumps: MAX_JUMPS },
  });
}
