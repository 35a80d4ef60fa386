/**
 * The totals over all vitest runs, from the JSON that each package's test script writes.
 *
 *     node scripts/test-totals.mjs     prints "12 passed, 0 failed"
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./setup/console.mjs";

/** The reports that are there now. */
export function reportFiles() {
  const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name));
  const files = [...packages, "examples"].map((folder) => join(root, folder, ".reports", "vitest.json"));
  return files.filter((file) => existsSync(file));
}

export function testTotals() {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const file of reportFiles()) {
    const report = JSON.parse(readFileSync(file, "utf8"));
    total.passed += report.numPassedTests;
    total.failed += report.numFailedTests;
    // A suite that cannot be loaded has no test that fails.
    if (!report.success && report.numFailedTests === 0) total.failed += Math.max(1, report.numFailedTestSuites);
    total.skipped += report.numPendingTests + report.numTodoTests;
  }
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
  return { ...total, line: `${total.passed} passed, ${total.failed} failed${skipped}` };
}

/** Of each that failed: file and name, and the first line of why. */
export function failedTests() {
  return reportFiles().flatMap((file) =>
    JSON.parse(readFileSync(file, "utf8")).testResults.flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === "failed");
      const lines = failed.map(({ fullName, failureMessages }) => [fullName, failureMessages[0]]);
      if (message !== "" && failed.length === 0) lines.push(["cannot be loaded", message]);
      return lines.map(
        ([what, why = ""]) => `${relative(root, name)}: ${what}\n    ${why.split("\n")[0].slice(0, 300)}`,
      );
    }),
  );
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { passed, failed, line } = testTotals();
  console.log(line);
  // No report at all is no proof of anything.
  process.exit(passed > 0 && failed === 0 ? 0 : 1);
}
