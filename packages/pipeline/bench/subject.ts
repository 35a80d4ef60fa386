/** One measure, in this process: `node --expose-gc subject.ts <scenario> <measure>` prints what it found as JSON. */
import { scenarios } from "./scenarios/index.ts";

const [scenario = "", index = ""] = process.argv.slice(2);
const measure = (await scenarios[scenario]?.())?.measures[Number(index)];
if (measure === undefined) throw new TypeError(`There is no measure ${index} of "${scenario}"`);
process.stdout.write(JSON.stringify(await measure.take()));
process.exit(0); // runs that wait keep the process alive
