/**
 * What only a program needs that reads snapshots. This entry keeps it in a file of its own, which bundlers can leave out of others:
 * they keep what superjson does when it loads, and some keep the shapes. No code imports it.
 */

// Loads what `pure` loads: the build then has one file for all of it.
import "./pure.js";

export { untransformValue } from "../../node_modules/superjson/dist/transformer.js";
export { readSnapshot, versionIn } from "../snapshot/snapshot-shape.js";
