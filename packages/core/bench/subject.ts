/** One measure of one subject, in this process: `node --expose-gc subject.ts <scenario> <measure> <subject>` prints what it found as JSON. */
import type { SubjectName } from "./measure.ts";
import { scenarios } from "./scenarios/index.ts";

const [scenario = "", index = "", name = ""] = process.argv.slice(2);
const measures = (await scenarios[scenario]?.())?.measures;
const subject = measures?.[Number(index)]?.subjects[name as SubjectName];
if (subject === undefined) throw new TypeError(`There is no ${name} in measure ${index} of "${scenario}"`);
const found = await subject();
process.stdout.write(JSON.stringify(found));
process.exit(0); // paused runs of peers keep the process alive
