/**
 * A process of tests ends when vitest is gone, however it went: else its tests would run on, with all that they have started.
 *
 * @module
 */
const known = Symbol.for("millrace.ends-with-vitest");
const marked = globalThis as { [known]?: true };

// Once for each process: several files share one. In a thread there is no channel.
if (process.channel !== undefined && marked[known] === undefined) {
  marked[known] = true;
  process.on("disconnect", () => process.kill(process.pid, "SIGKILL"));
}
