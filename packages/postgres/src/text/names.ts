/** What PostgreSQL cannot keep, refused before it can spoil the commits of other runs. */
import { WorkflowError } from "millrace";

/**
 * Checks every text in the value, and the names of its parts.
 *
 * @throws {WorkflowError} `OPTION_INVALID` naming all that cannot be stored.
 */
export function checkTexts(value: object): void {
  const problems: string[] = [];
  addProblems(problems, value, "");
  if (problems.length === 0) return;
  throw new WorkflowError({
    code: "OPTION_INVALID",
    message: `PostgreSQL cannot keep that: ${problems.join("; ")}.`,
    hint: "Validate input from outside before you pass it on.",
    details: { problems },
  });
}

function addProblems(problems: string[], value: unknown, place: string): void {
  if (typeof value === "string") {
    if (value.includes("\0")) problems.push(`\`${place}\` has U+0000`);
    // Another text would come back.
    else if (/[\uD800-\uDFFF]/u.test(value)) problems.push(`\`${place}\` has half of a surrogate pair`);
  } else if (typeof value === "object" && value !== null) {
    for (const [name, part] of Object.entries(value)) {
      addProblems(problems, name, `a name in ${place}`);
      addProblems(problems, part, place === "" ? name : `${place}.${name}`);
    }
  }
}
