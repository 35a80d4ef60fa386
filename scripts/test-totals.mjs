/**
 * The totals over all vitest runs, from the JSON that each package's test script writes.
 *
 *     node scripts/test-totals.mjs     prints "12 passed, 0 failed", and before it what is flaky
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./setup/console.mjs";

/** The reports that are there now. Without `globSync`: `.ci/run` runs this file with the Node of the machine, which may be 20. */
export const reportFiles = () => {
  const packages = readdirSync(join(root, "packages")).map((name) => join("packages", name));
  const files = [...packages, "examples", "site"].map((folder) => join(root, folder, ".reports", "vitest.json"));
  return files.filter((file) => existsSync(file));
};

const readReport = (file) => JSON.parse(readFileSync(file, "utf8"));

export function testTotals() {
  const reports = reportFiles().map(readReport);
  const sum = (countOf) => reports.reduce((total, report) => total + countOf(report), 0);
  const passed = sum((report) => report.numPassedTests);
  const skipped = sum((report) => report.numPendingTests + report.numTodoTests);
  const failed = sum((report) => failuresOf(report).length || (report.success ? 0 : 1)); // also without a test that failed
  return { passed, failed, line: `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}` };
}

/** What has failed in a report: its file, its name, and why. */
function failuresOf(report) {
  return report.testResults.flatMap(({ name: path, status, message, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === "failed");
    const failures = failed.map(({ fullName, failureMessages: [why = ""] }) => ({ path, name: fullName, why }));
    const isBroken = status === "failed" && failures.length === 0;
    return isBroken ? [{ path, name: "cannot be loaded", why: message }] : failures;
  });
}

const lineOf = ({ path, name, why }) => `${relative(root, path)}: ${name}\n    ${why.split("\n")[0].slice(0, 300)}`;

/** Of each that failed: file and name, and the first line of why. */
export const failedTests = () => reportFiles().map(readReport).flatMap(failuresOf).map(lineOf);

/** The same of those that have failed and passed when vitest tried them again. CONTRIBUTING.md says what to do about it. */
export const flakyTests = () =>
  reportFiles()
    .map(readReport)
    .flatMap(flakyOf)
    .map((one) => `FLAKY   ${lineOf(one)}`);

const flakyOf = ({ testResults }) =>
  testResults.flatMap(({ name: path, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
      .map(({ fullName, failureMessages: [why] }) => ({ path, name: fullName, why })),
  );

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { passed, failed, line } = testTotals();
  for (const flaky of flakyTests()) console.log(flaky);
  console.log(line);
  // No report at all is no proof of anything.
  process.exit(passed > 0 && failed === 0 ? 0 : 1);
}
