/** The tables of the capacity page: what is computed, from what was measured. */
import { relative } from "node:path";
import { measured } from "./measured.mjs";
import { played, simulations } from "./simulated.mjs";

const m = Object.fromEntries(Object.entries(measured).map(([name, { value }]) => [name, value]));

const DAY_S = 86_400;
const HEAP_BYTES = 4e9;
const DISK_BYTES = 100e9;
const LEASE_S = 30;
/** Of a process: ten for the store, and one that listens. */
const CONNECTIONS = 11;

const commitsOfRun = (steps) => steps + 3;
const engineRate = 10_000 / (m.engineMs / 1_000);
const renewalsPerSecond = (workers) => (workers * 3) / LEASE_S;

/** How often `workers` of one PostgreSQL look for work: each at every run, and with each renewal. */
function looksOf(workers, runsPerSecond) {
  const looks = runsPerSecond * m.looks * workers + renewalsPerSecond(workers);
  return { looks, cores: (looks * m.lookMs) / 1_000 };
}

/** The most workers of one shard whose looks take one core. */
function workersOfShard(runsPerWorker) {
  let workers = 1;
  while (looksOf(workers + 1, (workers + 1) * runsPerWorker).cores <= 1) workers++;
  return workers;
}

const some = new Intl.NumberFormat("en", { maximumSignificantDigits: 3 });
const number = (value) => some.format(value);
const exact = (value) => value.toLocaleString("en");
const percent = (share) => `${number(100 * share)} %`;
const seconds = (ms) => `${number(ms / 1_000)} s`;
function size(bytes) {
  const [unit, of] = bytes >= 1e12 ? ["TB", 1e12] : bytes >= 1e9 ? ["GB", 1e9] : ["MB", 1e6];
  return `${number(bytes / of)} ${unit}`;
}

/** Numbers to the right. */
function table(titles, rows) {
  const columns = titles.map((title, column) => {
    const cells = rows.map((row) => row[column]);
    return {
      width: Math.max(...[title, ...cells].map(({ length }) => length)),
      isText: cells.some((cell) => /^\D/.test(cell) && cell !== "not measured"),
    };
  });
  const line = (cells) =>
    `| ${cells.map((cell, at) => (columns[at].isText ? cell.padEnd(columns[at].width) : cell.padStart(columns[at].width))).join(" | ")} |`;
  const rule = columns.map(({ width, isText }) => (isText ? "-".repeat(width + 2) : `${"-".repeat(width + 1)}:`));
  return [line(titles), `|${rule.join("|")}|`, ...rows.map(line)].join("\n");
}

function measuredTable() {
  const rows = Object.values(measured).map(({ what, value, unit, page }) => {
    const [, name] = page.split("/");
    return [what, exact(value), unit, `[${name}](${relative("docs/architecture", page)})`];
  });
  return table(["what", "number", "unit", "bench of"], rows);
}

function carriesTable() {
  const row = (name, rate, ended, waiting, room) => [
    name,
    number(rate),
    number(rate * DAY_S),
    ended === null ? "not measured" : number(room / ended),
    waiting === null ? "not measured" : number(room / waiting),
  ];
  return table(
    ["", "runs a second", "runs a day", "ended runs in the room", "waiting runs in the room"],
    [
      row("memory, 4 GB of heap (rate without a store)", engineRate, m.memoryEnded, m.memoryWaiting, HEAP_BYTES),
      row('SQLite, 100 GB, `"process"`', m.sqliteRate, m.sqliteEnded, m.sqliteWaiting, DISK_BYTES),
      row('SQLite, 100 GB, `"power"`', m.sqlitePowerRate, m.sqliteEnded, m.sqliteWaiting, DISK_BYTES),
      row("one PostgreSQL, 100 GB", m.postgresRate, m.postgresEnded, m.postgresWaiting, DISK_BYTES),
      row("10 PostgreSQL, 100 GB each", 10 * m.postgresRate, m.postgresEnded, m.postgresWaiting, 10 * DISK_BYTES),
      row("one server of Restate", m.restateRate, null, null, DISK_BYTES),
    ],
  );
}

function millionTable() {
  const runs = 1_000_000;
  const rate = runs / DAY_S;
  const row = (name, most, ended, log) => [
    name,
    percent(rate / most),
    percent((10 * rate) / most),
    ended === null ? "not measured" : size(runs * ended),
    ended === null ? "not measured" : size(30 * runs * ended),
    log === null ? "not measured" : size(runs * log),
  ];
  return table(
    [
      "1 million runs a day",
      `at ${number(rate)} a second`,
      `at ${number(10 * rate)} a second`,
      "disk, a day",
      "30 days",
      "log, a day",
    ],
    [
      row('SQLite, `"process"`', m.sqliteRate, m.sqliteEnded, null),
      row('SQLite, `"power"`', m.sqlitePowerRate, m.sqliteEnded, null),
      row("one PostgreSQL", m.postgresRate, m.postgresEnded, m.postgresLog),
      row("one server of Restate", m.restateRate, null, null),
    ],
  );
}

