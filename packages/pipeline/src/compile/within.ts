/** What becomes of the promise, or nothing where that takes too long. */
export async function within(limitMs: number, promise: Promise<unknown>): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLong = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs);
  });
  try {
    await Promise.race([promise, tooLong]);
  } finally {
    clearTimeout(timer);
  }
}
