/** Ids of runs and sessions that callers of a server may choose: a path of a URL can hold them. */
export const outsideId: { readonly pattern: RegExp; readonly longest: number; readonly meaning: string } = {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern refuses them
  pattern: /^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\u2028\u2029\ud800-\udfff]+$/u,
  longest: 200,
  meaning: "an id has no line ends and no other control characters, and is neither `.` nor `..`, which no URL can hold",
};
