/**
 * Moves between stores by a process that is killed, as tests and as the script of the process.
 *
 * @module
 */
export { killedMovesSuite, type MovingSubject } from "./killed-moves.js";
export { moveAll } from "./move-all.js";
