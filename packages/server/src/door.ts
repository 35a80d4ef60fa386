/**
 * `@millrace/server/door`: what is in front of every protocol that packages speak: the origin of a request, its
 * sender, its body and the form of errors.
 *
 * @module
 */
export { createDoor, doorRules } from "./door/create-door.js";
export type { Door, DoorOptions } from "./door/create-door.js";
export type { DoorCaller, MountedDoor } from "./door/mounted-door.types.js";
export type { Right, Rights } from "./guard/rights.js";
export { withAuth } from "./options.js";
export { HttpError, wrongMethod } from "./http/http-error.js";
export type { HttpErrorOptions, Issue } from "./http/http-error.js";
