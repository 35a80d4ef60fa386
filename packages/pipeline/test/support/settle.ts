import { setImmediate, setTimeout } from "node:timers/promises";

/** Lets everything happen that waits for nobody, however busy the machine is. */
export async function settle(): Promise<void> {
  await setTimeout(20);
  for (let turn = 0; turn < 100; turn++) await setImmediate();
}
