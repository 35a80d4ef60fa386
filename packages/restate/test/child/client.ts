/** A client in a process of its own, which starts what schedules ask for: `RECORDS`, the file that has them, and `INGRESS`. */
import { sqliteStore } from "@millrace/sqlite";
import { connect } from "../../src/index.js";
import { chain } from "../support/flows.js";

const records = sqliteStore(String(process.env["RECORDS"]));
const runtime = connect({ workflows: { chain }, ingress: String(process.env["INGRESS"]), records });
await runtime.start();
