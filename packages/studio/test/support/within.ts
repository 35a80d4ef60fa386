/** Longer than a machine stalls. */
const LIMIT_MS = 60_000;

/** What a test waits for without a limit of its own: the error says what it was. */
export async function within<Result>(what: string, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TypeError(`${what}: not done after ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
