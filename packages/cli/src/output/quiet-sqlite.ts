/** Node warns that `node:sqlite` is experimental in its older versions. Whoever runs a command can do nothing about it. */
export function quietSqlite(host: Pick<NodeJS.Process, "removeAllListeners" | "on" | "stderr">): void {
  host.removeAllListeners("warning");
  host.on("warning", ({ name, message }: Error) => {
    if (name !== "ExperimentalWarning" || !message.includes("SQLite")) host.stderr.write(`${name}: ${message}\n`);
  });
}
