/** Calls `open` when it is first asked, and remembers what that gives. After a failure, the next one who asks calls it again. */
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
