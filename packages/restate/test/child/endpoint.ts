/** An endpoint in a process of its own, to be killed: `PORT`, `EFFECTS` for what its steps do, and `RECORDS`, the file of their records. */
import http2 from "node:http2";
import { sqliteStore } from "@millrace/sqlite";
import { createEndpointHandler } from "@restatedev/restate-sdk/node";
import { createRestateHost } from "../../src/index.js";
import { matrixFlows } from "../support/matrix-flows.js";

// A snapshot of the live run after every round, and all of them kept: the test compares them with the ticks.
const settings = { rounds: 15, snapshotEvery: 1, history: { keep: 1_000_000 } };
const records = sqliteStore(String(process.env["RECORDS"]));
const host = createRestateHost({ workflows: matrixFlows, records, ...settings });
const handler = createEndpointHandler({ services: [...host.services], logger: () => {} });
http2.createServer(handler as never).listen(Number(process.env["PORT"]), "127.0.0.1", () => process.send?.("up"));