function waitingTable() {
  const runs = 100_000_000;
  const back = runs / (30 * DAY_S);
  const hours = (rate) => `${number(runs / rate / 3_600)} hours`;
  return table(
    [
      "100 million runs that wait",
      "room",
      "to start them",
      "of the measured rate, each waits 30 days",
      "to claim all at once",
    ],
    [
      ["memory", size(runs * m.memoryWaiting), "not measured", "not measured", "not measured"],
      [
        'SQLite, `"process"`',
        size(runs * m.sqliteWaiting),
        hours(m.sqliteRate),
        percent(back / m.sqliteRate),
        "not measured",
      ],
      [
        "one PostgreSQL",
        size(runs * m.postgresWaiting),
        hours(m.postgresRate),
        percent(back / m.postgresRate),
        hours(m.claimRate),
      ],
      [
        "10 PostgreSQL",
        size(runs * m.postgresWaiting),
        hours(10 * m.postgresRate),
        percent(back / 10 / m.postgresRate),
        hours(10 * m.claimRate),
      ],
    ],
  );
}

function workersTable() {
  const rate = 1_000_000 / DAY_S;
  return table(
    ["workers of one PostgreSQL", "connections", "renewals a second", "looks a second", "cores for looks"],
    [3, 10, 100, 1_000, 10_000].map((workers) => {
      const { looks, cores } = looksOf(workers, rate);
      const connections = workers * CONNECTIONS;
      return [exact(workers), exact(connections), ...[renewalsPerSecond(workers), looks, cores].map(number)];
    }),
  );
}

function shardsTable() {
  const workers = 10_000;
  return table(
    ["10,000 workers together", "runs a second", "workers of a shard", "PostgreSQL servers", "connections of a server"],
    [1e6, 1e7, 1e8].map((runs) => {
      const rate = runs / DAY_S;
      const ofShard = workersOfShard(rate / workers);
      const shards = Math.max(Math.ceil(workers / ofShard), Math.ceil(rate / m.postgresRate));
      return [`${exact(runs)} runs a day`, number(rate), exact(ofShard), exact(shards), exact(ofShard * CONNECTIONS)];
    }),
  );
}

async function simulationTable() {
  const { calm, waiting, killed } = await simulations();
  const { processes, runs, hours, leaseMs, minutesOfKilled } = played;
  const waited = killed.recoveriesMs.toSorted((left, right) => left - right);
  const taken = waited.length;
  const meanMs = waited.reduce((sum, ms) => sum + ms, 0) / taken;
  const expectedMs = (5 / 6) * leaseMs + leaseMs / 3 / processes;
  const held = ((runs / hours) * (minutesOfKilled / 60)) / processes;
  const anHour = (count, elapsedMs) => count / (elapsedMs / 3_600_000);
  return table(
    ["what", "formula", "gives", "simulated"],
    [
      ["ticks of a run of 3 steps", "steps + 1", number(4), number(calm.ticks / runs)],
      ["commits of it", "at most steps + 3", number(commitsOfRun(3)), number(calm.commits / runs)],
      ["claims of it", "0: whoever starts it holds it", number(0), number(calm.claims / runs)],
      ["claims of a run that waits twice", "one for each return", number(2), number(waiting.claims / runs)],
      [
        "renewals an hour",
        "processes × 3 ÷ lease",
        number(processes * 3 * (3_600_000 / leaseMs)),
        number(anHour(calm.renewals, calm.elapsedMs)),
      ],
      [
        "runs that a killed process held",
        "starts an hour × hours of a run ÷ processes",
        number(held),
        number(taken / killed.struck.kills),
      ],
      [
        "until another has them, mean",
        "5/6 of the lease + a third of it ÷ processes",
        seconds(expectedMs),
        seconds(meanMs),
      ],
      [
        "the first, the last",
        "2/3 of the lease, 4/3 of the lease",
        `${seconds((2 / 3) * leaseMs)}, ${seconds((4 / 3) * leaseMs)}`,
        `${seconds(waited[0])}, ${seconds(waited.at(-1))}`,
      ],
      ["ticks of a run that was taken, beside its own", "1", number(1), number((killed.ticks - calm.ticks) / taken)],
    ],
  );
}

/** By the name in the page. */
export async function tables() {
  return {
    measured: measuredTable(),
    carries: carriesTable(),
    million: millionTable(),
    waiting: waitingTable(),
    workers: workersTable(),
    shards: shardsTable(),
    simulation: await simulationTable(),
  };
}
