/** A `millrace` command as a person types it, or pastes it, into a POSIX shell. */

interface CommandParts {
  /** Ids and files: they may be anything, also what looks like an option. */
  readonly args?: readonly string[];
  /** Options with their values. */
  readonly flags?: readonly string[];
}

/** @example commandText("resume", { args: ["run 1"], flags: ["--store", "a.db"] }) // millrace resume 'run 1' --store a.db */
export function commandText(name: string, { args = [], flags = [] }: CommandParts): string {
  const looksLikeOption = args.some((arg) => arg.startsWith("-"));
  const words = looksLikeOption ? [...flags, "--", ...args] : [...args, ...flags];
  return ["millrace", name, ...words.map(shellWord)].join(" ");
}

/** One word for `sh`, `bash` and `zsh`. In single quotes only a single quote is special. */
export function shellWord(text: string): string {
  return /^[\w@%+:,./…-][\w@%+=:,./#…-]*$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
