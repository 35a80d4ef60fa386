import { later } from "../system.js";

interface Deadline {
  /** `null`: there is none. */
  readonly limitMs: number | null;
  readonly signal: AbortSignal;
}

/** Fails when `work` takes longer than the limit, also where it does not listen to its signal. */
export async function inTime<Result>(
  { limitMs, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  if (limitMs === null) return work(signal);
  const limit = new AbortController();
  let cancel: () => void = () => {};
  const isLate = new Promise<never>((_resolve, reject) => {
    cancel = later(limitMs, () => {
      const error = new Error(`The tool has not answered within ${limitMs} ms.`);
      limit.abort(error);
      reject(error);
    });
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, limit.signal])), isLate]);
  } finally {
    cancel();
  }
}
