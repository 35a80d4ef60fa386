/** Ctrl-C: the first one stops gracefully, the second one exits at once. */

export interface Interrupts {
  readonly signal: AbortSignal;
  /** As a first Ctrl-C does. */
  readonly leave: () => void;
  stop(): void;
}

const names = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export function interrupts(): Interrupts {
  const controller = new AbortController();
  const onSignal = (): void => {
    if (controller.signal.aborted) process.exit(130);
    controller.abort();
  };
  for (const name of names) process.on(name, onSignal);
  return {
    signal: controller.signal,
    leave: () => controller.abort(),
    stop: () => {
      for (const name of names) process.off(name, onSignal);
    },
  };
}

export function untilInterrupted(): Promise<void> {
  const { signal } = interrupts(); // the second Ctrl-C leaves at once
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
