/** Calls `open` on the first request and remembers the result. After a failure, the next request calls it again. */
export function once<Opened>(open: () => Opened | Promise<Opened>): () => Promise<Opened> {
  let opened: Promise<Opened> | null = null;
  return () => {
    opened ??= (async () => open())().catch((error: unknown) => {
      opened = null;
      throw error;
    });
    return opened;
  };
}
