/**
 * The public surface of `@millrace/studio`: the files of the page, for a server that shows it.
 *
 * @module
 */
export type { StudioFile } from "./studio-file.js";
export { studioFile } from "./studio-file.js";
