import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { nodeFlags } from "../src/processes/index.js";

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

for (const signal of ["SIGKILL", "SIGINT"] as const) {
  it(`programs and scripts end, and leave nothing, when who has started them is gone by ${signal}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "millrace-guarded-"));
    const [starter, stayer] = ["starter.ts", "stayer.ts"].map((name) => join(import.meta.dirname, "child", name));
    const process = spawn(globalThis.process.execPath, [...nodeFlags, starter as string, folder, stayer as string]);
    const [printed] = await once(process.stdout, "data");
    const pids = [Number(printed), Number(readFileSync(join(folder, "pid"), "utf8"))];
    expect(pids.map(isThere)).toEqual([true, true]);

    process.kill(signal);

    await vi.waitFor(() => expect(pids.map(isThere)).toEqual([false, false]), { timeout: 30_000 });
    await vi.waitFor(() => expect(existsSync(folder)).toBe(false), { timeout: 30_000 });
  });
}
