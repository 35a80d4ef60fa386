/**
 * Runs the files of tests that have failed twice more, each alone and with nothing else at work. What passes both times has failed by
 * chance: it counts as passed, and the reports name it as flaky. CONTRIBUTING.md says what to do about it.
 *
 * @module
 */
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "./setup/console.mjs";
import { failuresOf, readReport, reportFiles } from "./test-totals.mjs";

/** More than that are no accident. */
const MOST = 3;
const TIMES = 2;
const limitMs = 10 * 60_000;

/** Whether all that has failed passes now. */
export function rerunFailed(env) {
  const found = reportFiles().flatMap((file) => {
    const failures = failuresOf(readReport(file));
    return failures.length === 0 ? [] : [{ file, folder: dirname(dirname(file)), failures }];
  });
  const count = found.reduce((sum, { failures }) => sum + failures.length, 0);
  if (count === 0 || count > MOST || hasFailedOtherwise(found.map(({ folder }) => folder))) return false;
  return found.every(({ file, folder, failures }) =>
    [...new Set(failures.map(({ path }) => path))].every((path) => {
      const again = passesAgain(folder, path, env);
      if (again !== null) amend(file, path, again);
      return again !== null;
    }),
  );
}

/** A package whose tests have failed without a test that failed, or with an error that belongs to none. */
function hasFailedOtherwise(folders) {
  const runs = join(root, ".turbo", "runs");
  const last = readdirSync(runs).sort().at(-1);
  const { tasks } = JSON.parse(readFileSync(join(runs, last), "utf8"));
  const failed = tasks.filter(({ execution }) => execution?.exitCode !== 0);
  return failed.some(({ task, directory, logFile }) => {
    const isKnown = task === "test" && folders.includes(join(root, directory));
    return !isKnown || /unhandled error/i.test(readFileSync(join(root, logFile), "utf8"));
  });
}

/** The report of the last time; null when it has failed again. */
function passesAgain(folder, path, env) {
  const report = join(".reports", "again.json");
  const args = ["run", path, "--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  for (let time = 1; time <= TIMES; time++) {
    console.log(`\n── again, alone (${time} of ${TIMES}): ${relative(root, path)}`);
    const { status } = spawnSync("vitest", args, {
      cwd: folder,
      env,
      stdio: ["ignore", "inherit", "inherit"],
      timeout: limitMs,
    });
    if (status !== 0) return null;
  }
  return readReport(join(folder, report));
}

/** The results of one file are those of the last time, and what had failed in it is flaky. */
function amend(file, path, again) {
  const report = readReport(file);
  const flaky = [...(report.flaky ?? []), ...failuresOf(report).filter((one) => one.path === path)];
  const testResults = [...report.testResults.filter(({ name }) => name !== path), ...again.testResults];
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const countOf = (...statuses) => all.filter(({ status }) => statuses.includes(status)).length;
  const counts = {
    numPassedTests: countOf("passed"),
    numFailedTests: countOf("failed"),
    numPendingTests: countOf("pending", "skipped"),
    numTodoTests: countOf("todo"),
    numFailedTestSuites: testResults.filter(({ status }) => status === "failed").length,
  };
  const success = counts.numFailedTestSuites === 0;
  writeFileSync(file, JSON.stringify({ ...report, ...counts, success, testResults, flaky }));
}
